//! Balls: for each object a squared radius, inside which lie those that are like it, and outside those that are not.

/// What is said about ordered pairs: row `(i, j)` is `s_ij (d_ij - b_i) ≤ 0`, `b_i ≥ 0` the squared radius of `i`.
///
/// There may be `n (n - 1)` such rows; they are kept as signs, and made into rows only when they are in play.
#[derive(Debug, Clone)]
pub struct Balls {
    n: usize,
    signs: Vec<i8>,
    slack: Option<f64>,
    weights: Option<Vec<f64>>,
}

impl Balls {
    /// Nothing said yet about `n` objects; rows must hold.
    #[must_use]
    pub fn new(n: usize) -> Self {
        Balls { n, signs: vec![0; n * n], slack: None, weights: None }
    }
    /// Says `+1`: `j` is inside the ball of `i`, or `-1`: it is outside.
    pub fn say(&mut self, i: usize, j: usize, sign: i8) {
        self.signs[i * self.n + j] = sign;
    }
    /// Broken rows cost `slack` times their residual, instead of being forbidden.
    #[must_use]
    pub fn with_slack(mut self, slack: f64) -> Self {
        self.slack = Some(slack);
        self
    }
    /// Rows have these weights, which multiply the slack; one for each ordered pair.
    #[must_use]
    pub fn with_weights(mut self, weights: Vec<f64>) -> Self {
        self.weights = Some(weights);
        self
    }
    /// How many objects there are.
    #[must_use]
    pub fn objects(&self) -> usize {
        self.n
    }
    /// What is said about `j` by `i`: `+1`, `-1`, or 0 for nothing.
    #[must_use]
    pub fn sign(&self, i: usize, j: usize) -> i8 {
        self.signs[i * self.n + j]
    }
    /// What `i` says about all others.
    #[must_use]
    pub fn signs_of(&self, i: usize) -> &[i8] {
        &self.signs[i * self.n..(i + 1) * self.n]
    }
    /// The slack, where rows may be broken.
    #[must_use]
    pub fn slack(&self) -> Option<f64> {
        self.slack
    }
    /// The largest multiplier of a row.
    #[must_use]
    pub fn high(&self, i: usize, j: usize) -> f64 {
        match (&self.weights, self.slack) {
            (_, None) => f64::INFINITY,
            (None, Some(s)) => s,
            (Some(w), Some(s)) => s * w[i * self.n + j],
        }
    }
    /// How many rows there are.
    #[must_use]
    pub fn rows(&self) -> usize {
        self.signs.iter().filter(|s| **s != 0).count()
    }
    /// Whether `i` says of `j` what `j` says of `i`, everywhere.
    #[must_use]
    pub fn is_symmetric(&self) -> bool {
        (0..self.n).all(|i| (i + 1..self.n).all(|j| self.sign(i, j) == self.sign(j, i)))
    }

    /// The squared radius of `i` that costs least, given the squared distances from it, and what it then costs; for hard rows
    /// the cost is the worst violation, halved between the two sides.
    #[must_use]
    pub fn radius(&self, i: usize, distances: &[f64]) -> (f64, f64) {
        let signs = self.signs_of(i);
        let Some(_) = self.slack else {
            let (mut inner, mut outer) = (f64::NEG_INFINITY, f64::INFINITY);
            // Without branches, so that it runs several at a time.
            for (s, d) in signs.iter().zip(distances) {
                let (inside, outside) =
                    (if *s > 0 { *d } else { f64::NEG_INFINITY }, if *s < 0 { *d } else { f64::INFINITY });
                inner = if inside > inner { inside } else { inner };
                outer = if outside < outer { outside } else { outer };
            }
            return match (inner.is_finite(), outer.is_finite()) {
                (true, true) => (0.5 * (inner + outer), (0.5 * (inner - outer)).max(0.0)),
                (true, false) => (inner, 0.0),
                (false, _) => (0.0, 0.0),
            };
        };
        // Piecewise linear and convex in b: at b = 0 every similar row pays d; each distance passed lowers the slope.
        let mut steps: Vec<(f64, f64, bool)> = Vec::new();
        for (j, (s, d)) in signs.iter().zip(distances).enumerate() {
            if *s != 0 {
                steps.push((*d, self.high(i, j), *s > 0));
            }
        }
        steps.sort_by(|a, b| a.0.total_cmp(&b.0));
        let mut slope: f64 = -steps.iter().filter(|s| s.2).map(|s| s.1).sum::<f64>();
        let mut best = 0.0;
        for (d, weight, _) in &steps {
            if slope >= 0.0 {
                break;
            }
            best = *d;
            // Similar ones stop paying here, dissimilar ones begin to.
            slope += weight;
        }
        let cost = steps.iter().map(|(d, w, inside)| w * if *inside { d - best } else { best - d }.max(0.0)).sum();
        (best, cost)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_best_radius_is_the_best_of_all_tried() {
        let mut rng = nearer_num::rng::Rng::task(3, 1);
        for _ in 0..200 {
            let n = 2 + rng.below(9);
            let mut balls = Balls::new(n);
            (1..n).for_each(|j| balls.say(0, j, [1, -1, 0][rng.below(3)]));
            let weights = (0..n * n).map(|_| 0.1 + rng.uniform()).collect();
            let balls = balls.with_slack(2.0).with_weights(weights);
            let d: Vec<f64> = (0..n).map(|j| if j == 0 { 0.0 } else { rng.uniform() }).collect();
            let cost = |b: f64| -> f64 {
                (1..n).map(|j| balls.high(0, j) * (f64::from(balls.sign(0, j)) * (d[j] - b)).max(0.0)).sum()
            };
            let (b, claimed) = balls.radius(0, &d);
            assert!((cost(b) - claimed).abs() < 1e-12);
            let least = d.iter().map(|b| cost(*b)).fold(f64::INFINITY, f64::min);
            assert!(claimed <= least + 1e-12);
        }
    }
}
