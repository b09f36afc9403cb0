//! Programs of weights: against HiGHS and Clarabel (`tests/golden/diagonal_programs.json`), rows generated or all at once, and
//! against multipliers that mean nothing.

use crate::program::{DiagonalProgram, Program as _, Sense, Weights};
use crate::solve::{Diagonal, Goal, Solved, Solver, Stop};
use crate::{Comparison, Comparisons, Objects, Run, toy};
use ndarray::Array2;

use super::instances::{Cloud, Shape, Splitmix, pair, triplets};
use super::json::{cases, numbers};

const KINDS: [&str; 4] = ["qp-features", "qp-kernels", "trace-kernels", "partial-order"];

/// What is special about an instance beside what its answers are like.
fn shape(seed: u64) -> &'static str {
    match seed % 8 {
        5 => "duplicates",
        6 => "zero",
        7 => ["contradictory", "none", "one", "flat"][(seed / 8 % 4) as usize],
        _ => "plain",
    }
}

/// The instance of a seed; `golden/diagonal_programs.py` makes the same ones, in the same order of operations.
fn instance(kind: &str, seed: u64) -> DiagonalProgram {
    let number = KINDS.iter().position(|k| *k == kind).unwrap() as u64;
    let (mut rng, shape) = (Splitmix::new(4 * seed + number), shape(seed));
    let n = 4 + (seed % 9) as usize;
    let mut x: Vec<Vec<f64>> = (0..n).map(|_| (0..3).map(|_| rng.uniform()).collect()).collect();
    for i in 0..n {
        match shape {
            "duplicates" if i % 2 == 1 => x[i] = x[i - 1].clone(),
            "flat" => x[i] = vec![0.5, 0.25, 1.0],
            "zero" if i == 0 => x[i] = vec![0.0; 3],
            "zero" => x[i][1] = 0.0,
            _ => {}
        }
    }
    let hidden = Cloud::new(&mut rng, n, 2, if shape == "duplicates" { Shape::Duplicates } else { Shape::Plain });
    let count = match shape {
        "none" => 0,
        "one" => 1,
        _ => 10 + 5 * (seed % 7) as usize,
    };
    let answers = if shape == "contradictory" { Shape::Contradictory } else { Shape::Plain };
    let list = triplets(&mut rng, &hidden, count, 0.1, answers);
    let rows = list
        .iter()
        .map(|&[head, near, far]| Comparison {
            margin: 1.0 + rng.below(2) as f64,
            ..Comparison::new(pair(head, near), pair(head, far))
        })
        .collect();
    let answers = Comparisons::new(Objects::numbered(n), rows).unwrap();
    let slack = [0.3, 3.0, 30.0][(seed % 3) as usize];
    if kind == "qp-features" {
        let f = Array2::from_shape_fn((n, 3), |(i, k)| x[i][k]);
        let program = DiagonalProgram::new(f, Sense::Minimise).squared(vec![1.0, 2.0, 3.0]);
        return program.compared(&answers, slack).checked().unwrap();
    }
    let dot = Array2::from_shape_fn((n, n), |(i, j)| (0..3).fold(0.0, |sum, k| sum + x[i][k] * x[j][k]));
    let kernels = [dot.clone(), dot.mapv(|v| (1.0 + v) * (1.0 + v))];
    let f = ndarray::concatenate(ndarray::Axis(1), &[kernels[0].view(), kernels[1].view()]).unwrap();
    let diagonal: Vec<f64> = kernels.iter().flat_map(|k| k.diag().to_vec()).collect();
    let program = match kind {
        "qp-kernels" => {
            DiagonalProgram::new(f, Sense::Minimise).blocks(kernels.iter().map(|k| k.mapv(|v| v * v)).collect())
        }
        "trace-kernels" => DiagonalProgram::new(f, Sense::Minimise).cost(diagonal),
        _ => {
            let trace = [0.1, 1.0, 10.0][(seed / 3 % 3) as usize];
            DiagonalProgram::new(f, Sense::Maximise)
                .cost(diagonal.iter().map(|d| trace * d).collect())
                .spread(-1.0)
                .bound([3.0, 20.0, 200.0][(seed / 5 % 3) as usize])
        }
    };
    program.compared(&answers, slack).checked().unwrap()
}

fn solved(program: &DiagonalProgram, generate: bool, gap: f64) -> Solved<Weights> {
    Diagonal::new().generate(generate).solve(program, None, &Goal { gap, ..Goal::default() }, &Run::seeded(1)).unwrap()
}

