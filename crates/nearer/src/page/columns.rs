//! Columns of metadata as the page draws them: with the colours and shapes that a figure would give them.

use serde::Serialize;

use super::pack::Numbers;
use crate::error::Error;
use crate::metadata::Column;
use crate::report::figure::colour::{MISSING, PALETTE, PLAIN, STEPS, ramp};
use crate::report::figure::encode::{Encoding, Groups, Look, Scale};
use crate::report::figure::marker::Shape;

/// One column.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(super) struct PageColumn {
    name: String,
    #[serde(flatten)]
    scale: PageScale,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(tag = "kind", rename_all = "lowercase")]
enum PageScale {
    /// The group of each object; `u32::MAX` where it has none.
    Groups {
        groups: Vec<PageGroup>,
        of: Numbers,
        /// Whether every group is the name of its colour.
        literal: bool,
    },
    /// The number of each object, `null` where it has none; `groups` are its values where shapes need them.
    Ramp { low: f64, high: f64, values: Vec<Option<f64>> },
}

/// A group and how it looks: coloured alone, beside shapes of another column, and coloured and shaped by the same.
#[derive(Debug, Clone, PartialEq, Serialize)]
struct PageGroup {
    name: String,
    alone: PageLook,
    beside: String,
    both: PageLook,
    shape: &'static str,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
struct PageLook {
    colour: String,
    shape: &'static str,
}

/// The colours that do not depend on a column.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(super) struct Colours {
    plain: String,
    missing: String,
    palette: Vec<String>,
    ramp: Vec<String>,
}

impl Colours {
    pub(super) fn new() -> Self {
        Colours {
            plain: PLAIN.hex(),
            missing: MISSING.hex(),
            palette: PALETTE.iter().map(|c| c.hex()).collect(),
            ramp: (0..STEPS).map(|k| ramp(k as f64 / (STEPS - 1) as f64).hex()).collect(),
        }
    }
}

impl PageColumn {
    /// A column of the metadata of `n` objects.
    pub(super) fn new(column: &Column, n: usize) -> Result<Self, Error> {
        let alone = Encoding::new(n, Some(column), None)?;
        let scale = match &alone.colour {
            Some((_, Scale::Ramp { low, high, values })) => {
                PageScale::Ramp { low: *low, high: *high, values: values.clone() }
            }
            _ => Self::groups(column, n, &alone)?,
        };
        Ok(PageColumn { name: column.name.clone(), scale })
    }

    fn groups(column: &Column, n: usize, alone: &Encoding<'_>) -> Result<PageScale, Error> {
        // Any other column of shapes will do to see the colours that stand beside shapes.
        let other = Column { name: String::new(), values: vec![None; n] };
        let beside = Encoding::new(n, Some(column), Some(&other))?;
        let both = Encoding::new(n, Some(column), Some(column))?;
        let found = Groups::of(column);
        let group = |(k, name): (usize, &String)| PageGroup {
            name: name.clone(),
            alone: look(alone.group(k)),
            beside: beside.group(k).colour.hex(),
            both: look(both.group(k)),
            shape: symbol(Shape::ALL[k % Shape::ALL.len()]),
        };
        Ok(PageScale::Groups {
            groups: found.names.iter().enumerate().map(group).collect(),
            literal: alone.is_literal(),
            of: Numbers::whole(found.of.iter().map(|g| g.map_or(u32::MAX, |g| g as u32)).collect()),
        })
    }
}

fn look(look: Look) -> PageLook {
    PageLook { colour: look.colour.hex(), shape: symbol(look.shape) }
}

/// What the drawing library calls a shape.
fn symbol(shape: Shape) -> &'static str {
    match shape {
        Shape::Circle => "circle",
        Shape::Square => "square",
        Shape::Up => "triangle-up",
        Shape::Diamond => "diamond",
        Shape::Down => "triangle-down",
        Shape::Plus => "cross",
        Shape::Cross => "x",
        Shape::Star => "star",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geometry::Embedding;
    use crate::object::Objects;
    use crate::report::Figure;

    fn column(values: &[&str]) -> Column {
        Column { name: "kind".into(), values: values.iter().map(|v| Some((*v).to_owned())).collect() }
    }

    #[test]
    fn a_figure_and_the_page_give_groups_the_same_colours() {
        let c = column(&["oak", "ash", "oak", "elm"]);
        let map =
            Embedding::new(Objects::numbered(4), ndarray::array![[0., 0.], [1., 0.], [0., 1.], [1., 1.]]).unwrap();
        let svg = Figure::new(&map).colour_by(&c).svg().unwrap();
        let page = serde_json::to_value(PageColumn::new(&c, 4).unwrap()).unwrap();
        assert_eq!(page["groups"][0]["name"], "ash");
        for group in page["groups"].as_array().unwrap() {
            let colour = group["alone"]["colour"].as_str().unwrap();
            assert!(svg.contains(colour), "{colour} is not in the figure");
        }
    }

    #[test]
    fn numbers_are_a_ramp_in_both() {
        let c = column(&["0.5", "2", "1.25", "0.75"]);
        let page = serde_json::to_value(PageColumn::new(&c, 4).unwrap()).unwrap();
        assert_eq!(
            (page["kind"].as_str(), page["low"].as_f64(), page["values"][1].as_f64()),
            (Some("ramp"), Some(0.5), Some(2.0))
        );
        let colours = serde_json::to_value(Colours::new()).unwrap();
        assert_eq!((colours["ramp"].as_array().unwrap().len(), colours["ramp"][0].as_str()), (STEPS, Some("#440154")));
    }
}
