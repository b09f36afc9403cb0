//! How far `L D Lᵗ` is from the matrix it came from, with the rounding of this computation counted.

use super::Ldlt;
use crate::definite::UNIT;

/// Covers the rounding of sums of fewer than a million terms that are not negative.
const OUTWARD: f64 = 1.0 + 1e-9;

impl Ldlt {
    /// A number that is certainly not below the spectral norm `|P A Pᵗ - L D Lᵗ|₂` for the matrix with these values, the
    /// last one factored, whatever made the factors.
    ///
    /// The difference `R` is symmetric, so `max (|R| v)ᵢ / vᵢ` bounds it for any positive `v`; `scale` gives one, else it is
    /// all ones and that is the largest row sum. `R` is computed column by column; a number that is a sum of `t`
    /// products is wrong by at most `γ(t + 4)` of `|L| |D| |L|ᵗ` there, whose products with vectors are cheap. Not finite
    /// where the factors are not.
    ///
    /// # Panics
    /// If there are not as many numbers in `scale` as unknowns.
    #[must_use]
    pub fn residual_bound(&self, values: &[f64], scale: Option<&[f64]>) -> f64 {
        let n = self.pattern.size();
        let (pivots, columns) = self.columns();
        let order = self.order();
        let mut place = vec![0; n];
        order.iter().enumerate().for_each(|(k, &i)| place[i] = k);
        let matrix = self.permuted(values, &place);
        let scale: Vec<f64> = order.iter().map(|&i| scale.map_or(1.0, |s| s[i])).collect();

        // Columns that still have rows to give, chained under the row that is theirs next.
        const NONE: u32 = u32::MAX;
        let mut head = vec![NONE; n];
        let mut chain = vec![NONE; n];
        let mut next = vec![0usize; n];
        let mut work = vec![0.0; n];
        let mut touched: Vec<u32> = Vec::new();
        let mut seen = vec![false; n];
        let mut sums = vec![0.0; n];
        let mut terms_of = vec![0.0; n];
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
            terms_of[j] = (terms + 4) as f64;
            for &(i, a) in &matrix[j] {
                see(i, &mut touched, &mut seen);
                work[i as usize] -= a;
            }
            for i in touched.drain(..) {
                let i = i as usize;
                // Not a number must not be lost in a maximum.
                let size = work[i].abs() * (1.0 + 4.0 * UNIT);
                sums[j] += size * scale[i];
                if i != j {
                    sums[i] += size * scale[j];
                }
                (work[i], seen[i]) = (0.0, false);
            }
        }
        // A number in row i and column j < i has the terms of column j: over a row, those before it have their own
        // and those after it have the row's.
        let before: Vec<f64> = terms_of.iter().zip(&scale).map(|(t, v)| t * v).collect();
        let own = product(&pivots, &columns, &scale);
        let before = product(&pivots, &columns, &before);
        let total: Vec<f64> =
            (0..n).map(|i| (sums[i] + 1.01 * UNIT * (before[i] + terms_of[i] * own[i])) / scale[i]).collect();
        largest(&total) * OUTWARD + f64::MIN_POSITIVE * n as f64
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

/// `|L| |D| |L|ᵗ v`.
fn product(pivots: &[f64], columns: &[Vec<(u32, f64)>], v: &[f64]) -> Vec<f64> {
    let mut out = vec![0.0; pivots.len()];
    for (j, column) in columns.iter().enumerate() {
        let along = v[j] + column.iter().map(|&(i, l)| l.abs() * v[i as usize]).sum::<f64>();
        let scaled = pivots[j].abs() * along;
        out[j] += scaled;
        column.iter().for_each(|&(i, l)| out[i as usize] += l.abs() * scaled);
    }
    out
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
            let bound = ldlt.residual_bound(&values, None);
            assert!(bound < 1e-10 && bound > 0.0, "n = {n}: {bound}");
            // A matrix that is off by a known amount: the bound must see it.
            let mut off = values.clone();
            let last = pattern.place(n - 1, n - 1).unwrap();
            off[last] += 0.5;
            let seen = ldlt.residual_bound(&off, None);
            assert!((0.5..0.5 + 1e-9).contains(&seen), "{seen}");
            let any: Vec<f64> = (0..n).map(|i| 1.0 + i as f64).collect();
            let scaled = ldlt.residual_bound(&off, Some(&any));
            assert!((0.5..0.5 + 1e-9).contains(&scaled), "{scaled}");
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
