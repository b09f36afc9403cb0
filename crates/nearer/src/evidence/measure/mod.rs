//! Measures: how unlike two rows of a table are, by the names that scipy and vegan have made known.
//!
//! A [`Measure`] of a [`Table`](crate::evidence::Table) is prepared once ([`Prepared`]): its conditions are checked, its
//! columns standardised, its rows brought into the form in which the measure is a plain sum over columns. What is left are
//! loops of `nearer_num::rowpairs`, for all pairs at once or for some rows at a time.

mod gower;
mod names;
mod prepare;
mod rows;
mod standardise;
mod sums;

pub use names::{MEASURES, Named};
pub use prepare::Prepared;
pub(crate) use rows::ranks;
pub use standardise::Standardise;

use std::fmt;
use std::str::FromStr;

use crate::error::{Error, nearest};

/// How unlike two rows are. [`MEASURES`] has the formula of each.
///
/// ```
/// use nearer::evidence::{Measure, Table, TableColumn};
/// use nearer::Objects;
/// # fn main() -> Result<(), nearer::Error> {
/// let table = Table::new(Objects::new(["pond", "lake"])?, vec![
///     TableColumn::numbers("frogs", [Some(3.0), Some(1.0)]),
///     TableColumn::numbers("pikes", [Some(0.0), Some(4.0)]),
/// ])?;
/// let d = "bray".parse::<Measure>()?.of(&table)?.distances()?;
/// assert_eq!(d.between(0, 1), Some(6.0 / 8.0));
/// # Ok(()) }
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub enum Measure {
    /// `√Σ(x-y)²`.
    Euclidean,
    /// `Σ(x-y)²`.
    SquaredEuclidean,
    /// `Σ|x-y|`.
    Manhattan,
    /// `max|x-y|`.
    Chebyshev,
    /// `(Σ|x-y|ᵖ)^(1/p)`.
    Minkowski(f64),
    /// Euclidean, each column over its standard deviation.
    StandardisedEuclidean,
    /// Euclidean in the columns' own covariance.
    Mahalanobis,
    /// `Σ|x-y|/(|x|+|y|)`.
    Canberra,
    /// The same as a mean over columns that are not 0 in both.
    MeanCanberra,
    /// `√ mean ((x-y)/(x+y))²` over columns that are not 0 in both.
    Clark,
    /// `1 - x·y/(|x||y|)`.
    Cosine,
    /// `1 - r`.
    Correlation,
    /// `1 - r` of the ranks.
    Spearman,
    /// `Σ|x-y|/Σ(x+y)`.
    BrayCurtis,
    /// Bray-Curtis `B` as `2B/(1+B)`: vegan's `jaccard`.
    Ruzicka,
    /// `1 - ½(Σmin/Σx + Σmin/Σy)`.
    Kulczynski,
    /// `1 - 2Σxy/((λx+λy)ΣxΣy)`, `λ = Σx(x-1)/(Σx(Σx-1))`; of counts.
    Morisita,
    /// The same with `λ = Σx²/(Σx)²`.
    Horn,
    /// `Σ (x ln(x/n) + y ln(y/n) - n ln ½)/n`, `n = x+y`.
    Binomial,
    /// Cao's index, numbers below 0.1 taken as 0.1.
    Cao,
    /// Euclidean of rows of length 1.
    Chord,
    /// Euclidean of the roots of shares.
    Hellinger,
    /// Euclidean of shares, each column over the root of its share of all.
    ChiSquare,
    /// Euclidean of logarithms centred by row, after adding a number to each.
    Aitchison(f64),
    /// The same of what is above 0, the rest being 0.
    RobustAitchison,
    /// The root of the mean of two Kullback-Leibler divergences from the mean.
    JensenShannon,
    /// Presence: `1 - a/(a+b+c)`.
    Jaccard,
    /// Presence: `1 - 2a/(2a+b+c)`.
    Sorensen,
    /// Presence: `1 - a/√((a+b)(a+c))`.
    Ochiai,
    /// Presence: `(b+c)/(a+b+c+d)`.
    SimpleMatching,
    /// Presence: `2(b+c)/(a+2(b+c)+d)`.
    RogersTanimoto,
    /// Presence: `(b+c+d)/(a+b+c+d)`.
    RussellRao,
    /// Presence: `2(b+c)/(a+2(b+c))`.
    SokalSneath,
    /// Presence: `2bc/(ad+bc)`.
    Yule,
    /// The share of columns that differ; words are compared too.
    Hamming,
    /// The mean over columns of `|x-y|` over the column's range, or of whether two words differ; cells that are missing are
    /// left out.
    Gower,
    /// The mean of `|x-y|` over columns that are not 0 in both.
    AltGower,
}

