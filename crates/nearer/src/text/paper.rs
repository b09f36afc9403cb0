//! The certificate in plain words, the methods paragraph of a paper, how to cite.

use super::fit::stress;
use super::judgements::agreement;
use super::stop::ended;
use crate::program::{Certificate, Sense};
use crate::report::show;
use crate::report::{Evaluation, FitReport, JudgementEvaluation, Refined};
use crate::settings::Value;

/// What the paragraph says of the method, from the row of the method table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MethodWords<'a> {
    /// Where it comes from.
    pub reference: &'a str,
}

/// The year of the release that `cite` names.
const YEAR: &str = "2026";

/// What is said of a certificate.
pub(crate) struct Proved {
    /// How far the solution is from the best possible.
    pub(crate) best: String,
    /// How that is known.
    pub(crate) how: String,
    /// The map that is shown beside it, a sentence each.
    pub(crate) map: Vec<String>,
}

impl Proved {
    /// All of it, in that order.
    pub(crate) fn in_full(self) -> String {
        [vec![self.best, self.how], self.map].concat().join(" ")
    }
}

/// The certificate of a fit.
pub(crate) fn certificate(c: &Certificate, refined: Option<&Refined>, dim: usize) -> Proved {
    let side = match c.sense {
        Sense::Minimise => "below",
        Sense::Maximise => "above",
    };
    let mut about = c.about.chars();
    let who: String = about.next().into_iter().flat_map(char::to_uppercase).chain(about).collect();
    let best = match (c.bound, c.gap) {
        (Some(bound), Some(gap)) => format!(
            "{who} can have an objective {side} {}; the convex solution has {}, which is within {} of that bound.",
            safe(bound, c.sense),
            digits(c.primal),
            percent(gap)
        ),
        (Some(bound), None) if c.broken.is_some() => format!(
            "{who} can have an objective {side} {}; the convex solution keeps not all rows that must hold, so nothing is known of how near it is to the best.",
            safe(bound, c.sense)
        ),
        _ => format!(
            "Nothing is proved about the best possible; the convex solution has an objective of {}.",
            digits(c.primal)
        ),
    };
    let how = format!(
        "The proof is by {}: it is recomputed from the evidence and does not trust the solver. The solution has rank {}: the program has no limit on dimensions, and that is no estimate of how many the data have.",
        c.proof, c.rank
    );
    let mut map = Vec::new();
    if c.violation > 0.0 {
        map.push(format!("The solution itself breaks its worst hard row by {}.", digits(c.violation)));
    }
    if let Some(r) = refined {
        let within = r.within.map_or(String::new(), |w| {
            format!(
                "; it differs from the bound, which holds for any number of dimensions, by {} of the larger",
                percent(w)
            )
        });
        map.push(format!(
            "The map in {} has an objective of {} ({} before it was refined){within}.",
            counted(dim, "dimension"),
            digits(r.objective),
            digits(r.projected)
        ));
        if r.rows > 0 {
            map.push(if r.violated == 0 {
                format!("All {} hard rows hold on it.", r.rows)
            } else {
                format!("{} of {} hard rows do not hold on it.", r.violated, r.rows)
            });
        }
    }
    Proved { best, how, map }
}

/// What is to be said of a fit: names and sentences.
pub(crate) fn fit_facts(report: &FitReport, seconds: Option<f64>) -> Vec<(&'static str, String)> {
    let mut said = Vec::new();
    if report.iterations > 0 || report.stop != crate::solve::Stop::Converged {
        said.push(("Ended", ended(report)));
    } else {
        said.push(("Ended", "a closed form: there is nothing to converge".into()));
    }
    if let Some(s) = report.starts.as_ref().filter(|s| s.tried > 1) {
        said.push(("Starts", format!("found {} out of {}", times(s.found), s.tried)));
    }
    if report.objective_is.is_empty() {
        said.push(("Objective", digits(report.objective)));
    } else {
        said.push(("Objective", format!("{} ({})", digits(report.objective), report.objective_is)));
    }
    for (k, round) in report.rounds.iter().enumerate() {
        let name = if k == 0 { "Rounds" } else { "" };
        let worst = if round.violated > 0 { format!(", the worst by {}", digits(round.worst)) } else { String::new() };
        said.push((name, format!("{} rows in play, {} broken{worst}", round.rows, round.violated)));
    }
    if !report.settings.is_empty() {
        let all: Vec<String> = report.settings_in_words().iter().map(|(name, v)| format!("{name} {v}")).collect();
        said.push(("Settings", all.join(", ")));
    }
    if !report.figures.is_empty() {
        let all: Vec<String> = report.figures.iter().map(|(name, value)| format!("{name} {}", figure(value))).collect();
        said.push(("Came out", all.join(", ")));
    }
    said.push(("Seed", report.seed.to_string()));
    if let Some(seconds) = seconds {
        said.push(("Time", format!("{} s", show(seconds))));
    }
    said.push(("Version", format!("nearer {}", report.version)));
    said
}

