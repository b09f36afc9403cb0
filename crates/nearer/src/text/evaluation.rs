//! How well a map keeps distances, in words.

use super::Fact;
use super::fit::stress;
use super::paper::{digits, said_of};
use super::sureness::steadiness;
use crate::report::{Against, Distortion, Evaluation, StressReference, StressSpread, WorstPair};
use nearer_num::order;

/// What is said where a map of a neighbourhood graph is held against straight distances.
pub const NEIGHBOURS_ONLY: &str = "this method keeps who is near whom, not how far apart others are: the stress against the straight distances of the features says little, trustworthiness and continuity say how good the map is";

/// How well neighbours were kept, first of all for maps that keep nothing else.
pub(crate) fn kept_neighbours(e: &Evaluation) -> Option<String> {
    let (t, c) = (e.trustworthiness?, e.continuity?);
    Some(format!(
        "Neighbours on the map are neighbours in the data (trustworthiness {t:.3}) and the other way round (continuity {c:.3}); 1 where all are"
    ))
}

/// What holds of the map as a whole.
#[must_use]
pub fn evaluation(e: &Evaluation) -> Vec<Fact> {
    let mut facts = vec![Fact::new("stress-1", format!("{} against the {}", figures(e), against(e)))];
    if let Some(r) = &e.reference {
        facts.extend(reference(e, r));
    }
    if e.target == Against::Data {
        let raw = format!("{}, normalised {:.6}", digits(e.raw_stress), e.normalized_stress);
        facts.push(Fact::new("raw stress", raw));
    }
    if let Some(d) = &e.distortion {
        facts.push(Fact::new("distortion", distortion(d)));
    }
    if let Some([low, high]) = e.stability.as_ref().and_then(|s| s.stress1) {
        facts.push(Fact::new(
            "",
            format!(
                "maps made anew have {low:.4} to {high:.4} (the middle 95 %) against their own data; that is no interval around the stress of this map"
            ),
        ));
    }
    if e.input.missing + e.input.censored > 0 {
        let words = format!("{}, {} missing, {} known by a bound", e.input.pairs, e.input.missing, e.input.censored);
        facts.push(Fact::new("pairs", words));
    }
    if let (Some(t), Some(c), Some(k)) = (e.trustworthiness, e.continuity, e.neighbours) {
        let words = |v: f64, one: &str, other: &str| {
            format!("{v:.4}: the {k} nearest {one} are near {other} too (1 when all are)")
        };
        facts.push(Fact::new("trustworthiness", words(t, "on the map", "in the data")));
        facts.push(Fact::new("continuity", words(c, "in the data", "on the map")));
    }
    if let Some(dims) = e.dims95 {
        facts.push(Fact::new("spectrum", spectrum(dims)));
    }
    if let Some(s) = &e.stability {
        facts.push(Fact::new("stability", steadiness(s)));
    }
    facts
}

/// The stress beside what chance gives, and what follows from where it stands.
fn reference(e: &Evaluation, r: &StressReference) -> Vec<Fact> {
    let (n, dim) = (e.objects, e.dim);
    let spread = |s: &StressSpread| format!("{:.4} ± {:.4} (lowest {:.4})", s.mean, s.sd, s.least);
    let mut facts = vec![
        Fact::new(
            "random",
            format!("{} of {} random matrices of {n} objects in {dim} dimensions", spread(&r.random), r.draws),
        ),
        Fact::new(
            "shuffled",
            format!(
                "{} of {} shuffles of these distances; p = {:.4} that one is as low",
                spread(&r.shuffled),
                r.draws,
                r.p
            ),
        ),
    ];
    let share = e.stress1 / r.random.mean;
    let verdict = if e.stress1 > r.random.mean - 2.0 * r.random.sd {
        "no lower than of random numbers: the map shows nothing that chance would not".into()
    } else if r.p > 0.05 {
        "not told apart from shuffled distances: there is no sign that the pairs matter".into()
    } else {
        let word = match share {
            s if s < 0.2 => "far below",
            s if s < 0.45 => "well below",
            s if s < 0.7 => "below",
            _ => "little below",
        };
        format!("{word} random numbers ({:.0} % of theirs)", 100.0 * share)
    };
    facts.push(Fact::new("verdict", verdict));
    // What random numbers nearly reach, any numbers do.
    if r.random.mean < 0.2 {
        let words = format!(
            "{n} objects leave little to go wrong in {dim} dimensions: random numbers have {:.2} already, and a low stress says little",
            r.random.mean
        );
        facts.push(Fact::new("", words));
    }
    let above: Vec<String> = e
        .per_object
        .iter()
        .filter(|o| o.percent > r.object95)
        .map(|o| format!("{} {:.1} %", o.label, o.percent))
        .collect();
    if !above.is_empty() {
        let words =
            format!("{} (above {:.1} %, which 95 % of random matrices stay under)", above.join(", "), r.object95);
        facts.push(Fact::new("odd objects", words));
    }
    facts
}

