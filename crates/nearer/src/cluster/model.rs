//! What a clustering leaves behind: who is in which group, and how new objects are put into them.

use ndarray::{Array1, Array2};
use serde::{Deserialize, Serialize};

use super::links::Links;
use super::{Cluster, MetricShape, State};
use crate::error::Error;
use crate::evidence::Features;
use crate::object::Objects;
use crate::solve::Stop;

/// Objects in groups, with centres and metrics: everything that is needed to put new objects into them.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Clusters {
    /// `nearer clusters`: what the file is.
    format: String,
    labels: Vec<String>,
    of: Vec<u32>,
    distance: Vec<f64>,
    columns: Vec<String>,
    mean: Vec<f64>,
    scale: Vec<f64>,
    /// On the scale of the features as they were centred and scaled.
    centres: Vec<Vec<f64>>,
    /// The metric of each group, row by row; none where it is the plain one.
    metrics: Vec<Vec<Vec<f64>>>,
    /// How it went.
    pub report: ClusterReport,
}

/// How a clustering went.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ClusterReport {
    /// Version of this structure.
    pub schema: u32,
    /// The version of the library that made it.
    pub version: String,
    /// The method.
    pub method: String,
    /// How many objects.
    pub objects: usize,
    /// How many groups were asked for.
    pub k: usize,
    /// How many objects each has.
    pub sizes: Vec<usize>,
    /// The seed of the run.
    pub seed: u64,
    /// Why it ended.
    pub stop: Stop,
    /// Passes over the objects.
    pub passes: usize,
    /// What was minimised: squared distances to centres, and what broken pairs cost.
    pub objective: f64,
    /// The objective pass by pass, where metrics are learned.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub objectives: Vec<f64>,
    /// The shape of the metrics, where they are learned.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub metric: Option<String>,
    /// Pairs that are alike, and how many of them are in two groups.
    pub must_links: (usize, usize),
    /// Pairs that are not, and how many of them are in one.
    pub cannot_links: (usize, usize),
    /// What a reader should know.
    pub warnings: Vec<String>,
}

impl MetricShape {
    /// Its name, as the command takes it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            MetricShape::Diagonal => "diagonal",
            MetricShape::Diagonals => "diagonals",
            MetricShape::Single => "single",
            MetricShape::Full => "full",
        }
    }
}

impl Clusters {
    #[allow(clippy::too_many_arguments)]
    pub(super) fn new(
        asked: &Cluster,
        features: &Features,
        (mean, scale): (Vec<f64>, Vec<f64>),
        x: &Array2<f64>,
        state: State,
        links: &Links,
        stop: Stop,
        seed: u64,
    ) -> Self {
        let mut sizes = vec![0; asked.k];
        state.of.iter().for_each(|g| sizes[*g as usize] += 1);
        let (must, cannot) = links.counts();
        let (apart, together) = links.broken(&state.of);
        let mut warnings: Vec<String> = links.contradiction_in_words(features.objects()).into_iter().collect();
        let empty = sizes.iter().filter(|s| **s == 0).count();
        if empty > 0 {
            warnings.push(format!("{empty} of {} groups hold no object", asked.k));
        }
        if must + cannot > 0 && asked.method == super::ClusterMethod::KMeans {
            warnings.push("k-means makes no use of the pairs; cop-k-means and mpck-means do".into());
        }
        let rows = |m: &Array2<f64>| m.rows().into_iter().map(|r| r.to_vec()).collect::<Vec<_>>();
        let report = ClusterReport {
            schema: 1,
            version: env!("CARGO_PKG_VERSION").into(),
            method: asked.method.name().into(),
            objects: features.len(),
            k: asked.k,
            sizes,
            seed,
            stop,
            passes: state.rounds,
            objective: state.objective,
            objectives: state.passes,
            metric: (!state.metrics.is_empty()).then(|| asked.shape.name().into()),
            must_links: (must, apart),
            cannot_links: (cannot, together),
            warnings,
        };
        let mut made = Clusters {
            format: "nearer clusters".into(),
            labels: features.objects().labels().to_vec(),
            of: state.of,
            distance: Vec::new(),
            columns: features.columns().to_vec(),
            mean,
            scale,
            centres: rows(&state.centres),
            metrics: state.metrics.iter().map(rows).collect(),
            report,
        };
        made.distance = x.rows().into_iter().zip(&made.of).map(|(r, g)| made.to(&r.to_vec(), *g as usize)).collect();
        made
    }
    /// The group of each object, from 0.
    #[must_use]
    pub fn of(&self) -> &[u32] {
        &self.of
    }
    /// The labels of the objects.
    #[must_use]
    pub fn labels(&self) -> &[String] {
        &self.labels
    }
    /// How far each object is from the centre of its group, under its metric.
    #[must_use]
    pub fn distances(&self) -> &[f64] {
        &self.distance
    }
    /// The names of the features, and the centre of each group in their own units.
    #[must_use]
    pub fn centres(&self) -> (&[String], Vec<Vec<f64>>) {
        let back = |row: &Vec<f64>| row.iter().enumerate().map(|(k, v)| v * self.scale[k] + self.mean[k]).collect();
        (&self.columns, self.centres.iter().map(back).collect())
    }
    /// What each feature weighs in the metric of each group: the diagonal; empty where metrics were not learned.
    #[must_use]
    pub fn weights(&self) -> Vec<Vec<f64>> {
        self.metrics.iter().map(|m| (0..m.len()).map(|k| m[k][k]).collect()).collect()
    }

