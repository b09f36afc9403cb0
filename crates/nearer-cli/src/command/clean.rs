//! `nearer clean`: a set of judgements that can be mapped, and everything that was dropped on the way, with its reason.

use std::collections::{BTreeMap, HashMap};
use std::path::PathBuf;

use anyhow::{Result, bail};
use clap::{Args, ValueEnum};
use nearer::evidence::{Judged, Task, TaxonomyOrder};
use nearer::graph::{Cleaning, Repair, Why, clean, clean_pairs};
use nearer::io::{Outbox, split_rows, write_comparisons, write_pairs};
use nearer::method::{ChoiceModel, Lapses};
use nearer::text;
use nearer::{Comparisons, Embed as _, Evidence, Item, Pairs, Step};
use serde::Serialize;

use crate::context::{Context, Outcome};
use crate::input::{self, Reading};
use crate::output;
use crate::progress::Watcher;

/// The repaired, merged or reduced judgements; what is dropped goes to a second file
#[derive(Debug, Args)]
pub(crate) struct Clean {
    /// A file of pairs or comparisons, or a tree with --per-depth
    #[arg(value_name = "IN")]
    file: String,
    /// Write what is kept to this file
    #[arg(long, short, value_name = "OUT")]
    output: PathBuf,
    /// Write the dropped rows, each with its reason, to this file (default: OUT with `.dropped` before its extension)
    #[arg(long, value_name = "FILE")]
    dropped: Option<PathBuf>,
    /// How circles are broken: cheapest drops the fewest answers it can find, random keeps a random maximal consistent
    /// set (--seed), prune drops all comparisons in a knot, none leaves circles in
    #[arg(long, value_enum, default_value_t = Breaking::Cheapest, value_name = "HOW")]
    repair: Breaking,
    /// A majority counts only when the exact sign test is below this level, as 0.05; else both sides are dropped
    #[arg(long, value_parser = level, value_name = "P")]
    level: Option<f64>,
    /// Do not settle contradictions by majority
    #[arg(long, conflicts_with = "level")]
    no_vote: bool,
    /// Write each distinct comparison once, its weight the sum over its answers
    #[arg(long)]
    merge: bool,
    /// Also drop what follows from the rest (transitive reduction); implies --merge
    #[arg(long)]
    reduce: bool,
    /// Of a tree: write its comparisons with margins that double with the depth, this many drawn from each depth (--seed), all of those
    /// that have fewer
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..),
        conflicts_with_all = ["dropped", "repair", "level", "no_vote", "merge", "reduce", "without", "drop_lapsed"])]
    per_depth: Option<u32>,
    /// Leave out the answers of this participant; may be given several times
    #[arg(long, value_name = "NAME")]
    without: Vec<String>,
    /// Leave out the participants who are careless or had the key reversed, by two witnesses, as a map by `choice` tells; those who follow
    /// another rule stay. The reason is written with each of their rows
    #[arg(long)]
    drop_lapsed: bool,
    /// The dimensions of the map that tells who lapsed
    #[arg(long, default_value_t = 2, value_name = "N", requires = "drop_lapsed", value_parser = clap::value_parser!(u32).range(1..=100))]
    dim: u32,
    #[command(flatten)]
    reading: Reading,
}

/// How circles are broken, as typed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Breaking {
    None,
    Prune,
    Random,
    Cheapest,
}

/// What happened, as `--json` tells it.
#[derive(Debug, Serialize)]
struct Log {
    file: String,
    rows: usize,
    kept: usize,
    dropped: usize,
    /// Rows by the reason they were dropped for.
    reasons: BTreeMap<String, usize>,
    /// Distinct comparisons or pairs that are kept.
    distinct: usize,
}

/// What was drawn of a tree, as `--json` tells it.
#[derive(Debug, Serialize)]
struct Drawn {
    file: String,
    /// Comparisons by depth: how many there are, and how many were drawn.
    depths: BTreeMap<u32, [u64; 2]>,
}

