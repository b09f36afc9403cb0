//! Own weights of one person on the axes of a map: `P = 1 / (1 + exp(Σ w_k (near_k² - far_k²)))`, `w ≥ 0`, drawn towards one.

use crate::evidence::Comparison;
use crate::geometry::Embedding;
use crate::object::Pair;

/// How strongly weights are drawn to one: a normal prior of this precision.
const TO_ONE: f64 = 1.0;
/// Steps of projected gradient at the most; the function is convex, and its axes are few.
const STEPS: usize = 200;
/// A step that moves no weight by more is the last.
const STILL: f64 = 1e-6;

/// Squares along each axis, and what somebody makes of them.
pub(super) struct AxisWeights<'a> {
    map: &'a Embedding,
    weights: Vec<f64>,
}

impl<'a> AxisWeights<'a> {
    /// The likeliest for these answers, `min Σ w ln(1 + exp(-Σ w_k z_k)) + ½ Σ (w_k - 1)²`, `z` the far square less the near one.
    pub(super) fn of(map: &'a Embedding, answers: impl Iterator<Item = Comparison>) -> Self {
        let rows: Vec<(f64, Vec<f64>)> = answers.map(|c| (c.weight, differences(map, c.near, c.far))).collect();
        let dim = map.dim();
        // No second derivative is larger.
        let steep: f64 =
            rows.iter().map(|(w, z)| 0.25 * w * z.iter().map(|z| z * z).sum::<f64>()).sum::<f64>() + TO_ONE;
        let mut weights = vec![1.0; dim];
        for _ in 0..STEPS {
            let mut gradient: Vec<f64> = weights.iter().map(|w| TO_ONE * (w - 1.0)).collect();
            for (weight, z) in &rows {
                let sum: f64 = weights.iter().zip(z).map(|(w, z)| w * z).sum();
                let pull = weight / (1.0 + sum.exp());
                gradient.iter_mut().zip(z).for_each(|(g, z)| *g -= pull * z);
            }
            let mut moved = 0.0f64;
            for (w, g) in weights.iter_mut().zip(&gradient) {
                let next = (*w - g / steep).max(0.0);
                moved = moved.max((next - *w).abs());
                *w = next;
            }
            if moved < STILL {
                break;
            }
        }
        AxisWeights { map, weights }
    }
    /// Whether an answer holds under these weights.
    pub(super) fn holds(&self, c: &Comparison) -> bool {
        differences(self.map, c.near, c.far).iter().zip(&self.weights).map(|(z, w)| w * z).sum::<f64>() > 0.0
    }
}

/// The far square less the near one, along each axis.
fn differences(map: &Embedding, near: Pair, far: Pair) -> Vec<f64> {
    let points = map.points();
    let square = |pair: Pair, k: usize| {
        let off = points[(pair.first().index(), k)] - points[(pair.second().index(), k)];
        off * off
    };
    (0..map.dim()).map(|k| square(far, k) - square(near, k)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::object::{Item, Objects};
    use ndarray::Array2;
    use nearer_num::rng::Rng;

    /// Answers by the second axis alone, on a map of three.
    #[test]
    fn an_axis_that_is_looked_at_alone_is_found() {
        let mut rng = Rng::task(2, 2);
        let n = 25;
        let map = Embedding::new(Objects::numbered(n), Array2::from_shape_fn((n, 3), |_| rng.normal())).unwrap();
        let mut answer = || {
            let [a, b, c] = [rng.below(n), rng.below(n), rng.below(n)].map(|k| Item(k as u32));
            let (one, other) = (Pair::new(a, b)?, Pair::new(a, c)?);
            let nearer = differences(&map, one, other)[1] > 0.0;
            Some(if nearer { Comparison::new(one, other) } else { Comparison::new(other, one) })
        };
        let all: Vec<Comparison> =
            std::iter::repeat_with(&mut answer).flatten().filter(|c| c.near != c.far).take(300).collect();
        let own = AxisWeights::of(&map, all[..100].iter().copied());
        assert!(own.weights[1] > 3.0 * own.weights[0].max(own.weights[2]), "{:?}", own.weights);
        let right = all[100..].iter().filter(|c| own.holds(c)).count();
        assert!(right > 170, "{right} of 200");
    }
}
