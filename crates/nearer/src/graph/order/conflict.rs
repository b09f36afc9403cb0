//! Contradictions: questions that were answered both ways, and what a vote makes of them.

use super::{ConstraintGraph, Dropped, Why};
use crate::object::Pair;
use nearer_num::order;

/// A question answered both ways.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Conflict {
    /// The pair that is nearer by majority; in a tie the one whose labels come first.
    pub near: Pair,
    /// The other pair.
    pub far: Pair,
    /// How many answers say so.
    pub for_: u32,
    /// How many say the opposite.
    pub against: u32,
    /// The weight of the answers that say so.
    pub weight_for: f64,
    /// The weight of the others.
    pub weight_against: f64,
    /// Two-sided exact sign test of the two counts; see [`sign_test`].
    pub p_value: f64,
}

impl Conflict {
    /// Whether both sides weigh the same, but for rounding.
    #[must_use]
    pub fn is_tie(&self) -> bool {
        tie(self.weight_for, self.weight_against)
    }
}

impl ConstraintGraph {
    /// The questions answered both ways, those with the heaviest minority first. `O(E log E)`.
    #[must_use]
    pub fn conflicts(&self) -> Vec<Conflict> {
        let mut conflicts: Vec<Conflict> = self
            .edges
            .iter()
            .filter(|e| e.near < e.far)
            .filter_map(|e| {
                let o = &self.edges[self.edge(e.far, e.near)?];
                let (a, b) = if !tie(e.weight, o.weight) && o.weight > e.weight { (o, e) } else { (e, o) };
                Some(Conflict {
                    near: self.nodes[a.near as usize],
                    far: self.nodes[a.far as usize],
                    for_: a.answers,
                    against: b.answers,
                    weight_for: a.weight,
                    weight_against: b.weight,
                    p_value: sign_test(a.answers.into(), b.answers.into()),
                })
            })
            .collect();
        order::by(&mut conflicts, &|a, b| b.weight_against.total_cmp(&a.weight_against)); // stable: equal ones by label
        conflicts
    }

    /// Each question answered one way: that of the heavier side. Ties are dropped on both sides.
    ///
    /// With a `level`, a contradiction is also dropped on both sides where the majority could be chance: where the
    /// exact sign test of its counts is above the level, or where the heavier side is not that of more answers.
    /// Questions without a contradiction are kept, also those that were asked once.
    #[must_use]
    pub fn voted(self, level: Option<f64>) -> (Self, Vec<Dropped>) {
        let why: Vec<Option<Why>> = self
            .edges
            .iter()
            .map(|e| {
                let other = &self.edges[self.edge(e.far, e.near)?];
                if tie(e.weight, other.weight) {
                    return Some(Why::Tie);
                }
                let (for_, against) = if e.weight > other.weight { (e, other) } else { (other, e) };
                let chance = |level| {
                    for_.answers <= against.answers || sign_test(for_.answers.into(), against.answers.into()) > level
                };
                if level.is_some_and(chance) {
                    return Some(Why::NotSignificant);
                }
                (e.weight < other.weight).then_some(Why::Minority)
            })
            .collect();
        self.without(|k| why[k])
    }
}

/// Sums of weights are equal if they differ by no more than the rounding of adding them up.
pub(super) fn tie(a: f64, b: f64) -> bool {
    (a - b).abs() <= 1e-12 * (a + b)
}

/// The exact two-sided sign test: how likely counts as uneven as `a` and `b` are if both answers are equally likely,
/// `min(1, 2 Σ_{i >= max(a, b)} C(a + b, i) / 2^(a + b))`.
///
/// ```
/// // Five to none: 2 · 1/32.
/// assert!((nearer::graph::sign_test(5, 0) - 0.0625).abs() < 1e-15);
/// ```
#[must_use]
pub fn sign_test(a: u64, b: u64) -> f64 {
    nearer_num::binomial::sign_test(a, a + b)
}

#[cfg(test)]
mod tests {
    use super::super::testing::{graph, pair};
    use super::*;

    #[test]
    fn the_sign_test_is_the_binomial_sum() {
        for n in 0..=60u32 {
            // Row n of Pascal's triangle in whole numbers.
            let mut row = vec![1u128];
            for _ in 0..n {
                row = [0].iter().chain(&row).zip(row.iter().chain(&[0])).map(|(a, b)| a + b).collect();
            }
            for a in 0..=n {
                let tail: u128 = row[a.max(n - a) as usize..].iter().sum();
                let exact = (2.0 * tail as f64 / (n as f64).exp2()).min(1.0);
                let ours = sign_test(a.into(), (n - a).into());
                assert!((ours - exact).abs() <= 1e-13 * exact, "{a} of {n}: {ours} {exact}");
            }
        }
    }

    #[test]
    fn the_sign_test_of_many_answers_is_nearly_normal() {
        // Three standard deviations of 40,000 throws, with the continuity correction.
        let p = sign_test(20_300, 19_700);
        let z: f64 = 299.5 / 100.0;
        let (normal, t) = (0.002_744, z); // 2 (1 - Φ(2.995))
        assert!((p - normal).abs() < 2e-5, "{p} at {t}");
        assert!(sign_test(3_000_000, 10) >= 0.0 && sign_test(1 << 40, 0) == 0.0);
    }

    #[test]
    fn a_vote_keeps_the_heavier_side_and_drops_ties() {
        // 0-1 before 0-2: 3 to 1; 0-1 before 1-2: 1 to 1; 0-2 before 1-2 once.
        let rows =
            [((0, 1), (0, 2), 3), ((0, 2), (0, 1), 1), ((0, 1), (1, 2), 1), ((1, 2), (0, 1), 1), ((0, 2), (1, 2), 1)];
        let g = graph(3, &rows);
        let c = g.conflicts();
        assert_eq!((c.len(), c[0].for_ + c[1].for_, c[0].against + c[1].against), (2, 4, 2));
        let strong = c.iter().find(|c| !c.is_tie()).unwrap();
        assert_eq!((strong.near, strong.far), (pair(0, 1), pair(0, 2)));
        assert!((strong.p_value - 0.625).abs() < 1e-14, "{}", strong.p_value);
        let (kept, dropped) = g.clone().voted(None);
        assert_eq!(kept.edges().len(), 2);
        let count = |d: &[Dropped], why| d.iter().filter(|d| d.why == why).count();
        assert_eq!((count(&dropped, Why::Minority), count(&dropped, Why::Tie)), (1, 2));
        // 3 to 1 is chance at 5 %; the question asked once is no contradiction.
        let (kept, dropped) = g.voted(Some(0.05));
        assert_eq!(kept.edges().len(), 1);
        assert_eq!(count(&dropped, Why::NotSignificant), 2);
        assert!(kept.conflicts().is_empty());
    }

    #[test]
    fn a_heavy_answer_does_not_pass_for_many() {
        use crate::evidence::{Comparison, Comparisons};
        use crate::object::Objects;
        let (a, b) = (Comparison::new(pair(0, 1), pair(0, 2)), Comparison::new(pair(0, 2), pair(0, 1)));
        let rows = vec![Comparison { weight: 9.0, ..a }, b, b, b, b, b, b, b, b];
        let g = ConstraintGraph::new(&Comparisons::new(Objects::numbered(3), rows).unwrap());
        assert_eq!(g.clone().voted(None).0.edges()[0].weight, 9.0);
        let (kept, dropped) = g.voted(Some(0.05));
        assert!(kept.edges().is_empty() && dropped.iter().all(|d| d.why == Why::NotSignificant));
    }
}
