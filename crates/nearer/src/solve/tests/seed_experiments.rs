//! The experiments of Globerson and Roweis (2007), *Visualizing pairwise similarity via semidefinite programming*: the star
//! and the grid of figure 3, the cylinder of figure 5, and the curve of broken rows of figure 2.

use std::f64::consts::TAU;

use crate::evaluate::pair_agreement;
use crate::evidence::{Judged, Pairs};
use crate::geometry::Touch;
use crate::program::psde;
use crate::report::PairAgreement;
use crate::solve::{Goal, LowRank, Solved, Solver};
use crate::{Embedding, Run, toy};
use ndarray::Array2;
use nearer_num::dense;

fn solve(pairs: &Pairs) -> Solved {
    let program = psde(pairs, None, false).unwrap();
    LowRank.solve(&program, None, &Goal::default(), &Run::seeded(1)).unwrap()
}

/// Coordinates on the principal axes, and the variance along each.
fn principal(points: &Array2<f64>) -> (Array2<f64>, Vec<f64>) {
    let mean = points.mean_axis(ndarray::Axis(0)).unwrap();
    let svd = dense::svd((points - &mean).view()).unwrap();
    let variance = svd.s.iter().map(|s| s * s).collect();
    (svd.u * &svd.s, variance)
}

fn share(variance: &[f64], leading: usize) -> f64 {
    variance.iter().take(leading).sum::<f64>() / variance.iter().sum::<f64>()
}

/// How the rows fare on a solution.
fn held(pairs: &Pairs, points: &Array2<f64>) -> PairAgreement {
    pair_agreement(&Embedding::new(pairs.objects().clone(), points.clone()).unwrap(), pairs).unwrap()
}

/// The circular correlation of two lists of angles (Jammalamadaka and SenGupta), 1 for a rotation of the other.
fn circular(a: &[f64], b: &[f64]) -> f64 {
    // With means that are undefined on a full circle, the resultants of difference and sum say the same.
    let resultant = |f: &dyn Fn(f64, f64) -> f64| {
        let (s, c) = a.iter().zip(b).fold((0.0, 0.0), |(s, c), (a, b)| (s + f(*a, *b).sin(), c + f(*a, *b).cos()));
        f64::hypot(s, c) / a.len() as f64
    };
    resultant(&|a, b| a - b) - resultant(&|a, b| a + b)
}

fn correlation(a: &[f64], b: &[f64]) -> f64 {
    let n = a.len() as f64;
    let (ma, mb) = (a.iter().sum::<f64>() / n, b.iter().sum::<f64>() / n);
    let dot = |x: &[f64], mx: f64, y: &[f64], my: f64| x.iter().zip(y).map(|(x, y)| (x - mx) * (y - my)).sum::<f64>();
    dot(a, ma, b, mb) / (dot(a, ma, a, ma) * dot(b, mb, b, mb)).sqrt()
}

#[test]
fn eighteen_by_nine_views_lie_on_a_cylinder() {
    let (around, along) = (18, 9);
    let pairs = toy::cylinder(around, along);
    let solved = solve(&pairs);
    let points = &solved.candidate.factors[0];
    assert!(solved.certificate.gap() <= 1e-5, "{}", solved.certificate);
    assert_eq!(held(&pairs, points).satisfied, pairs.len());
    let (axes, variance) = principal(points);
    assert!(share(&variance, 3) >= 0.95, "{}", share(&variance, 3));
    let n = around * along;
    let azimuth: Vec<f64> = (0..n).map(|i| TAU * (i / along) as f64 / around as f64).collect();
    let elevation: Vec<f64> = (0..n).map(|i| (i % along) as f64).collect();
    // Which of the three axes runs along it is for the data to say; the other two go around it.
    let column = |k: usize| axes.column(k).to_vec();
    let along_it = (0..3).max_by(|a, b| {
        correlation(&column(*a), &elevation).abs().total_cmp(&correlation(&column(*b), &elevation).abs())
    });
    let along_it = along_it.unwrap();
    let others: Vec<usize> = (0..3).filter(|k| *k != along_it).collect();
    let angle: Vec<f64> = (0..n).map(|i| f64::atan2(axes[(i, others[1])], axes[(i, others[0])])).collect();
    assert!(correlation(&column(along_it), &elevation).abs() > 0.98);
    assert!(circular(&azimuth, &angle).abs() > 0.98);
    // Figure 2: what is broken falls to nothing, though only a few rows were ever in play.
    let rounds = &solved.rounds;
    assert!(rounds[0].violated > 0);
    assert!(rounds.last().unwrap().rows < pairs.len() / 2);
}

#[test]
fn stars_and_grids_keep_their_neighbours() {
    for k in [2, 3, 4] {
        for (name, pairs) in [("star", toy::star(5, 6, k)), ("grid", toy::grid(7, 7, k))] {
            let solved = solve(&pairs);
            let points = &solved.candidate.factors[0];
            let (_, variance) = principal(points);
            let told = format!("{name} {k}: {}", solved.certificate);
            assert!(solved.certificate.gap() <= 1e-5, "{told}");
            // Figure 3: a plane map on which every row holds, many by touching their radius. Short arms fold onto each other:
            // where two that are said to be unlike coincide, both sides of their row are zero.
            assert!(share(&variance, 2) > 0.95, "{told}, share {}", share(&variance, 2));
            let map = Embedding::new(pairs.objects().clone(), points.clone()).unwrap();
            let touch = Touch::of(&map);
            let apart = |row: &Judged| map.distance(row.from.index(), row.to.index()).powi(2);
            let folded = pairs.iter().filter(|row| !row.similar && touch.same(apart(row), 0.0)).count();
            let found = held(&pairs, points);
            assert!(found.touching > 0 && found.satisfied + folded >= found.rows, "{told}, {folded}, {found:?}");
        }
    }
}
