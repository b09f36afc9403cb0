//! Unfolding as a loss: how far the distances from rows to columns are from what each row says of them.

use nearer_num::isotonic::Pool;
use nearer_num::pairs::{PairList, Rows};
use nearer_num::rising::{self, Risen};
use nearer_num::rng::Rng;

use crate::error::Error;
use crate::evidence::{DistanceRows, Distances};
use crate::solve::Clock;
use crate::solve::descent::{Objective, Scale, starts};
use crate::solve::ordinal::permute;
use crate::transform::{OwnCurve, Price, Transform};

/// A gradient shorter than this share of that of the data themselves is flat.
const FLAT: f64 = 1e-9;
/// Rounds in which the price of being level is brought into line with how far off the rows are.
const ROUNDS: usize = 16;

/// What the cells of a group (a row, or all of them) are replaced by.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Says {
    /// The cells as they are, on one scale for all.
    Cells,
    /// Each row's cells times a factor of its own.
    Multiples,
    /// Anything that rises with the cells, level ones paid for.
    Order(OwnCurve),
}

/// The loss over rows and columns as points of one map.
pub(crate) struct Unfold<'a> {
    /// Rows and columns as objects of one map, known only across.
    across: &'a Distances,
    dim: usize,
    says: Says,
    cells: Cells,
    /// `Σ δ²`.
    size: f64,
}

/// The known cells, group by group and by their data inside each.
#[derive(Debug, Clone)]
struct Cells {
    list: PairList,
    data: Vec<f64>,
    /// Ends of the groups.
    groups: Vec<usize>,
    /// Ends of the runs of equal data inside groups.
    runs: Vec<usize>,
}

/// What was fitted for the last map.
#[derive(Debug, Clone)]
pub(crate) struct Unfolded {
    cells: Cells,
    distance: Vec<f64>,
    fitted: Vec<f64>,
    pool: Pool,
    work: Vec<f64>,
    price: f64,
    /// For each group `Σ d²`, and `Σ (d̂ - d)²` as a share of it.
    sizes: Vec<(f64, f64)>,
    /// The sum of these shares, and `Σ (1 + ω/ν²)` over the groups.
    pub(crate) off: f64,
    pub(crate) level: f64,
}

impl Cells {
    fn new(rows: &DistanceRows, by_row: bool) -> Self {
        let (n, m) = (rows.objects().len(), rows.to().len());
        let mut cells: Vec<(f64, u32, u32)> = Vec::new();
        for i in 0..n {
            cells.extend((0..m).filter_map(|j| Some((rows.get(i, j)?, i as u32, (n + j) as u32))));
        }
        let group = |c: &(f64, u32, u32)| if by_row { c.1 } else { 0 };
        cells.sort_by(|a, b| group(a).cmp(&group(b)).then(a.0.total_cmp(&b.0)).then((a.1, a.2).cmp(&(b.1, b.2))));
        let ends =
            |differ: &dyn Fn(usize) -> bool| (1..=cells.len()).filter(|e| *e == cells.len() || differ(*e)).collect();
        let groups = ends(&|e| group(&cells[e]) != group(&cells[e - 1]));
        let runs = ends(&|e| group(&cells[e]) != group(&cells[e - 1]) || cells[e].0 != cells[e - 1].0);
        let list = PairList::new(cells.iter().map(|c| (c.1, c.2)).collect());
        Cells { list, data: cells.iter().map(|c| c.0).collect(), groups, runs }
    }
}

impl<'a> Unfold<'a> {
    pub(crate) fn new(rows: &DistanceRows, across: &'a Distances, dim: usize, says: Says, by_row: bool) -> Self {
        let cells = Cells::new(rows, by_row);
        let size = cells.data.iter().map(|v| v * v).sum();
        Unfold { across, dim, says, cells, size }
    }
    /// Gives the map the size `Σ d² = Σ δ²`; returns the factor.
    pub(crate) fn resize(&self, points: &mut [f64]) -> f64 {
        let mut distance = vec![0.0; self.cells.data.len()];
        self.cells.list.distances(Rows { values: points, dim: self.dim }, &mut distance);
        let square: f64 = distance.iter().map(|d| d * d).sum();
        let factor = if square > 0.0 { (self.size / square).sqrt() } else { 1.0 };
        points.iter_mut().for_each(|v| *v *= factor);
        factor
    }
    fn stiffness(&self) -> f64 {
        2.0 * self.cells.data.len() as f64 / (self.across.len() as f64 - 1.0)
    }
}

