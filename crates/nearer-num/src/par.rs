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
    let (mut work, mut done) = (Some(work), None);
    install_any(threads, &mut || done = work.take().map(|work| work()));
    done.expect("the work was done once")
}

fn install_any(threads: usize, work: &mut (dyn FnMut() + Send)) {
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

/// Pools by the process they belong to and the number of their threads: a forked child has the memory of its parent, and none of
/// its threads, so work that was given to a pool of the parent would wait for ever.
type Pools = HashMap<(u32, usize), Arc<rayon::ThreadPool>>;

fn pool(threads: usize) -> Option<Arc<rayon::ThreadPool>> {
    static POOLS: OnceLock<Mutex<Pools>> = OnceLock::new();
    let mut pools = POOLS.get_or_init(Mutex::default).lock().unwrap_or_else(PoisonError::into_inner);
    let own = (std::process::id(), threads);
    if let Some(pool) = pools.get(&own) {
        return Some(pool.clone());
    }
    let pool = Arc::new(rayon::ThreadPoolBuilder::new().num_threads(threads).build().ok()?);
    // What belongs to the parent is not dropped: that would speak to threads that are not there.
    pools.insert(own, pool.clone());
    Some(pool)
}

fn with_alone(alone: bool, work: &mut dyn FnMut()) {
    /// Puts the old value back, also when `work` panics.
    struct Reset(bool);
    impl Drop for Reset {
        fn drop(&mut self) {
            ALONE.set(self.0);
        }
    }
    let _reset = Reset(ALONE.replace(alone));
    work();
}

/// Calls `piece` with each number below `count`, possibly at once. All that runs on several threads goes through here, so that
/// what rayon makes of a loop is compiled once and not for each of a hundred loops.
fn share(count: usize, piece: &(dyn Fn(usize) + Sync)) {
    if ALONE.get() {
        (0..count).for_each(piece);
    } else {
        (0..count).into_par_iter().for_each(piece);
    }
}

/// Calls `piece` for each of `count` pieces, possibly at once, and gives the results in order.
pub fn map<T: Send>(count: usize, piece: impl Fn(usize) -> T + Sync + Send) -> Vec<T> {
    if ALONE.get() {
        return (0..count).map(piece).collect();
    }
    let results: Vec<Mutex<Option<T>>> = (0..count).map(|_| Mutex::new(None)).collect();
    share(count, &|k| {
        let result = piece(k);
        *results[k].lock().unwrap_or_else(PoisonError::into_inner) = Some(result);
    });
    let result = |slot: Mutex<Option<T>>| slot.into_inner().unwrap_or_else(PoisonError::into_inner);
    results.into_iter().map(|slot| result(slot).expect("every piece was called")).collect()
}

/// Calls `piece` with each of some things, which may be parts of an array that are written to.
pub fn each<P: Send>(parts: Vec<P>, piece: impl Fn(usize, P) + Sync + Send) {
    if ALONE.get() {
        return parts.into_iter().enumerate().for_each(|(k, part)| piece(k, part));
    }
    let parts: Vec<Mutex<Option<P>>> = parts.into_iter().map(|part| Mutex::new(Some(part))).collect();
    share(parts.len(), &|k| {
        let part = parts[k].lock().unwrap_or_else(PoisonError::into_inner).take();
        piece(k, part.expect("every part is handed out once"));
    });
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
