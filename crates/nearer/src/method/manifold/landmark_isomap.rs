//! Landmark Isomap: ways along a neighbourhood graph from a few objects, all others by triangulation.

use crate::error::Error;
use crate::evidence::{Distances, Features};
use crate::fit::{Embed, Fit};
use crate::geometry::Embedding;
use crate::graph::Rule;
use crate::graph::neighbours::Among;
use crate::method::Choice;
use crate::method::common::{self, DIM};
use crate::method::cost::Needs;
use crate::method::distances::landmark::CHOICE;
use crate::method::manifold::graph::{self, COMPONENTS, JOIN, Linked, NEIGHBOURS, RADIUS, SEARCH, USUAL};
use crate::method::table::{Method, Parameter, again, way};
use crate::model::{Extension, Manifold};
use crate::settings::{configured, settable};
use crate::solve::Run;
use crate::solve::geodesic::Ways;

/// Landmark Isomap.
///
/// The ways along the neighbourhood graph are followed from `m` landmarks only; classical scaling maps those, and every
/// other object is put by triangulation from its ways to them. With all objects as landmarks it is [`Isomap`](crate::method::Isomap).
///
/// # Takes
/// [`Features`] or [`Distances`], as Isomap does.
/// # Places
/// New objects through their nearest old ones: the ways from there to the landmarks, then the same triangulation.
/// # Cost
/// `O(m n log n)` time and `m n` numbers of memory beside the graph: 100,000 objects in some hundred megabytes.
/// # Fails
/// If the links leave the objects in several parts, unless the [`Rule`] says what to do with them.
/// # Reference
/// de Silva and Tenenbaum (2003).
///
/// ```
/// use nearer::{Embed, method::{Isomap, LandmarkIsomap}, toy};
/// # fn main() -> Result<(), nearer::Error> {
/// let (roll, _) = toy::swiss_roll(300, 1);
/// let (all, few) = (Isomap::new(2).fit(&roll)?, LandmarkIsomap::new(2).landmarks(40).fit(&roll)?);
/// assert!((all.embedding.points() - few.embedding.points()).iter().all(|e| e.abs() < 5.0));
/// # Ok(()) }
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct LandmarkIsomap {
    dim: usize,
    landmarks: usize,
    choice: Choice,
    graph: Rule,
}

configured!(LandmarkIsomap [graph] { dim: "dim", landmarks: "landmarks", choice: "landmarks-by" });
graph::setters!(LandmarkIsomap);

const LANDMARKS: Parameter = Parameter::count("landmarks", 2..=1_000_000, 100)
    .says("how many objects are landmarks (all, where there are fewer)");

pub(crate) static METHOD: Method = Method {
    name: "landmark-isomap",
    aliases: &["l-isomap", "lisomap"],
    summary: "Isomap from some landmarks, all others by triangulation: 100,000 objects in bounded memory",
    solves: "classical scaling of m landmarks by their ways G; y = ½ Λ^-½ Vᵗ (means - G²) for the rest",
    ways: &[way::<LandmarkIsomap, Features>(), way::<LandmarkIsomap, Distances>()],
    parameters: &[DIM, LANDMARKS, CHOICE, NEIGHBOURS, JOIN, RADIUS, COMPONENTS, SEARCH],
    places: "ways through the nearest old objects to the landmarks, then triangulation",
    cost: "O(m·n log n) time and m·n numbers of memory for m landmarks",
    reference: "de Silva & Tenenbaum 2003",
    needs: |s, settings| {
        let (seconds, bytes) = graph::needs(s, settings);
        let (n, m) = (s.n(), settings.count("landmarks").unwrap_or(100).min(s.objects.max(2)) as f64);
        Needs::new(seconds + 2e-7 * n * m + 1e-9 * m.powi(3), bytes + 8.0 * n * m + 16.0 * m * m + 1000.0 * n)
    },
    again: again::<LandmarkIsomap>,
};

impl LandmarkIsomap {
    /// A map of `dim` dimensions from 100 landmarks far from each other and 10 neighbours an object.
    #[must_use]
    pub fn new(dim: usize) -> Self {
        LandmarkIsomap { dim, landmarks: 100, choice: Choice::MaxMin, graph: Rule::nearest(USUAL) }
    }
    settable! {
        /// From this many landmarks.
        landmarks: usize,
        /// Chosen this way.
        choice: Choice,
    }

    fn unrolled(&self, seen: Among<'_>, run: &Run<'_>) -> Result<Fit<Manifold>, Error> {
        let clock = run.clock();
        let linked = Linked::new(seen, &self.graph, self.dim, run)?;
        let graph = linked.graph.lengths();
        let count = self.landmarks.max(self.dim + 1);
        let ways = match self.choice {
            Choice::MaxMin => Ways::spread(&graph, count, &clock)?,
            Choice::Random => Ways::random(&graph, count, run.seed(), &clock)?,
        };
        let (packed, scaling) = ways.scaled(self.dim, &clock)?;
        let (basis, offset, points) = ways.triangulated(&scaling, self.dim);
        // The ways are most of the memory, and no longer needed.
        let landmarks = ways.sources;
        drop(ways.lengths);
        let points = Embedding::new(linked.vertices(), points)?;
        let pose = points.pose()?;
        let points = Embedding::new(points.objects().clone(), pose.apply(points.points()))?;

        let mut report = linked.report("landmark-isomap", self.dim, run);
        report.became("landmarks", landmarks.len());
        report.by(self);
        report.objective = scaling.strain(landmarks.len(), &packed, self.dim);
        report.objective_is =
            "strain |B - Y Yᵗ|² of the landmarks, B their centred squared ways along the links".into();
        report.stop = scaling.stop;
        common::warn_spectrum(&mut report, &scaling, self.dim);
        report.spectrum = Some(scaling.spectrum);
        let extension = Extension::Ways { graph, landmarks, basis, offset }.posed(&pose);
        let embedding = linked.map(points.points())?;
        let reach = linked.reach(&self.graph);
        Ok(Fit::new(embedding, Manifold::new(points, linked.features(), reach, extension), report))
    }
}

impl Embed<&Features> for LandmarkIsomap {
    type Model = Manifold;
    fn fit_with(&self, features: &Features, run: &Run<'_>) -> Result<Fit<Manifold>, Error> {
        METHOD.afford(features, self, run, "take fewer landmarks, or fewer objects")?;
        graph::of_features(features, run, |seen| self.unrolled(seen, run))
    }
}

impl Embed<&Distances> for LandmarkIsomap {
    type Model = Manifold;
    fn fit_with(&self, d: &Distances, run: &Run<'_>) -> Result<Fit<Manifold>, Error> {
        METHOD.afford(d, self, run, "take fewer landmarks, or fewer objects")?;
        graph::of_distances(d, self.dim, "landmark-isomap", run, |seen| self.unrolled(seen, run))
    }
}
