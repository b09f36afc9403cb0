//! How many judged pairs are on the right side of a radius: similar inside, dissimilar outside.

use crate::error::Error;
use crate::evaluate::agreement::{Squares, weighted_share};
use crate::evaluate::interval::{Units, percentile_interval};
use crate::evaluate::join;
use crate::evidence::{Judged, Pairs};
use crate::geometry::{Embedding, Touch};
use crate::report::{CommonRadius, Interval, PairAgreement};
use crate::solve::Run;

/// How many ordered pairs are on the right side of the best radii: `to` inside the radius about `from` where they are said
/// to be alike, outside where they are not.
///
/// Each object has its own radius, the one that puts most of its rows right (the smallest such), strictly between
/// distances that occur; there are only as many cases as distances. A pair that [`touches`](crate::geometry::Touch) its radius
/// is on the right side, as `s (d - b) ≤ 0` says and as the best answer to rows that must hold always has it; such are counted
/// in [`PairAgreement::touching`]. Two that coincide cannot be unlike by touching. Any map reaches the share
/// [`PairAgreement::baseline`], with radii that include everything or nothing, so a share says little without it. A row is tied
/// rather than violated when it loses only because somebody with the opposite answer is at the same place. Of pairs in grades
/// every level has its radii, and its own rows.
/// `O(rows (dim + log rows))`.
///
/// # Fails
/// When there are no pairs, or when a judged object is not on the map.
///
/// ```
/// use nearer::{Embedding, Item, Objects, Pairs, evaluate::pair_agreement, evidence::Judged};
/// # fn main() -> Result<(), nearer::Error> {
/// let says = |to, similar| Judged::new(Item(0), Item(to), similar);
/// let pairs = Pairs::new(Objects::numbered(4), vec![says(1, true), says(2, false), says(3, true)])?;
/// let line = Embedding::new(Objects::numbered(4), ndarray::array![[0.0], [1.0], [2.0], [7.0]])?;
/// let found = pair_agreement(&line, &pairs)?;
/// assert_eq!((found.satisfied, found.violated), (2, 1));                // a radius between 1 and 2: the last is outside
/// assert_eq!(found.baseline, found.share);                              // no better than a radius around everything
/// # Ok(()) }
/// ```
pub fn pair_agreement(map: &Embedding, pairs: &Pairs) -> Result<PairAgreement, Error> {
    Ok(Rings::new(map, pairs)?.agreement(pairs))
}

/// Where the [`pair_agreement`] would lie with other people or other answers, as
/// [`agreement_interval`](crate::evaluate::agreement_interval) has it for comparisons; the map and the radii stay.
pub fn pair_agreement_interval(
    map: &Embedding,
    pairs: &Pairs,
    replicates: usize,
    run: &Run<'_>,
) -> Result<Option<Interval>, Error> {
    let rings = Rings::new(map, pairs)?;
    percentile_interval(&Units::of_pairs(pairs), |row| rings.satisfied(pairs, row), replicates, run)
}

/// Each row with its squared distance, and a squared radius for each object, in units of `unit` squared.
#[derive(Debug)]
pub(super) struct Rings {
    square: Vec<f64>,
    /// The square at which a row changes sides: a similar row comes in by touching, a dissimilar one goes on being
    /// outside. Where both ends coincide there is nothing to touch, and it is 0.
    edge: Vec<f64>,
    /// The rows by `from`, and there by edge.
    order: Vec<usize>,
    /// Squared; an object without rows has 0.
    radius: Vec<f64>,
    touch: Touch,
    unit: f64,
}

