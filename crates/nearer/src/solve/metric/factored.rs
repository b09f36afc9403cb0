//! A convex question about a metric as a smooth function of a factor of it, hinges rounded off.

use ndarray::{Array1, Array2, ArrayView2, ArrayViewMut2, s};
use nearer_num::hinges::Shortlist;
use nearer_num::rng::Rng;
use nearer_num::softmin::{self, Ask, Room};
use nearer_num::{dense, gemm, hinges};

use crate::error::Error;
use crate::program::{MetricAsk, MetricCandidate, MetricProgram};
use crate::solve::Clock;
use crate::solve::descent::{Objective, Scale};

/// Columns of the first factor: metrics of more are seldom needed, and where they are the proof says so.
const COLUMNS: usize = 100;
/// The first width over which hinges are rounded off, a share of the margin.
const WIDTH: f64 = 0.5;
/// Hinges that are closed by less than this much squared distance are on the list of those that may open.
const REACH: f64 = 1.0;
/// A list of more than this share of all pairs is no shorter way; so many evaluations later it may be.
const WORTH_LISTING: f64 = 0.2;
const LATER: usize = 5;

/// The rows that hinges may open against, where they are few; else for how many evaluations that is not asked again.
#[derive(Default)]
pub(super) struct Listed {
    list: Option<Shortlist>,
    later: usize,
}

/// A question as a function of a factor `B` of the metric, `M = R B Bᵗ Rᵗ`: `R` is the identity, or brings what is bounded to
/// length one.
pub(super) struct Factored<'a> {
    program: &'a MetricProgram,
    /// The coordinates times `R`.
    x: Array2<f64>,
    root: Option<Array2<f64>>,
    /// What is paid for `M` linearly.
    cost: Array2<f64>,
    columns: usize,
    /// Over how much hinges are rounded off, a share of the margin.
    pub(super) width: f64,
    room: Room,
}

