//! Small instances of every convex program, made of a seed alone; `golden/gram_programs.py` makes the same ones.
//!
//! Nothing but additions, products and comparisons in a fixed order enters, so that both languages agree in every bit.

use crate::evidence::{Distances, Judged, Pairs};
use crate::program::{self, GramProgram, LongestPaths, Stretch};
use crate::{Comparison, Comparisons, Error, Item, Objects, Pair};

/// What is special about an instance.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Shape {
    /// Nothing.
    Plain,
    /// Every second point lies exactly on the one before.
    Duplicates,
    /// Nothing is said across two halves.
    Disconnected,
    /// Everything is said both ways (with slack).
    Contradictory,
    /// One row alone.
    One,
    /// All pairs are alike.
    AllSimilar,
    /// No pair is.
    AllDissimilar,
}

impl Shape {
    pub(crate) fn named(name: &str) -> Self {
        match name {
            "plain" => Shape::Plain,
            "duplicates" => Shape::Duplicates,
            "disconnected" => Shape::Disconnected,
            "contradictory" => Shape::Contradictory,
            "one" => Shape::One,
            "all-similar" => Shape::AllSimilar,
            "all-dissimilar" => Shape::AllDissimilar,
            other => panic!("no shape `{other}`"),
        }
    }
}

/// Splitmix64: four lines in any language.
pub(crate) struct Splitmix(u64);

impl Splitmix {
    pub(crate) fn new(seed: u64) -> Self {
        Splitmix(seed)
    }
    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }
    pub(crate) fn uniform(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1u64 << 53) as f64
    }
    pub(crate) fn below(&mut self, n: usize) -> usize {
        (self.uniform() * n as f64) as usize
    }
}

/// Points of the unit cube, and their squared distances.
pub(super) struct Cloud {
    n: usize,
    squared: Vec<Vec<f64>>,
}

impl Cloud {
    pub(super) fn new(rng: &mut Splitmix, n: usize, dim: usize, shape: Shape) -> Self {
        let mut points: Vec<Vec<f64>> = (0..n).map(|_| (0..dim).map(|_| rng.uniform()).collect()).collect();
        if shape == Shape::Duplicates {
            for i in (1..n).step_by(2) {
                points[i] = points[i - 1].clone();
            }
        }
        let distance = |i: usize, j: usize| {
            let mut sum = 0.0;
            for k in 0..dim {
                let off = points[i][k] - points[j][k];
                sum += off * off;
            }
            sum
        };
        Cloud { n, squared: (0..n).map(|i| (0..n).map(|j| distance(i, j)).collect()).collect() }
    }

    /// Whether `j` is one of the `k` nearest of `i`, or the other way round; ties go to the lower number.
    fn neighbours(&self, k: usize) -> Vec<Vec<bool>> {
        let mut near = vec![vec![false; self.n]; self.n];
        for i in 0..self.n {
            let mut order: Vec<usize> = (0..self.n).filter(|j| *j != i).collect();
            order.sort_by(|a, b| self.squared[i][*a].total_cmp(&self.squared[i][*b]).then(a.cmp(b)));
            for j in order.into_iter().take(k) {
                near[i][j] = true;
                near[j][i] = true;
            }
        }
        near
    }
}

pub(super) fn pair(i: usize, j: usize) -> Pair {
    Pair::new(Item(i as u32), Item(j as u32)).unwrap()
}

/// Answers to triplet questions; a share `flip` of them is wrong.
pub(super) fn triplets(rng: &mut Splitmix, cloud: &Cloud, rows: usize, flip: f64, shape: Shape) -> Vec<[usize; 3]> {
    let n = cloud.n;
    let mut list = Vec::new();
    while list.len() < rows {
        let (head, a, b) = (rng.below(n), rng.below(n), rng.below(n));
        let wrong = rng.uniform() < flip;
        let across = |i: usize, j: usize| (i < n / 2) != (j < n / 2);
        if head == a || head == b || a == b {
            continue;
        }
        if shape == Shape::Disconnected && n >= 6 && (across(head, a) || across(head, b)) {
            continue;
        }
        let nearer = cloud.squared[head][a] < cloud.squared[head][b];
        let (near, far) = if nearer != wrong { (a, b) } else { (b, a) };
        list.push([head, near, far]);
        if shape == Shape::Contradictory {
            list.push([head, far, near]);
        }
    }
    list
}

fn comparisons(n: usize, list: &[[usize; 3]]) -> Comparisons {
    let rows = list.iter().map(|&[head, near, far]| Comparison::new(pair(head, near), pair(head, far))).collect();
    Comparisons::new(Objects::numbered(n), rows).unwrap()
}

/// Comparisons paid for by `slack`.
pub(crate) fn gnmds(seed: u64, n: usize, rows: usize, slack: f64, shape: Shape) -> Result<GramProgram, Error> {
    let mut rng = Splitmix::new(seed);
    let cloud = Cloud::new(&mut rng, n, 2, shape);
    let rows = if shape == Shape::One { 1 } else { rows };
    let list = triplets(&mut rng, &cloud, rows, 0.1, shape);
    program::gnmds(&comparisons(n, &list), slack)
}

