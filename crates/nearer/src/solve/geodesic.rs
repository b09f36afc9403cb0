//! Ways along a graph: from landmarks spread over it, and the points that follow from them.

use ndarray::{Array1, Array2};
use nearer_num::paths::{self, Search};
use nearer_num::rng::Rng;

use crate::error::Error;
use crate::graph::KnownPairs;
use crate::solve::spectral::{self, Scaling};
use crate::solve::{Clock, Step, Stop};
use crate::transform::Shift;

/// Vertices of a graph, and the lengths of the ways from each to all.
#[derive(Debug)]
pub(crate) struct Ways {
    pub(crate) sources: Vec<usize>,
    pub(crate) lengths: Vec<Vec<f64>>,
}

/// Asks the clock between searches: an error where it ends the run, since half of the ways are no map.
pub(crate) fn go_on(clock: &Clock<'_>, done: usize, of: usize) -> Result<(), Error> {
    match clock.tick(&Step::new("ways along the graph", (0, 1), done, Some(of), f64::NAN)) {
        None => Ok(()),
        Some(Stop::TimeLimit) => Err(Error::Evidence {
            what: format!("the time was up after the ways from {done} of {of} objects, and a map needs all of them"),
            remedy: "give it more time, or use landmark-isomap with fewer landmarks".into(),
        }),
        Some(_) => Err(Error::Cancelled),
    }
}

impl Ways {
    /// From vertices spread over the graph, each the farthest from those before it; fewer where all lie at sources.
    pub(crate) fn spread(graph: &KnownPairs, count: usize, clock: &Clock<'_>) -> Result<Self, Error> {
        let n = graph.len();
        let mut nearest = vec![f64::INFINITY; n];
        let mut ways = Ways { sources: Vec::new(), lengths: Vec::new() };
        let mut search = Search::new(graph.edges());
        let mut next = 0;
        while ways.sources.len() < count.min(n) {
            go_on(clock, ways.sources.len(), count.min(n))?;
            let mut way = vec![0.0; n];
            search.from(&[(next as u32, 0.0)], &mut way);
            nearest.iter_mut().zip(&way).for_each(|(a, b)| *a = a.min(*b));
            ways.sources.push(next);
            ways.lengths.push(way);
            next = (0..n).fold(0, |best, i| if nearest[i] > nearest[best] { i } else { best });
            if nearest[next] == 0.0 {
                break;
            }
        }
        Ok(ways)
    }

    /// From vertices drawn at random.
    pub(crate) fn random(graph: &KnownPairs, count: usize, seed: u64, clock: &Clock<'_>) -> Result<Self, Error> {
        const ROUND: usize = 64;
        let n = graph.len();
        let mut sources = Rng::task(seed, 0x6c61_6e64).permutation(n);
        sources.truncate(count.min(n));
        sources.sort_unstable();
        let mut lengths = Vec::new();
        for round in sources.chunks(ROUND) {
            go_on(clock, lengths.len(), sources.len())?;
            lengths.extend(paths::from_each(graph.edges(), round));
        }
        Ok(Ways { sources, lengths })
    }

    /// Classical scaling of the sources by their ways to each other.
    pub(crate) fn scaled(&self, dim: usize, clock: &Clock<'_>) -> Result<(Vec<f64>, Scaling), Error> {
        let m = self.sources.len();
        let one = |i: usize, j: usize| 0.5 * (self.lengths[i][self.sources[j]] + self.lengths[j][self.sources[i]]);
        let packed: Vec<f64> = (0..m).flat_map(|i| (i + 1..m).map(move |j| (i, j))).map(|(i, j)| one(i, j)).collect();
        let scaling = spectral::scale(m, &packed, Shift::None, dim.min(m), m <= spectral::WHOLE, clock)?;
        Ok((packed, scaling))
    }

    /// Every vertex by triangulation from the sources, after the basis and the offset of what is affine in the squared ways to them.
    pub(crate) fn triangulated(&self, scaling: &Scaling, dim: usize) -> (Array2<f64>, Array1<f64>, Array2<f64>) {
        let (basis, offset) = scaling.extension(dim);
        let n = self.lengths.first().map_or(0, Vec::len);
        let mut points = Array2::zeros((n, dim));
        for (i, mut point) in points.rows_mut().into_iter().enumerate() {
            point.assign(&offset);
            for (way, basis) in self.lengths.iter().zip(basis.rows()) {
                point.scaled_add(way[i] * way[i], &basis);
            }
        }
        (basis, offset, points)
    }
}
