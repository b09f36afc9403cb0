//! What an answer attains, and what no metric can pass; rounding is on the safe side.

use ndarray::{Array2, ArrayView2};
use nearer_num::definite::{self, gamma};
use nearer_num::softmin::{self, Ask, Room};
use nearer_num::{dense, gemm, hinges};

use crate::error::Error;
use crate::program::metric::{MetricAsk, MetricCandidate, MetricProgram};
use crate::program::question::Program as _;
use crate::program::{Certificate, Proof};

/// Axes that carry less than this share of the widest one's variance are not counted in the rank.
const THIN: f64 = 1e-5;

/// What a sum of so many positive terms is off by at most, as a share of itself, with the operations on each. Never less than that of a
/// thousand: it costs nothing, and leaves room for whoever proves it again.
fn rounded(terms: usize) -> f64 {
    gamma(terms.max(1000) + 64)
}

/// By which shares a multiple is moved until it is proved: from this on, each ten times the last, up to one half or the whole of it.
const LEAST_ROOM: f64 = 1e-9;
const LEAST_MORE: f64 = 1e-10;
const NEXT_ROOM: f64 = 10.0;
/// Pairs that a metric does not tell apart count as if they were apart by this share of the mean; any number gives a bound.
const A_LITTLE: f64 = 1e-6;
/// Eigenvalues below this share of the largest are held at it before they are divided by: rounding.
const FLOOR: f64 = 1e-15;

/// What is attained and what is proved, with a size of the objective that is not zero when the optimum is.
struct Proved {
    primal: f64,
    bound: f64,
    scale: f64,
    factorised: bool,
}

pub(super) fn certificate(program: &MetricProgram, c: &MetricCandidate) -> Result<Certificate, Error> {
    let points = Points::of(program, c);
    let proved = match &program.ask {
        MetricAsk::Neighbours { group, targets, push, ridge } => {
            let pull: Vec<(u32, u32, f64)> = targets.iter().map(|(i, j)| (*i, *j, 1.0 - push)).collect();
            // Each hinge is off by what its two distances are.
            let hinge = |margin: f64| hinges::open(points.y.view(), group, targets, margin, f64::MIN_POSITIVE).0;
            let value = (push * hinge(1.0 + 2.0 * points.doubt), targets.len() * group.len());
            let row = |&(t, l, a): &(u32, u32, f64)| {
                let (i, j) = targets[t as usize];
                ([i, j], [i, l], push * a, 1.0)
            };
            let rows: Vec<_> = c.multipliers.iter().map(row).collect();
            points.hinged(&pull, value, &rows, *ridge)?
        }
        MetricAsk::Compared { rows, push, ridge } => {
            let pull: Vec<(u32, u32, f64)> = rows.iter().map(|r| (r.0[0], r.0[1], (1.0 - push) * r.2)).collect();
            let moved: Vec<_> = rows.iter().map(|r| (r.0, r.1, r.2, r.3 + 2.0 * points.doubt)).collect();
            let value = (push * hinges::listed(points.y.view(), &moved, f64::MIN_POSITIVE).0.value, rows.len());
            let row = |&(t, _, a): &(u32, u32, f64)| {
                let (near, far, weight, margin) = rows[t as usize];
                (near, far, push * weight * a, margin)
            };
            let rows: Vec<_> = c.multipliers.iter().map(row).collect();
            points.hinged(&pull, value, &rows, *ridge)?
        }
        MetricAsk::Apart { similar, dissimilar, ridge, diagonal } => {
            points.apart(similar, dissimilar, *ridge, *diagonal)?
        }
        MetricAsk::Collapse { group, trace } => points.collapse(group, *trace)?,
    };
    let mut certificate =
        Certificate::new(program.ask.sense(), proved.primal, proved.bound, proved.scale).about(program.about());
    certificate.rank = dense::rank(&points.y, THIN).map_err(|_| failed())?;
    certificate.proof = if proved.factorised { Proof::Cholesky } else { Proof::Gershgorin };
    Ok(certificate)
}

/// The objects under the metric of an answer.
struct Points<'a> {
    x: ArrayView2<'a, f64>,
    factor: &'a Array2<f64>,
    y: Array2<f64>,
    /// By how much a squared distance may be off.
    doubt: f64,
    /// The largest squared length of a row of `x`.
    reach: f64,
}

