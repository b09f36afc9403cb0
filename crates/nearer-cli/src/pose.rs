//! Which way up a map is: turned, mirrored, or laid as another is, and remembered by its model.

use anyhow::{Result, anyhow, bail};
use clap::Args;
use nearer::geometry::Turn;
use nearer::io::InputFile;
use nearer::model::Model;
use nearer::{Embedding, Fit};

use crate::context::Context;
use crate::input;

/// What distances leave open and a reader wants settled.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Pose")]
pub(crate) struct PoseFlags {
    /// Turn and mirror the map to lie as this map or model does, by the labels both have
    #[arg(long, value_name = "MAP")]
    align_to: Option<String>,
    /// Mirror along these axes: x, y, or numbers
    #[arg(long, value_name = "AXIS,…", value_delimiter = ',')]
    flip: Vec<String>,
    /// Turn by so many degrees, counter-clockwise
    #[arg(long, value_name = "DEGREES", allow_hyphen_values = true)]
    rotate: Option<f64>,
    /// Turn until the first object is straight above the second: --up Stockholm,Rome
    #[arg(long, value_name = "ABOVE,BELOW")]
    up: Option<String>,
}

impl PoseFlags {
    /// The turn that is asked for: laid as another, then mirrored, turned, and set upright.
    pub(crate) fn turn(&self, map: &Embedding, context: &Context) -> Result<Turn> {
        let mut turn = Turn::none(map.dim());
        if let Some(file) = &self.align_to {
            turn = Turn::to(map, &input::read_map_file(file, context)?.embedding)?;
        }
        for axis in &self.flip {
            turn = turn.flip(number(axis)?)?;
        }
        if let Some(degrees) = self.rotate {
            if !degrees.is_finite() {
                bail!("--rotate is {degrees}; write degrees as a number");
            }
            turn = turn.rotate(degrees)?;
        }
        if let Some(pair) = &self.up {
            let (above, below) = objects(pair, map)?;
            turn = turn.up(map, &above, &below)?;
        }
        Ok(turn)
    }

    /// The file whose pose is taken, as it was read.
    pub(crate) fn input(&self, context: &Context) -> Result<Vec<InputFile>, nearer::Error> {
        context.inputs(self.align_to.as_slice())
    }

    /// A fit in the pose that is asked for, its model with it.
    pub(crate) fn posed(&self, fit: Fit<Model>, context: &Context) -> Result<Fit<Model>> {
        let turn = self.turn(&fit.embedding, context)?;
        if turn.is_none() {
            return Ok(fit);
        }
        let embedding = turn.apply(&fit.embedding)?;
        let mut posed = Fit { model: fit.model.turned(&turn)?, ..fit };
        posed.report.map = Some(embedding.sha256());
        Ok(Fit { embedding, ..posed })
    }
}

/// Two labels with a comma between them; labels may hold commas themselves.
fn objects(text: &str, map: &Embedding) -> Result<(String, String)> {
    let index = map.objects().index();
    let cuts = text.match_indices(',').map(|(at, _)| (text[..at].trim(), text[at + 1..].trim()));
    let all: Vec<(&str, &str)> = cuts.collect();
    let known = all.iter().find(|(a, b)| index.contains_key(*a) && index.contains_key(*b)).or(all.first());
    let (a, b) = known.ok_or_else(|| anyhow!("--up {text}: write two labels as ABOVE,BELOW"))?;
    Ok(((*a).to_owned(), (*b).to_owned()))
}

fn number(axis: &str) -> Result<usize> {
    match axis.trim() {
        "x" | "X" => Ok(0),
        "y" | "Y" => Ok(1),
        "z" | "Z" => Ok(2),
        other => match other.parse::<usize>() {
            Ok(k) if k > 0 => Ok(k - 1),
            _ => bail!("--flip {axis}: write x, y, or the number of an axis"),
        },
    }
}
