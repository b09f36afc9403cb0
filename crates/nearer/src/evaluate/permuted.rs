//! Permutation tests: how often chance does as well, from shuffles that depend on the seed and their number alone.

use nearer_num::par;
use nearer_num::rng::Rng;

use crate::error::Error;
use crate::solve::Run;

/// How many shuffles, at most.
const MOST: usize = 1_000_000;

/// The share of shuffles whose statistic is as large, the data themselves counted as one of them: `(1 + #) / (1 + shuffles)`.
///
/// `statistics` gives, for an order of the objects, one number for each question; `observed` are those of the data.
pub(super) fn p_values(
    n: usize,
    shuffles: usize,
    run: &Run<'_>,
    observed: &[f64],
    statistics: impl Fn(&[usize]) -> Vec<f64> + Sync + Send,
) -> Result<Vec<f64>, Error> {
    if shuffles == 0 || shuffles > MOST {
        return Err(Error::Parameter {
            name: "permutations".into(),
            value: shuffles.to_string(),
            expected: format!("1 to {MOST}; 999 is usual"),
        });
    }
    /// Shuffles a piece does one after another.
    const PIECE: usize = 16;
    let pieces = par::ranges(shuffles, PIECE);
    // Equal up to rounding counts as equal, as vegan has it.
    let least: Vec<f64> = observed.iter().map(|o| o - f64::EPSILON.sqrt() * o.abs().max(1.0)).collect();
    let counts: Vec<Vec<usize>> = run.install(|| {
        par::map(pieces.len(), |k| {
            let mut counts = vec![0; observed.len()];
            for task in pieces[k].clone() {
                let order = Rng::task(run.seed(), task as u64).permutation(n);
                for ((count, value), least) in counts.iter_mut().zip(statistics(&order)).zip(&least) {
                    *count += usize::from(value >= *least);
                }
            }
            counts
        })
    });
    let total = |q: usize| counts.iter().map(|c| c[q]).sum::<usize>();
    Ok((0..observed.len()).map(|q| (1 + total(q)) as f64 / (1 + shuffles) as f64).collect())
}