impl Drawn {
    fn new(file: &str, order: &TaxonomyOrder, each: u32) -> Self {
        let depths = order.by_depth().into_iter().map(|(depth, all)| (depth, [all, all.min(each.into())])).collect();
        Drawn { file: file.into(), depths }
    }
    fn in_words(&self) -> Vec<String> {
        let total: u64 = self.depths.values().map(|[_, drawn]| drawn).sum();
        let mut lines = vec![format!("{}: {total} comparisons, margins 2^(depth - 1)", self.file)];
        lines.extend(self.depths.iter().map(|(depth, [all, drawn])| format!("  depth {depth}: {drawn} of {all}")));
        lines
    }
}

/// A row that goes, and why.
struct Fate {
    line: u64,
    reason: String,
}

/// What is kept, as it will be written.
enum Kept {
    /// The rows of the file themselves.
    Rows,
    Comparisons(Comparisons),
    Pairs(Pairs),
}

impl Clean {
    pub(crate) fn run(&self, context: &Context) -> Result<Outcome> {
        let dropped_to = self.dropped.clone().unwrap_or_else(|| beside(&self.output));
        if self.dropped.is_none() && self.per_depth.is_none() {
            context.files.and_output("--dropped (by default)", &dropped_to).check()?;
        }
        let outputs = if self.per_depth.is_some() { vec![&self.output] } else { vec![&self.output, &dropped_to] };
        for path in outputs {
            output::writable(path)?;
        }
        let read = input::read(std::slice::from_ref(&self.file), &self.reading, context)?;
        if let Some(each) = self.per_depth {
            return self.drawn(read.study.main(), each, context);
        }
        let (log, kept, fates) = match read.study.main() {
            Some(Evidence::Comparisons(c)) => self.comparisons(c, context)?,
            Some(Evidence::Pairs(pairs)) => self.pairs(pairs)?,
            _ => {
                let held = read.study.parts().first().map_or("nothing".into(), ToString::to_string);
                bail!(
                    "{}: {held} cannot be cleaned, only pairs or comparisons; `nearer embed` settles what it makes of {held} itself",
                    self.file
                )
            }
        };
        let options = self.reading.files(std::slice::from_ref(&self.file), context)?.remove(0).options;
        let path = input::path_of(&self.file);
        let gone: HashMap<u64, String> = fates.into_iter().map(|f| (f.line, f.reason)).collect();
        let split = split_rows(&context.source(path), &options, &gone)?;
        let mut outbox = Outbox::new();
        let kept = match kept {
            Kept::Rows => split.kept,
            Kept::Comparisons(c) => written(|w| write_comparisons(w, &c))?,
            Kept::Pairs(pairs) => written(|w| write_pairs(w, &pairs))?,
        };
        for (path, bytes) in [(&self.output, kept), (&dropped_to, split.dropped)] {
            outbox.file(path, |w| {
                let path = path.clone();
                w.write_all(&bytes).map_err(|source| nearer::Error::File { action: "write", path, source })
            })?;
        }
        if context.json {
            output::json_to_stdout(&log)?;
        }
        outbox.commit()?;
        context.notes(log.in_words());
        context.note(&format!("wrote {} and {}", self.output.display(), dropped_to.display()));
        Ok(Outcome::Good)
    }

    /// The comparisons of a tree, equally many of each depth: nothing is dropped that could be written down.
    fn drawn(&self, held: Option<&Evidence>, each: u32, context: &Context) -> Result<Outcome> {
        let Some(Evidence::Taxonomy(tree)) = held else {
            let held = held.map_or("nothing".into(), |e| e.kind().to_string());
            bail!("{}: --per-depth draws the comparisons of a tree, and this is {held}; leave it out", self.file)
        };
        let order = TaxonomyOrder::new(tree)?;
        let (c, log) = (order.of_each_depth(each as usize, context.seed)?, Drawn::new(&self.file, &order, each));
        let bytes = written(|w| write_comparisons(w, &c))?;
        let mut outbox = Outbox::new();
        outbox.file(&self.output, |w| {
            let path = self.output.clone();
            w.write_all(&bytes).map_err(|source| nearer::Error::File { action: "write", path, source })
        })?;
        if context.json {
            output::json_to_stdout(&log)?;
        }
        outbox.commit()?;
        context.notes(log.in_words());
        context.note(&format!("wrote {}", self.output.display()));
        Ok(Outcome::Good)
    }

