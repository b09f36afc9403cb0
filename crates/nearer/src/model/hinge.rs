//! The loss of one new object under its judgements, and its lowest place.

use ndarray::{Array2, ArrayView1};
use nearer_num::{lbfgs, vectors};

/// One side of an inequality between squared numbers.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Side {
    /// A number.
    Fixed(f64),
    /// The squared distance of the new object to an old point.
    To(usize),
    /// The squared radius of the new object's own ball at a level.
    Radius(u16),
}

/// `near + gap <= far`, with a weight.
#[derive(Debug, Clone, Copy)]
pub(super) struct Term {
    pub(super) near: Side,
    pub(super) far: Side,
    pub(super) weight: f64,
    pub(super) gap: f64,
}

/// `Σ w [gap + near - far]₊` as a function of the place of a new object, and of its squared radius.
pub(super) struct Hinge<'a> {
    old: &'a Array2<f64>,
    terms: &'a [Term],
    /// The mean squared distance of the map.
    size: f64,
    /// How many balls the new object has, one inside the other.
    levels: usize,
}

/// Where a descent ended.
#[derive(Debug, Clone)]
pub(super) struct End {
    pub(super) place: Vec<f64>,
    pub(super) violated: usize,
    pub(super) ambiguous: bool,
}

/// Old points that are looked at as starts, and how many of them are descended from.
const LOOKED_AT: usize = 256;
const DESCENDED: usize = 5;

impl<'a> Hinge<'a> {
    pub(super) fn new(old: &'a Array2<f64>, terms: &'a [Term], size: f64) -> Self {
        let level = |side: Side| if let Side::Radius(level) = side { usize::from(level) + 1 } else { 1 };
        let levels = terms.iter().map(|t| level(t.near).max(level(t.far))).max().unwrap_or(1);
        Hinge { old, terms, size, levels }
    }

    /// The lowest of several descents, the first of equal ones.
    pub(super) fn minimise(&self) -> End {
        let ends: Vec<(f64, Vec<f64>)> = self.starts().into_iter().map(|start| self.descend(start)).collect();
        let best = (0..ends.len()).min_by(|&a, &b| ends[a].0.total_cmp(&ends[b].0)).unwrap_or(0);
        let (value, x) = &ends[best];
        let p = self.old.ncols();
        let apart = |y: &[f64]| x[..p].iter().zip(y).map(|(a, b)| (a - b).powi(2)).sum::<f64>();
        let weight: f64 = self.terms.iter().map(|t| t.weight).sum();
        let ambiguous =
            ends.iter().any(|(v, y)| *v <= value + 1e-6 * weight * self.size && apart(y) > 0.05 * self.size);
        let violated = self.terms.iter().filter(|t| self.excess(x, t) - t.gap >= 0.0).count();
        End { place: x[..p].to_vec(), violated, ambiguous }
    }

    /// Where to begin: the old points at which the loss is lowest, their mean, and the mean of all.
    fn starts(&self) -> Vec<Vec<f64>> {
        let n = self.old.nrows();
        let mut points: Vec<(f64, Vec<f64>)> = (0..n)
            .step_by(n.div_ceil(LOOKED_AT).max(1))
            .map(|k| self.with_radius(self.old.row(k)))
            .map(|x| (self.loss(&x), x))
            .collect();
        points.sort_by(|a, b| a.0.total_cmp(&b.0));
        points.truncate(DESCENDED);
        let mean = |rows: &[Vec<f64>]| {
            let sum = |j: usize| rows.iter().map(|r| r[j]).sum::<f64>() / rows.len().max(1) as f64;
            (0..self.old.ncols()).map(sum).collect::<Vec<f64>>()
        };
        let best: Vec<Vec<f64>> = points.into_iter().map(|(_, x)| x).collect();
        let all: Vec<Vec<f64>> = self.old.outer_iter().map(|r| r.to_vec()).collect();
        let between = [mean(&best), mean(&all)].map(|y| self.with_radius(ArrayView1::from(&y)));
        best.into_iter().chain(between).collect()
    }

    /// A place with radii that lie among the distances they are held against.
    fn with_radius(&self, y: ArrayView1<'_, f64>) -> Vec<f64> {
        let mut x = y.to_vec();
        x.resize(y.len() + self.levels, 0.0);
        let mut held = vec![(0.0, 0.0); self.levels];
        for t in self.terms {
            if let (Side::Radius(level), other) | (other, Side::Radius(level)) = (t.near, t.far) {
                let (sum, count) = &mut held[usize::from(level)];
                (*sum, *count) = (*sum + self.side(&x, other), *count + 1.0);
            }
        }
        for (level, (sum, count)) in held.into_iter().enumerate().filter(|(_, (_, count))| *count > 0.0) {
            x[y.len() + level] = sum / count;
        }
        x
    }

