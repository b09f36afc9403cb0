//! Columns that colour and shape the points: of the metadata, or of the features that a map was made of.

use anyhow::{Result, anyhow};
use clap::Args;
use nearer::io::read_metadata;
use nearer::metadata::{Column, Metadata};
use nearer::{Objects, Study};

use crate::context::Context;
use crate::input;

/// What else is known of the objects, and what it does to the look of the points.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Figures")]
pub(crate) struct Columns {
    /// What else is known of the objects: a csv with their labels in the first column; FILE::where=column=value takes some of its
    /// rows
    #[arg(long, alias = "meta", value_name = "FILE")]
    pub(crate) metadata: Option<String>,
    /// Colour by this column of the metadata, or of the features that the map was made of
    #[arg(long, visible_alias = "color-by", aliases = ["colour", "color"], value_name = "COLUMN")]
    pub(crate) colour_by: Option<String>,
    /// Shape by this column of the metadata, or of the features
    #[arg(long, alias = "shape", value_name = "COLUMN")]
    pub(crate) shape_by: Option<String>,
}

impl Columns {
    /// The file of the metadata.
    pub(crate) fn file(&self) -> Option<String> {
        self.metadata.as_deref().map(|f| input::path_of(f).to_owned())
    }

    /// The metadata, joined to the objects of a map, and the columns of features where they are few or asked for; read before the work
    /// so that a wrong file costs nothing.
    pub(crate) fn read(&self, objects: &Objects, study: Option<&Study>, context: &Context) -> Result<Metadata> {
        /// Columns beyond this many no reader looks through.
        const FEW: usize = 24;
        let mut metadata = Metadata::default();
        if let Some(file) = &self.metadata {
            let assumed;
            (metadata, assumed) = read_metadata(&input::about_objects(file, context)?, objects)?;
            input::said(file, &assumed, context);
        }
        let asked = [&self.colour_by, &self.shape_by];
        for (_, features) in study.map_or(&[][..], Study::features) {
            let few = features.columns().len() <= FEW;
            let wanted = |name: &str| few || asked.iter().any(|a| a.as_deref() == Some(name));
            metadata = metadata.and_features(features, objects, wanted);
        }
        for name in asked.into_iter().flatten() {
            self.column(&metadata, name)?;
        }
        Ok(metadata)
    }

    pub(crate) fn column<'a>(&self, metadata: &'a Metadata, name: &str) -> Result<&'a Column> {
        metadata.column(name).ok_or_else(|| {
            let names: Vec<&str> = metadata.columns.iter().map(|c| c.name.as_str()).collect();
            if names.is_empty() {
                return anyhow!(
                    "no column `{name}` is known of the objects; give a table that has it by --metadata FILE"
                );
            }
            let file = self.metadata.as_deref().unwrap_or("the table of features");
            anyhow!("{file} has no column `{name}`; it has {}", names.join(", "))
        })
    }
}
