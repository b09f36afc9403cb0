//! Kernels as named arrays, for a model file.

use std::collections::BTreeMap;

use ndarray::{Array1, Array2, ArrayD};
use serde::{Deserialize, Serialize};

use super::base::{Base, Formula};
use super::finish::Finish;
use super::{Kernel, KernelFunctions};
use crate::object::Objects;

/// What is not an array.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Described {
    bases: Vec<DescribedBase>,
    kernels: Vec<DescribedKernel>,
}

#[derive(Debug, Serialize, Deserialize)]
struct DescribedBase {
    name: String,
    formula: Formula,
    columns: Vec<String>,
}

#[derive(Debug, Serialize, Deserialize)]
struct DescribedKernel {
    name: String,
    terms: Vec<usize>,
    product: bool,
    /// What was done to the terms of a sum; files of before that added them as they are have nothing here.
    #[serde(default)]
    parts: Vec<DescribedFinish>,
    #[serde(flatten)]
    whole: DescribedFinish,
}

#[derive(Debug, Serialize, Deserialize)]
struct DescribedFinish {
    normalise: bool,
    size: f64,
    centre: Option<f64>,
}

impl DescribedFinish {
    fn of(finish: &Finish) -> Self {
        let Finish { normalise, size, means, .. } = finish;
        DescribedFinish { normalise: *normalise, size: *size, centre: means.as_ref().map(|m| m.1) }
    }

    /// The finish with its arrays; `None` where they do not fit.
    fn put_together(self, name: &str, n: usize, vector: &dyn Fn(&str) -> Option<Array1<f64>>) -> Option<Finish> {
        if self.size.is_nan() || self.size <= 0.0 {
            return None;
        }
        let means = match self.centre {
            Some(all) => Some((vector(&format!("{name}.means")).filter(|m| m.len() == n)?, all)),
            None => None,
        };
        let lengths = match self.normalise {
            true => vector(&format!("{name}.lengths")).filter(|l| l.len() == n && l.iter().all(|v| *v > 0.0))?,
            false => Array1::zeros(0),
        };
        Some(Finish { normalise: self.normalise, size: self.size, means, lengths })
    }
}

impl KernelFunctions {
    /// The description, and the arrays by name.
    pub(crate) fn taken_apart(&self) -> (Described, BTreeMap<String, ArrayD<f64>>) {
        let mut arrays = BTreeMap::new();
        for (k, b) in self.bases.iter().enumerate() {
            arrays.insert(format!("base{k}.training"), b.given_or_features().into_dyn());
            if let Some((mean, deviation)) = &b.standard {
                arrays.insert(format!("base{k}.mean"), mean.clone().into_dyn());
                arrays.insert(format!("base{k}.deviation"), deviation.clone().into_dyn());
            }
            if let Some(p) = &b.projector {
                arrays.insert(format!("base{k}.projector"), p.clone().into_dyn());
            }
        }
        for (k, one) in self.kernels.iter().enumerate() {
            let parts = one.parts.iter().enumerate().map(|(t, part)| (format!("kernel{k}.part{t}"), part));
            for (name, finish) in parts.chain([(format!("kernel{k}"), &one.whole)]) {
                if let Some((means, _)) = &finish.means {
                    arrays.insert(format!("{name}.means"), means.clone().into_dyn());
                }
                if finish.normalise {
                    arrays.insert(format!("{name}.lengths"), finish.lengths.clone().into_dyn());
                }
            }
        }
        let bases = self
            .bases
            .iter()
            .map(|b| DescribedBase { name: b.name.clone(), formula: b.formula, columns: b.columns.clone() })
            .collect();
        let kernels = self
            .kernels
            .iter()
            .map(|k| DescribedKernel {
                name: k.name.clone(),
                terms: k.terms.clone(),
                product: k.product,
                parts: k.parts.iter().map(DescribedFinish::of).collect(),
                whole: DescribedFinish::of(&k.whole),
            })
            .collect();
        (Described { bases, kernels }, arrays)
    }

    /// Kernels put together again; `None` where the parts do not fit.
    pub(crate) fn put_together(
        objects: Objects,
        described: Described,
        matrix: impl Fn(&str) -> Option<Array2<f64>>,
        vector: impl Fn(&str) -> Option<Array1<f64>>,
    ) -> Option<Self> {
        let n = objects.len();
        let mut bases = Vec::new();
        for (k, b) in described.bases.into_iter().enumerate() {
            let mut base = Base {
                name: b.name,
                formula: b.formula,
                columns: b.columns,
                training: Array2::zeros((0, 0)),
                standard: vector(&format!("base{k}.mean")).zip(vector(&format!("base{k}.deviation"))),
                projector: matrix(&format!("base{k}.projector")),
                notes: Vec::new(),
            };
            if base.formula != Formula::Given {
                base.training = matrix(&format!("base{k}.training"))?.as_standard_layout().into_owned();
                let width = base.columns.len();
                let fits = base.standard.as_ref().is_none_or(|(m, d)| m.len() == width && d.len() == width);
                if base.training.dim() != (n, width) || !fits {
                    return None;
                }
            }
            if base.projector.as_ref().is_some_and(|p| p.dim() != (n, n)) {
                return None;
            }
            bases.push(base);
        }
        let mut kernels = Vec::new();
        for (k, one) in described.kernels.into_iter().enumerate() {
            let DescribedKernel { name, terms, product, parts, whole } = one;
            let fits = parts.is_empty() || parts.len() == terms.len();
            if terms.is_empty() || !fits || terms.iter().any(|t| *t >= bases.len()) {
                return None;
            }
            let finish =
                |(t, part): (usize, DescribedFinish)| part.put_together(&format!("kernel{k}.part{t}"), n, &vector);
            let parts = parts.into_iter().enumerate().map(finish).collect::<Option<Vec<_>>>()?;
            let whole = whole.put_together(&format!("kernel{k}"), n, &vector)?;
            kernels.push(Kernel { name, terms, product, parts, whole });
        }
        (!kernels.is_empty()).then_some(KernelFunctions { objects, bases, kernels })
    }
}

impl Base {
    /// Of a given kernel no values are needed for new objects, which bring their own.
    fn given_or_features(&self) -> Array2<f64> {
        if self.formula == Formula::Given { Array2::zeros((0, 0)) } else { self.training.clone() }
    }
}
