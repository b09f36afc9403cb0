//! Unfolding against closed forms, against itself in other forms, and against rounding.

use super::*;
use crate::program::{self, Proof};
use nearer_num::rng::Rng;

fn solve(edges: &Edges, gap: f64) -> Solved {
    let program = program::unfold(edges.n, &edges.pairs, &edges.squared, Stretch::AtMost).unwrap();
    FactorIpm::default().solve(&program, None, &Goal { gap, rounds: 300 }, &Run::default()).unwrap()
}

fn path(lengths: &[f64]) -> Edges {
    let n = lengths.len() + 1;
    let pairs = (1..n as u32).map(|k| (k - 1, k)).collect();
    Edges { n, pairs, squared: lengths.iter().map(|l| l * l).collect() }
}

fn distance(points: &Array2<f64>, i: usize, j: usize) -> f64 {
    (&points.row(i) - &points.row(j)).iter().map(|v| v * v).sum::<f64>().sqrt()
}

#[test]
fn two_points_and_paths_lie_straight() {
    for lengths in [vec![3.0], vec![1.0, 2.0], vec![1.0; 12], vec![0.1, 5.0, 1.0, 0.3, 2.0], vec![1e-3, 1e3]] {
        let edges = path(&lengths);
        let s = solve(&edges, 1e-7);
        assert!(s.certificate.gap() < 1e-6, "{lengths:?}: {:?} {:?}", s.certificate, s.stop);
        let total: f64 = lengths.iter().sum();
        assert!((distance(&s.candidate.factors[0], 0, edges.n - 1) - total).abs() < 1e-4 * total, "{lengths:?}");
        let at: Vec<f64> = std::iter::once(0.0)
            .chain(lengths.iter().scan(0.0, |s, l| {
                *s += l;
                Some(*s)
            }))
            .collect();
        let mean = at.iter().sum::<f64>() / at.len() as f64;
        let exact: f64 = at.iter().map(|v| (v - mean).powi(2)).sum();
        assert!(s.certificate.primal <= exact * (1.0 + 1e-12) && exact <= s.certificate.bound() * (1.0 + 1e-12));
    }
}

/// A ring of n equal edges: the regular polygon, with variance `n R²`, `R = 1 / (2 sin(π/n))`.
#[test]
fn a_ring_is_a_polygon() {
    for n in [3usize, 4, 5, 12, 60] {
        let next = |k: u32| (k + 1) % n as u32;
        let pairs = (0..n as u32).map(|k| (k.min(next(k)), k.max(next(k)))).collect();
        let edges = Edges { n, pairs, squared: vec![1.0; n] };
        let s = solve(&edges, 1e-7);
        let exact = n as f64 * (0.5 / (std::f64::consts::PI / n as f64).sin()).powi(2);
        assert!((s.certificate.primal - exact).abs() < 1e-5 * exact, "{n}: {:?} {exact}", s.certificate);
        assert!(s.certificate.primal <= exact * (1.0 + 1e-12) && exact <= s.certificate.bound() * (1.0 + 1e-12));
        assert!(s.certificate.rank == 2, "{:?}", s.certificate);
    }
}

pub(crate) fn swiss(n: usize, k: usize, seed: u64) -> Edges {
    let mut rng = Rng::task(seed, 77);
    let x: Vec<[f64; 3]> = (0..n)
        .map(|_| {
            let t = 1.5 * std::f64::consts::PI * (1.0 + 2.0 * rng.uniform());
            [t * t.cos(), 21.0 * rng.uniform(), t * t.sin()]
        })
        .collect();
    let d = |i: usize, j: usize| x[i].iter().zip(&x[j]).map(|(a, b)| (a - b).powi(2)).sum::<f64>();
    let mut pairs = std::collections::BTreeSet::new();
    for i in 0..n {
        let mut near: Vec<(f64, usize)> = (0..n).filter(|j| *j != i).map(|j| (d(i, j), j)).collect();
        near.select_nth_unstable_by(k - 1, |a, b| a.0.total_cmp(&b.0));
        near[..k].iter().for_each(|&(_, j)| {
            pairs.insert((i.min(j) as u32, i.max(j) as u32));
        });
    }
    let pairs: Vec<(u32, u32)> = pairs.into_iter().collect();
    let squared = pairs.iter().map(|&(i, j)| d(i as usize, j as usize)).collect();
    Edges { n, pairs, squared }
}

#[test]
fn swiss_rolls_are_certified() {
    for (n, seed) in [(100, 1), (400, 2), (800, 3)] {
        let edges = swiss(n, 6, seed);
        if edges.graph().components().len() > 1 {
            continue;
        }
        let s = solve(&edges, 1e-6);
        assert!(
            s.certificate.gap() <= 2e-6 && (n <= 300 || s.certificate.proof == Proof::Inertia),
            "{n}: {:?} {:?}",
            s.certificate,
            s.stop
        );
    }
}

/// What the multipliers of a path prove: three in a row at 0, 1, 3 have the variance 14/3, by `w₁ · 1 = 4/3`, `w₂ · 2 = 5/3`.
#[test]
fn a_path_laid_straight_is_its_own_bound() {
    let edges = path(&[1.0, 2.0]);
    let program = program::unfold(3, &edges.pairs, &edges.squared, Stretch::AtMost).unwrap();
    let points = ndarray::array![[0.0], [1.0], [3.0]];
    let w = vec![4.0 / 3.0, 5.0 / 6.0];
    let c = program.certify(&Candidate::free(points.clone(), w.clone())).unwrap();
    assert!(c.primal <= 14.0 / 3.0 && 14.0 / 3.0 <= c.bound() && c.gap() < 1e-8 && c.rank == 1, "{c:?}");
    // Points that are too far apart are made smaller, and say so.
    let wide = program.certify(&Candidate::free(&points * 2.0, w)).unwrap();
    assert!(
        (wide.primal - 14.0 / 3.0).abs() < 1e-12 && wide.primal <= 14.0 / 3.0 && wide.violation == 12.0,
        "{wide:?}"
    );
    for w in [[0.0, 0.0], [1.0, 0.0], [-1.0, 5.0], [1e-300, 1e300]] {
        let c = program.certify(&Candidate::free(points.clone(), w.to_vec())).unwrap();
        assert!(c.bound.is_none_or(|b| b >= 14.0 / 3.0), "{w:?} {c:?}");
    }
}
