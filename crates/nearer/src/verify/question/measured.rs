//! Distances: with absolute errors, and of neighbours that are unfolded.

use super::{Anchor, Mend, Question, Row, Two, all_pairs, place};
use crate::error::Error;
use crate::evidence::Distances;
use crate::program::Sense;
use crate::verify::dual::least_on_the_rest;

/// `min Σ w |δ² - d|` over the known pairs.
pub(super) fn robust(d: &Distances) -> Result<Question, Error> {
    let n = d.objects().len();
    let mut rows = Vec::new();
    let (mut edges, mut weights) = (Vec::new(), Vec::new());
    for (i, j) in all_pairs(n) {
        let k = place(n, i, j);
        let (weight, value) = (d.weight_at(k), d.condensed()[k]);
        if weight > 0.0 && value.is_finite() {
            let pair = (i as u32, j as u32);
            rows.push(Row { plus: None, minus: Some(pair), constant: value * value, low: -weight, high: weight });
            edges.push(pair);
            weights.push(weight);
        }
    }
    let room = held_together(n, &edges, &weights)?;
    Ok(Question {
        objects: d.objects().clone(),
        sense: Sense::Minimise,
        spread: 0.0,
        costs: Vec::new(),
        scale: rows.iter().map(|r| r.high * r.constant).sum(),
        rows,
        balls: None,
        curvature: 0.0,
        most_spread: None,
        mend: Mend::Told,
        anchor: Anchor::Rows(weights.iter().map(|w| -w).collect(), room),
    })
}

/// `max spread`, the squared distances `D` of neighbours held: `d ≤ D`, or `w |d - D|` or `w (d - D)²` paid, or `d = D`.
pub(super) fn unfold(d: &Distances, edges: &[Two], form: &str, weight: Option<f64>) -> Result<Question, Error> {
    let n = d.objects().len();
    let mut squared = Vec::with_capacity(edges.len());
    for &(i, j) in edges {
        let value = ((i as usize) < (j as usize) && (j as usize) < n).then(|| d.between(i as usize, j as usize)).flatten();
        let Some(value) = value else {
            return Err(Error::Evidence {
                what: format!("the certificate holds the pair {i}, {j}, and the evidence has no distance for it"),
                remedy: "give the evidence that the certificate was made of".into(),
            });
        };
        squared.push(value * value);
    }
    let needed = || {
        weight.filter(|w| *w > 0.0).ok_or_else(|| Error::Parameter {
            name: "weight".into(),
            value: "absent".into(),
            expected: format!("a number above 0: the form {form} has one"),
        })
    };
    let all = f64::INFINITY;
    let (low, high, curvature) = match form {
        "at-most" => (0.0, all, 0.0),
        "soft" => (-needed()?, needed()?, 0.0),
        "penalised" => (-all, all, 1.0 / (2.0 * needed()?)),
        "exact" => (-all, all, 0.0),
        other => {
            return Err(Error::Parameter {
                name: "form".into(),
                value: other.into(),
                expected: "at-most, soft, penalised or exact".into(),
            });
        }
    };
    let (mend, anchor) = if form == "at-most" {
        (Mend::Shrink, Anchor::Grow)
    } else {
        let apart = held_together(n, edges, &vec![1.0; edges.len()])?;
        let each = if form == "soft" { high } else { 2.0 / apart };
        (Mend::Told, Anchor::Rows(vec![each; edges.len()], (each * apart - 1.0) * (1.0 - 1e-12)))
    };
    Ok(Question {
        objects: d.objects().clone(),
        sense: Sense::Maximise,
        spread: -1.0,
        costs: Vec::new(),
        rows: edges
            .iter()
            .zip(&squared)
            .map(|(edge, d)| Row { plus: Some(*edge), minus: None, constant: -d, low, high })
            .collect(),
        balls: None,
        curvature,
        most_spread: None,
        scale: squared.iter().sum(),
        mend,
        anchor,
    })
}

/// The least eigenvalue, constant vector aside, of the Laplacian of a graph with these weights.
fn held_together(n: usize, edges: &[Two], weights: &[f64]) -> Result<f64, Error> {
    let terms = edges.iter().zip(weights).map(|(e, w)| (*e, *w));
    let least = least_on_the_rest(n, 0.0, terms);
    if least > 0.0 {
        return Ok(least);
    }
    Err(Error::Evidence {
        what: "the known distances do not hold all objects together".into(),
        remedy: "give the evidence that the certificate was made of".into(),
    })
}
