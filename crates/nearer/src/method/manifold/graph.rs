//! What the methods share that begin with a neighbourhood graph: its settings, and the way from its vertices to the map.

use ndarray::{Array2, Axis};

use crate::error::{Error, Remedy};
use crate::evidence::{Distances, Features};
use crate::fit::Fit;
use crate::geometry::Embedding;
use crate::graph::neighbours::{Among, Neighbourhood, exact_seconds};
use crate::graph::{Components, Join, Rule, Search};
use crate::method::common;
use crate::method::cost::Size;
use crate::method::distances::order;
use crate::method::table::{Kind, Parameter};
use crate::model::{Manifold, Reach};
use crate::object::Objects;
use crate::report::{FitReport, Input};
use crate::settings::{Settings, Typed as _};
use crate::solve::{Run, Step, Stop};

/// Neighbours of each object unless it is said how many, as the peers have it.
pub(crate) const USUAL: usize = 10;

pub(crate) const NEIGHBOURS: Parameter = Parameter::count("neighbours", 1..=10_000, USUAL as u64)
    .says("nearest objects of each that it is linked to, all others where they are fewer (where at least half of the pairs are missing, the known pairs are the links)");
pub(crate) const JOIN: Parameter = Parameter::choice::<Join>("join", "union")
    .says("two objects are linked if one is among the nearest of the other, or only if each is");
pub(crate) const RADIUS: Parameter = Parameter::none("radius", Kind::POSITIVE)
    .says("link all objects within this distance, in place of a number of nearest");
pub(crate) const COMPONENTS: Parameter = Parameter::choice::<Components>("components", "refuse")
    .says("what to do when the links leave the objects in several parts: refuse, map the largest, or join them by their shortest distances");
pub(crate) const SEARCH: Parameter = Parameter::choice::<Search>("search", "auto")
    .says("how neighbours are looked for in features; auto is exact where that takes a minute of one core at most, up to some 70,000 objects of 50 features");

/// Seconds and bytes that a graph of this evidence takes.
pub(crate) fn needs(s: &Size, settings: &Settings) -> (f64, f64) {
    let (n, w) = (s.n(), s.columns as f64);
    let k = settings.count("neighbours").unwrap_or(USUAL) as f64;
    let edges = 60.0 * n * k;
    let rule = Rule::nearest(k as usize).search(settings.read("search").unwrap_or(Search::Auto));
    match s.columns {
        0 => (1e-8 * n * n, s.triangle() + edges),
        _ if rule.is_approximate(s.objects, s.columns) => (4e-7 * n * k * k * (w / 50.0), 24.0 * n * w + 2.0 * edges),
        _ => (exact_seconds(n, s.columns, k), 24.0 * n * w + 200.0 * n + edges),
    }
}

/// Asks the run while neighbours are looked for: an error where it ends, since there is no map without all of them.
pub(crate) fn looking(run: &Run<'_>) -> impl Fn(usize, usize) -> Result<(), Error> {
    let clock = run.clock();
    move |done, of| match clock.tick(&Step::new("looking for neighbours", (0, 1), done, Some(of), f64::NAN)) {
        None => Ok(()),
        Some(Stop::TimeLimit) => Err(Error::Evidence {
            what: format!(
                "the time was up after the neighbours of {done} of {of} objects, and a map needs those of all"
            ),
            remedy: Remedy::from("give it more time, or look with ").setting("search", "approximate"),
        }),
        Some(_) => Err(Error::Cancelled),
    }
}

/// The setters of a method with a graph, whose field is called `graph`.
macro_rules! setters {
    ($method:ident) => {
        impl $method {
            $crate::settings::settable! {
                /// With so many nearest neighbours of each object.
                neighbours: usize => graph.neighbours,
                /// On the graph of this rule.
                graph: $crate::graph::Rule,
            }
        }
    };
}
pub(crate) use setters;

/// A graph with the evidence that it was made of.
pub(crate) struct Linked<'a> {
    pub(crate) seen: Among<'a>,
    pub(crate) graph: Neighbourhood,
    /// The first object of each vertex.
    pub(crate) first: Vec<usize>,
}

