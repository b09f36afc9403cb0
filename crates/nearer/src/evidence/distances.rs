//! Distances between pairs of objects: possibly missing, weighted, repeated, or known only as a bound.

use ndarray::ArrayView2;
use nearer_num::packed;

use crate::error::{At, Error, Remedy};
use crate::evidence::size;
use crate::object::{Item, Objects, Pair};

/// Two entries of a square matrix that differ by at most this share of the larger are one rounded number (their mean
/// is taken); a larger difference is an error that names the pair.
pub const SYMMETRY_TOLERANCE: f64 = 1e-6;

/// What a value says of the distance.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Bound {
    /// It is this.
    Exact,
    /// It is at most this (a file says `<10`).
    AtMost,
    /// It is at least this (a file says `>80`).
    AtLeast,
}

/// What merging repeated measurements left behind.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Repeats {
    /// Pairs that were measured more than once.
    pub pairs: usize,
    /// All measurements, before merging.
    pub rows: usize,
    /// `Σ w (value - mean of its pair)²`: the part of any stress that no map can remove.
    pub pure_error: f64,
    /// Bounds set aside because an exact value of the same pair, or a tighter bound, stands beside them.
    pub bounds_set_aside: usize,
}

/// A distance for each pair of objects, as far as known.
///
/// Stored as one value a pair (`n(n-1)/2` numbers, half of the square); weights and bounds take memory only when there
/// are any. A missing distance has weight 0 and [`get`](Distances::get) gives `None`; a distance of 0 is a distance.
///
/// ```
/// use nearer::{Objects, Distances};
/// # fn main() -> Result<(), nearer::Error> {
/// let d = Distances::from_condensed(Objects::new(["a", "b", "c"])?, vec![3.0, 4.0, 5.0])?;
/// assert_eq!(d.between(0, 2), Some(4.0));
/// # Ok(()) }
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Distances {
    objects: Objects,
    values: Vec<f64>,
    weights: Option<Vec<f64>>,
    bounds: Option<Vec<Bound>>,
    repeats: Repeats,
}

impl Distances {
    /// From the upper triangle, row by row: (0,1), (0,2), …, (0,n-1), (1,2), …, as SciPy's `pdist` writes it.
    pub fn from_condensed(objects: Objects, values: Vec<f64>) -> Result<Self, Error> {
        let expected = packed::len(objects.len());
        if values.len() != expected {
            return Err(Error::Evidence {
                what: format!("{} values for {} objects, which have {expected} pairs", values.len(), objects.len()),
                remedy: "give one value for each pair i < j, row by row".into(),
            });
        }
        let d = Distances { objects, values, weights: None, bounds: None, repeats: Repeats::default() };
        d.validated()
    }

    /// From a square matrix; `NaN` is a missing distance. Entries that differ from their mirror image by no more than
    /// [`SYMMETRY_TOLERANCE`] are averaged.
    pub fn from_square(objects: Objects, square: ArrayView2<'_, f64>) -> Result<Self, Error> {
        let n = objects.len();
        if square.dim() != (n, n) {
            return Err(Error::Evidence {
                what: format!("a {} x {} matrix for {n} objects", square.nrows(), square.ncols()),
                remedy: "give one row and one column for each object".into(),
            });
        }
        let mut values = Vec::with_capacity(packed::len(n));
        let mut weights: Option<Vec<f64>> = None;
        for i in 0..n {
            if square[(i, i)] != 0.0 && !square[(i, i)].is_nan() {
                return Err(diagonal_error(&objects, i, square[(i, i)], At::default()));
            }
            for j in i + 1..n {
                let value = symmetric_value(&objects, (i, j), square[(i, j)], square[(j, i)])?;
                match value {
                    Some(v) => {
                        values.push(v);
                        if let Some(w) = &mut weights {
                            w.push(1.0);
                        }
                    }
                    None => {
                        weights.get_or_insert_with(|| vec![1.0; values.len()]).push(0.0);
                        values.push(0.0);
                    }
                }
            }
        }
        Distances { objects, values, weights, bounds: None, repeats: Repeats::default() }.validated()
    }

