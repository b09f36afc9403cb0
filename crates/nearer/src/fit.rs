//! The two verbs: a method *embeds* evidence, a model *places* new objects.

use ndarray::Array2;

use crate::error::{Error, Remedy};
use crate::geometry::Embedding;
use crate::object::Objects;
use crate::program::{Candidate, Certificate, DiagonalProgram, GramProgram, MetricWitness, Weights};
use crate::report::FitReport;
use crate::solve::Run;

/// A method that makes a map of evidence of type `E`: `&Distances`, or several parts together, as
/// `(&Kernels, &Comparisons)`. A wrong pairing of method and evidence does not compile.
pub trait Embed<E> {
    /// What places new objects afterwards.
    type Model;
    /// Fits under a run: seed, threads, limits, watcher.
    fn fit_with(&self, evidence: E, run: &Run<'_>) -> Result<Fit<Self::Model>, Error>;
    /// Fits with seed 0 on one thread.
    fn fit(&self, evidence: E) -> Result<Fit<Self::Model>, Error> {
        self.fit_with(evidence, &Run::default())
    }
}

/// A model that puts new objects on an old map. Row by row: one at a time gives the same as all at once, and the old
/// points do not move.
pub trait Place<Q: ?Sized> {
    /// The coordinates of the objects of the query.
    fn place(&self, query: &Q) -> Result<Embedding, Error>;
}

/// What a fit gives back: the map, a model that places new objects, and everything needed to argue about it.
#[must_use = "a fit holds the map"]
#[derive(Debug, Clone)]
pub struct Fit<M> {
    /// The map, in canonical pose.
    pub embedding: Embedding,
    /// What places new objects.
    pub model: M,
    /// How the fit went and how good it is.
    pub report: FitReport,
    /// For a convex method what was asked and answered, of which its certificate was made.
    pub witness: Option<Witnessed>,
    /// The same for a learned metric.
    pub metric: Option<MetricWitness>,
}

/// The question behind a map, and the answer that was found: all that a certificate speaks of.
#[derive(Debug, Clone)]
pub struct Witness {
    /// The objects of the program; fewer than those of the map where several share a point.
    pub objects: Objects,
    /// The program that was solved.
    pub program: GramProgram,
    /// Points of any rank, and multipliers.
    pub candidate: Candidate,
}

/// The same of a program of weights.
#[derive(Debug, Clone)]
pub struct WeightsWitness {
    /// The objects of the program.
    pub objects: Objects,
    /// The program that was solved.
    pub program: DiagonalProgram,
    /// Weights and multipliers.
    pub answer: Weights,
    /// The objects whose kernel columns are weighed; empty where features or whole kernels are.
    pub columns: Vec<u32>,
}

/// What a certificate was made of: points, or weights of columns.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub enum Witnessed {
    /// Points of any rank.
    Points(Box<Witness>),
    /// Weights.
    Weights(Box<WeightsWitness>),
}

impl Witnessed {
    /// The points, where it is about points.
    #[must_use]
    pub fn points(&self) -> Option<&Witness> {
        match self {
            Witnessed::Points(witness) => Some(witness),
            Witnessed::Weights(_) => None,
        }
    }
}

impl From<Witness> for Witnessed {
    fn from(witness: Witness) -> Self {
        Witnessed::Points(Box::new(witness))
    }
}

impl From<WeightsWitness> for Witnessed {
    fn from(witness: WeightsWitness) -> Self {
        Witnessed::Weights(Box::new(witness))
    }
}

impl<M> Fit<M> {
    /// A map, its model and its report.
    pub fn new(embedding: Embedding, model: M, report: FitReport) -> Self {
        Fit { embedding, model, report, witness: None, metric: None }
    }
    /// With what was asked and answered.
    pub fn witnessed(mut self, witness: impl Into<Witnessed>) -> Self {
        self.witness = Some(witness.into());
        self
    }
    /// The fit, if it is certified to this gap; otherwise an error that says how far it got.
    pub fn certified(self, gap: f64) -> Result<Self, Error> {
        match &self.report.certificate {
            Some(c) if c.is_within(gap) => Ok(self),
            Some(Certificate { broken: Some(by), .. }) => Err(Error::Evidence {
                what: format!(
                    "the solution breaks a row that must hold by {by:.2e}, and a gap of {gap:.1e} was asked for"
                ),
                remedy: "give it more time, or other settings".into(),
            }),
            Some(c) => Err(Error::Evidence {
                what: format!("the gap is {:.1e}, and {gap:.1e} was asked for", c.gap()),
                remedy: format!("give it more time, or be content with it: {c}").into(),
            }),
            None => Err(Error::Evidence {
                what: format!("{} gives no certificate", self.report.method),
                remedy: Remedy::from("choose a convex method from ").command("methods"),
            }),
        }
    }
    /// The same fit with the model turned into another type.
    pub fn map_model<N>(self, f: impl FnOnce(M) -> N) -> Fit<N> {
        Fit {
            embedding: self.embedding,
            model: f(self.model),
            report: self.report,
            witness: self.witness,
            metric: self.metric,
        }
    }
}

/// Fills rows of coordinates one object at a time, on all threads of the pool, and labels them.
pub(crate) fn place_rows(
    objects: &Objects,
    dim: usize,
    one: impl Fn(usize) -> Result<Vec<f64>, Error> + Sync + Send,
) -> Result<Embedding, Error> {
    let rows = nearer_num::par::map(objects.len(), one);
    let mut points = Array2::zeros((objects.len(), dim));
    for (k, row) in rows.into_iter().enumerate() {
        points.row_mut(k).assign(&ndarray::ArrayView1::from(&row?));
    }
    Embedding::new(objects.clone(), points)
}
