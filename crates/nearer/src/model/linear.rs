//! Placing by features: coordinates that are linear in them.

use ndarray::{Array1, Array2};

use crate::error::Error;
use crate::evidence::Features;
use crate::fit::{Place, place_rows};
use crate::geometry::{Embedding, Turn};
use crate::model::Parts;
use crate::object::Objects;

/// A map as a linear function of features: `y = L (x - mean)`.
///
/// The features may come from several tables, each with a name; a column belongs to its table. The model holds the names of
/// the columns, `L` and `mean`, and nothing of the objects it was learned from: anything that has the columns can be placed.
///
/// # Cost
/// `O(features · dim)` an object.
///
/// ```
/// use ndarray::array;
/// use nearer::{Features, Objects, Place, model::Linear};
/// # fn main() -> Result<(), nearer::Error> {
/// let map = Linear::new([("body", vec!["legs", "wings"])], array![[0.5], [2.0]], array![4.0, 0.0])?;
/// let bee = Features::new(Objects::new(["bee"])?, ["wings", "legs"], array![[4.0, 6.0]])?;
/// assert_eq!(map.place(&bee)?.point(0).to_vec(), [9.0]);
/// # Ok(()) }
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Linear {
    tables: Vec<Table>,
    /// One row for each column of the tables, one after another.
    map: Array2<f64>,
    mean: Array1<f64>,
}

#[derive(Debug, Clone, PartialEq)]
struct Table {
    name: String,
    columns: Vec<String>,
}

impl Linear {
    /// The map `y = L (x - mean)` of these columns, by the name of their table. `map` has a row for each column and a column
    /// for each dimension: it is the transpose of `L`.
    pub fn new<N: Into<String>, C: Into<String>>(
        tables: impl IntoIterator<Item = (N, Vec<C>)>,
        map: Array2<f64>,
        mean: Array1<f64>,
    ) -> Result<Self, Error> {
        let tables: Vec<Table> = tables
            .into_iter()
            .map(|(name, columns)| Table { name: name.into(), columns: columns.into_iter().map(Into::into).collect() })
            .collect();
        let count: usize = tables.iter().map(|t| t.columns.len()).sum();
        if map.nrows() != count || mean.len() != count || map.ncols() == 0 {
            return Err(Error::Evidence {
                what: format!(
                    "{} means and a map of {} x {} numbers for {count} features",
                    mean.len(),
                    map.nrows(),
                    map.ncols()
                ),
                remedy: "give a mean and a row of the map for each feature".into(),
            });
        }
        if map.iter().chain(&mean).any(|v| !v.is_finite()) {
            return Err(Error::Numerical { what: "a linear map of features (a number in it is not finite)".into() });
        }
        Ok(Linear { tables, map, mean })
    }
    /// The same map, turned.
    #[must_use]
    pub(crate) fn turned(mut self, turn: &Turn) -> Self {
        self.map = self.map.dot(turn.matrix());
        self
    }
    /// Dimensions of the map.
    #[must_use]
    pub fn dim(&self) -> usize {
        self.map.ncols()
    }
    /// The transpose of `L`: a row for each column of the tables, one table after another.
    #[must_use]
    pub fn map(&self) -> &Array2<f64> {
        &self.map
    }
    /// What is taken away from each feature.
    #[must_use]
    pub fn mean(&self) -> &Array1<f64> {
        &self.mean
    }
    /// The tables by name, each with the columns it must have.
    pub fn tables(&self) -> impl Iterator<Item = (&str, &[String])> {
        self.tables.iter().map(|t| (t.name.as_str(), t.columns.as_slice()))
    }

    /// Where objects lie that are described by several tables. A table may say which one of the map's it stands for; one that
    /// does not serves all whose columns it has. The objects are those of the first.
    pub fn place_tables(&self, given: &[(Option<&str>, &Features)]) -> Result<Embedding, Error> {
        let refuse = |what: String, remedy: String| Err(Error::Evidence { what, remedy: remedy.into() });
        let Some((_, first)) = given.first() else {
            return refuse("no table of new objects is given".into(), "give their features".into());
        };
        let names = || self.tables.iter().map(|t| t.name.as_str()).collect::<Vec<_>>().join(", ");
        if let Some(name) = given.iter().filter_map(|g| g.0).find(|n| self.tables.iter().all(|t| t.name != *n)) {
            return refuse(format!("the map has no features `{name}`"), format!("its features are {}", names()));
        }
        // For each feature its table and column, and for each table the row of each object.
        let mut sources: Vec<(&Features, usize)> = Vec::new();
        for table in &self.tables {
            let named = given.iter().find(|(name, _)| *name == Some(table.name.as_str()));
            let fits = |g: &&(Option<&str>, &Features)| g.0.is_none() && missing(table, g.1).is_none();
            let any = given.iter().find(|(name, _)| name.is_none());
            let Some((_, features)) = named.or_else(|| given.iter().find(fits)).or(any) else {
                return refuse(format!("no table has the features `{}`", table.name), "give one for each kind".into());
            };
            if let Some(column) = missing(table, features) {
                return refuse(
                    format!("the map is made of the feature `{column}`, and the table has no such column"),
                    format!("give a table with the columns {}", table.columns.join(", ")),
                );
            }
            let place = |c: &String| features.columns().iter().position(|have| have == c);
            sources.extend(table.columns.iter().filter_map(place).map(|column| (*features, column)));
        }
        let rows = given.iter().map(|(_, f)| rows_of(f, first.objects())).collect::<Result<Vec<_>, Error>>()?;
        let row = |f: &Features, k: usize| given.iter().position(|g| std::ptr::eq(g.1, f)).map_or(k, |at| rows[at][k]);
        place_rows(first.objects(), self.dim(), |k| {
            let mut point = vec![0.0; self.dim()];
            for (((features, column), weights), mean) in sources.iter().zip(self.map.rows()).zip(&self.mean) {
                let x = features.values()[(row(features, k), *column)] - mean;
                point.iter_mut().zip(weights).for_each(|(p, w)| *p += w * x);
            }
            Ok(point)
        })
    }

