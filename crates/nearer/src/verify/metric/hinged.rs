//! Hinges: of neighbours and of comparisons.

use super::super::Verdict;
use super::super::rounding::{Sum, roundings};
use super::points::Points;
use super::{Judged, strongest};
use crate::io::CertificateFile;
use crate::program::Triple;

/// A hinge with its multiplier: near pair, far pair, multiplier, margin.
type Open = ([u32; 2], [u32; 2], f64, f64);

/// The hinges that the file has multipliers for; each is one of the question, there once, and within its range.
pub(super) fn opened(
    file: &CertificateFile,
    targets: &[(u32, u32)],
    group: &[u32],
    push: f64,
    verdict: &mut Verdict,
) -> Option<Vec<Open>> {
    let mut seen = std::collections::HashSet::new();
    let mut rows = Vec::new();
    for &(t, l, a) in &file.candidate.ball_multipliers {
        let known = targets.get(t as usize).filter(|(i, _)| {
            let other = group.get(l as usize).copied();
            other.is_some_and(|g| g != u32::MAX && g != group[*i as usize])
        });
        let (Some(&(i, j)), true, true) = (known, (0.0..=1.0).contains(&a), seen.insert((t, l))) else {
            verdict.say(
                "multiplier",
                format!(
                    "the multiplier {a} of target {} and object {} is out of range, there twice, or of no hinge",
                    t + 1,
                    l + 1
                ),
            );
            return None;
        };
        rows.push(([i, j], [i, l], push * a, 1.0));
    }
    Some(rows)
}

impl Points<'_> {
    pub(super) fn neighbours(
        &self,
        group: &[u32],
        targets: &[(u32, u32)],
        push: f64,
        ridge: f64,
        open: &[Open],
        bound: f64,
    ) -> Judged {
        let mut value = Sum::default();
        for &(i, j) in targets {
            let near = self.square(i, j);
            value.add((1.0 - push) * near, self.doubt);
            for l in (0..group.len()).filter(|l| group[*l] != group[i as usize] && group[*l] != u32::MAX) {
                let r = 1.0 + near - self.square(i, l as u32);
                if r > 0.0 {
                    value.add(push * r, 2.0 * push * self.doubt);
                }
            }
        }
        let pull: Vec<(u32, u32, f64)> = targets.iter().map(|(i, j)| (*i, *j, 1.0 - push)).collect();
        self.hinged(value, &pull, ridge, open, bound)
    }
    pub(super) fn compared(&self, rows: &[Triple], push: f64, ridge: f64, shares: &[f64], bound: f64) -> Judged {
        let mut value = Sum::default();
        for (near, far, weight, margin) in rows {
            let d = self.square(near[0], near[1]);
            value.add((1.0 - push) * weight * d, weight * self.doubt);
            let r = margin + d - self.square(far[0], far[1]);
            if r > 0.0 {
                value.add(push * weight * r, weight * (2.0 * self.doubt + roundings(4) * margin.abs()));
            }
        }
        let pull: Vec<_> = rows.iter().map(|r| (r.0[0], r.0[1], (1.0 - push) * r.2)).collect();
        let open: Vec<Open> = rows.iter().zip(shares).map(|(r, a)| (r.0, r.1, push * r.2 * a, r.3)).collect();
        self.hinged(value, &pull, ridge, &open, bound)
    }
    /// Whether the multipliers, all made smaller alike, prove the bound that is claimed.
    pub(super) fn hinged(
        &self,
        mut value: Sum,
        pull: &[(u32, u32, f64)],
        ridge: f64,
        open: &[Open],
        bound: f64,
    ) -> Judged {
        self.add_trace(&mut value, ridge);
        // What the multipliers come to, at the least.
        let mut most = Sum::default();
        open.iter().for_each(|r| most.add(r.2 * r.3, roundings(1) * (r.2 * r.3).abs()));
        let proved = |bound: f64| {
            // Multipliers that come to nothing prove that nothing is below zero, and no more.
            if bound <= 0.0 || most.lower() <= 0.0 {
                return bound <= 0.0;
            }
            let share = bound / most.lower();
            let mut matrix = self.pile(ridge);
            pull.iter().for_each(|(i, j, w)| self.add(&mut matrix, *i, *j, *w));
            for (near, far, a, _) in open {
                self.add(&mut matrix, near[0], near[1], share * a);
                self.add(&mut matrix, far[0], far[1], -share * a);
            }
            let off = self.off(&matrix);
            share <= 1.0 && self.least(&matrix.square(), ridge) >= off
        };
        let weight = pull.iter().map(|p| p.2).sum::<f64>() + open.iter().map(|o| 2.0 * o.2.abs()).sum::<f64>();
        // No sum of distances and hinges is below zero.
        let bound = strongest(bound, 1.0, proved).unwrap_or(0.0);
        Judged { primal: value.upper(), best: value.lower().max(0.0), bound: bound.max(0.0), scale: weight }
    }
}
