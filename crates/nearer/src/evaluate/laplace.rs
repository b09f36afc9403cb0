//! Laplace's approximation: how sure each place is, by the curvature of the likelihood at the map.

use ndarray::{Array1, Array2};
use nearer_num::dense;

use crate::error::Error;
use crate::evaluate::likelihood::Speaker;
use crate::evidence::Comparisons;
use crate::geometry::{Ellipse, Embedding};
use crate::model::Model;
use crate::report::{Lapsed, ObjectSpread, StabilityKind, StabilitySummary};
use crate::solve::{Run, Stop};

/// The share of the posterior that an ellipse holds.
const LEVEL: f64 = 0.95;
/// Up to so many coordinates the second derivatives are inverted together; the squares of numbers that are held at once.
const TOGETHER: usize = 3000;
const SQUARES: u64 = 4;
/// A prior that tells next to nothing: its information is this share of that of a place as wide open as the map.
const FAINT: f64 = 0.05;

/// How sure the places of a map are.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Laplace {
    /// The map.
    pub map: Embedding,
    /// For each of its objects the covariance of its place; nothing where the answers leave it as wide open as the map.
    pub covariances: Vec<Option<Array2<f64>>>,
    /// Whether all places were let loose together. Above 3000 coordinates each is by itself, the others held still,
    /// and its ellipse is too small by what their places are unsure.
    pub together: bool,
    /// How probable it is that a new answer, to a question like those asked, is the one that the map says: places as unsure as
    /// they are, lapses as frequent. Nothing where answers are chains of choices.
    pub expected_accuracy: Option<f64>,
    /// Whether the likelihood bends the wrong way somewhere, and was steadied: the map is not at its maximum.
    pub steadied: bool,
}

/// The inverse of the second derivatives of the posterior at the map, with moving, turning, mirroring and size taken out, in blocks of
/// an object each: for maps by `choice`, `ste`, `t-ste` and `ckl`.
///
/// With `H` the second derivatives of `-Σ w ln P + precision Σ |y|²` and `G` an orthonormal basis of what moves and turns the map,
/// the covariance is `(H + c G Gᵗ)⁻¹ - G Gᵗ / c`, and `I - g gᵗ` times that times the same with `g` what makes the map larger: that of the
/// shape, laid over the true one by Procrustes at its best size, as the bootstrap has it. Link, precision and lapses are taken as known;
/// what they leave unsure is above all the size. An object whose place its answers leave as wide open as the map has none.
///
/// # Cost
/// A pass over the answers and one inverse: with `m` coordinates `m³` operations and four squares of `m` numbers, up to 3000 of
/// them or as many as the run may hold; beyond that one small inverse an object, see [`Laplace::together`].
/// # Fails
/// [`Error::Evidence`] for a map without a likelihood, or when an object that is judged is not on the map.
/// # Reference
/// MacKay (2003), chapter 27; for the shape of a map up to motions Mardia, Kent and Bibby (1979), section 14.7.
///
/// ```
/// use nearer::{Embed, Run, evaluate::laplace, method::ChoiceModel, model::Model, toy};
/// # fn main() -> Result<(), nearer::Error> {
/// let answers = toy::answers(12, 2, 2000, 0.1, 1);
/// let fit = ChoiceModel::new(2).fit(&answers)?;
/// let model = Model::Ordinal(fit.model);
/// let sure = laplace(&fit.embedding, &model, fit.report.lapses.as_ref(), &answers, &Run::default())?;
/// assert!(sure.covariances.iter().all(Option::is_some));
/// assert!(sure.expected_accuracy > Some(0.8));
/// # Ok(()) }
/// ```
pub fn laplace(
    map: &Embedding,
    model: &Model,
    lapses: Option<&Lapsed>,
    c: &Comparisons,
    run: &Run<'_>,
) -> Result<Laplace, Error> {
    let speaker = Speaker::new(map, model, lapses, c)?.ok_or_else(|| Error::Evidence {
        what: "this map was made without a likelihood, whose curvature tells how sure its places are".into(),
        remedy: "map the answers by choice, ste, t-ste or ckl, or draw them anew by the bootstrap".into(),
    })?;
    let size = speaker.points.len();
    let bytes = SQUARES * 8 * (size as u64).pow(2);
    let together = size <= TOGETHER && run.afford("the curvature of the likelihood", bytes, "").is_ok();
    run.install(|| if together { of_all(map, &speaker) } else { one_by_one(map, &speaker) })
}

