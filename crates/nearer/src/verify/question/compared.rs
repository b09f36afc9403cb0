//! Comparisons: with a margin where they are paid for, and as an order that is kept.

use std::collections::{HashMap, HashSet};

use super::said::Said;
use super::ways::longest;
use super::{DualMend, Mend, Question, Row, Trouble, Two, all_pairs, other_question, place};
use crate::evidence::Comparisons;
use crate::graph::{ConstraintGraph, Margins, Repair};
use crate::object::Pair;
use crate::program::{Proof, Sense};
use crate::verify::definite::{Square, least_eigenvalue};
use crate::verify::limits::Limits;
use crate::verify::rounding::{Sum, UNIT};

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

/// `max Σ d` over all pairs, `d ≤ bound`, `d(near) + margin ≤ d(far)`, contradictions left out in the way that is named.
pub(super) fn partial_order(
    c: &Comparisons,
    bound: f64,
    repair: &str,
    seed: u64,
    proof: Proof,
    limits: &Limits<'_>,
) -> Result<Question, Trouble> {
    let n = c.objects().len();
    let c = kept(c, repair, seed)?;
    let mut rows: Vec<Row> = all_pairs(n)
        .map(|(i, j)| Row {
            plus: Some((i as u32, j as u32)),
            minus: None,
            constant: -bound,
            low: 0.0,
            high: f64::INFINITY,
        })
        .collect();
    let pairs = rows.len();
    let mut known = HashSet::new();
    for one in c.iter() {
        let (near, far) = (two(one.near), two(one.far));
        if known.insert((near, far, one.margin.to_bits())) {
            let (plus, minus) = (Some(near), Some(far));
            rows.push(Row { plus, minus, constant: one.margin, low: 0.0, high: f64::INFINITY });
        }
    }
    let heights = heights(n, &rows[pairs..])?;
    // Two on every `d ≤ bound` makes the dual matrix n times the identity.
    let dual_mend = match proof {
        Proof::ClosedForm => {
            let (least, _) = lowest(n, &heights, limits);
            let highest = heights.iter().fold(0.0, |m: f64, v| m.max(*v));
            let distances = heights.iter().map(|h| bound - h).collect();
            DualMend::Largest { distances, belong: bound >= -least && bound >= highest }
        }
        _ => {
            let twos = (0..rows.len()).map(|t| if t < pairs { 2.0 } else { 0.0 }).collect();
            DualMend::Rows(twos, n as f64 * (1.0 - 1e-12))
        }
    };
    Ok(Question {
        objects: c.objects().clone(),
        sense: Sense::Maximise,
        spread: -(n as f64),
        costs: Vec::new(),
        rows,
        balls: None,
        curvature: 0.0,
        entropy: false,
        most_spread: None,
        scale: bound * pairs as f64,
        mend: inside(n, &heights, bound, limits),
        dual_mend,
        made: Vec::new(),
        named: Vec::new(),
        spanned: None,
        left_out: 0,
    })
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

/// The largest sum of margins along a chain that begins with a pair as the near one: by so much it must be below the bound.
fn heights(n: usize, order: &[Row]) -> Result<Vec<f64>, Trouble> {
    let at = |pair: Option<Two>| pair.map_or(0, |(i, j)| place(n, i as usize, j as usize));
    let steps: Vec<(usize, usize, f64)> = order.iter().map(|row| (at(row.minus), at(row.plus), row.constant)).collect();
    longest(n * n.saturating_sub(1) / 2, &steps)
        .ok_or_else(|| other_question("the comparisons go in a circle: no map keeps their order"))
}

/// `bound - h` with a smaller bound and heights a little stretched keeps every row with room, where it belongs to points.
fn inside(n: usize, heights: &[f64], bound: f64, limits: &Limits<'_>) -> Mend {
    let smallest = smallest(n, heights, limits);
    let inner = 0.5 * (bound + smallest);
    let stretch = 1.0 + 0.25 * (bound / smallest - 1.0).min(1.0);
    if bound > smallest * (1.0 + 1e-9) && inner >= smallest * stretch {
        let distances: Vec<f64> = heights.iter().map(|h| inner - stretch * h).collect();
        let spread = distances.iter().sum::<f64>() / n as f64;
        return Mend::Mix(distances, spread);
    }
    Mend::Told
}

/// From this bound on, `bound - h` belongs to points: `bound I + H h H` has no negative eigenvalue, and no distance is.
fn smallest(n: usize, heights: &[f64], limits: &Limits<'_>) -> f64 {
    let (least, size) = lowest(n, heights, limits);
    let highest = heights.iter().fold(0.0, |m: f64, v| m.max(*v));
    (1e-13 * size - least).max(highest) * (1.0 + 1e-12)
}

/// A number below the least eigenvalue of `H h H`, and the size of `h`.
fn lowest(n: usize, heights: &[f64], limits: &Limits<'_>) -> (f64, f64) {
    let mut h = Square::zeros(n);
    for (i, j) in all_pairs(n) {
        h.entries[i * n + j] = heights[place(n, i, j)];
        h.entries[j * n + i] = heights[place(n, i, j)];
    }
    let mean_of = |values: &[f64]| {
        let mut sum = Sum::default();
        values.iter().for_each(|v| sum.add(*v, 0.0));
        sum.value() / n as f64
    };
    let means: Vec<f64> = (0..n).map(|i| mean_of(h.row(i))).collect();
    let mean = mean_of(&means);
    let size = h.norm();
    for i in 0..n {
        for j in 0..n {
            h.entries[i * n + j] += mean - means[i] - means[j];
        }
    }
    // Each entry is off by a few roundings of itself and of three means; a row of them by so many of a row sum.
    (least_eigenvalue(&h, limits) - 32.0 * UNIT * size, size)
}

/// The comparisons that are kept: all, where they do not go in a circle.
fn kept(c: &Comparisons, repair: &str, seed: u64) -> Result<Comparisons, Trouble> {
    let graph = ConstraintGraph::new(c);
    if graph.is_acyclic() {
        return Ok(graph.comparisons());
    }
    let ways = [Repair::Prune, Repair::Random, Repair::Cheapest];
    let Some(how) = ways.into_iter().find(|how| how.name() == repair) else {
        let what = format!("the comparisons go in a circle, and the certificate says `{repair}` of what was left out");
        return Err(other_question(what));
    };
    // Pruning would drop both sides of a contradiction; the majority is asked first.
    let graph = if how == Repair::Prune { graph.voted(None).0 } else { graph };
    Ok(graph.acyclic(how, seed).0.comparisons())
}

fn two(pair: Pair) -> Two {
    (pair.first().0, pair.second().0)
}
