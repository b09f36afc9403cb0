//! Partial order embedding: everything as far apart as a bound allows, the order of the comparisons kept.

use nearer_num::dense;
use nearer_num::order;

use crate::error::{Error, Remedy};
use crate::evidence::Comparisons;
use crate::fit::{Embed, Fit, Witness};
use crate::geometry::{Embedding, Spectrum};
use crate::graph::{Dropped, Repair};
use crate::method::common::{self, DIM};
use crate::method::comparisons::gnmds::{compared, positive};
use crate::method::comparisons::naive_order::{REPAIR, consistent};
use crate::method::convex::{self, Convex, ENGINE, GAP, MAY_REFINE, Mapped};
use crate::method::cost::Needs;
use crate::method::proof;
use crate::method::table::{Kind, Method, Parameter, again, way};
use crate::model::Ordinal;
use crate::program::{self, Candidate, Certificate, LongestPaths, Sense};
use crate::report::{FitReport, Input};
use crate::settings::{Typed, Value, configured, settable};
use crate::solve::{Goal, Run, Solved, Stop};

/// Partial order embedding without features.
///
/// ```text
/// max  Σ d²(i, j)   s.t.  d²(near) + margin ≤ d²(far),   d²(i, j) ≤ B,   G psd
/// ```
///
/// The answer is a closed form for every `B` from a certain size on: `d² = B - h`, `h` the longest chain of margins that
/// starts at a pair (the longest path). The paper's `B = (4n + 1)(diam + 1)` is far above that size, and its answer is a
/// regular simplex with small dents, in which no few axes carry much: every pair wants to be `B` apart, and the order only
/// takes a little away. A smaller `B` shows the order better. By default `B` is a hair above the least at which the closed form
/// holds, where the solution begins to lose dimensions; below it the program is solved, as long as the order fits at all.
///
/// # Takes
/// [`Comparisons`] that do not contradict each other; or with [`repair`](PartialOrder::repair) the rest that does not.
/// # Places
/// New objects by their own comparisons with old ones ([`Ordinal`]).
/// # Cost
/// Closed form: `O(N)` and one eigenvalue, `O(n³)`. Otherwise `n²/2 + N` rows for the engine.
/// # Certificate
/// The closed form is its own proof; otherwise multipliers mixed with those of the bounds. The gap is a share of the
/// best ([`Certificate`](crate::program::Certificate)).
/// # Fails
/// [`Error::Evidence`] with a shortest circle spelled out when the comparisons contradict each other.
/// # Reference
/// McFee and Lanckriet (2009), *Partial order embedding with multiple kernels*, Algorithm 2.
///
/// ```
/// use nearer::{Embed, method::PartialOrder, toy};
/// # fn main() -> Result<(), nearer::Error> {
/// let fit = PartialOrder::new(2).fit(&toy::answers(10, 2, 60, 0.0, 1))?.certified(1e-9)?;
/// assert!(fit.report.agreement > Some(0.6));
/// # Ok(()) }
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct PartialOrder {
    convex: Convex,
    bound: Bound,
    repair: Option<Repair>,
    smallest: bool,
}

/// How far apart a pair may be.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Bound {
    /// A hair above the least at which the closed form holds.
    Smallest,
    /// `(4n + 1)(diam + 1)`.
    Papers,
    /// This squared distance.
    Given(f64),
}

impl Typed for Bound {
    fn of(value: &Value) -> Option<Self> {
        match value.word() {
            Some("auto") => Some(Bound::Smallest),
            Some("paper") => Some(Bound::Papers),
            _ => value.number().map(Bound::Given),
        }
    }
    fn value(&self) -> Value {
        match self {
            Bound::Smallest => Value::Auto,
            Bound::Papers => Value::of_word("paper"),
            Bound::Given(b) => Value::Number(*b),
        }
    }
}

configured!(PartialOrder [convex] { bound: "bound", repair: "repair", smallest: "smallest" });
convex::setters!(PartialOrder);

