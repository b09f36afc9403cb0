//! Reduction, closure and longest paths.

use petgraph::algo::tred::{dag_to_toposorted_adjacency_list, dag_transitive_reduction_closure};
use petgraph::graph::{DiGraph, NodeIndex};
use petgraph::visit::{IntoNeighbors as _, NodeIndexable as _};

use super::super::testing::{longest, random, reach};
use super::super::{ConstraintGraph, Edge, Repair, Why};
use crate::evidence::{Comparison, Comparisons};

/// A consistent graph with margins of 1 to 4, and sometimes 0.
fn consistent(seed: u64) -> ConstraintGraph {
    let c = random(4 + seed as usize % 6, 4 + 4 * (seed as usize % 25), 500 + seed);
    let zero =
        |r: &Comparison| Comparison { margin: if seed.is_multiple_of(3) { r.margin - 1.0 } else { r.margin }, ..*r };
    let c = Comparisons::new(c.objects().clone(), c.iter().map(zero).collect()).unwrap();
    ConstraintGraph::new(&c).acyclic(Repair::Cheapest, 0).0
}

#[test]
fn an_edge_is_dropped_just_if_another_path_has_its_margin() {
    let mut dropped_in_all = 0;
    for seed in 0..150 {
        let g = consistent(seed);
        let (reduced, dropped) = g.clone().reduced().unwrap();
        // One edge at a time: without it, is there still a path of its margin?
        let needed: Vec<Edge> = (0..g.edges().len())
            .filter(|&k| {
                let e = g.edges()[k];
                let without = g.clone().without(|other| (other == k).then_some(Why::Implied)).0;
                longest(&without)[e.near as usize][e.far as usize].is_none_or(|d| d < e.margin)
            })
            .map(|k| g.edges()[k])
            .collect();
        assert_eq!(reduced.edges(), needed, "seed {seed}");
        // What was dropped is implied by what is left, with its margin; so all longest paths stay as they were.
        let left = longest(&reduced);
        for d in &dropped {
            let way = left[g.node(d.near).unwrap() as usize][g.node(d.far).unwrap() as usize];
            assert!(way.is_some_and(|way| way >= d.margin) && d.why == Why::Implied, "seed {seed}: {d:?}");
        }
        assert_eq!(left, longest(&g));
        assert!(reduced.reduced().unwrap().1.is_empty(), "a reduced graph has nothing to reduce");
        dropped_in_all += dropped.len();
    }
    assert!(dropped_in_all > 500, "{dropped_in_all}");
}

#[test]
fn equal_margins_give_the_reduction_of_petgraph() {
    for seed in 0..60 {
        let c = random(5 + seed as usize % 8, 20 + 10 * (seed as usize % 30), 900 + seed);
        let rows = c.iter().map(|r| Comparison { margin: 1.0, ..*r }).collect();
        let g = ConstraintGraph::new(&Comparisons::new(c.objects().clone(), rows).unwrap());
        let g = g.acyclic(Repair::Random, seed).0;
        let mut theirs = DiGraph::<(), ()>::new();
        (0..g.nodes().len()).for_each(|_| _ = theirs.add_node(()));
        g.edges()
            .iter()
            .for_each(|e| _ = theirs.add_edge(NodeIndex::new(e.near as usize), NodeIndex::new(e.far as usize), ()));
        let order = petgraph::algo::toposort(&theirs, None).unwrap();
        let (list, _) = dag_to_toposorted_adjacency_list::<_, u32>(&theirs, &order);
        let (reduction, _) = dag_transitive_reduction_closure(&list);
        let mut arcs: Vec<(u32, u32)> = (0..list.node_bound() as u32)
            .flat_map(|a| reduction.neighbors(a).map(move |b| (a, b)))
            .map(|(a, b)| (order[a as usize].index() as u32, order[b as usize].index() as u32))
            .collect();
        arcs.sort_unstable();
        assert_eq!(g.reduced().unwrap().0.arcs(), arcs, "seed {seed}");
    }
}

#[test]
fn many_blocks_reduce_as_one_source_at_a_time_does() {
    // 1,770 pairs: several blocks of far pairs, of either kind; margins apart by more than twofold and not.
    for (most, seed) in [(1.5, 1), (5.0, 2)] {
        let c = crate::toy::answers(60, 2, 20_000, 0.0, seed);
        let margin = |k: usize| 1.0 + (most - 1.0) * (k * 37 % 11) as f64 / 10.0;
        let rows = c.iter().enumerate().map(|(k, r)| Comparison { margin: margin(k), ..*r }).collect();
        let g = ConstraintGraph::new(&Comparisons::new(c.objects().clone(), rows).unwrap());
        let order = g.topological_order().unwrap();
        let mut expected = Vec::new();
        for u in 0..g.nodes().len() as u32 {
            // The longest way to each node by two edges or more.
            let mut far = vec![[f64::NEG_INFINITY; 2]; g.nodes().len()]; // one edge; more
            for &v in &order {
                let so_far = if v == u { 0.0 } else { far[v as usize][0].max(far[v as usize][1]) };
                for e in &g.edges()[g.from(v)] {
                    let slot = &mut far[e.far as usize][usize::from(v != u)];
                    *slot = slot.max(so_far + e.margin);
                }
            }
            expected.extend(g.edges()[g.from(u)].iter().filter(|e| far[e.far as usize][1] < e.margin).copied());
        }
        // Sums along a path are rounded in another order here and there.
        let (reduced, dropped) = g.reduced().unwrap();
        let apart =
            reduced.edges().iter().filter(|e| !expected.contains(e)).count() + expected.len() - reduced.edges().len();
        assert!(dropped.len() > 5_000 && apart == 0, "margins to {most}: {apart} differ");
    }
}

#[test]
fn closure_and_search_say_what_warshall_says() {
    for seed in 0..80 {
        // Circles and all.
        let g = ConstraintGraph::new(&random(4 + seed as usize % 6, 2 + 2 * (seed as usize % 20), seed));
        let (table, closure) = (reach(g.nodes().len(), &g.arcs()), g.closure());
        for (a, &near) in g.nodes().iter().enumerate() {
            for (b, &far) in g.nodes().iter().enumerate() {
                assert_eq!(
                    (g.implies(near, far), closure.implies(near, far)),
                    (table[a][b], table[a][b]),
                    "seed {seed}"
                );
            }
        }
    }
}

#[test]
fn depths_are_longest_paths() {
    for seed in 0..60 {
        let g = consistent(seed);
        let ways = longest(&g);
        let ends = |v: usize| ways.iter().filter_map(|from| from[v]).fold(0.0, f64::max);
        let depth = g.margin_depth().unwrap();
        assert!((0..depth.len()).all(|v| depth[v] == ends(v)), "seed {seed}");
        assert_eq!(g.diameter().unwrap(), depth.iter().copied().fold(0.0, f64::max));
        let rows = g.comparisons().iter().map(|r| Comparison { margin: 1.0, ..*r }).collect();
        let unit = ConstraintGraph::new(&Comparisons::new(g.objects().clone(), rows).unwrap());
        let ways = longest(&unit);
        for (v, p) in unit.nodes().iter().enumerate() {
            let most = ways.iter().filter_map(|from| from[v]).fold(0.0, f64::max);
            assert_eq!(g.depth().unwrap()[g.node(*p).unwrap() as usize], most as u32);
        }
        assert_eq!(f64::from(g.length().unwrap()), unit.diameter().unwrap());
    }
}
