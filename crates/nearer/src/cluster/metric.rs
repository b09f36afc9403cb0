//! MPCk-means (Bilenko, Basu and Mooney 2004): pairs cost when they are broken, and groups learn metrics.

use ndarray::{Array1, Array2, Axis};
use nearer_num::rng::Rng;
use nearer_num::{dense, kmeans, par};

use super::State;
use super::links::Links;
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
/// Sweeps from one farthest object to the next that make a diameter.
const SWEEPS: usize = 4;

pub(super) struct Setting {
    pub(super) k: usize,
    pub(super) shape: MetricShape,
    pub(super) weight: f64,
    pub(super) max_iter: usize,
    pub(super) starts: usize,
}

/// A metric: the matrix, the logarithm of its determinant, and the farthest pair of all objects under it.
#[derive(Clone)]
struct Metric {
    matrix: Array2<f64>,
    /// The weights of the features, where it is nothing else.
    diagonal: Option<Array1<f64>>,
    log_det: f64,
    far: (usize, usize),
    diameter: f64,
}

/// The state of a run. Costs: `|x - μ|²_M - log det M` for an object; for a broken must-link the mean of its squared distances
/// under the metrics of both groups; for a broken cannot-link the squared diameter of the group less its own.
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
    let mut best: Option<State> = None;
    for start in 0..setting.starts.max(1) {
        let found = one(x, size, links, setting, start, seed, &mut |round, value| go_on(start, round, value))?;
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
    size: f64,
    links: &Links,
    setting: &Setting,
    start: usize,
    seed: u64,
    go_on: &mut dyn FnMut(usize, f64) -> bool,
) -> Result<State, Error> {
    let mut run = Mpck::start(x, links, setting, start, seed)?;
    let (mut passes, mut round, mut settled) = (Vec::new(), 0, false);
    while round < setting.max_iter && !settled {
        round += 1;
        // In the first pass only objects that have a group already can be broken with.
        let moved = run.assign(round == 1);
        run.centre();
        run.learn()?;
        let value = run.objective(&run.metrics);
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

struct Mpck<'a> {
    x: &'a Array2<f64>,
    links: &'a Links,
    setting: &'a Setting,
    of: Vec<u32>,
    centres: Array2<f64>,
    metrics: Vec<Metric>,
}

const NOWHERE: u32 = u32::MAX;

impl<'a> Mpck<'a> {
    /// Centres from the sets that must-links join, the heaviest and farthest first; the rest drawn far from those.
    fn start(
        x: &'a Array2<f64>,
        links: &'a Links,
        setting: &'a Setting,
        start: usize,
        seed: u64,
    ) -> Result<Self, Error> {
        let (n, k) = (x.nrows(), setting.k);
        let joined: Vec<Vec<usize>> =
            if start == 0 { links.members().into_iter().filter(|m| m.len() > 1).collect() } else { Vec::new() };
        let means: Vec<Array1<f64>> = joined.iter().filter_map(|m| x.select(Axis(0), m).mean_axis(Axis(0))).collect();
        // Sets that must not meet those that are chosen come first: they are of other groups for certain.
        let foes = |s: usize, taken: &[usize]| {
            let meets = |t: &&usize| {
                let foe = |i: &usize| links.cannot[*i].iter().any(|(j, _)| joined[**t].contains(&(*j as usize)));
                joined[s].iter().any(foe)
            };
            taken.iter().filter(meets).count()
        };
        let heaviest = (0..means.len()).max_by_key(|s| (joined[*s].len(), std::cmp::Reverse(*s)));
        let mut taken: Vec<usize> = heaviest.into_iter().collect();
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
        Ok(Mpck { x, links, setting, of: vec![NOWHERE; n], centres: drawn, metrics })
    }

    /// Each object where it costs least, one after another; how many moved.
    fn assign(&mut self, first: bool) -> usize {
        let own = self.own_costs();
        let mut moved = 0;
        for i in 0..self.x.nrows() {
            let cost = |h: usize| {
                let mut sum = own[(i, h)];
                for (j, w) in &self.links.must[i] {
                    let there = self.of[*j as usize];
                    if there != NOWHERE && there as usize != h {
                        sum += 0.5 * w * self.setting.weight * self.broken_must(i, *j as usize, h, there as usize);
                    }
                }
                for (j, w) in &self.links.cannot[i] {
                    if self.of[*j as usize] == h as u32 {
                        sum += w * self.setting.weight * self.broken_cannot(i, *j as usize, h);
                    }
                }
                sum
            };
            let best = (0..self.setting.k).map(|h| (cost(h), h)).min_by(|a, b| a.0.total_cmp(&b.0)).expect("a group");
            let stay = self.of[i];
            // An object moves only where that is better: equal costs would let it wander.
            if first || stay == NOWHERE || best.0 < cost(stay as usize) {
                moved += usize::from(stay != best.1 as u32);
                self.of[i] = best.1 as u32;
            }
        }
        moved
    }
    fn own_costs(&self) -> Array2<f64> {
        let k = self.setting.k;
        let rows = par::map(self.x.nrows(), |i| {
            (0..k)
                .map(|h| square(&self.metrics[h], &(&self.x.row(i) - &self.centres.row(h))) - self.metrics[h].log_det)
                .collect::<Vec<f64>>()
        });
        Array2::from_shape_fn((rows.len(), k), |(i, h)| rows[i][h])
    }
    fn broken_must(&self, i: usize, j: usize, h: usize, there: usize) -> f64 {
        let off = &self.x.row(i) - &self.x.row(j);
        square(&self.metrics[h], &off) + square(&self.metrics[there], &off)
    }
    fn broken_cannot(&self, i: usize, j: usize, h: usize) -> f64 {
        let off = &self.x.row(i) - &self.x.row(j);
        (self.metrics[h].diameter - square(&self.metrics[h], &off)).max(0.0)
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
    /// The whole objective under these metrics.
    fn objective(&self, metrics: &[Metric]) -> f64 {
        let mut sum = 0.0;
        for i in 0..self.x.nrows() {
            let h = self.of[i] as usize;
            sum += square(&metrics[h], &(&self.x.row(i) - &self.centres.row(h))) - metrics[h].log_det;
            for (j, w) in self.links.must[i].iter().filter(|(j, _)| *j as usize > i) {
                let there = self.of[*j as usize] as usize;
                if there != h {
                    let off = &self.x.row(i) - &self.x.row(*j as usize);
                    let both = square(&metrics[h], &off) + square(&metrics[there], &off);
                    sum += 0.5 * w * self.setting.weight * both;
                }
            }
            for (j, w) in self.links.cannot[i].iter().filter(|(j, _)| *j as usize > i) {
                if self.of[*j as usize] as usize == h {
                    let off = &self.x.row(i) - &self.x.row(*j as usize);
                    sum += w * self.setting.weight * (metrics[h].diameter - square(&metrics[h], &off)).max(0.0);
                }
            }
        }
        sum
    }
    /// The metrics that the groups ask for; a step that raises the objective is halved, and given up after a few halves.
    fn learn(&mut self) -> Result<(), Error> {
        let wanted = self.wanted()?;
        let before = self.objective(&self.metrics);
        let mut share = 1.0;
        for _ in 0..HALVES {
            let mixed = self
                .metrics
                .iter()
                .zip(&wanted)
                .map(|(old, new)| metric(&old.matrix * (1.0 - share) + new * share, self.x));
            let mixed = mixed.collect::<Result<Vec<Metric>, Error>>()?;
            if self.objective(&mixed) <= before {
                self.metrics = mixed;
                return Ok(());
            }
            share *= 0.5;
        }
        Ok(())
    }
    /// `|X_h| (scatter + broken must-links / 2 + broken cannot-links (diameter - own))⁻¹`, or of all groups together.
    fn wanted(&self) -> Result<Vec<Array2<f64>>, Error> {
        let (k, d) = (self.setting.k, self.x.ncols());
        let mut sums = vec![Array2::<f64>::zeros((d, d)); k];
        let mut counts = vec![0.0; k];
        for i in 0..self.x.nrows() {
            let h = self.of[i] as usize;
            counts[h] += 1.0;
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
        sums.into_iter()
            .zip(counts)
            .map(|(sum, count)| if count > 0.0 { self.inverse(sum, count) } else { Ok(Array2::eye(d)) })
            .collect()
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

fn outer(sum: &mut Array2<f64>, z: &Array1<f64>, w: f64) {
    for (mut row, a) in sum.rows_mut().into_iter().zip(z) {
        row.scaled_add(w * a, z);
    }
}

fn square(m: &Metric, z: &Array1<f64>) -> f64 {
    match &m.diagonal {
        Some(weights) => weights.iter().zip(z).map(|(w, v)| w * v * v).sum(),
        None => z.dot(&m.matrix.dot(z)),
    }
}

/// A matrix with its determinant and the farthest pair under it, found by sweeps from one farthest object to the next.
fn metric(matrix: Array2<f64>, x: &Array2<f64>) -> Result<Metric, Error> {
    let diagonal = matrix.indexed_iter().all(|((a, b), v)| a == b || *v == 0.0).then(|| matrix.diag().to_owned());
    let values = match &diagonal {
        Some(weights) => weights.clone(),
        None => dense::eigvalsh(matrix.view()).map_err(|_| failed())?,
    };
    let log_det = values.iter().map(|v| v.max(f64::MIN_POSITIVE).ln()).sum();
    let image = x.dot(&matrix);
    let own: Vec<f64> = x.rows().into_iter().zip(image.rows()).map(|(a, b)| a.dot(&b)).collect();
    let to = |i: usize, j: usize| (own[i] + own[j] - 2.0 * x.row(i).dot(&image.row(j))).max(0.0);
    let mut far = (0, 0);
    let mut diameter = 0.0;
    let mut at = (0..x.nrows()).max_by(|a, b| own[*a].total_cmp(&own[*b])).unwrap_or(0);
    for _ in 0..SWEEPS {
        let next = (0..x.nrows()).max_by(|a, b| to(at, *a).total_cmp(&to(at, *b))).unwrap_or(at);
        if to(at, next) <= diameter {
            break;
        }
        (diameter, far) = (to(at, next), (at, next));
        at = next;
    }
    Ok(Metric { matrix, diagonal, log_det, far, diameter })
}

fn failed() -> Error {
    Error::Numerical { what: "the eigen-decomposition of a metric of a group".into() }
}
