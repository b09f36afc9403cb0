//! The recipe of the convex methods: program, engine, certificate, projection to the map, refinement, report.

use ndarray::{Array2, s};
use nearer_num::dense;

use crate::error::Error;
use crate::fit::Witness;
use crate::geometry::{Embedding, Spectrum};
use crate::method::common;
use crate::method::table::{Kind, Parameter};
use crate::object::Objects;
use crate::program::{Candidate, GramProgram};
use crate::report::{FitReport, Refined};
use crate::settings::{configured, words};
use crate::solve::{Engine, Goal, Logistic, LowRank, Run, Solved, Stop};

/// How near to the best the solution is to be.
pub(crate) const GAP: Parameter = Parameter::number("gap", Kind::Number { min: 0.0, max: 1.0 }, 1e-5)
    .says("end when the solution is proved to be within this share of the best possible");
/// The engine.
pub(crate) const ENGINE: Parameter =
    Parameter::choice::<Engine>("engine", "auto").says("what solves the program: by its size, or one by name");
/// Whether the map is improved in its own dimensions.
pub(crate) const REFINE: Parameter = refine(true);
/// The same, off unless asked for.
pub(crate) const MAY_REFINE: Parameter = refine(false);

const fn refine(default: bool) -> Parameter {
    Parameter::flag("refine", default)
        .says("descend from the leading axes of the solution in the dimensions of the map, and compare with the bound")
}

/// Rounds of a refinement at most.
pub(crate) const REFINEMENTS: usize = 60;

/// What all convex methods can be told.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Convex {
    pub(crate) dim: usize,
    pub(crate) gap: f64,
    pub(crate) engine: Engine,
    pub(crate) refine: bool,
}

words!(Engine { "auto" => Engine::Auto, "low-rank" => Engine::LowRank, "gram-ipm" => Engine::GramIpm });
configured!(Convex { dim: "dim", gap: "gap", engine: "engine", refine: "refine" });

/// The setters every such method has; its field is called `convex`.
macro_rules! setters {
    ($method:ty) => {
        impl $method {
            $crate::settings::settable! {
                /// Ends when the solution is proved to be within this share of the best possible; 1e-5 by default.
                gap: f64 => convex.gap,
                /// With this engine.
                engine: $crate::solve::Engine => convex.engine,
                /// Whether to descend from the leading axes of the solution in the dimensions of the map.
                refine: bool => convex.refine,
            }
        }
    };
}
pub(crate) use setters;

/// A solved program and the map made of it.
pub(crate) struct Mapped {
    pub(crate) embedding: Embedding,
    pub(crate) report: FitReport,
    pub(crate) witness: Witness,
}

/// What every report of a certified fit says: how it ended, what was proved, and whether that is what was asked for.
pub(crate) fn proved(report: &mut FitReport, solved: &Solved, asked: f64) {
    report.figures.insert("engine".into(), solved.engine.into());
    report.stop = solved.stop;
    report.iterations = solved.iterations;
    report.rounds.clone_from(&solved.rounds);
    report.objective = solved.certificate.primal;
    if !solved.certificate.is_within(asked) {
        report.warnings.push(format!(
            "the solution is proved to be within {:.1e} of the best, not within the {asked:.1e} that was asked for ({})",
            solved.certificate.gap(),
            solved.stop
        ));
    }
    report.certificate = Some(solved.certificate.clone());
}

impl Convex {
    pub(crate) fn new(dim: usize, refine: bool) -> Self {
        Convex { dim, gap: 1e-5, engine: Engine::Auto, refine }
    }

    /// Solves the program and makes the map of it.
    pub(crate) fn map(
        &self,
        method: &str,
        program: &GramProgram,
        objects: &Objects,
        start: Option<&Candidate>,
        run: &Run<'_>,
    ) -> Result<Mapped, Error> {
        let goal = Goal { gap: self.gap, ..Goal::default() };
        let solved = self.engine.solve(program, start, &goal, run)?;
        let whole = turned(&program.space.points(&solved.candidate.factors))?;
        let mut report = FitReport::new(method, objects.len(), self.dim, run.seed());
        proved(&mut report, &solved, self.gap);
        let spectrum = Spectrum::complete(whole.columns().into_iter().map(|c| c.dot(&c)).collect());
        let projected = leading(&whole, self.dim);
        let before = program.see(&projected);
        let (points, after) = if self.refine {
            let (better, stop) = refined(program, &projected, &solved, run)?;
            cut_short(&mut report, stop);
            let seen = program.see(&better);
            (better, seen)
        } else {
            (projected, before)
        };
        let holds = after.broken == 0;
        report.refined = Some(Refined {
            projected: before.objective,
            objective: after.objective,
            within: solved.certificate.bound.filter(|_| holds).map(|bound| distance(after.objective, bound)),
            violated: after.broken,
            rows: after.hard,
        });
        report.objective = after.objective;
        warn(&mut report, &solved, &spectrum, self, program);
        report.spectrum = Some(spectrum);
        let (embedding, _) = common::posed(Embedding::new(objects.clone(), points)?)?;
        let witness = Witness { objects: objects.clone(), program: program.clone(), candidate: solved.candidate };
        Ok(Mapped { embedding, report, witness })
    }
}

