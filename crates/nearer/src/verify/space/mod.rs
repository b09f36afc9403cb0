//! Where points may lie, made of the evidence: the file says how many directions it used, and nothing about them is believed.
//!
//! A certificate names a basis, since its points are written along one. Here the space is made anew: kernel columns, landmarks and
//! eigenvectors of the neighbour graph from the evidence and the settings of the claim. The points of the file are projected on it
//! and evaluated there, and the bound is one about it.

mod eigenvectors;
mod factors;
mod kernels;
mod landmarks;

use ndarray::Array2;

use super::limits::Limits;
use super::question::{NAMED, Trouble, Two, other_question};
use crate::evidence::Kernels;
use crate::io::CertificateFile;
use crate::program::{Block, Candidate};

/// A block of a space as it was made here.
#[derive(Debug, Clone)]
pub(super) struct Made {
    pub(super) basis: Array2<f64>,
    /// `inverseᵗ basis = I`: what makes a factor of points.
    inverse: Array2<f64>,
    pub(super) charge: Option<Array2<f64>>,
    pub(super) which: Which,
}

/// Which directions those of a block are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Which {
    /// As many as there can be.
    All,
    /// The widest of them.
    Widest { of: usize },
}

impl Made {
    /// How many directions there can be.
    pub(super) fn possible(&self) -> usize {
        match self.which {
            Which::All => self.basis.ncols(),
            Which::Widest { of } => of,
        }
    }
    /// The factor of the points that are nearest to those of the file's factor on the file's basis.
    fn factor(&self, named: &Block, factor: &Array2<f64>) -> Array2<f64> {
        self.inverse.t().dot(&named.basis.dot(factor))
    }
}

/// The answer of the file on a space that was made here.
pub(super) fn projected(candidate: &Candidate, named: &[Block], made: &[Made]) -> Candidate {
    let factors = made.iter().zip(named).zip(&candidate.factors).map(|((m, b), f)| m.factor(b, f)).collect();
    Candidate { factors, ..candidate.clone() }
}

/// How the blocks of a question are scaled.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Scaling {
    /// Orthonormal, and charged so many times the trace.
    Orthonormal(f64),
    /// Principal components, charged their own trace.
    Principal,
}

/// The spans of kernels for the columns of these objects, one block a kernel, each with as many directions as the file has.
pub(super) fn of_kernels(
    file: &CertificateFile,
    kernels: &Kernels,
    objects: &[usize],
    scaling: Scaling,
    limits: &Limits<'_>,
) -> Result<Vec<Made>, Trouble> {
    if file.space.len() != kernels.len() {
        return Err(wrong("there is not one basis for each kernel"));
    }
    let one = |(k, named): (usize, &Block)| {
        let own = kernels::own(kernels, k, objects, limits);
        let count = named.basis.ncols();
        let made = match scaling {
            Scaling::Orthonormal(trace) => own.orthonormal(count, trace),
            Scaling::Principal => own.principal(count, limits),
        };
        made.ok_or_else(|| {
            let (few, many) = (own.fewest, own.most);
            wrong(&format!("its basis has {count} directions, and the kernel has {few}{}", up_to(few, many)))
        })
    };
    file.space.iter().enumerate().map(one).collect()
}

/// The one span that all kernels have together, of so many leading directions of each.
pub(super) fn together(
    file: &CertificateFile,
    kernels: &Kernels,
    each: usize,
    limits: &Limits<'_>,
) -> Result<Made, Trouble> {
    let count = file.space.first().map_or(0, |b| b.basis.ncols());
    let made = kernels::together(kernels, each, count, limits)
        .ok_or_else(|| wrong(&format!("its basis has {count} directions, and the kernel has others")))?;
    same_count(file, made)
}

/// Landmarks of the neighbour graph: `apart` is the squared distance of two vertices where it is known.
pub(super) fn of_landmarks(
    file: &CertificateFile,
    graph: &Graph<'_>,
    count: usize,
    apart: &dyn Fn(usize, usize) -> Option<f64>,
    limits: &Limits<'_>,
) -> Result<Made, Trouble> {
    let basis = landmarks::span(graph, count, apart, limits)
        .ok_or_else(|| wrong("its landmarks could not be made of the evidence"))?;
    same_count(file, of_basis(basis, graph.n))
}

/// The smoothest eigenvectors of the neighbour graph.
pub(super) fn of_eigenvectors(
    file: &CertificateFile,
    graph: &Graph<'_>,
    count: usize,
    limits: &Limits<'_>,
) -> Result<Made, Trouble> {
    let named = file.space.first().map(|b| b.basis.clone()).unwrap_or_default();
    let basis = eigenvectors::smoothest(graph, count, &named, limits)
        .ok_or_else(|| wrong("its vectors are not told from others by the neighbour graph"))?;
    same_count(file, of_basis(basis, graph.n))
}

/// The vectors that the file names, as they stand: a bound about them is about nothing else.
pub(super) fn named(file: &CertificateFile) -> Vec<Made> {
    let made = |b: &Block| Made { basis: b.basis.clone(), inverse: b.basis.clone(), charge: None, which: Which::All };
    file.space.iter().map(made).collect()
}

