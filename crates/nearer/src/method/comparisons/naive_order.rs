//! Naive order: any consistent set of comparisons is satisfied, in as many dimensions as it takes.

use crate::error::{Error, Remedy};
use crate::evidence::Comparisons;
use crate::fit::{Embed, Fit};
use crate::geometry::Embedding;
use crate::graph::{ConstraintGraph, Dropped, Repair, Unconstrained};
use crate::method::common::{self, DIM, spectrum};
use crate::method::cost::Needs;
use crate::method::table::{Method, Parameter, again, way};
use crate::model::Ordinal;
use crate::report::{FitReport, Input};
use crate::settings::{configured, settable, words};
use crate::solve::{Run, spectral};
use crate::text::{counted, said_of};

/// Naive total order construction, then constant shift.
///
/// The comparisons become squared dissimilarities `Δ`, `Δ(far) ≥ Δ(near) + margin`
/// ([`ConstraintGraph::dissimilarities`]), and the spectrum of `B = -½ H Δ H` is shifted by its least eigenvalue,
/// `B - λ_min H`: all squared distances grow by the same `-2 λ_min`. In `n - 1` dimensions every comparison of a
/// consistent set holds with its margin, and `1 ≤ d ≤ √((4n + 1)(diam + 1))` for all pairs, `diam` the largest sum of
/// margins along a chain of comparisons.
///
/// A map of fewer dimensions keeps the leading axes. The shift gives every axis the same large share, so a plane shows
/// little of it: the report says how much and how many comparisons still hold. It is the proof that a set can be satisfied,
/// and a start for other methods, rather than a picture.
///
/// # Takes
/// [`Comparisons`] that do not contradict each other; or with [`repair`](NaiveOrder::repair) the rest that does not.
/// # Places
/// New objects by their own comparisons with old ones ([`Ordinal`]).
/// # Cost
/// `O(N log N)` for the graph, then two partial eigenproblems, `O(n²)` a step; memory `O(n² + N)`.
/// # Fails
/// [`Error::Evidence`] with a shortest circle spelled out when the comparisons contradict each other.
/// # Reference
/// McFee and Lanckriet (2009), Algorithm 1 and Lemma 2.1; Roth, Laub, Kawanabe and Buhmann (2003).
///
/// ```
/// use nearer::evidence::{Comparison, Comparisons};
/// use nearer::{Embed, Item, Objects, Pair, method::NaiveOrder};
/// # fn main() -> Result<(), nearer::Error> {
/// let pair = |a, b| Pair::new(Item(a), Item(b)).expect("two objects");
/// let rows = vec![Comparison::new(pair(0, 1), pair(0, 2)), Comparison::new(pair(0, 2), pair(1, 2))];
/// let fit = NaiveOrder::new(2).fit(&Comparisons::new(Objects::new(["a", "b", "c"])?, rows)?)?;
/// let d = |i, j| fit.embedding.distance(i, j);
/// assert!(d(0, 1) < d(0, 2) && d(0, 2) < d(1, 2));
/// assert_eq!(fit.report.agreement, Some(1.0));
/// # Ok(()) }
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct NaiveOrder {
    dim: usize,
    repair: Option<Repair>,
    unconstrained: Unconstrained,
}

words!(Option<Repair> {
    "none" => None,
    "prune" => Some(Repair::Prune),
    "random" => Some(Repair::Random),
    "cheapest" => Some(Repair::Cheapest),
});
words!(Unconstrained {
    "nearest" => Unconstrained::Nearest,
    "middle" => Unconstrained::Middle,
    "farthest" => Unconstrained::Farthest,
});
configured!(NaiveOrder { dim: "dim", repair: "repair", unconstrained: "unconstrained" });

/// What is done about contradictions.
pub(crate) const REPAIR: Parameter = Parameter::choice::<Option<Repair>>("repair", "none")
    .says("what to drop where comparisons contradict each other: nothing (an error tells), all that go in circles, a random few, the lightest few");