impl Rings {
    pub(super) fn new(map: &Embedding, pairs: &Pairs) -> Result<Rings, Error> {
        if pairs.is_empty() {
            return Err(Error::Evidence {
                what: "there are no judged pairs".into(),
                remedy: "give at least one of two different objects".into(),
            });
        }
        let rows = join::judged_rows(map, pairs.objects(), pairs.iter().flat_map(|row| [row.from, row.to]))?;
        let squares = Squares::new(map);
        let touch = squares.touch();
        let square: Vec<f64> = pairs
            .iter()
            .map(|row| match (rows[row.from.index()], rows[row.to.index()]) {
                (Some(a), Some(b)) => squares.between(a, b),
                _ => unreachable!("every judged object was found on the map"),
            })
            .collect();
        let (mut edge, mut order) = (vec![0.0; square.len()], by_centre(pairs));
        // Which answers were given about an object in the rows of the last centre that has it, which is named by its first row.
        let mut said = vec![(usize::MAX, [false; 2]); pairs.objects().len()];
        let mut sorted: Vec<(f64, usize)> = Vec::new();
        for own in order.chunk_by_mut(|&a, &b| centre(pairs, a) == centre(pairs, b)) {
            let first = own[0];
            for row in own.iter().map(|&k| &pairs.rows()[k]) {
                let (last, answers) = &mut said[row.to.index()];
                if *last != first {
                    (*last, *answers) = (first, [false; 2]);
                }
                answers[usize::from(row.similar)] = true;
            }
            sorted.clear();
            sorted.extend(own.iter().map(|&k| {
                let (row, d) = (&pairs.rows()[k], square[k]);
                edge[k] = match row.similar {
                    _ if d <= touch.within => 0.0,
                    // Both answers about one pair cannot hold, not even where it touches: there is no leeway where both were given.
                    _ if said[row.to.index()].1 == [true; 2] => d,
                    true => d - touch.within,
                    false => d + touch.within,
                };
                (edge[k], k)
            }));
            in_order_of_edges(&mut sorted);
            own.iter_mut().zip(&sorted).for_each(|(place, (_, k))| *place = *k);
        }
        let radius = Vec::new();
        let mut rings = Rings { square, edge, order, radius, touch, unit: squares.unit };
        rings.radius = rings.best(pairs, |_| 1.0);
        Ok(rings)
    }

    /// The best radius of each object, at each level, by this weight.
    fn best(&self, pairs: &Pairs, weight: impl Fn(usize) -> f64) -> Vec<f64> {
        let mut radius = vec![0.0; pairs.objects().len() * pairs.levels()];
        for own in self.order.chunk_by(|&a, &b| centre(pairs, a) == centre(pairs, b)) {
            radius[centre(pairs, own[0])] = self.cut(pairs, own, &weight);
        }
        radius
    }

    /// The squared radius that puts the most weight of some rows, sorted by edge, on the right side.
    fn cut(&self, pairs: &Pairs, sorted: &[usize], weight: impl Fn(usize) -> f64) -> f64 {
        // From a radius that includes nothing outwards: a similar row is gained where it comes in, a dissimilar one lost.
        let (mut gain, mut best, mut radius) = (0.0, 0.0, 0.0);
        let mut inside = 0;
        // Objects may coincide with `from`, so that even a radius of 0 would touch them; below all distances is below 0.
        if self.edge[sorted[0]] == 0.0 {
            radius = -1.0;
        }
        for same in sorted.chunk_by(|&a, &b| self.edge[a] == self.edge[b]) {
            for &k in same {
                gain += if pairs.rows()[k].similar { weight(k) } else { -weight(k) };
            }
            inside += same.len();
            if gain > best {
                best = gain;
                let here = self.edge[same[0]];
                radius = match sorted.get(inside) {
                    Some(&next) => between(here, self.edge[next]),
                    None => 1.0 + 2.0 * here,
                };
            }
        }
        radius
    }

