//! The recipe of the methods whose maps are functions of features: spans, program, engine, axes, coefficients.

use ndarray::{Array2, Axis, s};
use nearer_num::dense;

use crate::error::{Error, Remedy};
use crate::evidence::{Comparisons, Kernels};
use crate::fit::{Fit, Witness};
use crate::geometry::{Embedding, Spectrum};
use crate::method::convex::{self, Convex};
use crate::method::kernel_reading::{Native, compared, reading};
use crate::method::spanning::Axes;
use crate::method::{common, proof};
use crate::model::KernelMap;
use crate::program::{Candidate, GramProgram, Span};
use crate::report::{FitReport, KernelReading};
use crate::solve::{Goal, Run};

/// The spans of kernels that a map is made in.
pub(crate) struct Spans<'a> {
    kernels: &'a Kernels,
    /// The training objects whose columns are used.
    columns: Vec<usize>,
    /// One a kernel.
    pub(crate) all: Vec<Span>,
    axes: Axes,
}

impl<'a> Spans<'a> {
    /// Of the columns of these training objects, kernel by kernel.
    pub(crate) fn new(
        kernels: &'a Kernels,
        columns: Vec<usize>,
        axes: Axes,
        span: impl Fn(usize, &[usize]) -> Result<Span, Error>,
    ) -> Result<Self, Error> {
        refuse_units_too_far_apart(kernels)?;
        let all = (0..kernels.len()).map(|k| span(k, &columns)).collect::<Result<_, _>>()?;
        Ok(Spans { kernels, columns, all, axes })
    }

    /// Solves a program in them and makes the map of it.
    pub(crate) fn fit(
        &self,
        method: &str,
        program: GramProgram,
        convex: &Convex,
        run: &Run<'_>,
    ) -> Result<Fit<KernelMap>, Error> {
        let goal = Goal { gap: convex.gap, ..Goal::default() };
        let solved = convex.engine.solve(&program, None, &goal, run)?;
        let n = self.kernels.objects().len();
        let mut report = FitReport::new(method, n, convex.dim, run.seed());
        report.became("basis", self.columns.len());
        proof::proved(&mut report, &solved, convex.gap);
        let points = centred(program.space.points(&solved.candidate.factors));
        let turn = self.turn(&points, &solved.candidate)?;
        let spectrum = Spectrum::complete(spread(&points)?);
        report.kernels = Some(self.reading(&solved.candidate.factors, &spectrum));
        let mut factors = self.leading(&solved.candidate, &turn, convex.dim);
        if factors.len() == 1 {
            let start = factors.remove(0);
            factors.push(convex.refined(&program, start, &solved, &mut report, run)?);
        }
        convex::warn(&mut report, &solved, &spectrum, &program);
        report.warnings.extend(self.kernels.notes());
        report.warnings.extend(narrow_features(self.kernels));
        report.spectrum = Some(spectrum);
        let model = self.model(&factors)?;
        let embedding = model.trained(self.kernels)?;
        let objects = self.kernels.objects().clone();
        let witness = Witness { objects, program, candidate: solved.candidate };
        Ok(Fit::new(embedding, model, report).witnessed(witness))
    }

    /// The same, with what comparisons say of the kernels.
    pub(crate) fn fit_compared(
        &self,
        method: &str,
        program: GramProgram,
        convex: &Convex,
        c: &Comparisons,
        run: &Run<'_>,
    ) -> Result<Fit<KernelMap>, Error> {
        let mut fit = self.fit(method, program, convex, run)?;
        if let (Some(reading), Some(witness)) = (&mut fit.report.kernels, fit.witness.as_ref().and_then(|w| w.points()))
        {
            let points = witness.program.space.points(&witness.candidate.factors);
            compared(reading, &Native::Kernels(self.kernels), &points, c);
        }
        fit.report.agreement = Some(common::holding(&fit.embedding, c) as f64 / c.len() as f64);
        Ok(fit)
    }

