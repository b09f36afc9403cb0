//! Pairwise semidefinite embedding: pairs said to be alike or not, or alike in grades, each object with a ball of its own.

use ndarray::Array1;

use crate::error::Error;
use crate::evaluate;
use crate::evidence::Pairs;
use crate::fit::{Embed, Fit};
use crate::method::common::{self, DIM};
use crate::method::comparisons::gnmds::positive;
use crate::method::convex::{self, Convex, ENGINE, GAP, MAY_REFINE};
use crate::method::cost::Needs;
use crate::method::table::{Kind, Method, Parameter, again, way};
use crate::model::Ordinal;
use crate::program;
use crate::report::Input;
use crate::settings::{OrNone, configured, settable, words};
use crate::solve::Run;

/// Pairwise semidefinite embedding.
///
/// ```text
/// min  Σ_similar w d² / W_s - Σ_dissimilar w d² / W_d
/// s.t. d²(i, j) ≤ b_i for j similar to i,   d²(i, j) ≥ b_i for j dissimilar,   ⟨H, G⟩ ≤ 1,   G psd
/// ```
///
/// Each object has a ball of its own, of squared radius `b_i`, that separates those like it from those that are not. Rows are
/// directed: `i` may count `j` among its neighbours and not the other way round. With a [`slack`](Psde::slack) broken rows cost
/// `slack · w` times their excess; without, they are forbidden, and a set whose order goes in a circle is refused.
///
/// With [one radius](Radii::One) all `b_i` are one unknown `b`: *alike* then means the same distance everywhere, as in section 5
/// of the paper, and its dual asks that similar and dissimilar multipliers balance in sum rather than at every object.
///
/// Pairs in grades ([`Pairs::graded`]) are the ordered similarity of the paper's section 9, `x_j ≤_i x_k ≤_i x_l`: for every level
/// `k` between two grades the objects at least that alike lie inside a ball `b_ik`, the others outside, and
/// `b_i1 ≤ b_i2 ≤ …`. The objective is the mean of the levels' objectives.
///
/// There are up to `n (n - 1)` rows a level; they are brought into play as they are broken, and the report keeps how many were broken
/// round by round.
///
/// # Takes
/// [`Pairs`], in which no ordered pair is said to be both, or of two grades.
/// # Places
/// New objects by their own answers about old ones, whose balls stay ([`Ordinal`]).
/// # Cost
/// `O(n² r)` for each of some tens of scans, `O(rows in play · r)` a step between; memory `O(n²)`; all of it times the levels.
/// # Certificate
/// `λ_min(S(y))` for multipliers whose dissimilar ones outweigh the similar ones for every radius; the gap is a share of the best
/// ([`Certificate`](crate::program::Certificate)).
/// # Fails
/// [`Error::Evidence`] for contradictory answers, and without slack for answers that go in a circle.
/// # Reference
/// Globerson and Roweis (2007), *Visualizing pairwise similarity via semidefinite programming*.
///
/// ```
/// use nearer::evidence::{Judged, Pairs};
/// use nearer::{Embed, Item, Objects, method::Psde};
/// # fn main() -> Result<(), nearer::Error> {
/// // Eight objects on a ring, each like its two neighbours.
/// let near = |i: u32, j: u32| matches!((8 + i - j) % 8, 1 | 7);
/// let all = (0..8u32).flat_map(|i| (0..8u32).filter(move |j| *j != i).map(move |j| (i, j)));
/// let rows = all.map(|(i, j)| Judged::new(Item(i), Item(j), near(i, j))).collect();
/// let fit = Psde::new(2).fit(&Pairs::new(Objects::numbered(8), rows)?)?.certified(1e-5)?;
/// assert_eq!(fit.report.agreement, Some(1.0));
///
/// // The same in four grades, by the steps along the ring: nested balls.
/// let steps = |i: u32, j: u32| ((8 + i - j) % 8).min((8 + j - i) % 8) as u16;
/// let all = (0..8u32).flat_map(|i| (i + 1..8u32).map(move |j| (i, j)));
/// let rows = all.map(|(i, j)| (Judged::new(Item(i), Item(j), true), steps(i, j))).collect();
/// let fit = Psde::new(2).fit(&Pairs::graded(Objects::numbered(8), rows, 4)?.both_ways())?.certified(1e-5)?;
/// let radii = fit.model.radii().unwrap();
/// assert!((0..8).all(|i| radii[i] <= radii[8 + i] && radii[8 + i] <= radii[16 + i]));
/// # Ok(()) }
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Psde {
    convex: Convex,
    slack: OrNone,
    radii: Radii,
}

