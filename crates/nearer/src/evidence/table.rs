//! Tables as they come: a row for each object, columns of numbers or of words, and cells that are empty.

use ndarray::Axis;

use crate::error::Error;
use crate::evidence::{Features, size};
use crate::object::{Item, Objects};

/// A row for each object, in columns of numbers or of categories, any cell of which may be missing.
///
/// ```
/// use nearer::evidence::{Table, TableColumn};
/// use nearer::Objects;
/// # fn main() -> Result<(), nearer::Error> {
/// let table = Table::new(Objects::new(["ant", "bee", "cod"])?, vec![
///     TableColumn::numbers("legs", [Some(6.0), Some(6.0), None]),
///     TableColumn::words("lives in", [Some("soil"), Some("hive"), Some("sea")]),
/// ])?;
/// assert_eq!((table.missing(), table.columns().len()), (1, 2));
/// # Ok(()) }
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Table {
    objects: Objects,
    columns: Vec<TableColumn>,
}

/// One column of a [`Table`].
#[derive(Debug, Clone, PartialEq)]
pub struct TableColumn {
    name: String,
    pub(crate) cells: Cells,
}

/// What a column holds.
#[derive(Debug, Clone)]
pub(crate) enum Cells {
    /// Numbers; a cell that is missing is NaN, in here only.
    Numbers(Vec<f64>),
    /// Words, in the order of their first appearance, and the number of each cell's.
    Words { names: Vec<String>, of: Vec<Option<u32>> },
}

impl PartialEq for Cells {
    fn eq(&self, other: &Self) -> bool {
        let same =
            |a: &[f64], b: &[f64]| a.len() == b.len() && a.iter().zip(b).all(|(x, y)| x.to_bits() == y.to_bits());
        match (self, other) {
            (Cells::Numbers(a), Cells::Numbers(b)) => same(a, b),
            (Cells::Words { names, of }, Cells::Words { names: others, of: by }) => names == others && of == by,
            _ => false,
        }
    }
}

impl Cells {
    fn len(&self) -> usize {
        match self {
            Cells::Numbers(v) => v.len(),
            Cells::Words { of, .. } => of.len(),
        }
    }
    fn missing(&self) -> usize {
        match self {
            Cells::Numbers(v) => v.iter().filter(|x| x.is_nan()).count(),
            Cells::Words { of, .. } => of.iter().filter(|x| x.is_none()).count(),
        }
    }
}

impl TableColumn {
    /// A column of numbers.
    #[must_use]
    pub fn numbers(name: impl Into<String>, values: impl IntoIterator<Item = Option<f64>>) -> Self {
        let values = values.into_iter().map(|v| v.unwrap_or(f64::NAN)).collect();
        TableColumn { name: name.into(), cells: Cells::Numbers(values) }
    }
    /// A column of categories.
    #[must_use]
    pub fn words<S: AsRef<str>>(name: impl Into<String>, values: impl IntoIterator<Item = Option<S>>) -> Self {
        let mut names: Vec<String> = Vec::new();
        let mut index = std::collections::HashMap::new();
        let mut of = Vec::new();
        for value in values {
            of.push(value.map(|v| {
                *index.entry(v.as_ref().to_owned()).or_insert_with(|| {
                    names.push(v.as_ref().to_owned());
                    names.len() as u32 - 1
                })
            }));
        }
        TableColumn { name: name.into(), cells: Cells::Words { names, of } }
    }
    /// Its name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }
    /// The numbers of a column of numbers, NaN what is missing.
    pub(crate) fn as_numbers(&self) -> Option<&[f64]> {
        match &self.cells {
            Cells::Numbers(v) => Some(v),
            Cells::Words { .. } => None,
        }
    }
    /// The words of a column of words.
    fn as_words(&self) -> impl Iterator<Item = Option<&str>> {
        let (names, of): (&[String], &[Option<u32>]) = match &self.cells {
            Cells::Words { names, of } => (names, of),
            Cells::Numbers(_) => (&[], &[]),
        };
        of.iter().map(move |k| k.map(|k| names[k as usize].as_str()))
    }
    /// Whether it holds numbers.
    #[must_use]
    pub fn is_numbers(&self) -> bool {
        matches!(self.cells, Cells::Numbers(_))
    }
}

