//! Turns and mirrors of a whole map about its origin: what distances leave open, and people settle by looking.

use ndarray::{Array2, s};

use crate::error::Error;
use crate::geometry::{Embedding, align};
use crate::object::Objects;

/// An orthogonal matrix that rows of coordinates are multiplied by, from the right.
///
/// ```
/// use nearer::{Embedding, Objects, geometry::Turn};
/// # fn main() -> Result<(), nearer::Error> {
/// let map = Embedding::new(Objects::new(["north", "south"])?, ndarray::array![[1.0, 0.0], [-1.0, 0.0]])?;
/// let turned = Turn::none(2).up(&map, "north", "south")?.apply(&map)?;
/// assert!((turned.point(0)[1] - 1.0).abs() < 1e-15);
/// # Ok(()) }
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Turn(Array2<f64>);

impl Turn {
    /// None at all.
    #[must_use]
    pub fn none(dim: usize) -> Self {
        Turn(Array2::eye(dim))
    }
    /// Whether it moves nothing.
    #[must_use]
    pub fn is_none(&self) -> bool {
        self.0 == Array2::<f64>::eye(self.0.nrows())
    }
    /// The matrix.
    #[must_use]
    pub fn matrix(&self) -> &Array2<f64> {
        &self.0
    }
    /// The same, then mirrored along an axis, counted from 0.
    pub fn flip(mut self, axis: usize) -> Result<Self, Error> {
        self.has(axis)?;
        self.0.column_mut(axis).mapv_inplace(|v| -v);
        Ok(self)
    }
    /// The same, then turned in the plane of the first two axes, counter-clockwise.
    pub fn rotate(self, degrees: f64) -> Result<Self, Error> {
        self.has(1)?;
        let (sin, cos) = degrees.to_radians().sin_cos();
        Ok(self.plane(sin, cos))
    }
    /// The same, then turned in the plane of the first two axes until one object is straight above another.
    pub fn up(self, map: &Embedding, above: &str, below: &str) -> Result<Self, Error> {
        self.has(1)?;
        let place = |label: &str| {
            let found = map.objects().index().get(label).map(|item| item.index());
            found.map(|i| map.point(i).to_owned()).ok_or_else(|| unknown(label, map.objects()))
        };
        let way = (place(above)? - place(below)?).dot(&self.0);
        let length = way[0].hypot(way[1]);
        if length == 0.0 {
            return Err(Error::Evidence {
                what: format!("`{above}` and `{below}` lie at one place, so that neither is above the other"),
                remedy: "name two objects that lie apart".into(),
            });
        }
        // (x, y) to (0, length): by the angle whose sine is x and cosine y.
        Ok(self.plane(way[0] / length, way[1] / length))
    }
    /// The turn that brings a map closest to another by the objects both have; distances and the centre stay as they are.
    pub fn to(map: &Embedding, reference: &Embedding) -> Result<Self, Error> {
        let index = reference.objects().index();
        let labels = map.objects().labels().iter().enumerate();
        let common: Vec<(usize, usize)> =
            labels.filter_map(|(i, l)| Some((i, index.get(l.as_str())?.index()))).collect();
        if common.len() < 2 {
            return Err(Error::TooFew {
                found: common.len(),
                needed: 2,
                remedy: "a map is turned to another by the objects whose labels both have".into(),
            });
        }
        let dim = map.dim().max(reference.dim());
        let taken = |m: &Embedding, of: &dyn Fn(&(usize, usize)) -> usize| {
            let mut out = Array2::zeros((common.len(), dim));
            for (k, pair) in common.iter().enumerate() {
                out.slice_mut(s![k, ..m.dim()]).assign(&m.point(of(pair)));
            }
            out
        };
        let turn = align(&taken(map, &|p| p.0), &taken(reference, &|p| p.1), false)?.rotation;
        if dim == map.dim() {
            return Ok(Turn(turn));
        }
        // Of a deeper reference, what can be had within the map's own axes.
        let inner = turn.slice(s![..map.dim(), ..map.dim()]).to_owned();
        let svd = nearer_num::dense::svd(inner.view())
            .map_err(|_| Error::Numerical { what: "the singular values of a turn".into() })?;
        Ok(Turn(svd.u.dot(&svd.v.t())))
    }
    /// The map, turned.
    pub fn apply(&self, map: &Embedding) -> Result<Embedding, Error> {
        if self.is_none() {
            return Ok(map.clone());
        }
        map.turned(self)
    }
    /// Rows of coordinates, turned; those beyond the axes of the turn stay as they are.
    fn of(&self, points: &Array2<f64>) -> Array2<f64> {
        let dim = self.0.nrows();
        let mut out = points.clone();
        let turned = points.slice(s![.., ..dim]).dot(&self.0);
        out.slice_mut(s![.., ..dim]).assign(&turned);
        out
    }

