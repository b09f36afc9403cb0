//! Everything about a map that needs no new fit, gathered into the report that `nearer eval` prints.

use crate::error::Error;
use crate::evaluate::disparity::{Target, disparities};
use crate::evaluate::shepard::point;
use crate::evaluate::{Overlay, Stability, join, neighbourhood, stress};
use crate::evidence::{Bound, Distances};
use crate::geometry::Embedding;
use crate::report::{
    Against, Distortion, Evaluation, Input, ObjectResidual, ObjectShare, ObjectSpread, Procrustes, Ratio,
    StabilitySummary, WorstPair,
};

/// What an evaluation looks at.
///
/// ```
/// use nearer::evaluate::{Options, Target};
/// let options = Options { neighbours: 10, ..Options::default() };
/// assert_eq!(options.worst, 10);
/// ```
#[derive(Debug, Clone, Copy)]
pub struct Options<'a> {
    /// What the map is held against; the data unless told otherwise.
    pub target: Target<'a>,
    /// How many neighbours make a neighbourhood: 5, as in scikit-learn. With fewer than eleven objects it is the largest
    /// number below half of them.
    pub neighbours: usize,
    /// How many of the worst pairs are listed: 10.
    pub worst: usize,
}

impl Default for Options<'_> {
    fn default() -> Self {
        Options { target: Target::Data, neighbours: 5, worst: 10 }
    }
}

/// Stress, the share of each object in it, the worst pairs and the neighbourhoods of a map, as one report; what could not
/// be computed is absent and said in the warnings.
///
/// `O(n² log n)` time, `O(n²)` memory.
///
/// # Fails
/// As [`stress`](crate::evaluate::stress) does: when an object of the data is not on the map, or when nothing is known.
///
/// ```
/// use nearer::{Distances, Embedding, Objects, evaluate::{evaluation, Options}};
/// # fn main() -> Result<(), nearer::Error> {
/// let data = Distances::from_condensed(Objects::new(["a", "b", "c"])?, vec![3.0, 4.0, 5.0])?;
/// let map = Embedding::new(Objects::new(["a", "b", "c", "d"])?, ndarray::array![[0.0], [3.0], [-3.0], [9.0]])?;
/// let report = evaluation(&map, &data, &Options::default())?;
/// assert_eq!(report.worst_pairs.len(), 3);
/// assert!(report.warnings[0].contains("`d`"));            // on the map, not in the data
/// # Ok(()) }
/// ```
pub fn evaluation(map: &Embedding, data: &Distances, options: &Options<'_>) -> Result<Evaluation, Error> {
    let d = disparities(map, data, options.target)?;
    let figures = stress::report(data, options.target, &d);
    let mut e = Evaluation::new(data.len(), map.dim());
    e.target = options.target.against();
    (e.stress1, e.raw_stress, e.normalized_stress) = (figures.stress1, figures.raw, figures.normalized);
    e.scale = figures.scale;
    e.input = Input::from(data);
    let labels = data.objects().labels();
    let share = |(label, percent): (&String, f64)| ObjectShare { label: label.clone(), percent };
    e.per_object = labels.iter().zip(figures.per_object).map(share).collect();
    let worst = stress::worst(data, &d, options.worst);
    e.worst_pairs = worst
        .into_iter()
        .filter_map(|k| point(data, &d, k))
        .map(|p| WorstPair {
            a: labels[p.pair.first().index()].clone(),
            b: labels[p.pair.second().index()].clone(),
            data: p.data,
            bound: bound_name(p.bound),
            distance: p.distance,
            disparity: p.disparity,
            residual: p.residual,
        })
        .collect();
    if e.target == Against::Data {
        e.distortion = distortion(data, &d.distance);
    }
    strangers(map, data, &mut e.warnings);
    neighbours(map, data, options.neighbours, &mut e)?;
    if d.distance.iter().all(|v| *v == 0.0) {
        e.warnings.push("all points of the map coincide".into());
    }
    Ok(e)
}