    /// Whether a row is on the right side of its radius.
    pub(super) fn satisfied(&self, pairs: &Pairs, row: usize) -> bool {
        self.right(pairs, row, self.radius[centre(pairs, row)])
    }
    fn right(&self, pairs: &Pairs, row: usize, radius: f64) -> bool {
        (self.edge[row] < radius) == pairs.rows()[row].similar
    }
    /// The squared radius of an object at a level in the units of the map, where it has a row there.
    pub(super) fn squared_radius(&self, pairs: &Pairs, item: crate::object::Item, level: u16) -> Option<f64> {
        let rows = pairs.rows();
        let found = self.order.binary_search_by(|&k| (rows[k].from, rows[k].level).cmp(&(item, level))).ok()?;
        Some(self.radius[centre(pairs, self.order[found])].max(0.0) * self.unit * self.unit)
    }
    /// The best radius for all objects, at each level, by this weight.
    fn for_all(&self, pairs: &Pairs, weight: impl Fn(usize) -> f64) -> Vec<f64> {
        let mut levels = vec![Vec::new(); pairs.levels()];
        for (k, row) in pairs.iter().enumerate() {
            levels[usize::from(row.level)].push((self.edge[k], k));
        }
        let mut radii = vec![0.0; pairs.levels()];
        for (radius, mut own) in radii.iter_mut().zip(levels).filter(|(_, own)| !own.is_empty()) {
            in_order_of_edges(&mut own);
            let own: Vec<usize> = own.into_iter().map(|(_, k)| k).collect();
            *radius = self.cut(pairs, &own, &weight);
        }
        radii
    }
    /// The squared radius for all objects, at each level, in the units of the map: rows that are alike and rows that are not
    /// count for half each, however many they are.
    pub(super) fn common(&self, pairs: &Pairs) -> Vec<f64> {
        let mut counts = [0.0_f64; 2];
        pairs.iter().for_each(|row| counts[usize::from(row.similar)] += 1.0);
        let radii = self.for_all(pairs, |k| 1.0 / counts[usize::from(pairs.rows()[k].similar)]);
        radii.into_iter().map(|radius| radius.max(0.0) * self.unit * self.unit).collect()
    }
    /// The distance of a row, and its radius.
    pub(super) fn distances(&self, pairs: &Pairs, row: usize) -> (f64, f64) {
        let radius = self.radius[centre(pairs, row)].max(0.0);
        (self.square[row].sqrt() * self.unit, radius.sqrt() * self.unit)
    }

    pub(super) fn agreement(&self, pairs: &Pairs) -> PairAgreement {
        let rows = pairs.len();
        let satisfied = (0..rows).filter(|&k| self.satisfied(pairs, k)).count();
        let tied = self.ties(pairs);
        let touches = |k: usize| self.touch.same(self.square[k], self.radius[centre(pairs, k)]);
        let touching = (0..rows).filter(|&k| self.satisfied(pairs, k) && touches(k)).count();
        let weight = |k: usize| pairs.rows()[k].weight;
        let by_weight = self.best(pairs, weight);
        let weighted = weighted_share(rows, weight, |k| self.right(pairs, k, by_weight[centre(pairs, k)]));
        let level = |k: usize| pairs.rows()[k].level;
        let radii = self.for_all(pairs, |_| 1.0);
        let common = (0..rows).filter(|&k| self.right(pairs, k, radii[usize::from(level(k))])).count();
        let length = |square: f64| square.max(0.0).sqrt() * self.unit;
        let share = |count: usize| count as f64 / rows as f64;
        PairAgreement {
            rows,
            answers: Some(rows / pairs.per_answer()),
            satisfied,
            touching,
            tied,
            violated: rows - satisfied - tied,
            share: share(satisfied),
            weighted_share: weighted,
            baseline: share(self.baseline(pairs)),
            common: CommonRadius {
                radius: length(radii[0]),
                nested: radii[1..].iter().map(|r| length(*r)).collect(),
                satisfied: common,
                share: share(common),
            },
            interval: None,
        }
    }

