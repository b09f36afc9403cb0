//! Programs whose points are functions of features: the same rows, in a space that kernels span.

use ndarray::{Array1, Array2, Axis, s};
use nearer_num::{dense, lanczos, packed};

use crate::error::Error;
use crate::evidence::{Comparisons, Kernels, LinearFeatures, Pairs};
use crate::program::certify::distance_from_identity;
use crate::program::gnmds::PairNumbers;
use crate::program::gram::Anchor;
use crate::program::{Block, GramProgram, Interval, Rows, Sense, Space};

/// Directions of the columns of a smooth kernel that carry less than this share of the variance of the widest are left out of
/// the question: maps along them would change wildly between the objects. The certificate says so.
const SMOOTH: f64 = 1e-9;
/// Singular values below this share of the largest are rounding of the kernel matrix, not directions of it.
const ROUNDING: f64 = 1e-13;

/// A block of a spanned space, and how its factors become coefficients of kernel columns.
#[derive(Debug, Clone)]
pub(crate) struct Span {
    /// The block: a basis, and what it is charged.
    pub block: Block,
    /// One row for each object of the basis of the kernel: coefficients `A = lift · N` of the columns for a factor `N`.
    pub lift: Array2<f64>,
    /// Of a linear kernel `W` and `τ`, with `charge = W τ⁻² Wᵗ`: where units differ much the charge alone no longer tells them.
    components: Option<(Array2<f64>, Array1<f64>)>,
    /// How many objects the columns belong to.
    objects: usize,
    /// How many directions there can be.
    possible: usize,
}

impl Span {
    /// The same for the k-th of some kernels. Where it is linear in features no direction of theirs is left out, however narrow
    /// one is beside the others: a unit in which a feature was measured is no reason to leave it out.
    pub(crate) fn orthonormal_of(kernels: &Kernels, k: usize, columns: &[usize], trace: f64) -> Result<Span, Error> {
        Ok(Self::whole(kernels, k, columns)?.charged(trace))
    }

    /// The same with the `count` leading directions of the basis alone.
    #[must_use]
    pub(crate) fn leading(mut self, count: usize) -> Span {
        if count < self.lift.ncols() {
            self.block.basis = self.block.basis.slice(s![.., ..count]).to_owned();
            self.block.charge = self.block.charge.map(|p| p.slice(s![..count, ..count]).to_owned());
            self.lift = self.lift.slice(s![.., ..count]).to_owned();
            self.components = None;
        }
        self
    }

    /// The same for the k-th of some kernels, as [`orthonormal_of`](Span::orthonormal_of) takes them.
    pub(crate) fn principal_of(kernels: &Kernels, k: usize, columns: &[usize], trace: f64) -> Result<Span, Error> {
        Self::whole(kernels, k, columns)?.on_components(trace)
    }

    fn whole(kernels: &Kernels, k: usize, columns: &[usize]) -> Result<Span, Error> {
        match kernels.functions().linear(k) {
            Some(features) if columns.len() == kernels.objects().len() => linear(&features),
            Some(_) => whitened(kernels.matrix(k), columns, ROUNDING),
            None => whitened(kernels.matrix(k), columns, SMOOTH.sqrt()),
        }
    }

    fn charged(mut self, trace: f64) -> Span {
        self.block.charge = self.block.charge.filter(|_| trace > 0.0).map(|p| p * trace);
        self
    }

    fn on_components(mut self, trace: f64) -> Result<Span, Error> {
        if let Some((turn, sizes)) = self.components.take() {
            let charge = Some(Array2::from_diag(&Array1::from_elem(sizes.len(), trace)));
            self.lift = self.block.basis.dot(&(&turn / &sizes));
            self.block = Block { basis: self.block.basis.dot(&(&turn * &sizes)), charge };
            return Ok(self);
        }
        let failed = |_| Error::Numerical { what: "the eigenvalues of a kernel".into() };
        let charge = self.block.charge.take().unwrap_or_default();
        let (values, vectors) = dense::eigh(charge.view()).map_err(failed)?;
        let least = values.iter().fold(0.0, |m: f64, v| m.max(*v)) * 1e-14;
        let scaled = &vectors / &values.mapv(|v| v.max(least).sqrt());
        let charge = Some(Array2::from_diag(&Array1::from_elem(values.len(), trace)));
        self.block = Block { basis: self.block.basis.dot(&scaled), charge };
        self.lift = self.lift.dot(&scaled);
        Ok(self)
    }
}

impl Span {
    /// Whether it has all the directions there can be.
    fn is_whole(&self) -> bool {
        self.block.basis.ncols() >= self.possible
    }
}

/// The maps that kernels span, as the subject of a sentence: exactly the set that a bound over these spans speaks of.
fn spanned_by(spans: &[Span]) -> String {
    let possible = spans.iter().map(|s| s.possible).sum();
    let whole = spans.iter().all(Span::is_whole);
    in_words(spans, spans.iter().map(|s| s.block.basis.ncols()).sum(), whole, possible)
}

