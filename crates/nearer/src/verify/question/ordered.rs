//! Comparisons as an order that is kept: everything as far apart as a bound allows, and the least bound of all.

use std::collections::HashSet;

use super::compared::two;
use super::ways::longest;
use super::{DualMend, Mend, Question, Row, Trouble, Two, all_pairs, other_question, place};
use crate::evidence::{Comparison, Comparisons};
use crate::graph::{ConstraintGraph, Repair};
use crate::object::Objects;
use crate::program::{Proof, Sense};
use crate::verify::definite::{Square, least_eigenvalue};
use crate::verify::limits::Limits;
use crate::verify::rounding::{Sum, UNIT};

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
    rows.extend(order(&c));
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

/// `d(near) + margin ≤ d(far)` for each comparison, the same one once.
fn order(c: &Comparisons) -> Vec<Row> {
    let mut known = HashSet::new();
    let each = c.iter().filter(|one| known.insert((two(one.near), two(one.far), one.margin.to_bits())));
    let row = |one: &Comparison| Row {
        plus: Some(two(one.near)),
        minus: Some(two(one.far)),
        constant: one.margin,
        low: 0.0,
        high: f64::INFINITY,
    };
    each.map(row).collect()
}

/// `min B` with `d ≤ B` for all pairs and `d(near) + margin ≤ d(far)`: a bound on it proves of every smaller one that the order does not
/// fit. `B` is the squared distance of the first object from one more point, which is asked nothing else.
pub(super) fn smallest_bound(
    c: &Comparisons,
    repair: &str,
    seed: u64,
    limits: &Limits<'_>,
) -> Result<Question, Trouble> {
    let n = c.objects().len();
    let c = kept(c, repair, seed)?;
    let top = (0, n as u32);
    let below = |(i, j): (usize, usize)| Row {
        plus: Some((i as u32, j as u32)),
        minus: Some(top),
        constant: 0.0,
        low: 0.0,
        high: f64::INFINITY,
    };
    let mut rows: Vec<Row> = all_pairs(n).map(below).collect();
    let pairs = rows.len();
    rows.extend(order(&c));
    let heights = heights(n, &rows[pairs..])?;
    // Half of what B costs spread over the pairs: the graph of these and the end of the bound hangs together.
    let each = 0.5 / pairs as f64;
    let spread = (0..rows.len()).map(|t| if t < pairs { each } else { 0.0 }).collect();
    let mut name = "bound".to_owned();
    while c.objects().labels().contains(&name) {
        name.push('\'');
    }
    Ok(Question {
        objects: Objects::new(c.objects().labels().iter().cloned().chain([name]))?,
        sense: Sense::Minimise,
        spread: 0.0,
        costs: vec![(0, n as u32, 1.0)],
        rows,
        balls: None,
        curvature: 0.0,
        entropy: false,
        most_spread: None,
        scale: smallest(n, &heights, limits),
        mend: Mend::Told,
        dual_mend: DualMend::Rows(spread, hanging_together(n, each, limits)),
        made: Vec::new(),
        named: Vec::new(),
        spanned: None,
        left_out: 0,
    })
}

/// A number below every eigenvalue, on vectors that sum to zero, of the Laplacian with weight `each` on all pairs of the first `n` and a
/// half on the first with the last.
fn hanging_together(n: usize, each: f64, limits: &Limits<'_>) -> f64 {
    let m = n + 1;
    let mut s = Square::zeros(m);
    // A constant vector is lifted to 1.
    s.entries.fill(1.0 / m as f64);
    let weighed = all_pairs(n).map(|pair| (pair, each)).chain([((0, n), 0.5)]);
    for ((i, j), w) in weighed {
        s.entries[i * m + i] += w;
        s.entries[j * m + j] += w;
        s.entries[i * m + j] -= w;
        s.entries[j * m + i] -= w;
    }
    // No entry is above 2, nor a sum of more than n terms: a row of them is off by less than this.
    let off = 4.0 * UNIT * (m * m) as f64;
    (least_eigenvalue(&s, limits) - off).max(0.0)
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
