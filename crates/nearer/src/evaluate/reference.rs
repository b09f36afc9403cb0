//! Is a stress low? Beside that of random numbers, and of the same numbers shuffled, mapped in the same way.

use nearer_num::par;
use nearer_num::rng::Rng;

use crate::error::Error;
use crate::evaluate::{Target, stress};
use crate::evidence::Distances;
use crate::fit::Fit;
use crate::report::{StressReference, StressSpread};
use crate::solve::Run;

/// Where the stress of a map stands among what chance gives: `draws` matrices of uniform random numbers of the same size, with the
/// same pairs missing (Spence and Ogilvie 1973), and as many shuffles of the known distances (Mair, Borg and Rusch 2016), each
/// mapped by `fit`, which should make one start.
///
/// ```
/// use nearer::{Embed, Run, evaluate, method::MetricMds, toy};
/// # fn main() -> Result<(), nearer::Error> {
/// let cities = toy::cities();
/// let map = MetricMds::new(2).starts(1);
/// let fit = map.fit(&cities)?;
/// let ours = fit.report.stress1.expect("a stress");
/// let chance = evaluate::stress_reference(&cities, ours, evaluate::Target::Data, 10, &Run::seeded(1), |d, run| {
///     map.fit_with(d, run)
/// })?;
/// assert!(ours < 0.3 * chance.random.mean && chance.p < 0.1);
/// # Ok(()) }
/// ```
pub fn stress_reference<M: Send>(
    data: &Distances,
    stress1: f64,
    target: Target<'_>,
    draws: usize,
    run: &Run<'_>,
    fit: impl Fn(&Distances, &Run<'_>) -> Result<Fit<M>, Error> + Sync + Send,
) -> Result<StressReference, Error> {
    if draws < 2 {
        return Err(Error::Parameter {
            name: "reference".into(),
            value: draws.to_string(),
            expected: "2 matrices or more; 100 is usual".into(),
        });
    }
    // A curve belongs to its own map.
    let target = if matches!(target, Target::Transform(_)) { Target::Data } else { target };
    let known: Vec<usize> = (0..data.pairs()).filter(|k| data.weight_at(*k) > 0.0).collect();
    let of = |task: usize| -> Result<(f64, Vec<f64>), Error> {
        let (kind, k) = (task % 2, (task / 2) as u64);
        let mut rng = Rng::task(run.seed() ^ 0x5712_e55e, 2 * k + kind as u64);
        let mut values = data.condensed().to_vec();
        if kind == 0 {
            known.iter().for_each(|k| values[*k] = rng.uniform());
        } else {
            let order = rng.permutation(known.len());
            known.iter().zip(order).for_each(|(k, o)| values[*k] = data.condensed()[known[o]]);
        }
        let made = data.with_values(values)?;
        let fit = fit(&made, &Run::seeded(run.seed().wrapping_add(k)).threads(1))?;
        let figures = stress(&fit.embedding, &made, target)?;
        Ok((figures.stress1, figures.per_object))
    };
    let all = run.install(|| par::map(2 * draws, of)).into_iter().collect::<Result<Vec<_>, Error>>()?;
    let spread = |kind: usize| {
        let values: Vec<f64> = all.iter().skip(kind).step_by(2).map(|(s, _)| *s).collect();
        let n = values.len() as f64;
        let mean = values.iter().sum::<f64>() / n;
        let square: f64 = values.iter().map(|v| (v - mean) * (v - mean)).sum();
        StressSpread {
            mean,
            sd: (square / (n - 1.0)).sqrt(),
            least: values.iter().copied().fold(f64::INFINITY, f64::min),
        }
    };
    let as_low = all.iter().skip(1).step_by(2).filter(|(s, _)| *s <= stress1).count();
    // The largest share of an object in the stress of random numbers: above the 95th of a hundred, an object is worse than chance.
    let mut largest: Vec<f64> =
        all.iter().step_by(2).map(|(_, shares)| shares.iter().copied().fold(0.0, f64::max)).collect();
    largest.sort_by(f64::total_cmp);
    let object95 = largest[((largest.len() as f64 * 0.95) as usize).min(largest.len() - 1)];
    Ok(StressReference {
        draws,
        random: spread(0),
        shuffled: spread(1),
        p: (1 + as_low) as f64 / (1 + draws) as f64,
        object95,
    })
}
