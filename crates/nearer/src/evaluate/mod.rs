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
//! | do two maps agree | [`compare`] |
//! | how many dimensions | [`stress_by_dimension`] |
//! | would the map come out again | [`jackknife`], [`bootstrap`] |
//! | the first four at once, as JSON | [`evaluation`] |

mod join;
mod multiple;
mod disparity;
mod stress;
mod shepard;
mod neighbourhood;
mod compare;
mod dimension;
mod replicate;
mod stability;
mod jackknife;
mod bootstrap;
mod summary;

pub use crate::solve::ordinal::Ties;
pub use bootstrap::bootstrap;
pub use compare::{Comparison, compare};
pub use dimension::{DimensionPoint, stress_by_dimension};
pub use disparity::Target;
pub use jackknife::jackknife;
pub use neighbourhood::{Neighbourhood, neighbourhood};
pub use shepard::{ShepardPair, shepard, worst_pairs};
pub use stability::{Stability, StabilityKind};
pub use stress::{StressReport, stress};
pub use summary::{Options, evaluation};
