//! A study: the objects and whatever is known about them.
//!
//! Life is a product where one kind of evidence is a sum: people hold distances *and* features *and* judgements of the same
//! objects. A [`Study`] holds each of them as a part, as it was given; parts are joined by label, and none is converted
//! before a method asks. What a method can take is a [`View`]: one part, or several together; each row of
//! [`METHODS`](crate::method::table::METHODS) lists its views as ways. [`Study::suited`] makes the parts of a way out of
//! those that are there, by conversion where it must, and says what it did and which parts
//! were of no use as [`Note`]s: the library never prints.
//!
//! Files become a study in [`io::read_study`](crate::io::read_study); a method is chosen for it by
//! [`check::suggest`](crate::check::suggest), and tuned by [`method::Tuner`](crate::method::Tuner).
//!
//! ```
//! use nearer::{Part, Study, method::table::find, toy};
//! # fn main() -> Result<(), nearer::Error> {
//! // Distances and comparisons of the same objects, side by side.
//! let cities = toy::cities();
//! let order = nearer::Evidence::from(cities.clone()).to_comparisons(&Default::default())?.evidence;
//! let study = Study::from(cities).with(order);
//! assert_eq!(study.parts(), [Part::Distances, Part::Comparisons]);
//! let gnmds = find("gnmds")?;
//! let (suited, notes) = study.suited(gnmds.name, &gnmds.takes(), &Default::default())?;
//! assert_eq!(suited.parts(), [Part::Comparisons]);
//! assert_eq!(notes[0].to_string(), "gnmds makes no use of the distances");
//! # Ok(()) }
//! ```

mod kernels;
mod note;
mod suit;
mod view;

pub use note::Note;
pub use view::{ByPeople, People, View};

use std::borrow::Cow;

use crate::evidence::{Evidence, Features, KernelSpec, Kernels, Measurements, Part, Sorts};
use crate::metadata::Metadata;
use crate::object::Objects;

/// The objects and whatever is known about them.
#[derive(Debug, Clone, Default)]
pub struct Study {
    /// Each kind once, in the order in which they were given; features and kernels stand apart.
    evidence: Vec<Evidence>,
    measurements: Option<Measurements>,
    /// The sorts that its distances were made of.
    sorted: Option<Sorts>,
    features: Vec<(String, Features)>,
    specs: Vec<KernelSpec>,
    kernels: Option<Kernels>,
    metadata: Metadata,
}

impl Study {
    /// With this part; what was there of the same kind makes room for it. A table of features is called `features`.
    #[must_use]
    pub fn with(mut self, part: impl Into<Evidence>) -> Self {
        match part.into() {
            Evidence::Features(f) => return self.with_features("features", f),
            Evidence::Kernels(k) => self.kernels = Some(k),
            other => match self.evidence.iter_mut().find(|e| e.kind() == other.kind()) {
                Some(old) => *old = other,
                None => self.evidence.push(other),
            },
        }
        self
    }
    /// With a table of features of this name, by which kernels ask for it.
    #[must_use]
    pub fn with_features(mut self, name: impl Into<String>, features: Features) -> Self {
        let name = name.into();
        self.features.retain(|(other, _)| *other != name);
        self.features.push((name, features));
        self
    }
    /// With kernels to be made of the tables of features, once it is known for which objects.
    #[must_use]
    pub fn with_kernels(mut self, specs: impl IntoIterator<Item = KernelSpec>) -> Self {
        self.specs.extend(specs);
        self
    }
    /// With the measurements that its distances are the means of.
    #[must_use]
    pub fn with_measurements(mut self, measurements: Option<Measurements>) -> Self {
        self.measurements = measurements;
        self
    }
    /// With columns of numbers, categories and text about the objects.
    #[must_use]
    pub fn with_metadata(mut self, metadata: Metadata) -> Self {
        self.metadata = metadata;
        self
    }
    /// With this in place of the main part, as what that was turned into; all else stays.
    #[must_use]
    pub fn with_main(mut self, part: impl Into<Evidence>) -> Self {
        let part = part.into();
        self.evidence = self.evidence.into_iter().skip(1).filter(|e| e.kind() != part.kind()).collect();
        self.evidence.insert(0, part);
        self
    }
    /// With all that another study knows: its parts, and its tables and columns of the same name, in place of those that are there.
    #[must_use]
    pub fn and(mut self, other: Study) -> Self {
        let (own, others) = (self.objects(), other.objects());
        if other.has(Part::Distances) {
            // Those of the distances that make room say nothing about the new ones.
            self.measurements = other.measurements;
        }
        self = other.evidence.into_iter().fold(self, Study::with);
        self = other.features.into_iter().fold(self, |study, (name, table)| study.with_features(name, table));
        self.specs.extend(other.specs);
        self.kernels = other.kernels.or(self.kernels);
        let all = self.objects();
        let of = |metadata: &Metadata, objects: &Objects| metadata.subset(&all.among(objects));
        self.metadata = of(&self.metadata, &own).and(of(&other.metadata, &others));
        self
    }

