//! The measures by name: what each is called, here and elsewhere, its formula, and what it asks of the table.

use super::Measure;

/// A measure and what is said of it.
#[derive(Debug, Clone, Copy)]
pub struct Named {
    /// The measure; of those with a number, any.
    pub measure: Measure,
    /// Its name here.
    pub name: &'static str,
    /// What else people type.
    pub aliases: &'static [&'static str],
    /// What it computes.
    pub formula: &'static str,
    /// What the numbers must be.
    pub asks: Asks,
}

/// What a measure asks of the numbers of a table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Asks {
    /// Any numbers.
    Any,
    /// None below 0.
    NotNegative,
    /// Whole numbers, none below 0.
    Counts,
    /// Numbers and words.
    Mixed,
}

const fn row(
    measure: Measure,
    name: &'static str,
    aliases: &'static [&'static str],
    formula: &'static str,
    asks: Asks,
) -> Named {
    Named { measure, name, aliases, formula, asks }
}

use Asks::{Any, Counts, Mixed, NotNegative};
use Measure as M;

/// Every measure, in the order in which they are explained. `a` is how many columns are above 0 in both rows, `b` and `c` in one
/// of them only, `d` in neither.
pub const MEASURES: &[Named] = &[
    row(M::Euclidean, "euclidean", &["l2"], "sqrt(sum (x-y)^2)", Any),
    row(M::SquaredEuclidean, "squared-euclidean", &["sqeuclidean"], "sum (x-y)^2", Any),
    row(M::Manhattan, "manhattan", &["cityblock", "l1"], "sum |x-y|", Any),
    row(M::Chebyshev, "chebyshev", &["maximum", "linf"], "max |x-y|", Any),
    row(M::Minkowski(2.0), "minkowski", &[], "(sum |x-y|^p)^(1/p), written minkowski:p", Any),
    row(
        M::StandardisedEuclidean,
        "standardised-euclidean",
        &["seuclidean", "standardized-euclidean"],
        "sqrt(sum (x-y)^2/s^2), s the column's standard deviation",
        Any,
    ),
    row(M::Mahalanobis, "mahalanobis", &[], "sqrt((x-y)' S^-1 (x-y)), S the covariance of the columns", Any),
    row(M::Canberra, "canberra", &[], "sum |x-y|/(|x|+|y|), as scipy", Any),
    row(
        M::MeanCanberra,
        "mean-canberra",
        &["vegan-canberra"],
        "canberra over the columns not 0 in both, as vegan's canberra",
        NotNegative,
    ),
    row(M::Clark, "clark", &[], "sqrt(mean ((x-y)/(x+y))^2) over columns not 0 in both", NotNegative),
    row(M::Cosine, "cosine", &[], "1 - x.y/(|x||y|)", Any),
    row(M::Correlation, "correlation", &["pearson"], "1 - r", Any),
    row(M::Spearman, "spearman", &["rank-correlation"], "1 - r of the ranks in a row", Any),
    row(M::BrayCurtis, "bray-curtis", &["bray", "odum", "percentage-difference"], "sum |x-y|/sum (x+y)", NotNegative),
    row(
        M::Ruzicka,
        "ruzicka",
        &["quantitative-jaccard", "tanimoto"],
        "2B/(1+B) of bray-curtis B: vegan's jaccard of abundances",
        NotNegative,
    ),
    row(M::Kulczynski, "kulczynski", &[], "1 - (sum min/sum x + sum min/sum y)/2", NotNegative),
    row(M::Morisita, "morisita", &[], "1 - 2 sum xy/((lx+ly) sum x sum y), l = sum x(x-1)/(sum x (sum x-1))", Counts),
    row(M::Horn, "horn", &["morisita-horn"], "1 - 2 sum xy/((lx+ly) sum x sum y), l = sum x^2/(sum x)^2", NotNegative),
    row(M::Binomial, "binomial", &["millar"], "sum (x ln(x/n) + y ln(y/n) - n ln(1/2))/n, n = x+y", NotNegative),
    row(M::Cao, "cao", &["cyd"], "mean of ln((x+y)/2) - (x ln y + y ln x)/(x+y), below 0.1 taken as 0.1", NotNegative),
    row(M::Chord, "chord", &[], "euclidean of rows scaled to length 1", NotNegative),
    row(M::Hellinger, "hellinger", &[], "euclidean of the roots of the shares in a row", NotNegative),
    row(
        M::ChiSquare,
        "chi-square",
        &["chisq", "chi2"],
        "sqrt(sum (x/X - y/Y)^2 T/c), X, Y the rows' sums, c the column's, T all (not the chi-square kernel)",
        NotNegative,
    ),
    row(
        M::Aitchison(0.0),
        "aitchison",
        &["clr"],
        "euclidean of centred logarithms; aitchison:0.5 adds 0.5 to each number first",
        NotNegative,
    ),
    row(M::RobustAitchison, "robust-aitchison", &["rclr"], "aitchison of what is above 0, the rest at 0", NotNegative),
    row(
        M::JensenShannon,
        "jensen-shannon",
        &["js"],
        "sqrt((KL(p,m) + KL(q,m))/2) of the shares in a row, m their mean",
        NotNegative,
    ),
    row(
        M::Jaccard,
        "jaccard",
        &["jaccard-presence"],
        "presence: (b+c)/(a+b+c); of abundances it is called ruzicka",
        NotNegative,
    ),
    row(M::Sorensen, "sorensen", &["dice", "sorensen-dice"], "presence: (b+c)/(2a+b+c)", NotNegative),
    row(M::Ochiai, "ochiai", &[], "presence: 1 - a/sqrt((a+b)(a+c))", NotNegative),
    row(M::SimpleMatching, "simple-matching", &["sokal-michener"], "presence: (b+c)/(a+b+c+d)", NotNegative),
    row(M::RogersTanimoto, "rogers-tanimoto", &[], "presence: 2(b+c)/(a+2(b+c)+d)", NotNegative),
    row(M::RussellRao, "russell-rao", &[], "presence: (b+c+d)/(a+b+c+d)", NotNegative),
    row(M::SokalSneath, "sokal-sneath", &[], "presence: 2(b+c)/(a+2(b+c))", NotNegative),
    row(M::Yule, "yule", &[], "presence: 2bc/(ad+bc)", NotNegative),
    row(M::Hamming, "hamming", &["matching"], "the share of columns that differ, of numbers or words", Mixed),
    row(
        M::Gower,
        "gower",
        &["daisy"],
        "mean of |x-y|/range, or of whether two words differ, over the columns known in both",
        Mixed,
    ),
    row(M::AltGower, "alt-gower", &["alternative-gower"], "mean of |x-y| over the columns not 0 in both", NotNegative),
];
