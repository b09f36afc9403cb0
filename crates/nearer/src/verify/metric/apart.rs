//! Those unlike each other as far apart as a bound on those alike allows.

use super::super::definite::{Square, least_eigenvalue};
use super::super::rounding::Sum;
use super::Judged;
use super::points::{Pile, Points};

impl Points<'_> {
    pub(super) fn apart(
        &self,
        similar: &[(u32, u32, f64)],
        dissimilar: &[(u32, u32, f64)],
        ridge: f64,
        diagonal: bool,
        bound: f64,
    ) -> Judged {
        let d = self.x[0].len();
        let mut used = Sum::default();
        similar.iter().for_each(|(i, j, w)| used.add(w * self.square(*i, *j), w * self.doubt));
        used.add(ridge * self.trace(), 1e-12 * ridge * self.trace());
        let lengths: Vec<f64> =
            dissimilar.iter().map(|(i, j, _)| (self.square(*i, *j) / used.upper()).sqrt()).collect();
        let (mut value, mut total) = (Sum::default(), 0.0);
        for (length, (_, _, w)) in lengths.iter().zip(dissimilar) {
            let off = if *length > 0.0 { self.doubt / used.upper() / length } else { 0.0 };
            value.add(w * length, w * off);
            total += w;
        }
        let mean = value.value() / total;
        let (mut s, mut constant, mut g) = (Pile::zeros(d), 0.0, Pile::zeros(d));
        similar.iter().for_each(|(i, j, w)| self.add(&mut s, *i, *j, *w));
        (0..d).for_each(|k| s.put(k, k, ridge));
        for (length, (i, j, w)) in lengths.iter().zip(dissimilar) {
            let e = length.max(1e-6 * mean);
            constant += 0.5 * w * e;
            self.add(&mut g, *i, *j, 0.5 * w / e);
        }
        let most = bound - constant;
        let off = self.off(&g) + most * self.off(&s);
        let (s, g) = (s.square(), g.square());
        let proved = if diagonal {
            (0..d).all(|k| g.at(k, k) + off <= most * s.at(k, k))
        } else {
            let mut matrix = Square::zeros(d);
            matrix.entries.iter_mut().zip(&s.entries).zip(&g.entries).for_each(|((m, s), g)| *m = most * s - g);
            least_eigenvalue(&matrix) >= off
        };
        // What those alike use is not known to the last digit either: at the best it is less, and the others are further apart.
        let wider = (used.upper() / used.lower().max(0.0)).sqrt();
        Judged {
            primal: value.lower(),
            least: value.upper() * wider,
            bound: if proved { bound } else { f64::INFINITY },
            scale: value.value(),
        }
    }
}
