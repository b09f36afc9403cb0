//! Placing by descent: a new point minimises its own loss to the old points, which stay where they are.

use ndarray::{Array1, Array2, ArrayView1, s};
use nearer_num::least_squares;
use serde::{Deserialize, Serialize};

use crate::error::Error;
use crate::evidence::DistanceRows;
use crate::fit::{Place, place_rows};
use crate::geometry::{Embedding, Pose, Turn};
use crate::model::own_curve::OwnRow;
use crate::model::{OwnRows, Parts, Transform};

/// What is minimised over the position `y` of a new object, `t` the transformed distances and `d` those on the map.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Loss {
    /// `Σ (t - d)²`
    Stress,
    /// `Σ (t² - d²)²`
    SquaredStress,
    /// `Σ |t² - d²|`
    AbsoluteSquares,
}

/// Old points that stay fixed, and the loss that a new point minimises. Missing distances of a row are left out.
///
/// The descent (Levenberg and Marquardt) starts from the linear least-squares solution of the differences of squares
/// and from beside the nearest old points; the best end is kept. At a stationary map every old object is a stationary
/// point of its own loss, so an old object placed again comes back to where it was, unless its row has a better place.
#[derive(Debug, Clone)]
pub struct Anchors {
    points: Embedding,
    loss: Loss,
    transform: Transform,
    stretch: f64,
    dim: usize,
    nearest: Option<usize>,
    own: Option<OwnRows>,
    unplaceable: Option<String>,
}

impl Anchors {
    /// Fixed points (in canonical pose), a loss, and the transformation from data to disparities. `dim` is how many of
    /// the leading coordinates make the map: fewer than the points have where a method solves in more dimensions.
    #[must_use]
    pub fn new(points: Embedding, loss: Loss, transform: Transform, dim: usize) -> Self {
        Anchors { points, loss, transform, stretch: 1.0, dim, nearest: None, own: None, unplaceable: None }
    }
    /// The same, its fixed points turned.
    pub(crate) fn turned(self, turn: &Turn) -> Result<Self, Error> {
        Ok(Anchors { points: self.points.turned(turn)?, ..self })
    }
    /// With disparities stretched before placing. Where a fit minimises stress relative to the size of the map, `S/T`, its
    /// map is stationary for the targets `dhat / (1 - S/T)`, so those are what a single point must be held against.
    #[must_use]
    pub fn stretched(mut self, stretch: f64) -> Self {
        self.stretch = stretch;
        self
    }
    /// Placing by so many of the shortest distances of a row alone: where only distances between neighbours mean anything.
    #[must_use]
    pub fn nearest(mut self, count: usize) -> Self {
        self.nearest = Some(count.max(1));
        self
    }
    /// Placing a row by what it says within itself, beside the rows of the fit; neither loss nor transformation is asked then.
    #[must_use]
    pub fn each_its_own(mut self, rows: OwnRows) -> Self {
        self.own = Some(rows);
        self
    }
    /// A map on which nothing can be placed honestly, and why.
    #[must_use]
    pub(crate) fn unplaceable(mut self, why: &str) -> Self {
        self.unplaceable = Some(why.into());
        self
    }
    /// The old points.
    #[must_use]
    pub fn points(&self) -> &Embedding {
        &self.points
    }
    /// The transformation from data to disparities.
    #[must_use]
    pub fn transform(&self) -> &Transform {
        &self.transform
    }
    /// Dimensions of the map.
    #[must_use]
    pub fn dim(&self) -> usize {
        self.dim
    }
    /// The same model after the map was moved into its pose.
    #[must_use]
    pub fn posed(self, pose: &Pose) -> Self {
        let points = Embedding::new(self.points.objects().clone(), pose.apply(self.points.points()));
        Anchors { points: points.unwrap_or(self.points), ..self }
    }

    /// `own` is the old object that the new one is, if it is one: its distance to itself says nothing of its place.
    fn point(&self, row: ArrayView1<'_, f64>, columns: &[usize], own: Option<usize>) -> Option<Vec<f64>> {
        let known: Vec<usize> = (0..columns.len()).filter(|&k| !row[columns[k]].is_nan() && own != Some(k)).collect();
        if known.is_empty() {
            return None;
        }
        let known = match self.nearest {
            Some(count) if count < known.len() => {
                let mut order = known;
                order.sort_by(|a, b| row[columns[*a]].total_cmp(&row[columns[*b]]).then(a.cmp(b)));
                order.truncate(count);
                order
            }
            _ => known,
        };
        if let Some(rows) = self.own {
            return self.own_point(rows, &known, known.iter().map(|&k| row[columns[k]]).collect());
        }
        let target: Vec<f64> = known.iter().map(|&k| self.stretch * self.transform.apply(row[columns[k]])).collect();
        let old = self.points.points().select(ndarray::Axis(0), &known);
        let problem = Own { old: &old, target: &target, loss: self.loss };
        let best =
            problem.starts().into_iter().map(|start| problem.descend(start)).min_by(|a, b| a.1.total_cmp(&b.1))?;
        Some(best.0.slice(s![..self.dim]).to_vec())
    }

