//! Those unlike each other as far apart as a bound on those alike allows.

use super::super::definite::Square;
use super::super::rounding::{Sum, roundings};
use super::points::Points;
use super::{Judged, strongest};

impl Points<'_> {
    pub(super) fn apart(
        &self,
        similar: &[(u32, u32, f64)],
        dissimilar: &[(u32, u32, f64)],
        ridge: f64,
        diagonal: bool,
        bound: f64,
    ) -> Judged {
        let mut used = Sum::default();
        similar.iter().for_each(|(i, j, w)| used.add(w * self.square(*i, *j), w * self.doubt));
        self.add_trace(&mut used, ridge);
        let lengths: Vec<f64> =
            dissimilar.iter().map(|(i, j, _)| (self.square(*i, *j) / used.upper()).sqrt()).collect();
        let (mut value, mut total) = (Sum::default(), 0.0);
        for (length, (_, _, w)) in lengths.iter().zip(dissimilar) {
            let off = if *length > 0.0 { self.doubt / used.upper() / length } else { 0.0 };
            value.add(w * length, w * off);
            total += w;
        }
        let mean = value.value() / total;
        let sizes: Vec<f64> = lengths.iter().map(|length| length.max(1e-6 * mean)).collect();
        let mut constant = Sum::default();
        sizes.iter().zip(dissimilar).for_each(|(e, (_, _, w))| constant.add(0.5 * w * e, roundings(2) * w * e));
        let tangent = || sizes.iter().zip(dissimilar).map(|(e, (i, j, w))| (*i, *j, 0.5 * w / e));
        let proved = |bound: f64| {
            let most = bound - constant.upper();
            if diagonal {
                let (mut s, mut g) = (self.diagonal(ridge), self.diagonal(0.0));
                similar.iter().for_each(|(i, j, w)| self.add_diagonal(&mut s, *i, *j, *w));
                tangent().for_each(|(i, j, w)| self.add_diagonal(&mut g, i, j, w));
                let rounded = 4.0 * roundings(16) * self.reach;
                let (near, far): (f64, f64) = (similar.iter().map(|p| p.2).sum(), tangent().map(|p| p.2).sum());
                let off = rounded * (far + most * near);
                most >= 0.0 && s.iter().zip(&g).all(|(s, g)| g.upper() + off <= most * s.lower())
            } else {
                let (mut s, mut g) = (self.pile(ridge), self.pile(0.0));
                similar.iter().for_each(|(i, j, w)| self.add(&mut s, *i, *j, *w));
                tangent().for_each(|(i, j, w)| self.add(&mut g, i, j, w));
                let off = self.off(&g) + most * self.off(&s);
                let (s, g) = (s.square(), g.square());
                let mut matrix = Square::zeros(s.n);
                matrix.entries.iter_mut().zip(&s.entries).zip(&g.entries).for_each(|((m, s), g)| *m = most * s - g);
                self.least(&matrix, most * ridge) >= off
            }
        };
        // What those alike use is not known to the last digit either: at the best it is less, and the others are further apart.
        let wider = (used.upper() / used.lower().max(0.0)).sqrt();
        Judged {
            primal: value.lower(),
            best: value.upper() * wider,
            bound: strongest(bound, -1.0, proved).unwrap_or(f64::INFINITY),
            scale: value.value(),
        }
    }
}
