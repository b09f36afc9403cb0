//! Which method: the one that was asked for, or the one the evidence suggests.

use anyhow::Result;
use nearer::Settings;
use nearer::check::suggest;
use nearer::evidence::ConvertOptions;
use nearer::method::table::{Method, find};
use nearer::{Evidence, EvidenceKind};

use crate::context::Context;

/// A method with its parameters, ready to fit.
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
    evidence: &Evidence,
    parameters: &[(&'static str, String)],
    context: &Context,
) -> Result<Chosen> {
    let method = match name {
        Some(name) => find(name)?,
        None => {
            let suggestion = suggest(evidence.kind(), evidence.objects().len(), context.memory);
            let method = find(&suggestion.method)?;
            context.note(&format!("method {}: {} (--method chooses another)", method.name, suggestion.why));
            method
        }
    };
    let given = parameters.iter().map(|(name, _)| *name).collect();
    Ok(Chosen { method, settings: settings(method, parameters)?, given })
}

/// The evidence as the method takes it: as it is, or turned into comparisons or pairs, and what was done is said.
pub(crate) fn fitting(evidence: Evidence, method: &Method, context: &Context) -> Result<Evidence> {
    let takes = |kind| method.takes.contains(&kind);
    let options = ConvertOptions { seed: context.run().seed(), ..ConvertOptions::default() };
    let (converted, said) = if takes(evidence.kind()) {
        return Ok(evidence);
    } else if let (true, Evidence::Sorts(sorts)) = (takes(EvidenceKind::Distances), &evidence) {
        let how = "the distance of two objects is the share of assessors that did not put them together";
        (Evidence::Distances(sorts.distances()?), vec![how.to_owned()])
    } else if takes(EvidenceKind::Pairs) && matches!(evidence, Evidence::Sorts(_)) {
        let pairs = evidence.to_pairs(&options)?;
        (Evidence::Pairs(pairs.evidence), pairs.said)
    } else if takes(EvidenceKind::Comparisons) {
        let comparisons = evidence.to_comparisons(&options)?;
        (Evidence::Comparisons(comparisons.evidence), comparisons.said)
    } else if takes(EvidenceKind::Pairs) {
        let pairs = evidence.to_pairs(&options)?;
        (Evidence::Pairs(pairs.evidence), pairs.said)
    } else {
        // The method refuses it with a remedy of its own.
        return Ok(evidence);
    };
    context.note(&format!(
        "{} taken as {} for {}: {}",
        evidence.kind(),
        converted.kind(),
        method.name,
        said.join("; ")
    ));
    Ok(converted)
}
