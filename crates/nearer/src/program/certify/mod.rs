//! Certificates: a value that is attained and a bound that nothing passes, from the question and the answer alone.
//!
//! Nothing here believes a solver. Multipliers are clipped and repaired until they are feasible for the dual, the least
//! eigenvalue of its matrix is bounded by a factorisation whose rounding is counted, and points that break a hard row are moved
//! to one that does not. Any multipliers give a valid bound; good ones give a sharp one.

mod dual;
mod matrix;
mod primal;

use std::borrow::Cow;

use nearer_num::order;

use crate::error::Error;
use crate::object::Objects;
use crate::program::gram::{Candidate, GramProgram};
use crate::program::{Certificate, Fingerprint, Program, Sense, Space};

pub(crate) use dual::Dual;
pub(crate) use matrix::{FULL, Sparse, Weight, assemble, distance_from_identity};
pub(crate) use primal::{Attained, MapSeen};

impl Program for GramProgram {
    type Candidate = Candidate;
    fn certify(&self, candidate: &Candidate) -> Result<Certificate, Error> {
        self.fits(candidate)?;
        let attained = self.attained(candidate)?;
        let dual = self.bounded(&candidate.multipliers, &candidate.ball_multipliers);
        if !attained.value.is_finite() {
            return Err(Error::Numerical { what: "the objective of the solution (it is no finite number)".into() });
        }
        Ok(self.certificate(&attained, &dual))
    }
    /// Two programs have the same one when their objects, objective, rows (in order) and balls agree bit by bit, in whatever
    /// way their pairs are numbered, and their points may lie in the same space. Hints for solvers are no part of it.
    fn fingerprint(&self, objects: &Objects) -> String {
        let mut print = Fingerprint::new("nearer program 1");
        print.objects(objects);
        print.sense(self.sense);
        print.number(self.trace);
        print.perhaps(self.trace_bound);
        print.number(self.curvature);
        if self.entropy {
            print.word("entropy");
        }
        let mut costs: Vec<(u32, u32, f64)> =
            self.pairs.iter().zip(&self.cost).filter(|(_, c)| **c != 0.0).map(|(&(i, j), c)| (i, j, *c)).collect();
        order::by_key(&mut costs, &|&(i, j, _)| (i, j));
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
            if balls.is_shared() {
                print.word("one radius");
            }
            print.count(balls.rows());
            for c in 0..balls.centres() {
                for j in (0..self.n).filter(|j| balls.sign(c, *j) != 0) {
                    print.count(c);
                    print.count(j);
                    print.number(f64::from(balls.sign(c, j)));
                    print.number(balls.high(c, j));
                }
            }
        }
        if let Space::Spanned(blocks) = &self.space {
            print.blocks(blocks);
        }
        print.finish()
    }
    fn about(&self) -> Cow<'_, str> {
        Cow::Borrowed(&self.about)
    }
}

impl GramProgram {
    /// A certificate of the two sides.
    fn certificate(&self, attained: &Attained, dual: &Dual) -> Certificate {
        let mut c = Certificate::new(self.sense, self.own(attained.value), self.own(dual.bound), self.scale)
            .about(self.about.clone());
        // The two may pass each other by their rounding only where both are exact; a bound on the wrong side would be a
        // mistake, and is shown as a gap like any other distance.
        c.violation = attained.violation;
        c.rank = attained.rank;
        c.proof = dual.proof;
        if attained.unmended > self.bearable() { c.of_broken(attained.unmended) } else { c }
    }

    /// By so much a row that must hold may be broken.
    pub(crate) fn bearable(&self) -> f64 {
        Certificate::HOLDS * self.rows.constant.iter().fold(0.0, |m: f64, e| m.max(e.abs()))
    }

    /// The gap the two sides would have; infinite where one of them is not known.
    pub(crate) fn gap(&self, primal: f64, bound: f64) -> f64 {
        Certificate::new(Sense::Minimise, primal, bound, self.scale).gap()
    }

    fn fits(&self, c: &Candidate) -> Result<(), Error> {
        let sizes = self.space.sizes(self.n);
        let wrong = |what: String| Error::Evidence { what, remedy: "give the answer to this very program".into() };
        if c.factors.len() != sizes.len() || c.factors.iter().zip(&sizes).any(|(f, s)| f.nrows() != *s) {
            return Err(wrong("the factors do not have the size of the program".into()));
        }
        if c.multipliers.len() != self.rows.len() {
            return Err(wrong(format!("{} multipliers for {} rows", c.multipliers.len(), self.rows.len())));
        }
        let centres = self.balls.as_ref().map_or(self.n, crate::program::Balls::centres);
        if c.ball_multipliers.iter().any(|&(i, j, _)| i as usize >= centres || j as usize >= self.n) {
            return Err(wrong("a multiplier of an object that is not there".into()));
        }
        let finite = c.factors.iter().all(|f| f.iter().all(|v| v.is_finite()))
            && c.multipliers.iter().all(|v| v.is_finite())
            && c.ball_multipliers.iter().all(|v| v.2.is_finite());
        if finite { Ok(()) } else { Err(wrong("a number of the answer is not finite".into())) }
    }
}
