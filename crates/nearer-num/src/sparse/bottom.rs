//! The least eigenvalues of a sparse positive semidefinite matrix: Lanczos on its inverse, by its factors.

use ndarray::{Array1, Array2, Axis};

use super::{Ldlt, Ordering, Pattern};
use crate::lanczos;

/// The least eigenpairs.
#[derive(Debug, Clone)]
pub struct Bottom {
    /// Eigenvalues, least first.
    pub values: Array1<f64>,
    /// Eigenvectors in the columns.
    pub vectors: Array2<f64>,
    /// Whether all residuals are below the tolerance.
    pub converged: bool,
}

/// How a matrix is inverted where its null space is known.
#[derive(Debug, Clone, Copy)]
pub struct Inverse {
    /// What is added to the diagonal, as a share of its largest entry, and raised until the factors are definite.
    pub lift: f64,
    /// Residuals, relative to the largest eigenvalue of the inverse.
    pub tolerance: f64,
}

impl Ldlt {
    /// The `count` least eigenpairs on the vectors that `project` leaves as they are: it takes out a null space that is known.
    /// The matrix has these values in the places of the pattern. `None` if it cannot be factored or the iteration fails.
    pub fn bottom(
        &mut self,
        matrix: &[f64],
        count: usize,
        how: Inverse,
        project: impl Fn(&mut Array2<f64>),
        go_on: impl FnMut() -> bool,
    ) -> Option<Bottom> {
        let n = self.pattern().size();
        let diagonal: Vec<usize> = (0..n).filter_map(|i| self.pattern().place(i, i)).collect();
        let largest = diagonal.iter().map(|&k| matrix[k].abs()).fold(0.0, f64::max);
        let mut lift = how.lift * largest;
        loop {
            if !(lift > 0.0 && lift <= 1e3 * largest) {
                return None;
            }
            let mut lifted = matrix.to_vec();
            diagonal.iter().for_each(|&k| lifted[k] += lift);
            if self.factor(&lifted) == Ok(0) {
                break;
            }
            lift *= 30.0;
        }
        let apply = |x: &Array2<f64>| {
            let mut x = x.clone();
            project(&mut x);
            let mut columns: Vec<f64> = x.t().iter().copied().collect();
            self.solve(&mut columns);
            let solved = Array2::from_shape_vec((x.ncols(), n), columns).expect("as many numbers as went in");
            let mut solved = solved.reversed_axes();
            project(&mut solved);
            solved
        };
        let found = lanczos::largest_while(n, count, how.tolerance, apply, go_on).ok()?;
        // Where the space is used up the null space comes too, with the eigenvalue 0 of the projected inverse.
        let kept: Vec<usize> = (0..found.values.len()).filter(|&k| found.values[k] > 0.0).collect();
        if kept.is_empty() {
            return None;
        }
        let values = kept.iter().map(|&k| 1.0 / found.values[k] - lift).collect();
        Some(Bottom { values, vectors: found.vectors.select(Axis(1), &kept), converged: found.converged })
    }
}

/// A sparse symmetric matrix as a sum of small ones, each on some of the unknowns.
///
/// # Panics
/// If a part is not as large as its list of unknowns.
#[must_use]
pub fn sum_of_parts(n: usize, parts: &[(Vec<u32>, Array2<f64>)]) -> (Pattern, Vec<f64>) {
    let mut links = Vec::new();
    for (unknowns, _) in parts {
        for (a, &i) in unknowns.iter().enumerate() {
            links.extend(unknowns[..a].iter().map(|&j| (i, j)));
        }
    }
    let pattern = Pattern::of_graph(n, &links);
    let mut values = vec![0.0; pattern.len()];
    for (unknowns, part) in parts {
        assert_eq!(part.dim(), (unknowns.len(), unknowns.len()), "a row and a column for each unknown");
        for (a, &i) in unknowns.iter().enumerate() {
            for (b, &j) in unknowns[..=a].iter().enumerate() {
                let place = pattern.place(i as usize, j as usize).expect("the pair is in the pattern");
                values[place] += part[(a, b)];
            }
        }
    }
    (pattern, values)
}

/// Factors for matrices of this pattern.
pub fn analysed(pattern: Pattern) -> Option<Ldlt> {
    Ldlt::new(pattern, Ordering::MinimumDegree).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dense::eigh;

    /// A path: `2 - 2 cos(π k / n)`.
    #[test]
    fn the_least_eigenvalues_of_a_path_without_the_constant_one() {
        let n = 60;
        let link = ndarray::array![[1.0, -1.0], [-1.0, 1.0]];
        let parts: Vec<_> = (1..n as u32).map(|k| (vec![k, k - 1], link.clone())).collect();
        let (pattern, values) = sum_of_parts(n, &parts);
        let mut ldlt = analysed(pattern).unwrap();
        let centre = |x: &mut Array2<f64>| {
            let mean = x.mean_axis(Axis(0)).unwrap();
            *x -= &mean;
        };
        let how = Inverse { lift: 1e-12, tolerance: 1e-12 };
        let found = ldlt.bottom(&values, 4, how, centre, || true).unwrap();
        for k in 0..4 {
            let exact = 2.0 - 2.0 * (std::f64::consts::PI * (k + 1) as f64 / n as f64).cos();
            assert!((found.values[k] - exact).abs() < 1e-11, "{k}: {} {exact}", found.values[k]);
        }
        let mut dense = Array2::zeros((n, n));
        for j in 0..n {
            for (i, k) in ldlt.pattern().column(j) {
                dense[(i, j)] = values[k];
                dense[(j, i)] = values[k];
            }
        }
        let (_, all) = eigh(dense.view()).unwrap();
        for k in 0..4 {
            assert!((all.column(n - 2 - k).dot(&found.vectors.column(k)).abs() - 1.0).abs() < 1e-10);
        }
        assert!(found.converged);
    }
}