pub(crate) static METHOD: Method = Method {
    name: "partial-order",
    aliases: &["poe"],
    summary: "comparisons as hard rows, everything else as far apart as a bound allows; a closed form where it is optimal",
    solves: "max Σ d², d²(near) + margin ≤ d²(far), d² ≤ B, G psd",
    ways: &[way::<PartialOrder, Comparisons>()],
    parameters: &[
        DIM,
        Parameter {
            name: "bound",
            kind: Kind::POSITIVE,
            or: &["auto", "paper"],
            default: Value::Auto,
            doc: "the largest squared distance; auto takes the least at which the closed form holds, paper (4n + 1)(diam + 1)",
        },
        REPAIR,
        Parameter::flag("smallest", false).says(
            "also tell the smallest bound in which the order fits at all, proved: another program of the same size",
        ),
        GAP,
        ENGINE,
        MAY_REFINE,
    ],
    places: "by descent on the object's own comparisons, old points fixed",
    cost: "O(N + n³) for the closed form; else O(n² r + N) time per step; 248 n² bytes and 150 a comparison",
    reference: "McFee & Lanckriet 2009, Algorithm 2",
    needs: |s, settings| {
        // A closed form, unless the bound is too small for one.
        let closed = 2e-9 * s.n().powi(3) + 2e-6 * s.m();
        let solved =
            if settings.number("bound").is_some() { compared(s.n(), s.m() + 0.5 * s.n().powi(2)) } else { 0.0 };
        Needs::new(closed + solved, 248.0 * s.n().powi(2) + 4000.0 * s.n() + s.comparisons() + 150.0 * s.m())
    },
    again: again::<PartialOrder>,
};

impl PartialOrder {
    /// A map of `dim` dimensions with the least bound at which the closed form holds; contradictions are an error.
    #[must_use]
    pub fn new(dim: usize) -> Self {
        PartialOrder { convex: Convex::new(dim, false), bound: Bound::Smallest, repair: None, smallest: false }
    }
    /// With no squared distance above this.
    #[must_use]
    pub fn bound(mut self, bound: f64) -> Self {
        self.bound = Bound::Given(bound);
        self
    }
    /// With the bound of the paper, `(4n + 1)(diam + 1)`.
    #[must_use]
    pub fn papers_bound(mut self) -> Self {
        self.bound = Bound::Papers;
        self
    }
    settable! {
        /// Drops what contradicts the rest, in this way.
        repair: Repair,
        /// Also tells, among the parameters of the report, the smallest bound in which the order fits.
        smallest: bool,
    }

    /// A bound that a map keeps, and one that none does.
    fn fits_from(&self, c: &Comparisons, paths: &LongestPaths, run: &Run<'_>) -> Result<Certificate, Error> {
        let program = program::smallest_bound(c, paths)?;
        let goal = Goal { gap: self.convex.gap, ..Goal::default() };
        Ok(self.convex.engine.solve(&program, None, &goal, run)?.certificate)
    }

    /// The closed form as a map.
    fn closed(&self, c: &Comparisons, paths: &LongestPaths, bound: f64, run: &Run<'_>) -> Result<Mapped, Error> {
        let n = c.objects().len();
        let program = program::partial_order(c, paths, bound)?;
        let gram = paths.gram(bound);
        let (values, vectors) = dense::eigh(gram.view())
            .map_err(|_| Error::Numerical { what: "the eigenvectors of the closed form".into() })?;
        let lengths = values.mapv(|v| v.max(0.0).sqrt());
        let whole = vectors * &lengths;
        let projected = convex::leading(&whole, self.convex.dim);
        let seen = program.see(std::slice::from_ref(&projected));
        let mut certificate = Certificate::new(Sense::Maximise, paths.optimum(bound), paths.optimum(bound), 0.0);
        certificate.rank = values.iter().filter(|v| **v > 1e-5 * values[0]).count();
        // The multipliers of the closed form: one on every bound, and for each row of the order what runs through it.
        let candidate = Candidate::free(whole, paths.multipliers(c));
        let (stop, iterations, rounds, engine) = (Stop::Converged, 0, Vec::new(), "closed form");
        let solved = Solved { candidate, certificate, stop, iterations, rounds, engine };
        let mut report = FitReport::new("partial-order", n, self.convex.dim, run.seed());
        proof::proved(&mut report, &solved, self.convex.gap);
        proof::mapped(&mut report, seen, seen, None);
        report.spectrum = Some(Spectrum::complete(values.iter().map(|v| v.max(0.0)).collect()));
        let (embedding, _) = common::posed(Embedding::new(c.objects().clone(), projected)?)?;
        let witness = Witness { objects: c.objects().clone(), program, candidate: solved.candidate };
        Ok(Mapped { embedding, report, witness })
    }
}

