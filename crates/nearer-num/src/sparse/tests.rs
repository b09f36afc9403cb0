//! A pattern, and the factors against the matrix they come from, densely, for patterns of every kind.

use super::{Ldlt, Ordering, Pattern, Singular};
use ndarray::{Array1, Array2};
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;

fn random_pattern(n: usize, links: usize, seed: u64) -> Pattern {
    let mut rng = Pcg64Mcg::seed_from_u64(seed);
    let pairs = (0..links * n).map(|_| (rng.random_range(0..n) as u32, rng.random_range(0..n) as u32));
    Pattern::of_graph(n, &pairs.filter(|(a, b)| a != b).collect::<Vec<_>>())
}

fn full(n: u32) -> Pattern {
    Pattern::of_graph(n as usize, &(0..n).flat_map(|i| (0..i).map(move |j| (i, j))).collect::<Vec<_>>())
}

fn path(n: u32) -> Pattern {
    Pattern::of_graph(n as usize, &(1..n).map(|k| (k - 1, k)).collect::<Vec<_>>())
}

fn star(n: u32) -> Pattern {
    Pattern::of_graph(n as usize, &(1..n).map(|k| (n / 2, (n / 2 + k) % n)).collect::<Vec<_>>())
}

fn patterns() -> Vec<(String, Pattern)> {
    let mut all = vec![("nothing".into(), Pattern::of_graph(0, &[])), ("empty".into(), Pattern::of_graph(7, &[]))];
    for n in [1, 2, 5, 40, 300] {
        all.extend([1, 2, 3].map(|links| (format!("random {n} {links}"), random_pattern(n, links, n as u64))));
    }
    all.extend([1, 2, 3, 4, 5, 17, 64, 65, 200].map(|n| (format!("full {n}"), full(n))));
    all.extend([("path".into(), path(60)), ("star".into(), star(60))]);
    let halves: Vec<(u32, u32)> =
        (0..60).map(|k| (k, (k * 7 + 2) % 60 / 2 * 2 + k % 2)).filter(|(a, b)| a != b).collect();
    all.push(("disconnected".into(), Pattern::of_graph(60, &halves)));
    for r in [2, 3, 8] {
        all.push((format!("blocks {r}"), random_pattern(30, 2, 9).expanded(r)));
        all.push((format!("star of blocks {r}"), star(12).expanded(r)));
    }
    all
}

/// Values with a diagonal of either sign that outweighs the rest, so that factors do not grow, or of any size.
fn matrix(pattern: &Pattern, heavy: bool, seed: u64) -> (Vec<f64>, Array2<f64>) {
    let n = pattern.size();
    let mut rng = Pcg64Mcg::seed_from_u64(seed);
    let mut values: Vec<f64> = (0..pattern.len()).map(|_| rng.random_range(-1.0..1.0)).collect();
    let mut dense = Array2::zeros((n, n));
    for j in 0..n {
        for (i, k) in pattern.column(j) {
            if i == j && heavy {
                values[k] = if rng.random::<bool>() { 1.0 } else { -1.0 } * (n as f64 + values[k]);
            }
            dense[(i, j)] = values[k];
            dense[(j, i)] = values[k];
        }
    }
    (values, dense)
}

fn in_order(dense: &Array2<f64>, order: &[usize]) -> Array2<f64> {
    Array2::from_shape_fn(dense.raw_dim(), |(a, b)| dense[(order[a], order[b])])
}

fn multiplied(ldlt: &Ldlt) -> Array2<f64> {
    let (pivots, columns) = ldlt.columns();
    let mut l = Array2::<f64>::eye(pivots.len());
    for (j, column) in columns.iter().enumerate() {
        assert!(column.windows(2).all(|w| w[0].0 < w[1].0) && column.first().is_none_or(|c| c.0 as usize > j));
        column.iter().for_each(|&(i, v)| l[(i as usize, j)] = v);
    }
    l.dot(&Array2::from_diag(&Array1::from(pivots))).dot(&l.t())
}

