//! Labels that keep out of each other's way: the most crowded choose first, then everyone improves while they can.

use nearer_num::order;
use nearer_num::rng::Rng;

use super::candidate::{BETWEEN, CLEAR, Job, Spot, along, around};
use super::grid::{Grid, crosses};
use super::sheet::Rect;

/// What it costs to leave a label out: more than the worst place.
const LEFT_OUT: f64 = 1000.0;

/// A place for each label; `None` for those left out.
pub(super) fn place(job: &Job<'_>) -> Vec<Option<Spot>> {
    let mut table = Table::new(job);
    let labelled: Vec<usize> = (0..job.points.len()).filter(|k| job.labels[*k].is_some()).collect();
    let mut best: Option<(f64, Vec<Option<usize>>)> = None;
    for order in table.orders(&labelled) {
        table.settle(&order);
        let cost = labelled.iter().map(|k| table.cost(*k)).sum();
        if best.as_ref().is_none_or(|(least, _)| cost < *least) {
            best = Some((cost, table.chosen.clone()));
        }
        if labelled.iter().all(|k| table.chosen[*k].is_some()) {
            break;
        }
    }
    if let Some((_, chosen)) = best {
        chosen.into_iter().enumerate().for_each(|(k, c)| table.choose(k, c));
    }
    if job.all {
        labelled.iter().for_each(|k| table.force(*k));
    }
    table.chosen.iter().enumerate().map(|(k, c)| c.map(|c| table.spots[k][c])).collect()
}

/// The places of all labels, and which are taken.
struct Table<'a> {
    job: &'a Job<'a>,
    markers: Grid,
    taken: Grid,
    /// Places clear of every marker and within the frame, the best first.
    spots: Vec<Vec<Spot>>,
    chosen: Vec<Option<usize>>,
}

impl<'a> Table<'a> {
    fn new(job: &'a Job<'a>) -> Self {
        let mut markers = Grid::new(job.frame, (4.0 * job.radius).max(6.0));
        for k in 0..job.points.len() {
            markers.insert(&job.marker(k), k);
        }
        let mut table = Table {
            job,
            markers,
            taken: Grid::new(job.frame, 24.0),
            spots: Vec::new(),
            chosen: vec![None; job.points.len()],
        };
        table.spots = (0..job.points.len()).map(|k| table.clear_spots(k)).collect();
        table
    }

    /// The orders worth trying: those with the fewest places first, those with the most first, and a few by chance
    /// (always the same). On a line one is enough.
    fn orders(&self, labelled: &[usize]) -> Vec<Vec<usize>> {
        let mut crowded = labelled.to_vec();
        if self.job.line {
            // From the right: a label that begins at its point then never stands in the way of one still to come.
            order::by(&mut crowded, &|a, b| self.job.points[*b][0].total_cmp(&self.job.points[*a][0]).then(a.cmp(b)));
            return vec![crowded];
        }
        order::by_key(&mut crowded, &|k| (self.spots[*k].len(), *k));
        let easy = crowded.iter().rev().copied().collect();
        let by_chance = match labelled.len() {
            0..=200 => 6,
            201..=1000 => 2,
            _ => 0,
        };
        let shuffled = |task: u64| -> Vec<usize> {
            Rng::task(0, task).permutation(labelled.len()).into_iter().map(|k| labelled[k]).collect()
        };
        [crowded, easy].into_iter().chain((0..by_chance).map(shuffled)).collect()
    }

    /// Gives every label the best place that is free when its turn comes, and then lets them improve.
    fn settle(&mut self, order: &[usize]) {
        for &k in order {
            self.choose(k, None);
        }
        for &k in order {
            let free = (0..self.spots[k].len()).find(|c| self.in_the_way(k, *c, 1).is_empty());
            self.choose(k, free);
        }
        let rounds = if order.len() > 1000 { 2 } else { 8 };
        for _ in 0..rounds {
            if order.iter().filter(|k| self.improve(**k)).count() == 0 {
                break;
            }
        }
    }

