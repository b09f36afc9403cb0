//! What `nearer embed` refuses to write before any work is done, since the method cannot give it.

use std::path::Path;

use anyhow::{Result, bail};
use nearer::method::table::{Method, find};
use nearer::{Part, Study, verify};

use super::embed::Embed;
use crate::output::{Output, Role};

impl Embed {
    /// Refuses to ask for a certificate of what gives none, before any work is done.
    pub(super) fn provable(&self, what: &str, outputs: &[Output]) -> Result<()> {
        let file = outputs.iter().find(|o| o.role == Role::Certificate).filter(|_| !verify::CHECKED.contains(&what));
        if let Some(file) = file {
            let (file, known) = (file.path.display(), verify::CHECKED.join(", "));
            bail!("{what} gives no certificate that can be written; choose one of {known}, or leave {file} out")
        }
        let weighed = |o: &&Output| matches!(o.role, Role::Weights | Role::WeightsFigure(_));
        let learns = find(what).is_ok_and(|m| m.ways.iter().any(|way| way.parts.contains(&Part::Kernels)));
        if let Some(file) = outputs.iter().find(weighed).filter(|_| !learns) {
            bail!(no_weights(what, &file.path))
        }
        if self.certified.is_some() && !verify::CHECKED.contains(&what) {
            bail!("{what} gives no certificate; choose one of {}, or leave --certified out", verify::CHECKED.join(", "))
        }
        Ok(())
    }

    /// Refuses tables that the method or the flags do not make, before any work is done.
    pub(super) fn tabled(&self, method: &Method, outputs: &[Output]) -> Result<()> {
        for o in outputs {
            let file = o.path.display();
            match o.role {
                Role::Ellipses if !self.ellipses.asked() => bail!("{file} holds ellipses; say which by --ellipses"),
                Role::People if !["choice", "indscal"].contains(&method.name) => {
                    bail!(
                        "{file} holds the lapses or weights of participants, which {} does not look for; choose --method choice, or indscal",
                        method.name
                    )
                }
                Role::Maps if method.name != "multiple-maps" => {
                    bail!("{file} holds several maps, and {} makes one; choose --method multiple-maps", method.name)
                }
                _ => {}
            }
        }
        Ok(())
    }
}

/// Refuses to ask for weights of what learns none, before any work is done: weights are of kernels, or of features by judgements.
pub(super) fn weighed(method: &str, study: &Study, outputs: &[Output]) -> Result<()> {
    let learned = study.kernels().is_some() || (!study.features().is_empty() && study.main().is_some());
    match outputs.iter().find(|o| matches!(o.role, Role::Weights | Role::WeightsFigure(_))) {
        Some(file) if !learned => bail!(no_weights(method, &file.path)),
        _ => Ok(()),
    }
}

pub(super) fn no_weights(method: &str, file: &Path) -> String {
    format!(
        "{method} has no weights of landmarks, so {} cannot be written; choose a method that learns from features",
        file.display()
    )
}
