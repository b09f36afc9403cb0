//! How well a map agrees with judgements, plain, versioned, serialisable. A key without meaning is absent.

use serde::{Deserialize, Serialize};

use crate::report::{DimensionAgreement, Procrustes, StabilitySummary};
use crate::solve::Stop;

/// How well a map agrees with comparisons or pairs. Keys may be added; the meaning of a key does not change within a
/// `schema`. All numbers are finite.
///
/// [`evaluate::judgements`](crate::evaluate::judgements) fills it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct JudgementEvaluation {
    /// Version of this structure.
    pub schema: u32,
    /// The version of the library that made it.
    pub version: String,
    /// The method that made the map, where known.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub method: Option<String>,
    /// `comparisons` or `pairs`.
    pub kind: String,
    /// How many objects the judgements are about, judged or not.
    pub objects: usize,
    /// Dimensions of the map.
    pub dim: usize,
    /// The seed of what is drawn: the interval, and folds.
    pub seed: u64,
    /// The share of comparisons with `d(near) < d(far)`, or of ordered pairs on the right side of the best radii.
    pub agreement: f64,
    /// How the comparisons fare.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub comparisons: Option<Agreement>,
    /// How the pairs fare.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub pairs: Option<PairAgreement>,
    /// What no map can exceed on these judgements.
    pub ceiling: Ceiling,
    /// How each object fares, in the order of the judgements.
    pub per_object: Vec<ObjectAgreement>,
    /// The judgements that the map contradicts most, worst first.
    pub worst: Vec<Contradicted>,
    /// The agreement with judgements that the map was not made from.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub held_out: Option<HeldOut>,
    /// The map against another one.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub procrustes: Option<Procrustes>,
    /// The agreement in other numbers of dimensions.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub by_dimension: Option<Vec<DimensionAgreement>>,
    /// Where objects lie when the map is made again.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub stability: Option<StabilitySummary>,
    /// What a reader should know before believing the figures.
    pub warnings: Vec<String>,
}

impl JudgementEvaluation {
    /// The version of the structure written by this library.
    pub const SCHEMA: u32 = 1;
}

/// How many comparisons hold on a map.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Agreement {
    /// All comparisons.
    pub rows: usize,
    /// Those with `d(near) < d(far)`, by more than touching (squares within 1e-6 of the mean squared distance of the map).
    pub satisfied: usize,
    /// Those whose distances touch.
    pub tied: usize,
    /// Those with `d(near) > d(far)`.
    pub violated: usize,
    /// `satisfied / rows`: a tie is not satisfied.
    pub share: f64,
    /// The share of the weight that is satisfied; absent where all weights are equal.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub weighted_share: Option<f64>,
    /// How many hold with their margins, when the map has the size that suits the margins best.
    pub with_margin: WithMargin,
    /// Whole answers, where one answer makes several comparisons.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub answers: Option<WholeAnswers>,
    /// Where the share would lie with other people, or other trials.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub interval: Option<Interval>,
}

/// How many comparisons hold with their margins: `s (d²(far) - d²(near)) >= margin` at the scale `s` of squared distances
/// that minimises `Σ w max(0, margin - s (d²(far) - d²(near)))`.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct WithMargin {
    /// The scale of the squared distances.
    pub scale: f64,
    /// How many comparisons hold.
    pub satisfied: usize,
    /// `satisfied / rows`.
    pub share: f64,
}

/// How many answers hold as a whole: every comparison that follows from them.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct WholeAnswers {
    /// All answers.
    pub answers: usize,
    /// Those of which every comparison holds.
    pub satisfied: usize,
    /// `satisfied / answers`.
    pub share: f64,
    /// The share that chance would get right, answering trial by trial.
    pub chance: f64,
}

/// How many ordered pairs are on the right side: similar inside a radius about `from`, dissimilar outside.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PairAgreement {
    /// All ordered rows.
    pub rows: usize,
    /// The answers they came from: half as many where pairs have no direction.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub answers: Option<usize>,
    /// At the best radius for each object.
    pub satisfied: usize,
    /// Those of them that touch their radius (squares within 1e-6 of the mean squared distance of the map).
    #[serde(default)]
    pub touching: usize,
    /// Not satisfied, only because an object with the opposite answer is at the same place.
    pub tied: usize,
    /// The rest.
    pub violated: usize,
    /// `satisfied / rows`.
    pub share: f64,
    /// The share of the weight that is satisfied at the radii that are best for the weights; absent where all are equal.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub weighted_share: Option<f64>,
    /// The share that any map reaches: for each object the more frequent of its answers.
    pub baseline: f64,
    /// At one radius for all objects.
    pub common: CommonRadius,
    /// Where the share would lie with other people, or other answers; the radii stay.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub interval: Option<Interval>,
}

