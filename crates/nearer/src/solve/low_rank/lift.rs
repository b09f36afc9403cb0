//! The function of a minimisation in the factors of a program, by way of its points.

use nearer_num::augmented::Scratch;
use nearer_num::gemm;
use nearer_num::vectors::dot;

use super::active_rows::Function;
use crate::program::{GramProgram, Space};

/// From factors to points and back: the sphere of a bound on the trace, and the basis of a spanned space.
pub(super) struct Lift<'a> {
    program: &'a GramProgram,
    shapes: &'a [(usize, usize)],
    sphere: Option<f64>,
    points: Vec<f64>,
    pull: Vec<f64>,
}

impl<'a> Lift<'a> {
    pub(super) fn new(program: &'a GramProgram, shapes: &'a [(usize, usize)], sphere: Option<f64>) -> Self {
        Lift { program, shapes, sphere, points: Vec::new(), pull: Vec::new() }
    }

    #[allow(clippy::too_many_arguments)]
    pub(super) fn evaluate(
        &mut self,
        f: &Function,
        x: &[f64],
        b: &[f64],
        y: &[f64],
        sigma: f64,
        scratch: &mut Scratch,
        gx: &mut [f64],
        gb: &mut [f64],
    ) -> f64 {
        let square = dot(x, x);
        let scale = self.sphere.map_or(1.0, |r| (r / square.max(f64::MIN_POSITIVE)).sqrt());
        let n = self.program.objects();
        let columns: usize = self.shapes.iter().map(|s| s.1).sum();
        let value = match &self.program.space {
            Space::Free => {
                self.points.clear();
                self.points.extend(x.iter().map(|v| v * scale));
                f.problem.evaluate((&self.points, columns), b, y, sigma, scratch, gx, gb)
            }
            Space::Spanned(blocks) => {
                self.points.resize(n * columns, 0.0);
                self.pull.resize(n * columns, 0.0);
                let (mut from, mut column) = (0, 0);
                for (block, &(q, r)) in blocks.iter().zip(self.shapes) {
                    let factor = ndarray::ArrayView2::from_shape((q, r), &x[from..from + q * r]).expect("as laid out");
                    let part = gemm::product(block.basis.view(), factor);
                    for i in 0..n {
                        for k in 0..r {
                            self.points[i * columns + column + k] = part[(i, k)] * scale;
                        }
                    }
                    from += q * r;
                    column += r;
                }
                let mut value = f.problem.evaluate((&self.points, columns), b, y, sigma, scratch, &mut self.pull, gb);
                let pull = ndarray::ArrayView2::from_shape((n, columns), &self.pull[..]).expect("as laid out");
                let (mut from, mut column) = (0, 0);
                for (block, &(q, r)) in blocks.iter().zip(self.shapes) {
                    let part = pull.slice(ndarray::s![.., column..column + r]);
                    let mut g = gemm::product(block.basis.t(), part);
                    if let Some(p) = &block.charge {
                        let factor =
                            ndarray::ArrayView2::from_shape((q, r), &x[from..from + q * r]).expect("as laid out");
                        // The charge in the units of play.
                        let pushed = gemm::product(p.view(), factor) * (scale * f.charge);
                        value += scale * (&pushed * &factor).sum();
                        g.scaled_add(2.0, &pushed);
                    }
                    gx[from..from + q * r].iter_mut().zip(g.iter()).for_each(|(a, b)| *a = *b);
                    from += q * r;
                    column += r;
                }
                value
            }
        };
        if self.sphere.is_some() {
            // d/dx of f(scale x): the part along x does not change the point.
            let along = dot(gx, x) / square.max(f64::MIN_POSITIVE);
            gx.iter_mut().zip(x).for_each(|(g, x)| *g = scale * (*g - along * x));
        }
        value + f.constant
    }
}
