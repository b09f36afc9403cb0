//! MPCk-means (Bilenko, Basu and Mooney 2004): pairs cost when they are broken, and groups learn metrics.

use ndarray::{Array1, Array2, Axis};
use nearer_num::rng::Rng;
use nearer_num::{dense, kmeans, order};

use super::State;
use super::links::Links;
use super::moves::NOWHERE;
use super::shape::{Metric, failed, metric, outer, square};
use crate::error::Error;

/// What metrics groups learn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum MetricShape {
    /// One weight for each feature, the same in all groups.
    #[default]
    Diagonal,
    /// A weight for each feature and group.
    Diagonals,
    /// One full metric for all groups.
    Single,
    /// A full metric for each group.
    Full,
}

/// Eigenvalues of what a metric is the inverse of are no smaller than this share of its trace.
const FLOOR: f64 = 1e-6;
/// How often a metric step that raises the objective is halved before it is given up.
const HALVES: usize = 6;

pub(super) struct Setting {
    pub(super) k: usize,
    pub(super) shape: MetricShape,
    pub(super) weight: f64,
    pub(super) prior: f64,
    pub(super) max_iter: usize,
    pub(super) starts: usize,
}

/// The state of a run. Costs: `|x - μ|²_M - log det M` for an object; for a broken must-link the mean of its squared distances
/// under the metrics of both groups; for a broken cannot-link the squared diameter of the group less its own; and for a metric
/// `ν (s tr M - log det M)`, s being the variance of a feature within the groups of k-means, on average: without it (the paper's own
/// costs, ν = 0) a feature that hardly varies within the first groupings gets so large a weight that it alone decides the next one.
pub(super) fn mpck(
    x: &Array2<f64>,
    links: &Links,
    setting: &Setting,
    seed: u64,
    go_on: &mut dyn FnMut(usize, usize, f64) -> bool,
) -> Result<State, Error> {
    // Metrics are learned in units in which objects have a variance of one along a feature, on average.
    let size = x.iter().map(|v| v * v).sum::<f64>() / x.len() as f64;
    if size <= 0.0 {
        return Err(Error::Evidence {
            what: "the features have one value throughout: they tell no object from another".into(),
            remedy: "give features that vary".into(),
        });
    }
    let x = &(x / size.sqrt());
    let plain = kmeans::kmeans(x.view(), setting.k, 1, setting.max_iter, seed, &mut |_, _, _| true);
    let within = plain.within / x.len() as f64;
    let mut best: Option<State> = None;
    for start in 0..setting.starts.max(1) {
        let found =
            one(x, (size, within), links, setting, start, seed, &mut |round, value| go_on(start, round, value))?;
        if best.as_ref().is_none_or(|b| found.objective < b.objective) {
            best = Some(found);
        }
        if !go_on(start, setting.max_iter, f64::INFINITY) {
            break;
        }
    }
    Ok(best.expect("one start at least"))
}

/// One run: the first from the sets that must-links join, later ones from centres that are drawn.
fn one(
    x: &Array2<f64>,
    (size, within): (f64, f64),
    links: &Links,
    setting: &Setting,
    start: usize,
    seed: u64,
    go_on: &mut dyn FnMut(usize, f64) -> bool,
) -> Result<State, Error> {
    let mut run = Mpck::start(x, within, links, setting, start, seed)?;
    let (mut passes, mut round, mut settled) = (Vec::new(), 0, false);
    while round < setting.max_iter && !settled {
        round += 1;
        let moved = run.assign();
        run.centre();
        run.learn()?;
        let value = run.objective(&run.of, &run.metrics);
        let before = passes.last().copied().unwrap_or(f64::INFINITY);
        passes.push(value);
        settled = round > 1 && (moved == 0 || before - value <= 1e-12 * before.abs());
        if !go_on(round, value) {
            break;
        }
    }
    let metrics = run.metrics.iter().map(|m| &m.matrix / size).collect();
    let centres = &run.centres * size.sqrt();
    let objective = passes.last().copied().unwrap_or(f64::INFINITY);
    Ok(State { of: run.of, centres, metrics, objective, passes, rounds: round, settled })
}

