//! The table as data: what `nearer methods --json` prints, and what other front ends make their signatures of.

use serde::ser::SerializeStruct as _;
use serde::{Serialize, Serializer};
use serde_json::json;

use crate::evidence::Part;
use crate::method::table::{Kind, Method, Parameter};

impl Serialize for Method {
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        let mut m = s.serialize_struct("Method", 10)?;
        m.serialize_field("name", self.name)?;
        m.serialize_field("aliases", self.aliases)?;
        m.serialize_field("summary", self.summary)?;
        m.serialize_field("solves", self.solves)?;
        let takes: Vec<String> = self.ways.iter().map(|way| Part::together(way.parts)).collect();
        m.serialize_field("takes", &takes)?;
        m.serialize_field("ways", &self.takes())?;
        m.serialize_field("places", self.places)?;
        m.serialize_field("cost", self.cost)?;
        m.serialize_field("reference", self.reference)?;
        m.serialize_field("parameters", self.parameters)?;
        m.end()
    }
}

impl Serialize for Parameter {
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        let mut p = s.serialize_struct("Parameter", 6)?;
        p.serialize_field("name", self.name)?;
        p.serialize_field("expected", &self.expected())?;
        p.serialize_field("kind", &self.kind)?;
        p.serialize_field("or", self.or)?;
        p.serialize_field("default", &self.default)?;
        p.serialize_field("doc", self.doc)?;
        p.end()
    }
}

impl Serialize for Kind {
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        match self {
            Kind::Count { min, max } => json!({ "type": "count", "min": min, "max": max }),
            Kind::Number { min, max } => json!({ "type": "number", "min": min, "max": max }),
            Kind::Choice(words) => json!({ "type": "choice", "words": words }),
            Kind::Flag => json!({ "type": "flag" }),
        }
        .serialize(s)
    }
}
