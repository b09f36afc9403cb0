//! Which method: the one that is named, or the one that the evidence suggests, with its settings as they were typed.

use crate::check::suggest_for;
use crate::error::Error;
use crate::evidence::Part;
use crate::method::Chosen;
use crate::method::table::{METHODS, Method, find};
use crate::solve::Run;
use crate::study::{Note, Study};

/// The method of this name with what was typed of its settings, or the method that [`suggest_for`] names, and then the note that says so.
///
/// # Fails
/// [`Error::Parameter`] for a name or a setting that is not in the table; [`Error::Evidence`] where the study asks for kernels and the
/// method has no use for them.
///
/// ```
/// use nearer::{Run, Study, check::choose, toy};
/// # fn main() -> Result<(), nearer::Error> {
/// let cities = Study::from(toy::cities());
/// let (chosen, note) = choose(&cities, None, &[("dim", "3")], &Run::default(), None)?;
/// assert_eq!((chosen.method.name, chosen.settings.count("dim")), ("metric-mds", Some(3)));
/// assert!(note.is_some_and(|note| note.to_string().starts_with("method metric-mds: ")));
/// assert!(choose(&cities, Some("pcoa"), &[("dim", "many")], &Run::default(), None).is_err());
/// # Ok(()) }
/// ```
pub fn choose(
    study: &Study,
    name: Option<&str>,
    given: &[(&str, &str)],
    run: &Run<'_>,
    memory: Option<u64>,
) -> Result<(Chosen, Option<Note>), Error> {
    let (method, note) = match name {
        Some(name) => (find(name)?, None),
        None => {
            // A number of dimensions that is none is refused below, with the range of the method.
            let dim = given.iter().find(|(name, _)| *name == "dim").and_then(|(_, text)| text.parse().ok());
            let suggestion = suggest_for(study, dim.unwrap_or(2), run, memory);
            let method = find(&suggestion.method)?;
            (method, Some(Note::Chosen { method: method.name.into(), why: suggestion.why }))
        }
    };
    learns(method, study)?;
    let settings = method.settings(given.iter().copied())?;
    let named = method.parameters.iter().map(|p| p.name).filter(|name| given.iter().any(|(n, _)| n == name));
    Ok((Chosen { method, settings, given: named.collect() }, note))
}

/// Refuses kernels that were asked for where the method has no use for them.
fn learns(method: &Method, study: &Study) -> Result<(), Error> {
    let able = |m: &Method| m.ways.iter().any(|way| way.parts.contains(&Part::Kernels));
    if study.kernel_specs().is_empty() || able(method) {
        return Ok(());
    }
    let able: Vec<&str> = METHODS.iter().filter(|m| able(m)).map(|m| m.name).collect();
    Err(Error::Evidence {
        what: format!("{} does not learn from features", method.name),
        remedy: format!("choose one of {}, or leave them out", able.join(", ")).into(),
    })
}
