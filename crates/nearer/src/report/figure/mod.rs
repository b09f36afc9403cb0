//! Figures that go straight into a paper. What is drawn is a `Sheet` of marks; svg, png and pdf are three ways to write
//! it, with the built-in font, so that the same map gives the same picture in every format and on every machine.

pub(crate) mod colour;
mod joining;
mod font;
mod text;
mod spelling;
mod sheet;
mod svg;
mod png;
mod pdf;
pub(crate) mod marker;
pub(crate) mod number;
pub(crate) mod encode;
mod grid;
mod candidate;
mod place;
mod legend;
mod project;
mod layers;
mod theme;
mod scene;
mod map;
mod draw;
mod chart;
mod shepard;
mod line;
mod heat;

#[cfg(test)]
mod tests;

pub use heat::HeatFigure;
pub use layers::{Layer, Theme};
pub use line::LineFigure;
pub use map::{Figure, Labels};
pub use shepard::{ShepardFigure, ShepardPoint};
pub(crate) use text::{escaped, turns};

/// What a compressed stream of a figure holds.
#[cfg(test)]
fn inflated(bytes: &[u8]) -> Vec<u8> {
    let mut all = Vec::new();
    std::io::Read::read_to_end(&mut flate2::read::ZlibDecoder::new(bytes), &mut all).expect("a whole stream");
    all
}
