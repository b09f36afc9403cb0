//! `nearer align`: one map laid over another, how well they agree, and both in one figure.

use std::path::PathBuf;

use anyhow::{Result, bail};
use clap::Args;
use nearer::evaluate::compare;
use nearer::geometry::Turn;
use nearer::io::{Outbox, Saved, save_model};
use nearer::metadata::Column;
use nearer::report::{Figure, Layer};
use nearer::{Embedding, Objects};
use serde::Serialize;

use crate::context::{Context, Outcome};
use crate::input;
use crate::output::{self, Picture, Role};

/// Lays one map over another: Procrustes, with RMSD, correlation and a permutation test
#[derive(Debug, Args)]
pub(crate) struct Align {
    /// The map to be moved: coordinates, or a model
    #[arg(value_name = "MAP")]
    map: String,
    /// The map that stays
    #[arg(value_name = "REFERENCE")]
    reference: String,
    /// Write to this file, by its extension: the aligned map .csv .tsv .npy; both maps in a figure .svg .png .pdf; the model in
    /// the pose of the reference .nearer (turned and mirrored only)
    #[arg(long, short, value_name = "FILE")]
    output: Vec<PathBuf>,
    /// Do not scale: units are the same
    #[arg(long)]
    rigid: bool,
    /// How many shuffles the p-value comes from
    #[arg(long, default_value_t = 999, value_name = "N")]
    permutations: usize,
}

/// For `--json`.
#[derive(Debug, Serialize)]
struct Told {
    common: usize,
    only_map: Vec<String>,
    only_reference: Vec<String>,
    correlation: f64,
    p: f64,
    permutations: usize,
    disparity: f64,
    rmsd: f64,
    scale: f64,
    residuals: Vec<(String, f64)>,
}

impl Align {
    pub(crate) fn run(&self, context: &Context) -> Result<Outcome> {
        let outputs = output::plan(&self.output)?;
        let map = input::read_map_file(&self.map, context)?;
        let reference = input::read_map_file(&self.reference, context)?.embedding;
        let c = compare(&reference, &map.embedding, !self.rigid)?;
        let p = c.by_chance(&reference, self.permutations, &context.run())?;
        let mut outbox = Outbox::new();
        for o in &outputs {
            match o.role {
                Role::Map(format) => output::put_map(&mut outbox, o, &c.aligned, format)?,
                Role::Model => {
                    let (Some(model), Some(report)) = (&map.model, &map.report) else {
                        bail!(
                            "{} is no model, so that none can be written; give the .nearer file of its fit",
                            self.map
                        );
                    };
                    let turn = Turn::to(&map.embedding, &reference)?;
                    let embedding = turn.apply(&map.embedding)?;
                    let mut report = report.clone();
                    report.map = Some(embedding.sha256());
                    let saved = Saved { embedding, model: model.clone().turned(&turn)?, report };
                    outbox.file(&o.path, |w| save_model(w, &saved))?;
                }
                Role::Figure(picture) => {
                    output::put(&mut outbox, o, &both(&reference, &c.aligned, c.correlation, picture)?)?
                }
                _ => bail!("{}: write the aligned map, a figure or a model", o.path.display()),
            }
        }
        let mut residuals: Vec<(String, f64)> =
            c.common.labels().iter().cloned().zip(c.residuals.iter().copied()).collect();
        residuals.sort_by(|a, b| b.1.total_cmp(&a.1));
        let told = Told {
            common: c.common.len(),
            only_map: c.only_b.clone(),
            only_reference: c.only_a.clone(),
            correlation: c.correlation,
            p,
            permutations: self.permutations,
            disparity: c.disparity,
            rmsd: c.rmse,
            scale: c.scale,
            residuals,
        };
        output::stdout_then_files(outbox, &outputs, context, || {
            if context.json { output::json_to_stdout(&told) } else { output::words_to_stdout(&words(&told)) }
        })?;
        Ok(Outcome::Good)
    }
}

fn words(told: &Told) -> String {
    const WORST: usize = 5;
    let mut text = format!("{} objects in both maps", told.common);
    for (only, whose) in [(&told.only_map, "the map"), (&told.only_reference, "the reference")] {
        if !only.is_empty() {
            text += &format!(", {} only in {whose}", only.len());
        }
    }
    text += &format!(
        "\ncorrelation {:.4}, p = {:.4} by {} shuffles\nRMSD {:.4} in the units of the reference, after scaling by {:.4}; disparity {:.4}\n",
        told.correlation, told.p, told.permutations, told.rmsd, told.scale, told.disparity
    );
    text += "farthest from where the reference has them:\n";
    for (label, r) in told.residuals.iter().take(WORST) {
        text += &format!("  {label:<24} {r:.4}\n");
    }
    text
}

/// Both maps, each object's two places joined.
fn both(reference: &Embedding, moved: &Embedding, correlation: f64, picture: Picture) -> Result<Vec<u8>> {
    let dim = reference.dim().max(moved.dim());
    let (n, m) = (reference.len(), moved.len());
    let mut points = ndarray::Array2::zeros((n + m, dim));
    points.slice_mut(ndarray::s![..n, ..reference.dim()]).assign(reference.points());
    points.slice_mut(ndarray::s![n.., ..moved.dim()]).assign(moved.points());
    let again = moved.objects().labels().iter().map(|l| format!("{l}\u{200b}"));
    let objects = Objects::new(reference.objects().labels().iter().cloned().chain(again))?;
    let map = Embedding::new(objects, points)?;
    let which = |k: usize| Some(if k < n { "reference" } else { "aligned" }.to_owned());
    let column = Column { name: "map".into(), values: (0..n + m).map(which).collect() };
    let index = moved.objects().index();
    let common = reference.objects().labels().iter().enumerate();
    let joins = common.filter_map(|(i, l)| Some(Layer::Join(i, n + index.get(l.as_str())?.index()))).collect();
    let own = reference.objects().index();
    // A label that stands at the one place need not stand at the other.
    let silent = moved.objects().labels().iter().enumerate();
    let silent = silent.filter(|(_, l)| own.contains_key(l.as_str())).map(|(k, _)| n + k).collect();
    let figure = Figure::new(&map).colour_by(&column).layers(joins).silent(silent);
    let figure = figure.corner(format!("Procrustes correlation {correlation:.3}"));
    Ok(match picture {
        Picture::Svg => figure.svg()?.into_bytes(),
        Picture::Png => figure.png(300.0)?,
        Picture::Pdf => figure.pdf()?,
    })
}
