//! Monotone regression of the distances of a map on the order of the data.
//!
//! The known pairs are sorted once by their data, and everything is done in that order: distances, regression and
//! gradient run through the list from front to back, and only the points, which are few, are met at random.

use nearer_num::isotonic::Pool;
use nearer_num::packed;
use nearer_num::pairs::{PairList, Rows};

use crate::evidence::Distances;
use crate::transform::Transform;

/// How ties in the data are treated by monotone regression (Kruskal 1964; de Leeuw 1977).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Ties {
    /// Equal data may become different disparities, in whatever order suits the map.
    #[default]
    Primary,
    /// Equal data become equal disparities.
    Secondary,
    /// Only the means of equal data are kept in order.
    Tertiary,
}

/// The known pairs in the order of their data, and the regression of the last map.
#[derive(Debug)]
pub(crate) struct OrdinalRule {
    ties: Ties,
    list: PairList,
    /// Ends of the runs of equal data; empty where no two are equal.
    runs: Vec<u32>,
    data: Vec<f64>,
    weights: Option<Vec<f64>>,
    distance: Vec<f64>,
    fitted: Vec<f64>,
    pool: Pool,
    blocks: usize,
}

impl OrdinalRule {
    pub(crate) fn new(d: &Distances, ties: Ties) -> Self {
        // Data, pair and place beside one another: looked up by place, each comparison of the sort would wait for memory.
        let pairs = (0..d.len() as u32).flat_map(|i| (i + 1..d.len() as u32).map(move |j| (i, j)));
        let known = |(k, _): &(usize, _)| d.weight_at(*k) > 0.0;
        let placed = |(k, pair): (usize, (u32, u32))| (d.condensed()[k], pair);
        let mut sorted: Vec<(f64, (u32, u32))> = pairs.enumerate().filter(known).map(placed).collect();
        sorted.sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        let data: Vec<f64> = sorted.iter().map(|s| s.0).collect();
        let ends = |e: &usize| *e == data.len() || data[*e] != data[*e - 1];
        let mut runs: Vec<u32> = (1..=data.len()).filter(ends).map(|e| e as u32).collect();
        if runs.len() == data.len() {
            runs = Vec::new();
        }
        let list = PairList::new(sorted.iter().map(|s| s.1).collect());
        drop(sorted);
        let weight = |&(i, j): &(u32, u32)| d.weight_at(packed::index(d.len(), i as usize, j as usize));
        let weights = d.weights().is_some().then(|| list.pairs().iter().map(weight).collect());
        let (distance, fitted) = (vec![0.0; data.len()], vec![0.0; data.len()]);
        OrdinalRule { ties, list, runs, data, weights, distance, fitted, pool: Pool::default(), blocks: 0 }
    }

    /// Regresses the distances of a map. Gives `Σ w d²` and stress-1 squared: the disparities are a projection onto a
    /// cone, so `|d - dhat|² = |d|² - |dhat|²`.
    pub(crate) fn fit(&mut self, points: Rows<'_>) -> (f64, f64) {
        self.list.distances(points, &mut self.distance);
        let total = packed::square_sum(&self.distance, self.weights.as_deref());
        if self.ties == Ties::Primary || self.runs.is_empty() {
            self.sort_runs();
            self.fitted.copy_from_slice(&self.distance);
            self.blocks = self.pool.increasing(&mut self.fitted, self.weights.as_deref());
        } else {
            self.fit_runs();
        }
        let kept = packed::square_sum(&self.fitted, self.weights.as_deref());
        (total, if total > 0.0 { (1.0 - kept / total).max(0.0) } else { f64::INFINITY })
    }

    /// For each point half the gradient of `Σ w (d - stretch · dhat)²`, after [`fit`](Self::fit) of the same points.
    pub(crate) fn pull(&self, points: Rows<'_>, stretch: f64) -> Vec<f64> {
        self.list.pull(points, &self.distance, &self.fitted, stretch, self.weights.as_deref())
    }

    /// Primary ties: the pairs of a run of equal data go into the order of their distances on the map.
    fn sort_runs(&mut self) {
        let mut start = 0;
        for &end in &self.runs {
            let end = end as usize;
            if !self.distance[start..end].is_sorted() {
                let mut order: Vec<usize> = (start..end).collect();
                order.sort_by(|&a, &b| self.distance[a].total_cmp(&self.distance[b]));
                permute(&mut self.distance[start..end], &order, start);
                permute(&mut self.list.pairs_mut()[start..end], &order, start);
                if let Some(w) = &mut self.weights {
                    permute(&mut w[start..end], &order, start);
                }
            }
            start = end;
        }
    }

    /// Secondary and tertiary ties: the means of the runs are regressed.
    fn fit_runs(&mut self) {
        let mut start = 0;
        let (mut means, mut run_weights) = (Vec::with_capacity(self.runs.len()), Vec::with_capacity(self.runs.len()));
        for &end in &self.runs {
            let (mut sum, mut weight) = (0.0, 0.0);
            for s in start..end as usize {
                let w = self.weights.as_ref().map_or(1.0, |w| w[s]);
                sum += w * self.distance[s];
                weight += w;
            }
            means.push(sum / weight);
            run_weights.push(weight);
            start = end as usize;
        }
        let mut levels = means.clone();
        self.blocks = self.pool.increasing(&mut levels, Some(&run_weights));
        start = 0;
        for ((&end, level), mean) in self.runs.iter().zip(&levels).zip(&means) {
            for s in start..end as usize {
                self.fitted[s] = if self.ties == Ties::Secondary { *level } else { self.distance[s] + (level - mean) };
            }
            start = end as usize;
        }
    }

    /// The regression as a broken line through the ends of its steps; equal data with different disparities take their
    /// mean.
    pub(crate) fn transform(&self, scale: f64) -> Transform {
        let (mut x, mut y): (Vec<f64>, Vec<f64>) = (Vec::new(), Vec::new());
        let mut start = 0;
        while start < self.data.len() {
            let end = start + self.data[start..].iter().take_while(|v| **v == self.data[start]).count();
            let mean = scale * self.fitted[start..end].iter().sum::<f64>() / (end - start) as f64;
            // Means of equal numbers may differ in their last bit; the line never falls.
            let level = y.last().map_or(mean, |before| mean.max(*before));
            // Of a level stretch only the ends are needed.
            if let [.., before, last] = y.as_slice()
                && *before == level
                && *last == level
            {
                x.pop();
                y.pop();
            }
            x.push(self.data[start]);
            y.push(level);
            start = end;
        }
        Transform::Steps { x, y }
    }

    /// How many different disparities the last regression had, and the share of pairs in the largest step.
    pub(crate) fn steps(&self) -> (usize, f64) {
        let (mut largest, mut start) = (0, 0);
        for end in 1..=self.fitted.len() {
            if end == self.fitted.len() || self.fitted[end] != self.fitted[start] {
                largest = largest.max(end - start);
                start = end;
            }
        }
        (self.blocks, largest as f64 / self.fitted.len().max(1) as f64)
    }
}

/// Puts entry `order[k] - offset` at place `k`.
pub(crate) fn permute<T: Copy>(values: &mut [T], order: &[usize], offset: usize) {
    let old = values.to_vec();
    values.iter_mut().zip(order).for_each(|(v, &k)| *v = old[k - offset]);
}
