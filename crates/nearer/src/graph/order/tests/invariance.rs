//! What may not change the graph: the order of the objects, the order of the answers, the number of threads.

use nearer_num::{par, rng::Rng};

use super::super::testing::random;
use super::super::{ConstraintGraph, Dropped, Repair};
use crate::evidence::{Comparison, Comparisons};
use crate::object::{Item, Pair};
use crate::toy;

/// The same answers about the same labels, objects and rows in another order.
fn shuffled(c: &Comparisons, seed: u64) -> Comparisons {
    let mut rng = Rng::task(seed, 0);
    let order = rng.permutation(c.objects().len());
    let mut now = vec![Item(0); order.len()];
    order.iter().zip(0..).for_each(|(&k, place)| now[k] = Item(place));
    let moved = |p: Pair| Pair::new(now[p.first().index()], now[p.second().index()]).unwrap();
    let rows = rng.permutation(c.len()).into_iter().map(|r| {
        let row = c.rows()[r];
        Comparison { near: moved(row.near), far: moved(row.far), ..row }
    });
    Comparisons::new(c.objects().subset(&order), rows.collect()).unwrap()
}

/// Kept and dropped edges by labels, sorted, with all their numbers.
fn by_label((g, dropped): &(ConstraintGraph, Vec<Dropped>)) -> Vec<String> {
    let label = |p: Pair| {
        let mut ends = [g.objects().label(p.first()), g.objects().label(p.second())];
        ends.sort_unstable();
        ends.join("-")
    };
    let nodes = |v: u32| label(g.nodes()[v as usize]);
    let kept =
        g.edges().iter().map(|e| format!("{} {} {} {} {}", nodes(e.near), nodes(e.far), e.weight, e.margin, e.answers));
    let dropped = dropped.iter().map(|d| format!("{:?} {} {} {}", d.why, label(d.near), label(d.far), d.weight));
    let mut lines: Vec<String> = kept.chain(dropped).collect();
    lines.sort_unstable();
    lines
}

#[test]
fn the_order_of_objects_and_answers_changes_nothing() {
    for seed in 0..40 {
        let mut rng = Rng::task(seed, 5);
        let c = random(9, 150, seed);
        // Weights that do not add up exactly.
        let rows = c.iter().map(|r| Comparison { weight: 0.1 + rng.uniform(), ..*r }).collect();
        let c = Comparisons::new(c.objects().clone(), rows).unwrap();
        let (a, b) = (ConstraintGraph::new(&c), ConstraintGraph::new(&shuffled(&c, seed)));
        let whole = |g: &ConstraintGraph| by_label(&(g.clone(), Vec::new()));
        assert_eq!(whole(&a), whole(&b));
        assert_eq!(by_label(&a.clone().voted(Some(0.3))), by_label(&b.clone().voted(Some(0.3))));
        assert_eq!((a.noise_floor(), a.triads()), (b.noise_floor(), b.triads()));
        assert_eq!(a.shortest_cycles(5), b.shortest_cycles(5));
        for how in [Repair::Prune, Repair::Random, Repair::Cheapest] {
            let (a, b) = (a.clone().acyclic(how, 3), b.clone().acyclic(how, 3));
            assert_eq!(by_label(&a), by_label(&b), "{how:?}");
            assert_eq!(a.0.diameter().unwrap(), b.0.diameter().unwrap());
            assert_eq!(by_label(&a.0.reduced().unwrap()), by_label(&b.0.reduced().unwrap()));
        }
    }
}

#[test]
fn threads_change_nothing() {
    let c = toy::answers(40, 2, 6_000, 0.2, 1);
    let run = |threads| {
        par::install(threads, || {
            let g = ConstraintGraph::new(&c);
            let floor = g.noise_floor();
            let [random, cheapest] = [Repair::Random, Repair::Cheapest].map(|how| g.clone().acyclic(how, 4));
            (
                floor,
                random.1,
                cheapest.1,
                by_label(&random.0.reduced().unwrap()),
                by_label(&cheapest.0.reduced().unwrap()),
            )
        })
    };
    assert_eq!(run(1), run(2));
}

#[test]
fn back_and_forth_is_the_same_graph() {
    let g = ConstraintGraph::new(&random(8, 60, 2));
    let again = ConstraintGraph::new(&g.comparisons());
    assert_eq!((g.nodes(), g.arcs()), (again.nodes(), again.arcs()));
    assert!(g.edges().iter().zip(again.edges()).all(|(a, b)| a.weight == b.weight && a.margin == b.margin));
}