/// One radius for all objects.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CommonRadius {
    /// The radius; of pairs in grades that of the most alike.
    pub radius: f64,
    /// The radii of the other grades, outwards.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub nested: Vec<f64>,
    /// How many rows are on the right side.
    pub satisfied: usize,
    /// `satisfied / rows`.
    pub share: f64,
}

/// What is drawn anew in a bootstrap.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Unit {
    /// People, with everything they answered.
    Participants,
    /// Answers, with every comparison that follows from them.
    Answers,
}

/// A percentile interval by the bootstrap.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Interval {
    /// The lower end.
    pub low: f64,
    /// The upper end.
    pub high: f64,
    /// The share of replicates between the ends.
    pub level: f64,
    /// How many replicates there are.
    pub replicates: usize,
    /// What was drawn anew.
    pub unit: Unit,
    /// How many of them there are.
    pub units: usize,
}

/// What no map can exceed: people who are asked the same contradict each other, and answers go in circles.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Ceiling {
    /// All rows.
    pub rows: usize,
    /// Distinct questions.
    pub questions: usize,
    /// Rows on the losing side of their own question.
    pub minority: usize,
    /// Rows that circles of several questions cost beside those, at least.
    #[serde(default)]
    pub circles: usize,
    /// `1 - (minority + circles) / rows`: proved to be no less than what any map in any number of dimensions can satisfy.
    pub share: f64,
    /// The same by weight; absent where all weights are equal.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub weighted_share: Option<f64>,
    /// How well people predict each other, where it is known who answered.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub people: Option<People>,
}

/// How often a participant answers as the majority of the others does, over questions that others answered too.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct People {
    /// Answers with a majority of others to be held against.
    pub answers: usize,
    /// Those that agree with it.
    pub agreeing: usize,
    /// `agreeing / answers`.
    pub share: f64,
}

/// How the judgements that involve an object fare.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ObjectAgreement {
    /// The object.
    pub label: String,
    /// How many rows involve it.
    pub rows: usize,
    /// How many of them are satisfied.
    pub satisfied: usize,
    /// For pairs said to be alike or not, the radius about the object that puts most of its own rows right: similar ones
    /// inside, dissimilar ones outside. Absent where it was asked about none.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub radius: Option<f64>,
}

/// A judgement that a map contradicts.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Contradicted {
    /// The judgement as a sentence.
    pub judgement: String,
    /// The distance on the map that should be smaller.
    pub near: f64,
    /// The distance on the map, or the radius, that should be larger.
    pub far: f64,
    /// `near - far`.
    pub excess: f64,
    /// Of pairs, which of the two is the radius; the other is the distance.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub radius: Option<f64>,
    /// How often it was said.
    pub times: usize,
    /// The line of the file where it was said first.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub line: Option<u64>,
    /// Who said it first.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub participant: Option<String>,
}

/// The agreement of maps with judgements they were not made from.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct HeldOut {
    /// What was kept together: `rows`, `queries`, `participant` or `object`.
    pub by: String,
    /// The method that made the maps, where known.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub method: Option<String>,
    /// Each fold that was fitted.
    pub folds: Vec<Fold>,
    /// The agreement with the judgements the maps were made from.
    pub train: MeanShare,
    /// The agreement with those held out.
    pub test: MeanShare,
    /// The mean logarithm of the probability of the answers held out, for methods with a likelihood: that of a triplet answered by
    /// the toss of a coin is -0.693.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub log_likelihood: Option<MeanShare>,
    /// The agreement with those held out in the features that a metric was learned from, in the same folds: as they were given, or at
    /// unit variance, as the metric was told.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub features: Option<MeanShare>,
    /// Folds whose fit failed.
    pub failed: usize,
    /// Why it ended.
    pub stop: Stop,
    /// What a reader should know.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub warnings: Vec<String>,
}

/// A mean over folds.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct MeanShare {
    /// The mean.
    pub mean: f64,
    /// The standard deviation over folds, divided by the root of their number; rough, since folds share training rows.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub standard_error: Option<f64>,
}

/// One fold.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Fold {
    /// Its number, from 1.
    pub fold: usize,
    /// Rows the map was made from.
    pub train_rows: usize,
    /// Rows it was held against.
    pub test_rows: usize,
    /// The share satisfied of the first.
    pub train: f64,
    /// The share satisfied of the second.
    pub test: f64,
    /// The mean logarithm of the probability of the answers behind the second, for methods with a likelihood.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub log_likelihood: Option<f64>,
    /// By objects: how many were held out and then placed.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub placed: Option<usize>,
    /// By objects: how many could not be placed.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub unplaced: Option<usize>,
}
