//! A short name for exact contents: of a program, and of the evidence it was made of.

use ndarray::Array2;
use sha2::{Digest as _, Sha256};

use crate::evidence::{Bound, Comparisons, Evidence, Kernels, Pairs};
use crate::object::{Objects, Pair};
use crate::program::{Block, Sense};

/// Collects words and numbers in order; equal contents, bit by bit, have equal names.
#[derive(Debug)]
pub(crate) struct Fingerprint(Sha256);

impl Fingerprint {
    /// Contents of this kind.
    pub(crate) fn new(kind: &str) -> Self {
        let mut print = Fingerprint(Sha256::new());
        print.word(kind);
        print
    }
    /// A word, with its length, so that no two lists of words are the same.
    pub(crate) fn word(&mut self, text: &str) {
        self.count(text.len());
        self.0.update(text.as_bytes());
    }
    /// A whole number.
    pub(crate) fn count(&mut self, count: usize) {
        self.0.update((count as u64).to_le_bytes());
    }
    /// A number; both zeros are one.
    pub(crate) fn number(&mut self, value: f64) {
        self.0.update((value + 0.0).to_bits().to_le_bytes());
    }
    /// The objects by name and order.
    pub(crate) fn objects(&mut self, objects: &Objects) {
        self.count(objects.len());
        objects.labels().iter().for_each(|label| self.word(label));
    }
    /// Whether it is the least or the largest that is asked for.
    pub(crate) fn sense(&mut self, sense: Sense) {
        self.word(if sense == Sense::Minimise { "minimise" } else { "maximise" });
    }
    /// A number that may be absent.
    pub(crate) fn perhaps(&mut self, value: Option<f64>) {
        self.count(usize::from(value.is_some()));
        self.number(value.unwrap_or(0.0));
    }
    /// SHA-256 of all of it, in hexadecimal.
    pub(crate) fn finish(self) -> String {
        self.0.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
    }
    /// Every number of a table.
    pub(crate) fn table(&mut self, table: &Array2<f64>) {
        self.count(table.nrows());
        self.count(table.ncols());
        table.iter().for_each(|v| self.number(*v));
    }
    /// The blocks of a spanned space.
    pub(crate) fn blocks(&mut self, blocks: &[Block]) {
        self.word("spanned");
        self.count(blocks.len());
        for block in blocks {
            self.table(&block.basis);
            self.count(usize::from(block.charge.is_some()));
            block.charge.iter().for_each(|charge| self.table(charge));
        }
    }
    fn comparisons(&mut self, c: &Comparisons) {
        self.count(c.len());
        for row in c.iter() {
            self.pair(row.near);
            self.pair(row.far);
            self.number(row.weight);
            self.number(row.margin);
        }
    }
    fn pairs(&mut self, pairs: &Pairs) {
        self.count(pairs.len());
        for row in pairs.iter() {
            self.count(row.from.index());
            self.count(row.to.index());
            self.count(usize::from(row.similar));
            self.number(row.weight);
            if row.level > 0 {
                self.word("level");
                self.count(usize::from(row.level));
            }
        }
    }
    fn kernels(&mut self, kernels: &Kernels) {
        for (k, name) in kernels.names().into_iter().enumerate() {
            self.word(name);
            self.table(kernels.matrix(k));
        }
    }
    fn pair(&mut self, pair: Pair) {
        self.count(pair.first().index());
        self.count(pair.second().index());
    }
}

/// SHA-256 of evidence as a method sees it, with kernels where it takes them too, over its exact numbers, the order of its rows and the labels, in hexadecimal.
///
/// Who gave an answer and on which line of which file it stood is no part of it. `None` for evidence that no certificate
/// is about.
#[must_use]
pub(crate) fn fingerprint_of_evidence(evidence: &Evidence, kernels: Option<&Kernels>) -> Option<String> {
    let mut print = Fingerprint::new(&format!("nearer {} 1", evidence.kind()));
    print.objects(evidence.objects());
    if let Some(kernels) = kernels {
        print.kernels(kernels);
    }
    match evidence {
        Evidence::Comparisons(c) => print.comparisons(c),
        Evidence::Pairs(pairs) => print.pairs(pairs),
        Evidence::Features(features) => {
            features.columns().iter().for_each(|name| print.word(name));
            print.table(features.values());
        }
        Evidence::Kernels(kernels) => print.kernels(kernels),
        Evidence::Sorts(sorts) => {
            for (who, name) in sorts.assessors().iter().enumerate() {
                print.word(name);
                for k in 0..sorts.objects().len() {
                    print.count(usize::from(sorts.group(who, k).is_some()));
                    print.word(sorts.group(who, k).unwrap_or_default());
                }
            }
        }
        Evidence::Distances(d) => {
            for (k, value) in d.condensed().iter().enumerate() {
                let known = d.weight_at(k) > 0.0;
                print.perhaps(known.then_some(*value));
                print.number(d.weight_at(k));
                print.count(match d.bounds().map_or(Bound::Exact, |b| b[k]) {
                    Bound::Exact => 0,
                    Bound::AtMost => 1,
                    Bound::AtLeast => 2,
                });
            }
        }
        _ => return None,
    }
    Some(print.finish())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::program::{self, Program as _};
    use crate::toy;

    #[test]
    fn every_number_and_label_is_part_of_the_name() {
        let c = toy::answers(6, 2, 30, 0.1, 3);
        let name = |c: &Comparisons, slack| program::gnmds(c, slack).unwrap().fingerprint(c.objects());
        let same = name(&c, 0.5);
        assert_eq!(same, name(&c, 0.5));
        assert_ne!(same, name(&c, 0.5 + f64::EPSILON));
        let mut rows = c.rows().to_vec();
        rows.swap(0, 1);
        let swapped = Comparisons::new(c.objects().clone(), rows.clone()).unwrap();
        // The program puts its rows into an order of its own; the evidence is another file.
        assert_eq!(same, name(&swapped, 0.5));
        let renamed =
            Comparisons::new(Objects::new(["a", "b", "c", "d", "e", "f"]).unwrap(), c.rows().to_vec()).unwrap();
        assert_ne!(same, name(&renamed, 0.5));
        let evidence = |c: &Comparisons| fingerprint_of_evidence(&Evidence::Comparisons(c.clone()), None).unwrap();
        assert_ne!(evidence(&c), evidence(&swapped));
        assert_ne!(evidence(&c), evidence(&renamed));
        rows.swap(0, 1);
        assert_eq!(evidence(&c), evidence(&Comparisons::new(c.objects().clone(), rows).unwrap()));
    }
}
