//! Every vertex of a graph as a combination of landmarks, stated once more from the definition.

use super::Graph;
use super::factors::{Columns, centred, singular};
use crate::verify::definite::{Square, factorise, solve};
use crate::verify::limits::Limits;
use crate::verify::rounding::product;

/// What is added to the diagonal of local products, as a share of their trace.
const RIDGE: f64 = 1e-3;
/// What is added to the diagonal of all products, as a share of their largest.
const ALL: f64 = 1e-10;
/// Directions below this share of the widest are none.
const CUT: f64 = 1e-10;

/// Neighbours of each vertex with the lengths of the edges.
type Beside = Vec<Vec<(usize, f64)>>;

/// Orthonormal vectors that sum to zero and span what the landmarks give to each vertex: each is first a combination of its
/// neighbours, by weights that sum to one, and with the landmarks fixed the others are where these are missed least.
pub(super) fn span(
    graph: &Graph<'_>,
    count: usize,
    apart: &dyn Fn(usize, usize) -> Option<f64>,
    limits: &Limits<'_>,
) -> Option<Columns> {
    let mut beside: Beside = vec![Vec::new(); graph.n];
    for ((i, j), squared) in graph.edges {
        beside[*i as usize].push((*j as usize, squared.sqrt()));
        beside[*j as usize].push((*i as usize, squared.sqrt()));
    }
    beside.iter_mut().for_each(|near| near.sort_by_key(|(j, _)| *j));
    let landmarks = spread(&beside, count);
    let rows: Vec<Vec<(usize, f64)>> = (0..graph.n).map(|i| missed(i, &beside[i], apart)).collect::<Option<_>>()?;
    let columns = given(graph.n, &rows, &landmarks, limits)?;
    Some(singular(&centred(columns), CUT, limits).left)
}

/// The first vertex, then always the one farthest from those before it along the edges.
fn spread(beside: &Beside, count: usize) -> Vec<usize> {
    let n = beside.len();
    let (mut nearest, mut found, mut next) = (vec![f64::INFINITY; n], Vec::new(), 0);
    while found.len() < count.min(n) {
        found.push(next);
        for (a, b) in nearest.iter_mut().zip(shortest(beside, next)) {
            *a = a.min(b);
        }
        next = (0..n).fold(0, |best, i| if nearest[i] > nearest[best] { i } else { best });
        if nearest[next] == 0.0 {
            break;
        }
    }
    found
}

/// The shortest paths from a vertex.
fn shortest(beside: &Beside, from: usize) -> Vec<f64> {
    let mut lengths = vec![f64::INFINITY; beside.len()];
    lengths[from] = 0.0;
    let mut waiting = std::collections::BTreeSet::from([(0u64, from)]);
    // The bits of numbers that are not negative stand in the order of the numbers.
    while let Some((bits, i)) = waiting.pop_first() {
        let way = f64::from_bits(bits);
        for (j, step) in &beside[i] {
            if way + step < lengths[*j] {
                lengths[*j] = way + step;
                waiting.insert(((way + step).to_bits(), *j));
            }
        }
    }
    lengths
}

/// A vertex less the combination of its neighbours that is nearest to it.
fn missed(i: usize, near: &[(usize, f64)], apart: &dyn Fn(usize, usize) -> Option<f64>) -> Option<Vec<(usize, f64)>> {
    let k = near.len();
    let square = |a: usize| near[a].1 * near[a].1;
    let mut local = Square::zeros(k);
    for a in 0..k {
        for b in 0..k {
            local.entries[a * k + b] = if a == b {
                square(a)
            } else {
                let between = apart(near[a].0, near[b].0);
                0.5 * (square(a) + square(b) - between.unwrap_or(square(a) + square(b)))
            };
        }
    }
    let trace: f64 = (0..k).map(square).sum();
    let ridge = if trace > 0.0 { RIDGE * trace } else { 1.0 };
    let factor = factorise(&local, -ridge, product, &Limits::default())?;
    let mut weights = vec![1.0; k];
    solve(k, &factor, &mut weights);
    let total: f64 = weights.iter().sum();
    let even = !(total.abs() > 1e-12 && weights.iter().all(|w| w.is_finite()));
    let weight = |a: usize| if even { 1.0 / k as f64 } else { weights[a] / total };
    let mut row = vec![(i, 1.0)];
    row.extend(near.iter().enumerate().map(|(a, (j, _))| (*j, -weight(a))));
    Some(row)
}

/// What each landmark gives to each vertex: a column a landmark.
fn given(n: usize, rows: &[Vec<(usize, f64)>], landmarks: &[usize], limits: &Limits<'_>) -> Option<Columns> {
    let mut landmark = vec![usize::MAX; n];
    landmarks.iter().enumerate().for_each(|(l, i)| landmark[*i] = l);
    let others: Vec<usize> = (0..n).filter(|i| landmark[*i] == usize::MAX).collect();
    let mut free = vec![usize::MAX; n];
    others.iter().enumerate().for_each(|(k, i)| free[*i] = k);
    let m = others.len();
    let mut matrix = Square::zeros(m);
    let mut right = vec![vec![0.0; m]; landmarks.len()];
    for row in rows {
        for &(i, a) in row.iter().filter(|(i, _)| landmark[*i] == usize::MAX) {
            for &(j, b) in row {
                match landmark[j] {
                    usize::MAX => matrix.entries[free[i] * m + free[j]] += a * b,
                    l => right[l][free[i]] -= a * b,
                }
            }
        }
    }
    let size = matrix.entries.iter().fold(0.0, |m: f64, v| m.max(v.abs()));
    let factor = factorise(&matrix, -ALL * size, product, limits)?;
    let mut columns: Columns = vec![vec![0.0; n]; landmarks.len()];
    for (l, (column, right)) in columns.iter_mut().zip(&mut right).enumerate() {
        solve(m, &factor, right);
        others.iter().zip(right.iter()).for_each(|(i, v)| column[*i] = *v);
        column[landmarks[l]] = 1.0;
    }
    Some(columns)
}
