//! Comparisons and partial orders: which of two distances is the smaller.

mod axis_weights;
pub(crate) mod choice;
pub(crate) mod choosing;
pub(crate) mod ckl;
pub(crate) mod convex_ste;
pub(crate) mod dimensions;
pub(crate) mod gnmds;
pub(crate) mod kernel_gnmds;
pub(crate) mod kernel_partial_order;
pub(crate) mod lapsed;
pub(crate) mod least_bound;
pub(crate) mod likely;
pub(crate) mod line;
pub(crate) mod lore;
pub(crate) mod naive_order;
pub(crate) mod partial_order;
mod second_look;
pub(crate) mod soe;
pub(crate) mod ste;
pub(crate) mod t_ste;

pub use choice::{ChoiceLink, ChoiceModel, Lapses};
pub use ckl::Ckl;
pub use convex_ste::ConvexSte;
pub use gnmds::Gnmds;
pub use kernel_gnmds::KernelGnmds;
pub use kernel_partial_order::{KernelPartialOrder, Metric};
pub use line::Line;
pub use lore::Lore;
pub use naive_order::NaiveOrder;
pub use partial_order::PartialOrder;
pub use soe::Soe;
pub use ste::Ste;
pub use t_ste::TSte;
