//! **nearer** turns what is known about how alike things are into a map you can trust.
//!
//! ```
//! use nearer::{Embed, method::MetricMds, toy};
//! # fn main() -> Result<(), nearer::Error> {
//! let cities = toy::cities();                       // road kilometres between 21 European cities
//! let fit = MetricMds::new(2).fit(&cities)?;
//! println!("{} objects, stress-1 {:.3}", fit.embedding.len(), fit.report.stress1.unwrap_or_default());
//! # Ok(()) }
//! ```
//!
//! The modules stand in the order in which data flows; each uses only those above it.

mod remedy;
pub mod error;
mod input;
mod object;
pub mod settings;
pub mod geometry;
pub mod evidence;
pub mod metadata;
mod transform;
pub mod graph;
pub mod study;
pub mod program;
pub mod solve;
pub mod report;
pub mod text;
pub mod page;
mod fit;
pub mod model;
pub mod evaluate;
pub mod method;
pub mod cluster;
pub mod check;
pub mod show;
pub mod io;
pub mod verify;
pub mod toy;

pub use error::Error;
pub use evidence::{
    Bound, Comparison, Comparisons, DistanceRows, Distances, Evidence, Features, Measurements, Pairs, Part, Sorts,
    Taxonomy, Trials,
};
pub use fit::{Embed, Fit, Place};
pub use geometry::{Embedding, Spectrum};
pub use object::{Item, Objects, Pair};
pub use program::Certificate;
pub use settings::{Settings, Value};
pub use solve::{Run, Step, Stop};
pub use study::Study;

// What the tests inside share with those from outside speaks of the crate by its name.
#[cfg(test)]
extern crate self as nearer;
