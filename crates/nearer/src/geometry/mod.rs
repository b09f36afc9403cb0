//! Where the objects lie: coordinates in a canonical pose, the spectrum behind them, and one map laid over another.

mod align;
mod ellipse;
mod embedding;
mod spectrum;
mod touch;
mod turn;

pub use align::{Alignment, align};
pub use ellipse::Ellipse;
pub(crate) use embedding::LARGEST;
pub use embedding::{Embedding, Pose};
pub use spectrum::Spectrum;
pub use touch::{TOUCH, Touch};
pub use turn::Turn;
