//! Hinges over triples: row `i` should be nearer to its partner `j` than to any row of another group, by a margin of squared
//! distance. By blocks of rows: no square of all pairs is kept.

mod shortlist;
mod strips;

use ndarray::{Array2, ArrayView2, s};

use crate::par;
use crate::simd::{self, Kernel};
use crate::softmin::ALONE;
use crate::vectors::square_distance;
pub use shortlist::Shortlist;
pub use strips::{open, pass};

/// Rows that one piece works on.
const PIECE: usize = 128;
/// Pieces are gone through in so many lanes at once, each with sums of its own.
const LANES: usize = 4;

/// What one pass finds.
#[derive(Debug, Clone)]
pub struct Pass {
    /// `Σ h(margin + d²(i, j) - d²(i, l))` over partners and rows of other groups.
    pub value: f64,
    /// `Λ Y` for the Laplacian of the derivatives by squared distances: half the derivative in `Y`.
    pub moved: Array2<f64>,
}

/// The triples that a value depends on: the number of the partner pair, the other row, and the derivative of `h`, in `(0, 1]`.
pub type Open = Vec<(u32, u32, f64)>;

/// A hinge that is rounded off over this width: `h(r) = r²/(2 width)` up to it, `r - width/2` beyond. Zero is the hinge itself.
#[inline(always)]
fn hinge(r: f64, width: f64) -> (f64, f64) {
    if r < width { (0.5 * r * r / width, r / width) } else { (r - 0.5 * width, 1.0) }
}

/// Which partners are those of a row.
fn of_row(partners: &[(u32, u32)], i: usize) -> std::ops::Range<usize> {
    partners.partition_point(|p| (p.0 as usize) < i)..partners.partition_point(|p| p.0 as usize <= i)
}

/// Adds a weight between two rows of `r` numbers to a Laplacian times the rows.
#[inline(always)]
fn push(moved: &mut [f64], y: &[f64], r: usize, i: u32, j: u32, w: f64) {
    let (one, other) = (i.min(j) as usize, i.max(j) as usize);
    if one == other {
        return;
    }
    let (a, b) = (&y[one * r..][..r], &y[other * r..][..r]);
    // Two rows apart from each other, so that the loop is compiled for whole vectors.
    let (first, last) = moved.split_at_mut(other * r);
    let both = first[one * r..][..r].iter_mut().zip(&mut last[..r]);
    for ((up, down), (a, b)) in both.zip(a.iter().zip(b)) {
        let step = w * (a - b);
        *up += step;
        *down -= step;
    }
}

/// Weights between rows of `r` numbers, one after another.
struct Pushes<'a, I> {
    moved: &'a mut [f64],
    y: &'a [f64],
    r: usize,
    pairs: I,
}

impl<I: Iterator<Item = (u32, u32, f64)>> Kernel for Pushes<'_, I> {
    #[inline(always)]
    fn run(self) {
        for (i, j, w) in self.pairs {
            push(self.moved, self.y, self.r, i, j, w);
        }
    }
}

/// The same over listed triples `(near pair, far pair, weight, margin)`, and those of them that are open by their numbers.
#[must_use]
pub fn listed(y: ArrayView2<'_, f64>, rows: &[([u32; 2], [u32; 2], f64, f64)], width: f64) -> (Pass, Open) {
    let y = y.as_standard_layout();
    let (r, flat) = (y.ncols(), y.as_slice().expect("in rows"));
    let d = |p: [u32; 2]| square_distance(&flat[p[0] as usize * r..][..r], &flat[p[1] as usize * r..][..r]);
    let mut moved = Array2::zeros(y.dim());
    let out = moved.as_slice_mut().expect("in rows");
    let (mut value, mut open) = (0.0, Vec::new());
    for (k, (near, far, weight, margin)) in rows.iter().enumerate() {
        let reach = margin + d(*near) - d(*far);
        if reach > 0.0 {
            let (h, slope) = hinge(reach, width);
            value += weight * h;
            open.push((k as u32, 0, slope));
            push(out, flat, r, near[0], near[1], weight * slope);
            push(out, flat, r, far[0], far[1], -weight * slope);
        }
    }
    (Pass { value, moved }, open)
}

/// `Σ f(d²)` over pairs, and `Λ Y` for the Laplacian of the derivatives of `f`: half the derivative in `Y`. `f` takes the number of
/// the pair and its squared distance, and gives its value and derivative.
#[must_use]
pub fn over(
    y: ArrayView2<'_, f64>,
    pairs: impl IntoIterator<Item = (u32, u32)>,
    f: impl Fn(usize, f64) -> (f64, f64),
) -> (f64, Array2<f64>) {
    let y = y.as_standard_layout();
    let (r, flat) = (y.ncols(), y.as_slice().expect("in rows"));
    let mut moved = Array2::zeros(y.dim());
    let out = moved.as_slice_mut().expect("in rows");
    let mut sum = 0.0;
    for (k, (i, j)) in pairs.into_iter().enumerate() {
        let (a, b) = (&flat[i as usize * r..][..r], &flat[j as usize * r..][..r]);
        let (value, slope) = f(k, square_distance(a, b));
        sum += value;
        if slope != 0.0 {
            push(out, flat, r, i, j, slope);
        }
    }
    (sum, moved)
}

