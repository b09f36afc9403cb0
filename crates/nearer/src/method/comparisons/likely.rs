//! What the methods of answers share: the conditions, the descent, and the part of the report that is alike.

use ndarray::Array2;
use nearer_num::choices::{Lapse, Link};

use crate::error::Error;
use crate::evidence::Comparisons;
use crate::fit::Fit;
use crate::geometry::Embedding;
use crate::method::common;
use crate::method::cost::{Needs, Size};
use crate::method::distances::descents::Descents;
use crate::method::table::{Kind, Parameter};
use crate::model::{Answering, Ordinal};
use crate::report::{FitReport, Input};
use crate::settings::{Configured, Settings};
use crate::solve::Run;
use crate::solve::descent::{Ended, Objective};
use crate::solve::likelihood::{Answers, Likelihood, Opening, worthwhile};

/// How many starts a descent on answers has.
pub(crate) const STARTS: Parameter = Parameter::auto("starts", Kind::Count { min: 1, max: 10_000 })
    .says("descents from random maps; the best is kept and how often it was found is said; auto: 20 up to 1,000 answers, 5 up to 5,000, 2 up to 50,000, else 1; 20 on a line up to 100,000");
/// How strongly points are held to the middle.
pub(crate) const PRECISION: Parameter = Parameter::number("precision", Kind::Number { min: 0.0, max: 1e6 }, 0.0)
    .says("what the square of a coordinate costs: a normal prior that steadies maps of few answers");

/// The answers of comparisons that a map of so many dimensions can be made of.
pub(crate) fn answers(method: &str, c: &Comparisons, dim: usize, run: &Run<'_>) -> Result<Answers, Error> {
    let n = c.objects().len();
    common::require_dim(n, dim)?;
    common::require_comparisons(c)?;
    let needs = needs(&Size::from(c), &Settings::default());
    run.afford(method, needs.bytes, "map a sample of the comparisons")?;
    Ok(Answers::of(c))
}

/// What descents on answers need: some two hundred passes a start, each some 30 ns a comparison and dimension; and, beside the
/// comparisons, their compact form, the points and what the descent remembers.
pub(crate) fn needs(size: &Size, settings: &Settings) -> Needs {
    let dim = settings.count("dim").unwrap_or(2);
    let starts = settings.count("starts").unwrap_or_else(|| worthwhile(dim, size.rows)) as f64;
    let seconds = 200.0 * starts * 1.5e-8 * dim.max(2) as f64 * size.m();
    Needs::new(seconds, size.comparisons() + 60.0 * size.m() + 2000.0 * size.n())
}

/// Refuses a number that a prior or a link cannot have.
pub(crate) fn require_number(name: &str, value: f64, least: f64) -> Result<f64, Error> {
    if value.is_finite() && value >= least {
        return Ok(value);
    }
    let expected = if least > 0.0 { "a finite number above 0" } else { "a finite number, 0 or more" };
    Err(Error::Parameter { name: name.into(), value: value.to_string(), expected: expected.into() })
}

/// The map of largest likelihood under a link, without lapses: `ste`, `t-ste` and `ckl`.
pub(crate) fn without_lapses(
    (name, method): (&str, &impl Configured),
    descents: &Descents,
    (link, precision): (Link, f64),
    c: &Comparisons,
    run: &Run<'_>,
) -> Result<Fit<Ordinal>, Error> {
    require_number("precision", precision, 0.0)?;
    let answers = answers(name, c, descents.dim, run)?;
    let opening = Opening::new(&answers, (c.objects().len(), descents.dim), run.clock());
    let loss = Likelihood { choices: &answers.choices, link, lapse: Lapse::None, precision, opening: &opening };
    let (best, mut report) = descents.best(name, &loss, run)?;
    ignored_margins(name, &answers, &mut report);
    report.objective_is = "-Σ w ln P(answer) + precision Σ |y|²".into();
    let logarithm = best.value - precision * best.at.iter().map(|v| v * v).sum::<f64>();
    report = report.figure("log-likelihood", -logarithm / answers.choices.total());
    let answering = Answering { link: link.into(), lapse: 0.0, precision };
    let fit = mapped(c, &loss, &best, report, (method, Some(answering)))?;
    Ok(unsized_maps(fit, precision, false))
}

