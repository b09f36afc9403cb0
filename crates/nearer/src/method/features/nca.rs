//! Neighbourhood component analysis: a linear map on which neighbours drawn at random are of the same class.

use ndarray::{Array2, ArrayView2, s};
use nearer_num::dense;
use nearer_num::rng::Rng;
use nearer_num::softmin::{self, Ask, Pass, Room};

use crate::error::Error;
use crate::evidence::{Features, Kernels, Pairs, Sorts};
use crate::fit::{Embed, Fit};
use crate::method::common::DIM;
use crate::method::cost::Needs;
use crate::method::distances::order;
use crate::method::features::ground::{Over, STANDARDISE};
use crate::method::features::groups::{Groups, places, whitening};
use crate::method::features::rca::Rca;
use crate::method::table::{Kind, Method, Parameter, again, way};
use crate::model::{KernelMap, Linear};
use crate::object::Objects;
use crate::settings::{Typed as _, configured, settable, words};
use crate::solve::descent::{Limits, Objective, Scale, descend};
use crate::solve::{Clock, Run};

/// Neighbourhood component analysis (Goldberger et al.).
///
/// ```text
/// max  Σ_i Σ_{j of the class of i} p_ij      p_ij = exp(-|A x_i - A x_j|²) / Σ_{k ≠ i} exp(-|A x_i - A x_k|²)
/// ```
///
/// The sum is how many objects one expects to class rightly by a neighbour drawn with probability `p_ij`. It is not concave: where
/// the descent ends depends on where it starts: by default from the axes between classes where there are enough of these for the
/// rank or features are as many as objects, and from the features themselves for a metric of more. `A` has `rank` rows, as many as the map has dimensions by default: a
/// map of two dimensions is learned as such, not cut out of a larger one. From pairs, the neighbours of an object are those
/// it was judged with.
///
/// # Takes
/// [`Features`] with classes ([`Sorts`]) or [`Pairs`]; kernels instead of features learn the same in their span.
/// # Places
/// Anything with the same features ([`Linear`]).
/// # Cost
/// `O(n² rank + n q rank)` an evaluation, some 20 to 50 of them; `O(n (q + rank))` memory and a square of all pairs up to 4,096
/// objects; beyond that pairs are made by blocks of rows.
/// # Fails
/// [`Error::Evidence`] where all objects are of one class, no class has two, or features do not vary.
/// # Reference
/// Goldberger, Roweis, Hinton and Salakhutdinov (2004), *Neighbourhood components analysis*.
///
/// ```
/// use nearer::{Embed, method::Nca, toy};
/// # fn main() -> Result<(), nearer::Error> {
/// let (features, classes) = toy::classed(60, 3, 4, 1);
/// let fit = Nca::new(2).fit((&features, &classes))?;
/// assert!(fit.report.objective > 55.0);                 // of 60 objects
/// # Ok(()) }
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Nca {
    dim: usize,
    rank: Option<usize>,
    start: NcaStart,
    starts: usize,
    max_iter: usize,
    eps: f64,
    standardise: bool,
}

/// Where the first descent starts; later ones start at random.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum NcaStart {
    /// Axes between classes where the rank is below the number of classes, scaled principal axes otherwise.
    #[default]
    Auto,
    /// The principal axes of the features; the features themselves where the rank is full.
    Pca,
    /// The same, scaled so that the features have a mean variance of one, whatever their units.
    Scaled,
    /// The axes that vary most once the scatter within classes is round: those between classes first.
    Lda,
    /// Normal numbers.
    Random,
}

words!(NcaStart { "auto" => NcaStart::Auto, "pca" => NcaStart::Pca, "scaled-pca" => NcaStart::Scaled, "lda" => NcaStart::Lda, "random" => NcaStart::Random });
configured!(Nca {
    dim: "dim",
    rank: "rank",
    start: "start",
    starts: "starts",
    max_iter: "max-iter",
    eps: "eps",
    standardise: "unit-variance",
});

/// The rank of a metric that is learned by descent.
pub(crate) const RANK: Parameter = Parameter::auto("rank", Kind::Count { min: 1, max: 10_000 })
    .says("the rank of the metric; auto takes the dimensions of the map");

