//! Maps as figures: what the flags of `embed` and `plot` ask for.

use std::path::PathBuf;

use anyhow::{Result, anyhow, bail};
use clap::Args;
use nearer::Embedding;
use nearer::evaluate::{self, Arrow};
use nearer::geometry::Ellipse;
use nearer::metadata::{Column, Metadata};
use nearer::page::Opening;
use nearer::report::{Figure, FitReport, HeatFigure, KernelReading, Labels, Layer, Theme};

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

/// What lies under and over the points of a figure, or of a page when it opens.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Figures")]
pub(crate) struct Layers {
    /// Draw the convex hull of each group of this column of the metadata
    #[arg(long, value_name = "COLUMN", requires = "metadata")]
    hulls: Option<String>,
    /// Draw an ellipse around each group of this column: it holds 95 % of a normal distribution with the group's covariance
    #[arg(long, value_name = "COLUMN", requires = "metadata")]
    group_ellipses: Option<String>,
    /// Join the objects of each group of this column with their mean
    #[arg(long, value_name = "COLUMN", requires = "metadata")]
    spiders: Option<String>,
    /// Fit these columns of numbers to the map and draw the directions in which they grow, as long as they fit well (R); `all`
    /// takes every column of numbers
    #[arg(long, value_name = "COLUMN,…", value_delimiter = ',', requires = "metadata")]
    arrows: Vec<String>,
    /// How many shuffles the p-values of arrows come from
    #[arg(long, default_value_t = 999, value_name = "N")]
    pub(crate) arrow_permutations: usize,
    /// Draw the links of the neighbourhood graph: those the method began with, or for other methods the ten nearest of each object
    #[arg(long)]
    pub(crate) links: bool,
    /// Draw lines of equal density of the points
    #[arg(long)]
    contours: bool,
    /// The area of a point grows with this column of numbers
    #[arg(long, value_name = "COLUMN", requires = "metadata")]
    size_by: Option<String>,
    /// Titles of the two axes that are drawn
    #[arg(long, value_name = "X,Y", value_parser = titles)]
    axis_titles: Option<(String, String)>,
    /// Colours: light, dark or grey
    #[arg(long, value_name = "THEME", value_parser = theme, default_value = "light")]
    theme: Theme,
}

impl Layers {
    /// What a page opens with.
    pub(crate) fn opening(&self, metadata: &Metadata) -> Opening {
        let every = self.arrows == ["all"];
        let numbers = metadata.columns.iter().filter(|c| c.numbers().is_some()).map(|c| c.name.clone());
        Opening {
            hulls: self.hulls.clone(),
            group_ellipses: self.group_ellipses.clone(),
            spiders: self.spiders.clone(),
            arrows: if every { numbers.collect() } else { self.arrows.clone() },
            contours: self.contours,
            size_by: self.size_by.clone(),
            axis_titles: self.axis_titles.clone(),
            theme: self.theme,
        }
    }
}

fn titles(text: &str) -> Result<(String, String), String> {
    let (x, y) = text.split_once(',').ok_or("write two titles as X,Y")?;
    Ok((x.trim().to_owned(), y.trim().to_owned()))
}

fn theme(text: &str) -> Result<Theme, String> {
    match text {
        "light" => Ok(Theme::Light),
        "dark" => Ok(Theme::Dark),
        "grey" | "gray" => Ok(Theme::Grey),
        _ => Err("write light, dark or grey".into()),
    }
}

/// What a fit or its evidence adds to the points of a figure.
#[derive(Debug, Default)]
pub(crate) struct Beside<'a> {
    pub(crate) ellipses: Option<&'a [Option<Ellipse>]>,
    /// Links between objects, as rows of the map.
    pub(crate) links: &'a [[u32; 2]],
    pub(crate) corner: Option<String>,
}

/// What is drawn beside the points, and the arrows behind it.
#[derive(Debug, Default)]
struct Drawn {
    layers: Vec<Layer>,
    arrows: Vec<Arrow>,
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