    fn every_spot(&self, k: usize) -> Vec<Spot> {
        let Some(extent) = &self.job.labels[k] else { return Vec::new() };
        let n = self.job.points.len();
        if self.job.line {
            let rows = self.job.frame.height() / 2.0 / (1.2 * extent.height());
            return along(self.job.points[k], extent, self.job.radius, (rows as usize).clamp(1, 12));
        }
        // Lines to far-off labels help among few points; among many they are a thicket.
        let rings = match n {
            0..=80 => 14,
            81..=160 => 8,
            161..=300 => 3,
            _ => 0,
        };
        around(self.job.points[k], extent, self.job.radius, rings)
    }

    fn clear_spots(&self, k: usize) -> Vec<Spot> {
        let mut spots = self.every_spot(k);
        spots.retain_mut(|s| {
            let (under_text, under_line) = self.covered(k, s);
            s.cost += 3.0 * under_line as f64;
            self.job.frame.holds(&s.area.grown(CLEAR)) && under_text == 0 && (under_line == 0 || self.job.all)
        });
        for spot in &mut spots {
            if self.job.line {
                spot.cost += 2.0 * self.shaded(k, spot);
                continue;
            }
            // A label that brushes another point could be taken for its name.
            let reach = spot.area.grown(2.0);
            spot.cost += 0.5
                * self.markers.near(&reach).filter(|j| *j != k && self.job.marker(*j).overlaps(&reach)).count() as f64;
        }
        order::by(&mut spots, &|a, b| a.cost.total_cmp(&b.cost));
        spots
    }

    /// How many points further left on a line a label would cut off from its side.
    fn shaded(&self, k: usize, spot: &Spot) -> f64 {
        let [x, y] = self.job.points[k];
        let below = Rect { left: spot.area.left, right: x - 0.5, top: y - 1.0, bottom: y + 1.0 };
        let hidden = |j: &usize| self.job.points[*j][0] > below.left && self.job.points[*j][0] < below.right;
        let mut found: Vec<usize> = self.markers.near(&below).filter(hidden).collect();
        found.sort_unstable();
        found.dedup();
        found.len() as f64
    }

    /// How many markers a label would lie on, and how many its line.
    fn covered(&self, k: usize, spot: &Spot) -> (usize, usize) {
        let area = spot.area.grown(CLEAR / 2.0);
        let bounds = spot.bounds();
        let own = self.job.points[k];
        let (mut text, mut line) = (0, 0);
        for j in self.markers.near(&bounds.grown(1.0)) {
            let m = self.job.marker(j);
            let p = self.job.points[j];
            let apart = (p[0] - own[0]).abs().max((p[1] - own[1]).abs()) > self.job.radius;
            text += usize::from(m.overlaps(&area));
            line += usize::from(apart && spot.leader.is_some_and(|[a, b]| crosses(a, b, &m)));
            // Enough to rule a place out; in a crowd there may be thousands.
            if text + line > 8 {
                break;
            }
        }
        (text, line)
    }

    /// The labels in the way of a place, up to `most` of them.
    fn in_the_way(&self, k: usize, c: usize, most: usize) -> Vec<usize> {
        let spot = &self.spots[k][c];
        let mut found = Vec::new();
        for j in self.taken.near(&spot.bounds().grown(BETWEEN)) {
            if j != k && !found.contains(&j) && self.spot(j).is_some_and(|other| spot.collides(other)) {
                found.push(j);
                if found.len() == most {
                    break;
                }
            }
        }
        found
    }

    fn spot(&self, k: usize) -> Option<&Spot> {
        self.chosen[k].map(|c| &self.spots[k][c])
    }

    fn cost(&self, k: usize) -> f64 {
        self.spot(k).map_or(LEFT_OUT, |s| s.cost)
    }

    fn choose(&mut self, k: usize, c: Option<usize>) {
        if let Some(old) = self.spot(k).map(Spot::bounds) {
            self.taken.remove(&old, k);
        }
        self.chosen[k] = c;
        if let Some(new) = self.spot(k).map(Spot::bounds) {
            self.taken.insert(&new, k);
        }
    }

