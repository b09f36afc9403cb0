//! Repeated measurements: several values of one pair, from several sources, before they are merged.

use nearer_num::{packed, rng::Rng};

use crate::error::Error;
use crate::evidence::{Bound, Distances, Repeats};
use crate::object::{Objects, Pair};

/// One measured value of one pair.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Measurement {
    /// The pair.
    pub pair: Pair,
    /// The value.
    pub value: f64,
    /// Its weight; 1 where none is given.
    pub weight: f64,
    /// What the value says.
    pub bound: Bound,
    /// Who measured it: an index into [`Measurements::sources`].
    pub source: u32,
}

/// All measurements of a study, row by row. [`merged`](Measurements::merged) makes [`Distances`] of them;
/// [`resampled`](Measurements::resampled) draws the sources anew, which is what a bootstrap over participants needs.
#[derive(Debug, Clone)]
pub struct Measurements {
    objects: Objects,
    sources: Vec<String>,
    rows: Vec<Measurement>,
}

impl Measurements {
    /// Rows of measurements. `sources` names who measured (one name for all where nobody is named).
    #[must_use]
    pub fn new(objects: Objects, sources: Vec<String>, rows: Vec<Measurement>) -> Self {
        Measurements { objects, sources, rows }
    }
    /// The objects.
    #[must_use]
    pub fn objects(&self) -> &Objects {
        &self.objects
    }
    /// Who measured.
    #[must_use]
    pub fn sources(&self) -> &[String] {
        &self.sources
    }
    /// The rows.
    #[must_use]
    pub fn rows(&self) -> &[Measurement] {
        &self.rows
    }

    /// One weighted mean a pair. For least squares this loses nothing: `Σ w (v - d)²` over the repeats of a pair is
    /// `W (mean - d)²` plus a constant, which is kept as the pure error. Beside an exact value a bound is set aside;
    /// of several bounds the tightest stays.
    pub fn merged(&self) -> Result<Distances, Error> {
        self.merge(|_| 1.0)
    }

    /// Merged after drawing the sources anew, with replacement.
    pub fn resampled(&self, rng: &mut Rng) -> Result<Distances, Error> {
        let mut times = vec![0.0; self.sources.len()];
        for _ in 0..times.len() {
            times[rng.below(self.sources.len())] += 1.0;
        }
        self.merge(|source| times[source])
    }

    /// The distances of one source alone.
    pub fn of_source(&self, source: usize) -> Result<Distances, Error> {
        self.merge(|s| f64::from(u8::from(s == source)))
    }

    fn merge(&self, times: impl Fn(usize) -> f64) -> Result<Distances, Error> {
        let n = self.objects.len();
        let len = packed::len(n);
        let mut sum = vec![0.0; len];
        let mut weight = vec![0.0; len];
        let mut bounds: Vec<Option<(Bound, f64, f64)>> = vec![None; len];
        let mut count = vec![0u32; len];
        let mut repeats = Repeats::default();
        let at = |m: &Measurement| packed::index(n, m.pair.first().index(), m.pair.second().index());
        for m in &self.rows {
            let (k, w) = (at(m), m.weight * times(m.source as usize));
            if w == 0.0 {
                continue;
            }
            repeats.rows += 1;
            count[k] += 1;
            if m.bound == Bound::Exact {
                sum[k] += w * m.value;
                weight[k] += w;
            } else {
                bounds[k] = Some(match bounds[k] {
                    None => (m.bound, m.value, w),
                    Some(old) => {
                        repeats.bounds_set_aside += 1;
                        tighter(old, (m.bound, m.value, w))
                    }
                });
            }
        }
        repeats.pairs = count.iter().filter(|c| **c > 1).count();
        let mut kinds = vec![Bound::Exact; len];
        let mut censored = false;
        for k in 0..len {
            if weight[k] > 0.0 {
                sum[k] /= weight[k];
                repeats.bounds_set_aside += usize::from(bounds[k].is_some());
            } else if let Some((bound, value, w)) = bounds[k] {
                (sum[k], weight[k], kinds[k]) = (value, w, bound);
                censored = true;
            }
        }
        for m in &self.rows {
            let k = at(m);
            if m.bound == Bound::Exact && kinds[k] == Bound::Exact && weight[k] > 0.0 {
                repeats.pure_error += m.weight * times(m.source as usize) * (m.value - sum[k]).powi(2);
            }
        }
        let weights = weight.iter().any(|w| *w != 1.0).then_some(weight);
        Distances::from_parts(self.objects.clone(), sum, weights, censored.then_some(kinds), repeats)
    }
}

/// The bound that says more; of two different kinds the first stays.
fn tighter(old: (Bound, f64, f64), new: (Bound, f64, f64)) -> (Bound, f64, f64) {
    let says_more = match old.0 {
        Bound::AtMost => new.1 < old.1,
        _ => new.1 > old.1,
    };
    if old.0 == new.0 && says_more { new } else { old }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::object::Item;

    fn row(a: u32, b: u32, value: f64, weight: f64, bound: Bound, source: u32) -> Measurement {
        Measurement { pair: Pair::new(Item(a), Item(b)).unwrap(), value, weight, bound, source }
    }

    #[test]
    fn repeats_become_a_weighted_mean_and_keep_their_pure_error() {
        let rows = vec![row(0, 1, 1.0, 1.0, Bound::Exact, 0), row(1, 0, 4.0, 2.0, Bound::Exact, 1)];
        let d = Measurements::new(Objects::numbered(3), vec!["p".into(), "q".into()], rows).merged().unwrap();
        assert_eq!(d.between(0, 1), Some(3.0));
        assert_eq!(d.weight_at(0), 3.0);
        assert_eq!(d.repeats().pure_error, 4.0 + 2.0);
        assert_eq!((d.repeats().pairs, d.missing()), (1, 2));
    }

    #[test]
    fn the_tightest_bound_stays_and_gives_way_to_a_value() {
        let rows = vec![
            row(0, 1, 10.0, 1.0, Bound::AtMost, 0),
            row(0, 1, 5.0, 1.0, Bound::AtMost, 0),
            row(0, 2, 5.0, 1.0, Bound::AtLeast, 0),
            row(0, 2, 7.0, 1.0, Bound::Exact, 0),
        ];
        let d = Measurements::new(Objects::numbered(3), vec![String::new()], rows).merged().unwrap();
        assert_eq!(d.bounds().unwrap()[..2], [Bound::AtMost, Bound::Exact]);
        assert_eq!(d.condensed()[..2], [5.0, 7.0]);
        assert_eq!(d.repeats().bounds_set_aside, 2);
    }
}
