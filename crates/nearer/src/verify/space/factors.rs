//! Orthonormal bases and singular values, as plain loops over columns: the linear algebra that spaces are built with.

use ndarray::Array2;

use crate::verify::limits::Limits;
use crate::verify::rounding::product;

/// Numbers by columns.
pub(super) type Columns = Vec<Vec<f64>>;

/// Singular values, largest first, with their vectors by columns: `m = Σ left_k sizes_k right_kᵗ`.
pub(super) struct Singular {
    pub(super) left: Columns,
    pub(super) sizes: Vec<f64>,
    pub(super) right: Columns,
}

pub(super) fn columns_of(m: &Array2<f64>) -> Columns {
    m.columns().into_iter().map(|c| c.to_vec()).collect()
}

pub(super) fn matrix_of(columns: &Columns, rows: usize) -> Array2<f64> {
    Array2::from_shape_fn((rows, columns.len()), |(i, k)| columns[k][i])
}

/// What is left of a column below this share of the longest is rounding.
const LAST: f64 = 1e-15;

fn length(column: &[f64]) -> f64 {
    // In units of the largest entry nothing overflows.
    let largest = column.iter().fold(0.0, |m: f64, v| m.max(v.abs()));
    if !(largest > 0.0 && largest.is_finite()) {
        return largest;
    }
    largest * column.iter().map(|v| (v / largest) * (v / largest)).sum::<f64>().sqrt()
}

/// Each column without its mean.
pub(super) fn centred(mut columns: Columns) -> Columns {
    for column in &mut columns {
        let mean = column.iter().sum::<f64>() / column.len() as f64;
        column.iter_mut().for_each(|v| *v -= mean);
    }
    columns
}

/// `Σ_k columns_k by_k`.
pub(super) fn combined(columns: &Columns, by: &[f64], rows: usize) -> Vec<f64> {
    let mut out = vec![0.0; rows];
    for (column, by) in columns.iter().zip(by) {
        out.iter_mut().zip(column).for_each(|(o, v)| *o += by * v);
    }
    out
}

/// Orthonormal columns of the same span: Gram-Schmidt, the longest rest first, each made orthogonal twice, until the rests are below
/// this share of the first.
pub(super) fn orthonormal(mut rest: Columns, share: f64, limits: &Limits<'_>) -> Columns {
    let rows = rest.first().map_or(0, Vec::len);
    let mut found: Columns = Vec::new();
    let mut lengths: Vec<f64> = rest.iter().map(|c| length(c)).collect();
    let first = lengths.iter().fold(0.0, |m: f64, v| m.max(*v));
    while found.len() < rows.min(rest.len()) && !limits.late() {
        let longest = (0..lengths.len()).fold(0, |best, k| if lengths[k] > lengths[best] { k } else { best });
        if lengths[longest].is_nan() || lengths[longest] <= share * first {
            break;
        }
        let mut axis = std::mem::take(&mut rest[longest]);
        for _ in 0..2 {
            for known in &found {
                let along = product(known, &axis).0;
                axis.iter_mut().zip(known).for_each(|(v, k)| *v -= along * k);
            }
        }
        let size = length(&axis);
        lengths[longest] = 0.0;
        if size.is_nan() || size <= share * first {
            continue;
        }
        axis.iter_mut().for_each(|v| *v /= size);
        for (column, length_of) in rest.iter_mut().zip(&mut lengths).filter(|(_, l)| **l > 0.0) {
            let along = product(&axis, column).0;
            column.iter_mut().zip(&axis).for_each(|(v, a)| *v -= along * a);
            *length_of = length(column);
        }
        found.push(axis);
    }
    found
}

/// The singular values above this share of the largest: a basis by [`orthonormal`] down to the last digits, for what it leaves out turns
/// the narrowest of them, and what is left by [`rotated`].
pub(super) fn singular(m: &Columns, share: f64, limits: &Limits<'_>) -> Singular {
    let rows = m.first().map_or(0, Vec::len);
    let basis = orthonormal(m.clone(), LAST, limits);
    // The transpose of the rest: a column for each direction, a row for each column of the matrix.
    let inner: Columns = basis.iter().map(|u| m.iter().map(|column| product(u, column).0).collect()).collect();
    let Singular { left, sizes, right } = rotated(inner, limits);
    let largest = sizes.first().copied().unwrap_or(0.0);
    let kept = sizes.iter().take_while(|s| **s > share * largest).count();
    Singular {
        left: right.iter().take(kept).map(|v| combined(&basis, v, rows)).collect(),
        sizes: sizes[..kept].to_vec(),
        right: left.into_iter().take(kept).collect(),
    }
}