/// The same of one basis with so many directions for all spans together.
pub(crate) fn spanned_in(spans: &[Span], directions: usize) -> String {
    let most = spans.first().map_or(0, |s| s.block.basis.nrows() - 1);
    let possible = spans.iter().map(|s| s.possible).sum::<usize>().min(most);
    in_words(spans, directions, spans.iter().all(Span::is_whole) || directions == most, possible)
}

fn in_words(spans: &[Span], directions: usize, whole: bool, possible: usize) -> String {
    let objects = spans.first().map_or(0, |s| s.objects);
    let which = if whole { format!("all {directions}") } else { format!("the widest {directions} of {possible}") };
    let whose = if spans.len() == 1 { "this kernel's" } else { "these kernels'" };
    format!("no map that is a linear function of {whose} columns (basis of {objects}, {which} directions)")
}

/// `Φ`, `V/s` and `(V/s)ᵗ K_rr (V/s)`, directions of less than `cut` of the widest left out.
fn whitened(kernel: &Array2<f64>, columns: &[usize], cut: f64) -> Result<Span, Error> {
    let mut part = kernel.select(Axis(1), columns);
    let mean = part.mean_axis(Axis(0)).unwrap_or_default();
    part -= &mean;
    let svd = dense::svd(part.view()).map_err(|_| Error::Numerical { what: "the span of a kernel".into() })?;
    let widest = svd.s.iter().fold(0.0, |m: f64, v| m.max(*v));
    if !(widest > 0.0 && widest.is_finite()) {
        return Err(nothing_varies());
    }
    let above = |share: f64| (0..svd.s.len()).filter(|k| svd.s[*k] > share * widest).collect::<Vec<_>>();
    let kept = above(cut);
    let phi = svd.u.select(Axis(1), &kept);
    let lift = svd.v.select(Axis(1), &kept) / &svd.s.select(Axis(0), &kept);
    let among = kernel.select(Axis(0), columns).select(Axis(1), columns);
    let charge = lift.t().dot(&among.dot(&lift));
    let charge = Some((&charge + &charge.t()) * 0.5);
    Ok(Span {
        block: Block { basis: phi, charge },
        lift,
        components: None,
        objects: columns.len(),
        possible: columns.len().min(kernel.nrows() - 1),
    })
}

/// The same of a linear kernel over all objects, from its features, each divided by its own length first: with
/// `X = U σ Vᵗ D` it is `Φ = U`, `A = size · U (σ Vᵗ D² V σ)⁻¹`; where there are as many directions as features, `V` is square and
/// the inverse is `σ⁻¹ Vᵗ D⁻² V σ⁻¹`.
fn linear(features: &LinearFeatures) -> Result<Span, Error> {
    let mean = features.values.mean_axis(Axis(0)).unwrap_or_default();
    let centred = &features.values - &mean;
    let lengths = centred.map_axis(Axis(0), |c| c.dot(&c).sqrt());
    let sizes = features.values.map_axis(Axis(0), |c| c.iter().fold(0.0, |m: f64, v| m.max(v.abs())));
    // A feature that varies by less than its own rounding does not vary.
    let kept: Vec<usize> = (0..lengths.len()).filter(|k| lengths[*k] > ROUNDING * sizes[*k]).collect();
    if kept.is_empty() || lengths.iter().any(|v| !v.is_finite()) {
        return Err(nothing_varies());
    }
    let lengths = lengths.select(Axis(0), &kept);
    let scaled = centred.select(Axis(1), &kept) / &lengths;
    let svd = dense::svd(scaled.view()).map_err(|_| Error::Numerical { what: "the span of features".into() })?;
    let kept: Vec<usize> = (0..svd.s.len()).filter(|k| svd.s[*k] > ROUNDING * svd.s[0]).collect();
    let phi = svd.u.select(Axis(1), &kept);
    let (v, sigma) = (svd.v.select(Axis(1), &kept), svd.s.select(Axis(0), &kept));
    let count = lengths.len();
    let lengths = lengths.insert_axis(Axis(1));
    let wide = &v * &sigma * &lengths;
    let wide = dense::svd(wide.view()).map_err(|_| Error::Numerical { what: "the span of features".into() })?;
    let sizes = &wide.s / features.size.sqrt();
    let charge = if kept.len() == count {
        let inner = v / &sigma / &lengths;
        inner.t().dot(&inner) * features.size
    } else {
        // More features than directions: of all ways to make a map the one that costs least.
        let back = &wide.v / &sizes;
        back.dot(&back.t())
    };
    let (lift, objects) = (phi.dot(&charge), phi.nrows());
    let possible = count.min(objects - 1);
    let components = Some((wide.v, sizes));
    Ok(Span { block: Block { basis: phi, charge: Some(charge) }, lift, components, objects, possible })
}

fn nothing_varies() -> Error {
    Error::Evidence {
        what: "the kernel has the same value for all objects".into(),
        remedy: "check the features, or choose another width".into(),
    }
}

