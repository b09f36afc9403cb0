//! The order of objects in a file says nothing, so it must change nothing: methods work in the order of the labels.
//!
//! A random start, a tie, the first pivot and the rounding of a sum all go by the number of an object. Brought into one order
//! at the door and back at the end, the same evidence in another order gives the same map to the last bit.

use ndarray::Axis;
use nearer_num::packed;

use crate::error::Error;
use crate::evidence::{Distances, Features};
use crate::fit::Fit;
use crate::geometry::Embedding;
use crate::object::Objects;
use crate::program::Candidate;
use crate::solve::Run;

/// Fits distances in the order of their labels; the map comes back in their own, less what was left out. The model stays in the order of
/// the labels, since it is asked by label.
pub(crate) fn by_label<M>(
    d: &Distances,
    run: &Run<'_>,
    fit: impl FnOnce(&Distances) -> Result<Fit<M>, Error>,
) -> Result<Fit<M>, Error> {
    let Some(order) = d.objects().label_order() else { return fit(d) };
    let remedy = "sort the objects by their labels, which needs no copy";
    run.afford("the distances in the order of the labels", 2 * d.memory(), remedy)?;
    let mut fit = fit(&d.subset(&order))?;
    fit.embedding = in_order(&fit.embedding, d.objects())?;
    Ok(fit)
}

/// Fits features in the order of the labels of their objects; the map comes back in their own, less what was left out.
pub(crate) fn features_by_label<M>(
    features: &Features,
    fit: impl FnOnce(&Features) -> Result<Fit<M>, Error>,
) -> Result<Fit<M>, Error> {
    let Some(order) = features.objects().label_order() else { return fit(features) };
    let mut fit = fit(&features.subset(&order))?;
    fit.embedding = in_order(&fit.embedding, features.objects())?;
    Ok(fit)
}

/// The same for a metric whose question is about pairs of rows or groups of them: it is asked in the order of the labels, and what
/// others check is about the rows as they stand.
pub(crate) fn metric_by_label<M>(
    features: &Features,
    fit: impl FnOnce(&Features) -> Result<Fit<M>, Error>,
) -> Result<Fit<M>, Error> {
    let Some(order) = features.objects().label_order() else { return fit(features) };
    let mut fit = features_by_label(features, fit)?;
    if let Some(witness) = &mut fit.metric {
        witness.objects = features.objects().clone();
        witness.ask.of_rows(&order);
    }
    Ok(fit)
}

/// A map of some of these objects in their order.
pub(crate) fn in_order(map: &Embedding, objects: &Objects) -> Result<Embedding, Error> {
    let index = map.objects().index();
    let there = objects.labels().iter().filter_map(|l| index.get(l.as_str())).map(|i| i.index());
    let rows: Vec<usize> = there.collect();
    Embedding::new(map.objects().subset(&rows), map.points().select(Axis(0), &rows))
}

/// The answer to a program with one row for each known pair of `d`, which was solved in the order of the labels.
pub(crate) fn of_pairs(d: &Distances, witness: Candidate) -> Candidate {
    let Some(order) = d.objects().label_order() else { return witness };
    let (n, place) = (d.len(), places(&order));
    let known = |k: &usize| d.weight_at(*k) > 0.0;
    // Where each known pair stands among those of the program.
    let mut rank = vec![0; d.pairs()];
    let sorted = (0..n).flat_map(|a| (a + 1..n).map(move |b| (a, b)));
    let in_file = |(a, b): (usize, usize)| packed::index(n, order[a].min(order[b]), order[a].max(order[b]));
    sorted.map(in_file).filter(known).enumerate().for_each(|(row, k)| rank[k] = row);
    let multipliers = if witness.multipliers.is_empty() {
        Vec::new()
    } else {
        (0..d.pairs()).filter(known).map(|k| witness.multipliers[rank[k]]).collect()
    };
    let factors = witness.factors.iter().map(|f| f.select(Axis(0), &place)).collect();
    Candidate { factors, multipliers, ..witness }
}

/// From the objects in an order to the places they have in it.
fn places(order: &[usize]) -> Vec<usize> {
    let mut place = vec![0; order.len()];
    order.iter().enumerate().for_each(|(k, &i)| place[i] = k);
    place
}
