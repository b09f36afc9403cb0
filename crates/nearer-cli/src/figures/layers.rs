//! What lies under and over the points: hulls, ellipses, spiders, arrows, links and contours.

use anyhow::{Result, bail};
use clap::Args;
use nearer::Embedding;
use nearer::evaluate::{self, Arrow};
use nearer::metadata::{Column, Metadata};
use nearer::page::Opening;
use nearer::report::{Layer, Theme};

use super::Look;
use crate::context::Context;

/// What lies under and over the points of a figure, or of a page when it opens.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Figures")]
pub(crate) struct Layers {
    /// Draw the convex hull of each group of this column of the metadata
    #[arg(long, value_name = "COLUMN", requires = "metadata")]
    hulls: Option<String>,
    /// Draw an ellipse around each group of this column: it holds 95 % of a normal distribution with the group's covariance
    #[arg(long, value_name = "COLUMN", requires = "metadata")]
    pub(super) group_ellipses: Option<String>,
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
    pub(super) size_by: Option<String>,
    /// Titles of the two axes that are drawn
    #[arg(long, value_name = "X,Y", value_parser = titles)]
    pub(super) axis_titles: Option<(String, String)>,
    /// Colours: light, dark or grey
    #[arg(long, value_name = "THEME", value_parser = theme, default_value = "light")]
    pub(super) theme: Theme,
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

/// What is drawn beside the points, and the arrows behind it.
#[derive(Debug, Default)]
pub(super) struct Drawn {
    pub(super) layers: Vec<Layer>,
    pub(super) arrows: Vec<Arrow>,
}

impl Look {
    /// What lies under and over the points, computed from the metadata.
    pub(super) fn drawn(&self, map: &Embedding, metadata: &Metadata, context: &Context) -> Result<Drawn> {
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