/// A figure as it is read: of a number that is no count four digits.
fn figure(value: &Value) -> String {
    match value {
        Value::Number(x) if x.fract() != 0.0 => show(*x),
        other => other.to_string(),
    }
}

/// A paragraph ready for a paper, with the numbers of this very fit.
pub(crate) fn methods(
    report: Option<&FitReport>,
    method: Option<&MethodWords<'_>>,
    evaluation: Option<&Evaluation>,
    judged: Option<&JudgementEvaluation>,
    steadiness: Option<&str>,
) -> Option<String> {
    let r = report?;
    let mut said = Vec::new();
    let about = method.map_or(String::new(), |m| format!(" ({})", m.reference));
    said.push(format!(
        "A map of {} objects in {} was made by {}{about} with nearer {}.",
        r.objects,
        counted(r.dim, "dimension"),
        r.method,
        r.version
    ));
    said.push(evidence(r, judged));
    // The dimensions are said already.
    let settings = r.settings_in_words().into_iter().filter(|(name, _)| *name != "dim");
    let parameters: Vec<String> = settings.map(|(name, value)| format!("{name} = {value}")).collect();
    let parameters = if parameters.is_empty() { String::new() } else { format!(" with {}", parameters.join(", ")) };
    said.push(match &r.starts {
        Some(s) if s.tried > 1 => format!(
            "Of {} starts{parameters} (seed {}), {} ended at this map, which had the best objective.",
            s.tried, r.seed, s.found
        ),
        _ => format!("It was fitted{parameters} (seed {}).", r.seed),
    });
    if let Some(c) = &r.certificate {
        // The bound, and how far the map that is shown is from it.
        let Proved { best, map, .. } = certificate(c, r.refined.as_ref(), r.dim);
        said.extend([vec![best], map].concat());
    }
    if let Some(e) = evaluation {
        // Straight distances are not what a map of neighbours was to keep.
        if !r.is_of_neighbours() {
            said.push(format!("Stress-1 (Kruskal 1964) is {}.", stress(e.stress1, e.objects, e.dim)));
        }
        if let (Some(t), Some(c), Some(k)) = (e.trustworthiness, e.continuity, e.neighbours) {
            said.push(format!(
                "Trustworthiness and continuity (Venna & Kaski 2001) with {k} neighbours are {t:.3} and {c:.3}."
            ));
        }
    } else if let Some(s) = r.stress1 {
        said.push(format!("Stress-1 (Kruskal 1964) is {}.", stress(s, r.objects, r.dim)));
    }
    if let Some(j) = judged {
        said.push(format!(
            "Of the judgements, {}{}.",
            agreement(j),
            match j.ceiling.share {
                1.0.. => String::new(),
                share => format!("; no map can exceed {:.1} %, since answers contradict each other", 100.0 * share),
            }
        ));
    } else if let Some(share) = r.agreement {
        said.push(format!("On the map {:.1} % of the judgements hold.", 100.0 * share));
    }
    if let Some(words) = steadiness {
        said.push(format!("Steadiness: {words}."));
    }
    Some(said.join(" "))
}

fn evidence(r: &FitReport, judged: Option<&JudgementEvaluation>) -> String {
    if let Some(a) = judged.and_then(|j| j.comparisons.as_ref()) {
        return format!("Its evidence is {}.", counted(a.rows, "comparison"));
    }
    if let Some(a) = judged.and_then(|j| j.pairs.as_ref()) {
        return format!("Its evidence is {} of whether one object is like another.", counted(a.rows, "judgement"));
    }
    if r.input.pairs == 0 {
        return format!("Its evidence is about {}.", counted(r.objects, "object"));
    }
    let counts = [
        (r.input.missing, "missing"),
        (r.input.censored, "known only by a bound"),
        (r.input.repeated, "measured more than once"),
    ];
    let words: Vec<String> = counts.iter().filter(|(n, _)| *n > 0).map(|(n, what)| format!("{n} {what}")).collect();
    let rest = if words.is_empty() { String::new() } else { format!(", of which {}", words.join(", ")) };
    format!("Its evidence is about {} of objects{rest}.", counted(r.input.pairs, "pair"))
}

/// How to cite the program and the method.
pub(crate) fn cite(version: &str, method: Option<&MethodWords<'_>>) -> String {
    let mut text = format!(
        "@software{{nearer,\n  title   = {{nearer: maps from distances and judgements, with proof}},\n  author  = {{{{The nearer authors}}}},\n  version = {{{version}}},\n  year    = {{{YEAR}}}\n}}"
    );
    if let Some(m) = method {
        text.push_str(&format!("\n\nThe method: {}.", m.reference));
    }
    text
}