/// Who has a radius of their own.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Radii {
    /// Each object has one.
    #[default]
    Each,
    /// All objects have one together.
    One,
}

words!(Radii { "each" => Radii::Each, "one" => Radii::One });

convex::setters!(Psde);

configured!(Psde [convex] { slack: "slack", radii: "radii" });

pub(crate) static METHOD: Method = Method {
    name: "psde",
    aliases: &["pairwise-sde"],
    summary: "pairs said to be alike or not, or alike in grades: a ball for each object, as a convex program whose answer is proved to be the best",
    solves: "min mean d²(similar) - mean d²(dissimilar), s (d² - b_i) ≤ 0 (grades: b_i1 ≤ b_i2 ≤ …), ⟨H, G⟩ ≤ 1, G psd",
    ways: &[way::<Psde, Pairs>()],
    parameters: &[
        DIM,
        Parameter::none("slack", Kind::PRICE)
            .says("what a broken answer costs, for each unit of its excess; none: every answer must hold"),
        Parameter::choice::<Radii>("radii", "each")
            .says("whether each object has a radius of its own, within which lie those like it, or all have one"),
        GAP,
        ENGINE,
        MAY_REFINE,
    ],
    places: "by descent on the object's own answers, old points and balls fixed",
    cost: "O(n² r) time per round, O(rows in play · r) per step; 88 n² bytes",
    reference: "Globerson & Roweis 2007",
    needs: |s, _| Needs::new(3.5e-6 * s.n().powi(2) * s.steps(), 88.0 * s.n().powi(2) + 4000.0 * s.n() + s.balls()),
    again: again::<Psde>,
};

impl Psde {
    /// A map of `dim` dimensions, no answer broken.
    #[must_use]
    pub fn new(dim: usize) -> Self {
        Psde { convex: Convex::new(dim, false), slack: OrNone(None), radii: Radii::Each }
    }
    settable! {
        /// Broken answers cost this for each unit of their excess.
        slack: f64,
        /// Each object has a radius of its own, or all have one.
        radii: Radii,
    }
}

impl Embed<&Pairs> for Psde {
    type Model = Ordinal;
    fn fit_with(&self, pairs: &Pairs, run: &Run<'_>) -> Result<Fit<Ordinal>, Error> {
        let n = pairs.objects().len();
        common::require_dim(n, self.convex.dim)?;
        if pairs.is_empty() {
            return Err(Error::Evidence {
                what: format!("nothing is said about the {n} objects"),
                remedy: "give pairs that are alike or not".into(),
            });
        }
        if let Some(slack) = self.slack.0.filter(|s| !(s.is_finite() && *s > 0.0)) {
            return Err(positive("slack", slack));
        }
        METHOD.afford(pairs, self, run, "map fewer objects")?;
        run.install(|| {
            let program = program::psde(pairs, self.slack.0, self.radii == Radii::One)?;
            let mapped = self.convex.map("psde", &program, pairs.objects(), None, run)?;
            let mut report = mapped.report;
            report.by(self);
            report.objective_is =
                "mean d²(similar) - mean d²(dissimilar) at trace 1, and what broken answers cost".into();
            report.input = Input { pairs: n * (n - 1) / 2, ..Input::default() };
            report.agreement = Some(evaluate::pair_agreement(&mapped.embedding, pairs)?.share);
            if pairs.iter().all(|row| row.similar) || pairs.iter().all(|row| !row.similar) {
                let kind = if pairs.rows()[0].similar { "alike" } else { "not alike" };
                report.warnings.push(format!("all pairs are said to be {kind}: the answers set nothing apart"));
            }
            let mut model = Ordinal::new(mapped.embedding.clone());
            if let Some(radii) = program.best_radii(mapped.embedding.points()) {
                model = model.with_radii(Array1::from(radii))?;
            }
            if self.radii == Radii::One {
                model = model.with_one_radius();
            }
            Ok(Fit::new(mapped.embedding, model, report).witnessed(mapped.witness))
        })
    }
}