#[test]
fn weights_of_features_with_a_quadratic_term_reach_the_optima_of_clarabel() {
    compare("qp-features");
}
#[test]
fn weights_of_kernels_with_a_quadratic_term_reach_the_optima_of_clarabel() {
    compare("qp-kernels");
}
#[test]
fn weights_of_kernels_with_a_trace_reach_the_optima_of_highs() {
    compare("trace-kernels");
}
#[test]
fn weights_that_keep_an_order_reach_the_optima_of_highs() {
    compare("partial-order");
}

/// Every instance, rows generated and all at once: both sides meet at the optimum of the other solver and do not pass it by
/// more than that solver is off, and multipliers of no meaning prove nothing beyond it.
fn compare(kind: &str) {
    let all = cases(include_str!("../../../tests/golden/diagonal_programs.json"));
    let case = all.iter().find(|c| c["kind"] == kind).unwrap();
    let optima = numbers(&case["optima"]);
    assert!(optima.len() >= 200);
    let mut wrong = Vec::new();
    for (seed, optimum) in optima.iter().enumerate() {
        let program = instance(kind, seed as u64);
        let size = optimum.abs().max(1e-4 * program.scale()).max(1e-12);
        for generate in [true, false] {
            let s = solved(&program, generate, 1e-7);
            let c = &s.certificate;
            let sign = if c.sense == Sense::Minimise { 1.0 } else { -1.0 };
            let (value, bound) = (sign * c.primal, sign * c.bound());
            let mut fault = |what: &str| {
                wrong.push(format!(
                    "{seed} {} generate {generate}: {what}: {value:e} and {bound:e}, gap {:.1e}, optimum {optimum:e}, {} after {}",
                    shape(seed as u64), c.gap(), s.stop, s.iterations
                ));
            };
            if bound > value {
                fault("the bound has passed the value");
            }
            if c.gap() > 1e-6 {
                fault("not solved");
            }
            if (value - optimum).abs() > 1e-6 * size || (bound - optimum).abs() > 1e-6 * size {
                fault("another optimum");
            }
            // The other solver is good to nine digits at least.
            if bound > optimum + 2e-9 * size || value < optimum - 2e-9 * size {
                fault("the optimum was passed");
            }
            for draw in 0..3 {
                let junk = program.certify(&junk(&s.candidate, 7 * seed as u64 + draw)).unwrap();
                if sign * junk.bound() > optimum + 2e-9 * size || sign * junk.primal < optimum - 2e-9 * size {
                    fault(&format!(
                        "numbers of no meaning prove {:e} and {:e}",
                        sign * junk.bound(),
                        sign * junk.primal
                    ));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{} faults\n{}", wrong.len(), wrong.join("\n"));
}

/// An answer shaken, or out of thin air.
fn junk(answer: &Weights, seed: u64) -> Weights {
    let mut rng = Splitmix::new(seed ^ 0x6A75_6E6B);
    let (size, shaken) = ([1e-3, 1.0, 1e3][rng.below(3)], rng.uniform() < 0.5);
    let mut draw = |v: &mut f64| {
        let noise = 2.0 * rng.uniform() - 1.0;
        *v = if shaken { *v * (1.0 + 0.1 * noise) + 1e-3 * size * noise } else { size * noise };
    };
    let mut other = answer.clone();
    other.weights.iter_mut().for_each(&mut draw);
    other.multipliers.iter_mut().for_each(&mut draw);
    other.tangent.iter_mut().for_each(&mut draw);
    other.held.iter_mut().for_each(|h| draw(&mut h.2));
    draw(&mut other.everywhere);
    other
}

/// A middling program: more rows than are ever in play. Answers follow distances in the first two of three features, most of
/// the time.
fn middling() -> DiagonalProgram {
    let n = 40;
    let mut rng = Splitmix::new(5);
    let x = Array2::from_shape_fn((n, 3), |_| rng.uniform());
    let squared = |i: usize, j: usize, k: usize| (x[(i, k)] - x[(j, k)]).powi(2);
    let kernel = |k: usize| Array2::from_shape_fn((n, n), |(i, j)| (-4.0 * squared(i, j, k)).exp());
    let kernels = [kernel(0), kernel(1), kernel(2)];
    let f = ndarray::concatenate(ndarray::Axis(1), &kernels.each_ref().map(|k| k.view())).unwrap();
    let mut rows = Vec::new();
    while rows.len() < 900 {
        let (i, a, b) = (rng.below(n), rng.below(n), rng.below(n));
        if i != a && i != b && a != b {
            let d = |j: usize| squared(i, j, 0) + squared(i, j, 1);
            let (near, far) = if (d(a) < d(b)) != (rng.uniform() < 0.05) { (a, b) } else { (b, a) };
            rows.push(Comparison::new(pair(i, near), pair(i, far)));
        }
    }
    DiagonalProgram::new(f, Sense::Maximise)
        .cost(vec![1.0; 3 * n])
        .spread(-1.0)
        .bound(400.0)
        .compared(&Comparisons::new(Objects::numbered(n), rows).unwrap(), 10.0)
        .checked()
        .unwrap()
}

#[test]
fn rows_are_generated_few_at_a_time_and_both_ways_agree() {
    let program = middling();
    let (some, all) = (solved(&program, true, 1e-6), solved(&program, false, 1e-6));
    assert!((some.certificate.primal - all.certificate.primal).abs() <= 2e-6 * all.certificate.primal.abs());
    let most = some.rounds.iter().map(|r| r.rows).max().unwrap();
    assert!(most < program.row_count() / 3, "{most} of {}", program.row_count());
    // Few weights, and they keep to the bound without help.
    let used = some.candidate.weights.iter().filter(|w| **w > 0.0).count();
    assert!(used < 60 && some.certificate.violation == 0.0, "{used}, {}", some.certificate.violation);
}

#[test]
fn threads_change_no_bit_of_the_weights() {
    let program = middling();
    let goal = Goal::default();
    let [one, two] = [1, 2].map(|t| Diagonal::new().solve(&program, None, &goal, &Run::seeded(1).threads(t)).unwrap());
    assert_eq!(one.candidate, two.candidate);
    assert_eq!(one.certificate, two.certificate);
}

/// Features in other units are other weights and the same value.
#[test]
fn units_of_the_features_do_not_matter_without_a_cost_of_weights() {
    let mut rng = Splitmix::new(8);
    let f = Array2::from_shape_fn((15, 4), |_| rng.uniform());
    let answers = toy::answers(15, 2, 150, 0.1, 2);
    let make = |f: Array2<f64>| {
        let program = DiagonalProgram::new(f, Sense::Maximise).spread(-1.0).bound(9.0);
        solved(&program.compared(&answers, 2.0).checked().unwrap(), true, 1e-7).certificate.primal
    };
    let stretched = Array2::from_shape_fn(f.raw_dim(), |(i, p)| 3.0 + 10f64.powi(p as i32) * f[(i, p)]);
    let (a, b) = (make(f), make(stretched));
    assert!((a - b).abs() <= 1e-6 * a.abs(), "{a} {b}");
}

#[test]
fn a_cancelled_run_gives_the_best_so_far_with_its_certificate() {
    let program = middling();
    let watch = |step: &crate::Step| {
        if step.iteration < 12 { std::ops::ControlFlow::Continue(()) } else { std::ops::ControlFlow::Break(()) }
    };
    let run = Run::seeded(1);
    let s = Diagonal::new().generate(true).solve(&program, None, &Goal::default(), &run.watched(&watch)).unwrap();
    assert_eq!(s.stop, Stop::Cancelled);
    assert!(s.certificate.gap() > 1e-5 && s.certificate.primal <= s.certificate.bound() && s.certificate.primal > 0.0);
    let limited = run.time_limit(std::time::Duration::ZERO);
    let s = Diagonal::new().solve(&program, None, &Goal::default(), &limited).unwrap();
    assert_eq!(s.stop, Stop::TimeLimit);
    assert!(s.certificate.primal <= s.certificate.bound());
}

#[test]
fn what_is_no_program_is_refused_with_a_reason() {
    let f = || Array2::from_shape_fn((4, 2), |(i, p)| (i * (p + 1)) as f64);
    let refused = |p: DiagonalProgram| p.checked().unwrap_err().to_string();
    let mut broken = f();
    broken[(2, 1)] = f64::NAN;
    assert!(refused(DiagonalProgram::new(broken, Sense::Minimise)).contains("column 2 of object 3 is NaN"));
    assert!(refused(DiagonalProgram::new(f() * 1e150, Sense::Minimise)).contains("in other units"));
    assert!(refused(DiagonalProgram::new(f(), Sense::Maximise).spread(-1.0)).contains("nothing bounds them"));
    let indefinite = ndarray::array![[1.0, 2.0], [2.0, 1.0]];
    assert!(refused(DiagonalProgram::new(f(), Sense::Minimise).blocks(vec![indefinite])).contains("semidefinite"));
    assert!(refused(DiagonalProgram::new(f(), Sense::Minimise).cost(vec![1.0, -1.0])).contains("not negative"));
}
