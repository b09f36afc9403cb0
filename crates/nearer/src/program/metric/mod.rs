//! Convex questions about a metric `M ⪰ 0` on features, `d²(i, j) = (x_i - x_j)ᵗ M (x_i - x_j)`: what each asks, and the proof of
//! how well it is answered.

mod certify;

use std::borrow::Cow;

use ndarray::Array2;

use crate::error::Error;
use crate::object::Objects;
use crate::program::{Certificate, Fingerprint, Program, Sense};

/// A question about a metric.
#[derive(Debug, Clone)]
pub struct MetricProgram {
    /// Coordinates of the objects, a row each.
    pub values: Array2<f64>,
    /// What is asked.
    pub ask: MetricAsk,
    /// Whether the coordinates are those that kernels span, and not features.
    pub spanned: bool,
}

/// A triple of pairs by row: near, far, weight, margin.
pub type Triple = ([u32; 2], [u32; 2], f64, f64);

/// What is asked of a metric.
#[derive(Debug, Clone)]
pub enum MetricAsk {
    /// `min (1 - push) Σ_targets d² + push Σ [1 + d²(target) - d²(other)]₊ + ridge tr M`, others of another group.
    Neighbours {
        /// For each row its group; `u32::MAX` for none.
        group: Vec<u32>,
        /// Rows and their targets, sorted.
        targets: Vec<(u32, u32)>,
        /// The share of what is pushed.
        push: f64,
        /// The weight of the trace.
        ridge: f64,
    },
    /// The same of given comparisons: targets are the near pairs.
    Compared {
        /// The comparisons.
        rows: Vec<Triple>,
        /// The share of what is pushed.
        push: f64,
        /// The weight of the trace.
        ridge: f64,
    },
    /// `max Σ_dissimilar w d`, `Σ_similar w d² + ridge tr M ≤ 1`; `M` diagonal where said.
    Apart {
        /// Pairs said to be alike, with weights.
        similar: Vec<(u32, u32, f64)>,
        /// Pairs said not to be, with weights.
        dissimilar: Vec<(u32, u32, f64)>,
        /// The weight of the trace.
        ridge: f64,
        /// Whether only diagonal metrics are meant.
        diagonal: bool,
    },
    /// `min Σ_i KL(even over the group of i ‖ softmin of d²(i, ·)) + trace tr M`.
    Collapse {
        /// For each row its group; `u32::MAX` for none.
        group: Vec<u32>,
        /// The weight of the trace.
        trace: f64,
    },
}

/// An answer: a factor of the metric, `M = A Aᵗ`, and for hinges the multipliers that are not zero, as shares of the largest:
/// `(number of the target or comparison, other row, share)`.
#[derive(Debug, Clone, Default)]
pub struct MetricCandidate {
    /// A row for each coordinate.
    pub factor: Array2<f64>,
    /// Multipliers above zero.
    pub multipliers: Vec<(u32, u32, f64)>,
}

/// What a fit leaves to be checked: the question, its answer in the features themselves, and how these were scaled.
#[derive(Debug, Clone)]
pub struct MetricWitness {
    /// The objects.
    pub objects: Objects,
    /// What each feature was divided by.
    pub scale: Vec<f64>,
    /// What was asked.
    pub ask: MetricAsk,
    /// The answer, its factor with a row for each feature as scaled, or for each coordinate in the span of kernels.
    pub candidate: MetricCandidate,
    /// The coordinates of the objects in the span of kernels, where it is about these.
    pub basis: Option<Array2<f64>>,
}

