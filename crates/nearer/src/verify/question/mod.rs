//! What a method asks, written down a second time from its definition: plain loops over the evidence into a list of rows.
//!
//! Nothing here is shared with the programs that the solvers get. That both state the same question, bit by bit, is what the
//! fingerprint settles.

mod claim;
mod compared;
mod judged;
mod measured;
mod ordered;
mod said;
mod spanned;
mod ways;

use ndarray::Array2;

pub(super) use claim::{Trouble, other_question};
pub(super) use compared::grown;
pub(super) use said::Said;
pub(super) use spanned::basis;

use crate::io::CertificateFile;
use crate::object::Objects;
use crate::program::{Block, Candidate, Fingerprint, Sense};
use crate::verify::space::{Made, Which, projected};

/// Two objects, the smaller first.
pub(super) type Two = (u32, u32);

/// `r = d(plus) - d(minus) + constant`, and where its multiplier may lie. What a residual costs is `max v r - κ v²/2` over
/// that range.
#[derive(Debug, Clone, Copy)]
pub(super) struct Row {
    pub(super) plus: Option<Two>,
    pub(super) minus: Option<Two>,
    pub(super) constant: f64,
    pub(super) low: f64,
    pub(super) high: f64,
}

/// `min a Σ|yᵢ - ȳ|² + Σ cost d + Σ φ(row)`, squared distances `d`; a program that is maximised stands with its sign turned.
#[derive(Debug)]
pub(super) struct Question {
    pub(super) objects: Objects,
    pub(super) sense: Sense,
    /// `a`.
    pub(super) spread: f64,
    pub(super) costs: Vec<(u32, u32, f64)>,
    pub(super) rows: Vec<Row>,
    pub(super) balls: Option<Balls>,
    /// `κ`.
    pub(super) curvature: f64,
    /// Whether a residual costs `high ln(1 + exp(r))` instead: `max v r + high h(v/high)` with the entropy `h` of a coin.
    pub(super) entropy: bool,
    /// What `Σ|yᵢ - ȳ|²` is at most.
    pub(super) most_spread: Option<f64>,
    /// A size of the objective that is not zero when the optimum is.
    pub(super) scale: f64,
    pub(super) mend: Mend,
    pub(super) dual_mend: DualMend,
    /// Where points may lie, made of the evidence; nothing for any points.
    pub(super) made: Vec<Made>,
    /// The blocks that the file names: its points are written along them, and its program has their numbers in its name.
    pub(super) named: Vec<Block>,
    /// What such points are; nothing for any points.
    pub(super) spanned: Option<Spanned>,
    /// How many objects of the evidence it is not about, because they do not hang together with the most.
    pub(super) left_out: usize,
}

/// What the points of a spanned space are.
#[derive(Debug, Clone, Copy)]
pub(super) enum Spanned {
    /// Linear functions of the columns of so many kernels, for a basis of so many objects.
    Kernels { count: usize, objects: usize },
    /// Combinations of landmarks.
    Landmarks,
    /// Combinations of eigenvectors of the graph.
    Eigenvectors,
    /// Combinations of the vectors of the file, whatever they are.
    Named,
}

/// What is said of a basis that is the file's own.
pub(super) const NAMED: &str = "vectors that the file names";

/// `s (d(i, j) - b) ≤ 0`, or `high` times the excess is paid; `s` is 0 where nothing is said. Level by level, in each object by
/// object; every object has a radius of its own at every level, or all have one together.
#[derive(Debug)]
pub(super) struct Balls {
    pub(super) signs: Vec<i8>,
    /// Whether all objects have one radius a level.
    pub(super) one: bool,
    /// The largest multipliers; `None` where rows must hold.
    pub(super) high: Option<Vec<f64>>,
}

