//! The model file: safetensors with one JSON key, plain arrays, labels as bytes, and no evidence inside.
//!
//! `__metadata__.nearer` is JSON: `{format: "nearer model", version: 1, kind, settings, report}`. Tensors: `map.points`
//! and `model.<name>` (f64), and for each list of labels their bytes one after another, `labels.<name>` (u8), with where
//! each begins and the last ends, `labels.<name>.offsets` (u64); the lists are `map` and `model.<name>`. Equal models
//! make equal bytes.

use std::collections::{BTreeMap, HashMap};
use std::io::Write;
use std::path::Path;

use ndarray::{ArrayD, IxDyn};
use safetensors::tensor::{Dtype, SafeTensors, TensorView};
use serde_json::{Map, Value, json};

use crate::error::{At, Error};
use crate::geometry::Embedding;
use crate::io::source::{self, Source};
use crate::model::{Model, Parts, Transform};
use crate::object::Objects;
use crate::report::FitReport;

/// What a model file holds.
#[derive(Debug, Clone)]
pub struct Saved {
    /// The map.
    pub embedding: Embedding,
    /// What places new objects on it.
    pub model: Model,
    /// How the fit went.
    pub report: FitReport,
}

/// The version of the format that is written, and the newest that is read.
pub const MODEL_VERSION: u64 = 1;

const FORMAT: &str = "nearer model";
const REMEDY: &str = "make the model file again with `nearer embed … -o map.nearer`";

/// Writes a model file.
pub fn save_model(w: &mut dyn Write, saved: &Saved) -> Result<(), Error> {
    let parts = saved.model.to_parts();
    let report = serde_json::to_value(&saved.report).map_err(|_| unwritable())?;
    // JSON has no infinity: a report that would not read back is not written.
    serde_json::from_value::<FitReport>(report.clone()).map_err(|_| unwritable())?;
    let about = json!({
        "format": FORMAT, "version": MODEL_VERSION, "kind": parts.kind, "settings": parts.settings, "report": report,
    });
    let mut tensors: BTreeMap<String, (Dtype, Vec<usize>, Vec<u8>)> = BTreeMap::new();
    let mut array = |name: String, values: &ArrayD<f64>| {
        let bytes = values.iter().flat_map(|v| v.to_le_bytes()).collect();
        tensors.insert(name, (Dtype::F64, values.shape().to_vec(), bytes));
    };
    array("map.points".into(), &saved.embedding.points().clone().into_dyn());
    parts.arrays.iter().for_each(|(name, values)| array(format!("model.{name}"), values));
    let mut labels = |name: &str, labels: &[String]| {
        let bytes: Vec<u8> = labels.iter().flat_map(|l| l.bytes()).collect();
        let ends = labels.iter().scan(0u64, |end, l| {
            *end += l.len() as u64;
            Some(*end)
        });
        let offsets: Vec<u8> = std::iter::once(0).chain(ends).flat_map(u64::to_le_bytes).collect();
        tensors.insert(format!("labels.{name}.offsets"), (Dtype::U64, vec![labels.len() + 1], offsets));
        tensors.insert(format!("labels.{name}"), (Dtype::U8, vec![bytes.len()], bytes));
    };
    labels("map", saved.embedding.objects().labels());
    parts.labels.iter().for_each(|(name, list)| labels(&format!("model.{name}"), list));
    let views = tensors
        .iter()
        .map(|(name, (dtype, shape, bytes))| Ok((name, TensorView::new(*dtype, shape.clone(), bytes)?)))
        .collect::<Result<Vec<_>, safetensors::SafeTensorError>>()
        .map_err(|_| unwritable())?;
    let metadata = HashMap::from([("nearer".to_string(), about.to_string())]);
    let bytes = safetensors::serialize(views, Some(metadata)).map_err(|_| unwritable())?;
    w.write_all(&bytes).map_err(|e| Error::File { action: "write", path: "the model file".into(), source: e })
}

