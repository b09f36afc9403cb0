//! Click logs: one result shown a row, with the list it stood in and whether it was opened.

use std::collections::HashMap;

use crate::error::{Error, Remedy};
use crate::evidence::{Evidence, Session, Trials};
use crate::io::cell::{Numerals, shown};
use crate::io::judged::extras::{Extras, truth};
use crate::io::judged::labels::Labels;
use crate::io::judged::plan::Plan;
use crate::io::judged::roles::Role;
use crate::io::judged::trials::check_width;
use crate::io::kinds::{Loaded, ReadOptions};
use crate::io::layout::refuse;
use crate::io::packing::LABEL_BYTES;
use crate::io::text::Table;
use crate::object::Item;

/// Bytes of one shown result in memory, and of each comparison that it may make.
const ROW_BYTES: u64 = 16;
const COMPARISON_BYTES: u64 = 120;

/// Reads a click log. The rows of a list are the results from its top down, wherever they stand in the file.
pub(crate) fn read(table: &mut Table, plan: Plan, numerals: Numerals, options: &ReadOptions) -> Result<Loaded, Error> {
    let (at, source) = (table.at.clone(), table.source.clone());
    let column = |role| plan.columns.one(role).unwrap_or(0);
    let (session, object, opened) = (column(Role::Session), column(Role::Object), column(Role::Opened));
    let mut labels = Labels::new(options.objects.as_ref());
    let mut extras = Extras::new(&plan.columns, numerals);
    let mut lists: Vec<List> = Vec::new();
    let mut index: HashMap<Box<[u8]>, usize> = HashMap::new();
    let (mut rows, mut names, mut header, mut width) = (0u64, 0, plan.header, None);
    while let Some((record, line)) = table.next()? {
        if std::mem::take(&mut header) || record.iter().all(|f| f.trim_ascii().is_empty()) {
            continue;
        }
        check_width(record, &mut width, false, &plan, &at, line)?;
        let item = labels.item(&record[object], &at, line, object)?;
        let was_opened = truth(record[opened].trim_ascii()).ok_or_else(|| Error::Value {
            at: at.clone().line(line).column(opened as u64 + 1),
            what: format!("`{}` does not say whether the result was opened", shown(&record[opened])),
            remedy: Remedy::from("write 1 or 0, or name another column with ").setting("columns", "opened=…"),
        })?;
        let key = record[session].trim_ascii();
        let list = match index.get(key) {
            Some(k) => *k,
            None => {
                names += 2 * key.len() + LABEL_BYTES;
                index.insert(key.into(), lists.len());
                let participant = extras.answered(record, line, None, &at)?.participant;
                lists.push(List { line, participant, ..List::default() });
                lists.len() - 1
            }
        };
        lists[list].shown.push((item, was_opened));
        rows += 1;
        source.holds("the click log", rows * ROW_BYTES + (names + labels.bytes() + extras.bytes()) as u64)?;
    }
    let shown_twice = lists.iter_mut().map(List::once_each).sum::<usize>();
    let unseen = lists.iter_mut().map(List::seen_only).sum::<usize>();
    let silent = lists.iter().filter(|l| !l.compares()).count();
    if silent == lists.len() {
        return Err(refuse(
            &at,
            &format!(
                "{silent} lists, and in none of them were two results opened with another passed over above the last"
            ),
            "a list compares only then: give a log of lists with several opened results",
        ));
    }
    let comparisons: u64 = lists.iter().map(List::comparisons).sum();
    source.holds("the comparisons of the click log", rows * ROW_BYTES + comparisons * COMPARISON_BYTES)?;
    let mut assumptions = plan.said;
    assumptions.push(format!("{rows} results shown in {} lists about {} objects", lists.len(), labels.len()));
    for (count, what) in [
        (unseen, "results stand below the last one opened in their list and may not have been seen: left out"),
        (silent, "lists have fewer than two opened results, or none passed over above the last, and compare nothing"),
        (shown_twice, "results stand in their list twice: the first counts, as opened if either was"),
    ] {
        if count > 0 {
            assumptions.push(format!("{count} {what}"));
        }
    }
    let mut warnings = labels.warnings();
    warnings.extend(extras.warnings());
    let (objects, place) = labels.finish()?;
    let sessions = lists.into_iter().map(|list| list.session(|item| place[item.index()]));
    let trials = Trials::from_clicks(objects, extras.participants, sessions)?;
    Ok(Loaded {
        evidence: Evidence::Comparisons(trials.comparisons()),
        measurements: None,
        kind: plan.kind,
        assumptions,
        warnings,
    })
}