/// How points that break a row that must hold become points that do not.
#[derive(Debug)]
pub(super) enum Mend {
    /// No row must hold, or nothing mends: what is broken is told.
    Told,
    /// All rows are `d ≤ D`: the points shrink.
    Shrink,
    /// Mixed with these squared distances, packed row by row, whose spread is this: all rows hold there with room to spare.
    Mix(Vec<f64>, f64),
}

/// Multipliers at which the dual matrix has room, to mix with others that miss by a little.
#[derive(Debug)]
pub(super) enum DualMend {
    /// None needed: the spread is bounded.
    Spread,
    /// Zero; the matrix is then the identity.
    Zero,
    /// All multipliers grow in proportion until the matrix is definite.
    Grow,
    /// The same multiple of these for every row, and what the matrix then is at least.
    Rows(Vec<f64>, f64),
    /// The closed form: the largest distances that keep the order, pair by pair, whose sum is a bound by itself; and whether
    /// they are proved to belong to points.
    Largest { distances: Vec<f64>, belong: bool },
}

impl Question {
    /// What may stand as the subject of the sentence that is proved: the set of maps that the bound speaks of. The first says all that
    /// is known of it.
    pub(super) fn subjects(&self) -> Vec<String> {
        let directions: usize = self.made.iter().map(|b| b.basis.ncols()).sum();
        match self.spanned {
            None => vec!["no map in any number of dimensions".into()],
            Some(Spanned::Kernels { count, objects }) => {
                let whose = if count == 1 { "this kernel's" } else { "these kernels'" };
                let one = |which: &str| {
                    format!(
                        "no map that is a linear function of {whose} columns (basis of {objects}, {which} directions)"
                    )
                };
                let possible: usize = self.made.iter().map(|b| b.possible()).sum();
                // "All" is said only where there can be no more.
                let full = if self.made.iter().all(|b| b.which == Which::All) {
                    one(&format!("all {directions}"))
                } else {
                    one(&format!("the widest {directions} of {possible}"))
                };
                vec![full, one(&format!("the widest {directions}"))]
            }
            Some(Spanned::Landmarks) => vec![format!("no map that combines {directions} landmarks")],
            Some(Spanned::Eigenvectors) => {
                vec![format!("no map that combines {directions} eigenvectors of the neighbour graph")]
            }
            Some(Spanned::Named) => vec![format!("no map that combines {directions} {NAMED}")],
        }
    }
    /// The answer of the file in the space that was made here: its points as they are, or the nearest that the space has.
    pub(super) fn answer(&self, file: &CertificateFile) -> Candidate {
        if self.made.is_empty() { file.candidate.clone() } else { projected(&file.candidate, &self.named, &self.made) }
    }
    /// The points of an answer.
    pub(super) fn points(&self, c: &Candidate) -> Array2<f64> {
        if self.made.is_empty() {
            return c.factors[0].clone();
        }
        let width = c.factors.iter().map(Array2::ncols).sum();
        let mut points = Array2::zeros((self.n(), width));
        let mut from = 0;
        for (block, factor) in self.made.iter().zip(&c.factors) {
            for i in 0..self.n() {
                for k in 0..factor.ncols() {
                    points[(i, from + k)] = (0..factor.nrows()).map(|a| block.basis[(i, a)] * factor[(a, k)]).sum();
                }
            }
            from += factor.ncols();
        }
        points
    }

    pub(super) fn n(&self) -> usize {
        self.objects.len()
    }

    /// What of it is no question that numbers can answer, if something is.
    pub(super) fn defect(&self) -> Option<String> {
        let beyond =
            |what: &str, value: f64| Some(format!("{what} of the question is {value}, beyond what can be checked"));
        for (what, value) in
            [("the size", self.scale), ("the weight of the spread", self.spread), ("the curvature", self.curvature)]
        {
            if !value.is_finite() {
                return beyond(what, value);
            }
        }
        if let Some(cost) = self.costs.iter().map(|c| c.2).find(|c| !c.is_finite()) {
            return beyond("a cost", cost);
        }
        for row in &self.rows {
            if !row.constant.is_finite() {
                return beyond("a constant", row.constant);
            }
            // An end that is infinite stands for a row that must hold; one that has become so stands for nothing.
            if row.low.is_nan() || row.high.is_nan() || row.low > row.high {
                return Some(format!("a multiplier of the question may lie in [{}, {}]", row.low, row.high));
            }
        }
        let highs = self.balls.as_ref().and_then(|b| b.high.as_ref());
        if let Some(high) = highs.and_then(|h| h.iter().find(|v| !(v.is_finite() && **v >= 0.0))) {
            return Some(format!("a broken ball would cost {high}"));
        }
        None
    }

