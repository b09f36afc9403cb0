//! Evidence of any kind as comparisons or pairs, for the edges of the library, with words about what was done.

use crate::error::Error;
use crate::evidence::convert::{ComparisonSet, DistanceOrder, PairOrder, Scope, TaxonomyOrder, Tied};
use crate::evidence::{Comparisons, Evidence, Pairs, Part};

/// How evidence is turned into comparisons or pairs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ConvertOptions {
    /// At most this many are written out; of more a sample is drawn.
    pub cap: usize,
    /// The seed of the sample.
    pub seed: u64,
    /// Which pairs are held against each other, where pairs become comparisons.
    pub scope: Scope,
}

impl Default for ConvertOptions {
    fn default() -> Self {
        ConvertOptions { cap: 1_000_000, seed: 0, scope: Scope::Everywhere }
    }
}

/// Evidence of another kind, and what was done to get it.
#[derive(Debug, Clone)]
pub struct Converted<T> {
    /// The result.
    pub evidence: T,
    /// What was done and what was lost, a sentence each; nothing where nothing was done.
    pub said: Vec<String>,
}

impl Evidence {
    /// What the evidence says as comparisons. Comparisons are given back as they are.
    ///
    /// | from | comparisons | what is lost |
    /// |---|---|---|
    /// | pairs | every similar pair nearer than every dissimilar one, or per object ([`PairOrder`]) | who said it |
    /// | distances | each level of equal distances nearer than the next ([`DistanceOrder`]) | all sizes |
    /// | taxonomy | those of one branch nearer than those of another ([`TaxonomyOrder`]) | names of inner nodes |
    /// | sorts | those of one pile nearer than those of another ([`Sorts::triplets`](crate::Sorts::triplets)) | the partition |
    ///
    /// ```
    /// use nearer::evidence::ConvertOptions;
    /// use nearer::{Evidence, toy};
    /// # fn main() -> Result<(), nearer::Error> {
    /// let converted = Evidence::Distances(toy::cities()).to_comparisons(&ConvertOptions::default())?;
    /// assert_eq!(converted.evidence.objects().len(), 21);
    /// println!("{}", converted.said.join("; "));
    /// # Ok(()) }
    /// ```
    pub fn to_comparisons(&self, options: &ConvertOptions) -> Result<Converted<Comparisons>, Error> {
        let ConvertOptions { cap, seed, scope } = *options;
        match self {
            Evidence::Comparisons(c) => Ok(Converted { evidence: c.clone(), said: Vec::new() }),
            Evidence::Pairs(pairs) => {
                let order = PairOrder::new(pairs, scope);
                if order.count() == 0 {
                    return Err(Error::Evidence {
                        what: "no similar pair can be held against a dissimilar one".into(),
                        remedy: "comparisons need pairs of both kinds, some alike and some not, about the same objects"
                            .into(),
                    });
                }
                let how = match scope {
                    Scope::Everywhere => "every similar pair is nearer than every dissimilar pair",
                    Scope::PerObject => "those like an object are nearer to it than those unlike it",
                };
                let mut converted = drawn(&order, how, options)?;
                if order.drawn() + order.outvoted() > 0 {
                    converted.said.push(format!(
                        "{} pairs answered both ways count for the heavier side, {} with equal weight for nothing",
                        order.outvoted(),
                        order.drawn()
                    ));
                }
                Ok(converted)
            }
            Evidence::Distances(d) => {
                let all = DistanceOrder::new(d, Tied::All);
                if all.count() <= cap as u64 {
                    return drawn(&all, "each pair is nearer than those of the next larger distance", options);
                }
                // A sample would tear the chain of levels apart; one representative a level keeps it.
                let chain = DistanceOrder::new(d, Tied::Chain);
                let evidence = chain.comparisons(usize::MAX >> 1, seed)?;
                let said = format!(
                    "{} comparisons: of each level of equal distances the first pair is held against the next level ({} for all pairs would be too many)",
                    evidence.len(),
                    all.count()
                );
                Ok(Converted { evidence, said: vec![said] })
            }
            Evidence::Taxonomy(tree) => {
                let order = TaxonomyOrder::new(tree)?;
                let how =
                    "those of one branch are nearer to each other than to those of another, with margins 2^(depth - 1)";
                drawn(&order, &format!("{how}{}", of_each(&order.strata(), cap)), options)
            }
            Evidence::Sorts(sorts) => {
                let evidence = sorts.triplets(cap, seed)?.comparisons();
                let said = format!(
                    "{} comparisons{}: an object is nearer to one of its own group than to one of another, an assessor at a time",
                    evidence.len(),
                    if evidence.len() == cap { ", a sample" } else { "" }
                );
                Ok(Converted { evidence, said: vec![said] })
            }
            other => Err(cannot(other.kind(), "comparisons", "give distances between all objects")),
        }
    }

