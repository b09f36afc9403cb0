//! Objects in groups, by their features and by what is said of pairs: `nearer cluster`.
//!
//! | method | what it does |
//! |---|---|
//! | `k-means` | the sum of squared distances to the centre of the group, from k-means++ starts |
//! | `cop-k-means` | the same with every pair kept: alike in one group, not alike in two |
//! | `mpck-means` | pairs cost when broken, and each group learns a metric of its own |

mod constrained;
mod links;
mod metric;
mod model;
mod moves;
mod shape;

pub use metric::MetricShape;
pub use model::{ClusterReport, Clusters};

use ndarray::Array2;
use nearer_num::kmeans;

use crate::error::Error;
use crate::evidence::{Features, Pairs};
use crate::settings::settable;
use crate::solve::{Run, Step, Stop};
use links::Links;

/// Which method.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ClusterMethod {
    /// Lloyd's, with no regard to pairs.
    #[default]
    KMeans,
    /// Wagstaff's: every pair is kept.
    CopKMeans,
    /// Bilenko's: pairs cost when broken, and metrics are learned.
    MpckMeans,
}

impl ClusterMethod {
    /// Its name, as the command takes it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            ClusterMethod::KMeans => "k-means",
            ClusterMethod::CopKMeans => "cop-k-means",
            ClusterMethod::MpckMeans => "mpck-means",
        }
    }
}

/// A clustering into `k` groups.
///
/// ```
/// use nearer::cluster::{Cluster, ClusterMethod};
/// use nearer::{Run, toy};
/// # fn main() -> Result<(), nearer::Error> {
/// let (features, _) = toy::classed(90, 3, 0, 1);
/// let found = Cluster::new(ClusterMethod::KMeans, 3).fit(&features, None, &Run::default())?;
/// assert_eq!(found.of().iter().filter(|c| **c == 0).count(), 30);
/// # Ok(()) }
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Cluster {
    method: ClusterMethod,
    k: usize,
    shape: MetricShape,
    weight: f64,
    prior: f64,
    starts: usize,
    max_iter: usize,
    standardise: bool,
}

impl Cluster {
    /// So many groups by this method; the best of 10 starts.
    #[must_use]
    pub fn new(method: ClusterMethod, k: usize) -> Self {
        Cluster {
            method,
            k,
            shape: MetricShape::default(),
            weight: 1.0,
            prior: 0.1,
            starts: 10,
            max_iter: 100,
            standardise: false,
        }
    }
    settable! {
        /// The metrics of mpck-means.
        shape: MetricShape,
        /// What a broken pair of weight 1 costs in mpck-means, as a multiple of the cost of one object.
        weight: f64,
        /// How strongly the metrics of mpck-means are drawn to the plain one: as if so many more objects, as a share of all, varied within
        /// their groups alike along all features. 0 is the paper's own objective.
        prior: f64,
        /// Starts, of which the best is kept.
        starts: usize,
        /// Passes at most.
        max_iter: usize,
        /// With each feature divided by its standard deviation first.
        standardise: bool,
    }

    /// Puts the objects into groups.
    ///
    /// # Fails
    /// [`Error::Parameter`] for more groups than objects; [`Error::Evidence`] where cop-k-means finds no grouping that keeps
    /// every pair, with a chain of pairs where they contradict each other.
    pub fn fit(&self, features: &Features, pairs: Option<&Pairs>, run: &Run<'_>) -> Result<Clusters, Error> {
        let n = features.len();
        if self.k == 0 || self.k > n {
            return Err(Error::Parameter {
                name: "k".into(),
                value: self.k.to_string(),
                expected: format!("1 to {n}, the number of objects"),
            });
        }
        let spreads = features.spreads();
        let scale: Vec<f64> = spreads.iter().map(|s| if self.standardise && s.1 > 0.0 { s.1 } else { 1.0 }).collect();
        let means: Vec<f64> = spreads.iter().map(|s| s.0).collect();
        let x =
            Array2::from_shape_fn(features.values().dim(), |(i, k)| (features.values()[(i, k)] - means[k]) / scale[k]);
        let links = pairs.map(|p| Links::of(p, features.objects())).transpose()?.unwrap_or_else(|| Links::none(n));
        let clock = run.clock();
        let mut stop = None;
        let mut tick = |start: usize, round: usize, value: f64| {
            stop = clock.tick(&Step::new("clustering", (start, self.starts), round.max(1), Some(self.max_iter), value));
            stop.is_none()
        };
        let state = run.install(|| match self.method {
            ClusterMethod::KMeans => {
                let found = kmeans::kmeans(x.view(), self.k, self.starts, self.max_iter, run.seed(), &mut tick);
                Ok(State::round(found.of, found.centres, found.within, found.rounds, found.settled))
            }
            ClusterMethod::CopKMeans => {
                links.consistent(features.objects())?;
                constrained::cop(
                    &x,
                    &links,
                    self.k,
                    self.starts,
                    self.max_iter,
                    run.seed(),
                    features.objects(),
                    &mut tick,
                )
            }
            ClusterMethod::MpckMeans => {
                let setting = metric::Setting {
                    k: self.k,
                    shape: self.shape,
                    weight: self.weight,
                    prior: self.prior,
                    max_iter: self.max_iter,
                    starts: self.starts,
                };
                metric::mpck(&x, &links, &setting, run.seed(), &mut tick)
            }
        })?;
        let stop = stop.unwrap_or(if state.settled { Stop::Converged } else { Stop::IterationLimit });
        Ok(Clusters::new(self, features, (means, scale), &x, state, &links, stop, run.seed()))
    }
}

/// Where a clustering stands.
pub(crate) struct State {
    of: Vec<u32>,
    centres: Array2<f64>,
    /// The metric of each group; none where it is the plain one.
    metrics: Vec<Array2<f64>>,
    objective: f64,
    /// The objective pass by pass.
    passes: Vec<f64>,
    rounds: usize,
    settled: bool,
}

impl State {
    fn round(of: Vec<u32>, centres: Array2<f64>, objective: f64, rounds: usize, settled: bool) -> Self {
        State { of, centres, metrics: Vec::new(), objective, passes: Vec::new(), rounds, settled }
    }
}
