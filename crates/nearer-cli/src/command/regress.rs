//! `nearer regress`: a map as a function of features, whatever it was made of.

use std::path::PathBuf;

use anyhow::{Result, bail};
use clap::{Args, ValueEnum};
use nearer::Step;
use nearer::io::{Outbox, Saved, StudyFile, read_features, save_model};
use nearer::method::{Regressor, regress};
use nearer::report::FitReport;

use crate::context::{Context, Outcome};
use crate::input;
use crate::output::{self, Role};
use crate::progress::Watcher;

/// Places by features on any map: a function of the features that is nearest to it, with its error for objects left out
#[derive(Debug, Args)]
pub(crate) struct Regress {
    /// A map (.csv .tsv .npy) or a model (.nearer)
    #[arg(value_name = "MAP")]
    map: String,
    /// The features of its objects
    #[arg(value_name = "FEATURES")]
    file: String,
    /// Which functions: smooth ones by a kernel, or linear ones
    #[arg(long, value_enum, default_value = "kernel")]
    by: By,
    /// The column of the features that holds classes, and is no feature
    #[arg(long, value_name = "COLUMN")]
    classes: Option<String>,
    /// Write the model to this .nearer file; `nearer place` takes it
    #[arg(long, short, value_name = "FILE")]
    output: Vec<PathBuf>,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum By {
    Kernel,
    Linear,
}

impl Regress {
    pub(crate) fn run(&self, context: &Context) -> Result<Outcome> {
        let outputs = output::plan(&self.output)?;
        if let Some(o) = outputs.iter().find(|o| o.role != Role::Model) {
            bail!("{}: a regression writes a model; use .nearer", o.path.display());
        }
        let map = input::read_map_file(&self.map, context)?;
        let mut table = StudyFile::of_features(&self.file, context.source(&self.file));
        table.options.classes.clone_from(&self.classes);
        let features = read_features(&table, &mut |n| input::note(&n, context))?;
        let watcher = Watcher::new(context);
        let watch = |step: &Step| watcher.see(step);
        let by = match self.by {
            By::Kernel => Regressor::Kernel,
            By::Linear => Regressor::Linear,
        };
        let (model, found) = regress(&map.embedding, &features, by, &context.run().watched(&watch))?;
        let mut report = map
            .report
            .unwrap_or_else(|| FitReport::new("regression", map.embedding.len(), map.embedding.dim(), context.seed));
        report = report
            .figure("regression", found.by.clone())
            .figure("regression-training-error", found.training_error)
            .figure("regression-held-out-error", found.held_out_error);
        let saved = Saved { embedding: map.embedding, model, report };
        let mut outbox = Outbox::new();
        for o in &outputs {
            outbox.file(&o.path, |w| save_model(w, &saved))?;
        }
        output::stdout_then_files(outbox, &outputs, context, || {
            if context.json {
                return output::json_to_stdout(&found);
            }
            let r2: Vec<String> = found.held_out_r2.iter().map(|r| format!("{r:.3}")).collect();
            let width = found.width.map_or(String::new(), |w| format!(", {w} times the median distance wide"));
            output::words_to_stdout(&format!(
                "{} regression on {} of {} objects{width}, ridge {:e}\nerror of objects left out: {:.4} of the radius of the map (R² {}); of those it was learned from: {:.4}\nplaces by it are an approximation of the map, not what its method would have made of them\n",
                found.by,
                found.learned_from,
                found.objects,
                found.ridge,
                found.held_out_error,
                r2.join(", "),
                found.training_error
            ))
        })?;
        Ok(Outcome::Good)
    }
}
