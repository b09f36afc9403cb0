//! How many comparisons hold on a map, with their margins and without.

use ndarray::Array2;
use nearer_num::order;

use crate::error::Error;
use crate::evaluate::interval::{Units, percentile_interval};
use crate::evaluate::join;
use crate::evidence::Comparisons;
use crate::geometry::{Embedding, Touch};
use crate::object::Pair;
use crate::report::{Agreement, Interval, WholeAnswers, WithMargin};
use crate::solve::Run;

/// How many comparisons hold on a map: `d(near) < d(far)`. Distances that [`touch`](crate::geometry::Touch) are tied: counted
/// apart, and not satisfied.
///
/// A map has no size of its own, and with a large enough one every satisfied comparison would keep its margin. So margins
/// are judged at the scale `s` of the squared distances at which they fit best, the minimiser of the convex
/// `Σ w max(0, margin - s (d²(far) - d²(near)))`: where the map violates nothing, all margins hold; the more it
/// violates, the smaller the map has to be.
///
/// Objects are joined by label; a judged object must be on the map. `O(rows (dim + log rows))`.
///
/// # Fails
/// When there are no comparisons, or when a compared object is not on the map.
///
/// ```
/// use nearer::{Comparison, Comparisons, Embedding, Item, Objects, Pair, evaluate::agreement};
/// # fn main() -> Result<(), nearer::Error> {
/// let pair = |a, b| Pair::new(Item(a), Item(b)).expect("two objects");
/// let says = |a, b, c| Comparison::new(pair(a, b), pair(a, c));          // a is nearer to b than to c
/// let answers = Comparisons::new(Objects::numbered(4), vec![says(0, 1, 2), says(0, 2, 3), says(1, 3, 0), says(1, 0, 2)])?;
/// let line = Embedding::new(Objects::numbered(4), ndarray::array![[0.0], [1.0], [2.0], [7.0]])?;
/// let found = agreement(&line, &answers)?;
/// assert_eq!((found.satisfied, found.tied, found.violated), (2, 1, 1));
/// assert_eq!(found.share, 0.5);
/// # Ok(()) }
/// ```
pub fn agreement(map: &Embedding, comparisons: &Comparisons) -> Result<Agreement, Error> {
    Ok(Held::new(map, comparisons)?.agreement(comparisons))
}

/// Where the [`agreement`] would lie with other people or other trials: the 95 % percentile interval of the bootstrap.
///
/// Where it is known who answered, and there are two at least, participants are drawn anew with all they said, since the answers
/// of one person go together (Davison and Hinkley, 1997, section 3.8); otherwise answers are drawn, each with all the
/// comparisons that follow from it. The map stays as it is: this is how sure the figure is, not how steady the map. `None`
/// when there is nothing to draw from, a single answer.
///
/// The same seed gives the same bits on any number of threads. Units of one kind (so many rows, so many of them
/// satisfied) are drawn together, so the cost is that of the kinds, not of the rows.
pub fn agreement_interval(
    map: &Embedding,
    comparisons: &Comparisons,
    replicates: usize,
    run: &Run<'_>,
) -> Result<Option<Interval>, Error> {
    let held = Held::new(map, comparisons)?;
    percentile_interval(&Units::of_comparisons(comparisons), |row| held.satisfied(row), replicates, run)
}

/// The squared distances behind each comparison, in units of `unit` squared.
#[derive(Debug)]
pub(super) struct Held {
    near: Vec<f64>,
    far: Vec<f64>,
    unit: f64,
    touch: Touch,
}

impl Held {
    pub(super) fn new(map: &Embedding, comparisons: &Comparisons) -> Result<Held, Error> {
        if comparisons.is_empty() {
            return Err(Error::Evidence {
                what: "there are no comparisons".into(),
                remedy: "give at least one that is not a check and shows no object twice".into(),
            });
        }
        let ends = |p: Pair| [p.first(), p.second()];
        let judged = comparisons.iter().flat_map(|row| ends(row.near).into_iter().chain(ends(row.far)));
        let rows = join::judged_rows(map, comparisons.objects(), judged)?;
        let squares = Squares::new(map);
        let square = |p: Pair| match (rows[p.first().index()], rows[p.second().index()]) {
            (Some(a), Some(b)) => squares.between(a, b),
            _ => unreachable!("every judged object was found on the map"),
        };
        let near = comparisons.iter().map(|row| square(row.near)).collect();
        let far = comparisons.iter().map(|row| square(row.far)).collect();
        Ok(Held { near, far, unit: squares.unit, touch: squares.touch() })
    }