impl<'a> Linked<'a> {
    /// The graph, if a map of this dimension can be made of it.
    pub(crate) fn new(seen: Among<'a>, rule: &Rule, dim: usize, run: &Run<'_>) -> Result<Self, Error> {
        common::require_dim(seen.objects().len(), dim)?;
        let graph = Neighbourhood::of(seen, rule, run.seed(), &looking(run))?;
        if graph.vertices < 2 {
            return Err(Error::Evidence {
                what: "every distance is 0, so all objects lie at one place".into(),
                remedy: "there is nothing to map; check the columns or the units".into(),
            });
        }
        common::require_dim(graph.vertices, dim)?;
        let first = graph.first();
        Ok(Linked { seen, graph, first })
    }

    /// The objects of the vertices.
    pub(crate) fn vertices(&self) -> Objects {
        self.seen.objects().subset(&self.first)
    }

    /// The map of all objects that were not left out, from the points of the vertices.
    pub(crate) fn map(&self, points: &Array2<f64>) -> Result<Embedding, Error> {
        let objects = self.seen.objects().subset(&self.graph.kept());
        Embedding::new(objects, points.select(Axis(0), &self.graph.places()))
    }

    /// The features of the vertices, where there are features.
    pub(crate) fn features(&self) -> Option<Features> {
        match self.seen {
            Among::Features(f) => Some(f.subset(&self.first)),
            Among::Distances(_) => None,
        }
    }

    /// How new objects are linked.
    pub(crate) fn reach(&self, rule: &Rule) -> Reach {
        match rule.radius.0 {
            Some(radius) if self.graph.asked.is_none() => Reach::Within(radius),
            _ => Reach::Nearest(rule.neighbours.min(self.graph.vertices)),
        }
    }

    /// A report with what is said of every graph.
    pub(crate) fn report(&self, method: &str, dim: usize, run: &Run<'_>) -> FitReport {
        let objects = self.graph.vertex.iter().flatten().count();
        let mut report = FitReport::new(method, objects, dim, run.seed())
            .figure("edges", self.graph.pairs.len())
            .figure("edges-are", self.graph.rule.as_str());
        report.became("search", self.graph.search.value());
        if let Some(recall) = self.graph.recall {
            report = report.figure("recall", recall);
        }
        report.warnings.extend(self.graph.warnings.iter().cloned());
        report.input = match self.seen {
            Among::Distances(d) => Input::from(d),
            Among::Features(f) => Input { pairs: f.len() * (f.len() - 1) / 2, ..Input::default() },
        };
        report
    }
}

/// Fits features in the order of their labels.
pub(crate) fn of_features(
    features: &Features,
    run: &Run<'_>,
    fit: impl FnOnce(Among<'_>) -> Result<Fit<Manifold>, Error> + Send,
) -> Result<Fit<Manifold>, Error> {
    run.install(|| order::features_by_label(features, |features| fit(Among::Features(features))))
}

/// Fits distances in the order of their labels; the stress is that against all of them.
pub(crate) fn of_distances(
    d: &Distances,
    dim: usize,
    method: &str,
    run: &Run<'_>,
    fit: impl FnOnce(Among<'_>) -> Result<Fit<Manifold>, Error> + Send,
) -> Result<Fit<Manifold>, Error> {
    common::require(d, dim, method)?;
    common::refuse_bounds(d, method)?;
    run.install(|| {
        let order = d.objects().label_order();
        let sorted;
        let ordered = match &order {
            None => d,
            Some(order) => {
                run.afford(
                    "the distances in the order of the labels",
                    2 * d.memory(),
                    "sort the objects by their labels, which needs no copy",
                )?;
                sorted = d.subset(order);
                &sorted
            }
        };
        let mut fit = fit(Among::Distances(ordered))?;
        fit.embedding = order::in_order(&fit.embedding, d.objects())?;
        if fit.embedding.len() == d.len() {
            fit.report.stress1 = Some(common::stress1(&fit.embedding, d));
        }
        Ok(fit)
    })
}