/// The information of the whole, inverted.
fn of_all(map: &Embedding, speaker: &Speaker) -> Result<Laplace, Error> {
    let (dim, size) = (speaker.dim, speaker.points.len());
    let mut second: Array2<f64> = Array2::zeros((size, size));
    let own = speaker.curvature(|points, part| {
        let wide = points.len() * dim;
        let at = |i: usize| points[i / dim] as usize * dim + i % dim;
        for (k, v) in part.iter().enumerate() {
            second[(at(k / wide), at(k % wide))] += v;
        }
    });
    let motions = motions(&speaker.points, dim);
    let scale = (second.diag().sum() / size as f64).max(f64::MIN_POSITIVE);
    let fixed = motions.dot(&motions.t());
    second += &(&fixed * scale);
    let (mut inverse, steadied) = steadily(&second, speaker.faint(map))
        .ok_or_else(|| Error::Numerical { what: "the curvature of the likelihood at this map".into() })?;
    inverse -= &(&fixed / scale);
    // The shape alone: what is left of every deviation when the map is laid over the truth at its best size.
    let size = unit_size(&speaker.points, dim);
    let along = inverse.dot(&size);
    let most = size.dot(&along);
    let block = |k: usize| {
        let of = k * dim..(k + 1) * dim;
        Array2::from_shape_fn((dim, dim), |(c, e)| {
            let (i, j) = (of.start + c, of.start + e);
            inverse[(i, j)] - size[i] * along[j] - along[i] * size[j] + most * size[i] * size[j]
        })
    };
    let expected = speaker.expected(|points, by| {
        let at = |i: usize| points[i / dim] as usize * dim + i % dim;
        let of = |i: usize| (0..by.len()).map(|j| inverse[(at(i), at(j))] * by[j]).sum::<f64>() * by[i];
        (0..by.len()).map(of).sum()
    });
    Ok(speaker.told(map, block, &own, (true, expected, steadied)))
}

/// The information of each object by itself.
fn one_by_one(map: &Embedding, speaker: &Speaker) -> Result<Laplace, Error> {
    let dim = speaker.dim;
    let own = speaker.curvature(|_, _| {});
    let (faint, mut steadied) = (speaker.faint(map), false);
    let mut covariances = Vec::with_capacity(own.len());
    let prior = 2.0 * speaker.answering.precision;
    for block in &own {
        let (inverse, forced) = steadily(block, faint + prior).ok_or_else(|| Error::Numerical {
            what: "the curvature of the likelihood at an object of this map".into(),
        })?;
        steadied |= forced;
        covariances.push(inverse);
    }
    let expected = speaker.expected(|points, by| {
        let of = |(p, by): (&u32, &[f64])| {
            let by = Array1::from(by.to_vec());
            by.dot(&covariances[*p as usize].dot(&by))
        };
        points.iter().zip(by.chunks_exact(dim)).map(of).sum()
    });
    Ok(speaker.told(map, |k| covariances[k].clone(), &own, (false, expected, steadied)))
}

