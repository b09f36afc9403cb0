//! Who took part, how far they agree, and who stands out: plain, serialisable. A key without meaning is absent.

use serde::{Deserialize, Serialize};

/// The people behind judgements, filled by [`evaluate::participants`](crate::evaluate::participants).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Panel {
    /// Each participant, in the order of the file.
    pub participants: Vec<Participant>,
    /// Usable answers of known participants.
    pub answers: usize,
    /// Questions that more than one participant answered.
    pub shared_questions: usize,
    /// The share of equal answers among all pairs of answers by different people to the same question.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub pairwise_agreement: Option<f64>,
    /// The share of answers that agree with the majority of the others.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub agreement_with_others: Option<f64>,
    /// The share of questions on which the majorities of two halves of the panel agree, over many random halvings.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub split_half: Option<f64>,
    /// The median of the participants' median response times, in seconds.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub median_seconds: Option<f64>,
    /// The rules behind the flags, in words.
    pub rules: Vec<String>,
}

impl Panel {
    /// Those with a flag.
    pub fn flagged(&self) -> impl Iterator<Item = &Participant> {
        self.participants.iter().filter(|p| !p.flags.is_empty())
    }
}

/// What makes a participant stand out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Flag {
    /// The median response time is too short to have looked.
    TooFast,
    /// Nearly always the object on the left.
    AlwaysLeft,
    /// Nearly always the object on the right.
    AlwaysRight,
    /// Agrees with the others no more than chance would.
    AtChance,
}

impl std::fmt::Display for Flag {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Flag::TooFast => "too fast",
            Flag::AlwaysLeft => "one side: left",
            Flag::AlwaysRight => "one side: right",
            Flag::AtChance => "at chance",
        })
    }
}

/// One participant.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Participant {
    /// Who it is.
    pub name: String,
    /// Usable answers: no self trials and no checks.
    pub answers: usize,
    /// Agreement with the majority of the others.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub others: Option<WithOthers>,
    /// The share of equal answers among pairs of an own answer and one of somebody else to the same question.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub pairwise_agreement: Option<f64>,
    /// Which side was chosen, where it is known.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub sides: Option<Sides>,
    /// The median response time in seconds.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub median_seconds: Option<f64>,
    /// Self trials and trials marked as checks.
    pub checks: usize,
    /// Of these, trials with an obvious right answer, answered so.
    pub passed: usize,
    /// And answered otherwise.
    pub failed: usize,
    /// Questions this participant answered more than once.
    pub repeated: usize,
    /// Of these, questions answered in more than one way.
    pub contradicted: usize,
    /// What stands out.
    pub flags: Vec<Flag>,
}

/// Agreement of a participant with the majority of the others.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct WithOthers {
    /// Answers to questions on which the others have a majority.
    pub shared: usize,
    /// Those that agree with it.
    pub agreeing: usize,
    /// `agreeing / shared`.
    pub share: f64,
    /// What answering by chance would reach.
    pub chance: f64,
    /// How likely chance is to agree as often as that, or more often: the upper tail of the binomial.
    pub p_value: f64,
}

/// On which side the chosen objects stood.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Sides {
    /// Answers with a known side.
    pub known: usize,
    /// Those on the left.
    pub left: usize,
    /// `left / known`.
    pub share: f64,
    /// The exact two-sided sign test against one half.
    pub p_value: f64,
}
