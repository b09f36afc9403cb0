//! The programs that this engine takes, as it sees them: edges, a form, and where the points may lie.

use ndarray::{Array2, Axis, concatenate};
use nearer_num::laplacian::{Laplacian, Second};
use nearer_num::subspace::Subspace;

use crate::error::Error;
use crate::graph::KnownPairs;
use crate::program::{Candidate, GramProgram, Interval, Space, Stretch};

/// Neighbours and their squared distances. Every edge stands once and is longer than 0.
#[derive(Debug, Clone)]
pub(crate) struct Edges {
    /// How many objects.
    pub n: usize,
    /// The two ends of each edge, all objects connected by them.
    pub pairs: Vec<(u32, u32)>,
    /// The squared distance of each.
    pub squared: Vec<f64>,
}

/// Where the points may lie.
#[derive(Debug)]
pub(super) enum Span {
    /// Anywhere.
    Full(Box<Laplacian>),
    /// In the span of some vectors.
    Within(Box<Subspace>),
}

impl Span {
    pub(super) fn new(program: &GramProgram, edges: &Edges) -> Result<Self, Error> {
        let failed = |_| Error::Numerical { what: "the sparse factorisation of the neighbour graph".into() };
        Ok(match &program.space {
            Space::Free => Span::Full(Box::new(Laplacian::new(edges.n, &edges.pairs).map_err(failed)?)),
            Space::Spanned(blocks) => {
                let views: Vec<_> = blocks.iter().map(|b| b.basis.view()).collect();
                let all = concatenate(Axis(1), &views).expect("blocks have the same objects");
                Span::Within(Box::new(
                    Subspace::new(&all, &edges.pairs)
                        .map_err(|_| Error::Numerical { what: "the singular values of the span".into() })?,
                ))
            }
        })
    }
    /// The least eigenvalues of the Laplacian with these weights on what the points may be: an estimate.
    pub(super) fn second(&mut self, weights: &[f64]) -> Second {
        match self {
            Span::Full(laplacian) => laplacian.second(weights, false),
            Span::Within(span) => span.second(weights, false),
        }
    }
    /// How many dimensions points can have at most.
    pub(super) fn dimensions(&self, n: usize) -> usize {
        match self {
            Span::Full(_) => n - 1,
            Span::Within(span) => span.len(),
        }
    }
}

impl Edges {
    pub(crate) fn graph(&self) -> KnownPairs {
        KnownPairs::of_edges(self.n, &self.pairs, |e| self.squared[e].sqrt())
    }
    /// The same with every squared distance divided.
    pub(in crate::solve) fn scaled(&self, by: f64) -> Edges {
        Edges { n: self.n, pairs: self.pairs.clone(), squared: self.squared.iter().map(|d| d / by).collect() }
    }
}

/// The edges and the form of a program, if it is one of unfolding: `max ⟨H, G⟩`, one row a pair, all held alike, and one block
/// without a charge at most.
pub(in crate::solve) fn unfolding(program: &GramProgram) -> Option<(Edges, Stretch)> {
    let plain = program.trace == -1.0
        && program.balls.is_none()
        && program.trace_bound.is_none()
        && program.cost.iter().all(|c| *c == 0.0)
        && program.rows.len() == program.pairs.len()
        && match &program.space {
            Space::Free => true,
            Space::Spanned(blocks) => blocks.len() == 1 && blocks[0].charge.is_none(),
        };
    if !plain || program.pairs.is_empty() {
        return None;
    }
    let mut edges = Edges { n: program.n, pairs: Vec::new(), squared: Vec::new() };
    let mut seen = vec![false; program.pairs.len()];
    let all = program.interval(0);
    for t in 0..program.rows.len() {
        let mut entries = program.rows.entries(t);
        let (p, a) = entries.next()?;
        let first = !std::mem::replace(&mut seen[p as usize], true);
        if !first || a != 1.0 || entries.next().is_some() || program.interval(t) != all {
            return None;
        }
        edges.pairs.push(program.pairs[p as usize]);
        edges.squared.push(-program.rows.constant[t]);
    }
    let bent = program.curvature > 0.0;
    let form = if all == Interval::HARD && !bent {
        Stretch::AtMost
    } else if all == Interval::EQUAL && bent {
        Stretch::Penalised(1.0 / (2.0 * program.curvature))
    } else if all.high.is_finite() && all.low == -all.high && !bent {
        Stretch::Soft(all.high)
    } else {
        return None;
    };
    edges.squared.iter().all(|d| *d > 0.0).then_some((edges, form))
}

/// An answer of these points, in the space of the program.
pub(in crate::solve) fn candidate(program: &GramProgram, points: Array2<f64>, multipliers: Vec<f64>) -> Candidate {
    match &program.space {
        Space::Free => Candidate::free(points, multipliers),
        Space::Spanned(blocks) => {
            // One orthonormal block: the factor is the projection.
            let factors = blocks.iter().map(|b| b.basis.t().dot(&points)).collect();
            Candidate { factors, ..Candidate::free(Array2::zeros((0, 0)), multipliers) }
        }
    }
}
