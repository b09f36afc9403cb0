//! The choice model: the likeliest map of answers, with the lapses of those who gave them.

use nearer_num::choices::Link;

use crate::error::Error;
use crate::evidence::Comparisons;
use crate::fit::{Embed, Fit};
use crate::method::common;
use crate::method::comparisons::choosing::Choosing;
use crate::method::comparisons::dimensions;
use crate::method::comparisons::lapsed;
use crate::method::comparisons::likely::{self, STARTS};
use crate::method::comparisons::second_look::{self, How};
use crate::method::comparisons::t_ste::usual_alpha;
use crate::method::cost::Needs;
use crate::method::distances::descents::{self, Descents, EPS, MAX_ITER};
use crate::method::table::{Kind, Method, Parameter, again, way};
use crate::model::{Answering, AnsweringLink, Ordinal};
use crate::report::Starts;
use crate::settings::{Configured, Settings, Typed, Value, settable, words};
use crate::solve::Run;
use crate::solve::descent::{self, Ended, Limits};
use crate::solve::likelihood::{Answers, Lapsing, Opening, Rates, Turns};
use crate::text::doubtful;

/// The choice model: the default for comparisons.
///
/// ```text
/// max  Σ w_t ln (lapse_u / K + (1 - lapse_u) P_t) - precision Σ |y_i|²      P_t = 1 / (1 + exp(φ(near_t) - φ(far_t)))
/// ```
///
/// An answer follows the distances, or with the probability of a *lapse* it is any of the `K` possible ones: people blink,
/// misclick, or answer anything to be paid. Without lapses a single wild answer may tear a map apart; with them it is
/// recognised. Each participant `u` has a rate of their own, held to that of all by a prior worth four answers; the report
/// gives each with an interval, and says of those whom the map does not explain what a second look finds: careless, following another
/// rule, the keys reversed, or too few answers to say ([`Worth`](crate::report::Worth)).
///
/// How distance counts, `φ`, is `d`, `d²` or `(α + 1)/2 · ln(1 + d²/α)` with `α = dim - 1`; it is chosen, as the precision is, by
/// the likelihood of a fifth of the answers held out, and the table is in the report; the number of dimensions too, where that is asked. Trials of more than two answers have the
/// softmax of `-φ`, as in [`Ste`](crate::method::Ste).
///
/// Measured on 200 objects in the plane, 20,000 triplets, a tenth of them wrong: questions about the true points that the map
/// gets wrong, 2.3 %; without lapses 5.0 %; the best of cblearn's methods (SOE) 5.5 %.
///
/// # Takes
/// [`Comparisons`], as [`Ste`](crate::method::Ste) does, with participants where they are known.
/// # Places
/// New objects where their own answers about old ones are likeliest ([`Ordinal`]), with an ellipse.
/// # Cost
/// One pass over the answers an iteration, some five hundred in all, and as much again for choosing; 60 bytes a comparison.
/// # Fails
/// [`Error::Evidence`] without a comparison; [`Lapses::Participant`] where nobody is named.
/// # Reference
/// Luce (1959) and McFadden (1974) for the choice, Wichmann and Hill (2001) for lapses, van der Maaten and Weinberger (2012) for
/// the map.
///
/// ```
/// use nearer::{Embed, method::ChoiceModel, toy};
/// # fn main() -> Result<(), nearer::Error> {
/// let fit = ChoiceModel::new(2).fit(&toy::answers(20, 2, 2000, 0.1, 1))?;
/// // A wrong answer is a lapse that guessed wrong: one in ten wrong are two in ten lapsed.
/// let lapses = fit.report.lapses.expect("one rate for all");
/// assert!((0.1..0.3).contains(&lapses.mean));
/// # Ok(()) }
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct ChoiceModel {
    descents: Descents,
    /// Whether the dimensions are chosen too.
    any_dim: bool,
    link: Option<ChoiceLink>,
    precision: Option<f64>,
    lapses: Option<Lapses>,
}

