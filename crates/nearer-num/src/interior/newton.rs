//! The matrix of a Newton step, `K + Jᵗ Θ J`, its factor, and solutions that are refined against the operator itself.

use ndarray::Array2;

use super::cone::{entries, gradient, product_of, unpack};
use super::rows::SparseRows;
use crate::linear::{factor, newton};
use crate::par;

/// Solutions are refined until their residual is this much smaller than the right-hand side.
const RESIDUAL: f64 = 1e-11;
/// So often at most. Both were chosen by trial; they are not swept.
const CORRECTIONS: usize = 3;

pub(super) struct Newton<'a> {
    rows: &'a SparseRows,
    theta: &'a [f64],
    dual: &'a Array2<f64>,
    inverse: &'a Array2<f64>,
    size: usize,
    /// The Cholesky factor, column by column.
    factor: Vec<f64>,
}

impl<'a> Newton<'a> {
    /// Assembles and factorises; `None` where that fails also with the diagonal raised a little.
    pub(super) fn new(
        rows: &'a SparseRows,
        theta: &'a [f64],
        dual: &'a Array2<f64>,
        inverse: &'a Array2<f64>,
        size: usize,
        storage: Vec<f64>,
    ) -> Option<Self> {
        let factor = newton::factorised(size, storage, |m| {
            add_product(dual, inverse, m, size);
            rows.add_normal(theta, m, size);
        })?;
        Some(Newton { rows, theta, dual, inverse, size, factor })
    }

    /// The memory of the factor, for the next one.
    pub(super) fn into_storage(self) -> Vec<f64> {
        self.factor
    }

    /// Solves, and refines as long as that helps.
    pub(super) fn solve(&self, rhs: &[f64]) -> Vec<f64> {
        let mut x = rhs.to_vec();
        self.back_substitute(&mut x);
        let goal = (RESIDUAL * newton::largest(rhs), CORRECTIONS);
        newton::refined(
            x,
            goal,
            |x| self.residual(rhs, x),
            |x, mut rest| {
                self.back_substitute(&mut rest);
                x.iter().zip(&rest).map(|(x, c)| x + c).collect()
            },
        )
    }

    fn back_substitute(&self, x: &mut [f64]) {
        factor::substitute_one(&self.factor, self.size, x);
    }

    /// `rhs - (K + Jᵗ Θ J) x` without the assembled matrix.
    fn residual(&self, rhs: &[f64], x: &[f64]) -> Vec<f64> {
        let order = self.dual.nrows();
        let mut product = vec![0.0; self.size];
        gradient(&product_of([self.dual, &unpack(order, x), self.inverse]), &mut product);
        // ⟨S, (Z + Zᵗ)/2⟩ = ⟨S, Z⟩ for symmetric S: the gradient of Z is that of its symmetric part.
        let mut along = vec![0.0; self.rows.len()];
        self.rows.times(x, &mut along);
        along.iter_mut().zip(self.theta).for_each(|(a, t)| *a *= t);
        self.rows.add_transposed(&along, &mut product);
        rhs.iter().zip(&product).map(|(r, p)| r - p).collect()
    }
}

/// Adds the matrix of `S ↦ (X S W + W S X)/2` on packed symmetric matrices, in the lower triangle of the first columns.
///
/// For the entries `(a, b)` and `(c, d)`, all different, it is `X_ac W_bd + X_ad W_bc + X_bc W_ad + X_bd W_ac`; half of it
/// for each of the two that lies on the diagonal.
fn add_product(x: &Array2<f64>, w: &Array2<f64>, m: &mut [f64], size: usize) {
    let q = x.nrows();
    let ends: Vec<(usize, usize)> = (0..q).flat_map(|d| (0..=d).map(move |c| (c, d))).collect();
    par::chunks(&mut m[..entries(q) * size], size, |from, column| {
        let k = from / size;
        let (c, d) = ends[k];
        let half = if c == d { 0.5 } else { 1.0 };
        let (xc, xd) = (x.column(c), x.column(d));
        let (wc, wd) = (w.column(c), w.column(d));
        let mut first = entries(d);
        for b in d..q {
            // Entries (a, b) with a ≤ b; in the first of these blocks only those from (c, d) on are below the diagonal,
            // but the others do no harm above it.
            let (pc, pd, rc, rd) = (half * wd[b], half * wc[b], half * xc[b], half * xd[b]);
            let out = &mut column[first..first + b + 1];
            for (((((out, xc), xd), wc), wd), _) in out.iter_mut().zip(xc).zip(xd).zip(wc).zip(wd).zip(0..=b) {
                *out += xc * pc + xd * pd + wd * rc + wc * rd;
            }
            out[b] *= 0.5;
            first += b + 1;
        }
    });
}

#[cfg(test)]
mod tests {
    use super::super::cone::place;
    use super::*;
    use crate::rng::Rng;

    /// Against the definition: the symmetric basis matrices multiplied out.
    #[test]
    fn the_assembled_matrix_is_the_operator() {
        let q = 5;
        let mut rng = Rng::task(4, 4);
        let mut draw = || {
            let a = Array2::from_shape_simple_fn((q, q), || rng.normal());
            a.dot(&a.t())
        };
        let (x, w) = (draw(), draw());
        let size = entries(q) + 1;
        let mut m = vec![0.0; size * size];
        add_product(&x, &w, &mut m, size);
        let basis =
            |a: usize, b: usize| Array2::from_shape_fn((q, q), |at| f64::from(u8::from(at == (a, b) || at == (b, a))));
        for d in 0..q {
            for c in 0..=d {
                let image = x.dot(&basis(c, d)).dot(&w);
                for b in 0..q {
                    for a in 0..=b {
                        let (row, column) = (place(a, b), place(c, d));
                        if row < column {
                            continue;
                        }
                        let s = basis(a, b);
                        let mut wanted = 0.0;
                        for i in 0..q {
                            for j in 0..q {
                                wanted += s[(i, j)] * image[(i, j)];
                            }
                        }
                        assert!((m[column * size + row] - wanted).abs() < 1e-11 * (1.0 + wanted.abs()));
                    }
                }
            }
        }
    }
}
