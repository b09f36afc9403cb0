//! How good a map is: what it gets wrong and where, whether neighbours stayed neighbours, whether another map says the
//! same, how many dimensions the data need, and whether the map would come out again.
//!
//! Everything here works from a map and the data alone, whoever made the map; what needs new fits takes them as a
//! closure. Objects are joined by label: every object of the data must be on the map, and the map may hold more.
//!
//! | question | function |
//! |---|---|
//! | how far is the map from the data, and which objects are to blame | [`stress`] |
//! | pair by pair, and the worst pairs | [`shepard`], [`worst_pairs`] |
//! | did neighbours stay neighbours | [`neighbourhood`] |
//! | how much of the distances or ways the map does not show | [`residual_variance`] |
//! | do two maps agree | [`compare`], [`agreement_by_chance`] |
//! | is the stress low: beside that of random and of shuffled numbers | [`stress_reference`] |
//! | do groups of objects differ, or their spread | [`groups`] |
//! | which way does a number grow over the map | [`arrows`] |
//! | how many dimensions | [`stress_by_dimension`], [`agreement_by_dimension`] |
//! | would the map come out again | [`jackknife`], [`bootstrap`], [`bootstrap_judgements`] |
//! | the first four at once, as JSON | [`evaluation`] |
//! | do the judgements hold on the map, and how sure is that | [`agreement`], [`pair_agreement`], [`agreement_interval`] |
//! | what could any map reach, given that people contradict each other | [`ceiling`] |
//! | does a map predict judgements it was not made from | [`held_out`], [`held_out_objects`], [`held_out_pairs`], [`HoldOut`] |
//! | how sure is each place, and how likely are answers | [`laplace`], [`log_likelihood`] |
//! | who took part, and who did not look | [`participants`] |
//! | can classes be told from the map, and from features not seen in learning | [`class_evaluation`], [`held_out_classes`] |
//! | each judgement by itself | [`judged_comparisons`], [`judged_pairs`] |
//! | agreement, ceiling and the worst contradictions at once, as JSON | [`judgements`], [`pair_judgements`] |

mod join;
mod multiple;
mod disparity;
mod stress;
mod shepard;
mod neighbourhood;
mod compare;
mod permuted;
mod groups;
mod reference;
mod arrows;
mod dimension;
mod replicate;
mod stability;
mod jackknife;
mod bootstrap;
mod bootstrap_judgements;
mod summary;
mod interval;
mod agreement;
mod radii;
mod others;
mod ceiling;
mod participants;
mod likelihood;
mod laplace;
mod held_out;
mod held_out_objects;
mod held_out_pairs;
mod hold_out;
mod judgements;
mod residual;
mod as_given;
mod classes;
mod rows;

pub use crate::report::StabilityKind;
pub use crate::solve::ordinal::Ties;
pub use agreement::{agreement, agreement_interval};
pub use arrows::{Arrow, agreement_by_chance, arrows, fitted};
pub use as_given::AsGiven;
pub use bootstrap::{bootstrap, bootstrap_sorts};
pub use bootstrap_judgements::bootstrap_judgements;
pub use ceiling::{ceiling, pair_ceiling};
pub use classes::{class_evaluation, held_out_classes};
pub use compare::{Overlay, compare};
pub use dimension::{DimensionPoint, agreement_by_dimension, stress_by_dimension};
pub use disparity::Target;
pub use groups::{Anosim, Centre, Dispersion, GroupSpread, GroupTests, Permanova, groups};
pub use held_out::{By, Folds, held_out, held_out_scored};
pub use held_out_objects::held_out_objects;
pub use held_out_pairs::{Hold, Radii, held_out_pairs};
pub use hold_out::{Beside, HoldOut};
pub use jackknife::jackknife;
pub use judgements::{JudgementOptions, judgements, pair_judgements};
pub use laplace::{Laplace, laplace};
pub use likelihood::log_likelihood;
pub use neighbourhood::{Neighbourhood, neighbourhood};
pub use participants::participants;
pub use radii::{pair_agreement, pair_agreement_interval};
pub use reference::stress_reference;
pub use residual::residual_variance;
pub use rows::{judged_comparisons, judged_pairs};
pub use shepard::{ShepardPair, shepard, worst_pairs};
pub use stability::Stability;
pub use stress::{StressReport, stress};
pub use summary::{Options, evaluation};
