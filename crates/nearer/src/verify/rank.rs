//! In how many dimensions points lie: Householder's tridiagonal form of their scatter, and counts of sign changes along it.

use ndarray::Array2;

/// How many axes carry more than a share of the widest one's variance.
#[derive(Debug)]
pub(super) struct Axes {
    diagonal: Vec<f64>,
    beside: Vec<f64>,
    top: f64,
}

impl Axes {
    /// The axes of these points; `O(m² (n + r))` for the smaller `m` of `n` points and `r` columns.
    pub(super) fn of(points: &Array2<f64>) -> Self {
        let (n, r) = points.dim();
        let mut centred = points.clone();
        for mut column in centred.columns_mut() {
            let mean = column.iter().map(|v| v / n as f64).sum::<f64>();
            column.mapv_inplace(|v| v - mean);
        }
        // In units of the largest coordinate nothing overflows, and what underflows has no share.
        let largest = centred.iter().fold(0.0, |m: f64, v| m.max(v.abs()));
        if largest > 0.0 && largest.is_finite() {
            centred.mapv_inplace(|v| v / largest);
        }
        Self::of_products(if r <= n { centred.t().dot(&centred) } else { centred.dot(&centred.t()) })
    }

    /// The axes of points of which these are the products, or the scatter.
    pub(super) fn of_products(scatter: Array2<f64>) -> Self {
        let (diagonal, beside) = tridiagonal(scatter);
        let mut axes = Axes { diagonal, beside, top: 0.0 };
        let size = axes.reach();
        let (mut low, mut high) = (0.0, size);
        // Halves, until there is nothing between.
        for _ in 0..80 {
            let middle = 0.5 * (low + high);
            if axes.above(middle) > 0 { low = middle } else { high = middle }
        }
        axes.top = high;
        axes
    }

    /// How many carry more than this share of the widest one's.
    pub(super) fn beyond(&self, share: f64) -> usize {
        if self.top > 0.0 { self.above(share * self.top) } else { 0 }
    }

    /// No eigenvalue is larger.
    fn reach(&self) -> f64 {
        let side = |k: usize| self.beside.get(k).map_or(0.0, |v| v.abs());
        let row = |k: usize| self.diagonal[k].abs() + side(k) + if k > 0 { side(k - 1) } else { 0.0 };
        (0..self.diagonal.len()).map(row).fold(0.0, f64::max)
    }

    /// How many eigenvalues are above this: as many as pivots of the shifted matrix are positive.
    fn above(&self, value: f64) -> usize {
        let (mut count, mut pivot) = (0, 1.0);
        for (k, d) in self.diagonal.iter().enumerate() {
            let side = if k > 0 { self.beside[k - 1] } else { 0.0 };
            pivot = d - value - side / pivot * side;
            if pivot == 0.0 || pivot.is_nan() {
                pivot = -f64::MIN_POSITIVE;
            }
            count += usize::from(pivot > 0.0);
        }
        count
    }
}

/// The diagonal and what lies beside it of a matrix of three diagonals with the same eigenvalues, by reflections.
fn tridiagonal(mut a: Array2<f64>) -> (Vec<f64>, Vec<f64>) {
    let m = a.nrows();
    let mut beside = vec![0.0; m.saturating_sub(1)];
    for k in 0..m.saturating_sub(1) {
        let tail = k + 1;
        let length = (tail..m).map(|i| a[(i, k)] * a[(i, k)]).sum::<f64>().sqrt();
        let first = a[(tail, k)];
        beside[k] = if first > 0.0 { -length } else { length };
        let mut v: Vec<f64> = (tail..m).map(|i| a[(i, k)]).collect();
        v[0] -= beside[k];
        let square: f64 = v.iter().map(|v| v * v).sum();
        if square <= 0.0 {
            continue;
        }
        // B ← (I - 2 v vᵗ / |v|²) B (I - 2 v vᵗ / |v|²) on the tail.
        let p: Vec<f64> =
            (tail..m).map(|i| 2.0 * (tail..m).zip(&v).map(|(j, v)| a[(i, j)] * v).sum::<f64>() / square).collect();
        let half = p.iter().zip(&v).map(|(p, v)| p * v).sum::<f64>() / square;
        let w: Vec<f64> = p.iter().zip(&v).map(|(p, v)| p - half * v).collect();
        for i in tail..m {
            for j in tail..m {
                a[(i, j)] -= v[i - tail] * w[j - tail] + w[i - tail] * v[j - tail];
            }
        }
    }
    ((0..m).map(|k| a[(k, k)]).collect(), beside)
}

#[cfg(test)]
mod tests {
    use super::*;
    use nearer_num::rng::Rng;

    #[test]
    fn points_of_three_dimensions_have_rank_three_in_few_columns_and_in_many() {
        for (columns, size) in [(7, 1.0), (700, 1e150), (40, 1e-150)] {
            let mut rng = Rng::task(1, 2);
            let narrow = Array2::from_shape_fn((30, 3), |_| rng.normal());
            let wide = Array2::from_shape_fn((3, columns), |_| rng.normal() * size);
            assert_eq!(Axes::of(&(narrow.dot(&wide) + 5.0 * size)).beyond(1e-5), 3);
        }
        assert_eq!(Axes::of(&Array2::zeros((4, 2))).beyond(1e-5), 0);
        assert_eq!(Axes::of(&Array2::zeros((4, 0))).beyond(1e-5), 0);
    }

    /// Variances that are known: 1, 10⁻¹, …, 10⁻⁷ of the widest, on axes turned at random.
    #[test]
    fn the_share_is_that_of_the_variance() {
        let n = 64;
        let points = Array2::from_shape_fn((n, 8), |(i, p)| {
            let sign = if (i >> p) & 1 == 0 { 1.0 } else { -1.0 };
            if p < 6 { sign * 10f64.powf(-0.5 * p as f64) } else { 0.0 }
        });
        let mut rng = Rng::task(4, 4);
        let mut turned = points.clone();
        for _ in 0..40 {
            let (a, b, t) = (rng.below(8), rng.below(8), rng.uniform() * 7.0);
            if a == b {
                continue;
            }
            for mut row in turned.rows_mut() {
                let (x, y) = (row[a], row[b]);
                (row[a], row[b]) = (t.cos() * x - t.sin() * y, t.sin() * x + t.cos() * y);
            }
        }
        let axes = Axes::of(&turned);
        for (share, count) in [(0.5, 1), (0.05, 2), (5e-4, 4), (5e-6, 6), (1e-12, 6)] {
            assert_eq!(axes.beyond(share), count, "{share}");
        }
    }
}
