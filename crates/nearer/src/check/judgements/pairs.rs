//! Pairs said to be alike or not, and sorts.

use std::collections::BTreeSet;

use crate::check::groups::Groups;
use crate::check::judgements::OfJudgements;
use crate::check::{CheckReport, Found};
use crate::evidence::{Pairs, Part, Sorts};
use crate::method::cost::Size;
use crate::object::Pair;
use crate::text::counted;

pub(crate) fn of_pairs(pairs: &Pairs, memory: Option<u64>) -> CheckReport {
    let tally = pairs.tally();
    let n = pairs.objects().len();
    // An answer that counts both ways is one answer.
    let answers = || pairs.iter().step_by(pairs.per_answer());
    let plain = pairs.levels() == 1;
    let mut found = OfJudgements {
        queries: tally.queries,
        repeated: tally.repeated,
        contradictory: tally.contradictory,
        minority: tally.minority,
        tied: tally.tied,
        selves: tally.selves,
        checks: tally.selves,
        similar: plain.then(|| answers().filter(|p| p.similar).count()),
        dissimilar: plain.then(|| answers().filter(|p| !p.similar).count()),
        grades: (!plain).then(|| (1..pairs.levels() + 2).map(|g| pairs.grades().filter(|k| *k == g).count()).collect()),
        ..OfJudgements::default()
    };
    let (mut alike, mut all, mut seen) = (Groups::new(n), Groups::new(n), vec![false; n]);
    for p in pairs.iter() {
        let (a, b) = (p.from.index(), p.to.index());
        (seen[a], seen[b]) = (true, true);
        all.join(a, b);
        if p.similar {
            alike.join(a, b);
        }
    }
    let apart = pairs.iter().filter(|p| !p.similar && alike.joined(p.from.index(), p.to.index()));
    let broken: BTreeSet<Option<Pair>> = apart.map(|p| Pair::new(p.from, p.to)).collect();
    found.broken_chains = plain.then_some(broken.len());
    let mut warnings = Vec::new();
    if found.similar == Some(0) || found.dissimilar == Some(0) {
        let (none, all) = if found.similar == Some(0) { ("alike", "apart") } else { ("different", "together") };
        warnings.push(format!("not a single pair is said to be {none}: nothing keeps the objects from falling {all}"));
    }
    if tally.contradictory > 0 {
        let (pairs, are, them) = match tally.contradictory {
            1 => ("pair", "is", "it"),
            _ => ("pairs", "are", "them"),
        };
        let count = tally.contradictory;
        let both = if plain { "alike and not alike" } else { "alike in two grades" };
        let tied = match tally.tied {
            0 => String::new(),
            tied => format!(", and drops the answers where as many say the opposite ({})", counted(tied, "pair")),
        };
        warnings.push(format!("{count} {pairs} {are} said to be {both}; cleaning settles {them} by majority{tied}"));
    }
    let labels = pairs.objects().labels();
    let mut report =
        CheckReport::new(Part::Pairs, pairs.into(), tally.rows, Found::Judgements(Box::new(found)), memory);
    report.unseen(labels, |k| seen[k]);
    report.apart(all.listed(labels), "judged");
    report.warnings.extend(warnings);
    report
}

pub(crate) fn of_sorts(sorts: &Sorts, memory: Option<u64>) -> CheckReport {
    let (n, people) = (sorts.objects().len(), sorts.assessors().len());
    let mut found = OfJudgements { similar: Some(0), dissimilar: Some(0), ..OfJudgements::default() };
    for a in 0..n {
        for b in a + 1..n {
            let votes = (0..people).filter_map(|who| sorts.together(who, a, b));
            let (yes, no) = votes.fold((0, 0), |(yes, no), v| if v { (yes + 1, no) } else { (yes, no + 1) });
            found.queries += usize::from(yes + no > 0);
            found.repeated += usize::from(yes + no > 1);
            found.contradictory += usize::from(yes.min(no) > 0);
            found.minority += yes.min(no);
            found.tied += usize::from(yes == no && yes > 0);
            found.similar = found.similar.map(|s| s + yes);
            found.dissimilar = found.dissimilar.map(|s| s + no);
        }
    }
    let seen = |k: usize| (0..people).any(|who| sorts.group(who, k).is_some());
    let mut report = CheckReport::new(
        Part::Sorts,
        Size { objects: n, ..Size::default() },
        n,
        Found::Judgements(Box::new(found)),
        memory,
    );
    report.unseen(sorts.objects().labels(), seen);
    report
}