/// The principal coordinates of objects that kernels give together, and the turn that takes coordinates of the file to them; `None` where
/// the file has not as many, or others.
pub(super) fn principal_coordinates(
    kernels: &Kernels,
    named: &Array2<f64>,
    limits: &Limits<'_>,
) -> Option<(Array2<f64>, Array2<f64>)> {
    /// Directions that carry less than this share of the widest one's variance are not in the question.
    const SPANNED: f64 = 1e-6;
    /// So near it, they may be or not.
    const NEAR: f64 = 1e-6;
    /// By how much of the widest variance an inner product of the file's coordinates may be off; what is computed, is so of those made here.
    const SAME: f64 = 1e-9;
    let n = kernels.objects().len();
    let sum = |i: usize, j: usize| (0..kernels.len()).map(|k| kernels.matrix(k)[(i, j)]).sum::<f64>();
    let columns: factors::Columns = (0..n).map(|j| (0..n).map(|i| sum(i, j)).collect()).collect();
    // Centred on both sides.
    let columns =
        factors::centred(factors::columns_of(&factors::matrix_of(&factors::centred(columns), n).reversed_axes()));
    let factors::Singular { left, sizes, .. } = factors::singular(&columns, SPANNED * (1.0 - NEAR), limits);
    let (count, widest) = (named.ncols(), *sizes.first()?);
    let fewest = sizes.iter().filter(|s| **s > SPANNED * (1.0 + NEAR) * widest).count();
    if named.nrows() != n || !(fewest..=sizes.len()).contains(&count) || count == 0 {
        return None;
    }
    let own = Array2::from_shape_fn((n, count), |(i, k)| left[k][i] * sizes[k].sqrt());
    let (made, given) = (own.dot(&own.t()), named.dot(&named.t()));
    let same = made.iter().zip(&given).all(|(a, b)| (a - b).abs() <= SAME * widest);
    let turn = Array2::from_shape_fn((count, count), |(k, l)| own.column(k).dot(&named.column(l)) / sizes[k]);
    same.then_some((own, turn))
}

/// A neighbour graph: vertices, and edges with their squared lengths.
#[derive(Debug, Clone, Copy)]
pub(super) struct Graph<'a> {
    pub(super) n: usize,
    pub(super) edges: &'a [(Two, f64)],
}

fn of_basis(basis: factors::Columns, n: usize) -> Made {
    let basis = factors::matrix_of(&basis, n);
    Made { inverse: basis.clone(), basis, charge: None, which: Which::All }
}

fn same_count(file: &CertificateFile, made: Made) -> Result<Made, Trouble> {
    let (given, own) = (file.space.first().map_or(0, |b| b.basis.ncols()), made.basis.ncols());
    if file.space.len() == 1 && given == own {
        return Ok(made);
    }
    Err(wrong(&format!("its basis has {given} directions, and the evidence makes {own}")))
}

fn up_to(few: usize, many: usize) -> String {
    if few == many { String::new() } else { format!(" to {many}") }
}

fn wrong(what: &str) -> Trouble {
    other_question(format!("the certificate is not about this question: {what}"))
}

/// What of a file has more numbers than its question can have, if something has: nothing is computed of it.
pub(super) fn beyond(file: &CertificateFile, objects: usize) -> Option<String> {
    let wide = file.space.iter().map(|b| b.basis.ncols()).find(|q| *q > objects);
    if let Some(q) = wide {
        return Some(format!("its basis has {q} directions, and {objects} objects have no more than they are"));
    }
    let many = |f: &&Array2<f64>| filled(f).len() > f.nrows().max(objects);
    let factor = file.candidate.factors.iter().find(many)?;
    Some(format!("a factor has {} columns that are not empty for {} rows", filled(factor).len(), factor.nrows()))
}

/// The columns of a factor that are not all zero: the others say nothing.
fn filled(factor: &Array2<f64>) -> Vec<usize> {
    (0..factor.ncols()).filter(|k| factor.column(*k).iter().any(|v| *v != 0.0)).collect()
}

/// The same file without columns that say nothing, so that none of them is counted as a source of rounding.
pub(super) fn without_empty_columns(file: &CertificateFile) -> CertificateFile {
    let mut file = file.clone();
    for factor in &mut file.candidate.factors {
        let filled = filled(factor);
        if filled.len() < factor.ncols() {
            *factor = factor.select(ndarray::Axis(1), &filled);
        }
    }
    file
}

const LANDMARKS: &str = " landmarks";
const EIGENVECTORS: &str = " eigenvectors of the neighbour graph";

/// Whether a claim is about vectors that could also be called the file's own.
pub(super) fn can_be_named(about: &str) -> bool {
    about.starts_with("no map that combines ") && (about.ends_with(LANDMARKS) || about.ends_with(EIGENVECTORS))
}

/// The claim about the vectors of the file, and about nothing more.
pub(super) fn by_name(file: &CertificateFile) -> String {
    let count: usize = file.space.iter().map(|b| b.basis.ncols()).sum();
    format!("no map that combines {count} {NAMED}")
}
