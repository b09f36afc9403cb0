//! Unfolding: people and objects in one map, from how far each person is from each object.

use ndarray::{Array2, ArrayView2, Axis, s};
use nearer_num::packed;

use crate::error::Error;
use crate::evidence::DistanceRows;
use crate::fit::{Embed, Fit};
use crate::geometry::Embedding;
use crate::method::common::{self, DIM};
use crate::method::distances::descents::{self, Descents, EPS, MAX_ITER, STARTS};
use crate::method::table::{Kind, Method, Parameter, again, way};
use crate::model::{Anchors, Loss, OwnCurve, OwnRows, Transform};
use crate::report::FitReport;
use crate::settings::{Configured, Settings, configured, settable, words};
use crate::solve::Run;
use crate::solve::descent::{self, Ended};
use crate::solve::unfold::{Says, Unfold, Unfolded};

/// Unfolding by least squares, of ratings or of ranks.
///
/// Rows (people) and columns (objects) become points `x` and `y` of one map. With the cells as they are
/// ([`Cells::Ratio`], one scale for all) it minimises `S = Σ (δᵢⱼ - |xᵢ - yⱼ|)²` over the known cells; where each row has a scale of its
/// own ([`Conditional::Row`]), the mean over the rows of `sᵢ = Σ (d̂ - d)² / Σ d²`, `d̂` the row times a factor of its own.
///
/// Where only the order of the cells counts ([`Cells::Ordinal`]), any order is fitted by a map that puts all objects equally far
/// from all people. What is minimised then is `(mean sᵢ)^λ · mean (1 + ω/νᵢ²)` over the map and all disparities `d̂` that rise with the
/// cells, `νᵢ` the coefficient of variation of those of row `i` (of all, where all are in one order): disparities that do not vary cost
/// without bound. `ω` is
/// [`penalty`](PreferenceUnfolding::penalty), `λ` [`power`](PreferenceUnfolding::power). For each map the best disparities are found exactly, so that this is a function of the map alone.
///
/// Where this is least over all maps is no map that one wants: lower ends can follow the orders less. So an order is descended once, from
/// the best map of the cells as they are, and starts are those of that map.
///
/// Among the figures of the report `intermixed` is 0 where rows and columns lie among each other and 1 where each set lies in one
/// place apart from the other, and `variation` is the coefficient of variation of the distances from rows to columns.
///
/// # Takes
/// [`DistanceRows`]: dissimilarities, or ranks with 1 for the best, of each row to each column. Cells may be missing. A label that is
/// a row and a column makes two points.
/// # Places
/// New rows, the columns fixed: by their own stress, or, where each row has a scale or an order of its own, by what the new row
/// adds to the loss beside the rows of the fit.
/// # Cost
/// One pass over the cells an iteration; orders are sorted once and regressed some ten times an iteration.
/// # Fails
/// [`Error::Disconnected`] where the known cells fall apart.
/// # Reference
/// Coombs (1964); Heiser (1981); Busing, Groenen and Heiser (2005); DeSarbo, Young and Rangaswamy (1997) on intermixedness.
///
/// ```
/// use ndarray::array;
/// use nearer::{DistanceRows, Embed, Objects, method::PreferenceUnfolding};
/// # fn main() -> Result<(), nearer::Error> {
/// let people = Objects::new(["Ann", "Bob", "Cem", "Dee"])?;
/// let breads = Objects::new(["toast", "bun", "muffin"])?;
/// let ranks = array![[1.0, 2.0, 3.0], [3.0, 2.0, 1.0], [2.0, 1.0, 3.0], [1.0, 3.0, 2.0]];
/// let fit = PreferenceUnfolding::new(2).fit(&DistanceRows::new(people, breads, ranks)?)?;
/// assert_eq!(fit.embedding.len(), 7);                // people first, then breads
/// # Ok(()) }
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct PreferenceUnfolding {
    descents: Descents,
    taken: Taken,
}

