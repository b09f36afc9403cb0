//! Percentile intervals: people, or answers, drawn anew.

use std::collections::BTreeMap;

use nearer_num::rng::Rng;
use nearer_num::{binomial, par};

use crate::error::Error;
use crate::evidence::{Comparisons, Pairs};
use crate::report::{Interval, Unit};
use crate::solve::Run;

/// Keeps these random numbers apart from those of fits with the same seed.
const STREAM: u64 = 0x1B7E_54A1;

const LEVEL: f64 = 0.95;

/// Which rows are drawn together.
#[derive(Debug)]
pub(super) struct Units {
    unit: Unit,
    /// The unit of each row.
    of_row: Vec<usize>,
    count: usize,
}

impl Units {
    pub(super) fn of_comparisons(c: &Comparisons) -> Units {
        let who = |row: usize| c.answered(row).and_then(|a| a.participant);
        Units::new(c.len(), who, |row| c.trial_of(row).unwrap_or(row))
    }
    pub(super) fn of_pairs(pairs: &Pairs) -> Units {
        let answer = |row: usize| row / pairs.per_answer();
        Units::new(pairs.len(), |row| pairs.rows()[row].participant, answer)
    }

    /// Participants where two at least are known, else answers. A row of an unknown participant stays with its answer.
    fn new(rows: usize, who: impl Fn(usize) -> Option<u32>, answer: impl Fn(usize) -> usize) -> Units {
        let first = (0..rows).find_map(&who);
        let several = (0..rows).filter_map(&who).any(|w| Some(w) != first);
        let key = |row: usize| match who(row).filter(|_| several) {
            Some(who) => (0, who as usize),
            None => (1, answer(row)),
        };
        let mut numbers = BTreeMap::new();
        let of_row = (0..rows)
            .map(|row| {
                let next = numbers.len();
                *numbers.entry(key(row)).or_insert(next)
            })
            .collect();
        Units { unit: if several { Unit::Participants } else { Unit::Answers }, of_row, count: numbers.len() }
    }

    /// How many units there are of each kind: rows, and satisfied rows.
    fn kinds(&self, satisfied: impl Fn(usize) -> bool) -> Vec<([u64; 2], u64)> {
        let mut units = vec![[0, 0]; self.count];
        for (row, &unit) in self.of_row.iter().enumerate() {
            units[unit][0] += 1;
            units[unit][1] += u64::from(satisfied(row));
        }
        let mut kinds = BTreeMap::new();
        units.into_iter().for_each(|kind| *kinds.entry(kind).or_insert(0) += 1);
        kinds.into_iter().collect()
    }
}

/// The interval between the 2.5th and the 97.5th percentile of the share satisfied.
pub(super) fn percentile_interval(
    units: &Units,
    satisfied: impl Fn(usize) -> bool,
    replicates: usize,
    run: &Run<'_>,
) -> Result<Option<Interval>, Error> {
    if replicates == 0 {
        return Err(Error::Parameter {
            name: "replicates".into(),
            value: "0".into(),
            expected: "a whole number, 1 or more".into(),
        });
    }
    if units.count < 2 {
        return Ok(None);
    }
    let kinds = units.kinds(satisfied);
    let one = |k: usize| drawn(&kinds, units.count as u64, &mut Rng::task(run.seed() ^ STREAM, k as u64));
    let mut shares = run.install(|| par::map(replicates, one));
    shares.sort_by(f64::total_cmp);
    let tail = (1.0 - LEVEL) / 2.0;
    let (low, high) = (quantile(&shares, tail), quantile(&shares, 1.0 - tail));
    Ok(Some(Interval { low, high, level: LEVEL, replicates, unit: units.unit, units: units.count }))
}

/// The share satisfied among units drawn with replacement: how many of each kind is multinomial, one binomial after another.
fn drawn(kinds: &[([u64; 2], u64)], units: u64, rng: &mut Rng) -> f64 {
    let (mut to_draw, mut of, mut rows, mut satisfied) = (units, units, 0, 0);
    for ([own_rows, own_satisfied], count) in kinds {
        let times = binomial::draw(rng, to_draw, *count as f64 / of as f64);
        (to_draw, of) = (to_draw - times, of - count);
        rows += times * own_rows;
        satisfied += times * own_satisfied;
    }
    satisfied as f64 / rows as f64
}

