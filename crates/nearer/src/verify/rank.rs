//! In how many dimensions points lie, by Jacobi's rotations.

use ndarray::Array2;

/// Above this many columns the rotations take too long, and the rank is not checked.
const MOST: usize = 400;

/// How many axes carry more than `share` of the widest one's variance; `None` where there are too many columns.
pub(super) fn rank(points: &Array2<f64>, share: f64) -> Option<usize> {
    let (n, r) = points.dim();
    if r > MOST || n == 0 {
        return None;
    }
    let means: Vec<f64> = points.columns().into_iter().map(|c| c.sum() / n as f64).collect();
    let mut a = Array2::<f64>::zeros((r, r));
    for row in points.rows() {
        for i in 0..r {
            for j in 0..r {
                a[(i, j)] += (row[i] - means[i]) * (row[j] - means[j]);
            }
        }
    }
    for _ in 0..60 {
        let off: f64 = (0..r).flat_map(|i| (0..i).map(move |j| (i, j))).map(|k| a[k] * a[k]).sum();
        let on: f64 = (0..r).map(|i| a[(i, i)] * a[(i, i)]).sum();
        if off <= 1e-28 * on {
            break;
        }
        for i in 0..r {
            for j in 0..i {
                rotate(&mut a, i, j);
            }
        }
    }
    let top = (0..r).map(|i| a[(i, i)]).fold(0.0, f64::max);
    Some((0..r).filter(|i| a[(*i, *i)] > share * top && a[(*i, *i)] > 0.0).count())
}

/// Turns the axes `i` and `j` until their product is zero.
fn rotate(a: &mut Array2<f64>, i: usize, j: usize) {
    if a[(i, j)] == 0.0 {
        return;
    }
    let theta = (a[(j, j)] - a[(i, i)]) / (2.0 * a[(i, j)]);
    let t = theta.signum() / (theta.abs() + (theta * theta + 1.0).sqrt());
    let t = if theta == 0.0 { 1.0 } else { t };
    let c = 1.0 / (t * t + 1.0).sqrt();
    let s = t * c;
    for k in 0..a.nrows() {
        let (x, y) = (a[(k, i)], a[(k, j)]);
        a[(k, i)] = c * x - s * y;
        a[(k, j)] = s * x + c * y;
    }
    for k in 0..a.nrows() {
        let (x, y) = (a[(i, k)], a[(j, k)]);
        a[(i, k)] = c * x - s * y;
        a[(j, k)] = s * x + c * y;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use nearer_num::rng::Rng;

    #[test]
    fn points_of_three_dimensions_in_seven_columns_have_rank_three() {
        let mut rng = Rng::task(1, 2);
        let narrow = Array2::from_shape_fn((30, 3), |_| rng.normal());
        let wide = Array2::from_shape_fn((3, 7), |_| rng.normal());
        assert_eq!(rank(&(narrow.dot(&wide) + 5.0), 1e-5), Some(3));
        assert_eq!(rank(&Array2::zeros((4, 2)), 1e-5), Some(0));
    }
}
