//! Hinges over triples: row `i` should be nearer to its partner `j` than to any row of another group, by a margin of squared
//! distance. By blocks of rows: no square of all pairs is kept.

use ndarray::{Array2, ArrayView2, s};

use crate::par;
use crate::softmin::{ALONE, distances};

/// Rows that one piece works on.
const PIECE: usize = 128;

/// What one pass finds.
#[derive(Debug, Clone)]
pub struct Pass {
    /// `Σ h(margin + d²(i, j) - d²(i, l))` over partners and rows of other groups.
    pub value: f64,
    /// `Λ Y` for the Laplacian of the derivatives by squared distances: half the derivative in `Y`.
    pub moved: Array2<f64>,
    /// The triples that the value depends on: the number of the partner pair, the other row, and the derivative of `h`, in `(0, 1]`.
    pub active: Vec<(u32, u32, f64)>,
}

/// A hinge that is rounded off over this width: `h(r) = r²/(2 width)` up to it, `r - width/2` beyond. Zero is the hinge itself.
#[inline]
fn hinge(r: f64, width: f64) -> (f64, f64) {
    if r < width { (0.5 * r * r / width, r / width) } else { (r - 0.5 * width, 1.0) }
}

/// One pass over all triples. `partners` are sorted by their first row; rows of [`ALONE`] are of no group and no other.
#[must_use]
pub fn pass(y: ArrayView2<'_, f64>, group: &[u32], partners: &[(u32, u32)], margin: f64, width: f64) -> Pass {
    let y = y.as_standard_layout();
    let squares: Vec<f64> = y.rows().into_iter().map(|row| row.dot(&row)).collect();
    let blocks = par::ranges(y.nrows(), PIECE);
    let found = par::map(blocks.len(), |b| {
        let block = blocks[b].clone();
        let first = partners.partition_point(|p| (p.0 as usize) < block.start);
        let last = partners.partition_point(|p| (p.0 as usize) < block.end);
        if first == last {
            return (0.0, Vec::new());
        }
        let d = distances(y.view(), &squares, block.clone());
        let (mut value, mut active) = (0.0, Vec::new());
        for t in first..last {
            let (i, j) = partners[t];
            let row = d.row(i as usize - block.start);
            let row = row.as_slice().expect("in rows");
            let far = margin + row[j as usize];
            let own = group[i as usize];
            for (l, (v, g)) in row.iter().zip(group).enumerate() {
                if *v < far && *g != own && *g != ALONE {
                    let (h, slope) = hinge(far - v, width);
                    value += h;
                    active.push((t as u32, l as u32, slope));
                }
            }
        }
        (value, active)
    });
    let mut moved = Array2::zeros(y.dim());
    let mut all = Vec::with_capacity(found.iter().map(|f| f.1.len()).sum());
    let mut value = 0.0;
    for (part, active) in found {
        value += part;
        all.extend(active);
    }
    let mut pull = vec![0.0; partners.len()];
    for &(t, l, a) in &all {
        pull[t as usize] += a;
        push(&mut moved, y.view(), partners[t as usize].0, l, -a);
    }
    for (&(i, j), a) in partners.iter().zip(&pull).filter(|(_, a)| **a > 0.0) {
        push(&mut moved, y.view(), i, j, *a);
    }
    Pass { value, moved, active: all }
}

/// Adds a weight between two rows to a Laplacian times the rows.
fn push(moved: &mut Array2<f64>, y: ArrayView2<'_, f64>, i: u32, j: u32, w: f64) {
    let (i, j) = (i as usize, j as usize);
    let r = y.ncols();
    let (a, b) = (&y.as_slice().expect("in rows")[i * r..][..r], &y.as_slice().expect("in rows")[j * r..][..r]);
    let out = moved.as_slice_mut().expect("in rows");
    for k in 0..r {
        let step = w * (a[k] - b[k]);
        out[i * r + k] += step;
        out[j * r + k] -= step;
    }
}

/// The same over listed triples `(near pair, far pair, weight, margin)`.
#[must_use]
pub fn listed(y: ArrayView2<'_, f64>, rows: &[([u32; 2], [u32; 2], f64, f64)], width: f64) -> Pass {
    let y = y.as_standard_layout();
    let d = |p: [u32; 2]| {
        crate::vectors::square_distance(
            y.row(p[0] as usize).as_slice().expect("in rows"),
            y.row(p[1] as usize).as_slice().expect("in rows"),
        )
    };
    let mut moved = Array2::zeros(y.dim());
    let (mut value, mut active) = (0.0, Vec::new());
    for (k, (near, far, weight, margin)) in rows.iter().enumerate() {
        let r = margin + d(*near) - d(*far);
        if r > 0.0 {
            let (h, slope) = hinge(r, width);
            value += weight * h;
            active.push((k as u32, 0, slope));
            push(&mut moved, y.view(), near[0], near[1], weight * slope);
            push(&mut moved, y.view(), far[0], far[1], -weight * slope);
        }
    }
    Pass { value, moved, active }
}

