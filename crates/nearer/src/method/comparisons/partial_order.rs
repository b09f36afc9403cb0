//! Partial order embedding: everything as far apart as a bound allows, the order of the comparisons kept.

use nearer_num::dense;

use crate::error::Error;
use crate::evidence::Comparisons;
use crate::fit::{Embed, Fit, Witness};
use crate::geometry::{Embedding, Spectrum};
use crate::graph::{Dropped, Margins, Repair};
use crate::method::common::{self, DIM};
use crate::method::comparisons::gnmds::{compared, positive};
use crate::method::comparisons::kernel_partial_order::MARGINS;
use crate::method::comparisons::least_bound::Search;
use crate::method::comparisons::naive_order::{REPAIR, consistent};
use crate::method::convex::{self, Convex, ENGINE, GAP, MAY_REFINE, Mapped};
use crate::method::cost::Needs;
use crate::method::proof;
use crate::method::table::{Kind, Method, Parameter, again, way};
use crate::model::Ordinal;
use crate::program::{self, Candidate, Certificate, LongestPaths, Sense};
use crate::report::{FitReport, Input};
use crate::settings::{Typed, Value, configured, settable};
use crate::solve::{GramIpm, Run, Solved, Stop};

/// Partial order embedding without features.
///
/// ```text
/// max  Σ d²(i, j)   s.t.  d²(near) + margin ≤ d²(far),   d²(i, j) ≤ B,   G psd
/// ```
///
/// The answer is a closed form for every `B` from a certain size on: `d² = B - h`, `h` the longest chain of margins that
/// starts at a pair (the longest path). The paper's `B = (4n + 1)(diam + 1)` is far above that size, and its answer is a
/// regular simplex with small dents, in which no few axes carry much: every pair wants to be `B` apart, and the order only
/// takes a little away. By default `B` is a hair above the least at which the closed form holds, where the solution begins to lose
/// dimensions; below it the program is solved, as long as the order fits at all. The solution has fewer dimensions there, and its map
/// agrees with about as many of the comparisons: .627 at the bound of the paper, .639 by default, .640, .634 and .647 below, on 55 objects
/// with 4,040 comparisons.
///
/// # Takes
/// [`Comparisons`] that do not contradict each other; or with [`repair`](PartialOrder::repair) the rest that does not.
/// # Places
/// New objects by their own comparisons with old ones ([`Ordinal`]).
/// # Cost
/// Closed form: `O(N)` and one eigenvalue, `O(n³)`. Otherwise `n²/2 + N` rows for the engine: up to 120 objects a Cholesky factor of a
/// square of `n²/2` columns a step (64 objects and 3,361 comparisons a second or two, 100 and 20,000 a minute).
/// # Certificate
/// The closed form is its own proof; otherwise multipliers mixed with those of the bounds. The gap is a share of the
/// best ([`Certificate`](crate::program::Certificate)). With [`smallest_bound`](PartialOrder::smallest_bound) it is about the bound:
/// its multipliers prove of every smaller one that the order does not fit (Farkas).
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
    margins: Margins,
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
    /// The least in which the order fits: another program.
    Least,
}

impl Typed for Bound {
    fn of(value: &Value) -> Option<Self> {
        match value.word() {
            Some("auto") => Some(Bound::Smallest),
            Some("paper") => Some(Bound::Papers),
            Some("smallest") => Some(Bound::Least),
            _ => value.number().map(Bound::Given),
        }
    }
    fn value(&self) -> Value {
        match self {
            Bound::Smallest => Value::Auto,
            Bound::Papers => Value::of_word("paper"),
            Bound::Given(b) => Value::Number(*b),
            Bound::Least => Value::of_word("smallest"),
        }
    }
}

