//! A mixture of maps: one object may have a place in several, and be near others for several reasons.

use ndarray::{Array2, ArrayView2, s};
use nearer_num::mixture::{self, Choices};
use nearer_num::order;
use nearer_num::rng::Rng;

use crate::error::Error;
use crate::evidence::Pairs;
use crate::fit::{Embed, Fit};
use crate::geometry::Embedding;
use crate::method::common::{self, DIM};
use crate::method::cost::Needs;
use crate::method::table::{Kind, Method, Parameter, again, way};
use crate::model::Ordinal;
use crate::object::Objects;
use crate::report::{FitReport, MapMixture};
use crate::settings::{configured, settable};
use crate::solve::descent::{Ended, Limits, Objective, Scale, descend};
use crate::solve::{Clock, Run};
use crate::text::said_of;

/// Visualizing pairwise similarity with a mixture of maps (Cook et al.: *aspect maps*).
///
/// ```text
/// min  Σ_i KL(p_i ‖ q_i)      q_ij ∝ Σ_m s_im s_jm exp(-|y_im - y_jm|²),   Σ_m s_im = 1
/// ```
///
/// In one map what is near to one thing for two reasons brings its two kinds of neighbours together, though they have nothing to
/// do with each other: *tie* is worn with a shirt and made with a rope. Here every object lies in each of `maps` maps and has a share
/// `s` of each; two objects are near where a map that both have a share of puts them near.
///
/// `p_i` goes over those that are like `i`, in proportion to their weights, so that similarities are pairs with weights. The objective
/// is not convex: the best of several `starts` is kept. Maps come in the order of how much is in them, the fullest first; that one is
/// *the* map for all that asks for one, and the report has them all with the shares.
///
/// Each `q_i` is made to sum to one by itself, as in the paper, so that a share that is small towards all neighbours of an object alike costs
/// nothing: shares are loosely determined, starts end at different maps (`report.starts`), and coordinates run apart
/// where pairs are few. Compare several seeds before reading a share.
///
/// # Takes
/// [`Pairs`] that are alike, with weights; those that are not alike say no more than silence does.
/// # Places
/// By judgements, on the first map.
/// # Cost
/// `O(n² maps dim)` an evaluation, some hundred a start; memory `O(n maps dim)`.
/// # Fails
/// [`Error::Evidence`] where no pair is alike.
/// # Reference
/// Cook, Sutskever, Mnih and Hinton (2007), *Visualizing similarity data with a mixture of maps*.
///
/// ```
/// use nearer::{Embed, Objects, Item, Pairs, evidence::Judged, method::MultipleMaps};
/// # fn main() -> Result<(), nearer::Error> {
/// let objects = Objects::new(["shirt", "suit", "collar", "tie", "knot", "rope", "string"])?;
/// let alike = [(0, 1), (0, 2), (1, 2), (0, 3), (1, 3), (2, 3), (4, 5), (4, 6), (5, 6), (3, 4), (3, 5), (3, 6)];
/// let rows = alike.map(|(a, b)| Judged::new(Item(a), Item(b), true));
/// let fit = MultipleMaps::new(2).fit(&Pairs::new(objects, rows.to_vec())?.both_ways())?;
/// let maps = fit.report.maps.expect("it makes several");
/// assert_eq!((maps.maps.len(), maps.shares.len()), (2, 7));
/// # Ok(()) }
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct MultipleMaps {
    dim: usize,
    maps: usize,
    starts: usize,
    max_iter: usize,
    eps: f64,
}

configured!(MultipleMaps { dim: "dim", maps: "maps", starts: "starts", max_iter: "max-iter", eps: "eps" });