    /// Whether nothing is known at all.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.parts().is_empty()
    }
    /// The kinds of its parts, in the order in which they were given.
    #[must_use]
    pub fn parts(&self) -> Vec<Part> {
        let mut parts: Vec<Part> = self.evidence.iter().map(Evidence::kind).collect();
        parts.extend((!self.features.is_empty()).then_some(Part::Features));
        parts.extend((self.kernels.is_some() || !self.specs.is_empty()).then_some(Part::Kernels));
        parts
    }
    /// Whether there is a part of this kind.
    #[must_use]
    pub fn has(&self, part: Part) -> bool {
        self.parts().contains(&part)
    }
    /// The objects of all that was measured or judged, in the order of their first appearance; where there is nothing of the
    /// kind, those that have features.
    #[must_use]
    pub fn objects(&self) -> Objects {
        let of_evidence: Vec<&Objects> = self.evidence.iter().map(Evidence::objects).collect();
        let of_kernels = || self.kernels.iter().map(Kernels::objects);
        let of_features = || self.features.iter().map(|(_, f)| f.objects());
        let lists = if of_evidence.is_empty() { of_kernels().chain(of_features()).collect() } else { of_evidence };
        match lists.as_slice() {
            [] => Objects::numbered(0),
            [one] => (*one).clone(),
            many => crate::evidence::union(many).0,
        }
    }

    /// The part of this kind; features and kernels have accessors of their own.
    #[must_use]
    pub fn part(&self, part: Part) -> Option<&Evidence> {
        self.evidence.iter().find(|e| e.kind() == part)
    }
    /// The first part that is no features and no kernels: what a map of the study is held against.
    #[must_use]
    pub fn main(&self) -> Option<&Evidence> {
        self.evidence.first()
    }
    /// What a certificate of a fit is about: the main part, or else the features or kernels.
    #[must_use]
    pub fn about(&self) -> Option<Cow<'_, Evidence>> {
        let of_features = || self.features.first().map(|(_, f)| Evidence::from(f.clone()));
        let of_kernels = || self.kernels.clone().map(Evidence::from);
        self.main().map(Cow::Borrowed).or_else(|| of_features().or_else(of_kernels).map(Cow::Owned))
    }
    /// The sorts of several assessors behind the distances, where these were made of them: who is drawn when the map is made again.
    #[must_use]
    pub fn sorts_behind(&self) -> Option<&Sorts> {
        let own = || self.evidence.iter().find_map(|e| if let Evidence::Sorts(sorts) = e { Some(sorts) } else { None });
        self.sorted.as_ref().or_else(own).filter(|sorts| sorts.assessors().len() > 1)
    }
    /// The measurements behind the distances, where they were repeated or people are named.
    #[must_use]
    pub fn measurements(&self) -> Option<&Measurements> {
        self.measurements.as_ref()
    }
    /// The tables of features, by name.
    #[must_use]
    pub fn features(&self) -> &[(String, Features)] {
        &self.features
    }
    /// What the kernels are to be.
    #[must_use]
    pub fn kernel_specs(&self) -> &[KernelSpec] {
        &self.specs
    }
    /// The kernels, where they are made.
    #[must_use]
    pub fn kernels(&self) -> Option<&Kernels> {
        self.kernels.as_ref()
    }
    /// What else is known about the objects.
    #[must_use]
    pub fn metadata(&self) -> &Metadata {
        &self.metadata
    }
}

impl From<Evidence> for Study {
    fn from(evidence: Evidence) -> Self {
        Study::default().with(evidence)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::toy;

    #[test]
    fn two_studies_are_one_with_what_is_known_of_their_objects() {
        let column = |name: &str, values: &[&str]| Metadata {
            columns: vec![crate::metadata::Column {
                name: name.into(),
                values: values.iter().map(|v| Some(v.to_string())).collect(),
            }],
        };
        let distances = |labels: [&str; 2]| {
            Study::from(crate::Distances::from_condensed(Objects::new(labels).unwrap(), vec![1.0]).unwrap())
        };
        let judged = crate::Pairs::new(Objects::new(["b", "c"]).unwrap(), Vec::new());
        let first = distances(["a", "b"]).with_metadata(column("size", &["1", "2"]));
        let second = Study::from(judged.unwrap()).with_metadata(column("tone", &["dark", "pale"]));
        let both = first.clone().and(second);
        assert_eq!((both.parts(), both.objects().labels().len()), (vec![Part::Distances, Part::Pairs], 3));
        let told = |study: &Study, name| {
            study.metadata().column(name).unwrap().values.iter().flatten().cloned().collect::<Vec<_>>()
        };
        assert_eq!(
            (told(&both, "size"), told(&both, "tone")),
            (vec!["1".into(), "2".into()], vec!["dark".into(), "pale".into()])
        );
        assert!(both.metadata().column("tone").unwrap().values[0].is_none(), "by label");
        let main = both.with_main(toy::answers(4, 2, 10, 0.0, 1));
        assert_eq!((main.parts(), main.metadata().columns.len()), (vec![Part::Comparisons, Part::Pairs], 2));
        let again = first.and(distances(["c", "d"]));
        assert_eq!(
            (again.objects().labels(), told(&again, "size").len()),
            (&["c".to_string(), "d".to_string()][..], 0)
        );
    }

    #[test]
    fn parts_of_one_kind_replace_each_other_and_objects_are_joined() {
        let few = toy::answers(4, 2, 10, 0.0, 1);
        let study = Study::from(toy::cities()).with(few.clone()).with(toy::answers(5, 2, 10, 0.0, 1));
        assert_eq!(study.parts(), [Part::Distances, Part::Comparisons]);
        assert_eq!(study.comparisons().map(|c| c.objects().len()), Some(5));
        assert_eq!(study.objects().len(), 21 + 5);
        assert_eq!(Study::from(few.clone()).objects(), *few.objects());
        assert!(study.pairs().is_none() && !study.has(Part::Pairs) && Study::default().is_empty());
    }
}