    /// The same name that the program has, if both state the same question.
    pub(super) fn fingerprint(&self) -> String {
        let mut print = Fingerprint::new("nearer program 1");
        print.objects(&self.objects);
        print.sense(self.sense);
        print.number(self.spread);
        print.perhaps(self.most_spread);
        print.number(self.curvature);
        if self.entropy {
            print.word("entropy");
        }
        print.count(self.costs.len());
        for &(i, j, cost) in &self.costs {
            print.count(i as usize);
            print.count(j as usize);
            print.number(cost);
        }
        print.count(self.rows.len());
        for row in &self.rows {
            print.count(usize::from(row.plus.is_some()) + usize::from(row.minus.is_some()));
            for (pair, sign) in [(row.plus, 1.0), (row.minus, -1.0)] {
                if let Some((i, j)) = pair {
                    print.count(i as usize);
                    print.count(j as usize);
                    print.number(sign);
                }
            }
            [row.constant, row.low, row.high].iter().for_each(|v| print.number(*v));
        }
        if let Some(balls) = &self.balls {
            let n = self.n();
            if balls.one {
                print.word("one radius");
            }
            print.count(balls.signs.iter().filter(|s| **s != 0).count());
            for (k, sign) in balls.signs.iter().enumerate().filter(|(_, s)| **s != 0) {
                print.count(k / n);
                print.count(k % n);
                print.number(f64::from(*sign));
                print.number(balls.most(k));
            }
        }
        if !self.named.is_empty() {
            print.blocks(&self.named);
        }
        print.finish()
    }
}

impl Balls {
    /// The largest multiplier of the row with this place in the square of all.
    pub(super) fn most(&self, k: usize) -> f64 {
        self.high.as_ref().map_or(f64::INFINITY, |h| h[k])
    }
    /// How many balls there are: one for each object, times the levels.
    pub(super) fn centres(&self, n: usize) -> usize {
        self.signs.len().checked_div(n).unwrap_or(0)
    }
    /// The radius that the row with this place belongs to.
    pub(super) fn radius(&self, n: usize, k: usize) -> usize {
        if self.one { k / n / n } else { k / n }
    }
    /// How many radii there are.
    pub(super) fn radii(&self, n: usize) -> usize {
        if self.one { self.centres(n).checked_div(n).unwrap_or(0) } else { self.centres(n) }
    }
    /// The places of the rows of a radius in which something is said.
    pub(super) fn rows_of(&self, n: usize, radius: usize) -> impl Iterator<Item = usize> {
        let each = if self.one { n * n } else { n };
        (radius * each..(radius + 1) * each).filter(|k| self.signs[*k] != 0)
    }
    /// The two objects of a row, the smaller number first.
    pub(super) fn pair(n: usize, k: usize) -> Two {
        let (i, j) = ((k / n % n) as u32, (k % n) as u32);
        (i.min(j), i.max(j))
    }
}

/// Where the pair `i < j` stands among all, row by row.
pub(super) fn place(n: usize, i: usize, j: usize) -> usize {
    i * (2 * n - i - 1) / 2 + (j - i - 1)
}

/// All pairs, row by row.
pub(super) fn all_pairs(n: usize) -> impl Iterator<Item = (usize, usize)> {
    (0..n).flat_map(move |i| (i + 1..n).map(move |j| (i, j)))
}
