//! Many fits of one kind: run at once, watched as one piece of work, and cut short with what is done.

use std::ops::ControlFlow;
use std::sync::OnceLock;

use nearer_num::par;

use crate::error::Error;
use crate::evidence::Distances;
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
        let result = fit(&run.watched(&watch));
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

/// Fits `count` versions of the data, as many at once as the run has threads. A fit that fails is counted and left out.
///
/// # Fails
/// When no fit came to an end: with the first failure, or with [`Error::Cancelled`].
pub(super) fn replicates<M>(
    phase: &'static str,
    count: usize,
    draw: impl Fn(usize) -> Result<Distances, Error> + Sync,
    fit: impl Fn(&Distances, &Run<'_>) -> Result<Fit<M>, Error> + Sync,
    run: &Run<'_>,
) -> Result<Replicates, Error> {
    let halt = Halt::new(phase, count, run);
    // One thread a fit: the fits are many and share nothing.
    let single = run.threads(1);
    let one = |k: usize| {
        let result = halt.task(k, |inner| fit(&draw(k)?, inner), single)?;
        Some(result.map(|fit| (fit.embedding, fit.report.stress1)))
    };
    let results = run.install(|| par::map(count, one));
    let (mut maps, mut failed, mut first) = (Vec::with_capacity(count), 0, None);
    for result in results.into_iter().flatten() {
        match result {
            Ok(map) => maps.push(map),
            Err(error) => {
                failed += 1;
                first.get_or_insert(error);
            }
        }
    }
    let stop = if maps.len() + failed == count { Stop::Converged } else { halt.stopped().unwrap_or(Stop::Cancelled) };
    if maps.is_empty() {
        return Err(first.unwrap_or(Error::Cancelled));
    }
    Ok(Replicates { maps, failed: (failed, first.map(|e| e.to_string())), stop })
}
