//! Maximum variance unfolding: neighbours keep their distances, and everything else goes as far apart as it can.

use ndarray::{Array2, Axis, s};

use crate::error::Error;
use crate::evidence::{Distances, Features, Kernels};
use crate::fit::{Embed, Fit, Witness};
use crate::geometry::{Embedding, Spectrum};
use crate::graph::Rule;
use crate::graph::neighbours::{Among, Neighbourhood};
use crate::method::common::{self, DIM};
use crate::method::cost::Needs;
use crate::method::distances::order;
use crate::method::manifold::graph::{self, COMPONENTS, JOIN, RADIUS, SEARCH};
use crate::method::manifold::mvu_form::{FORMS, Neighbours, Unfolding};
use crate::method::manifold::mvu_variant::Variant;
use crate::method::proof;
use crate::method::spanning::BASIS;
use crate::method::table::{Kind, Method, Parameter, again, way};
use crate::model::{Anchors, Loss, Transform};
use crate::report::{FitReport, Input};
use crate::settings::{Typed as _, Value, configured, settable};
use crate::solve::Run;
use crate::solve::factor_ipm::Edges;

/// Maximum variance unfolding (semidefinite embedding).
///
/// `max tr(HG)` over all positive semidefinite `G`, so over maps in any number of dimensions, with the squared distances
/// `d` between neighbours held to their data `D` as [`Unfolding`] says: by default `d ≤ D`. The map is the leading `dim`
/// principal axes of the solution. The program is convex, and the report carries a [`Certificate`](crate::Certificate):
/// weights `w` on the edges with `λ = λ₂(L(w))` prove that no map has a variance above `Σ w D / λ`.
///
/// The edges are the known pairs where at least half of all pairs are missing, else the nearest
/// [`neighbours`](Mvu::neighbours) of each object, or as the [`Rule`] of its [`graph`](Mvu::graph) says. Objects at distance 0 are one point.
///
/// # Takes
/// [`Distances`] without bounds, or [`Features`], whose Euclidean distances are taken, or [`Kernels`](crate::evidence::Kernels):
/// then the map is a function of the features, `G = K Q Kᵗ`. The edges must connect all objects.
/// # Places
/// New objects from their distances to their nearest old objects, by minimising their own stress in all dimensions of
/// the solution, old points fixed; with a kernel by their features ([`KernelMap`](crate::model::KernelMap)).
/// # Cost
/// Some 20 to 60 sparse factorisations with about 4 unknowns an object; with neighbours on a surface time grows like
/// `n^1.2` to `n^1.5`. The proof is two factorisations more.
/// # Fails
/// If the edges leave the objects in several parts, unless the [`Rule`] says what to do with them; if a soft weight is too small to hold the
/// map together.
/// # Reference
/// Weinberger and Saul (2004); Sun, Boyd, Xiao and Diaconis (2006) for the dual.
///
/// ```
/// use nearer::{Embed, method::Mvu, toy};
/// # fn main() -> Result<(), nearer::Error> {
/// let (roll, _) = toy::swiss_roll(150, 1);
/// let fit = Mvu::new(2).neighbours(6).fit(&roll)?;
/// assert!(fit.report.certificate.unwrap().is_within(1e-5));
/// # Ok(()) }
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Mvu {
    pub(super) dim: usize,
    pub(super) form: Unfolding,
    pub(super) variant: Variant,
    pub(super) landmarks: usize,
    pub(super) graph: Rule,
    pub(super) gap: f64,
    pub(super) max_iter: usize,
    pub(super) basis: Option<usize>,
}

configured!(Mvu [form, graph] {
    dim: "dim",
    variant: "variant",
    landmarks: "landmarks",
    gap: "gap",
    max_iter: "max-iter",
    basis: "basis",
});

/// Neighbours of each object unless it is said how many: few hold a sheet, and each is a row of the program.
const NEAREST: usize = 6;
graph::setters!(Mvu);