fn space(spans: &[Span]) -> Space {
    Space::Spanned(spans.iter().map(|s| s.block.clone()).collect())
}

/// The program of [`psde`](crate::program::psde) with points spanned by kernels: broken rows are always paid for.
pub(crate) fn kernel_psde(pairs: &Pairs, slack: f64, spans: &[Span]) -> Result<GramProgram, Error> {
    crate::program::psde(pairs, Some(slack), false)?.space(space(spans)).over(spanned_by(spans)).checked()
}

/// `min Σ_k trace tr(Q_k K_k) + slack Σ w_t [margin_t + d(near_t) - d(far_t)]₊` over points spanned by kernels; the spans are
/// those of [`Span::principal`] with the same `trace`.
pub(crate) fn kernel_gnmds(c: &Comparisons, slack: f64, trace: f64, spans: &[Span]) -> Result<GramProgram, Error> {
    let mut program =
        crate::program::gnmds(c, slack)?.trace(0.0).space(space(spans)).over(spanned_by(spans)).checked()?;
    program.anchor = Some(Anchor::Zero(trace));
    Ok(program)
}

/// `max Σ d - slack Σ w_t [margin_t + d(near_t) - d(far_t)]₊ - trace Σ_k tr(Q_k K_k)` with `d ≤ bound` for all pairs, over
/// points spanned by kernels; the spans are those of [`Span::orthonormal`]. The scale of the gap is `bound` times the pairs.
pub(crate) fn kernel_partial_order(
    c: &Comparisons,
    slack: f64,
    bound: f64,
    spans: &[Span],
) -> Result<GramProgram, Error> {
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
        .over(spanned_by(spans))
        .checked()?;
    // With 2 on every bound S = -n H + 2 n H, and the charges are not negative.
    program.anchor = Some(Anchor::Rows(anchor, n as f64 * (1.0 - off) * (1.0 - 1e-12)));
    Ok(program)
}

/// The slack of [`kernel_gnmds`] at which answers given at random would just not make a direction of their own:
/// `trace / max_k |Σ ± w_t Φ_kᵗ (L_far - L_near) Φ_k|`, with random signs.
pub(crate) fn kernel_noise_slack(c: &Comparisons, trace: f64, spans: &[Span], seed: u64) -> f64 {
    // Few directions: the norm of one draw is a matter of luck.
    const DRAWS: u64 = 8;
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
    if norms > 0.0 { trace / norms / crate::program::gnmds::heaviest(c) } else { 1.0 }
}

/// Spans of a kernel alone, as the tests of programs make them.
#[cfg(test)]
impl Span {
    /// `G = K_r Q K_rᵗ` for the columns `r` of a kernel, on an orthonormal basis: with the thin singular decomposition
    /// `H K_r = Φ s Vᵗ` and `Q = (V/s) Z (V/s)ᵗ` it is `Φ Z Φᵗ`, `tr G = tr Z`, and `tr(Q K_rr) = ⟨(V/s)ᵗ K_rr (V/s), Z⟩`,
    /// charged `trace` times. Directions of less than 1e-9 of the variance of the widest are left out.
    pub(crate) fn orthonormal(kernel: &Array2<f64>, columns: &[usize], trace: f64) -> Result<Span, Error> {
        Ok(whitened(kernel, columns, SMOOTH.sqrt())?.charged(trace))
    }
    /// The same matrices on the basis of kernel principal components, in which `tr(Q K_rr)` is the trace of `Z`: right where
    /// that trace is what is minimised.
    pub(crate) fn principal(kernel: &Array2<f64>, columns: &[usize], trace: f64) -> Result<Span, Error> {
        whitened(kernel, columns, SMOOTH.sqrt())?.on_components(trace)
    }
}

/// `max ⟨H, G⟩ - trace Σ_k tr(Q_k K_k)` with `d ≤ D` between neighbours, over points spanned by kernels; the spans are those of
/// [`Span::orthonormal`]. The scale of the gap is the sum of `D`.
#[cfg(test)]
pub(crate) fn kernel_unfold(
    n: usize,
    edges: &[(u32, u32)],
    squared: &[f64],
    spans: &[Span],
) -> Result<GramProgram, Error> {
    use crate::program::{Stretch, robust::least_of, unfold};
    let free = unfold(n, edges, squared, Stretch::AtMost)?;
    // L(1) ≥ λ H, so that with 2/λ on every edge S = -H + 2/λ L(1) ≥ H; the charges are not negative.
    let laplacian = least_of(&free, &vec![1.0; edges.len()]) + 1.0;
    let off = spans.iter().map(|s| distance_from_identity(&s.block.basis)).fold(0.0, f64::max);
    let mut program = free.space(space(spans)).over(spanned_by(spans)).checked()?;
    program.anchor = Some(Anchor::Rows(vec![2.0 / laplacian; edges.len()], (1.0 - off) * (1.0 - 1e-12)));
    Ok(program)
}
