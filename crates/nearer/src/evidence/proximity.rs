//! Square matrices as they come: with two sides that differ, with counts of confusions, with a diagonal that says something.

use std::fmt;
use std::str::FromStr;

use ndarray::Array2;

use crate::error::{Error, Remedy, nearest};
use crate::evidence::{Distances, Similarity};
use crate::object::{Item, Objects};

/// How the two sides of a matrix become one number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Symmetrise {
    /// Their mean; where one is missing, the other.
    Mean,
    /// The smaller.
    Min,
    /// The larger.
    Max,
    /// The root of their product.
    Geometric,
}

/// How counts of confusions, rows shown and columns answered, become distances. With `p` the shares in a row:
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Confusion {
    /// `-ln √(p_ij p_ji / (p_ii p_jj))`: the similarity of Luce's choice model, free of the bias towards an answer.
    Luce,
    /// `-ln ((p_ij + p_ji) / (p_ii + p_jj))`.
    Shepard,
    /// `1 - Σ_k min(p_ik, p_jk)`: how little two rows of answers overlap (Houtgast).
    Overlap,
    /// `1 - (p_ij + p_ji) / 2`.
    Complement,
}

/// What is to be made of a square matrix whose sides may differ.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Proximity {
    /// How two sides become one.
    pub symmetrise: Option<Symmetrise>,
    /// The numbers are counts of confusions, by this rule, a number added to every cell first.
    pub confusion: Option<(Confusion, f64)>,
    /// The diagonal says nothing about distances.
    pub ignore_diagonal: bool,
}

impl Proximity {
    /// Whether anything is asked for.
    #[must_use]
    pub fn is_asked(&self) -> bool {
        *self != Proximity::default()
    }
    /// Distances from a square of numbers, `NaN` what is missing.
    ///
    /// ```
    /// use ndarray::array;
    /// use nearer::evidence::{Proximity, Symmetrise};
    /// use nearer::Objects;
    /// let two_sides = array![[0.0, 2.0], [4.0, 0.0]];
    /// let by = Proximity { symmetrise: Some(Symmetrise::Mean), ..Proximity::default() };
    /// let d = by.distances(Objects::new(["a", "b"])?, two_sides, None)?;
    /// assert_eq!(d.between(0, 1), Some(3.0));
    /// # Ok::<(), nearer::Error>(())
    /// ```
    pub fn distances(
        &self,
        objects: Objects,
        mut square: Array2<f64>,
        similarity: Option<Similarity>,
    ) -> Result<Distances, Error> {
        let n = objects.len();
        if let Some((rule, add)) = self.confusion {
            square = rule.unlike(&objects, square, add)?;
        }
        if self.ignore_diagonal || self.confusion.is_some() {
            square.diag_mut().fill(0.0);
        }
        if let Some(rule) = self.symmetrise {
            for i in 0..n {
                for j in i + 1..n {
                    let one = rule.one(square[(i, j)], square[(j, i)]);
                    square[(i, j)] = one;
                    square[(j, i)] = one;
                }
            }
        }
        if let Some(rule) = similarity {
            let own: Vec<f64> = (0..n).map(|i| square[(i, i)]).collect();
            let known = square.indexed_iter().filter(|((i, j), v)| !v.is_nan() && (i != j || !self.ignore_diagonal));
            let most = known.fold(f64::NEG_INFINITY, |most, (_, v)| most.max(*v));
            square = Array2::from_shape_fn((n, n), |(i, j)| {
                if i == j { 0.0 } else { rule.distance(square[(i, j)], own[i], own[j], most) }
            });
        }
        Distances::from_square(objects, square.view())
    }
}

impl Symmetrise {
    fn one(self, a: f64, b: f64) -> f64 {
        if a.is_nan() || b.is_nan() {
            return if a.is_nan() { b } else { a };
        }
        match self {
            Symmetrise::Mean => 0.5 * (a + b),
            Symmetrise::Min => a.min(b),
            Symmetrise::Max => a.max(b),
            Symmetrise::Geometric => (a * b).sqrt(),
        }
    }
}