    /// The turn of the points to the axes that are asked for.
    fn turn(&self, points: &Array2<f64>, candidate: &Candidate) -> Result<Array2<f64>, Error> {
        let scatter = match self.axes {
            Axes::Objects => points.t().dot(points),
            Axes::Map => {
                // Aᵗ K A, kernel by kernel: its eigenvalues are those of Q^½ K Q^½.
                let r: usize = candidate.factors.iter().map(Array2::ncols).sum();
                let (mut all, mut from) = (Array2::zeros((r, r)), 0);
                for (k, (span, factor)) in self.all.iter().zip(&candidate.factors).enumerate() {
                    let a = span.lift.dot(factor);
                    let among = self.kernels.matrix(k).select(Axis(0), &self.columns).select(Axis(1), &self.columns);
                    let part = a.t().dot(&among.dot(&a));
                    let to = from + factor.ncols();
                    all.slice_mut(s![from..to, from..to]).assign(&part);
                    from = to;
                }
                all
            }
        };
        Ok(dense::eigh(scatter.view()).map_err(|_| Error::Numerical { what: "the axes of a solution".into() })?.1)
    }

    /// The factors turned, the first `dim` columns of them, or more with zeros.
    fn leading(&self, candidate: &Candidate, turn: &Array2<f64>, dim: usize) -> Vec<Array2<f64>> {
        let mut from = 0;
        let one = |factor: &Array2<f64>| {
            let to = from + factor.ncols();
            let part = factor.dot(&turn.slice(s![from..to, ..]));
            from = to;
            convex::leading(&part, dim)
        };
        candidate.factors.iter().map(one).collect()
    }

    /// Coefficients of the kernel columns, in canonical pose.
    pub(crate) fn model(&self, factors: &[Array2<f64>]) -> Result<KernelMap, Error> {
        let n = self.kernels.objects().len();
        let spread_out = |span: &Span, factor: &Array2<f64>| {
            let a = span.lift.dot(factor);
            let mut all = Array2::zeros((n, factor.ncols()));
            for (row, &i) in a.rows().into_iter().zip(&self.columns) {
                all.row_mut(i).assign(&row);
            }
            all
        };
        let coefficients: Vec<Array2<f64>> = self.all.iter().zip(factors).map(|(s, f)| spread_out(s, f)).collect();
        posed(self.kernels, coefficients)
    }

    /// What each kernel contributes.
    pub(crate) fn reading(&self, factors: &[Array2<f64>], spectrum: &Spectrum) -> KernelReading {
        let parts: Vec<(f64, Vec<f64>)> = self
            .all
            .iter()
            .zip(factors)
            .map(|(span, factor)| {
                let points = centred(span.block.basis.dot(factor));
                let a = span.lift.dot(factor);
                (points.iter().map(|v| v * v).sum(), a.rows().into_iter().map(|r| r.dot(&r)).collect())
            })
            .collect();
        let labels = self.columns.iter().map(|i| self.kernels.objects().labels()[*i].clone()).collect();
        let norms = self.all.iter().zip(factors).enumerate().map(|(k, (span, factor))| {
            let a = span.lift.dot(factor);
            let among = self.kernels.matrix(k).select(Axis(0), &self.columns).select(Axis(1), &self.columns);
            (&among.dot(&a) * &a).sum()
        });
        reading(&self.kernels.names(), labels, parts, spectrum, norms.sum())
    }
}

/// A map of these coefficients, turned into canonical pose.
pub(crate) fn posed(kernels: &Kernels, coefficients: Vec<Array2<f64>>) -> Result<KernelMap, Error> {
    let raw = KernelMap::new(kernels, coefficients)?;
    let pose = Embedding::new(kernels.objects().clone(), raw.trained(kernels)?.points().clone())?.pose()?;
    let turned = raw.coefficients().iter().map(|a| a.dot(&pose.axes)).collect();
    KernelMap::new(kernels, turned)
}

/// A feature of a linear kernel that is this many times narrower than the widest has next to no say in its distances.
const NARROW: f64 = 100.0;

/// What a map over a linear kernel costs is a sum of squares over its features: units farther apart than this leave nothing of the
/// narrow one in 16 digits, and no bound can be proved.
const TOO_NARROW: f64 = 1e9;

