//! The program of unfolding: points as far apart as their neighbours allow.

use nearer_num::laplacian::Laplacian;

use crate::error::Error;
use crate::program::certify::{FULL, distance_from_identity};
use crate::program::gram::Anchor;
use crate::program::robust::least_of;
use crate::program::{Block, GramProgram, Interval, Rows, Sense, Space};

/// How the distances of neighbours are held.
///
/// There is no `d = D`: such a program has no point with room to spare wherever more neighbours hold together than dimensions
/// need, general solvers disagree about its optimum by percents, and no multiplier repairs a bound for it. A large weight of
/// [`Soft`](Stretch::Soft) asks the same, and is solved and proved.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Stretch {
    /// `d ≤ D`.
    AtMost,
    /// `weight Σ |d - D|` is paid.
    Soft(f64),
    /// `weight Σ (d - D)²` is paid.
    Penalised(f64),
}

/// `max ⟨H, G⟩` with the squared distances `D` of neighbours held. The scale of the data is the sum of `D`.
///
/// Refused where paying for stretched neighbours is cheaper than the spread it brings, since points then fly apart.
pub(crate) fn unfold(n: usize, edges: &[(u32, u32)], squared: &[f64], how: Stretch) -> Result<GramProgram, Error> {
    if how == Stretch::AtMost
        && let Some(p) = squared.iter().position(|d| *d <= 0.0)
    {
        return Err(Error::Evidence {
            what: format!("objects {} and {} are neighbours at a distance of 0", edges[p].0 + 1, edges[p].1 + 1),
            remedy: "merge them: no point keeps such a row with room to spare".into(),
        });
    }
    let (Interval { low, high }, curvature) = match how {
        Stretch::AtMost => (Interval::HARD, 0.0),
        Stretch::Soft(w) => (Interval::absolute(w), 0.0),
        Stretch::Penalised(w) => (Interval::EQUAL, 1.0 / (2.0 * w)),
    };
    let mut rows = Rows::default();
    for (p, d) in squared.iter().enumerate() {
        rows.push(&[(p as u32, 1.0)], -d, low, high);
    }
    let mut program = GramProgram::new(n, Sense::Maximise, squared.iter().sum())
        .trace(-1.0)
        .pairs(edges.to_vec())
        .rows(rows)
        .curvature(curvature)
        .checked()?;
    let laplacian = held_together(&program)?;
    program.anchor = Some(match how {
        Stretch::AtMost | Stretch::Penalised(_) => Anchor::Scale,
        Stretch::Soft(w) => {
            if w * laplacian <= 1.0 {
                return Err(Error::Parameter {
                    name: "weight".into(),
                    value: w.to_string(),
                    expected: format!(
                        "more than {:.6} for this graph: below, stretching everything always pays",
                        1.0 / laplacian
                    ),
                });
            }
            Anchor::Rows(vec![w; edges.len()], (w * laplacian - 1.0) * (1.0 - 1e-12))
        }
    });
    Ok(program)
}

/// A number below `λ₂(L(1))`: how firmly the neighbours hold together. `S(s · 1) = -H + s L(1)`.
fn held_together(program: &GramProgram) -> Result<f64, Error> {
    let ones = vec![1.0; program.pairs.len()];
    let sparse = (program.n > FULL).then(|| Laplacian::new(program.n, &program.pairs).ok()).flatten();
    let least = match sparse {
        Some(mut laplacian) => laplacian.second(&ones, true).lower,
        None => least_of(program, &ones) + 1.0,
    };
    if least > 0.0 {
        return Ok(least);
    }
    Err(Error::Evidence {
        what: "the neighbours do not hold all objects together".into(),
        remedy: "take more neighbours, or map the parts one by one".into(),
    })
}

impl GramProgram {
    /// The same unfolding of points in the span of an orthonormal basis, without a charge; `about` names that set of maps.
    pub(crate) fn within(mut self, block: Block, about: String) -> Result<Self, Error> {
        let off = distance_from_identity(&block.basis);
        if let Some(Anchor::Rows(_, room)) = &mut self.anchor {
            *room *= (1.0 - off) * (1.0 - 1e-12);
        }
        self.space(Space::Spanned(vec![block])).over(about).checked()
    }
}
