//! What a method can take, seen in a study.

use crate::evidence::{
    Comparisons, DistanceRows, Distances, Features, Kernels, Measurements, Pairs, Part, Sorts, Taxonomy,
};
use crate::study::Study;

/// Evidence that a method can take: which parts it is, and how it is seen in a study.
///
/// A type stands for its view: `Distances` is seen as `&Distances`, `(Kernels, Comparisons)` as
/// `(&Kernels, &Comparisons)`; that a method takes it, its [`Embed`](crate::Embed) says. A new kind of evidence has one
/// line here.
pub trait View {
    /// The parts, judgements before what goes with them.
    const PARTS: &'static [Part];
    /// What the method gets.
    type Seen<'s>;
    /// It, if all of it is there.
    fn of(study: &Study) -> Option<Self::Seen<'_>>;
}

/// A part of its own: how a method sees it, how a study of it alone is made, and how it is had from a study.
macro_rules! parts {
    ($($part:ident($kind:ident), $get:ident, $doc:literal;)*) => {
        $(impl View for $part {
            const PARTS: &'static [Part] = &[Part::$kind];
            type Seen<'s> = &'s $part;
            fn of(study: &Study) -> Option<&$part> {
                study.$get()
            }
        }
        impl From<$part> for Study {
            fn from(part: $part) -> Self {
                Study::default().with(part)
            }
        })*
        impl Study {
            $(#[doc = $doc]
            #[must_use]
            pub fn $get(&self) -> Option<&$part> {
                self.evidence.iter().find_map(|e| <&$part>::try_from(e).ok())
            })*
        }
    };
}

parts! {
    Distances(Distances), distances, "The distances, where there are any.";
    DistanceRows(Rows), rows, "The rows of distances to landmarks, where there are any.";
    Pairs(Pairs), pairs, "The pairs said to be alike or not, where there are any.";
    Comparisons(Comparisons), comparisons, "The comparisons, where there are any.";
    Taxonomy(Taxonomy), taxonomy, "The tree, where there is one.";
    Sorts(Sorts), sorts, "The sorts or classes, where there are any.";
}

impl From<Features> for Study {
    fn from(features: Features) -> Self {
        Study::default().with(features)
    }
}

impl From<Kernels> for Study {
    fn from(kernels: Kernels) -> Self {
        Study::default().with(kernels)
    }
}

impl View for Features {
    const PARTS: &'static [Part] = &[Part::Features];
    type Seen<'s> = &'s Features;
    fn of(study: &Study) -> Option<&Features> {
        // Of several tables none is the one.
        study.features.first().filter(|_| study.features.len() == 1).map(|(_, f)| f)
    }
}

impl View for Kernels {
    const PARTS: &'static [Part] = &[Part::Kernels];
    type Seen<'s> = &'s Kernels;
    fn of(study: &Study) -> Option<&Kernels> {
        study.kernels.as_ref()
    }
}

/// Distances with the people behind them: the view of a method that does not take their mean.
#[derive(Debug, Clone, Copy)]
pub struct People;

/// What a method sees of [`People`].
#[derive(Debug, Clone, Copy)]
pub struct ByPeople<'s> {
    /// The distances of all together.
    pub distances: &'s Distances,
    /// Who measured what, where that is known.
    pub measurements: Option<&'s Measurements>,
}

impl View for People {
    const PARTS: &'static [Part] = &[Part::Distances];
    type Seen<'s> = ByPeople<'s>;
    fn of(study: &Study) -> Option<ByPeople<'_>> {
        Some(ByPeople { distances: study.distances()?, measurements: study.measurements() })
    }
}

/// Judgements with what they are a function of.
macro_rules! together {
    ($($base:ident, $judged:ident;)*) => {
        $(impl View for ($base, $judged) {
            const PARTS: &'static [Part] = &[Part::$judged, Part::$base];
            type Seen<'s> = (&'s $base, &'s $judged);
            fn of(study: &Study) -> Option<(&$base, &$judged)> {
                Some((<$base as View>::of(study)?, <$judged as View>::of(study)?))
            }
        })*
    };
}

together! {
    Kernels, Comparisons;
    Kernels, Pairs;
    Kernels, Sorts;
    Features, Comparisons;
    Features, Pairs;
    Features, Sorts;
}
