//! Who answered and how well, as a table.

use std::io::{self, Write};

use crate::report::Lapsed;

/// Writes the participants as csv: how many answers they gave, the share of lapses among them with its 95 % interval, the share that
/// holds on the map, the shares that own weights and a map of their own predict, each with that of others with as many answers, checks passed and failed, and what
/// follows (`usable`, `careless`, `another-rule`, `reversed`, `too-few`). What was not looked at is empty.
///
/// ```
/// use nearer::{io::write_people, report::{Lapsed, ParticipantLapse, Worth}};
/// let ann = ParticipantLapse {
///     participant: "ann".into(), answers: 80, lapse: 0.1, low: 0.02, high: 0.25, agreement: 0.9, weighted: None, own: None, checks: None,
///     verdict: Worth::Usable,
/// };
/// let mut table = Vec::new();
/// write_people(&mut table, &Lapsed { mean: 0.1, low: None, high: None, participants: vec![ann] }).expect("a vector takes all");
/// assert!(String::from_utf8_lossy(&table).ends_with("ann,80,0.1,0.02,0.25,0.9,,,,,,,usable\n"));
/// ```
pub fn write_people(w: &mut dyn Write, lapsed: &Lapsed) -> io::Result<()> {
    let mut out = csv::Writer::from_writer(w);
    out.write_record([
        "participant",
        "answers",
        "lapse",
        "low",
        "high",
        "agreement",
        "own_weights",
        "others_own_weights",
        "own_map",
        "others_own_maps",
        "checks_passed",
        "checks_failed",
        "verdict",
    ])?;
    for p in &lapsed.participants {
        let numbers = [p.lapse, p.low, p.high, p.agreement].map(|v| v.to_string());
        let [lapse, low, high, agreement] = numbers.each_ref().map(String::as_str);
        let perhaps = |v: Option<f64>| v.map_or(String::new(), |v| v.to_string());
        let own =
            [p.weighted, p.own].map(|own| [own.map(|o| o.share()), own.and_then(|o| o.others)].map(perhaps)).concat();
        let checks = [p.checks.map(|c| c.passed), p.checks.map(|c| c.failed)];
        let checks = checks.map(|c| c.map_or(String::new(), |c| c.to_string()));
        let row = [&p.participant, &p.answers.to_string(), lapse, low, high, agreement];
        let row = row.into_iter().chain(own.iter().map(String::as_str));
        let row = row.chain([checks[0].as_str(), &checks[1], p.verdict.name()]);
        out.write_record(row)?;
    }
    out.flush()
}