pub(crate) static METHOD: Method = Method {
    name: "nca",
    aliases: &["neighbourhood-components-analysis", "neighborhood-components-analysis"],
    summary: "features with classes or pairs: the linear map on which a neighbour drawn at random is most often of the same class",
    solves: "max Σ_i Σ_{same class} p_ij, p_ij = exp(-|A x_i - A x_j|²) / Σ_k exp(-|A x_i - A x_k|²)",
    ways: &[
        way::<Nca, (Features, Sorts)>(),
        way::<Nca, (Features, Pairs)>(),
        way::<Nca, (Kernels, Sorts)>(),
        way::<Nca, (Kernels, Pairs)>(),
    ],
    parameters: &[
        DIM,
        RANK,
        Parameter::choice::<NcaStart>("start", "auto")
            .says("where the first descent starts: principal axes (scaled to a mean variance of one), axes between classes, or at random; auto takes those between classes where they are as many as the rank or features are as many as objects, and scaled principal axes otherwise"),
        Parameter::count("starts", 1..=10_000, 1)
            .says("descents; those after the first start at random, and the best is kept"),
        Parameter::count("max-iter", 1..=1_000_000, 200).says("largest number of iterations of a descent"),
        Parameter::number("eps", Kind::Number { min: 0.0, max: 1.0 }, 1e-6)
            .says("a descent ends when three iterations raise the objective by no more than this share"),
        STANDARDISE,
    ],
    places: "by features alone",
    cost: "O(n² r) time an evaluation for rank r, some 50 evaluations; 40 n q bytes, and 8 n² up to 4,096 objects",
    reference: "Goldberger et al. 2004",
    needs: |s, settings| {
        let r = settings.count("rank").or(settings.count("dim")).unwrap_or(2) as f64;
        let q = s.columns.max(1) as f64;
        let starts = settings.count("starts").unwrap_or(1) as f64;
        let seconds = starts * 60.0 * s.n() * (s.n() * (4e-9 + 4e-10 * r) + 2e-10 * q * r);
        Needs::new(1e-3 + seconds, 40.0 * s.n() * (q + r) + 2100.0 * s.n() + starts.min(2.0) * softmin::kept(s.objects))
    },
    again: again::<Nca>,
};

impl Nca {
    /// A map of `dim` dimensions, learned as such.
    #[must_use]
    pub fn new(dim: usize) -> Self {
        Nca { dim, rank: None, start: NcaStart::Auto, starts: 1, max_iter: 200, eps: 1e-6, standardise: false }
    }
    settable! {
        /// With a metric of this rank, of which the map shows the widest axes.
        rank: usize,
        /// From this start.
        start: NcaStart,
        /// The best of so many descents.
        starts: usize,
        /// With at most this many iterations a descent.
        max_iter: usize,
        /// Ends when three iterations raise the objective by no more than this share.
        eps: f64,
        /// With each feature divided by its standard deviation first.
        standardise: bool,
    }

    fn learned<O: Over>(
        &self,
        over: &O,
        neighbours: impl FnOnce(&Objects) -> Result<Neighbours, Error>,
        run: &Run<'_>,
    ) -> Result<Fit<O::Model>, Error> {
        METHOD.afford(over.size(), self, run, "give fewer features or objects, or a smaller rank")?;
        let ground = over.ground(self.standardise)?;
        let neighbours = neighbours(ground.objects())?;
        let rank = self.rank.unwrap_or(self.dim);
        ground.require("rank", rank)?;
        ground.require("dim", self.dim)?;
        let (Neighbours::Groups(groups) | Neighbours::Judged(_, groups)) = &neighbours;
        let start = match self.start {
            // Where objects span as many directions as they can, any map that is far apart classes all of them rightly, and a descent
            // ends where it begins.
            NcaStart::Auto if rank < groups.count || ground.width() + 1 >= ground.objects().len() => NcaStart::Lda,
            NcaStart::Auto => NcaStart::Scaled,
            asked => asked,
        };
        let loss = Expected::new(&ground.values, neighbours, rank, start, Ask::Within);
        let limits = Limits { max_iter: self.max_iter, eps: self.eps };
        let (best, tried) = descend(&loss, Some(self.starts), limits, run)?;
        let factor = Array2::from_shape_vec(loss.shape(), best.at).expect("as many numbers");
        let mut fit = O::fitted(&ground, "nca", &factor, self.dim, run)?;
        let report = &mut fit.report;
        report.stop = best.stop;
        report.iterations = best.iterations;
        report.objective = -best.value;
        report.objective_is = "expected number of objects whose neighbour is of their class".into();
        report.starts = tried;
        report.became("rank", rank);
        report.became("start", start.value());
        report.by(self);
        Ok(fit)
    }
}

