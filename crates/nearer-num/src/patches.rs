//! What a few vectors say about a function on them: small matrices whose sum has the functions that are linear on every patch
//! in its null space.
//!
//! A patch is given by the inner products of its vectors. Each form gives a positive semidefinite matrix on the values `f` of a
//! function at the vectors, zero where `f` is constant.

use ndarray::{Array1, Array2, Axis, concatenate, s};

use crate::dense::{DidNotConverge, eigh};
use crate::least_squares;

/// The weights, summing to 1, with the least `wᵗ G w`, where `G` has `ridge` times its trace added to its diagonal.
#[must_use]
pub fn sum_to_one(gram: &Array2<f64>, ridge: f64) -> Vec<f64> {
    let k = gram.nrows();
    let trace = gram.diag().sum();
    let ridge = if trace > 0.0 { ridge * trace } else { 1.0 };
    let weights = least_squares::solve_spd(gram.clone(), &Array1::ones(k), ridge);
    let total = weights.sum();
    if total.abs() > 1e-12 && weights.iter().all(|w| w.is_finite()) {
        weights.iter().map(|w| w / total).collect()
    } else {
        vec![1.0 / k as f64; k]
    }
}

/// Inner products about the mean of the vectors.
fn centred(gram: &Array2<f64>) -> Array2<f64> {
    let means = gram.mean_axis(Axis(0)).unwrap_or_default();
    let all = means.mean().unwrap_or_default();
    Array2::from_shape_fn(gram.dim(), |(a, b)| gram[(a, b)] - means[a] - means[b] + all)
}

/// `|f_0 - Σ w_a f_a|²` with the weights of [`sum_to_one`]; `gram` is about the first vector, which it leaves out, so the matrix
/// has one row more.
#[must_use]
pub fn reconstructed(gram: &Array2<f64>, ridge: f64) -> Array2<f64> {
    let row: Array1<f64> = std::iter::once(1.0).chain(sum_to_one(gram, ridge).into_iter().map(|w| -w)).collect();
    outer(&row)
}

fn outer(row: &Array1<f64>) -> Array2<f64> {
    Array2::from_shape_fn((row.len(), row.len()), |(a, b)| row[a] * row[b])
}

/// What is left of `f` when its best linear approximation in `dim` dimensions is taken away: `I - U Uᵗ`, `U` the constant vector
/// and the leading eigenvectors of the centred products.
pub fn aligned(gram: &Array2<f64>, dim: usize) -> Result<Array2<f64>, DidNotConverge> {
    let k = gram.nrows();
    let (_, vectors) = eigh(centred(gram).view())?;
    let constant = Array2::from_elem((k, 1), 1.0 / (k as f64).sqrt());
    let u = concatenate![Axis(1), constant, vectors.slice(s![.., ..dim.min(k)])];
    Ok(Array2::eye(k) - u.dot(&u.t()))
}

/// The squared second derivatives of `f` in `dim` dimensions, by least squares on the coordinates of the patch and their
/// products. The patch must have `1 + dim + dim (dim + 1) / 2` vectors or more.
pub fn curvature(gram: &Array2<f64>, dim: usize) -> Result<Array2<f64>, DidNotConverge> {
    let (k, products) = (gram.nrows(), dim * (dim + 1) / 2);
    let (_, vectors) = eigh(centred(gram).view())?;
    let mut terms = Array2::ones((k, 1 + dim + products));
    terms.slice_mut(s![.., 1..=dim]).assign(&vectors.slice(s![.., ..dim]));
    let mut column = 1 + dim;
    for a in 0..dim {
        for b in a..dim {
            let product = &vectors.column(a) * &vectors.column(b);
            terms.column_mut(column).assign(&product);
            column += 1;
        }
    }
    let q = orthonormal(&terms);
    let mut w = q.slice(s![.., 1 + dim..]).to_owned();
    // Each product in the units of its own sum, where that is not zero.
    for mut c in w.columns_mut() {
        let sum = c.sum();
        c /= if sum.abs() < 1e-4 { 1.0 } else { sum };
    }
    Ok(w.dot(&w.t()))
}

/// The columns made orthonormal one after another (Gram and Schmidt, twice).
fn orthonormal(columns: &Array2<f64>) -> Array2<f64> {
    let mut q = columns.clone();
    for k in 0..q.ncols() {
        let mut v = q.column(k).to_owned();
        for _ in 0..2 {
            let before = q.slice(s![.., ..k]);
            v = &v - &before.dot(&before.t().dot(&v));
        }
        let length = v.dot(&v).sqrt();
        q.column_mut(k).assign(&if length > 0.0 { v / length } else { v });
    }
    q
}

/// One patch of [`modified`]: the spectrum of its products, and its weights.
struct Spread {
    values: Array1<f64>,
    vectors: Array2<f64>,
    weights: Array1<f64>,
    /// What lies outside `dim` dimensions over what lies inside.
    ratio: f64,
}

