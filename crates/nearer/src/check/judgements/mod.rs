//! Judgements: duplicates, contradictions, circles, what a repair would drop, what follows from the rest, who disagrees.

mod data;
mod pairs;

pub use data::{
    Contradiction, Cycle, Cycles, Enough, Noise, OfJudgements, Order, RepairCost, Told, TriadCount, graded,
};
pub(super) use pairs::{of_pairs, of_sorts};

use std::collections::HashMap;

use crate::check::{CheckReport, Found, Group, LISTED};
use crate::error::Error;
use crate::evaluate::participants;
use crate::evidence::{Comparisons, Part};
use crate::graph::{Conflict, ConstraintGraph, Repair};
use crate::object::{Objects, Pair};
use crate::solve::Run;
use crate::text::{counted, said_of};

/// Up to this many distinct comparisons a check also tries the repairs and counts what is implied.
pub const REPAIR_LIMIT: usize = 2_000_000;
/// How many contradictions and cycles are spelled out.
const SPELLED: usize = 5;

pub(super) fn of_comparisons(c: &Comparisons, run: &Run<'_>, memory: Option<u64>) -> Result<CheckReport, Error> {
    let mut found = OfJudgements { comparisons: Some(c.len()), ..OfJudgements::default() };
    let graph = ConstraintGraph::new(c);
    let rows = found.count(c, &graph);
    found.contradictions = contradictions(&graph);
    found.triads = Some(graph.triads()).filter(|t| t.complete > 0).map(Into::into);
    found.noise = Some(graph.noise_floor()).filter(|_| !c.is_empty()).map(Into::into);
    found.panel = participants(c);
    found.enough = (c.objects().len() >= 3).then(|| enough(c.objects().len(), found.queries));
    let (groups, unseen) = (graph.groups(), graph.unseen());

    let (voted, lost) = graph.voted(None);
    found.cycles = Some(cycles(c, &voted));
    let small = voted.edges().len() <= REPAIR_LIMIT;
    let (random, cheapest) = (voted.clone(), voted.clone());
    let prune = voted.acyclic(Repair::Prune, run.seed()).1.len();
    let mut repair = RepairCost { vote: lost.len(), prune, random: None, cheapest: None };
    if small {
        repair.random = Some(random.acyclic(Repair::Random, run.seed()).1.len());
        let (order, dropped) = cheapest.acyclic(Repair::Cheapest, run.seed());
        repair.cheapest = Some(dropped.len());
        found.order = Some(Order {
            pairs: order.nodes().len(),
            comparisons: order.edges().len(),
            length: order.length()?,
            diameter: order.diameter()?,
        });
        found.implied = Some(order.reduced()?.1.len());
    }
    found.repair = Some(repair);

    let warnings = found.warnings(rows);
    let mut report = CheckReport::new(Part::Comparisons, c.into(), rows, Found::Judgements(Box::new(found)), memory);
    let mut seen = vec![true; c.objects().len()];
    unseen.iter().for_each(|item| seen[item.index()] = false);
    report.unseen(c.objects().labels(), |k| seen[k]);
    report.apart(listed(c.objects(), &groups), "compared");
    report.warnings.extend(warnings);
    Ok(report)
}

impl OfJudgements {
    /// Counts questions and answers; gives the number of rows.
    fn count(&mut self, c: &Comparisons, graph: &ConstraintGraph) -> usize {
        if let Some(trials) = c.trials() {
            let tally = trials.tally();
            self.task = Some(trials.task());
            (self.queries, self.repeated) = (tally.queries, tally.repeated);
            (self.contradictory, self.minority, self.tied) = (tally.contradictory, tally.minority, tally.tied);
            (self.selves, self.checks) = (tally.selves, tally.checks);
            return tally.rows;
        }
        // Comparisons that were never trials: a question is an unordered couple of pairs.
        let mut counts: HashMap<(u32, u32), [u32; 2]> = HashMap::with_capacity(graph.edges().len());
        for e in graph.edges() {
            counts.entry((e.near.min(e.far), e.near.max(e.far))).or_default()[usize::from(e.near < e.far)] += e.answers;
        }
        self.queries = counts.len();
        for [a, b] in counts.into_values() {
            self.repeated += usize::from(a + b > 1);
            self.contradictory += usize::from(a.min(b) > 0);
            self.minority += a.min(b) as usize;
            self.tied += usize::from(a == b);
        }
        c.len()
    }