/// How cells are taken.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Taken {
    cells: Cells,
    conditional: Conditional,
    curve: OwnCurve,
}

/// What is known of a cell.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cells {
    /// Its value.
    Ratio,
    /// Where it stands in the order.
    Ordinal,
}
/// What can be compared with what.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Conditional {
    /// All cells.
    Matrix,
    /// The cells of a row.
    Row,
}
words!(Cells { "ratio" => Cells::Ratio, "ordinal" => Cells::Ordinal });
words!(Conditional { "matrix" => Conditional::Matrix, "row" => Conditional::Row });
configured!(PreferenceUnfolding [descents, taken] {});

/// At the penalty 1 of the literature, breakfast's orders are won by a map that varies more than the orders do (stress .54, mean rank
/// correlation .52 of a row's cells with its distances); at 0.1 it is .13 and .71.
const CURVE: OwnCurve = OwnCurve { penalty: 0.1, power: 0.5 };

impl Configured for Taken {
    fn from_settings(settings: &Settings) -> Result<Self, Error> {
        let cells = settings.read("transform")?;
        let curve = match cells {
            Cells::Ordinal => OwnCurve { penalty: settings.read("penalty")?, power: settings.read("power")? },
            Cells::Ratio => CURVE,
        };
        Ok(Taken { cells, conditional: settings.read("conditional")?, curve })
    }
    fn write(&self, settings: &mut Settings) {
        use crate::settings::Typed as _;
        settings.set("transform", self.cells.value());
        settings.set("conditional", self.conditional.value());
        if self.cells == Cells::Ordinal {
            settings.set("penalty", self.curve.penalty);
            settings.set("power", self.curve.power);
        }
    }
}

impl Taken {
    fn says(&self) -> Says {
        match (self.cells, self.conditional) {
            (Cells::Ordinal, _) => Says::Order(self.curve),
            (Cells::Ratio, Conditional::Row) => Says::Multiples,
            (Cells::Ratio, Conditional::Matrix) => Says::Cells,
        }
    }
}

pub(crate) static METHOD: Method = Method {
    name: "unfolding",
    aliases: &["smacof-rect", "prefscal", "preference-map"],
    summary: "people and objects in one map, from ratings or ranks of objects by people; orders with a penalty on maps that say nothing",
    solves: "min Σ (δᵢⱼ - |xᵢ - yⱼ|)² over rows x and columns y; orders: min (mean Σ (d̂ - d)² / Σ d²)^λ mean (1 + ω/ν²)",
    ways: &[way::<PreferenceUnfolding, DistanceRows>()],
    parameters: &[
        DIM,
        Parameter::choice::<Cells>("transform", "ratio").says("the cells as they are, or only their order"),
        Parameter::choice::<Conditional>("conditional", "matrix")
            .says("all cells are on one scale (or in one order), or each row has its own"),
        Parameter::number("penalty", Kind::Number { min: 0.0, max: 1e6 }, CURVE.penalty)
            .says("what disparities that do not vary cost (omega), for orders"),
        Parameter::number("power", Kind::Number { min: 1e-3, max: 1.0 }, CURVE.power)
            .says("how much the fit counts beside the penalty (lambda), for orders"),
        STARTS,
        MAX_ITER,
        EPS,
    ],
    places: "new rows: what the row adds to the loss is minimised, columns fixed",
    cost: "O(n m) time per iteration for n rows and m columns; an order some 10 regressions",
    reference: "Coombs 1964; Heiser 1981; Busing, Groenen & Heiser 2005",
    needs: |s, settings| {
        let each = if settings.word("transform") == Some("ordinal") { 4e-5 } else { 3e-7 };
        descents::needs(s, settings, each, 24.0)
    },
    again: again::<PreferenceUnfolding>,
};

