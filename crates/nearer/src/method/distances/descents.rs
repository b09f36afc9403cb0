//! What the methods that descend share: starts, limits, the refusals, and the part of the report that is alike.

use crate::error::Error;
use crate::evidence::Distances;
use crate::graph::KnownPairs;
use crate::method::common;
use crate::method::cost::{Needs, Size};
use crate::method::table::{Kind, Parameter};
use crate::report::{FitReport, Starts};
use crate::settings::{Configured, Settings};
use crate::solve::descent::starts::worthwhile;
use crate::solve::descent::{self, Ended, Limits, Objective};
use crate::solve::{Run, Stop};

/// How many starts a descent has.
pub(crate) const STARTS: Parameter = Parameter::auto("starts", Kind::Count { min: 1, max: 10_000 })
    .says("descents: the classical start first, then random ones; the best is kept and how often it was found is said; auto: 20 up to 100 objects, 5 up to 300, else 1");
/// The largest number of iterations of a descent.
pub(crate) const MAX_ITER: Parameter = Parameter::count("max-iter", 1..=10_000_000, 1000).says("iterations a start");
/// When a descent ends.
pub(crate) const EPS: Parameter = Parameter::number("eps", Kind::Number { min: 0.0, max: 1.0 }, 1e-7)
    .says("end when three iterations lower the objective by no more than this share");

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
            $crate::settings::settable! {
                /// From this many starts, of which the best is kept. By default as many as the method's row in
                /// [`METHODS`](crate::method::table::METHODS) says.
                starts: usize => descents.starts,
                /// At most this many iterations a start.
                max_iter: usize => descents.limits.max_iter,
                /// Ends a descent when three iterations lower the objective by no more than this share of it.
                eps: f64 => descents.limits.eps,
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
    /// The best end of all starts, and a report filled in but for what the method measures.
    pub(crate) fn best<L: Objective>(
        &self,
        method: &str,
        loss: &L,
        run: &Run<'_>,
    ) -> Result<(Ended<L::State>, FitReport), Error> {
        let (best, tried) = descent::descend(loss, self.starts, self.limits, run)?;
        let report = self.report(method, loss, &best, tried, run);
        Ok((best, report))
    }
    /// A report of where descents ended, filled in but for what the method measures.
    pub(crate) fn report<L: Objective>(
        &self,
        method: &str,
        loss: &L,
        best: &Ended<L::State>,
        tried: Option<Starts>,
        run: &Run<'_>,
    ) -> FitReport {
        let mut report = FitReport::new(method, loss.shape().0, self.dim, run.seed());
        report.became("starts", self.starts.unwrap_or_else(|| loss.starts()));
        report.stop = best.stop;
        report.iterations = best.iterations;
        report.objective = best.value;
        report.starts = tried;
        warn(&mut report);
        report
    }
}

/// Refuses distances that a descent cannot make a map of.
pub(crate) fn require(d: &Distances, dim: usize, method: &str) -> Result<(), Error> {
    common::require(d, dim, method)?;
    if d.missing() > 0 { KnownPairs::new(d).require_connected(d) } else { Ok(()) }
}

/// What descents need: so many seconds a pair and start, and so many bytes a pair beside the triangle.
pub(crate) fn needs(size: &Size, settings: &Settings, each: f64, kept: f64) -> Needs {
    let pairs = 0.5 * size.n().powi(2);
    let starts = settings.count("starts").unwrap_or_else(|| worthwhile(size.objects));
    let dim = settings.count("dim").unwrap_or(2) as f64;
    let seconds = each * pairs * starts as f64 * dim.max(2.0) / 2.0;
    // The classical start is some thirty passes.
    Needs::new(seconds + 2.7e-8 * size.n().powi(2), size.triangle() + kept * pairs + 2000.0 * size.n())
}

/// Says what the end of a descent says against a map.
fn warn(report: &mut FitReport) {
    if report.stop == Stop::IterationLimit {
        report.warnings.push(format!(
            "not converged after {} iterations: raise `max-iter`, or accept a looser `eps`",
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
