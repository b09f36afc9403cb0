//! Comparisons: with a margin where they are paid for.

use std::collections::HashMap;

use super::said::Said;
use super::{DualMend, Mend, Question, Row, Trouble, Two, all_pairs};
use crate::evidence::Comparisons;
use crate::graph::Margins;
use crate::object::Pair;
use crate::program::Sense;

/// `min spread + slack Σ w [margin + d(near) - d(far)]₊`; the same comparison several times is one, its weights added; rows
/// are in the order of their pairs.
pub(super) fn gnmds(c: &Comparisons, slack: f64) -> Result<Question, Trouble> {
    let rows = each_once(c, |margin| margin);
    let (mut paid, mut widest) = (0.0, 0.0f64);
    for (_, _, margin, weight) in &rows {
        paid += slack * weight * margin.abs();
        widest = widest.max(margin.abs());
    }
    Ok(paid_for(c, rows, (1.0, slack, widest.min(paid))))
}

/// `min trace · spread + Σ w ln(1 + exp(d(near) - d(far)))`; the same comparison several times is one, its weights added; margins
/// are not asked for.
pub(super) fn convex_ste(c: &Comparisons, trace: f64) -> Result<Question, Trouble> {
    let rows = each_once(c, |_| 0.0);
    // What all points in one place pay.
    let mut paid = 0.0;
    for (_, _, _, weight) in &rows {
        paid += weight * std::f64::consts::LN_2;
    }
    Ok(Question { entropy: true, ..paid_for(c, rows, (trace, 1.0, paid)) })
}

/// Near, far, margin and weight of each comparison, those that are the same together, in the order of their pairs.
fn each_once(c: &Comparisons, margin: impl Fn(f64) -> f64) -> Vec<(Two, Two, f64, f64)> {
    let mut rows: Vec<(Two, Two, f64, f64)> = Vec::new();
    let mut known: HashMap<(Two, Two, u64), usize> = HashMap::new();
    for one in c.iter() {
        let margin = margin(one.margin);
        let key = (two(one.near), two(one.far), margin.to_bits());
        let next = rows.len();
        let k = *known.entry(key).or_insert(next);
        if k == next {
            rows.push((key.0, key.1, margin, one.weight));
        } else {
            rows[k].3 += one.weight;
        }
    }
    // By their pairs; margins of the same pairs stay in the order in which they came.
    rows.sort_by_key(|row| (row.0, row.1));
    rows
}

/// Comparisons of which none must hold, the spread and each weight counted so many times.
fn paid_for(c: &Comparisons, rows: Vec<(Two, Two, f64, f64)>, (spread, slack, scale): (f64, f64, f64)) -> Question {
    Question {
        objects: c.objects().clone(),
        sense: Sense::Minimise,
        spread,
        costs: Vec::new(),
        scale,
        rows: rows
            .into_iter()
            .map(|(near, far, margin, weight)| Row {
                plus: Some(near),
                minus: Some(far),
                constant: margin,
                low: 0.0,
                high: slack * weight,
            })
            .collect(),
        balls: None,
        curvature: 0.0,
        entropy: false,
        most_spread: None,
        mend: Mend::Told,
        dual_mend: DualMend::Zero,
        made: Vec::new(),
        named: Vec::new(),
        spanned: None,
        left_out: 0,
    }
}

/// The comparisons of a claim, with margins that grow in the way it says.
pub(in crate::verify) fn grown(c: &Comparisons, said: &Said<'_>, seed: u64) -> Result<Comparisons, Trouble> {
    let how = match said.word("margins", &["given", "linear", "doubling"])? {
        "linear" => Margins::Linear,
        "doubling" => Margins::Doubling,
        _ => Margins::Given,
    };
    Ok(how.applied(c, seed)?)
}

/// `max Σ d` over all pairs, `d ≤ bound`, and `slack` times what comparisons miss is paid: each is a row, as it came.
pub(super) fn paid_order(c: &Comparisons, said: &Said<'_>, seed: u64) -> Result<Question, Trouble> {
    let (slack, bound) = (said.needed("slack")?, said.needed("bound")?);
    let c = grown(c, said, seed)?;
    let n = c.objects().len();
    let at_most = |(i, j): (usize, usize)| Row {
        plus: Some((i as u32, j as u32)),
        minus: None,
        constant: -bound,
        low: 0.0,
        high: f64::INFINITY,
    };
    let mut rows: Vec<Row> = all_pairs(n).map(at_most).collect();
    let pairs = rows.len();
    rows.extend(c.iter().map(|one| Row {
        plus: Some(two(one.near)),
        minus: Some(two(one.far)),
        constant: one.margin,
        low: 0.0,
        high: slack * one.weight,
    }));
    Ok(Question {
        objects: c.objects().clone(),
        sense: Sense::Maximise,
        spread: -(n as f64),
        costs: Vec::new(),
        // Two on every `d ≤ bound` makes the dual matrix n times the identity.
        dual_mend: DualMend::Rows((0..rows.len()).map(|t| if t < pairs { 2.0 } else { 0.0 }).collect(), n as f64),
        rows,
        balls: None,
        curvature: 0.0,
        entropy: false,
        most_spread: None,
        scale: bound * pairs as f64,
        mend: Mend::Shrink,
        made: Vec::new(),
        named: Vec::new(),
        spanned: None,
        left_out: 0,
    })
}

pub(super) fn two(pair: Pair) -> Two {
    (pair.first().0, pair.second().0)
}