    /// Rows that lose only because somebody else with the opposite answer is at the same place.
    fn ties(&self, pairs: &Pairs) -> usize {
        let rows = pairs.rows();
        let same = |a: usize, b: usize| centre(pairs, a) == centre(pairs, b) && self.edge[a] == self.edge[b];
        let mut ties = 0;
        for level in self.order.chunk_by(|&a, &b| same(a, b)) {
            let opposite = |k: usize| {
                level.iter().any(|&other| rows[other].similar != rows[k].similar && rows[other].to != rows[k].to)
            };
            ties += level.iter().filter(|&&k| !self.satisfied(pairs, k) && opposite(k)).count();
        }
        ties
    }

    /// How many rows are right when every radius includes all or nothing.
    fn baseline(&self, pairs: &Pairs) -> usize {
        let rows = pairs.rows();
        let mut right = 0;
        for own in self.order.chunk_by(|&a, &b| centre(pairs, a) == centre(pairs, b)) {
            let similar = own.iter().filter(|&&k| rows[k].similar).count();
            right += similar.max(own.len() - similar);
        }
        right
    }
}

/// Which radius a row is held against: that of its first object at its level.
fn centre(pairs: &Pairs, row: usize) -> usize {
    let row = &pairs.rows()[row];
    usize::from(row.level) * pairs.objects().len() + row.from.index()
}

/// The rows by their first objects, and there by level, as they come.
fn by_centre(pairs: &Pairs) -> Vec<usize> {
    let bin = |row: &Judged| row.from.index() * pairs.levels() + usize::from(row.level);
    let mut ends = vec![0; pairs.objects().len() * pairs.levels() + 1];
    pairs.iter().for_each(|row| ends[bin(row) + 1] += 1);
    (1..ends.len()).for_each(|b| ends[b] += ends[b - 1]);
    let mut order = vec![0; pairs.len()];
    for (k, row) in pairs.iter().enumerate() {
        let place = &mut ends[bin(row)];
        order[*place] = k;
        *place += 1;
    }
    order
}

/// Sorts rows beside their edges: looked up by their numbers, each comparison would wait for memory.
fn in_order_of_edges(rows: &mut [(f64, usize)]) {
    rows.sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
}