    /// A better place for a label: a free one, or one from which a single other label can be moved away with profit.
    fn improve(&mut self, k: usize) -> bool {
        let (old, now) = (self.chosen[k], self.cost(k));
        for c in 0..self.spots[k].len() {
            let cost = self.spots[k][c].cost;
            if cost >= now - 1e-9 {
                return false;
            }
            match self.in_the_way(k, c, 2).as_slice() {
                [] => {
                    self.choose(k, Some(c));
                    return true;
                }
                &[j] => {
                    let (theirs, before) = (self.chosen[j], self.cost(j));
                    self.choose(j, None);
                    self.choose(k, Some(c));
                    let limit = now + before - cost - 1e-9;
                    let other = (0..self.spots[j].len())
                        .take_while(|d| self.spots[j][*d].cost < limit)
                        .find(|d| self.in_the_way(j, *d, 1).is_empty());
                    if other.is_some() {
                        self.choose(j, other);
                        return true;
                    }
                    self.choose(k, old);
                    self.choose(j, theirs);
                }
                _ => {}
            }
        }
        false
    }

    /// Some place for a label that has none: where it covers least.
    fn force(&mut self, k: usize) {
        if self.chosen[k].is_some() {
            return;
        }
        let mut spots = self.every_spot(k);
        spots.iter_mut().for_each(|s| s.slide_into(&self.job.frame));
        let from = self.spots[k].len();
        self.spots[k].extend(spots);
        let cover = |c: usize| {
            let spot = &self.spots[k][c];
            let (text, line) = self.covered(k, spot);
            4.0 * self.in_the_way(k, c, 8).len() as f64 + (text + line) as f64 + 0.15 * spot.cost
        };
        let costs: Vec<f64> = (from..self.spots[k].len()).map(cover).collect();
        let best = (0..costs.len()).min_by(|a, b| costs[*a].total_cmp(&costs[*b]));
        self.choose(k, best.map(|b| from + b));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::figure::text::Extent;

    const FRAME: Rect = Rect { left: 0.0, top: 0.0, right: 200.0, bottom: 200.0 };
    const EXTENT: Extent = Extent { width: 30.0, top: 6.0, bottom: 2.0 };

    fn job<'a>(points: &'a [[f64; 2]], labels: &'a [Option<Extent>], all: bool) -> Job<'a> {
        Job { points, labels, radius: 2.0, frame: FRAME, line: false, all }
    }

    #[test]
    fn a_lone_label_stands_to_the_right_and_one_at_the_edge_turns_inwards() {
        let placed = place(&job(&[[100.0, 100.0], [190.0, 50.0]], &[Some(EXTENT); 2], false));
        assert!(placed[0].unwrap().area.left > 102.0 && placed[1].unwrap().area.right < 188.0);
    }

    #[test]
    fn a_crowd_is_thinned_out_or_kept_as_asked() {
        let points: Vec<[f64; 2]> =
            (0..400).map(|k| [f64::from(k % 20) * 10.0 + 5.0, f64::from(k / 20) * 10.0 + 5.0]).collect();
        let labels = vec![Some(EXTENT); 400];
        let some: Vec<Spot> = place(&job(&points, &labels, false)).into_iter().flatten().collect();
        assert!(some.len() < 400);
        for (i, a) in some.iter().enumerate() {
            let clear = |p: &[f64; 2]| {
                let marker = Rect { left: p[0], top: p[1], right: p[0], bottom: p[1] }.grown(2.0);
                !a.area.overlaps(&marker)
            };
            assert!(points.iter().all(clear));
            assert!(FRAME.holds(&a.area) && some[..i].iter().all(|b| !a.area.overlaps(&b.area)));
        }
        let all: Vec<Spot> = place(&job(&points, &labels, true)).into_iter().flatten().collect();
        assert!(all.len() == 400 && all.iter().all(|s| FRAME.grown(1e-9).holds(&s.area)));
    }
}
