//! Singular values and vectors of an upper bidiagonal matrix by dividing and conquering (Gu and Eisenstat 1995): without the
//! row in its middle it is two matrices with one more column than rows, and in their singular vectors that row is `z` above
//! `diag(d)`, with `d_0 = 0`; the singular values are the roots of `1 + Σ z_j² / (d_j² - σ²)`.
//! At most `8/3 n³` operations, in products of matrices.

use super::iteration::{self, Basis};

use crate::linear::merge::{Halves, Room, Side, Split, put_unit, roots, rotate_columns};
use crate::linear::secular::Poles;

/// Up to this size the QR iteration is quicker.
pub(crate) const LEAF: usize = 24;
/// Matrices are of order one: what is below this is nothing.
const NOTHING: f64 = 1e-40;

/// Makes `d` the singular values, least first, of the matrix with `d` on its diagonal and `e` above, of as many entries, so
/// that there is one more column than rows. `u` and `v` are zero and become the vectors, in columns, with that to zero last.
pub(crate) fn bidiagonal_singular(d: &mut [f64], e: &mut [f64], u: &mut [f64], v: &mut [f64]) -> bool {
    let n = d.len();
    let mut room = (Room::new(n + 1), vec![0.0; n * n]);
    conquer(d, e, (u, n), (v, n + 1), 0, &mut room)
}

/// As above, for rows and columns from `first` on; the bases come with the length of their columns.
fn conquer(
    d: &mut [f64],
    e: &mut [f64],
    (u, ld_u): (&mut [f64], usize),
    (v, ld_v): (&mut [f64], usize),
    first: usize,
    room: &mut (Room, Vec<f64>),
) -> bool {
    let n = d.len();
    if n <= LEAF {
        let mut u = Basis { data: u, ld: ld_u, rows: first..first + n };
        let mut v = Basis { data: v, ld: ld_v, rows: first..first + n + 1 };
        u.set_identity();
        v.set_identity();
        return iteration::with_vectors(d, e, u, v);
    }
    let half = (n - 1) / 2;
    let row = (std::mem::take(&mut d[half]), e[half]);
    let (u1, u2) = u.split_at_mut((half + 1) * ld_u);
    let (v1, v2) = v.split_at_mut((half + 1) * ld_v);
    let next = first + half + 1;
    let done = conquer(&mut d[..half], &mut e[..half], (&mut u1[..half * ld_u], ld_u), (v1, ld_v), first, room)
        && conquer(&mut d[half + 1..], &mut e[half + 1..], (u2, ld_u), (v2, ld_v), next, room);
    if done {
        // The row in the middle counts to the upper half of `u`, where its unit vector stands alone.
        u[half * ld_u + first + half] = 1.0;
        let in_u = Halves { ld: ld_u, top: first..next, bottom: next..first + n };
        let in_v = Halves { ld: ld_v, top: first..next, bottom: next..first + n + 1 };
        merge(d, row, (u, &in_u), (v, &in_v), room);
    }
    done
}

fn merge(
    d: &mut [f64],
    row: (f64, f64),
    (u, in_u): (&mut [f64], &Halves),
    (v, in_v): (&mut [f64], &Halves),
    (room, left): &mut (Room, Vec<f64>),
) {
    let (n, half) = (d.len(), in_u.top.len() - 1);
    let mut z = middle_row(row, v, in_v, n);
    let mut sides = vec![Side::Top; n];
    sides[half] = Side::Both;
    sides[half + 1..].fill(Side::Bottom);
    let largest = d.iter().fold(row.0.abs().max(row.1.abs()), |most, d| most.max(*d));
    let tolerance = (4.0 * f64::EPSILON * largest).max(NOTHING);
    let split = deflate(d, &mut z, tolerance, (u, in_u), (v, in_v), &mut sides);
    let places = split.places(&sides);
    let poles: Vec<f64> = split.kept.iter().map(|&k| d[k]).collect();
    let weights: Vec<f64> = split.kept.iter().map(|&k| z[k]).collect();
    let (found, weights) = roots(&Poles { at: &poles, squared: true }, &weights, 1.0, &mut room.vectors);
    let value = |&(origin, change): &(usize, f64)| {
        let from: f64 = poles[origin];
        from + change / (from + (from * from + change).sqrt())
    };
    let found: Vec<f64> = found.iter().map(value).collect();
    let k = poles.len();
    let (mut x, mut y) = (vec![0.0; k], vec![0.0; k]);
    for (right, left) in room.vectors[..k * k].chunks_exact_mut(k).zip(left.chunks_exact_mut(k)) {
        for j in 0..k {
            y[j] = weights[j] / right[j];
            x[j] = poles[j] * y[j];
        }
        x[0] = -1.0;
        put_unit(&x, &places.0, left);
        put_unit(&y, &places.0, right);
    }
    let (order, values) = split.order(&found, d);
    in_u.recombine(u, &split, &places, left, &order, &mut room.packed, &mut room.products);
    in_v.recombine(v, &split, &places, &room.vectors, &order, &mut room.packed, &mut room.products);
    d.copy_from_slice(&values);
}

/// The row in the middle, seen from the vectors of both halves. Each half has one vector that its matrix takes to zero: a
/// rotation makes one of them all that the row sees, at `half`, and the other what the whole takes to zero, at the end.
fn middle_row((alpha, beta): (f64, f64), v: &mut [f64], in_v: &Halves, n: usize) -> Vec<f64> {
    let (ld, half, below) = (in_v.ld, in_v.top.len() - 1, in_v.bottom.start);
    let entry = |k: usize| if k <= half { alpha * v[k * ld + below - 1] } else { beta * v[k * ld + below] };
    let mut z: Vec<f64> = (0..n).map(entry).collect();
    let (here, there) = (z[half], entry(n));
    if there != 0.0 {
        z[half] = here.hypot(there);
        rotate_columns(v, in_v, half, n, here / z[half], there / z[half]);
    }
    z
}

/// Sets aside what has no weight; of two values too near to one another a rotation gives all of the weight to one. The
/// zero in the middle stays, and is the first.
fn deflate(
    d: &mut [f64],
    z: &mut [f64],
    tolerance: f64,
    (u, in_u): (&mut [f64], &Halves),
    (v, in_v): (&mut [f64], &Halves),
    sides: &mut [Side],
) -> Split {
    let half = in_u.top.len() - 1;
    if z[half].abs() <= tolerance {
        z[half] = tolerance;
    }
    let mut order: Vec<usize> = (0..d.len()).filter(|&k| k != half).collect();
    order.sort_by(|&i, &j| d[i].total_cmp(&d[j]));
    let (mut split, mut before) = (Split { kept: vec![half], aside: Vec::new() }, None::<usize>);
    for j in order {
        if z[j].abs() <= tolerance {
            split.aside.push(j);
            continue;
        }
        if let Some(i) = before {
            if d[j] - d[i] <= tolerance {
                let length = z[i].hypot(z[j]);
                let (c, s) = (z[j] / length, -z[i] / length);
                (z[i], z[j]) = (0.0, length);
                if sides[i] != sides[j] {
                    sides[j] = Side::Both;
                }
                rotate_columns(u, in_u, i, j, c, s);
                rotate_columns(v, in_v, i, j, c, s);
                split.aside.push(i);
            } else {
                split.kept.push(i);
            }
        }
        before = Some(j);
    }
    split.kept.extend(before);
    if let Some(&first) = split.kept.get(1) {
        d[first] = d[first].max(0.5 * tolerance);
    }
    split
}
