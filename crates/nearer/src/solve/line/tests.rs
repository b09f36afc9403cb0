use super::*;
use crate::evidence::Comparisons;
use crate::object::{Objects, Pair};
use crate::solve::Run;
use nearer_num::rng::Rng;

fn pair(a: usize, b: usize) -> Pair {
    Pair::new(Item(a as u32), Item(b as u32)).unwrap()
}

fn decide(n: usize, rows: &[Comparison]) -> OnLine {
    let c = Comparisons::new(Objects::numbered(n), rows.to_vec()).unwrap();
    on_a_line(&ConstraintGraph::new(&c), 100_000, &Run::default().clock())
}

fn holds(x: &[f64], rows: &[Comparison]) -> bool {
    let d = |p: Pair| (x[p.first().index()] - x[p.second().index()]).abs();
    rows.iter().all(|c| d(c.near) < d(c.far))
}

/// All orders of `n` objects.
fn orders(n: usize) -> Vec<Vec<usize>> {
    if n == 0 {
        return vec![vec![]];
    }
    let longer = |o: Vec<usize>| {
        (0..n).map(move |p| {
            let mut o = o.clone();
            o.insert(p, n - 1);
            o
        })
    };
    orders(n - 1).into_iter().flat_map(longer).collect()
}

/// Whether `rows · g >= 1`, `g >= 0` has a solution: then it has a vertex, where as many of these as there are gaps hold
/// with equality. All of them are tried.
fn has_vertex(rows: &[Vec<f64>], m: usize) -> bool {
    let mut all: Vec<(Vec<f64>, f64)> = rows.iter().map(|r| (r.clone(), 1.0)).collect();
    all.extend((0..m).map(|j| ((0..m).map(|k| f64::from(u8::from(j == k))).collect(), 0.0)));
    fn choose(all: &[(Vec<f64>, f64)], from: usize, chosen: &mut Vec<usize>, m: usize) -> bool {
        if chosen.len() == m {
            let Some(g) = solve(chosen.iter().map(|&k| all[k].clone()).collect()) else { return false };
            let value = |row: &[f64]| row.iter().zip(&g).map(|(a, b)| a * b).sum::<f64>();
            return all.iter().all(|(row, least)| value(row) >= least - 1e-7);
        }
        (from..all.len()).any(|k| {
            chosen.push(k);
            let found = choose(all, k + 1, chosen, m);
            chosen.pop();
            found
        })
    }
    choose(&all, 0, &mut Vec::new(), m)
}

/// Gauss with the largest pivot.
fn solve(mut rows: Vec<(Vec<f64>, f64)>) -> Option<Vec<f64>> {
    let m = rows.len();
    for j in 0..m {
        let p = (j..m).max_by(|&a, &b| rows[a].0[j].abs().total_cmp(&rows[b].0[j].abs()))?;
        rows.swap(j, p);
        if rows[j].0[j].abs() < 1e-9 {
            return None;
        }
        for i in (0..m).filter(|i| *i != j) {
            let factor = rows[i].0[j] / rows[j].0[j];
            let (row, right) = rows[j].clone();
            rows[i].0.iter_mut().zip(&row).for_each(|(a, b)| *a -= factor * b);
            rows[i].1 -= factor * right;
        }
    }
    Some((0..m).map(|j| rows[j].1 / rows[j].0[j]).collect())
}

/// Over all orders, by vertices: no propagation, no closure, no simplex.
fn brute_force(n: usize, said: &[Comparison]) -> bool {
    orders(n).into_iter().filter(|o| o.iter().position(|k| *k == 0) < o.iter().position(|k| *k == 1)).any(|order| {
        let at = |i: Item| order.iter().position(|k| *k == i.index()).unwrap();
        let between = |p: Pair, j: usize| {
            let (a, b) = (at(p.first()).min(at(p.second())), at(p.first()).max(at(p.second())));
            f64::from(u8::from(a <= j && j < b))
        };
        let row = |c: &Comparison| (0..n - 1).map(|j| between(c.far, j) - between(c.near, j)).collect::<Vec<f64>>();
        let rows: Vec<Vec<f64>> = said.iter().map(row).collect();
        // A row without a positive coefficient cannot be positive.
        rows.iter().all(|r| r.iter().any(|v| *v > 0.0)) && has_vertex(&rows, n - 1)
    })
}

fn random(n: usize, count: usize, triplets: bool, seed: u64) -> Vec<Comparison> {
    let mut rng = Rng::task(seed, 1);
    let mut rows = Vec::new();
    while rows.len() < count {
        let p = rng.permutation(n);
        let far = if triplets { (p[0], p[2]) } else { (p[rng.below(4)], p[3 + rng.below(n - 3)]) };
        if let Some(far) = Pair::new(Item(far.0 as u32), Item(far.1 as u32))
            && far != pair(p[0], p[1])
        {
            rows.push(Comparison::new(pair(p[0], p[1]), far));
        }
    }
    rows
}

