//! Which way a number grows over a map: a direction, how well it fits, and how often chance fits as well.

use ndarray::{Array1, Array2};
use nearer_num::dense;

use crate::error::Error;
use crate::evaluate::permuted::p_values;
use crate::geometry::Embedding;
use crate::metadata::{Column, Metadata, Values};
use crate::solve::Run;

pub use crate::report::Arrow;

/// Fits columns of numbers to a map: the direction of `b` in `y = a + b·x`, its `R²`, and a permutation p; vegan's `envfit`. Objects
/// without a value of a column are left out of its fit; columns of words are passed over.
///
/// ```
/// use nearer::{Embedding, Objects, Run, evaluate, metadata::Column};
/// # fn main() -> Result<(), nearer::Error> {
/// let points = ndarray::array![[0.0, 0.0], [1.0, 0.2], [2.0, -0.3], [3.0, 0.1], [4.0, 0.0]];
/// let map = Embedding::new(Objects::numbered(5), points)?;
/// let depth = Column { name: "depth".into(), values: (0..5).map(|k| Some((2 * k).to_string())).collect() };
/// let arrow = &evaluate::arrows(&map, &[&depth], 99, &Run::seeded(0))?[0];
/// assert!(arrow.r2 > 0.999 && arrow.direction[0] > 0.99);
/// # Ok(()) }
/// ```
pub fn arrows(map: &Embedding, columns: &[&Column], permutations: usize, run: &Run<'_>) -> Result<Vec<Arrow>, Error> {
    let mut fits: Vec<Regression> = Vec::new();
    for column in columns {
        let Values::Numbers(values) = column.typed() else { continue };
        fits.push(Regression::new(map, &column.name, &values)?);
    }
    let mut p = vec![f64::NAN; fits.len()];
    // Columns of the same objects share their shuffles, which are most of the work.
    for first in 0..fits.len() {
        if p[first].is_nan() {
            let alike: Vec<usize> = (first..fits.len()).filter(|k| fits[*k].known == fits[first].known).collect();
            let observed: Vec<f64> = alike.iter().map(|k| fits[*k].r2()).collect();
            let shuffled =
                |order: &[usize]| -> Vec<f64> { alike.iter().map(|k| fits[*k].share(order.iter().copied())).collect() };
            let found = p_values(fits[first].known.len(), permutations, run, &observed, shuffled)?;
            alike.iter().zip(found).for_each(|(k, value)| p[*k] = value);
        }
    }
    Ok(fits.into_iter().zip(p).map(|(fit, p)| fit.arrow(p)).collect())
}

/// A column regressed on the axes of a map.
struct Regression {
    name: String,
    /// The objects that have a value.
    known: Vec<usize>,
    /// Their values, less the mean.
    y: Vec<f64>,
    /// `Σ y²`.
    all: f64,
    /// What spans their centred places, column by column, of length 1 and at right angles; and the way back to slopes.
    axes: Vec<Vec<f64>>,
    back: Array2<f64>,
}

impl Regression {
    fn new(map: &Embedding, name: &str, values: &[Option<f64>]) -> Result<Regression, Error> {
        let known: Vec<usize> = (0..values.len()).filter(|i| values[*i].is_some()).collect();
        let (n, dim) = (known.len(), map.dim());
        if n < dim + 2 {
            return Err(Error::Evidence {
                what: format!("`{name}` has a number for {n} objects, and a fit in {dim} dimensions needs {}", dim + 2),
                remedy: "choose a column with more values".into(),
            });
        }
        let points = map.points().select(ndarray::Axis(0), &known);
        let y: Vec<f64> = known.iter().filter_map(|i| values[*i]).collect();
        let mean = y.iter().sum::<f64>() / n as f64;
        let y: Vec<f64> = y.iter().map(|v| v - mean).collect();
        let all = y.iter().map(|v| v * v).sum();
        if all == 0.0 {
            return Err(Error::Evidence {
                what: format!("`{name}` has one value throughout, so that it grows in no direction"),
                remedy: "choose another column".into(),
            });
        }
        let (axes, back) = orthonormal(&points);
        let axes = axes.columns().into_iter().map(|c| c.to_vec()).collect();
        Ok(Regression { name: name.to_owned(), known, y, all, axes, back })
    }
    /// How much the values go along each axis, taken in this order.
    fn along(&self, axis: &[f64], order: impl Iterator<Item = usize>) -> f64 {
        axis.iter().zip(order).map(|(q, i)| q * self.y[i]).sum()
    }
    /// The share of their variance that the axes explain when they are taken in this order.
    fn share(&self, order: impl Iterator<Item = usize> + Clone) -> f64 {
        self.axes.iter().map(|axis| self.along(axis, order.clone()).powi(2)).sum::<f64>() / self.all
    }
    fn r2(&self) -> f64 {
        self.share(0..self.y.len())
    }
    fn arrow(self, p: f64) -> Arrow {
        let fitted: Array1<f64> = self.axes.iter().map(|axis| self.along(axis, 0..self.y.len())).collect();
        let slope = self.back.dot(&fitted);
        let length = slope.dot(&slope).sqrt();
        let direction = slope.iter().map(|v| if length > 0.0 { v / length } else { 0.0 }).collect();
        Arrow { r2: self.r2(), name: self.name, direction, p, objects: self.known.len() }
    }
}

