//! What the files of our own have in common: safetensors with one JSON key, plain arrays, labels as bytes.

use std::collections::{BTreeMap, HashMap};

use ndarray::{ArrayD, IxDyn};
use safetensors::tensor::{Dtype, SafeTensors, TensorView};
use serde_json::{Map, Value};

use crate::error::{At, Error, Remedy};

/// One kind of such a file, and how it is called when it is refused.
pub(crate) struct Layout {
    /// What its JSON says under `format`.
    pub(crate) format: &'static str,
    /// The version that is written, and the newest that is read.
    pub(crate) version: u64,
    /// The oldest that is read.
    pub(crate) oldest: u64,
    /// `model`, for the messages.
    pub(crate) noun: &'static str,
}

/// Arrays by name, to be written.
#[derive(Default)]
pub(crate) struct Tensors(BTreeMap<String, (Dtype, Vec<usize>, Vec<u8>)>);

impl Tensors {
    pub(crate) fn numbers<'a>(&mut self, name: &str, shape: &[usize], values: impl IntoIterator<Item = &'a f64>) {
        let bytes = values.into_iter().flat_map(|v| v.to_le_bytes()).collect();
        self.0.insert(name.into(), (Dtype::F64, shape.to_vec(), bytes));
    }
    pub(crate) fn counts(&mut self, name: &str, shape: &[usize], values: impl IntoIterator<Item = u64>) {
        let bytes = values.into_iter().flat_map(u64::to_le_bytes).collect();
        self.0.insert(name.into(), (Dtype::U64, shape.to_vec(), bytes));
    }
    /// Labels: their bytes one after another, and where each begins and the last ends.
    pub(crate) fn labels(&mut self, name: &str, labels: &[String]) {
        let bytes: Vec<u8> = labels.iter().flat_map(|l| l.bytes()).collect();
        let ends = labels.iter().scan(0u64, |end, l| {
            *end += l.len() as u64;
            Some(*end)
        });
        self.counts(&format!("{name}.offsets"), &[labels.len() + 1], std::iter::once(0).chain(ends));
        self.0.insert(name.into(), (Dtype::U8, vec![bytes.len()], bytes));
    }
    /// The bytes of the file; `None` if something does not fit together.
    pub(crate) fn serialised(&self, about: &Value) -> Option<Vec<u8>> {
        let views = self
            .0
            .iter()
            .map(|(name, (dtype, shape, bytes))| Ok((name, TensorView::new(*dtype, shape.clone(), bytes)?)))
            .collect::<Result<Vec<_>, safetensors::SafeTensorError>>()
            .ok()?;
        let metadata = HashMap::from([("nearer".to_string(), about.to_string())]);
        safetensors::serialize(views, Some(metadata)).ok()
    }
}

impl Layout {
    /// A file that is of this kind, but not usable.
    pub(crate) fn defect(&self, at: &At, what: &str) -> Error {
        let remedy = Remedy::from(format!("make the {} file again with ", self.noun)).command("embed");
        Error::Format { at: at.clone(), what: format!("not a usable {}: {what}", self.noun), remedy }
    }