impl<'a> Points<'a> {
    fn of(program: &'a MetricProgram, c: &'a MetricCandidate) -> Self {
        let (x, factor) = (program.values.view(), &c.factor);
        let mut y = Array2::zeros((x.nrows(), factor.ncols()));
        gemm::into(x, factor.view(), y.view_mut());
        let reach = x.rows().into_iter().map(|r| r.dot(&r)).fold(0.0, f64::max);
        let size: f64 = factor.iter().map(|v| v * v).sum();
        let doubt = 16.0 * gamma(2 * factor.nrows() + factor.ncols() + 8) * reach * size;
        Points { x, factor, y, doubt, reach }
    }
    /// `tr M`.
    fn trace(&self) -> f64 {
        self.factor.iter().map(|v| v * v).sum()
    }
    fn square(&self, i: u32, j: u32) -> f64 {
        let (a, b) = (self.y.row(i as usize), self.y.row(j as usize));
        a.iter().zip(b).map(|(a, b)| (a - b) * (a - b)).sum()
    }
    /// By how much the scatter of pairs with these weights may be off in any direction.
    fn scatter_doubt(&self, weight: f64) -> f64 {
        8.0 * gamma(self.x.nrows() + self.x.ncols() + 8) * weight * self.reach
    }

    /// Pulled together by some pairs, pushed apart by hinges that come to `value`, a sum of so many.
    ///
    /// With `C = Σ pull zzᵗ + ridge I` and multipliers `a` of rows, `A = Σ a (near zzᵗ - far zzᵗ)`: for every `M` the objective
    /// is at least `<C + s A, M> + s Σ a margin`, so that `s Σ a margin` is a bound as soon as `C + s A` is positive.
    fn hinged(
        &self,
        pull: &[(u32, u32, f64)],
        (value, hinges): (f64, usize),
        rows: &[([u32; 2], [u32; 2], f64, f64)],
        ridge: f64,
    ) -> Result<Proved, Error> {
        let held: f64 = pull.iter().map(|(i, j, w)| w * self.square(*i, *j)).sum();
        let weight: f64 = pull.iter().map(|p| p.2).sum();
        let terms = pull.len() + hinges + self.factor.len();
        let primal = (held + value + ridge * self.trace()) * (1.0 + rounded(terms)) + weight * self.doubt;
        let mut c = hinges::scatter(self.x, pull.iter().copied());
        c.diag_mut().mapv_inplace(|v| v + ridge);
        let near = rows.iter().map(|r| (r.0[0], r.0[1], r.2));
        let far = rows.iter().map(|r| (r.1[0], r.1[1], -r.2));
        let a = hinges::scatter(self.x, near.chain(far));
        let pushed: f64 = rows.iter().map(|r| r.2).sum();
        let doubt = self.scatter_doubt(weight + 2.0 * pushed);
        let root = inverse_root(&c)?;
        let turned = symmetric(root.t().dot(&a).dot(&root));
        let least = dense::eigvalsh(turned.view()).map_err(|_| failed())?.last().copied().unwrap_or(0.0);
        let most = if least < -1.0 { -1.0 / least } else { 1.0 };
        // A little less leaves room of that share of the ridge in every direction.
        let mut room = (4.0 * doubt / ridge).max(LEAST_ROOM);
        let (mut bound, mut factorised) = (f64::NEG_INFINITY, false);
        while room < 0.5 {
            let s = most * (1.0 - room);
            let below = definite::least_eigenvalue((&c + &(&a * s)).view());
            if below.value >= doubt {
                bound = s * rows.iter().map(|r| r.2 * r.3).sum::<f64>() * (1.0 - rounded(rows.len()));
                factorised = below.factorised;
                break;
            }
            room *= NEXT_ROOM;
        }
        // Nothing is below zero, whatever the multipliers.
        Ok(Proved { primal, bound: bound.max(0.0), scale: weight + pushed, factorised })
    }

    /// Held together by `Σ w d² + ridge tr M ≤ 1`, as far apart as can be: for any numbers `e > 0` the objective
    /// `Σ w sqrt(d²)` is at most `Σ w (e + d²/e) / 2 = Σ w e / 2 + <G, M>`, and `<G, M> ≤ τ` as soon as `τ S - G` is positive.
    fn apart(
        &self,
        similar: &[(u32, u32, f64)],
        dissimilar: &[(u32, u32, f64)],
        ridge: f64,
        diagonal: bool,
    ) -> Result<Proved, Error> {
        let weight: f64 = similar.iter().map(|s| s.2).sum();
        let rounded = rounded(similar.len() + dissimilar.len() + self.factor.len());
        let used: f64 = similar.iter().map(|(i, j, w)| w * (self.square(*i, *j) + self.doubt)).sum::<f64>()
            * (1.0 + rounded)
            + ridge * self.trace() * (1.0 + rounded);
        let shrink = 1.0 / used;
        let apart: Vec<f64> =
            dissimilar.iter().map(|(i, j, _)| ((self.square(*i, *j) - self.doubt).max(0.0) * shrink).sqrt()).collect();
        let primal = apart.iter().zip(dissimilar).map(|(d, p)| p.2 * d).sum::<f64>() * (1.0 - rounded);
        let mut s = hinges::scatter(self.x, similar.iter().copied());
        s.diag_mut().mapv_inplace(|v| v + ridge);
        let mean = primal / dissimilar.iter().map(|p| p.2).sum::<f64>();
        // Pairs that the metric does not tell apart count as if they were a little.
        let e: Vec<f64> = apart.iter().map(|d| d.max(A_LITTLE * mean)).collect();
        let halves = dissimilar.iter().zip(&e).map(|((i, j, w), e)| (*i, *j, 0.5 * w / e));
        let g = hinges::scatter(self.x, halves.clone());
        let doubt = self.scatter_doubt(weight + halves.map(|h| h.2).sum::<f64>());
        let constant = 0.5 * e.iter().zip(dissimilar).map(|(e, p)| p.2 * e).sum::<f64>();
        let (most, factorised) = if diagonal {
            let share = g.diag().iter().zip(s.diag()).map(|(g, s)| (g + doubt) / (s - doubt)).fold(0.0, f64::max);
            (share * (1.0 + rounded), true)
        } else {
            self.least_multiple(&s, &g, ridge, doubt)?
        };
        Ok(Proved { primal, bound: (constant + most) * (1.0 + rounded), scale: primal, factorised })
    }

