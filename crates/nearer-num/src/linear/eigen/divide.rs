//! Eigenvalues and eigenvectors of a symmetric tridiagonal matrix by dividing and conquering (Cuppen 1981): without the entry
//! `β` in its middle it is two matrices, and what is missing is `β u uᵗ`; in their eigenvectors that is `diag(d) + ρ z zᵗ`.
//! At most `4/3 n³` operations, in products of matrices, and less the more weights are negligible.

use super::ql;
use crate::linear::merge::{Halves, Room, Side, Split, put_unit, roots, rotate_columns};
use crate::linear::secular::Poles;

/// Up to this size the QL iteration is quicker.
pub(crate) const LEAF: usize = 32;

/// Makes `d` the eigenvalues, least first, and `q`, which is zero, the eigenvectors, in columns. Whether it came to an end.
pub(crate) fn tridiagonal_eigen(d: &mut [f64], e: &mut [f64], q: &mut [f64]) -> bool {
    let n = d.len();
    let mut room = Room::new(if n > LEAF { n } else { 0 });
    conquer(d, e, q, n, 0, &mut room)
}

/// As above, for the rows and columns from `first` on of a matrix whose columns are `ld` long.
fn conquer(d: &mut [f64], e: &mut [f64], q: &mut [f64], ld: usize, first: usize, room: &mut Room) -> bool {
    let n = d.len();
    if n <= LEAF {
        (0..n).for_each(|k| q[k * ld + first + k] = 1.0);
        return ql::with_vectors(d, e, q, ld, first..first + n);
    }
    let half = n / 2;
    let between = e[half - 1];
    d[half - 1] -= between.abs();
    d[half] -= between.abs();
    let (d1, d2) = d.split_at_mut(half);
    let (q1, q2) = q.split_at_mut(half * ld);
    let done =
        conquer(d1, &mut e[..half - 1], q1, ld, first, room) && conquer(d2, &mut e[half..], q2, ld, first + half, room);
    if done {
        let halves = Halves { ld, top: first..first + half, bottom: first + half..first + n };
        merge(d, between, q, &halves, room);
    }
    done
}

fn merge(d: &mut [f64], between: f64, q: &mut [f64], halves: &Halves, room: &mut Room) {
    let (n, ld, half) = (d.len(), halves.ld, halves.top.len());
    // The last row of the upper vectors and the first of the lower ones, together of unit length.
    let (to_one, rho) = (std::f64::consts::FRAC_1_SQRT_2, 2.0 * between.abs());
    let mut z: Vec<f64> = (0..n).map(|k| to_one * q[k * ld + halves.bottom.start - usize::from(k < half)]).collect();
    if between < 0.0 {
        z[half..].iter_mut().for_each(|z| *z = -*z);
    }
    let mut sides = vec![Side::Top; n];
    sides[half..].fill(Side::Bottom);
    let split = deflate(d, &mut z, rho, q, halves, &mut sides);
    let places = split.places(&sides);
    let poles: Vec<f64> = split.kept.iter().map(|&k| d[k]).collect();
    let weights: Vec<f64> = split.kept.iter().map(|&k| z[k]).collect();
    let (found, weights) = roots(&Poles { at: &poles, squared: false }, &weights, 1.0 / rho, &mut room.vectors);
    let found: Vec<f64> = found.iter().map(|&(origin, distance)| poles[origin] + distance).collect();
    let k = poles.len();
    let mut vector = vec![0.0; k];
    for column in room.vectors[..k * k].chunks_exact_mut(k.max(1)) {
        for ((v, z), difference) in vector.iter_mut().zip(&weights).zip(&*column) {
            *v = z / difference;
        }
        put_unit(&vector, &places.0, column);
    }
    let (order, values) = split.order(&found, d);
    halves.recombine(q, &split, &places, &room.vectors, &order, &mut room.packed, &mut room.products);
    d.copy_from_slice(&values);
}

/// Sets aside what has no weight; of two poles too near to one another a rotation gives all of the weight to one.
fn deflate(d: &mut [f64], z: &mut [f64], rho: f64, q: &mut [f64], halves: &Halves, sides: &mut [Side]) -> Split {
    let mut order: Vec<usize> = (0..d.len()).collect();
    order.sort_by(|&i, &j| d[i].total_cmp(&d[j]));
    let size = |x: &[f64]| x.iter().fold(0.0, |most: f64, x| most.max(x.abs()));
    let tolerance = 8.0 * 0.5 * f64::EPSILON * size(d).max(size(z));
    let (mut split, mut before) = (Split::default(), None::<usize>);
    for j in order {
        if rho * z[j].abs() <= tolerance {
            split.aside.push(j);
            continue;
        }
        if let Some(i) = before {
            let length = z[i].hypot(z[j]);
            let (c, s) = (z[j] / length, -z[i] / length);
            if ((d[j] - d[i]) * c * s).abs() <= tolerance {
                (z[i], z[j]) = (0.0, length);
                (d[i], d[j]) = (d[i] * c * c + d[j] * s * s, d[i] * s * s + d[j] * c * c);
                if sides[i] != sides[j] {
                    sides[j] = Side::Both;
                }
                rotate_columns(q, halves, i, j, c, s);
                split.aside.push(i);
            } else {
                split.kept.push(i);
            }
        }
        before = Some(j);
    }
    split.kept.extend(before);
    split
}