    /// The JSON of the file, once its version is known to be readable and every offset to lie within the file.
    pub(crate) fn header(&self, bytes: &[u8], at: &At) -> Result<Map<String, Value>, Error> {
        let not = || Error::Format {
            at: at.clone(),
            what: format!("this is not a {} file", self.noun),
            remedy: Remedy::from("give a file that ").command("embed").and(" wrote"),
        };
        let length = bytes.first_chunk::<8>().map(|l| u64::from_le_bytes(*l)).ok_or_else(not)?;
        if bytes.get(8) != Some(&b'{') {
            return Err(not());
        }
        let cut = || self.defect(at, "it is cut off within its header");
        let end = usize::try_from(length).ok().and_then(|l| l.checked_add(8)).ok_or_else(not)?;
        let text = bytes.get(8..end).ok_or_else(cut)?;
        let all: Map<String, Value> =
            serde_json::from_slice(text).map_err(|e| self.defect(at, &format!("its header cannot be read ({e})")))?;
        let room = (bytes.len() - end) as u64;
        for (name, tensor) in all.iter().filter(|(name, _)| *name != "__metadata__") {
            let last = tensor.pointer("/data_offsets/1").and_then(Value::as_u64);
            if last.is_none_or(|last| last > room) {
                return Err(self.defect(at, &format!("it is cut off or damaged: `{name}` does not lie within it")));
            }
        }
        let about = all.get("__metadata__").and_then(|m| m.get("nearer")).and_then(Value::as_str).ok_or_else(not)?;
        let about: Map<String, Value> = serde_json::from_str(about)
            .map_err(|e| self.defect(at, &format!("its description cannot be read ({e})")))?;
        if about.get("format").and_then(Value::as_str) != Some(self.format) {
            return Err(not());
        }
        match about.get("version").and_then(Value::as_u64) {
            Some(version) if (self.oldest..=self.version).contains(&version) => Ok(about),
            Some(older) if (1..self.oldest).contains(&older) => Err(Error::Format {
                at: at.clone(),
                what: format!(
                    "written by version {older} of the format (nearer 0.1), which did not keep the settings as numbers; this program reads from version {} on",
                    self.oldest
                ),
                remedy: Remedy::from(format!("make the {} file again with ", self.noun)).command("embed"),
            }),
            Some(newer) if newer > self.version => Err(Error::Format {
                at: at.clone(),
                what: format!("written by version {newer} of the format; this program reads up to {}", self.version),
                remedy: "update nearer".into(),
            }),
            _ => Err(self.defect(at, "its version cannot be read")),
        }
    }

    pub(crate) fn tensors<'a>(&self, bytes: &'a [u8], at: &At) -> Result<SafeTensors<'a>, Error> {
        SafeTensors::deserialize(bytes).map_err(|e| self.defect(at, &e.to_string()))
    }

    fn tensor<'a>(
        &self,
        tensors: &SafeTensors<'a>,
        name: &str,
        dtype: Dtype,
        at: &At,
    ) -> Result<TensorView<'a>, Error> {
        let view = tensors.tensor(name).map_err(|_| self.defect(at, &format!("`{name}` is missing")))?;
        if view.dtype() != dtype {
            return Err(self.defect(at, &format!("`{name}` is of type {:?}, expected {dtype:?}", view.dtype())));
        }
        Ok(view)
    }

    /// Finite numbers.
    pub(crate) fn array(&self, tensors: &SafeTensors<'_>, name: &str, at: &At) -> Result<ArrayD<f64>, Error> {
        let view = self.tensor(tensors, name, Dtype::F64, at)?;
        let values: Vec<f64> = view.data().as_chunks::<8>().0.iter().map(|c| f64::from_le_bytes(*c)).collect();
        if let Some(v) = values.iter().find(|v| !v.is_finite()) {
            return Err(self.defect(at, &format!("`{name}` holds the number {v}")));
        }
        ArrayD::from_shape_vec(IxDyn(view.shape()), values)
            .map_err(|_| self.defect(at, &format!("the numbers of `{name}` do not fill its shape {:?}", view.shape())))
    }

    /// Whole numbers, in order.
    pub(crate) fn counts(&self, tensors: &SafeTensors<'_>, name: &str, at: &At) -> Result<Vec<u64>, Error> {
        let view = self.tensor(tensors, name, Dtype::U64, at)?;
        Ok(view.data().as_chunks::<8>().0.iter().map(|c| u64::from_le_bytes(*c)).collect())
    }

    pub(crate) fn labels(&self, tensors: &SafeTensors<'_>, name: &str, at: &At) -> Result<Vec<String>, Error> {
        let bytes = self.tensor(tensors, name, Dtype::U8, at)?;
        let offsets = self.counts(tensors, &format!("{name}.offsets"), at)?;
        let wrong = || self.defect(at, &format!("the labels `{name}` are damaged"));
        if offsets.first() != Some(&0) || offsets.last() != Some(&(bytes.data().len() as u64)) {
            return Err(wrong());
        }
        offsets
            .windows(2)
            .map(|w| {
                let range = usize::try_from(w[0]).ok().zip(usize::try_from(w[1]).ok());
                let text = range.and_then(|(a, b)| bytes.data().get(a..b)).and_then(|b| std::str::from_utf8(b).ok());
                text.map(String::from).ok_or_else(wrong)
            })
            .collect()
    }
}

/// Whether bytes begin like a file of our own.
pub(crate) fn begins_like_ours(start: &[u8]) -> bool {
    start.get(8..).is_some_and(|s| s.starts_with(b"{\"__metadata__\":{\"nearer"))
}
