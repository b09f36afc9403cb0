//! Hinges over triples: row `i` should be nearer to its partner `j` than to any row of another group, by a margin of squared
//! distance. By blocks of rows: no square of all pairs is kept.

use ndarray::{Array2, ArrayView2, s};

use crate::par;
use crate::softmin::{ALONE, distances};
use crate::vectors::square_distance;

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
        let (mut value, mut active, mut near) = (0.0, Vec::new(), Vec::new());
        let mut t = first;
        while t < last {
            let i = partners[t].0 as usize;
            let row = d.row(i - block.start);
            let row = row.as_slice().expect("in rows");
            let own = t..t + partners[t..last].iter().take_while(|p| p.0 as usize == i).count();
            let far = partners[own.clone()].iter().map(|p| row[p.1 as usize]).fold(f64::NEG_INFINITY, f64::max);
            others_within(row, group, i, margin + far, &mut near);
            for t in own.clone() {
                let far = margin + row[partners[t].1 as usize];
                for l in near.iter().filter(|l| row[**l as usize] < far) {
                    let (h, slope) = hinge(far - row[*l as usize], width);
                    value += h;
                    active.push((t as u32, *l, slope));
                }
            }
            t = own.end;
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

/// The rows of other groups whose squared distance to row `i` is below `far`: few, so that eight are passed by at a time.
fn others_within(row: &[f64], group: &[u32], i: usize, far: f64, found: &mut Vec<u32>) {
    found.clear();
    let own = group[i];
    for (k, eight) in row.chunks(8).enumerate() {
        if eight.iter().fold(false, |any, v| any | (*v < far)) {
            let at = |(l, v): (usize, &f64)| (*v < far).then_some(8 * k + l);
            let near = eight.iter().enumerate().filter_map(at);
            found.extend(near.filter(|l| group[*l] != own && group[*l] != ALONE).map(|l| l as u32));
        }
    }
}

/// For each row the rows of other groups that its hinges may open against, listed once and good as long as no row moves far.
#[derive(Debug, Clone)]
pub struct Shortlist {
    starts: Vec<usize>,
    others: Vec<u32>,
    /// Where the rows were.
    at: Array2<f64>,
    /// No row of another group that is not listed was nearer to a row than this.
    beyond: Vec<f64>,
}

impl Shortlist {
    /// Those that come within `reach` of squared distance of a row's farthest partner.
    #[must_use]
    pub fn of(y: ArrayView2<'_, f64>, group: &[u32], partners: &[(u32, u32)], reach: f64) -> Self {
        let y = y.as_standard_layout();
        let squares: Vec<f64> = y.rows().into_iter().map(|row| row.dot(&row)).collect();
        let blocks = par::ranges(y.nrows(), PIECE);
        let found = par::map(blocks.len(), |b| {
            let d = distances(y.view(), &squares, blocks[b].clone());
            let mut lists = Vec::with_capacity(blocks[b].len());
            for (row, i) in d.rows().into_iter().zip(blocks[b].clone()) {
                let own = &partners[of_row(partners, i)];
                let far = own.iter().map(|p| row[p.1 as usize]).fold(f64::NEG_INFINITY, f64::max) + reach;
                let mut near = Vec::new();
                others_within(row.as_slice().expect("in rows"), group, i, far, &mut near);
                // Distances made of products are off by a little of their size.
                let beyond = (far - 1e-9 * (squares[i] + far.abs())).max(0.0).sqrt();
                lists.push((near, beyond));
            }
            lists
        });
        let (lists, beyond): (Vec<Vec<u32>>, Vec<f64>) = found.into_iter().flatten().unzip();
        let starts = std::iter::once(0).chain(lists.iter().scan(0, |sum, l| {
            *sum += l.len();
            Some(*sum)
        }));
        Shortlist { starts: starts.collect(), others: lists.concat(), at: y.to_owned(), beyond }
    }
    /// Whether no hinge that is not listed can be open now: rows that are not listed were too far to have come so near.
    #[must_use]
    pub fn covers(&self, y: ArrayView2<'_, f64>, partners: &[(u32, u32)], margin: f64) -> bool {
        let y = y.as_standard_layout();
        let (r, now, then) = (y.ncols(), y.as_slice().expect("in rows"), self.at.as_slice().expect("in rows"));
        let moved: Vec<f64> =
            (0..y.nrows()).map(|i| square_distance(&now[i * r..][..r], &then[i * r..][..r]).sqrt()).collect();
        let most = moved.iter().copied().fold(0.0, f64::max);
        partners.iter().all(|&(i, j)| {
            let (i, j) = (i as usize, j as usize);
            let left = self.beyond[i] - moved[i] - most;
            let near = square_distance(&now[i * r..][..r], &now[j * r..][..r]);
            left > 0.0 && left * left >= (margin + near) * (1.0 + 1e-12)
        })
    }
    /// How many pairs are listed.
    #[must_use]
    pub fn len(&self) -> usize {
        self.others.len()
    }
    /// Whether none is.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.others.is_empty()
    }
    /// As [`pass`], over listed rows alone; the triples are not told.
    #[must_use]
    pub fn pass(&self, y: ArrayView2<'_, f64>, partners: &[(u32, u32)], margin: f64, width: f64) -> Pass {
        let y = y.as_standard_layout();
        let (r, flat) = (y.ncols(), y.as_slice().expect("in rows"));
        let square = |i: usize, j: u32| square_distance(&flat[i * r..][..r], &flat[j as usize * r..][..r]);
        let blocks = par::ranges(y.nrows(), PIECE);
        let found = par::map(blocks.len(), |b| {
            let (mut value, mut weights) = (0.0, Vec::new());
            let (mut d, mut pushed) = (Vec::new(), Vec::new());
            for i in blocks[b].clone() {
                let others = &self.others[self.starts[i]..self.starts[i + 1]];
                d.clear();
                d.extend(others.iter().map(|l| square(i, *l)));
                pushed.clear();
                pushed.resize(others.len(), 0.0);
                for &(_, j) in &partners[of_row(partners, i)] {
                    let (far, mut pull) = (margin + square(i, j), 0.0);
                    for (v, sum) in d.iter().zip(&mut pushed).filter(|(v, _)| **v < far) {
                        let (h, slope) = hinge(far - v, width);
                        value += h;
                        pull += slope;
                        *sum -= slope;
                    }
                    if pull > 0.0 {
                        weights.push((i as u32, j, pull));
                    }
                }
                weights.extend(others.iter().zip(&pushed).filter(|p| *p.1 != 0.0).map(|(l, w)| (i as u32, *l, *w)));
            }
            (value, weights)
        });
        let (mut moved, mut value) = (Array2::zeros(y.dim()), 0.0);
        for (part, weights) in found {
            value += part;
            weights.into_iter().for_each(|(i, j, w)| push(&mut moved, y.view(), i, j, w));
        }
        Pass { value, moved, active: Vec::new() }
    }
}

