//! Which way a number grows over a map: a direction, how well it fits, and how often chance fits as well.

use ndarray::{Array1, Array2};
use serde::Serialize;

use crate::error::Error;
use crate::evaluate::permuted::p_values;
use crate::geometry::{Embedding, align};
use crate::metadata::{Column, Values};
use crate::solve::Run;

/// A column of numbers fitted to a map.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Arrow {
    /// The column.
    pub name: String,
    /// The direction in which it grows, of length 1.
    pub direction: Vec<f64>,
    /// The share of its variance that the map explains.
    pub r2: f64,
    /// The share of shuffles that explain as much.
    pub p: f64,
    /// How many objects have a value.
    pub objects: usize,
}

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
    let mut out = Vec::new();
    for column in columns {
        let Values::Numbers(values) = column.typed() else { continue };
        let known: Vec<(usize, f64)> = values.iter().enumerate().filter_map(|(i, v)| Some((i, (*v)?))).collect();
        let (n, dim) = (known.len(), map.dim());
        if n < dim + 2 {
            return Err(Error::Evidence {
                what: format!(
                    "`{}` has a number for {n} objects, and a fit in {dim} dimensions needs {}",
                    column.name,
                    dim + 2
                ),
                remedy: "choose a column with more values".into(),
            });
        }
        let points = Array2::from_shape_fn((n, dim), |(r, k)| map.points()[(known[r].0, k)]);
        let mean = known.iter().map(|(_, v)| v).sum::<f64>() / n as f64;
        let y: Array1<f64> = known.iter().map(|(_, v)| v - mean).collect();
        let (axes, back) = orthonormal(&points);
        let all = y.dot(&y);
        if all == 0.0 {
            return Err(Error::Evidence {
                what: format!("`{}` has one value throughout, so that it grows in no direction", column.name),
                remedy: "choose another column".into(),
            });
        }
        let share = |y: &Array1<f64>| {
            let fitted = axes.t().dot(y);
            fitted.dot(&fitted) / all
        };
        let r2 = share(&y);
        let p = p_values(n, permutations, run, &[r2], |order| vec![share(&order.iter().map(|i| y[*i]).collect())])?[0];
        let slope = back.dot(&axes.t().dot(&y));
        let length = slope.dot(&slope).sqrt();
        let direction = slope.iter().map(|v| if length > 0.0 { v / length } else { 0.0 }).collect();
        out.push(Arrow { name: column.name.clone(), direction, r2, p, objects: n });
    }
    Ok(out)
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
    let correlation =
        |points: &Array2<f64>| align(points, target, true).map_or(0.0, |a| (1.0 - a.disparity).clamp(0.0, 1.0).sqrt());
    let observed = correlation(points);
    let shuffled = |order: &[usize]| vec![correlation(&points.select(ndarray::Axis(0), order))];
    Ok(p_values(points.nrows(), permutations, run, &[observed], shuffled)?[0])
}
