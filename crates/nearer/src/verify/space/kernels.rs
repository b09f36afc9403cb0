//! The maps that kernels span: for each kernel an orthonormal basis of its widest directions, made of the evidence alone.

use ndarray::Array2;

use super::factors::{Columns, Singular, centred, columns_of, combined, matrix_of, orthonormal, rotated, singular};
use super::{Made, Which};
use crate::evidence::Kernels;
use crate::verify::limits::Limits;
use crate::verify::rounding::product;

/// Directions of a kernel that is not linear in features are in the question from this share of the widest on, as singular values: a
/// billionth of its variance.
const SMOOTH: f64 = 3.162_277_660_168_379e-5;
/// What is below this share of the widest is rounding, and no direction.
const ROUNDING: f64 = 1e-13;
/// So near the cut, a direction may be in the question or not: the file says how many there are.
const NEAR_THE_CUT: f64 = 1e-6;

/// One kernel of the question: orthonormal directions, and what a map along them is charged for each unit of its trace weight.
pub(super) struct Own {
    pub(super) directions: Columns,
    pub(super) charge: Array2<f64>,
    /// `W` and `σ` with `charge = W σ² Wᵗ`, where they are known better than the charge tells them: of features in units far apart.
    components: Option<(Columns, Vec<f64>)>,
    /// How many directions the question has, where rounding leaves a choice.
    pub(super) fewest: usize,
    pub(super) most: usize,
    /// How many there can be.
    pub(super) possible: usize,
}

/// The directions of the k-th kernel that the columns of these objects span.
pub(super) fn own(kernels: &Kernels, k: usize, objects: &[usize], limits: &Limits<'_>) -> Own {
    let n = kernels.objects().len();
    match kernels.functions().linear(k) {
        Some(features) if objects.len() == n => linear(&features.values, features.size, limits),
        Some(_) => columns(kernels.matrix(k), objects, ROUNDING, limits),
        None => columns(kernels.matrix(k), objects, SMOOTH, limits),
    }
}

/// With `H K_r = U s Vᵗ`: the directions `U` above the cut, and `(V/s)ᵗ K_rr (V/s)`.
fn columns(kernel: &Array2<f64>, objects: &[usize], cut: f64, limits: &Limits<'_>) -> Own {
    let n = kernel.nrows();
    let part: Columns = objects.iter().map(|j| (0..n).map(|i| kernel[(i, *j)]).collect()).collect();
    let Singular { left, sizes, right } = singular(&centred(part), cut * (1.0 - NEAR_THE_CUT), limits);
    let above = |share: f64| sizes.iter().filter(|s| **s > share * sizes[0]).count();
    let lift: Columns = right.iter().zip(&sizes).map(|(v, s)| v.iter().map(|v| v / s).collect()).collect();
    let among: Columns = objects.iter().map(|j| objects.iter().map(|i| kernel[(*i, *j)]).collect()).collect();
    let lifted: Columns = lift.iter().map(|l| combined(&among, l, objects.len())).collect();
    let one = |a: usize, b: usize| 0.5 * (product(&lift[a], &lifted[b]).0 + product(&lift[b], &lifted[a]).0);
    Own {
        charge: Array2::from_shape_fn((left.len(), left.len()), |(a, b)| one(a, b)),
        components: None,
        fewest: above(cut * (1.0 + NEAR_THE_CUT)),
        most: left.len(),
        possible: objects.len().min(n - 1),
        directions: left,
    }
}

/// Those of features, each divided by its own length first so that no unit makes one disappear, and the least inner product of
/// weights on the features that makes a map along them: `size (Φᵗ X Xᵗ Φ)⁻¹`.
fn linear(features: &Array2<f64>, size: f64, limits: &Limits<'_>) -> Own {
    let n = features.nrows();
    let plain = centred(columns_of(features));
    let mut varying: Columns = Vec::new();
    let mut scaled: Columns = Vec::new();
    for (column, given) in plain.into_iter().zip(features.columns()) {
        let most = given.iter().fold(0.0, |m: f64, v| m.max(v.abs()));
        let length = product(&column, &column).0.sqrt();
        // A feature that varies by less than its own rounding does not vary.
        if length > ROUNDING * most {
            scaled.push(column.iter().map(|v| v / length).collect());
            varying.push(column);
        }
    }
    let Singular { left, sizes, .. } = singular(&scaled, ROUNDING * (1.0 - NEAR_THE_CUT), limits);
    let fewest = sizes.iter().filter(|s| **s > ROUNDING * (1.0 + NEAR_THE_CUT) * sizes[0]).count();
    // A column for each direction, a row for each feature.
    let along: Columns = left.iter().map(|u| varying.iter().map(|x| product(u, x).0).collect()).collect();
    let Singular { sizes: reach, right, .. } = rotated(along, limits);
    let one = |a: usize, b: usize| size * reach.iter().zip(&right).map(|(t, w)| w[a] / t * (w[b] / t)).sum::<f64>();
    Own {
        charge: Array2::from_shape_fn((left.len(), left.len()), |(a, b)| one(a, b)),
        components: Some((right.clone(), reach.iter().map(|t| size.sqrt() / t).collect())),
        fewest,
        most: left.len(),
        possible: varying.len().min(n - 1),
        directions: left,
    }
}

