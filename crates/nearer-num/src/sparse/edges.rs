//! Sums over the edges of a graph whose vertices carry rows of numbers.

/// `y[i] - y[j]` for each edge `(i, j)`; `y` holds `r` numbers a vertex, and so does the answer for each edge.
#[must_use]
pub fn differences(y: &[f64], r: usize, edges: &[(u32, u32)]) -> Vec<f64> {
    let mut out = vec![0.0; edges.len() * r];
    for (&(i, j), u) in edges.iter().zip(out.chunks_exact_mut(r.max(1))) {
        let (a, b) = (&y[i as usize * r..][..r], &y[j as usize * r..][..r]);
        u.iter_mut().zip(a.iter().zip(b)).for_each(|(u, (a, b))| *u = a - b);
    }
    out
}

/// The squared length of each row of `r` numbers.
#[must_use]
pub fn squared_lengths(u: &[f64], r: usize) -> Vec<f64> {
    u.chunks_exact(r.max(1)).map(|u| u.iter().map(|v| v * v).sum()).collect()
}

/// `L(c) y`, where `u` are the [`differences`] of `y`: edge `e` adds `c[e] u[e]` to its first vertex and takes it from the
/// second.
#[must_use]
pub fn laplacian_times(n: usize, r: usize, edges: &[(u32, u32)], c: &[f64], u: &[f64]) -> Vec<f64> {
    let mut out = vec![0.0; n * r];
    for (e, &(i, j)) in edges.iter().enumerate() {
        for k in 0..r {
            let pull = c[e] * u[e * r + k];
            out[i as usize * r + k] += pull;
            out[j as usize * r + k] -= pull;
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_triangle_by_hand() {
        let edges = [(0, 1), (1, 2), (0, 2)];
        let y = [0.0, 0.0, 3.0, 4.0, 3.0, 0.0];
        let u = differences(&y, 2, &edges);
        assert_eq!(squared_lengths(&u, 2), [25.0, 16.0, 9.0]);
        assert_eq!(laplacian_times(3, 2, &edges, &[1.0, 2.0, 1.0], &u), [-6.0, -4.0, 3.0, 12.0, 3.0, -8.0]);
    }
}
