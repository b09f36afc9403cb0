//! Which training objects span a map: drawn once, by the seed, for whoever fits and whoever checks.

use nearer_num::rng::Rng;

use super::Kernels;

/// `count` of the objects, in order: at random, or the first at random and then always the one farthest from those picked, in the
/// distances of the kernels. All of them where there are no more.
#[must_use]
pub(crate) fn spanning_objects(kernels: &Kernels, count: usize, spread: bool, seed: u64) -> Vec<usize> {
    let n = kernels.objects().len();
    if count >= n {
        return (0..n).collect();
    }
    let mut picked = random(n, if spread { 1 } else { count }, seed);
    if !spread {
        return picked;
    }
    let mut nearest: Vec<f64> = (0..n).map(|i| kernels.squared_distance(i, picked[0])).collect();
    while picked.len() < count {
        let far = (0..n).fold(0, |best, i| if nearest[i] > nearest[best] { i } else { best });
        picked.push(far);
        nearest.iter_mut().enumerate().for_each(|(i, d)| *d = d.min(kernels.squared_distance(i, far)));
        nearest[far] = f64::NEG_INFINITY;
    }
    picked.sort_unstable();
    picked.dedup();
    picked
}

/// `count` of `n`, drawn at random, in order.
fn random(n: usize, count: usize, seed: u64) -> Vec<usize> {
    let mut rng = Rng::task(seed, 0x6261_7369);
    let mut all: Vec<usize> = (0..n).collect();
    for k in 0..count.min(n) {
        let other = k + rng.below(n - k);
        all.swap(k, other);
    }
    all.truncate(count.min(n));
    all.sort_unstable();
    all
}
