//! The model file: safetensors with one JSON key, plain arrays, labels as bytes, and no evidence inside.
//!
//! `__metadata__.nearer` is JSON: `{format: "nearer model", version: 2, kind, settings, report}`. Tensors: `map.points`
//! and `model.<name>` (f64), and for each list of labels their bytes one after another, `labels.<name>` (u8), with where
//! each begins and the last ends, `labels.<name>.offsets` (u64); the lists are `map` and `model.<name>`. Equal models
//! make equal bytes.

use std::io::Write;

use serde_json::{Value, json};

use crate::error::{At, Error};
use crate::geometry::Embedding;
use crate::io::source::{self, Source};
use crate::io::tensors::{self, Layout, Tensors};
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
pub const MODEL_VERSION: u64 = 2;

const LAYOUT: Layout = Layout { format: "nearer model", version: MODEL_VERSION, oldest: 1, noun: "model" };

/// Writes a model file.
pub fn save_model(w: &mut dyn Write, saved: &Saved) -> Result<(), Error> {
    let parts = saved.model.to_parts();
    let report = serde_json::to_value(&saved.report).map_err(|_| unwritable())?;
    // JSON has no infinity: a report that would not read back is not written.
    serde_json::from_value::<FitReport>(report.clone()).map_err(|_| unwritable())?;
    let about = json!({
        "format": LAYOUT.format, "version": MODEL_VERSION, "kind": parts.kind, "settings": parts.settings, "report": report,
    });
    let mut tensors = Tensors::default();
    let points = saved.embedding.points();
    tensors.numbers("map.points", points.shape(), points);
    for (name, values) in &parts.arrays {
        tensors.numbers(&format!("model.{name}"), values.shape(), values);
    }
    tensors.labels("labels.map", saved.embedding.objects().labels());
    parts.labels.iter().for_each(|(name, list)| tensors.labels(&format!("labels.model.{name}"), list));
    let bytes = tensors.serialised(&about).ok_or_else(unwritable)?;
    w.write_all(&bytes).map_err(|e| Error::File { action: "write", path: "the model file".into(), source: e })
}

/// Reads a model file; anything that is not a whole, consistent model of a known version is refused.
pub fn load_model(source: &Source) -> Result<Saved, Error> {
    let bytes = source::read_all(source, source::open(source)?, 2, "the model")?;
    parse(&bytes, &source.at())
}

/// Whether a file is called or begins like a model file.
#[must_use]
pub fn looks_like_model(source: &Source) -> bool {
    use std::io::Read;
    let named = source.path().and_then(|p| p.extension()).is_some_and(|e| e.eq_ignore_ascii_case("nearer"));
    let mut start = Vec::new();
    let mut read = || source::open(source).ok()?.take(32).read_to_end(&mut start).ok();
    named || (read().is_some() && tensors::begins_like_ours(&start))
}

fn parse(bytes: &[u8], at: &At) -> Result<Saved, Error> {
    let about = LAYOUT.header(bytes, at)?;
    let tensors = LAYOUT.tensors(bytes, at)?;
    let mut parts = Parts::new(about.get("kind").and_then(Value::as_str).unwrap_or_default());
    parts.settings = about.get("settings").and_then(Value::as_object).cloned().unwrap_or_default();
    for name in tensors.names() {
        if let Some(short) = name.strip_prefix("model.") {
            parts.arrays.insert(short.to_string(), LAYOUT.array(&tensors, name, at)?);
        } else if let Some(short) = name.strip_prefix("labels.model.").filter(|n| !n.ends_with(".offsets")) {
            parts.labels.insert(short.to_string(), LAYOUT.labels(&tensors, name, at)?);
        }
    }
    let points = LAYOUT
        .array(&tensors, "map.points", at)?
        .into_dimensionality()
        .map_err(|_| defect(at, "its map is not a matrix"))?;
    let objects = Objects::new(LAYOUT.labels(&tensors, "labels.map", at)?).map_err(|e| placed(e, at))?;
    let embedding = Embedding::new(objects, points).map_err(|e| placed(e, at))?;
    let model = Model::from_parts(&parts).map_err(|e| placed(e, at))?;
    if model.dim() != embedding.dim() {
        return Err(defect(at, &format!("its map has {} dimensions and its model {}", embedding.dim(), model.dim())));
    }
    if let Model::Anchors(anchors) = &model {
        check_transform(anchors.transform(), at)?;
    }
    let mut report = about.get("report").cloned().unwrap_or_default();
    if let Some(first) = report.as_object_mut().filter(|r| r.contains_key("parameters")) {
        from_first_version(first);
    }
    let report: FitReport =
        serde_json::from_value(report).map_err(|e| defect(at, &format!("its report cannot be read ({e})")))?;
    if let Some(what) = report.misfit(&embedding) {
        return Err(defect(at, &what));
    }
    Ok(Saved { embedding, model, report })
}