/// Says so where answers have margins that a likelihood makes no use of.
pub(crate) fn ignored_margins(method: &str, answers: &Answers, report: &mut FitReport) {
    if !answers.margins.is_empty() {
        report
            .warnings
            .push(format!("{method} asks only which pair is nearer: the margins of the answers are left out"));
    }
}

/// The fit at the end of a descent.
pub(crate) fn mapped<L: Objective>(
    c: &Comparisons,
    loss: &L,
    best: &Ended<L::State>,
    report: FitReport,
    how: (&impl Configured, Option<Answering>),
) -> Result<Fit<Ordinal>, Error> {
    pointed(c, Array2::from_shape_vec(loss.shape(), best.at.clone()).unwrap_or_default(), report, how)
}

/// The fit with these points.
pub(crate) fn pointed(
    c: &Comparisons,
    points: Array2<f64>,
    mut report: FitReport,
    (method, answering): (&impl Configured, Option<Answering>),
) -> Result<Fit<Ordinal>, Error> {
    let n = c.objects().len();
    let (embedding, _) = common::posed(Embedding::new(c.objects().clone(), points)?)?;
    report.by(method);
    report.input = Input { pairs: n * (n - 1) / 2, ..Input::default() };
    report.agreement = Some(common::holding(&embedding, c) as f64 / c.len() as f64);
    let mut model = Ordinal::new(embedding.clone()).with_usual_margin(common::usual_margin(c));
    if let Some(answering) = answering {
        model = model.answering(answering)?;
    }
    Ok(Fit::new(embedding, model, report))
}

/// Where nothing pulls points back the likelihood may rise with the size of the map for ever: as a whole where every answer
/// holds (or is `certain` to, lapses apart), and of single objects where all answers about them do.
pub(crate) fn unsized_maps(mut fit: Fit<Ordinal>, precision: f64, certain: bool) -> Fit<Ordinal> {
    if precision > 0.0 {
        return fit;
    }
    if fit.report.agreement == Some(1.0) {
        fit.report.warnings.push(
            "every answer holds on this map, and the likelihood grows with its size: only its shape means something; a precision above 0 settles the size".into(),
        );
        return fit;
    }
    if certain {
        fit.report.warnings.push(
            "chance plays no part in nearly every answer on this map: it has grown until only lapses err, and only its shape means something; a precision above 0 settles the size".into(),
        );
        return fit;
    }
    let away = far_away(&fit.embedding);
    if away > 0 {
        let objects = if away == 1 { "1 object has".into() } else { format!("{away} objects have") };
        fit.report.warnings.push(format!(
            "{objects} gone off to more than {AWAY} times the usual distance from the middle: no answer holds them there, and where the descent ended says nothing; a precision above 0 settles it"
        ));
    }
    fit
}

/// So many times the median distance from the middle is out of all proportion.
const AWAY: f64 = 20.0;

/// How many objects are out of all proportion far from the (median) middle.
fn far_away(embedding: &Embedding) -> usize {
    let points = embedding.points();
    let median = |mut v: Vec<f64>| {
        v.sort_by(f64::total_cmp);
        v[v.len() / 2]
    };
    let middle: Vec<f64> = points.columns().into_iter().map(|c| median(c.to_vec())).collect();
    let from =
        |row: ndarray::ArrayView1<'_, f64>| row.iter().zip(&middle).map(|(a, b)| (a - b).powi(2)).sum::<f64>().sqrt();
    let lengths: Vec<f64> = points.rows().into_iter().map(from).collect();
    let usual = median(lengths.clone());
    lengths.iter().filter(|length| **length > AWAY * usual).count()
}
