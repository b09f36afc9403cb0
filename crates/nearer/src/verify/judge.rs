//! The figures of the slow path, and the claim held against them.

use ndarray::Array2;

use super::limits::Limits;
use super::question::{DualMend, Mend, Question};
use super::rank::Axes;
use super::{AGREE, Found, HOLDS, MODEST, Verdict, dual, primal};
use crate::io::CertificateFile;
use crate::program::{Block, Candidate, Certificate, Proof, Sense};
use crate::settings::Value;

/// Values below this share of the natural size of the data are zero to rounding.
const VANISHING: f64 = 1e-11;
/// Axes that carry less than this share of the widest one's variance are not counted.
pub(super) const THIN: f64 = 1e-5;

/// A number of the file that is none, if there is one: nothing can be proved by it.
pub(super) fn not_finite(file: &CertificateFile) -> Option<String> {
    let (c, said) = (&file.candidate, &file.claim.certificate);
    let balls: Vec<f64> = c.ball_multipliers.iter().map(|b| b.2).collect();
    let claims = [Some(said.primal), said.bound, said.gap, said.against, Some(said.violation)];
    let claims: Vec<f64> = claims.into_iter().flatten().collect();
    let odd = |mut list: &mut dyn Iterator<Item = &f64>| Iterator::find(&mut list, |v| !v.is_finite()).copied();
    let weighed = file.weighed.iter().map(|w| &w.answer);
    let weights: Vec<f64> = weighed.clone().flat_map(|a| a.weights.iter().chain(&a.tangent)).copied().collect();
    let own =
        weighed.flat_map(|a| a.multipliers.iter().copied().chain(a.held.iter().map(|h| h.2)).chain([a.everywhere]));
    let balls: Vec<f64> = balls.into_iter().chain(own).collect();
    let bases = || file.space.iter().flat_map(|b| b.basis.iter().chain(b.charge.iter().flatten()));
    [
        ("a figure of the claim", odd(&mut claims.iter())),
        ("a coordinate", odd(&mut c.factors.iter().flatten())),
        ("a number of the basis", odd(&mut bases())),
        ("a weight", odd(&mut weights.iter())),
        ("a multiplier", odd(&mut c.multipliers.iter().chain(&balls))),
        ("a radius", odd(&mut c.radii.iter())),
    ]
    .into_iter()
    .find_map(|(what, value)| Some(format!("{what} is {}: a number that is not finite proves nothing", value?)))
}

/// Whether points and multipliers are as many as the question has objects and rows.
pub(super) fn misshapen(q: &Question, file: &CertificateFile) -> Option<String> {
    let c = &file.candidate;
    let n = q.n();
    if q.named.is_empty() && (c.factors.len() != 1 || c.factors[0].nrows() != n) {
        let rows = c.factors.first().map_or(0, Array2::nrows);
        return Some(format!("the file holds {rows} points for {n} objects"));
    }
    let fits = |(block, factor): (&Block, &Array2<f64>)| {
        let q = block.basis.ncols();
        block.basis.nrows() == n && factor.nrows() == q && block.charge.as_ref().is_none_or(|p| p.dim() == (q, q))
    };
    let all = c.factors.len() == q.named.len() && q.named.iter().zip(&c.factors).all(fits);
    if !q.named.is_empty() && !all {
        return Some("the factors of the file do not fit its basis, or that the objects".into());
    }
    if c.multipliers.len() != q.rows.len() {
        return Some(format!("the file holds {} multipliers for {} rows", c.multipliers.len(), q.rows.len()));
    }
    let mut seen = std::collections::HashSet::new();
    let centres = q.balls.as_ref().map_or(n, |b| b.centres(n));
    let stray = |&(i, j, _): &(u32, u32, f64)| i as usize >= centres || j as usize >= n || !seen.insert((i, j));
    if c.ball_multipliers.iter().any(stray) {
        return Some("a multiplier of a ball is there twice, or of no object".into());
    }
    None
}

