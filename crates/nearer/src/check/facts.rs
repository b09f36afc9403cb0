//! What a check of judgements has to say, a name and a sentence each: for the command and for the page.

use crate::check::{Contradiction, OfJudgements, Told, graded};
use crate::text::{Fact, counted, said_of};

/// What was found, in the order in which it is told.
#[must_use]
pub fn facts(found: &OfJudgements) -> Vec<Fact> {
    let mut all = Vec::new();
    let mut say = |name: &'static str, words: Option<String>| {
        all.extend(words.map(|words| Fact { name, words }));
    };
    let marked = match found.checks - found.selves {
        0 => String::new(),
        marked => format!(", {}", said_of(marked, "is marked as a check", "are marked as checks")),
    };
    let twice = said_of(found.selves, "shows an object twice", "show an object twice");
    say("not used", (found.checks > 0).then(|| format!("{}: {twice}{marked}", counted(found.checks, "row"))));
    say("questions", Some(format!("{} different ones, {} asked more than once", found.queries, found.repeated)));
    let both = found.similar.zip(found.dissimilar);
    say("answers", both.map(|(alike, not)| format!("{alike} alike, {not} not alike")));
    say("answers", found.grades.as_deref().map(graded));
    say("comparisons", found.comparisons.map(|c| c.to_string()));
    say("contradictions", Some(contradictions(found)));
    let chains = found.broken_chains.filter(|c| *c > 0);
    say(
        "chains",
        chains.map(|c| {
            let pairs = said_of(c, "pair is", "pairs are");
            format!("{pairs} not alike although a chain of alike pairs joins them")
        }),
    );
    say(
        "circles",
        found.cycles.as_ref().map(|c| match c.components {
            0 => "none: the majority is consistent".into(),
            knots => format!(
                "{} in {}, which no distances can satisfy together",
                counted(c.edges, "comparison"),
                counted(knots, "knot")
            ),
        }),
    );
    say(
        "triads",
        found.triads.as_ref().map(|t| {
            let triples = said_of(t.complete, "triple", "triples");
            format!("{triples} of objects with all three questions answered, {} in a circle", t.cyclic)
        }),
    );
    let or = |name: &str, count: Option<usize>| count.map_or(String::new(), |c| format!(", {name} {c}"));
    say(
        "repair",
        found.repair.as_ref().map(|r| {
            let vote = counted(r.vote, "comparison");
            let others = or("random", r.random) + &or("cheapest", r.cheapest);
            format!("would drop {vote} by vote, then: prune {}{others}", r.prune)
        }),
    );
    say(
        "order",
        found.order.as_ref().zip(found.implied).map(|(o, implied)| {
            let (left, pairs) = (counted(o.comparisons, "comparison"), counted(o.pairs, "pair"));
            format!("{left} of {pairs} left, the longest chain {}; {implied} follow from others", o.length)
        }),
    );
    say(
        "noise ceiling",
        found.noise.as_ref().map(|noise| {
            format!(
                "no map in any number of dimensions satisfies more than {:.1} % of the answers; one with {:.1} % exists",
                100.0 * (1.0 - noise.floor),
                100.0 * (1.0 - noise.enough)
            )
        }),
    );
    say(
        "enough?",
        found.enough.as_ref().map(|e| {
            let dims = counted(e.dim, "dimension");
            format!("{}, {} wanted for {dims} ({})", counted(e.answered, "question"), e.wanted, e.rule)
        }),
    );
    all
}

fn contradictions(found: &OfJudgements) -> String {
    let tied = if found.tied > 0 { format!(", {} of them tied", found.tied) } else { String::new() };
    let losing = said_of(found.minority, "answer is on the losing side", "answers are on the losing side");
    match found.contradictory {
        0 => "no question was answered in more than one way".to_owned(),
        some => format!("{} answered in more than one way{tied}; {losing}", counted(some, "question")),
    }
}

impl Contradiction {
    /// In words: who says what, and how likely so even a vote is by chance.
    #[must_use]
    pub fn told(&self) -> String {
        format!("{}: {} say yes, {} no (sign test p = {:.3})", self.says, self.yes, self.no, self.p)
    }
}

impl Told {
    /// In words: what is said, how often, and by whom.
    #[must_use]
    pub fn told(&self) -> String {
        let who = match self.participants.as_slice() {
            [] => String::new(),
            names => format!(": {}", names.join(", ")),
        };
        format!("{} ({}{who})", self.says, counted(self.answers as usize, "answer"))
    }
}
