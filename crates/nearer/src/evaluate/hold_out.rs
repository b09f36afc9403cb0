//! Judgements held out of a study: folds are fitted with what is known of their objects, and those held out are placed by it.

use crate::error::{Error, Remedy};
use crate::evaluate::{
    AsGiven, Folds, Hold, Radii, held_out, held_out_objects, held_out_pairs, held_out_scored, log_likelihood,
};
use crate::evidence::{Comparisons, Evidence, Features, Kernels, Pairs, Part};
use crate::fit::{Fit, Place as _};
use crate::geometry::Embedding;
use crate::model::Model;
use crate::object::Objects;
use crate::report::HeldOut;
use crate::solve::Run;
use crate::study::{Note, Study};

/// What is known of the objects beside their judgements.
#[derive(Debug, Clone)]
pub enum Beside {
    /// Nothing.
    Nothing,
    /// A table that a method learns from as it is.
    Features(Features),
    /// Kernels, of which the map is a function.
    Kernels(Kernels),
}

impl Beside {
    /// What stands beside the main part of a study, for a method that has these ways: a table stays one where the method takes it with
    /// the judgements and no kernels are asked for.
    ///
    /// # Fails
    /// As [`Study::kernels_of`].
    pub fn of(study: &Study, ways: &[&[Part]]) -> Result<(Self, Vec<Note>), Error> {
        let known = !study.features().is_empty() || study.kernels().is_some();
        let Some(main) = study.main().filter(|_| known) else { return Ok((Beside::Nothing, Vec::new())) };
        let meant = study.kernels().is_some() || !study.kernel_specs().is_empty();
        if let ([(_, table)], false) = (study.features(), meant)
            && ways.contains(&&[main.kind(), Part::Features][..])
        {
            return Ok((Beside::Features(table.clone()), Vec::new()));
        }
        let (kernels, notes) = study.kernels_of(&study.objects())?;
        Ok((Beside::Kernels(kernels), notes))
    }

    /// Judgements with what is known of their objects.
    pub fn with(&self, judged: impl Into<Evidence>) -> Result<Study, Error> {
        let judged = judged.into();
        let objects = judged.objects().clone();
        let study = Study::from(judged);
        Ok(match self {
            Beside::Nothing => study,
            Beside::Features(table) => study.with(table.restricted(&objects)?),
            Beside::Kernels(kernels) => study.with(kernels.restricted(&objects)?),
        })
    }

    /// The new objects of a query, by what is known of them, or else by their judgements.
    fn place_queried(&self, model: &Model, query: &Comparisons) -> Result<Embedding, Error> {
        match self {
            Beside::Nothing => model.place(query),
            Beside::Features(table) => model.place_tables(&[(None, &table.restricted(query.objects())?)]),
            Beside::Kernels(kernels) => {
                let old = model.anchors().map(Objects::index).unwrap_or_default();
                let labels = query.objects().labels();
                let new: Vec<usize> = (0..labels.len()).filter(|i| !old.contains_key(labels[*i].as_str())).collect();
                place_by(kernels, model, &query.objects().subset(&new))
            }
        }
    }

    /// Objects of which nothing is known but what stands beside judgements.
    fn place(&self, model: &Model, asked: &Objects) -> Result<Embedding, Error> {
        match self {
            Beside::Kernels(kernels) => place_by(kernels, model, asked),
            Beside::Features(table) => model.place_tables(&[(None, &table.restricted(asked)?)]),
            Beside::Nothing => Err(Error::Evidence {
                what: "without features nothing is known about pairs held out with their objects".into(),
                remedy: Remedy::from("hold out rows, or give features with ").any("kernel"),
            }),
        }
    }
}

/// Objects of the kernels placed by a map that was made without them.
fn place_by(kernels: &Kernels, model: &Model, asked: &Objects) -> Result<Embedding, Error> {
    match model {
        Model::Kernel(map) => map.place(&kernels.asked(asked, map.functions().objects())?),
        _ => Err(Error::Evidence {
            what: "this map does not place by features".into(),
            remedy: "hold out rows instead of objects".into(),
        }),
    }
}

