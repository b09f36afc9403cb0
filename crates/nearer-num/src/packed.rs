//! A symmetric array with a zero diagonal, stored as its upper triangle row by row: (0,1), (0,2), …, (1,2), ….

/// How many entries the triangle of `n` has.
#[must_use]
pub fn len(n: usize) -> usize {
    n * n.saturating_sub(1) / 2
}

/// Where the entry (i, j) stands, `i < j < n`.
#[must_use]
#[inline]
pub fn index(n: usize, i: usize, j: usize) -> usize {
    debug_assert!(i < j && j < n);
    row_start(n, i) + j - i - 1
}

/// Where the entries (i, i+1 ..) start.
#[must_use]
#[inline]
pub fn row_start(n: usize, i: usize) -> usize {
    i * (2 * n - i - 1) / 2
}

/// The (i, j) of the k-th entry.
#[must_use]
pub fn pair(n: usize, k: usize) -> (usize, usize) {
    debug_assert!(k < len(n));
    // The rows shrink by one each: find the last row that starts at or before k.
    let (mut low, mut high) = (0, n - 1);
    while high - low > 1 {
        let middle = (low + high) / 2;
        if row_start(n, middle) <= k {
            low = middle;
        } else {
            high = middle;
        }
    }
    (low, k - row_start(n, low) + low + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn index_and_pair_undo_each_other() {
        for n in 2..9 {
            let mut k = 0;
            for i in 0..n {
                for j in i + 1..n {
                    assert_eq!(index(n, i, j), k);
                    assert_eq!(pair(n, k), (i, j));
                    k += 1;
                }
            }
            assert_eq!(len(n), k);
        }
    }
}
