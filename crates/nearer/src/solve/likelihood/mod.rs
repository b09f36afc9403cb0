//! The likelihood of answers as a loss.
//!
//! ```text
//! min  - Σ_t w_t ln (lapse/K + (1 - lapse) P_t) + precision Σ_i |y_i|²      P_t = Π softmax(-φ(d)) over the choices of a trial
//! ```

mod answers;
mod lapses;
mod shrinking;
mod soft;
mod start;

use nearer_num::choices::{Choices, Lapse, Link};
use nearer_num::pairs::Rows;
use nearer_num::rng::Rng;

use crate::error::Error;
use crate::solve::Clock;
use crate::solve::descent::{Objective, Scale};

pub(crate) use answers::Answers;
pub(crate) use lapses::{Lapsing, Rates, Turns};
pub(crate) use shrinking::{Columns, Shrinking};
pub(crate) use soft::SoftOrder;
pub(crate) use start::{Opening, worthwhile};

/// Minus the logarithm of the posterior, a function of the map.
pub(crate) struct Likelihood<'a> {
    pub choices: &'a Choices,
    pub link: Link,
    pub lapse: Lapse<'a>,
    /// Of the normal prior of every coordinate, halved.
    pub precision: f64,
    pub opening: &'a Opening<'a>,
}

impl Objective for Likelihood<'_> {
    type State = ();

    fn state(&self) {}
    fn shape(&self) -> (usize, usize) {
        self.opening.shape()
    }
    fn starts(&self) -> usize {
        self.opening.starts()
    }
    fn start(&self, number: usize, rng: &mut Rng, _: &Clock<'_>) -> Result<Vec<f64>, Error> {
        self.opening.start(number, self.precision, rng)
    }
    fn scale(&self) -> Scale {
        scale(self.choices, self.shape().0)
    }
    fn value(&self, at: &[f64], gradient: &mut [f64], (): &mut ()) -> f64 {
        posterior(
            self.choices,
            Rows { values: at, dim: self.shape().1 },
            self.link,
            self.lapse,
            self.precision,
            gradient,
        )
    }
}

/// A gradient that would move no point by a millionth of the spread at the curvature of its answers is flat.
fn scale(choices: &Choices, objects: usize) -> Scale {
    Scale { flat: 1e-6 * choices.total() / (objects as f64).sqrt(), first_step: None }
}

/// `-Σ w ln P + precision Σ |y|²`; its gradient is written.
fn posterior(
    choices: &Choices,
    points: Rows<'_>,
    link: Link,
    lapse: Lapse<'_>,
    precision: f64,
    gradient: &mut [f64],
) -> f64 {
    let value = choices.loss(points, link, lapse, gradient);
    if precision == 0.0 {
        return value;
    }
    gradient.iter_mut().zip(points.values).for_each(|(g, x)| *g += 2.0 * precision * x);
    value + precision * points.values.iter().map(|x| x * x).sum::<f64>()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::Value;

    /// At the maps of cblearn the losses have the values that cblearn's own have there.
    #[test]
    fn values_are_those_of_cblearn() {
        let cases: Vec<Value> = serde_json::from_str(include_str!("../../../tests/golden/ordinal.json")).unwrap();
        for case in cases {
            let dim = case["dim"].as_u64().unwrap() as usize;
            let mut choices = Choices::default();
            for t in case["triplets"].as_array().unwrap() {
                let [a, b, c] = [0, 1, 2].map(|k| t[k].as_u64().unwrap() as u32);
                choices.push_pair(1.0, [a, b], [a, c]);
            }
            for (name, map) in case["maps"].as_object().unwrap() {
                let rows = map["points"].as_array().unwrap().iter().flat_map(|r| r.as_array().unwrap());
                let points: Vec<f64> = rows.map(|v| v.as_f64().unwrap()).collect();
                let (rows, mut gradient) = (Rows { values: &points, dim }, vec![0.0; points.len()]);
                let mut under = |link| choices.loss(rows, link, Lapse::None, &mut gradient);
                let value = match name.as_str() {
                    "ste" => under(Link::Squared),
                    "t-ste" => under(Link::Student((dim - 1).max(1) as f64)),
                    "ckl" => under(Link::Logarithm(0.05)),
                    _ => choices.hinge(rows, &[], &mut gradient),
                };
                for (who, theirs) in map["here"].as_object().unwrap() {
                    let theirs = theirs.as_f64().unwrap();
                    assert!((value - theirs).abs() < 1e-9 * theirs, "{name} in {dim}: {value}, {who} {theirs}");
                }
            }
        }
    }
}