impl Embed<&Comparisons> for PartialOrder {
    type Model = Ordinal;
    fn fit_with(&self, c: &Comparisons, run: &Run<'_>) -> Result<Fit<Ordinal>, Error> {
        let n = c.objects().len();
        common::require_dim(n, self.convex.dim)?;
        common::require_comparisons(c)?;
        METHOD.afford(c, self, run, "map fewer objects, or a sample of the comparisons")?;
        run.install(|| {
            let (graph, dropped) = consistent(c, self.repair, run.seed())?;
            let kept = graph.comparisons();
            let paths = LongestPaths::new(&graph, n)?;
            let bound = match self.bound {
                Bound::Smallest => paths.smallest() * (1.0 + 1e-6),
                Bound::Papers => paths.papers_bound(),
                Bound::Given(b) if b.is_finite() && b > 0.0 => b,
                Bound::Given(b) => return Err(positive("bound", b)),
            };
            if bound <= paths.diameter {
                return Err(Error::Parameter {
                    name: "bound".into(),
                    value: bound.to_string(),
                    expected: format!("more than {}, the longest chain of margins", paths.diameter),
                });
            }
            let mapped = if bound >= paths.smallest() {
                self.closed(&kept, &paths, bound, run)?
            } else {
                let program = program::partial_order(&kept, &paths, bound)?;
                let mapped = self.convex.map("partial-order", &program, c.objects(), None, run)?;
                refuse_impossible(&mapped, &kept, &paths, bound)?;
                mapped
            };
            let mut report = mapped.report.figure("closed-form-from", paths.smallest());
            if self.smallest {
                let proved = self.fits_from(&kept, &paths, run)?;
                report = report.figure("order-fits-from", proved.primal);
                if let Some(never) = proved.bound {
                    report = report.figure("order-never-fits-below", never);
                }
            }
            report.became("bound", bound);
            report.by(self);
            common::warn_line(&mut report, self.convex.dim);
            report.objective_is = "Σ d² over all pairs".into();
            report.input = Input { pairs: n * (n - 1) / 2, ..Input::default() };
            let holding = common::holding(&mapped.embedding, c);
            report.agreement = Some(holding as f64 / c.len() as f64);
            warn(&mut report, &dropped, c.len());
            let model = Ordinal::new(mapped.embedding.clone()).with_usual_margin(common::usual_margin(c));
            Ok(Fit::new(mapped.embedding, model, report).witnessed(mapped.witness))
        })
    }
}

/// Refuses a bound in which the order does not fit: multipliers then prove any value out of reach, and the rows that bear
/// them are those that collide.
fn refuse_impossible(mapped: &Mapped, c: &Comparisons, paths: &LongestPaths, bound: f64) -> Result<(), Error> {
    let Some(certificate) = &mapped.report.certificate else { return Ok(()) };
    // A sum of squared distances below zero: there is no such map.
    if certificate.bound.is_none_or(|b| b >= 0.0) {
        return Ok(());
    }
    let n = c.objects().len();
    let mut heavy: Vec<(usize, f64)> = mapped
        .witness
        .candidate
        .multipliers
        .iter()
        .copied()
        .skip(n * (n - 1) / 2)
        .enumerate()
        .filter(|(_, y)| *y > 0.0)
        .collect();
    order::by(&mut heavy, &|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
    let rows = program::distinct(c);
    let named: Vec<String> = heavy.iter().take(4).map(|(t, _)| rows.in_words(*t)).collect();
    Err(Error::Evidence {
        what: format!(
            "no map keeps all {} comparisons with squared distances up to {bound}; those that collide most: {}",
            c.len(),
            named.join("; ")
        ),
        remedy: Remedy::from("raise ")
            .any("bound")
            .and(format!(" (from {:.6} on it is known to be enough), or drop comparisons", paths.smallest())),
    })
}

fn warn(report: &mut FitReport, dropped: &[Dropped], rows: usize) {
    if !dropped.is_empty() {
        let answers: u64 = dropped.iter().map(|d| u64::from(d.answers)).sum();
        report.warnings.push(format!(
            "{answers} of {rows} comparisons contradict the rest and were left out; cleaning the answers writes them down"
        ));
    }
    if let Some(percent) = report.spectrum.as_ref().and_then(|s| proof::percent_below(0.5, s, report.dim)) {
        report.warnings.push(format!(
            "the {} dimensions of the map carry {percent:.0} % of the variance; a smaller `bound` shows the order better",
            report.dim
        ));
    }
}