    pub(super) fn satisfied(&self, row: usize) -> bool {
        self.touch.nearer(self.near[row], self.far[row])
    }
    fn tied(&self, row: usize) -> bool {
        self.touch.same(self.near[row], self.far[row])
    }
    /// The distances of a row, near and far.
    pub(super) fn distances(&self, row: usize) -> (f64, f64) {
        (self.near[row].sqrt() * self.unit, self.far[row].sqrt() * self.unit)
    }
    /// The rows that the map contradicts, the largest `d(near) - d(far)` first.
    pub(super) fn violated(&self) -> Vec<usize> {
        let mut rows: Vec<usize> = (0..self.near.len()).filter(|&k| !self.satisfied(k) && !self.tied(k)).collect();
        let excess = |k: usize| self.near[k].sqrt() - self.far[k].sqrt();
        order::by(&mut rows, &|&a, &b| excess(b).total_cmp(&excess(a)).then(a.cmp(&b)));
        rows
    }
    /// The share of rows satisfied.
    pub(super) fn share(&self) -> f64 {
        let rows = self.near.len();
        (0..rows).filter(|&k| self.satisfied(k)).count() as f64 / rows as f64
    }

    pub(super) fn agreement(&self, comparisons: &Comparisons) -> Agreement {
        let rows = comparisons.len();
        let satisfied = (0..rows).filter(|&k| self.satisfied(k)).count();
        let tied = (0..rows).filter(|&k| self.tied(k)).count();
        let weight = |k: usize| comparisons.rows()[k].weight;
        Agreement {
            rows,
            satisfied,
            tied,
            violated: rows - satisfied - tied,
            share: satisfied as f64 / rows as f64,
            weighted_share: weighted_share(rows, weight, |k| self.satisfied(k)),
            with_margin: self.with_margin(comparisons),
            answers: self.whole_answers(comparisons),
            interval: None,
        }
    }

    fn with_margin(&self, comparisons: &Comparisons) -> WithMargin {
        // A satisfied row keeps its margin from the scale margin / gap on; up to there it pulls the map larger with its
        // weight times gap, and a violated row always pulls it smaller.
        let (mut smaller, mut larger) = (0.0, Vec::new());
        for (k, row) in comparisons.iter().enumerate() {
            let gap = self.far[k] - self.near[k];
            if gap > 0.0 {
                larger.push((row.margin / gap, row.weight * gap, self.satisfied(k)));
            } else {
                smaller -= row.weight * gap;
            }
        }
        order::by(&mut larger, &|a, b| a.0.total_cmp(&b.0).then(a.1.total_cmp(&b.1)));
        let mut pull: f64 = larger.iter().map(|(_, pull, _)| pull).sum();
        let mut scale = 0.0;
        // Walking from a small map to a large one, until those that still want a larger one no longer outweigh the rest.
        // Without a violation the end is the last row, whatever rounding has left of the pull.
        for (from, own, _) in &larger {
            if smaller > 0.0 && pull <= smaller {
                break;
            }
            (scale, pull) = (*from, pull - own);
        }
        // A tie has no margin, whatever rounding has left of it.
        let satisfied = larger.iter().filter(|(from, _, satisfied)| *satisfied && *from <= scale).count();
        let share = satisfied as f64 / comparisons.len() as f64;
        WithMargin { scale: (scale / self.unit / self.unit).min(f64::MAX), satisfied, share }
    }

    fn whole_answers(&self, comparisons: &Comparisons) -> Option<WholeAnswers> {
        let trials = comparisons.trials()?;
        let (mut seen, mut all_hold, mut rows) = (vec![false; trials.len()], vec![true; trials.len()], 0);
        for row in 0..comparisons.len() {
            let trial = comparisons.trial_of(row)?;
            seen[trial] = true;
            all_hold[trial] &= self.satisfied(row);
            rows += 1;
        }
        let answers = seen.iter().filter(|s| **s).count();
        if rows == answers {
            return None;
        }
        let satisfied = (0..trials.len()).filter(|&k| seen[k] && all_hold[k]).count();
        let chance: f64 = (0..trials.len()).filter(|&k| seen[k]).map(|k| trials.get(k).chance()).sum();
        let of = answers as f64;
        Some(WholeAnswers { answers, satisfied, share: satisfied as f64 / of, chance: chance / of })
    }
}

/// The share of the weight that is satisfied; `None` where all weights are equal.
pub(super) fn weighted_share(
    rows: usize,
    weight: impl Fn(usize) -> f64,
    satisfied: impl Fn(usize) -> bool,
) -> Option<f64> {
    if (0..rows).all(|k| weight(k) == weight(0)) {
        return None;
    }
    let all: f64 = (0..rows).map(&weight).sum();
    Some((0..rows).filter(|&k| satisfied(k)).map(&weight).sum::<f64>() / all)
}

/// Squared distances of a map that is first brought to a size near 1 by a power of two: no bit changes, and neither huge nor
/// tiny maps end in infinities or in ties that are none.
#[derive(Debug)]
pub(super) struct Squares {
    points: Array2<f64>,
    /// What a distance of 1 here is on the map.
    pub(super) unit: f64,
}