/// A run: where objects, centres and metrics stand.
pub(super) struct Mpck<'a> {
    pub(super) x: &'a Array2<f64>,
    pub(super) links: &'a Links,
    pub(super) setting: &'a Setting,
    /// What must-links join, the largest set first; objects alone are sets of one.
    pub(super) sets: Vec<Vec<usize>>,
    pub(super) of: Vec<u32>,
    pub(super) centres: Array2<f64>,
    pub(super) metrics: Vec<Metric>,
    /// What a metric is drawn to the inverse of, along each feature, and for how many objects that stands in one group.
    prior: (f64, f64),
}

impl<'a> Mpck<'a> {
    /// Centres from the sets that must-links join, the heaviest and farthest first; the rest drawn far from those.
    fn start(
        x: &'a Array2<f64>,
        within: f64,
        links: &'a Links,
        setting: &'a Setting,
        start: usize,
        seed: u64,
    ) -> Result<Self, Error> {
        let (n, k) = (x.nrows(), setting.k);
        let mut sets = links.members();
        order::by_key(&mut sets, &|m| std::cmp::Reverse(m.len()));
        let joined = if start == 0 { &sets[..sets.partition_point(|m| m.len() > 1)] } else { &[] };
        let means: Vec<Array1<f64>> = joined.iter().filter_map(|m| x.select(Axis(0), m).mean_axis(Axis(0))).collect();
        // Sets that must not meet those that are chosen come first: they are of other groups for certain.
        let foes = |s: usize, taken: &[usize]| {
            let meets = |t: &&usize| {
                let foe = |i: &usize| links.cannot[*i].iter().any(|(j, _)| joined[**t].contains(&(*j as usize)));
                joined[s].iter().any(foe)
            };
            taken.iter().filter(meets).count()
        };
        let mut taken: Vec<usize> = (0..means.len()).take(1).collect();
        while !taken.is_empty() && taken.len() < k.min(means.len()) {
            let nearest = |s: usize| {
                taken.iter().map(|t| (&means[s] - &means[*t]).mapv(|v| v * v).sum()).fold(f64::INFINITY, f64::min)
            };
            let score = |s: usize| (foes(s, &taken), joined[s].len() as f64 * nearest(s).sqrt());
            let all: Vec<(usize, f64)> = (0..means.len()).map(score).collect();
            let better =
                |a: &usize, b: &usize| all[*a].0.cmp(&all[*b].0).then(all[*a].1.total_cmp(&all[*b].1)).then(b.cmp(a));
            match (0..means.len()).filter(|s| !taken.contains(s)).max_by(better) {
                Some(s) if all[s].1 > 0.0 => taken.push(s),
                _ => break,
            }
        }
        let mut chosen: Vec<Array1<f64>> = taken.iter().map(|s| means[*s].clone()).collect();
        let mut rng = Rng::task(seed, start as u64);
        let mut drawn = kmeans::plus_plus(x.view(), k, &mut rng);
        while chosen.len() < k {
            let d =
                |i: usize| chosen.iter().map(|c| (&x.row(i) - c).mapv(|v| v * v).sum()).fold(f64::INFINITY, f64::min);
            if chosen.is_empty() {
                chosen.extend(drawn.rows().into_iter().map(|r| r.to_owned()));
                break;
            }
            let all: Vec<f64> = (0..n).map(d).collect();
            let mut left = rng.uniform() * all.iter().sum::<f64>();
            let next = (0..n).find(|i| {
                left -= all[*i];
                left < 0.0
            });
            chosen.push(x.row(next.unwrap_or(0)).to_owned());
        }
        drawn.rows_mut().into_iter().zip(&chosen).for_each(|(mut row, c)| row.assign(c));
        let plain = metric(Array2::eye(x.ncols()), x)?;
        let metrics = vec![plain; k];
        let prior = (within, setting.prior * n as f64 / k as f64);
        Ok(Mpck { x, links, setting, sets, of: vec![NOWHERE; n], centres: drawn, metrics, prior })
    }

