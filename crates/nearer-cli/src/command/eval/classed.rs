//! A map against classes that are known, with the features as they were given beside it.

use anyhow::{Result, bail};
use nearer::evaluate::{class_evaluation, held_out_classes};
use nearer::evidence::Classes;
use nearer::io::{Outbox, read_metadata};
use nearer::method::at_unit_variance;
use nearer::report::ClassEvaluation;
use nearer::{Features, Run, Step, Study};

use super::Eval;
use crate::command::plot::chosen;
use crate::command::tables;
use crate::context::{Context, Outcome};
use crate::input::{self, MapFile};
use crate::output::{self, Output, Role};
use crate::progress::Watcher;

impl Eval {
    /// The evaluation by classes, where nothing else is given that a map can be held against.
    pub(super) fn of_classes(
        &self,
        files: &[Output],
        map: &MapFile,
        study: &Study,
        parameters: &[(&'static str, String)],
        context: &Context,
    ) -> Result<Outcome> {
        self.refuse_what_needs_more()?;
        let e = self.classes(self.held_out.asked(), map, study, parameters, context)?;
        let mut outbox = Outbox::new();
        for o in files {
            if o.role != Role::Report {
                bail!("{}: an evaluation by classes writes .json alone", o.path.display());
            }
            let mut text = Vec::new();
            output::write_json(&mut text, &e)?;
            output::put(&mut outbox, o, &text)?;
        }
        output::stdout_then_files(outbox, files, context, || match context.json {
            true => output::json_to_stdout(&e),
            false => output::words_to_stdout(&tables::of_classes(&e)),
        })?;
        Ok(Outcome::Good)
    }

    /// The evaluation by classes beside another one, where it is asked for. What is held out is of the other one.
    pub(super) fn classes_beside(
        &self,
        map: &MapFile,
        study: &Study,
        parameters: &[(&'static str, String)],
        context: &Context,
    ) -> Result<Option<ClassEvaluation>> {
        let asked = self.reading.classes.is_some();
        asked.then(|| self.classes(false, map, study, parameters, context)).transpose()
    }

    fn refuse_what_needs_more(&self) -> Result<()> {
        let asked = [
            (self.ordinal, "--ordinal"),
            (self.jackknife, "--jackknife"),
            (self.bootstrap.is_some(), "--bootstrap"),
            (self.dimensions.is_some(), "--dimensions"),
            (!self.shepard.is_empty(), "--shepard"),
            (self.per_object.is_some(), "--per-object"),
            (self.other.is_some(), "--other"),
        ];
        if let Some((_, flag)) = asked.iter().find(|(given, _)| *given) {
            bail!("{flag} needs distances or judgements, and there are classes only; leave it out, or give evidence");
        }
        if self.held_out.asked() && !self.held_out.objects() {
            bail!("of classes only objects can be held out; write --held-out object");
        }
        Ok(())
    }

    /// The figures of the map, of the features where they are given, and of objects held out.
    fn classes(
        &self,
        held_out: bool,
        map: &MapFile,
        study: &Study,
        parameters: &[(&'static str, String)],
        context: &Context,
    ) -> Result<ClassEvaluation> {
        let classes = self.read_classes(map, study, context)?;
        let features = match study.features() {
            [] => None,
            [(_, features)] => Some(features),
            _ => bail!("{} tables of features are given; an evaluation by classes takes one", study.features().len()),
        };
        let k = self.knn as usize;
        let among = map.embedding.len().min(classes.objects().len());
        if k >= among {
            bail!("--knn {k}: there are {among} objects, and each asks the others; ask {} at most", among - 1);
        }
        let again = match (held_out, features) {
            (false, _) => None,
            (true, Some(features)) => {
                let whole = self.again(study, features, &classes);
                Some((features, chosen(self.method.as_deref(), map, &whole, parameters, context)?))
            }
            (true, None) => {
                bail!("--held-out object learns from features again; give the table of them beside the map")
            }
        };
        let settings = again.as_ref().map(|(_, chosen)| &chosen.settings).or(map.report.as_ref().map(|r| &r.settings));
        let unit_variance = settings.is_some_and(at_unit_variance);
        let beside = features.map(|features| (features, unit_variance));
        let mut e = class_evaluation(&map.embedding, &classes, beside, k, &context.run())?;
        e.method = map.report.as_ref().map(|report| report.method.clone());
        if let Some((features, chosen)) = &again {
            let watcher = Watcher::new(context);
            let watch = |step: &Step| watcher.see(step);
            let run = context.run().watched(&watch);
            let fit = |features: &Features, classes: &Classes, run: &Run<'_>| {
                chosen.fit_part(&self.again(study, features, classes), run)
            };
            let folds = self.held_out.folds();
            e.held_out = Some(held_out_classes((features, unit_variance), &classes, k, folds, fit, &run)?);
        }
        Ok(e)
    }

    /// The study of some of the objects, as the method is to see it.
    fn again(&self, study: &Study, features: &Features, classes: &Classes) -> Study {
        let name = study.features().first().map_or("features", |(name, _)| name.as_str());
        Study::default()
            .with(classes.sorts("class"))
            .with_features(name, features.clone())
            .with_kernels(study.kernel_specs().iter().cloned())
    }

    /// The classes: of a file of them, of a column of the features, or of the metadata.
    fn read_classes(&self, map: &MapFile, study: &Study, context: &Context) -> Result<Classes> {
        if let Some(sorts) = study.sorts() {
            return Ok(Classes::of(sorts)?);
        }
        let (Some(name), Some(file)) = (&self.reading.classes, &self.metadata) else {
            bail!("nothing says what the classes are; give --metadata FILE and --classes COLUMN");
        };
        // Objects that are held out need not be on the map.
        let objects = study.features().first().map_or(map.embedding.objects(), |(_, f)| f.objects());
        let (table, assumed) = read_metadata(&input::about_objects(file, context)?, objects)?;
        input::said(file, &assumed, context);
        let Some(column) = table.column(name) else {
            bail!("--classes {name}: {file} has no column of that name");
        };
        Ok(Classes::of(&column.classes(objects)?)?)
    }
}