    /// The place of a row that has a scale, or an order, of its own.
    fn own_point(&self, rows: OwnRows, known: &[usize], data: Vec<f64>) -> Option<Vec<f64>> {
        let old = self.points.points().select(ndarray::Axis(0), known);
        // The data on the scale of the map, for places to start from.
        let mean = old.mean_axis(ndarray::Axis(0))?;
        let wide = ((&old - &mean).mapv(|v| v * v).sum() / old.nrows() as f64).sqrt();
        let size = (data.iter().map(|v| v * v).sum::<f64>() / data.len() as f64).sqrt();
        let target: Vec<f64> = data.iter().map(|v| v * wide / size.max(1e-300)).collect();
        let starts = Own { old: &old, target: &target, loss: Loss::Stress }.starts();
        let best = OwnRow { old: &old, data: &data, rows }.place(starts)?;
        Some(best.slice(s![..self.dim]).to_vec())
    }

    pub(crate) fn to_parts(&self) -> Parts {
        let mut parts = Parts::new("anchors");
        parts.arrays.insert("points".into(), self.points.points().clone().into_dyn());
        parts.labels.insert("points".into(), self.points.objects().labels().to_vec());
        parts.settings.insert("loss".into(), serde_json::json!(self.loss));
        parts.settings.insert("transform".into(), serde_json::json!(self.transform));
        parts.settings.insert("stretch".into(), serde_json::json!(self.stretch));
        parts.settings.insert("dim".into(), serde_json::json!(self.dim));
        if let Some(nearest) = self.nearest {
            parts.settings.insert("nearest".into(), serde_json::json!(nearest));
        }
        if let Some(own) = self.own {
            parts.settings.insert("own".into(), serde_json::json!(own));
        }
        if let Some(why) = &self.unplaceable {
            parts.settings.insert("unplaceable".into(), serde_json::json!(why));
        }
        parts
    }
    pub(crate) fn from_parts(parts: &Parts) -> Result<Self, Error> {
        let points = Embedding::new(parts.objects("points")?, parts.matrix("points")?)?;
        let dim = parts.setting("dim")?;
        if dim > points.dim() {
            return Err(parts.defect("its arrays do not fit together"));
        }
        let (loss, transform, stretch) =
            (parts.setting("loss")?, parts.setting("transform")?, parts.setting("stretch")?);
        let nearest = parts.settings.contains_key("nearest").then(|| parts.setting("nearest")).transpose()?;
        let own = parts.settings.contains_key("own").then(|| parts.setting("own")).transpose()?;
        let unplaceable =
            parts.settings.contains_key("unplaceable").then(|| parts.setting("unplaceable")).transpose()?;
        Ok(Anchors { points, loss, transform, stretch, dim, nearest, own, unplaceable })
    }
}

impl Place<DistanceRows> for Anchors {
    fn place(&self, query: &DistanceRows) -> Result<Embedding, Error> {
        if let Some(why) = &self.unplaceable {
            return Err(Error::Evidence {
                what: "nothing can be placed on this map".into(),
                remedy: why.clone().into(),
            });
        }
        let columns = query.columns_of(self.points.objects())?;
        let index = self.points.objects().index();
        place_rows(query.objects(), self.dim, |r| {
            let own = index.get(query.objects().labels()[r].as_str()).map(|item| item.index());
            self.point(query.row(r), &columns, own).ok_or_else(|| Error::Evidence {
                what: format!("`{}` has no distance to any old object", query.objects().labels()[r]),
                remedy: "give it at least one distance, better three or more than the map has dimensions".into(),
            })
        })
    }
}

/// The loss of one new object.
struct Own<'a> {
    old: &'a Array2<f64>,
    target: &'a [f64],
    loss: Loss,
}

