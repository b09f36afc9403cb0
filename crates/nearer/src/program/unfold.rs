//! The program of unfolding: points as far apart as their neighbours allow.

use crate::error::Error;
use crate::program::gram::Anchor;
use crate::program::robust::least_of;
use crate::program::{GramProgram, Interval, Rows, Sense};

/// How the distances of neighbours are held.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Unfold {
    /// `d ≤ D`.
    AtMost,
    /// `weight Σ |d - D|` is paid.
    Soft(f64),
    /// `weight Σ (d - D)²` is paid.
    Penalised(f64),
    /// `d = D`, which need not have a solution that a computer can find.
    Exact,
}

/// `max ⟨H, G⟩` with the squared distances `D` of neighbours held. The scale of the gap is the sum of `D`.
///
/// Refused where paying for stretched neighbours is cheaper than the spread it brings, since points then fly apart.
pub fn unfold(n: usize, edges: &[(u32, u32)], squared: &[f64], how: Unfold) -> Result<GramProgram, Error> {
    if matches!(how, Unfold::AtMost | Unfold::Exact)
        && let Some(p) = squared.iter().position(|d| *d <= 0.0)
    {
        return Err(Error::Evidence {
            what: format!("objects {} and {} are neighbours at a distance of 0", edges[p].0 + 1, edges[p].1 + 1),
            remedy: "merge them: no point keeps such a row with room to spare".into(),
        });
    }
    let (Interval { low, high }, curvature) = match how {
        Unfold::AtMost => (Interval::HARD, 0.0),
        Unfold::Soft(w) => (Interval::absolute(w), 0.0),
        Unfold::Penalised(w) => (Interval::EQUAL, 1.0 / (2.0 * w)),
        Unfold::Exact => (Interval::EQUAL, 0.0),
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
    let ones = vec![1.0; edges.len()];
    // S(s · 1) = -H + s L(1): how much of 1 makes it definite.
    let laplacian = least_of(&program, &ones) + 1.0;
    if laplacian <= 0.0 {
        return Err(Error::Evidence {
            what: "the neighbours do not hold all objects together".into(),
            remedy: "take more neighbours, or map the parts one by one".into(),
        });
    }
    program.anchor = Some(match how {
        Unfold::AtMost => Anchor::Scale,
        Unfold::Soft(w) => {
            if w * laplacian <= 1.0 {
                return Err(Error::Parameter {
                    name: "weight".into(),
                    value: w.to_string(),
                    expected: format!(
                        "more than {:.6}: below it points gain more by flying apart than it costs",
                        1.0 / laplacian
                    ),
                });
            }
            Anchor::Rows(vec![w; edges.len()], (w * laplacian - 1.0) * (1.0 - 1e-12))
        }
        Unfold::Penalised(_) | Unfold::Exact => Anchor::Rows(vec![2.0 / laplacian; edges.len()], 1.0 - 1e-12),
    });
    Ok(program)
}
