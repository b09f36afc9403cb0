//! What a fit leaves behind: a model that places new objects, from rows of distances to the old ones, from judgements or
//! from features.

mod anchors;
mod hinge;
mod kernel_map;
mod landmarks;
mod likely;
mod linear;
mod manifold;
mod ordinal;
mod judged_placing;
mod own_curve;
mod parts;

pub use crate::transform::{OwnCurve, Shift, Transform};
pub use anchors::{Anchors, Loss};
pub use judged_placing::{PlacedByJudgements, Sureness};
pub use kernel_map::KernelMap;
pub use landmarks::Landmarks;
pub use likely::{Answering, AnsweringLink};
pub use linear::Linear;
pub use manifold::Manifold;
pub(crate) use manifold::{Extension, Reach};
pub use ordinal::Ordinal;
pub use own_curve::OwnRows;
pub use parts::Parts;

use crate::error::Error;
use crate::evidence::{Comparisons, DistanceRows, Features, Pairs};
use crate::fit::Place;
use crate::geometry::{Embedding, Pose, Turn};
use crate::object::Objects;

/// Any model, for the edges of the library (files, the command).
#[derive(Debug, Clone)]
#[non_exhaustive]
pub enum Model {
    /// Coordinates that are linear in squared distances to landmarks.
    Landmarks(Landmarks),
    /// Coordinates found by descent with the old points fixed.
    Anchors(Anchors),
    /// Coordinates found from judgements with the old points fixed.
    Ordinal(Ordinal),
    /// Coordinates that are linear in kernel values.
    Kernel(KernelMap),
    /// Coordinates that are linear in features.
    Linear(Linear),
    /// Coordinates that follow from the nearest old objects.
    Manifold(Manifold),
}

impl Model {
    /// The old objects that a new one is held against; none where its features alone say where it lies.
    #[must_use]
    pub fn anchors(&self) -> Option<&Objects> {
        match self {
            Model::Landmarks(m) => Some(m.landmarks()),
            Model::Anchors(m) => Some(m.points().objects()),
            Model::Ordinal(m) => Some(m.points().objects()),
            Model::Kernel(m) => Some(m.functions().objects()),
            Model::Linear(_) => None,
            Model::Manifold(m) => (!m.takes_features()).then(|| m.points().objects()),
        }
    }
    /// The likelihood of answers, where the map was made by one.
    #[must_use]
    pub fn likelihood(&self) -> Option<Answering> {
        match self {
            Model::Ordinal(m) => m.likelihood(),
            _ => None,
        }
    }
    /// Dimensions of the map.
    #[must_use]
    pub fn dim(&self) -> usize {
        match self {
            Model::Landmarks(m) => m.dim(),
            Model::Anchors(m) => m.dim(),
            Model::Ordinal(m) => m.dim(),
            Model::Kernel(m) => m.dim(),
            Model::Linear(m) => m.dim(),
            Model::Manifold(m) => m.dim(),
        }
    }
    /// Where new objects lie by their features, from tables that may say which of the model's they stand for.
    ///
    /// # Fails
    /// [`Error::Evidence`] where the map is not a function of features, or a column is missing.
    pub fn place_tables(&self, tables: &[(Option<&str>, &Features)]) -> Result<Embedding, Error> {
        match self {
            Model::Kernel(m) => m.place(&m.functions().query(tables)?),
            Model::Linear(m) => m.place_tables(tables),
            Model::Manifold(m) if m.takes_features() => match tables {
                [(_, features)] => m.place(*features),
                _ => Err(Error::Evidence {
                    what: format!("{} tables of new objects are given", tables.len()),
                    remedy: "join them into one table, a row for each object".into(),
                }),
            },
            _ => Err(Error::Evidence {
                what: "this map is not a function of features".into(),
                remedy: "place new objects by distances or judgements, whatever the map was made of".into(),
            }),
        }
    }
    /// The model of the same map, turned.
    ///
    /// # Fails
    /// [`Error::Evidence`] where its axes are what new objects are placed by.
    pub fn turned(self, turn: &Turn) -> Result<Model, Error> {
        let pose = Pose { centre: ndarray::Array1::zeros(self.dim()), axes: turn.matrix().clone() };
        Ok(match self {
            Model::Landmarks(m) => Model::Landmarks(m.posed(&pose)),
            Model::Anchors(m) => Model::Anchors(m.turned(turn)?),
            Model::Ordinal(m) => Model::Ordinal(m.turned(turn)?),
            Model::Kernel(m) => Model::Kernel(m.turned(turn)),
            Model::Linear(m) => Model::Linear(m.turned(turn)),
            Model::Manifold(m) => Model::Manifold(m.turned(turn)?),
        })
    }
    /// Whether it places by features.
    #[must_use]
    pub fn takes_features(&self) -> bool {
        match self {
            Model::Kernel(_) | Model::Linear(_) => true,
            Model::Manifold(m) => m.takes_features(),
            _ => false,
        }
    }
    /// A model that places by judgements on the same map, whatever the map was made of.
    #[must_use]
    pub fn ordinal(&self, map: &Embedding) -> Ordinal {
        match self {
            Model::Ordinal(m) => m.clone(),
            _ => Ordinal::new(map.clone()),
        }
    }
    /// The model as named arrays, for a file.
    #[must_use]
    pub fn to_parts(&self) -> Parts {
        match self {
            Model::Landmarks(m) => m.to_parts(),
            Model::Anchors(m) => m.to_parts(),
            Model::Ordinal(m) => m.to_parts(),
            Model::Kernel(m) => m.to_parts(),
            Model::Linear(m) => m.to_parts(),
            Model::Manifold(m) => m.to_parts(),
        }
    }
    /// The model back from named arrays.
    pub fn from_parts(parts: &Parts) -> Result<Model, Error> {
        match parts.kind.as_str() {
            "landmarks" => Landmarks::from_parts(parts).map(Model::Landmarks),
            "anchors" => Anchors::from_parts(parts).map(Model::Anchors),
            "ordinal" => Ordinal::from_parts(parts).map(Model::Ordinal),
            "kernel-map" => KernelMap::from_parts(parts).map(Model::Kernel),
            "linear" => Linear::from_parts(parts).map(Model::Linear),
            "manifold" => Manifold::from_parts(parts).map(Model::Manifold),
            other => Err(parts.defect(&format!("its model is of the unknown kind `{other}`"))),
        }
    }
}