impl Measure {
    /// Checks that the table is one that it can be taken of, and makes it ready.
    pub fn of(self, table: &crate::evidence::Table) -> Result<Prepared, Error> {
        Prepared::new(self, &[], table, None)
    }
    /// What is said of it.
    #[must_use]
    pub fn named(self) -> &'static Named {
        let same = |n: &&Named| std::mem::discriminant(&n.measure) == std::mem::discriminant(&self);
        MEASURES.iter().find(same).expect("every measure has its line")
    }
}

impl fmt::Display for Measure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Measure::Minkowski(p) => write!(f, "minkowski:{p}"),
            Measure::Aitchison(add) if *add > 0.0 => write!(f, "aitchison:{add}"),
            other => f.write_str(other.named().name),
        }
    }
}

impl FromStr for Measure {
    type Err = Error;
    fn from_str(text: &str) -> Result<Self, Error> {
        let (name, number) = text.split_once(':').map_or((text, None), |(n, v)| (n, Some(v)));
        let asked = plain(name);
        let wrong = |expected: String| Error::Parameter { name: "measure".into(), value: text.into(), expected };
        let is = |n: &&Named| plain(n.name) == asked || n.aliases.iter().any(|a| plain(a) == asked);
        let Some(found) = MEASURES.iter().find(is) else {
            let all = MEASURES.iter().flat_map(|n| std::iter::once(n.name).chain(n.aliases.iter().copied()));
            // A list of all helps where nothing is near, and only there.
            return Err(wrong(match nearest(name, all) {
                Some(near) => format!("perhaps `{near}`"),
                None => format!("one of {}", MEASURES.iter().map(|n| n.name).collect::<Vec<_>>().join(", ")),
            }));
        };
        let number = number.map(|v| v.parse::<f64>().ok().filter(|v| v.is_finite()));
        match (found.measure, number) {
            (Measure::Minkowski(_), Some(Some(p))) if p >= 1.0 => Ok(Measure::Minkowski(p)),
            (Measure::Minkowski(_), _) => Err(wrong("a power of 1 or more, as minkowski:3".into())),
            (Measure::Aitchison(_), Some(Some(add))) if add > 0.0 => Ok(Measure::Aitchison(add)),
            (measure, None) => Ok(measure),
            (Measure::Aitchison(_), Some(_)) => Err(wrong("a number above 0 to add, as aitchison:0.5".into())),
            (_, Some(_)) => Err(wrong(format!("`{}` without a number", found.name))),
        }
    }
}

/// A name without what people write differently.
fn plain(name: &str) -> String {
    name.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_read_back_and_no_two_mean_the_same() {
        let mut seen = std::collections::HashSet::new();
        for named in MEASURES {
            for name in std::iter::once(&named.name).chain(named.aliases) {
                assert!(seen.insert(plain(name)), "{name} twice");
                if !matches!(named.measure, Measure::Minkowski(_)) {
                    assert_eq!(name.parse::<Measure>().unwrap(), named.measure);
                }
            }
        }
        assert_eq!("minkowski:3".parse::<Measure>().unwrap().to_string(), "minkowski:3");
        assert_eq!("aitchison:0.5".parse::<Measure>().unwrap(), Measure::Aitchison(0.5));
        for (bad, words) in [("minkowski", "a power"), ("bray-curtiss", "`bray-curtis`"), ("gower:2", "without")] {
            let e = bad.parse::<Measure>().unwrap_err().to_string();
            assert!(e.contains(words), "{e}");
        }
    }
}