/// Every column of numbers that can be fitted to a map, as [`arrows`] does it, and the number of shuffles: fewer than were asked
/// for, and not below 99, where objects are so many that they would take minutes; no column at all of more than a hundred thousand objects.
pub fn fitted(
    map: &Embedding,
    metadata: &Metadata,
    permutations: usize,
    run: &Run<'_>,
) -> Result<(Vec<Arrow>, usize), Error> {
    /// Objects beyond which nobody waits for shuffles.
    const MOST: usize = 100_000;
    /// Numbers that all shuffles together may go through.
    const WORK: usize = 500_000_000;
    let fits = |column: &&Column| {
        let known: Vec<f64> = column.numbers().into_iter().flatten().flatten().collect();
        known.len() >= map.dim() + 2 && known.iter().any(|v| *v != known[0])
    };
    let columns: Vec<&Column> = metadata.columns.iter().filter(fits).collect();
    if columns.is_empty() || map.len() > MOST {
        return Ok((Vec::new(), permutations));
    }
    let affordable = WORK / (map.len() * map.dim() * columns.len()).max(1);
    let permutations = permutations.min(affordable.max(99));
    Ok((arrows(map, &columns, permutations, run)?, permutations))
}

/// Columns that span the centred points, of length 1 and at right angles, and the way from them back to slopes.
fn orthonormal(points: &Array2<f64>) -> (Array2<f64>, Array2<f64>) {
    let (n, dim) = points.dim();
    let centre = points.mean_axis(ndarray::Axis(0)).unwrap_or_default();
    let (mut q, mut back) = (points - &centre, Array2::<f64>::eye(dim));
    let size: f64 = q.iter().map(|v| v * v).sum();
    for k in 0..dim {
        for _ in 0..2 {
            for j in 0..k {
                let along = q.column(j).dot(&q.column(k));
                let (other, way) = (q.column(j).to_owned(), back.column(j).to_owned());
                q.column_mut(k).scaled_add(-along, &other);
                back.column_mut(k).scaled_add(-along, &way);
            }
        }
        let length = q.column(k).dot(&q.column(k)).sqrt();
        // An axis that follows from the others explains nothing more.
        let by = if length * length > 1e-24 * size * n as f64 { 1.0 / length } else { 0.0 };
        q.column_mut(k).mapv_inplace(|v| v * by);
        back.column_mut(k).mapv_inplace(|v| v * by);
    }
    (q, back)
}

/// How often two maps whose objects are shuffled agree as well as these do: the share of shuffles with as high a Procrustes
/// correlation; vegan's `protest`. The rows of both are the same objects.
pub fn agreement_by_chance(
    points: &Array2<f64>,
    target: &Array2<f64>,
    permutations: usize,
    run: &Run<'_>,
) -> Result<f64, Error> {
    let centred = |m: &Array2<f64>| m - &m.mean_axis(ndarray::Axis(0)).unwrap_or_default();
    let columns = |m: &Array2<f64>| m.columns().into_iter().map(|c| c.to_vec()).collect::<Vec<_>>();
    let (x, y) = (centred(points), centred(target));
    let size = (x.iter().map(|v| v * v).sum::<f64>() * y.iter().map(|v| v * v).sum::<f64>()).sqrt();
    let (x, y) = (columns(&x), columns(&y));
    // What Procrustes leaves is 1 - (Σσ)² / |x|²|y|², σ the singular values of xᵗy: no map has to be turned.
    let correlation = |order: &[usize]| {
        let cross = |(a, b): (usize, usize)| order.iter().zip(&y[b]).map(|(i, v)| x[a][*i] * v).sum::<f64>();
        let cross = Array2::from_shape_fn((x.len(), y.len()), cross);
        if size > 0.0 { singular_sum(&cross) / size } else { 0.0 }
    };
    let observed = correlation(&(0..points.nrows()).collect::<Vec<_>>());
    Ok(p_values(points.nrows(), permutations, run, &[observed], |order| vec![correlation(order)])?[0])
}

/// The sum of the singular values of a small matrix.
fn singular_sum(m: &Array2<f64>) -> f64 {
    if m.dim() == (2, 2) {
        // σ₁ + σ₂ from σ₁² + σ₂² and σ₁σ₂.
        let square: f64 = m.iter().map(|v| v * v).sum();
        return (square + 2.0 * (m[(0, 0)] * m[(1, 1)] - m[(0, 1)] * m[(1, 0)]).abs()).sqrt();
    }
    dense::svd(m.view()).map_or(0.0, |svd| svd.s.sum())
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::array;

    #[test]
    fn singular_values_sum_to_the_closed_form_of_two() {
        for m in [array![[3.0, -1.0], [0.5, 2.0]], array![[1.0, 2.0], [2.0, 4.0]], array![[0.0, 1.0], [-1.0, 0.0]]] {
            let whole = dense::svd(m.view()).unwrap().s.sum();
            assert!((singular_sum(&m) - whole).abs() < 1e-12);
        }
    }
}
