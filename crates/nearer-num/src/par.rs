//! Threads that never change a bit: work is cut into pieces that depend on the problem alone, and results are put
//! together in the order of the pieces.

use std::cell::Cell;
use std::collections::HashMap;
use std::ops::Range;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use rayon::prelude::*;

thread_local! {
    /// Whether this thread runs its pieces one after another.
    static ALONE: Cell<bool> = const { Cell::new(false) };
}

/// Runs `work` with this many threads to share its parallel parts; 0 means one for each core. One thread is the calling
/// one. Pools are kept, since a fit of a few objects takes less time than starting a thread.
pub fn install<T: Send>(threads: usize, work: impl FnOnce() -> T + Send) -> T {
    let pool = if threads == 1 { None } else { pool(threads) };
    match pool {
        Some(pool) => pool.install(|| with_alone(false, work)),
        // Also where the system gives no more threads: the result is the same on one.
        None => with_alone(true, work),
    }
}

/// How many threads share the parallel parts here.
#[must_use]
pub fn threads() -> usize {
    if ALONE.get() { 1 } else { rayon::current_num_threads() }
}

fn pool(threads: usize) -> Option<Arc<rayon::ThreadPool>> {
    static POOLS: OnceLock<Mutex<HashMap<usize, Arc<rayon::ThreadPool>>>> = OnceLock::new();
    let mut pools = POOLS.get_or_init(Mutex::default).lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(pool) = pools.get(&threads) {
        return Some(pool.clone());
    }
    let pool = Arc::new(rayon::ThreadPoolBuilder::new().num_threads(threads).build().ok()?);
    pools.insert(threads, pool.clone());
    Some(pool)
}

fn with_alone<T>(alone: bool, work: impl FnOnce() -> T) -> T {
    /// Puts the old value back, also when `work` panics.
    struct Reset(bool);
    impl Drop for Reset {
        fn drop(&mut self) {
            ALONE.set(self.0);
        }
    }
    let _reset = Reset(ALONE.replace(alone));
    work()
}

/// Calls `piece` for each of `count` pieces, possibly at once, and gives the results in order.
pub fn map<T: Send>(count: usize, piece: impl Fn(usize) -> T + Sync + Send) -> Vec<T> {
    if ALONE.get() { (0..count).map(piece).collect() } else { (0..count).into_par_iter().map(piece).collect() }
}

/// Calls `piece` with each of some things, which may be parts of an array that are written to.
pub fn each<P: Send>(parts: Vec<P>, piece: impl Fn(usize, P) + Sync + Send) {
    if ALONE.get() {
        parts.into_iter().enumerate().for_each(|(k, part)| piece(k, part));
    } else {
        parts.into_par_iter().enumerate().for_each(|(k, part)| piece(k, part));
    }
}

/// Calls `piece` with each stretch of `size` entries and where it starts.
pub fn chunks(values: &mut [f64], size: usize, piece: impl Fn(usize, &mut [f64]) + Sync + Send) {
    each(values.chunks_mut(size).collect(), |k, part| piece(k * size, part));
}

/// Cuts `0..n` into ranges of `size`, whatever the number of threads.
#[must_use]
pub fn ranges(n: usize, size: usize) -> Vec<Range<usize>> {
    (0..n).step_by(size.max(1)).map(|start| start..(start + size.max(1)).min(n)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_thread_is_the_calling_one_and_two_are_two() {
        let here = std::thread::current().id();
        assert_eq!(install(1, || std::thread::current().id()), here);
        assert_eq!(install(1, || map(9, |_| std::thread::current().id())), vec![here; 9]);
        assert_eq!((install(1, threads), install(2, threads)), (1, 2));
        // Nested: the inner wish holds inside, the outer one after it.
        assert_eq!(install(1, || (install(2, threads), threads())), (2, 1));
    }

    #[test]
    fn pieces_come_back_in_order() {
        assert_eq!(install(2, || map(100, |k| k * k)), (0..100).map(|k| k * k).collect::<Vec<_>>());
    }
}
