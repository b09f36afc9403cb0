//! Which method: the one that was asked for, or the one the evidence suggests.

use anyhow::{Result, bail};
use nearer::check::suggest_for;
use nearer::evidence::ConvertOptions;
use nearer::method::spanned_dimensions;
use nearer::method::table::{METHODS, Method, find};
use nearer::study::Note;
use nearer::{Error, Features, Part, Settings, Study};

use crate::context::Context;
use crate::input;

/// A method with its settings, ready to fit.
#[derive(Debug)]
pub(crate) struct Chosen {
    pub(crate) method: &'static Method,
    pub(crate) settings: Settings,
    /// The names of those that were given.
    pub(crate) given: Vec<&'static str>,
}

/// Settings of a method from flags.
pub(crate) fn settings(method: &'static Method, parameters: &[(&'static str, String)]) -> Result<Settings> {
    Ok(method.settings(parameters.iter().map(|(name, value)| (*name, value.as_str())))?)
}

/// The method asked for, or the suggested one, said with its reason.
pub(crate) fn choose(
    name: Option<&str>,
    study: &Study,
    parameters: &[(&'static str, String)],
    context: &Context,
) -> Result<Chosen> {
    let method = match name {
        Some(name) => {
            let method = find(name)?;
            if method.name != name {
                context.note(&format!("method {}, as {name} is called here", method.name));
            }
            method
        }
        None => {
            let dim = parameters.iter().find(|(name, _)| *name == "dim").and_then(|(_, text)| text.parse().ok());
            let suggestion = suggest_for(study, dim.unwrap_or(2), &context.run(), context.memory);
            let method = find(&suggestion.method)?;
            input::note(&Note::Chosen { method: method.name.into(), why: suggestion.why }, context);
            method
        }
    };
    learns(method, study)?;
    let given = parameters.iter().map(|(name, _)| *name).collect();
    Ok(Chosen { method, settings: settings(method, parameters)?, given })
}

/// Refuses kernels that were asked for where the method has no use for them.
fn learns(method: &Method, study: &Study) -> Result<()> {
    let able = |m: &Method| m.ways.iter().any(|way| way.parts.contains(&Part::Kernels));
    if study.kernel_specs().is_empty() || able(method) {
        return Ok(());
    }
    let able: Vec<&str> = METHODS.iter().filter(|m| able(m)).map(|m| m.name).collect();
    bail!("{} does not learn from features; choose one of {}, or leave them out", method.name, able.join(", "))
}

/// The study as the method takes it; what was done is said.
pub(crate) fn suited(study: &Study, chosen: &Chosen, context: &Context) -> Result<Study> {
    suited_to(study, chosen.method, &chosen.settings, context)
}

/// The same for a method with settings that were recorded.
pub(crate) fn suited_to(study: &Study, method: &Method, settings: &Settings, context: &Context) -> Result<Study> {
    let options = ConvertOptions { seed: context.seed, ..ConvertOptions::default() };
    let (suited, notes) = study.suited(method.name, &method.takes_with(settings), &options)?;
    notes.iter().for_each(|n| input::note(n, context));
    Ok(suited)
}

/// Whether a method is told to bring each feature to unit variance.
pub(crate) fn at_unit_variance(settings: &Settings) -> bool {
    settings.get("unit-variance") == Some(&true.into())
}

impl Chosen {
    /// The settings for a fit of a metric to some of the objects, whose features may span fewer dimensions than those of all; other
    /// methods, and maps in the span of kernels, are not held by that.
    pub(crate) fn within(&self, features: &Features) -> Result<Settings, Error> {
        if self.settings.get("unit-variance").is_none() {
            return Ok(self.settings.clone());
        }
        let most = spanned_dimensions(features)?;
        let fewer =
            self.settings.count("dim").filter(|dim| *dim > most).map(|_| self.settings.clone().with("dim", most));
        Ok(fewer.unwrap_or_else(|| self.settings.clone()))
    }
}