/// All singular values of a matrix with no more columns than rows, by rotations of pairs of columns until all are orthogonal
/// (Hestenes 1958): right to the last digits of each, however small it is beside the largest.
pub(super) fn rotated(mut columns: Columns, limits: &Limits<'_>) -> Singular {
    const SWEEPS: usize = 60;
    let count = columns.len();
    let mut turn: Columns = (0..count).map(|k| (0..count).map(|j| f64::from(u8::from(j == k))).collect()).collect();
    for _ in 0..SWEEPS {
        let mut moved = false;
        for p in 0..count {
            if limits.late() {
                break;
            }
            for q in p + 1..count {
                let (a, b) = (product(&columns[p], &columns[p]).0, product(&columns[q], &columns[q]).0);
                let between = product(&columns[p], &columns[q]).0;
                if between.abs() <= 2.0 * f64::EPSILON * (a * b).sqrt() || between == 0.0 {
                    continue;
                }
                moved = true;
                let zeta = (b - a) / (2.0 * between);
                let tangent = zeta.signum() / (zeta.abs() + zeta.hypot(1.0));
                let cosine = 1.0 / tangent.hypot(1.0);
                let sine = cosine * tangent;
                for m in [&mut columns, &mut turn] {
                    let (head, tail) = m.split_at_mut(q);
                    head[p].iter_mut().zip(&mut tail[0]).for_each(|(x, y)| {
                        (*x, *y) = (cosine * *x - sine * *y, sine * *x + cosine * *y);
                    });
                }
            }
        }
        if !moved || limits.late() {
            break;
        }
    }
    let mut all: Vec<(f64, Vec<f64>, Vec<f64>)> =
        columns.into_iter().zip(turn).map(|(c, t)| (length(&c), c, t)).collect();
    all.sort_by(|a, b| b.0.total_cmp(&a.0));
    let mut out = Singular { left: Vec::new(), sizes: Vec::new(), right: Vec::new() };
    for (size, column, turn) in all {
        out.left.push(column.into_iter().map(|v| if size > 0.0 { v / size } else { 0.0 }).collect());
        out.sizes.push(size);
        out.right.push(turn);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use nearer_num::rng::Rng;

    /// Beside the decomposition of the library, which this shares no code with: values from 1 to 1e-9, in 40 rows.
    #[test]
    fn singular_values_agree_with_another_program_of_theirs() {
        let mut rng = Rng::task(8, 1);
        let (rows, columns) = (40, 12);
        let narrow = Array2::from_shape_fn((rows, columns), |(_, k)| rng.normal() * 10f64.powf(-0.75 * k as f64));
        let turn = Array2::from_shape_fn((columns, columns), |_| rng.normal());
        let m = narrow.dot(&turn);
        let own = singular(&columns_of(&m), 1e-13, &Limits::default());
        let other = nearer_num::dense::svd(m.view()).unwrap();
        assert_eq!(own.sizes.len(), columns);
        for k in 0..columns {
            assert!((own.sizes[k] - other.s[k]).abs() < 1e-13 * other.s[0], "{k}: {} {}", own.sizes[k], other.s[k]);
            let along: f64 = (0..rows).map(|i| own.left[k][i] * other.u[(i, k)]).sum();
            assert!((along.abs() - 1.0).abs() < 1e-4, "{k}: {along}");
        }
        for i in 0..rows {
            for j in 0..columns {
                let made: f64 = (0..columns).map(|k| own.left[k][i] * own.sizes[k] * own.right[k][j]).sum();
                assert!((made - m[(i, j)]).abs() < 1e-13 * other.s[0]);
            }
        }
    }

    /// A diagonal whose entries lie thirty powers of ten apart, turned by rows alone: every value is right to its last digits.
    #[test]
    fn small_values_are_right_beside_large_ones() {
        let sizes = [1e15, 3.0, 1e-4, 1e-15];
        let mut columns: Columns = vec![vec![0.0; 4]; 4];
        // Two reflections of the identity, columns scaled.
        for (k, column) in columns.iter_mut().enumerate() {
            for (i, v) in column.iter_mut().enumerate() {
                *v = (f64::from(u8::from(i == k)) - 0.5) * sizes[k];
            }
        }
        let own = rotated(columns, &Limits::default());
        for (own, true_size) in own.sizes.iter().zip(sizes) {
            assert!((own / true_size - 1.0).abs() < 1e-14, "{own} {true_size}");
        }
    }

    #[test]
    fn directions_that_repeat_count_once() {
        let base = vec![vec![1.0, 2.0, 3.0], vec![2.0, 4.0, 6.0], vec![0.0, 0.0, 1.0], vec![0.0; 3]];
        assert_eq!(orthonormal(base, 1e-12, &Limits::default()).len(), 2);
    }
}
