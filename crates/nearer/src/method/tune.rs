//! Tuning: settings by what they predict, or by how few dimensions they need. With kernels width, slack and trace; without them
//! whatever the method has of slack, link, precision, alpha and mu.

use crate::error::Error;
use crate::evaluate::{Beside, By, Hold, HoldOut};
use crate::evidence::{KernelKind, KernelSpec, Kernels, Made, Part};
use crate::method::table::Kind;
use crate::method::{Chosen, at_unit_variance};
use crate::report::{Tried, Tuning};
use crate::settings::{Settings, Value};
use crate::solve::Run;
use crate::study::Study;

/// What settings are chosen by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TuneBy {
    /// Agreement with judgements held out.
    HeldOut(By),
    /// Agreement about objects held out and placed by their features.
    Object,
    /// The share of the variance in the dimensions of the map.
    Spectrum,
}

impl TuneBy {
    fn in_words(self) -> &'static str {
        match self {
            TuneBy::HeldOut(By::Rows) => "agreement with answers held out",
            TuneBy::HeldOut(By::Queries) => "agreement with questions held out",
            TuneBy::HeldOut(_) => "agreement with people held out",
            TuneBy::Object => "agreement about objects held out and placed by their features",
            TuneBy::Spectrum => "share of the variance in the dimensions of the map",
        }
    }
}

const WIDTHS: [f64; 5] = [0.25, 0.5, 1.0, 2.0, 4.0];
const SLACKS: [f64; 3] = [0.1, 1.0, 10.0];
const TRACES: [f64; 3] = [0.01, 0.1, 1.0];
/// Without kernels: times what a method takes by itself, costs of the square of a coordinate, and what `ckl` adds to every square.
const TIMES: [f64; 4] = [1.0, 0.25, 0.5, 2.0];
const PRECISIONS: [f64; 5] = [0.0, 0.002, 0.02, 0.1, 0.5];
const MUS: [f64; 4] = [0.05, 0.005, 0.5, 5.0];

/// What is tuned, and how.
#[derive(Debug)]
pub struct Tuner<'a> {
    /// The method with its settings so far; those that are given stay.
    pub chosen: Chosen,
    /// The study as the method takes it: its kernels are replaced.
    pub study: &'a Study,
    /// The study as it was given, which says what the kernels are to be; nothing where the method takes none.
    pub asked: Option<&'a Study>,
    /// What decides.
    pub by: TuneBy,
    /// How many folds, where something is held out.
    pub folds: usize,
}

/// What is tried: how much wider the kernels are, and settings of the method in place of those it has.
#[derive(Debug, Clone, Default)]
struct Setting {
    width: Option<f64>,
    settings: Settings,
}

/// What came of it: a study with the kernels that were chosen, the settings, and the table.
#[derive(Debug)]
pub struct Tuned {
    /// With its kernels.
    pub study: Study,
    /// All settings.
    pub settings: Settings,
    /// What was tried.
    pub tuning: Tuning,
}

