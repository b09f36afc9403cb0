//! `nearer groups`: do groups of objects differ, in the distances themselves or on a map.

use anyhow::{Result, anyhow};
use clap::{Args, ValueEnum};
use nearer::evaluate::{self, Centre, GroupTests};
use nearer::io::read_metadata;
use nearer::{Distances, Embedding, Evidence};

use crate::context::{Context, Outcome};
use crate::input::{self, Reading};
use crate::output;

/// Tests whether groups differ: PERMANOVA, ANOSIM, and whether they are spread differently
#[derive(Debug, Args)]
pub(crate) struct Groups {
    /// Distances, a table with --measure, or a map or model, whose distances are then tested
    #[arg(value_name = "FILE")]
    file: String,
    /// The column of the metadata that makes the groups
    #[arg(long, value_name = "COLUMN")]
    by: String,
    /// What is known of the objects: a csv with their labels in the first column; FILE::where=column=value takes some of its rows,
    /// and the other objects are left out
    #[arg(long, alias = "meta", value_name = "FILE")]
    metadata: String,
    /// How many shuffles the p-values come from
    #[arg(long, default_value_t = 999, value_name = "N")]
    permutations: usize,
    /// What the spread of a group is measured from
    #[arg(long, value_enum, default_value_t = Middle::Median, value_name = "CENTRE")]
    centre: Middle,
    #[command(flatten)]
    reading: Reading,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Middle {
    Median,
    Centroid,
}

impl Groups {
    pub(crate) fn run(&self, context: &Context) -> Result<Outcome> {
        let distances = self.distances(context)?;
        let (metadata, assumed) = read_metadata(&input::about_objects(&self.metadata, context)?, distances.objects())?;
        input::said(&self.metadata, &assumed, context);
        let column = metadata.column(&self.by).ok_or_else(|| {
            let names: Vec<&str> = metadata.columns.iter().map(|c| c.name.as_str()).collect();
            anyhow!("{} has no column `{}`; it has {}", self.metadata, self.by, names.join(", "))
        })?;
        let centre = if self.centre == Middle::Median { Centre::Median } else { Centre::Centroid };
        let tests = evaluate::groups(&distances, column, centre, self.permutations, &context.run())?;
        if context.json {
            output::json_to_stdout(&tests)?;
        } else {
            output::words_to_stdout(&words(&tests, self.centre))?;
        }
        Ok(Outcome::Good)
    }

    /// The distances that are tested: those of the file, or those of the map in it.
    fn distances(&self, context: &Context) -> Result<Distances> {
        let source = context.source(&self.file);
        if nearer::io::looks_like_model(&source) {
            return on_map(&input::read_map_file(&self.file, context)?.embedding);
        }
        let asked = self.reading.files(std::slice::from_ref(&self.file), context)?.remove(0);
        match input::load(&asked, context).map(|l| l.evidence) {
            Ok(Evidence::Distances(d)) => Ok(d),
            Ok(other) => Err(anyhow!(
                "{} holds {}, and groups are tested on distances; say by which --measure, or give a map",
                self.file,
                other.kind()
            )),
            Err(e) => match input::read_map_file(&self.file, context) {
                Ok(map) => on_map(&map.embedding),
                Err(_) => Err(e),
            },
        }
    }
}

fn on_map(map: &Embedding) -> Result<Distances> {
    let n = map.len();
    let pairs = (0..n).flat_map(|i| (i + 1..n).map(move |j| (i, j)));
    Ok(Distances::from_condensed(map.objects().clone(), pairs.map(|(i, j)| map.distance(i, j)).collect())?)
}

fn words(tests: &GroupTests, centre: Middle) -> String {
    let objects: usize = tests.groups.iter().map(|g| g.objects).sum();
    let mut text = format!("{objects} objects in {} groups by {}", tests.groups.len(), tests.by);
    if tests.without > 0 {
        text += &format!(", {} without a group left out", tests.without);
    }
    let (f, r, d) = (&tests.permanova, &tests.anosim, &tests.dispersion);
    text += &format!(
        "\nPERMANOVA   F({}, {}) = {:.4}, R2 = {:.4}, p = {}\n",
        f.df.0,
        f.df.1,
        f.f,
        f.r2,
        probability(f.p, tests.permutations)
    );
    text += &format!("ANOSIM      R = {:.4}, p = {}\n", r.r, probability(r.p, tests.permutations));
    text += &format!("dispersion  F = {:.4}, p = {}\n", d.f, probability(d.p, tests.permutations));
    let name = if centre == Middle::Median { "median" } else { "centroid" };
    text += &format!("\nmean distance to the {name} of the group:\n");
    for g in &tests.groups {
        text += &format!("  {:<20} {:>5} objects  {:.4}\n", g.name, g.objects, g.spread);
    }
    if d.p < 0.05 && (f.p < 0.05 || r.p < 0.05) {
        text += "\nthe groups are spread differently, which PERMANOVA and ANOSIM also answer to: a small p of theirs need not mean that the groups lie apart\n";
    }
    text += &format!("\np by {} shuffles of the objects\n", tests.permutations);
    text
}

/// No p is smaller than shuffles can tell.
fn probability(p: f64, shuffles: usize) -> String {
    let digits = ((shuffles + 1) as f64).log10().ceil() as usize;
    format!("{p:.digits$}")
}