/// `Σ w |y_i - y_j|` over pairs with weights, and `Λ Y` for the Laplacian of `w / |y_i - y_j|`: the derivative in `Y`. Pairs in one
/// place have none.
#[must_use]
pub fn lengths(y: ArrayView2<'_, f64>, pairs: &[(u32, u32, f64)]) -> (f64, Array2<f64>) {
    let y = y.as_standard_layout();
    let mut moved = Array2::zeros(y.dim());
    let mut sum = 0.0;
    for &(i, j, w) in pairs {
        let (a, b) = (y.row(i as usize), y.row(j as usize));
        let (a, b) = (a.as_slice().expect("in rows"), b.as_slice().expect("in rows"));
        let length = crate::vectors::square_distance(a, b).sqrt();
        sum += w * length;
        if length > 0.0 {
            push(&mut moved, y.view(), i, j, w / length);
        }
    }
    (sum, moved)
}

/// `Σ w (x_i - x_j)(x_i - x_j)ᵗ` over pairs with weights.
#[must_use]
pub fn scatter(x: ArrayView2<'_, f64>, pairs: impl IntoIterator<Item = (u32, u32, f64)>) -> Array2<f64> {
    // Through the Laplacian: Xᵗ (Λ X), one row of Λ X at a time as pairs come.
    let mut moved = Array2::zeros(x.dim());
    let x = x.as_standard_layout();
    for (i, j, w) in pairs {
        push(&mut moved, x.view(), i, j, w);
    }
    let mut out = Array2::zeros((x.ncols(), x.ncols()));
    crate::gemm::into(x.t(), moved.view(), out.view_mut());
    // The same number on both sides of the diagonal.
    let turned = out.t().to_owned();
    out.zip_mut_with(&turned, |a, b| *a = 0.5 * (*a + b));
    out
}

/// The `k` nearest rows of the same group to each row, in order of row; ties by number. Rows with fewer take what there are.
#[must_use]
pub fn partners(x: ArrayView2<'_, f64>, group: &[u32], k: usize) -> Vec<(u32, u32)> {
    let x = x.as_standard_layout();
    let one = |i: usize| {
        let own = x.row(i);
        let mut near: Vec<(f64, u32)> = (0..group.len())
            .filter(|j| *j != i && group[i] != ALONE && group[*j] == group[i])
            .map(|j| {
                (
                    crate::vectors::square_distance(
                        own.as_slice().expect("in rows"),
                        x.slice(s![j, ..]).as_slice().expect("in rows"),
                    ),
                    j as u32,
                )
            })
            .collect();
        near.sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        near.into_iter().take(k).map(|(_, j)| (i as u32, j)).collect::<Vec<_>>()
    };
    par::map(group.len(), one).into_iter().flatten().collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::Rng;

    fn plain(y: &Array2<f64>, group: &[u32], partners: &[(u32, u32)], width: f64) -> f64 {
        let d = |i: usize, j: usize| (&y.row(i) - &y.row(j)).mapv(|v| v * v).sum();
        let mut sum = 0.0;
        for &(i, j) in partners {
            for l in (0..y.nrows()).filter(|l| group[*l] != group[i as usize] && group[*l] != ALONE) {
                let r: f64 = 1.0 + d(i as usize, j as usize) - d(i as usize, l);
                if r > 0.0 {
                    sum += hinge(r, width).0;
                }
            }
        }
        sum
    }

    #[test]
    fn value_and_derivative_are_those_of_the_formula() {
        let mut rng = Rng::task(2, 0);
        let y = Array2::from_shape_simple_fn((140, 3), || rng.normal());
        let group: Vec<u32> = (0..140).map(|i| if i == 5 { ALONE } else { i % 3 }).collect();
        let partners = partners(y.view(), &group, 2);
        assert_eq!(partners.len(), 2 * 139);
        for width in [0.3, 1e-9] {
            let found = pass(y.view(), &group, &partners, 1.0, width);
            assert!((found.value - plain(&y, &group, &partners, width)).abs() < 1e-9 * found.value);
            let two = par::install(2, || pass(y.view(), &group, &partners, 1.0, width));
            assert_eq!((two.value, two.moved), (found.value, found.moved.clone()));
        }
        let found = pass(y.view(), &group, &partners, 1.0, 0.3);
        for (i, k) in [(0, 1), (77, 2)] {
            let at = |h: f64| {
                let mut moved = y.clone();
                moved[(i, k)] += h;
                plain(&moved, &group, &partners, 0.3)
            };
            let slope = (at(1e-6) - at(-1e-6)) / 2e-6;
            assert!((2.0 * found.moved[(i, k)] - slope).abs() < 1e-5 * slope.abs().max(1.0));
        }
        // Listed one by one they are the same.
        let rows: Vec<_> = partners
            .iter()
            .flat_map(|&(i, j)| {
                let other = |l: &u32| group[*l as usize] != group[i as usize] && group[*l as usize] != ALONE;
                (0..140u32).filter(other).map(move |l| ([i, j], [i, l], 1.0, 1.0)).collect::<Vec<_>>()
            })
            .collect();
        let one_by_one = listed(y.view(), &rows, 0.3);
        assert!((one_by_one.value - found.value).abs() < 1e-9 * found.value);
        assert!((&one_by_one.moved - &found.moved).iter().all(|v| v.abs() < 1e-9));
    }

    #[test]
    fn scatter_is_the_sum_of_outer_products() {
        let x = ndarray::array![[0.0, 1.0], [2.0, 0.0], [1.0, 5.0]];
        let found = scatter(x.view(), [(0, 1, 1.0), (1, 2, 0.5)]);
        assert_eq!(found, ndarray::array![[4.5, -4.5], [-4.5, 13.5]]);
    }
}
