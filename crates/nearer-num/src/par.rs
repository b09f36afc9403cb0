//! Threads that never change a bit: work is cut into pieces that depend on the problem alone, and results are put
//! together in the order of the pieces.

use std::ops::Range;

use rayon::prelude::*;

/// Runs `work` with this many threads to share its parallel parts; 0 means one for each core.
pub fn install<T: Send>(threads: usize, work: impl FnOnce() -> T + Send) -> T {
    if threads == 1 {
        // A pool of one still costs a hand-over; and inside another pool it would not be one thread.
        return match rayon::ThreadPoolBuilder::new().num_threads(1).use_current_thread().build() {
            Ok(pool) => pool.install(work),
            Err(_) => single(work),
        };
    }
    match rayon::ThreadPoolBuilder::new().num_threads(threads).build() {
        Ok(pool) => pool.install(work),
        // No more threads to be had from the system: the result is the same on one.
        Err(_) => work(),
    }
}

fn single<T: Send>(work: impl FnOnce() -> T + Send) -> T {
    match rayon::ThreadPoolBuilder::new().num_threads(1).build() {
        Ok(pool) => pool.install(work),
        Err(_) => work(),
    }
}

/// Calls `piece` for each of `count` pieces, possibly at once, and gives the results in order.
pub fn map<T: Send>(count: usize, piece: impl Fn(usize) -> T + Sync + Send) -> Vec<T> {
    (0..count).into_par_iter().map(piece).collect()
}

/// Cuts `0..n` into ranges of `size`, whatever the number of threads.
#[must_use]
pub fn ranges(n: usize, size: usize) -> Vec<Range<usize>> {
    (0..n).step_by(size.max(1)).map(|start| start..(start + size.max(1)).min(n)).collect()
}
