//! A method with its settings: what is fitted, and fitted again in other dimensions or to some of the objects.

use crate::error::Error;
use crate::evidence::{ConvertOptions, Features, Part};
use crate::fit::Fit;
use crate::method::spanned_dimensions;
use crate::method::table::{Method, find};
use crate::model::Model;
use crate::settings::Settings;
use crate::solve::Run;
use crate::study::{Note, Study};

/// A method with its settings, ready to fit.
#[derive(Debug, Clone)]
pub struct Chosen {
    /// The method.
    pub method: &'static Method,
    /// All its settings.
    pub settings: Settings,
    /// The names of those that were given.
    pub given: Vec<&'static str>,
}

impl Chosen {
    /// A method with settings that were recorded; none of them counts as given.
    #[must_use]
    pub fn recorded(method: &'static Method, settings: Settings) -> Self {
        Chosen { method, settings, given: Vec::new() }
    }

    /// A study as the method takes it, and what was done for that; what is drawn by chance is drawn by the seed.
    ///
    /// # Fails
    /// As [`Study::suited`].
    pub fn suited(&self, study: &Study, seed: u64) -> Result<(Study, Vec<Note>), Error> {
        let options = ConvertOptions { seed, ..ConvertOptions::default() };
        study.suited(self.method.name, &self.method.takes_with(&self.settings), &options)
    }

    /// Fits a study that is as the method takes it.
    pub fn fit(&self, suited: &Study, run: &Run<'_>) -> Result<Fit<Model>, Error> {
        self.method.fit(&self.settings, suited, run)
    }

    /// Fits some of the judgements and features of a study, which are not yet as the method takes them: judgements of a fold that
    /// contradict each other are settled, and its features may span fewer dimensions.
    ///
    /// # Fails
    /// As [`suited`](Chosen::suited), and as the fit does.
    pub fn fit_part(&self, part: &Study, run: &Run<'_>) -> Result<Fit<Model>, Error> {
        let within = match (part.features(), part.kernel_specs()) {
            ([(_, table)], []) => &self.within(table)?,
            _ => self,
        };
        within.fit(&within.suited(part, run.seed())?.0, run)
    }

    /// The same in so many dimensions.
    #[must_use]
    pub fn in_dimensions(&self, dim: usize) -> Self {
        Chosen { settings: self.settings.clone().with("dim", dim), ..self.clone() }
    }

    /// The same for objects with these features, which may span fewer dimensions than those of all. Only metrics are held by that.
    fn within(&self, features: &Features) -> Result<Self, Error> {
        if self.settings.get("unit-variance").is_none() {
            return Ok(self.clone());
        }
        let most = spanned_dimensions(features)?;
        let fewer = self.settings.count("dim").is_some_and(|dim| dim > most);
        Ok(if fewer { self.in_dimensions(most) } else { self.clone() })
    }
}

/// A study as the method of a certificate took it, made again with the settings and the seed of that run, and what was done for that.
/// Without the features that a map was made of there is nothing to make, and whoever checks says what is missing.
///
/// # Fails
/// As [`Study::suited`].
pub fn as_claimed(study: &Study, method: &str, settings: &Settings, seed: u64) -> Result<(Study, Vec<Note>), Error> {
    match find(method) {
        Ok(m) if m.takes().iter().all(|way| way.contains(&Part::Kernels)) && !study.can_have_kernels() => {
            Ok((study.clone(), Vec::new()))
        }
        Ok(m) => Chosen::recorded(m, settings.clone()).suited(study, seed),
        Err(_) => Ok((study.clone(), Vec::new())),
    }
}

/// Whether a method is told to bring each feature to unit variance.
#[must_use]
pub fn at_unit_variance(settings: &Settings) -> bool {
    settings.get("unit-variance") == Some(&true.into())
}
