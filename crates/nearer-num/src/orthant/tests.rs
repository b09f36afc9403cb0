//! Small programs whose answers are known in closed form.

use super::*;
use crate::rng::Rng;
use ndarray::Array2;

/// Steps to the end; gives what the complementary products sum up to.
fn run(state: &mut Orthant<DenseRows>) -> f64 {
    for _ in 0..60 {
        let Ok(by) = state.direction() else { break };
        state.advance(&by, f64::INFINITY);
        if state.mu() < 1e-13 {
            break;
        }
    }
    state.mu()
}

/// `min -x - 2y`, `x + y ≤ 4`, `x + 3y ≤ 6`: the vertex (3, 1).
#[test]
fn a_linear_program_ends_at_its_vertex() {
    let mut state = Orthant::begin(vec![-1.0, -2.0], Curvature::None, vec![0.1, 0.1], 0.1);
    state.add(&[1.0, 1.0, 1.0, 3.0], &[-4.0, -6.0], &[f64::INFINITY; 2], 0.1);
    run(&mut state);
    assert!((state.unknowns()[0] - 3.0).abs() < 1e-9 && (state.unknowns()[1] - 1.0).abs() < 1e-9);
    assert!((state.multipliers()[0] - 0.5).abs() < 1e-9 && (state.multipliers()[1] - 0.5).abs() < 1e-9);
}

/// `min ½ Σ p (x - a)²` over `x ≥ 0` is `max(a, 0)`, in the space of the columns and of the rows, with a block or without.
#[test]
fn a_projection_is_found_in_both_spaces() {
    let (p, a) = ([1.0, 2.0, 0.5], [1.5, -1.0, 0.25]);
    let cost: Vec<f64> = p.iter().zip(&a).map(|(p, a)| -p * a).collect();
    let block = Array2::from_diag(&ndarray::arr1(&p));
    for curvature in [Curvature::Diagonal(p.to_vec()), Curvature::Blocks(vec![block])] {
        for rows in [1, 9] {
            let mut state = Orthant::begin(cost.clone(), curvature.clone(), vec![1.0; 3], 0.1);
            // Rows that never bind.
            state.add(&vec![1.0; 3 * rows], &vec![-100.0; rows], &vec![f64::INFINITY; rows], 1.0);
            run(&mut state);
            let off = state.unknowns().iter().zip(&a).map(|(x, a)| (x - a.max(0.0)).abs()).fold(0.0, f64::max);
            assert!(off < 1e-8, "{:?}", state.unknowns());
        }
    }
}

/// `min c x + Σ_t h [b_t - x]₊` in one unknown is the quantile of `b` where the slope changes sign.
#[test]
fn rows_that_are_paid_for_make_a_quantile() {
    let mut rng = Rng::task(3, 1);
    let b: Vec<f64> = (0..31).map(|_| rng.uniform()).collect();
    let mut sorted = b.clone();
    sorted.sort_by(f64::total_cmp);
    let mut state = Orthant::begin(vec![10.5], Curvature::None, vec![0.5], 0.1);
    state.add(&[-1.0; 31], &b, &[1.0; 31], 1.0);
    run(&mut state);
    assert!((state.unknowns()[0] - sorted[20]).abs() < 1e-8, "{} {}", state.unknowns()[0], sorted[20]);
}

/// The same end when rows come late and some leave on the way, and the same bits on two threads.
#[test]
fn rows_may_come_and_go() {
    let mut rng = Rng::task(3, 2);
    let (m, q) = (40, 60);
    let a: Vec<f64> = (0..m * q).map(|_| rng.uniform()).collect();
    let cost: Vec<f64> = (0..q).map(|_| -0.5 - rng.uniform()).collect();
    let all = || {
        let mut state = Orthant::begin(cost.clone(), Curvature::None, vec![1.0 / q as f64; q], 0.1);
        state.add(&a, &vec![-1.0; m], &vec![f64::INFINITY; m], 0.1);
        run(&mut state);
        state.unknowns().to_vec()
    };
    let whole = all();
    assert_eq!(crate::par::install(2, all), whole);
    let mut state = Orthant::begin(cost.clone(), Curvature::None, vec![0.1 / q as f64; q], 0.1);
    state.add(&a[..10 * q], &[-1.0; 10], &[f64::INFINITY; 10], 0.1);
    for _ in 0..4 {
        let by = state.direction().unwrap();
        state.advance(&by, f64::INFINITY);
    }
    let keep: Vec<bool> = (0..10).map(|t| t % 2 == 0).collect();
    state.retain(&keep);
    let back: Vec<f64> = (0..10).filter(|t| t % 2 == 1).flat_map(|t| a[t * q..(t + 1) * q].to_vec()).collect();
    state.add(&a[10 * q..], &[-1.0; 30], &[f64::INFINITY; 30], 0.1);
    state.add(&back, &[-1.0; 5], &[f64::INFINITY; 5], 0.1);
    run(&mut state);
    let value = |x: &[f64]| x.iter().zip(&cost).map(|(x, c)| x * c).sum::<f64>();
    assert!((value(state.unknowns()) - value(&whole)).abs() < 1e-9);
}