impl Own {
    /// Whether these are all the directions there can be.
    fn which(&self, count: usize) -> Which {
        if count >= self.possible { Which::All } else { Which::Widest { of: self.possible } }
    }
    fn fits(&self, count: usize) -> bool {
        (self.fewest..=self.most).contains(&count)
    }
    /// Orthonormal directions, charged so many times their trace.
    pub(super) fn orthonormal(&self, count: usize, trace: f64) -> Option<Made> {
        if self.fits(count) { self.leading(count, trace) } else { None }
    }
    /// The same for fewer of them.
    fn leading(&self, count: usize, trace: f64) -> Option<Made> {
        let n = self.directions.first()?.len();
        let kept = self.directions[..count].to_vec();
        let charge = self.charge.slice(ndarray::s![..count, ..count]).mapv(|v| trace * v);
        let basis = matrix_of(&kept, n);
        Some(Made { inverse: basis.clone(), basis, charge: (trace > 0.0).then_some(charge), which: self.which(count) })
    }
    /// The same directions turned and scaled so that the charge is the identity: principal components.
    pub(super) fn principal(&self, count: usize, limits: &Limits<'_>) -> Option<Made> {
        if !self.fits(count) {
            return None;
        }
        let n = self.directions.first()?.len();
        let (left, sizes) = match &self.components {
            Some((w, sizes)) if sizes.len() == count => (w.clone(), sizes.clone()),
            _ => {
                // `P = C Cᵗ`, and `C = W σ …` by rotations of the columns of `C`.
                let Singular { left, sizes, .. } = rotated(cholesky(&self.charge, count)?, limits);
                (left, sizes)
            }
        };
        let (mut basis, mut inverse) = (Vec::new(), Vec::new());
        for (w, s) in left.iter().zip(&sizes) {
            let axis = combined(&self.directions, w, n);
            basis.push(axis.iter().map(|v| v / s).collect());
            inverse.push(axis.iter().map(|v| v * s).collect());
        }
        let good = sizes.iter().all(|s| *s > 0.0 && s.is_finite());
        good.then(|| Made {
            basis: matrix_of(&basis, n),
            inverse: matrix_of(&inverse, n),
            charge: Some(Array2::eye(count)),
            which: self.which(count),
        })
    }
}

/// The columns of `C` with `C Cᵗ = p`.
fn cholesky(p: &Array2<f64>, count: usize) -> Option<Columns> {
    let mut c: Columns = vec![vec![0.0; count]; count];
    for j in 0..count {
        for i in j..count {
            let known: f64 = (0..j).map(|k| c[k][i] * c[k][j]).sum();
            let rest = p[(i, j)] - known;
            c[j][i] = if i == j { rest.sqrt() } else { rest / c[j][j] };
        }
        if !(c[j][j] > 0.0 && c[j][j].is_finite()) {
            return None;
        }
    }
    Some(c)
}

/// One basis for the leading directions of all kernels together; `count` is how many the file has of a kernel alone.
pub(super) fn together(kernels: &Kernels, each: usize, count: usize, limits: &Limits<'_>) -> Option<Made> {
    /// What is below this share of the longest adds nothing to the others.
    const NEW: f64 = 1e-10;
    let n = kernels.objects().len();
    let objects: Vec<usize> = (0..n).collect();
    if kernels.len() == 1 {
        let own = own(kernels, 0, &objects, limits);
        return (own.fewest.min(each)..=own.most.min(each)).contains(&count).then(|| own.leading(count, 0.0)).flatten();
    }
    let (mut all, mut whole, mut possible): (Columns, bool, usize) = (Vec::new(), true, 0);
    for k in 0..kernels.len() {
        let own = own(kernels, k, &objects, limits);
        whole &= own.most.min(each) >= own.possible;
        possible += own.possible;
        all.extend(own.directions.into_iter().take(each));
    }
    let basis = orthonormal(all, NEW, limits);
    let possible = possible.min(n - 1);
    let which = if whole || basis.len() == n - 1 { Which::All } else { Which::Widest { of: possible } };
    let basis = matrix_of(&basis, n);
    Some(Made { inverse: basis.clone(), basis, charge: None, which })
}
