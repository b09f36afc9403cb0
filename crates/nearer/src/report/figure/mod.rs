//! Figures that go straight into a paper: one svg is the source, png and pdf are made from it, and the font is built in,
//! so that the same map gives the same picture on every machine.

mod text;
mod svg;
mod render;
pub(super) mod colour;
pub(super) mod marker;
pub(super) mod number;
pub(super) mod encode;
mod grid;
mod candidate;
mod place;
mod legend;
mod project;
mod scene;
mod map;
mod draw;
mod chart;
mod shepard;
mod line;

#[cfg(test)]
mod tests;

pub use line::LineFigure;
pub use map::{Figure, Labels};
pub use shepard::{ShepardFigure, ShepardPoint};