pub(crate) static METHOD: Method = Method {
    name: "multiple-maps",
    aliases: &["mixture-of-maps", "aspect-maps"],
    summary: "pairs alike: several maps at once, each object with a share of each, for things alike for several reasons",
    solves: "min Σ_i KL(p_i ‖ q_i), q_ij ∝ Σ_m s_im s_jm exp(-d²_m(i, j)), Σ_m s_im = 1",
    ways: &[way::<MultipleMaps, Pairs>()],
    parameters: &[
        DIM,
        Parameter::count("maps", 1..=100, 2).says("how many maps"),
        Parameter::count("starts", 1..=10_000, 10).says("descents from random maps; the best is kept"),
        Parameter::count("max-iter", 1..=1_000_000, 500).says("largest number of iterations of a descent"),
        Parameter::number("eps", Kind::Number { min: 0.0, max: 1.0 }, 1e-6)
            .says("a descent ends when three iterations lower the objective by no more than this share"),
    ],
    places: "by descent on the object's own judgements, on the first map",
    cost: "O(n² maps dim) time an evaluation, some hundred a start; 100 n maps dim bytes and 40 a pair",
    reference: "Cook et al. 2007",
    needs: |s, settings| {
        let maps = settings.count("maps").unwrap_or(2) as f64;
        let starts = settings.count("starts").unwrap_or(10) as f64;
        let dim = settings.count("dim").unwrap_or(2) as f64;
        let pass = s.n().powi(2) * maps * (7e-8 + 1e-8 * dim);
        Needs::new(1e-3 + starts * 200.0 * pass, 500.0 * s.n() * maps * (dim + 1.0) + 100.0 * s.m() + 2000.0 * s.n())
    },
    again: again::<MultipleMaps>,
};

impl MultipleMaps {
    /// Two maps of `dim` dimensions each.
    #[must_use]
    pub fn new(dim: usize) -> Self {
        MultipleMaps { dim, maps: 2, starts: 10, max_iter: 500, eps: 1e-6 }
    }
    settable! {
        /// With so many maps.
        maps: usize,
        /// The best of so many descents.
        starts: usize,
    }

    fn fitted(&self, objects: &Objects, lists: &[Vec<(u32, f64)>], run: &Run<'_>) -> Result<Fit<Ordinal>, Error> {
        let n = objects.len();
        common::require_dim(n, self.dim)?;
        let loss = Mixture { n, maps: self.maps, dim: self.dim, choices: Choices::new(lists), starts: self.starts };
        let (best, tried) = descend(&loss, Some(self.starts), Limits { max_iter: self.max_iter, eps: self.eps }, run)?;
        let (maps, shares) = loss.told(&best, objects)?;
        let mut report = FitReport::new("multiple-maps", n, self.dim, run.seed());
        (report.stop, report.iterations, report.objective) = (best.stop, best.iterations, best.value);
        report.objective_is = "Σ KL(chosen ‖ near on some map)".into();
        report.starts = tried;
        report.by(self);
        let several = shares.rows().into_iter().filter(|row| row.iter().filter(|s| **s >= SEVERAL).count() > 1).count();
        report = report.figure("several", several);
        if self.maps > 1 {
            report.warnings.push(format!(
                "this is the first of {} maps: an object with a small share of it lies elsewhere, and {several} of {n} objects have a tenth or more of several",
                self.maps
            ));
        }
        let silent = lists.iter().filter(|l| l.is_empty()).count();
        if silent > 0 {
            let objects = said_of(silent, "object is like no other: it lies", "objects are like no other: they lie");
            report.warnings.push(format!("{objects} anywhere"));
        }
        let rows = |a: &Array2<f64>| a.rows().into_iter().map(|r| r.to_vec()).collect::<Vec<_>>();
        report.maps = Some(MapMixture { maps: maps.iter().map(|m| rows(m.points())).collect(), shares: rows(&shares) });
        let first = maps.into_iter().next().expect("there is one map at least");
        Ok(Fit::new(first.clone(), Ordinal::new(first), report))
    }
}

/// From this share on an object counts as being in a map.
const SEVERAL: f64 = 0.1;

/// The mixture as a function: a row for each object, its points map by map, then the logarithms of its shares, up to a constant.
struct Mixture {
    n: usize,
    maps: usize,
    dim: usize,
    choices: Choices,
    starts: usize,
}

