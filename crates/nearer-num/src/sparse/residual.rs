//! How far `L D Lᵗ` is from the matrix it came from, with the rounding of this computation counted.

use super::Ldlt;

/// Half the distance from 1 to the next number.
const UNIT: f64 = f64::EPSILON / 2.0;

/// Covers the rounding of sums of fewer than a million terms that are not negative.
const OUTWARD: f64 = 1.0 + 1e-9;

impl Ldlt {
    /// A number that is certainly not below the spectral norm `|P A Pᵗ - L D Lᵗ|₂` for the matrix with these values, the
    /// last one factored, whatever made the factors.
    ///
    /// The difference is symmetric, so its largest row sum bounds it. It is computed column by column; each of its
    /// numbers is a sum of at most `m` products, so it is wrong by at most `γ(m + 3) (|L| |D| |L|ᵗ)`, whose row sums
    /// are two products with vectors. Not finite where the factors are not.
    #[must_use]
    pub fn residual_bound(&self, values: &[f64]) -> f64 {
        let n = self.pattern.size();
        let (pivots, columns) = self.columns();
        let order = self.order();
        let mut place = vec![0; n];
        order.iter().enumerate().for_each(|(k, &i)| place[i] = k);
        let matrix = self.permuted(values, &place);

        // Columns that still have rows to give, chained under the row that is theirs next.
        const NONE: u32 = u32::MAX;
        let mut head = vec![NONE; n];
        let mut chain = vec![NONE; n];
        let mut next = vec![0usize; n];
        let mut work = vec![0.0; n];
        let mut touched: Vec<u32> = Vec::new();
        let mut seen = vec![false; n];
        let mut sums = vec![0.0; n];
        let mut most = 0usize;
        for j in 0..n {
            let see = |i: u32, touched: &mut Vec<u32>, seen: &mut [bool]| {
                if !seen[i as usize] {
                    seen[i as usize] = true;
                    touched.push(i);
                }
            };
            let mut terms = 1;
            see(j as u32, &mut touched, &mut seen);
            work[j] += pivots[j];
            for &(i, l) in &columns[j] {
                see(i, &mut touched, &mut seen);
                work[i as usize] += l * pivots[j];
            }
            let mut k = head[j];
            while k != NONE {
                let (column, at) = (&columns[k as usize], next[k as usize]);
                let factor = pivots[k as usize] * column[at].1;
                terms += 1;
                for &(i, l) in &column[at..] {
                    see(i, &mut touched, &mut seen);
                    work[i as usize] += l * factor;
                }
                let after = chain[k as usize];
                if at + 1 < column.len() {
                    next[k as usize] = at + 1;
                    let row = column[at + 1].0 as usize;
                    chain[k as usize] = head[row];
                    head[row] = k;
                }
                k = after;
            }
            if let Some(&(first, _)) = columns[j].first() {
                chain[j] = head[first as usize];
                head[first as usize] = j as u32;
            }
            most = most.max(terms);
            for &(i, a) in &matrix[j] {
                see(i, &mut touched, &mut seen);
                work[i as usize] -= a;
            }
            for i in touched.drain(..) {
                let i = i as usize;
                // Not a number must not be lost in a maximum.
                let size = work[i].abs() * (1.0 + 4.0 * UNIT);
                sums[j] += size;
                if i != j {
                    sums[i] += size;
                }
                (work[i], seen[i]) = (0.0, false);
            }
        }
        let measured = largest(&sums);
        let rounding = (most + 4) as f64 * 1.01 * UNIT * largest(&self.product_sums(&pivots, &columns, &matrix));
        (measured + rounding) * OUTWARD + f64::MIN_POSITIVE * n as f64
    }