    /// The least `τ` for which `τ S - G` is proved to be positive.
    fn least_multiple(&self, s: &Array2<f64>, g: &Array2<f64>, ridge: f64, doubt: f64) -> Result<(f64, bool), Error> {
        let root = inverse_root(s)?;
        let turned = symmetric(root.t().dot(g).dot(&root));
        let largest = dense::eigvalsh(turned.view()).map_err(|_| failed())?[0].max(f64::MIN_POSITIVE);
        let mut room = (2.0 * doubt * (1.0 + largest) / (ridge * largest)).max(LEAST_MORE);
        while room < 1.0 {
            let most = largest * (1.0 + room);
            let below = definite::least_eigenvalue((&(s * most) - g).view());
            if below.value >= doubt * (1.0 + most) {
                return Ok((most, below.factorised));
            }
            room *= NEXT_ROOM;
        }
        Ok((f64::INFINITY, false))
    }

    /// Held against the ideal. For any shares `q` that sum to one for each object, `log Σ exp(-d²) ≥ -Σ q d² + entropy of q`, so that
    /// `F(M') ≥ Σ (entropy of q - of the ideal) + <g, M'>` with `g = trace I + Σ (ideal - q) zzᵗ`, and the best `M'` has a trace of at most
    /// `F(M) / trace`. The shares are those that were computed, whatever their distances were off by: rounding enters `g` by its
    /// own sums alone, and the entropies, which are `F(M) - <g, M>`, by what a distance counts in them.
    fn collapse(&self, group: &[u32], trace: f64) -> Result<Proved, Error> {
        let found = softmin::pass(self.y.view(), group, Ask::Divergence, self.x, &Room::default());
        let n = group.iter().filter(|g| **g != softmin::ALONE).count() as f64;
        let log: f64 = (group.len() as f64).ln() + 1.0;
        let rounded = rounded(2 * group.len() + self.factor.len());
        // What a row's part is off by, whose distances, logarithm and shares are each a sum over all others.
        let row = rounded * (log + 4.0 * self.reach * self.trace());
        let whole = found.value + trace * self.trace();
        let primal = whole * (1.0 + rounded) + n * (2.0 * self.doubt + row);
        let mut g = Array2::zeros((self.x.ncols(), self.x.ncols()));
        gemm::into(self.x.t(), found.moved.view(), g.view_mut());
        let mut g = symmetric(g);
        g.diag_mut().mapv_inplace(|v| v + trace);
        let doubt = 16.0 * gamma(group.len() + self.x.ncols() + 64) * 4.0 * n * self.reach;
        let along: f64 = g.dot(self.factor).iter().zip(self.factor).map(|(a, b)| a * b).sum();
        let along = along + doubt * self.trace();
        let below = definite::least_eigenvalue(g.view());
        let least = (below.value - doubt).min(0.0);
        let lower = whole * (1.0 - rounded) - n * (4.0 * self.doubt + 2.0 * row);
        let bound = (lower - along + least * primal / trace).max(0.0);
        Ok(Proved { primal, bound, scale: n * log, factorised: below.factorised })
    }
}

/// `V Λ^(-1/2)` of a positive matrix.
fn inverse_root(a: &Array2<f64>) -> Result<Array2<f64>, Error> {
    let (values, vectors) = dense::eigh(a.view()).map_err(|_| failed())?;
    let floor = values[0] * FLOOR;
    Ok(&vectors / &values.mapv(|v| v.max(floor).sqrt()))
}

fn symmetric(a: Array2<f64>) -> Array2<f64> {
    (&a + &a.t()) * 0.5
}

fn failed() -> Error {
    Error::Numerical { what: "the eigenvalues behind a certificate".into() }
}