impl Tuner<'_> {
    /// Tries widths and slacks together, then traces with the best of them. `tell` hears what came of each, as it happens.
    ///
    /// # Fails
    /// [`Error::Evidence`] where there is nothing to tune, or nothing could be fitted; [`Error::Cancelled`].
    pub fn tuned(&self, run: &Run<'_>, tell: &mut dyn FnMut(&str)) -> Result<Tuned, Error> {
        let has = |name: &str| {
            self.chosen.method.parameters.iter().any(|p| p.name == name) && !self.chosen.given.contains(&name)
        };
        let Some(asked) = self.asked else { return self.plain(run, tell) };
        let wide = |s: &KernelSpec| {
            let width = |k: &KernelKind| k.widened(2.0) != *k;
            matches!(&s.made, Made::Of { kind, .. } if width(kind))
        };
        let widths: Vec<Option<f64>> = if asked.kernels_asked()?.0.iter().any(wide) {
            WIDTHS.iter().copied().map(Some).collect()
        } else {
            vec![None]
        };
        if widths.len() == 1 && !has("slack") && !has("trace") {
            return Err(Error::Evidence {
                what: "tuning chooses width, slack and trace, and all of them are given or do not apply".into(),
                remedy: "leave the tuning out".into(),
            });
        }
        let (slack, trace) = self.fit_once(run)?;
        let mut tried = Vec::new();
        let mut best: Option<(usize, Setting)> = None;
        let slacks: &[f64] = if has("slack") && slack.is_some() { &SLACKS } else { &[1.0] };
        for width in &widths {
            for times in slacks {
                let mut settings = Settings::default();
                if let Some(s) = slack.filter(|_| has("slack")) {
                    settings.set("slack", s * times);
                }
                self.attempt(Setting { width: *width, settings }, &mut tried, &mut best, run, tell)?;
            }
        }
        if let (true, Some(unit), Some((_, from))) = (has("trace"), trace, best.clone()) {
            for times in TRACES {
                let mut setting = from.clone();
                setting.settings.set("trace", unit * times);
                self.attempt(setting, &mut tried, &mut best, run, tell)?;
            }
        }
        self.taken(tried, best)
    }

    /// Without kernels: one setting after another, each with the best so far of those before.
    fn plain(&self, run: &Run<'_>, tell: &mut dyn FnMut(&str)) -> Result<Tuned, Error> {
        let grids = self.grids(run)?;
        if grids.is_empty() {
            return Err(Error::Evidence {
                what: format!("{} has nothing to tune, or all of it is given", self.chosen.method.name),
                remedy: "leave the tuning out".into(),
            });
        }
        let (mut tried, mut best): (Vec<Tried>, Option<(usize, Setting)>) = (Vec::new(), None);
        for (name, values) in grids {
            let from = best.clone().map(|(_, setting)| setting).unwrap_or_default();
            let known = from.settings.get(name).cloned();
            for value in values.into_iter().filter(|v| Some(v) != known.as_ref()) {
                let setting = Setting { settings: from.settings.clone().with(name, value), ..from.clone() };
                self.attempt(setting, &mut tried, &mut best, run, tell)?;
            }
        }
        self.taken(tried, best)
    }

    /// What is tried of each setting that is not given.
    fn grids(&self, run: &Run<'_>) -> Result<Vec<(&'static str, Vec<Value>)>, Error> {
        let numbers = |of: &[f64], unit: f64| of.iter().map(|v| Value::Number(v * unit)).collect::<Vec<Value>>();
        let mut used = None;
        let mut grids = Vec::new();
        for parameter in self.chosen.method.parameters.iter().filter(|p| !self.chosen.given.contains(&p.name)) {
            let values = match (parameter.name, &parameter.kind) {
                ("slack" | "alpha", _) => {
                    // Relative to what the method takes by itself.
                    let used = match &used {
                        Some(used) => used,
                        None => used.insert(self.chosen.fit(self.study, run)?.report.used()),
                    };
                    used.number(parameter.name).map_or(Vec::new(), |unit| numbers(&TIMES, unit))
                }
                ("link", Kind::Choice(words)) => {
                    words.iter().filter(|w| **w != "auto").map(|w| Value::from(*w)).collect()
                }
                ("precision", _) => numbers(&PRECISIONS, 1.0),
                ("mu", _) => numbers(&MUS, 1.0),
                _ => Vec::new(),
            };
            if !values.is_empty() {
                grids.push((parameter.name, values));
            }
        }
        Ok(grids)
    }

    fn taken(&self, tried: Vec<Tried>, best: Option<(usize, Setting)>) -> Result<Tuned, Error> {
        let Some((taken, setting)) = best else {
            return Err(Error::Evidence {
                what: "no setting that was tried could be fitted".into(),
                remedy: "tune by something else, or give the settings".into(),
            });
        };
        let tuning = Tuning { score_is: self.by.in_words().into(), tried, taken };
        Ok(Tuned { study: self.known(&setting)?, settings: self.settings(&setting)?, tuning })
    }

    /// The study with the kernels of a setting, where there are kernels.
    fn known(&self, setting: &Setting) -> Result<Study, Error> {
        Ok(match self.kernels(setting)? {
            Some(kernels) => self.study.clone().with(kernels),
            None => self.study.clone(),
        })
    }

    fn attempt(
        &self,
        setting: Setting,
        tried: &mut Vec<Tried>,
        best: &mut Option<(usize, Setting)>,
        run: &Run<'_>,
        tell: &mut dyn FnMut(&str),
    ) -> Result<(), Error> {
        let (score, folds) = match self.score(&setting, run) {
            Ok(found) => found,
            // A setting that cannot be fitted loses; being stopped ends it all.
            Err(Error::Cancelled) => return Err(Error::Cancelled),
            Err(e) => {
                tell(&format!("{}: {e}", told(&setting)));
                return Ok(());
            }
        };
        tell(&format!("{}: {score:.4}", told(&setting)));
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

    fn kernels(&self, setting: &Setting) -> Result<Option<Kernels>, Error> {
        self.asked.map(|asked| asked.kernels_widened(&self.study.objects(), setting.width.unwrap_or(1.0))).transpose()
    }

    fn settings(&self, setting: &Setting) -> Result<Settings, Error> {
        self.chosen.method.complete(&self.chosen.settings.clone().but(&setting.settings))
    }

    /// The slack that was used, and the trace at which it would weigh as much as the objective.
    fn fit_once(&self, run: &Run<'_>) -> Result<(Option<f64>, Option<f64>), Error> {
        let first = Setting::default();
        let fit = self.chosen.method.fit(&self.settings(&first)?, &self.known(&first)?, run)?;
        let slack = fit.report.used().number("slack");
        let value = fit.report.certificate.as_ref().map(|c| c.primal.abs());
        let norm = fit.report.kernels.as_ref().map(|k| k.norm).filter(|n| *n > 0.0);
        Ok((slack, value.zip(norm).map(|(v, n)| v / n)))
    }

    fn score(&self, setting: &Setting, run: &Run<'_>) -> Result<(f64, Vec<f64>), Error> {
        let chosen = Chosen { settings: self.settings(setting)?, ..self.chosen.clone() };
        let study = self.known(setting)?;
        let what = match self.by {
            TuneBy::HeldOut(by) => Hold::Rows(by),
            TuneBy::Object => Hold::Object,
            TuneBy::Spectrum => {
                let fit = chosen.fit(&study, run)?;
                let s = fit.report.spectrum.as_ref().ok_or_else(|| Error::Evidence {
                    what: format!("{} has no spectrum to tune by", chosen.method.name),
                    remedy: "tune by judgements held out".into(),
                })?;
                return Ok((s.eigenvalues.iter().take(fit.report.dim).sum::<f64>() / s.trace, Vec::new()));
            }
        };
        let judged = study.part(Part::Comparisons).or(study.part(Part::Pairs)).ok_or_else(|| Error::Evidence {
            what: "there are no judgements to hold out".into(),
            remedy: "tune by the spectrum".into(),
        })?;
        let (beside, _) = Beside::of(&study, &chosen.method.takes())?;
        let unit_variance = at_unit_variance(&chosen.settings);
        let hold = HoldOut { what, folds: self.folds.into(), beside: &beside, unit_variance };
        let found = hold.tested(judged, |part, run| chosen.fit_part(part, run), run)?;
        Ok((found.test.mean, found.folds.iter().map(|f| f.test).collect()))
    }
}

fn told(setting: &Setting) -> String {
    let mut words: Vec<String> = setting.width.iter().map(|w| format!("width {w} x")).collect();
    words.extend(setting.settings.iter().map(|(n, v)| {
        let short = v.number().map_or(v.to_string(), |x| format!("{x:.3e}"));
        format!("{n} {short}")
    }));
    words.join(", ")
}
