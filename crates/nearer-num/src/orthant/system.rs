//! The linear system of a step, `H dx + Aᵗ dy = g`, `A dx - Θ⁻¹ dy = -b`, with `H = P + Z/X` a diagonal or blocks on it:
//! reduced to as many unknowns as there are rows, or as there are columns, whichever are fewer.

use ndarray::{ArrayView2, s};

use super::Curvature;
use super::rows::Rows;
use crate::linear::{add_product, columns, columns_mut, factor, newton};
use crate::par;

/// Columns of a product that one piece works on.
const PIECE: usize = 64;
/// Right-hand sides that one piece works on.
pub(super) const SIDES: usize = 64;
/// Solutions are refined until their residual is this much smaller than the right-hand side.
const RESIDUAL: f64 = 1e-12;
/// So often at most. Both were chosen by trial; they are not swept.
const CORRECTIONS: usize = 2;

/// `H`, ready to be divided by.
enum Metric {
    Diagonal(Vec<f64>),
    /// Where each block starts, its order and its Cholesky factor.
    Blocks(Vec<(usize, usize, Vec<f64>)>),
}

pub(super) struct System<'a, R> {
    rows: &'a R,
    curvature: &'a Curvature,
    /// `Z/X`.
    barrier: &'a [f64],
    metric: Metric,
    /// `Θ⁻¹`.
    softness: &'a [f64],
    /// Whether the unknowns that are left are `dy`.
    by_rows: bool,
    factor: Vec<f64>,
    size: usize,
}

impl<'a, R: Rows> System<'a, R> {
    /// Assembles and factorises; `None` where that fails also with the diagonal raised a little.
    pub(super) fn new(
        rows: &'a R,
        curvature: &'a Curvature,
        barrier: &'a [f64],
        softness: &'a [f64],
        storage: Vec<f64>,
    ) -> Option<Self> {
        let (m, q) = (rows.len(), rows.width());
        let written = rows.values().filter(|_| m <= q);
        let by_rows = written.is_some();
        let size = if by_rows { m } else { q };
        let (metric, factor) = if let Some(values) = written {
            let metric = Metric::new(curvature, barrier)?;
            let factor = newton::factorised(size, storage, |storage| {
                metric.normal(values, q, storage);
                (0..m).for_each(|t| storage[t * m + t] += softness[t]);
            })?;
            (metric, factor)
        } else {
            let theta: Vec<f64> = softness.iter().map(|s| 1.0 / s).collect();
            let factor = newton::factorised(size, storage, |storage| {
                rows.normal(&theta, storage);
                curvature.add_to(storage, q);
                (0..q).for_each(|p| storage[p * q + p] += barrier[p]);
            })?;
            (Metric::Diagonal(Vec::new()), factor)
        };
        Some(System { rows, curvature, barrier, metric, softness, by_rows, factor, size })
    }

    pub(super) fn into_storage(self) -> Vec<f64> {
        self.factor
    }

    /// `(dx, dy)`.
    pub(super) fn solve(&self, g: &[f64], b: &[f64]) -> (Vec<f64>, Vec<f64>) {
        // One side follows exactly from the other; what is left is in the rows, or in the columns.
        let (zero_g, zero_b) = (vec![0.0; g.len()], vec![0.0; b.len()]);
        let goal = (RESIDUAL * newton::largest(if self.by_rows { b } else { g }), CORRECTIONS);
        let left = |(dx, dy): &(Vec<f64>, Vec<f64>)| {
            if self.by_rows { self.left(dx, dy, b) } else { self.missing(dx, dy, g) }
        };
        newton::refined(self.once(g, b), goal, left, |(dx, dy), mut rest| {
            let (cx, cy) = if self.by_rows {
                rest.iter_mut().for_each(|v| *v = -*v);
                self.once(&zero_g, &rest)
            } else {
                self.once(&rest, &zero_b)
            };
            let sum = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a + b).collect();
            (sum(dx, &cx), sum(dy, &cy))
        })
    }

    /// `g - H dx - Aᵗ dy`.
    fn missing(&self, dx: &[f64], dy: &[f64], g: &[f64]) -> Vec<f64> {
        let (bent, pull) = (self.curvature.times(dx), self.rows.transposed(dy));
        (0..g.len()).map(|p| g[p] - bent[p] - self.barrier[p] * dx[p] - pull[p]).collect()
    }

    /// `-b - A dx + Θ⁻¹ dy`.
    fn left(&self, dx: &[f64], dy: &[f64], b: &[f64]) -> Vec<f64> {
        let along = self.rows.times(dx);
        (0..b.len()).map(|t| self.softness[t] * dy[t] - b[t] - along[t]).collect()
    }

    fn once(&self, g: &[f64], b: &[f64]) -> (Vec<f64>, Vec<f64>) {
        if self.by_rows {
            let mut dy = self.rows.times(&self.metric.divide(g));
            dy.iter_mut().zip(b).for_each(|(v, b)| *v += b);
            factor::substitute_one(&self.factor, self.size, &mut dy);
            let pull = self.rows.transposed(&dy);
            let rest: Vec<f64> = g.iter().zip(&pull).map(|(g, p)| g - p).collect();
            (self.metric.divide(&rest), dy)
        } else {
            let firm: Vec<f64> = b.iter().zip(self.softness).map(|(b, s)| b / s).collect();
            let mut dx: Vec<f64> = g.iter().zip(self.rows.transposed(&firm)).map(|(g, p)| g - p).collect();
            factor::substitute_one(&self.factor, self.size, &mut dx);
            let along = self.rows.times(&dx);
            let dy = (0..b.len()).map(|t| (along[t] + b[t]) / self.softness[t]).collect();
            (dx, dy)
        }
    }
}