/// Reads a model file; anything that is not a whole, consistent model of a known version is refused.
pub fn load_model(source: &Source) -> Result<Saved, Error> {
    let bytes = source::read_all(source, 1 << 40, "a model")?;
    parse(&bytes, &source.at())
}

/// Whether a file is called or begins like a model file.
#[must_use]
pub fn looks_like_model(path: &Path) -> bool {
    use std::io::Read;
    let named = path.extension().is_some_and(|e| e.eq_ignore_ascii_case("nearer"));
    let mut start = Vec::new();
    let regular = std::fs::metadata(path).is_ok_and(|m| m.is_file());
    let mut read = || source::open(&Source::Path(path.to_owned())).ok()?.take(32).read_to_end(&mut start).ok();
    named || (regular && read().is_some() && begins_like_model(&start))
}

pub(crate) fn begins_like_model(start: &[u8]) -> bool {
    start.get(8..).is_some_and(|s| s.starts_with(b"{\"__metadata__\":{\"nearer"))
}

fn parse(bytes: &[u8], at: &At) -> Result<Saved, Error> {
    let about = header(bytes, at)?;
    let tensors = SafeTensors::deserialize(bytes).map_err(|e| defect(at, &e.to_string()))?;
    let mut parts = Parts::new(about.get("kind").and_then(Value::as_str).unwrap_or_default());
    parts.settings = about.get("settings").and_then(Value::as_object).cloned().unwrap_or_default();
    for name in tensors.names() {
        if let Some(short) = name.strip_prefix("model.") {
            parts.arrays.insert(short.to_string(), array(&tensors, name, at)?);
        } else if let Some(short) = name.strip_prefix("labels.model.").filter(|n| !n.ends_with(".offsets")) {
            parts.labels.insert(short.to_string(), labels(&tensors, name, at)?);
        }
    }
    let points =
        array(&tensors, "map.points", at)?.into_dimensionality().map_err(|_| defect(at, "its map is not a matrix"))?;
    let objects = Objects::new(labels(&tensors, "labels.map", at)?).map_err(|e| placed(e, at))?;
    let embedding = Embedding::new(objects, points).map_err(|e| placed(e, at))?;
    let model = Model::from_parts(&parts).map_err(|e| placed(e, at))?;
    if model.dim() != embedding.dim() {
        return Err(defect(at, &format!("its map has {} dimensions and its model {}", embedding.dim(), model.dim())));
    }
    if let Model::Anchors(anchors) = &model {
        check_transform(anchors.transform(), at)?;
    }
    let report = about.get("report").cloned().unwrap_or_default();
    let report = serde_json::from_value(report).map_err(|e| defect(at, &format!("its report cannot be read ({e})")))?;
    Ok(Saved { embedding, model, report })
}

/// The JSON of the file, once its version is known to be readable and every offset to lie within the file.
fn header(bytes: &[u8], at: &At) -> Result<Map<String, Value>, Error> {
    let not = || Error::Format {
        at: at.clone(),
        what: "this is not a model file".into(),
        remedy: "give a file made with `nearer embed … -o map.nearer`".into(),
    };
    let length = bytes.first_chunk::<8>().map(|l| u64::from_le_bytes(*l)).ok_or_else(not)?;
    if bytes.get(8) != Some(&b'{') {
        return Err(not());
    }
    let cut = || defect(at, "it is cut off within its header");
    let end = usize::try_from(length).ok().and_then(|l| l.checked_add(8)).ok_or_else(not)?;
    let text = bytes.get(8..end).ok_or_else(cut)?;
    let all: Map<String, Value> =
        serde_json::from_slice(text).map_err(|e| defect(at, &format!("its header cannot be read ({e})")))?;
    let room = (bytes.len() - end) as u64;
    for (name, tensor) in all.iter().filter(|(name, _)| *name != "__metadata__") {
        let last = tensor.pointer("/data_offsets/1").and_then(Value::as_u64);
        if last.is_none_or(|last| last > room) {
            return Err(defect(at, &format!("it is cut off or damaged: `{name}` does not lie within it")));
        }
    }
    let about = all.get("__metadata__").and_then(|m| m.get("nearer")).and_then(Value::as_str).ok_or_else(not)?;
    let about: Map<String, Value> =
        serde_json::from_str(about).map_err(|e| defect(at, &format!("its description cannot be read ({e})")))?;
    if about.get("format").and_then(Value::as_str) != Some(FORMAT) {
        return Err(not());
    }
    match about.get("version").and_then(Value::as_u64) {
        Some(1..=MODEL_VERSION) => Ok(about),
        Some(newer) if newer > MODEL_VERSION => Err(Error::Format {
            at: at.clone(),
            what: format!("written by version {newer} of the format; this program reads up to {MODEL_VERSION}"),
            remedy: "update nearer".into(),
        }),
        _ => Err(defect(at, "its version cannot be read")),
    }
}

