//! What can be gathered over the columns of two rows, each compiled as its own loop.

use super::Gather;

/// A number for two rows `x` and `y`, from their columns.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Over {
    /// `Σ |x - y|`
    Differences,
    /// `Σ (x - y)²`
    Squares,
    /// `max |x - y|`
    Largest,
    /// `Σ |x - y|ᵖ`
    Powers(f64),
    /// `Σ x y`
    Products,
    /// `Σ min(x, y)`
    Least,
    /// `Σ |x - y| / (|x| + |y|)`, where both are 0 nothing.
    Ratios,
    /// The mean of `|x - y| / (|x| + |y|)` over the columns that are not 0 in both.
    MeanRatio,
    /// The root of the mean of `((x - y) / (x + y))²` over the columns that are not 0 in both.
    RootMeanSquareRatio,
    /// The mean of `|x - y|` over the columns that are not 0 in both.
    MeanDifference,
    /// `Σ x ln(2x / (x + y)) + y ln(2y / (x + y))`, where both are 0 nothing.
    Divergence,
    /// The same with each column over its `x + y`.
    MeanDivergence,
    /// The mean over the columns that are not 0 in both of `ln((x + y) / 2) - (x ln y + y ln x) / (x + y)`, numbers below 0.1
    /// taken as 0.1.
    LogMean,
    /// `Σ |x - y|ᵖ` over the columns where neither is NaN, scaled up to all columns; NaN where there is none.
    KnownPowers(f64),
    /// `max |x - y|` over the columns where neither is NaN; NaN where there is none.
    KnownLargest,
    /// `Σ |x - y|` over the columns where neither is NaN.
    KnownDifferences,
    /// How many columns differ among those where neither is NaN.
    KnownUnlike,
    /// In how many columns neither is NaN.
    KnownCount,
}