/// What the slow path came to, each figure on the side that is worse for the claim.
#[derive(Debug, Clone, Copy)]
pub(super) struct Figures {
    pub(super) found: Found,
    /// The objective at the best that rounding allows.
    pub(super) best: f64,
}

/// The figures in the sense of the program.
pub(super) fn found(q: &Question, candidate: &Candidate, points: &Array2<f64>, limits: &Limits<'_>) -> Figures {
    let own = |v: f64| if q.sense == Sense::Minimise { v } else { -v };
    let primal = primal::found(q, points, candidate);
    let bound = dual::bound(q, candidate, limits);
    let found = Found {
        primal: own(primal.value),
        bound: own(bound),
        gap: gap(primal.value, bound, q.scale),
        violation: primal.violation,
        feasible: primal.mended,
        rank: Axes::of(points).beyond(THIN),
    };
    Figures { found, best: own(primal.least) }
}

/// `|primal - bound|` as a share of the larger, or of the natural size of the data where both are zero to rounding.
pub(super) fn gap(primal: f64, bound: f64, scale: f64) -> f64 {
    let larger = primal.abs().max(bound.abs());
    let against = if larger < VANISHING * scale { scale } else { larger };
    if primal == bound {
        0.0
    } else if larger.is_finite() {
        // Halves first: two ends of the range of numbers are farther apart than any number.
        (0.5 * primal - 0.5 * bound).abs() / (0.5 * against)
    } else {
        f64::INFINITY
    }
}

/// What a claim is held against besides what was found.
#[derive(Debug)]
pub(super) struct Standard {
    pub(super) sense: Sense,
    /// A size of the objective that is not zero when the optimum is.
    pub(super) scale: f64,
    /// Whether the bound is one of linear rows.
    pub(super) linear: bool,
    /// Whether it is a closed form.
    pub(super) closed: bool,
    /// Whether points that break a row are made points that do not.
    pub(super) mends: bool,
    /// The largest constant of a row.
    pub(super) widest: f64,
    pub(super) axes: Axes,
}

impl Standard {
    /// That of a question about points.
    pub(super) fn of(q: &Question, points: &Array2<f64>) -> Self {
        Standard {
            sense: q.sense,
            scale: q.scale,
            linear: false,
            closed: matches!(q.dual_mend, DualMend::Largest { .. }),
            mends: !matches!(q.mend, Mend::Told),
            widest: q.rows.iter().fold(0.0, |m: f64, row| m.max(row.constant.abs())),
            axes: Axes::of(points),
        }
    }
}

