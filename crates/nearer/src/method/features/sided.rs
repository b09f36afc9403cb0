//! Pairs alike and pairs not alike, as learners take them: given, or drawn from classes.

use crate::error::Error;
use crate::evidence::{Features, Pairs, Sorts, sampled_pairs};
use crate::method::features::groups::{Groups, places};
use crate::method::table::{Kind, Parameter};
use crate::report::FitReport;

/// How many pairs are drawn from classes.
pub(crate) const PAIRS: Parameter = Parameter::auto("pairs", Kind::Count { min: 1, max: 100_000_000 })
    .says("from classes, pairs of each kind that are drawn by the seed; auto takes ten an object, or all there are");

/// Pairs of each kind, an object, that `auto` draws.
pub(crate) const PAIRS_AN_OBJECT: usize = 10;

/// Two rows and a weight.
pub(crate) type Weighted = (u32, u32, f64);

/// Pairs by row, with weights.
pub(crate) struct Sided {
    pub(crate) similar: Vec<Weighted>,
    pub(crate) dissimilar: Vec<Weighted>,
    /// How many of each kind were to be drawn, where they were not given.
    pub(crate) drawn: Option<usize>,
}

impl Sided {
    /// The pairs as they were given, each answer once.
    pub(crate) fn given(pairs: &Pairs, features: &Features) -> Result<Self, Error> {
        let at = places(pairs.plain("a metric")?.objects(), features.objects())?;
        let step = if pairs.is_mirrored() { 2 } else { 1 };
        let (mut similar, mut dissimilar) = (Vec::new(), Vec::new());
        for row in pairs.iter().step_by(step) {
            let (a, b) = (at[row.from.index()] as u32, at[row.to.index()] as u32);
            let list = if row.similar { &mut similar } else { &mut dissimilar };
            list.push((a.min(b), a.max(b), row.weight));
        }
        Ok(Sided { similar, dissimilar, drawn: None })
    }
    /// Pairs drawn from classes by the seed: so many of each kind, or as many as there are.
    pub(crate) fn drawn(sorts: &Sorts, features: &Features, asked: Option<usize>, seed: u64) -> Result<Self, Error> {
        let groups = Groups::of_classes(sorts, features.objects(), 2)?;
        let count = asked.unwrap_or(PAIRS_AN_OBJECT * groups.of.len());
        let (similar, dissimilar) = sampled_pairs(features.objects(), &groups.of, count, seed);
        let weighted = |list: Vec<(u32, u32)>| list.into_iter().map(|(a, b)| (a, b, 1.0)).collect();
        Ok(Sided { similar: weighted(similar), dissimilar: weighted(dissimilar), drawn: Some(count) })
    }
    /// Tells the report how many there were: of which kind `counts` says, the first the similar ones.
    pub(crate) fn tell(&self, report: &mut FitReport, asked: Option<usize>, counts: (usize, usize)) {
        if asked.is_none() || self.drawn.is_some() {
            report.became("pairs", self.drawn.unwrap_or(counts.0 + counts.1));
        }
        *report = report.clone().figure("similar", counts.0).figure("dissimilar", counts.1);
        if self.drawn.is_some() {
            *report = report.clone().figure("drawn", true);
        }
    }
}
