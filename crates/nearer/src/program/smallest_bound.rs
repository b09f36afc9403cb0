//! How small the bound of a partial order may be before no map keeps the order.

use ndarray::Array2;
use nearer_num::{definite, packed};

use crate::error::Error;
use crate::evidence::Comparisons;
use crate::program::gnmds::PairNumbers;
use crate::program::gram::{Anchor, Interior};
use crate::program::{GramProgram, Interval, LongestPaths, Rows, Sense, distinct};

/// `min B` over all maps with `d ≤ B` for all pairs and `d(near) + margin ≤ d(far)`.
///
/// The bound is a squared distance like any other: that of the first object to one more, which nothing else is asked of. So
/// the program is one of `n + 1` points, its value a bound that a map keeps and its proof one that none does.
pub(crate) fn smallest_bound(c: &Comparisons, paths: &LongestPaths) -> Result<GramProgram, Error> {
    let n = c.objects().len();
    let mut pairs = PairNumbers::default();
    let mut rows = Rows::default();
    let top = pairs.number_of(0, n as u32);
    let hard = Interval::HARD;
    for k in 0..packed::len(n) {
        let (i, j) = packed::pair(n, k);
        let p = pairs.number_of(i as u32, j as u32);
        rows.push(&[(p, 1.0), (top, -1.0)], 0.0, hard.low, hard.high);
    }
    let everything = rows.len();
    for row in distinct(c).iter() {
        let (near, far) = (pairs.number(row.near), pairs.number(row.far));
        rows.push(&[(near, 1.0), (far, -1.0)], row.margin, hard.low, hard.high);
    }
    let mut cost = vec![0.0; pairs.list.len()];
    cost[top as usize] = 1.0;
    // Half of what the distance costs is spread evenly over the pairs: the matrix is then that of a connected graph.
    let each = 0.5 / everything as f64;
    let mut y = vec![each; everything];
    y.resize(rows.len(), 0.0);
    let room = connected(n, each);
    let mut program =
        GramProgram::new(n + 1, Sense::Minimise, paths.smallest()).pairs(pairs.list).cost(cost).rows(rows).checked()?;
    program.anchor = Some(Anchor::Rows(y, room));
    program.interior = Some(roomy(n, paths));
    program.usual = Some(paths.smallest()).filter(|d| *d > 0.0);
    Ok(program)
}

/// A number below every eigenvalue, constant vectors aside, of `½ L₀ₙ + each Σ Lᵢⱼ` over the pairs of the first `n`.
fn connected(n: usize, each: f64) -> f64 {
    let mut s = Array2::<f64>::zeros((n + 1, n + 1));
    let mut add = |i: usize, j: usize, w: f64| {
        s[(i, i)] += w;
        s[(j, j)] += w;
        s[(i, j)] -= w;
        s[(j, i)] -= w;
    };
    for i in 0..n {
        (i + 1..n).for_each(|j| add(i, j, each));
    }
    add(0, n, 0.5);
    // Constant vectors are lifted out of the way.
    s += 1.0 / (n + 1) as f64;
    (definite::least_eigenvalue(s.view()).value - 1e-12).max(0.0)
}

/// The closed form at a larger bound with its heights stretched, and the new object straight above the first.
fn roomy(n: usize, paths: &LongestPaths) -> Interior {
    let (inner, stretch) = (1.5 * paths.smallest(), 1.2);
    let among = |i: usize, j: usize| {
        if i == j { 0.0 } else { inner - stretch * paths.heights[packed::index(n, i.min(j), i.max(j))] }
    };
    let above = 1.25 * inner;
    let distances: Vec<f64> = (0..packed::len(n + 1))
        .map(|k| packed::pair(n + 1, k))
        .map(|(i, j)| if j == n { above + among(0, i) } else { among(i, j) })
        .collect();
    let trace = distances.iter().sum::<f64>() / (n + 1) as f64 * (1.0 + 1e-12);
    Interior::new(distances, trace)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evidence::Comparison;
    use crate::graph::ConstraintGraph;
    use crate::object::{Item, Objects, Pair};
    use crate::program::{Program as _, partial_order};
    use crate::solve::{Engine, Goal, Run};

    fn solved(n: usize, rows: Vec<Comparison>) -> (f64, f64) {
        let c = Comparisons::new(Objects::numbered(n), rows).unwrap();
        let paths = LongestPaths::new(&ConstraintGraph::new(&c), n).unwrap();
        let program = smallest_bound(&c, &paths).unwrap();
        let goal = Goal { gap: 1e-7, ..Goal::default() };
        let s = Engine::Auto.solve(&program, None, &goal, &Run::seeded(1)).unwrap();
        assert!(s.certificate.is_within(1e-6), "{:?}", s.certificate);
        (s.certificate.bound(), s.certificate.primal)
    }

    /// Below the closed form there is no point with room to mend with: what breaks a row is told by how much, and has no gap.
    #[test]
    fn points_that_break_the_order_have_a_bound_and_no_gap() {
        let graph = ConstraintGraph::new(&crate::toy::answers(9, 2, 80, 0.0, 4));
        let c = graph.comparisons();
        let paths = LongestPaths::new(&graph, 9).unwrap();
        let program = partial_order(&c, &paths, 0.98 * paths.smallest()).unwrap();
        let honest = Engine::Auto.solve(&program, None, &Goal::default(), &Run::seeded(1)).unwrap();
        assert!(honest.certificate.is_within(1e-5) && honest.certificate.broken.is_none(), "{:?}", honest.certificate);
        let mut candidate = honest.candidate;
        candidate.factors[0] *= 1.2;
        let certificate = program.certify(&candidate).unwrap();
        assert_eq!((certificate.bound, certificate.gap), (honest.certificate.bound, None));
        assert!(certificate.primal > certificate.bound() && certificate.broken > Some(0.1), "{certificate:?}");
        assert!(certificate.to_string().contains("breaks a row that must hold"), "{certificate}");
        // By less than the tolerance it is borne.
        candidate.factors[0] *= (1.0 + 1e-8) / 1.2;
        assert!(program.certify(&candidate).unwrap().broken.is_none());
    }

    /// Three points, `d(01) + 1 ≤ d(02)`: the near two may coincide, and 1 is enough. With `d(02) + 1 ≤ d(12)` too, the points of the
    /// least bound lie on a line, `√B = √(B - 1) + √(B - 2)`, which is `3 B² - 6 B - 1 = 0`.
    #[test]
    fn small_orders_are_known_by_hand() {
        let pair = |a, b| Pair::new(Item(a), Item(b)).unwrap();
        let one = Comparison::new(pair(0, 1), pair(0, 2));
        let (low, high) = solved(3, vec![one]);
        assert!(low <= 1.0 + 1e-9 && high >= 1.0 - 1e-9 && high - low < 1e-5, "{low} {high}");
        let (low, high) = solved(3, vec![one, Comparison::new(pair(0, 2), pair(1, 2))]);
        let truth = 1.0 + 2.0 / 3f64.sqrt();
        assert!(low <= truth + 1e-9 && high >= truth - 1e-9 && high - low < 1e-4, "{low} {high} {truth}");
    }
}
