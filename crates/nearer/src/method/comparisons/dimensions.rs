//! How many dimensions: the fewest that predict answers held out as well as the best, to within one standard error.

use crate::error::Error;
use crate::method::comparisons::choice::settled;
use crate::method::comparisons::choosing::{Choosing, Chosen};
use crate::method::distances::descents::Descents;
use crate::report::{Tried, Tuning};
use crate::settings::Typed as _;
use crate::solve::Run;
use crate::solve::likelihood::{Opening, Turns};

/// So many dimensions are looked at, fewer where the last two have not helped.
const MOST: usize = 8;
const IN_VAIN: usize = 2;

/// What came of a number of dimensions.
struct Looked {
    dim: usize,
    chosen: Chosen,
    /// The logarithm of the probability of each answer held out, times its weight.
    logs: Vec<f64>,
}

/// The fewest dimensions, with the link and the precision that go with them.
///
/// In each the two are chosen as ever; then a map of four fifths of the answers, as carefully made as the last one will be, is
/// asked about the others. The answers held out are the same in all dimensions, so that the standard error of a difference is that of
/// its mean over answers.
pub(super) fn fewest(asked: &Choosing<'_>, run: &Run<'_>) -> Result<(usize, Chosen), Error> {
    let mut looked: Vec<Looked> = Vec::new();
    let mut best = 0;
    for dim in 1..=MOST.min(asked.shape.0.saturating_sub(1)) {
        let choosing = Choosing { shape: (asked.shape.0, dim), ..*asked };
        let chosen = choosing.choose(run)?;
        let logs = predicted(&choosing, &chosen, run)?;
        looked.push(Looked { dim, chosen, logs });
        if mean(&looked[dim - 1].logs) > mean(&looked[best].logs) {
            best = dim - 1;
        }
        if dim > best + IN_VAIN || run.clock().late() {
            break;
        }
    }
    let taken = looked.iter().position(|l| within(&looked[best].logs, &l.logs)).unwrap_or(best);
    let told = |l: &Looked| Tried {
        settings: crate::settings::Settings::default()
            .with("dim", l.dim)
            .with("link", Some(l.chosen.link).value())
            .with("precision", l.chosen.precision),
        score: mean(&l.logs),
        folds: Vec::new(),
    };
    let score_is = "mean log-likelihood of answers held out, the fewest dimensions within one standard error of the best being taken";
    let tuning = Tuning { score_is: score_is.into(), tried: looked.iter().map(told).collect(), taken };
    let Looked { dim, chosen, .. } = looked.swap_remove(taken);
    Ok((dim, Chosen { tuning: Some(tuning), ..chosen }))
}

/// What maps of most answers say of the others.
fn predicted(choosing: &Choosing<'_>, chosen: &Chosen, run: &Run<'_>) -> Result<Vec<f64>, Error> {
    let dim = choosing.shape.1;
    let mut logs = Vec::new();
    for (held, kept) in choosing.parts(run) {
        let opening = Opening::new(&kept, choosing.shape, run.clock());
        let (link, precision) = (chosen.link.of(dim), chosen.precision);
        let turns = Turns { answers: &kept, link, precision, by: choosing.by, opening: &opening };
        let (end, rates, _) = settled(&turns, &Descents::new(dim), run)?;
        logs.extend(turns.scores(&end.at, &rates, &held));
    }
    Ok(logs)
}

fn mean(logs: &[f64]) -> f64 {
    logs.iter().sum::<f64>() / logs.len().max(1) as f64
}

/// Whether one is behind the best by no more than the standard error of the difference.
fn within(best: &[f64], one: &[f64]) -> bool {
    let behind: Vec<f64> = best.iter().zip(one).map(|(b, o)| b - o).collect();
    let (by, n) = (mean(&behind), behind.len().max(2) as f64);
    by <= (behind.iter().map(|d| (d - by).powi(2)).sum::<f64>() / (n - 1.0) / n).sqrt()
}