/// How judgements are held out, and what stands beside them.
#[derive(Debug, Clone, Copy)]
pub struct HoldOut<'a> {
    /// What is held out together.
    pub what: Hold,
    /// How many times.
    pub folds: Folds,
    /// What is known of the objects.
    pub beside: &'a Beside,
    /// Whether features that a metric is held against are brought to unit variance, as the metric was told to.
    pub unit_variance: bool,
}

impl HoldOut<'_> {
    /// What maps of the rest say of judgements that were held out; beside a table also what its rows say as they are. `fit` makes a map
    /// of a study that holds some of the judgements with what is known of their objects, and is not yet as any method takes it.
    ///
    /// # Fails
    /// For evidence that is neither comparisons nor pairs, and as [`held_out`], [`held_out_objects`] and [`held_out_pairs`].
    pub fn tested(
        &self,
        judged: &Evidence,
        fit: impl Fn(&Study, &Run<'_>) -> Result<Fit<Model>, Error> + Sync,
        run: &Run<'_>,
    ) -> Result<HeldOut, Error> {
        match judged {
            Evidence::Comparisons(c) => self.comparisons(c, fit, run),
            Evidence::Pairs(p) => self.pairs(p, fit, run),
            other => Err(Error::Evidence {
                what: format!("of {} nothing can be held out", other.kind()),
                remedy: "give comparisons or pairs".into(),
            }),
        }
    }

    fn comparisons(
        &self,
        c: &Comparisons,
        fit: impl Fn(&Study, &Run<'_>) -> Result<Fit<Model>, Error> + Sync,
        run: &Run<'_>,
    ) -> Result<HeldOut, Error> {
        // First, for it is done at once: with the time that is left it would not be.
        let features = match self.beside {
            Beside::Features(table) => {
                let fit =
                    |c: &Comparisons, _: &Run<'_>| AsGiven::fit(&table.restricted(c.objects())?, self.unit_variance);
                let place = |model: &AsGiven, query: &Comparisons| model.place(&table.restricted(query.objects())?);
                Some(match self.what {
                    Hold::Rows(by) => held_out(c, by, self.folds, fit, run)?,
                    Hold::Object => held_out_objects(c, self.folds, fit, place, run)?,
                })
            }
            Beside::Nothing | Beside::Kernels(_) => None,
        };
        let fit = |c: &Comparisons, run: &Run<'_>| fit(&self.beside.with(c.clone())?, run);
        let mut found = match self.what {
            Hold::Rows(by) => held_out_scored(c, by, self.folds, fit, likelihood, run)?,
            Hold::Object => held_out_objects(c, self.folds, fit, |m, query| self.beside.place_queried(m, query), run)?,
        };
        found.features = features.map(|f| f.test);
        Ok(found)
    }

    fn pairs(
        &self,
        pairs: &Pairs,
        fit: impl Fn(&Study, &Run<'_>) -> Result<Fit<Model>, Error> + Sync,
        run: &Run<'_>,
    ) -> Result<HeldOut, Error> {
        let (radii, features) = match self.beside {
            Beside::Features(table) => {
                let fit = |p: &Pairs, _: &Run<'_>| AsGiven::fit(&table.restricted(p.objects())?, self.unit_variance);
                let place = |model: &AsGiven, asked: &Objects| model.place(&table.restricted(asked)?);
                let found = held_out_pairs(pairs, (self.what, Radii::One), self.folds, fit, place, run)?;
                (Radii::One, Some(found.test))
            }
            Beside::Nothing | Beside::Kernels(_) => (Radii::Own, None),
        };
        let fit = |p: &Pairs, run: &Run<'_>| fit(&self.beside.with(p.clone())?, run);
        let place = |model: &Model, asked: &Objects| self.beside.place(model, asked);
        let mut found = held_out_pairs(pairs, (self.what, radii), self.folds, fit, place, run)?;
        found.features = features;
        Ok(found)
    }
}

/// The likelihood of answers under a fit that did not see them.
fn likelihood(fit: &Fit<Model>, test: &Comparisons) -> Result<Option<f64>, Error> {
    log_likelihood(&fit.embedding, &fit.model, &fit.report, test)
}
