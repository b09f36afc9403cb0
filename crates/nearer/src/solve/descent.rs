//! One descent from one start: limits, steps to the watcher, and where it ended.

use ndarray::Array2;
use nearer_num::lbfgs::{self, End};
use nearer_num::packed::Points;

use crate::model::Transform;
use crate::solve::{Clock, Step, Stop};

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
pub(crate) struct Ended {
    pub points: Array2<f64>,
    /// The objective there.
    pub value: f64,
    pub iterations: usize,
    pub stop: Stop,
    /// From data to disparities.
    pub transform: Transform,
    /// What disparities are multiplied by when one point alone is moved.
    pub stretch: f64,
    /// Different disparities and the share of pairs in the largest step, for ordinal rules.
    pub steps: Option<(usize, f64)>,
}

/// Descends on `f`, a function of all points that gives its value and gradient (all first coordinates, then all second
/// ones), from `start`; `task` is which start this is of how many.
pub(crate) fn descend(
    start: &Array2<f64>,
    settings: &lbfgs::Settings,
    task: (usize, usize),
    clock: &Clock<'_>,
    mut f: impl FnMut(&Points) -> (f64, Vec<f64>),
) -> Ended {
    let dim = start.ncols();
    let mut stopped = None;
    let outcome = lbfgs::minimise(
        Points::from_rows(start).to_flat(),
        settings,
        |x| f(&Points::from_flat(x, dim)),
        |iteration, value| {
            stopped = clock.tick(&Step::new("descending", task, iteration, Some(settings.max_iter), value));
            stopped.is_none()
        },
    );
    let stop = match outcome.end {
        End::Converged => Stop::Converged,
        End::Stalled => Stop::Stalled,
        End::IterationLimit => Stop::IterationLimit,
        End::Stopped => stopped.unwrap_or(Stop::Cancelled),
    };
    Ended {
        points: Points::from_flat(&outcome.x, dim).to_rows(),
        value: outcome.value,
        iterations: outcome.iterations,
        stop,
        transform: Transform::Identity,
        stretch: 1.0,
        steps: None,
    }
}