/// Pairs alike or not, each object with its ball.
pub(crate) fn psde(seed: u64, n: usize, k: usize, slack: Option<f64>, shape: Shape) -> Result<GramProgram, Error> {
    let mut rng = Splitmix::new(seed);
    let cloud = Cloud::new(&mut rng, n, 2, shape);
    let near = cloud.neighbours(k);
    let mut rows = Vec::new();
    let mut say = |i: usize, j: usize, similar: bool| {
        rows.push(Judged::new(Item(i as u32), Item(j as u32), similar));
    };
    for i in 0..n {
        for j in i + 1..n {
            let unknown = rng.uniform() < 0.1;
            let other = rng.uniform() < 0.3;
            match shape {
                Shape::One => {}
                Shape::AllSimilar => (say(i, j, true), say(j, i, true)).0,
                Shape::AllDissimilar => (say(i, j, false), say(j, i, false)).0,
                Shape::Disconnected if (i < n / 2) != (j < n / 2) => {}
                // The two directions may differ: circles, which only slack allows.
                Shape::Contradictory => (say(i, j, near[i][j]), say(j, i, near[i][j] != other)).0,
                _ if unknown => {}
                _ => (say(i, j, near[i][j]), say(j, i, near[i][j])).0,
            }
        }
    }
    if shape == Shape::One {
        say(0, 1, false);
    }
    program::psde(&Pairs::new(Objects::numbered(n), rows)?, slack, false)
}

/// Pairs in three grades by their distances, some of them wrong where answers may be broken.
pub(crate) fn graded(
    seed: u64,
    n: usize,
    slack: Option<f64>,
    one_radius: bool,
    shape: Shape,
) -> Result<GramProgram, Error> {
    let mut rng = Splitmix::new(seed);
    let cloud = Cloud::new(&mut rng, n, 2, shape);
    let mut answers = Vec::new();
    for i in 0..n {
        for j in i + 1..n {
            let (unknown, wrong) = (rng.uniform() < 0.1, slack.is_some() && rng.uniform() < 0.2);
            let grade = match shape {
                Shape::AllSimilar => 1,
                Shape::AllDissimilar => 3,
                _ if wrong => 1 + rng.below(3) as u16,
                _ => 1 + [0.1, 0.35].iter().filter(|step| cloud.squared[i][j] > **step).count() as u16,
            };
            if !(unknown || (shape == Shape::Disconnected && (i < n / 2) != (j < n / 2))) {
                answers.push((Judged::new(Item(i as u32), Item(j as u32), true), grade));
            }
        }
    }
    if shape == Shape::One || answers.is_empty() {
        answers = vec![(Judged::new(Item(0), Item(1), true), 1)];
    }
    program::psde(&Pairs::graded(Objects::numbered(n), answers, 3)?.both_ways(), slack, one_radius)
}

/// Everything as far apart as `bound` allows; `bound` may depend on the longest paths, and on the largest distance of the
/// points themselves at the size at which they keep the order with its margins, so that they satisfy all rows.
pub(crate) fn partial_order(
    seed: u64,
    n: usize,
    rows: usize,
    shape: Shape,
    bound: impl Fn(&LongestPaths, f64) -> f64,
) -> Result<GramProgram, Error> {
    let mut rng = Splitmix::new(seed);
    let cloud = Cloud::new(&mut rng, n, 2, shape);
    let rows = if shape == Shape::One { 1 } else { rows };
    // Only what is true, and no ties: otherwise there are circles.
    let list: Vec<[usize; 3]> = triplets(&mut rng, &cloud, rows, 0.0, shape)
        .into_iter()
        .filter(|&[head, near, far]| cloud.squared[head][near] < cloud.squared[head][far])
        .collect();
    let c = comparisons(n, &list);
    let paths = LongestPaths::new(&crate::graph::ConstraintGraph::new(&c), n)?;
    let least = list
        .iter()
        .map(|&[head, near, far]| cloud.squared[head][far] - cloud.squared[head][near])
        .fold(f64::INFINITY, f64::min);
    let largest = cloud.squared.iter().flatten().fold(0.0, |m: f64, d| m.max(*d));
    let bound = bound(&paths, largest / least);
    program::partial_order(&c, &paths, bound)
}

/// Points as far apart as their neighbours allow; a chain holds all together.
pub(crate) fn mvu(seed: u64, n: usize, k: usize, how: Stretch, shape: Shape) -> Result<GramProgram, Error> {
    let mut rng = Splitmix::new(seed);
    let cloud = Cloud::new(&mut rng, n, 3, shape);
    let near = cloud.neighbours(if shape == Shape::One { 0 } else { k });
    let (mut edges, mut squared) = (Vec::new(), Vec::new());
    for i in 0..n {
        for j in i + 1..n {
            if near[i][j] || j == i + 1 {
                edges.push((i as u32, j as u32));
                squared.push(cloud.squared[i][j]);
            }
        }
    }
    program::unfold(n, &edges, &squared, how)
}

/// Distances with outliers and holes; a chain holds all together.
pub(crate) fn robust(seed: u64, n: usize, missing: f64, outliers: f64, shape: Shape) -> Result<GramProgram, Error> {
    let mut rng = Splitmix::new(seed);
    let cloud = Cloud::new(&mut rng, n, 2, shape);
    let (mut values, mut weights) = (Vec::new(), Vec::new());
    for i in 0..n {
        for j in i + 1..n {
            let (gone, wrong, factor, weight) = (rng.uniform(), rng.uniform(), rng.uniform(), rng.uniform());
            let mut d = cloud.squared[i][j].sqrt();
            if wrong < outliers {
                d *= 3.0 * factor;
            }
            let known = (gone >= missing && shape != Shape::One) || j == i + 1;
            values.push(d);
            weights.push(if known { 0.5 + weight } else { 0.0 });
        }
    }
    let d =
        Distances::from_parts(Objects::numbered(n), values, Some(weights), None, crate::evidence::Repeats::default())?;
    program::robust(&d)
}