/// How distance counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ChoiceLink {
    /// As it is.
    Distance,
    /// Squared, as in `ste`.
    Squared,
    /// Less and less, as in `t-ste`.
    Student,
}

/// Whose lapses there are.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Lapses {
    /// Nobody's.
    None,
    /// One rate for all answers.
    One,
    /// One rate for each participant.
    Participant,
    /// This rate, from 0 to 0.99.
    Fixed(f64),
}

words!(Option<ChoiceLink> {
    "auto" => None,
    "distance" => Some(ChoiceLink::Distance),
    "squared" => Some(ChoiceLink::Squared),
    "student" => Some(ChoiceLink::Student),
});

impl Typed for Option<Lapses> {
    fn of(value: &Value) -> Option<Self> {
        match value.word() {
            Some("auto") => Some(None),
            Some("none") => Some(Some(Lapses::None)),
            Some("one") => Some(Some(Lapses::One)),
            Some("participant") => Some(Some(Lapses::Participant)),
            Some(_) => None,
            None => value.number().map(|rate| Some(Lapses::Fixed(rate))),
        }
    }
    fn value(&self) -> Value {
        match self {
            None => Value::Auto,
            Some(Lapses::None) => Value::None,
            Some(Lapses::One) => Value::of_word("one"),
            Some(Lapses::Participant) => Value::of_word("participant"),
            Some(Lapses::Fixed(rate)) => Value::Number(*rate),
        }
    }
}

impl Configured for ChoiceModel {
    fn from_settings(settings: &Settings) -> Result<Self, Error> {
        let dim: Option<usize> = settings.read("dim")?;
        let descents = Descents::from_settings(&settings.clone().with("dim", dim.unwrap_or(1)))?;
        let (link, precision) = (settings.read("link")?, settings.read("precision")?);
        Ok(ChoiceModel { descents, any_dim: dim.is_none(), link, precision, lapses: settings.read("lapses")? })
    }
    fn write(&self, settings: &mut Settings) {
        self.descents.write(settings);
        if self.any_dim {
            settings.set("dim", Value::Auto);
        }
        settings.set("link", self.link.value());
        settings.set("precision", self.precision);
        settings.set("lapses", self.lapses.value());
    }
}

/// The dimensions of the map, or as many as predict held-out answers best.
const DIM: Parameter = common::DIM.or(&["auto"]).says(
    "dimensions of the map; auto: the fewest, up to 8, that predict held-out answers as well as the best, to within one standard error",
);

descents::setters!(ChoiceModel);

pub(crate) static METHOD: Method = Method {
    name: "choice",
    aliases: &["choice-model"],
    summary: "the likeliest map of answers, with the lapses of each participant; how distance counts is chosen by what it predicts",
    solves: "max Σ w ln (lapse/K + (1 - lapse) P) - precision Σ |y|², P = 1 / (1 + exp(φ(near) - φ(far))), φ = d, d² or Student's",
    ways: &[way::<ChoiceModel, Comparisons>()],
    parameters: &[
        DIM,
        Parameter::choice::<Option<ChoiceLink>>("link", "auto").says(
            "how distance counts: as it is, squared, or less and less; auto takes what predicts held-out answers best",
        ),
        Parameter::auto("precision", Kind::Number { min: 0.0, max: 1e6 }).says(
            "what the square of a coordinate costs: a normal prior; auto takes what predicts held-out answers best",
        ),
        Parameter {
            name: "lapses",
            kind: Kind::Number { min: 0.0, max: 0.99 },
            or: &["auto", "none", "one", "participant"],
            default: Value::Auto,
            doc: "answers that the map does not explain: none, one rate for all, one for each participant, or this rate; auto: participant where they are named, else one",
        },
        STARTS,
        MAX_ITER,
        EPS,
    ],
    places: "where the object's own answers are likeliest, old points fixed, with an ellipse",
    cost: "O(N) time per iteration for N comparisons, about twice that of ste where it chooses; 60 bytes a comparison",
    reference: "Luce 1959; McFadden 1974; Wichmann & Hill 2001; van der Maaten & Weinberger 2012",
    needs: |size, settings| {
        let once = likely::needs(size, settings);
        Needs { seconds: once.seconds.map(|s| 2.0 * s), ..once }
    },
    again: again::<ChoiceModel>,
};