    fn warnings(&self, rows: usize) -> Vec<String> {
        let mut warnings = Vec::new();
        if rows == self.checks {
            warnings.push("not a single row can be used".into());
        }
        if self.selves > 0 {
            let rows = said_of(self.selves, "row shows an object twice; it is", "rows show an object twice; they are");
            warnings.push(format!("{rows} counted and not used"));
        }
        if let Some(e) = self.enough.as_ref().filter(|e| e.answered < e.wanted) {
            warnings.push(format!(
                "{} few for {}: {} are wanted ({})",
                said_of(e.answered, "question is", "questions are"),
                counted(e.dim, "dimension"),
                e.wanted,
                e.rule
            ));
        }
        if let Some(panel) = &self.panel {
            let flagged = panel.flagged().count();
            if flagged > 0 {
                let people = said_of(flagged, "participant answers", "participants answer");
                warnings.push(format!("{people} in a suspicious way"));
            }
        }
        warnings
    }
}

/// The questions that divide people most: the most answers on the losing side first.
fn contradictions(graph: &ConstraintGraph) -> Vec<Contradiction> {
    let told = |c: &Conflict| Contradiction {
        says: crate::evidence::in_words(graph.objects(), c.near, c.far),
        yes: c.for_,
        no: c.against,
        p: c.p_value,
    };
    graph.conflicts().iter().take(SPELLED).map(told).collect()
}

fn cycles(c: &Comparisons, voted: &ConstraintGraph) -> Cycles {
    let components = voted.components();
    let edges = components.iter().map(|k| k.edges.len()).sum();
    let found = voted.shortest_cycles(SPELLED);
    let who = answered_by(c, voted, &found);
    let way = |cycle: &Vec<u32>| -> Vec<Told> {
        let tell = |&e: &u32| {
            let edge = &voted.edges()[e as usize];
            let participants = who.get(&e).cloned().unwrap_or_default();
            Told { says: voted.in_words(edge), answers: edge.answers, participants }
        };
        cycle.iter().map(tell).collect()
    };
    let pairs = |cycle: &Vec<u32>| {
        let first = cycle.first().map(|&e| voted.edges()[e as usize].near);
        components.iter().find(|k| first.is_some_and(|f| k.nodes.contains(&f))).map_or(0, |k| k.nodes.len())
    };
    let label = |node: u32| {
        let pair: Pair = voted.nodes()[node as usize];
        [pair.first(), pair.second()].map(|i| voted.objects().label(i).to_owned())
    };
    let shortest = found.iter().min_by_key(|cycle| cycle.len());
    Cycles {
        components: components.len(),
        edges,
        shortest: shortest.iter().flat_map(|c| c.iter()).map(|&e| label(voted.edges()[e as usize].near)).collect(),
        worst: found.iter().map(|cycle| Cycle { pairs: pairs(cycle), way: way(cycle) }).collect(),
    }
}

/// The first who gave each of the answers along these cycles.
fn answered_by(c: &Comparisons, graph: &ConstraintGraph, cycles: &[Vec<u32>]) -> HashMap<u32, Vec<String>> {
    let wanted: HashMap<(Pair, Pair), u32> = cycles
        .iter()
        .flatten()
        .map(|&e| {
            let edge = &graph.edges()[e as usize];
            ((graph.nodes()[edge.near as usize], graph.nodes()[edge.far as usize]), e)
        })
        .collect();
    let mut who: HashMap<u32, Vec<String>> = HashMap::new();
    for (k, row) in c.iter().enumerate() {
        let Some(&e) = wanted.get(&(row.near, row.far)) else { continue };
        let Some(name) = c.participant(k) else { continue };
        let names = who.entry(e).or_default();
        if names.len() < 3 && !names.iter().any(|n| n == name) {
            names.push(name.to_owned());
        }
    }
    who
}

/// Groups of objects as a report lists them; none when all hang together.
fn listed(objects: &Objects, groups: &[Vec<crate::object::Item>]) -> Vec<Group> {
    if groups.len() < 2 {
        return Vec::new();
    }
    let first = |g: &[crate::object::Item]| g.iter().take(3).map(|&i| objects.label(i).to_owned()).collect();
    groups.iter().take(LISTED).map(|g| Group { objects: g.len(), first: first(g) }).collect()
}

/// Twice the order `d n log₂ n` below which no method can recover a map of `d` dimensions.
fn enough(n: usize, answered: usize) -> Enough {
    let dim = 2;
    Enough {
        dim,
        answered,
        wanted: (2.0 * (dim * n) as f64 * (n as f64).log2()).ceil() as usize,
        rule: "2 d n log2 n, twice the order d n log n that Jamieson & Nowak (2011) prove necessary".into(),
    }
}
