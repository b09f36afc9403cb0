//! All pairs of a set of points at once: the sums that descents over their distances need.

use std::ops::{IndexMut, Range};

use super::{Points, len, pieces, row_start};
use crate::par;
use crate::simd::{self, Kernel};

const LANES: usize = 4;

/// What a pass over all pairs gives: half a gradient, and two sums over pairs.
#[derive(Debug, Clone)]
pub struct Descent {
    /// Half the gradient of the loss.
    pub pull: Points,
    /// The loss.
    pub loss: f64,
    /// `Σ w d²`.
    pub square: f64,
}

/// One pass of descent on distances: with `d` the distance of a pair, `t` its target and `w` its weight (1 where there
/// are none), gives half the gradient of `Σ w (d - t)²`, that sum, and `Σ w d²`. A pair at the same place pulls nowhere.
#[must_use]
pub fn descend(points: &Points, target: &[f64], weights: Option<&[f64]>) -> Descent {
    pass(points, target, weights, Residuals)
}

/// One pass of descent on squared distances: with `e = d² - t²` gives half the gradient of `Σ w φ(e)`, `Σ w φ(e)` and
/// `Σ w d²`, where `φ(e) = e²` for `smooth = None`, and `√(e² + s²) - s` for `Some(s)`.
#[must_use]
pub fn squared_descent(points: &Points, target: &[f64], weights: Option<&[f64]>, smooth: Option<f64>) -> Descent {
    match smooth {
        None => pass(points, target, weights, Squares),
        Some(width) => pass(points, target, weights, Smooth(width)),
    }
}

/// What a pair contributes: from its squared distance, target and weight, the factor of the difference and the sum.
trait Pairwise: Copy + Sync {
    fn pair(self, d2: f64, target: f64, weight: f64) -> (f64, f64);
}

#[derive(Clone, Copy)]
struct Residuals;
impl Pairwise for Residuals {
    #[inline(always)]
    fn pair(self, d2: f64, target: f64, weight: f64) -> (f64, f64) {
        let d = d2.sqrt();
        let residual = d - target;
        let scaled = weight * residual;
        let factor = scaled / d;
        (if d2 > 0.0 { factor } else { 0.0 }, scaled * residual)
    }
}

#[derive(Clone, Copy)]
struct Squares;
impl Pairwise for Squares {
    #[inline(always)]
    fn pair(self, d2: f64, target: f64, weight: f64) -> (f64, f64) {
        let e = d2 - target * target;
        (2.0 * weight * e, weight * e * e)
    }
}

#[derive(Clone, Copy)]
struct Smooth(f64);
impl Pairwise for Smooth {
    #[inline(always)]
    fn pair(self, d2: f64, target: f64, weight: f64) -> (f64, f64) {
        let e = d2 - target * target;
        let root = (e * e + self.0 * self.0).sqrt();
        (weight * e / root, weight * (root - self.0))
    }
}

fn pass(points: &Points, target: &[f64], weights: Option<&[f64]>, what: impl Pairwise) -> Descent {
    let (n, p) = (points.n, points.dim());
    assert_eq!(target.len(), len(n), "one target for each pair");
    let pieces = pieces(n);
    let parts: Vec<Descent> = par::map(pieces.len(), |k| {
        let rows = pieces[k].clone();
        let mut part = Descent { pull: Points::zeros(n, p), loss: 0.0, square: 0.0 };
        simd::run(PassRows { points, target, weights, rows, what, out: &mut part });
        part
    });
    let mut total = Descent { pull: Points::zeros(n, p), loss: 0.0, square: 0.0 };
    for part in parts {
        total.loss += part.loss;
        total.square += part.square;
        for (t, c) in total.pull.columns.iter_mut().zip(part.pull.columns) {
            t.iter_mut().zip(c).for_each(|(t, c)| *t += c);
        }
    }
    total
}

struct PassRows<'a, W> {
    points: &'a Points,
    target: &'a [f64],
    weights: Option<&'a [f64]>,
    rows: Range<usize>,
    what: W,
    out: &'a mut Descent,
}

