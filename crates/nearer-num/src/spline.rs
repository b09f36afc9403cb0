//! Monotone splines: each basis function rises from 0 to 1, so non-negative weights give a rising curve (Ramsay 1988).

/// How many rising functions there are for this degree and these knots (ends included).
#[must_use]
pub fn count(degree: usize, knots: &[f64]) -> usize {
    knots.len() - 2 + degree
}

/// The values at `x` of the constant and of every rising function: `1, I_1(x), …`. Inside the ends only.
///
/// `I_k` is the integral of an M-spline; it is computed as a sum of B-splines of one degree more, which is stable.
#[must_use]
pub fn basis(degree: usize, knots: &[f64], x: f64) -> Vec<f64> {
    let (low, high) = (knots[0], knots[knots.len() - 1]);
    let x = x.clamp(low, high);
    // B-splines of this degree on knots repeated at the ends; I_k is the sum of all B-splines from the k-th on.
    let mut t = vec![low; degree];
    t.extend_from_slice(knots);
    t.extend(std::iter::repeat_n(high, degree));
    let total = knots.len() - 1 + degree;
    let mut b = vec![0.0; total + degree];
    let span = (degree..total).rev().find(|&k| t[k] <= x && t[k] < t[k + 1]).unwrap_or(degree);
    b[span] = 1.0;
    for d in 1..=degree {
        for k in span.saturating_sub(d)..=span {
            let left = if t[k + d] > t[k] { (x - t[k]) / (t[k + d] - t[k]) * b[k] } else { 0.0 };
            let right =
                if t[k + d + 1] > t[k + 1] { (t[k + d + 1] - x) / (t[k + d + 1] - t[k + 1]) * b[k + 1] } else { 0.0 };
            b[k] = left + right;
        }
    }
    let mut values = vec![0.0; total];
    let mut running = 0.0;
    for k in (0..total).rev() {
        running += b[k];
        values[k] = running;
    }
    values
}

/// The curve at `x`: inside the ends the weighted sum; beyond them a line with the slope of the last hundredth.
#[must_use]
pub fn evaluate(degree: usize, knots: &[f64], weights: &[f64], x: f64) -> f64 {
    let (low, high) = (knots[0], knots[knots.len() - 1]);
    let inside = |x: f64| basis(degree, knots, x).iter().zip(weights).map(|(b, w)| b * w).sum::<f64>();
    let step = (high - low) / 100.0;
    if x < low && step > 0.0 {
        (inside(low) + (x - low) * (inside(low + step) - inside(low)) / step).max(0.0)
    } else if x > high && step > 0.0 {
        inside(high) + (x - high) * (inside(high) - inside(high - step)) / step
    } else {
        inside(x)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn functions_rise_from_zero_to_one() {
        let knots = [1.0, 2.0, 3.5, 5.0];
        for degree in 1..=3 {
            let at = |x| basis(degree, &knots, x);
            assert_eq!(at(1.0).len(), count(degree, &knots) + 1);
            assert!(at(1.0)[1..].iter().all(|v| v.abs() < 1e-15) && at(5.0).iter().all(|v| (v - 1.0).abs() < 1e-15));
            for k in 0..at(1.0).len() {
                assert!(
                    (0..100).all(|s| at(1.0 + 0.04 * f64::from(s))[k] <= at(1.04 + 0.04 * f64::from(s))[k] + 1e-15)
                );
            }
        }
    }

    #[test]
    fn degree_one_without_inner_knots_is_a_line() {
        assert!((evaluate(1, &[2.0, 6.0], &[1.0, 8.0], 4.0) - 5.0).abs() < 1e-14);
        assert!((evaluate(1, &[2.0, 6.0], &[1.0, 8.0], 8.0) - 13.0).abs() < 1e-12);
    }

    #[test]
    fn quadratic_is_continuous_in_slope() {
        let f = |x| evaluate(2, &[0.0, 1.0, 2.0], &[0.0, 1.0, 0.2, 3.0], x);
        let slope = |x: f64| (f(x + 1e-6) - f(x - 1e-6)) / 2e-6;
        assert!((slope(1.0 - 1e-5) - slope(1.0 + 1e-5)).abs() < 1e-3);
    }
}
