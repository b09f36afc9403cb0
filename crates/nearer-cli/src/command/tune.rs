//! `--tune`: width, slack and trace by what they predict, or by how few dimensions they need.

use anyhow::{Result, bail};
use clap::ValueEnum;
use nearer::evaluate::{By, HoldPairs, held_out, held_out_objects, held_out_pairs};
use nearer::evidence::{KernelKind, KernelSpec, Kernels, Made};
use nearer::method::table::Method;
use nearer::model::Model;
use nearer::report::{Tried, Tuning};
use nearer::{Comparisons, Embedding, Error, Evidence, Features, Objects, Pairs, Place as _, Run, Settings};

use crate::context::Context;
use crate::kernels::made;
use crate::progress::Watcher;

/// What parameters are chosen by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum TuneBy {
    /// Agreement with answers held out as they come
    Rows,
    /// Agreement with all answers to questions held out
    Queries,
    /// Agreement with people held out
    Participant,
    /// Agreement about objects held out and placed by their features
    Object,
    /// The share of the variance in the dimensions of the map
    Spectrum,
}

impl TuneBy {
    fn in_words(self) -> &'static str {
        match self {
            TuneBy::Rows => "agreement with answers held out",
            TuneBy::Queries => "agreement with questions held out",
            TuneBy::Participant => "agreement with people held out",
            TuneBy::Object => "agreement about objects held out and placed by their features",
            TuneBy::Spectrum => "share of the variance in the dimensions of the map",
        }
    }
}

const WIDTHS: [f64; 5] = [0.25, 0.5, 1.0, 2.0, 4.0];
const SLACKS: [f64; 3] = [0.1, 1.0, 10.0];
const TRACES: [f64; 3] = [0.01, 0.1, 1.0];

/// What is tuned, and how.
pub(super) struct Tuner<'a> {
    pub(super) method: &'static Method,
    /// The settings so far, and the names of those that were given.
    pub(super) settings: Settings,
    pub(super) given: Vec<&'static str>,
    pub(super) specs: Vec<KernelSpec>,
    pub(super) tables: Vec<(String, Features)>,
    pub(super) evidence: &'a Evidence,
    pub(super) by: TuneBy,
    pub(super) folds: usize,
    pub(super) context: &'a Context,
}

/// What is tried: how much wider the kernels are, and settings of the method in place of those it has.
#[derive(Debug, Clone, Default)]
struct Setting {
    width: Option<f64>,
    settings: Settings,
}

/// What came of it: the kernels, the settings, and the table.
pub(super) struct Tuned {
    pub(super) kernels: Kernels,
    pub(super) settings: Settings,
    pub(super) tuning: Tuning,
}

