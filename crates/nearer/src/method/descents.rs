//! What the methods that descend share: starts, limits, the refusals, and the part of the report that is alike.

use ndarray::Array2;

use crate::error::Error;
use crate::evidence::Distances;
use crate::geometry::Embedding;
use crate::graph::KnownPairs;
use crate::method::common;
use crate::method::table::{Kind, Parameter};
use crate::report::{FitReport, Input};
use crate::settings::{Configured, Settings, Value};
use crate::solve::descent::{Ended, Limits};
use crate::solve::{Clock, Run, Stop, starts};

/// How many starts a descent has.
pub(crate) const STARTS: Parameter = Parameter {
    name: "starts",
    kind: Kind::Count { min: 1, max: 10_000 },
    or: &["auto"],
    default: Value::Auto,
    doc: "descents: the classical start first, then random ones; the best is kept and how often it was found is said; auto: 20 up to 100 objects, 5 up to 300, else 1",
};
/// The largest number of iterations of a descent.
pub(crate) const MAX_ITER: Parameter = Parameter {
    name: "max-iter",
    kind: Kind::Count { min: 1, max: 10_000_000 },
    or: &[],
    default: Value::Count(1000),
    doc: "iterations a start",
};
/// When a descent ends.
pub(crate) const EPS: Parameter = Parameter {
    name: "eps",
    kind: Kind::Number { min: 0.0, max: 1.0 },
    or: &[],
    default: Value::Number(1e-7),
    doc: "end when three iterations lower the objective by no more than this share",
};

/// Dimensions, starts and limits of a method that descends.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Descents {
    pub dim: usize,
    pub starts: Option<usize>,
    pub limits: Limits,
}

/// The setters every such method has; its field is called `descents`.
macro_rules! setters {
    ($method:ty) => {
        impl $method {
            /// From this many starts: the classical one first, then random ones. The best is kept. By default 20 up to 100
            /// objects, 5 up to 300, else 1.
            #[must_use]
            pub fn starts(mut self, starts: usize) -> Self {
                self.descents.starts = Some(starts);
                self
            }
            /// At most this many iterations a start.
            #[must_use]
            pub fn max_iter(mut self, max_iter: usize) -> Self {
                self.descents.limits.max_iter = max_iter;
                self
            }
            /// Ends a descent when three iterations lower the objective by no more than this share of it.
            #[must_use]
            pub fn eps(mut self, eps: f64) -> Self {
                self.descents.limits.eps = eps;
                self
            }
        }
    };
}
pub(crate) use setters;

impl Configured for Descents {
    fn from_settings(settings: &Settings) -> Result<Self, Error> {
        let limits = Limits { max_iter: settings.read("max-iter")?, eps: settings.read("eps")? };
        Ok(Descents { dim: settings.read("dim")?, starts: settings.read("starts")?, limits })
    }
    fn write(&self, settings: &mut Settings) {
        settings.set("dim", self.dim);
        settings.set("starts", self.starts);
        settings.set("max-iter", self.limits.max_iter);
        settings.set("eps", self.limits.eps);
    }
}

impl Descents {
    /// The defaults of the table.
    pub(crate) fn new(dim: usize) -> Self {
        Descents { dim, starts: None, limits: Limits { max_iter: 1000, eps: 1e-7 } }
    }
    /// How many starts that means for `n` objects: descents on few objects cost nothing and end in many places.
    fn count(&self, n: usize) -> usize {
        match (self.starts, n) {
            (None, ..=100) => 20,
            (None, ..=300) => 5,
            (None, _) => 1,
            (Some(asked), _) => asked.max(1),
        }
    }

    /// The best end of all starts as a map in canonical pose, with a report filled in but for what the method measures.
    pub(crate) fn best(
        &self,
        method: &str,
        d: &Distances,
        run: &Run<'_>,
        descend: impl Fn(&Array2<f64>, (usize, usize), &Clock<'_>) -> Ended + Sync + Send,
    ) -> Result<(Embedding, Ended, FitReport), Error> {
        common::require(d, self.dim, method)?;
        if d.missing() > 0 {
            KnownPairs::new(d).require_connected(d)?;
        }
        let clock = run.clock();
        let count = self.count(d.len());
        let (mut best, tried) = run.install(|| {
            starts::best_of(count, &clock, |k| {
                let start = match k {
                    0 => starts::classical(d, self.dim, run.seed())?,
                    k => starts::random(d, self.dim, run.seed(), k),
                };
                Ok(descend(&start, (k, count), &clock))
            })
        })?;
        let points = std::mem::take(&mut best.points);
        let (embedding, _) = common::posed(Embedding::new(d.objects().clone(), points)?)?;
        let mut report = FitReport::new(method, d.len(), self.dim, run.seed());
        report.became("starts", count);
        report.input = Input::from(d);
        report.stop = best.stop;
        report.iterations = best.iterations;
        report.objective = best.value;
        report.starts = tried;
        warn(&mut report);
        Ok((embedding, best, report))
    }
}

/// Says what the end of a descent says against a map.
fn warn(report: &mut FitReport) {
    if report.stop == Stop::IterationLimit {
        report.warnings.push(format!(
            "not converged after {} iterations: raise --max-iter, or accept a looser --eps",
            report.iterations
        ));
    }
    if let Some(starts) = &report.starts
        && starts.found == 1
        && starts.tried > 1
    {
        report.warnings.push(format!(
            "the best map was found only once in {} starts: a better one may exist, try more starts",
            starts.tried
        ));
    }
}
