//! The ways to fit a method, each with the parts of a study that it takes: typed inside, plain outside.

use crate::error::Error;
use crate::evidence::Part;
use crate::fit::{Embed, Fit};
use crate::model::Model;
use crate::settings::{Configured, Settings};
use crate::solve::Run;
use crate::study::{Study, View};

/// One way to fit a method: the parts of a study that it takes together, and the fit. Typed inside, plain outside.
#[derive(Debug, Clone, Copy)]
pub struct Way {
    /// The parts.
    pub parts: &'static [Part],
    /// The setting, and its word, that this way is for; `None` where it is for any.
    pub when: Option<(&'static str, &'static str)>,
    pub(super) fit: FitFn,
}

impl Way {
    /// The way for this word of a setting alone.
    pub(crate) const fn when(self, setting: &'static str, word: &'static str) -> Self {
        Way { when: Some((setting, word)), ..self }
    }
    pub(super) fn is_for(&self, settings: &Settings) -> bool {
        self.when.is_none_or(|(setting, word)| settings.word(setting) == Some(word))
    }
}

/// A fit, where the study has the parts.
pub(super) type FitFn = fn(&Settings, &Study, &Run<'_>) -> Option<Result<Fit<Model>, Error>>;

/// The way of a method through a [`View`]: `way::<Gnmds, Comparisons>()`, `way::<Kpsde, (Kernels, Pairs)>()`.
pub(crate) const fn way<M, V>() -> Way
where
    V: View,
    M: Configured + for<'s> Embed<V::Seen<'s>>,
    for<'s> <M as Embed<V::Seen<'s>>>::Model: Into<Model>,
{
    Way { parts: V::PARTS, when: None, fit: fitted::<M, V> }
}

fn fitted<M, V>(settings: &Settings, study: &Study, run: &Run<'_>) -> Option<Result<Fit<Model>, Error>>
where
    V: View,
    M: Configured + for<'s> Embed<V::Seen<'s>>,
    for<'s> <M as Embed<V::Seen<'s>>>::Model: Into<Model>,
{
    let seen = V::of(study)?;
    let fit = M::from_settings(settings).and_then(|method| method.fit_with(seen, run));
    Some(fit.map(|fit| fit.map_model(Into::into)))
}

/// From settings to the method and back: what has no meaning for it is gone. See [`again`].
pub(super) type AgainFn = fn(&Settings) -> Result<Settings, Error>;

/// The settings of the method that these settings make.
pub(crate) fn again<M: Configured>(settings: &Settings) -> Result<Settings, Error> {
    Ok(M::from_settings(settings)?.settings())
}
