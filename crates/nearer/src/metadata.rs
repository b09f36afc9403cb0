//! What else is known of the objects: columns of numbers, categories or text, to colour, shape, group and class them by.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use crate::error::Error;
use crate::evidence::{Features, Sorts};
use crate::object::Objects;

/// Named columns, one value for each object, in the order of the objects they were joined to.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Metadata {
    /// The columns.
    pub columns: Vec<Column>,
}

/// One column as it was written; `None` where an object has no value. [`Column::typed`] tells what it is.
#[derive(Debug, Clone, PartialEq)]
pub struct Column {
    /// Its name.
    pub name: String,
    /// One value for each object.
    pub values: Vec<Option<String>>,
}

/// The values of a column by what they are; `None` is a gap.
#[derive(Debug, Clone, PartialEq)]
pub enum Values {
    /// Every value is a number.
    Numbers(Vec<Option<f64>>),
    /// Words that stand for several objects each.
    Categories {
        /// The words, in the order of their first appearance.
        names: Vec<String>,
        /// For each object the number of its word.
        of: Vec<Option<usize>>,
    },
    /// Hardly a value stands twice: notes, names, addresses.
    Text(Vec<Option<String>>),
}

impl Metadata {
    /// The column of that name.
    #[must_use]
    pub fn column(&self, name: &str) -> Option<&Column> {
        self.columns.iter().find(|c| c.name == name)
    }

    /// With the columns of a table of features that `wanted` names and that are not there yet, for these objects.
    #[must_use]
    pub fn and_features(mut self, features: &Features, objects: &Objects, wanted: impl Fn(&str) -> bool) -> Self {
        let rows = objects.among(features.objects());
        for (k, name) in features.columns().iter().enumerate().filter(|(_, name)| wanted(name)) {
            if self.column(name).is_none() {
                let value = |row: &Option<usize>| row.map(|i| features.values()[(i, k)].to_string());
                self.columns.push(Column { name: name.clone(), values: rows.iter().map(value).collect() });
            }
        }
        self
    }

    /// With the columns of other metadata of the same objects, in place of those of the same name.
    #[must_use]
    pub fn and(mut self, other: Metadata) -> Self {
        self.columns.retain(|c| other.column(&c.name).is_none());
        self.columns.extend(other.columns);
        self
    }

    /// The same of other objects, each by its number among those it was joined to; nothing is known of one that has none.
    #[must_use]
    pub fn subset(&self, rows: &[Option<usize>]) -> Self {
        let some = |c: &Column| rows.iter().map(|i| c.values[(*i)?].clone()).collect();
        Metadata { columns: self.columns.iter().map(|c| Column { name: c.name.clone(), values: some(c) }).collect() }
    }
}

impl Column {
    /// The values by what they are: numbers where all are, categories where at most half as many words as values are
    /// there, else text.
    ///
    /// ```
    /// use nearer::metadata::{Column, Values};
    /// let of = |values: &[&str]| Column { name: "c".into(), values: values.iter().map(|v| Some(v.to_string())).collect() };
    /// assert!(matches!(of(&["1", "2.5"]).typed(), Values::Numbers(_)));
    /// assert!(matches!(of(&["oak", "ash", "oak", "ash"]).typed(), Values::Categories { .. }));
    /// assert!(matches!(of(&["by the gate", "felled in spring"]).typed(), Values::Text(_)));
    /// ```
    #[must_use]
    pub fn typed(&self) -> Values {
        if let Some(numbers) = self.numbers() {
            return Values::Numbers(numbers);
        }
        let (names, of) = self.categories();
        if 2 * names.len() <= self.values.iter().flatten().count() {
            return Values::Categories { names, of };
        }
        Values::Text(self.values.clone())
    }
    /// The values as numbers, if every value that is there is one.
    #[must_use]
    pub fn numbers(&self) -> Option<Vec<Option<f64>>> {
        self.values
            .iter()
            .map(|v| match v {
                None => Some(None),
                Some(text) => text.trim().parse().ok().filter(|x: &f64| x.is_finite()).map(Some),
            })
            .collect()
    }
    /// The values as words and their numbers, whatever they are.
    #[must_use]
    pub fn categories(&self) -> (Vec<String>, Vec<Option<usize>>) {
        let mut names: Vec<String> = Vec::new();
        let mut index: HashMap<String, usize> = HashMap::new();
        let mut number = |text: &'_ String| {
            let next = index.len();
            let known = index.entry(text.clone());
            if let Entry::Vacant(_) = known {
                names.push(text.clone());
            }
            *known.or_insert(next)
        };
        let of = self.values.iter().map(|value| value.as_ref().map(&mut number)).collect();
        (names, of)
    }
    /// The column as classes of these objects: those of one value are alike.
    ///
    /// # Fails
    /// [`Error::Evidence`] where no value stands for two objects, so that nothing is said.
    pub fn classes(&self, objects: &Objects) -> Result<Sorts, Error> {
        let (names, _) = self.categories();
        if names.len() >= self.values.iter().flatten().count() {
            return Err(Error::Evidence {
                what: format!(
                    "no value of the column `{}` stands for two objects, so that it makes no classes",
                    self.name
                ),
                remedy: "choose a column whose values are shared".into(),
            });
        }
        Sorts::new(objects.clone(), vec![self.name.clone()], vec![self.values.clone()])
    }
}