    /// What the evidence says as pairs that are alike or not: sorts by [`Sorts::pairs`](crate::Sorts::pairs), a taxonomy by
    /// its lowest level alone ([`Taxonomy::classes`](crate::Taxonomy::classes)). Pairs are given back as they are.
    ///
    /// Comparisons and distances have no threshold between alike and not, and are refused.
    pub fn to_pairs(&self, options: &ConvertOptions) -> Result<Converted<Pairs>, Error> {
        let (sorts, how) = match self {
            Evidence::Pairs(pairs) => return Ok(Converted { evidence: pairs.clone(), said: Vec::new() }),
            Evidence::Sorts(sorts) => (sorts.clone(), "those of one group are alike, the others are not"),
            Evidence::Taxonomy(tree) => {
                (tree.classes(), "those under one parent are alike, the others are not; higher levels are left out")
            }
            other => {
                let remedy = "nothing in it says where alike ends; say which pairs are alike, or use a method that takes it as it is";
                return Err(cannot(other.kind(), "pairs", remedy));
            }
        };
        let evidence = sorts.pairs(options.cap, options.seed)?;
        let sampled = if evidence.len() == 2 * options.cap { ", a sample" } else { "" };
        let said = format!("{} pairs{sampled}: {how}", evidence.len() / 2);
        Ok(Converted { evidence, said: vec![said] })
    }
}

fn drawn(set: &impl ComparisonSet, how: &str, options: &ConvertOptions) -> Result<Converted<Comparisons>, Error> {
    let evidence = set.comparisons(options.cap, options.seed)?;
    let of = if (evidence.len() as u64) < set.count() { format!(" of {}", set.count()) } else { String::new() };
    Ok(Converted { said: vec![format!("{}{of} comparisons: {how}", evidence.len())], evidence })
}

/// How a sample of a taxonomy is divided among the depths, where it is a sample.
fn of_each(strata: &[std::ops::Range<u64>], cap: usize) -> String {
    let sizes: Vec<u64> = strata.iter().map(|r| r.end - r.start).collect();
    let taken = super::shares(&sizes, cap as u64);
    if taken == sizes {
        return String::new();
    }
    let counts: Vec<String> = taken.iter().map(u64::to_string).collect();
    match taken.iter().max().zip(taken.iter().min()) {
        // What does not divide evenly is one more for some.
        Some((most, least)) if most - least <= 1 => "; equally many of each depth".into(),
        _ => format!("; {} of the depths, as equally many as there are", counts.join(", ")),
    }
}

fn cannot(kind: Part, what: &str, remedy: &str) -> Error {
    Error::Evidence { what: format!("{kind} cannot be turned into {what}"), remedy: remedy.into() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evidence::Taxonomy;
    use crate::toy;

    #[test]
    fn what_was_done_is_said() {
        let tree = Taxonomy::from_edges([("r", "a"), ("r", "z"), ("a", "x"), ("a", "y")]).unwrap();
        let tree = Evidence::Taxonomy(tree);
        let options = ConvertOptions { cap: 1, ..ConvertOptions::default() };
        let c = tree.to_comparisons(&options).unwrap();
        assert!(c.said[0].starts_with("1 of 2 comparisons") && c.evidence.len() == 1, "{:?}", c.said);
        assert!(c.said[0].ends_with("equally many of each depth"), "{:?}", c.said);
        // Nothing was drawn: nothing is said of how.
        let all = tree.to_comparisons(&ConvertOptions::default()).unwrap();
        assert!(all.said[0].starts_with("2 comparisons") && !all.said[0].contains("equally"), "{:?}", all.said);
        assert_eq!(of_each(&[0..2, 2..100], 12), "; 2, 10 of the depths, as equally many as there are");
        let p = tree.to_pairs(&ConvertOptions::default()).unwrap();
        assert!(p.evidence.len() == 6 && p.said[0].contains("3 pairs: those under one parent"), "{:?}", p.said);
        let again = Evidence::Pairs(p.evidence).to_comparisons(&ConvertOptions::default()).unwrap();
        assert_eq!(again.evidence.len(), 2);
    }

    #[test]
    fn what_cannot_be_said_is_refused() {
        let d = Evidence::Distances(toy::cities());
        let e = d.to_pairs(&ConvertOptions::default()).unwrap_err().to_string();
        assert!(e.contains("distances cannot be turned into pairs"), "{e}");
        let few = ConvertOptions { cap: 10, ..ConvertOptions::default() };
        let c = d.to_comparisons(&few).unwrap();
        // A chain through all 205 or so levels, not ten comparisons torn out of it.
        assert!(c.evidence.len() > 200 && c.said[0].contains("too many"), "{:?}", c.said);
    }
}