pub(crate) static METHOD: Method = Method {
    name: "naive-order",
    aliases: &[],
    summary: "satisfies every comparison of a consistent set, in up to n - 1 dimensions; a map of few shows the leading axes",
    solves: "Δ(far) = max Δ(near) + margin in topological order; B - λ_min(B) H, B = -½ H Δ H",
    ways: &[way::<NaiveOrder, Comparisons>()],
    parameters: &[
        DIM,
        REPAIR,
        Parameter::choice::<Unconstrained>("unconstrained", "nearest")
            .says("how far apart pairs are that were never compared"),
    ],
    places: "by descent on the object's own comparisons, old points fixed",
    cost: "O(N log N) for N comparisons, O(n²) time per Lanczos step; 4 n² bytes and 100 a comparison",
    reference: "McFee & Lanckriet 2009, Algorithm 1; Roth, Laub, Kawanabe & Buhmann 2003",
    needs: |s, _| {
        let seconds = 6e-8 * s.n().powi(2) + spectrum(s.n()) + 2e-6 * s.m();
        Needs::new(seconds, s.triangle() + 1600.0 * s.n() + s.comparisons() + 100.0 * s.m())
    },
    again: again::<NaiveOrder>,
};

impl NaiveOrder {
    /// A map of `dim` dimensions; contradictions are an error.
    #[must_use]
    pub fn new(dim: usize) -> Self {
        NaiveOrder { dim, repair: None, unconstrained: Unconstrained::default() }
    }
    settable! {
        /// Drops what contradicts the rest, in this way; the seed of the run is that of `Random`.
        repair: Repair,
        /// How far apart pairs are that were never compared.
        unconstrained: Unconstrained,
    }
}

/// The constraint graph of a consistent set: of all comparisons, or of those that a repair leaves.
pub(crate) fn consistent(
    c: &Comparisons,
    repair: Option<Repair>,
    seed: u64,
) -> Result<(ConstraintGraph, Vec<Dropped>), Error> {
    let graph = ConstraintGraph::new(c);
    match repair {
        _ if graph.is_acyclic() => Ok((graph, Vec::new())),
        None => Err(contradictory(&graph)),
        // Pruning would drop both sides of a contradiction; the majority is asked first.
        Some(Repair::Prune) => {
            let (graph, mut dropped) = graph.voted(None);
            let (graph, more) = graph.acyclic(Repair::Prune, seed);
            dropped.extend(more);
            Ok((graph, dropped))
        }
        Some(how) => Ok(graph.acyclic(how, seed)),
    }
}

impl Embed<&Comparisons> for NaiveOrder {
    type Model = Ordinal;
    fn fit_with(&self, c: &Comparisons, run: &Run<'_>) -> Result<Fit<Ordinal>, Error> {
        let n = c.objects().len();
        common::require_dim(n, self.dim)?;
        common::require_comparisons(c)?;
        METHOD.afford(c, self, run, "map fewer objects, or a sample of the comparisons")?;
        run.install(|| {
            let (graph, dropped) = consistent(c, self.repair, run.seed())?;
            let d = graph.dissimilarities(self.unconstrained)?;
            let clock = run.clock();
            let shift = common::lingoes(n, d.condensed(), &clock)?;
            let scaling = spectral::scale(n, d.condensed(), shift, self.dim, n <= 500, &clock)?;
            let (embedding, _) = common::posed(Embedding::new(c.objects().clone(), scaling.points(self.dim))?)?;
            let mut report =
                FitReport::new("naive-order", n, self.dim, run.seed()).figure("constant", shift.constant());
            report.by(self);
            report.input = Input { pairs: d.pairs(), missing: d.pairs() - graph.nodes().len(), ..Input::default() };
            report.objective = scaling.strain(n, d.condensed(), self.dim);
            report.objective_is = "strain |B - Y Yᵗ|² of the shifted dissimilarities".into();
            let holding = common::holding(&embedding, c);
            report.agreement = Some(holding as f64 / c.len() as f64);
            warn(&mut report, &graph, &dropped, holding, c.len(), &scaling.spectrum);
            report.spectrum = Some(scaling.spectrum);
            let model = Ordinal::new(embedding.clone()).with_usual_margin(common::usual_margin(c));
            Ok(Fit::new(embedding, model, report))
        })
    }
}

