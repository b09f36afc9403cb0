//! Many fits of one kind: run at once, watched as one piece of work, and cut short with what is done.

use nearer_num::order;
use std::ops::ControlFlow;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::error::Error;
use crate::fit::Fit;
use crate::geometry::Embedding;
use crate::solve::{Clock, Run, Step, Stop};

/// The one clock of several fits, and whether it has stopped them.
#[derive(Debug)]
pub(super) struct Halt<'a> {
    phase: &'static str,
    count: usize,
    clock: Clock<'a>,
    stopped: OnceLock<Stop>,
}

impl<'a> Halt<'a> {
    pub(super) fn new(phase: &'static str, count: usize, run: &Run<'a>) -> Self {
        Halt { phase, count, clock: run.clock(), stopped: OnceLock::new() }
    }
    /// Why the tasks were stopped, if they were.
    pub(super) fn stopped(&self) -> Option<Stop> {
        self.stopped.get().copied()
    }
    fn tick(&self, step: &Step) -> ControlFlow<()> {
        if self.stopped().is_none()
            && let Some(stop) = self.clock.tick(step)
        {
            // Another thread may have been first; either reason is true.
            let _ = self.stopped.set(stop);
        }
        if self.stopped().is_some() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }
    /// Runs the k-th fit, its steps shown as steps of the whole. `None` when it did not start or was cut short.
    pub(super) fn task<M>(
        &self,
        k: usize,
        fit: impl FnOnce(&Run<'_>) -> Result<Fit<M>, Error>,
        run: Run<'_>,
    ) -> Option<Result<Fit<M>, Error>> {
        if self.stopped().is_some() {
            return None;
        }
        let task = (k, self.count);
        let watch = |s: &Step| self.tick(&Step::new(self.phase, task, s.iteration, s.of, s.objective));
        let result = fit(&run.watched(&watch).repeated());
        if self.stopped().is_some() {
            return None;
        }
        if let Ok(fit) = &result {
            // A closed form never ticked; a descent did, and its last step may be seen twice.
            let r = &fit.report;
            let _ = self.tick(&Step::new(self.phase, task, r.iterations.max(1), None, r.objective));
        }
        Some(result)
    }
}

/// The fits that came to an end.
#[derive(Debug)]
pub(super) struct Replicates {
    /// Each map and the stress-1 its fit reports, in the order of the tasks.
    pub(super) maps: Vec<(Embedding, Option<f64>)>,
    /// How many fits failed, and why the first did.
    pub(super) failed: (usize, Option<String>),
    /// Whether all were run.
    pub(super) stop: Stop,
}

/// Fits a version of the data for every task from `first` on, as many at once as the run has threads. A fit that fails is
/// counted and left out.
///
/// # Fails
/// When no fit came to an end: with the first failure, or with [`Error::Cancelled`].
pub(super) fn replicates<D, M>(
    halt: &Halt<'_>,
    first: usize,
    draw: impl Fn(usize) -> Result<D, Error> + Sync,
    fit: impl Fn(&D, &Run<'_>) -> Result<Fit<M>, Error> + Sync,
    run: &Run<'_>,
) -> Result<Replicates, Error> {
    let count = halt.count - first;
    // One thread a fit: the fits are many and share nothing.
    let single = run.threads(1);
    let one = |k: usize| {
        let result = halt.task(first + k, |inner| fit(&draw(k)?, inner), single)?;
        Some(result.map(|fit| (fit.embedding, fit.report.stress1)))
    };
    let results = in_order(count, run.install(nearer_num::par::threads), one);
    let (mut maps, mut failed, mut failure) = (Vec::with_capacity(count), 0, None);
    for result in results.into_iter().flatten() {
        match result {
            Ok(map) => maps.push(map),
            Err(error) => {
                failed += 1;
                failure.get_or_insert(error);
            }
        }
    }
    let stop = if maps.len() + failed == count { Stop::Converged } else { halt.stopped().unwrap_or(Stop::Cancelled) };
    if maps.is_empty() {
        return Err(failure.unwrap_or(Error::Cancelled));
    }
    Ok(Replicates { maps, failed: (failed, failure.map(|e| e.to_string())), stop })
}

/// Calls `one` for every task on some threads, the earlier tasks first, and gives the results in the order of the tasks.
///
/// Not rayon's threads: a fit opens a pool of its own, and a rayon thread that waits for it would start the next fit in the
/// meantime, one inside the other and more at once than were asked for.
pub(super) fn in_order<T: Send>(count: usize, threads: usize, one: impl Fn(usize) -> T + Sync) -> Vec<T> {
    let next = AtomicUsize::new(0);
    let work = || {
        let mut done = Vec::new();
        loop {
            let k = next.fetch_add(1, Ordering::Relaxed);
            if k >= count {
                return done;
            }
            done.push((k, one(k)));
        }
    };
    let mut done = std::thread::scope(|scope| {
        let others: Vec<_> = (1..threads.min(count)).map(|_| scope.spawn(work)).collect();
        let mut done = work();
        for other in others {
            done.extend(other.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)));
        }
        done
    });
    order::by_key(&mut done, &|(k, _)| *k);
    done.into_iter().map(|(_, result)| result).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_stand_in_the_order_of_the_tasks() {
        for threads in [0, 1, 2, 5] {
            assert_eq!(in_order(7, threads, |k| k * k), [0, 1, 4, 9, 16, 25, 36]);
        }
        assert!(in_order(0, 2, |k| k).is_empty());
    }
}
