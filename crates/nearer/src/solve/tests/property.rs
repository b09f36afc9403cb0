//! Many random instances of every program: two engines agree, and no multipliers, from a solver or out of thin air, prove a
//! bound on the wrong side.

use crate::program::{Candidate, GramProgram, Program as _, Sense, Stretch};
use crate::solve::{Goal, GramIpm, LowRank, Solved, Solver};
use crate::{Error, Run};

use super::instances::{self, Shape, Splitmix};

/// Instances of each kind of program.
const INSTANCES: u64 = 240;

#[test]
fn gnmds_holds_on_random_instances() {
    check("gnmds", gnmds);
}
#[test]
fn psde_with_hard_rows_holds_on_random_instances() {
    check("psde", psde_hard);
}
#[test]
fn psde_with_slack_holds_on_random_instances() {
    check("psde with slack", psde_slack);
}
#[test]
fn psde_of_grades_holds_on_random_instances() {
    check("psde of grades", |seed| instances::graded(seed, size(seed), None, seed % 2 == 1, shape(seed)));
}
#[test]
fn psde_of_grades_with_slack_holds_on_random_instances() {
    let slack = |seed: u64| Some([0.01, 0.1, 1.0][(seed / 7 % 3) as usize]);
    check("psde of grades with slack", |seed| {
        instances::graded(seed, size(seed), slack(seed), seed % 2 == 1, shape(seed))
    });
}
#[test]
fn partial_order_holds_on_random_instances() {
    check("partial order", partial);
}
#[test]
fn unfolding_at_most_holds_on_random_instances() {
    check("at most", |seed| mvu(seed, |_| Stretch::AtMost));
}
#[test]
fn soft_unfolding_holds_on_random_instances() {
    check("soft", |seed| mvu(seed, |n| Stretch::Soft(2.0 * n)));
}
#[test]
fn penalised_unfolding_holds_on_random_instances() {
    check("penalised", |seed| mvu(seed, Stretch::Penalised));
}
#[test]
fn robust_holds_on_random_instances() {
    check("robust", robust);
}

fn solved(solver: &dyn Solver, program: &GramProgram, gap: f64) -> Solved {
    let goal = Goal { gap, ..Goal::default() };
    solver.solve(program, None, &goal, &Run::seeded(1)).unwrap()
}

/// How far a value lies on the right side of a bound: never below zero.
fn room(sense: Sense, primal: f64, bound: f64) -> f64 {
    match sense {
        Sense::Minimise => primal - bound,
        Sense::Maximise => bound - primal,
    }
}

fn check(name: &str, make: impl Fn(u64) -> Result<GramProgram, Error>) {
    let mut wrong = Vec::new();
    let mut counted = 0;
    for seed in 0..INSTANCES {
        let program = match make(seed) {
            // Neighbours in one place are merged before such a program is made.
            Err(e) if e.to_string().contains("merge them") => continue,
            // Nothing is asked of pairs that are all in one middle grade.
            Err(e) if e.to_string().contains("the same middle grade") => continue,
            made => made.unwrap_or_else(|e| panic!("{name} {seed}: {e}")),
        };
        counted += 1;
        let size = |v: f64| v.abs().max(1e-3 * program.scale());
        let exact = solved(&GramIpm::new(), &program, 1e-8);
        let (sense, value) = (exact.certificate.sense, exact.certificate.primal);
        let mut fault = |what: &str, s: &Solved| {
            let c = &s.certificate;
            wrong.push(format!(
                "{seed} n={} {:?} {}: {what}; {:e} and {:e}, gap {:.1e}, broken by {:.1e}, reference {value:e}, {} after {}",
                program.objects(), shape(seed), s.engine, c.primal, c.bound(), c.gap(), c.violation, s.stop, s.iterations
            ));
        };
        if (value - exact.certificate.bound()).abs() > 1e-7 * size(value) {
            fault("not solved", &exact);
        }
        let low = solved(&LowRank, &program, 1e-6);
        for s in [&exact, &low] {
            let c = &s.certificate;
            if room(sense, c.primal, c.bound()) < 0.0 {
                fault("the bound has passed the value", s);
            }
            if room(sense, value, c.bound()) < 0.0 {
                fault("the bound has passed the reference", s);
            }
            if room(sense, c.primal, exact.certificate.bound()) < 0.0 {
                fault("the value has passed the bound of the reference", s);
            }
        }
        if (low.certificate.primal - value).abs() > 1e-5 * size(value) {
            fault("the engines do not agree", &low);
        }
        for draw in 0..3 {
            let bound = program.certify(&junk(&program, &exact.candidate, 7 * seed + draw)).unwrap().bound();
            if room(sense, value, bound) < 0.0 {
                fault(&format!("multipliers of no meaning prove {bound:e}"), &exact);
            }
        }
    }
    assert!(counted >= 200, "{name}: {counted} instances");
    assert!(wrong.is_empty(), "{name}: {} faults\n{}", wrong.len(), wrong.join("\n"));
}

