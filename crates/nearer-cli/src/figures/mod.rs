//! Maps as figures: what the flags of `embed` and `plot` ask for.

mod data;
mod layers;

pub(crate) use layers::Layers;

use std::path::PathBuf;

use anyhow::{Result, anyhow};
use clap::Args;
use nearer::Embedding;
use nearer::geometry::Ellipse;
use nearer::metadata::{Column, Metadata};
use nearer::report::{Figure, FitReport, HeatFigure, KernelReading, Labels, Layer};

use crate::columns::Columns;
use crate::context::Context;
use crate::output::Picture;

/// The column that tells rows from columns on a map of both.
const SIDE: &str = "side";

/// With a column that tells the first objects of a map, its rows, from the others.
pub(crate) fn with_sides(mut metadata: Metadata, rows: usize, all: usize) -> Metadata {
    if metadata.column(SIDE).is_none() {
        let side = |k: usize| Some(if k < rows { "row" } else { "column" }.to_owned());
        metadata.columns.push(Column { name: SIDE.into(), values: (0..all).map(side).collect() });
    }
    metadata
}

/// How a figure looks.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Figures")]
pub(crate) struct Look {
    #[command(flatten)]
    pub(crate) columns: Columns,
    /// Which two axes of the map are drawn
    #[arg(long, value_name = "X,Y", value_parser = axes, default_value = "1,2")]
    pub(crate) axes: (usize, usize),
    /// Which labels are written: auto leaves out those that would overlap
    #[arg(long, value_name = "auto|all|none", value_parser = labels, default_value = "auto")]
    labels: Labels,
    /// A title
    #[arg(long)]
    pub(crate) title: Option<String>,
    /// Text in the corner, in place of the stress
    #[arg(long, value_name = "TEXT")]
    corner: Option<String>,
    /// Width and height in millimetres
    #[arg(long, value_name = "WxH", value_parser = size)]
    size: Option<(f64, f64)>,
    #[command(flatten)]
    pub(crate) layers: Layers,
    /// Write the numbers behind the figure as a tidy csv: points with their columns, hulls, means of groups, arrows
    #[arg(long, value_name = "FILE.csv")]
    pub(crate) figure_data: Option<PathBuf>,
    /// Where objects drift to, as the report of the fit says.
    #[arg(skip)]
    pub(crate) drift: Option<Vec<Vec<f64>>>,
    /// Dots per inch of a png
    #[arg(long, default_value_t = 300.0, value_parser = dpi)]
    pub(crate) dpi: f64,
}

/// What a fit or its evidence adds to the points of a figure.
#[derive(Debug, Default)]
pub(crate) struct Beside<'a> {
    pub(crate) ellipses: Option<&'a [Option<Ellipse>]>,
    /// Links between objects, as rows of the map.
    pub(crate) links: &'a [[u32; 2]],
    pub(crate) corner: Option<String>,
}

impl Look {
    /// The look of a fit: with the arrows of its drift, and rows and columns in two colours where both are on the map.
    pub(crate) fn of_fit(&self, report: &FitReport, metadata: &Metadata) -> Look {
        let mut look = self.clone();
        look.drift.clone_from(&report.drift);
        if look.columns.colour_by.is_none() && report.method == "unfolding" && metadata.column(SIDE).is_some() {
            look.columns.colour_by = Some(SIDE.into());
        }
        look
    }

    /// Refuses axes that the map has not.
    pub(crate) fn fits(&self, dim: usize) -> Result<()> {
        let largest = self.axes.0.max(self.axes.1);
        if largest >= dim && dim > 1 {
            return Err(anyhow!("axis {} is asked for, and the map has {dim}; choose by --axes", largest + 1));
        }
        Ok(())
    }

    /// The weights of landmarks as a picture.
    pub(crate) fn heat(&self, reading: &KernelReading, picture: Picture) -> Result<Vec<u8>> {
        let mut figure = HeatFigure::new(reading);
        if let Some(title) = &self.title {
            figure = figure.title(title);
        }
        if let Some((width, height)) = self.size {
            figure = figure.size(width, height);
        }
        Ok(match picture {
            Picture::Svg => figure.svg()?.into_bytes(),
            Picture::Png => figure.png(self.dpi)?,
            Picture::Pdf => figure.pdf()?,
        })
    }