    /// Down the loss with its corners rounded off, less and less.
    fn descend(&self, start: Vec<f64>) -> (f64, Vec<f64>) {
        let weight: f64 = self.terms.iter().map(|t| t.weight).sum();
        let mut x = start;
        for round in [0.3, 0.03, 0.003, 0.0003] {
            let soft = round * self.size;
            let mut gradient = vec![0.0; x.len()];
            self.value(&x, soft, &mut gradient);
            let slope = vectors::norm(&gradient);
            let settings = lbfgs::Settings {
                iterations: 200,
                gradient: 1e-9 * weight * self.size.sqrt(),
                decrease: Some(1e-10),
                memory: 12,
                guess: lbfgs::Guess::Times(if slope > 0.0 { 0.1 * self.size.sqrt() / slope } else { 1.0 }),
            };
            lbfgs::minimise(&mut x, &settings, |x, g| self.value(x, soft, g), |_, _| true);
        }
        (self.loss(&x), x)
    }

    fn side(&self, x: &[f64], side: Side) -> f64 {
        match side {
            Side::Fixed(v) => v,
            Side::To(k) => self.old.row(k).iter().zip(x).map(|(a, b)| (a - b).powi(2)).sum(),
            Side::Radius(level) => x[self.old.ncols() + usize::from(level)],
        }
    }

    /// `gap + near - far`.
    fn excess(&self, x: &[f64], t: &Term) -> f64 {
        t.gap + self.side(x, t.near) - self.side(x, t.far)
    }

    /// The loss and its gradient; with `soft` above 0 the hinge is a parabola over that width.
    fn value(&self, x: &[f64], soft: f64, gradient: &mut [f64]) -> f64 {
        gradient.fill(0.0);
        let mut value = 0.0;
        for t in self.terms {
            let excess = self.excess(x, t);
            if excess <= 0.0 {
                continue;
            }
            let (height, slope) =
                if excess < soft { (0.5 * excess * excess / soft, excess / soft) } else { (excess - 0.5 * soft, 1.0) };
            value += t.weight * height;
            for (side, sign) in [(t.near, 1.0), (t.far, -1.0)] {
                let force = sign * t.weight * slope;
                match side {
                    Side::Fixed(_) => {}
                    Side::To(k) => {
                        let row = self.old.row(k);
                        gradient.iter_mut().zip(x.iter().zip(row)).for_each(|(g, (x, a))| *g += 2.0 * force * (x - a));
                    }
                    Side::Radius(level) => gradient[self.old.ncols() + usize::from(level)] += force,
                }
            }
        }
        value
    }

    /// The loss with its corners.
    fn loss(&self, x: &[f64]) -> f64 {
        self.value(x, 0.0, &mut vec![0.0; x.len()])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::array;

    #[test]
    fn the_gradient_is_that_of_differences() {
        let old = array![[0.0, 0.0], [4.0, 0.0], [0.0, 3.0]];
        let term = |near, far| Term { near, far, weight: 1.5, gap: 0.7 };
        let terms = [
            term(Side::To(0), Side::To(1)),
            term(Side::To(2), Side::Fixed(1.0)),
            term(Side::Fixed(9.0), Side::To(1)),
            term(Side::To(0), Side::Radius(0)),
            term(Side::Radius(0), Side::To(2)),
        ];
        let hinge = Hinge::new(&old, &terms, 1.0);
        let x = [2.3, 0.4, 3.0];
        for soft in [0.0, 2.0, 50.0] {
            let mut gradient = [0.0; 3];
            hinge.value(&x, soft, &mut gradient);
            assert!(gradient.iter().all(|g| g.abs() > 1e-3), "{gradient:?}");
            for j in 0..3 {
                let at = |h: f64| {
                    let mut y = x;
                    y[j] += h;
                    hinge.value(&y, soft, &mut [0.0; 3])
                };
                let slope = (at(1e-6) - at(-1e-6)) / 2e-6;
                assert!(
                    (slope - gradient[j]).abs() < 1e-6 * (1.0 + slope.abs()),
                    "{soft} {j}: {slope} {}",
                    gradient[j]
                );
            }
        }
    }
}