/// The negative pivots of elimination with the largest diagonal entry first: Sylvester's law says that any order has as many.
fn negative_pivots(mut a: Array2<f64>) -> usize {
    let mut left: Vec<usize> = (0..a.nrows()).collect();
    let mut negative = 0;
    while let Some(at) =
        (0..left.len()).max_by(|p, q| a[(left[*p], left[*p])].abs().total_cmp(&a[(left[*q], left[*q])].abs()))
    {
        let p = left.swap_remove(at);
        negative += usize::from(a[(p, p)] < 0.0);
        for &i in &left {
            let by = a[(i, p)] / a[(p, p)];
            left.iter().for_each(|&j| a[(i, j)] -= by * a[(p, j)]);
        }
    }
    negative
}

fn largest(a: &Array2<f64>) -> f64 {
    a.iter().fold(0.0, |m: f64, v| m.max(v.abs()))
}

fn shuffled(n: usize) -> Vec<usize> {
    let mut order: Vec<usize> = (0..n).collect();
    let mut rng = Pcg64Mcg::seed_from_u64(n as u64);
    (1..n).rev().for_each(|k| order.swap(k, rng.random_range(0..k + 1)));
    order
}

#[test]
fn a_graph_gives_its_places_once() {
    let p = Pattern::of_graph(3, &[(2, 0), (0, 2), (1, 0)]);
    assert_eq!((p.size(), p.len()), (3, 5));
    assert_eq!(p.column(2).map(|(i, _)| i).collect::<Vec<_>>(), [0, 2]);
    assert_eq!((p.place(2, 0), p.place(0, 2), p.place(1, 2)), (Some(3), Some(3), None));
    let big = p.expanded(2);
    assert_eq!(big.column(5).map(|(i, _)| i).collect::<Vec<_>>(), [0, 1, 4, 5]);
    assert_eq!(big.len(), 3 * 3 + 2 * 4);
}

#[test]
fn the_product_of_the_factors_is_the_matrix_in_any_order() {
    for (name, pattern) in patterns() {
        let n = pattern.size();
        let (values, dense) = matrix(&pattern, true, 1);
        let orders = [(0..n).collect(), (0..n).rev().collect(), shuffled(n)];
        let given = orders.iter().map(|o: &Vec<usize>| Ordering::Given(o));
        for ordering in given.chain([Ordering::MinimumDegree]) {
            let mut ldlt = Ldlt::new(pattern.clone(), ordering).unwrap();
            assert_eq!(ldlt.factor(&values), Ok(negative_pivots(dense.clone())), "{name}");
            let order = ldlt.order();
            match ordering {
                Ordering::Given(asked) => assert_eq!(order, asked, "{name}"),
                Ordering::MinimumDegree => assert!((0..n).all(|v| order.contains(&v)), "{name}"),
            }
            let off = largest(&(multiplied(&ldlt) - in_order(&dense, &order)));
            assert!(off <= 1e-13 * n as f64, "{name}: {off}");
            assert!(ldlt.residual_bound(&values, None) <= 1e-12 * (1 + n) as f64, "{name}");
            for sides in [0, 1, 2, 3, 5, 8, 11] {
                let x = Array2::from_shape_fn((n, sides), |(i, j)| (i as f64 - 3.0) * (j as f64 + 1.0));
                let mut b: Vec<f64> = dense.dot(&x).t().iter().copied().collect();
                ldlt.solve(&mut b);
                let off = b.iter().zip(x.t().iter()).fold(0.0, |m: f64, (a, b)| m.max((a - b).abs()));
                assert!(off <= 1e-11 * (n * sides) as f64, "{name}, {sides}: {off}");
            }
        }
    }
}

