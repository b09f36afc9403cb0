//! Measures as sums over columns: what is done to rows before it is summed, and to the sums after.

use ndarray::Array2;
use nearer_num::rowpairs::Over;

use super::prepare::{Form, Prepared};
use super::rows::{logarithms, ranks, whiten};
use super::{Measure, Standardise};
use crate::error::{Error, Remedy};

/// The numbers brought into the form in which the measure is a sum over columns: the sum, and what it ends with.
pub(super) fn ready(
    measure: Measure,
    values: &mut Array2<f64>,
    frame: usize,
    gaps: bool,
    label: &dyn Fn(usize) -> String,
) -> Result<(Over, Vec<f64>, Vec<f64>), Error> {
    use Measure as M;
    let totals = |v: &Array2<f64>| v.rows().into_iter().map(|r| r.sum()).collect::<Vec<f64>>();
    let empty = |v: &Array2<f64>, why: &str| match v.rows().into_iter().position(|r| r.iter().all(|x| *x == 0.0)) {
        Some(i) => Err(Error::Evidence {
            what: format!("the row of `{}` {why}, and {measure} has no value for it", label(i)),
            remedy: Remedy::from("leave it out, or choose ").setting("measure", "euclidean"),
        }),
        None => Ok(()),
    };
    let by = |one: Standardise, v: &mut Array2<f64>| {
        one.apply(v, frame).map_err(|what| Error::Evidence { what, remedy: "give numbers from 0 on".into() })
    };
    let none = Vec::new;
    let power = |p: f64| if gaps { Over::KnownPowers(p) } else { Over::Powers(p) };
    let squares = if gaps { Over::KnownPowers(2.0) } else { Over::Squares };
    Ok(match measure {
        M::Euclidean | M::SquaredEuclidean => (squares, none(), none()),
        M::Manhattan => (if gaps { power(1.0) } else { Over::Differences }, none(), none()),
        M::Chebyshev => (if gaps { Over::KnownLargest } else { Over::Largest }, none(), none()),
        M::Minkowski(p) => (power(p), none(), none()),
        M::StandardisedEuclidean => {
            by(Standardise::ZScore, values)?;
            (squares, none(), none())
        }
        M::Mahalanobis => {
            whiten(values, frame)?;
            (Over::Squares, none(), none())
        }
        M::Canberra => (Over::Ratios, none(), none()),
        M::MeanCanberra => (Over::MeanRatio, none(), none()),
        M::Clark => (Over::RootMeanSquareRatio, none(), none()),
        M::AltGower => (Over::MeanDifference, none(), none()),
        M::Binomial => (Over::MeanDivergence, none(), none()),
        M::Cao => (Over::LogMean, none(), none()),
        M::Cosine | M::Correlation | M::Spearman => {
            if measure == M::Spearman {
                values.rows_mut().into_iter().for_each(|mut r| {
                    let ranks = ranks(&r.to_vec());
                    r.iter_mut().zip(ranks).for_each(|(v, k)| *v = k);
                });
            }
            if measure != M::Cosine {
                values.rows_mut().into_iter().for_each(|mut r| {
                    let mean = r.mean().unwrap_or_default();
                    r -= mean;
                });
            }
            empty(values, if measure == M::Cosine { "is 0 throughout" } else { "has one value throughout" })?;
            by(Standardise::Normalise, values)?;
            (Over::Products, none(), none())
        }
        M::BrayCurtis | M::Ruzicka => (Over::Differences, totals(values), none()),
        M::Kulczynski => {
            empty(values, "is empty")?;
            (Over::Least, totals(values), none())
        }
        M::Morisita | M::Horn => {
            empty(values, "is empty")?;
            let lambda = |r: ndarray::ArrayView1<'_, f64>| {
                let (sum, square) = (r.sum(), r.iter().map(|x| x * x).sum::<f64>());
                if measure == M::Horn { square / (sum * sum) } else { (square - sum) / (sum * (sum - 1.0)) }
            };
            (Over::Products, totals(values), values.rows().into_iter().map(lambda).collect())
        }
        M::Chord => {
            empty(values, "is empty")?;
            by(Standardise::Normalise, values)?;
            (Over::Squares, none(), none())
        }
        M::Hellinger | M::ChiSquare => {
            empty(values, "is empty")?;
            by(if measure == M::Hellinger { Standardise::Hellinger } else { Standardise::ChiSquare }, values)?;
            (Over::Squares, none(), none())
        }
        M::Aitchison(_) | M::RobustAitchison => {
            empty(values, "is empty")?;
            logarithms(measure, values, label)?;
            (Over::Squares, none(), none())
        }
        M::JensenShannon => {
            empty(values, "is empty")?;
            by(Standardise::Total, values)?;
            (Over::Divergence, none(), none())
        }
        M::Jaccard
        | M::Sorensen
        | M::Ochiai
        | M::SimpleMatching
        | M::RogersTanimoto
        | M::RussellRao
        | M::SokalSneath
        | M::Yule => {
            by(Standardise::Presence, values)?;
            (Over::Products, totals(values), none())
        }
        M::Gower | M::Hamming => (Over::KnownDifferences, none(), none()),
    })
}

