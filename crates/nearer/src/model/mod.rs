//! What a fit leaves behind: a model that places new objects from rows of distances to the old ones.

mod anchors;
mod landmarks;
mod parts;
mod transform;

pub use anchors::{Anchors, Loss};
pub use landmarks::{Landmarks, Shift};
pub use parts::Parts;
pub use transform::Transform;

use crate::error::Error;
use crate::evidence::DistanceRows;
use crate::fit::Place;
use crate::geometry::Embedding;
use crate::object::Objects;

/// Any model, for the edges of the library (files, the command).
#[derive(Debug, Clone)]
#[non_exhaustive]
pub enum Model {
    /// Coordinates that are linear in squared distances to landmarks.
    Landmarks(Landmarks),
    /// Coordinates found by descent with the old points fixed.
    Anchors(Anchors),
}

impl Model {
    /// The old objects a new row needs distances to.
    #[must_use]
    pub fn anchors(&self) -> &Objects {
        match self {
            Model::Landmarks(m) => m.landmarks(),
            Model::Anchors(m) => m.points().objects(),
        }
    }
    /// Dimensions of the map.
    #[must_use]
    pub fn dim(&self) -> usize {
        match self {
            Model::Landmarks(m) => m.dim(),
            Model::Anchors(m) => m.dim(),
        }
    }
    /// The model as named arrays, for a file.
    #[must_use]
    pub fn to_parts(&self) -> Parts {
        match self {
            Model::Landmarks(m) => m.to_parts(),
            Model::Anchors(m) => m.to_parts(),
        }
    }
    /// The model back from named arrays.
    pub fn from_parts(parts: &Parts) -> Result<Model, Error> {
        match parts.kind.as_str() {
            "landmarks" => Landmarks::from_parts(parts).map(Model::Landmarks),
            "anchors" => Anchors::from_parts(parts).map(Model::Anchors),
            other => Err(parts.defect(&format!("its model is of the unknown kind `{other}`"))),
        }
    }
}

impl Place<DistanceRows> for Model {
    fn place(&self, query: &DistanceRows) -> Result<Embedding, Error> {
        match self {
            Model::Landmarks(m) => m.place(query),
            Model::Anchors(m) => m.place(query),
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
