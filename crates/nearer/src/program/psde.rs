//! The program of pairwise semidefinite embedding: pairs said to be alike or not, or alike in grades, with balls about objects.

use ndarray::Array2;
use nearer_num::definite::{self, gamma};
use nearer_num::packed;

use crate::error::{Error, Remedy};
use crate::evidence::Pairs;
use crate::program::gram::Interior;
use crate::program::{Balls, GramProgram, Sense};

/// `min Σ_similar w d / W_s - Σ_dissimilar w d / W_d` with `s_ij (d_ij - b_i) ≤ 0`, or `slack · w` times the excess paid;
/// `⟨H, G⟩ ≤ 1`. `W` are the sums of the weights. With one radius all `b_i` are the same unknown.
///
/// Pairs in grades are such answers at several levels: each level has its radii, `b_i1 ≤ b_i2 ≤ …`, and the objective is the mean
/// of those of the levels. That radii are nested needs no row: what is inside at one level is inside at all above it, so that
/// the best radius (the weighted quantile, or the middle of the gap) of a level is never below that of the one before.
///
/// Rows are directed. The scale of the gap is the mean squared distance of points of trace 1, `2 / (n - 1)`.
/// Refused where the same ordered pair is said to be both, and, without slack, where the order that the rows imply goes in a
/// circle, so that no point satisfies them with room to spare.
pub(crate) fn psde(pairs: &Pairs, slack: Option<f64>, one_radius: bool) -> Result<GramProgram, Error> {
    let n = pairs.objects().len();
    let said = Said::read(pairs, one_radius)?;
    let (base, cost) = said.cost(n);
    if said.levels > 1 && cost.iter().all(|c| c.abs() < 1e-12) {
        return Err(Error::Evidence {
            what: "every pair is in the same middle grade, so that none is drawn together or pushed apart".into(),
            remedy: "give pairs in at least two grades".into(),
        });
    }
    let mut list = Vec::new();
    let mut costs = Vec::new();
    for (k, c) in cost.iter().enumerate() {
        if *c != base {
            let (i, j) = packed::pair(n, k);
            list.push((i as u32, j as u32));
            costs.push(c - base);
        }
    }
    let interior = if slack.is_none() { Some(interior(&said.balls, pairs)?) } else { None };
    let balls = match slack {
        Some(s) if said.uniform => said.balls.with_slack(s),
        Some(s) => said.balls.with_slack(s).with_weights(said.weights),
        None => said.balls,
    };
    // The sum of all squared distances is n ⟨H, G⟩: what most pairs cost is paid at once.
    let mut program = GramProgram::new(n, Sense::Minimise, 2.0 / (n as f64 - 1.0).max(1.0))
        .trace(base * n as f64)
        .pairs(list)
        .cost(costs)
        .balls(balls)
        .trace_bound(1.0);
    program.interior = interior;
    program.checked()
}

/// What is said, each ordered pair once a level.
struct Said {
    balls: Balls,
    levels: usize,
    weights: Vec<f64>,
    uniform: bool,
}

impl Said {
    fn read(pairs: &Pairs, one_radius: bool) -> Result<Self, Error> {
        let (n, levels) = (pairs.objects().len(), pairs.levels());
        let balls = Balls::new(n, levels).shared(one_radius);
        let mut said = Said { balls, levels, weights: vec![0.0; levels * n * n], uniform: true };
        for row in pairs.iter() {
            let (i, j, sign) = (row.from.index(), row.to.index(), if row.similar { 1 } else { -1 });
            let c = usize::from(row.level) * n + i;
            if said.balls.sign(c, j) == -sign {
                let (a, b) = (pairs.objects().label(row.from), pairs.objects().label(row.to));
                let place = if row.line > 0 { format!(" (line {})", row.line) } else { String::new() };
                let both = if levels > 1 { "alike in two grades" } else { "alike and not alike" };
                return Err(Error::Evidence {
                    what: format!("`{a}` and `{b}` are said to be {both}{place}"),
                    remedy: Remedy::default()
                        .command("clean")
                        .and(" keeps the majority; or leave one of the answers out"),
                });
            }
            said.balls.say(c, j, sign);
            said.weights[c * n + j] += row.weight;
        }
        let given: Vec<f64> = said.weights.iter().copied().filter(|w| *w > 0.0).collect();
        said.uniform = given.iter().all(|w| (*w - given[0]).abs() < 1e-12);
        Ok(said)
    }

