//! Merging, groups, triads.

use std::collections::BTreeMap;

use super::super::testing::{graph, pair, random};
use super::super::{ConstraintGraph, Triads};
use crate::evidence::{Comparison, Comparisons};
use crate::object::{Item, Objects, Pair};
use crate::toy;

#[test]
fn equal_answers_become_one_edge() {
    for seed in 0..30 {
        let c = random(6, 120, seed);
        let g = ConstraintGraph::new(&c);
        let mut table: BTreeMap<(Pair, Pair), (f64, f64, u32)> = BTreeMap::new();
        for r in c.iter() {
            let entry = table.entry((r.near, r.far)).or_insert((0.0, 0.0, 0));
            *entry = (entry.0 + r.weight, entry.1.max(r.margin), entry.2 + 1);
        }
        assert_eq!(g.edges().len(), table.len());
        for e in g.edges() {
            let ends = (g.nodes()[e.near as usize], g.nodes()[e.far as usize]);
            assert_eq!(table[&ends], (e.weight, e.margin, e.answers));
        }
        assert!(g.nodes().iter().enumerate().all(|(v, p)| g.node(*p) == Some(v as u32)));
    }
    let g = graph(5, &[((0, 1), (2, 3), 2)]);
    assert_eq!((g.node(pair(0, 2)), g.node(pair(0, 9))), (None, None));
    assert_eq!(g.in_words(&g.edges()[0]), "`1` and `2` are nearer than `3` and `4`");
}

#[test]
fn no_comparisons_are_a_graph_too() {
    let g = ConstraintGraph::new(&Comparisons::new(Objects::numbered(2), Vec::new()).unwrap());
    assert!(g.is_acyclic() && g.conflicts().is_empty() && g.components().is_empty() && g.groups().is_empty());
    assert_eq!((g.unseen().len(), g.length().unwrap(), g.diameter().unwrap()), (2, 0, 0.0));
    assert_eq!((g.noise_floor().lower_share(), g.triads()), (0.0, Triads::default()));
    assert!(!g.implies(pair(0, 1), pair(0, 1)));
    assert!(g.reduced().unwrap().1.is_empty());
}

#[test]
fn groups_share_no_comparison() {
    // 0-1 with 2-3; 5, 6 and 7; 4 and 8 never.
    let g = graph(9, &[((0, 1), (2, 3), 1), ((5, 6), (5, 7), 1)]);
    let items = |list: &[u32]| list.iter().map(|&k| Item(k)).collect::<Vec<_>>();
    assert_eq!(g.unseen(), items(&[4, 8]));
    assert_eq!(g.groups(), [items(&[0, 1, 2, 3]), items(&[5, 6, 7])]);
    let joined = graph(9, &[((0, 1), (2, 3), 1), ((5, 6), (5, 7), 1), ((7, 8), (3, 4), 1)]);
    assert_eq!((joined.groups().len(), joined.unseen().len()), (1, 0));
}

#[test]
fn triads_are_those_of_all_sets_of_three() {
    for seed in 0..30 {
        let c = toy::answers(9, 2, 30 + 20 * seed as usize, 0.4, seed);
        let mut weight: BTreeMap<(Pair, Pair), f64> = BTreeMap::new();
        c.iter().for_each(|r| *weight.entry((r.near, r.far)).or_default() += r.weight);
        let nearer = |a: Pair, b: Pair| {
            let side = |a, b| weight.get(&(a, b)).copied().unwrap_or(0.0);
            (side(a, b) != side(b, a)).then(|| side(a, b) > side(b, a))
        };
        let mut expected = Triads::default();
        for i in 0..9 {
            for j in i + 1..9 {
                for k in j + 1..9 {
                    let (ij, ik, jk) = (pair(i, j), pair(i, k), pair(j, k));
                    if let [Some(a), Some(b), Some(c)] = [nearer(ij, ik), nearer(ik, jk), nearer(jk, ij)] {
                        expected.complete += 1;
                        expected.cyclic +=
                            usize::from((a, b, c) == (true, true, true) || (a, b, c) == (false, false, false));
                    }
                }
            }
        }
        assert_eq!(ConstraintGraph::new(&c).triads(), expected, "seed {seed}");
    }
}

#[test]
fn thrown_coins_go_in_a_circle_a_quarter_of_the_time() {
    let c = toy::answers(40, 2, 60_000, 0.5, 3);
    let triads = ConstraintGraph::new(&c).triads();
    let share = triads.cyclic as f64 / triads.complete as f64;
    // Four standard deviations of a share of 1/4.
    assert!((share - 0.25).abs() < 4.0 * (0.1875 / triads.complete as f64).sqrt(), "{triads:?}");
    assert_eq!(ConstraintGraph::new(&toy::answers(40, 2, 60_000, 0.0, 3)).triads().cyclic, 0);
}

#[test]
fn exact_answers_are_consistent_and_noisy_ones_as_noisy_as_asked() {
    let exact = ConstraintGraph::new(&toy::answers(30, 2, 5_000, 0.0, 1));
    assert!(exact.is_acyclic() && exact.conflicts().is_empty() && exact.noise_floor().upper == 0.0);
    let d = toy::gaussian(30, 2, 1);
    let noisy = toy::answers(30, 2, 5_000, 0.2, 1);
    let wrong = noisy.iter().filter(|r: &&Comparison| d.get(r.near) > d.get(r.far)).count();
    assert!((wrong as f64 / 5_000.0 - 0.2).abs() < 4.0 * (0.16f64 / 5_000.0).sqrt(), "{wrong}");
}
