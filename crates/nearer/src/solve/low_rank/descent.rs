//! One minimisation over the points and the radii, multipliers and rows being what they are.

use std::time::Instant;

use ndarray::Array2;
use nearer_num::augmented::Scratch;
use nearer_num::lbfgs::{self, Guess};
use nearer_num::precondition::Preconditioner;

use super::active_rows;
use super::lift::Lift;
use super::rounds::Rounds;
use super::start;
use crate::solve::Stop;

/// Steps of one inner minimisation.
const INNER: usize = 600;
/// After a minimisation of so many steps the next one begins with second derivatives: each of its steps costs twice as much.
const SLOW: usize = 300;
/// Above this many objects every one does.
const LARGE: usize = 600;
/// Steps that a quasi-Newton minimisation remembers.
const MEMORY: usize = 10;
/// Steps after which second derivatives are looked at again.
const REFRESHED: usize = 200;
/// Up to this many objects squares of second derivatives are worth their memory.
const GUIDED: usize = 3000;

impl Rounds<'_> {
    /// One minimisation over the points and the radii; gives the length of the gradient at its end.
    pub(super) fn minimise(&mut self) -> f64 {
        let shapes: Vec<(usize, usize)> = self.factors.iter().map(Array2::dim).collect();
        let mut start: Vec<f64> = self.factors.iter().flat_map(|f| f.iter().copied()).collect();
        let size = start.len();
        start.extend_from_slice(&self.radii);
        let mut ended = None;
        // Rows that are settled may be left out where rows are many and numbers few; if the whole function does not go down
        // with the part, some were not settled after all: those that are not where it led to come in again.
        if self.trail.len() >= 2 && self.program.balls.is_none() && self.play.len() > 4 * size {
            let mut seen = vec![self.play.residuals(&self.factors)];
            let before = self.play.whole(&seen[0], &self.factors, self.sigma);
            while ended.is_none() && seen.len() <= 2 {
                let part = self.play.problem(self.sigma, &seen);
                let (x, gradient) = self.descend(&part, &shapes, start.clone());
                let factors = start::on_sphere(&self.play, unflattened(&shapes, &x));
                let after = self.play.residuals(&factors);
                if self.play.whole(&after, &factors, self.sigma) < before {
                    ended = Some((factors, x, gradient, after));
                } else {
                    seen.push(after);
                }
            }
        }
        let (factors, x, gradient, after) = match ended {
            Some(ended) => ended,
            None => {
                let whole = self.play.problem(self.sigma, &[]);
                let (x, gradient) = self.descend(&whole, &shapes, start);
                let factors = start::on_sphere(&self.play, unflattened(&shapes, &x));
                let after = self.play.residuals(&factors);
                (factors, x, gradient, after)
            }
        };
        self.radii = x[size..].to_vec();
        self.factors = factors;
        self.play.update(&after.rows, &self.factors, &self.radii, self.sigma);
        gradient
    }

    fn descend(&mut self, problem: &active_rows::Inner, shapes: &[(usize, usize)], mut x: Vec<f64>) -> (Vec<f64>, f64) {
        let size = x.len() - self.radii.len();
        let mut scratch = Scratch::default();
        let mut lift = Lift::new(self.program, shapes, self.play.sphere);
        let (y, sigma) = (&problem.multipliers, self.sigma);
        let (clock, mut asked, mut stopped) = (self.steps, 0u32, None);
        let step = self.step(self.trail.len() + 1);
        let guided = (self.slow || self.program.objects() > LARGE)
            && !self.fixed
            && self.play.is_free()
            && self.program.balls.is_none()
            && self.play.sphere.is_none()
            && self.program.objects() <= GUIDED;
        let (mut left, mut gradient) = (INNER, f64::INFINITY);
        while left > 0 {
            // Seconds for many objects: not begun where the steps that it is for would not be taken.
            if guided && clock.left().is_some_and(|left| left < self.guiding) {
                stopped = Some(Stop::TimeLimit);
                break;
            }
            let guide = if guided {
                let begun = Instant::now();
                let doubt = (-self.least / self.play.weight).max(0.0);
                let guide = Preconditioner::new(&problem.function.problem, (&x, shapes[0].1), y, sigma, doubt);
                self.guiding = begun.elapsed();
                guide
            } else {
                None
            };
            let apply = |q: &mut [f64]| guide.iter().for_each(|g| g.apply(q));
            let most = if guide.is_some() { left.min(REFRESHED) } else { left };
            let ended = lbfgs::minimise(
                &mut x,
                &lbfgs::Settings {
                    iterations: most,
                    gradient: self.tolerance,
                    decrease: None,
                    memory: MEMORY,
                    guess: if guide.is_some() { Guess::Curvature(&apply) } else { Guess::Short },
                },
                |x, g| {
                    let (gx, gb) = g.split_at_mut(size);
                    lift.evaluate(&problem.function, &x[..size], &x[size..], y, sigma, &mut scratch, gx, gb)
                },
                |_, _| {
                    asked += 1;
                    // A watcher is asked now and then; a step of many rows takes long enough to look at the clock after each.
                    if asked % 16 == 0 || clock.late() {
                        stopped = clock.tick(&step);
                    }
                    stopped.is_none()
                },
            );
            self.iterations += ended.iterations;
            gradient = ended.gradient;
            left -= ended.iterations.min(left);
            if gradient <= self.tolerance || ended.iterations < most || stopped.is_some() {
                break;
            }
        }
        self.slow = INNER - left >= SLOW;
        self.stopped = self.stopped.or(stopped);
        (x, gradient)
    }
}

/// Factors from numbers one after another.
fn unflattened(shapes: &[(usize, usize)], x: &[f64]) -> Vec<Array2<f64>> {
    let mut from = 0;
    let one = |&(q, r): &(usize, usize)| {
        from += q * r;
        Array2::from_shape_vec((q, r), x[from - q * r..from].to_vec()).expect("as it was laid out")
    };
    shapes.iter().map(one).collect()
}
