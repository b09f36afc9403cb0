//! `cargo xtask fuzz`: mutated files through every reader, in process, steered by what they reach.
//!
//! Nothing may panic, hang, hold more memory than it was allowed, or answer differently a second time. What does is written to
//! the folder of findings and named at the end.

mod coverage;
mod forged;
mod guard;
mod honest;
#[cfg(test)]
mod kinds;
mod models;
mod mutate;
mod rng;
mod targets;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use nearer::io::{ReadOptions, Saved, Source, read_evidence, save_certificate, save_model};
use nearer::method::table::find;
use nearer::model::Model;
use nearer::verify::certificate_of;
use nearer::{Evidence, Fit, Run, Study};

use coverage::Coverage;
use guard::Watch;
use rng::Rng;
use targets::{Fixed, MEMORY, NAMES, TARGETS};

/// How often a file of the corpus goes through a target as it is: names and options are chosen each time.
const PASSES: usize = 4;

/// What was asked for.
struct Asked {
    inputs: u64,
    seconds: Option<u64>,
    seed: u64,
    target: Option<String>,
    corpus: PathBuf,
    keep: PathBuf,
}

/// An input that did what none may.
struct Finding {
    target: &'static str,
    what: String,
    file: PathBuf,
}

fn main() -> Result<()> {
    let findings = fuzz(&Asked::parse()?)?;
    if !findings.is_empty() {
        bail!("{} findings", findings.len());
    }
    Ok(())
}

/// Runs as many inputs as were asked for, and tells what they did.
fn fuzz(asked: &Asked) -> Result<Vec<Finding>> {
    std::panic::set_hook(Box::new(|_| {}));
    let (mut pool, fixed) = corpus(&asked.corpus)?;
    let watch = Watch::start(asked.keep.clone());
    let (mut rng, mut coverage) = (Rng(asked.seed), Coverage::default());
    let mut counts = [[0u64; 2]; TARGETS.len()];
    let mut findings: Vec<Finding> = Vec::new();
    let weights: Vec<usize> = TARGETS.iter().enumerate().flat_map(|(k, (_, w))| std::iter::repeat_n(k, *w)).collect();
    let started = Instant::now();
    let mut done = 0;
    let seeds = pool.len();
    let unchanged = seeds * TARGETS.len() * PASSES;
    while done < asked.inputs && asked.seconds.is_none_or(|s| started.elapsed() < Duration::from_secs(s)) {
        // First the corpus as it is through every target, as a test of what was found before; then what comes of it.
        let as_it_is = (done as usize) < unchanged;
        let which = match &asked.target {
            Some(name) => TARGETS.iter().position(|(t, _)| t == name).context("no such target")?,
            None if as_it_is => done as usize / seeds % TARGETS.len(),
            None => *rng.pick(&weights),
        };
        let target = TARGETS[which].0;
        let name = *rng.pick(&NAMES);
        let bytes = if as_it_is {
            pool[done as usize % seeds].clone()
        } else {
            let (one, other) = (rng.below(pool.len()), rng.below(pool.len()));
            mutate::mutated(&pool[one], &pool[other], &mut rng)
        };
        watch.begin(target, name, &bytes);
        let before = guard::begin();
        let told = catch_unwind(AssertUnwindSafe(|| targets::run(target, name, &bytes, &fixed, &mut rng)));
        let peak = guard::peak(before);
        watch.end();
        let wrong = match told {
            Ok(Ok(taken)) => {
                counts[which][usize::from(taken)] += 1;
                (peak as u64 > 6 * MEMORY).then(|| format!("held {peak} bytes where {MEMORY} were allowed"))
            }
            Ok(Err(what)) => Some(what),
            Err(panic) => Some(format!("panic: {}", message(&*panic))),
        };
        if let Some(what) = wrong {
            report(&mut findings, target, name, what, &bytes, &asked.keep)?;
        }
        if coverage.take() && !as_it_is {
            pool.push(bytes);
        }
        done += 1;
        if done % 250_000 == 0 {
            eprintln!(
                "{done} inputs, {} edges, {} in the pool, {} findings",
                coverage.edges(),
                pool.len(),
                findings.len()
            );
        }
    }
    let seconds = started.elapsed().as_secs_f64();
    let guided = if coverage.is_told() { format!("{} edges reached", coverage.edges()) } else { "not guided".into() };
    println!("{done} inputs in {seconds:.0} s ({:.0} a second), seed {}, {guided}", done as f64 / seconds, asked.seed);
    println!("{seeds} files of the corpus, {} in the pool at the end", pool.len());
    for ((target, _), [refused, taken]) in TARGETS.iter().zip(counts).filter(|(_, [a, b])| a + b > 0) {
        let share = 100.0 * taken as f64 / (refused + taken).max(1) as f64;
        println!("  {target:<12} {:>9} inputs, {taken:>8} taken ({share:.1} %)", refused + taken);
    }
    for f in &findings {
        println!("FOUND {}: {} ({})", f.target, f.what, f.file.display());
    }
    Ok(findings)
}

