//! Which method: what the library chooses, said to whoever asked.

use anyhow::Result;
use nearer::method::Chosen;
use nearer::method::table::Method;
use nearer::{Settings, Study, check};

use crate::context::Context;
use crate::input;

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
    let given: Vec<(&str, &str)> = parameters.iter().map(|(name, value)| (*name, value.as_str())).collect();
    let (chosen, note) = check::choose(study, name, &given, &context.run(), context.memory)?;
    if let Some(name) = name.filter(|name| *name != chosen.method.name) {
        context.note(&format!("method {}, as {name} is called here", chosen.method.name));
    }
    note.iter().for_each(|n| input::note(n, context));
    Ok(chosen)
}

/// The study as the method takes it; what was done is said.
pub(crate) fn suited(study: &Study, chosen: &Chosen, context: &Context) -> Result<Study> {
    let (suited, notes) = chosen.suited(study, context.seed)?;
    notes.iter().for_each(|n| input::note(n, context));
    Ok(suited)
}