impl<'a> Factored<'a> {
    pub(super) fn new(program: &'a MetricProgram) -> Result<Self, Error> {
        let q = program.values.ncols();
        let mut loss = Factored {
            program,
            x: program.values.clone(),
            root: None,
            cost: Array2::zeros((q, q)),
            columns: q.min(COLUMNS),
            width: WIDTH,
            room: Room::default(),
        };
        match &program.ask {
            MetricAsk::Neighbours { targets, push, ridge, .. } => {
                loss.weighed(targets.iter().map(|(i, j)| (*i, *j, 1.0 - push)), *ridge)?;
            }
            MetricAsk::Compared { rows, push, ridge } => {
                loss.weighed(rows.iter().map(|r| (r.0[0], r.0[1], (1.0 - push) * r.2)), *ridge)?;
            }
            MetricAsk::Apart { similar, ridge, diagonal: true, .. } => {
                let s = hinges::scatter(program.values.view(), similar.iter().copied());
                loss.turned(Array2::from_diag(&s.diag().mapv(|v| 1.0 / (v + ridge).sqrt())));
            }
            MetricAsk::Apart { similar, ridge, .. } => {
                let (root, _) = inverse_root(&program.values, similar.iter().copied(), *ridge)?;
                loss.turned(root);
            }
            MetricAsk::Collapse { trace, .. } => loss.cost.diag_mut().fill(*trace),
        }
        Ok(loss)
    }
    /// What is paid linearly: a weight for squared distances of pairs and the ridge. In the coordinates in which that is the same
    /// in every direction a descent needs a fraction of the steps, the more the fewer objects span the features.
    fn weighed(&mut self, pairs: impl Iterator<Item = (u32, u32, f64)>, ridge: f64) -> Result<(), Error> {
        let (root, paid) = inverse_root(&self.program.values, pairs, ridge)?;
        self.turned(root);
        self.cost = Array2::from_diag(&paid);
        Ok(())
    }
    /// In other coordinates: `R`.
    fn turned(&mut self, root: Array2<f64>) {
        self.x = self.program.values.dot(&root);
        self.root = Some(root);
    }
    fn diagonal(&self) -> bool {
        matches!(self.program.ask, MetricAsk::Apart { diagonal: true, .. })
    }
    pub(super) fn can_widen(&self) -> bool {
        !self.diagonal() && self.columns < self.x.ncols()
    }
    /// Principal axes of the coordinates, of a size at which what is pulled together is about one apart.
    pub(super) fn first(&self) -> Result<Vec<f64>, Error> {
        let q = self.x.ncols();
        if self.diagonal() {
            return Ok(vec![1.0 / (q as f64).sqrt(); q]);
        }
        let axes = axes(&self.x, self.columns)?;
        let n = self.x.nrows() as f64;
        let near = |pairs: &mut dyn Iterator<Item = (u32, u32)>| {
            let (mut sum, mut count) = (0.0, 0.0);
            for (i, j) in pairs {
                sum += (&self.x.row(i as usize) - &self.x.row(j as usize)).mapv(|v| v * v).sum();
                count += 1.0;
            }
            sum / f64::max(count, 1.0)
        };
        let all = 2.0 * self.x.iter().map(|v| v * v).sum::<f64>() / n;
        let square = match &self.program.ask {
            MetricAsk::Neighbours { targets, .. } => near(&mut targets.iter().copied()),
            MetricAsk::Compared { rows, .. } => near(&mut rows.iter().map(|r| (r.0[0], r.0[1]))),
            MetricAsk::Apart { .. } => q as f64,
            MetricAsk::Collapse { .. } => all,
        };
        let square = if square > 0.0 { square } else { all };
        Ok((axes / square.sqrt()).into_iter().collect())
    }
    /// The same factor with all columns there can be, the new ones small.
    pub(super) fn widened(&mut self, at: &[f64]) -> Result<Vec<f64>, Error> {
        let (q, old) = (self.x.ncols(), self.columns);
        let size = (at.iter().map(|v| v * v).sum::<f64>() / old as f64).sqrt();
        self.columns = q.min(4 * old);
        let mut wide = axes(&self.x, self.columns)? * (1e-2 * size);
        wide.slice_mut(s![.., ..old]).assign(&ArrayView2::from_shape((q, old), at).expect("as many numbers"));
        Ok(wide.into_iter().collect())
    }
    fn points(&self, at: &[f64]) -> Array2<f64> {
        if self.diagonal() {
            return &self.x * &ndarray::ArrayView1::from(at);
        }
        let b = ArrayView2::from_shape(self.shape(), at).expect("as many numbers");
        let mut y = Array2::zeros((self.x.nrows(), self.columns));
        gemm::into(self.x.view(), b, y.view_mut());
        y
    }
    /// Hinges of neighbours: those that may be open where they are few and known, all of them otherwise.
    fn neighbours(
        &self,
        y: ArrayView2<'_, f64>,
        group: &[u32],
        targets: &[(u32, u32)],
        listed: &mut Listed,
    ) -> hinges::Pass {
        if !listed.list.as_ref().is_some_and(|l| l.covers(y, targets, 1.0)) {
            listed.list = None;
            if listed.later > 0 {
                listed.later -= 1;
            } else {
                let fresh = Shortlist::of(y, group, targets, 1.0 + REACH);
                let pairs = (group.len() * group.len()) as f64;
                listed.list = Some(fresh).filter(|l| (l.len() as f64) < WORTH_LISTING * pairs);
                listed.later = if listed.list.is_some() { 0 } else { LATER };
            }
        }
        match &listed.list {
            Some(list) => list.pass(y, targets, 1.0, self.width),
            None => hinges::pass(y, group, targets, 1.0, self.width),
        }
    }
    /// By how much rounding hinges off keeps the two ends apart: `Σ r (1 - r / width)` over hinges that are open by less than the
    /// width, times what they cost.
    pub(super) fn rounded_off(&self, multipliers: &[(u32, u32, f64)]) -> f64 {
        let each = |(t, _, a): &(u32, u32, f64)| match &self.program.ask {
            MetricAsk::Neighbours { push, .. } => push * a * (1.0 - a),
            MetricAsk::Compared { rows, push, .. } => push * rows[*t as usize].2 * a * (1.0 - a),
            _ => 0.0,
        };
        self.width * multipliers.iter().map(each).sum::<f64>()
    }
    /// The factor of the metric in the coordinates of the question, and the multipliers that belong to it.
    pub(super) fn candidate(&self, at: &[f64]) -> MetricCandidate {
        let y = self.points(at);
        let multipliers = match &self.program.ask {
            MetricAsk::Neighbours { group, targets, .. } => hinges::open(y.view(), group, targets, 1.0, self.width).1,
            MetricAsk::Compared { rows, .. } => hinges::listed(y.view(), rows, self.width).1,
            _ => Vec::new(),
        };
        let b = if self.diagonal() {
            Array2::from_diag(&ndarray::ArrayView1::from(at))
        } else {
            ArrayView2::from_shape(self.shape(), at).expect("as many numbers").to_owned()
        };
        let mut factor = self.root.as_ref().map_or_else(|| b.clone(), |r| r.dot(&b));
        if let MetricAsk::Apart { .. } = &self.program.ask {
            // Only its direction was sought: now what is bounded by one is one.
            let size = at.iter().map(|v| v * v).sum::<f64>().sqrt();
            factor /= size;
        }
        MetricCandidate { factor, multipliers }
    }
    /// Minus how far apart dissimilar pairs are, for a factor of length one.
    fn apart(&self, at: &[f64], gradient: &mut [f64], dissimilar: &[(u32, u32, f64)]) -> f64 {
        let y = self.points(at);
        let norm = at.iter().map(|v| v * v).sum::<f64>().sqrt();
        let (sum, moved) = hinges::lengths(y.view(), dissimilar);
        if self.diagonal() {
            for (k, g) in gradient.iter_mut().enumerate() {
                *g = self.x.column(k).dot(&moved.column(k));
            }
        } else {
            let out = ArrayViewMut2::from_shape(self.shape(), gradient).expect("as many numbers");
            gemm::into(self.x.t(), moved.view(), out);
        }
        // The derivative of -sum / norm.
        for (g, a) in gradient.iter_mut().zip(at) {
            *g = sum * a / norm.powi(3) - *g / norm;
        }
        -sum / norm
    }
}

