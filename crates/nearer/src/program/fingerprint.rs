//! A short name for exact contents: of a program, and of the evidence it was made of.

use sha2::{Digest as _, Sha256};

use crate::evidence::{Bound, Evidence};
use crate::object::{Objects, Pair};
use crate::program::{GramProgram, Sense};

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
    fn pair(&mut self, pair: Pair) {
        self.count(pair.first().index());
        self.count(pair.second().index());
    }
}

impl GramProgram {
    /// SHA-256 of the program over its exact numbers and the labels of its objects, in hexadecimal.
    ///
    /// Two programs have the same one when their objects, objective, rows (in order) and balls agree bit by bit, in whatever
    /// way their pairs are numbered. Hints for solvers are no part of it. The space is taken to be free.
    #[must_use]
    pub fn fingerprint(&self, objects: &Objects) -> String {
        let mut print = Fingerprint::new("nearer program 1");
        print.objects(objects);
        print.sense(self.sense);
        print.number(self.trace);
        print.perhaps(self.trace_bound);
        print.number(self.curvature);
        let mut costs: Vec<(u32, u32, f64)> =
            self.pairs.iter().zip(&self.cost).filter(|(_, c)| **c != 0.0).map(|(&(i, j), c)| (i, j, *c)).collect();
        costs.sort_by_key(|&(i, j, _)| (i, j));
        print.count(costs.len());
        for (i, j, c) in costs {
            print.count(i as usize);
            print.count(j as usize);
            print.number(c);
        }
        print.count(self.rows.len());
        for t in 0..self.rows.len() {
            print.count(self.rows.entries(t).count());
            for (p, a) in self.rows.entries(t) {
                let (i, j) = self.pairs[p as usize];
                print.count(i as usize);
                print.count(j as usize);
                print.number(a);
            }
            [self.rows.constant[t], self.rows.low[t], self.rows.high[t]].iter().for_each(|v| print.number(*v));
        }
        if let Some(balls) = &self.balls {
            print.count(balls.rows());
            for i in 0..self.n {
                for j in (0..self.n).filter(|j| balls.sign(i, *j) != 0) {
                    print.count(i);
                    print.count(j);
                    print.number(f64::from(balls.sign(i, j)));
                    print.number(balls.high(i, j));
                }
            }
        }
        print.finish()
    }
}

/// SHA-256 of evidence as a method sees it, over its exact numbers, the order of its rows and the labels, in hexadecimal.
///
/// Who gave an answer and on which line of which file it stood is no part of it. `None` for evidence that no certificate
/// is about.
#[must_use]
pub fn fingerprint_of_evidence(evidence: &Evidence) -> Option<String> {
    let mut print = Fingerprint::new(&format!("nearer {} 1", evidence.kind()));
    print.objects(evidence.objects());
    match evidence {
        Evidence::Comparisons(c) => {
            print.count(c.len());
            for row in c.iter() {
                print.pair(row.near);
                print.pair(row.far);
                print.number(row.weight);
                print.number(row.margin);
            }
        }
        Evidence::Pairs(pairs) => {
            print.count(pairs.len());
            for row in pairs.iter() {
                print.count(row.from.index());
                print.count(row.to.index());
                print.count(usize::from(row.similar));
                print.number(row.weight);
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
    use crate::evidence::Comparisons;
    use crate::{program, toy};

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
        let evidence = |c: &Comparisons| fingerprint_of_evidence(&Evidence::Comparisons(c.clone())).unwrap();
        assert_ne!(evidence(&c), evidence(&swapped));
        assert_ne!(evidence(&c), evidence(&renamed));
        rows.swap(0, 1);
        assert_eq!(evidence(&c), evidence(&Comparisons::new(c.objects().clone(), rows).unwrap()));
    }
}