impl Squares {
    pub(super) fn new(map: &Embedding) -> Squares {
        let largest = map.points().iter().fold(0.0f64, |most, v| most.max(v.abs()));
        let unit = if largest > 0.0 { largest.log2().floor().clamp(-1000.0, 1000.0).exp2() } else { 1.0 };
        Squares { points: map.points() / unit, unit }
    }
    /// What touches, in the same unit.
    pub(super) fn touch(&self) -> Touch {
        Touch::of_points(&self.points)
    }
    pub(super) fn between(&self, i: usize, j: usize) -> f64 {
        self.points.row(i).iter().zip(self.points.row(j)).map(|(a, b)| (a - b).powi(2)).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evidence::Comparison;
    use crate::object::{Item, Objects};
    use ndarray::array;
    use nearer_num::rng::Rng;

    fn pair(a: usize, b: usize) -> Pair {
        Pair::new(Item(a as u32), Item(b as u32)).unwrap()
    }

    fn random(seed: u64, n: usize, rows: usize) -> (Embedding, Comparisons) {
        let mut rng = Rng::task(seed, 1);
        let points = Array2::from_shape_simple_fn((n, 2), || rng.normal());
        let map = Embedding::new(Objects::numbered(n), points).unwrap();
        let drawn = (0..rows).map(|_| {
            let items = rng.permutation(n);
            let row = Comparison::new(pair(items[0], items[1]), pair(items[0], items[2]));
            Comparison { weight: 0.5 + rng.uniform(), margin: rng.uniform(), ..row }
        });
        let rows = drawn.collect();
        (map, Comparisons::new(Objects::numbered(n), rows).unwrap())
    }

    #[test]
    fn the_scale_for_margins_minimises_the_hinge() {
        for seed in 0..20 {
            let (map, c) = random(seed, 9, 60);
            let gap = |row: &Comparison| {
                let d = |p: Pair| map.distance(p.first().index(), p.second().index()).powi(2);
                d(row.far) - d(row.near)
            };
            // The rows are random, about half violated; turned round where the map likes it, few are.
            let turned = c.iter().enumerate().map(|(k, row)| {
                let flip = gap(row) < 0.0 && k % 5 > 0;
                if flip { Comparison { near: row.far, far: row.near, ..*row } } else { *row }
            });
            let c = Comparisons::new(c.objects().clone(), turned.collect()).unwrap();
            let hinge = |s: f64| c.iter().map(|row| row.weight * (row.margin - s * gap(row)).max(0.0)).sum::<f64>();
            let found = agreement(&map, &c).unwrap().with_margin;
            let best = hinge(found.scale);
            for k in 0..4000 {
                let s = f64::from(k) * 0.005;
                assert!(best <= hinge(s) + 1e-9, "seed {seed}: {best} at {} and {} at {s}", found.scale, hinge(s));
            }
            let holds = |s: f64| c.iter().filter(|row| gap(row) > 0.0 && row.margin <= s * gap(row)).count();
            let around = holds(found.scale * (1.0 - 1e-9))..=holds(found.scale * (1.0 + 1e-9));
            assert!(around.contains(&found.satisfied), "{} not in {around:?}", found.satisfied);
        }
    }

    #[test]
    fn margins_hold_where_nothing_is_violated_and_fail_where_all_is() {
        let map = Embedding::new(Objects::numbered(3), array![[0.0], [1.0], [3.0]]).unwrap();
        let row = Comparison { margin: 5.0, ..Comparison::new(pair(0, 1), pair(0, 2)) };
        let back = Comparison { near: row.far, far: row.near, ..row };
        let told = |rows| agreement(&map, &Comparisons::new(Objects::numbered(3), rows).unwrap()).unwrap().with_margin;
        assert_eq!(told(vec![row; 3]), WithMargin { scale: 5.0 / 8.0, satisfied: 3, share: 1.0 });
        assert_eq!(told(vec![back; 3]), WithMargin { scale: 0.0, satisfied: 0, share: 0.0 });
    }

    #[test]
    fn the_size_of_a_map_makes_no_ties_and_no_infinities() {
        let (map, c) = random(3, 8, 50);
        let plain = agreement(&map, &c).unwrap();
        for size in [1e-200, 1e60] {
            let other = Embedding::new(map.objects().clone(), map.points() * size).unwrap();
            let found = agreement(&other, &c).unwrap();
            assert_eq!((found.satisfied, found.tied), (plain.satisfied, plain.tied));
            assert_eq!(found.with_margin.satisfied, plain.with_margin.satisfied);
            assert!(found.with_margin.scale.is_finite());
        }
    }

    #[test]
    fn a_label_that_is_not_on_the_map_is_named() {
        let (map, c) = random(0, 4, 9);
        let few = Embedding::new(Objects::new(["1", "2"]).unwrap(), array![[0.0], [1.0]]).unwrap();
        let said = agreement(&few, &c).unwrap_err().to_string();
        assert!(said.contains("`3`, `4` are judged") && said.contains("2 objects"), "{said}");
        let said = agreement(&map, &c.subset(&[])).unwrap_err().to_string();
        assert!(said.contains("no comparisons"), "{said}");
    }
}