impl Unfolded {
    /// Primary ties: equal cells go into the order of their distances.
    fn sort_runs(&mut self) {
        let mut start = 0;
        for &end in &self.cells.runs {
            if !self.distance[start..end].is_sorted() {
                let mut order: Vec<usize> = (start..end).collect();
                order.sort_by(|&a, &b| self.distance[a].total_cmp(&self.distance[b]));
                permute(&mut self.distance[start..end], &order, start);
                permute(&mut self.cells.list.pairs_mut()[start..end], &order, start);
            }
            start = end;
        }
    }

    fn fit(&mut self, says: Says) {
        match says {
            Says::Cells => {
                self.fitted.copy_from_slice(&self.cells.data);
                let off = |(d, t): (&f64, &f64)| (d - t) * (d - t);
                self.off = self.distance.iter().zip(&self.fitted).map(off).sum();
            }
            Says::Multiples => {
                self.measure();
                let mut start = 0;
                for (&end, size) in self.cells.groups.iter().zip(&mut self.sizes) {
                    let (d, data) = (&self.distance[start..end], &self.cells.data[start..end]);
                    let (cross, square) = d.iter().zip(data).fold((0.0, 0.0), |(c, s), (d, v)| (c + d * v, s + v * v));
                    let factor = if square > 0.0 { cross / square } else { 0.0 };
                    self.fitted[start..end].iter_mut().zip(data).for_each(|(f, v)| *f = factor * v);
                    size.1 = (1.0 - factor * cross / size.0).max(0.0);
                    start = end;
                }
                self.off = self.sizes.iter().map(|s| s.1).sum();
                self.level = self.sizes.len() as f64;
            }
            Says::Order(curve) => {
                self.sort_runs();
                self.measure();
                let mut price = Price::from(self.price);
                for _ in 0..ROUNDS {
                    self.risen(curve, price.value());
                    if price.settled(curve.penalty * self.off / (curve.power * self.level)) {
                        break;
                    }
                }
                self.price = price.value();
            }
        }
    }

    /// `Σ d²` of each group.
    fn measure(&mut self) {
        let mut start = 0;
        for (&end, size) in self.cells.groups.iter().zip(&mut self.sizes) {
            size.0 = self.distance[start..end].iter().map(|d| d * d).sum::<f64>().max(1e-300);
            start = end;
        }
    }

    /// Every group at this price, as if it were of size 1.
    fn risen(&mut self, curve: OwnCurve, price: f64) {
        let mut start = 0;
        (self.off, self.level) = (0.0, 0.0);
        for (&end, size) in self.cells.groups.iter().zip(&mut self.sizes) {
            let root = size.0.sqrt();
            let fitted = &mut self.fitted[start..end];
            fitted.iter_mut().zip(&self.distance[start..end]).for_each(|(f, d)| *f = d / root);
            let Risen { off, level } = rising::away_from_constant(fitted, price, &mut self.pool, &mut self.work);
            fitted.iter_mut().for_each(|f| *f *= root);
            size.1 = off;
            self.off += off;
            self.level += 1.0 + curve.penalty * level;
            start = end;
        }
    }

