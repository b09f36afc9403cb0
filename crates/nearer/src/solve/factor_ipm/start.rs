//! Where unfolding starts: classical scaling of the ways along the edges, from a few objects to all.

use ndarray::Array2;
use nearer_num::dense;
use nearer_num::rng::Rng;

use super::question::Edges;
use crate::error::Error;
use crate::graph::KnownPairs;

/// From how many objects ways are followed.
const SOURCES: usize = 50;

/// Objects spread over the graph, each the farthest from those before it, and the squared ways from each to all.
pub(super) fn spread(graph: &KnownPairs, count: usize) -> (Vec<usize>, Vec<Vec<f64>>) {
    let n = graph.len();
    let mut nearest = vec![f64::INFINITY; n];
    let (mut sources, mut ways) = (Vec::new(), Vec::new());
    let mut next = 0;
    while sources.len() < count.min(n) {
        let way: Vec<f64> = graph.from(next).iter().map(|v| v * v).collect();
        nearest.iter_mut().zip(&way).for_each(|(a, b)| *a = a.min(*b));
        sources.push(next);
        ways.push(way);
        next = (0..n).fold(0, |best, i| if nearest[i] > nearest[best] { i } else { best });
        if nearest[next] == 0.0 {
            break;
        }
    }
    (sources, ways)
}

/// Points in `r` dimensions whose distances are about those along the edges, with a little noise in every dimension: a
/// dimension that is exactly flat would stay so.
pub(super) fn isomap(edges: &Edges, r: usize, seed: u64) -> Result<Array2<f64>, Error> {
    let n = edges.n;
    let graph = edges.graph();
    let (sources, ways) = spread(&graph, SOURCES);
    let m = sources.len();
    let mut b = Array2::from_shape_fn((m, m), |(i, j)| 0.5 * (ways[i][sources[j]] + ways[j][sources[i]]));
    let means: Vec<f64> = b.rows().into_iter().map(|r| r.sum() / m as f64).collect();
    let mean = means.iter().sum::<f64>() / m as f64;
    b = Array2::from_shape_fn((m, m), |(i, j)| -0.5 * (b[(i, j)] - means[i] - means[j] + mean));
    let (values, vectors) =
        dense::eigh(b.view()).map_err(|_| Error::Numerical { what: "the eigenvectors of the start".into() })?;
    let mut rng = Rng::task(seed, 0x756e_666f);
    let largest = values[0].max(f64::MIN_POSITIVE);
    let mut points = Array2::zeros((n, r));
    for k in 0..r {
        let usable = k < m && values[k] > 1e-6 * largest;
        for i in 0..n {
            let plain: f64 = match usable {
                true => {
                    let along = |s: usize| 0.5 * (means[s] - ways[s][i]) * vectors[(s, k)];
                    (0..m).map(along).sum::<f64>() / values[k].sqrt()
                }
                false => 0.0,
            };
            let noise = 1e-3 * (largest / m as f64).sqrt() * rng.normal();
            points[(i, k)] = plain + noise;
        }
    }
    Ok(points)
}
