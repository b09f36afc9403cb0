//! Programs whose points are functions of features: the same rows, in a space that kernels span.

use ndarray::{Array1, Array2, Axis, s};
use nearer_num::rng::Rng;
use nearer_num::{dense, lanczos, packed};

use crate::error::Error;
use crate::evidence::{Comparisons, Pairs};
use crate::program::certify::distance_from_identity;
use crate::program::gnmds::PairNumbers;
use crate::program::gram::Anchor;
use crate::program::robust::least_of;
use crate::program::{Block, GramProgram, Interval, Rows, Sense, Space};

/// Directions of the kernel columns that carry less than this share of the variance of the widest are left out.
const NEGLIGIBLE: f64 = 1e-9;

/// A block of a spanned space, and how its factors become coefficients of kernel columns.
#[derive(Debug, Clone)]
pub struct Span {
    /// The block: a basis, and what it is charged.
    pub block: Block,
    /// One row for each object of the basis of the kernel: coefficients `A = lift · N` of the columns for a factor `N`.
    pub lift: Array2<f64>,
}

impl Span {
    /// `G = K_r Q K_rᵗ` for the columns `r` of a kernel, on an orthonormal basis: with the thin singular decomposition
    /// `H K_r = Φ s Vᵗ` and `Q = (V/s) Z (V/s)ᵗ` it is `Φ Z Φᵗ`, `tr G = tr Z`, and `tr(Q K_rr) = ⟨(V/s)ᵗ K_rr (V/s), Z⟩`,
    /// charged `trace` times.
    pub fn orthonormal(kernel: &Array2<f64>, columns: &[usize], trace: f64) -> Result<Span, Error> {
        let (phi, lift, charge) = whitened(kernel, columns)?;
        let charge = (trace > 0.0).then(|| charge * trace);
        Ok(Span { block: Block { basis: phi, charge }, lift })
    }

    /// The same with the `count` leading directions of the basis alone.
    #[must_use]
    pub fn leading(mut self, count: usize) -> Span {
        let count = count.min(self.lift.ncols());
        self.block.basis = self.block.basis.slice(s![.., ..count]).to_owned();
        self.block.charge = self.block.charge.map(|p| p.slice(s![..count, ..count]).to_owned());
        self.lift = self.lift.slice(s![.., ..count]).to_owned();
        self
    }

    /// The same matrices on the basis of kernel principal components, in which `tr(Q K_rr)` is the trace of `Z`: right where
    /// that trace is what is minimised.
    pub fn principal(kernel: &Array2<f64>, columns: &[usize], trace: f64) -> Result<Span, Error> {
        let (phi, lift, charge) = whitened(kernel, columns)?;
        let failed = |_| Error::Numerical { what: "the eigenvalues of a kernel".into() };
        let (values, vectors) = dense::eigh(charge.view()).map_err(failed)?;
        let least = values.iter().fold(0.0, |m: f64, v| m.max(*v)) * 1e-14;
        let scaled = &vectors / &values.mapv(|v| v.max(least).sqrt());
        let q = values.len();
        let charge = Some(Array2::from_diag(&Array1::from_elem(q, trace)));
        Ok(Span { block: Block { basis: phi.dot(&scaled), charge }, lift: lift.dot(&scaled) })
    }
}

/// `Φ`, `V/s` and `(V/s)ᵗ K_rr (V/s)`.
type Whitened = (Array2<f64>, Array2<f64>, Array2<f64>);

fn whitened(kernel: &Array2<f64>, columns: &[usize]) -> Result<Whitened, Error> {
    let mut part = kernel.select(Axis(1), columns);
    let mean = part.mean_axis(Axis(0)).unwrap_or_default();
    part -= &mean;
    let svd = dense::svd(part.view()).map_err(|_| Error::Numerical { what: "the span of a kernel".into() })?;
    let widest = svd.s.iter().fold(0.0, |m: f64, v| m.max(*v));
    if !(widest > 0.0 && widest.is_finite()) {
        return Err(Error::Evidence {
            what: "the kernel has the same value for all objects".into(),
            remedy: "check the features, or choose another width".into(),
        });
    }
    let kept: Vec<usize> = (0..svd.s.len()).filter(|k| svd.s[*k].powi(2) > NEGLIGIBLE * widest * widest).collect();
    let phi = svd.u.select(Axis(1), &kept);
    let lift = svd.v.select(Axis(1), &kept) / &svd.s.select(Axis(0), &kept);
    let among = kernel.select(Axis(0), columns).select(Axis(1), columns);
    let charge = lift.t().dot(&among.dot(&lift));
    Ok((phi, lift, (&charge + &charge.t()) * 0.5))
}

fn space(spans: &[Span]) -> Space {
    Space::Spanned(spans.iter().map(|s| s.block.clone()).collect())
}

/// The program of [`psde`](crate::program::psde) with points spanned by kernels: broken rows are always paid for.
pub fn kernel_psde(pairs: &Pairs, slack: f64, spans: &[Span]) -> Result<GramProgram, Error> {
    crate::program::psde(pairs, Some(slack))?.space(space(spans)).checked()
}