    fn comparisons(&self, c: &Comparisons, context: &Context) -> Result<(Log, Kept, Vec<Fate>)> {
        let Some(trials) = c.trials() else { bail!("{} holds no trials", self.file) };
        let mut without = self.without(trials.participants())?;
        let kept = |c: &Comparisons, without: &HashMap<u32, String>| {
            let stays =
                |k: &usize| c.answered(*k).and_then(|a| a.participant).is_none_or(|w| !without.contains_key(&w));
            c.subset(&(0..c.len()).filter(stays).collect::<Vec<usize>>())
        };
        if self.drop_lapsed {
            without.extend(self.lapsed(&kept(c, &without), context)?);
        }
        let c = &kept(c, &without);
        let how = Cleaning {
            vote: !self.no_vote,
            level: self.level,
            repair: self.repair.into(),
            reduce: self.reduce,
            seed: context.seed,
        };
        let cleaned = context.run().install(|| clean(c, &how))?;
        let mut why: HashMap<usize, String> = HashMap::new();
        for (k, fate) in cleaned.fates.iter().enumerate() {
            if let (Some(fate), Some(trial)) = (fate, c.trial_of(k)) {
                why.entry(trial).or_insert_with(|| reason(*fate).to_owned());
            }
        }
        for (k, trial) in trials.iter().enumerate() {
            let out = trial.answered.participant.and_then(|w| without.get(&w));
            let reason = match out {
                _ if trial.is_self() => "an object is shown twice",
                _ if trial.answered.check => "marked as a check",
                Some(reason) => reason,
                None => continue,
            };
            why.insert(k, reason.to_owned());
        }
        // A trial that makes one comparison is its row; of others a part may stay, which only comparisons can say.
        let single = matches!(trials.task(), Task::Triplets | Task::Quadruplets);
        let kept = if self.merge || self.reduce {
            Kept::Comparisons(cleaned.kept.comparisons())
        } else if single {
            Kept::Rows
        } else {
            let left: Vec<usize> = (0..c.len()).filter(|&k| cleaned.fates[k].is_none()).collect();
            Kept::Comparisons(c.subset(&left))
        };
        let fates: Vec<Fate> =
            why.iter().map(|(&k, why)| Fate { line: trials.get(k).answered.line, reason: why.clone() }).collect();
        let log = Log::new(&self.file, trials.len(), why.values().map(String::as_str), cleaned.kept.edges().len());
        Ok((log, kept, fates))
    }

    fn pairs(&self, pairs: &Pairs) -> Result<(Log, Kept, Vec<Fate>)> {
        if self.level.is_some() || self.reduce || self.drop_lapsed {
            bail!("--level, --reduce and --drop-lapsed are for comparisons; {} holds pairs", self.file);
        }
        let without = self.without(pairs.participants())?;
        let is_out = |who: Option<u32>| who.is_some_and(|w| without.contains_key(&w));
        let (left, out): (Vec<usize>, Vec<usize>) =
            (0..pairs.len()).partition(|&k| !is_out(pairs.rows()[k].participant));
        let judged = pairs.subset(&left);
        let mut why: BTreeMap<u64, &str> =
            out.iter().map(|&k| (pairs.rows()[k].line, "participant left out")).collect();
        let mut kept = judged.clone();
        if !self.no_vote {
            let cleaned = clean_pairs(&judged);
            let lost = judged.iter().zip(&cleaned.fates).filter_map(|(row, fate)| Some((row.line, reason((*fate)?))));
            why.extend(lost);
            kept = cleaned.kept;
        }
        let log = Log::new(&self.file, pairs.tally().rows, why.values().copied(), kept.tally().queries);
        let fates = why.into_iter().map(|(line, reason)| Fate { line, reason: reason.into() }).collect();
        Ok((log, if self.merge { Kept::Pairs(merged(&kept)?) } else { Kept::Rows }, fates))
    }

    /// The participants to leave out, each of whom must exist.
    fn without(&self, names: &[String]) -> Result<HashMap<u32, String>> {
        let find = |name: &String| match names.iter().position(|n| n == name) {
            Some(k) => Ok((k as u32, "participant left out".to_owned())),
            None => bail!("--without {name}: {} names no such participant", self.file),
        };
        self.without.iter().map(find).collect()
    }