/// Points of the answer with multipliers out of thin air: anything, most of it outside of the intervals or far from the best,
/// or those of the answer shaken.
fn junk(program: &GramProgram, answer: &Candidate, seed: u64) -> Candidate {
    let mut rng = Splitmix::new(seed ^ 0x6A75_6E6B);
    let size = [1e-3, 1.0, 1e3][rng.below(3)];
    let shaken = rng.uniform() < 0.5;
    let mut draw = |y: f64| {
        let noise = 2.0 * rng.uniform() - 1.0;
        if shaken { y * (1.0 + 0.1 * noise) + 1e-3 * size * noise } else { size * noise }
    };
    let mut other = answer.clone();
    other.multipliers.iter_mut().for_each(|y| *y = draw(*y));
    let _ = program;
    other.ball_multipliers.iter_mut().for_each(|(_, _, y)| *y = draw(*y));
    other
}

fn size(seed: u64) -> usize {
    3 + (seed % 7) as usize
}

fn shape(seed: u64) -> Shape {
    match seed % 8 {
        5 => Shape::Duplicates,
        6 => Shape::Disconnected,
        7 => [Shape::One, Shape::Contradictory, Shape::AllSimilar, Shape::AllDissimilar][(seed / 8 % 4) as usize],
        _ => Shape::Plain,
    }
}

fn gnmds(seed: u64) -> Result<GramProgram, Error> {
    let n = size(seed);
    instances::gnmds(seed, n, 3 * n, [0.05, 0.3, 1.0, 20.0][(seed / 7 % 4) as usize], shape(seed))
}
fn psde_hard(seed: u64) -> Result<GramProgram, Error> {
    let shape = if shape(seed) == Shape::Contradictory { Shape::Plain } else { shape(seed) };
    instances::psde(seed, size(seed), 1 + (seed % 3) as usize, None, shape)
}
fn psde_slack(seed: u64) -> Result<GramProgram, Error> {
    instances::psde(
        seed,
        size(seed),
        1 + (seed % 3) as usize,
        Some([0.01, 0.1, 1.0][(seed / 7 % 3) as usize]),
        shape(seed),
    )
}
fn partial(seed: u64) -> Result<GramProgram, Error> {
    let shape = if shape(seed) == Shape::Contradictory { Shape::Plain } else { shape(seed) };
    // Below the bound of the closed form where the points themselves show that some map satisfies the rows.
    instances::partial_order(seed, size(seed), 2 * size(seed), shape, |paths, feasible| {
        let closed = [1.0 + 1e-6, 1.1, 2.0][(seed / 7 % 3) as usize] * paths.smallest();
        if feasible * 1.05 < paths.smallest() { feasible * 1.05 } else { closed.max(1.0) }
    })
}
fn mvu(seed: u64, how: impl Fn(f64) -> Stretch) -> Result<GramProgram, Error> {
    let n = size(seed);
    instances::mvu(seed, n, 2, how(n as f64), shape(seed))
}
fn robust(seed: u64) -> Result<GramProgram, Error> {
    instances::robust(seed, size(seed), 0.3, 0.2, shape(seed))
}
