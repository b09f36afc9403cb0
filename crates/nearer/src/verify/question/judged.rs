//! Pairs said to be alike or not, or alike in grades: each object a ball, or one inside the other.

use super::ways::longest;
use super::{Balls, DualMend, Mend, Question, Trouble, all_pairs, other_question, place};
use crate::evidence::Pairs;
use crate::program::Sense;
use crate::verify::definite::{Square, least_eigenvalue};
use crate::verify::limits::Limits;
use crate::verify::rounding::roundings;

/// `min Σ_alike w d / W_alike - Σ_not w d / W_not`, `d(i, j) ≤ bᵢ` for those alike and `≥ bᵢ` for those not, spread at most 1.
/// Of several levels the mean is minimised, and each has its radii; with `one` radius a level `bᵢ = b`.
pub(super) fn psde(
    pairs: &Pairs,
    slack: Option<f64>,
    one_radius: bool,
    limits: &Limits<'_>,
) -> Result<Question, Trouble> {
    let n = pairs.objects().len();
    let levels = 1 + pairs.iter().map(|r| usize::from(r.level)).max().unwrap_or(0);
    // A sign, a weight and a price for every pair at every level, and what a factorisation takes.
    limits.afford(17.0 * (levels * n * n) as f64 + 40.0 * (n * n) as f64)?;
    let (mut signs, mut weights) = (vec![0i8; levels * n * n], vec![0.0; levels * n * n]);
    for row in pairs.iter() {
        let k = (usize::from(row.level) * n + row.from.index()) * n + row.to.index();
        signs[k] = if row.similar { 1 } else { -1 };
        weights[k] += row.weight;
    }
    let total = |level: usize, sign: i8| -> f64 {
        let own = level * n * n..(level + 1) * n * n;
        signs[own.clone()].iter().zip(&weights[own]).filter(|(s, _)| **s == sign).map(|(_, w)| w).sum()
    };
    let totals: Vec<(f64, f64)> = (0..levels).map(|level| (total(level, 1), total(level, -1))).collect();
    let one = |level: usize, i: usize, j: usize| {
        let k = (level * n + i) * n + j;
        match signs[k] {
            1 => weights[k] / totals[level].0,
            -1 => -weights[k] / totals[level].1,
            _ => 0.0,
        }
    };
    let mean =
        |i: usize, j: usize| (0..levels).map(|level| one(level, i, j) + one(level, j, i)).sum::<f64>() / levels as f64;
    let costs: Vec<(usize, usize, f64)> = all_pairs(n).map(|(i, j)| (i, j, mean(i, j))).collect();
    // All squared distances together are n times the spread: what most pairs cost is paid there.
    let often = |value: f64| costs.iter().filter(|c| c.2 == value).count();
    let first = costs.iter().map(|c| c.2).find(|c| *c < 0.0).unwrap_or(0.0);
    let usual = if often(first) > often(0.0) { first } else { 0.0 };
    let mut given = weights.iter().filter(|w| **w > 0.0);
    let same = given.next().is_none_or(|first| given.all(|w| (w - first).abs() < 1e-12));
    let high = slack.map(|s| weights.iter().map(|w| if same { s } else { s * w }).collect());
    let balls = Balls { signs, one: one_radius, high };
    let mend = match slack {
        Some(_) => Mend::Told,
        None => inside(n, &balls, limits)?,
    };
    Ok(Question {
        objects: pairs.objects().clone(),
        sense: Sense::Minimise,
        spread: usual * n as f64,
        costs: costs.iter().filter(|c| c.2 != usual).map(|&(i, j, c)| (i as u32, j as u32, c - usual)).collect(),
        rows: Vec::new(),
        balls: Some(balls),
        curvature: 0.0,
        entropy: false,
        most_spread: Some(1.0),
        scale: 2.0 / (n as f64 - 1.0).max(1.0),
        mend,
        dual_mend: DualMend::Spread,
        made: Vec::new(),
        named: Vec::new(),
        spanned: None,
        left_out: 0,
    })
}

/// Distances at which every row holds with room: all equal, less a little for every step that a pair must be nearer than
/// another. They are those of points while the steps, as a matrix, have no eigenvalue below `-1 / α`.
fn inside(n: usize, balls: &Balls, limits: &Limits<'_>) -> Result<Mend, Trouble> {
    // Half a step from a pair outside to the ball, half a step from the ball to a pair inside; balls stand behind the pairs.
    let pairs = n * n.saturating_sub(1) / 2;
    let mut halves = Vec::new();
    for radius in 0..balls.radii(n) {
        for k in balls.rows_of(n, radius) {
            let (i, j) = Balls::pair(n, k);
            let (pair, ball) = (place(n, i as usize, j as usize), pairs + radius);
            halves.push(if balls.signs[k] < 0 { (pair, ball, 0.5) } else { (ball, pair, 0.5) });
        }
    }
    let heights = longest(pairs + balls.radii(n), &halves).ok_or_else(|| {
        other_question(
            "the answers about neighbours go in a circle: no map satisfies all, and no row can be a hard one",
        )
    })?;
    let mut steps = vec![0.0f64; n * n];
    for (i, j) in all_pairs(n) {
        steps[i * n + j] = heights[place(n, i, j)];
        steps[j * n + i] = heights[place(n, i, j)];
    }
    let least = least_eigenvalue(&Square { n, entries: steps.clone() }, limits);
    let alpha = 0.5 / (-least).max(1.0);
    let mut distances = vec![0.0; n * n.saturating_sub(1) / 2];
    for (i, j) in all_pairs(n) {
        distances[place(n, i, j)] = 2.0 - 2.0 * alpha * steps[i * n + j];
    }
    let spread = distances.iter().sum::<f64>() / n as f64 * (1.0 + roundings(distances.len()));
    distances.iter_mut().for_each(|d| *d /= spread);
    Ok(Mend::Mix(distances, 1.0))
}