/// Whose neighbours are looked at.
pub(crate) enum Neighbours {
    Groups(Groups),
    /// For each object those it was judged with; and the groups that chains of similar pairs make.
    Judged(Vec<Vec<(u32, bool)>>, Groups),
}

impl Neighbours {
    /// All of the same class.
    fn classed(sorts: &Sorts, objects: &Objects) -> Result<Self, Error> {
        Ok(Neighbours::Groups(Groups::of_classes(sorts, objects, 2)?))
    }
    /// Those that each object was judged with.
    ///
    /// # Fails
    /// Where no object has both one like it and one unlike it.
    pub(crate) fn judged(pairs: &Pairs, objects: &Objects) -> Result<Self, Error> {
        let at = places(pairs.plain("nca")?.objects(), objects)?;
        let mut lists = vec![Vec::new(); objects.len()];
        for row in pairs.iter() {
            lists[at[row.from.index()]].push((at[row.to.index()] as u32, row.similar));
        }
        if !lists.iter().any(|l| l.iter().any(|p| p.1) && l.iter().any(|p| !p.1)) {
            return Err(Error::Evidence {
                what: "no object has both one that is like it and one that is not".into(),
                remedy: "give pairs of both kinds; rca needs only those that are alike".into(),
            });
        }
        let groups = Groups::of_links(pairs, &at, objects.len());
        Ok(Neighbours::Judged(lists, groups))
    }
}

/// Minus the expected number of objects classed rightly.
pub(crate) struct Expected<'a> {
    values: &'a Array2<f64>,
    neighbours: Neighbours,
    rank: usize,
    start: NcaStart,
    ask: Ask,
    room: Room,
}

impl<'a> Expected<'a> {
    /// For a metric of this rank on these values.
    pub(crate) fn new(values: &'a Array2<f64>, neighbours: Neighbours, rank: usize, start: NcaStart, ask: Ask) -> Self {
        Expected { values, neighbours, rank, start, ask, room: Room::default() }
    }
}

impl Objective for Expected<'_> {
    type State = ();
    fn state(&self) {}
    fn shape(&self) -> (usize, usize) {
        (self.values.ncols(), self.rank)
    }
    fn value(&self, at: &[f64], gradient: &mut [f64], (): &mut ()) -> f64 {
        let a = ArrayView2::from_shape(self.shape(), at).expect("as many numbers");
        let mut y = Array2::zeros((self.values.nrows(), self.rank));
        nearer_num::gemm::into(self.values.view(), a, y.view_mut());
        let Pass { value, moved, .. } = match &self.neighbours {
            Neighbours::Groups(g) => softmin::pass(y.view(), &g.of, self.ask, y.view(), &self.room),
            Neighbours::Judged(lists, _) => softmin::listed(y.view(), lists, self.ask),
        };
        let out = ndarray::ArrayViewMut2::from_shape(self.shape(), gradient).expect("as many numbers");
        nearer_num::gemm::into(self.values.t(), moved.view(), out);
        gradient.iter_mut().for_each(|g| *g *= 2.0);
        value
    }
    fn start(&self, number: usize, rng: &mut Rng, _: &Clock<'_>) -> Result<Vec<f64>, Error> {
        let (q, r) = self.shape();
        let (Neighbours::Groups(groups) | Neighbours::Judged(_, groups)) = &self.neighbours;
        let start = if number > 0 { NcaStart::Random } else { self.start };
        let spread = (self.values.iter().map(|v| v * v).sum::<f64>() / self.values.nrows() as f64).sqrt();
        let factor = match start {
            NcaStart::Pca if r == q => Array2::eye(q),
            NcaStart::Scaled if r == q => Array2::eye(q) * ((q as f64).sqrt() / spread),
            NcaStart::Lda => between(self.values, groups, r)?,
            NcaStart::Random => Array2::from_shape_simple_fn((q, r), || rng.normal() / spread),
            _ => {
                let scatter = self.values.t().dot(self.values);
                let (_, vectors) = dense::eigh(scatter.view())
                    .map_err(|_| Error::Numerical { what: "the principal axes of features".into() })?;
                let size = if start == NcaStart::Pca { 1.0 } else { (q as f64).sqrt() / spread };
                &vectors.slice(s![.., ..r]) * size
            }
        };
        Ok(factor.into_iter().collect())
    }
    fn starts(&self) -> usize {
        1
    }
    fn scale(&self) -> Scale {
        Scale { flat: 1e-9 * self.values.nrows() as f64, first_step: None }
    }
}