pub(crate) static METHOD: Method = Method {
    name: "mvu",
    aliases: &["sde", "maximum-variance-unfolding", "semidefinite-embedding"],
    summary: "maximum variance unfolding: neighbours stay within their distances (soft: at them), the rest goes apart; with a proof of optimality",
    solves: "max tr(HG), G ⪰ 0, d ≤ D between neighbours (soft: - w Σ |d - D|; penalised: - w Σ (d - D)²)",
    ways: &[way::<Mvu, Distances>(), way::<Mvu, Features>(), way::<Mvu, Kernels>()],
    parameters: &[
        DIM,
        Parameter::count("neighbours", 1..=10_000, NEAREST as u64)
            .says("nearest objects of each whose distances are kept (not where at least half of the pairs are missing: then the known pairs are kept)"),
        JOIN,
        RADIUS,
        Parameter {
            name: "form",
            kind: Kind::Choice(&FORMS),
            or: &[],
            default: Value::of_word("at-most"),
            doc: "distances of neighbours may only shrink, or deviate at a cost, linear or quadratic (held equal, the dual need not have a solution: soft with a large weight comes near)",
        },
        Parameter::auto("weight", Kind::POSITIVE)
            .says("weight of the soft and penalised forms; auto chooses it from the data"),
        Parameter::choice::<Variant>("variant", "full")
            .says("coordinates anywhere, or combinations of landmarks, or of eigenvectors of the graph: small programs for many objects"),
        Parameter::count("landmarks", 2..=1000, 40).says("how many landmarks or eigenvectors the variant has"),
        COMPONENTS,
        SEARCH,
        Parameter::number("gap", Kind::Number { min: 1e-14, max: 1.0 }, 1e-6)
            .says("end when the solution is proved to be within this share of the best"),
        Parameter::count("max-iter", 1..=1_000_000, 300).says("most iterations"),
        BASIS.says("with a kernel: how many of its leading components the map is made of; auto takes 100"),
    ],
    places: "the new point's own stress against its nearest old objects is minimised, old points fixed; with a kernel by features",
    cost: "20 to 60 sparse factorisations, about n^1.3 together where neighbours lie on a surface; no n x n matrix",
    reference: "Weinberger & Saul 2004; Sun, Boyd, Xiao & Diaconis 2006",
    needs: |s, settings| {
        let n = s.n();
        let (search, kept) = match (s.kernels, s.columns) {
            // Neighbours are looked for in all distances, which are at hand or made of features.
            (0, 0) => (1e-8 * n * n, s.triangle()),
            (0, columns) => (1e-9 * n * n * columns as f64, 8.0 * n * columns as f64),
            (k, _) => {
                (2e-8 * n.powi(2) * settings.count("basis").unwrap_or(100) as f64, (64.0 + 8.0 * k as f64) * n * n)
            }
        };
        Needs::new(8e-5 * n.powf(1.26) + search, 24_000.0 * n + kept)
    },
    again: again::<Mvu>,
};

impl Mvu {
    /// A map of `dim` dimensions from 6 neighbours an object, distances at most the data, to a proved gap of 1e-6.
    #[must_use]
    pub fn new(dim: usize) -> Self {
        Mvu {
            dim,
            form: Unfolding::AtMost,
            variant: Variant::Full,
            landmarks: 40,
            graph: Rule::nearest(NEAREST),
            gap: 1e-6,
            max_iter: 300,
            basis: None,
        }
    }
    /// In this variant, with so many landmarks or eigenvectors.
    #[must_use]
    pub fn variant(mut self, variant: Variant, count: usize) -> Self {
        (self.variant, self.landmarks) = (variant, count);
        self
    }
    settable! {
        /// In this form.
        form: Unfolding,
        /// Ends when the solution is proved to be within this share of the best.
        gap: f64,
        /// With a kernel: a function of so many of its leading components; few make it smooth between the objects.
        basis: usize,
        /// At most this many iterations.
        max_iter: usize,
    }

