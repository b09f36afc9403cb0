//! A check in plain words: for the command, and for Python.

use std::fmt::Write as _;

use crate::check::{
    CheckReport, Cost, Estimate, Found, OfDistances, OfFeatures, OfJudgements, OfTaxonomy, Together, facts,
};
use crate::error::bytes;
use crate::evidence::Part;
use crate::method::cost;
use crate::report::{Panel, Participant};
use crate::text::{counted, digits, said_of};

/// Lines of a name and what is to be said about it.
#[derive(Default)]
struct Lines(String);

impl Lines {
    fn line(&mut self, name: &str, what: impl AsRef<str>) {
        let _ = writeln!(self.0, "  {name:<14} {}", what.as_ref());
    }
}

impl CheckReport {
    /// All of it, a line for each thing; `layout` is how the file of it is laid out.
    #[must_use]
    pub fn in_words(&self, layout: Option<&str>) -> String {
        let kind = self.kind.to_string();
        let mut lines = Lines(match layout {
            Some(layout) if layout != kind => format!("{kind} ({layout})\n"),
            _ => format!("{kind}\n"),
        });
        lines.line("objects", self.objects.to_string());
        match &self.found {
            Found::Distances(found) => distances(&mut lines, self, found),
            Found::Judgements(found) => judgements(&mut lines, self, found),
            Found::Taxonomy(found) => taxonomy(&mut lines, found),
            Found::Features(found) => features(&mut lines, self, found),
        }
        for (k, group) in self.groups.iter().take(5).enumerate() {
            let name = if k == 0 { "groups apart" } else { "" };
            lines.line(name, format!("{} objects: {} …", group.objects, group.first.join(", ")));
        }
        costs(&mut lines, &self.methods);
        if let Some(s) = &self.suggested {
            lines.line("begin with", format!("{}: {}", s.method, s.why));
        }
        for warning in &self.warnings {
            lines.line("warning", warning);
        }
        lines.0
    }
}

impl Together {
    /// All of it, a line for each thing.
    #[must_use]
    pub fn in_words(&self) -> String {
        let parts: Vec<String> = self.parts.iter().map(ToString::to_string).collect();
        let mut lines = Lines(format!("together: {}\n", parts.join(" and ")));
        lines.line("objects", self.objects.to_string());
        costs(&mut lines, &self.methods);
        lines.line("begin with", format!("{}: {}", self.suggested.method, self.suggested.why));
        lines.0
    }
}

fn costs(lines: &mut Lines, methods: &[Cost]) {
    let wide = methods.iter().map(|m| m.method.len()).max().unwrap_or(0).max(15);
    for (k, needs) in methods.iter().enumerate() {
        let fits = if needs.fits == Some(false) { "TOO MUCH, " } else { "" };
        let time = needs.seconds.map_or(String::new(), |s| format!(", {}", cost::in_words(s)));
        let what = format!("{:<wide$} {fits}{} of memory{time}; {}", needs.method, bytes(needs.memory), needs.cost);
        lines.line(if k == 0 { "cost" } else { "" }, what);
    }
}

fn unseen(lines: &mut Lines, r: &CheckReport, one: &str, several: &str) {
    if r.unseen > 0 {
        let more = if r.unseen > r.unseen_labels.len() { " …" } else { "" };
        lines.line("unseen", format!("{}: {}{more}", said_of(r.unseen, one, several), r.unseen_labels.join(", ")));
    }
}

fn distances(lines: &mut Lines, r: &CheckReport, found: &OfDistances) {
    if let Some(columns) = found.columns {
        let own = found.landmarks.unwrap_or(0);
        lines.line("columns", format!("{columns}, of which {own} have a row of their own"));
    }
    let share = if found.pairs > 0 { 100.0 * found.missing as f64 / found.pairs as f64 } else { 0.0 };
    let cells = if r.kind == Part::Rows { "cells" } else { "pairs" };
    lines.line(cells, format!("{}, {} missing ({share:.1} %)", found.pairs, found.missing));
    for (name, count) in [("censored", found.censored), ("repeated", found.repeated)] {
        if let Some(count) = count.filter(|c| *c > 0) {
            lines.line(name, counted(count, "pair"));
        }
    }
    unseen(lines, r, "object without a distance", "objects without a distance");
    if let Some([a, b]) = &found.zero {
        lines.line("zeros", format!("{} between different objects, as `{a}` and `{b}`", found.zeros));
    }
    for (name, named) in [("smallest", &found.smallest), ("largest", &found.largest)] {
        if let Some(n) = named {
            lines.line(name, format!("{}, `{}` to `{}`", n.distance, n.between[0], n.between[1]));
        }
    }
    if let Some(t) = &found.triangles {
        let tried = if t.exact { format!("all {}", t.tried) } else { format!("a sample of {}", t.tried) };
        lines.line("triangles", format!("{} of {tried} have a side longer than the other two together", t.violations));
        if let Some(w) = &t.worst {
            let [a, b] = &w.between;
            let (direct, detour) = (digits(w.direct), digits(w.detour));
            lines.line("", format!("worst: `{a}` to `{b}` is {direct}, but {detour} through `{}`", w.through));
        }
    }
    if let Some(e) = &found.euclidean {
        let what = if e.holds {
            format!("yes; {} dimensions carry 95 %", e.dims95)
        } else {
            format!(
                "no: {} negative eigenvalues, the least {:.3} of the largest; {} dimensions carry 95 % of the rest",
                e.negative, e.least_share, e.dims95
            )
        };
        lines.line("Euclidean", what);
    }
}

