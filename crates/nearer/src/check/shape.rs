//! Whether distances can be those of points: the triangle inequality, and the eigenvalues.

use ndarray::{Array2, Axis};
use nearer_num::{dense, packed, rng::Rng};

use crate::check::{Detour, Euclidean, TRIANGLES_EXACT, TRIANGLES_SAMPLED, Triangles};
use crate::error::Error;
use crate::evidence::{Bound, Distances};
use crate::geometry::Spectrum;

/// A side of a triangle may exceed the other two by this share before it counts: files are rounded.
const TRIANGLE_TOLERANCE: f64 = 1e-9;

/// Triangles with a side longer than the other two together. Bounds are no sides.
pub(super) fn triangles(d: &Distances, seed: u64) -> Triangles {
    let n = d.len();
    let exact_at = |k: usize| d.bounds().is_none_or(|b| b[k] == Bound::Exact);
    let side = |i: usize, j: usize| {
        let k = packed::index(n, i, j);
        if d.weight_at(k) > 0.0 && exact_at(k) { d.condensed()[k] } else { f64::NAN }
    };
    let mut found = Triangles { tried: 0, exact: n <= TRIANGLES_EXACT, violations: 0, worst: None };
    let mut worst: Option<(f64, [usize; 3])> = None;
    let mut look = |i: usize, j: usize, k: usize| {
        let (ij, ik, jk) = (side(i, j), side(i, k), side(j, k));
        let whole = ij + ik + jk;
        if whole.is_nan() {
            return;
        }
        found.tried += 1;
        let (longest, ends) = [(ij, [i, j, k]), (ik, [i, k, j]), (jk, [j, k, i])]
            .into_iter()
            .max_by(|a, b| a.0.total_cmp(&b.0))
            .unwrap_or((ij, [i, j, k]));
        let excess = 2.0 * longest - whole;
        if excess > TRIANGLE_TOLERANCE * longest {
            found.violations += 1;
            if worst.is_none_or(|(most, _)| excess > most) {
                worst = Some((excess, ends));
            }
        }
    };
    if n <= TRIANGLES_EXACT {
        for i in 0..n {
            for j in i + 1..n {
                for k in j + 1..n {
                    look(i, j, k);
                }
            }
        }
    } else {
        let mut rng = Rng::task(seed, 0);
        for _ in 0..TRIANGLES_SAMPLED {
            let mut t = [rng.below(n), rng.below(n), rng.below(n)];
            t.sort_unstable();
            if t[0] < t[1] && t[1] < t[2] {
                look(t[0], t[1], t[2]);
            }
        }
    }
    let label = |k: usize| d.objects().labels()[k].clone();
    found.worst = worst.map(|(excess, [a, b, over])| {
        let direct = side(a.min(b), a.max(b));
        Detour { between: [label(a), label(b)], direct, through: label(over), detour: direct - excess }
    });
    found
}

/// The eigenvalues of `-½ J D² J`.
pub(super) fn euclidean(d: &Distances) -> Result<Euclidean, Error> {
    let n = d.len();
    let mut b = Array2::zeros((n, n));
    for (k, v) in d.condensed().iter().enumerate() {
        let (i, j) = packed::pair(n, k);
        b[(i, j)] = -0.5 * v * v;
        b[(j, i)] = -0.5 * v * v;
    }
    let means = b.mean_axis(Axis(1)).unwrap_or_default();
    let mean = means.mean().unwrap_or_default();
    for ((i, j), v) in b.indexed_iter_mut() {
        *v += mean - means[i] - means[j];
    }
    let values =
        dense::eigvalsh(b.view()).map_err(|_| Error::Numerical { what: "the eigenvalues of the distances".into() })?;
    let largest = values.first().copied().unwrap_or_default();
    let spectrum = Spectrum::complete(values.to_vec());
    let negative = spectrum.negative.unwrap_or_default();
    Ok(Euclidean {
        holds: negative == 0,
        negative,
        least_share: if largest > 0.0 { spectrum.least.unwrap_or_default() / largest } else { 0.0 },
        dims95: spectrum.dims95.unwrap_or_default(),
    })
}