    fn plane(mut self, sin: f64, cos: f64) -> Self {
        for mut row in self.0.rows_mut() {
            let (x, y) = (row[0], row[1]);
            (row[0], row[1]) = (cos * x - sin * y, sin * x + cos * y);
        }
        self
    }
    fn has(&self, axis: usize) -> Result<(), Error> {
        if axis < self.0.nrows() {
            return Ok(());
        }
        Err(Error::Evidence {
            what: format!("axis {} is to be turned or mirrored, and the map has {}", axis + 1, self.0.nrows()),
            remedy: "choose another axis".into(),
        })
    }
}

impl Embedding {
    /// The same objects, turned.
    pub(crate) fn turned(&self, turn: &Turn) -> Result<Embedding, Error> {
        Embedding::new(self.objects().clone(), turn.of(self.points()))
    }
}

fn unknown(label: &str, objects: &Objects) -> Error {
    let near = crate::error::nearest(label, objects.labels().iter().map(String::as_str));
    Error::UnknownLabel {
        label: label.into(),
        place: "what is to be above and below".into(),
        objects: objects.len(),
        remedy: near.map_or("give the label of an object".into(), |n| format!("perhaps `{n}`").into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::array;

    fn map() -> Embedding {
        let points = array![[3.0, 1.0, 0.5], [-1.0, 2.0, 0.0], [0.0, -2.0, 1.0], [1.0, 1.0, -1.0]];
        Embedding::new(Objects::new(["a", "b", "c", "d"]).unwrap(), points).unwrap()
    }

    #[test]
    fn turns_are_what_they_say_and_keep_distances() {
        let m = map();
        let quarter = Turn::none(3).rotate(90.0).unwrap().apply(&m).unwrap();
        assert!((quarter.point(0)[0] + 1.0).abs() < 1e-15 && (quarter.point(0)[1] - 3.0).abs() < 1e-15);
        let up = Turn::none(3).flip(0).unwrap().up(&m, "c", "a").unwrap().apply(&m).unwrap();
        assert!((up.point(2)[0] - up.point(0)[0]).abs() < 1e-14 && up.point(2)[1] > up.point(0)[1]);
        for (i, j) in [(0, 1), (0, 3), (2, 3)] {
            assert!((up.distance(i, j) - m.distance(i, j)).abs() < 1e-14);
        }
        assert!(Turn::none(3).flip(3).is_err() && Turn::none(1).rotate(3.0).is_err());
        assert!(Turn::none(3).up(&m, "a", "A1").unwrap_err().to_string().contains("A1"));
    }

    #[test]
    fn a_turned_map_finds_back() {
        let m = map();
        let other = Turn::none(3).rotate(33.0).unwrap().flip(2).unwrap().apply(&m).unwrap();
        let back = Turn::to(&other, &m).unwrap().apply(&other).unwrap();
        assert!((back.points() - m.points()).iter().all(|v| v.abs() < 1e-13));
    }
}
