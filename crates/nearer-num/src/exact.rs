//! Linear inequalities decided exactly, in whole numbers: a point, or multipliers that prove there is none.

/// What became of the question whether some `x ≥ 0` has `c_t · x ≥ 1` for every row `t`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Decided {
    /// Such a point: `x[j] / scale`.
    Point {
        /// Numerators, none of them negative.
        x: Vec<i128>,
        /// The common denominator, above 0.
        scale: i128,
    },
    /// There is none: with these multipliers above 0 of some rows `t`, `Σ λ_t c_t ≤ 0` in every component.
    Contradiction(Vec<(usize, i128)>),
    /// The numbers outgrew 128 bits.
    Overflow,
}

/// Which row a search for violated rows is to give.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wanted {
    /// The one that is violated most.
    Worst,
    /// The one of the smallest number.
    First,
}

/// Components of `x` stay below this, so that whoever looks for violated rows may add up hundreds of them.
const LARGEST: i128 = i128::MAX >> 10;

/// Decides whether some `x ≥ 0` of `m` components has `c_t · x ≥ 1` for every row `t`.
///
/// The rows are not listed but asked for: `violated(x, scale, wanted)` gives the number of a row with
/// `c_t · x < scale`, or `None` when there is none (no component is negative; each is below 2^117), and `row(t, out)` writes
/// the coefficients of a row.
///
/// This is the simplex method on the dual `max Σ y_t` with `Σ y_t c_t ≤ 1`, which starts at `y = 0`, has `m` rows however
/// many inequalities there are, and whose prices are `x`. Bases are kept as whole numbers over their determinant, and each
/// division is exact (Edmonds 1967; Bareiss 1968), so there is no rounding; numbers stay below the largest minor of the
/// rows. After a step that gains nothing Bland's rule holds until one does, so it always ends.
pub fn decide(
    m: usize,
    mut violated: impl FnMut(&[i128], i128, Wanted) -> Option<usize>,
    mut row: impl FnMut(usize, &mut [i128]),
) -> Decided {
    let mut basis = Basis::new(m);
    let (mut prices, mut column, mut step) = (vec![0; m], vec![0; m], vec![0; m]);
    let mut wanted = Wanted::Worst;
    loop {
        if basis.prices(&mut prices).is_none() || prices.iter().any(|p| p.abs() > LARGEST) || basis.scale > LARGEST {
            return Decided::Overflow;
        }
        let negative = prices.iter().position(|p| *p < 0);
        let enters = match negative {
            Some(j) => Variable::Slack(j),
            None => match violated(&prices, basis.scale, wanted) {
                Some(t) => Variable::Row(t),
                None => return Decided::Point { x: prices, scale: basis.scale },
            },
        };
        column.fill(0);
        match enters {
            Variable::Slack(j) => column[j] = 1,
            Variable::Row(t) => row(t, &mut column),
        }
        if basis.times(&column, &mut step).is_none() {
            return Decided::Overflow;
        }
        match basis.leaving(&step) {
            None => return Decided::Overflow,
            Some(None) => return basis.ray(enters, &step),
            Some(Some(r)) => {
                wanted = if basis.values[r] == 0 { Wanted::First } else { Wanted::Worst };
                if basis.exchange(r, enters, &step).is_none() {
                    return Decided::Overflow;
                }
            }
        }
    }
}

/// A variable of the dual; their order is what Bland's rule goes by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Variable {
    Slack(usize),
    Row(usize),
}

/// A basis: its inverse and its values, times its determinant.
struct Basis {
    m: usize,
    variables: Vec<Variable>,
    inverse: Vec<i128>,
    values: Vec<i128>,
    scale: i128,
}