impl Place<DistanceRows> for Model {
    fn place(&self, query: &DistanceRows) -> Result<Embedding, Error> {
        match self {
            Model::Landmarks(m) => m.place(query),
            Model::Anchors(m) => m.place(query),
            Model::Manifold(m) => m.place(query),
            Model::Ordinal(_) => Err(Error::Evidence {
                what: "this map was made of judgements, and its distances have no unit".into(),
                remedy: "place new objects by comparisons or pairs with the old ones".into(),
            }),
            Model::Kernel(_) | Model::Linear(_) => Err(Error::Evidence {
                what: "this map is a function of features, not of distances".into(),
                remedy: "place new objects by their features, with the columns that the map was made of".into(),
            }),
        }
    }
}

impl From<Landmarks> for Model {
    fn from(m: Landmarks) -> Self {
        Model::Landmarks(m)
    }
}

impl From<Anchors> for Model {
    fn from(m: Anchors) -> Self {
        Model::Anchors(m)
    }
}

impl From<KernelMap> for Model {
    fn from(m: KernelMap) -> Self {
        Model::Kernel(m)
    }
}

impl From<Linear> for Model {
    fn from(m: Linear) -> Self {
        Model::Linear(m)
    }
}

impl From<Manifold> for Model {
    fn from(m: Manifold) -> Self {
        Model::Manifold(m)
    }
}

impl From<Ordinal> for Model {
    fn from(m: Ordinal) -> Self {
        Model::Ordinal(m)
    }
}

impl Place<Comparisons> for Model {
    fn place(&self, query: &Comparisons) -> Result<Embedding, Error> {
        self.judging()?.place(query)
    }
}

impl Place<Pairs> for Model {
    fn place(&self, query: &Pairs) -> Result<Embedding, Error> {
        self.judging()?.place(query)
    }
}

impl Model {
    /// The model that places by judgements, where the model holds the whole map.
    fn judging(&self) -> Result<Ordinal, Error> {
        match self {
            Model::Ordinal(m) => Ok(m.clone()),
            Model::Anchors(m) if m.dim() == m.points().dim() => Ok(Ordinal::new(m.points().clone())),
            _ => Err(Error::Evidence {
                what: "this model places by distances and does not hold the points of its map".into(),
                remedy: "make an `Ordinal` of the map, or place by distances".into(),
            }),
        }
    }
}