impl PreferenceUnfolding {
    /// A map of `dim` dimensions of the cells as they are.
    #[must_use]
    pub fn new(dim: usize) -> Self {
        let taken = Taken { cells: Cells::Ratio, conditional: Conditional::Matrix, curve: CURVE };
        PreferenceUnfolding { descents: Descents::new(dim), taken }
    }
    settable! {
        /// With the cells, or only their order.
        cells: Cells => taken.cells,
        /// With all cells on one scale, or each row on its own.
        conditional: Conditional => taken.conditional,
        /// What orders whose disparities do not vary cost.
        penalty: f64 => taken.curve.penalty,
        /// How much the fit of orders counts beside the penalty.
        power: f64 => taken.curve.power,
    }
}

descents::setters!(PreferenceUnfolding);

impl Embed<&DistanceRows> for PreferenceUnfolding {
    type Model = Anchors;
    fn fit_with(&self, rows: &DistanceRows, run: &Run<'_>) -> Result<Fit<Anchors>, Error> {
        let (n, m) = (rows.objects().len(), rows.to().len());
        run.afford("unfolding", 40 * packed::len(n + m) as u64, "take a part of the rows")?;
        // As for distances: what goes by number inside must not hang on the order of a file.
        let order = |o: &crate::object::Objects| o.label_order().unwrap_or_else(|| (0..o.len()).collect());
        let (by_row, by_column) = (order(rows.objects()), order(rows.to()));
        let mut fit = self.in_order(&rows.subset(&by_row, &by_column), run)?;
        let mut points = Array2::zeros(fit.embedding.points().dim());
        let all = by_row.into_iter().chain(by_column.into_iter().map(|k| n + k));
        for (from, to) in all.enumerate() {
            points.row_mut(to).assign(&fit.embedding.points().row(from));
        }
        fit.embedding = Embedding::new(rows.together()?, points)?;
        Ok(fit)
    }
}

impl PreferenceUnfolding {
    fn in_order(&self, rows: &DistanceRows, run: &Run<'_>) -> Result<Fit<Anchors>, Error> {
        let (n, dim, says) = (rows.objects().len(), self.descents.dim, self.taken.says());
        let across = rows.across()?;
        descents::require(&across, dim, "unfolding")?;
        let loss = Unfold::new(rows, &across, dim, says, self.taken.conditional == Conditional::Row);
        let (mut best, mut report) = match says {
            Says::Order(_) => self.near_the_cells(rows, &across, &loss, run)?,
            _ => self.descents.best("unfolding", &loss, run)?,
        };
        report.by(self);
        let scale = if says == Says::Cells { 1.0 } else { loss.resize(&mut best.at) };
        let points = Array2::from_shape_vec((across.len(), dim), best.at.clone()).unwrap_or_default();
        let (embedding, _) = common::posed(Embedding::new(across.objects().clone(), points)?)?;
        let report = self.told(report, &best, &embedding, n, says, || common::stress1(&embedding, &across));
        let columns = Embedding::new(rows.to().clone(), embedding.points().slice(s![n.., ..]).to_owned())?;
        let model = self.model(columns, &best.state, scale);
        Ok(Fit::new(embedding, model, report))
    }

    /// The map of an order: one descent from the best map of the cells as they are, each row on a scale of its own where it is in an
    /// order of its own. The least of the loss of an order over all maps is no map that one wants, whatever the penalty: of breakfast, lower
    /// ends have distances that follow the ranks less. What lies near a map of the cells does follow them.
    fn near_the_cells(
        &self,
        rows: &DistanceRows,
        across: &crate::evidence::Distances,
        loss: &Unfold<'_>,
        run: &Run<'_>,
    ) -> Result<(Ended<Unfolded>, FitReport), Error> {
        let by_row = self.taken.conditional == Conditional::Row;
        let plain =
            Unfold::new(rows, across, self.descents.dim, if by_row { Says::Multiples } else { Says::Cells }, by_row);
        let (mut start, tried) = descent::descend(&plain, self.descents.starts, self.descents.limits, run)?;
        loss.resize(&mut start.at);
        let best = descent::from(loss, start.at, self.descents.limits, &run.clock());
        let tried = tried.map(|starts| starts.of("the loss of the cells as they are, whose best map was gone on from"));
        let report = self.descents.report("unfolding", loss, &best, tried, run);
        Ok((best, report))
    }