    /// The figure of a map as the bytes of a file.
    pub(crate) fn draw(
        &self,
        map: &Embedding,
        metadata: &Metadata,
        beside: &Beside<'_>,
        picture: Picture,
        context: &Context,
    ) -> Result<Vec<u8>> {
        let mut figure = Figure::new(map).labels(self.labels);
        if map.dim() > 1 {
            figure = figure.axes(self.axes.0, self.axes.1);
        }
        if let Some(title) = &self.title {
            figure = figure.title(title);
        }
        if let Some(name) = &self.columns.colour_by {
            figure = figure.colour_by(self.columns.column(metadata, name)?);
        }
        if let Some(name) = &self.columns.shape_by {
            figure = figure.shape_by(self.columns.column(metadata, name)?);
        }
        if let Some(ellipses) = beside.ellipses {
            figure = figure.ellipses(ellipses);
        }
        let l = &self.layers;
        if let Some(name) = &l.group_ellipses {
            figure = figure.group_ellipses(self.columns.column(metadata, name)?, 0.95);
        }
        let mut corner = self.corner.clone().or(beside.corner.clone()).unwrap_or_default();
        if let Some(name) = &l.size_by {
            let column = self.columns.column(metadata, name)?;
            figure = figure.size_by(column);
            let known: Vec<f64> = column.numbers().into_iter().flatten().flatten().collect();
            let (least, most) =
                known.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(a, b), v| (a.min(*v), b.max(*v)));
            let gap = if corner.is_empty() { "" } else { ", " };
            corner = format!("{corner}{gap}size: {name}, {least} to {most}");
        }
        if !corner.is_empty() {
            figure = figure.corner(corner);
        }
        if let Some((x, y)) = &l.axis_titles {
            figure = figure.axis_names(x, y);
        }
        if l.links {
            figure = figure.layers(beside.links.iter().map(|[a, b]| Layer::Join(*a as usize, *b as usize)).collect());
        }
        figure = figure.layers(self.drawn(map, metadata, context)?.layers).theme(l.theme);
        if let Some((width, height)) = self.size {
            figure = figure.size(width, height);
        }
        if picture != Picture::Svg
            && let Some(said) = said_of_spelling(&figure.spelled()?)
        {
            context.note_once(&said);
        }
        Ok(match picture {
            Picture::Svg => figure.svg()?.into_bytes(),
            Picture::Png => figure.png(self.dpi)?,
            Picture::Pdf => figure.pdf()?,
        })
    }
}

/// That some texts are spelled in other letters, and which.
fn said_of_spelling(spelled: &[(String, String)]) -> Option<String> {
    const SHOWN: usize = 12;
    if spelled.is_empty() {
        return None;
    }
    let shown: Vec<String> =
        spelled.iter().take(SHOWN).map(|(text, letters)| format!("`{text}` as `{letters}`")).collect();
    let more = spelled.len().saturating_sub(SHOWN);
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    let texts = if spelled.len() == 1 { "a text".into() } else { format!("{} texts", spelled.len()) };
    Some(format!(
        "warning: the built-in font lacks letters of {texts}; png and pdf spell {}{more}; an svg keeps the text itself",
        shown.join(", ")
    ))
}

/// What stands in the corner when nothing else is asked for.
pub(crate) fn stress_in_corner(stress1: Option<f64>) -> Option<String> {
    stress1.map(|s| format!("stress-1 = {s:.3}"))
}

fn axes(text: &str) -> Result<(usize, usize), String> {
    let wrong = || "write two different axes as 1,2".to_owned();
    if ["objects", "map"].contains(&text) {
        return Err(format!(
            "these are the two axes of a figure; what a kernel method projects on is --projection {text}"
        ));
    }
    let (x, y) = text.split_once(',').ok_or_else(wrong)?;
    match (x.trim().parse::<usize>(), y.trim().parse::<usize>()) {
        (Ok(x), Ok(y)) if x > 0 && y > 0 && x != y => Ok((x - 1, y - 1)),
        _ => Err(wrong()),
    }
}

fn labels(text: &str) -> Result<Labels, String> {
    match text {
        "auto" => Ok(Labels::Auto),
        "all" => Ok(Labels::All),
        "none" => Ok(Labels::None),
        _ => Err("write auto, all or none".into()),
    }
}

fn size(text: &str) -> Result<(f64, f64), String> {
    let wrong = || "write width and height in millimetres as 120x100, each from 20 to 2000".to_owned();
    let (w, h) = text.trim_end_matches("mm").trim().split_once(['x', '×']).ok_or_else(wrong)?;
    match (w.trim().parse::<f64>(), h.trim().parse::<f64>()) {
        (Ok(w), Ok(h)) if [w, h].iter().all(|v| (20.0..=2000.0).contains(v)) => Ok((w, h)),
        _ => Err(wrong()),
    }
}

fn dpi(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(dpi) if (10.0..=2400.0).contains(&dpi) => Ok(dpi),
        _ => Err("write dots per inch from 10 to 2400".into()),
    }
}