impl Speaker {
    /// The second derivatives of the posterior, in parts; gives what its own answers say of each object, the others held still.
    fn curvature(&self, mut each: impl FnMut(&[u32], &[f64])) -> Vec<Array2<f64>> {
        let (dim, lapse) = (self.dim, self.rates.of(&self.answers));
        let mut own = vec![Array2::zeros((dim, dim)); self.rows.len()];
        self.answers.choices.curvature(self.rows(), self.answering.link.into(), lapse, |points, part| {
            let wide = points.len() * dim;
            for (k, p) in points.iter().enumerate() {
                let at = |(c, e): (usize, usize)| part[(k * dim + c) * wide + k * dim + e];
                own[*p as usize].indexed_iter_mut().for_each(|(ce, v)| *v += at(ce));
            }
            each(points, part);
        });
        let prior: Vec<f64> = Array2::from_diag_elem(dim, 2.0 * self.answering.precision).into_iter().collect();
        (0..self.rows.len() as u32).for_each(|k| each(&[k], &prior));
        own
    }

    /// The information of a prior that tells next to nothing.
    fn faint(&self, map: &Embedding) -> f64 {
        FAINT * 2.0 / map.mean_square().max(f64::MIN_POSITIVE)
    }

    /// The mean probability of the likeliest answer, `φ₂ - φ₁` having this variance as a function of the places: a logistic function
    /// of something normal is that of its mean, flattened (MacKay 1992).
    fn expected(&self, variance: impl Fn(&[u32], &[f64]) -> f64) -> Option<f64> {
        let (choices, lapse) = (&self.answers.choices, self.rates.of(&self.answers));
        let (mut sum, mut weights) = (0.0, 0.0);
        choices.contrasts(self.rows(), self.answering.link.into(), |t, phi, points, by| {
            let flat = 1.0 / (1.0 + std::f64::consts::PI / 8.0 * variance(points, by).max(0.0)).sqrt();
            let least = phi.iter().fold(f64::INFINITY, |m: f64, v| m.min(*v));
            let likeliest = 1.0 / phi.iter().map(|v| (flat * (least - v)).exp()).sum::<f64>();
            let (rate, weight) = (lapse.of(t), choices.weight(t));
            sum += weight * (rate * choices.guess(t) + (1.0 - rate) * likeliest);
            weights += weight;
        });
        (weights > 0.5 * choices.total()).then(|| sum / weights)
    }

    /// For the objects of the map, in its order.
    fn told(
        &self,
        map: &Embedding,
        block: impl Fn(usize) -> Array2<f64>,
        own: &[Array2<f64>],
        (together, expected_accuracy, steadied): (bool, Option<f64>, bool),
    ) -> Laplace {
        let mut covariances = vec![None; map.len()];
        for (k, row) in self.rows.iter().enumerate() {
            let Some(row) = row else { continue };
            // Of a variance as large as that of the map itself nothing is known; what a prior says of any object is no answer.
            let widest = map.mean_square() / 2.0;
            let (covariance, end) = (block(k), self.dim - 1);
            let narrow = dense::eigvalsh(covariance.view()).is_ok_and(|v| v[0] < widest);
            let asked = dense::eigvalsh(own[k].view()).is_ok_and(|v| v[end] * widest > 1.0);
            covariances[*row] = (narrow && asked).then_some(covariance);
        }
        Laplace { map: map.clone(), covariances, together, expected_accuracy, steadied }
    }
}

impl Laplace {
    /// For each object the 95 % ellipse of its place in the plane of two axes; nothing for what is undetermined, or on a line.
    #[must_use]
    pub fn ellipses(&self, (x, y): (usize, usize)) -> Vec<Option<Ellipse>> {
        let one = |(k, c): (usize, &Option<Array2<f64>>)| {
            let c = c.as_ref().filter(|c| x.max(y) < c.nrows())?;
            let at = self.map.point(k);
            Some(Ellipse::of_covariance([at[x], at[y]], [c[(x, x)], c[(y, y)], c[(x, y)]], LEVEL))
        };
        self.covariances.iter().enumerate().map(one).collect()
    }

