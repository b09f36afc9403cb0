//! The kernels of a study: asked for by name over its tables of features, and made for the objects that are judged.

use crate::error::Error;
use crate::evidence::{Features, KernelKind, KernelSpec, Kernels, Made, Part, Width};
use crate::object::Objects;
use crate::study::{Note, Study};

impl Study {
    /// What the kernels are to be: as asked for, or an rbf kernel of the median width for each table of features.
    ///
    /// # Fails
    /// [`Error::Evidence`] where kernels are asked for and a table of features is left out of them.
    pub fn kernels_asked(&self) -> Result<(Vec<KernelSpec>, Vec<Note>), Error> {
        if self.specs.is_empty() {
            let of_median = |(file, _): &(String, Features)| {
                let spec = KernelSpec::over(KernelKind::Rbf { width: Width::default() }, file);
                let note = Note::Kernel { file: file.clone(), name: spec.name.clone() };
                (spec, note)
            };
            return Ok(self.features.iter().map(of_median).unzip());
        }
        let named = |file: &str| self.specs.iter().any(|s| s.file() == Some(file));
        if let Some((file, _)) = self.features.iter().find(|(file, _)| !named(file)) {
            return Err(Error::Evidence {
                what: format!("{file} holds features, and none of the kernels that are asked for is made of it"),
                remedy: "ask for a kernel over it as well, or leave the file out".into(),
            });
        }
        Ok((self.specs.clone(), Vec::new()))
    }

    /// The kernels on these objects: those that are there, or made as [`kernels_asked`](Study::kernels_asked) says.
    pub fn kernels_of(&self, objects: &Objects) -> Result<(Kernels, Vec<Note>), Error> {
        if let Some(kernels) = &self.kernels {
            return Ok((kernels.restricted(objects)?, Vec::new()));
        }
        let (specs, mut notes) = self.kernels_asked()?;
        let kernels = made(objects, &specs, &self.features)?;
        let index = objects.index();
        let mut rest = self.features.iter().flat_map(|(_, t)| t.objects().labels());
        let only = rest.find(|l| !index.contains_key(l.as_str())).filter(|_| self.main().is_some());
        notes.extend(only.map(|label| Note::OnlyFeatures { label: label.clone() }));
        Ok((kernels, notes))
    }

    /// The kernels that are asked for, so many times as wide: as tuning takes them.
    ///
    /// # Fails
    /// As [`kernels_asked`](Study::kernels_asked).
    pub fn kernels_widened(&self, objects: &Objects, width: f64) -> Result<Kernels, Error> {
        let mut specs = self.kernels_asked()?.0;
        for spec in &mut specs {
            if let Made::Of { kind, .. } = &mut spec.made {
                *kind = kind.widened(width);
            }
        }
        made(objects, &specs, &self.features)
    }

    /// Whether kernels are there or can be made: asked for, or of features that stand beside judgements.
    #[must_use]
    pub fn can_have_kernels(&self) -> bool {
        let judged = [Part::Pairs, Part::Comparisons, Part::Sorts, Part::Taxonomy];
        let beside = !self.features.is_empty() && self.evidence.iter().any(|e| judged.contains(&e.kind()));
        self.kernels.is_some() || !self.specs.is_empty() || beside
    }
}

/// Kernels over tables by the names of their files.
fn made(objects: &Objects, specs: &[KernelSpec], tables: &[(String, Features)]) -> Result<Kernels, Error> {
    let table = |spec: &KernelSpec| tables.iter().find(|(name, _)| spec.file() == Some(name)).map(|(_, t)| t);
    let asked: Vec<(KernelSpec, Option<&Features>)> = specs.iter().map(|s| (s.clone(), table(s))).collect();
    Kernels::new(objects, &asked)
}