impl Basis {
    fn new(m: usize) -> Self {
        let mut inverse = vec![0; m * m];
        (0..m).for_each(|j| inverse[j * m + j] = 1);
        Basis { m, variables: (0..m).map(Variable::Slack).collect(), inverse, values: vec![1; m], scale: 1 }
    }
    /// The sum of the rows of the inverse whose variable has cost 1.
    fn prices(&self, out: &mut [i128]) -> Option<()> {
        out.fill(0);
        for (r, variable) in self.variables.iter().enumerate() {
            if matches!(variable, Variable::Row(_)) {
                for (o, v) in out.iter_mut().zip(&self.inverse[r * self.m..(r + 1) * self.m]) {
                    *o = o.checked_add(*v)?;
                }
            }
        }
        Some(())
    }
    fn times(&self, column: &[i128], out: &mut [i128]) -> Option<()> {
        for (r, o) in out.iter_mut().enumerate() {
            *o = 0;
            for (v, c) in self.inverse[r * self.m..(r + 1) * self.m].iter().zip(column) {
                if *c != 0 {
                    *o = o.checked_add(v.checked_mul(*c)?)?;
                }
            }
        }
        Some(())
    }
    /// The row with the smallest `value / step` among positive steps, of equal ones that of the first variable;
    /// `Some(None)` where no step is positive.
    fn leaving(&self, step: &[i128]) -> Option<Option<usize>> {
        let mut best: Option<usize> = None;
        for r in (0..self.m).filter(|&r| step[r] > 0) {
            let Some(b) = best else {
                best = Some(r);
                continue;
            };
            let (mine, theirs) = (self.values[r].checked_mul(step[b])?, self.values[b].checked_mul(step[r])?);
            if mine < theirs || mine == theirs && self.variables[r] < self.variables[b] {
                best = Some(r);
            }
        }
        Some(best)
    }
    fn exchange(&mut self, r: usize, enters: Variable, step: &[i128]) -> Option<()> {
        let (m, pivot, scale) = (self.m, step[r], self.scale);
        let exact = |old: i128, factor: i128, at_pivot: i128| {
            Some(pivot.checked_mul(old)?.checked_sub(factor.checked_mul(at_pivot)?)? / scale)
        };
        for i in (0..m).filter(|&i| i != r) {
            self.values[i] = exact(self.values[i], step[i], self.values[r])?;
            for j in 0..m {
                self.inverse[i * m + j] = exact(self.inverse[i * m + j], step[i], self.inverse[r * m + j])?;
            }
        }
        self.variables[r] = enters;
        self.scale = pivot;
        Some(())
    }
    /// The multipliers along which the dual grows without end.
    fn ray(&self, enters: Variable, step: &[i128]) -> Decided {
        let basic = self.variables.iter().zip(step).map(|(v, s)| (*v, -s));
        let multipliers = basic.chain([(enters, self.scale)]).filter_map(|(v, weight)| match v {
            Variable::Row(t) if weight > 0 => Some((t, weight)),
            _ => None,
        });
        Decided::Contradiction(multipliers.collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::Rng;

    fn dot(row: &[i128], x: &[i128]) -> i128 {
        row.iter().zip(x).map(|(a, b)| a * b).sum()
    }

    fn solve(m: usize, rows: &[Vec<i128>]) -> Decided {
        let violated = |x: &[i128], scale: i128, wanted: Wanted| {
            let bad = (0..rows.len()).filter(|&t| dot(&rows[t], x) < scale);
            match wanted {
                Wanted::First => bad.into_iter().next(),
                Wanted::Worst => bad.min_by_key(|&t| dot(&rows[t], x)),
            }
        };
        decide(m, violated, |t, out| out.copy_from_slice(&rows[t]))
    }

    /// Each answer is proved by what comes with it; both kinds must occur.
    #[test]
    fn every_answer_comes_with_its_proof() {
        let (mut points, mut contradictions) = (0, 0);
        for seed in 0..400 {
            let mut rng = Rng::task(seed, 0);
            let (m, count) = (1 + rng.below(7), 1 + rng.below(14));
            let rows: Vec<Vec<i128>> = (0..count).map(|_| (0..m).map(|_| rng.below(5) as i128 - 2).collect()).collect();
            match solve(m, &rows) {
                Decided::Point { x, scale } => {
                    assert!(scale > 0 && x.iter().all(|v| *v >= 0));
                    assert!(rows.iter().all(|r| dot(r, &x) >= scale), "{seed}");
                    points += 1;
                }
                Decided::Contradiction(multipliers) => {
                    assert!(!multipliers.is_empty() && multipliers.iter().all(|(_, w)| *w > 0));
                    for j in 0..m {
                        assert!(multipliers.iter().map(|(t, w)| w * rows[*t][j]).sum::<i128>() <= 0, "{seed}");
                    }
                    contradictions += 1;
                }
                Decided::Overflow => panic!("small numbers"),
            }
        }
        assert!(points > 50 && contradictions > 50, "{points} {contradictions}");
    }

    #[test]
    fn no_rows_and_numbers_too_large() {
        assert_eq!(solve(2, &[]), Decided::Point { x: vec![0, 0], scale: 1 });
        let huge = i128::MAX / 2;
        let rows = [vec![huge, 1], vec![1, huge], vec![huge, -huge]];
        assert_eq!(solve(2, &rows), Decided::Overflow);
    }
}