fn warn(
    report: &mut FitReport,
    graph: &ConstraintGraph,
    dropped: &[Dropped],
    holding: usize,
    rows: usize,
    spectrum: &crate::geometry::Spectrum,
) {
    if !dropped.is_empty() {
        let answers: u64 = dropped.iter().map(|d| u64::from(d.answers)).sum();
        report.warnings.push(format!(
            "{answers} of {rows} comparisons contradict the rest and were left out; cleaning the answers writes them down"
        ));
    }
    if holding < rows {
        let kept: f64 = spectrum.eigenvalues.iter().take(report.dim).filter(|v| **v > 0.0).sum();
        report.warnings.push(format!(
            "{holding} of {rows} comparisons hold in {} dimensions, which carry {:.0} % of the variance; every consistent one holds in {}",
            report.dim,
            100.0 * kept / spectrum.trace,
            report.objects - 1
        ));
    }
    let unseen = graph.unseen();
    if let Some(first) = unseen.first() {
        report.warnings.push(format!(
            "{} in no comparison (`{}` first): where that lies says nothing",
            said_of(unseen.len(), "object is", "objects are"),
            graph.objects().label(*first)
        ));
    }
}

/// How the comparisons contradict each other, with a shortest circle.
fn contradictory(graph: &ConstraintGraph) -> Error {
    const SPELLED: usize = 6;
    let (conflicts, components) = (graph.conflicts().len(), graph.components());
    let inside: usize = components.iter().map(|c| c.edges.len()).sum();
    let cycle = graph.shortest_cycles(1).into_iter().next().unwrap_or_default();
    let mut words: Vec<String> =
        cycle.iter().take(SPELLED).map(|&e| graph.in_words(&graph.edges()[e as usize])).collect();
    if cycle.len() > SPELLED {
        words.push(format!("and {} more", cycle.len() - SPELLED));
    }
    Error::Evidence {
        what: format!(
            "the comparisons contradict each other, so no map of any dimension satisfies them: {}{} in circles within {} of pairs; the shortest circle: {}",
            match conflicts {
                0 => String::new(),
                1 => "1 question is answered both ways, and ".into(),
                many => format!("{many} questions are answered both ways, and "),
            },
            if inside == 1 { "1 comparison goes".to_owned() } else { format!("{inside} comparisons go") },
            counted(components.len(), "group"),
            words.join(", ")
        ),
        remedy: Remedy::from("repair them with ")
            .command("clean")
            .and(", or have it done here with ")
            .setting("repair", "prune")
            .and(", random or cheapest"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evidence::Comparison;
    use crate::object::{Item, Objects, Pair};
    use nearer_num::rng::Rng;
    use proptest::prelude::*;

    /// Random comparisons with random margins, made consistent by a hidden random order of all pairs.
    fn consistent(n: u32, count: usize, seed: u64) -> Comparisons {
        let mut rng = Rng::task(seed, 3);
        let pairs: Vec<Pair> = (0..n).flat_map(|i| (0..i).filter_map(move |j| Pair::new(Item(i), Item(j)))).collect();
        let rank = rng.permutation(pairs.len());
        let rows = (0..count)
            .filter_map(|_| {
                let (a, b) = (rng.below(pairs.len()), rng.below(pairs.len()));
                let (near, far) = if rank[a] < rank[b] { (a, b) } else { (b, a) };
                let margin = [0.0, 0.5, 1.0, 4.0][rng.below(4)];
                (a != b).then(|| Comparison { margin, ..Comparison::new(pairs[near], pairs[far]) })
            })
            .collect();
        Comparisons::new(Objects::numbered(n as usize), rows).unwrap()
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(40))]
        /// Lemma 2.1: all margins, and all distances within the bound.
        #[test]
        fn every_comparison_of_a_consistent_set_holds(seed in 0u64..10_000, n in 3u32..14, many in 1usize..120) {
            let c = consistent(n, many, seed);
            prop_assume!(!c.is_empty());
            for free in [Unconstrained::Nearest, Unconstrained::Middle, Unconstrained::Farthest] {
                let fit = NaiveOrder::new(n as usize - 1).unconstrained(free).fit(&c).unwrap();
                let square = |p: Pair| fit.embedding.distance(p.first().index(), p.second().index()).powi(2);
                // Chains of margins: the diameter when a margin of 0 is the smallest above 0.
                let strict: Vec<Comparison> = c.iter().map(|r| Comparison { margin: r.margin.max(0.5), ..*r }).collect();
                let strict = Comparisons::new(c.objects().clone(), strict).unwrap();
                let diameter = ConstraintGraph::new(&strict).diameter().unwrap();
                let bound = (4.0 * f64::from(n) + 1.0) * (diameter + 1.0);
                for row in c.iter() {
                    prop_assert!(square(row.near) < square(row.far));
                    prop_assert!(square(row.near) + row.margin <= square(row.far) + 1e-9 * bound);
                }
                for i in 0..n as usize {
                    for j in 0..i {
                        let d2 = fit.embedding.distance(i, j).powi(2);
                        prop_assert!(d2 >= 1.0 - 1e-9 * bound && d2 <= bound * (1.0 + 1e-9), "{d2} {bound}");
                    }
                }
                prop_assert_eq!(fit.report.agreement, Some(1.0));
            }
        }
    }

    #[test]
    fn contradictions_are_spelled_out_or_repaired() {
        let pair = |a: u32, b: u32| Pair::new(Item(a), Item(b)).unwrap();
        let (ab, ac, ad) = (pair(0, 1), pair(0, 2), pair(0, 3));
        let rows = [(ab, ac), (ab, ac), (ac, ab), (ac, ad)].map(|(near, far)| Comparison::new(near, far));
        let c = Comparisons::new(Objects::new(["a", "b", "c", "d"]).unwrap(), rows.to_vec()).unwrap();
        let e = NaiveOrder::new(2).fit(&c).unwrap_err().to_string();
        assert!(e.contains("1 question is answered both ways") && e.contains("`clean`"), "{e}");
        assert!(
            e.contains("`a` is nearer to `b` than to `c`") && e.contains("`a` is nearer to `c` than to `b`"),
            "{e}"
        );
        for how in [Repair::Prune, Repair::Random, Repair::Cheapest] {
            let fit = NaiveOrder::new(3).repair(how).fit(&c).unwrap();
            assert!(fit.report.warnings.iter().any(|w| w.contains("left out")), "{how:?}");
            assert!(fit.embedding.distance(0, 2) < fit.embedding.distance(0, 3), "{how:?}");
        }
        let fit = NaiveOrder::new(3).repair(Repair::Cheapest).fit(&c).unwrap();
        assert_eq!(fit.report.agreement, Some(0.75));
    }

    #[test]
    fn nothing_to_satisfy_is_an_error_and_a_plane_says_what_it_loses() {
        let none = Comparisons::new(Objects::numbered(4), Vec::new()).unwrap();
        assert!(NaiveOrder::new(2).fit(&none).unwrap_err().to_string().contains("no comparison"));
        let c = consistent(20, 400, 1);
        let fit = NaiveOrder::new(2).fit(&c).unwrap();
        assert!(fit.report.agreement.unwrap() < 1.0);
        assert!(fit.report.warnings[0].contains("of the variance"), "{:?}", fit.report.warnings);
    }
}