/// `min Σ_k trace tr(Q_k K_k) + slack Σ w_t [margin_t + d(near_t) - d(far_t)]₊` over points spanned by kernels; the spans are
/// those of [`Span::principal`] with the same `trace`.
pub fn kernel_gnmds(c: &Comparisons, slack: f64, trace: f64, spans: &[Span]) -> Result<GramProgram, Error> {
    let mut program = crate::program::gnmds(c, slack)?.trace(0.0).space(space(spans)).checked()?;
    program.anchor = Some(Anchor::Zero(trace));
    Ok(program)
}

/// `max Σ d - slack Σ w_t [margin_t + d(near_t) - d(far_t)]₊ - trace Σ_k tr(Q_k K_k)` with `d ≤ bound` for all pairs, over
/// points spanned by kernels; the spans are those of [`Span::orthonormal`]. The scale of the gap is `bound` times the pairs.
pub fn kernel_partial_order(c: &Comparisons, slack: f64, bound: f64, spans: &[Span]) -> Result<GramProgram, Error> {
    let n = c.objects().len();
    let everything = packed::len(n);
    let (mut pairs, mut rows) = (PairNumbers::default(), Rows::default());
    for k in 0..everything {
        let (i, j) = packed::pair(n, k);
        let p = pairs.number_of(i as u32, j as u32);
        rows.push(&[(p, 1.0)], -bound, Interval::HARD.low, Interval::HARD.high);
    }
    for row in c.iter() {
        let (near, far) = (pairs.number(row.near), pairs.number(row.far));
        let Interval { low, high } = Interval::hinge(slack * row.weight);
        rows.push(&[(near, 1.0), (far, -1.0)], row.margin, low, high);
    }
    let mut anchor = vec![2.0; everything];
    anchor.resize(rows.len(), 0.0);
    let off = spans.iter().map(|s| distance_from_identity(&s.block.basis)).fold(0.0, f64::max);
    let mut program = GramProgram::new(n, Sense::Maximise, bound * everything as f64)
        .trace(-(n as f64))
        .pairs(pairs.list)
        .rows(rows)
        .space(space(spans))
        .checked()?;
    // With 2 on every bound S = -n H + 2 n H, and the charges are not negative.
    program.anchor = Some(Anchor::Rows(anchor, n as f64 * (1.0 - off) * (1.0 - 1e-12)));
    Ok(program)
}

/// `max ⟨H, G⟩ - trace Σ_k tr(Q_k K_k)` with `d ≤ D` between neighbours, over points spanned by kernels; the spans are those of
/// [`Span::orthonormal`]. The scale of the gap is the sum of `D`.
pub fn kernel_unfold(n: usize, edges: &[(u32, u32)], squared: &[f64], spans: &[Span]) -> Result<GramProgram, Error> {
    let free = crate::program::unfold(n, edges, squared, crate::program::Unfold::AtMost)?;
    // L(1) ≥ λ H, so that with 2/λ on every edge S = -H + 2/λ L(1) ≥ H; the charges are not negative.
    let laplacian = least_of(&free, &vec![1.0; edges.len()]) + 1.0;
    let off = spans.iter().map(|s| distance_from_identity(&s.block.basis)).fold(0.0, f64::max);
    let mut program = free.space(space(spans)).checked()?;
    program.anchor = Some(Anchor::Rows(vec![2.0 / laplacian; edges.len()], (1.0 - off) * (1.0 - 1e-12)));
    Ok(program)
}

/// The slack of [`kernel_gnmds`] at which answers given at random would just not make a direction of their own:
/// `trace / max_k |Σ ± w_t Φ_kᵗ (L_far - L_near) Φ_k|`, with random signs.
pub fn kernel_noise_slack(c: &Comparisons, trace: f64, spans: &[Span], seed: u64) -> f64 {
    const DRAWS: u64 = 2;
    let mut norms = 0.0;
    for draw in 0..DRAWS {
        let edges = crate::program::gnmds::random_signs(c, seed, draw);
        let one = |span: &Span| {
            let phi = &span.block.basis;
            let top = |sign: f64| {
                let apply = |x: &Array2<f64>| phi.t().dot(&(crate::program::gnmds::pulled(&edges, &phi.dot(x)) * sign));
                lanczos::largest(phi.ncols(), 1, 1e-4, apply).map_or(0.0, |l| l.values[0])
            };
            f64::max(top(1.0), top(-1.0))
        };
        norms += spans.iter().map(one).fold(0.0, f64::max) / DRAWS as f64;
    }
    if norms > 0.0 { trace / norms } else { 1.0 }
}

/// `count` of the objects, drawn at random, in order; all of them where there are no more.
#[must_use]
pub fn random_columns(n: usize, count: usize, seed: u64) -> Vec<usize> {
    let mut rng = Rng::task(seed, 0x6261_7369);
    let mut all: Vec<usize> = (0..n).collect();
    for k in 0..count.min(n) {
        let other = k + rng.below(n - k);
        all.swap(k, other);
    }
    all.truncate(count.min(n));
    all.sort_unstable();
    all
}