impl Confusion {
    /// The square of distances.
    fn unlike(self, objects: &Objects, counts: Array2<f64>, add: f64) -> Result<Array2<f64>, Error> {
        let n = objects.len();
        let label = |i: usize| objects.label(Item(i as u32));
        if let Some(((i, j), v)) = counts.indexed_iter().find(|(_, v)| v.is_nan() || **v < 0.0) {
            return Err(Error::Evidence {
                what: format!("how often `{}` was taken for `{}` is {v}", label(i), label(j)),
                remedy: "give a count of 0 or more for every cell, the diagonal included".into(),
            });
        }
        if !matches!(self, Confusion::Overlap) && n > 1 && counts.diag().iter().all(|v| *v == 0.0) {
            return Err(Error::Evidence {
                what: format!(
                    "the diagonal is 0 throughout, and {self} needs how often each object was taken for itself"
                ),
                remedy: Remedy::from("give the counts with their diagonal, or take the matrix as similarities by ")
                    .setting("similarity", "max-s")
                    .and(", its two sides brought together by ")
                    .setting("symmetrise", "mean"),
            });
        }
        let mut p = counts + add;
        for (i, mut row) in p.rows_mut().into_iter().enumerate() {
            let sum = row.sum();
            if sum <= 0.0 {
                return Err(Error::Evidence {
                    what: format!("`{}` was never answered: its row is 0", label(i)),
                    remedy: "leave it out".into(),
                });
            }
            row /= sum;
        }
        let mut out = Array2::zeros((n, n));
        for i in 0..n {
            for j in i + 1..n {
                let d = match self {
                    Confusion::Luce => -0.5 * (p[(i, j)] * p[(j, i)] / (p[(i, i)] * p[(j, j)])).ln(),
                    Confusion::Shepard => -((p[(i, j)] + p[(j, i)]) / (p[(i, i)] + p[(j, j)])).ln(),
                    Confusion::Overlap => 1.0 - p.row(i).iter().zip(p.row(j)).map(|(a, b)| a.min(*b)).sum::<f64>(),
                    Confusion::Complement => 1.0 - 0.5 * (p[(i, j)] + p[(j, i)]),
                };
                if !d.is_finite() {
                    return Err(Error::Evidence {
                        what: format!(
                            "by {self}, `{}` and `{}` are infinitely far apart: one was never taken for the other",
                            label(i),
                            label(j)
                        ),
                        remedy: Remedy::from("add a little to every count with ")
                            .setting("confusion", format!("{self}:0.5"))
                            .and(", or choose ")
                            .setting("confusion", "overlap"),
                    });
                }
                // Confused with each other more often than known: nearer than near is at one place.
                out[(i, j)] = d.max(0.0);
                out[(j, i)] = d.max(0.0);
            }
        }
        Ok(out)
    }
}

const SYMMETRISE: [(Symmetrise, &str); 4] = [
    (Symmetrise::Mean, "mean"),
    (Symmetrise::Min, "min"),
    (Symmetrise::Max, "max"),
    (Symmetrise::Geometric, "geometric"),
];

const CONFUSION: [(Confusion, &str); 4] = [
    (Confusion::Luce, "luce"),
    (Confusion::Shepard, "shepard"),
    (Confusion::Overlap, "overlap"),
    (Confusion::Complement, "complement"),
];

/// The value of a name in a list of them.
fn named<T: Copy>(list: &[(T, &'static str)], setting: &str, text: &str) -> Result<T, Error> {
    let found = list.iter().find(|(_, name)| name.eq_ignore_ascii_case(text.trim()));
    found.map(|(value, _)| *value).ok_or_else(|| {
        let names: Vec<&str> = list.iter().map(|(_, n)| *n).collect();
        let near = nearest(text, names.iter().copied()).map(|n| format!("; perhaps `{n}`")).unwrap_or_default();
        Error::Parameter {
            name: setting.into(),
            value: format!("`{text}`"),
            expected: format!("one of {}{near}", names.join(", ")),
        }
    })
}

impl FromStr for Symmetrise {
    type Err = Error;
    fn from_str(text: &str) -> Result<Self, Error> {
        named(&SYMMETRISE, "symmetrise", text)
    }
}

impl fmt::Display for Symmetrise {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(SYMMETRISE.iter().find(|(s, _)| s == self).map_or("", |(_, n)| n))
    }
}

impl Confusion {
    /// A rule, and what is added to every count: `luce`, `luce:0.5`.
    pub fn parse(text: &str) -> Result<(Confusion, f64), Error> {
        let (name, add) = text.split_once(':').map_or((text, Ok(0.0)), |(n, v)| (n, v.parse::<f64>()));
        match add {
            Ok(add) if add.is_finite() && add >= 0.0 => Ok((named(&CONFUSION, "confusion", name)?, add)),
            _ => Err(Error::Parameter {
                name: "confusion".into(),
                value: format!("`{text}`"),
                expected: "a number of 0 or more to add to every count, as luce:0.5".into(),
            }),
        }
    }
}

impl fmt::Display for Confusion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(CONFUSION.iter().find(|(s, _)| s == self).map_or("", |(_, n)| n))
    }
}