fn tensor<'a>(tensors: &SafeTensors<'a>, name: &str, dtype: Dtype, at: &At) -> Result<TensorView<'a>, Error> {
    let view = tensors.tensor(name).map_err(|_| defect(at, &format!("`{name}` is missing")))?;
    if view.dtype() != dtype {
        return Err(defect(at, &format!("`{name}` is of type {:?}, expected {dtype:?}", view.dtype())));
    }
    Ok(view)
}

fn array(tensors: &SafeTensors<'_>, name: &str, at: &At) -> Result<ArrayD<f64>, Error> {
    let view = tensor(tensors, name, Dtype::F64, at)?;
    let values: Vec<f64> = view.data().as_chunks::<8>().0.iter().map(|c| f64::from_le_bytes(*c)).collect();
    if let Some(v) = values.iter().find(|v| !v.is_finite()) {
        return Err(defect(at, &format!("`{name}` holds the number {v}")));
    }
    ArrayD::from_shape_vec(IxDyn(view.shape()), values)
        .map_err(|_| defect(at, &format!("the numbers of `{name}` do not fill its shape {:?}", view.shape())))
}

fn labels(tensors: &SafeTensors<'_>, name: &str, at: &At) -> Result<Vec<String>, Error> {
    let bytes = tensor(tensors, name, Dtype::U8, at)?;
    let offsets = tensor(tensors, &format!("{name}.offsets"), Dtype::U64, at)?;
    let offsets: Vec<u64> = offsets.data().as_chunks::<8>().0.iter().map(|c| u64::from_le_bytes(*c)).collect();
    let wrong = || defect(at, &format!("the labels `{name}` are damaged"));
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

/// Refuses a transformation whose parts do not fit together, for it would fail only when an object is placed.
fn check_transform(transform: &Transform, at: &At) -> Result<(), Error> {
    let rising = |v: &[f64]| v.windows(2).all(|w| w[0] <= w[1]) && v.iter().all(|v| v.is_finite());
    let sound = match transform {
        Transform::Identity => true,
        Transform::Steps { x, y } => x.len() == y.len() && rising(x) && rising(y),
        Transform::Spline { degree, knots, weights } => {
            let expected = (knots.len() + degree).checked_sub(1);
            knots.len() >= 2 && *degree >= 1 && *degree <= 8 && expected == Some(weights.len()) && rising(knots)
        }
    };
    if sound { Ok(()) } else { Err(defect(at, "the parts of its transformation do not fit together")) }
}

fn defect(at: &At, what: &str) -> Error {
    Error::Format { at: at.clone(), what: format!("not a usable model: {what}"), remedy: REMEDY.into() }
}

/// An error of a part, with the file that the part came from.
fn placed(e: Error, at: &At) -> Error {
    match e {
        Error::Format { what, remedy, .. } => Error::Format { at: at.clone(), what, remedy },
        other => defect(at, &other.to_string()),
    }
}

fn unwritable() -> Error {
    Error::Numerical { what: "writing the model (a number in it is not finite)".into() }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::io::testing::file;
    use crate::model::{Anchors, Landmarks, Loss, Shift};
    use ndarray::array;

    fn saved() -> Saved {
        let objects = Objects::new(["a", "", "Zoë"]).unwrap();
        let embedding = Embedding::new(objects, array![[0.1, 2.0], [1.0 / 3.0, -0.0], [5e-324, 1e300]]).unwrap();
        let transform = Transform::Steps { x: vec![0.0, 1.5], y: vec![0.0, 2.0] };
        let model = Anchors::new(embedding.clone(), Loss::Stress, transform, 2).into();
        let report = FitReport::new("metric-mds", 3, 2, 7).with("dim", 2);
        Saved { embedding, model, report }
    }

    /// A small model file.
    pub(crate) fn bytes() -> Vec<u8> {
        let mut bytes = Vec::new();
        save_model(&mut bytes, &saved()).unwrap();
        bytes
    }

    /// The file with its description changed.
    fn with_description(change: impl Fn(&str) -> String) -> Vec<u8> {
        let bytes = bytes();
        let length = u64::from_le_bytes(*bytes.first_chunk().unwrap()) as usize;
        let header = change(std::str::from_utf8(&bytes[8..8 + length]).unwrap());
        let mut changed = (header.len() as u64).to_le_bytes().to_vec();
        changed.extend(header.as_bytes());
        changed.extend(&bytes[8 + length..]);
        changed
    }

    #[test]
    fn a_model_reads_back_and_equal_models_make_equal_bytes() {
        let back = parse(&bytes(), &At::default()).unwrap();
        assert_eq!(back.embedding, saved().embedding);
        assert_eq!(back.report, saved().report);
        assert_eq!(back.model.to_parts(), saved().model.to_parts());
        assert_eq!(bytes(), bytes());
        let landmarks = Landmarks::new(
            Objects::new(["a", "b"]).unwrap(),
            array![[1.0, 2.0], [3.0, 4.0]],
            array![0.5, 0.25],
            Shift::Squared(2.0),
        );
        let mut bytes = Vec::new();
        save_model(&mut bytes, &Saved { model: landmarks.into(), ..saved() }).unwrap();
        assert_eq!(parse(&bytes, &At::default()).unwrap().model.anchors().labels(), ["a", "b"]);
    }

    #[test]
    fn a_model_is_recognised_by_content_and_refused_as_evidence() {
        let (dir, source) = file("model.bin", &bytes());
        assert!(looks_like_model(source.path().unwrap()));
        assert!(!looks_like_model(dir.path()));
        let e = crate::io::read_evidence(&source, &crate::io::ReadOptions::default()).unwrap_err().to_string();
        assert!(e.contains("model file") && e.contains("nearer place"), "{e}");
    }

    #[test]
    fn a_newer_version_says_so() {
        let e =
            parse(&with_description(|h| h.replace("\\\"version\\\":1", "\\\"version\\\":2")), &At::file("m.nearer"));
        let e = e.unwrap_err().to_string();
        assert_eq!(e, "m.nearer: written by version 2 of the format; this program reads up to 1; update nearer");
    }

    #[test]
    fn what_is_no_model_is_refused() {
        let at = At::file("m.nearer");
        let whole = bytes();
        for cut in [0, 4, 8, 9, 100, whole.len() - 1] {
            let e = parse(&whole[..cut], &at).unwrap_err().to_string();
            assert!(e.contains("m.nearer") && e.contains("model"), "{cut}: {e}");
        }
        for (from, to, word) in [
            ("anchors", "anchorz", "`anchorz`"),
            ("\"F64\"", "\"I64\"", "type"),
            ("map.points", "map.pointz", "missing"),
            ("nearer model", "another file", "not a model"),
            ("\\\"dim\\\":2", "\\\"dim\\\":1", "m.nearer"),
            ("[0.0,1.5]", "[0.0]", "transformation"),
        ] {
            let e = parse(&with_description(|h| h.replace(from, to)), &at).unwrap_err().to_string();
            assert!(e.contains(word) && e.contains("m.nearer"), "{from}: {e}");
        }
    }
}