    /// The curve of all cells, where there is one: data to disparities, for a map made larger by `scale`.
    pub(crate) fn transform(&self, scale: f64) -> Transform {
        let (mut x, mut y): (Vec<f64>, Vec<f64>) = (Vec::new(), Vec::new());
        let mut start = 0;
        for &end in &self.cells.runs {
            let mean = scale * self.fitted[start..end].iter().sum::<f64>() / (end - start) as f64;
            x.push(self.cells.data[start]);
            y.push(y.last().map_or(mean, |before| mean.max(*before)));
            start = end;
        }
        Transform::Steps { x, y }
    }
    /// The coefficient of variation of the distances.
    pub(crate) fn variation(&self) -> f64 {
        let n = self.distance.len() as f64;
        let mean = self.distance.iter().sum::<f64>() / n;
        let square = self.distance.iter().map(|d| d * d).sum::<f64>() / n;
        (square - mean * mean).max(0.0).sqrt() / mean
    }
    pub(crate) fn groups(&self) -> usize {
        self.cells.groups.len()
    }
}

impl Objective for Unfold<'_> {
    type State = Unfolded;

    fn state(&self) -> Unfolded {
        let empty = vec![0.0; self.cells.data.len()];
        Unfolded {
            cells: self.cells.clone(),
            distance: empty.clone(),
            fitted: empty,
            pool: Pool::default(),
            work: Vec::new(),
            price: 0.0,
            sizes: vec![(0.0, 0.0); self.cells.groups.len()],
            off: 0.0,
            level: 0.0,
        }
    }
    fn shape(&self) -> (usize, usize) {
        (self.across.len(), self.dim)
    }
    fn starts(&self) -> usize {
        starts::worthwhile(self.across.len())
    }
    fn start(&self, number: usize, rng: &mut Rng, clock: &Clock<'_>) -> Result<Vec<f64>, Error> {
        let mut points = starts::start(self.across, self.dim, number, rng, clock)?;
        self.resize(&mut points);
        Ok(points)
    }
    fn scale(&self) -> Scale {
        let relative = if self.says == Says::Cells { 1.0 } else { self.size };
        let stiffness = self.stiffness();
        Scale {
            flat: FLAT * 2.0 * stiffness * (self.size / self.across.len() as f64).sqrt() / relative,
            first_step: (self.says == Says::Cells).then_some(0.5 / stiffness),
        }
    }

    /// `Σ (d - d̂)²` for the cells as they are; else `Q^λ L`, `Q` the mean over the groups of `sᵢ = Σ (d - d̂)² / Σ d²` and `L` that of
    /// `1 + ω/ν²` (1 for multiples, with `λ = 1`). The disparities are the best for the map, so only `sᵢ` moves with it:
    /// `∇sᵢ = 2 Σ ((1 - sᵢ) d - d̂) ∇d / Σ d²`.
    fn value(&self, at: &[f64], gradient: &mut [f64], state: &mut Unfolded) -> f64 {
        let points = Rows { values: at, dim: self.dim };
        state.cells.list.distances(points, &mut state.distance);
        state.fit(self.says);
        let power = match self.says {
            Says::Cells => {
                let pull = state.cells.list.pull(points, &state.distance, &state.fitted, 1.0, None);
                gradient.iter_mut().zip(pull).for_each(|(g, p)| *g = 2.0 * p);
                return state.off;
            }
            Says::Multiples => 1.0,
            Says::Order(curve) => curve.power,
        };
        if state.off.is_nan() || state.level.is_infinite() {
            gradient.fill(0.0);
            return f64::INFINITY;
        }
        let groups = state.cells.groups.len() as f64;
        let value = (state.off / groups).powf(power) * state.level / groups;
        let common = 2.0 * value * power / state.off.max(1e-300);
        let (mut weights, mut targets, mut start) = (Vec::new(), Vec::new(), 0);
        for (&end, &(size, share)) in state.cells.groups.iter().zip(&state.sizes) {
            let kept = (1.0 - share).max(1e-12);
            weights.resize(end, common * kept / size);
            targets.extend(state.fitted[start..end].iter().map(|f| f / kept));
            start = end;
        }
        let pull = state.cells.list.pull(points, &state.distance, &targets, 1.0, Some(&weights));
        gradient.copy_from_slice(&pull);
        value
    }
}