impl Mixture {
    /// Points and shares.
    fn parted(&self, at: &[f64]) -> (Array2<f64>, Array2<f64>) {
        let all = ArrayView2::from_shape(self.shape(), at).expect("as many numbers");
        let mut shares = all.slice(s![.., self.maps * self.dim..]).to_owned();
        for mut row in shares.rows_mut() {
            let most = row.iter().copied().fold(f64::NEG_INFINITY, f64::max);
            row.mapv_inplace(|v| (v - most).exp());
            let sum = row.sum();
            row.mapv_inplace(|v| v / sum);
        }
        (all.slice(s![.., ..self.maps * self.dim]).to_owned(), shares)
    }
    /// The maps in canonical pose, the fullest first, and the shares in their order.
    fn told(&self, end: &Ended<()>, objects: &Objects) -> Result<(Vec<Embedding>, Array2<f64>), Error> {
        let (points, shares) = self.parted(&end.at);
        let mut order: Vec<usize> = (0..self.maps).collect();
        order::by(&mut order, &|a, b| shares.column(*b).sum().total_cmp(&shares.column(*a).sum()));
        let map = |m: &usize| {
            let own = points.slice(s![.., m * self.dim..(m + 1) * self.dim]).to_owned();
            let whole = Embedding::new(objects.clone(), own)?;
            Embedding::new(objects.clone(), whole.pose()?.apply(whole.points()))
        };
        let maps = order.iter().map(map).collect::<Result<_, Error>>()?;
        Ok((maps, shares.select(ndarray::Axis(1), &order)))
    }
}

impl Objective for Mixture {
    type State = ();
    fn state(&self) {}
    fn shape(&self) -> (usize, usize) {
        (self.n, self.maps * (self.dim + 1))
    }
    fn value(&self, at: &[f64], gradient: &mut [f64], (): &mut ()) -> f64 {
        let (points, shares) = self.parted(at);
        let found = mixture::pass(points.view(), shares.view(), self.dim, &self.choices);
        let split = self.maps * self.dim;
        for (i, row) in gradient.chunks_exact_mut(self.shape().1).enumerate() {
            row[..split].copy_from_slice(found.points.row(i).as_slice().expect("in rows"));
            let (by, own) = (found.shares.row(i), shares.row(i));
            let all = by.sum();
            // Shares are exponentials of what descends, made to sum to one.
            row[split..].iter_mut().zip(by.iter().zip(own)).for_each(|(g, (b, s))| *g = b - s * all);
        }
        if found.value.is_nan() { f64::INFINITY } else { found.value }
    }
    fn start(&self, _: usize, rng: &mut Rng, _: &Clock<'_>) -> Result<Vec<f64>, Error> {
        let (n, width) = self.shape();
        Ok((0..n * width).map(|_| 0.5 * rng.normal()).collect())
    }
    fn starts(&self) -> usize {
        self.starts
    }
    fn scale(&self) -> Scale {
        Scale { flat: 1e-9 * self.n as f64, first_step: None }
    }
    fn same(&self, _: &[f64], _: &[f64]) -> bool {
        // Maps may change places; ends of one value are taken for one.
        true
    }
}

impl Embed<&Pairs> for MultipleMaps {
    type Model = Ordinal;
    fn fit_with(&self, pairs: &Pairs, run: &Run<'_>) -> Result<Fit<Ordinal>, Error> {
        METHOD.afford(pairs.plain("multiple-maps")?, self, run, "map fewer objects")?;
        let mut lists = vec![Vec::new(); pairs.objects().len()];
        for row in pairs.iter().filter(|r| r.similar) {
            lists[row.from.index()].push((row.to.0, row.weight));
        }
        if lists.iter().all(Vec::is_empty) {
            return Err(Error::Evidence {
                what: "no pair is said to be alike".into(),
                remedy: "give pairs that are alike; those that are not say nothing here".into(),
            });
        }
        self.fitted(pairs.objects(), &lists, run)
    }
}
