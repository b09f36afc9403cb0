//! Laplacian eigenmaps and diffusion maps: the smoothest functions on a neighbourhood graph.

use ndarray::{Array1, Array2};
use nearer_num::sparse::{Inverse, Pattern, analysed};

use crate::error::{Error, Remedy};
use crate::evidence::{Distances, Features};
use crate::fit::{Embed, Fit};
use crate::geometry::{Embedding, Spectrum};
use crate::graph::Rule;
use crate::graph::neighbours::Among;
use crate::method::common::{self, DIM};
use crate::method::cost::Needs;
use crate::method::manifold::graph::{self, COMPONENTS, JOIN, Linked, NEIGHBOURS, RADIUS, SEARCH, USUAL};
use crate::method::table::{Kind, Method, Parameter, again, way};
use crate::model::{Extension, Manifold};
use crate::settings::{Configured, Settings, Value, configured, settable};
use crate::solve::{Run, Stop};

/// Laplacian eigenmaps.
///
/// The functions that vary least along the links, `L f = λ D f` with the graph Laplacian `L = D - W`: the bottom eigenvectors, constant one
/// aside, each of unit variance under the degrees, `Σ d f² = Σ d`. Weights are 1 on every link, or those of a heat kernel,
/// `exp(-d² / 2σ²)`. With a diffusion time `t` every coordinate is multiplied by `(1 - λ)ᵗ`, a diffusion map: its distances are those of
/// random walks of `t` steps.
///
/// Coordinates show what hangs together more than how far things are: judge a map by neighbours, not by distances.
///
/// # Takes
/// [`Features`], whose Euclidean distances tell neighbours, or [`Distances`] without bounds.
/// # Places
/// New objects by the Nyström extension: the weighted mean of their nearest old objects, each coordinate divided by `1 - λ`.
/// Old objects come back exactly.
/// # Cost
/// One sparse factorisation of `n` unknowns and some twenty solves with it.
/// # Fails
/// If the links leave the objects in several parts, unless the [`Rule`] says what to do with them.
/// # Reference
/// Belkin and Niyogi (2003); Coifman and Lafon (2006).
///
/// ```
/// use nearer::{Embed, method::LaplacianEigenmaps, toy};
/// # fn main() -> Result<(), nearer::Error> {
/// let (roll, flat) = toy::swiss_roll(1000, 1);
/// let fit = LaplacianEigenmaps::new(1).fit(&roll)?;
/// // The longest way on the sheet is along the roll.
/// let (y, s) = (fit.embedding.points().column(0), flat.column(0));
/// let s = &s - s.mean().unwrap();
/// let r = s.dot(&y) / (s.dot(&s) * y.dot(&y)).sqrt();
/// assert!(r.abs() > 0.95);
/// # Ok(()) }
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct LaplacianEigenmaps {
    dim: usize,
    weights: LinkWeights,
    time: f64,
    graph: Rule,
}

/// What a link weighs.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum LinkWeights {
    /// 1.
    Binary,
    /// `exp(-d² / 2σ²)`; the width `σ` is the median length of the links where it is not given.
    Heat(Option<f64>),
}

const WEIGHTS: [&str; 2] = ["binary", "heat"];

impl Configured for LinkWeights {
    fn from_settings(settings: &Settings) -> Result<Self, Error> {
        Ok(match settings.word("weights") {
            Some("heat") => LinkWeights::Heat(settings.read("width")?),
            _ => LinkWeights::Binary,
        })
    }
    fn write(&self, settings: &mut Settings) {
        match *self {
            LinkWeights::Binary => settings.set("weights", WEIGHTS[0]),
            LinkWeights::Heat(width) => {
                settings.set("weights", WEIGHTS[1]);
                settings.set("width", width);
            }
        }
    }
}

configured!(LaplacianEigenmaps [weights, graph] { dim: "dim", time: "time" });
graph::setters!(LaplacianEigenmaps);

/// Share of the diagonal that makes the Laplacian definite before it is inverted.
const LIFT: f64 = 1e-10;
const TOLERANCE: f64 = 1e-10;

pub(crate) static METHOD: Method = Method {
    name: "laplacian-eigenmaps",
    aliases: &["spectral-embedding", "diffusion-map", "diffusion-maps", "le"],
    summary: "Laplacian eigenmaps: the smoothest functions on a graph of neighbours; with a time, diffusion maps",
    solves: "min Σ w_ij (f_i - f_j)², fᵗDf = tr D, f ⟂ D1: L f = λ D f",
    ways: &[way::<LaplacianEigenmaps, Features>(), way::<LaplacianEigenmaps, Distances>()],
    parameters: &[
        DIM,
        Parameter {
            name: "weights",
            kind: Kind::Choice(&WEIGHTS),
            or: &[],
            default: Value::of_word("binary"),
            doc: "what a link weighs: 1, or exp(-d²/2σ²)",
        },
        Parameter::auto("width", Kind::POSITIVE)
            .says("width σ of the heat kernel; auto is the median length of the links"),
        Parameter::number("time", Kind::Number { min: 0.0, max: 1e6 }, 0.0)
            .says("diffusion time t: every coordinate times (1 - λ)^t; 0 gives Laplacian eigenmaps"),
        NEIGHBOURS,
        JOIN,
        RADIUS,
        COMPONENTS,
        SEARCH,
    ],
    places: "Nyström extension from its nearest old objects; exact for old objects",
    cost: "one sparse factorisation, about n^1.5 where neighbours lie on a surface; no n x n matrix",
    reference: "Belkin & Niyogi 2003; Coifman & Lafon 2006",
    needs: |s, settings| {
        let (seconds, bytes) = graph::needs(s, settings);
        let (n, k) = (s.n(), settings.count("neighbours").unwrap_or(USUAL) as f64);
        Needs::new(seconds + 2e-7 * n.powf(1.5) + 5e-6 * n, bytes + n * (2000.0 + 12.0 * k * n.max(2.0).ln()))
    },
    again: again::<LaplacianEigenmaps>,
};