impl Objective for Factored<'_> {
    type State = Listed;
    fn state(&self) -> Listed {
        Listed::default()
    }
    fn shape(&self) -> (usize, usize) {
        (self.x.ncols(), if self.diagonal() { 1 } else { self.columns })
    }
    fn value(&self, at: &[f64], gradient: &mut [f64], listed: &mut Listed) -> f64 {
        let (moved, part, weight) = match &self.program.ask {
            MetricAsk::Apart { dissimilar, .. } => return self.apart(at, gradient, dissimilar),
            MetricAsk::Neighbours { group, targets, push, .. } => {
                let found = self.neighbours(self.points(at).view(), group, targets, listed);
                (found.moved, push * found.value, *push)
            }
            MetricAsk::Compared { rows, push, .. } => {
                let (found, _) = hinges::listed(self.points(at).view(), rows, self.width);
                (found.moved, push * found.value, *push)
            }
            MetricAsk::Collapse { group, .. } => {
                let y = self.points(at);
                let found = softmin::pass(y.view(), group, Ask::Divergence, y.view(), &self.room);
                (found.moved, found.value, 1.0)
            }
        };
        let b = ArrayView2::from_shape(self.shape(), at).expect("as many numbers");
        let mut paid = Array2::zeros(self.shape());
        gemm::into(self.cost.view(), b, paid.view_mut());
        let held: f64 = paid.iter().zip(at).map(|(a, b)| a * b).sum();
        let out = ArrayViewMut2::from_shape(self.shape(), gradient).expect("as many numbers");
        gemm::into(self.x.t(), moved.view(), out);
        gradient.iter_mut().zip(&paid).for_each(|(g, p)| *g = 2.0 * (weight * *g + p));
        held + part
    }
    fn start(&self, _: usize, _: &mut Rng, _: &Clock<'_>) -> Result<Vec<f64>, Error> {
        self.first()
    }
    fn starts(&self) -> usize {
        1
    }
    fn scale(&self) -> Scale {
        Scale { flat: 0.0, first_step: None }
    }
}

/// `R` with `Rᵗ C R` diagonal for `C` the scatter of pairs with weights and a ridge, and that diagonal: ones, but where `C` is
/// nothing to rounding.
fn inverse_root(
    values: &Array2<f64>,
    pairs: impl Iterator<Item = (u32, u32, f64)>,
    ridge: f64,
) -> Result<(Array2<f64>, Array1<f64>), Error> {
    let mut c = hinges::scatter(values.view(), pairs);
    c.diag_mut().mapv_inplace(|v| v + ridge);
    let (lengths, vectors) = dense::eigh(c.view()).map_err(|_| failed())?;
    let least = ridge.max(1e-12 * lengths[0]).max(f64::MIN_POSITIVE);
    let held = lengths.mapv(|v| v.max(least));
    Ok((&vectors / &held.mapv(f64::sqrt), &lengths.mapv(|v| v.max(0.0)) / &held))
}

/// The widest principal axes of rows, in columns.
fn axes(x: &Array2<f64>, count: usize) -> Result<Array2<f64>, Error> {
    if count == x.ncols() {
        return Ok(Array2::eye(count));
    }
    let (_, vectors) = dense::eigh(x.t().dot(x).view()).map_err(|_| failed())?;
    Ok(vectors.slice(s![.., ..count]).to_owned())
}

fn failed() -> Error {
    Error::Numerical { what: "the principal axes of features".into() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::solve::descent::assert_gradient;

    /// Every question, in general position: hinges open, closed and rounded off.
    #[test]
    fn gradients_are_those_of_differences() {
        let mut rng = Rng::task(5, 0);
        let values = Array2::from_shape_simple_fn((18, 4), || rng.normal());
        let group: Vec<u32> = (0..18).map(|i| i % 3).collect();
        let pairs = |step: u32| (0..12).map(|k| (k, k + step, 1.0 + 0.1 * f64::from(k))).collect::<Vec<_>>();
        let rows = (0..12u32).map(|k| ([k, k + 2], [k, k + 5], 0.5 + 0.1 * f64::from(k), 1.0)).collect();
        let targets = (0..15).map(|i| (i, i + 3)).collect();
        let apart = |diagonal| MetricAsk::Apart { similar: pairs(3), dissimilar: pairs(4), ridge: 0.1, diagonal };
        for ask in [
            MetricAsk::Neighbours { group: group.clone(), targets, push: 0.4, ridge: 0.1 },
            MetricAsk::Compared { rows, push: 0.4, ridge: 0.1 },
            apart(false),
            apart(true),
            MetricAsk::Collapse { group, trace: 0.3 },
        ] {
            let program = MetricProgram { values: values.clone(), ask, spanned: false };
            let loss = Factored::new(&program).unwrap();
            let (rows, columns) = loss.shape();
            let at: Vec<f64> = (0..rows * columns).map(|_| 0.5 * rng.normal()).collect();
            assert_gradient(&loss, &at);
        }
    }
}