    /// From parts that already agree in length; the readers use it. Weight 0 means missing.
    pub fn from_parts(
        objects: Objects,
        values: Vec<f64>,
        weights: Option<Vec<f64>>,
        bounds: Option<Vec<Bound>>,
        repeats: Repeats,
    ) -> Result<Self, Error> {
        let expected = packed::len(objects.len());
        let lengths = [Some(values.len()), weights.as_ref().map(Vec::len), bounds.as_ref().map(Vec::len)];
        if let Some(found) = lengths.into_iter().flatten().find(|&l| l != expected) {
            return Err(Error::Evidence {
                what: format!(
                    "{found} values, weights or bounds for {} objects, which have {expected} pairs",
                    objects.len()
                ),
                remedy: "give one of each for every pair i < j, row by row".into(),
            });
        }
        Distances { objects, values, weights, bounds, repeats }.validated()
    }

    fn validated(self) -> Result<Self, Error> {
        let bad_value = |v: f64, w: f64| w > 0.0 && !(size::is_usable(v) && v >= 0.0);
        let bad_weight = |w: f64| w != 0.0 && !size::is_weight(w);
        let found = match &self.weights {
            None => self.values.iter().position(|&v| bad_value(v, 1.0)),
            Some(w) => self.values.iter().zip(w).position(|(&v, &w)| bad_weight(w) || bad_value(v, w)),
        };
        let Some(k) = found else { return self.large_enough() };
        let (a, b) = packed::pair(self.objects.len(), k);
        let (a, b) = (self.objects.label(Item(a as u32)), self.objects.label(Item(b as u32)));
        let v = self.values[k];
        Err(match self.weights.as_ref().map(|w| w[k]).filter(|w| bad_weight(*w)) {
            Some(w) => Error::Evidence {
                what: format!("the weight of `{a}` and `{b}` is {}", size::shown(w)),
                remedy: format!("a weight is a number from 0 (missing) to {:e}", size::MOST_WEIGHT).into(),
            },
            None if v.is_finite() && v > 0.0 => Error::Evidence {
                what: format!("the distance between `{a}` and `{b}` is {v:e}, and the most is {:e}", size::LARGEST),
                remedy: "give all distances in a larger unit".into(),
            },
            None => Error::Evidence {
                what: format!("the distance between `{a}` and `{b}` is {v}"),
                remedy: "a distance is a finite number, 0 or more; leave out what was not measured".into(),
            },
        })
    }

    /// Refuses distances that vanish when they are squared.
    fn large_enough(self) -> Result<Self, Error> {
        let largest = self.largest();
        if largest > 0.0 && largest < size::LEAST {
            return Err(Error::Evidence {
                what: format!("the largest distance is {largest:e}, and squares of so small numbers are 0"),
                remedy: "give all distances in a smaller unit".into(),
            });
        }
        Ok(self)
    }

