//! A method with its settings: what is fitted, and fitted again in other dimensions or to some of the objects.

use nearer_num::rng::Rng;

use crate::error::Error;
use crate::evidence::{ConvertOptions, Features, Part};
use crate::fit::Fit;
use crate::method::spanned_dimensions;
use crate::method::table::{Method, find};
use crate::model::Model;
use crate::settings::Settings;
use crate::solve::Run;
use crate::study::{Note, Study};

/// With more columns than this not all of them are landmarks unless that is asked for.
const MANY_COLUMNS: usize = 1000;
/// The stream of random numbers that landmarks are drawn from.
const LANDMARKS: u64 = 0x1A4D;

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

    /// Which of so many columns are the landmarks of rows that are read in pieces, where not all are to be: by the setting where it is
    /// given, or when all would be a burden. Each of as many equal stretches has one, where in it by the seed.
    #[must_use]
    pub fn landmark_columns(&self, columns: usize, seed: u64) -> Option<Vec<usize>> {
        let given = self.given.contains(&"landmarks");
        let count = self.settings.count("landmarks")?;
        if count >= columns || !(given || columns > MANY_COLUMNS) {
            return None;
        }
        let mut rng = Rng::task(seed, LANDMARKS);
        let one = |k: usize| {
            let (from, to) = (k * columns / count, (k + 1) * columns / count);
            from + rng.below(to - from)
        };
        Some((0..count).map(one).collect())
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn landmarks_are_spread_and_repeat_by_seed() {
        let method = crate::method::table::find("landmark-mds").unwrap();
        let asked = Chosen::recorded(method, method.settings([("landmarks", "10")]).unwrap());
        assert!(asked.landmark_columns(1000, 7).is_none(), "few enough");
        let chosen = asked.landmark_columns(2000, 7).unwrap();
        assert_eq!(Some(&chosen), asked.landmark_columns(2000, 7).as_ref());
        assert_ne!(Some(&chosen), asked.landmark_columns(2000, 8).as_ref());
        assert!(chosen.windows(2).all(|w| w[0] < w[1]) && chosen.len() == 10 && chosen[9] < 2000);
    }
}