/// The quantile of sorted values, linear between them.
fn quantile(sorted: &[f64], q: f64) -> f64 {
    let at = q * (sorted.len() - 1) as f64;
    let (below, above) = (sorted[at.floor() as usize], sorted[at.ceil() as usize]);
    below + (at - at.floor()) * (above - below)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows_of(units: &[(usize, usize)]) -> (Units, Vec<bool>) {
        let (mut of_row, mut good) = (Vec::new(), Vec::new());
        for (unit, (rows, satisfied)) in units.iter().enumerate() {
            of_row.extend(std::iter::repeat_n(unit, *rows));
            good.extend((0..*rows).map(|k| k < *satisfied));
        }
        (Units { unit: Unit::Participants, of_row, count: units.len() }, good)
    }

    #[test]
    fn single_rows_give_the_quantiles_of_the_binomial() {
        // Without clusters the number satisfied is binomial, whose quantiles need no drawing.
        let (units, good) = rows_of(&(0..400).map(|k| (1, usize::from(k < 300))).collect::<Vec<_>>());
        let found = percentile_interval(&units, |r| good[r], 4000, &Run::seeded(5)).unwrap().unwrap();
        let exact = |q: f64| (0..=400).find(|&k| binomial::at_most(k, 400, 0.75) >= q).unwrap() as f64 / 400.0;
        assert!((found.low - exact(0.025)).abs() <= 1.5 / 400.0, "{found:?}");
        assert!((found.high - exact(0.975)).abs() <= 1.5 / 400.0, "{found:?}");
    }

    #[test]
    fn clusters_widen_the_interval_as_drawing_them_one_by_one_does() {
        let clusters: Vec<(usize, usize)> = (0..30).map(|k| (20 + k % 3, if k % 3 == 0 { 4 } else { 19 })).collect();
        let (units, good) = rows_of(&clusters);
        let found = percentile_interval(&units, |r| good[r], 4000, &Run::seeded(1)).unwrap().unwrap();
        let mut rng = Rng::task(77, 0);
        let mut plain: Vec<f64> = (0..4000)
            .map(|_| {
                let drawn: Vec<_> = (0..30).map(|_| clusters[rng.below(30)]).collect();
                drawn.iter().map(|c| c.1).sum::<usize>() as f64 / drawn.iter().map(|c| c.0).sum::<usize>() as f64
            })
            .collect();
        plain.sort_by(f64::total_cmp);
        assert!((found.low - plain[100]).abs() < 0.02 && (found.high - plain[3900]).abs() < 0.02, "{found:?}");
        let (single, good) =
            rows_of(&clusters.iter().flat_map(|c| (0..c.0).map(|k| (1, usize::from(k < c.1)))).collect::<Vec<_>>());
        let narrow = percentile_interval(&single, |r| good[r], 4000, &Run::seeded(1)).unwrap().unwrap();
        assert!(found.high - found.low > 2.0 * (narrow.high - narrow.low));
    }

    #[test]
    fn threads_change_no_bit_and_the_seed_does() {
        let (units, good) = rows_of(&(0..50).map(|k| (3, k % 4)).collect::<Vec<_>>());
        let told = |run: Run<'_>| percentile_interval(&units, |r| good[r], 200, &run).unwrap().unwrap();
        assert_eq!(told(Run::seeded(2)), told(Run::seeded(2).threads(2)));
        assert_ne!(told(Run::seeded(2)), told(Run::seeded(3)));
    }

    #[test]
    fn one_unit_has_no_interval() {
        let (units, good) = rows_of(&[(4, 2)]);
        assert!(percentile_interval(&units, |r| good[r], 10, &Run::default()).unwrap().is_none());
        assert!(percentile_interval(&units, |r| good[r], 0, &Run::default()).is_err());
    }
}