/// The largest ratio of map to data over the least, pairs without a plain distance aside.
fn distortion(data: &Distances, map: &[f64]) -> Option<Distortion> {
    let plain = |k: &usize| {
        let exact = data.bounds().is_none_or(|b| b[*k] == Bound::Exact);
        exact && data.weight_at(*k) > 0.0 && data.condensed()[*k] > 0.0
    };
    let ratio = |k: usize| map[k] / data.condensed()[k];
    let known: Vec<usize> = (0..data.pairs()).filter(plain).collect();
    let most = *known.iter().max_by(|a, b| ratio(**a).total_cmp(&ratio(**b)).then(b.cmp(a)))?;
    let least = *known.iter().min_by(|a, b| ratio(**a).total_cmp(&ratio(**b)).then(a.cmp(b)))?;
    let told = |k: usize| {
        let (i, j) = nearer_num::packed::pair(data.len(), k);
        let labels = data.objects().labels();
        Ratio { a: labels[i].clone(), b: labels[j].clone(), ratio: ratio(k) }
    };
    let value = Some(ratio(most) / ratio(least)).filter(|v| v.is_finite());
    Some(Distortion { value, stretched: told(most), shrunk: told(least) })
}

/// A warning for objects of the map that the data do not have.
fn strangers(map: &Embedding, data: &Distances, warnings: &mut Vec<String>) {
    let extra = join::only_in(map.objects(), data.objects());
    if let Some(first) = extra.first() {
        let more = if extra.len() > 1 { format!(" and {} more", extra.len() - 1) } else { String::new() };
        warnings.push(format!("`{first}`{more} on the map but not in the data: left out of every figure"));
    }
}

fn neighbours(map: &Embedding, data: &Distances, asked: usize, e: &mut Evaluation) -> Result<(), Error> {
    let k = asked.min(data.len().saturating_sub(1) / 2);
    if k == 0 {
        return Ok(());
    }
    if data.missing() + data.censored() > 0 {
        e.warnings.push(format!(
            "trustworthiness and continuity need every distance; {} of {} pairs are missing or known by a bound",
            data.missing() + data.censored(),
            data.pairs()
        ));
        return Ok(());
    }
    let kept = neighbourhood(data, map, k)?;
    (e.trustworthiness, e.continuity) = (Some(kept.trustworthiness), Some(kept.continuity));
    (e.neighbour_overlap, e.neighbours) = (Some(kept.overlap), Some(k));
    Ok(())
}

fn bound_name(bound: Bound) -> Option<String> {
    match bound {
        Bound::Exact => None,
        Bound::AtMost => Some("at-most".into()),
        Bound::AtLeast => Some("at-least".into()),
    }
}

impl From<&Overlay> for Procrustes {
    fn from(c: &Overlay) -> Self {
        let residual =
            |(label, residual): (&String, &f64)| ObjectResidual { label: label.clone(), residual: *residual };
        Procrustes {
            disparity: c.disparity,
            correlation: c.correlation,
            rmse: c.rmse,
            scale: c.scale,
            per_object: c.common.labels().iter().zip(&c.residuals).map(residual).collect(),
            only_here: c.only_a.clone(),
            only_there: c.only_b.clone(),
        }
    }
}

impl From<&Stability> for StabilitySummary {
    fn from(s: &Stability) -> Self {
        let labels = s.map.objects().labels();
        StabilitySummary {
            kind: s.kind,
            replicates: s.replicates,
            stability: s.stability,
            cross_validity: s.cross_validity,
            dispersion: s.dispersion,
            stress1: s.stress1,
            per_object: (0..labels.len())
                .map(|i| ObjectSpread { label: labels[i].clone(), spread: s.spread[i], ellipse: s.ellipses[i] })
                .collect(),
            failed: s.failed,
            stop: s.stop,
            expected_accuracy: None,
            undetermined: Vec::new(),
            together: None,
        }
    }
}