impl Prepared {
    /// What the sums over columns of row `i` with those from `from` on come to.
    pub(super) fn end(&self, i: usize, from: usize, values: &mut [f64]) {
        let Form::Sum { values: table, sums, other, .. } = &self.form else { return };
        let m = table.ncols() as f64;
        // The measure is chosen here, once a row, so that what is done to each number is a loop of its own.
        use Measure as M;
        match self.measure {
            M::Euclidean
            | M::StandardisedEuclidean
            | M::Mahalanobis
            | M::Chord
            | M::Hellinger
            | M::ChiSquare
            | M::Aitchison(_)
            | M::RobustAitchison => values.iter_mut().for_each(|v| *v = v.sqrt()),
            M::Minkowski(p) => values.iter_mut().for_each(|v| *v = v.powf(1.0 / p)),
            M::Cosine | M::Correlation | M::Spearman => values.iter_mut().for_each(|v| *v = (1.0 - *v).max(0.0)),
            M::JensenShannon => values.iter_mut().for_each(|v| *v = (v.max(0.0) / 2.0).sqrt()),
            M::RussellRao => values.iter_mut().for_each(|v| *v = (m - *v) / m),
            M::BrayCurtis => with(values, &sums[from..], |v, y| v / (sums[i] + y)),
            M::Ruzicka => with(values, &sums[from..], |v, y| {
                let bray = v / (sums[i] + y);
                2.0 * bray / (1.0 + bray)
            }),
            M::Kulczynski => with(values, &sums[from..], |v, y| 1.0 - 0.5 * (v / sums[i] + v / y)),
            M::Ochiai => with(values, &sums[from..], |v, y| (1.0 - v / (sums[i] * y).sqrt()).max(0.0)),
            M::Morisita | M::Horn => {
                let others = sums[from..].iter().zip(&other[from..]);
                for (v, (y, lambda)) in values.iter_mut().zip(others) {
                    *v = (1.0 - 2.0 * *v / ((other[i] + lambda) * sums[i] * y)).max(0.0);
                }
            }
            M::Jaccard | M::Sorensen | M::SimpleMatching | M::RogersTanimoto | M::SokalSneath | M::Yule => {
                with(values, &sums[from..], |both, y| self.present(both, sums[i] - both, y - both, m))
            }
            _ => {}
        }
    }

    /// A measure of presence: `a` columns are in both rows, `b` and `c` in one only, of `m`.
    fn present(&self, a: f64, b: f64, c: f64, m: f64) -> f64 {
        let d = m - (a + b + c);
        match self.measure {
            Measure::Jaccard => (b + c) / (a + b + c),
            Measure::Sorensen => (b + c) / (2.0 * a + b + c),
            Measure::SimpleMatching => (b + c) / m,
            Measure::RogersTanimoto => 2.0 * (b + c) / (a + 2.0 * (b + c) + d),
            Measure::SokalSneath => 2.0 * (b + c) / (a + 2.0 * (b + c)),
            _ if b * c == 0.0 => 0.0,
            _ => 2.0 * b * c / (a * d + b * c),
        }
    }
}

/// Each value with the number of the other row.
#[inline]
fn with(values: &mut [f64], others: &[f64], f: impl Fn(f64, f64) -> f64) {
    values.iter_mut().zip(others).for_each(|(v, y)| *v = f(*v, *y));
}