/// Writes an input down, once for each thing that goes wrong.
fn report(
    findings: &mut Vec<Finding>,
    target: &'static str,
    name: &str,
    what: String,
    bytes: &[u8],
    keep: &Path,
) -> Result<()> {
    // Numbers differ from input to input; the words are what went wrong.
    let gist = |s: &str| s.chars().filter(|c| !c.is_ascii_digit()).take(60).collect::<String>();
    if findings.iter().any(|f| f.target == target && gist(&f.what) == gist(&what)) || findings.len() >= 50 {
        return Ok(());
    }
    std::fs::create_dir_all(keep)?;
    let file = keep.join(format!("{target}-{}-{name}", findings.len()));
    std::fs::write(&file, bytes)?;
    eprintln!("FOUND {target}: {what} ({})", file.display());
    findings.push(Finding { target, what, file });
    Ok(())
}

fn message(panic: &(dyn std::any::Any + Send)) -> String {
    let text = panic.downcast_ref::<String>().cloned();
    text.or(panic.downcast_ref::<&str>().map(|s| s.to_string())).unwrap_or_else(|| "without a word".into())
}

/// The files of the corpus, and what only the program can make: a model and certificates.
fn corpus(folder: &Path) -> Result<(Vec<Vec<u8>>, Fixed)> {
    let mut files: Vec<PathBuf> = std::fs::read_dir(folder)
        .with_context(|| format!("cannot read {}", folder.display()))?
        .map(|e| Ok(e?.path()))
        .collect::<Result<_>>()?;
    files.sort();
    let mut pool = files.iter().map(|f| Ok(std::fs::read(f)?)).collect::<Result<Vec<_>>>()?;
    let text = |name: &str, text: &str| -> Result<Evidence> {
        Ok(read_evidence(&Source::of_bytes(name, text.as_bytes().to_vec()), &ReadOptions::default())?.evidence)
    };
    let judged = text("t.csv", "head,near,far\na,b,c\na,c,d\nb,a,d\nc,d,a\nd,c,b\n")?;
    let measured = text("d.csv", "label,a,b,c,d\na,0,3,4,5\nb,3,0,5,4\nc,4,5,0,3\nd,5,4,3,0\n")?;
    for (method, evidence) in
        [("metric-mds", &measured), ("landmark-mds", &measured), ("robust-mds", &measured), ("gnmds", &judged)]
    {
        let Ok(fit) = fit(method, evidence) else { continue };
        let mut bytes = Vec::new();
        let saved = Saved { embedding: fit.embedding.clone(), model: fit.model.clone(), report: fit.report.clone() };
        save_model(&mut bytes, &saved)?;
        pool.push(bytes);
        pool.push(serde_json::to_vec(&fit.report)?);
        if let Ok(file) = certificate_of(&fit, evidence) {
            let mut bytes = Vec::new();
            save_certificate(&mut bytes, &file)?;
            pool.push(bytes);
        }
    }
    Ok((pool, Fixed { judged, measured, honest: honest::all()?, models: honest::models()? }))
}

fn fit(method: &str, evidence: &Evidence) -> Result<Fit<Model>> {
    let method = find(method)?;
    let study = Study::from(evidence.clone());
    Ok(method.fit(&method.settings([])?, &study, &Run::seeded(0).threads(1))?)
}

impl Default for Asked {
    fn default() -> Self {
        let root = Path::new(env!("CARGO_MANIFEST_DIR"));
        Asked {
            inputs: 100_000,
            seconds: None,
            seed: 0,
            target: None,
            corpus: root.join("corpus"),
            keep: root.join("../target/fuzz"),
        }
    }
}

impl Asked {
    fn parse() -> Result<Asked> {
        let mut asked = Asked::default();
        let mut words = std::env::args().skip(1);
        while let Some(word) = words.next() {
            let value = words.next().with_context(|| format!("{word} needs a value"))?;
            match word.as_str() {
                "--inputs" => asked.inputs = value.replace('_', "").parse()?,
                "--seconds" => (asked.seconds, asked.inputs) = (Some(value.parse()?), u64::MAX),
                "--seed" => asked.seed = value.parse()?,
                "--target" => asked.target = Some(value),
                "--corpus" => asked.corpus = value.into(),
                "--keep" => asked.keep = value.into(),
                other => bail!("`{other}`; known are --inputs, --seconds, --seed, --target, --corpus, --keep"),
            }
        }
        Ok(asked)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The corpus as it is and a few thousand mutations of it, without counters: the short run that goes with every change.
    #[test]
    fn a_short_run_finds_nothing() {
        let findings = fuzz(&Asked { inputs: 12_000, seed: 1, ..Asked::default() }).unwrap();
        let told: Vec<String> = findings.iter().map(|f| format!("{}: {}", f.target, f.what)).collect();
        assert!(told.is_empty(), "{told:#?}");
    }
}