    /// The row sums of `|L| |D| |L|ᵗ + |A|`.
    fn product_sums(&self, pivots: &[f64], columns: &[Vec<(u32, f64)>], matrix: &[Vec<(u32, f64)>]) -> Vec<f64> {
        let n = pivots.len();
        let scaled: Vec<f64> =
            (0..n).map(|j| pivots[j].abs() * (1.0 + columns[j].iter().map(|(_, l)| l.abs()).sum::<f64>())).collect();
        let mut sums = scaled.clone();
        for j in 0..n {
            for &(i, l) in &columns[j] {
                sums[i as usize] += l.abs() * scaled[j];
            }
            for &(i, a) in &matrix[j] {
                sums[j] += a.abs();
                if i as usize != j {
                    sums[i as usize] += a.abs();
                }
            }
        }
        sums
    }

    /// The lower triangle of the matrix in the order of elimination, by columns.
    fn permuted(&self, values: &[f64], place: &[usize]) -> Vec<Vec<(u32, f64)>> {
        let mut columns = vec![Vec::new(); place.len()];
        for j in 0..place.len() {
            for (i, k) in self.pattern.column(j) {
                let (a, b) = (place[i].min(place[j]), place[i].max(place[j]));
                columns[a].push((b as u32, values[k]));
            }
        }
        columns
    }
}

/// The largest of numbers that are not negative; not a number if one is not.
fn largest(values: &[f64]) -> f64 {
    values.iter().fold(0.0, |m: f64, v| if v.is_nan() || m.is_nan() { f64::NAN } else { m.max(*v) })
}

#[cfg(test)]
mod tests {
    use super::super::{Ldlt, Ordering, Pattern};
    use crate::dense::eigvalsh;
    use crate::rng::Rng;
    use ndarray::Array2;

    /// The product of the factors, densely.
    fn product(ldlt: &Ldlt) -> Array2<f64> {
        let (pivots, columns) = ldlt.columns();
        let n = pivots.len();
        let mut l = Array2::<f64>::eye(n);
        for (j, column) in columns.iter().enumerate() {
            column.iter().for_each(|&(i, v)| l[(i as usize, j)] = v);
        }
        l.dot(&Array2::from_diag(&ndarray::Array1::from(pivots))).dot(&l.t())
    }

    #[test]
    fn the_bound_lies_above_the_true_norm_and_near_rounding() {
        for (n, seed) in [(3, 1), (30, 2), (120, 3), (400, 4)] {
            let mut rng = Rng::task(seed, 9);
            let edges: Vec<(u32, u32)> =
                (0..4 * n).map(|_| (rng.below(n) as u32, rng.below(n) as u32)).filter(|(a, b)| a != b).collect();
            let pattern = Pattern::of_graph(n, &edges);
            let mut values = vec![0.0; pattern.len()];
            for j in 0..n {
                for (i, k) in pattern.column(j) {
                    values[k] = if i == j { 20.0 + rng.normal() } else { rng.normal() };
                }
            }
            let mut ldlt = Ldlt::new(pattern.clone(), Ordering::MinimumDegree).unwrap();
            ldlt.factor(&values).unwrap();
            let bound = ldlt.residual_bound(&values);
            assert!(bound < 1e-10 && bound > 0.0, "n = {n}: {bound}");
            // A matrix that is off by a known amount: the bound must see it.
            let mut off = values.clone();
            let last = pattern.place(n - 1, n - 1).unwrap();
            off[last] += 0.5;
            let seen = ldlt.residual_bound(&off);
            assert!((0.5..0.5 + 1e-9).contains(&seen), "{seen}");
            // The same against a dense product.
            let order = ldlt.order();
            let dense =
                Array2::from_shape_fn((n, n), |(a, b)| pattern.place(order[a], order[b]).map_or(0.0, |k| off[k]));
            let difference = dense - product(&ldlt);
            let norm = eigvalsh(difference.view()).unwrap().iter().fold(0.0, |m: f64, v| m.max(v.abs()));
            assert!(norm <= seen + 1e-12, "{norm} {seen}");
        }
    }
}
