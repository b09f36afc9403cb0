//! Features: a row of numbers for each object, from which distances or kernels are computed.

use ndarray::{Array2, ArrayView1};

use nearer_num::packed::{self, Points};

use crate::error::Error;
use crate::evidence::Distances;
use crate::evidence::size;
use crate::object::{Item, Objects};

/// One row of finite numbers for each object, one named column for each feature.
///
/// ```
/// use ndarray::array;
/// use nearer::{Features, Objects};
/// # fn main() -> Result<(), nearer::Error> {
/// let objects = Objects::new(["ant", "bee"])?;
/// let f = Features::new(objects, ["legs", "wings"], array![[6.0, 0.0], [6.0, 4.0]])?;
/// assert_eq!(f.squared_distance(0, 1), 16.0);
/// # Ok(()) }
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Features {
    objects: Objects,
    columns: Vec<String>,
    values: Array2<f64>,
}

impl Features {
    /// Rows of numbers for `objects`; `columns` names what they are. Every number must be finite.
    pub fn new<S: Into<String>>(
        objects: Objects,
        columns: impl IntoIterator<Item = S>,
        values: Array2<f64>,
    ) -> Result<Self, Error> {
        let columns: Vec<String> = columns.into_iter().map(Into::into).collect();
        if values.dim() != (objects.len(), columns.len()) {
            return Err(Error::Evidence {
                what: format!(
                    "{} x {} numbers for {} objects and {} columns",
                    values.nrows(),
                    values.ncols(),
                    objects.len(),
                    columns.len()
                ),
                remedy: "give one row for each object and one number for each column".into(),
            });
        }
        if columns.is_empty() {
            return Err(Error::Evidence {
                what: "the objects have no features".into(),
                remedy: "give at least one column of numbers".into(),
            });
        }
        if let Some(((i, j), v)) = values.indexed_iter().find(|(_, v)| !size::is_usable(**v)) {
            let remedy = if v.is_finite() {
                format!("the most is {:e}: give the column in a larger unit", size::LARGEST).into()
            } else {
                "a feature is a finite number; fill the gap, or leave out the row or the column".into()
            };
            return Err(Error::Evidence {
                what: format!(
                    "the feature `{}` of `{}` is {}",
                    columns[j],
                    objects.label(Item(i as u32)),
                    size::shown(*v)
                ),
                remedy,
            });
        }
        let features = Features { objects, columns, values };
        features.large_enough()
    }
    /// Refuses features whose differences vanish when they are squared.
    fn large_enough(self) -> Result<Self, Error> {
        let spread = |c: ArrayView1<'_, f64>| {
            let (least, most) = c.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(a, b), v| (a.min(*v), b.max(*v)));
            most - least
        };
        let widest = self.values.columns().into_iter().map(spread).fold(0.0, f64::max);
        if widest > 0.0 && widest < size::LEAST {
            return Err(Error::Evidence {
                what: format!("the features differ by {widest:e} at most, and squares of so small numbers are 0"),
                remedy: "give them in a smaller unit".into(),
            });
        }
        // One that vanishes beside others, too: it would be there and count for nothing.
        let largest = |column: ArrayView1<'_, f64>| column.iter().fold(0.0, |m: f64, v| m.max(v.abs()));
        let small = self.values.columns().into_iter().map(largest).zip(&self.columns);
        if let Some((size, name)) = { small }.find(|(size, _)| *size > 0.0 && *size < size::LEAST) {
            return Err(Error::Evidence {
                what: format!("the feature `{name}` is {size:e} at the most, and squares of so small numbers are 0"),
                remedy: "give it in a smaller unit, or leave it out".into(),
            });
        }
        Ok(self)
    }
    /// The objects of the rows.
    #[must_use]
    pub fn objects(&self) -> &Objects {
        &self.objects
    }
    /// The names of the columns.
    #[must_use]
    pub fn columns(&self) -> &[String] {
        &self.columns
    }
    /// The numbers, a row for each object.
    #[must_use]
    pub fn values(&self) -> &Array2<f64> {
        &self.values
    }
    /// The names of the columns and the numbers, for one who keeps no labels.
    pub(crate) fn into_table(self) -> (Vec<String>, Array2<f64>) {
        (self.columns, self.values)
    }
    /// How many objects there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.objects.len()
    }
    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.objects.is_empty()
    }
    /// The features of one object.
    #[must_use]
    pub fn row(&self, object: usize) -> ArrayView1<'_, f64> {
        self.values.row(object)
    }
    /// The squared Euclidean distance between the features of two objects.
    #[must_use]
    pub fn squared_distance(&self, a: usize, b: usize) -> f64 {
        self.row(a).iter().zip(self.row(b)).map(|(x, y)| (x - y) * (x - y)).sum()
    }
    /// The Euclidean distances of all pairs.
    pub fn distances(&self) -> Result<Distances, Error> {
        let mut all = vec![0.0; packed::len(self.len())];
        packed::distances(&Points::from_rows(&self.values), &mut all);
        Distances::from_condensed(self.objects.clone(), all)
    }
    /// The columns that have one value throughout: they tell no object from another.
    #[must_use]
    pub fn constant_columns(&self) -> Vec<usize> {
        let constant = |j: &usize| self.values.column(*j).iter().all(|v| *v == self.values[(0, *j)]);
        if self.is_empty() { Vec::new() } else { (0..self.columns.len()).filter(constant).collect() }
    }
    /// The mean of each column and its standard deviation over all objects; that of a column of one value is 0. The order of the
    /// objects changes no bit of them: sums go by their labels.
    #[must_use]
    pub fn spreads(&self) -> Vec<(f64, f64)> {
        let n = self.len().max(1) as f64;
        let order = self.objects.label_order().unwrap_or_else(|| (0..self.len()).collect());
        let one = |j: usize| {
            let column = self.values.column(j);
            let values = || order.iter().map(|i| column[*i]);
            if values().all(|v| v == column[0]) {
                return (column[0], 0.0);
            }
            let mean = values().sum::<f64>() / n;
            (mean, (values().map(|v| (v - mean) * (v - mean)).sum::<f64>() / n).sqrt())
        };
        if self.is_empty() { Vec::new() } else { (0..self.columns.len()).map(one).collect() }
    }
    /// The objects whose features are all the same as those of an earlier one, each with the first such.
    #[must_use]
    pub fn duplicates(&self) -> Vec<(usize, usize)> {
        // Adding zero makes -0 into 0: the two are one number and have different bits.
        let key = |i: usize| self.row(i).iter().map(|v| (v + 0.0).to_bits()).collect::<Vec<u64>>();
        let mut first = std::collections::HashMap::new();
        (0..self.len()).filter_map(|i| Some((i, *first.entry(key(i)).or_insert(i))).filter(|(i, f)| i != f)).collect()
    }
    /// The features in some of the columns: by name, by number from 1, by a range `3-7`, or by how the name begins, `mfcc*`. No
    /// choice is all of them.
    pub fn chosen(&self, columns: &[String]) -> Result<Features, Error> {
        if columns.is_empty() {
            return Ok(self.clone());
        }
        let mut places: Vec<usize> = Vec::new();
        for choice in columns {
            let before = places.len();
            let range = choice.split_once('-').unwrap_or((choice, choice));
            let range = range.0.parse::<usize>().ok().zip(range.1.parse::<usize>().ok());
            if let Some(k) = self.columns.iter().position(|c| c == choice) {
                places.push(k);
            } else if let Some(prefix) = choice.strip_suffix('*') {
                places.extend((0..self.columns.len()).filter(|k| self.columns[*k].starts_with(prefix)));
            } else if let Some((from, to)) = range.filter(|(a, b)| 1 <= *a && a <= b && *b <= self.columns.len()) {
                places.extend(from - 1..to);
            }
            if places.len() == before {
                return Err(Error::Evidence {
                    what: format!("`{choice}` is none of the {} columns of features", self.columns.len()),
                    remedy: "choose columns by name, by number from 1, as 3-7, or as mfcc*".into(),
                });
            }
        }
        let columns: Vec<String> = places.iter().map(|k| self.columns[*k].clone()).collect();
        Features::new(self.objects.clone(), columns, self.values.select(ndarray::Axis(1), &places))
    }
    /// The features of some of the objects, in that order.
    #[must_use]
    pub fn subset(&self, items: &[usize]) -> Self {
        Features {
            objects: self.objects.subset(items),
            columns: self.columns.clone(),
            values: self.values.select(ndarray::Axis(0), items),
        }
    }
    /// The features of these objects.
    ///
    /// # Fails
    /// [`Error::Evidence`] where one of them has none.
    pub fn restricted(&self, objects: &Objects) -> Result<Self, Error> {
        let row = |(label, row): (&String, Option<usize>)| row.ok_or_else(|| unfeatured(label));
        let rows = objects.labels().iter().zip(objects.among(&self.objects)).map(row);
        Ok(self.subset(&rows.collect::<Result<Vec<_>, Error>>()?))
    }
}