impl Own<'_> {
    /// Residuals and their derivatives at `y`, one row for each old point.
    fn residuals(&self, y: &Array1<f64>) -> (Array1<f64>, Array2<f64>) {
        let mut jacobian = -self.old + y;
        let mut residual = Array1::zeros(self.target.len());
        for (k, mut row) in jacobian.outer_iter_mut().enumerate() {
            let d2 = row.dot(&row);
            match self.loss {
                Loss::Stress => {
                    let d = d2.sqrt();
                    residual[k] = d - self.target[k];
                    row.mapv_inplace(|v| if d > 0.0 { v / d } else { 0.0 });
                }
                Loss::SquaredStress | Loss::AbsoluteSquares => {
                    residual[k] = d2 - self.target[k].powi(2);
                    row.mapv_inplace(|v| 2.0 * v);
                }
            }
        }
        (residual, jacobian)
    }

    /// The best place near a start, and its loss.
    fn descend(&self, start: Array1<f64>) -> (Array1<f64>, f64) {
        let (mut y, value) = least_squares::minimise(start, 200, |y| self.residuals(y));
        if self.loss != Loss::AbsoluteSquares {
            return (y, value);
        }
        // Least squares with weights 1/|r|, the floor of which goes down: each round lowers Σ √(r² + floor²).
        let absolute = |y: &Array1<f64>| self.residuals(y).0.iter().map(|r| r.abs()).sum::<f64>();
        let mut best = (y.clone(), absolute(&y));
        let mut floor = best.1 / self.target.len() as f64;
        for _ in 0..60 {
            let roots = self.residuals(&y).0.mapv(|r| (r * r + floor * floor).powf(-0.25));
            y = least_squares::minimise(y, 20, |y| {
                let (r, j) = self.residuals(y);
                (&r * &roots, &j * &roots.view().insert_axis(ndarray::Axis(1)))
            })
            .0;
            let value = absolute(&y);
            if value < best.1 {
                best = (y.clone(), value);
            }
            floor *= 0.6;
        }
        best
    }

    /// Where to begin: the linear solution, and a step away from each of the three nearest old points (on one, the
    /// derivative of its distance is not defined).
    fn starts(&self) -> Vec<Array1<f64>> {
        let p = self.old.ncols();
        let mean = self.old.mean_axis(ndarray::Axis(0)).unwrap_or_else(|| Array1::zeros(p));
        let centred = self.old - &mean;
        // |y - y_k|² = t_k², less its mean over k, is linear in y: 2 (y_k - mean)·y = |y_k|² - t_k² - mean of the same.
        let right =
            Array1::from_shape_fn(self.target.len(), |k| centred.row(k).dot(&centred.row(k)) - self.target[k].powi(2));
        let right = &right - right.mean().unwrap_or(0.0);
        let linear = least_squares::linear(&(&centred * 2.0), &right) + &mean;
        let mut order: Vec<usize> = (0..self.target.len()).collect();
        order.sort_by(|a, b| self.target[*a].total_cmp(&self.target[*b]).then(a.cmp(b)));
        let mut starts = vec![linear];
        for &k in order.iter().take(3) {
            let away = &mean - &self.old.row(k);
            let length = away.dot(&away).sqrt();
            let mut start = self.old.row(k).to_owned();
            if length > 0.0 {
                start = start + away * ((0.5 * self.target[k] + 1e-3 * length) / length);
            } else {
                start[0] += 0.5 * self.target[k] + 1e-9;
            }
            starts.push(start);
        }
        starts
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::object::Objects;
    use ndarray::array;

    #[test]
    fn exact_rows_come_back_exactly_and_gaps_are_left_out() {
        let old = array![[0.0, 0.0], [4.0, 0.0], [0.0, 3.0], [5.0, 5.0]];
        let at = array![1.0, 2.0];
        let mut rows = Array2::from_shape_fn((2, 4), |(_, k)| (&old.row(k) - &at).mapv(|v: f64| v * v).sum().sqrt());
        rows[(1, 3)] = f64::NAN;
        let names = Objects::new(["a", "b", "c", "d"]).unwrap();
        let query = DistanceRows::new(Objects::new(["new", "gap"]).unwrap(), names.clone(), rows).unwrap();
        for loss in [Loss::Stress, Loss::SquaredStress, Loss::AbsoluteSquares] {
            let model = Anchors::new(Embedding::new(names.clone(), old.clone()).unwrap(), loss, Transform::Identity, 2);
            let placed = model.place(&query).unwrap();
            for point in placed.points().outer_iter() {
                assert!((&point - &at).iter().all(|e| e.abs() < 1e-7), "{point}");
            }
        }
    }
}