impl LaplacianEigenmaps {
    /// A map of `dim` dimensions from 10 neighbours an object, all links alike.
    #[must_use]
    pub fn new(dim: usize) -> Self {
        LaplacianEigenmaps { dim, weights: LinkWeights::Binary, time: 0.0, graph: Rule::nearest(USUAL) }
    }
    settable! {
        /// With links that weigh so much.
        weights: LinkWeights,
        /// As a diffusion map after this time.
        time: f64,
    }

    fn smooth(&self, seen: Among<'_>, run: &Run<'_>) -> Result<Fit<Manifold>, Error> {
        let (clock, failed) =
            (run.clock(), || Error::Numerical { what: "the eigenvectors of the neighbour graph".into() });
        let linked = Linked::new(seen, &self.graph, self.dim, run)?;
        let (n, pairs, squared) = (linked.graph.vertices, &linked.graph.pairs, &linked.graph.squared);
        let width = match self.weights {
            LinkWeights::Binary => None,
            LinkWeights::Heat(given) => Some(given.unwrap_or_else(|| median(squared).sqrt())),
        };
        let weight = |e: usize| width.map_or(1.0, |w| (-squared[e] / (2.0 * w * w)).exp());
        let mut degrees = Array1::<f64>::zeros(n);
        for (e, &(i, j)) in pairs.iter().enumerate() {
            degrees[i as usize] += weight(e);
            degrees[j as usize] += weight(e);
        }
        if degrees.iter().any(|d| *d < f64::MIN_POSITIVE) {
            return Err(Error::Evidence {
                what: format!("a heat kernel of width {} leaves an object without links", width.unwrap_or_default()),
                remedy: Remedy::from("take a larger ").any("width").and(", as long as a usual link"),
            });
        }
        let pattern = Pattern::of_graph(n, pairs);
        let mut matrix = vec![0.0; pattern.len()];
        let place = |i: usize, j: usize| pattern.place(i, j).expect("every link is in the pattern");
        (0..n).for_each(|i| matrix[place(i, i)] = 1.0);
        for (e, &(i, j)) in pairs.iter().enumerate() {
            let (i, j) = (i as usize, j as usize);
            matrix[place(i, j)] = -weight(e) / (degrees[i] * degrees[j]).sqrt();
        }
        // The constant function, in the coordinates of D^½.
        let total = degrees.sum();
        let constant = degrees.mapv(|d| (d / total).sqrt());
        let project = |x: &mut Array2<f64>| {
            for mut column in x.columns_mut() {
                let along = constant.dot(&column);
                column.zip_mut_with(&constant, |v, c| *v -= along * c);
            }
        };
        let mut factors = analysed(pattern).ok_or_else(failed)?;
        let how = Inverse { lift: LIFT, tolerance: TOLERANCE };
        let found = factors.bottom(&matrix, self.dim, how, project, || !clock.late()).ok_or_else(failed)?;
        if found.vectors.ncols() < self.dim {
            return Err(failed());
        }
        let scale = |k: usize| (1.0 - found.values[k]).abs().powf(self.time);
        let mut axes = Array2::from_shape_fn((n, self.dim), |(i, k)| {
            found.vectors[(i, k)] * (total / degrees[i]).sqrt() * scale(k)
        });
        let signs = axes.clone();
        common::sign_columns(&signs, &mut axes);
        let points = Embedding::new(linked.vertices(), axes)?;

        let mut report = linked.report("laplacian-eigenmaps", self.dim, run);
        if let Some(width) = width {
            report.became("width", width);
        }
        report.by(self);
        report.objective = found.values.iter().sum();
        report.objective_is = "sum of the eigenvalues λ of L f = λ D f".into();
        report.stop = match (found.converged, clock.late()) {
            (true, _) => Stop::Converged,
            (_, true) => Stop::TimeLimit,
            _ => Stop::Stalled,
        };
        report.spectrum = Some(Spectrum::leading(found.values.to_vec(), n as f64, 0.0));
        let embedding = linked.map(points.points())?;
        // A mean of neighbours is P f = (1 - λ) f; where 1 - λ vanishes nothing says what is beyond.
        let factor = |v: &f64| if (1.0 - v).abs() > 1e-6 { 1.0 / (1.0 - v) } else { 0.0 };
        let extension = Extension::Mean { factors: found.values.iter().take(self.dim).map(factor).collect(), width };
        let reach = linked.reach(&self.graph);
        Ok(Fit::new(embedding, Manifold::new(points, linked.features(), reach, extension), report))
    }
}

fn median(values: &[f64]) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    sorted[sorted.len() / 2]
}

impl Embed<&Features> for LaplacianEigenmaps {
    type Model = Manifold;
    fn fit_with(&self, features: &Features, run: &Run<'_>) -> Result<Fit<Manifold>, Error> {
        METHOD.afford(features, self, run, "map fewer objects, or take fewer neighbours")?;
        graph::of_features(features, run, |seen| self.smooth(seen, run))
    }
}

impl Embed<&Distances> for LaplacianEigenmaps {
    type Model = Manifold;
    fn fit_with(&self, d: &Distances, run: &Run<'_>) -> Result<Fit<Manifold>, Error> {
        METHOD.afford(d, self, run, "map fewer objects, or take fewer neighbours")?;
        graph::of_distances(d, self.dim, "laplacian-eigenmaps", run, |seen| self.smooth(seen, run))
    }
}