/// An object is judged, and of its features nothing is known.
pub(super) fn unfeatured(label: &str) -> Error {
    Error::Evidence {
        what: format!("`{label}` is judged and has no features"),
        remedy: "give it a row of features, or leave its judgements out".into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::array;

    #[test]
    fn what_is_not_finite_is_refused_by_place() {
        for bad in [f64::NAN, f64::INFINITY] {
            let e = Features::new(Objects::numbered(2), ["a", "b"], array![[0.0, 1.0], [2.0, bad]]).unwrap_err();
            let e = e.to_string();
            assert!(e.contains("`b` of `2`") && e.contains("finite"), "{e}");
        }
        assert!(Features::new(Objects::numbered(2), ["a"], array![[0.0, 1.0], [2.0, 3.0]]).is_err());
        assert!(Features::new(Objects::numbered(1), [""; 0], Array2::zeros((1, 0))).is_err());
    }

    #[test]
    fn constant_columns_and_duplicates_are_found() {
        let f =
            Features::new(Objects::numbered(4), ["a", "b"], array![[0.0, 1.0], [2.0, 1.0], [-0.0, 1.0], [2.0, 1.0]])
                .unwrap();
        assert_eq!(f.constant_columns(), [1]);
        assert_eq!(f.duplicates(), [(2, 0), (3, 1)]);
        assert_eq!(f.subset(&[3]).row(0), array![2.0, 1.0]);
    }
}
