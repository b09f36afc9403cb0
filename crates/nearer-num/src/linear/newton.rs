//! Newton steps of interior-point methods, whose systems are barely definite near the end: factors that exist, solutions as good as they
//! can be, and lengths that stop short of the boundary.

use std::cmp::Ordering;

use super::factor;

/// So often a matrix is assembled and tried.
const TRIES: usize = 6;
/// By how much the diagonal is raised at first, as a share of itself (some fifty roundings), and by how many times more each
/// time after that. Chosen by trial; not swept.
const RAISE: f64 = 1e-14;
const RAISE_MORE: f64 = 100.0;
/// A correction that leaves more than this share of the residual is no longer one: the factor has given what it has.
const GAIN: f64 = 0.7;

/// The Cholesky factor of the matrix that `assemble` adds up in columns of `size` zeros, with the diagonal raised a little where
/// there is none otherwise; `None` where that does not help either.
pub(crate) fn factorised(size: usize, mut storage: Vec<f64>, assemble: impl Fn(&mut [f64])) -> Option<Vec<f64>> {
    let mut raise = 0.0;
    for _ in 0..TRIES {
        storage.clear();
        storage.resize(size * size, 0.0);
        assemble(&mut storage);
        (0..size).for_each(|k| storage[k * size + k] *= 1.0 + raise);
        if factor::cholesky(&mut storage, size) {
            return Some(storage);
        }
        raise = if raise == 0.0 { RAISE } else { raise * RAISE_MORE };
    }
    None
}

/// A solution corrected at most `times`, until no entry of what is left of its right-hand side is above `goal`, and as long as
/// that helps.
pub(crate) fn refined<X>(
    mut x: X,
    (goal, times): (f64, usize),
    left: impl Fn(&X) -> Vec<f64>,
    corrected: impl Fn(&X, Vec<f64>) -> X,
) -> X {
    let mut rest = left(&x);
    for _ in 0..times {
        let before = largest(&rest);
        if before <= goal {
            break;
        }
        let tried = corrected(&x, rest);
        rest = left(&tried);
        // Written so that what is not a number ends it too.
        if largest(&rest).partial_cmp(&(GAIN * before)) != Some(Ordering::Less) {
            break;
        }
        x = tried;
    }
    x
}

/// A step goes this share of the way to the boundary, and nearer to it by as much more as it is nearly whole: .99 at last, Mehrotra's
/// usual choice.
const CAREFUL: f64 = 0.9;
const BOLDER: f64 = 0.09;

/// The lengths of a step that could go this far on either side: short of the boundary, and no more than the whole of it.
pub(crate) fn shortened(p: f64, d: f64) -> (f64, f64) {
    let short = CAREFUL + BOLDER * p.min(d).min(1.0);
    ((short * p).min(1.0), (short * d).min(1.0))
}

/// The largest entry by size.
pub(crate) fn largest(v: &[f64]) -> f64 {
    v.iter().fold(0.0, |m: f64, v| m.max(v.abs()))
}