impl<W: Pairwise> Kernel for PassRows<'_, W> {
    #[inline(always)]
    fn run(self) {
        let PassRows { points, target, weights, rows, what, out } = self;
        match points.dim() {
            1 => pass_rows::<1, _, _>(Row::new([0.0; 1], [[0.0; LANES]; 1]), points, target, weights, rows, what, out),
            2 => pass_rows::<2, _, _>(Row::new([0.0; 2], [[0.0; LANES]; 2]), points, target, weights, rows, what, out),
            3 => pass_rows::<3, _, _>(Row::new([0.0; 3], [[0.0; LANES]; 3]), points, target, weights, rows, what, out),
            p => {
                let row = Row::new(vec![0.0; p], vec![[0.0; LANES]; p]);
                pass_rows::<0, _, _>(row, points, target, weights, rows, what, out);
            }
        }
    }
}

/// The rows of one piece. `P` is the number of coordinates where it is known to the compiler, 0 where it is not.
#[inline(always)]
#[allow(clippy::too_many_arguments)]
fn pass_rows<const P: usize, O: IndexMut<usize, Output = f64>, S: IndexMut<usize, Output = [f64; LANES]>>(
    mut row: Row<O, S>,
    points: &Points,
    target: &[f64],
    weights: Option<&[f64]>,
    rows: Range<usize>,
    what: impl Pairwise,
    out: &mut Descent,
) {
    let n = points.n;
    let p = if P > 0 { P } else { points.dim() };
    for i in rows {
        let range = row_start(n, i)..row_start(n, i + 1);
        let (quads, rest) = target[range.clone()].as_chunks::<LANES>();
        (0..p).for_each(|k| row.own[k] = points.columns[k][i]);
        (0..p).for_each(|k| row.sums[k] = [0.0; LANES]);
        match weights.map(|w| w[range].as_chunks::<LANES>()) {
            None => {
                for (c, t) in quads.iter().enumerate() {
                    row.quad::<P>(points, i + 1 + LANES * c, t, &[1.0; LANES], LANES, what, &mut out.pull);
                }
                row.last::<P>(points, n, rest, &[], what, &mut out.pull);
            }
            Some((quad_weights, rest_weights)) => {
                for (c, (t, w)) in quads.iter().zip(quad_weights).enumerate() {
                    row.quad::<P>(points, i + 1 + LANES * c, t, w, LANES, what, &mut out.pull);
                }
                row.last::<P>(points, n, rest, rest_weights, what, &mut out.pull);
            }
        }
        for k in 0..p {
            out.pull.columns[k][i] += (row.sums[k][0] + row.sums[k][1]) + (row.sums[k][2] + row.sums[k][3]);
        }
    }
    out.loss += (row.loss[0] + row.loss[1]) + (row.loss[2] + row.loss[3]);
    out.square += (row.square[0] + row.square[1]) + (row.square[2] + row.square[3]);
}

/// What one row of the triangle gathers, in lanes. Arrays where the number of coordinates is known, so that they stay in
/// registers; vectors where it is not.
struct Row<O, S> {
    own: O,
    sums: S,
    loss: [f64; LANES],
    square: [f64; LANES],
}

impl<O: IndexMut<usize, Output = f64>, S: IndexMut<usize, Output = [f64; LANES]>> Row<O, S> {
    #[inline(always)]
    fn new(own: O, sums: S) -> Self {
        Row { own, sums, loss: [0.0; LANES], square: [0.0; LANES] }
    }

    /// Four pairs of the row, from the point `at` on; of the last, short four only `width` count.
    #[inline(always)]
    #[allow(clippy::too_many_arguments)]
    fn quad<const P: usize>(
        &mut self,
        points: &Points,
        at: usize,
        t: &[f64; LANES],
        w: &[f64; LANES],
        width: usize,
        what: impl Pairwise,
        pull: &mut Points,
    ) {
        let p = if P > 0 { P } else { points.dim() };
        let mut d2 = [0.0; LANES];
        for k in 0..p {
            let x = lanes(&points.columns[k], at, width);
            for l in 0..LANES {
                let difference = self.own[k] - x[l];
                d2[l] += difference * difference;
            }
        }
        let (mut factor, mut loss) = ([0.0; LANES], [0.0; LANES]);
        for l in 0..LANES {
            (factor[l], loss[l]) = what.pair(d2[l], t[l], w[l]);
        }
        if width < LANES {
            // Lanes beyond the end of the row are computed and left out.
            for l in width..LANES {
                (factor[l], loss[l], d2[l]) = (0.0, 0.0, 0.0);
            }
        }
        for l in 0..LANES {
            self.loss[l] += loss[l];
            self.square[l] += w[l] * d2[l];
        }
        for k in 0..p {
            let x = lanes(&points.columns[k], at, width);
            let mut step = [0.0; LANES];
            for l in 0..LANES {
                step[l] = factor[l] * (self.own[k] - x[l]);
                self.sums[k][l] += step[l];
            }
            let slot = &mut pull.columns[k][at..at + width];
            slot.iter_mut().zip(step).for_each(|(s, step)| *s -= step);
        }
    }