    /// The report, with what tells a map that says nothing.
    fn told(
        &self,
        mut report: FitReport,
        best: &Ended<Unfolded>,
        map: &Embedding,
        n: usize,
        says: Says,
        stress1: impl Fn() -> f64,
    ) -> FitReport {
        let groups = best.state.groups() as f64;
        let share = best.state.off / groups;
        match says {
            Says::Cells => {
                report.objective_is = "raw stress Σ (δ - d)²".into();
                report.stress1 = Some(stress1());
            }
            Says::Multiples => {
                report.objective = share.sqrt();
                report.objective_is = "stress-1, each row on its own scale".into();
                report.stress1 = Some(share.sqrt());
            }
            Says::Order(curve) => {
                report.objective = (share.powf(curve.power) * best.state.level).sqrt();
                report.objective_is = "penalised stress √((mean Σ (d̂ - d)² / Σ d²)^λ Σ (1 + ω/ν²))".into();
                report.stress1 = Some(share.sqrt());
            }
        }
        let mixed = intermixed(map.points(), n);
        if mixed > 0.5 {
            report.warnings.push(format!(
                "rows and columns hardly mix (index {mixed:.2}, 1 where each set lies in one place): the map tells little of who is near what"
            ));
        }
        report.figure("rows", n).figure("intermixed", mixed).figure("variation", best.state.variation())
    }

    fn model(&self, columns: Embedding, state: &Unfolded, scale: f64) -> Anchors {
        let (dim, share) = (self.descents.dim, state.off / state.groups() as f64);
        let anchors = |transform| Anchors::new(columns, Loss::Stress, transform, dim);
        let own = |curve| OwnRows { curve, off: state.off, level: state.level };
        match (self.taken.says(), self.taken.conditional) {
            (Says::Cells, _) => anchors(Transform::Identity),
            (Says::Order(_), Conditional::Matrix) => {
                anchors(state.transform(scale)).stretched(1.0 / (1.0 - share).max(1e-300))
            }
            (Says::Order(curve), Conditional::Row) => anchors(Transform::Identity).each_its_own(own(Some(curve))),
            (Says::Multiples, _) => anchors(Transform::Identity).each_its_own(OwnRows { level: 0.0, ..own(None) }),
        }
    }
}

/// How little the first `n` points and the others lie among each other, from the mean distances `a` within the first, `b`
/// within the others and `c` across: `((a-b)² + (a-c)² + (b-c)²) / 2(a² + b² + c²)`. 0 where all three are alike, 1 where both sets are
/// points apart.
fn intermixed(points: &Array2<f64>, n: usize) -> f64 {
    let (people, objects) = points.view().split_at(Axis(0), n);
    let mean = |p: &ArrayView2<'_, f64>, q: &ArrayView2<'_, f64>, same: bool| {
        let (mut sum, mut count) = (0.0, 0.0f64);
        for (i, x) in p.outer_iter().enumerate() {
            for y in q.outer_iter().skip(if same { i + 1 } else { 0 }) {
                sum += x.iter().zip(y).map(|(a, b)| (a - b) * (a - b)).sum::<f64>().sqrt();
                count += 1.0;
            }
        }
        sum / count.max(1.0)
    };
    let (a, b, c) = (mean(&people, &people, true), mean(&objects, &objects, true), mean(&people, &objects, false));
    let whole = a * a + b * b + c * c;
    let apart = (a - b).powi(2) + (a - c).powi(2) + (b - c).powi(2);
    if whole > 0.0 { apart / (2.0 * whole) } else { 1.0 }
}
