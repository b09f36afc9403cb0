//! Balls: squared radii inside which lie those that are like an object, and outside those that are not.

use nearer_num::augmented;

/// What is said about ordered pairs: row `(c, j)` is `s_cj (d_ij - b_g) ≤ 0`, `b_g ≥ 0` a squared radius.
///
/// A centre `c` is an object and a level: `c = level · n + i`. With one level each object is one centre; with more its balls are
/// nested. By default every centre has a radius of its own, `g = c`; [`shared`](Balls::shared) ones have one for each level.
///
/// There may be `n (n - 1)` such rows a level; they are kept as signs, and made into rows only when they are in play.
#[derive(Debug, Clone)]
pub struct Balls {
    n: usize,
    levels: usize,
    shared: bool,
    signs: Vec<i8>,
    slack: Option<f64>,
    weights: Option<Vec<f64>>,
}

impl Balls {
    /// Nothing said yet about `n` objects at these many levels; rows must hold.
    #[must_use]
    pub fn new(n: usize, levels: usize) -> Self {
        Balls { n, levels, shared: false, signs: vec![0; levels * n * n], slack: None, weights: None }
    }
    /// Says `+1`: `j` is inside the ball of a centre, or `-1`: it is outside.
    pub fn say(&mut self, centre: usize, j: usize, sign: i8) {
        self.signs[centre * self.n + j] = sign;
    }
    /// With one radius for all objects, or with one for each.
    #[must_use]
    pub fn shared(mut self, shared: bool) -> Self {
        self.shared = shared;
        self
    }
    /// Broken rows cost `slack` times their residual, instead of being forbidden.
    #[must_use]
    pub fn with_slack(mut self, slack: f64) -> Self {
        self.slack = Some(slack);
        self
    }
    /// Rows have these weights, which multiply the slack; one for each centre and object.
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
    /// How many centres there are: one a level and object.
    #[must_use]
    pub fn centres(&self) -> usize {
        self.levels * self.n
    }
    /// The object of a centre.
    #[must_use]
    pub fn object(&self, centre: usize) -> usize {
        centre % self.n
    }
    /// How many radii there are.
    #[must_use]
    pub fn radii(&self) -> usize {
        if self.shared { self.levels } else { self.centres() }
    }
    /// Whether objects share their radii.
    #[must_use]
    pub fn is_shared(&self) -> bool {
        self.shared
    }
    /// The radius of a centre.
    #[must_use]
    pub fn radius_of(&self, centre: usize) -> usize {
        if self.shared { centre / self.n } else { centre }
    }
    /// The centres of a radius: they stand side by side.
    #[must_use]
    pub fn centres_of(&self, radius: usize) -> std::ops::Range<usize> {
        if self.shared { radius * self.n..(radius + 1) * self.n } else { radius..radius + 1 }
    }
    /// What is said about `j` at a centre: `+1`, `-1`, or 0 for nothing.
    #[must_use]
    pub fn sign(&self, centre: usize, j: usize) -> i8 {
        self.signs[centre * self.n + j]
    }
    /// What is said about all others at a centre.
    #[must_use]
    pub fn signs_of(&self, centre: usize) -> &[i8] {
        &self.signs[centre * self.n..(centre + 1) * self.n]
    }
    /// What is said about all others at all centres of a radius, one after the other.
    #[must_use]
    pub fn signs_at(&self, radius: usize) -> &[i8] {
        let centres = self.centres_of(radius);
        &self.signs[centres.start * self.n..centres.end * self.n]
    }
    /// The slack, where rows may be broken.
    #[must_use]
    pub fn slack(&self) -> Option<f64> {
        self.slack
    }
    /// The largest multiplier of a row.
    #[must_use]
    pub fn high(&self, centre: usize, j: usize) -> f64 {
        match (&self.weights, self.slack) {
            (_, None) => f64::INFINITY,
            (None, Some(s)) => s,
            (Some(w), Some(s)) => s * w[centre * self.n + j],
        }
    }
    /// How many rows there are.
    #[must_use]
    pub fn rows(&self) -> usize {
        self.signs.iter().filter(|s| **s != 0).count()
    }

    /// The squared distances from every centre of a radius, one centre after the other; points are given column by column.
    #[must_use]
    pub fn distances(&self, radius: usize, columns: &[f64]) -> Vec<f64> {
        let mut centres = self.centres_of(radius).map(|c| augmented::distances_from(columns, self.n, self.object(c)));
        match (self.shared, centres.next()) {
            (false, Some(only)) => only,
            (_, first) => first.into_iter().chain(centres).flatten().collect(),
        }
    }

    /// The squared radius that costs least, given the squared distances from its centres, and what it then costs; for hard rows
    /// the cost is the worst violation, halved between the two sides.
    #[must_use]
    pub fn best(&self, radius: usize, distances: &[f64]) -> (f64, f64) {
        let signs = self.signs_at(radius);
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
        let first = self.centres_of(radius).start;
        let mut steps: Vec<(f64, f64, bool)> = Vec::new();
        for (k, (s, d)) in signs.iter().zip(distances).enumerate() {
            if *s != 0 {
                steps.push((*d, self.high(first + k / self.n, k % self.n), *s > 0));
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
            let mut balls = Balls::new(n, 1);
            (1..n).for_each(|j| balls.say(0, j, [1, -1, 0][rng.below(3)]));
            let weights = (0..n * n).map(|_| 0.1 + rng.uniform()).collect();
            let balls = balls.with_slack(2.0).with_weights(weights);
            let d: Vec<f64> = (0..n).map(|j| if j == 0 { 0.0 } else { rng.uniform() }).collect();
            let cost = |b: f64| -> f64 {
                (1..n).map(|j| balls.high(0, j) * (f64::from(balls.sign(0, j)) * (d[j] - b)).max(0.0)).sum()
            };
            let (b, claimed) = balls.best(0, &d);
            assert!((cost(b) - claimed).abs() < 1e-12);
            let least = d.iter().map(|b| cost(*b)).fold(f64::INFINITY, f64::min);
            assert!(claimed <= least + 1e-12);
        }
    }

    #[test]
    fn a_radius_that_all_share_is_the_best_of_all_tried() {
        let mut rng = nearer_num::rng::Rng::task(3, 2);
        for _ in 0..100 {
            let n = 2 + rng.below(5);
            let mut balls = Balls::new(n, 2);
            for c in 0..2 * n {
                (0..n).filter(|j| *j != c % n).for_each(|j| balls.say(c, j, [1, -1, 0][rng.below(3)]));
            }
            let balls = balls.shared(true).with_slack(2.0);
            assert_eq!((balls.radii(), balls.radius_of(n), balls.centres_of(1)), (2, 1, n..2 * n));
            let columns: Vec<f64> = (0..2 * n).map(|_| rng.uniform()).collect();
            let d = balls.distances(1, &columns);
            let cost = |b: f64| -> f64 {
                let one = |(s, d): (&i8, &f64)| 2.0 * (f64::from(*s) * (d - b)).max(0.0);
                balls.signs_at(1).iter().zip(&d).map(one).sum()
            };
            let (b, claimed) = balls.best(1, &d);
            assert!((cost(b) - claimed).abs() < 1e-12);
            assert!(claimed <= d.iter().map(|b| cost(*b)).fold(f64::INFINITY, f64::min) + 1e-12);
        }
    }
}