macro_rules! gathers {
    ($($(#[$m:meta])* $name:ident $(($p:ident))? : $s:literal,
        |$acc:ident, $x:ident, $y:ident $(, $q:ident)?| $step:expr, |$out:ident $(, $r:ident)?| $end:expr;)*) => {
        $(#[derive(Clone, Copy)]
        pub(super) struct $name $((pub(super) $p))?;
        impl Gather<$s> for $name {
            #[inline(always)]
            fn step(self, $acc: [f64; $s], $x: f64, $y: f64) -> [f64; $s] {
                $(let $q = self.0;)?
                $step
            }
            #[inline(always)]
            fn end(self, $out: [f64; $s]) -> f64 {
                $(let $r = self.0;)?
                $end
            }
        })*
    };
}

#[inline(always)]
fn when(yes: bool, value: f64) -> f64 {
    if yes { value } else { 0.0 }
}

/// `x ln(x / m)`, 0 where x is.
#[inline(always)]
fn entropy(x: f64, m: f64) -> f64 {
    if x > 0.0 { x * (x / m).ln() } else { 0.0 }
}

gathers! {
    Differences: 1, |a, x, y| [a[0] + (x - y).abs()], |a| a[0];
    Squares: 1, |a, x, y| [a[0] + (x - y) * (x - y)], |a| a[0];
    Powers(f64): 1, |a, x, y, p| [a[0] + (x - y).abs().powf(p)], |a| a[0];
    Products: 1, |a, x, y| [a[0] + x * y], |a| a[0];
    Least: 1, |a, x, y| [a[0] + if x < y { x } else { y }], |a| a[0];
    Ratios: 1, |a, x, y| {
        let (d, s) = ((x - y).abs(), x.abs() + y.abs());
        [a[0] + when(s > 0.0, d / s)]
    }, |a| a[0];
    MeanRatio: 2, |a, x, y| {
        let (d, s) = ((x - y).abs(), x.abs() + y.abs());
        [a[0] + when(s > 0.0, d / s), a[1] + when(s > 0.0, 1.0)]
    }, |a| a[0] / a[1];
    RootMeanSquareRatio: 2, |a, x, y| {
        let r = (x - y) / (x + y);
        let some = x != 0.0 || y != 0.0;
        [a[0] + when(some, r * r), a[1] + when(some, 1.0)]
    }, |a| (a[0] / a[1]).sqrt();
    MeanDifference: 2, |a, x, y| {
        let some = x != 0.0 || y != 0.0;
        [a[0] + (x - y).abs(), a[1] + when(some, 1.0)]
    }, |a| a[0] / a[1];
    Divergence: 1, |a, x, y| {
        let m = 0.5 * (x + y);
        [a[0] + (entropy(x, m) + entropy(y, m))]
    }, |a| a[0];
    MeanDivergence: 1, |a, x, y| {
        let s = x + y;
        [a[0] + when(s > 0.0, (entropy(x, 0.5 * s) + entropy(y, 0.5 * s)) / s)]
    }, |a| a[0];
    LogMean: 2, |a, x, y| {
        let some = x != 0.0 || y != 0.0;
        let (x, y) = (x.max(0.1), y.max(0.1));
        let s = x + y;
        let term = s.ln() - std::f64::consts::LN_2 - (x * y.ln() + y * x.ln()) / s;
        [a[0] + when(some, term), a[1] + when(some, 1.0)]
    }, |a| a[0] / a[1];
    KnownPowers(f64): 3, |a, x, y, p| {
        let d = (x - y).abs().powf(p);
        let known = !d.is_nan();
        [a[0] + when(known, d), a[1] + when(known, 1.0), a[2] + 1.0]
    }, |a| a[0] * (a[2] / a[1]);
    KnownDifferences: 1, |a, x, y| {
        let d = (x - y).abs();
        [a[0] + when(!d.is_nan(), d)]
    }, |a| a[0];
    KnownUnlike: 1, |a, x, y| [a[0] + when(!(x - y).is_nan() && x != y, 1.0)], |a| a[0];
    KnownCount: 1, |a, x, y| [a[0] + when(!(x - y).is_nan(), 1.0)], |a| a[0];
}

/// The largest difference is no sum.
#[derive(Clone, Copy)]
pub(super) struct Largest;
impl Gather<1> for Largest {
    #[inline(always)]
    fn step(self, a: [f64; 1], x: f64, y: f64) -> [f64; 1] {
        let d = (x - y).abs();
        [if d > a[0] { d } else { a[0] }]
    }
    #[inline(always)]
    fn join(self, a: [f64; 1], b: [f64; 1]) -> [f64; 1] {
        [if b[0] > a[0] { b[0] } else { a[0] }]
    }
    #[inline(always)]
    fn end(self, a: [f64; 1]) -> f64 {
        a[0]
    }
}

/// The largest known difference, and how many are known.
#[derive(Clone, Copy)]
pub(super) struct KnownLargest;
impl Gather<2> for KnownLargest {
    #[inline(always)]
    fn step(self, a: [f64; 2], x: f64, y: f64) -> [f64; 2] {
        let d = (x - y).abs();
        [if d > a[0] { d } else { a[0] }, a[1] + when(!d.is_nan(), 1.0)]
    }
    #[inline(always)]
    fn join(self, a: [f64; 2], b: [f64; 2]) -> [f64; 2] {
        [if b[0] > a[0] { b[0] } else { a[0] }, a[1] + b[1]]
    }
    #[inline(always)]
    fn end(self, a: [f64; 2]) -> f64 {
        if a[1] > 0.0 { a[0] } else { f64::NAN }
    }
}

/// Calls the expression with the loop of its own that each kind has.
macro_rules! with {
    ($what:expr, |$gather:ident| $body:expr) => {{
        use crate::rowpairs::over;
        match $what {
            Over::Differences => {
                let $gather = over::Differences;
                $body
            }
            Over::Squares => {
                let $gather = over::Squares;
                $body
            }
            Over::Largest => {
                let $gather = over::Largest;
                $body
            }
            Over::Powers(p) => {
                let $gather = over::Powers(p);
                $body
            }
            Over::Products => {
                let $gather = over::Products;
                $body
            }
            Over::Least => {
                let $gather = over::Least;
                $body
            }
            Over::Ratios => {
                let $gather = over::Ratios;
                $body
            }
            Over::MeanRatio => {
                let $gather = over::MeanRatio;
                $body
            }
            Over::RootMeanSquareRatio => {
                let $gather = over::RootMeanSquareRatio;
                $body
            }
            Over::MeanDifference => {
                let $gather = over::MeanDifference;
                $body
            }
            Over::Divergence => {
                let $gather = over::Divergence;
                $body
            }
            Over::MeanDivergence => {
                let $gather = over::MeanDivergence;
                $body
            }
            Over::LogMean => {
                let $gather = over::LogMean;
                $body
            }
            Over::KnownPowers(p) => {
                let $gather = over::KnownPowers(p);
                $body
            }
            Over::KnownLargest => {
                let $gather = over::KnownLargest;
                $body
            }
            Over::KnownDifferences => {
                let $gather = over::KnownDifferences;
                $body
            }
            Over::KnownUnlike => {
                let $gather = over::KnownUnlike;
                $body
            }
            Over::KnownCount => {
                let $gather = over::KnownCount;
                $body
            }
        }
    }};
}
pub(super) use with;
