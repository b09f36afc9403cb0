//! The forms of maximum variance unfolding: what holds neighbours to their data, and a weight that the data choose.

use ndarray::Array2;

use crate::error::Error;
use crate::method::manifold::mvu::Mvu;
use crate::method::manifold::mvu_variant::Variant;
use crate::program::{self, Block, GramProgram, Stretch};
use crate::report::FitReport;
use crate::settings::{Configured, Settings};
use crate::solve::factor_ipm::Edges;
use crate::solve::{Engine, Goal, Run, Solved};

/// What holds the squared distance `d` of neighbours to its datum `D`. A weight of `None` is chosen from the data.
///
/// `d = D` is not among them: it leaves no room inside the program, its optimum need not be attained, and solvers differ by
/// percents on it. [`Soft`](Self::Soft) with a large weight asks the same and is proved.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Unfolding {
    /// `d ≤ D`: always solvable, and what stretches is tight anyway.
    AtMost,
    /// `max tr(HG) - weight Σ |d - D|`. By default the weight begins at twice the largest multiplier of
    /// [`AtMost`](Self::AtMost) and grows until stretching does not pay.
    Soft(Option<f64>),
    /// `max tr(HG) - weight Σ (d - D)²`. By default the weight is that under which the largest multiplier of `AtMost`
    /// stretches a mean squared distance by a hundredth.
    Penalised(Option<f64>),
}

/// The names of the forms.
pub(super) const FORMS: [&str; 3] = ["at-most", "soft", "penalised"];

/// A distance stretched by more than this share is said.
const STRETCH: f64 = 0.01;
/// A weight is not raised any more where the answer could not be proved to within the first of these shares and little is
/// stretched as it is, or not to within the second.
const SURE: [f64; 2] = [5e-5, 1e-3];
/// Distances stretched by no more than this share are stretched little.
const LITTLE: f64 = 0.02;

impl Configured for Unfolding {
    fn from_settings(settings: &Settings) -> Result<Self, Error> {
        Ok(match settings.word("form") {
            Some("soft") => Unfolding::Soft(settings.read("weight")?),
            Some("penalised") => Unfolding::Penalised(settings.read("weight")?),
            _ => Unfolding::AtMost,
        })
    }
    fn write(&self, settings: &mut Settings) {
        let (form, weight) = match *self {
            Unfolding::AtMost => (FORMS[0], None),
            Unfolding::Soft(weight) => (FORMS[1], Some(weight)),
            Unfolding::Penalised(weight) => (FORMS[2], Some(weight)),
        };
        settings.set("form", form);
        if let Some(weight) = weight {
            settings.set("weight", weight);
        }
    }
}

impl Mvu {
    /// Solves in the form asked for: the program that was solved, its answer, and its weight. Weights that the data choose
    /// begin with the solution of `d ≤ D`.
    pub(super) fn solve(
        &self,
        edges: &Edges,
        span: Option<&Array2<f64>>,
        run: &Run<'_>,
        warnings: &mut Vec<String>,
    ) -> Result<(GramProgram, Solved, Option<f64>), Error> {
        let goal = Goal { gap: self.gap, rounds: self.max_iter };
        let asked = |how: Stretch| -> Result<GramProgram, Error> {
            let free = program::unfold(edges.n, &edges.pairs, &edges.squared, how)?;
            match span {
                None => Ok(free),
                Some(basis) => free.within(
                    Block { basis: basis.clone(), charge: None },
                    format!("no map that combines {} {}", basis.ncols(), self.what()),
                ),
            }
        };
        let solve = |program: &GramProgram| Engine::Auto.solve(program, None, &goal, run);
        if let (Unfolding::Soft(Some(w)), how) | (Unfolding::Penalised(Some(w)), how) = (self.form, self.how()) {
            let program = asked(how(w))?;
            let solved = solve(&program)?;
            self.say_stretch(edges, &program, &solved, warnings);
            return Ok((program, solved, Some(w)));
        }
        let program = asked(Stretch::AtMost)?;
        let first = solve(&program)?;
        let largest = first.candidate.multipliers.iter().fold(0.0, |m: f64, y| m.max(*y));
        let mean = edges.squared.iter().sum::<f64>() / edges.squared.len() as f64;
        let mut weight = match self.form {
            Unfolding::AtMost => return Ok((program, first, None)),
            Unfolding::Soft(_) => 2.0 * largest,
            Unfolding::Penalised(_) => 50.0 * largest / mean,
        };
        let mut iterations = first.iterations;
        let mut before: Option<(GramProgram, Solved, f64)> = None;
        for raised in 0.. {
            let program = asked(self.how()(weight))?;
            let mut solved = solve(&program)?;
            iterations += solved.iterations;
            solved.iterations = iterations;
            // Towards equality the question becomes ill-posed: the last weight at which it was answered is the answer.
            let too_far = |(program, answered, _): &mut (GramProgram, Solved, f64)| {
                let sure = SURE[usize::from(stretch(edges, program, answered) > LITTLE)];
                !solved.certificate.is_within(sure)
            };
            if let Some((program, mut answered, weight)) = before.take_if(too_far) {
                answered.iterations = iterations;
                self.say_stretch(edges, &program, &answered, warnings);
                return Ok((program, answered, Some(weight)));
            }
            // Distances that are too short pull as well, so a weight of the data's may need to be more than twice the
            // largest multiplier before stretching does not pay.
            let stretched = stretch(edges, &program, &solved) > STRETCH;
            if self.form == Unfolding::Soft(None) && stretched && raised < 6 && !run.clock().late() {
                before = Some((program, solved, weight));
                weight *= 4.0;
                continue;
            }
            self.say_stretch(edges, &program, &solved, warnings);
            return Ok((program, solved, Some(weight)));
        }
        unreachable!("the loop ends by returning")
    }

