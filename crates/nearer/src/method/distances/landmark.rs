//! What landmark MDS, MetricMap and FastMap share: which objects are landmarks, and how the rest follows from them.
//!
//! All three are Nyström methods (Platt 2005): a map of a few objects, extended to the others by a map that is affine in
//! their squared distances to those few. Only which rows are used and how they are centred differs.

use nearer_num::rng::Rng;

use crate::error::Error;
use crate::evidence::{DistanceRows, Distances};
use crate::fit::{Fit, Place};
use crate::geometry::Embedding;
use crate::method::common;
use crate::method::cost::{Needs, Size};
use crate::method::distances::order;
use crate::method::table::Parameter;
use crate::model::Landmarks;
use crate::object::Objects;
use crate::report::FitReport;
use crate::settings::{Settings, words};
use crate::solve::{Run, Step, Stop};

/// How landmarks are chosen from all objects.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Choice {
    /// At random, by the seed of the run.
    Random,
    /// The first at random, then always the object farthest from those chosen.
    MaxMin,
}

words!(Choice { "random" => Choice::Random, "max-min" => Choice::MaxMin });

pub(crate) const LANDMARKS: Parameter = Parameter::count("landmarks", 2..=1_000_000, 100).says(
    "how many objects are landmarks (all, where there are fewer); of rows, whose columns are the landmarks, only where they are read in pieces",
);
pub(crate) const CHOICE: Parameter =
    Parameter::choice::<Choice>("landmarks-by", "max-min").says("how landmarks are chosen");

/// Landmarks are scaled, the others placed; rows are streamed, so the distances do not count.
pub(crate) fn needs(size: &Size, settings: &Settings) -> Needs {
    let landmarks = settings.count("landmarks").unwrap_or(2).min(size.objects.max(2));
    let landmarks = if size.columns > 0 { size.columns.min(size.objects) } else { landmarks };
    let m = landmarks as f64;
    Needs::new(1e-9 * m.powi(3) + 5e-9 * size.n() * m, 200.0 * size.n() + 40.0 * m * m)
}

/// The indices of `count` landmarks, in the order in which they were chosen.
pub(crate) fn choose(d: &Distances, count: usize, choice: Choice, seed: u64) -> Vec<usize> {
    let n = d.len();
    let mut rng = Rng::task(seed, 0x6c61_6e64);
    if count >= n {
        return (0..n).collect();
    }
    match choice {
        Choice::Random => {
            let mut chosen = rng.permutation(n);
            chosen.truncate(count);
            chosen
        }
        Choice::MaxMin => {
            let mut chosen = vec![rng.below(n)];
            let mut nearest = vec![f64::INFINITY; n];
            while chosen.len() < count {
                let last = chosen[chosen.len() - 1];
                for (i, near) in nearest.iter_mut().enumerate() {
                    *near = near.min(d.between(last, i).unwrap_or(0.0));
                }
                let far = (0..n).max_by(|&a, &b| nearest[a].total_cmp(&nearest[b]).then(b.cmp(&a)));
                chosen.push(far.unwrap_or(0));
            }
            chosen
        }
    }
}

/// A model of the landmarks, before it is laid over all objects.
pub(crate) struct Base {
    pub model: Landmarks,
    pub report: FitReport,
}

/// Extends a model of landmarks to all objects of a complete set of distances.
pub(crate) fn extend(base: Base, d: &Distances, used: &[usize]) -> Result<Fit<Landmarks>, Error> {
    let place = |i: usize| {
        let own = used.iter().position(|&k| k == i);
        Ok(base.model.point(used.iter().map(|&k| d.between(i, k).unwrap_or(0.0)), own))
    };
    let map = crate::fit::place_rows(d.objects(), base.model.dim(), place)?;
    finish(base, map, Some(d))
}

/// Extends a model of landmarks to rows that come in chunks, each needed only once: memory is that of the map.
pub(crate) fn extend_chunks(
    base: Base,
    run: &Run<'_>,
    mut next: impl FnMut() -> Result<Option<DistanceRows>, Error>,
) -> Result<Fit<Landmarks>, Error> {
    let clock = run.clock();
    let (mut labels, mut points): (Vec<String>, Vec<f64>) = (Vec::new(), Vec::new());
    let mut stop = None;
    let mut chunks = 0;
    while stop.is_none()
        && let Some(rows) = next()?
    {
        let placed = base.model.place(&rows)?;
        labels.extend_from_slice(rows.objects().labels());
        points.extend(placed.points().iter());
        chunks += 1;
        stop = clock.tick(&Step::new("placing", (0, 1), chunks, None, labels.len() as f64));
    }
    let shape = (labels.len(), base.model.dim());
    let points = ndarray::Array2::from_shape_vec(shape, points).expect("one row of coordinates for each label");
    let mut fit = finish(base, Embedding::new(Objects::new(labels)?, points)?, None)?;
    fit.report.stop = stop.unwrap_or(Stop::Converged);
    Ok(fit)
}

