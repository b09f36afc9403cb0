//! A cheap stand-in for the second derivatives of an augmented Lagrangian, for quasi-Newton steps to begin with.
//!
//! In a direction `δ` the second derivative of [`Problem`] is `⟨δ, 2 S δ⟩ + σ Σ_t (2 Σ_p A_tp (xᵢ - xⱼ)·(δᵢ - δⱼ))²` over
//! the rows whose multiplier is inside its interval, `S = a H + L(w)`. Without what couples one coordinate with another or one
//! pair of a row with the next, that is a square of `n` rows for each coordinate `k`: `2 S + 4 σ L(A² (x_ik - x_jk)²)`.
//! Coordinates of about the same spread share one.

use ndarray::{Array2, ShapeBuilder};

use crate::augmented::Problem;
use crate::linear::{factor, product};
use crate::par;

/// Inverses of the squares, each with the coordinates it stands for.
pub struct Preconditioner {
    r: usize,
    groups: Vec<(Vec<usize>, Array2<f64>)>,
}

impl std::fmt::Debug for Preconditioner {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Preconditioner({} coordinates, {} squares)", self.r, self.groups.len())
    }
}

/// Squares that are made at most.
const GROUPS: usize = 6;
/// Coordinates that share a square at least: a product with fewer columns is hardly quicker.
const SHARED: usize = 8;

impl Preconditioner {
    /// At the points `x` with `r` coordinates each; `doubt` is how negative `S` may be. `None` where no factor is found.
    #[must_use]
    pub fn new(problem: &Problem, (x, r): (&[f64], usize), y: &[f64], sigma: f64, doubt: f64) -> Option<Self> {
        let n = x.len() / r.max(1);
        if n == 0 {
            return None;
        }
        let there = problem.second_order((x, r), y, sigma);
        let spread = |k: usize| (0..n).map(|i| x[i * r + k] * x[i * r + k]).sum::<f64>();
        let mut order: Vec<(f64, usize)> = (0..r).map(|k| (spread(k), k)).collect();
        order.sort_by(|a, b| b.0.total_cmp(&a.0));
        let size = r.div_ceil(GROUPS).max(SHARED);
        let parts: Vec<Vec<usize>> = order.chunks(size).map(|c| c.iter().map(|o| o.1).collect()).collect();
        let factors = par::map(parts.len(), |g| inverse(n, r, x, &parts[g], &there, sigma, doubt));
        let groups = parts.into_iter().zip(factors).map(|(part, f)| f.map(|f| (part, f))).collect::<Option<_>>()?;
        Some(Preconditioner { r, groups })
    }

    /// Replaces numbers `q`, `r` for each point, by the solution of the squares.
    pub fn apply(&self, q: &mut [f64]) {
        let (r, n) = (self.r, q.len() / self.r);
        let solved = par::map(self.groups.len(), |g| {
            let (columns, inverse) = &self.groups[g];
            let right = Array2::from_shape_fn((n, columns.len()).f(), |(i, k)| q[i * r + columns[k]]);
            product(inverse.view(), right.view())
        });
        for ((columns, _), solved) in self.groups.iter().zip(&solved) {
            for (k, column) in columns.iter().enumerate() {
                (0..n).zip(solved.column(k)).for_each(|(i, v)| q[i * r + column] = *v);
            }
        }
    }
}

/// What the second derivatives are made of.
#[derive(Debug)]
pub(crate) struct SecondOrder {
    /// `a I + L(w)`, column by column.
    pub(crate) square: Vec<f64>,
    /// Pairs of rows that are inside their interval, with the sum of the squares of their coefficients.
    pub(crate) active: Vec<(u32, u32, f64)>,
}

/// The inverse of a square: applied so often that a product, which runs at the speed of the processor, is worth making it.
fn inverse(
    n: usize,
    r: usize,
    x: &[f64],
    columns: &[usize],
    there: &SecondOrder,
    sigma: f64,
    doubt: f64,
) -> Option<Array2<f64>> {
    let mean = (0..n).map(|i| there.square[i * n + i].abs()).sum::<f64>() / n as f64;
    // The constant vector, which S takes to nothing, is lifted out of the way.
    let lift = mean / n as f64;
    let mut square: Vec<f64> = there.square.iter().map(|s| 2.0 * (s + lift)).collect();
    for &(i, j, a) in &there.active {
        let (i, j) = (i as usize, j as usize);
        let apart = columns.iter().map(|k| (x[i * r + k] - x[j * r + k]) * (x[i * r + k] - x[j * r + k])).sum::<f64>();
        let w = 4.0 * sigma * a * apart / columns.len() as f64;
        square[i * n + i] += w;
        square[j * n + j] += w;
        square[i * n + j] -= w;
        square[j * n + i] -= w;
    }
    let mut raise = 2.0 * (1e-6 * mean).max(2.0 * doubt);
    for _ in 0..8 {
        let mut moved =
            Array2::from_shape_fn((n, n).f(), |(i, j)| square[j * n + i] + if i == j { raise } else { 0.0 });
        if factor::cholesky_of(moved.view_mut()) {
            return Some(factor::inverse(moved.view()));
        }
        raise *= 10.0;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::augmented::{Rows, Scratch};
    use crate::rng::Rng;

    /// In one coordinate, with one pair a row, nothing is left out: against differences of the gradient.
    #[test]
    fn it_is_the_inverse_of_the_second_derivative_where_nothing_couples() {
        let n = 12;
        let mut rng = Rng::task(5, 1);
        let pairs: Vec<(u32, u32)> = (0..n as u32).flat_map(|i| (i + 1..n as u32).map(move |j| (i, j))).collect();
        let x: Vec<f64> = (0..n).map(|_| rng.normal()).collect();
        let mut rows = Rows::default();
        for (p, &(i, j)) in pairs.iter().enumerate() {
            let d = (x[i as usize] - x[j as usize]).powi(2);
            rows.push(&[(p as u32, -1.0)], d + 0.3 * rng.normal(), -2.0, 2.0);
        }
        let y = vec![0.0; pairs.len()];
        // A trace that makes the function convex here.
        let problem = Problem::new(n, 40.0, 0.0, pairs.clone(), vec![0.0; pairs.len()], rows);
        let sigma = 1.5;
        let p = Preconditioner::new(&problem, (&x, 1), &y, sigma, 0.0).unwrap();
        let gradient = |x: &[f64]| {
            let mut g = vec![0.0; n];
            problem.evaluate((x, 1), &[], &y, sigma, &mut Scratch::default(), &mut g, &mut []);
            g
        };
        let mut direction: Vec<f64> = (0..n).map(|_| rng.normal()).collect();
        let mean = direction.iter().sum::<f64>() / n as f64;
        direction.iter_mut().for_each(|d| *d -= mean);
        let h = 1e-6;
        let moved = |s: f64| gradient(&x.iter().zip(&direction).map(|(x, d)| x + s * h * d).collect::<Vec<_>>());
        let mut back: Vec<f64> = moved(1.0).iter().zip(moved(-1.0)).map(|(a, b)| (a - b) / (2.0 * h)).collect();
        p.apply(&mut back);
        for (b, d) in back.iter().zip(&direction) {
            assert!((b - d).abs() < 1e-3 * (1.0 + d.abs()), "{back:?} {direction:?}");
        }
    }
}