/// Refuses a linear kernel whose features no arithmetic of 16 digits can weigh against each other.
fn refuse_units_too_far_apart(kernels: &Kernels) -> Result<(), Error> {
    for (k, kernel) in kernels.names().into_iter().enumerate() {
        let Some(features) = kernels.functions().linear(k) else { continue };
        let spreads = features.values.columns().into_iter().map(|c| c.std(0.0)).enumerate();
        let varying: Vec<(usize, f64)> = spreads.filter(|(_, s)| *s > 0.0).collect();
        let (Some(wide), Some(narrow)) =
            (varying.iter().max_by(|a, b| a.1.total_cmp(&b.1)), varying.iter().min_by(|a, b| a.1.total_cmp(&b.1)))
        else {
            continue;
        };
        if wide.1 > TOO_NARROW * narrow.1 {
            let (a, b) = (&features.names[narrow.0], &features.names[wide.0]);
            return Err(Error::Evidence {
                what: format!(
                    "kernel `{kernel}`: feature `{a}` varies by {:.1e} and `{b}` by {:.1e}, units {:.0e} apart: nothing can be proved of a map that weighs one against the other",
                    narrow.1,
                    wide.1,
                    wide.1 / narrow.1
                ),
                remedy: Remedy::from("give them in nearer units, or standardise them (`linear,standardise=yes:FILE`)"),
            });
        }
    }
    Ok(())
}

/// Features of linear kernels that are in the question and can hardly be heard in it, by name.
pub(crate) fn narrow_features(kernels: &Kernels) -> Vec<String> {
    let mut said = Vec::new();
    for (k, kernel) in kernels.names().into_iter().enumerate() {
        let Some(features) = kernels.functions().linear(k) else { continue };
        let spreads: Vec<f64> = features.values.columns().into_iter().map(|c| c.std(0.0)).collect();
        let Some(widest) = (0..spreads.len()).max_by(|a, b| spreads[*a].total_cmp(&spreads[*b])) else { continue };
        let narrow: Vec<&str> = (0..spreads.len())
            .filter(|p| spreads[*p] > 0.0 && NARROW * spreads[*p] < spreads[widest])
            .map(|p| features.names[p].as_str())
            .collect();
        if !narrow.is_empty() {
            said.push(format!(
                "kernel `{kernel}`: {} {} less than a hundredth as much as `{}`, so distances and what a map costs hardly \
                 know of it; put the features on one scale (standardise them) unless that is meant",
                listed(&narrow),
                if narrow.len() == 1 { "varies" } else { "vary" },
                features.names[widest]
            ));
        }
    }
    said
}

/// The first few names, and how many more there are.
fn listed(names: &[&str]) -> String {
    let first: Vec<String> = names.iter().take(4).map(|n| format!("`{n}`")).collect();
    let more = names.len() - first.len();
    if more > 0 { format!("{} and {more} more", first.join(", ")) } else { first.join(", ") }
}

/// Refuses kernels of other objects than the judgements are about.
pub(crate) fn same_objects(kernels: &Kernels, judged: &crate::object::Objects) -> Result<(), Error> {
    if kernels.objects() == judged {
        return Ok(());
    }
    Err(Error::Evidence {
        what: format!("kernels of {} objects for judgements about {} others", kernels.objects().len(), judged.len()),
        remedy: "make the kernels on the objects of the judgements: `Kernels::new(judgements.objects(), …)`".into(),
    })
}

pub(crate) fn centred(points: Array2<f64>) -> Array2<f64> {
    match points.mean_axis(Axis(0)) {
        Some(mean) => points - &mean,
        None => points,
    }
}

/// The variances along the principal axes, largest first.
pub(crate) fn spread(points: &Array2<f64>) -> Result<Vec<f64>, Error> {
    let values = dense::eigvalsh(points.t().dot(points).view())
        .map_err(|_| Error::Numerical { what: "the spectrum of a solution".into() })?;
    Ok(values.iter().map(|v| v.max(0.0)).collect())
}
