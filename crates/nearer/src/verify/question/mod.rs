//! What a method asks, written down a second time from its definition: plain loops over the evidence into a list of rows.
//!
//! Nothing here is shared with the programs that the solvers get. That both state the same question, bit by bit, is what the
//! fingerprint settles.

mod compared;
mod judged;
mod measured;
mod spanned;

use ndarray::Array2;

pub(super) use compared::grown;

use crate::error::{Error, Remedy};
use crate::evidence::Evidence;
use crate::io::{CertificateFile, Claim};
use crate::object::Objects;
use crate::program::{Block, Candidate, Fingerprint, Sense};
use crate::settings::{Settings, Value};
use crate::verify::{About, CHECKED};

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
    pub(super) anchor: Anchor,
    /// Where points may lie, as the file says and the evidence bears out; nothing for any points.
    pub(super) space: Vec<Block>,
    /// What such points are, in words; nothing for any points.
    pub(super) spanned: Option<Spanned>,
    /// How many objects of the evidence it is not about, because they do not hang together with the most.
    pub(super) left_out: usize,
}

/// What the points of a spanned space are.
#[derive(Debug, Clone, Copy)]
pub(super) enum Spanned {
    /// Linear functions of the columns of so many kernels, for a basis of so many objects.
    Kernels { count: usize, objects: usize },
    /// Combinations of some vectors that the file names: landmarks.
    Landmarks,
    /// Combinations of some vectors that the file names: eigenvectors of the graph.
    Eigenvectors,
}

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
pub(super) enum Anchor {
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

/// Above this many objects the slow path would take hours, and gigabytes.
pub(super) const MOST: usize = 5000;

impl Question {
    /// The question of a method about evidence.
    pub(super) fn of(file: &CertificateFile, about: &About<'_>) -> Result<Question, Trouble> {
        let evidence = about.evidence.as_ref();
        let (n, claim) = (evidence.objects().len(), &file.claim);
        if n > MOST {
            return Err(Trouble::Input(Error::Evidence {
                what: format!("{n} objects; certificates are checked for up to {MOST}"),
                remedy: "the slow path factorises a dense matrix in extended precision; check a smaller fit".into(),
            }));
        }
        let used = used(claim);
        match (claim.method.as_str(), evidence) {
            ("psde", Evidence::Pairs(p)) => {
                let one = one_of(&used, "radii", &["each", "one"])? == "one";
                judged::psde(p, positive(&used, "slack")?, one)
            }
            ("gnmds", Evidence::Comparisons(c)) => compared::gnmds(c, needed(&used, "slack")?),
            ("convex-ste", Evidence::Comparisons(c)) => compared::convex_ste(c, needed(&used, "trace")?),
            ("partial-order", Evidence::Comparisons(c)) => {
                let repair = one_of(&used, "repair", &["none", "prune", "random", "cheapest"])?;
                compared::partial_order(c, needed(&used, "bound")?, repair, claim.seed, claim.certificate.proof)
            }
            ("robust-mds", Evidence::Distances(d)) => measured::robust(d),
            ("mvu", Evidence::Distances(_) | Evidence::Features(_) | Evidence::Kernels(_)) => {
                let form = one_of(&used, "form", &["at-most", "soft", "penalised"])?;
                one_of(&used, "components", &["refuse", "largest", "joined"])?;
                let free = measured::unfold(evidence, &used, form, positive(&used, "weight")?)?;
                spanned::unfolded(free, file, evidence)
            }
            ("kpsde", Evidence::Pairs(pairs)) => {
                spanned::kpsde(judged::psde(pairs, Some(needed(&used, "slack")?), false)?, file, about.spanning()?)
            }
            ("kernel-gnmds", Evidence::Comparisons(c)) => {
                spanned::kernel_gnmds(compared::gnmds(c, needed(&used, "slack")?)?, file, about.spanning()?)
            }
            ("kernel-partial-order", Evidence::Comparisons(c)) => {
                spanned::kernel_partial_order(compared::paid_order(c, &used, claim.seed)?, file, about.spanning()?)
            }
            (known, other) if CHECKED.contains(&known) => Err(Trouble::Input(Error::Evidence {
                what: format!("a certificate of {known} is not about {}", other.kind()),
                remedy: "give the evidence that the map was made of".into(),
            })),
            (other, _) => Err(Trouble::Input(Error::Evidence {
                what: format!("a certificate of `{other}`, which this version cannot check"),
                remedy: format!("update nearer, or give a certificate of {}", CHECKED.join(", ")).into(),
            })),
        }
    }

