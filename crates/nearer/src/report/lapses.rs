//! Lapses as a report tells them: answers that the common map does not explain, by whom, and what else is known of those people.

use serde::{Deserialize, Serialize};

/// How many answers are lapses.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Lapsed {
    /// The share of all answers.
    pub mean: f64,
    /// The lower end of its 95 % interval, where there is one rate for all.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub low: Option<f64>,
    /// The upper end.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub high: Option<f64>,
    /// By participant, where each has a rate.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub participants: Vec<ParticipantLapse>,
}

/// The lapses of one participant.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ParticipantLapse {
    /// Who.
    pub participant: String,
    /// How many answers they gave.
    pub answers: usize,
    /// The share of lapses among them: answers that this map, in these dimensions, does not explain.
    pub lapse: f64,
    /// The lower end of its 95 % interval.
    pub low: f64,
    /// The upper end.
    pub high: f64,
    /// The share of their answers that hold on the map.
    pub agreement: f64,
    /// What own weights on the axes of the map, and of some more, predict; looked at where the common map explains less than half of their answers.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub weighted: Option<OwnMap>,
    /// What a map made of other answers of theirs alone predicts; looked at where the common map explains less than half of their answers.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub own: Option<OwnMap>,
    /// How they answered checks, where there were some.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub checks: Option<Checks>,
    /// What follows.
    pub verdict: Worth,
}

/// What a map of somebody's own predicts of their answers, and what it does for others with as many.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct OwnMap {
    /// Answers that were held out in their turn.
    pub answers: usize,
    /// Those of them that the map of the others predicts.
    pub right: usize,
    /// What chance would reach.
    pub chance: f64,
    /// The share that maps of their own predict for participants whom the common map explains, from as many of their answers; absent where
    /// nobody gave as many.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub others: Option<f64>,
}

impl OwnMap {
    /// The share that it predicts.
    #[must_use]
    pub fn share(&self) -> f64 {
        self.right as f64 / self.answers.max(1) as f64
    }
}

/// Questions whose right answer is known: one of the objects to choose from is the head itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Checks {
    /// Answered right.
    pub passed: usize,
    /// Answered wrong.
    pub failed: usize,
}

/// What the answers of a participant are worth.
///
/// That the common map does not explain somebody's answers is one witness, and none against them: people may see it another way. Nobody is called
/// careless but by a second one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Worth {
    /// The common map explains them.
    Usable,
    /// The common map explains less than half of them, and checks were failed, or a map of their own predicts no more than chance where others' do.
    Careless,
    /// The common map explains less than half of them, and one of their own predicts them: they follow another rule.
    AnotherRule,
    /// Fewer hold than by chance: the keys were reversed, or near and far taken for each other.
    Reversed,
    /// The common map explains less than half of them, and there are too few to say why.
    #[serde(alias = "carries-nothing")]
    TooFew,
}

impl Worth {
    /// Its name, as JSON has it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Worth::Usable => "usable",
            Worth::Careless => "careless",
            Worth::AnotherRule => "another-rule",
            Worth::Reversed => "reversed",
            Worth::TooFew => "too-few",
        }
    }
    /// Whether the answers had better be left out.
    #[must_use]
    pub fn is_lost(self) -> bool {
        matches!(self, Worth::Careless | Worth::Reversed)
    }
}

impl Lapsed {
    /// Those of a verdict.
    pub fn those(&self, verdict: Worth) -> impl Iterator<Item = &ParticipantLapse> {
        self.participants.iter().filter(move |p| p.verdict == verdict)
    }
}
