//! The jackknife: the map made again without each object in turn.

use crate::error::Error;
use crate::evaluate::StabilityKind;
use crate::evaluate::disparity::Target;
use crate::evaluate::replicate::{Halt, replicates};
use crate::evaluate::stability::{Stability, gather};
use crate::evidence::Distances;
use crate::fit::Fit;
use crate::solve::Run;

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
/// use nearer::{Embed, Run, evaluate::{jackknife, Target}, method::ClassicalMds, toy};
/// # fn main() -> Result<(), nearer::Error> {
/// let s = jackknife(&toy::cities(), |d, run| ClassicalMds::new(2).fit_with(d, run), Target::Data, &Run::default())?;
/// assert_eq!((s.replicates, s.points[0].len()), (21, 20));   // each city is missing from one of them
/// assert!(s.stability > 0.99);
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
    let halt = Halt::new("jackknife", n + 1, run);
    let full = halt.task(0, |inner| fit(data, inner), *run).ok_or(Error::Cancelled)??;
    let without = |k: usize| Ok(data.subset(&(0..n).filter(|i| *i != k).collect::<Vec<_>>()));
    let maps = replicates(&halt, 1, without, fit, run)?;
    gather(StabilityKind::Jackknife, full.embedding, maps, target.free_scale())
}