configured!(PartialOrder [convex] { bound: "bound", repair: "repair", margins: "margins", smallest: "smallest" });
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
            or: &["auto", "paper", "smallest"],
            default: Value::Auto,
            doc: "the largest squared distance; auto takes the least at which the closed form holds, paper (4n + 1)(diam + 1), smallest the least in which the order fits, proved: the map is one within it",
        },
        REPAIR,
        MARGINS,
        Parameter::flag("smallest", false).says(
            "also tell the smallest bound in which the order fits at all, proved: another program of the same size",
        ),
        GAP,
        ENGINE,
        MAY_REFINE,
    ],
    places: "by descent on the object's own comparisons, old points fixed",
    cost: "O(N + n³) for the closed form; else O(n⁶) time a step and 2 n⁴ bytes up to 120 objects, O(n² r + N) above; 248 n² bytes and 150 a comparison",
    reference: "McFee & Lanckriet 2009, Algorithm 2",
    needs: |s, settings| {
        // A closed form, unless the bound is too small for one.
        let (closed, few) = (2e-9 * s.n().powi(3) + 2e-6 * s.m(), GramIpm::takes_orders_of(s.objects));
        let asked = usize::from(settings.number("bound").is_some() || settings.word("bound") == Some("smallest"));
        let programs = asked + usize::from(settings.get("smallest") == Some(&Value::Flag(true)));
        let one = if few { 6e-11 * s.n().powi(6) } else { compared(s.n(), s.m() + 0.5 * s.n().powi(2)) };
        let square = if few && programs > 0 { 2.0 * s.n().powi(4) } else { 0.0 };
        let bytes = 248.0 * s.n().powi(2) + 4000.0 * s.n() + s.comparisons() + 150.0 * s.m() + square;
        Needs::new(closed + programs as f64 * one, bytes)
    },
    again: again::<PartialOrder>,
};

impl PartialOrder {
    /// A map of `dim` dimensions with the least bound at which the closed form holds; contradictions are an error.
    #[must_use]
    pub fn new(dim: usize) -> Self {
        let (convex, margins) = (Convex::new(dim, false), Margins::Given);
        PartialOrder { convex, bound: Bound::Smallest, repair: None, margins, smallest: false }
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
    /// With the least bound in which the order fits: it is minimised, and the certificate proves that no smaller one is enough.
    #[must_use]
    pub fn smallest_bound(mut self) -> Self {
        self.bound = Bound::Least;
        self
    }
    settable! {
        /// Drops what contradicts the rest, in this way.
        repair: Repair,
        /// With margins that come about in this way: those that grow with the depth of the order make tight neighbourhoods within wide
        /// ones (section 3.1 of the paper).
        margins: Margins,
        /// Also tells, among the parameters of the report, the smallest bound in which the order fits.
        smallest: bool,
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
            let grown = self.margins.applied(c, run.seed())?;
            let (graph, dropped) = consistent(&grown, self.repair, run.seed())?;
            let kept = graph.comparisons();
            let paths = LongestPaths::new(&graph, n)?;
            let bound = match self.bound {
                Bound::Smallest => paths.smallest() * (1.0 + 1e-6),
                Bound::Papers => paths.papers_bound(),
                Bound::Given(b) if b.is_finite() && b > 0.0 => b,
                Bound::Given(b) => return Err(positive("bound", b)),
                Bound::Least => f64::INFINITY,
            };
            if bound <= paths.diameter {
                return Err(Error::Parameter {
                    name: "bound".into(),
                    value: bound.to_string(),
                    expected: format!("more than {}, the longest chain of margins", paths.diameter),
                });
            }
            let search = Search { convex: &self.convex, c: &kept, paths: &paths, run };
            let mapped = if self.bound == Bound::Least {
                search.map()?
            } else if bound >= paths.smallest() {
                self.closed(&kept, &paths, bound, run)?
            } else {
                let program = program::partial_order(&kept, &paths, bound)?;
                let mapped = self.convex.map("partial-order", &program, c.objects(), None, run)?;
                search.refuse_impossible(&mapped, bound)?;
                mapped
            };
            let mut report = mapped.report.figure("closed-form-from", paths.smallest());
            if self.bound != Bound::Least {
                if self.smallest {
                    report = search.told(report, bound)?;
                }
                report.became("bound", bound);
                report.objective_is = "Σ d² over all pairs".into();
            }
            report.by(self);
            common::warn_line(&mut report, self.convex.dim);
            report.input = Input { pairs: n * (n - 1) / 2, ..Input::default() };
            let holding = common::holding(&mapped.embedding, c);
            report.agreement = Some(holding as f64 / c.len() as f64);
            warn(&mut report, &dropped, c.len());
            let model = Ordinal::new(mapped.embedding.clone()).with_usual_margin(common::usual_margin(&grown));
            Ok(Fit::new(mapped.embedding, model, report).witnessed(mapped.witness))
        })
    }
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
            "the {} dimensions of the map carry {percent:.0} % of the variance: most of the order is in the others",
            report.dim
        ));
    }
}