#[test]
fn matrices_of_any_values_have_their_negative_pivots_counted_and_systems_solved() {
    for (n, seed) in [(1, 1), (5, 2), (40, 3), (40, 4), (300, 5)] {
        let pattern = random_pattern(n, 3, seed);
        let (values, dense) = matrix(&pattern, false, seed);
        let order: Vec<usize> = (0..n).rev().collect();
        for ordering in [Ordering::MinimumDegree, Ordering::Given(&order)] {
            let mut ldlt = Ldlt::new(pattern.clone(), ordering).unwrap();
            assert_eq!(ldlt.factor(&values), Ok(negative_pivots(dense.clone())), "n = {n}");
            let x = Array2::from_shape_fn((n, 3), |(i, j)| (i as f64 - 3.0) * (j as f64 + 1.0));
            let mut b: Vec<f64> = dense.dot(&x).t().iter().copied().collect();
            ldlt.solve(&mut b);
            let off = b.iter().zip(x.t().iter()).fold(0.0, |m: f64, (a, b)| m.max((a - b).abs()));
            assert!(off < 1e-6 * n as f64, "n = {n}: {off}");
        }
    }
}

/// `L D Lᵗ` with small whole numbers: the factors are found again exactly.
#[test]
fn factors_that_are_known_come_back() {
    let n = 70;
    let signs: Vec<f64> = (0..n).map(|k| if k % 3 == 1 { -1.0 } else { 1.0 }).collect();
    let l = Array2::from_shape_fn((n, n), |(i, j)| {
        if i == j {
            1.0
        } else if i > j {
            ((i * j) % 3) as f64 - 1.0
        } else {
            0.0
        }
    });
    let dense = l.dot(&Array2::from_diag(&Array1::from(signs.clone()))).dot(&l.t());
    let pattern = full(n as u32);
    let values: Vec<f64> = (0..n).flat_map(|j| (0..=j).map(move |i| (i, j))).map(|at| dense[at]).collect();
    let order: Vec<usize> = (0..n).collect();
    let mut ldlt = Ldlt::new(pattern, Ordering::Given(&order)).unwrap();
    assert_eq!(ldlt.factor(&values), Ok(signs.iter().filter(|s| **s < 0.0).count()));
    assert_eq!(ldlt.columns().0, signs);
    assert_eq!(multiplied(&ldlt), dense);
}

#[test]
fn a_zero_pivot_is_said() {
    let pattern = Pattern::of_graph(2, &[(0, 1)]);
    let mut ldlt = Ldlt::new(pattern, Ordering::MinimumDegree).unwrap();
    assert_eq!(ldlt.factor(&[0.0, 1.0, 0.0]), Err(Singular));
    assert_eq!(ldlt.factor(&[1.0, 0.0, -1.0]), Ok(1));
}

#[test]
fn what_is_no_number_is_singular_wherever_it_is_and_is_forgotten() {
    for (name, pattern) in patterns() {
        let (values, _) = matrix(&pattern, true, 2);
        let mut ldlt = Ldlt::new(pattern.clone(), Ordering::MinimumDegree).unwrap();
        let negative = ldlt.factor(&values).unwrap();
        let factors = ldlt.columns();
        for k in (0..values.len()).step_by(1 + values.len() / 20) {
            for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
                let mut spoilt = values.clone();
                spoilt[k] = bad;
                assert_eq!(ldlt.factor(&spoilt), Err(Singular), "{name}");
            }
        }
        assert_eq!(ldlt.factor(&values), Ok(negative), "{name}");
        assert_eq!(ldlt.columns(), factors, "{name}: the same bits");
        let again = Ldlt::new(pattern, Ordering::MinimumDegree).unwrap();
        assert_eq!(again.order(), ldlt.order());
    }
}

#[test]
#[should_panic(expected = "permutation")]
fn an_order_that_is_no_permutation_is_refused() {
    let _ = Ldlt::new(path(3), Ordering::Given(&[0, 1, 1]));
}
