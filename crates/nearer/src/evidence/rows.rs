//! Rows of distances: from some objects (rows) to others (columns), as placing and landmarks need them.

use ndarray::{Array2, ArrayView1, Axis};
use nearer_num::packed;

use crate::error::{Error, Remedy};
use crate::evidence::{Distances, Repeats, size};
use crate::object::{Item, Objects};

/// Distances from the objects of the rows to the objects of the columns. New objects have rows, old ones columns.
#[derive(Debug, Clone)]
pub struct DistanceRows {
    objects: Objects,
    to: Objects,
    /// `NaN` inside means missing; it never leaves this type as a number.
    values: Array2<f64>,
}

impl DistanceRows {
    /// One row for each of `objects`, one column for each of `to`; `NaN` is a missing distance.
    pub fn new(objects: Objects, to: Objects, values: Array2<f64>) -> Result<Self, Error> {
        if values.dim() != (objects.len(), to.len()) {
            return Err(Error::Evidence {
                what: format!(
                    "{} x {} distances for {} rows and {} columns",
                    values.nrows(),
                    values.ncols(),
                    objects.len(),
                    to.len()
                ),
                remedy: "give one row for each new object and one column for each old one".into(),
            });
        }
        if let Some(((i, j), v)) =
            values.indexed_iter().find(|(_, v)| !v.is_nan() && (!size::is_usable(**v) || **v < 0.0))
        {
            return Err(Error::Evidence {
                what: format!(
                    "the distance from `{}` to `{}` is {}",
                    objects.label(Item(i as u32)),
                    to.label(Item(j as u32)),
                    size::shown(*v)
                ),
                remedy: "a distance is a number from 0 to 1e60; leave out what was not measured".into(),
            });
        }
        Ok(DistanceRows { objects, to, values })
    }
    /// The objects of the rows.
    #[must_use]
    pub fn objects(&self) -> &Objects {
        &self.objects
    }
    /// The objects of the columns.
    #[must_use]
    pub fn to(&self) -> &Objects {
        &self.to
    }
    /// The distance from the object of a row to that of a column.
    #[must_use]
    pub fn get(&self, row: usize, column: usize) -> Option<f64> {
        Some(self.values[(row, column)]).filter(|v| !v.is_nan())
    }
    /// The distances among the objects of the columns, from the rows that have their labels.
    pub fn landmarks(&self) -> Result<Distances, Error> {
        let index = self.objects.index();
        let rows: Vec<usize> =
            self.to
                .labels()
                .iter()
                .map(|label| {
                    index.get(label.as_str()).map(|item| item.index()).ok_or_else(|| Error::Evidence {
                    what: format!(
                        "`{label}` is a column but has no row, so its distances to the other landmarks are not known"
                    ),
                    remedy:
                        Remedy::from("give each landmark a row of its own, or put the rows on an existing map with ")
                            .command("place"),
                })
                })
                .collect::<Result<_, _>>()?;
        let square = Array2::from_shape_fn((rows.len(), rows.len()), |(i, j)| self.values[(rows[i], j)]);
        Distances::from_square(self.to.clone(), square.view())
    }
    /// Rows and columns as the objects of one list, rows first; a column that has the label of a row is told from it.
    pub fn together(&self) -> Result<Objects, Error> {
        let index = self.objects.index();
        let column = |l: &String| if index.contains_key(l.as_str()) { format!("{l} (column)") } else { l.clone() };
        Objects::new(self.objects.labels().iter().cloned().chain(self.to.labels().iter().map(column)))
    }
    /// The distances of rows and columns to each other, known only across.
    ///
    /// ```
    /// use ndarray::array;
    /// use nearer::{DistanceRows, Objects};
    /// # fn main() -> Result<(), nearer::Error> {
    /// let people = Objects::new(["Ann", "Bob"])?;
    /// let rows = DistanceRows::new(people, Objects::new(["toast", "bun", "roll"])?, array![[1., 2., 3.], [3., 1., 2.]])?;
    /// let all = rows.across()?;
    /// assert_eq!((all.len(), all.between(0, 2), all.between(0, 1)), (5, Some(1.0), None));
    /// # Ok(()) }
    /// ```
    pub fn across(&self) -> Result<Distances, Error> {
        let (n, all) = (self.objects.len(), self.together()?);
        let total = all.len();
        let (mut values, mut weights) = (vec![0.0; packed::len(total)], vec![0.0; packed::len(total)]);
        for ((i, j), v) in self.values.indexed_iter().filter(|(_, v)| !v.is_nan()) {
            let k = packed::index(total, i, n + j);
            (values[k], weights[k]) = (*v, 1.0);
        }
        Distances::from_parts(all, values, Some(weights), None, Repeats::default())
    }
    /// These rows and columns, in this order.
    pub(crate) fn subset(&self, rows: &[usize], columns: &[usize]) -> DistanceRows {
        let values = self.values.select(Axis(0), rows).select(Axis(1), columns);
        DistanceRows { objects: self.objects.subset(rows), to: self.to.subset(columns), values }
    }
    /// A row; missing entries are `NaN` here and only here.
    pub(crate) fn row(&self, row: usize) -> ArrayView1<'_, f64> {
        self.values.row(row)
    }
    /// The columns in the order of `wanted`: the columns may come in any order and may be more than are wanted.
    /// An error names the first wanted label that has no column.
    pub fn columns_of(&self, wanted: &Objects) -> Result<Vec<usize>, Error> {
        let index = self.to.index();
        wanted
            .labels()
            .iter()
            .map(|label| {
                index.get(label.as_str()).map(|item| item.index()).ok_or_else(|| Error::Evidence {
                    what: format!("there is no column for `{label}`, an object of the map"),
                    remedy:
                        "give a column (it may be empty where nothing was measured) for each old object the map needs"
                            .into(),
                })
            })
            .collect()
    }
}