/// Version 1 kept parameters as words of what was used, results among them. The map and the model are as good as ever; the
/// words become figures, and the schema of the report, 1, says that its settings are not known.
fn from_first_version(report: &mut serde_json::Map<String, Value>) {
    let words = report.remove("parameters").unwrap_or_default();
    report.insert("figures".into(), words);
    report.insert("settings".into(), json!({}));
    // What was tried to tune is kept in the same words.
    if let Some(tried) = report.get_mut("tuning").and_then(|t| t.get_mut("tried")).and_then(Value::as_array_mut) {
        for one in tried.iter_mut().filter_map(Value::as_object_mut) {
            let words = one.remove("parameters").unwrap_or_default();
            one.insert("settings".into(), words);
        }
    }
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
    LAYOUT.defect(at, what)
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
        let embedding = Embedding::new(objects, array![[0.1, 2.0], [1.0 / 3.0, -0.0], [5e-324, 1e60]]).unwrap();
        let transform = Transform::Steps { x: vec![0.0, 1.5], y: vec![0.0, 2.0] };
        let model = Anchors::new(embedding.clone(), Loss::Stress, transform, 2).into();
        let mut report = FitReport::new("metric-mds", 3, 2, 7);
        report.settings.set("dim", 2usize);
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
        assert_eq!(parse(&bytes, &At::default()).unwrap().model.anchors().unwrap().labels(), ["a", "b"]);
    }

    #[test]
    fn a_model_is_recognised_by_content_and_refused_as_evidence() {
        let (dir, source) = file("model.bin", &bytes());
        assert!(looks_like_model(&source));
        assert!(!looks_like_model(&Source::from(dir.path())));
        let e = crate::io::read_evidence(&source, &crate::io::ReadOptions::default()).unwrap_err().to_string();
        assert!(e.contains("model file") && e.contains("`place`"), "{e}");
    }

    #[test]
    fn a_newer_version_says_so() {
        let e =
            parse(&with_description(|h| h.replace("\\\"version\\\":2", "\\\"version\\\":3")), &At::file("m.nearer"));
        let e = e.unwrap_err().to_string();
        assert_eq!(e, "m.nearer: written by version 3 of the format; this program reads up to 2; update nearer");
    }

    /// What version 0.1 wrote: parameters as words, and no settings.
    #[test]
    fn a_model_of_the_first_version_is_read_and_says_that_its_settings_are_not_known() {
        let first = with_description(|h| {
            let h = h.replace("\\\"version\\\":2", "\\\"version\\\":1").replace("\\\"schema\\\":2", "\\\"schema\\\":1");
            h.replace("\\\"settings\\\":{\\\"dim\\\":2}", "\\\"parameters\\\":{\\\"starts\\\":\\\"20\\\"}")
        });
        let back = parse(&first, &At::default()).unwrap();
        assert_eq!(back.embedding, saved().embedding);
        assert_eq!(back.report.figures["starts"].to_string(), "20");
        let e = back.report.recorded().unwrap_err().to_string();
        assert!(e.contains("did not keep its settings") && e.contains("fit again"), "{e}");
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
            ("\\\"seed\\\":7", "\\\"drift\\\":[[0.0]],\\\"seed\\\":7", "drift of each object"),
        ] {
            let e = parse(&with_description(|h| h.replace(from, to)), &at).unwrap_err().to_string();
            assert!(e.contains(word) && e.contains("m.nearer"), "{from}: {e}");
        }
    }
}
