//! Programs whose answers are known.

use super::*;
use crate::dense;
use crate::rng::Rng;

fn run(problem: Problem, free: usize) -> Interior {
    let q = problem.order;
    let mut x = vec![0.0; entries(q) + free];
    (0..q).for_each(|a| x[place(a, a)] = 1.0);
    let mut state = Interior::begin(problem, x, &Array2::eye(q), 1.0);
    for _ in 0..60 {
        match state.step() {
            Ok(p) if p.complementarity + p.primal + p.dual > 1e-11 => {}
            _ => break,
        }
    }
    state
}

/// `min ⟨C, S⟩` with `tr S = 1` is the least eigenvalue of `C`, and the multiplier is its negative.
#[test]
fn the_least_eigenvalue_is_found() {
    let q = 6;
    let mut rng = Rng::task(2, 8);
    let c = Array2::from_shape_simple_fn((q, q), || rng.normal());
    let c = &c + &c.t();
    let mut cost = vec![0.0; entries(q)];
    gradient(&c, &mut cost);
    let mut rows = SparseRows::default();
    rows.push(&mut (0..q).map(|a| (place(a, a) as u32, 1.0)).collect::<Vec<_>>());
    let problem = Problem {
        order: q,
        cost,
        rows,
        constant: vec![-1.0],
        low: vec![f64::NEG_INFINITY],
        high: vec![f64::INFINITY],
        curvature: 0.0,
    };
    let state = run(problem, 0);
    let least = dense::eigvalsh(c.view()).unwrap()[q - 1];
    assert!((state.linear() - least).abs() < 1e-8, "{} {least}", state.linear());
    assert!((state.multipliers()[0] + least).abs() < 1e-8);
}

/// `min tr S + b + weight [2 - 2 S₁₂ - b]₊` for two rows and one free number `b ≥ 0`: with a weight of 3 it pays to make
/// `S₁₂ = 1`, at 2 S₁₂ per unit, or `b = 2`, at 1: both cost 2; with a weight of 1/2 it pays to do nothing, at 1.
#[test]
fn rows_are_paid_for_where_that_is_cheaper() {
    for (weight, wanted) in [(3.0, 2.0), (0.5, 1.0)] {
        let mut rows = SparseRows::default();
        rows.push(&mut [(place(0, 1) as u32, -2.0), (3, -1.0)]);
        rows.push(&mut [(3, -1.0)]);
        let problem = Problem {
            order: 2,
            cost: vec![1.0, 0.0, 1.0, 1.0],
            rows,
            constant: vec![2.0, 0.0],
            low: vec![0.0, 0.0],
            high: vec![weight, f64::INFINITY],
            curvature: 0.0,
        };
        let state = run(problem, 1);
        let r = 2.0 - 2.0 * state.matrix()[(0, 1)] - state.free()[0];
        let value = state.linear() + weight * r.max(0.0);
        assert!((value - wanted).abs() < 1e-7, "{value} {wanted}");
    }
}