fn features(lines: &mut Lines, r: &CheckReport, found: &OfFeatures) {
    lines.line("rows", r.rows.to_string());
    lines.line("columns", found.columns.to_string());
    if found.constant > 0 {
        let more = if found.constant > found.constant_columns.len() { " …" } else { "" };
        let names = found.constant_columns.join(", ");
        lines.line("constant", format!("{} columns with one value throughout: {names}{more}", found.constant));
    }
    if let Some([object, earlier]) = &found.duplicate {
        let what =
            format!("{} objects have the features of an earlier one, as `{object}` and `{earlier}`", found.duplicates);
        lines.line("duplicates", what);
    }
    if let Some(d) = &found.dimension {
        let figure = |e: &Estimate| format!("{:.1} ({:.1} to {:.1})", e.value, e.low, e.high);
        let (two, ml, pairs) = (figure(&d.two_nn), figure(&d.likelihood), figure(&d.correlation));
        lines.line(
            "dimension",
            format!("{two} by two nearest neighbours, {ml} by maximum likelihood, {pairs} by correlation"),
        );
        let first = d.shares.iter().take(5).map(|s| format!("{:.0}", 100.0 * s)).collect::<Vec<_>>().join(", ");
        let axes = d.axes95.map_or(String::new(), |axes| format!("; {axes} carry 95 %"));
        lines.line("spectrum", format!("principal axes carry {first} % of the variance{axes}"));
        lines.line("", &d.meaning);
    }
}

fn taxonomy(lines: &mut Lines, found: &OfTaxonomy) {
    lines.line("nodes", format!("{}, the deepest {} below the root", found.nodes, found.height));
    lines.line("comparisons", format!("{} triplets follow from the tree", found.comparisons));
}

fn judgements(lines: &mut Lines, r: &CheckReport, found: &OfJudgements) {
    let task = found.task.map_or(String::new(), |t| format!(" of {}", t.name()));
    lines.line("rows", format!("{}{task}", r.rows));
    unseen(lines, r, "object is never shown", "objects are never shown");
    for fact in facts(found) {
        lines.line(fact.name, &fact.words);
        match fact.name {
            "contradictions" => found.contradictions.iter().for_each(|c| lines.line("", c.told())),
            "circles" => circles(lines, found),
            _ => {}
        }
    }
    if let Some(panel) = &found.panel {
        people(lines, panel);
    }
}

fn circles(lines: &mut Lines, found: &OfJudgements) {
    for cycle in found.cycles.iter().flat_map(|c| &c.worst) {
        lines.line("", format!("among {}, a circle of {}:", counted(cycle.pairs, "pair"), cycle.way.len()));
        cycle.way.iter().for_each(|told| lines.line("", format!("  {}", told.told())));
    }
}

fn people(lines: &mut Lines, panel: &Panel) {
    let share =
        |what: &str, share: Option<f64>| share.map_or(String::new(), |s| format!("; {what} {:.1} %", 100.0 * s));
    let each = share("two of them give the same answer to a question in", panel.pairwise_agreement);
    let all = share("one agrees with the majority of the others in", panel.agreement_with_others);
    lines.line("participants", format!("{}{each}{all}", panel.participants.len()));
    let flagged: Vec<&Participant> = panel.flagged().collect();
    for p in flagged.iter().take(10) {
        lines.line(
            "",
            format!(
                "look at `{}` ({}): {}",
                p.name,
                counted(p.answers, "answer"),
                p.flags.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
            ),
        );
    }
    if flagged.len() > 10 {
        lines.line("", format!("and {} more", flagged.len() - 10));
    }
    if !flagged.is_empty() {
        lines.line("", format!("(rules: {})", panel.rules.join("; ")));
    }
}
