//! The jackknife: the map made again without each object in turn.

use crate::error::Error;
use crate::evaluate::disparity::Target;
use crate::evaluate::replicate::replicates;
use crate::evaluate::stability::{Stability, StabilityKind, gather};
use crate::evidence::Distances;
use crate::fit::Fit;
use crate::solve::{Run, Stop};

/// Leaves out one object at a time, fits the others, and lays the result over the map of all. An object that holds the map
/// together moves the others when it goes; the replicate positions show which.
///
/// The alignment may scale where the target leaves the size of the map free ([`Target::free_scale`]); otherwise the target
/// is not used. `n + 1` fits, the `n` smaller ones on as many threads as the run has. A run that is cancelled gives the
/// replicates that finished.
///
/// # Fails
/// With fewer than three objects, when the fit of all fails, when every replicate fails, or with [`Error::Cancelled`]
/// before the first replicate.
///
/// # Reference
/// De Leeuw and Meulman (1986), *Journal of Classification* 3; smacof's `jackmds`. Theirs turns the replicates towards
/// their own mean; here they are turned towards the map that is shown.
///
/// ```
/// use nearer::{Distances, Embedding, Fit, Run, evaluate::{jackknife, Target}, report::FitReport, Error, Objects};
/// # fn main() -> Result<(), Error> {
/// let data = Distances::from_condensed(Objects::numbered(4), vec![1.0, 3.0, 6.0, 2.0, 5.0, 3.0])?;
/// // Any method goes here: `|d, run| MetricMds::new(2).fit_with(d, run)`. This one measures everything from object 1 or 2.
/// let fit = |d: &Distances, run: &Run<'_>| {
///     let x = (0..d.len()).map(|i| d.between(0, i).unwrap_or(0.0)).collect();
///     let points = ndarray::Array1::from_vec(x).insert_axis(ndarray::Axis(1));
///     Ok::<_, Error>(Fit { embedding: Embedding::new(d.objects().clone(), points)?, model: (), report: FitReport::new("line", d.len(), 1, run.seed()) })
/// };
/// let s = jackknife(&data, fit, Target::Data, &Run::default())?;
/// assert!((s.stability - 1.0).abs() < 1e-12 && s.points[0].len() == 3);
/// # Ok(()) }
/// ```
pub fn jackknife<M>(
    data: &Distances,
    fit: impl Fn(&Distances, &Run<'_>) -> Result<Fit<M>, Error> + Sync,
    target: Target<'_>,
    run: &Run<'_>,
) -> Result<Stability, Error> {
    let n = data.len();
    if n < 3 {
        return Err(Error::TooFew { found: n, needed: 3, remedy: "a jackknife maps all objects but one".into() });
    }
    let full = fit(data, run)?;
    if matches!(full.report.stop, Stop::Cancelled | Stop::TimeLimit) {
        return Err(Error::Cancelled);
    }
    let without = |k: usize| Ok(data.subset(&(0..n).filter(|i| *i != k).collect::<Vec<_>>()));
    let maps = replicates("jackknife", n, without, fit, run)?;
    gather(StabilityKind::Jackknife, full.embedding, maps, target.free_scale())
}
