//! Lapses as a report tells them: answers given without a look, and by whom.

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
    /// The share of lapses among them.
    pub lapse: f64,
    /// The lower end of its 95 % interval.
    pub low: f64,
    /// The upper end.
    pub high: f64,
    /// The share of their answers that hold on the map.
    pub agreement: f64,
    /// What follows.
    pub verdict: Worth,
}

/// What the answers of a participant are worth.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Worth {
    /// They say something.
    Usable,
    /// More than half of them are lapses, surely.
    CarriesNothing,
    /// Fewer hold than by chance: near and far may have been taken for each other.
    Reversed,
}

impl Worth {
    /// Its name, as JSON has it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Worth::Usable => "usable",
            Worth::CarriesNothing => "carries-nothing",
            Worth::Reversed => "reversed",
        }
    }
}

impl Lapsed {
    /// Those of a verdict.
    pub fn those(&self, verdict: Worth) -> impl Iterator<Item = &ParticipantLapse> {
        self.participants.iter().filter(move |p| p.verdict == verdict)
    }
}