/// Before lapses are looked for, the map need not be exact.
const ROUGH: Limits = Limits { max_iter: 200, eps: 1e-5 };
/// Turns of a map and its lapses, and steps a turn.
const TURNS: (usize, usize) = (12, 40);

impl ChoiceModel {
    /// A map of `dim` dimensions, everything else chosen from the answers.
    #[must_use]
    pub fn new(dim: usize) -> Self {
        ChoiceModel { descents: Descents::new(dim), any_dim: false, link: None, precision: None, lapses: None }
    }
    /// A map of as few dimensions, up to 8, as predict held-out answers as well as any, to within one standard error; everything else
    /// chosen from the answers too.
    #[must_use]
    pub fn of_any_dimension() -> Self {
        ChoiceModel { any_dim: true, ..ChoiceModel::new(1) }
    }
    settable! {
        /// With distance counted so.
        link: ChoiceLink,
        /// With this cost of the square of a coordinate.
        precision: f64,
        /// With these lapses.
        lapses: Lapses,
    }
}

impl ChoiceLink {
    /// All of them, the plainest first.
    pub(super) const ALL: [ChoiceLink; 3] = [ChoiceLink::Distance, ChoiceLink::Squared, ChoiceLink::Student];

    /// That of this name, as it answers on a map of so many dimensions.
    #[must_use]
    pub fn named(name: &str, dim: usize) -> Option<AnsweringLink> {
        Some(<Option<ChoiceLink>>::of(&name.into())??.of(dim).into())
    }

    /// In a map of so many dimensions.
    pub(super) fn of(self, dim: usize) -> Link {
        match self {
            ChoiceLink::Distance => Link::Distance,
            ChoiceLink::Squared => Link::Squared,
            ChoiceLink::Student => Link::Student(usual_alpha(dim)),
        }
    }
}

impl Lapses {
    /// What they are where nobody says: of each where several are named.
    fn usual(answers: &Answers) -> Self {
        if answers.people.len() > 1 { Lapses::Participant } else { Lapses::One }
    }
    fn lapsing(self, answers: &Answers) -> Result<Lapsing, Error> {
        match self {
            Lapses::None => Ok(Lapsing::None),
            Lapses::One => Ok(Lapsing::One),
            Lapses::Participant if answers.people.is_empty() => Err(Error::Evidence {
                what: "it is not known who answered".into(),
                remedy: "name the column of participants, or take one rate of lapses for all".into(),
            }),
            Lapses::Participant => Ok(Lapsing::Each),
            Lapses::Fixed(rate) if (0.0..=0.99).contains(&rate) => Ok(Lapsing::Fixed(rate)),
            Lapses::Fixed(rate) => Err(Error::Parameter {
                name: "lapses".into(),
                value: rate.to_string(),
                expected: "a number from 0 to 0.99".into(),
            }),
        }
    }
}

