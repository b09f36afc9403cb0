//! The least bound in which an order fits: minimised as a program of its own, told beside a fit, and the proof where a bound is too
//! small.

use ndarray::{Array2, s};
use nearer_num::order;

use crate::error::{Error, Remedy};
use crate::evidence::Comparisons;
use crate::fit::Witness;
use crate::geometry::{Embedding, Spectrum};
use crate::method::convex::{self, Convex, Mapped};
use crate::method::{common, proof};
use crate::object::Objects;
use crate::program::{self, Candidate, LongestPaths};
use crate::report::FitReport;
use crate::solve::{Goal, Run, Solved, Stop};

/// What the search for the least bound is told.
pub(super) struct Search<'a, 'r> {
    pub(super) convex: &'a Convex,
    /// Comparisons that do not contradict each other.
    pub(super) c: &'a Comparisons,
    pub(super) paths: &'a LongestPaths,
    pub(super) run: &'a Run<'r>,
}

impl Search<'_, '_> {
    fn solved(&self) -> Result<Solved, Error> {
        let goal = Goal { gap: self.convex.gap, ..Goal::default() };
        self.convex.engine.solve(&program::smallest_bound(self.c, self.paths)?, None, &goal, self.run)
    }

    /// The map within the least bound.
    pub(super) fn map(&self) -> Result<Mapped, Error> {
        if self.convex.refine {
            return Err(Error::Parameter {
                name: "refine".into(),
                value: "yes".into(),
                expected: "no, where the bound is the smallest: no map of few dimensions lies within it".into(),
            });
        }
        let (n, dim) = (self.c.objects().len(), self.convex.dim);
        let program = program::smallest_bound(self.c, self.paths)?;
        let solved = self.solved()?;
        // The last point is the end of the bound, and no object.
        let points = solved.candidate.factors[0].slice(s![..n, ..]).to_owned();
        let whole = convex::turned(&points)?;
        let mut report = FitReport::new("partial-order", n, dim, self.run.seed());
        proof::proved(&mut report, &solved, self.convex.gap);
        report.objective_is = "the largest d², of the solution".into();
        let spectrum = Spectrum::complete(whole.columns().into_iter().map(|c| c.dot(&c)).collect());
        convex::warn(&mut report, &solved, &spectrum, &program);
        report.spectrum = Some(spectrum);
        let report = self.ends(report, solved.certificate.primal, solved.certificate.bound);
        let projected: Array2<f64> = convex::leading(&whole, dim);
        let (embedding, _) = common::posed(Embedding::new(self.c.objects().clone(), projected)?)?;
        let witness = Witness { objects: with_end(self.c.objects())?, program, candidate: solved.candidate };
        Ok(Mapped { embedding, report, witness })
    }

    /// Tells a bound that a map keeps, and one that none does. The least of three is known to be kept: what the search found, where that
    /// keeps every row; what the closed form holds from; and the bound of the fit, where its solution keeps every row.
    pub(super) fn told(&self, report: FitReport, bound: f64) -> Result<FitReport, Error> {
        let found = self.solved()?.certificate;
        let fitted = report.certificate.as_ref().filter(|c| c.broken.is_none() && c.violation == 0.0).map(|_| bound);
        let searched = found.broken.is_none().then_some(found.primal);
        let from = [fitted, searched].into_iter().flatten().fold(self.paths.smallest(), f64::min);
        Ok(self.ends(report, from, found.bound))
    }

    /// Notes both ends, and warns where they are not as near to each other as was asked.
    fn ends(&self, mut report: FitReport, from: f64, never: Option<f64>) -> FitReport {
        report = report.figure("order-fits-from", from);
        let Some(never) = never.filter(|never| *never > 0.0) else {
            report.warnings.push("no bound was proved to be too small for the order".into());
            return report;
        };
        if from - never > self.convex.gap * from {
            report.warnings.push(format!(
                "the smallest bound lies somewhere between {:.6} and {:.6}: the search for it ended at a gap of {:.1e}",
                below(never),
                above(from),
                (from - never) / from
            ));
        }
        report.figure("order-never-fits-below", never)
    }

    /// Refuses a bound in which the order does not fit, with a proof: multipliers that put every value out of reach, or, where no
    /// solution was found, those that prove the least bound to be a larger one.
    pub(super) fn refuse_impossible(&self, mapped: &Mapped, bound: f64) -> Result<(), Error> {
        let Some(certificate) = &mapped.report.certificate else { return Ok(()) };
        let stuck = matches!(mapped.report.stop, Stop::Stalled | Stop::IterationLimit);
        let n = self.c.objects().len();
        let pairs = n * (n - 1) / 2;
        // A sum of squared distances below zero: there is no such map.
        let (colliding, least, enough) = if certificate.bound.is_some_and(|b| b < 0.0) {
            (self.collide(&mapped.witness.candidate, pairs), None, self.paths.smallest())
        } else if certificate.broken.is_some() && stuck {
            let solved = self.solved()?;
            let Some(least) = solved.certificate.bound.filter(|least| *least > bound) else { return Ok(()) };
            (self.collide(&solved.candidate, pairs), Some(least), solved.certificate.primal)
        } else {
            return Ok(());
        };
        let nor = least.map_or(String::new(), |b| format!(", nor with any up to {:.6}", below(b)));
        Err(Error::Evidence {
            what: format!(
                "no map keeps all {} comparisons with squared distances up to {bound}{nor} (proved); those that collide most: {colliding}",
                self.c.len(),
            ),
            remedy: Remedy::from("raise ")
                .any("bound")
                .and(format!(" (from {:.6} on it is known to be enough), find the least with ", above(enough)))
                .setting("bound", "smallest")
                .and(", or drop comparisons"),
        })
    }

    /// The rows of the order that bear the most, in words.
    fn collide(&self, candidate: &Candidate, bounds: usize) -> String {
        let rows = program::distinct(self.c);
        let order = candidate.multipliers.iter().copied().skip(bounds).enumerate();
        let mut heavy: Vec<(usize, f64)> = order.filter(|(_, y)| *y > 0.0).collect();
        order::by(&mut heavy, &|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        let named: Vec<String> = heavy.iter().take(4).map(|(t, _)| rows.in_words(*t)).collect();
        named.join("; ")
    }
}

/// The objects and the end of the bound, by a name that none of them has.
fn with_end(objects: &Objects) -> Result<Objects, Error> {
    let mut name = "bound".to_owned();
    while objects.labels().contains(&name) {
        name.push('\'');
    }
    Objects::new(objects.labels().iter().cloned().chain([name]))
}

/// A bound as it is printed with six decimals: not below what it is.
fn above(bound: f64) -> f64 {
    (bound * 1e6).ceil() / 1e6
}

/// The same of one that is too small: not above what it is.
fn below(bound: f64) -> f64 {
    (bound * 1e6).floor() / 1e6
}
