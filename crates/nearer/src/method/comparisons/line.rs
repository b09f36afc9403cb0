//! Line: can these comparisons hold in one dimension?

use crate::error::Error;
use crate::evidence::{Comparison, Comparisons};
use crate::fit::{Embed, Fit};
use crate::geometry::Embedding;
use crate::graph::ConstraintGraph;
use crate::method::common;
use crate::method::cost::Needs;
use crate::method::table::{Method, Parameter, again, way};
use crate::model::Ordinal;
use crate::report::{FitReport, Input};
use crate::settings::{Configured, Settings, settable};
use crate::solve::{OnLine, Run, Stop, line};
use crate::text::said_of;

/// A map of one dimension that satisfies every comparison, or the proof that there is none.
///
/// Deciding this is NP-hard (it contains *betweenness*). The search goes through the orders of the objects with everything
/// ruled out that can be ruled out early, and for each order decides exactly, in whole numbers, whether gaps exist that
/// satisfy the comparisons. A *yes* comes with coordinates, checked against the comparisons and scaled so that the margins
/// hold; a *no* is proved by exhaustion and comes with a subset of the comparisons that cannot hold on a line, minimal
/// where the budget sufficed; otherwise the answer is *unknown*.
///
/// Up to a dozen objects are decided in moments whatever the comparisons; more when the comparisons are many, since then
/// few orders are left.
///
/// # Takes
/// [`Comparisons`].
/// # Places
/// New objects by their own comparisons with old ones ([`Ordinal`]).
/// # Cost
/// Exponential at worst; `nodes` partial orders at most, each `O(N + n³)`.
/// # Fails
/// [`Error::Evidence`]: with the subset when the answer is no, and when it is unknown.
/// # Reference
/// McFee and Lanckriet (2009), section 5.
///
/// ```
/// use nearer::evidence::{Comparison, Comparisons};
/// use nearer::{Embed, Item, Objects, Pair, method::Line};
/// # fn main() -> Result<(), nearer::Error> {
/// let pair = |a, b| Pair::new(Item(a), Item(b)).expect("two objects");
/// let (sides, diagonals) = ([(0, 1), (1, 2), (2, 3), (0, 3)], [(0, 2), (1, 3)]);
/// let rows = |far: &[(u32, u32)]| {
///     let each = sides.iter().flat_map(|s| far.iter().map(move |d| (s, d)));
///     Comparisons::new(Objects::numbered(4), each.map(|(s, d)| Comparison::new(pair(s.0, s.1), pair(d.0, d.1))).collect())
/// };
/// assert!(Line::new().fit(&rows(&diagonals[..1])?).is_ok());
/// let square = Line::new().fit(&rows(&diagonals)?).unwrap_err();
/// assert!(square.to_string().contains("cannot hold on a line"));
/// # Ok(()) }
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Line {
    nodes: usize,
}

const NODES: usize = 100_000;

impl Configured for Line {
    fn from_settings(settings: &Settings) -> Result<Self, Error> {
        Ok(Line { nodes: settings.read("nodes")? })
    }
    fn write(&self, settings: &mut Settings) {
        settings.set("dim", 1usize);
        settings.set("nodes", self.nodes);
    }
}

pub(crate) static METHOD: Method = Method {
    name: "line",
    aliases: &[],
    summary: "decides whether all comparisons can hold in one dimension: the line, or a few of them that cannot",
    solves: "x with |x_a - x_b| < |x_c - x_d| for every comparison, or a proof that there is none",
    ways: &[way::<Line, Comparisons>()],
    parameters: &[
        Parameter::count("dim", 1..=1, 1).says("a line has one dimension"),
        Parameter::count("nodes", 1..=1_000_000_000, NODES as u64)
            .says("partial orders to look at before the answer is unknown"),
    ],
    places: "by descent on the object's own comparisons, old points fixed",
    cost: "NP-hard: exponential at worst, a dozen objects or many comparisons in moments; O(N + n²) memory",
    reference: "McFee & Lanckriet 2009, section 5",
    needs: |s, _| Needs { seconds: None, bytes: (32.0 * s.n().powi(2) + s.comparisons()) as u64 + (8 << 20) },
    again: again::<Line>,
};