impl Embed<&Comparisons> for ChoiceModel {
    type Model = Ordinal;
    fn fit_with(&self, c: &Comparisons, run: &Run<'_>) -> Result<Fit<Ordinal>, Error> {
        likely::require_number("precision", self.precision.unwrap_or(0.0), 0.0)?;
        let objects = c.objects().len();
        let answers = likely::answers("choice", c, self.descents.dim, run)?;
        let lapses = self.lapses.unwrap_or_else(|| Lapses::usual(&answers));
        let by = lapses.lapsing(&answers)?;
        let (mut fit, (dim, link, precision)) = run.install(|| {
            let asked = Choosing {
                answers: &answers,
                shape: (objects, self.descents.dim),
                link: self.link,
                precision: self.precision,
                by,
            };
            let (dim, chosen) =
                if self.any_dim { dimensions::fewest(&asked, run)? } else { (asked.shape.1, asked.choose(run)?) };
            let (shape, clock) = ((objects, dim), run.clock());
            let opening = Opening::new(&answers, shape, clock);
            let (link, precision) = (chosen.link.of(dim), chosen.precision);
            let turns = Turns { answers: &answers, link, precision, by, opening: &opening };
            let descents = Descents { dim, ..self.descents.clone() };
            let (end, rates, tried) = settled(&turns, &descents, run)?;
            let loss = turns.loss(&rates);
            let mut report = descents.report("choice", &loss, &end, tried, run);
            report.objective += rates.prior();
            report.objective_is =
                "-Σ w ln (lapse/K + (1 - lapse) P) + precision Σ |y|², less the logarithm of the prior of the lapses"
                    .into();
            report = report.figure("log-likelihood", turns.score(&end.at, &rates, &answers));
            report.became("dim", dim);
            report.became("link", Some(chosen.link).value());
            report.became("precision", precision);
            report.became("lapses", Some(lapses).value());
            report.tuning = chosen.tuning;
            report.lapses = lapsed::told(&turns, &end.at, &rates);
            likely::ignored_margins("choice", &answers, &mut report);
            let answering = Answering { link: link.into(), lapse: rates.mean, precision };
            let certain = certain(&turns, &end.at);
            let fit = likely::mapped(c, &loss, &end, report, (self, Some(answering)))?;
            Ok::<_, Error>((likely::unsized_maps(fit, precision, certain), (dim, chosen.link, precision)))
        })?;
        // Its fits open threads of their own.
        if let Some(lapsed) = &mut fit.report.lapses {
            second_look::taken(lapsed, c, &How { dim, link, precision }, run);
            fit.report.warnings.splice(0..0, doubtful(lapsed));
        }
        Ok(fit)
    }
}

/// Where nearly all answers are this certain or wrong beyond all chance, a map has grown until only lapses err.
const CERTAIN: f64 = 1e-6;
const NEARLY_ALL: f64 = 0.95;

/// Whether on this map chance plays hardly a part in any answer, lapses apart.
fn certain(turns: &Turns<'_>, at: &[f64]) -> bool {
    let log = turns.answers.choices.log_probability(turns.rows(at), turns.link);
    let sure = log.iter().filter(|l| **l > -CERTAIN || **l < CERTAIN.ln()).count();
    sure as f64 > NEARLY_ALL * log.len() as f64
}

/// A map and its lapses: first without, for from a random map a lapse would explain everything.
pub(super) fn settled(
    turns: &Turns<'_>,
    descents: &Descents,
    run: &Run<'_>,
) -> Result<(Ended<()>, Rates, Option<Starts>), Error> {
    let (none, limits, clock) = (Rates::first(Lapsing::None, turns.answers), descents.limits, run.clock());
    // What limits a descent limits each stage of this one.
    let rough = Limits { max_iter: ROUGH.max_iter.min(limits.max_iter), ..ROUGH };
    let rough = if turns.by == Lapsing::None { limits } else { rough };
    let (first, tried) = descent::descend(&turns.loss(&none), descents.starts, rough, run)?;
    if turns.by == Lapsing::None {
        return Ok((first, none, tried));
    }
    let before = first.iterations;
    let steps = TURNS.1.min(limits.max_iter);
    let rounds = TURNS.0.min(limits.max_iter / steps);
    let (end, rates) = turns.take((first.at, Rates::first(turns.by, turns.answers)), (rounds, steps), &clock);
    let last = descent::from(&turns.loss(&rates), end.at, limits, &clock);
    let tried = tried.map(|starts| starts.of("the loss without lapses, roughly, whose best map was gone on from"));
    Ok((Ended { iterations: before + end.iterations + last.iterations, ..last }, rates, tried))
}
