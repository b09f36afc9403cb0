//! Placing a row by an order of its own: what it says is compared only within itself.

use ndarray::{Array1, Array2};
use nearer_num::isotonic::Pool;
use nearer_num::lbfgs::{self, Guess};
use nearer_num::rising;
use serde::{Deserialize, Serialize};

use crate::transform::{OwnCurve, Price};

/// The rows of a fit, in sum: a new row is added to them, and they stay as they are.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct OwnRows {
    /// The curve of each row; without one, a row is a multiple of its data.
    pub curve: Option<OwnCurve>,
    /// `Σ (d̂ - d)² / Σ d²` of each row, summed over the rows.
    pub off: f64,
    /// `Σ (1 + penalty/ν²)` of the rows.
    pub level: f64,
}

/// One new row and the places of the columns it speaks of.
pub(super) struct OwnRow<'a> {
    pub(super) old: &'a Array2<f64>,
    pub(super) data: &'a [f64],
    pub(super) rows: OwnRows,
}

impl OwnRow<'_> {
    /// The best place from these starts.
    pub(super) fn place(&self, starts: Vec<Array1<f64>>) -> Option<Array1<f64>> {
        let settings =
            lbfgs::Settings { iterations: 300, gradient: 1e-12, decrease: Some(1e-13), memory: 6, guess: Guess::Short };
        let ends = starts.into_iter().map(|start| {
            let mut at = start.to_vec();
            let ended = lbfgs::minimise(&mut at, &settings, |y, g| self.value(y, g), |_, _| true);
            (Array1::from(at), ended.value)
        });
        ends.min_by(|a, b| a.1.total_cmp(&b.1)).map(|best| best.0)
    }

    /// `λ ln (Q + q) + ln (L + l)`, the lower-case letters of this row; its disparities are the best for the place.
    fn value(&self, y: &[f64], gradient: &mut [f64]) -> f64 {
        let m = self.data.len();
        let away = |k: usize, a: usize| y[a] - self.old[(k, a)];
        let d: Vec<f64> = (0..m).map(|k| (0..y.len()).map(|a| away(k, a).powi(2)).sum::<f64>().sqrt()).collect();
        // In the order of the data, equal ones in that of the distances.
        let mut order: Vec<usize> = (0..m).collect();
        order.sort_by(|&a, &b| self.data[a].total_cmp(&self.data[b]).then(d[a].total_cmp(&d[b])));
        let size = d.iter().map(|v| v * v).sum::<f64>().max(1e-300);
        let root = size.sqrt();
        let power = self.rows.curve.map_or(1.0, |c| c.power);
        let mut fitted = vec![0.0; m];
        let (mut off, mut level) = (0.0, 0.0);
        match self.rows.curve {
            None => {
                let (cross, square) = d.iter().zip(self.data).fold((0.0, 0.0), |(c, s), (d, v)| (c + d * v, s + v * v));
                let factor = if square > 0.0 { cross / square } else { 0.0 };
                fitted.iter_mut().zip(self.data).for_each(|(f, v)| *f = factor * v);
                off = (1.0 - factor * cross / size).max(0.0);
            }
            Some(curve) => {
                let (mut pool, mut work, mut price) = (Pool::default(), Vec::new(), Price::default());
                for _ in 0..60 {
                    let mut x: Vec<f64> = order.iter().map(|k| d[*k] / root).collect();
                    let found = rising::away_from_constant(&mut x, price.value(), &mut pool, &mut work);
                    (off, level) = (found.off, 1.0 + curve.penalty * found.level);
                    order.iter().zip(&x).for_each(|(k, v)| fitted[*k] = root * v);
                    if price.settled(curve.penalty * (self.rows.off + off) / (power * (self.rows.level + level))) {
                        break;
                    }
                }
            }
        }
        let (off_all, level_all) = ((self.rows.off + off).max(1e-300), (self.rows.level + level).max(1e-300));
        gradient.fill(0.0);
        for k in 0..m {
            let slope = 2.0 * power * ((1.0 - off) * d[k] - fitted[k]) / (off_all * size);
            let over = d[k].max(1e-300);
            gradient.iter_mut().enumerate().for_each(|(a, g)| *g += slope * away(k, a) / over);
        }
        power * off_all.ln() + level_all.ln()
    }
}
