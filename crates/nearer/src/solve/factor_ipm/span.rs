//! Few vectors in whose span the coordinates of many objects are looked for.

use ndarray::Array2;
use nearer_num::laplacian::Laplacian;
use nearer_num::patches;
use nearer_num::sparse::{Ldlt, Ordering, Pattern};

use super::failed;
use super::question::Edges;
use crate::error::Error;
use crate::solve::Run;
use crate::solve::geodesic::Ways;

/// What is added to the diagonal of local products, as a share of their trace (Saul and Roweis 2003).
const RIDGE: f64 = 1e-3;

/// The `count` smoothest vectors of the graph: the eigenvectors of its Laplacian with the least eigenvalues.
pub(crate) fn smoothest(edges: &Edges, count: usize) -> Result<Array2<f64>, Error> {
    let mut laplacian = Laplacian::new(edges.n, &edges.pairs).map_err(failed)?;
    laplacian
        .bottom(&vec![1.0; edges.pairs.len()], count)
        .ok_or_else(|| Error::Numerical { what: "the eigenvectors of the neighbour graph".into() })
}

/// Every object as a combination of `count` landmarks spread over the graph: column `l` is what landmark `l` gives to
/// each. `apart` is the squared distance of two neighbours of one object, where it is known.
///
/// Each object is first a combination of its neighbours, `y_i = Σ W_ij y_j` with weights that sum to 1; with the
/// landmarks fixed, the others are where `|(I - W) Y|²` is least.
pub(crate) fn from_landmarks(
    edges: &Edges,
    count: usize,
    apart: &dyn Fn(usize, usize) -> Option<f64>,
) -> Result<Array2<f64>, Error> {
    let graph = edges.graph();
    let landmarks = Ways::spread(&graph, count, &Run::default().clock())?.sources;
    let n = edges.n;
    let mut rows: Vec<Vec<(u32, f64)>> = Vec::with_capacity(n);
    for i in 0..n {
        let near = graph.neighbours(i);
        let square = |a: usize| near[a].1 * near[a].1;
        let local = Array2::from_shape_fn((near.len(), near.len()), |(a, b)| match a == b {
            true => square(a),
            false => {
                let between = apart(near[a].0 as usize, near[b].0 as usize);
                0.5 * (square(a) + square(b) - between.unwrap_or(square(a) + square(b)))
            }
        });
        let weights = patches::sum_to_one(&local, RIDGE);
        let mut row = vec![(i as u32, 1.0)];
        row.extend(near.iter().zip(&weights).map(|(&(j, _), w)| (j, -w)));
        rows.push(row);
    }
    reconstruct(n, &rows, &landmarks)
}

/// Minimises `|M Y|²` with the landmarks' rows of `Y` fixed to those of the identity; `rows` are those of `M`.
fn reconstruct(n: usize, rows: &[Vec<(u32, f64)>], landmarks: &[usize]) -> Result<Array2<f64>, Error> {
    let m = landmarks.len();
    let mut landmark = vec![None; n];
    landmarks.iter().enumerate().for_each(|(l, &i)| landmark[i] = Some(l));
    let mut free = vec![0usize; n];
    let others: Vec<usize> = (0..n).filter(|&i| landmark[i].is_none()).collect();
    others.iter().enumerate().for_each(|(k, &i)| free[i] = k);
    let mut span = Array2::zeros((n, m));
    landmarks.iter().enumerate().for_each(|(l, &i)| span[(i, l)] = 1.0);
    if others.is_empty() {
        return Ok(span);
    }
    let mut links = Vec::new();
    for row in rows {
        for (k, &(i, _)) in row.iter().enumerate() {
            for &(j, _) in &row[k + 1..] {
                if landmark[i as usize].is_none() && landmark[j as usize].is_none() {
                    links.push((free[i as usize] as u32, free[j as usize] as u32));
                }
            }
        }
    }
    let pattern = Pattern::of_graph(others.len(), &links);
    let mut matrix = vec![0.0; pattern.len()];
    let mut right = vec![0.0; others.len() * m];
    for row in rows {
        for (k, &(i, a)) in row.iter().enumerate() {
            let i = i as usize;
            if landmark[i].is_some() {
                continue;
            }
            for (at, &(j, b)) in row.iter().enumerate() {
                match landmark[j as usize] {
                    Some(l) => right[l * others.len() + free[i]] -= a * b,
                    None if at >= k => {
                        let place = pattern.place(free[i], free[j as usize]).expect("the pair is in the pattern");
                        matrix[place] += a * b;
                    }
                    None => {}
                }
            }
        }
    }
    let size = matrix.iter().fold(0.0, |m: f64, v| m.max(v.abs()));
    for k in 0..others.len() {
        matrix[pattern.place(k, k).expect("the diagonal is in the pattern")] += 1e-10 * size;
    }
    let mut ldlt = Ldlt::new(pattern, Ordering::MinimumDegree).map_err(failed)?;
    ldlt.factor(&matrix).map_err(failed)?;
    ldlt.solve(&mut right);
    for l in 0..m {
        for (k, &i) in others.iter().enumerate() {
            span[(i, l)] = right[l * others.len() + k];
        }
    }
    Ok(span)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// On a line each object is between its neighbours, so two landmarks at the ends give linear interpolation.
    #[test]
    fn a_line_is_interpolated() {
        let n = 11;
        let pairs = (1..n as u32).map(|k| (k - 1, k)).collect();
        let edges = Edges { n, pairs, squared: vec![1.0; n - 1] };
        let span = from_landmarks(&edges, 2, &|a, b| Some((a as f64 - b as f64).powi(2))).unwrap();
        assert_eq!((span[(0, 0)], span[(10, 1)]), (1.0, 1.0));
        let smooth = smoothest(&edges, 1).unwrap();
        let cosine = |i: usize| (std::f64::consts::PI * (i as f64 + 0.5) / n as f64).cos();
        let ratio = smooth[(0, 0)] / cosine(0);
        assert!((0..n).all(|i| (smooth[(i, 0)] - ratio * cosine(i)).abs() < 1e-4), "{smooth}");
        // The end of a path is one neighbour's twin, which bends the ends: inside, it rises from one landmark to the other.
        assert!((2..9).all(|i| span[(i, 1)] > span[(i - 1, 1)]), "{span}");
    }
}