    /// The objects.
    #[must_use]
    pub fn objects(&self) -> &Objects {
        &self.objects
    }
    /// How many objects there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.objects.len()
    }
    /// Whether there are no objects.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.objects.is_empty()
    }
    /// How many pairs there are, known or not: `n(n-1)/2`.
    #[must_use]
    pub fn pairs(&self) -> usize {
        self.values.len()
    }
    /// The largest known distance; 0 where none is known.
    pub(crate) fn largest(&self) -> f64 {
        packed::largest(&self.values, self.weights())
    }
    /// How many pairs have no distance.
    #[must_use]
    pub fn missing(&self) -> usize {
        self.weights.as_ref().map_or(0, |w| w.iter().filter(|w| **w == 0.0).count())
    }
    /// How many known pairs have only a bound.
    #[must_use]
    pub fn censored(&self) -> usize {
        self.bounds
            .as_ref()
            .map_or(0, |b| b.iter().enumerate().filter(|&(k, b)| *b != Bound::Exact && self.weight_at(k) > 0.0).count())
    }
    /// Whether every pair has an exact distance of weight 1: what closed forms need.
    #[must_use]
    pub fn is_plain(&self) -> bool {
        self.bounds.is_none() && self.weights.as_ref().is_none_or(|w| w.iter().all(|w| *w == 1.0))
    }
    /// What merging repeated measurements left behind.
    #[must_use]
    pub fn repeats(&self) -> Repeats {
        self.repeats
    }
    /// The distance of a pair. `None`: never measured. `Some(0.0)`: measured, and equal.
    #[must_use]
    pub fn get(&self, pair: Pair) -> Option<f64> {
        let k = packed::index(self.len(), pair.first().index(), pair.second().index());
        (self.weight_at(k) > 0.0).then(|| self.values[k])
    }
    /// The distance between the objects at two indices; 0 for an object and itself.
    #[must_use]
    pub fn between(&self, i: usize, j: usize) -> Option<f64> {
        match Pair::new(Item(i as u32), Item(j as u32)) {
            Some(pair) => self.get(pair),
            None => Some(0.0),
        }
    }
    /// The others whose distance from the object at this index is known, in their order.
    pub(crate) fn known_from(&self, i: usize) -> impl Iterator<Item = (usize, f64)> {
        let n = self.len();
        // A row of the square: down a column of the triangle, where each step is shorter than the last, then along a row.
        let before = (0..i).scan(i.wrapping_sub(1), move |k, j| {
            let here = (j, *k);
            *k += n - 2 - j;
            Some(here)
        });
        let start = packed::row_start(n, i);
        let after = (i + 1..n).map(move |j| (j, start + j - i - 1));
        before.chain(after).filter(|(_, k)| self.weight_at(*k) > 0.0).map(|(j, k)| (j, self.values[k]))
    }
    /// One value a pair, in the order of SciPy's `pdist`; what stands at a missing pair means nothing.
    #[must_use]
    pub fn condensed(&self) -> &[f64] {
        &self.values
    }
    /// The weights in the same order, if any differ from 1; 0 is missing.
    #[must_use]
    pub fn weights(&self) -> Option<&[f64]> {
        self.weights.as_deref()
    }
    /// The bounds in the same order, if any value is one.
    #[must_use]
    pub fn bounds(&self) -> Option<&[Bound]> {
        self.bounds.as_deref()
    }
    /// The weight of the k-th pair.
    #[must_use]
    pub fn weight_at(&self, k: usize) -> f64 {
        self.weights.as_ref().map_or(1.0, |w| w[k])
    }
    /// Bytes held, for estimates.
    #[must_use]
    pub fn memory(&self) -> u64 {
        (8 * self.values.len()
            + self.weights.as_ref().map_or(0, |w| 8 * w.len())
            + self.bounds.as_ref().map_or(0, Vec::len)) as u64
    }

    /// The same distances with every known value put through `f`: a transformation of your own before a fit.
    pub fn map(mut self, f: impl Fn(f64) -> f64) -> Result<Self, Error> {
        for k in 0..self.values.len() {
            if self.weight_at(k) > 0.0 {
                self.values[k] = f(self.values[k]);
            }
        }
        self.validated()
    }

    /// The distances among the objects at these indices, in that order.
    #[must_use]
    pub fn subset(&self, items: &[usize]) -> Distances {
        let n = self.len();
        // One list at a time, with no list of places: distances may fill half of the memory.
        let taken = packed::Subset::new(n, items);
        Distances {
            objects: self.objects.subset(items),
            values: taken.of(&self.values),
            weights: self.weights.as_ref().map(|w| taken.of(w)),
            bounds: self.bounds.as_ref().map(|b| taken.of(b)),
            repeats: self.repeats,
        }
    }

    /// The same objects and weights with other values: resampling uses it.
    pub fn with_values(&self, values: Vec<f64>) -> Result<Distances, Error> {
        Distances::from_parts(self.objects.clone(), values, self.weights.clone(), self.bounds.clone(), self.repeats)
    }

    /// Refuses missing entries and bounds, for methods that need every exact distance.
    pub fn require_complete(&self, method: &str) -> Result<(), Error> {
        let gap = self.weights.as_ref().and_then(|w| w.iter().position(|w| *w == 0.0));
        let bound = || self.bounds.as_ref().and_then(|b| b.iter().position(|b| *b != Bound::Exact));
        let (k, what, remedy) = match (gap, bound()) {
            (_, Some(k)) => (k, "only a bound on the distance between", "use metric-mds, which takes bounds"),
            (Some(k), None) => (
                k,
                "no distance between",
                "use metric-mds or nonmetric-mds, which work with what is known as long as it hangs together",
            ),
            (None, None) => return Ok(()),
        };
        let (a, b) = packed::pair(self.len(), k);
        Err(Error::Evidence {
            what: format!(
                "{method} needs every distance, and there is {what} `{}` and `{}`",
                self.objects.label(Item(a as u32)),
                self.objects.label(Item(b as u32))
            ),
            remedy: remedy.into(),
        })
    }
}

