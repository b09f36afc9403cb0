//! Fewer numbers for an object than features, where objects are fewer: coordinates along directions that span them, and what is lost.
//!
//! With `z = Q z' + e`, `|e| ≤ φ` and `|Qᵗ Q - I| ≤ δ`, for every `x` and `u = Qᵗ x`,
//! `xᵗ (r I + Σ w z zᵗ) x ≥ r |x|² + uᵗ (Σ w z' z'ᵗ) u - Σ |w| (2 |z'| φ (1 + δ) + φ²) |x|²`. So the matrix of all features is
//! positive where the least eigenvalue of `r I + Σ w z' z'ᵗ` is at least what is taken away here, and `r δ`.

use super::super::rounding::{UNIT, product, roundings, sharp_product, sharpness};

/// The objects along the directions that they span.
pub(super) struct Span {
    pub(super) rows: Vec<Vec<f64>>,
    /// What a pair of weight one may lose in any direction.
    pub(super) lost: f64,
    /// By how much the directions may fail to be orthonormal.
    pub(super) skew: f64,
}

/// A row that is shorter than this share of what it was has nothing new in it but rounding; what that leaves out is counted.
const NEW: f64 = 1e-10;

impl Span {
    /// Of rows of features.
    pub(super) fn of(x: &[Vec<f64>]) -> Self {
        let directions = directions(x);
        let (q, d) = (directions.len(), x.first().map_or(0, Vec::len));
        let rows: Vec<Vec<f64>> =
            x.iter().map(|row| directions.iter().map(|u| product(u, row).0).collect::<Vec<f64>>()).collect();
        let along: Vec<Vec<f64>> = (0..d).map(|f| directions.iter().map(|u| u[f]).collect()).collect();
        let sum = |row: &[f64]| row.iter().map(|v| v * v).sum::<f64>().sqrt() * (1.0 + roundings(row.len() + 4));
        // What a row of coordinates misses, feature by feature; the products themselves are good to `sharpness`, and their sizes
        // add up to at most `√q` of the row for all features together.
        let missed = |(row, own): (&Vec<f64>, &Vec<f64>)| {
            let off: Vec<f64> = (0..d)
                .map(|f| {
                    let (high, low) = sharp_product(&along[f], own);
                    (row[f] - high) - low
                })
                .collect();
            sum(&off) * (1.0 + 4.0 * UNIT) + 2.0 * sharpness(q) * (q as f64).sqrt() * sum(own) + UNIT * UNIT * sum(row)
        };
        let most = x.iter().zip(&rows).map(missed).fold(0.0, f64::max);
        let long = rows.iter().map(|row| sum(row)).fold(0.0, f64::max);
        let mut skew: f64 = 0.0;
        for (k, u) in directions.iter().enumerate() {
            let off = |(l, v): (usize, &Vec<f64>)| {
                let (high, low) = sharp_product(u, v);
                let unit = if k == l { 1.0 } else { 0.0 };
                ((high - unit) + low).abs() + 2.0 * sharpness(d)
            };
            skew = skew.max(directions.iter().enumerate().map(off).sum::<f64>() * (1.0 + roundings(q + 4)));
        }
        // A pair is two rows.
        let (apart, off) = (2.0 * long, 2.0 * most);
        let lost = (2.0 * apart * off * (1.0 + skew) + off * off) * (1.0 + roundings(16));
        Span { rows, lost, skew }
    }
}

/// Orthonormal directions that span the rows, each made twice orthogonal to those before it.
fn directions(x: &[Vec<f64>]) -> Vec<Vec<f64>> {
    let mut found: Vec<Vec<f64>> = Vec::new();
    for row in x {
        let length = product(row, row).0.sqrt();
        let mut rest = row.clone();
        for _ in 0..2 {
            for u in &found {
                let along = product(u, &rest).0;
                rest.iter_mut().zip(u).for_each(|(v, u)| *v -= along * u);
            }
        }
        let left = product(&rest, &rest).0.sqrt();
        if left > NEW * length && left.is_finite() {
            rest.iter_mut().for_each(|v| *v /= left);
            found.push(rest);
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use nearer_num::rng::Rng;

    /// Distances are kept, and a matrix that has a negative direction keeps it.
    #[test]
    fn coordinates_of_few_rows_are_as_far_apart_as_the_rows() {
        let mut rng = Rng::task(3, 0);
        let mut x: Vec<Vec<f64>> = (0..12).map(|_| (0..90).map(|_| rng.normal()).collect()).collect();
        // One row is the sum of two others, and one is another a thousand times.
        x[10] = x[0].iter().zip(&x[1]).map(|(a, b)| a + b).collect();
        x[11] = x[2].iter().map(|v| 1000.0 * v).collect();
        let span = Span::of(&x);
        assert_eq!(span.rows[0].len(), 10);
        let square = |rows: &[Vec<f64>], i: usize, j: usize| -> f64 {
            rows[i].iter().zip(&rows[j]).map(|(a, b)| (a - b) * (a - b)).sum()
        };
        for i in 0..12 {
            for j in 0..i {
                let (all, few) = (square(&x, i, j), square(&span.rows, i, j));
                assert!((all - few).abs() <= 1e-13 * all, "{i} {j}: {all} {few}");
            }
        }
        let size = square(&x, 0, 11);
        assert!(span.skew < 1e-13 && span.lost > 0.0 && span.lost < 1e-12 * size, "{} {}", span.skew, span.lost);
    }

    /// What a row has beyond the directions is counted, however little the directions know of it.
    #[test]
    fn what_is_left_out_is_counted() {
        let mut x = vec![vec![0.0; 8]; 2];
        (x[0][0], x[1][0], x[1][1]) = (1.0, 1.0, 1e-11);
        let span = Span::of(&x);
        assert_eq!(span.rows[0].len(), 1);
        assert!(span.lost >= 1e-11, "{}", span.lost);
    }
}
