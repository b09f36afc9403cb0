//! Which engine a convex program is given to.

use crate::error::Error;
use crate::program::{Candidate, GramProgram};
use crate::solve::solver::{Goal, Solved, Solver};
use crate::solve::{EdgeIpm, FactorIpm, GramIpm, Logistic, LowRank, Run, Stop};

/// An engine by name, or the choice left to the program.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Engine {
    /// By size, rank and rows.
    #[default]
    Auto,
    /// The augmented Lagrangian in a factor of few columns: every program, any size.
    LowRank,
    /// The interior-point method over the entries of the Gram matrix: few objects, any number of rows.
    GramIpm,
}

impl Engine {
    /// Solves the program with this engine.
    pub fn solve(
        self,
        program: &GramProgram,
        start: Option<&Candidate>,
        goal: &Goal,
        run: &Run<'_>,
    ) -> Result<Solved, Error> {
        let (small, any, unfolding) = (GramIpm::new(), LowRank, FactorIpm::default());
        let (logistic, edges) = (Logistic, EdgeIpm);
        let order: &[&dyn Solver] = match self {
            // The others know only prices that are linear or quadratic.
            _ if program.entropy => &[&logistic],
            Engine::GramIpm => &[&small],
            Engine::LowRank => &[&any],
            // One sparse factorisation a step, whatever the size.
            Engine::Auto if FactorIpm::is_hard(program) => &[&unfolding, &any],
            // Where stretching is paid for: the multipliers of the edges, which are few.
            Engine::Auto if edges.takes(program) => &[&edges, &unfolding, &any],
            // Where it is paid for otherwise, the surest first.
            Engine::Auto if unfolding.takes(program) && program.objects() <= GramIpm::FIRST_CHOICE => {
                &[&small, &unfolding, &any]
            }
            Engine::Auto if unfolding.takes(program) => &[&unfolding, &any],
            // An order has a point with room in every row only by way of an inner point: the other engine breaks rows by a little.
            Engine::Auto if program.is_an_order() && small.takes(program) => {
                if program.objects() <= GramIpm::FIRST_CHOICE { &[&small, &any] } else { &[&small] }
            }
            // Balls have n² rows of which few matter, and answers of low rank: rows are better generated there.
            Engine::Auto if program.objects() <= GramIpm::FIRST_CHOICE && program.balls.is_none() => &[&small, &any],
            Engine::Auto => &[&any, &small],
        };
        one_after_another(order, program, start, goal, run)
    }
}

/// The first engine, and where it gets stuck before the goal the next that takes such a program; the smallest gap wins.
fn one_after_another(
    order: &[&dyn Solver],
    program: &GramProgram,
    start: Option<&Candidate>,
    goal: &Goal,
    run: &Run<'_>,
) -> Result<Solved, Error> {
    let mut best: Option<Solved> = None;
    for (k, engine) in order.iter().enumerate() {
        // An engine that was asked for by name says itself why it cannot.
        if order.len() > 1 && !engine.takes(program) {
            continue;
        }
        let solved = match engine.solve(program, start, goal, run) {
            Ok(solved) => solved,
            // A factorisation that fails is no reason to give up while there is another way.
            Err(Error::Numerical { .. }) if k + 1 < order.len() => continue,
            Err(e) => return Err(e),
        };
        // Where nothing keeps every row no other engine finds what does.
        let impossible = program.is_refuted_by(program.own(solved.certificate.bound()));
        let stuck = matches!(solved.stop, Stop::Stalled | Stop::IterationLimit)
            && !solved.certificate.is_within(goal.gap)
            && !impossible;
        // Of two that break rows, the one that breaks them by less.
        let worth = |s: &Solved| (s.certificate.broken.unwrap_or(0.0), s.certificate.gap());
        let better = best.as_ref().is_none_or(|b| worth(&solved) < worth(b));
        if better {
            best = Some(solved);
        }
        if !stuck {
            break;
        }
    }
    best.ok_or_else(|| Error::Numerical { what: "every engine for this program".into() })
}