impl Table {
    /// Columns of as many cells as there are objects; every number that is there must be finite.
    pub fn new(objects: Objects, columns: Vec<TableColumn>) -> Result<Self, Error> {
        if columns.is_empty() {
            return Err(Error::Evidence {
                what: "the table has no columns".into(),
                remedy: "give at least one beside the labels".into(),
            });
        }
        for column in &columns {
            if column.cells.len() != objects.len() {
                return Err(Error::Evidence {
                    what: format!(
                        "the column `{}` has {} cells, and there are {} objects",
                        column.name,
                        column.cells.len(),
                        objects.len()
                    ),
                    remedy: "give a cell for each object".into(),
                });
            }
            if let Cells::Numbers(values) = &column.cells
                && let Some(i) = values.iter().position(|v| !v.is_nan() && !size::is_usable(*v))
            {
                return Err(Error::Evidence {
                    what: format!(
                        "`{}` of `{}` is {}",
                        column.name,
                        objects.label(Item(i as u32)),
                        size::shown(values[i])
                    ),
                    remedy: "give a finite number, the column perhaps in a larger unit, or leave the cell empty".into(),
                });
            }
        }
        Ok(Table { objects, columns })
    }
    /// The objects of the rows.
    #[must_use]
    pub fn objects(&self) -> &Objects {
        &self.objects
    }
    /// How many rows there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.objects.len()
    }
    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.objects.is_empty()
    }
    /// The columns.
    #[must_use]
    pub fn columns(&self) -> &[TableColumn] {
        &self.columns
    }
    /// How many cells are missing.
    #[must_use]
    pub fn missing(&self) -> usize {
        self.columns.iter().map(|c| c.cells.missing()).sum()
    }
    /// Only the columns of these names, or all but those, each name refused where there is no such column.
    pub fn chosen(mut self, names: &[String], keep: bool) -> Result<Self, Error> {
        for name in names {
            if !self.columns.iter().any(|c| c.name == *name) {
                let near = crate::error::nearest(name, self.columns.iter().map(|c| c.name.as_str()));
                return Err(Error::Evidence {
                    what: format!("the table has no column `{name}`"),
                    remedy: near.map_or("give a name of its header".into(), |n| format!("perhaps `{n}`").into()),
                });
            }
        }
        if !names.is_empty() {
            self.columns.retain(|c| names.contains(&c.name) == keep);
        }
        Table::new(self.objects, self.columns)
    }
    /// The columns of this table, and below them those of the same names of another.
    pub(crate) fn above(&self, other: &Table) -> Result<Vec<TableColumn>, Error> {
        let below = |column: &TableColumn| {
            let found = other.columns.iter().find(|c| c.name == column.name).ok_or_else(|| Error::Evidence {
                what: format!("the new rows have no column `{}`", column.name),
                remedy: "give every column that the old rows have".into(),
            })?;
            let unlike = |is: &str, was: &str| Error::Evidence {
                what: format!(
                    "the column `{}` of the new rows holds {is}, and that of the old ones {was}",
                    column.name
                ),
                remedy: "give it as it was".into(),
            };
            match (&column.cells, &found.cells) {
                (Cells::Numbers(a), Cells::Numbers(b)) => {
                    let all = a.iter().chain(b).map(|v| (!v.is_nan()).then_some(*v));
                    Ok(TableColumn::numbers(&column.name, all))
                }
                (Cells::Words { .. }, Cells::Words { .. }) => {
                    Ok(TableColumn::words(&column.name, column.as_words().chain(found.as_words())))
                }
                // A column of which only blanks are new holds whatever it held.
                (Cells::Words { .. }, Cells::Numbers(b)) if b.iter().all(|v| v.is_nan()) => {
                    Ok(TableColumn::words(&column.name, column.as_words().chain(b.iter().map(|_| None))))
                }
                (Cells::Numbers(_), Cells::Words { .. }) => Err(unlike("words", "numbers")),
                (Cells::Words { .. }, Cells::Numbers(_)) => Err(unlike("numbers", "words")),
            }
        };
        self.columns.iter().map(below).collect()
    }
}

impl From<Features> for Table {
    fn from(features: Features) -> Self {
        let (n, m) = features.values().dim();
        let mut numbers = vec![Vec::with_capacity(n); m];
        // Some rows at a time, which stay in the cache until all of their columns are taken.
        for rows in features.values().axis_chunks_iter(Axis(0), 64) {
            numbers.iter_mut().zip(rows.columns()).for_each(|(to, column)| to.extend(column));
        }
        let columns = features.columns().iter().zip(numbers);
        let columns =
            columns.map(|(name, values)| TableColumn { name: name.clone(), cells: Cells::Numbers(values) }).collect();
        Table { objects: features.objects().clone(), columns }
    }
}