/// `1 dimension`, `2 dimensions`.
#[must_use]
pub fn counted(n: usize, what: &str) -> String {
    format!("{n} {what}{}", if n == 1 { "" } else { "s" })
}

/// `1 row shows`, `2 rows show`: what is said of one, and of several.
pub(crate) fn said_of(n: usize, one: &str, several: &str) -> String {
    format!("{n} {}", if n == 1 { one } else { several })
}

/// `once`, `twice`, `9 times`.
pub(crate) fn times(n: usize) -> String {
    match n {
        1 => "once".into(),
        2 => "twice".into(),
        n => format!("{n} times"),
    }
}

/// A number with seven significant digits.
#[must_use]
pub fn digits(v: f64) -> String {
    if v == 0.0 || !v.is_finite() {
        return v.to_string();
    }
    let places = (6 - v.abs().log10().floor() as i32).clamp(0, 12) as usize;
    let text = format!("{v:.places$}");
    if v.abs() < 1e-5 || v.abs() >= 1e9 { show(v) } else { trimmed(&text).to_owned() }
}

/// A bound with as many digits, rounded to the side where it still is one.
fn safe(bound: f64, sense: Sense) -> String {
    if bound == 0.0 || !bound.is_finite() {
        return digits(bound);
    }
    let step = 10f64.powi(bound.abs().log10().floor() as i32 - 6);
    let rounded = match sense {
        Sense::Minimise => (bound / step).floor() * step,
        Sense::Maximise => (bound / step).ceil() * step,
    };
    digits(rounded)
}

/// A share as a percentage, rounded up: what is said to be within it is.
fn percent(share: f64) -> String {
    if share <= 0.0 {
        return "0 %".into();
    }
    let percent = 100.0 * share;
    let step = 10f64.powi(percent.log10().floor() as i32 - 1);
    format!("{} %", show((percent / step - 1e-9).ceil() * step))
}

fn trimmed(text: &str) -> &str {
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.') } else { text }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::program::Proof;
    use crate::report::Starts;

    #[test]
    fn a_certificate_reads_as_a_sentence_and_never_claims_too_much() {
        let mut c = Certificate::new(Sense::Minimise, 12.345_678_94, 12.343_219_99, 1.0);
        c.rank = 7;
        c.proof = Proof::Cholesky;
        let refined = Refined { projected: 15.0, objective: 13.5, within: Some(0.0857), violated: 2, rows: 40 };
        let said = certificate(&c, Some(&refined), 2).in_full();
        for part in [
            "No map in any number of dimensions can have an objective below 12.34321;",
            "the convex solution has 12.34568, which is within 0.02 % of that bound",
            "The solution has rank 7: the program has no limit on dimensions",
            "The map in 2 dimensions has an objective of 13.5 (15 before it was refined); it differs from the bound, which holds for any number of dimensions, by 8.6 %",
            "2 of 40 hard rows do not hold on it",
        ] {
            assert!(said.contains(part), "`{part}` is not in `{said}`");
        }
        let c = Certificate::new(Sense::Maximise, 3.0, 3.000_000_04, 1.0);
        assert!(certificate(&c, None, 2).best.contains("objective above 3.000001;"));
    }

    #[test]
    fn small_and_perfect_gaps_are_told_apart() {
        assert_eq!([0.0, 1e-9, 0.000_2, 0.5].map(percent), ["0 %", "10⁻⁷ %", "0.02 %", "50 %"]);
    }

    #[test]
    fn the_paragraph_holds_the_numbers_of_the_fit() {
        let mut r = FitReport::new("metric-mds", 21, 2, 7);
        r.settings.set("starts", 10usize);
        r.starts = Some(Starts { tried: 10, found: 9, objectives: vec![], objectives_are: None });
        r.input.pairs = 210;
        r.input.missing = 4;
        r.stress1 = Some(0.075_34);
        let words = MethodWords { reference: "Kruskal 1964" };
        let text = methods(Some(&r), Some(&words), None, None, None).unwrap();
        for part in [
            "21 objects in 2 dimensions",
            "Kruskal 1964",
            "210 pairs of objects, of which 4 missing",
            "Of 10 starts",
            "seed 7",
            "9 ended",
            "0.0753",
        ] {
            assert!(text.contains(part), "`{part}` is not in `{text}`");
        }
        assert!(fit_facts(&r, Some(1.25)).contains(&("Starts", "found 9 times out of 10".into())));
        assert!(cite("0.1.0", Some(&words)).contains("Kruskal 1964"));
    }
}