    /// What the objective is, in words.
    pub(super) fn objective(&self) -> &'static str {
        match self.form {
            Unfolding::AtMost => "variance tr(HG) of the solution in all its dimensions, scaled to be feasible",
            Unfolding::Soft(_) => "variance tr(HG) - weight Σ |d - D| of the solution in all its dimensions",
            Unfolding::Penalised(_) => "variance tr(HG) - weight Σ (d - D)² of the solution in all its dimensions",
        }
    }

    /// The form as the program has it, given its weight.
    fn how(&self) -> fn(f64) -> Stretch {
        match self.form {
            Unfolding::AtMost => |_| Stretch::AtMost,
            Unfolding::Soft(_) => Stretch::Soft,
            Unfolding::Penalised(_) => Stretch::Penalised,
        }
    }

    /// What the restricted forms cannot help, a weight does not mend either.
    fn say_stretch(&self, edges: &Edges, program: &GramProgram, solved: &Solved, warnings: &mut Vec<String>) {
        let stretch = stretch(edges, program, solved);
        if stretch > STRETCH {
            let percent = 100.0 * stretch;
            let why = match self.variant {
                Variant::Full => "raise the weight, or the data contradict each other",
                _ => "vectors so few may not hold all neighbours at any weight; try more of them, or another weight",
            };
            warnings.push(format!("a distance between neighbours is stretched by {percent:.1} %: {why}"));
        }
    }
}

/// What became of the distances between neighbours in the solution: lengths beside their data.
#[derive(Debug, Clone, Copy)]
pub(super) struct Neighbours {
    /// The share that is kept to within a hundredth.
    pub(super) kept: f64,
    /// The shortest and the longest, as shares of their data.
    pub(super) shortest: f64,
    pub(super) longest: f64,
}

/// A length is kept where it differs by no more than this share.
const KEPT: f64 = 0.01;
/// Where fewer than this share are kept, it is said.
const MOST: f64 = 0.9;

impl Neighbours {
    /// Of points, the edges between them, and the squares that those had.
    pub(super) fn of(points: &Array2<f64>, pairs: &[(u32, u32)], squared: &[f64]) -> Self {
        let mut found = Neighbours { kept: 0.0, shortest: f64::INFINITY, longest: 0.0 };
        for (&(i, j), datum) in pairs.iter().zip(squared).filter(|(_, datum)| **datum > 0.0) {
            let apart = &points.row(i as usize) - &points.row(j as usize);
            let length = (apart.dot(&apart) / datum).sqrt();
            found.kept += f64::from(u8::from((length - 1.0).abs() <= KEPT)) / pairs.len() as f64;
            (found.shortest, found.longest) = (found.shortest.min(length), found.longest.max(length));
        }
        found
    }
    /// The figures of the report, and a word where neighbours were not kept.
    pub(super) fn told(self, report: FitReport) -> FitReport {
        let mut report = report
            .figure("neighbours-kept", self.kept)
            .figure("shortest-neighbours", self.shortest)
            .figure("longest-neighbours", self.longest);
        if self.kept < MOST {
            report.warnings.push(format!(
                "{:.0} % of the distances between neighbours are kept to within 1 %; the shortest is {:.3} of what it was, the longest {:.3}: \
                 soft holds them closer than at-most",
                100.0 * self.kept,
                self.shortest,
                self.longest
            ));
        }
        report
    }
}

/// By which share the most stretched edge is longer than its datum.
fn stretch(edges: &Edges, program: &GramProgram, solved: &Solved) -> f64 {
    let points = program.space.points(&solved.candidate.factors);
    let longer = |(&(i, j), t): (&(u32, u32), &f64)| {
        let apart = &points.row(i as usize) - &points.row(j as usize);
        (apart.dot(&apart) / t).sqrt() - 1.0
    };
    edges.pairs.iter().zip(&edges.squared).map(longer).fold(0.0, f64::max)
}