/// Whether a matrix looks like similarities: objects that have a large number between them see the rest alike. Of distances the
/// contrary holds, by the triangle inequality.
pub(crate) fn looks_like_similarities(d: &Distances) -> bool {
    /// Enough to tell; all of many would take their cube.
    const MOST: usize = 150;
    const FEW: usize = 6;
    let n = d.len();
    let step = n.div_ceil(MOST).max(1);
    let some: Vec<usize> = (0..n).step_by(step).collect();
    if some.len() < FEW {
        return false;
    }
    // Not a number where it is not known, and of an object to itself: nothing is added then.
    let row = |i: usize| some.iter().map(move |&k| if i == k { None } else { d.between(i, k) }.unwrap_or(f64::NAN));
    let rows: Vec<Vec<f64>> = some.iter().map(|&i| row(i).collect()).collect();
    let mut pairs: Vec<(f64, f64)> = Vec::new();
    for (a, from) in rows.iter().enumerate() {
        for (b, to) in rows.iter().enumerate().skip(a + 1) {
            let own = from[b];
            if own.is_nan() {
                continue;
            }
            let apart = from.iter().zip(to).map(|(x, y)| (x - y).abs());
            let (sum, count) = apart.fold((0.0, 0.0), |(sum, count), v| {
                // No branch: what is not a number is not known beforehand either.
                let (v, known) = if v >= 0.0 { (v, 1.0) } else { (0.0, 0.0) };
                (sum + v, count + known)
            });
            if count > 0.0 {
                pairs.push((own, sum / count));
            }
        }
    }
    let n = pairs.len() as f64;
    let (mx, my) = (pairs.iter().map(|p| p.0).sum::<f64>() / n, pairs.iter().map(|p| p.1).sum::<f64>() / n);
    let sum = |f: &dyn Fn(&(f64, f64)) -> f64| pairs.iter().map(f).sum::<f64>();
    let cross = sum(&|p| (p.0 - mx) * (p.1 - my));
    let size = (sum(&|p| (p.0 - mx).powi(2)) * sum(&|p| (p.1 - my).powi(2))).sqrt();
    // What lies about 0 is noise, in either.
    size > 0.0 && cross / size < -0.25
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::array;

    #[test]
    fn confusions_follow_their_formulas() {
        let counts = array![[8.0, 2.0], [1.0, 9.0]];
        let of = |text: &str| {
            let by = Proximity { confusion: Some(Confusion::parse(text).unwrap()), ..Proximity::default() };
            by.distances(Objects::numbered(2), counts.clone(), None).unwrap().condensed()[0]
        };
        assert!((of("luce") + (0.2_f64 * 0.1 / (0.8 * 0.9)).sqrt().ln()).abs() < 1e-15);
        assert!((of("shepard") + (0.3_f64 / 1.7).ln()).abs() < 1e-15);
        assert!((of("overlap") - 0.7).abs() < 1e-15);
        assert!((of("complement") - 0.85).abs() < 1e-15);
        let never = array![[8.0, 0.0], [1.0, 9.0]];
        let by = |text| Proximity { confusion: Some(Confusion::parse(text).unwrap()), ..Proximity::default() };
        let e = by("luce").distances(Objects::numbered(2), never.clone(), None).unwrap_err().to_string();
        assert!(e.contains("`1` and `2`") && e.contains("luce:0.5"), "{e}");
        assert!(by("luce:0.5").distances(Objects::numbered(2), never, None).is_ok());
    }

    #[test]
    fn one_side_stands_in_for_the_other() {
        let square = array![[7.0, 2.0, f64::NAN], [8.0, 5.0, 3.0], [6.0, 3.0, 0.0]];
        let by = Proximity { symmetrise: Some(Symmetrise::Geometric), ignore_diagonal: true, ..Proximity::default() };
        let d = by.distances(Objects::numbered(3), square, None).unwrap();
        assert_eq!(d.condensed(), [4.0, 6.0, 3.0]);
    }
}