/// Which partners are those of a row.
fn of_row(partners: &[(u32, u32)], i: usize) -> std::ops::Range<usize> {
    partners.partition_point(|p| (p.0 as usize) < i)..partners.partition_point(|p| p.0 as usize <= i)
}

/// Adds a weight between two rows to a Laplacian times the rows.
fn push(moved: &mut Array2<f64>, y: ArrayView2<'_, f64>, i: u32, j: u32, w: f64) {
    let (one, other) = (i.min(j) as usize, i.max(j) as usize);
    if one == other {
        return;
    }
    let (r, y) = (y.ncols(), y.as_slice().expect("in rows"));
    let (a, b) = (&y[one * r..][..r], &y[other * r..][..r]);
    // Two rows apart from each other, so that the loop is compiled for whole vectors.
    let (first, last) = moved.as_slice_mut().expect("in rows").split_at_mut(other * r);
    let both = first[one * r..][..r].iter_mut().zip(&mut last[..r]);
    for ((up, down), (a, b)) in both.zip(a.iter().zip(b)) {
        let step = w * (a - b);
        *up += step;
        *down -= step;
    }
}

/// The same over listed triples `(near pair, far pair, weight, margin)`.
#[must_use]
pub fn listed(y: ArrayView2<'_, f64>, rows: &[([u32; 2], [u32; 2], f64, f64)], width: f64) -> Pass {
    let y = y.as_standard_layout();
    let d = |p: [u32; 2]| {
        square_distance(
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
    let mut sum = 0.0;
    for (k, (i, j)) in pairs.into_iter().enumerate() {
        let (a, b) = (&flat[i as usize * r..][..r], &flat[j as usize * r..][..r]);
        let (value, slope) = f(k, square_distance(a, b));
        sum += value;
        if slope != 0.0 {
            push(&mut moved, y.view(), i, j, slope);
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