impl Default for Line {
    fn default() -> Self {
        Line::new()
    }
}

impl Line {
    /// A search through 100,000 partial orders at most.
    #[must_use]
    pub fn new() -> Self {
        Line { nodes: NODES }
    }
    settable! {
        /// Looks at so many partial orders at most, and as many again to make a *no* readable.
        nodes: usize,
    }
    /// The answer by itself: yes, no or unknown. The run gives the time limit and the watcher.
    #[must_use]
    pub fn decide(&self, c: &Comparisons, run: &Run<'_>) -> OnLine {
        line::on_a_line(&ConstraintGraph::new(c), self.nodes, &run.clock())
    }
}

impl Embed<&Comparisons> for Line {
    type Model = Ordinal;
    fn fit_with(&self, c: &Comparisons, run: &Run<'_>) -> Result<Fit<Ordinal>, Error> {
        let n = c.objects().len();
        common::require_dim(n, 1)?;
        common::require_comparisons(c)?;
        let graph = ConstraintGraph::new(c);
        let largest = graph.groups().first().map_or(0, Vec::len);
        if largest > line::MOST && graph.is_acyclic() {
            return Err(Error::Evidence {
                what: format!("{largest} objects hang together by comparisons, and the search takes {}", line::MOST),
                remedy: "ask about some of the objects, or map them with another method in one dimension".into(),
            });
        }
        let (coordinates, nodes) = match line::on_a_line(&graph, self.nodes, &run.clock()) {
            OnLine::Yes { coordinates, nodes } => (coordinates, nodes),
            OnLine::No { subset, minimal } => return Err(impossible(c, subset, minimal)),
            OnLine::Unknown { stop, nodes } => return Err(unknown(stop, nodes)),
        };
        let points = ndarray::Array2::from_shape_vec((n, 1), spread(c, coordinates))
            .map_err(|_| Error::Numerical { what: "the search on a line".into() })?;
        let (embedding, _) = common::posed(Embedding::new(c.objects().clone(), points)?)?;
        if common::holding(&embedding, c) < c.len() {
            return Err(unknown(Stop::Stalled, nodes));
        }
        let mut report = FitReport::new("line", n, 1, run.seed());
        report.by(self);
        report.input = Input { pairs: n * (n - 1) / 2, ..Input::default() };
        report.input.missing = report.input.pairs - graph.nodes().len();
        report.iterations = nodes;
        report.objective_is = "comparisons that do not hold".into();
        report.agreement = Some(1.0);
        let (unseen, groups) = (graph.unseen().len(), graph.groups().len());
        if unseen > 0 {
            let objects =
                said_of(unseen, "object is in no comparison and lies", "objects are in no comparison and lie");
            report.warnings.push(format!("{objects} in the middle"));
        }
        if groups > 1 {
            report.warnings.push(format!(
                "the objects fall into {groups} groups that share no comparison; how the groups lie to each other says nothing"
            ));
        }
        let model = Ordinal::new(embedding.clone()).with_usual_margin(common::usual_margin(c));
        Ok(Fit::new(embedding, model, report))
    }
}

/// Coordinates at the size at which every margin holds.
fn spread(c: &Comparisons, mut x: Vec<f64>) -> Vec<f64> {
    let square = |p: crate::object::Pair| (x[p.first().index()] - x[p.second().index()]).powi(2);
    let needed = c.iter().map(|r| r.margin / (square(r.far) - square(r.near))).fold(0.0, f64::max);
    if needed > 0.0 && needed.is_finite() {
        // A little more, so that rounding does not take the last margin away.
        let size = needed.sqrt() * (1.0 + 1e-12);
        x.iter_mut().for_each(|x| *x *= size);
    }
    x
}