/// Holds the claim against what was found, and keeps both. What is accepted is what was found: no figure of the claim may be better than
/// the verifier's own, by more than a rounding of the verifier's own figure. A claim that is weaker is true as well.
pub(super) fn judge(verdict: &mut Verdict, q: &Standard, claim: &Certificate, figures: Figures) {
    let Figures { found, best } = figures;
    verdict.found = Some(found);
    verdict.claimed = Some(claim.clone());
    if claim.sense != q.sense {
        verdict.say("other-question", "the claim has the sense of the program turned round".into());
        return;
    }
    let (Some(bound), Some(claimed_gap)) = (claim.bound, claim.gap) else {
        verdict.say("bound", "the certificate claims no bound: there is nothing to check".into());
        return;
    };
    if (claim.proof == Proof::Linear) != q.linear || (claim.proof == Proof::ClosedForm) != q.closed {
        let what = format!("the bound is claimed to be known by {}, and this question has none of that", claim.proof);
        verdict.say("proof", what);
    }
    for (kind, value) in [("primal", found.primal), ("bound", found.bound)] {
        if !value.is_finite() {
            verdict.say(kind, format!("the {kind} of the numbers of the file comes to {value}: nothing is proved"));
        }
    }
    if !(found.primal.is_finite() && found.bound.is_finite()) {
        return;
    }
    // A rounding of a figure, of the mending that made it, and of a sum that is never sharper than the least number there is.
    let mending = if q.mends { 1e-14 * q.scale } else { 0.0 };
    let rounding = |figure: f64| AGREE * figure.abs() + mending + 4.0 * f64::MIN_POSITIVE;
    // By how much a claim is better than what was found: above zero it claims too much.
    let towards = if q.sense == Sense::Minimise { 1.0 } else { -1.0 };
    for (kind, claimed, seen, better, did) in
        [("primal", claim.primal, found.primal, towards, "attain"), ("bound", bound, found.bound, -towards, "prove")]
    {
        let over = better * (seen - claimed);
        if over > rounding(seen) || over.is_nan() {
            let (claimed, seen) = (Value::Number(claimed), Value::Number(seen));
            verdict
                .say(kind, format!("the {kind} is claimed to be {claimed}, and the numbers of the file {did} {seen}"));
        }
    }
    let doubt = (found.primal - best).abs();
    let known = found.gap.max(AGREE) * found.primal.abs().max(found.bound.abs()).max(VANISHING * q.scale);
    if doubt > known + 2.0 * mending + 8.0 * f64::MIN_POSITIVE || doubt.is_nan() {
        let (one, other) = (Value::Number(best), Value::Number(found.primal));
        let what = format!(
            "what the points attain is known to lie between {one} and {other} only, which is wider than the gap"
        );
        verdict.say("doubt", what);
    }
    let stated = gap(claim.primal, bound, q.scale);
    if (stated - claimed_gap).abs() > AGREE {
        verdict.say("gap", format!("the gap is claimed to be {claimed_gap}, and primal and bound are {stated} apart"));
    } else if claimed_gap < found.gap - GAPS * (1.0 + found.gap) - of_nothing(claim, q) {
        verdict.say("gap", format!("the gap is claimed to be {claimed_gap}, and it was found to be {}", found.gap));
    }
    let slip = 1e-6 * found.violation + AGREE * found.primal.abs().max(found.bound.abs());
    if found.violation > claim.violation + slip {
        let what = format!(
            "rows are claimed to be broken by {} at most, and the points break one by {}",
            claim.violation, found.violation
        );
        verdict.say("violation", what);
    }
    if !found.feasible && found.violation > HOLDS * q.widest {
        let what = format!(
            "the points break a row that must hold by {}: their objective is that of no map the question allows",
            found.violation
        );
        verdict.say("infeasible", what);
    }
    let (fewest, most) = (q.axes.beyond(THIN * (1.0 + 1e-6)), q.axes.beyond(THIN * (1.0 - 1e-6)));
    if !(fewest..=most).contains(&claim.rank) {
        verdict.say("rank", format!("the rank is claimed to be {}, and the points have {}", claim.rank, found.rank));
    }
}

/// By what a claimed gap may be below the one that was found: two figures that each agree to a rounding.
const GAPS: f64 = 4.0 * AGREE;

/// Where both figures vanish beside the data, a gap is a share of these: a rounding of the data is a share of that.
fn of_nothing(claim: &Certificate, q: &Standard) -> f64 {
    let larger = claim.primal.abs().max(claim.bound().abs());
    if larger < 2.0 * VANISHING * q.scale { VANISHING } else { 0.0 }
}

/// The claim with the figures that were found; `None` where they are worse by more than a little.
pub(super) fn weakened(claim: &Certificate, found: &Found) -> Option<Certificate> {
    let bound = claim.bound?;
    let towards = if claim.sense == Sense::Minimise { 1.0 } else { -1.0 };
    let worse = (towards * (found.primal - claim.primal)).max(towards * (bound - found.bound));
    let size = found.primal.abs().max(found.bound.abs()).max(claim.against.unwrap_or(0.0));
    // What was not proved closely loses its own gap at the most.
    if worse.is_nan() || worse > (MODEST + claim.gap()) * size {
        return None;
    }
    let against = claim.against.unwrap_or(0.0);
    let mut weaker = Certificate::new(claim.sense, found.primal, found.bound, against).about(claim.about.clone());
    weaker.violation = claim.violation.max(found.violation);
    (weaker.rank, weaker.proof) = (claim.rank, claim.proof);
    Some(weaker)
}
