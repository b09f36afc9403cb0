//! Where the objects lie: coordinates in a canonical pose, the spectrum behind them, and one map laid over another.

mod align;
mod embedding;
mod spectrum;

pub use align::{Alignment, align};
pub use embedding::{Embedding, Pose};
pub use spectrum::Spectrum;