/// Several linearly independent ways to reconstruct a vector, as many as the patch has directions beyond `dim` (Zhang and
/// Wang 2007, as scikit-learn has it).
pub fn modified(grams: &[Array2<f64>], dim: usize, ridge: f64) -> Result<Vec<Array2<f64>>, DidNotConverge> {
    let mut all = Vec::with_capacity(grams.len());
    for gram in grams {
        let k = gram.nrows();
        let (values, vectors) = eigh(gram.view())?;
        let values = values.mapv(|v| v.max(0.0));
        // The weights of the ridged products, of unit sum.
        let add = ridge * values.sum();
        let ones = vectors.t().dot(&Array1::ones(k));
        let mut weights = vectors.dot(&(&ones / &values.mapv(|v| v + if add > 0.0 { add } else { ridge })));
        weights /= weights.sum();
        let (inside, outside) = (values.slice(s![..dim.min(k)]).sum(), values.slice(s![dim.min(k)..]).sum());
        all.push(Spread { values, vectors, weights, ratio: outside / inside.max(f64::MIN_POSITIVE) });
    }
    let mut ratios: Vec<f64> = all.iter().map(|p| p.ratio).collect();
    ratios.sort_by(f64::total_cmp);
    let half = ratios.len() / 2;
    let median = if ratios.len() % 2 == 1 { ratios[half] } else { 0.5 * (ratios[half - 1] + ratios[half]) };
    Ok(all.iter().map(|p| ways(p, median)).collect())
}

/// Columns that each reconstruct the vector: `V - (V 1 - s) hᵗ` turned so that they are nearly orthogonal, with the vector itself as
/// the first row.
fn ways(p: &Spread, median: f64) -> Array2<f64> {
    let k = p.values.len();
    // As many as leave no more than the median share outside.
    let total: f64 = p.values.sum();
    let mut count = 0;
    let mut outside = 0.0;
    for l in 1..k {
        outside += p.values[k - l];
        if outside / (total - outside).max(f64::MIN_POSITIVE) >= median {
            break;
        }
        count = l;
    }
    let count = count.max(1).min(k);
    let v = p.vectors.slice(s![.., k - count..]).to_owned();
    let sums = v.sum_axis(Axis(0));
    let alpha = sums.dot(&sums).sqrt() / (count as f64).sqrt();
    // A reflection that makes all sums equal.
    let mut h = Array1::from_elem(count, alpha) - &sums;
    let length = h.dot(&h).sqrt();
    h = if length < TINY { Array1::zeros(count) } else { h / length };
    let turned = &v - &outer_of(&(v.dot(&h) * 2.0), &h);
    let mut w = turned;
    for mut column in w.columns_mut() {
        column.zip_mut_with(&p.weights, |w, s| *w += (1.0 - alpha) * s);
    }
    // f_0 - Σ w f in each column.
    let rows = concatenate![Axis(0), Array2::from_elem((1, count), -1.0), w];
    rows.dot(&rows.t())
}

/// A reflection vector shorter than this is none.
const TINY: f64 = 1e-13;

fn outer_of(a: &Array1<f64>, b: &Array1<f64>) -> Array2<f64> {
    Array2::from_shape_fn((a.len(), b.len()), |(i, j)| a[i] * b[j])
}

/// The number of vectors that [`curvature`] needs.
#[must_use]
pub fn for_curvature(dim: usize) -> usize {
    1 + dim + dim * (dim + 1) / 2
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dense::{Svd, svd};
    use crate::rng::Rng;

    /// A patch of a plane in five dimensions: functions that are linear on the plane cost nothing, others do.
    #[test]
    fn linear_functions_cost_nothing() {
        let mut rng = Rng::task(1, 1);
        let plane = Array2::from_shape_fn((12, 2), |_| rng.normal());
        let x = plane.dot(&Array2::from_shape_fn((2, 5), |_| rng.normal()));
        let about_first = {
            let y = &x.slice(s![1.., ..]) - &x.row(0);
            y.dot(&y.t())
        };
        let gram = x.dot(&x.t());
        let linear = plane.column(0).mapv(|v| 3.0 * v + 2.0) - plane.column(1);
        let bent = plane.column(0).mapv(|v| v * v);
        let cost = |m: &Array2<f64>, f: &Array1<f64>| f.dot(&m.dot(f));
        let modified = modified(std::slice::from_ref(&about_first), 2, 1e-9).unwrap().remove(0);
        let reconstructed = reconstructed(&about_first, 1e-9);
        for m in [aligned(&gram, 2).unwrap(), curvature(&gram, 2).unwrap(), modified, reconstructed] {
            assert!(cost(&m, &linear).abs() < 1e-8, "{}", cost(&m, &linear));
            assert!(cost(&m, &Array1::ones(12)).abs() < 1e-10);
            assert!(cost(&m, &bent) > 1e-6);
        }
    }

    #[test]
    fn equal_vectors_get_equal_weights() {
        assert_eq!(sum_to_one(&Array2::zeros((4, 4)), 1e-3), vec![0.25; 4]);
    }

    #[test]
    fn singular_values_are_not_needed() {
        // `svd` of centred rows and `eigh` of their products span the same plane.
        let mut rng = Rng::task(2, 1);
        let x = Array2::from_shape_fn((9, 4), |_| rng.normal());
        let mean = x.mean_axis(Axis(0)).unwrap();
        let Svd { u, .. } = svd((&x - &mean).view()).unwrap();
        let u = concatenate![Axis(1), Array2::from_elem((9, 1), 1.0 / 3.0), u.slice(s![.., ..2])];
        let expected = Array2::<f64>::eye(9) - u.dot(&u.t());
        let got = aligned(&x.dot(&x.t()), 2).unwrap();
        assert!((got - expected).iter().all(|e| e.abs() < 1e-10));
    }
}
