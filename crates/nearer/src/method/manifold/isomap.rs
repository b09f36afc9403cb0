//! Isomap: classical scaling of the ways along a neighbourhood graph.

use nearer_num::paths;

use crate::error::{Error, Remedy};
use crate::evaluate::residual_variance;
use crate::evidence::{Distances, Features};
use crate::fit::{Embed, Fit};
use crate::geometry::Embedding;
use crate::graph::Rule;
use crate::graph::neighbours::Among;
use crate::method::common::{self, DIM};
use crate::method::cost::Needs;
use crate::method::manifold::graph::{self, COMPONENTS, JOIN, Linked, NEIGHBOURS, RADIUS, SEARCH, USUAL};
use crate::method::table::{Method, again, way};
use crate::model::{Extension, Manifold, Shift};
use crate::settings::configured;
use crate::solve::{Run, geodesic, spectral};

/// Isomap (isometric feature mapping).
///
/// Links every object to its nearest neighbours, takes the lengths of the shortest ways along the links as distances, and maps
/// them by classical scaling of their squares: a sheet that is rolled up comes out flat, as long as it has no holes and its
/// links do not jump from one turn to the next. The report says how much of the ways the map does not show
/// (residual variance, 1 - R² of ways and map distances).
///
/// # Takes
/// [`Features`], whose Euclidean distances tell neighbours, or [`Distances`] without bounds; where at least half of the pairs are
/// missing, the known pairs are the links. Objects at distance 0 are one point.
/// # Places
/// New objects through their nearest old ones: the ways from there on, then the Nyström extension
/// ([`Manifold`]). Old objects come back exactly.
/// # Cost
/// One search along the graph for each object, `O(n² log n)` together, and `n²/2` numbers of memory.
/// # Fails
/// If the links leave the objects in several parts, unless the [`Rule`] says what to do with them; if the ways do not fit in memory
/// ([`LandmarkIsomap`](crate::method::LandmarkIsomap) does).
/// # Reference
/// Tenenbaum, de Silva and Langford (2000).
///
/// ```
/// use nearer::{Embed, Place, method::Isomap, toy};
/// # fn main() -> Result<(), nearer::Error> {
/// let (roll, _) = toy::swiss_roll(1000, 1);
/// let fit = Isomap::new(2).neighbours(10).fit(&roll)?;
/// assert!(fit.report.figures["residual-variance"].number().unwrap() < 0.05);
/// let again = fit.model.place(&roll)?;
/// assert!((again.points() - fit.embedding.points()).iter().all(|e| e.abs() < 1e-9));
/// # Ok(()) }
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Isomap {
    dim: usize,
    graph: Rule,
}

configured!(Isomap [graph] { dim: "dim" });
graph::setters!(Isomap);

pub(crate) static METHOD: Method = Method {
    name: "isomap",
    aliases: &["isometric-mapping"],
    summary: "Isomap: ways along a graph of neighbours, mapped by classical scaling; unrolls a sheet",
    solves: "min |B - Y Yᵗ|², B = -½ H G² H, G the shortest ways along the links",
    ways: &[way::<Isomap, Features>(), way::<Isomap, Distances>()],
    parameters: &[DIM, NEIGHBOURS, JOIN, RADIUS, COMPONENTS, SEARCH],
    places: "ways through the nearest old objects, then the Nyström extension; exact for old objects",
    cost: "O(n² log n) time, n²/2 numbers of memory; landmark-isomap needs neither",
    reference: "Tenenbaum, de Silva & Langford 2000",
    needs: |s, settings| {
        let (seconds, bytes) = graph::needs(s, settings);
        let n = s.n();
        Needs::new(seconds + 1.4e-7 * n * n + common::spectrum(n), bytes + s.triangle() + 1600.0 * n)
    },
    again: again::<Isomap>,
};

impl Isomap {
    /// A map of `dim` dimensions from 10 neighbours an object.
    #[must_use]
    pub fn new(dim: usize) -> Self {
        Isomap { dim, graph: Rule::nearest(USUAL) }
    }

    fn unrolled(&self, seen: Among<'_>, run: &Run<'_>) -> Result<Fit<Manifold>, Error> {
        let clock = run.clock();
        let linked = Linked::new(seen, &self.graph, self.dim, run)?;
        let (n, graph) = (linked.graph.vertices, linked.graph.lengths());
        let mut ended = Ok(());
        let ways = paths::all(graph.edges(), |done| {
            ended = geodesic::go_on(&clock, done, n);
            ended.is_ok()
        });
        ended?;
        let ways = ways.unwrap_or_default();
        let scaling = spectral::scale(n, &ways, Shift::None, self.dim, n <= spectral::WHOLE, &clock)?;
        let points = Embedding::new(linked.vertices(), scaling.points(self.dim))?;
        let pose = points.pose()?;
        let points = Embedding::new(points.objects().clone(), pose.apply(points.points()))?;
        let (basis, offset) = scaling.extension(self.dim);
        let extension = Extension::Ways { graph, landmarks: (0..n).collect(), basis, offset }.posed(&pose);

        let mut report = linked.report("isomap", self.dim, run);
        report.by(self);
        report.objective = scaling.strain(n, &ways, self.dim);
        report.objective_is = "strain |B - Y Yᵗ|², B the centred squared ways along the links".into();
        report.stop = scaling.stop;
        report = report.figure("residual-variance", residual_variance(&ways, &points));
        common::warn_spectrum(&mut report, &scaling, self.dim);
        report.spectrum = Some(scaling.spectrum);
        let embedding = linked.map(points.points())?;
        let reach = linked.reach(&self.graph);
        Ok(Fit::new(embedding, Manifold::new(points, linked.features(), reach, extension), report))
    }
}

/// Below so many objects their landmarks, a hundred, need as much as all of them.
const FEW: usize = 400;

/// What to do where the ways between all objects are too many.
fn remedy(objects: usize) -> Remedy {
    match objects {
        ..FEW => "map fewer objects".into(),
        _ => Remedy::from("use ")
            .setting("method", "landmark-isomap")
            .and(", which follows the ways from a few objects only"),
    }
}

impl Embed<&Features> for Isomap {
    type Model = Manifold;
    fn fit_with(&self, features: &Features, run: &Run<'_>) -> Result<Fit<Manifold>, Error> {
        METHOD.afford(features, self, run, remedy(features.len()))?;
        graph::of_features(features, run, |seen| self.unrolled(seen, run))
    }
}

impl Embed<&Distances> for Isomap {
    type Model = Manifold;
    fn fit_with(&self, d: &Distances, run: &Run<'_>) -> Result<Fit<Manifold>, Error> {
        METHOD.afford(d, self, run, remedy(d.len()))?;
        graph::of_distances(d, self.dim, "isomap", run, |seen| self.unrolled(seen, run))
    }
}
