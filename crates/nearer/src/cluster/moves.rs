//! How objects change their groups in mpck-means: one at a time, in the sets that must-links join, and all of them anew.
//!
//! One object alone never leaves the others of its set, for it would break every link to them: a set that began in the wrong
//! group would stay there. So sets move as wholes too; and since both kinds of moves end where no single one is better, each
//! pass also tries a grouping that forgets the last one. Whatever is kept has a lower objective.

use ndarray::Array2;
use nearer_num::par;

use super::metric::Mpck;
use super::shape::{Metric, square};

/// An object in no group yet: nothing can be broken with it.
pub(super) const NOWHERE: u32 = u32::MAX;

impl Mpck<'_> {
    /// Puts the objects where they cost least; how many moved.
    pub(super) fn assign(&mut self) -> usize {
        let own = self.own_costs();
        let mut fresh = vec![NOWHERE; self.of.len()];
        self.move_sets(&own, &mut fresh);
        self.move_objects(&own, &mut fresh);
        let known = self.of.iter().all(|h| *h != NOWHERE);
        let mut next = self.of.clone();
        if !known || self.objective(&fresh, &self.metrics) < self.objective(&next, &self.metrics) {
            next = fresh;
        }
        self.move_objects(&own, &mut next);
        self.move_sets(&own, &mut next);
        let moved = self.of.iter().zip(&next).filter(|(a, b)| a != b).count();
        self.of = next;
        moved
    }

    /// What each object costs in each group, links apart.
    fn own_costs(&self) -> Array2<f64> {
        let k = self.setting.k;
        let rows = par::map(self.x.nrows(), |i| {
            (0..k)
                .map(|h| square(&self.metrics[h], &(&self.x.row(i) - &self.centres.row(h))) - self.metrics[h].log_det)
                .collect::<Vec<f64>>()
        });
        Array2::from_shape_fn((rows.len(), k), |(i, h)| rows[i][h])
    }

    /// Each object where it costs least, one after another.
    fn move_objects(&self, own: &Array2<f64>, of: &mut [u32]) {
        for i in 0..of.len() {
            let cost = |h: u32, of: &[u32]| {
                let must = self.links.must[i]
                    .iter()
                    .map(|(j, w)| w * self.broken_must(&self.metrics, (i, *j), (h, of[*j as usize])));
                let cannot = self.links.cannot[i]
                    .iter()
                    .map(|(j, w)| w * self.broken_cannot(&self.metrics, (i, *j), (h, of[*j as usize])));
                own[(i, h as usize)] + must.chain(cannot).sum::<f64>()
            };
            self.cheapest(of[i], |h| cost(h, of)).into_iter().for_each(|h| of[i] = h);
        }
    }

    /// Each set that must-links join where it costs least as a whole, the largest first; objects alone come last.
    fn move_sets(&self, own: &Array2<f64>, of: &mut [u32]) {
        for set in &self.sets {
            let (before, first) = (set.iter().map(|i| of[*i]).collect::<Vec<u32>>(), of[set[0]]);
            let cost = |of: &[u32]| {
                let each = |i: &usize| {
                    let h = of[*i];
                    // Links inside the set are seen from both ends, those that leave it from one.
                    let once = |j: u32| *i < j as usize || self.links.set[j as usize] != self.links.set[*i];
                    let must = self.links.must[*i].iter().filter(|l| once(l.0));
                    let cannot = self.links.cannot[*i].iter().filter(|l| once(l.0));
                    own[(*i, h as usize)]
                        + must
                            .map(|(j, w)| w * self.broken_must(&self.metrics, (*i, *j), (h, of[*j as usize])))
                            .sum::<f64>()
                        + cannot
                            .map(|(j, w)| w * self.broken_cannot(&self.metrics, (*i, *j), (h, of[*j as usize])))
                            .sum::<f64>()
                };
                set.iter().map(each).sum::<f64>()
            };
            let split = before.iter().any(|h| *h != first);
            let apart = if split && !before.contains(&NOWHERE) { Some(cost(of)) } else { None };
            let mut whole = |h: u32| {
                set.iter().for_each(|i| of[*i] = h);
                cost(of)
            };
            let costs: Vec<f64> = (0..self.setting.k as u32).map(&mut whole).collect();
            let best = self.cheapest(if split { NOWHERE } else { first }, |h| costs[h as usize]);
            match best {
                Some(h) if apart.is_none_or(|a| costs[h as usize] < a) => set.iter().for_each(|i| of[*i] = h),
                _ => set.iter().zip(&before).for_each(|(i, h)| of[*i] = *h),
            }
        }
    }

    /// The group to go to, where one is better than to stay: equal costs would let objects wander.
    fn cheapest(&self, stay: u32, cost: impl Fn(u32) -> f64) -> Option<u32> {
        let all = (0..self.setting.k as u32).map(|h| (cost(h), h));
        let best = all.min_by(|a, b| a.0.total_cmp(&b.0)).expect("a group");
        (stay == NOWHERE || best.0 < cost(stay)).then_some(best.1)
    }

    /// What a must-link costs whose ends are in groups `h` and `there`.
    pub(super) fn broken_must(&self, metrics: &[Metric], (i, j): (usize, u32), (h, there): (u32, u32)) -> f64 {
        if there == NOWHERE || there == h {
            return 0.0;
        }
        let off = &self.x.row(i) - &self.x.row(j as usize);
        0.5 * self.setting.weight * (square(&metrics[h as usize], &off) + square(&metrics[there as usize], &off))
    }
    /// What a cannot-link costs whose ends are in groups `h` and `there`.
    pub(super) fn broken_cannot(&self, metrics: &[Metric], (i, j): (usize, u32), (h, there): (u32, u32)) -> f64 {
        if there != h {
            return 0.0;
        }
        let (off, own) = (&self.x.row(i) - &self.x.row(j as usize), &metrics[h as usize]);
        self.setting.weight * (own.diameter - square(own, &off)).max(0.0)
    }
}
