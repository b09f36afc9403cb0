//! Descents from several starts: limits, steps to the watcher, which end is the best and how often it was found.

mod objective;
pub(crate) mod starts;

use std::sync::atomic::{AtomicBool, Ordering};

use nearer_num::lbfgs::{self, End};
use nearer_num::par;
use nearer_num::rng::Rng;
use serde::{Deserialize, Serialize};

use crate::error::Error;
use crate::solve::{Clock, Run, Step, Stop};

#[cfg(test)]
pub(crate) use objective::assert_gradient;
pub(crate) use objective::{Objective, Scale};

/// How long to go on.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Limits {
    /// Largest number of iterations.
    pub max_iter: usize,
    /// End when three iterations lower the objective by no more than this share.
    pub eps: f64,
}

/// Where one descent ended.
#[derive(Debug, Clone)]
pub(crate) struct Ended<S> {
    /// The best point.
    pub at: Vec<f64>,
    /// The loss there.
    pub value: f64,
    pub iterations: usize,
    pub stop: Stop,
    /// What the loss fitted beside the point.
    pub state: S,
}

/// Several starts of a descent, and how often the best end was reached.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Starts {
    /// How many starts ran to an end.
    pub tried: usize,
    /// How many of them ended at the map that was kept (same objective to 1e-4 of it, same shape by Procrustes).
    pub found: usize,
    /// The objectives they ended with, in the order of the starts.
    pub objectives: Vec<f64>,
    /// What these are, where it is not the objective of the report: starts that only lead to what is then minimised.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub objectives_are: Option<String>,
}

impl Starts {
    /// The same, of another objective than the report's.
    pub(crate) fn of(mut self, what: &str) -> Self {
        self.objectives_are = Some(what.into());
        self
    }
}

/// Two ends whose objectives differ by less than this share may be one.
const SAME_VALUE: f64 = 1e-4;
/// Steps that a descent remembers.
const MEMORY: usize = 12;
/// The random stream of the first start; those of the others have their numbers.
const FIRST: u64 = u64::MAX;

/// The lowest end of `starts` descents on `loss` (as many as are worth it where that is `None`), possibly at once. The
/// first start always runs, later ones only while there is time and nobody said stop. The same bits on any number of threads.
pub(crate) fn descend<L: Objective>(
    loss: &L,
    starts: Option<usize>,
    limits: Limits,
    run: &Run<'_>,
) -> Result<(Ended<L::State>, Option<Starts>), Error> {
    let clock = run.clock();
    let count = starts.unwrap_or_else(|| loss.starts()).max(1);
    // Who ended one start would otherwise wait for a step of each of the others.
    let cancelled = AtomicBool::new(false);
    let ends = run.install(|| {
        par::map(count, |k| {
            if k > 0 && (clock.late() || cancelled.load(Ordering::Relaxed)) {
                return None;
            }
            let mut rng = Rng::task(run.seed(), if k == 0 { FIRST } else { k as u64 });
            let end = loss.start(k, &mut rng, &clock).map(|at| one(loss, at, limits, (k, count), &clock));
            if end.as_ref().is_ok_and(|end| end.stop == Stop::Cancelled) {
                cancelled.store(true, Ordering::Relaxed);
            }
            Some(end)
        })
    });
    let left_out = ends.iter().any(Option::is_none);
    let mut ends: Vec<Ended<L::State>> = ends.into_iter().flatten().collect::<Result<_, _>>()?;
    let cut = |by: Stop| ends.iter().any(|end| end.stop == by);
    // The search is what was asked for, not its best start: whoever ended it says how it ended.
    let ended_by = if cancelled.into_inner() || cut(Stop::Cancelled) {
        Some(Stop::Cancelled)
    } else {
        (left_out || cut(Stop::TimeLimit)).then_some(Stop::TimeLimit)
    };
    let best = (0..ends.len()).min_by(|&a, &b| ends[a].value.total_cmp(&ends[b].value)).ok_or(Error::Cancelled)?;
    let same = |end: &Ended<L::State>| {
        let close = (end.value - ends[best].value).abs() <= SAME_VALUE * ends[best].value.abs() + 1e-12;
        close && loss.same(&end.at, &ends[best].at)
    };
    let starts = (count > 1).then(|| Starts {
        tried: ends.len(),
        found: ends.iter().filter(|end| same(end)).count(),
        objectives: ends.iter().map(|end| end.value).collect(),
        objectives_are: None,
    });
    let mut best = ends.swap_remove(best);
    best.stop = ended_by.unwrap_or(best.stop);
    Ok((best, starts))
}

/// One descent from a given point.
pub(crate) fn from<L: Objective>(loss: &L, at: Vec<f64>, limits: Limits, clock: &Clock<'_>) -> Ended<L::State> {
    one(loss, at, limits, (0, 1), clock)
}

/// One descent; `task` is which start this is of how many.
fn one<L: Objective>(
    loss: &L,
    mut at: Vec<f64>,
    limits: Limits,
    task: (usize, usize),
    clock: &Clock<'_>,
) -> Ended<L::State> {
    let mut state = loss.state();
    let scale = loss.scale();
    let settings = lbfgs::Settings {
        iterations: limits.max_iter,
        gradient: scale.flat,
        decrease: Some(limits.eps),
        memory: MEMORY,
        guess: scale.guess(),
    };
    let mut stopped = None;
    let ended = lbfgs::minimise(
        &mut at,
        &settings,
        |x, gradient| loss.value(x, gradient, &mut state),
        |iteration, value| {
            stopped = clock.tick(&Step::new("descending", task, iteration, Some(limits.max_iter), value));
            stopped.is_none()
        },
    );
    // The state stands as the last trial left it, which need not be the best point.
    let value = loss.value(&at, &mut vec![0.0; at.len()], &mut state);
    let stop = match ended.end {
        End::Converged => Stop::Converged,
        End::Stalled => Stop::Stalled,
        End::IterationLimit => Stop::IterationLimit,
        End::Stopped => stopped.unwrap_or(Stop::Cancelled),
    };
    Ended { at, value, iterations: ended.iterations, stop, state }
}