#[test]
fn the_answer_is_that_of_brute_force_over_all_orders() {
    let (mut yes, mut no) = (0, 0);
    for seed in 0..90 {
        let n = 4 + seed as usize % 3;
        let rows = random(n, [6, 8, 8][n - 4] + seed as usize % 3, seed % 2 == 0, seed);
        let expected = brute_force(n, &rows);
        match decide(n, &rows) {
            OnLine::Yes { coordinates: x, .. } => {
                assert!(expected && holds(&x, &rows), "{seed}");
                yes += 1;
            }
            OnLine::No { subset, minimal } => {
                assert!(!expected && minimal, "{seed}");
                assert!(!brute_force(n, &subset), "{seed}");
                assert!(subset.iter().all(|c| rows.iter().any(|r| (r.near, r.far) == (c.near, c.far))));
                for k in 0..subset.len() {
                    let rest: Vec<Comparison> =
                        subset.iter().enumerate().filter(|(j, _)| *j != k).map(|(_, c)| *c).collect();
                    assert!(brute_force(n, &rest), "{seed}: {k} of {} is not needed", subset.len());
                }
                no += 1;
            }
            OnLine::Unknown { .. } => panic!("{seed}: a small question"),
        }
    }
    assert!(yes >= 20 && no >= 20, "{yes} {no}");
}

/// Figure 4 of McFee and Lanckriet: the sides of a square are shorter than its diagonals.
#[test]
fn a_square_does_not_fit_on_a_line() {
    let (sides, diagonals) = ([(0, 1), (1, 2), (2, 3), (3, 0)], [(0, 2), (1, 3)]);
    let rows: Vec<Comparison> =
        sides.iter().flat_map(|s| diagonals.iter().map(|d| Comparison::new(pair(s.0, s.1), pair(d.0, d.1)))).collect();
    let OnLine::No { subset, minimal } = decide(4, &rows) else { panic!("a square on a line") };
    assert!(minimal && subset.len() < rows.len() && !brute_force(4, &subset), "{subset:?}");
    // Without one of the diagonals it fits.
    let flat: Vec<Comparison> = rows.into_iter().filter(|c| c.far == pair(0, 2)).collect();
    assert!(matches!(decide(4, &flat), OnLine::Yes { coordinates: x, .. } if holds(&x, &flat)));
}

#[test]
fn points_of_a_line_are_found_again() {
    for (n, count, seed) in [(8, 60, 1), (12, 200, 2), (20, 600, 3)] {
        let mut rng = Rng::task(seed, 0);
        let x: Vec<f64> = (0..n).map(|_| rng.normal()).collect();
        let rows: Vec<Comparison> = random(n, count, seed % 2 == 0, seed)
            .into_iter()
            .map(|c| if holds(&x, &[c]) { c } else { Comparison { near: c.far, far: c.near, ..c } })
            .collect();
        match decide(n, &rows) {
            OnLine::Yes { coordinates: found, .. } => assert!(holds(&found, &rows)),
            other => panic!("{n}: {other:?}"),
        }
    }
}

#[test]
fn circles_groups_and_budgets() {
    let circle = [((0, 1), (0, 2)), ((0, 2), (1, 2)), ((1, 2), (0, 1))];
    let rows: Vec<Comparison> = circle.iter().map(|(a, b)| Comparison::new(pair(a.0, a.1), pair(b.0, b.1))).collect();
    let OnLine::No { subset, minimal } = decide(3, &rows) else { panic!("a circle") };
    assert!(minimal && subset.len() == 3);
    // Two groups that share nothing, and an object that is in none.
    let rows = [Comparison::new(pair(0, 1), pair(0, 2)), Comparison::new(pair(4, 5), pair(5, 6))];
    assert!(matches!(decide(7, &rows), OnLine::Yes { coordinates: x, .. } if holds(&x, &rows) && x[3] == 0.0));
    assert_eq!(decide(3, &[]), OnLine::Yes { coordinates: vec![0.0; 3], nodes: 0 });
    let c = Comparisons::new(Objects::numbered(9), random(9, 40, true, 5)).unwrap();
    let graph = ConstraintGraph::new(&c).voted(None).0.acyclic(crate::graph::Repair::Random, 1).0;
    let answer = on_a_line(&graph, 1, &Run::default().clock());
    assert_eq!(answer, OnLine::Unknown { stop: Stop::IterationLimit, nodes: 2 });
}