impl Tuner<'_> {
    /// Tries widths and slacks together, then traces with the best of them.
    pub(super) fn tuned(&self) -> Result<Tuned> {
        let has = |name: &str| self.method.parameters.iter().any(|p| p.name == name) && !self.given.contains(&name);
        let wide = |s: &KernelSpec| {
            let width = |k: &KernelKind| k.widened(2.0) != *k;
            matches!(&s.made, Made::Of { kind, .. } if width(kind))
        };
        let widths: Vec<Option<f64>> =
            if self.specs.iter().any(wide) { WIDTHS.iter().copied().map(Some).collect() } else { vec![None] };
        if widths.len() == 1 && !has("slack") && !has("trace") {
            bail!("--tune chooses width, slack and trace, and all of them are given or do not apply; leave it out");
        }
        let first = self.fit_once(&Setting::default())?;
        let (slack, trace) = (first.0, first.1);
        let mut tried = Vec::new();
        let mut best: Option<(usize, Setting)> = None;
        let slacks: &[f64] = if has("slack") && slack.is_some() { &SLACKS } else { &[1.0] };
        for width in &widths {
            for times in slacks {
                let mut settings = Settings::default();
                if let Some(s) = slack.filter(|_| has("slack")) {
                    settings.set("slack", s * times);
                }
                self.attempt(Setting { width: *width, settings }, &mut tried, &mut best)?;
            }
        }
        if let (true, Some(unit), Some((_, from))) = (has("trace"), trace, best.clone()) {
            for times in TRACES {
                let mut setting = from.clone();
                setting.settings.set("trace", unit * times);
                self.attempt(setting, &mut tried, &mut best)?;
            }
        }
        let Some((taken, setting)) = best else {
            bail!("no setting that was tried could be fitted; tune by something else, or give the parameters");
        };
        let tuning = Tuning { score_is: self.by.in_words().into(), tried, taken };
        Ok(Tuned { kernels: self.kernels(&setting)?, settings: self.settings(&setting)?, tuning })
    }

    fn attempt(&self, setting: Setting, tried: &mut Vec<Tried>, best: &mut Option<(usize, Setting)>) -> Result<()> {
        let (score, folds) = match self.score(&setting) {
            Ok(found) => found,
            // A setting that cannot be fitted loses; being stopped ends it all.
            Err(e) if matches!(e.downcast_ref::<Error>(), Some(Error::Cancelled)) => return Err(e),
            Err(e) => {
                self.context.note(&format!("{}: {e}", told(&setting)));
                return Ok(());
            }
        };
        self.context.note(&format!("{}: {score:.4}", told(&setting)));
        let mut settings = setting.settings.clone();
        if let Some(width) = setting.width {
            settings.set("width", width);
        }
        tried.push(Tried { settings, score, folds });
        if best.as_ref().is_none_or(|(k, _)| score > tried[*k].score) {
            *best = Some((tried.len() - 1, setting));
        }
        Ok(())
    }

    fn kernels(&self, setting: &Setting) -> Result<Kernels, Error> {
        let mut specs = self.specs.clone();
        for spec in &mut specs {
            if let (Made::Of { kind, .. }, Some(width)) = (&mut spec.made, setting.width) {
                *kind = kind.widened(width);
            }
        }
        made(self.evidence.objects(), &specs, &self.tables)
    }

    fn settings(&self, setting: &Setting) -> Result<Settings, Error> {
        self.method.complete(&self.settings.clone().but(&setting.settings))
    }

    /// The slack that was used, and the trace at which it would weigh as much as the objective.
    fn fit_once(&self, setting: &Setting) -> Result<(Option<f64>, Option<f64>)> {
        let watcher = Watcher::new(self.context);
        let watch = |step: &nearer::Step| watcher.see(step);
        let evidence = self.with(self.kernels(setting)?, self.evidence)?;
        let fit = self.method.fit(&self.settings(setting)?, &evidence, &self.context.run().watched(&watch))?;
        let slack = fit.report.used().number("slack");
        let value = fit.report.certificate.as_ref().map(|c| c.primal.abs());
        let norm = fit.report.kernels.as_ref().map(|k| k.norm).filter(|n| *n > 0.0);
        Ok((slack, value.zip(norm).map(|(v, n)| v / n)))
    }

    fn with(&self, kernels: Kernels, judged: &Evidence) -> Result<Evidence, Error> {
        Ok(match judged {
            Evidence::KernelPairs(_, p) | Evidence::Pairs(p) => Evidence::KernelPairs(kernels, p.clone()),
            Evidence::KernelComparisons(_, c) | Evidence::Comparisons(c) => {
                Evidence::KernelComparisons(kernels, c.clone())
            }
            _ => Evidence::Kernels(kernels),
        })
    }

    fn score(&self, setting: &Setting) -> Result<(f64, Vec<f64>)> {
        let kernels = self.kernels(setting)?;
        let settings = self.settings(setting)?;
        let watcher = Watcher::new(self.context);
        let watch = |step: &nearer::Step| watcher.see(step);
        let run = self.context.run().watched(&watch);
        let comparisons = |c: &Comparisons, run: &Run<'_>| {
            let own = kernels.restricted(c.objects())?;
            self.method.fit(&settings, &Evidence::KernelComparisons(own, c.clone()), run)
        };
        let pairs = |p: &Pairs, run: &Run<'_>| {
            let own = kernels.restricted(p.objects())?;
            self.method.fit(&settings, &Evidence::KernelPairs(own, p.clone()), run)
        };
        let place = |model: &Model, asked: &Objects| placed(&kernels, model, asked);
        let by = match self.by {
            TuneBy::Rows => Some(By::Rows),
            TuneBy::Queries => Some(By::Queries),
            TuneBy::Participant => Some(By::Participant),
            TuneBy::Object => None,
            TuneBy::Spectrum => {
                let evidence = self.with(kernels.clone(), self.evidence)?;
                let fit = self.method.fit(&settings, &evidence, &run)?;
                let Some(s) = &fit.report.spectrum else { bail!("{} has no spectrum to tune by", self.method.name) };
                return Ok((s.eigenvalues.iter().take(fit.report.dim).sum::<f64>() / s.trace, Vec::new()));
            }
        };
        let found = match (self.evidence, by) {
            (Evidence::KernelComparisons(_, c), Some(by)) => held_out(c, by, self.folds, comparisons, &run)?,
            (Evidence::KernelComparisons(_, c), None) => {
                let place = |model: &Model, query: &Comparisons| placed_of_query(&kernels, model, query);
                held_out_objects(c, self.folds, comparisons, place, &run)?
            }
            (Evidence::KernelPairs(_, p), by) => {
                let what = by.map_or(HoldPairs::Object, HoldPairs::Rows);
                held_out_pairs(p, what, self.folds, pairs, place, &run)?
            }
            (other, _) => bail!("{} have no judgements to hold out; tune by spectrum", other.kind()),
        };
        Ok((found.test.mean, found.folds.iter().map(|f| f.test).collect()))
    }
}

/// Objects of the kernels placed by a map that was made without them.
pub(super) fn placed(kernels: &Kernels, model: &Model, asked: &Objects) -> Result<Embedding, Error> {
    match model {
        Model::Kernel(map) => map.place(&kernels.asked(asked, map.functions().objects())?),
        _ => Err(Error::Evidence {
            what: "this map does not place by features".into(),
            remedy: "hold out rows instead of objects".into(),
        }),
    }
}

/// The new objects of a query placed by their features alone.
pub(super) fn placed_of_query(kernels: &Kernels, model: &Model, query: &Comparisons) -> Result<Embedding, Error> {
    let old = model.anchors().index();
    let new: Vec<usize> =
        (0..query.objects().len()).filter(|i| !old.contains_key(query.objects().labels()[*i].as_str())).collect();
    placed(kernels, model, &query.objects().subset(&new))
}

fn told(setting: &Setting) -> String {
    let mut words: Vec<String> = setting.width.iter().map(|w| format!("width {w} x")).collect();
    words.extend(setting.settings.iter().map(|(n, v)| {
        let short = v.number().map_or(v.to_string(), |x| format!("{x:.3e}"));
        format!("{n} {short}")
    }));
    words.join(", ")
}
