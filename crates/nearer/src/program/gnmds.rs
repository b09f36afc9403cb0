//! The program of generalised non-metric scaling: comparisons with a margin, paid for where they do not hold.

use std::collections::HashMap;

use ndarray::Array2;
use nearer_num::lanczos;
use nearer_num::rng::Rng;

use crate::error::Error;
use crate::evidence::{Comparison, Comparisons};
use crate::object::Pair;
use crate::program::gram::Anchor;
use crate::program::rows::too_large;
use crate::program::{GramProgram, Interval, Rows, Sense};

/// `min ⟨H, G⟩ + slack Σ w_t [margin_t + d(near_t) - d(far_t)]₊`; the same comparison said several times is one row with
/// the sum of the weights. The scale of the data is the largest margin, or what all points in one place pay if that is less.
pub(crate) fn gnmds(c: &Comparisons, slack: f64) -> Result<GramProgram, Error> {
    let (pairs, list) = merged(c, |row| row.margin);
    let mut rows = Rows::default();
    let (mut paid, mut widest) = (0.0, 0.0f64);
    for (near, far, margin, weight) in list {
        let Interval { low, high } = Interval::hinge(slack * weight);
        if !(high * high).is_finite() {
            return Err(too_large());
        }
        rows.push(&[(near, 1.0), (far, -1.0)], margin, low, high);
        paid += high * margin.abs();
        widest = widest.max(margin.abs());
    }
    let scale = widest.min(paid);
    let mut program = GramProgram::new(c.objects().len(), Sense::Minimise, scale).trace(1.0).pairs(pairs).rows(rows);
    program.anchor = Some(Anchor::Zero(1.0));
    program.checked()
}

/// A comparison: the numbers of its near and its far pair, the margin, and the sum of the weights.
type Merged = (u32, u32, f64, f64);

/// The pairs of comparisons, and each comparison once, in the order of its pairs.
pub(super) fn merged(c: &Comparisons, margin: impl Fn(&Comparison) -> f64) -> (Vec<(u32, u32)>, Vec<Merged>) {
    let mut pairs = PairNumbers::default();
    let mut known: HashMap<(u32, u32, u64), usize> = HashMap::new();
    let mut list: Vec<Merged> = Vec::new();
    for row in c.iter() {
        let margin = margin(row);
        let key = (pairs.number(row.near), pairs.number(row.far), margin.to_bits());
        match known.get(&key) {
            Some(&k) => list[k].3 += row.weight,
            None => {
                known.insert(key, list.len());
                list.push((key.0, key.1, margin, row.weight));
            }
        }
    }
    list.sort_by_key(|row| (pairs.list[row.0 as usize], pairs.list[row.1 as usize]));
    (pairs.list, list)
}

/// The slack at which answers given at random would just not make a direction of their own:
/// `1 / |Σ ± w_t (L_far - L_near)|`, with random signs.
///
/// Above it, noise alone spans dimensions; far below it, everything collapses to a point.
pub(crate) fn noise_slack(c: &Comparisons, seed: u64) -> f64 {
    let n = c.objects().len();
    let mut norms = 0.0;
    const DRAWS: u64 = 2;
    let heaviest = heaviest(c);
    for draw in 0..DRAWS {
        let edges = random_signs(c, seed, draw);
        let apply = |sign: f64| {
            let edges = &edges;
            move |x: &Array2<f64>| pulled(edges, x) * sign
        };
        let top = |sign| lanczos::largest(n, 1, 1e-4, apply(sign)).map_or(0.0, |l| l.values[0]);
        norms += f64::max(top(1.0), top(-1.0)) / DRAWS as f64;
    }
    if norms > 0.0 { 1.0 / norms / heaviest } else { 1.0 }
}

/// The power of two near the largest weight of a comparison, by which weights are divided before anything is squared; no
/// digit is lost by it.
pub(crate) fn heaviest(c: &Comparisons) -> f64 {
    let most = c.iter().map(|row| row.weight).fold(0.0, f64::max);
    if most > 0.0 { most.log2().floor().clamp(-1000.0, 1000.0).exp2() } else { 1.0 }
}

/// Pairs with weights.
pub(crate) type Edges = Vec<((usize, usize), f64)>;

/// `Σ ± w_t (far - near)` with random signs, pair by pair, the heaviest weight brought to about 1. The sign of an answer
/// belongs to what it says and to how often that was said before, not to its row: the order of a file changes nothing.
pub(crate) fn random_signs(c: &Comparisons, seed: u64, draw: u64) -> Edges {
    let labels: Vec<u64> = c.objects().labels().iter().map(|l| hash(l)).collect();
    let mut said: HashMap<(Pair, Pair, u64), u64> = HashMap::new();
    let mut weights: HashMap<(usize, usize), f64> = HashMap::new();
    let heaviest = heaviest(c);
    for row in c.iter() {
        let weight = row.weight / heaviest;
        let time = said.entry((row.near, row.far, row.weight.to_bits())).or_default();
        let ends = |p: Pair| labels[p.first().index()].wrapping_add(labels[p.second().index()]);
        let what = ends(row.near).rotate_left(17) ^ ends(row.far) ^ row.weight.to_bits();
        let positive = Rng::task(seed ^ what, 0x736c_6163 + draw + (*time << 32)).uniform() < 0.5;
        *time += 1;
        let sign = if positive { weight } else { -weight };
        for (pair, sign) in [(row.far, sign), (row.near, -sign)] {
            *weights.entry((pair.first().index(), pair.second().index())).or_default() += sign;
        }
    }
    let mut edges: Edges = weights.into_iter().filter(|(_, w)| *w != 0.0).collect();
    edges.sort_unstable_by_key(|e| e.0);
    edges
}

/// A label as a number (FNV-1a).
fn hash(label: &str) -> u64 {
    label.bytes().fold(0xcbf2_9ce4_8422_2325, |h, b| (h ^ u64::from(b)).wrapping_mul(0x0100_0000_01b3))
}

/// The Laplacian of the edges times `x`.
pub(crate) fn pulled(edges: &Edges, x: &Array2<f64>) -> Array2<f64> {
    let mut y = Array2::zeros(x.raw_dim());
    for &((i, j), w) in edges {
        for k in 0..x.ncols() {
            let pull = w * (x[(i, k)] - x[(j, k)]);
            y[(i, k)] += pull;
            y[(j, k)] -= pull;
        }
    }
    y
}

/// Numbers for pairs of objects, in the order in which they are met.
#[derive(Default)]
pub(crate) struct PairNumbers {
    pub(crate) list: Vec<(u32, u32)>,
    numbers: HashMap<(u32, u32), u32>,
}

impl PairNumbers {
    pub(crate) fn number(&mut self, pair: crate::object::Pair) -> u32 {
        self.number_of(pair.first().0, pair.second().0)
    }
    pub(crate) fn number_of(&mut self, a: u32, b: u32) -> u32 {
        let key = (a.min(b), a.max(b));
        *self.numbers.entry(key).or_insert_with(|| {
            self.list.push(key);
            self.list.len() as u32 - 1
        })
    }
}