    /// Who is to be left out for what their answers are worth on a map of all, and why.
    fn lapsed(&self, c: &Comparisons, context: &Context) -> Result<HashMap<u32, String>> {
        let watcher = Watcher::new(context);
        let watch = |step: &Step| watcher.see(step);
        let method = ChoiceModel::new(self.dim as usize).lapses(Lapses::Participant);
        let fit = method.fit_with(c, &context.run().watched(&watch))?;
        let (names, lapsed) = (c.trials().map_or(&[][..], |t| t.participants()), fit.report.lapses);
        let number = |name: &str| names.iter().position(|n| n == name).map(|k| k as u32);
        let told = || lapsed.iter().flat_map(|l| &l.participants);
        told().filter_map(text::kept).for_each(|why| context.note(&why));
        let out: HashMap<u32, String> =
            told().filter_map(|p| Some((number(&p.participant)?, text::lapsed(p)?))).collect();
        context.note(&match out.len() {
            0 => format!("of {} participants nobody is careless or has the key reversed", names.len()),
            some => format!("{some} of {} participants left out, on a map in {} dimensions", names.len(), self.dim),
        });
        Ok(out)
    }
}

impl Log {
    fn new<'a>(file: &str, rows: usize, why: impl Iterator<Item = &'a str>, distinct: usize) -> Self {
        let mut reasons: BTreeMap<String, usize> = BTreeMap::new();
        why.for_each(|w| *reasons.entry(w.to_owned()).or_default() += 1);
        let dropped = reasons.values().sum();
        Log { file: file.into(), rows, kept: rows - dropped, dropped, reasons, distinct }
    }

    fn in_words(&self) -> Vec<String> {
        let mut lines = vec![format!(
            "{}: {} of {} rows kept ({} distinct), {} dropped",
            self.file, self.kept, self.rows, self.distinct, self.dropped
        )];
        lines.extend(self.reasons.iter().map(|(why, count)| format!("  {count} rows: {why}")));
        lines
    }
}

impl From<Breaking> for Option<Repair> {
    fn from(how: Breaking) -> Self {
        match how {
            Breaking::None => None,
            Breaking::Prune => Some(Repair::Prune),
            Breaking::Random => Some(Repair::Random),
            Breaking::Cheapest => Some(Repair::Cheapest),
        }
    }
}

/// Each distinct answer once, its weight the sum.
fn merged(pairs: &Pairs) -> Result<Pairs> {
    let mut rows: BTreeMap<(Item, Item, usize, u16), Judged> = BTreeMap::new();
    let (step, levels) = (if pairs.is_mirrored() { 2 } else { 1 }, pairs.levels());
    let grades: Vec<usize> = pairs.grades().collect();
    for (k, row) in pairs.iter().step_by(step).enumerate() {
        let turn = pairs.is_mirrored() && row.from > row.to;
        let row = if turn { row.reversed() } else { *row };
        // The rows of an answer in grades stay side by side.
        let key = (row.from, row.to, grades[k / levels], row.level);
        let weight = rows.get(&key).map_or(0.0, |old| old.weight);
        rows.insert(key, Judged { weight: weight + row.weight, participant: None, ..row });
    }
    let merged = Pairs::new(pairs.objects().clone(), rows.into_values().collect())?;
    Ok(if pairs.is_mirrored() { merged.both_ways() } else { merged })
}

fn reason(why: Why) -> &'static str {
    match why {
        Why::Minority => "the majority says the opposite",
        Why::Tie => "as many say the opposite",
        Why::NotSignificant => "the majority is not clear enough",
        Why::Cycle => "part of a circle",
        Why::Implied => "follows from the rest",
        _ => "dropped",
    }
}

fn beside(path: &std::path::Path) -> PathBuf {
    let stem = path.file_stem().unwrap_or_default().to_string_lossy();
    let extension = path.extension().map_or(String::new(), |e| format!(".{}", e.to_string_lossy()));
    path.with_file_name(format!("{stem}.dropped{extension}"))
}

fn level(text: &str) -> Result<f64, String> {
    let found = text.parse::<f64>().ok().filter(|p| *p > 0.0 && *p < 1.0);
    found.ok_or_else(|| format!("`{text}` is no level; write a number between 0 and 1, as 0.05"))
}

fn written(write: impl FnOnce(&mut dyn std::io::Write) -> std::io::Result<()>) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    write(&mut bytes)?;
    Ok(bytes)
}