    fn centre(&mut self) {
        let means = kmeans::means(self.x.view(), &self.of, self.setting.k);
        for h in 0..self.setting.k {
            // A group without objects keeps its centre.
            if self.of.contains(&(h as u32)) {
                self.centres.row_mut(h).assign(&means.row(h));
            }
        }
    }
    /// The whole objective of a grouping under these metrics.
    pub(super) fn objective(&self, of: &[u32], metrics: &[Metric]) -> f64 {
        let each = |i: usize| {
            let h = of[i];
            let own = &metrics[h as usize];
            let must = self.links.must[i].iter().filter(|(j, _)| *j as usize > i);
            let cannot = self.links.cannot[i].iter().filter(|(j, _)| *j as usize > i);
            square(own, &(&self.x.row(i) - &self.centres.row(h as usize))) - own.log_det
                + must.map(|(j, w)| w * self.broken_must(metrics, (i, *j), (h, of[*j as usize]))).sum::<f64>()
                + cannot.map(|(j, w)| w * self.broken_cannot(metrics, (i, *j), (h, of[*j as usize]))).sum::<f64>()
        };
        let (within, count) = self.prior;
        let prior = |m: &Metric| count * (within * m.matrix.diag().sum() - m.log_det);
        (0..of.len()).map(each).sum::<f64>() + metrics.iter().map(prior).sum::<f64>()
    }
    /// The metrics that the groups ask for; a step that raises the objective is halved, and given up after a few halves.
    fn learn(&mut self) -> Result<(), Error> {
        let wanted = self.wanted()?;
        let before = self.objective(&self.of, &self.metrics);
        let mut share = 1.0;
        for _ in 0..HALVES {
            let mixed = self
                .metrics
                .iter()
                .zip(&wanted)
                .map(|(old, new)| metric(&old.matrix * (1.0 - share) + new * share, self.x));
            let mixed = mixed.collect::<Result<Vec<Metric>, Error>>()?;
            if self.objective(&self.of, &mixed) <= before {
                self.metrics = mixed;
                return Ok(());
            }
            share *= 0.5;
        }
        Ok(())
    }
    /// `(|X_h| + ν) (scatter + broken must-links / 2 + broken cannot-links (diameter - own) + ν s I)⁻¹`, or of all groups together.
    fn wanted(&self) -> Result<Vec<Array2<f64>>, Error> {
        let (k, d) = (self.setting.k, self.x.ncols());
        let (within, prior) = self.prior;
        let mut sums = vec![Array2::eye(d) * (within * prior); k];
        let mut counts = vec![prior; k];
        let mut empty = vec![true; k];
        for i in 0..self.x.nrows() {
            let h = self.of[i] as usize;
            counts[h] += 1.0;
            empty[h] = false;
            outer(&mut sums[h], &(&self.x.row(i) - &self.centres.row(h)), 1.0);
            for (j, w) in self.links.must[i].iter().filter(|(j, _)| self.of[*j as usize] as usize != h) {
                // From both ends: each adds half to its own group.
                outer(&mut sums[h], &(&self.x.row(i) - &self.x.row(*j as usize)), 0.5 * w * self.setting.weight);
            }
            for (j, w) in
                self.links.cannot[i].iter().filter(|(j, _)| *j as usize > i && self.of[*j as usize] as usize == h)
            {
                let (a, b) = self.metrics[h].far;
                outer(&mut sums[h], &(&self.x.row(a) - &self.x.row(b)), w * self.setting.weight);
                outer(&mut sums[h], &(&self.x.row(i) - &self.x.row(*j as usize)), -w * self.setting.weight);
            }
        }
        let one = matches!(self.setting.shape, MetricShape::Single | MetricShape::Diagonal);
        if one {
            let sum = sums.iter().fold(Array2::zeros((d, d)), |all, s| all + s);
            let made = self.inverse(sum, counts.iter().sum())?;
            return Ok(vec![made; k]);
        }
        let each = sums.into_iter().zip(counts).zip(empty);
        each.map(|((sum, count), empty)| if empty { Ok(Array2::eye(d)) } else { self.inverse(sum, count) }).collect()
    }
    fn inverse(&self, sum: Array2<f64>, count: f64) -> Result<Array2<f64>, Error> {
        if matches!(self.setting.shape, MetricShape::Diagonal | MetricShape::Diagonals) {
            let floor = (FLOOR * sum.diag().iter().map(|v| v.max(0.0)).sum::<f64>()).max(f64::MIN_POSITIVE);
            return Ok(Array2::from_diag(&sum.diag().mapv(|v| count / v.max(floor))));
        }
        let (values, vectors) = dense::eigh(sum.view()).map_err(|_| failed())?;
        let floor = (FLOOR * values.iter().map(|v| v.max(0.0)).sum::<f64>()).max(f64::MIN_POSITIVE);
        let scaled = &vectors * &values.mapv(|v| count / v.max(floor));
        Ok(scaled.dot(&vectors.t()))
    }
}