    /// For each unordered pair what its squared distance costs, and the cost that most pairs have.
    fn cost(&self, n: usize) -> (f64, Vec<f64>) {
        let mut sums = vec![[0.0; 2]; self.levels];
        for (k, w) in self.weights.iter().enumerate() {
            match self.balls.sign(k / n, k % n) {
                1 => sums[k / n / n][0] += w,
                -1 => sums[k / n / n][1] += w,
                _ => {}
            }
        }
        let one = |level: usize, i: usize, j: usize| match self.balls.sign(level * n + i, j) {
            1 => self.weights[(level * n + i) * n + j] / sums[level][0],
            -1 => -self.weights[(level * n + i) * n + j] / sums[level][1],
            _ => 0.0,
        };
        let both = |level: usize, k: usize| {
            let (i, j) = packed::pair(n, k);
            one(level, i, j) + one(level, j, i)
        };
        let mean = |k: usize| (0..self.levels).map(|level| both(level, k)).sum::<f64>() / self.levels as f64;
        let cost: Vec<f64> = (0..packed::len(n)).map(mean).collect();
        let common = |value: f64| cost.iter().filter(|c| **c == value).count();
        let first = cost.iter().copied().find(|c| *c < 0.0).unwrap_or(0.0);
        (if common(first) > common(0.0) { first } else { 0.0 }, cost)
    }
}

/// A point that satisfies every row with room to spare, of trace 1.
///
/// Each pair gets a level `g`, the longest chain of rows above it (0 for pairs that nothing must be farther than), and the
/// squared distance `c - α g`: the Gram matrix is `½ (c H + α H g H)`, positive semidefinite for `α` small enough.
/// For symmetric rows `g` is 1 for similar pairs and 0 for others.
fn interior(balls: &Balls, pairs: &Pairs) -> Result<Interior, Error> {
    let n = balls.objects();
    let levels = levels(balls).map_err(|(i, j)| {
        let (a, b) = (&pairs.objects().labels()[i], &pairs.objects().labels()[j]);
        Error::Evidence {
            what: format!("the answers about neighbours go in a circle that runs through `{a}` and `{b}`: no map satisfies all of them"),
            remedy: Remedy::from("set a slack (for instance ")
                .setting("slack", "1")
                .and("), so that broken answers are paid for"),
        }
    })?;
    let g =
        Array2::from_shape_fn((n, n), |(i, j)| if i == j { 0.0 } else { levels[packed::index(n, i.min(j), i.max(j))] });
    let least = definite::least_eigenvalue(g.view()).value;
    let alpha = 0.5 / (-least).max(1.0);
    let mut distances: Vec<f64> = levels.iter().map(|g| 2.0 - 2.0 * alpha * g).collect();
    let size = levels.len() as f64;
    let trace = distances.iter().sum::<f64>() / n as f64 * (1.0 + gamma(levels.len()));
    if size > 0.0 {
        distances.iter_mut().for_each(|d| *d /= trace);
    }
    Ok(Interior::new(distances, 1.0))
}

/// The longest chain above each pair; the error is a pair on a circle.
fn levels(balls: &Balls) -> Result<Vec<f64>, (usize, usize)> {
    let n = balls.objects();
    let nodes = packed::len(n) + balls.radii();
    let ball = |c: usize| packed::len(n) + balls.radius_of(c);
    let pair = |i: usize, j: usize| packed::index(n, i.min(j), i.max(j));
    // Edges run from what is farther to what is nearer: dissimilar pair → ball → similar pair. Half steps each.
    let mut waiting = vec![0u32; nodes];
    for c in 0..balls.centres() {
        for j in 0..n {
            match balls.sign(c, j) {
                1 => waiting[pair(balls.object(c), j)] += 1,
                -1 => waiting[ball(c)] += 1,
                _ => {}
            }
        }
    }
    let mut level = vec![0.0f64; nodes];
    let mut ready: Vec<usize> = (0..nodes).filter(|k| waiting[*k] == 0).collect();
    let mut done = 0;
    while let Some(k) = ready.pop() {
        done += 1;
        let mut reach = |to: usize, ready: &mut Vec<usize>| {
            level[to] = level[to].max(level[k] + 0.5);
            waiting[to] -= 1;
            if waiting[to] == 0 {
                ready.push(to);
            }
        };
        if k >= packed::len(n) {
            for c in balls.centres_of(k - packed::len(n)) {
                let i = balls.object(c);
                (0..n).filter(|j| balls.sign(c, *j) > 0).for_each(|j| reach(pair(i, j), &mut ready));
            }
        } else {
            let (i, j) = packed::pair(n, k);
            for (a, b) in [(i, j), (j, i)] {
                for c in (a..balls.centres()).step_by(n).filter(|c| balls.sign(*c, b) < 0) {
                    reach(ball(c), &mut ready);
                }
            }
        }
    }
    if done < nodes {
        let stuck = (0..packed::len(n)).find(|k| waiting[*k] > 0).unwrap_or(0);
        return Err(packed::pair(n, stuck));
    }
    level.truncate(packed::len(n));
    Ok(level)
}