/// The one value of two mirror entries (`NaN`: missing); an error that names the pair when they differ.
pub(crate) fn symmetric_value(objects: &Objects, (i, j): (usize, usize), a: f64, b: f64) -> Result<Option<f64>, Error> {
    match (a.is_nan(), b.is_nan()) {
        (true, true) => Ok(None),
        (true, false) => Ok(Some(b)),
        (false, true) => Ok(Some(a)),
        (false, false) if (a - b).abs() <= SYMMETRY_TOLERANCE * a.abs().max(b.abs()) => Ok(Some((a + b) / 2.0)),
        (false, false) => Err(Error::Evidence {
            what: format!(
                "the matrix is not symmetric: `{}` to `{}` is {a}, and back it is {b} (more than {SYMMETRY_TOLERANCE:e} of the larger apart)",
                objects.label(Item(i as u32)),
                objects.label(Item(j as u32))
            ),
            remedy: "average the two, or keep one triangle, before mapping".into(),
        }),
    }
}

/// The error for a diagonal entry that is not zero.
pub(crate) fn diagonal_error(objects: &Objects, i: usize, value: f64, at: At) -> Error {
    Error::Value {
        at,
        what: format!(
            "the diagonal entry of `{}` is {value}, and the distance of an object to itself is 0",
            objects.label(Item(i as u32))
        ),
        remedy: Remedy::from("if the numbers are similarities, say how to turn them into distances with ")
            .any("similarity"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::array;

    #[test]
    fn zero_is_a_distance_and_nan_is_missing() {
        let nan = f64::NAN;
        let d = Distances::from_square(
            Objects::numbered(3),
            array![[0.0, 0.0, nan], [0.0, 0.0, 2.0], [nan, 2.0, 0.0]].view(),
        )
        .unwrap();
        assert_eq!(d.between(0, 1), Some(0.0));
        assert_eq!(d.between(0, 2), None);
        assert_eq!(d.missing(), 1);
    }

    #[test]
    fn asymmetry_names_the_pair() {
        let e = Distances::from_square(Objects::new(["x", "y"]).unwrap(), array![[0.0, 1.0], [2.0, 0.0]].view());
        let e = e.unwrap_err().to_string();
        assert!(e.contains("`x` to `y` is 1") && e.contains("back it is 2"), "{e}");
    }

    #[test]
    fn a_negative_distance_names_the_pair() {
        let e = Distances::from_condensed(Objects::numbered(3), vec![1.0, -2.0, 1.0]).unwrap_err().to_string();
        assert!(e.contains("`1` and `3` is -2"), "{e}");
    }

    #[test]
    fn a_subset_keeps_its_distances_in_any_order() {
        let d = Distances::from_condensed(Objects::numbered(4), vec![1., 2., 3., 4., 5., 6.]).unwrap();
        let s = d.subset(&[3, 0, 2]);
        assert_eq!(s.objects().labels(), ["4", "1", "3"]);
        assert_eq!(s.condensed(), [3.0, 6.0, 2.0]);
    }
}