impl Metric {
    fn new(curvature: &Curvature, barrier: &[f64]) -> Option<Self> {
        Some(match curvature {
            Curvature::None => Metric::Diagonal(barrier.iter().map(|b| 1.0 / b).collect()),
            Curvature::Diagonal(p) => Metric::Diagonal(barrier.iter().zip(p).map(|(b, p)| 1.0 / (b + p)).collect()),
            Curvature::Blocks(blocks) => {
                let mut first = 0;
                let mut out = Vec::new();
                for block in blocks {
                    let n = block.nrows();
                    let mut l: Vec<f64> = block.iter().copied().collect();
                    (0..n).for_each(|k| l[k * n + k] += barrier[first + k]);
                    if !factor::cholesky(&mut l, n) {
                        return None;
                    }
                    out.push((first, n, l));
                    first += n;
                }
                Metric::Blocks(out)
            }
        })
    }

    /// `H⁻¹ g`.
    fn divide(&self, g: &[f64]) -> Vec<f64> {
        match self {
            Metric::Diagonal(inverse) => g.iter().zip(inverse).map(|(g, i)| g * i).collect(),
            Metric::Blocks(blocks) => {
                let mut out = g.to_vec();
                blocks.iter().for_each(|(first, n, l)| factor::substitute_one(l, *n, &mut out[*first..first + n]));
                out
            }
        }
    }

    /// `A H⁻¹ Aᵗ`, the lower triangle.
    fn normal(&self, rows: &[f64], q: usize, out: &mut [f64]) {
        let m = rows.len() / q.max(1);
        let mut half = rows.to_vec();
        match self {
            Metric::Diagonal(inverse) => {
                let root: Vec<f64> = inverse.iter().map(|v| v.sqrt()).collect();
                par::chunks(&mut half, SIDES * q, |_, part| {
                    part.chunks_mut(q).for_each(|row| row.iter_mut().zip(&root).for_each(|(a, r)| *a *= r));
                });
            }
            Metric::Blocks(blocks) => par::chunks(&mut half, SIDES * q, |_, part| {
                let sides = part.len() / q;
                let mut part = columns_mut(part, q, sides);
                for (first, n, l) in blocks {
                    factor::solve_lower(columns(l, *n, *n), part.slice_mut(s![*first..first + n, ..]));
                }
            }),
        }
        lower_gram(columns(&half, q, m).reversed_axes(), out);
    }
}

/// The lower triangle of `r rᵗ`, column by column; what lies above it in the blocks of the diagonal is of no meaning.
pub(super) fn lower_gram(r: ArrayView2<'_, f64>, out: &mut [f64]) {
    let n = r.nrows();
    if n == 0 {
        return;
    }
    par::chunks(out, PIECE * n, |start, part| {
        let (first, many) = (start / n, part.len() / n);
        let into = columns_mut(part, n, many).slice_move(s![first.., ..]);
        let here = r.slice(s![first..first + many, ..]).reversed_axes();
        add_product(into, 0.0, 1.0, r.slice(s![first.., ..]), here);
    });
}