/// Classes whose scatter is less than this share of that of all objects are one place each, but for rounding.
const ONE_PLACE: f64 = 1e-24;

/// The axes between classes after whitening within them, then those of largest remaining variance.
fn between(values: &Array2<f64>, groups: &Groups, r: usize) -> Result<Array2<f64>, Error> {
    let (scatter, _) = groups.scatter(values);
    // Where each class is one place, no direction is wider within them than another: the size of all is as good a floor.
    let within = scatter.diag().sum();
    let all = values.iter().map(|v| v * v).sum::<f64>() / values.nrows() as f64;
    let size = if within > ONE_PLACE * all { within } else { all } / values.ncols() as f64;
    let (_, white) = whitening(&scatter, Rca::RIDGE * size)?;
    let y = values.dot(&white);
    let total = y.t().dot(&y);
    let (_, vectors) =
        dense::eigh(total.view()).map_err(|_| Error::Numerical { what: "the axes between classes".into() })?;
    Ok(white.dot(&vectors.slice(s![.., ..r])))
}

impl Embed<(&Features, &Sorts)> for Nca {
    type Model = Linear;
    fn fit_with(&self, (features, sorts): (&Features, &Sorts), run: &Run<'_>) -> Result<Fit<Linear>, Error> {
        order::features_by_label(features, |f| self.learned(f, |objects| Neighbours::classed(sorts, objects), run))
    }
}

impl Embed<(&Kernels, &Sorts)> for Nca {
    type Model = KernelMap;
    fn fit_with(&self, (kernels, sorts): (&Kernels, &Sorts), run: &Run<'_>) -> Result<Fit<KernelMap>, Error> {
        self.learned(kernels, |objects| Neighbours::classed(sorts, objects), run)
    }
}

impl Embed<(&Features, &Pairs)> for Nca {
    type Model = Linear;
    fn fit_with(&self, (features, pairs): (&Features, &Pairs), run: &Run<'_>) -> Result<Fit<Linear>, Error> {
        order::features_by_label(features, |f| self.learned(f, |objects| Neighbours::judged(pairs, objects), run))
    }
}

impl Embed<(&Kernels, &Pairs)> for Nca {
    type Model = KernelMap;
    fn fit_with(&self, (kernels, pairs): (&Kernels, &Pairs), run: &Run<'_>) -> Result<Fit<KernelMap>, Error> {
        self.learned(kernels, |objects| Neighbours::judged(pairs, objects), run)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::solve::descent::assert_gradient;

    #[test]
    fn gradients_are_those_of_differences() {
        let mut rng = Rng::task(6, 0);
        let values = Array2::from_shape_simple_fn((15, 3), || rng.normal());
        let groups = || Groups { of: (0..15).map(|i| i % 3).collect(), count: 3 };
        let lists = (0..15).map(|i| vec![((i + 3) % 15, true), ((i + 1) % 15, false), ((i + 2) % 15, false)]).collect();
        for neighbours in [Neighbours::Groups(groups()), Neighbours::Judged(lists, groups())] {
            let loss = Expected::new(&values, neighbours, 2, NcaStart::Random, Ask::Within);
            let at: Vec<f64> = (0..6).map(|_| rng.normal()).collect();
            assert_gradient(&loss, &at);
        }
    }
}
