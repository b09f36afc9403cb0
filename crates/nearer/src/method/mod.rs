//! One file a method, each a recipe: evidence, program, solution, fit. [`table::METHODS`] lists them all.

mod chosen;
mod common;
mod comparisons;
mod convex;
pub mod cost;
mod distances;
mod features;
mod kernel_reading;
mod manifold;
mod pairs;
mod parameter;
mod proof;
mod spanned;
mod spanning;
pub mod table;
mod told;
mod tune;
mod way;

pub use crate::solve::ordinal::Ties;
pub use chosen::{Chosen, as_claimed, at_unit_variance};
pub use comparisons::*;
pub use distances::*;
pub use features::*;
pub use manifold::*;
pub use pairs::*;
pub use spanning::{Axes, Pick};
pub use tune::{TuneBy, Tuned, Tuner};
