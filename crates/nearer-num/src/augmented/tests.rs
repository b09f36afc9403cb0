//! The gradient against differences, and pieces against the whole.

use super::*;
use crate::rng::Rng;

fn random(n: usize, pairs: usize, rows: usize, seed: u64) -> (Problem, Vec<f64>, Vec<f64>, Vec<f64>) {
    let mut rng = Rng::task(seed, n as u64);
    let all: Vec<(u32, u32)> = (0..n as u32).flat_map(|i| (i + 1..n as u32).map(move |j| (i, j))).collect();
    let order = rng.permutation(all.len());
    let mut list: Vec<_> = order[..pairs.min(all.len())].iter().map(|k| all[*k]).collect();
    list.sort_unstable();
    let cost = list.iter().map(|_| rng.normal()).collect();
    let mut set = Rows::default();
    for t in 0..rows {
        let entries = [(rng.below(list.len()) as u32, 1.0), (rng.below(list.len()) as u32, -1.5)];
        let (low, high) = if t % 2 == 0 { (0.0, 0.7) } else { (-0.4, 0.4) };
        set.push_with(&entries, (rng.below(n) as u32, rng.normal()), rng.normal(), low, high);
    }
    let x = (0..3 * n).map(|_| rng.normal()).collect();
    let b = (0..n).map(|_| rng.normal()).collect();
    let y = (0..rows).map(|_| 0.3 * rng.uniform()).collect();
    (Problem::new(n, 0.8, 0.3, list, cost, set), x, b, y)
}

#[test]
fn the_gradient_is_that_of_the_value_with_few_and_with_many_pairs() {
    for (n, pairs) in [(30, 60), (30, 435), (60, 1700)] {
        let (problem, x, b, y) = random(n, pairs, 90, 3);
        let mut scratch = Scratch::default();
        let (mut g, mut gb) = (vec![0.0; x.len()], vec![0.0; n]);
        let mut at = |x: &[f64], b: &[f64], g: &mut [f64], gb: &mut [f64]| {
            problem.evaluate((x, 3), b, &y, 0.9, &mut scratch, g, gb)
        };
        at(&x, &b, &mut g, &mut gb);
        let (mut no, mut nob) = (g.clone(), gb.clone());
        for k in 0..x.len() {
            let (mut up, mut down) = (x.clone(), x.clone());
            up[k] += 1e-5;
            down[k] -= 1e-5;
            let slope = (at(&up, &b, &mut no, &mut nob) - at(&down, &b, &mut no, &mut nob)) / 2e-5;
            assert!((slope - g[k]).abs() < 1e-4 * (1.0 + g[k].abs()), "{k}: {slope} {}", g[k]);
        }
        for k in 0..n {
            let (mut up, mut down) = (b.clone(), b.clone());
            up[k] += 1e-5;
            down[k] -= 1e-5;
            let slope = (at(&x, &up, &mut no, &mut nob) - at(&x, &down, &mut no, &mut nob)) / 2e-5;
            assert!((slope - gb[k]).abs() < 1e-4 * (1.0 + gb[k].abs()));
        }
    }
}

#[test]
fn threads_change_nothing_and_dense_is_sparse() {
    let mut rng = Rng::task(5, 5);
    // Few rows on many pairs with a cost: a fixed square and a list; the same pairs all in rows: dense.
    let n = 120usize;
    let pairs: Vec<(u32, u32)> = (0..n as u32).flat_map(|i| (i + 1..n as u32).map(move |j| (i, j))).collect();
    let cost: Vec<f64> = pairs.iter().map(|_| rng.normal()).collect();
    let (mut few, mut many) = (Rows::default(), Rows::default());
    for t in 0..20_000 {
        let entries = [(rng.below(pairs.len()) as u32, 1.0), (rng.below(pairs.len()) as u32, -1.0)];
        many.push(&entries, 0.5, 0.0, if t < 500 { 0.7 } else { 0.0 });
        if t < 500 {
            few.push(&entries, 0.5, 0.0, 0.7);
        }
    }
    let x: Vec<f64> = (0..3 * n).map(|_| rng.normal()).collect();
    let run = |threads, problem: &Problem, rows: usize| {
        par::install(threads, || {
            let mut scratch = Scratch::default();
            let (mut g, mut gb) = (vec![0.0; x.len()], vec![0.0; n]);
            let y = vec![0.0; rows];
            let value = problem.evaluate((&x, 3), &[], &y, 0.9, &mut scratch, &mut g, &mut gb);
            (value, g)
        })
    };
    let dense = Problem::new(n, 0.8, 0.0, pairs.clone(), cost.clone(), many);
    let sparse = Problem::new(n, 0.8, 0.0, pairs, cost, few);
    assert!(matches!(dense.work, Work::Dense) && matches!(sparse.work, Work::Sparse { square: Some(_), .. }));
    let (one, other) = (run(1, &dense, 20_000), run(1, &sparse, 500));
    assert_eq!(one, run(2, &dense, 20_000));
    assert_eq!(other, run(2, &sparse, 500));
    assert!((one.0 - other.0).abs() < 1e-9 * one.0.abs(), "{} {}", one.0, other.0);
    assert!(one.1.iter().zip(&other.1).all(|(a, b)| (a - b).abs() < 1e-9 * (1.0 + a.abs())));
}