    /// What may stand as the subject of the sentence that is proved: the set of maps that the bound speaks of.
    pub(super) fn subjects(&self) -> Vec<String> {
        let directions: usize = self.space.iter().map(|b| b.basis.ncols()).sum();
        match self.spanned {
            None => vec!["no map in any number of dimensions".into()],
            Some(Spanned::Kernels { count, objects }) => {
                let whose = if count == 1 { "this kernel's" } else { "these kernels'" };
                let one = |which: &str| {
                    format!(
                        "no map that is a linear function of {whose} columns (basis of {objects}, {which} {directions} directions)"
                    )
                };
                vec![one("all"), one("the widest")]
            }
            Some(Spanned::Landmarks) => vec![format!("no map that combines {directions} landmarks")],
            Some(Spanned::Eigenvectors) => {
                vec![format!("no map that combines {directions} eigenvectors of the neighbour graph")]
            }
        }
    }
    /// The points of an answer.
    pub(super) fn points(&self, c: &Candidate) -> Array2<f64> {
        if self.space.is_empty() {
            return c.factors[0].clone();
        }
        let width = c.factors.iter().map(Array2::ncols).sum();
        let mut points = Array2::zeros((self.n(), width));
        let mut from = 0;
        for (block, factor) in self.space.iter().zip(&c.factors) {
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
        if !self.space.is_empty() {
            print.blocks(&self.space);
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

/// The largest sum of steps `(from, to, by)` on a way to each of `count` places, none below zero; `None` where ways go in a circle.
/// Every step is taken once, when nothing can come to its start any more.
fn longest(count: usize, steps: &[(usize, usize, f64)]) -> Option<Vec<f64>> {
    let (mut first, mut waiting) = (vec![0usize; count + 1], vec![0usize; count]);
    for (from, to, _) in steps {
        first[from + 1] += 1;
        waiting[*to] += 1;
    }
    (0..count).for_each(|k| first[k + 1] += first[k]);
    let mut next = first.clone();
    let mut by_start = vec![(0usize, 0.0f64); steps.len()];
    for (from, to, by) in steps {
        by_start[next[*from]] = (*to, *by);
        next[*from] += 1;
    }
    let mut heights = vec![0.0f64; count];
    let mut ready: Vec<usize> = (0..count).filter(|k| waiting[*k] == 0).collect();
    let mut done = 0;
    while let Some(from) = ready.pop() {
        done += 1;
        for &(to, by) in &by_start[first[from]..first[from + 1]] {
            heights[to] = heights[to].max(heights[from] + by);
            waiting[to] -= 1;
            if waiting[to] == 0 {
                ready.push(to);
            }
        }
    }
    (done == count).then_some(heights)
}

/// All pairs, row by row.
pub(super) fn all_pairs(n: usize) -> impl Iterator<Item = (usize, usize)> {
    (0..n).flat_map(move |i| (i + 1..n).map(move |j| (i, j)))
}

/// Why there is no question to answer.
#[derive(Debug)]
pub(super) enum Trouble {
    /// What was given cannot be checked at all.
    Input(Error),
    /// What is claimed makes no question of this evidence: a kind of reason, and it in words.
    Claim(&'static str, String),
}

/// A setting that makes no sense is the claim's; anything else is the reader's.
impl From<Error> for Trouble {
    fn from(error: Error) -> Self {
        match error {
            Error::Parameter { name, value, expected } => {
                Trouble::Claim("settings", format!("its setting `{name}` is {value}, expected {expected}"))
            }
            other => Trouble::Input(other),
        }
    }
}

impl From<Trouble> for Error {
    fn from(trouble: Trouble) -> Self {
        match trouble {
            Trouble::Input(error) => error,
            Trouble::Claim(_, what) => Error::Evidence {
                what,
                remedy: Remedy::from("this fit cannot be checked by another path; leave the certificate out"),
            },
        }
    }
}

/// What is claimed is not about this evidence.
pub(super) fn other_question(what: impl Into<String>) -> Trouble {
    Trouble::Claim("other-question", what.into())
}

/// The settings of a claim, those that were `auto` as what they became.
pub(super) fn used(claim: &Claim) -> Settings {
    claim.settings.clone().but(&claim.resolved)
}

/// The settings of a claim that its question hangs on.
pub(super) fn asked(claim: &Claim) -> Settings {
    let names: &[&str] = match claim.method.as_str() {
        "psde" => &["slack", "radii"],
        "gnmds" => &["slack"],
        "convex-ste" => &["trace"],
        "partial-order" => &["bound", "repair"],
        "mvu" => &["form", "weight", "neighbours", "join", "radius", "variant", "components", "basis"],
        "kpsde" => &["slack", "trace", "basis"],
        "kernel-gnmds" => &["slack", "basis"],
        "kernel-partial-order" => &["slack", "trace", "bound", "weights", "margins", "basis"],
        "svm-metric" => &["form", "over", "slack", "basis"],
        "lmnn" => &["targets", "push", "ridge", "weight", "unit-variance"],
        "mmc" => &["form", "pairs", "ridge", "weight", "unit-variance"],
        "mcml" => &["trace", "weight", "unit-variance"],
        _ => &[],
    };
    used(claim).only(|name, value| names.contains(&name) && *value != Value::Auto)
}

/// A number above 0 of the claim; `None` where it is absent or `none`.
fn positive(used: &Settings, name: &str) -> Result<Option<f64>, Error> {
    match used.get(name) {
        None | Some(Value::None) => Ok(None),
        Some(value) => match value.number().filter(|v| v.is_finite() && *v > 0.0) {
            Some(v) => Ok(Some(v)),
            None => Err(unsaid(name, &value.to_string())),
        },
    }
}

/// A word of the claim, one of these; the first where it is absent.
pub(super) fn one_of<'a>(used: &'a Settings, name: &str, words: &[&'a str]) -> Result<&'a str, Error> {
    match used.get(name) {
        None => Ok(words[0]),
        Some(value) => value.word().filter(|word| words.contains(word)).ok_or_else(|| Error::Parameter {
            name: name.into(),
            value: value.to_string(),
            expected: format!("one of {}", words.join(", ")),
        }),
    }
}

pub(super) fn needed(used: &Settings, name: &str) -> Result<f64, Error> {
    positive(used, name)?.ok_or_else(|| unsaid(name, "absent"))
}

fn unsaid(name: &str, value: &str) -> Error {
    let expected = "a number above 0; the certificate does not say what was asked".into();
    Error::Parameter { name: name.into(), value: value.into(), expected }
}

#[cfg(test)]
mod tests {
    use super::longest;

    #[test]
    fn the_longest_way_is_found_and_a_circle_too() {
        let steps = [(0, 1, 1.0), (1, 2, 1.0), (0, 2, 1.5), (3, 2, 5.0)];
        assert_eq!(longest(4, &steps), Some(vec![0.0, 1.0, 5.0, 0.0]));
        assert_eq!(longest(2, &[(0, 1, 1.0), (1, 0, 1.0)]), None);
        assert_eq!(longest(0, &[]), Some(vec![]));
        // A step below zero leaves what is at least zero.
        assert_eq!(longest(2, &[(0, 1, -1.0)]), Some(vec![0.0, 0.0]));
    }
}