fn finish(base: Base, map: Embedding, data: Option<&Distances>) -> Result<Fit<Landmarks>, Error> {
    let (embedding, pose) = common::posed(map)?;
    let mut report = base.report;
    report.objects = embedding.len();
    report.stress1 = data.map(|d| common::stress1(&embedding, d));
    Ok(Fit::new(embedding, base.model.posed(&pose), report))
}

/// A method of this family: a model of a complete set of distances among landmarks. Everything else follows.
pub(crate) trait FromLandmarks: Sync {
    fn name(&self) -> &'static str;
    fn dim(&self) -> usize;
    /// Which objects of a square set of distances the base is made of.
    fn landmarks(&self, d: &Distances, seed: u64) -> Vec<usize>;
    /// The model of the landmarks.
    fn base(&self, landmarks: &Distances, run: &Run<'_>) -> Result<Base, Error>;

    fn fit_distances(&self, d: &Distances, run: &Run<'_>) -> Result<Fit<Landmarks>, Error> {
        order::by_label(d, run, |d| self.fit_in_order(d, run))
    }

    fn fit_in_order(&self, d: &Distances, run: &Run<'_>) -> Result<Fit<Landmarks>, Error> {
        common::require(d, self.dim(), self.name())?;
        d.require_complete(self.name())?;
        run.install(|| {
            let chosen = self.landmarks(d, run.seed());
            let base = self.base(&d.subset(&chosen), run)?;
            // The base may use only some of its landmarks (the pivots of FastMap).
            let index = d.objects().index();
            let used: Vec<usize> = base.model.landmarks().labels().iter().map(|l| index[l.as_str()].index()).collect();
            let mut fit = extend(base, d, &used)?;
            fit.report.input = d.into();
            Ok(fit)
        })
    }

    fn fit_chunks(
        &self,
        landmarks: &Distances,
        run: &Run<'_>,
        next: &mut (dyn FnMut() -> Result<Option<DistanceRows>, Error> + Send),
    ) -> Result<Fit<Landmarks>, Error> {
        common::require(landmarks, self.dim(), self.name())?;
        landmarks.require_complete(self.name())?;
        // As everywhere the order of the columns says nothing.
        let ordered = landmarks.objects().label_order().map(|order| landmarks.subset(&order));
        run.install(|| extend_chunks(self.base(ordered.as_ref().unwrap_or(landmarks), run)?, run, next))
    }

    fn fit_rows(&self, rows: &DistanceRows, run: &Run<'_>) -> Result<Fit<Landmarks>, Error> {
        let mut once = Some(rows.clone());
        self.fit_chunks(&rows.landmarks()?, run, &mut || Ok(once.take()))
    }
}

/// What follows from [`FromLandmarks`] for users: the two kinds of evidence, and rows in chunks.
macro_rules! embeds {
    ($method:ty) => {
        impl $method {
            /// Maps rows that come in chunks, from the distances among the landmarks; `next` gives `None` at the end.
            pub fn fit_chunks(
                &self,
                landmarks: &Distances,
                run: &Run<'_>,
                next: &mut (dyn FnMut() -> Result<Option<DistanceRows>, Error> + Send),
            ) -> Result<Fit<Landmarks>, Error> {
                FromLandmarks::fit_chunks(self, landmarks, run, next)
            }
        }

        impl Embed<&Distances> for $method {
            type Model = Landmarks;
            fn fit_with(&self, d: &Distances, run: &Run<'_>) -> Result<Fit<Landmarks>, Error> {
                self.fit_distances(d, run)
            }
        }

        impl Embed<&DistanceRows> for $method {
            type Model = Landmarks;
            fn fit_with(&self, rows: &DistanceRows, run: &Run<'_>) -> Result<Fit<Landmarks>, Error> {
                self.fit_rows(rows, run)
            }
        }
    };
}
pub(crate) use embeds;

/// The setters of a method that chooses its landmarks; its fields are called `landmarks` and `choice`.
macro_rules! setters {
    ($method:ident) => {
        impl $method {
            /// A map of `dim` dimensions from 100 landmarks far from each other.
            #[must_use]
            pub fn new(dim: usize) -> Self {
                $method { dim, landmarks: 100, choice: Choice::MaxMin }
            }
            $crate::settings::settable! {
                /// From this many landmarks.
                landmarks: usize,
                /// Chosen this way.
                choice: Choice,
            }
        }
        $crate::settings::configured!($method { dim: "dim", landmarks: "landmarks", choice: "landmarks-by" });
    };
}
pub(crate) use setters;
