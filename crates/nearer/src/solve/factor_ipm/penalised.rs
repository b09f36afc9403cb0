//! The penalised form is smooth in the points: Newton steps with the same matrix, and a line search.

use ndarray::Array2;
use nearer_num::sparse::{differences, laplacian_times, squared_lengths};

use super::iteration::BEGINS;
use super::question::{Edges, Span};
use super::system::{NOTHING, System, lowered};
use super::{End, Judge, Limits, centre, centred_square, failed, means, norm};
use crate::error::Error;
use crate::solve::{Clock, Step, Stop};

/// A step is taken where it brings this share of what its slope promises (Armijo's rule with its usual number), and halved until then,
/// down to a length that is none.
const ARMIJO: f64 = 1e-4;
const SHORTEST: f64 = 1e-12;
/// A step of more than this was not cut: the diagonal may come down. Chosen by trial; not swept.
const LONG: f64 = 0.3;
/// The gradient, as a share of the points, at which they are as good as they get in their dimensions. Chosen by trial; not swept.
const FLAT: f64 = 1e-9;

/// Minimises `w Σ (d - D)² - tr(HG)` in the factor. The multipliers are `2 w (d - D)`.
pub(super) fn descend(
    edges: &Edges,
    weight: f64,
    start: Array2<f64>,
    space: &mut Span,
    limits: Limits,
    judge: &Judge<'_>,
    clock: &Clock<'_>,
) -> Result<End, Error> {
    let (n, data, pairs) = (edges.n, &edges.squared, &edges.pairs);
    let mut r = start.ncols();
    let mut y: Vec<f64> = start.iter().copied().collect();
    let mut system = System::new(edges, space, r).map_err(failed)?;
    let loss = |y: &[f64], r: usize| {
        let d = squared_lengths(&differences(y, r, pairs), r);
        weight * d.iter().zip(data).map(|(d, t)| (d - t).powi(2)).sum::<f64>() - centred_square(y, n, r)
    };
    let multipliers = |y: &[f64], r: usize| -> Vec<f64> {
        let d = squared_lengths(&differences(y, r, pairs), r);
        d.iter().zip(data).map(|(d, t)| 2.0 * weight * (d - t)).collect()
    };
    let theta = vec![8.0 * weight; data.len()];
    let mut value = loss(&y, r);
    let mut lift = 0.0;
    let mut stop = Stop::IterationLimit;
    let mut iterations = 0;
    for iteration in 1..=limits.max_iter {
        iterations = iteration;
        if let Some(ended) = clock.tick(&Step::new("unfolding", (0, 1), iteration, Some(limits.max_iter), -value)) {
            stop = ended;
            break;
        }
        let w = multipliers(&y, r);
        let u = differences(&y, r, pairs);
        let mut gradient = laplacian_times(n, r, pairs, &w, &u);
        let mean = means(&y, n, r);
        gradient.iter_mut().enumerate().for_each(|(k, g)| *g = 2.0 * (*g - (y[k] - mean[k % r])));
        let tilt = norm(&gradient) / norm(&y).max(f64::MIN_POSITIVE);
        let twice: Vec<f64> = w.iter().map(|w| 2.0 * w).collect();
        system.assemble(space, &twice, &theta, &u);
        lift = system.raise(lift).map_err(failed)?;
        let mut step: Vec<f64> = gradient.iter().map(|g| -g).collect();
        system.solve(space, &mut step);
        centre(&mut step, n, r);
        let slope: f64 = gradient.iter().zip(&step).map(|(a, b)| a * b).sum();
        let mut length = 1.0;
        let mut moved = false;
        while slope < 0.0 && length > SHORTEST {
            let next: Vec<f64> = y.iter().zip(&step).map(|(y, s)| y + length * s).collect();
            let lower = loss(&next, r);
            if lower <= value + ARMIJO * length * slope {
                (y, value, moved) = (next, lower, true);
                break;
            }
            length *= 0.5;
        }
        // After a step that was cut the diagonal stays as high as it is.
        lift = if length > LONG || lift <= NOTHING { lowered(lift) } else { lift };
        if tilt < FLAT || !moved {
            let w = multipliers(&y, r);
            if Judge::gap(-value, judge.bound(&w)) <= limits.gap {
                stop = Stop::Converged;
                break;
            }
            let second = space.second(&w);
            let missing = second.estimate < 1.0 - limits.gap && second.vectors.ncols() > 0;
            if !missing || r + 1 > space.dimensions(n) {
                stop = Stop::Stalled;
                break;
            }
            // A direction of negative curvature outside the span of the points: a dimension more.
            let scale = BEGINS * centred_square(&y, n, r).sqrt();
            let wider: Vec<f64> = y
                .chunks_exact(r)
                .enumerate()
                .flat_map(|(i, p)| {
                    let new = scale * second.vectors[(i, 0)];
                    p.iter().copied().chain(std::iter::once(new)).collect::<Vec<f64>>()
                })
                .collect();
            r += 1;
            y = wider;
            value = loss(&y, r);
            system = System::new(edges, space, r).map_err(failed)?;
        }
    }
    let multipliers = multipliers(&y, r);
    let points = Array2::from_shape_vec((n, r), y).expect("r coordinates for each vertex");
    Ok(End { points, multipliers, stop, iterations })
}