/// A number above `a` and at most `b`, in the middle where there is one: a distance of `b` is then not inside.
fn between(a: f64, b: f64) -> f64 {
    let middle = a + (b - a) / 2.0;
    if middle > a { middle } else { b }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::object::{Item, Objects};
    use ndarray::{Array2, array};
    use nearer_num::rng::Rng;

    fn random(seed: u64, n: usize, rows: usize, levels: f64) -> (Embedding, Pairs) {
        let mut rng = Rng::task(seed, 2);
        let points = Array2::from_shape_simple_fn((n, 1), || (rng.uniform() * levels).floor());
        let map = Embedding::new(Objects::numbered(n), points).unwrap();
        let drawn = (0..rows).map(|_| {
            let items = rng.permutation(n);
            let row = Judged::new(Item(items[0] as u32), Item(items[1] as u32), rng.uniform() < 0.4);
            Judged { weight: 1.0 + rng.below(3) as f64, ..row }
        });
        let rows = drawn.collect();
        (map, Pairs::new(Objects::numbered(n), rows).unwrap())
    }

    /// The best over radii tried one by one, with nothing sorted; the distances are whole numbers.
    fn brute(map: &Embedding, pairs: &Pairs, of: impl Fn(&Judged) -> bool, weight: impl Fn(&Judged) -> f64) -> f64 {
        let rows: Vec<&Judged> = pairs.iter().filter(|row| of(row)).collect();
        let distance = |row: &Judged| map.distance(row.from.index(), row.to.index());
        let radii = rows.iter().flat_map(|row| [0.0, 1e-4, 0.25].map(|more| distance(row) + more)).chain([-0.25]);
        let opposite = |row: &Judged, k: &Judged| (k.from, k.to, k.similar) == (row.from, row.to, !row.similar);
        // What touches is right, unless it coincides with its object or the opposite was said too.
        let leeway =
            |row: &Judged| if distance(row) == 0.0 || pairs.iter().any(|k| opposite(row, k)) { 0.0 } else { 1e-3 };
        let right = |r: f64, row: &Judged| match row.similar {
            true => distance(row) < r + leeway(row),
            false => distance(row) >= r - leeway(row),
        };
        let sum = |r: f64| rows.iter().filter(|row| right(r, row)).map(|row| weight(row)).sum();
        radii.map(sum).fold(0.0, f64::max)
    }

    #[test]
    fn no_other_radius_is_better() {
        for seed in 0..60 {
            let (map, pairs) = random(seed, 7, 40, 6.0);
            let found = pair_agreement(&map, &pairs).unwrap();
            let each = |weight: fn(&Judged) -> f64| -> f64 {
                (0..7).map(|i| brute(&map, &pairs, |row| row.from == Item(i), weight)).sum()
            };
            assert_eq!(found.satisfied as f64, each(|_| 1.0), "seed {seed}");
            let all: f64 = pairs.iter().map(|row| row.weight).sum();
            assert!((found.weighted_share.unwrap() - each(|row| row.weight) / all).abs() < 1e-12, "seed {seed}");
            assert_eq!(found.common.satisfied as f64, brute(&map, &pairs, |_| true, |_| 1.0), "seed {seed}");
            assert!(found.baseline <= found.share && found.common.share <= found.share);
            assert_eq!(found.satisfied + found.tied + found.violated, 40);
        }
    }

    #[test]
    fn a_map_that_is_a_point_ties_what_it_cannot_tell_apart() {
        let says = |to, similar| Judged::new(Item(0), Item(to), similar);
        let rows = vec![says(1, true), says(2, false), says(3, false), says(4, true), says(5, false)];
        let pairs = Pairs::new(Objects::numbered(6), rows).unwrap();
        let map = Embedding::new(Objects::numbered(6), Array2::zeros((6, 2))).unwrap();
        let found = pair_agreement(&map, &pairs).unwrap();
        assert_eq!((found.satisfied, found.tied, found.violated), (3, 2, 0));
        // A contradiction about one pair is no tie of the map.
        let pairs = Pairs::new(Objects::numbered(6), vec![says(1, true), says(1, false)]).unwrap();
        let found = pair_agreement(&map, &pairs).unwrap();
        assert_eq!((found.satisfied, found.tied, found.violated), (1, 0, 1));
    }

    #[test]
    fn distances_that_touch_their_radius_hold_and_others_are_told_apart() {
        let says = |to, similar| Judged::new(Item(0), Item(to), similar);
        for (apart, near, satisfied, touching) in [
            (0.0, true, 3, 3),
            (0.0, false, 3, 3),
            (1e-9, true, 3, 3),
            (1e-9, false, 3, 3),
            (1e-3, true, 3, 0),
            (1e-3, false, 2, 0),
        ] {
            let map = Embedding::new(Objects::numbered(3), array![[0.0], [1.0], [-1.0 - apart]]).unwrap();
            let rows = vec![says(1, near), says(2, !near), says(2, !near)];
            let found = pair_agreement(&map, &Pairs::new(Objects::numbered(3), rows).unwrap()).unwrap();
            assert_eq!((found.satisfied, found.touching), (satisfied, touching), "{apart} {near}");
        }
    }

    /// Two answers about one pair exclude each other, whatever touches: no map passes the ceiling.
    #[test]
    fn no_share_is_above_the_ceiling() {
        for seed in 0..200 {
            let (map, pairs) = random(seed, 6, 24, 4.0);
            let ceiling = crate::evaluate::pair_ceiling(&pairs).unwrap().share;
            let found = pair_agreement(&map, &pairs).unwrap();
            assert!(found.share <= ceiling + 1e-12, "{seed}: {} of at most {ceiling}", found.share);
        }
    }
}