    /// The group that is nearest to each of some objects with the same features, and how far its centre is. What was said about
    /// pairs does not reach new objects.
    ///
    /// # Fails
    /// [`Error::Evidence`] where a feature is missing.
    pub fn assign(&self, features: &Features) -> Result<Vec<(u32, f64)>, Error> {
        let place = |c: &String| {
            features.columns().iter().position(|have| have == c).ok_or_else(|| Error::Evidence {
                what: format!("the groups are made of the feature `{c}`, and the table has no such column"),
                remedy: format!("give a table with the columns {}", self.columns.join(", ")).into(),
            })
        };
        let at = self.columns.iter().map(place).collect::<Result<Vec<_>, Error>>()?;
        let one = |i: usize| {
            let row: Vec<f64> = at
                .iter()
                .enumerate()
                .map(|(k, c)| (features.values()[(i, *c)] - self.mean[k]) / self.scale[k])
                .collect();
            let cost = |g: &usize| {
                let d = self.to(&row, *g);
                d * d - self.log_det(*g)
            };
            let best = (0..self.centres.len()).min_by(|a, b| cost(a).total_cmp(&cost(b))).unwrap_or(0);
            (best as u32, self.to(&row, best))
        };
        Ok((0..features.len()).map(one).collect())
    }
    fn to(&self, row: &[f64], group: usize) -> f64 {
        let off: Array1<f64> = row.iter().zip(&self.centres[group]).map(|(a, b)| a - b).collect();
        let Some(metric) = self.metrics.get(group) else { return off.dot(&off).sqrt() };
        let square: f64 =
            metric.iter().zip(&off).map(|(row, a)| a * row.iter().zip(&off).map(|(m, b)| m * b).sum::<f64>()).sum();
        square.max(0.0).sqrt()
    }
    fn log_det(&self, group: usize) -> f64 {
        let Some(metric) = self.metrics.get(group) else { return 0.0 };
        let square = Array2::from_shape_fn((metric.len(), metric.len()), |(a, b)| metric[a][b]);
        nearer_num::dense::eigvalsh(square.view())
            .map_or(0.0, |values| values.iter().map(|v| v.max(f64::MIN_POSITIVE).ln()).sum())
    }
    /// The groups as metadata of the objects: `c1`, `c2`, …
    #[must_use]
    pub fn column(&self) -> crate::metadata::Column {
        let values = self.of.iter().map(|g| Some(format!("c{}", g + 1))).collect();
        crate::metadata::Column { name: "cluster".into(), values }
    }
    /// The objects.
    ///
    /// # Fails
    /// Where a file repeats a label.
    pub fn objects(&self) -> Result<Objects, Error> {
        Objects::new(self.labels.iter().cloned())
    }
    /// As JSON, for a file.
    ///
    /// # Fails
    /// [`Error::Numerical`] where a number is not finite.
    pub fn to_json(&self) -> Result<Vec<u8>, Error> {
        let text = serde_json::to_string_pretty(self);
        text.map(|t| (t + "\n").into_bytes()).map_err(|_| Error::Numerical { what: "writing clusters".into() })
    }
    /// From JSON.
    ///
    /// # Fails
    /// [`Error::Evidence`] where the text is none, or does not hold together.
    pub fn from_json(text: &[u8]) -> Result<Self, Error> {
        let wrong = |what: String| Error::Evidence {
            what: format!("these are no clusters: {what}"),
            remedy: "give the .json that a clustering wrote".into(),
        };
        let made: Clusters = serde_json::from_slice(text).map_err(|e| wrong(e.to_string()))?;
        let d = made.columns.len();
        let k = made.centres.len();
        let fits = made.format == "nearer clusters"
            && made.mean.len() == d
            && made.scale.len() == d
            && made.scale.iter().all(|s| *s > 0.0)
            && k > 0
            && made.centres.iter().all(|c| c.len() == d)
            && (made.metrics.is_empty() || made.metrics.len() == k)
            && made.metrics.iter().all(|m| m.len() == d && m.iter().all(|r| r.len() == d))
            && made.of.len() == made.labels.len()
            && made.of.iter().all(|g| (*g as usize) < k);
        if fits { Ok(made) } else { Err(wrong("its parts do not fit together".into())) }
    }
}
