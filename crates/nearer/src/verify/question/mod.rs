//! What a method asks, written down a second time from its definition: plain loops over the evidence into a list of rows.
//!
//! Nothing here is shared with the programs that the solvers get. That both state the same question, bit by bit, is what the
//! fingerprint settles.

mod compared;
mod judged;
mod measured;
mod spanned;

use ndarray::Array2;

use crate::error::Error;
use crate::evidence::Evidence;
use crate::io::CertificateFile;
use crate::object::Objects;
use crate::program::{Block, Candidate, Fingerprint, Sense};
use crate::settings::{Settings, Value};
use crate::verify::About;

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
}

/// What the points of a spanned space are.
#[derive(Debug, Clone, Copy)]
pub(super) enum Spanned {
    /// Linear functions of the columns of so many kernels.
    Kernels(usize),
    /// Combinations of some vectors that the file names: landmarks.
    Landmarks,
    /// Combinations of some vectors that the file names: eigenvectors of the graph.
    Eigenvectors,
}

/// `s (d(i, j) - bᵢ) ≤ 0`, or `high` times the excess is paid; `s` is 0 where nothing is said.
#[derive(Debug)]
pub(super) struct Balls {
    pub(super) signs: Vec<i8>,
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
    pub(super) fn of(file: &CertificateFile, about: &About<'_>) -> Result<Question, Error> {
        let evidence = about.evidence.as_ref();
        let (n, claim) = (evidence.objects().len(), &file.claim);
        if n > MOST {
            return Err(Error::Evidence {
                what: format!("{n} objects; certificates are checked for up to {MOST}"),
                remedy: "the slow path factorises a dense matrix in extended precision; check a smaller fit".into(),
            });
        }
        let used = claim.settings.clone().but(&claim.resolved);
        match (claim.method.as_str(), evidence) {
            ("psde", Evidence::Pairs(p)) => judged::psde(p, perhaps(&used, "slack")?),
            ("gnmds", Evidence::Comparisons(c)) => compared::gnmds(c, number(&used, "slack")?),
            ("partial-order", Evidence::Comparisons(c)) => {
                let repair = used.word("repair").unwrap_or("none");
                compared::partial_order(c, number(&used, "bound")?, repair, claim.seed, claim.certificate.proof)
            }
            ("robust-mds", Evidence::Distances(d)) => measured::robust(d),
            ("mvu", Evidence::Distances(_) | Evidence::Features(_) | Evidence::Kernels(_)) => {
                let form = used.word("form").unwrap_or("at-most");
                let free = measured::unfold(evidence, used.count("neighbours"), form, perhaps(&used, "weight")?)?;
                spanned::unfolded(free, file, evidence)
            }
            ("kpsde", Evidence::Pairs(pairs)) => {
                spanned::kpsde(judged::psde(pairs, Some(number(&used, "slack")?))?, file, about.spanning()?)
            }
            ("kernel-gnmds", Evidence::Comparisons(c)) => {
                spanned::kernel_gnmds(compared::gnmds(c, number(&used, "slack")?)?, file, about.spanning()?)
            }
            ("psde" | "gnmds" | "partial-order" | "robust-mds" | "mvu" | "kpsde" | "kernel-gnmds", other) => Err(Error::Evidence {
                what: format!("a certificate of {} is not about {}", claim.method, other.kind()),
                remedy: "give the evidence that the map was made of".into(),
            }),
            (other, _) => Err(Error::Evidence {
                what: format!("a certificate of `{other}`, which this version cannot check"),
                remedy: "update nearer, or give a certificate of psde, gnmds, partial-order, mvu, robust-mds, kpsde or kernel-gnmds".into(),
            }),
        }
    }

    /// The set of maps it is about, in words.
    pub(super) fn set(&self) -> String {
        let directions: usize = self.space.iter().map(|b| b.basis.ncols()).sum();
        match self.spanned {
            None => "any map".into(),
            Some(Spanned::Kernels(_)) => format!("maps that are linear in {directions} directions of kernel columns"),
            Some(Spanned::Landmarks) => format!("maps that combine {directions} vectors of landmarks"),
            Some(Spanned::Eigenvectors) => format!("maps that combine {directions} eigenvectors"),
        }
    }
    /// Whether a claim speaks of that set and no other.
    pub(super) fn is_about(&self, claimed: &str) -> bool {
        let directions: usize = self.space.iter().map(|b| b.basis.ncols()).sum();
        match self.spanned {
            None => claimed == "no map in any number of dimensions",
            Some(Spanned::Kernels(count)) => {
                let whose = if count == 1 { "this kernel's" } else { "these kernels'" };
                claimed.starts_with(&format!("no map that is a linear function of {whose} columns (basis of "))
                    && claimed.ends_with(&format!(" {directions} directions)"))
            }
            Some(Spanned::Landmarks) => claimed == format!("no map that combines {directions} landmarks"),
            Some(Spanned::Eigenvectors) => {
                claimed == format!("no map that combines {directions} eigenvectors of the neighbour graph")
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

    /// The same name that the program has, if both state the same question.
    pub(super) fn fingerprint(&self) -> String {
        let mut print = Fingerprint::new("nearer program 1");
        print.objects(&self.objects);
        print.sense(self.sense);
        print.number(self.spread);
        print.perhaps(self.most_spread);
        print.number(self.curvature);
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
}

/// Where the pair `i < j` stands among all, row by row.
pub(super) fn place(n: usize, i: usize, j: usize) -> usize {
    i * (2 * n - i - 1) / 2 + (j - i - 1)
}

/// All pairs, row by row.
fn all_pairs(n: usize) -> impl Iterator<Item = (usize, usize)> {
    (0..n).flat_map(move |i| (i + 1..n).map(move |j| (i, j)))
}

/// A number of the claim; `None` where it is absent or `none`.
fn perhaps(used: &Settings, name: &str) -> Result<Option<f64>, Error> {
    match used.get(name) {
        None | Some(Value::None) => Ok(None),
        Some(value) => match value.number().filter(|v| v.is_finite()) {
            Some(v) => Ok(Some(v)),
            None => Err(unsaid(name, &value.to_string())),
        },
    }
}

fn number(used: &Settings, name: &str) -> Result<f64, Error> {
    perhaps(used, name)?.ok_or_else(|| unsaid(name, "absent"))
}

fn unsaid(name: &str, value: &str) -> Error {
    let expected = "a number; the certificate does not say what was asked".into();
    Error::Parameter { name: name.into(), value: value.into(), expected }
}
