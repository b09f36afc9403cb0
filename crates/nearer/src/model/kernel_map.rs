//! Placing by features: coordinates that are linear in kernel values.

use ndarray::{Array1, Array2, Axis};

use crate::error::Error;
use crate::evidence::{Features, KernelFunctions, KernelQuery, Kernels};
use crate::fit::{Place, place_rows};
use crate::geometry::{Embedding, Turn};
use crate::model::Parts;

/// A map as a function of features: `g(x) = Σ_k A_kᵗ k_k(x, ·) - c`, with `k_k(x, ·)` the values of the k-th kernel against
/// the training objects.
///
/// The model holds the features of the training objects and nothing of the judgements it was learned from.
#[derive(Debug, Clone)]
pub struct KernelMap {
    functions: KernelFunctions,
    coefficients: Vec<Array2<f64>>,
    offset: Array1<f64>,
}

impl KernelMap {
    /// A map of these coefficients, one row for each training object and kernel, centred on the training objects.
    pub fn new(kernels: &Kernels, coefficients: Vec<Array2<f64>>) -> Result<Self, Error> {
        let (n, dim) = (kernels.objects().len(), coefficients.first().map_or(0, Array2::ncols));
        if coefficients.len() != kernels.len() || coefficients.iter().any(|a| a.dim() != (n, dim)) {
            return Err(Error::Evidence {
                what: format!("coefficients for {} kernels, and there are {}", coefficients.len(), kernels.len()),
                remedy: "give a row for each training object of each kernel".into(),
            });
        }
        let mut model = KernelMap { functions: kernels.functions().clone(), coefficients, offset: Array1::zeros(dim) };
        model.offset = model.raw(kernels).mean_axis(Axis(0)).unwrap_or_else(|| Array1::zeros(dim));
        Ok(model)
    }
    fn raw(&self, kernels: &Kernels) -> Array2<f64> {
        let mut sum = Array2::zeros((kernels.objects().len(), self.dim()));
        for (k, a) in self.coefficients.iter().enumerate() {
            sum += &kernels.matrix(k).dot(a);
        }
        sum
    }
    /// Where the training objects lie.
    pub fn trained(&self, kernels: &Kernels) -> Result<Embedding, Error> {
        Embedding::new(kernels.objects().clone(), self.raw(kernels) - &self.offset)
    }
    /// The same map with everything moved.
    #[must_use]
    pub(crate) fn moved(mut self, by: &Array1<f64>) -> Self {
        self.offset -= by;
        self
    }
    /// The kernels as functions.
    #[must_use]
    pub fn functions(&self) -> &KernelFunctions {
        &self.functions
    }
    /// For each kernel a row of coefficients for each training object.
    #[must_use]
    pub fn coefficients(&self) -> &[Array2<f64>] {
        &self.coefficients
    }
    /// The same map, turned.
    #[must_use]
    pub(crate) fn turned(mut self, turn: &Turn) -> Self {
        self.coefficients.iter_mut().for_each(|a| *a = a.dot(turn.matrix()));
        self.offset = self.offset.dot(turn.matrix());
        self
    }
    /// Dimensions of the map.
    #[must_use]
    pub fn dim(&self) -> usize {
        self.offset.len()
    }

    pub(crate) fn to_parts(&self) -> Parts {
        let mut parts = Parts::new("kernel-map");
        let (described, arrays) = self.functions.taken_apart();
        parts.arrays.extend(arrays);
        for (k, a) in self.coefficients.iter().enumerate() {
            parts.arrays.insert(format!("coefficients{k}"), a.clone().into_dyn());
        }
        parts.arrays.insert("offset".into(), self.offset.clone().into_dyn());
        parts.labels.insert("training".into(), self.functions.objects().labels().to_vec());
        parts.settings.insert("kernels".into(), serde_json::json!(described));
        parts
    }
    pub(crate) fn from_parts(parts: &Parts) -> Result<Self, Error> {
        let wrong = || parts.defect("its arrays do not fit together");
        let objects = parts.objects("training")?;
        let (matrix, vector) = (|name: &str| parts.matrix(name).ok(), |name: &str| parts.vector(name).ok());
        let functions =
            KernelFunctions::put_together(objects, parts.setting("kernels")?, matrix, vector).ok_or_else(wrong)?;
        let offset = parts.vector("offset")?;
        let coefficients =
            (0..functions.len()).map(|k| parts.matrix(&format!("coefficients{k}"))).collect::<Result<Vec<_>, _>>()?;
        if coefficients.iter().any(|a| a.dim() != (functions.objects().len(), offset.len())) {
            return Err(wrong());
        }
        Ok(KernelMap { functions, coefficients, offset })
    }
}

impl Place<KernelQuery> for KernelMap {
    fn place(&self, query: &KernelQuery) -> Result<Embedding, Error> {
        place_rows(query.objects(), self.dim(), |r| {
            let mut point = (-&self.offset).to_vec();
            for (values, a) in self.functions.row(query, r)?.iter().zip(&self.coefficients) {
                for (v, row) in values.iter().zip(a.rows()) {
                    point.iter_mut().zip(row).for_each(|(p, a)| *p += v * a);
                }
            }
            Ok(point)
        })
    }
}

impl Place<Features> for KernelMap {
    fn place(&self, features: &Features) -> Result<Embedding, Error> {
        self.place(&self.functions.query(&[(None, features)])?)
    }
}