    pub(crate) fn to_parts(&self) -> Parts {
        let mut parts = Parts::new("linear");
        parts.arrays.insert("map".into(), self.map.clone().into_dyn());
        parts.arrays.insert("mean".into(), self.mean.clone().into_dyn());
        let columns = self.tables.iter().flat_map(|t| t.columns.iter().cloned()).collect();
        parts.labels.insert("columns".into(), columns);
        parts.labels.insert("tables".into(), self.tables.iter().map(|t| t.name.clone()).collect());
        let counts: Vec<usize> = self.tables.iter().map(|t| t.columns.len()).collect();
        parts.settings.insert("counts".into(), serde_json::json!(counts));
        parts
    }
    pub(crate) fn from_parts(parts: &Parts) -> Result<Self, Error> {
        let wrong = || parts.defect("its features do not fit together");
        let list = |name: &str| parts.labels.get(name).cloned().ok_or_else(wrong);
        let (mut columns, names) = (list("columns")?, list("tables")?);
        let counts: Vec<usize> = parts.setting("counts")?;
        let total = counts.iter().try_fold(0usize, |sum, c| sum.checked_add(*c));
        if counts.len() != names.len() || total != Some(columns.len()) {
            return Err(wrong());
        }
        let tables = names.into_iter().zip(&counts).map(|(name, count)| (name, columns.drain(..*count).collect()));
        let tables: Vec<(String, Vec<String>)> = tables.collect();
        Linear::new(tables, parts.matrix("map")?, parts.vector("mean")?).map_err(|_| wrong())
    }
}

/// The first column that a table lacks.
fn missing<'a>(table: &'a Table, features: &Features) -> Option<&'a String> {
    table.columns.iter().find(|c| !features.columns().contains(c))
}

/// The row of each object in a table.
fn rows_of(features: &Features, objects: &Objects) -> Result<Vec<usize>, Error> {
    let index = features.objects().index();
    let row = |label: &String| {
        index.get(label.as_str()).map(|item| item.index()).ok_or_else(|| Error::Evidence {
            what: format!("`{label}` has no row in one of the tables of features"),
            remedy: "give every object a row in each".into(),
        })
    };
    objects.labels().iter().map(row).collect()
}

impl Place<Features> for Linear {
    fn place(&self, features: &Features) -> Result<Embedding, Error> {
        self.place_tables(&[(None, features)])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::array;

    fn table(objects: &[&str], columns: &[&str], values: Array2<f64>) -> Features {
        Features::new(Objects::new(objects.iter().copied()).unwrap(), columns.iter().copied(), values).unwrap()
    }

    fn model() -> Linear {
        let map = array![[1.0, 0.0], [0.0, 2.0], [-1.0, 1.0]];
        Linear::new([("taste", vec!["sweet", "sour"]), ("kind", vec!["stone"])], map, array![1.0, 0.0, 0.5]).unwrap()
    }

    #[test]
    fn tables_are_joined_by_label_and_columns_by_name() {
        let taste = table(&["a", "b"], &["sour", "colour", "sweet"], array![[3.0, 9.0, 2.0], [0.0, 9.0, 1.0]]);
        let kind = table(&["b", "a"], &["stone"], array![[0.5], [1.5]]);
        let placed = model().place_tables(&[(None, &taste), (Some("kind"), &kind)]).unwrap();
        // a: (2 - 1, 2 · 3) + 1 · (-1, 1); b: nothing is off the means.
        assert_eq!(placed.points(), &array![[0.0, 7.0], [0.0, 0.0]]);
        let all = table(&["a"], &["stone", "sweet", "sour"], array![[1.5, 2.0, 3.0]]);
        assert_eq!(model().place(&all).unwrap().point(0).to_vec(), [0.0, 7.0]);
    }

    #[test]
    fn it_reads_back_and_what_does_not_fit_is_refused() {
        let parts = model().to_parts();
        assert_eq!(Linear::from_parts(&parts).unwrap(), model());
        let mut short = parts.clone();
        short.settings.insert("counts".into(), serde_json::json!([2, 2]));
        assert!(Linear::from_parts(&short).is_err());
        let bare = table(&["a"], &["sweet", "sour"], array![[1.0, 1.0]]);
        let e = model().place(&bare).unwrap_err().to_string();
        assert!(e.contains("`stone`") && e.contains("no such column"), "{e}");
        let e = model().place_tables(&[(Some("smell"), &bare)]).unwrap_err().to_string();
        assert!(e.contains("`smell`") && e.contains("taste, kind"), "{e}");
        assert!(Linear::new([("t", vec!["x"])], array![[f64::NAN]], array![0.0]).is_err());
    }
}