fn impossible(c: &Comparisons, subset: Vec<Comparison>, minimal: bool) -> Error {
    const SPELLED: usize = 20;
    let count = subset.len();
    let part = match Comparisons::new(c.objects().clone(), subset) {
        Ok(part) => part,
        Err(e) => return e,
    };
    let mut words: Vec<String> = (0..count.min(SPELLED)).map(|k| part.in_words(k)).collect();
    if count > SPELLED {
        words.push(format!("and {} more", count - SPELLED));
    }
    let needed = if minimal { ", though any of them left out they could" } else { "" };
    Error::Evidence {
        what: format!("these {count} comparisons cannot hold on a line together{needed}: {}", words.join(", ")),
        remedy: "use more dimensions, or drop one of them if it is an error".into(),
    }
}

fn unknown(stop: Stop, nodes: usize) -> Error {
    let (why, remedy) = match stop {
        Stop::TimeLimit => ("the time was up", "give it more time, or ask about fewer objects"),
        Stop::Cancelled => ("it was cancelled", "let it run on, or ask about fewer objects"),
        Stop::Stalled => ("the numbers grew too large to be exact", "ask about fewer objects"),
        _ => ("the budget was used up", "raise `nodes`, or ask about fewer objects"),
    };
    Error::Evidence {
        what: format!(
            "whether the comparisons can hold on a line is unknown: {why} after {nodes} partial orders, with neither a line nor a proof that there is none"
        ),
        remedy: remedy.into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::object::{Item, Objects, Pair};
    use nearer_num::rng::Rng;

    #[test]
    fn margins_hold_on_the_line() {
        let mut rng = Rng::task(4, 0);
        let x: Vec<f64> = (0..9).map(|_| rng.normal()).collect();
        let pair = |a: usize, b: usize| Pair::new(Item(a as u32), Item(b as u32)).unwrap();
        let d = |p: Pair| (x[p.first().index()] - x[p.second().index()]).abs();
        let rows = (0..80)
            .map(|k| {
                let p = rng.permutation(9);
                let (a, b) = (pair(p[0], p[1]), pair(p[0], p[2]));
                let (near, far) = if d(a) < d(b) { (a, b) } else { (b, a) };
                Comparison { margin: 0.5 + f64::from(k % 3), ..Comparison::new(near, far) }
            })
            .collect();
        let c = Comparisons::new(Objects::numbered(10), rows).unwrap();
        let fit = Line::new().fit(&c).unwrap();
        assert_eq!((fit.embedding.dim(), fit.report.agreement), (1, Some(1.0)));
        let square = |p: Pair| fit.embedding.distance(p.first().index(), p.second().index()).powi(2);
        assert!(c.iter().all(|r| square(r.near) + r.margin <= square(r.far) * (1.0 + 1e-9)));
        assert!(fit.report.warnings[0].contains("1 object is in no comparison"));
    }

    #[test]
    fn no_and_unknown_say_so() {
        let pair = |a: u32, b: u32| Pair::new(Item(a), Item(b)).unwrap();
        let sides = [pair(0, 1), pair(1, 2), pair(2, 3), pair(0, 3)];
        let rows = sides.iter().flat_map(|s| [pair(0, 2), pair(1, 3)].map(|d| Comparison::new(*s, d))).collect();
        let square = Comparisons::new(Objects::new(["a", "b", "c", "d"]).unwrap(), rows).unwrap();
        let e = Line::new().fit(&square).unwrap_err().to_string();
        assert!(e.contains("cannot hold on a line together, though any of them left out they could: `"), "{e}");
        let e = Line::new().nodes(1).fit(&square).unwrap_err().to_string();
        assert!(e.contains("unknown: the budget was used up after 2") && e.contains("`nodes`"), "{e}");
    }
}