    /// The objects whose answers leave their place as wide open as the map.
    #[must_use]
    pub fn undetermined(&self) -> Vec<&str> {
        let labels = self.map.objects().labels().iter();
        labels.zip(&self.covariances).filter(|(_, c)| c.is_none()).map(|(l, _)| l.as_str()).collect()
    }

    /// The same as it is told of maps that were made again and again.
    #[must_use]
    pub fn summary(&self) -> StabilitySummary {
        let spread: Vec<f64> =
            self.covariances.iter().map(|c| c.as_ref().map_or(0.0, |c| c.diag().sum().max(0.0).sqrt())).collect();
        let centre = self.map.points().mean_axis(ndarray::Axis(0)).unwrap_or_default();
        let apart: f64 = (self.map.points() - &centre).iter().map(|v| v * v).sum();
        let within: f64 = spread.iter().map(|s| s * s).sum();
        let share = if within > 0.0 { within / (within + apart) } else { 0.0 };
        let labels = self.map.objects().labels();
        let ellipses = self.ellipses((0, 1));
        StabilitySummary {
            kind: StabilityKind::Laplace,
            replicates: 0,
            stability: 1.0 - share,
            cross_validity: 1.0,
            dispersion: share,
            stress1: None,
            per_object: (0..labels.len())
                .map(|i| ObjectSpread { label: labels[i].clone(), spread: spread[i], ellipse: ellipses[i] })
                .collect(),
            failed: 0,
            stop: Stop::Converged,
            expected_accuracy: self.expected_accuracy,
            undetermined: self.undetermined().into_iter().map(str::to_owned).collect(),
            together: Some(self.together),
        }
    }
}

/// The inverse with as little added to the diagonal as makes it one, this much at least; and whether it took more.
fn steadily(second: &Array2<f64>, least: f64) -> Option<(Array2<f64>, bool)> {
    let mut added = least;
    for attempt in 0..12 {
        let steadied = second + &Array2::from_diag_elem(second.nrows(), added);
        if let Some(inverse) = dense::inverse(steadied.view()) {
            return Some((inverse, attempt > 0));
        }
        added *= 10.0;
    }
    None
}

/// What makes a map larger, as a step of length one.
fn unit_size(points: &[f64], dim: usize) -> Array1<f64> {
    let n = (points.len() / dim).max(1) as f64;
    let mean: Vec<f64> = (0..dim).map(|c| points.iter().skip(c).step_by(dim).sum::<f64>() / n).collect();
    let from: Array1<f64> = points.iter().enumerate().map(|(i, v)| v - mean[i % dim]).collect();
    let length = from.dot(&from).sqrt();
    if length > 0.0 { from / length } else { from }
}

/// An orthonormal basis of what moves and turns points, in columns.
fn motions(points: &[f64], dim: usize) -> Array2<f64> {
    let n = points.len() / dim;
    let mean: Vec<f64> = (0..dim).map(|c| points.iter().skip(c).step_by(dim).sum::<f64>() / n as f64).collect();
    let along = |c: usize| Array1::from_shape_fn(n * dim, |i| if i % dim == c { 1.0 } else { 0.0 });
    let turn = |(a, b): (usize, usize)| {
        Array1::from_shape_fn(n * dim, |i| match i % dim {
            c if c == a => points[i - a + b] - mean[b],
            c if c == b => mean[a] - points[i - b + a],
            _ => 0.0,
        })
    };
    let turns = (0..dim).flat_map(|a| (a + 1..dim).map(move |b| (a, b))).map(turn);
    let mut basis: Vec<Array1<f64>> = Vec::new();
    for mut v in (0..dim).map(along).chain(turns) {
        let before = v.dot(&v).sqrt();
        for u in &basis {
            let share = u.dot(&v);
            v.scaled_add(-share, u);
        }
        let length = v.dot(&v).sqrt();
        // Points on a line cannot be turned about it.
        if length > 1e-9 * before {
            basis.push(v / length);
        }
    }
    Array2::from_shape_fn((n * dim, basis.len()), |(i, k)| basis[k][i])
}
