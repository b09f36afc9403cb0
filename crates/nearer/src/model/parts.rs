//! A model as plain named parts: what a model file holds, with no code inside.

use std::collections::BTreeMap;

use ndarray::{Array1, Array2, ArrayD, Ix1, Ix2};
use serde_json::{Map, Value};

use crate::error::{At, Error, Remedy};
use crate::object::Objects;

/// Arrays, labels and settings of a model.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Parts {
    /// Which kind of model.
    pub kind: String,
    /// Numbers, by name.
    pub arrays: BTreeMap<String, ArrayD<f64>>,
    /// Labels, by name.
    pub labels: BTreeMap<String, Vec<String>>,
    /// Everything else.
    pub settings: Map<String, Value>,
}

impl Parts {
    /// Parts of this kind, still empty.
    #[must_use]
    pub fn new(kind: &str) -> Self {
        Parts { kind: kind.into(), ..Parts::default() }
    }
    pub(crate) fn defect(&self, what: &str) -> Error {
        Error::Format {
            at: At::default(),
            what: format!("not a usable model: {what}"),
            remedy: Remedy::from("make the model file again with ").command("embed"),
        }
    }
    fn array(&self, name: &str) -> Result<ArrayD<f64>, Error> {
        self.arrays.get(name).cloned().ok_or_else(|| self.defect(&format!("the array `{name}` is missing")))
    }
    pub(crate) fn matrix(&self, name: &str) -> Result<Array2<f64>, Error> {
        self.array(name)?
            .into_dimensionality::<Ix2>()
            .map_err(|_| self.defect(&format!("the array `{name}` is not a matrix")))
    }
    pub(crate) fn vector(&self, name: &str) -> Result<Array1<f64>, Error> {
        self.array(name)?
            .into_dimensionality::<Ix1>()
            .map_err(|_| self.defect(&format!("the array `{name}` is not a vector")))
    }
    pub(crate) fn objects(&self, name: &str) -> Result<Objects, Error> {
        let labels = self.labels.get(name).ok_or_else(|| self.defect(&format!("the labels `{name}` are missing")))?;
        Objects::new(labels.iter().cloned())
    }
    pub(crate) fn setting<T: serde::de::DeserializeOwned>(&self, name: &str) -> Result<T, Error> {
        let value = self.settings.get(name).cloned().unwrap_or(Value::Null);
        serde_json::from_value(value).map_err(|e| self.defect(&format!("the setting `{name}` cannot be read ({e})")))
    }
}