    fn unfolded(&self, seen: Among<'_>, run: &Run<'_>) -> Result<Fit<Anchors>, Error> {
        let (objects, mut graph) =
            (seen.objects(), Neighbourhood::of(seen, &self.graph, run.seed(), &graph::looking(run))?);
        let mut warnings = std::mem::take(&mut graph.warnings);
        let kept = graph.kept();
        common::require_dim(kept.len(), self.dim)?;
        if graph.vertices < 2 {
            return Err(Error::Evidence {
                what: "every distance is 0, so all objects lie at one place".into(),
                remedy: "there is nothing to map; check the column or the units".into(),
            });
        }
        let (first, places) = (graph.first(), graph.places());
        let edges = Edges { n: graph.vertices, pairs: graph.pairs, squared: graph.squared };
        let span = self.span(&edges, &|a, b| seen.squared(first[a], first[b]))?;
        let (program, solved, weight) = self.solve(&edges, span.as_ref(), run, &mut warnings)?;

        let (vertices, objects) = (objects.subset(&first), objects.subset(&kept));
        let solution = program.space.points(&solved.candidate.factors);
        let neighbours = Neighbours::of(&solution, &edges.pairs, &edges.squared);
        let points = padded(&solution, self.dim).select(Axis(0), &places);
        let (full, _) = common::posed(Embedding::new(objects.clone(), points)?)?;
        let embedding = Embedding::new(objects.clone(), full.points().slice(s![.., ..self.dim]).to_owned())?;
        let scatter: Vec<f64> =
            full.points().columns().into_iter().map(|c| c.iter().map(|v| v * v).sum::<f64>()).collect();
        let share = scatter[..self.dim].iter().sum::<f64>() / scatter.iter().sum::<f64>().max(f64::MIN_POSITIVE);

        let mut report = FitReport::new("mvu", objects.len(), self.dim, run.seed())
            .figure("edges", edges.pairs.len())
            .figure("edges-are", graph.rule)
            .figure("variance-share", share);
        report = neighbours.told(report);
        if let Some(weight) = weight {
            report.became("weight", weight);
        }
        report.became("search", graph.search.value());
        report.by(self);
        proof::proved(&mut report, &solved, self.gap);
        report.objective_is = self.objective().into();
        report.spectrum = Some(Spectrum::complete(scatter));
        report.warnings.extend(warnings);
        let near = graph.asked.unwrap_or(self.graph.neighbours).max(full.dim() + 1);
        let model = Anchors::new(full, Loss::Stress, Transform::Identity, self.dim).nearest(near);
        // Of objects that share a point, the program has one.
        let witness = Witness { objects: vertices, program, candidate: solved.candidate };
        Ok(Fit::new(embedding, model, report).witnessed(witness))
    }
}

impl Embed<&Distances> for Mvu {
    type Model = Anchors;
    fn fit_with(&self, d: &Distances, run: &Run<'_>) -> Result<Fit<Anchors>, Error> {
        common::require(d, self.dim, "mvu")?;
        common::refuse_bounds(d, "mvu")?;
        METHOD.afford(d, self, run, "give only the distances of neighbours, or fewer objects")?;
        run.install(|| {
            let mut fit = order::by_label(d, run, |d| self.unfolded(Among::Distances(d), run))?;
            fit.report.input = Input::from(d);
            if fit.embedding.len() == d.len() {
                fit.report.stress1 = Some(common::stress1(&fit.embedding, d));
            }
            Ok(fit)
        })
    }
}

impl Embed<&Features> for Mvu {
    type Model = Anchors;
    fn fit_with(&self, features: &Features, run: &Run<'_>) -> Result<Fit<Anchors>, Error> {
        let n = features.len();
        common::require_dim(n, self.dim)?;
        METHOD.afford(features, self, run, "map fewer objects")?;
        run.install(|| order::features_by_label(features, |features| self.unfolded(Among::Features(features), run)))
    }
}

/// The same points with zero coordinates added up to `dim`.
fn padded(points: &Array2<f64>, dim: usize) -> Array2<f64> {
    Array2::from_shape_fn((points.nrows(), points.ncols().max(dim)), |(i, k)| {
        points.get((i, k)).copied().unwrap_or(0.0)
    })
}