    /// The last pairs of the row, fewer than four.
    #[inline(always)]
    fn last<const P: usize>(
        &mut self,
        points: &Points,
        n: usize,
        rest: &[f64],
        weights: &[f64],
        what: impl Pairwise,
        pull: &mut Points,
    ) {
        if rest.is_empty() {
            return;
        }
        let (mut t, mut w) = ([0.0; LANES], [1.0; LANES]);
        t[..rest.len()].copy_from_slice(rest);
        w[..weights.len()].copy_from_slice(weights);
        self.quad::<P>(points, n - rest.len(), &t, &w, rest.len(), what, pull);
    }
}

/// Four entries from `at` on, zeros where the array has ended.
#[inline(always)]
fn lanes(column: &[f64], at: usize, width: usize) -> [f64; LANES] {
    if width == LANES {
        let mut x = [0.0; LANES];
        x.copy_from_slice(&column[at..at + LANES]);
        x
    } else {
        let mut x = [0.0; LANES];
        x[..width].copy_from_slice(&column[at..at + width]);
        x
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::packed::distances;
    use crate::rng::Rng;
    use ndarray::Array2;

    fn instance(n: usize, p: usize) -> (Points, Vec<f64>, Vec<f64>) {
        let mut rng = Rng::task(9, (n + p) as u64);
        let x = Points::from_rows(&Array2::from_shape_fn((n, p), |_| rng.normal()));
        let t = (0..len(n)).map(|_| rng.uniform() * 3.0).collect();
        let w = (0..len(n)).map(|_| rng.uniform()).collect();
        (x, t, w)
    }

    /// Half the gradient by differences must be the pull, for each of the passes.
    #[test]
    fn pulls_are_half_gradients() {
        for (n, p) in [(7, 1), (9, 2), (10, 3), (11, 5)] {
            let (x, t, w) = instance(n, p);
            type Pass<'a> = &'a dyn Fn(&Points) -> (f64, Points);
            let losses: [Pass<'_>; 3] = [
                &|x| {
                    let d = descend(x, &t, Some(&w));
                    (d.loss, d.pull)
                },
                &|x| {
                    let d = squared_descent(x, &t, Some(&w), None);
                    (d.loss, d.pull)
                },
                &|x| {
                    let d = squared_descent(x, &t, Some(&w), Some(0.3));
                    (d.loss, d.pull)
                },
            ];
            for loss in losses {
                let (_, pull) = loss(&x);
                for (i, k) in [(0, 0), (n - 1, p - 1), (n / 2, 0)] {
                    let at = |h: f64| {
                        let mut y = x.clone();
                        y.columns_mut()[k][i] += h;
                        loss(&y).0
                    };
                    let slope = (at(1e-5) - at(-1e-5)) / 2e-5;
                    assert!((slope - 2.0 * pull.columns()[k][i]).abs() < 1e-6 * (1.0 + slope.abs()), "{n} {p} {slope}");
                }
            }
        }
    }

    #[test]
    fn distances_and_sums_agree_with_the_definition() {
        let (x, t, _) = instance(150, 2);
        let mut d = vec![0.0; len(150)];
        distances(&x, &mut d);
        let one = |i: usize, j: usize| x.columns().iter().map(|c| (c[i] - c[j]).powi(2)).sum::<f64>().sqrt();
        assert!((d[crate::packed::index(150, 3, 77)] - one(3, 77)).abs() < 1e-15);
        let pass = descend(&x, &t, None);
        let loss: f64 = d.iter().zip(&t).map(|(d, t)| (d - t).powi(2)).sum();
        let square: f64 = d.iter().map(|d| d * d).sum();
        assert!((pass.loss - loss).abs() < 1e-9 && (pass.square - square).abs() < 1e-9);
    }

    #[test]
    fn two_threads_give_the_same_bits() {
        let (x, t, w) = instance(301, 2);
        let on = |threads| crate::par::install(threads, || descend(&x, &t, Some(&w)));
        let (a, b) = (on(1), on(2));
        assert_eq!(a.pull, b.pull);
        assert_eq!((a.loss.to_bits(), a.square.to_bits()), (b.loss.to_bits(), b.square.to_bits()));
    }
}