/// `Σ w |y_i - y_j|` over pairs with weights, and `Λ Y` for the Laplacian of `w / |y_i - y_j|`: the derivative in `Y`. Pairs in one
/// place have none.
#[must_use]
pub fn lengths(y: ArrayView2<'_, f64>, pairs: &[(u32, u32, f64)]) -> (f64, Array2<f64>) {
    over(y, pairs.iter().map(|p| (p.0, p.1)), |k, square| {
        let (length, w) = (square.sqrt(), pairs[k].2);
        (w * length, if length > 0.0 { w / length } else { 0.0 })
    })
}

/// `Σ w (x_i - x_j)(x_i - x_j)ᵗ` over pairs with weights.
#[must_use]
pub fn scatter(x: ArrayView2<'_, f64>, pairs: impl IntoIterator<Item = (u32, u32, f64)>) -> Array2<f64> {
    // Through the Laplacian: Xᵗ (Λ X), one row of Λ X at a time as pairs come.
    let mut moved = Array2::zeros(x.dim());
    let x = x.as_standard_layout();
    let (out, y) = (moved.as_slice_mut().expect("in rows"), x.as_slice().expect("in rows"));
    simd::run(Pushes { moved: out, y, r: x.ncols(), pairs: pairs.into_iter() });
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
                    square_distance(own.as_slice().expect("in rows"), x.slice(s![j, ..]).as_slice().expect("in rows")),
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
            // Of a list that reaches far enough it is the same.
            let list = Shortlist::of(y.view(), &group, &partners, 1.0 + 1e-6);
            assert!(list.covers(y.view(), &partners, 1.0) && !list.covers((&y * 0.5).view(), &partners, 1.0));
            assert!(list.len() < 140 * 90 && !list.is_empty());
            let short = list.pass(y.view(), &partners, 1.0, width);
            assert!((short.value - found.value).abs() < 1e-9 * found.value);
            assert!((&short.moved - &found.moved).iter().all(|v| v.abs() < 1e-9));
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
        let (one_by_one, open_rows) = listed(y.view(), &rows, 0.3);
        assert!((one_by_one.value - found.value).abs() < 1e-9 * found.value);
        assert!((&one_by_one.moved - &found.moved).iter().all(|v| v.abs() < 1e-9));
        let (value, triples) = open(y.view(), &group, &partners, 1.0, 0.3);
        assert!((value - found.value).abs() < 1e-9 * value && triples.len() == open_rows.len());
        assert!(triples.iter().zip(&open_rows).all(|(a, b)| (a.2 - b.2).abs() < 1e-9));
    }

    /// Rows enough for several lanes, with strips in which most hinges are open and strips in which few are: the same as one by one, and
    /// the same bits on two threads.
    #[test]
    fn full_strips_and_nearly_empty_ones_are_those_of_a_list() {
        let mut rng = Rng::task(3, 0);
        let n = 2 * LANES * PIECE + 70;
        // The first half lies far apart, the second in a heap.
        let y = Array2::from_shape_fn((n, 4), |(i, _)| rng.normal() * if i < n / 2 { 30.0 } else { 0.3 });
        let group: Vec<u32> = (0..n).map(|i| if i % 97 == 5 { ALONE } else { (i % 3) as u32 }).collect();
        let partners = partners(y.view(), &group, 2);
        let found = pass(y.view(), &group, &partners, 1.0, 0.3);
        let list = Shortlist::of(y.view(), &group, &partners, 1.0 + 1e-6).pass(y.view(), &partners, 1.0, 0.3);
        let (value, triples) = open(y.view(), &group, &partners, 1.0, 0.3);
        let rows: Vec<_> = triples
            .iter()
            .map(|&(t, l, _)| {
                let (i, j) = partners[t as usize];
                ([i, j], [i, l], 1.0, 1.0)
            })
            .collect();
        let (one_by_one, _) = listed(y.view(), &rows, 0.3);
        let size = one_by_one.moved.iter().fold(0.0, |most: f64, v| most.max(v.abs()));
        for other in [&list, &found] {
            assert!((other.value - value).abs() < 1e-9 * value && (one_by_one.value - value).abs() < 1e-9 * value);
            assert!((&other.moved - &one_by_one.moved).iter().all(|v| v.abs() < 1e-9 * size));
        }
        let open_to = |half: bool| triples.iter().filter(|t| ((t.1 as usize) < n / 2) == half).count();
        assert!(open_to(true) > 0 && open_to(false) > 20 * open_to(true), "both kinds of strips are met");
        let two = par::install(2, || pass(y.view(), &group, &partners, 1.0, 0.3));
        assert_eq!((two.value, two.moved), (found.value, found.moved));
    }

    #[test]
    fn scatter_is_the_sum_of_outer_products() {
        let x = ndarray::array![[0.0, 1.0], [2.0, 0.0], [1.0, 5.0]];
        let found = scatter(x.view(), [(0, 1, 1.0), (1, 2, 0.5)]);
        assert_eq!(found, ndarray::array![[4.5, -4.5], [-4.5, 13.5]]);
    }
}
