//! From one kind of evidence to another: what can be said as comparisons or pairs, how many there would be, and what is
//! lost on the way.
//!
//! Most conversions multiply: a million similar and dissimilar pairs make a trillion comparisons. They are therefore sets
//! that know their size and give any of their members ([`ComparisonSet`]); nothing is written out before it is asked for.

mod clicks;
mod distances;
mod edge;
mod pairs;
mod sorts;
mod taxonomy;

use nearer_num::order;
use std::collections::HashSet;
use std::ops::Range;

use nearer_num::rng::Rng;

use crate::error::Error;
use crate::evidence::{Comparison, Comparisons};
use crate::object::Objects;

pub use clicks::Session;
pub use distances::{DistanceOrder, Tied};
pub use edge::{ConvertOptions, Converted};
pub use pairs::{PairOrder, Scope};
pub use taxonomy::TaxonomyOrder;

/// Comparisons that follow from other evidence, counted and numbered without being written out.
pub trait ComparisonSet {
    /// The objects that are compared.
    fn objects(&self) -> &Objects;
    /// How many comparisons there are.
    fn count(&self) -> u64;
    /// The k-th comparison, from 0.
    ///
    /// # Panics
    /// If there are not that many.
    fn get(&self, k: u64) -> Comparison;
    /// Ranges of numbers from which a sample takes equally many, as far as they go.
    fn strata(&self) -> Vec<Range<u64>> {
        std::iter::once(0..self.count()).collect()
    }

    /// All of them, one by one.
    fn iter(&self) -> impl Iterator<Item = Comparison> + '_ {
        (0..self.count()).map(|k| self.get(k))
    }

    /// All of them where there are at most `cap`, else a sample of that many without repetition: equally many of each
    /// stratum, and where one has too few for its share all of it. The same seed gives the same sample.
    fn comparisons(&self, cap: usize, seed: u64) -> Result<Comparisons, Error> {
        let rows = sample(&self.strata(), cap, seed).into_iter().map(|k| self.get(k)).collect();
        Comparisons::new(self.objects().clone(), rows)
    }
}

/// Which numbers of some ranges a sample of `cap` takes, in rising order of each range.
pub(crate) fn sample(strata: &[Range<u64>], cap: usize, seed: u64) -> Vec<u64> {
    let sizes: Vec<u64> = strata.iter().map(|r| r.end - r.start).collect();
    of_each(strata, &shares(&sizes, cap as u64), seed)
}

/// Which numbers of some ranges a sample takes that has so many of each, at most as many as there are, in rising order of each range.
pub(crate) fn of_each(strata: &[Range<u64>], quotas: &[u64], seed: u64) -> Vec<u64> {
    let mut taken = Vec::with_capacity(quotas.iter().sum::<u64>() as usize);
    for (task, (range, quota)) in strata.iter().zip(quotas.iter().copied()).enumerate() {
        let size = range.end - range.start;
        if quota == size {
            taken.extend(range.clone());
            continue;
        }
        // Floyd: each subset is as likely as any other, in memory of the sample alone.
        let (mut rng, mut chosen) = (Rng::task(seed, task as u64), HashSet::with_capacity(quota as usize));
        for last in size - quota..size {
            let k = rng.below(last as usize + 1) as u64;
            if !chosen.insert(k) {
                chosen.insert(last);
            }
        }
        let mut chosen: Vec<u64> = chosen.into_iter().map(|k| range.start + k).collect();
        chosen.sort_unstable();
        taken.extend(chosen);
    }
    taken
}

/// Shares of `cap` as equal as the sizes allow.
fn shares(sizes: &[u64], cap: u64) -> Vec<u64> {
    let mut order: Vec<usize> = (0..sizes.len()).collect();
    order::by_key(&mut order, &|&k| (sizes[k], k));
    let (mut left, mut shares) = (cap, vec![0; sizes.len()]);
    // Smallest first: what one of them cannot use is divided among the larger ones.
    for (done, &k) in order.iter().enumerate() {
        shares[k] = sizes[k].min(left / (sizes.len() - done) as u64);
        left -= shares[k];
    }
    shares
}

/// The block that a number falls into, and its number within the block, by where the blocks end.
pub(crate) fn locate(ends: &[u64], k: u64) -> (usize, u64) {
    let block = ends.partition_point(|&end| end <= k);
    let start = if block == 0 { 0 } else { ends[block - 1] };
    (block, k - start)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_are_as_equal_as_the_sizes_allow() {
        assert_eq!(shares(&[100, 2, 100], 12), [5, 2, 5]);
        assert_eq!(shares(&[3, 2], 100), [3, 2]);
        assert_eq!(shares(&[5, 5, 5], 7), [2, 2, 3]);
        assert_eq!(shares(&[], 7), [] as [u64; 0]);
    }

    /// Each of the numbers is taken about as often as any other, none twice, and the same seed takes the same.
    #[test]
    fn a_sample_is_uniform_and_without_repetition() {
        let mut times = [0u32; 20];
        for seed in 0..4000 {
            let taken = sample(std::slice::from_ref(&(10..30)), 5, seed);
            assert!(taken.len() == 5 && taken.windows(2).all(|w| w[0] < w[1]));
            taken.iter().for_each(|k| times[*k as usize - 10] += 1);
        }
        // Binomial with mean 1000 and standard deviation 27.4: five of them either way.
        assert!(times.iter().all(|t| t.abs_diff(1000) < 137), "{times:?}");
        let again = || sample(std::slice::from_ref(&(10..30)), 5, 7);
        assert_eq!(again(), again());
    }

    #[test]
    fn blocks_are_found_by_their_ends() {
        let ends = [2, 2, 5];
        let all: Vec<(usize, u64)> = (0..5).map(|k| locate(&ends, k)).collect();
        assert_eq!(all, [(0, 0), (0, 1), (2, 0), (2, 1), (2, 2)]);
    }
}