/// Object by object and pair by pair, the worst of each.
#[must_use]
pub fn of_each(e: &Evaluation) -> Vec<Fact> {
    let mut facts = Vec::new();
    let mut objects: Vec<_> = e.per_object.iter().collect();
    order::by(&mut objects, &|a, b| b.percent.total_cmp(&a.percent));
    let most: Vec<String> = objects.iter().take(5).map(|o| format!("{} {:.1} %", o.label, o.percent)).collect();
    facts.push(Fact::new("most stress", most.join(", ")));
    for (k, p) in e.worst_pairs.iter().take(5).enumerate() {
        facts.push(Fact::new(if k == 0 { "worst pairs" } else { "" }, pair(p)));
    }
    for (k, p) in e.by_dimension.iter().flatten().enumerate() {
        let figure = |name: &str, v: Option<f64>| v.map_or(String::new(), |v| format!(", {name} {v:.4}"));
        let words = format!(
            "{}: stress-1 {:.4}{}{}{} ({})",
            p.dim,
            p.stress1,
            figure("residual variance", p.residual_variance),
            figure("trustworthiness", p.trustworthiness),
            figure("continuity", p.continuity),
            p.stop
        );
        facts.push(Fact::new(if k == 0 { "dimensions" } else { "" }, words));
    }
    if let Some(s) = &e.stability {
        let mut spread: Vec<_> = s.per_object.iter().collect();
        order::by(&mut spread, &|a, b| b.spread.total_cmp(&a.spread));
        let most: Vec<String> = spread.iter().take(5).map(|o| format!("{} {:.4}", o.label, o.spread)).collect();
        facts.push(Fact::new("least steady", most.join(", ")));
    }
    facts
}

/// The stress, with how much there was to keep and how many numbers there were to keep it with.
fn figures(e: &Evaluation) -> String {
    let (n, dim) = (e.objects, e.dim);
    let free = (n * dim).saturating_sub(dim * (dim + 1) / 2);
    let known = e.input.pairs - e.input.missing.min(e.input.pairs);
    format!("{}: {known} distances, {free} free coordinates,", stress(e.stress1, n, dim))
}

/// The largest stretch over the least, with the pairs that have them.
fn distortion(d: &Distortion) -> String {
    let (most, least) = (&d.stretched, &d.shrunk);
    let value = d.value.map_or("without bound".to_owned(), |v| format!("{v:.4} (1 when all distances grow alike)"));
    format!(
        "{value}: {} and {} are {:.4} times as far apart as in the data, {} and {} {:.4} times",
        most.a, most.b, most.ratio, least.a, least.b, least.ratio
    )
}

/// A pair with all three numbers, so that they add up.
fn pair(p: &WorstPair) -> String {
    let which = if p.residual > 0.0 { "too near" } else { "too far apart" };
    let bound = match p.bound.as_deref() {
        Some("at-most") => "at most ",
        Some("at-least") => "at least ",
        _ => "",
    };
    // Against the data themselves both are the same number.
    let asks = if (p.disparity - p.data).abs() > 1e-9 * p.data.abs() {
        format!(", which asks for {:.4}", p.disparity)
    } else {
        String::new()
    };
    format!(
        "{} and {}: {bound}{} in the data{asks}, {:.4} on the map, {which} by {:.4}",
        p.a,
        p.b,
        digits(p.data),
        p.distance,
        p.residual.abs()
    )
}

fn against(e: &Evaluation) -> &'static str {
    match e.target {
        // The fit's own stress is that of each person, with the person's weights.
        Against::Data if e.method.as_deref() == Some("indscal") => {
            "means of the data, on the common map without anybody's weights"
        }
        Against::Ordinal => "order of the data",
        Against::Transform => "data as the model transforms them",
        Against::Data => "data",
    }
}

/// How many dimensions carry most of what can be shown.
pub(crate) fn spectrum(dims: usize) -> String {
    format!("{} 95 % of the sum of the positive eigenvalues", said_of(dims, "dimension carries", "dimensions carry"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_numbers_of_a_pair_add_up() {
        let p = WorstPair {
            a: "Athens".into(),
            b: "Rome".into(),
            data: 817.0,
            bound: None,
            distance: 1624.0,
            disparity: 813.0,
            residual: -811.0,
        };
        let words = pair(&p);
        assert_eq!(
            words,
            "Athens and Rome: 817 in the data, which asks for 813.0000, 1624.0000 on the map, too far apart by 811.0000"
        );
        let plain = pair(&WorstPair { disparity: 817.0, residual: -807.0, ..p });
        assert!(!plain.contains("asks for"), "{plain}");
    }

    #[test]
    fn a_stress_comes_with_what_it_is_a_stress_of() {
        let mut e = Evaluation::new(10, 2);
        e.stress1 = 0.0016;
        e.target = Against::Ordinal;
        e.input.pairs = 45;
        let words = &evaluation(&e)[0].words;
        assert_eq!(
            words,
            "0.0016 with 10 objects in 2 dimensions: 45 distances, 17 free coordinates, against the order of the data"
        );
        assert!(evaluation(&e).iter().all(|f| f.name != "raw stress"), "the raw stress is about the data themselves");
    }
}