    /// What lies under and over the points, computed from the metadata.
    fn drawn(&self, map: &Embedding, metadata: &Metadata, context: &Context) -> Result<Drawn> {
        let (l, axes) = (&self.layers, self.axes);
        let mut drawn = Drawn::default();
        if l.contours {
            drawn.layers.extend(Layer::contours(map, axes));
        }
        if let Some(name) = &l.hulls {
            drawn.layers.extend(Layer::hulls(map, axes, self.columns.column(metadata, name)?));
        }
        if let Some(drift) = &self.drift {
            let (arrows, times) = Layer::drift(map, axes, drift);
            drawn.layers.extend(arrows);
            context.note_once(&format!("arrows of the drift are drawn {times:.3} times as long as they are"));
        }
        if let Some(name) = &l.spiders {
            drawn.layers.extend(Layer::spiders(map, axes, self.columns.column(metadata, name)?));
        }
        if !l.arrows.is_empty() {
            let every = l.arrows == ["all"];
            let columns: Vec<&Column> = match every {
                true => metadata.columns.iter().filter(|c| c.numbers().is_some()).collect(),
                false => l.arrows.iter().map(|n| self.columns.column(metadata, n)).collect::<Result<_>>()?,
            };
            if let Some(words) = columns.iter().find(|c| c.numbers().is_none()) {
                bail!(
                    "--arrows {}: the column holds words; arrows are for numbers, --hulls and --spiders for groups",
                    words.name
                );
            }
            drawn.arrows = evaluate::arrows(map, &columns, l.arrow_permutations, &context.run())?;
            let plane = |a: &Arrow| {
                let along = |k: usize| a.direction.get(k).copied().unwrap_or_default();
                (a.name.clone(), [along(axes.0), along(axes.1)], a.r2.sqrt())
            };
            let plane: Vec<_> = drawn.arrows.iter().map(plane).collect();
            drawn.layers.extend(Layer::arrows(map, axes, &plane));
            for a in &drawn.arrows {
                context.note_once(&format!(
                    "arrow {}: R2 {:.4}, p {:.4} by {} shuffles",
                    a.name, a.r2, a.p, l.arrow_permutations
                ));
            }
        }
        Ok(drawn)
    }

    /// The numbers behind the figure: one row for each object, hull corner, mean of a group and arrow.
    pub(crate) fn data(&self, map: &Embedding, metadata: &Metadata, context: &Context) -> Result<Vec<u8>> {
        let drawn = self.drawn(map, metadata, context)?;
        let mut out = csv::Writer::from_writer(Vec::new());
        let (a, b) = if map.dim() > 1 { self.axes } else { (0, 0) };
        let names: Vec<&str> = metadata.columns.iter().map(|c| c.name.as_str()).collect();
        let mut header = vec!["what", "name", "x", "y", "r2", "p"];
        header.extend(&names);
        out.write_record(&header)?;
        let blank = || vec![String::new(); names.len()];
        for (k, label) in map.objects().labels().iter().enumerate() {
            let p = map.point(k);
            let y = if map.dim() > 1 { p[b] } else { 0.0 };
            let mut row = vec![
                "object".into(),
                label.clone(),
                format!("{:?}", p[a]),
                format!("{y:?}"),
                String::new(),
                String::new(),
            ];
            row.extend(metadata.columns.iter().map(|c| c.values[k].clone().unwrap_or_default()));
            out.write_record(&row)?;
        }
        for layer in &drawn.layers {
            let mut write = |what: &str, name: &str, p: [f64; 2]| {
                let mut row = vec![
                    what.into(),
                    name.into(),
                    format!("{:?}", p[0]),
                    format!("{:?}", p[1]),
                    String::new(),
                    String::new(),
                ];
                row.extend(blank());
                out.write_record(&row)
            };
            match layer {
                Layer::Area { outline, group } => {
                    let name = group.map_or(String::new(), |g| (g + 1).to_string());
                    outline.iter().try_for_each(|p| write("hull", &name, *p))?;
                }
                Layer::Word { at, text, group: Some(_) } => write("mean", text, *at)?,
                _ => {}
            }
        }
        for (label, way) in map.objects().labels().iter().zip(self.drift.iter().flatten()) {
            let along = |k: usize| format!("{:?}", way.get(k).copied().unwrap_or_default());
            let mut row = vec!["drift".into(), label.clone(), along(a), along(b), String::new(), String::new()];
            row.extend(blank());
            out.write_record(&row)?;
        }
        for arrow in &drawn.arrows {
            let along = |k: usize| format!("{:?}", arrow.direction.get(k).copied().unwrap_or_default());
            let mut row = vec![
                "arrow".into(),
                arrow.name.clone(),
                along(a),
                along(b),
                format!("{:?}", arrow.r2),
                format!("{:?}", arrow.p),
            ];
            row.extend(blank());
            out.write_record(&row)?;
        }
        Ok(out.into_inner()?)
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
