//! Metric scaling: the map whose distances are closest to the data, or to a rising curve of them.

use crate::error::Error;
use crate::evidence::Distances;
use crate::fit::{Embed, Fit};
use crate::geometry::Embedding;
use crate::method::common::{self, DIM};
use crate::method::distances::descents::{self, Descents, EPS, MAX_ITER, STARTS};
use crate::method::distances::order;
use crate::method::table::{Kind, Method, Parameter, again, way};
use crate::model::{Anchors, Loss};
use crate::report::Input;
use crate::settings::{Configured, Settings, Value, configured, settable};
use crate::solve::Run;
use crate::solve::disparity::{Disparity, SplineRule};
use crate::solve::stress::Stress;

/// Metric multidimensional scaling by least squares.
///
/// Minimises the raw stress `Σ wᵢⱼ (δᵢⱼ - dᵢⱼ)²` over the map. Missing distances have weight 0; a bound (`<10`, `>80`)
/// counts only where the map breaks it. With the [`Curve`] `Interval` or `Spline` the data are replaced by the best line,
/// or rising spline, of themselves, found together with the map, and stress is taken relative to `Σ w d²`.
///
/// # Takes
/// [`Distances`]; the known pairs must hang together.
/// # Places
/// New objects by minimising their own stress with the old points fixed.
/// # Cost
/// One pass over the pairs an iteration, usually some fifty to two hundred; memory `O(n · dim)` beside the data (a curve
/// needs a few numbers a pair). It finds a local minimum: more starts say how far to trust it.
/// # Reference
/// Kruskal (1964); de Leeuw (1977) for the majorisation that the first step takes; Groenen and van de Velden (2016).
///
/// ```
/// use nearer::{Embed, Run, method::MetricMds, toy};
/// # fn main() -> Result<(), nearer::Error> {
/// let fit = MetricMds::new(2).starts(10).fit_with(&toy::cities(), &Run::seeded(1))?;
/// assert!(fit.report.stress1.unwrap() < 0.08);
/// println!("found {} times out of 10", fit.report.starts.unwrap().found);
/// # Ok(()) }
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct MetricMds {
    descents: Descents,
    curve: Curve,
}

/// What the data are replaced by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Curve {
    /// Nothing: the distances as they are.
    Ratio,
    /// A line with a slope and an offset, not below 0.
    Interval,
    /// A rising spline of this degree with this many inner knots at quantiles of the data.
    Spline {
        /// Degree of the polynomial pieces.
        degree: usize,
        /// Number of inner knots.
        knots: usize,
    },
}

impl Configured for Curve {
    fn from_settings(settings: &Settings) -> Result<Self, Error> {
        Ok(match settings.word("transform") {
            Some("interval") => Curve::Interval,
            Some("spline") => Curve::Spline { degree: settings.read("degree")?, knots: settings.read("knots")? },
            _ => Curve::Ratio,
        })
    }
    fn write(&self, settings: &mut Settings) {
        settings.set(
            "transform",
            match self {
                Curve::Ratio => "ratio",
                Curve::Interval => "interval",
                Curve::Spline { .. } => "spline",
            },
        );
        if let Curve::Spline { degree, knots } = *self {
            settings.set("degree", degree);
            settings.set("knots", knots);
        }
    }
}
configured!(MetricMds [descents, curve] {});

pub(crate) static METHOD: Method = Method {
    name: "metric-mds",
    aliases: &["mds", "smacof", "metric"],
    summary: "least-squares scaling (SMACOF's stress): weights, missing and censored distances, ratio, interval and spline",
    solves: "min Σ w (δ - d)²; bounds one-sided; with a curve f: min Σ w (f(δ) - d)² / Σ w d²",
    ways: &[way::<MetricMds, Distances>()],
    parameters: &[
        DIM,
        Parameter {
            name: "transform",
            kind: Kind::Choice(&["ratio", "interval", "spline"]),
            or: &[],
            default: Value::of_word("ratio"),
            doc: "the data as they are, or the best line, or the best rising spline of them",
        },
        Parameter::count("degree", 1..=5, 2).says("degree of the spline"),
        Parameter::count("knots", 0..=50, 3).says("inner knots of the spline"),
        STARTS,
        MAX_ITER,
        EPS,
    ],
    places: "the new point's own stress is minimised, old points fixed",
    cost: "O(n²) time per iteration; no memory beside the distances (a curve: some numbers a pair)",
    reference: "Kruskal 1964; de Leeuw 1977; de Leeuw & Mair 2009",
    needs: |s, settings| {
        // Some thirty iterations; a curve is regressed in each and keeps numbers of its own for each pair.
        let curve = matches!(settings.word("transform"), Some("interval" | "spline"));
        let (each, kept) = if curve { (3e-6, 156.0) } else { (1.1e-7, 0.0) };
        descents::needs(s, settings, each, kept)
    },
    again: again::<MetricMds>,
};

impl MetricMds {
    /// A map of `dim` dimensions.
    #[must_use]
    pub fn new(dim: usize) -> Self {
        MetricMds { descents: Descents::new(dim), curve: Curve::Ratio }
    }
    settable! {
        /// With the data replaced by a curve of themselves.
        curve: Curve,
    }

    fn rule<'a>(&self, d: &'a Distances) -> Disparity<'a> {
        match self.curve {
            Curve::Ratio => Disparity::bounded(d),
            Curve::Interval => Disparity::Spline(Box::new(SplineRule::new(d, 1, 0))),
            Curve::Spline { degree, knots } => Disparity::Spline(Box::new(SplineRule::new(d, degree, knots))),
        }
    }
}

descents::setters!(MetricMds);

impl Embed<&Distances> for MetricMds {
    type Model = Anchors;
    fn fit_with(&self, d: &Distances, run: &Run<'_>) -> Result<Fit<Anchors>, Error> {
        order::by_label(d, run, |d| self.in_order(d, run))
    }
}

impl MetricMds {
    fn in_order(&self, d: &Distances, run: &Run<'_>) -> Result<Fit<Anchors>, Error> {
        if self.curve != Curve::Ratio {
            common::refuse_bounds(d, "a curve of the data")?;
            METHOD.afford(d, self, run, "use the ratio transform, or landmark-mds")?;
        }
        descents::require(d, self.descents.dim, "metric-mds")?;
        let loss = Stress::new(d, self.descents.dim, || self.rule(d));
        let loss = if self.curve == Curve::Ratio { loss } else { loss.relative() };
        let (best, mut report) = self.descents.best("metric-mds", &loss, run)?;
        report.by(self);
        report.input = Input::from(d);
        let scaled = loss.scaled(&best);
        let (embedding, _) = common::posed(Embedding::new(d.objects().clone(), scaled.points)?)?;
        let (objective_is, stress1) = match self.curve {
            // Bounds have no best multiple: stress is taken against the disparities as they are.
            Curve::Ratio if d.censored() > 0 => {
                ("raw stress Σ w (δ - d)², bounds one-sided", (best.value / common::square(&embedding, d)).sqrt())
            }
            Curve::Ratio => ("raw stress Σ w (δ - d)²", common::stress1(&embedding, d)),
            _ => ("stress-1 squared, Σ w (f(δ) - d)² / Σ w d²", best.value.sqrt()),
        };
        report.objective_is = objective_is.into();
        report.stress1 = Some(stress1);
        let model = Anchors::new(embedding.clone(), Loss::Stress, scaled.transform, self.descents.dim)
            .stretched(scaled.stretch);
        Ok(Fit::new(embedding, model, report))
    }
}
