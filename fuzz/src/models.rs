//! Models changed past the parser: the report of an honest one is JSON whose numbers, lengths and types are made others, and whatever is
//! then read is shown on a page, in words and as placed objects.

use std::hash::{DefaultHasher, Hasher as _};

use ndarray::Array2;
use nearer::io::{Saved, Source, load_model, save_model};
use nearer::page::Page;
use nearer::report::FitReport;
use nearer::{DistanceRows, Objects, Place as _};
use serde_json::Value;

use crate::rng::Rng;

/// Changes a model as the bytes decide. Tells whether it was still one.
pub(crate) fn changed(bytes: &[u8], honest: &[Saved]) -> Result<bool, String> {
    let mut hasher = DefaultHasher::new();
    hasher.write(bytes);
    let mut rng = Rng(hasher.finish());
    let which = rng.pick(honest);
    let mut report = serde_json::to_value(&which.report).map_err(|e| e.to_string())?;
    for _ in 0..1 + rng.below(3) {
        change(&mut report, &mut rng);
    }
    if rng.one_in(4) {
        let other = serde_json::to_value(&rng.pick(honest).report).map_err(|e| e.to_string())?;
        graft(&mut report, &other, &mut rng);
    }
    let Ok(report) = serde_json::from_value::<FitReport>(report) else { return Ok(false) };
    let embedding = if rng.one_in(4) { rng.pick(honest).embedding.clone() } else { which.embedding.clone() };
    let saved = Saved { embedding, model: which.model.clone(), report };
    let mut written = Vec::new();
    if save_model(&mut written, &saved).is_err() {
        return Ok(false);
    }
    let Ok(saved) = load_model(&Source::of_bytes("m.nearer", written)) else { return Ok(false) };
    // Whatever was read can be shown.
    let _ = nearer::text::fit(&saved.report);
    let page = Page::new(&saved.embedding).report(&saved.report).html();
    let _ = page.map_err(|e| e.to_string());
    placed(&saved, &mut rng)?;
    Ok(true)
}

/// A new object by its distances to the old ones, where the model places by them: at finite coordinates, or with a reason.
fn placed(saved: &Saved, rng: &mut Rng) -> Result<(), String> {
    let old = saved.embedding.objects();
    let unit = |rng: &mut Rng| rng.below(1000) as f64 / 100.0;
    let row = Array2::from_shape_fn((1, old.len()), |_| unit(rng));
    let Ok(new) = Objects::new(["new"]) else { return Ok(()) };
    let Ok(query) = DistanceRows::new(new, old.clone(), row) else { return Ok(()) };
    match saved.model.place(&query) {
        Ok(map) if map.points().iter().any(|v| !v.is_finite()) => Err("a new object is at no place".into()),
        _ => Ok(()),
    }
}

/// Takes one part over from another report.
fn graft(report: &mut Value, other: &Value, rng: &mut Rng) {
    let (Some(report), Some(other)) = (report.as_object_mut(), other.as_object()) else { return };
    let names: Vec<&String> = other.keys().collect();
    let name = *rng.pick(&names);
    report.insert(name.clone(), other[name].clone());
}

/// One thing somewhere in it, made another.
fn change(value: &mut Value, rng: &mut Rng) {
    match value {
        Value::Object(all) if !all.is_empty() => {
            let names: Vec<String> = all.keys().cloned().collect();
            let name = rng.pick(&names).clone();
            if rng.one_in(20) {
                all.remove(&name);
            } else if let Some(inner) = all.get_mut(&name) {
                change(inner, rng);
            }
        }
        Value::Array(all) => match rng.below(6) {
            0 => all.truncate(rng.below(all.len() + 1)),
            1 if !all.is_empty() => {
                let one = all[rng.below(all.len())].clone();
                all.extend(std::iter::repeat_n(one, 1 + rng.below(20)));
            }
            2 => all.clear(),
            _ if !all.is_empty() => {
                let k = rng.below(all.len());
                change(&mut all[k], rng);
            }
            _ => all.push(Value::from(1)),
        },
        other => {
            *other = match rng.below(9) {
                0 => Value::Null,
                1 => Value::from(-1),
                2 => Value::from(rng.below(1000)),
                3 => Value::from(u64::MAX),
                4 => Value::from(1e300),
                5 => Value::from("]]></svg><script>"),
                6 => Value::from(true),
                7 => Value::Array(vec![]),
                _ => Value::from(0.5),
            }
        }
    }
}