impl MetricAsk {
    /// The same question about rows in another order: what is row `k` becomes row `to[k]`; lists stay in their order.
    pub(crate) fn of_rows(&mut self, to: &[usize]) {
        let at = |row: &mut u32| *row = to[*row as usize] as u32;
        let regroup = |group: &mut Vec<u32>| {
            let old = std::mem::take(group);
            *group = vec![u32::MAX; old.len()];
            old.into_iter().zip(to).for_each(|(g, at)| group[*at] = g);
        };
        match self {
            MetricAsk::Apart { similar, dissimilar, .. } => {
                similar.iter_mut().chain(dissimilar).for_each(|(i, j, _)| {
                    at(i);
                    at(j);
                    (*i, *j) = ((*i).min(*j), (*i).max(*j));
                })
            }
            MetricAsk::Collapse { group, .. } => regroup(group),
            MetricAsk::Neighbours { group, targets, .. } => {
                regroup(group);
                targets.iter_mut().for_each(|(i, j)| [i, j].into_iter().for_each(at));
            }
            MetricAsk::Compared { rows, .. } => {
                rows.iter_mut().for_each(|(near, far, ..)| near.iter_mut().chain(far).for_each(at));
            }
        }
    }
    /// Whether it is minimised.
    #[must_use]
    pub fn sense(&self) -> Sense {
        if matches!(self, MetricAsk::Apart { .. }) { Sense::Maximise } else { Sense::Minimise }
    }
    /// The set that the bound speaks of; `coordinates` are how many there are in the span of kernels, where it is about these.
    #[must_use]
    pub fn about(&self, coordinates: Option<usize>) -> Cow<'static, str> {
        match (self, coordinates) {
            (_, Some(count)) => format!("no metric on the {count} principal coordinates of these kernels").into(),
            (MetricAsk::Apart { diagonal: true, .. }, None) => "no weighting of these features".into(),
            _ => "no metric on these features".into(),
        }
    }
    /// SHA-256 over the numbers of the question, in hexadecimal; the features are told by the evidence, and here how they were
    /// scaled, or the coordinates that kernels gave.
    #[must_use]
    pub fn fingerprint(&self, objects: &Objects, scale: &[f64], basis: Option<&Array2<f64>>) -> String {
        let mut print = Fingerprint::new("nearer metric 1");
        print.objects(objects);
        print.count(scale.len());
        scale.iter().for_each(|s| print.number(*s));
        basis.into_iter().flatten().for_each(|v| print.number(*v));
        match self {
            MetricAsk::Neighbours { group, targets, push, ridge } => {
                print.word("neighbours");
                group.iter().for_each(|g| print.count(*g as usize));
                print.count(targets.len());
                targets.iter().for_each(|(i, j)| [i, j].iter().for_each(|v| print.count(**v as usize)));
                [*push, *ridge].iter().for_each(|v| print.number(*v));
            }
            MetricAsk::Compared { rows, push, ridge } => {
                print.word("compared");
                print.count(rows.len());
                for (near, far, weight, margin) in rows {
                    near.iter().chain(far).for_each(|v| print.count(*v as usize));
                    [*weight, *margin].iter().for_each(|v| print.number(*v));
                }
                [*push, *ridge].iter().for_each(|v| print.number(*v));
            }
            MetricAsk::Apart { similar, dissimilar, ridge, diagonal } => {
                print.word(if *diagonal { "apart, diagonal" } else { "apart" });
                for list in [similar, dissimilar] {
                    print.count(list.len());
                    for (i, j, w) in list {
                        print.count(*i as usize);
                        print.count(*j as usize);
                        print.number(*w);
                    }
                }
                print.number(*ridge);
            }
            MetricAsk::Collapse { group, trace } => {
                print.word("collapse");
                group.iter().for_each(|g| print.count(*g as usize));
                print.number(*trace);
            }
        }
        print.finish()
    }
}

impl Program for MetricProgram {
    type Candidate = MetricCandidate;
    fn certify(&self, candidate: &MetricCandidate) -> Result<Certificate, Error> {
        certify::certificate(self, candidate)
    }
    fn fingerprint(&self, objects: &Objects) -> String {
        self.ask.fingerprint(objects, &[], self.spanned.then_some(&self.values))
    }
    fn about(&self) -> Cow<'_, str> {
        self.ask.about(self.spanned.then(|| self.values.ncols()))
    }
}