/// How far a value is from a bound, relative to the larger of the two.
pub(crate) fn distance(value: f64, bound: f64) -> f64 {
    (value - bound).abs() / value.abs().max(bound.abs()).max(f64::MIN_POSITIVE)
}

/// Points turned to their principal axes.
pub(crate) fn turned(points: &Array2<f64>) -> Result<Array2<f64>, Error> {
    let mean = points.mean_axis(ndarray::Axis(0)).unwrap_or_default();
    let centred = points - &mean;
    let (_, turn) = dense::eigh(centred.t().dot(&centred).view())
        .map_err(|_| Error::Numerical { what: "the axes of a solution".into() })?;
    Ok(centred.dot(&turn))
}

/// The first `dim` columns, or more with zeros.
pub(crate) fn leading(points: &Array2<f64>, dim: usize) -> Array2<f64> {
    let mut out = Array2::zeros((points.nrows(), dim));
    let kept = dim.min(points.ncols());
    out.slice_mut(s![.., ..kept]).assign(&points.slice(s![.., ..kept]));
    out
}

/// The same program in the dimensions of the map, from the leading axes, and why that ended; the better of the two is kept.
fn refined(
    program: &GramProgram,
    start: &Array2<f64>,
    solved: &Solved,
    run: &Run<'_>,
) -> Result<(Array2<f64>, Stop), Error> {
    if solved.stop == Stop::Cancelled || !matches!(program.space, crate::program::Space::Free) {
        return Ok((start.clone(), solved.stop));
    }
    let before = program.see(start);
    let (points, stop) = if program.entropy {
        Logistic::refined(program, start, run)
    } else {
        let from = Candidate { factors: vec![start.clone()], ..solved.candidate.clone() };
        let (after, stop) = LowRank::refined(program, &from, REFINEMENTS, run)?;
        (after.factors.into_iter().next().unwrap_or_else(|| start.clone()), stop)
    };
    let now = program.see(&points);
    let better = program.sense().is_better(now.objective, before.objective);
    let wins = now.broken < before.broken || (now.broken == before.broken && better);
    Ok((if wins { points } else { start.clone() }, stop))
}

/// Says where the refinement of a solved program was cut short: the proof stands, the map could be better.
pub(crate) fn cut_short(report: &mut FitReport, stop: Stop) {
    let why = match stop {
        Stop::TimeLimit => "the time was up",
        Stop::Cancelled => "it was cancelled",
        Stop::IterationLimit | Stop::Converged | Stop::Stalled => return,
    };
    if report.stop == Stop::Converged {
        report.stop = stop;
        report.warnings.push(format!(
            "{why} while the map was refined in its own dimensions: what is proved of the solution stands, the map may gain by more time"
        ));
    }
}

pub(crate) fn warn(
    report: &mut FitReport,
    solved: &Solved,
    spectrum: &Spectrum,
    convex: &Convex,
    program: &GramProgram,
) {
    let c = &solved.certificate;
    if c.violation > 1e-6 * program.typical() {
        report.warnings.push(format!("the solution itself breaks a row that must hold, by {:.2e}", c.violation));
    }
    let kept: f64 = spectrum.eigenvalues.iter().take(convex.dim).sum();
    if kept < 0.8 * spectrum.trace {
        report.warnings.push(format!(
            "the solution of the program, which does not limit them, has {} dimensions; the {} of the map carry {:.0} % of its variance",
            c.rank,
            convex.dim,
            100.0 * kept / spectrum.trace
        ));
    }
    if c.rank < convex.dim {
        report.warnings.push(format!(
            "the solution needs {} of the {} dimensions of the map: with these settings the evidence asks for no more",
            c.rank, convex.dim
        ));
    }
    if let Some(r) = &report.refined
        && r.violated > 0
    {
        let radii = if program.balls.is_some() {
            ", held against the radii of the solution (an agreement chooses the radii that suit the map best)"
        } else {
            ""
        };
        report.warnings.push(format!(
            "{} of {} rows that must hold cannot all be kept in {} dimensions: they do not hold on the map{radii}",
            r.violated, r.rows, convex.dim
        ));
    }
}
