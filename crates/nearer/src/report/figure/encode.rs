//! From columns to looks: which colour and shape each point gets, and what the legend has to explain.

use std::cmp::Ordering;
use std::collections::HashMap;

use super::colour::{MISSING, PALETTE, PLAIN, Rgb, ramp};
use super::marker::Shape;
use crate::error::Error;
use crate::metadata::Column;

/// A column sorted into groups.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Groups {
    pub(crate) names: Vec<String>,
    /// The group of each object.
    pub(crate) of: Vec<Option<usize>>,
}

/// What a colour means.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Scale {
    Groups(Groups),
    Ramp { low: f64, high: f64, values: Vec<Option<f64>> },
}

/// How one point is drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Look {
    pub(crate) colour: Rgb,
    pub(crate) shape: Shape,
    pub(crate) hollow: bool,
}

impl Look {
    pub(crate) const MISSING: Look = Look { colour: MISSING, shape: Shape::Circle, hollow: true };
    pub(crate) const PLAIN: Look = Look { colour: PLAIN, shape: Shape::Circle, hollow: false };
}

/// The looks of all points, and the scales behind them.
#[derive(Debug)]
pub(crate) struct Encoding<'a> {
    pub(crate) colour: Option<(&'a Column, Scale)>,
    /// `None` also where the shapes say the same as the colours.
    pub(crate) shape: Option<(&'a Column, Groups)>,
    pub(crate) looks: Vec<Look>,
    /// Whether the groups of the colour scale have shapes too.
    shaped: bool,
    /// The colours themselves, where every group is the name of one, as `#d55e00`.
    literal: Option<Vec<Rgb>>,
}

impl<'a> Encoding<'a> {
    pub(crate) fn new(n: usize, colour: Option<&'a Column>, shape: Option<&'a Column>) -> Result<Self, Error> {
        for column in colour.iter().chain(&shape) {
            check(column, n)?;
        }
        let scale = colour.map(|c| (c, Scale::of(c)));
        let literal = match &scale {
            Some((_, Scale::Groups(g))) if !g.names.is_empty() => g.names.iter().map(|n| Rgb::read(n)).collect(),
            _ => None,
        };
        let same = shape.is_some() && colour == shape && matches!(scale, Some((_, Scale::Groups(_))));
        let shaped = same
            || (shape.is_none()
                && matches!(&scale, Some((_, Scale::Groups(g))) if g.names.len() > 8 && literal.is_none()));
        let mut encoding = Encoding {
            colour: scale,
            shape: shape.filter(|_| !same).map(|c| (c, Groups::of(c))),
            looks: Vec::new(),
            shaped,
            literal,
        };
        encoding.looks = (0..n).map(|k| encoding.look(k)).collect();
        Ok(encoding)
    }

    /// Whether the colours are their own explanation: every group is the name of its colour.
    pub(crate) fn is_literal(&self) -> bool {
        self.literal.is_some()
    }

    /// The look of a group of the colour scale.
    pub(crate) fn group(&self, group: usize) -> Look {
        if let (Some(colours), false) = (&self.literal, self.shaped) {
            return Look { colour: colours[group], ..Look::PLAIN };
        }
        let round = group / PALETTE.len();
        let shape = match (self.shaped, self.colour.as_ref()) {
            // Few groups get a shape each; many share shapes within a round of the palette, so that no two look alike.
            (true, Some((_, Scale::Groups(g)))) if g.names.len() <= 8 => Shape::ALL[group % 8],
            (true, _) => Shape::ALL[round % 8],
            (false, _) => Shape::Circle,
        };
        let colour = PALETTE[group % PALETTE.len()];
        // Where shapes mean something else, the second round of the palette is paler and the third darker.
        let colour = match (self.shaped, round % 3) {
            (false, 1) => colour.mixed(Rgb(0xff, 0xff, 0xff), 0.55),
            (false, 2) => colour.mixed(Rgb(0, 0, 0), 0.5),
            _ => colour,
        };
        Look { colour, shape, hollow: false }
    }

    fn look(&self, k: usize) -> Look {
        let mut look = match &self.colour {
            None => Look::PLAIN,
            Some((_, Scale::Groups(g))) => g.of[k].map_or(Look::MISSING, |group| self.group(group)),
            Some((_, Scale::Ramp { low, high, values })) => {
                values[k].map_or(Look::MISSING, |v| Look { colour: ramp(share(v, *low, *high)), ..Look::PLAIN })
            }
        };
        if let Some((_, groups)) = &self.shape {
            match groups.of[k] {
                Some(group) => look.shape = Shape::ALL[group % 8],
                None => look.hollow = true,
            }
        }
        look
    }
}

impl Scale {
    /// Numbers are coloured by size, unless they are a few whole ones: those are names of groups more often than not.
    fn of(column: &Column) -> Scale {
        let values: Vec<Option<f64>> = present(column).map(|v| v.and_then(|t| t.trim().parse().ok())).collect();
        let known: Vec<f64> = values.iter().flatten().copied().collect();
        let all = known.len() == present(column).flatten().count() && known.iter().all(|v: &f64| v.is_finite());
        let groups = Groups::of(column);
        if known.is_empty() || !all || (groups.names.len() <= 8 && known.iter().all(|v| v.fract() == 0.0)) {
            return Scale::Groups(groups);
        }
        let low = known.iter().copied().fold(f64::INFINITY, f64::min);
        let high = known.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        Scale::Ramp { low, high, values }
    }
}

impl Groups {
    /// The different values in reading order; an empty text is no value.
    pub(crate) fn of(column: &Column) -> Groups {
        let mut names: Vec<&str> = present(column).flatten().collect();
        names.sort_unstable_by(|a, b| reading_order(a, b));
        names.dedup();
        let index: HashMap<&str, usize> = names.iter().enumerate().map(|(k, n)| (*n, k)).collect();
        let of = present(column).map(|v| v.and_then(|t| index.get(t).copied())).collect();
        Groups { of, names: names.into_iter().map(String::from).collect() }
    }

    pub(crate) fn missing(&self) -> bool {
        self.of.iter().any(Option::is_none)
    }
}

/// Whether a column has a value for each of `n` objects.
pub(crate) fn check(column: &Column, n: usize) -> Result<(), Error> {
    if column.values.len() == n {
        return Ok(());
    }
    Err(Error::Evidence {
        what: format!("column `{}` has {} values for {n} objects", column.name, column.values.len()),
        remedy: "join the column to the objects of the map, one value or none for each".into(),
    })
}

/// Where `v` lies between two values, safe from overflow, and in the middle where they are equal.
pub(crate) fn share(v: f64, low: f64, high: f64) -> f64 {
    if high > low { (v / 2.0 - low / 2.0) / (high / 2.0 - low / 2.0) } else { 0.5 }
}

fn present(column: &Column) -> impl Iterator<Item = Option<&str>> {
    column.values.iter().map(|v| v.as_deref().filter(|t| !t.trim().is_empty()))
}

/// `plot 2` before `plot 10`: runs of digits count as numbers.
fn reading_order(a: &str, b: &str) -> Ordering {
    let (mut x, mut y) = (a, b);
    while let (Some(p), Some(q)) = (x.chars().next(), y.chars().next()) {
        let (dx, dy) = (digits(x), digits(y));
        let order = if dx > 0 && dy > 0 {
            let (m, n) = (x[..dx].trim_start_matches('0'), y[..dy].trim_start_matches('0'));
            (x, y) = (&x[dx..], &y[dy..]);
            m.len().cmp(&n.len()).then(m.cmp(n))
        } else {
            (x, y) = (&x[p.len_utf8()..], &y[q.len_utf8()..]);
            p.to_lowercase().cmp(q.to_lowercase())
        };
        if order != Ordering::Equal {
            return order;
        }
    }
    x.len().cmp(&y.len()).then_with(|| a.cmp(b))
}

fn digits(text: &str) -> usize {
    text.bytes().take_while(u8::is_ascii_digit).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn column(values: &[&str]) -> Column {
        let value = |v: &&str| Some(v.to_string()).filter(|v| v != "?");
        Column { name: "c".into(), values: values.iter().map(value).collect() }
    }

    #[test]
    fn groups_stand_in_reading_order_and_missing_is_no_group() {
        let g = Groups::of(&column(&["plot 10", "plot 2", "?", "Plot 1", "", "plot 2"]));
        assert_eq!(g.names, ["Plot 1", "plot 2", "plot 10"]);
        assert_eq!(g.of, [Some(2), Some(1), None, Some(0), None, Some(1)]);
    }

    #[test]
    fn numbers_are_a_ramp_and_codes_are_groups() {
        assert!(matches!(Scale::of(&column(&["0.5", "?", "2"])), Scale::Ramp { low: 0.5, high: 2.0, .. }));
        assert!(matches!(Scale::of(&column(&["1", "2", "2"])), Scale::Groups(_)));
        assert!(matches!(Scale::of(&column(&["1.5", "two"])), Scale::Groups(_)));
        assert!(matches!(Scale::of(&column(&["?", "?"])), Scale::Groups(_)));
        assert!(matches!(Scale::of(&column(&["inf", "0.5"])), Scale::Groups(_)));
    }

    #[test]
    fn up_to_sixty_four_groups_all_look_different() {
        let names: Vec<String> = (0..64).map(|k| format!("g{k}")).collect();
        let c = column(&names.iter().map(String::as_str).collect::<Vec<_>>());
        let mut looks = Encoding::new(64, Some(&c), None).unwrap().looks;
        looks.sort();
        looks.dedup();
        assert_eq!(looks.len(), 64);
    }

    #[test]
    fn names_of_colours_are_those_colours() {
        let c = column(&["#d55e00", "#0072B2", "?"]);
        let e = Encoding::new(3, Some(&c), None).unwrap();
        assert!(e.is_literal() && e.looks[0].colour == Rgb(0xd5, 0x5e, 0) && e.looks[1].colour == Rgb(0, 0x72, 0xb2));
        assert_eq!(e.looks[2], Look::MISSING);
        assert!(!Encoding::new(2, Some(&column(&["#d55e00", "red"])), None).unwrap().is_literal());
    }

    #[test]
    fn a_column_of_the_wrong_length_is_refused_by_name() {
        let e = Encoding::new(2, None, Some(&column(&["a"]))).unwrap_err().to_string();
        assert!(e.contains("column `c` has 1 values for 2 objects"), "{e}");
    }
}
