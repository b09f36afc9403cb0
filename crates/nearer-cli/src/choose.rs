//! Which method: the one that was asked for, or the one the evidence suggests.

use anyhow::{Result, bail};
use nearer::Evidence;
use nearer::check::suggest;
use nearer::method::table::{Method, Settings, find};

use crate::context::Context;

/// A method with its parameters, ready to fit.
#[derive(Debug)]
pub(crate) struct Chosen {
    pub(crate) method: &'static Method,
    pub(crate) settings: Settings,
    /// The parameters that differ from the defaults because they were given.
    pub(crate) given: Vec<(String, String)>,
}

/// Settings of a method from flags.
pub(crate) fn settings(method: &'static Method, parameters: &[(&'static str, String)]) -> Result<Settings> {
    Ok(method.settings(parameters.iter().map(|(name, value)| (*name, value.as_str())))?)
}

/// The method asked for, or the suggested one, said with its reason.
pub(crate) fn choose(
    name: Option<&str>,
    evidence: &Evidence,
    parameters: &[(&'static str, String)],
    context: &Context,
) -> Result<Chosen> {
    let method = match name {
        Some(name) => find(name)?,
        None => {
            let Some(suggestion) = suggest(evidence.kind(), evidence.objects().len(), context.memory) else {
                bail!("no method takes {} yet; `nearer check` looks at them", evidence.kind());
            };
            let method = find(&suggestion.method)?;
            context.note(&format!("method {}: {} (--method chooses another)", method.name, suggestion.why));
            method
        }
    };
    let given = parameters.iter().map(|(name, value)| ((*name).to_owned(), value.clone())).collect();
    Ok(Chosen { method, settings: settings(method, parameters)?, given })
}