/// One list as it was shown, from the top down.
#[derive(Debug, Default)]
struct List {
    shown: Vec<(Item, bool)>,
    participant: Option<u32>,
    line: u64,
}

impl List {
    /// Each result once; how many were repeated.
    fn once_each(&mut self) -> usize {
        let before = self.shown.len();
        let mut first: HashMap<Item, usize> = HashMap::with_capacity(before);
        let mut kept: Vec<(Item, bool)> = Vec::with_capacity(before);
        for &(item, opened) in &self.shown {
            match first.get(&item) {
                Some(&k) => kept[k].1 |= opened,
                None => {
                    first.insert(item, kept.len());
                    kept.push((item, opened));
                }
            }
        }
        self.shown = kept;
        before - self.shown.len()
    }

    /// Only down to the last opened one: nobody knows whether those below it were looked at. How many were left out.
    fn seen_only(&mut self) -> usize {
        let before = self.shown.len();
        let seen = self.shown.iter().rposition(|(_, opened)| *opened).map_or(0, |k| k + 1);
        self.shown.truncate(seen);
        before - seen
    }

    fn opened(&self) -> u64 {
        self.shown.iter().filter(|(_, opened)| *opened).count() as u64
    }
    fn passed(&self) -> u64 {
        self.shown.len() as u64 - self.opened()
    }
    fn compares(&self) -> bool {
        self.opened() >= 2 && self.passed() >= 1
    }
    fn comparisons(&self) -> u64 {
        self.opened() * self.opened().saturating_sub(1) * self.passed()
    }

    fn session(self, place: impl Fn(Item) -> Item) -> Session {
        let pick = |wanted: bool| self.shown.iter().filter(|(_, o)| *o == wanted).map(|(i, _)| place(*i)).collect();
        Session { opened: pick(true), passed: pick(false), participant: self.participant, line: self.line }
    }
}

#[cfg(test)]
mod tests {
    use crate::evidence::Evidence;
    use crate::io::ReadOptions;
    use crate::io::testing::{load, refusal};

    const LOG: &str =
        "query_id,document,clicked,user\n1,a,0,ann\n1,b,1,ann\n1,c,0,ann\n1,d,1,ann\n1,e,0,ann\n2,a,1,bob\n2,b,0,bob\n";

    #[test]
    fn a_list_compares_what_was_opened_with_what_was_passed_over_above_it() {
        let read = load("log.csv", LOG, &ReadOptions::default()).unwrap();
        let Evidence::Comparisons(c) = &read.evidence else { panic!("{:?}", read.kind) };
        let said: Vec<String> = (0..c.len()).map(|k| c.in_words(k)).collect();
        assert_eq!(
            said,
            [
                "`b` is nearer to `d` than to `a`",
                "`b` is nearer to `d` than to `c`",
                "`d` is nearer to `b` than to `a`",
                "`d` is nearer to `b` than to `c`",
            ]
        );
        let words = read.assumptions.join("\n");
        for part in ["7 results shown in 2 lists about 5 objects", "2 results stand below", "1 lists have fewer"] {
            assert!(words.contains(part), "{words}");
        }
    }

    #[test]
    fn a_log_that_compares_nothing_is_refused() {
        let e = refusal("log.csv", "session,object,opened\n1,a,1\n1,b,0\n", &ReadOptions::default());
        assert!(e.contains("1 lists") && e.contains("several opened results"), "{e}");
        let e = refusal("log.csv", "session,object,opened\n1,a,maybe\n1,b,0\n", &ReadOptions::default());
        assert!(e.contains("`maybe` does not say whether the result was opened") && e.contains("line 2"), "{e}");
    }
}
