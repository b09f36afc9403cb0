//! What is told about a fit: plain versioned data, figures drawn from it, and the page that holds both.

mod arrow;
mod classes;
mod data;
mod evaluation;
mod judgements;
mod lapses;
mod maps;
mod panel;
mod sound;
mod stability;
pub(crate) mod figure;

pub use crate::solve::{Round, Starts};
pub use arrow::Arrow;
pub use classes::{ClassEvaluation, ClassFigures, ClassHeldOut, MeanError};
pub use data::{
    FeatureReading, FeatureShare, FitReport, Input, KernelReading, KernelShare, PersonReading, Refined, Tried, Tuning,
};
pub use evaluation::{
    Against, DimensionAgreement, DimensionPoint, Distortion, Evaluation, HeldOutFold, ObjectResidual, ObjectShare,
    Procrustes, Ratio, StressReference, StressSpread, WorstPair,
};
pub(crate) use figure::number::show;
pub use figure::{Figure, HeatFigure, Labels, Layer, LineFigure, ShepardFigure, ShepardPoint, Theme};
pub use judgements::{
    Agreement, Ceiling, CommonRadius, Contradicted, Fold, HeldOut, Interval, JudgementEvaluation, MeanShare,
    ObjectAgreement, PairAgreement, People, Unit, WholeAnswers, WithMargin,
};
pub use lapses::{Checks, Lapsed, OwnMap, ParticipantLapse, Worth};
pub use maps::MapMixture;
pub use panel::{Flag, Panel, Participant, Sides, WithOthers};
pub use stability::{ObjectSpread, StabilityKind, StabilitySummary};
