//! The nearest rows of a table to each of its rows, by looking at all of them.

use crate::par;

/// How many rows one piece of the work has.
const PIECE: usize = 64;

/// For each row of `width` numbers the `k` nearest other rows with their squared distances, nearest first, the smaller
/// number first where two are equally near. `O(rows² width)`.
#[must_use]
pub fn neighbours(values: &[f64], width: usize, k: usize) -> Vec<Vec<(u32, f64)>> {
    let n = values.len().checked_div(width).unwrap_or(0);
    let ranges = par::ranges(n, PIECE);
    let pieces = par::map(ranges.len(), |piece| {
        let mut all = Vec::with_capacity(n);
        ranges[piece].clone().map(|i| of_one(values, width, n, i, k, &mut all)).collect::<Vec<_>>()
    });
    pieces.into_iter().flatten().collect()
}

fn of_one(values: &[f64], width: usize, n: usize, i: usize, k: usize, all: &mut Vec<(u32, f64)>) -> Vec<(u32, f64)> {
    let k = k.min(n.saturating_sub(1));
    let own = &values[i * width..][..width];
    all.clear();
    for j in (0..n).filter(|j| *j != i) {
        let other = &values[j * width..][..width];
        all.push((j as u32, own.iter().zip(other).map(|(a, b)| (a - b) * (a - b)).sum()));
    }
    let nearer = |a: &(u32, f64), b: &(u32, f64)| a.1.total_cmp(&b.1).then(a.0.cmp(&b.0));
    if k > 0 && k < all.len() {
        all.select_nth_unstable_by(k - 1, nearer);
    }
    let mut near = all[..k].to_vec();
    near.sort_unstable_by(nearer);
    near
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_on_a_line() {
        let near = neighbours(&[0.0, 1.0, 3.0, 7.0], 1, 2);
        assert_eq!(near[0], [(1, 1.0), (2, 9.0)]);
        assert_eq!(near[3], [(2, 16.0), (1, 36.0)]);
        assert!(neighbours(&[1.0, 2.0], 2, 3)[0].is_empty());
        assert_eq!(
            par::install(2, || neighbours(&[0.0, 1.0, 3.0, 7.0], 1, 3)),
            neighbours(&[0.0, 1.0, 3.0, 7.0], 1, 3)
        );
    }
}
