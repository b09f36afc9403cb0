//! The recipe of the convex methods: program, engine, certificate, projection to the map, refinement, report.

use ndarray::{Array2, s};
use nearer_num::dense;

use crate::error::Error;
use crate::fit::Witness;
use crate::geometry::{Embedding, Spectrum};
use crate::method::table::{Kind, Parameter};
use crate::method::{common, proof};
use crate::object::Objects;
use crate::program::{Candidate, GramProgram};
use crate::report::FitReport;
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
const REFINEMENTS: usize = 60;

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
        proof::proved(&mut report, &solved, self.gap);
        let spectrum = Spectrum::complete(whole.columns().into_iter().map(|c| c.dot(&c)).collect());
        let points = self.refined(program, leading(&whole, self.dim), &solved, &mut report, run)?;
        warn(&mut report, &solved, &spectrum, program);
        report.spectrum = Some(spectrum);
        let (embedding, _) = common::posed(Embedding::new(objects.clone(), points)?)?;
        let witness = Witness { objects: objects.clone(), program: program.clone(), candidate: solved.candidate };
        Ok(Mapped { embedding, report, witness })
    }

    /// A factor of as many columns as the map has, from the leading axes of a solution; where that is asked for, descent on the
    /// same program goes on from there, and the better of the two is kept. The report is told what the program says of it.
    pub(crate) fn refined(
        &self,
        program: &GramProgram,
        start: Array2<f64>,
        solved: &Solved,
        report: &mut FitReport,
        run: &Run<'_>,
    ) -> Result<Array2<f64>, Error> {
        let see = |factor: &Array2<f64>| program.see(std::slice::from_ref(factor));
        let before = see(&start);
        let (mut factor, mut after) = (start, before);
        if self.refine {
            let (better, stop) = descended(program, &factor, solved, run)?;
            cut_short(report, stop);
            if let Some(better) = better {
                let now = see(&better);
                let gains = program.sense().is_better(now.objective, before.objective);
                if now.broken < before.broken || (now.broken == before.broken && gains) {
                    (factor, after) = (better, now);
                }
            }
        }
        proof::mapped(report, before, after, solved.certificate.bound);
        Ok(factor)
    }
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

/// The same program in the dimensions of the map, and why that ended.
fn descended(
    program: &GramProgram,
    start: &Array2<f64>,
    solved: &Solved,
    run: &Run<'_>,
) -> Result<(Option<Array2<f64>>, Stop), Error> {
    if solved.stop == Stop::Cancelled {
        return Ok((None, solved.stop));
    }
    if program.entropy {
        let (points, stop) = Logistic::refined(program, start, run);
        return Ok((Some(points), stop));
    }
    let from = Candidate { factors: vec![start.clone()], ..solved.candidate.clone() };
    let (after, stop) = LowRank::refined(program, &from, REFINEMENTS, run)?;
    Ok((after.factors.into_iter().next(), stop))
}

/// Says where the refinement of a solved program was cut short: the proof stands, the map could be better.
fn cut_short(report: &mut FitReport, stop: Stop) {
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

const WORDS: proof::Words = proof::Words {
    has: "the solution of the program, which does not limit them, has",
    whose: "its",
    needs: "the solution needs",
    why: "with these settings the evidence asks for no more",
};

/// What is to be said of a solution and of the map in its dimensions.
pub(crate) fn warn(report: &mut FitReport, solved: &Solved, spectrum: &Spectrum, program: &GramProgram) {
    let c = &solved.certificate;
    if c.broken.is_none() && c.violation > 1e-6 * program.typical() {
        report.warnings.push(format!("the solution itself breaks a row that must hold, by {:.2e}", c.violation));
    }
    proof::dimensions(report, spectrum, c.rank, &WORDS);
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
            r.violated, r.rows, report.dim
        ));
    }
}
