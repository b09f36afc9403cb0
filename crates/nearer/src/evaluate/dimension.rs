//! How many dimensions the data need: the stress of a map in one, two, three … dimensions.

pub use crate::report::DimensionPoint;

use crate::error::Error;
use crate::evaluate::disparity::Target;
use crate::evaluate::replicate::Halt;
use crate::evaluate::stress::stress;
use crate::evaluate::{agreement, neighbourhood, pair_agreement, residual_variance};
use crate::evidence::{Distances, Evidence};
use crate::fit::Fit;
use crate::report::DimensionAgreement;
use crate::settings::Value;
use crate::solve::Run;

/// How many neighbours trustworthiness and continuity look at.
const NEIGHBOURS: usize = 10;

/// Fits a map in each of `dims` dimensions and measures its stress, its residual variance, and whether neighbours stayed neighbours. Where the curve bends, or falls under what the noise
/// of the data explains, more dimensions bring nothing (the scree plot). Maps that a transformation is not of are held against the data.
///
/// The fits run one after the other, each on all threads of the run. A run that is cancelled gives the points so far;
/// they are fewer than `dims`.
///
/// # Fails
/// As the fits and [`stress`] do, and with [`Error::Cancelled`] before the first point.
///
/// # Reference
/// Kruskal (1964); Borg and Groenen (2005), section 3.5.
///
/// ```
/// use nearer::{Embed, Run, evaluate::{stress_by_dimension, Target}, method::ClassicalMds, toy};
/// # fn main() -> Result<(), nearer::Error> {
/// let data = toy::gaussian(20, 3, 1);                      // three-dimensional
/// let fit = |dim: usize, run: &Run<'_>| ClassicalMds::new(dim).fit_with(&data, run);
/// let curve = stress_by_dimension(1..=4, fit, &data, Target::Data, &Run::default())?;
/// assert!(curve[1].stress1 > 0.05 && curve[2].stress1 < 1e-6);
/// # Ok(()) }
/// ```
pub fn stress_by_dimension<M>(
    dims: impl IntoIterator<Item = usize>,
    fit: impl Fn(usize, &Run<'_>) -> Result<Fit<M>, Error>,
    data: &Distances,
    target: Target<'_>,
    run: &Run<'_>,
) -> Result<Vec<DimensionPoint>, Error> {
    // A transformation belongs to its own map.
    let target = if matches!(target, Target::Transform(_)) { Target::Data } else { target };
    in_each(dims, fit, run, |dim, fit| {
        let s = run.install(|| stress(&fit.embedding, data, target))?;
        // Where pairs are missing, or objects too few, neighbours are not told.
        let near = run.install(|| neighbourhood(data, &fit.embedding, NEIGHBOURS)).ok();
        let told = fit.report.figures.get("residual-variance").and_then(Value::number);
        let complete = data.missing() + data.censored() == 0 && fit.embedding.objects() == data.objects();
        let of_data = || complete.then(|| residual_variance(data.condensed(), &fit.embedding));
        Ok(DimensionPoint {
            residual_variance: told.or_else(of_data),
            trustworthiness: near.as_ref().map(|n| n.trustworthiness),
            continuity: near.as_ref().map(|n| n.continuity),
            dim,
            stress1: s.stress1,
            raw_stress: s.raw,
            normalized_stress: s.normalized,
            stop: fit.report.stop,
        })
    })
}

/// Fits a map in each of `dims` dimensions and tells the share of the judgements that hold on it, which can only grow where
/// more dimensions are of use. It is the agreement with the judgements that the maps were made of; what is held out tells
/// more where there are few of them.
///
/// # Fails
/// [`Error::Evidence`] for evidence that is no judgements; as the fits do; with [`Error::Cancelled`] before the first point.
pub fn agreement_by_dimension<M>(
    dims: impl IntoIterator<Item = usize>,
    fit: impl Fn(usize, &Run<'_>) -> Result<Fit<M>, Error>,
    judged: &Evidence,
    run: &Run<'_>,
) -> Result<Vec<DimensionAgreement>, Error> {
    in_each(dims, fit, run, |dim, fit| {
        let share = run.install(|| match judged {
            Evidence::Comparisons(c) => Ok(agreement(&fit.embedding, c)?.share),
            Evidence::Pairs(p) => Ok(pair_agreement(&fit.embedding, p)?.share),
            other => Err(Error::Evidence {
                what: format!("{} are no judgements", other.kind()),
                remedy: "give comparisons or pairs".into(),
            }),
        })?;
        Ok(DimensionAgreement {
            dim,
            agreement: share,
            held_out: None,
            log_likelihood: None,
            folds: Vec::new(),
            stop: fit.report.stop,
        })
    })
}

/// What is found of a fit in each number of dimensions, as far as the run goes.
fn in_each<M, P>(
    dims: impl IntoIterator<Item = usize>,
    fit: impl Fn(usize, &Run<'_>) -> Result<Fit<M>, Error>,
    run: &Run<'_>,
    found: impl Fn(usize, Fit<M>) -> Result<P, Error>,
) -> Result<Vec<P>, Error> {
    let dims: Vec<usize> = dims.into_iter().collect();
    let halt = Halt::new("dimensions", dims.len(), run);
    let mut points = Vec::with_capacity(dims.len());
    for (k, &dim) in dims.iter().enumerate() {
        let Some(result) = halt.task(k, |inner| fit(dim, inner), *run) else { break };
        points.push(found(dim, result?)?);
    }
    if points.is_empty() && !dims.is_empty() { Err(Error::Cancelled) } else { Ok(points) }
}
