//! Closed forms, and dense eigenvalues of random weights.

use super::*;
use crate::dense::eigvalsh;
use crate::rng::Rng;
use std::f64::consts::PI;

fn second(n: usize, edges: &[(u32, u32)], weights: &[f64]) -> Second {
    Laplacian::new(n, edges).unwrap().second(weights, true)
}

fn check(n: usize, edges: &[(u32, u32)], weights: &[f64], exact: f64, loss: f64) {
    let s = second(n, edges, weights);
    assert!(s.lower <= exact * (1.0 + 1e-15), "unsound: {} above {exact}, n = {n}", s.lower);
    assert!(s.lower >= exact * (1.0 - loss), "loose: {} of {exact}, n = {n}", s.lower);
}

fn path(n: u32) -> Vec<(u32, u32)> {
    (1..n).map(|k| (k - 1, k)).collect()
}

#[test]
fn closed_forms_of_path_ring_complete_and_grid() {
    for n in [2u32, 3, 4, 10, 57, 1000] {
        let chord = |a: f64| 4.0 * (a / 2.0).sin().powi(2);
        check(n as usize, &path(n), &vec![1.0; n as usize - 1], chord(PI / f64::from(n)), 1e-7);
        if n > 2 {
            let mut ring = path(n);
            ring.push((0, n - 1));
            check(n as usize, &ring, &vec![1.0; n as usize], chord(2.0 * PI / f64::from(n)), 1e-7);
        }
    }
    for n in [2u32, 3, 8, 40] {
        let complete: Vec<(u32, u32)> = (0..n).flat_map(|i| (i + 1..n).map(move |j| (i, j))).collect();
        check(n as usize, &complete, &vec![0.25; complete.len()], 0.25 * f64::from(n), 1e-7);
    }
    let (a, b) = (30u32, 20u32);
    let mut grid: Vec<(u32, u32)> = (0..a).flat_map(|i| (1..b).map(move |j| (i * b + j - 1, i * b + j))).collect();
    grid.extend((1..a).flat_map(|i| (0..b).map(move |j| ((i - 1) * b + j, i * b + j))));
    let exact = 4.0 * (PI / 60.0).sin().powi(2);
    check(600, &grid, &vec![1.0; grid.len()], exact, 1e-7);
}

/// A random connected graph with weights over some orders of magnitude.
fn random(n: usize, seed: u64) -> (Vec<(u32, u32)>, Vec<f64>) {
    let mut rng = Rng::task(seed, n as u64);
    let mut edges: Vec<(u32, u32)> = (1..n).map(|k| (k as u32, rng.below(k) as u32)).collect();
    edges.extend((0..2 * n).map(|_| (rng.below(n) as u32, rng.below(n) as u32)).filter(|(a, b)| a != b));
    let spread = [0.0, 3.0, 8.0][seed as usize % 3];
    let weights = edges.iter().map(|_| 10f64.powf(spread * (rng.uniform() - 0.5))).collect();
    (edges, weights)
}

fn dense(n: usize, edges: &[(u32, u32)], weights: &[f64]) -> f64 {
    let mut l = Array2::<f64>::zeros((n, n));
    for (&(i, j), w) in edges.iter().zip(weights) {
        let (i, j) = (i as usize, j as usize);
        l[(i, i)] += w;
        l[(j, j)] += w;
        l[(i, j)] -= w;
        l[(j, i)] -= w;
    }
    let largest = (0..n).map(|i| l[(i, i)]).fold(0.0, f64::max);
    // The constant vector is lifted out of the way.
    l += 10.0 * largest / n as f64;
    eigvalsh(l.view()).unwrap()[n - 1]
}

#[test]
fn random_weights_against_dense_eigenvalues() {
    for seed in 0..60 {
        let n = 3 + (seed as usize * 7) % 60;
        let (edges, weights) = random(n, seed);
        let exact = dense(n, &edges, &weights);
        let largest = weights.iter().fold(0.0, |a: f64, b| a.max(*b)) * n as f64;
        let s = second(n, &edges, &weights);
        assert!(s.lower <= exact + 1e-14 * largest, "seed {seed}: {} above {exact}", s.lower);
        assert!(s.lower >= exact - 1e-7 * exact - 1e-12 * largest, "seed {seed}: {} below {exact}", s.lower);
    }
}

#[test]
fn the_lowest_pairs_are_those_of_the_full_matrix_also_with_negative_weights() {
    for seed in 0..6 {
        let n = 40 + 5 * seed as usize;
        let (edges, mut weights) = random(n, 3 * seed);
        weights.iter_mut().step_by(5).for_each(|w| *w *= -0.4);
        let mut laplacian = Laplacian::new(n, &edges).unwrap();
        let (values, vectors) = laplacian.lowest(&weights, 3).unwrap();
        let image = laplacian.times(&weights, &vectors);
        let off = (&image - &(&vectors * &values)).iter().fold(0.0, |m: f64, v| m.max(v.abs()));
        assert!(off < 1e-4, "seed {seed}: {off}");
        let exact = dense(n, &edges, &weights);
        assert!((values[0] - exact).abs() < 1e-8, "seed {seed}: {} {exact}", values[0]);
    }
}

#[test]
fn clusters_of_eigenvalues_and_negative_weights() {
    // Two equal stars joined by an edge: many equal eigenvalues, and a small one beside.
    let leaves = 30u32;
    let mut edges: Vec<(u32, u32)> = (0..leaves).map(|k| (0, 2 + k)).collect();
    edges.extend((0..leaves).map(|k| (1, 2 + leaves + k)));
    edges.push((0, 1));
    let n = 2 + 2 * leaves as usize;
    for bridge in [1.0, 1e-3, 1e-6] {
        let mut weights = vec![1.0; edges.len()];
        weights[2 * leaves as usize] = bridge;
        let exact = dense(n, &edges, &weights);
        let rounding = 1e-13 * 31.0 / exact;
        check(n, &edges, &weights, exact * (1.0 + rounding), 1e-7 + 10.0 * rounding);
    }
    // A complete graph with one negative weight is still definite: 4 vertices, the pair (0, 1) at -0.5.
    let complete: Vec<(u32, u32)> = (0..4).flat_map(|i| (i + 1..4).map(move |j| (i, j))).collect();
    let mut weights = vec![1.0; 6];
    weights[0] = -0.5;
    check(4, &complete, &weights, dense(4, &complete, &weights), 1e-7);
    // One that is not definite proves nothing.
    weights[0] = -10.0;
    assert!(second(4, &complete, &weights).lower < 0.0);
    // A graph in two parts has a second eigenvalue of 0.
    assert!(second(4, &[(0, 1), (2, 3)], &[1.0, 1.0]).lower <= 0.0);
}
