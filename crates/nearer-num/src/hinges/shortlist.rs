//! Hinges that may open, listed: near the end of a descent they are few, and nothing else is looked at.

use std::ops::Range;

use ndarray::{Array2, ArrayView2};

use super::strips::others_within;
use super::{PIECE, Pass, Pushes, hinge, of_row};
use crate::par;
use crate::simd::{self, Kernel};
use crate::softmin::distances;
use crate::vectors::{square_distance, sum};

/// For each row the rows of other groups that its hinges may open against, listed once and good as long as no row moves far.
#[derive(Debug, Clone)]
pub struct Shortlist {
    starts: Vec<usize>,
    others: Vec<u32>,
    /// Where the rows were.
    at: Array2<f64>,
    /// No row of another group that is not listed was nearer to a row than this.
    beyond: Vec<f64>,
}

impl Shortlist {
    /// Those that come within `reach` of squared distance of a row's farthest partner.
    #[must_use]
    pub fn of(y: ArrayView2<'_, f64>, group: &[u32], partners: &[(u32, u32)], reach: f64) -> Self {
        let y = y.as_standard_layout();
        let squares: Vec<f64> = y.rows().into_iter().map(|row| row.dot(&row)).collect();
        let blocks = par::ranges(y.nrows(), PIECE);
        let found = par::map(blocks.len(), |b| {
            let d = distances(y.view(), &squares, blocks[b].clone());
            let mut lists = Vec::with_capacity(blocks[b].len());
            for (row, i) in d.rows().into_iter().zip(blocks[b].clone()) {
                let own = &partners[of_row(partners, i)];
                let far = own.iter().map(|p| row[p.1 as usize]).fold(f64::NEG_INFINITY, f64::max) + reach;
                let mut near = Vec::new();
                others_within(row.as_slice().expect("in rows"), group, i, far, &mut near);
                // Distances made of products are off by a little of their size.
                let beyond = (far - 1e-9 * (squares[i] + far.abs())).max(0.0).sqrt();
                lists.push((near, beyond));
            }
            lists
        });
        let (lists, beyond): (Vec<Vec<u32>>, Vec<f64>) = found.into_iter().flatten().unzip();
        let starts = std::iter::once(0).chain(lists.iter().scan(0, |sum, l| {
            *sum += l.len();
            Some(*sum)
        }));
        Shortlist { starts: starts.collect(), others: lists.concat(), at: y.to_owned(), beyond }
    }
    /// Whether no hinge that is not listed can be open now: rows that are not listed were too far to have come so near.
    #[must_use]
    pub fn covers(&self, y: ArrayView2<'_, f64>, partners: &[(u32, u32)], margin: f64) -> bool {
        let y = y.as_standard_layout();
        let (r, now, then) = (y.ncols(), y.as_slice().expect("in rows"), self.at.as_slice().expect("in rows"));
        let moved: Vec<f64> =
            (0..y.nrows()).map(|i| square_distance(&now[i * r..][..r], &then[i * r..][..r]).sqrt()).collect();
        let most = moved.iter().copied().fold(0.0, f64::max);
        partners.iter().all(|&(i, j)| {
            let (i, j) = (i as usize, j as usize);
            let left = self.beyond[i] - moved[i] - most;
            let near = square_distance(&now[i * r..][..r], &now[j * r..][..r]);
            left > 0.0 && left * left >= (margin + near) * (1.0 + 1e-12)
        })
    }
    /// How many pairs are listed.
    #[must_use]
    pub fn len(&self) -> usize {
        self.others.len()
    }
    /// Whether none is.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.others.is_empty()
    }
    /// As [`pass`](super::pass), over listed rows alone.
    #[must_use]
    pub fn pass(&self, y: ArrayView2<'_, f64>, partners: &[(u32, u32)], margin: f64, width: f64) -> Pass {
        let y = y.as_standard_layout();
        let (r, flat) = (y.ncols(), y.as_slice().expect("in rows"));
        let blocks = par::ranges(y.nrows(), PIECE);
        let found = par::map(blocks.len(), |b| {
            let (mut value, mut weights) = (0.0, Vec::new());
            let (rows, list, to) = (blocks[b].clone(), self, (&mut value, &mut weights));
            simd::run(Hinged { rows, list, y: flat, r, partners, margin, width, to });
            (value, weights)
        });
        let (mut moved, mut value) = (Array2::zeros(y.dim()), 0.0);
        for (part, weights) in found {
            value += part;
            let out = moved.as_slice_mut().expect("in rows");
            simd::run(Pushes { moved: out, y: flat, r, pairs: weights.into_iter() });
        }
        Pass { value, moved }
    }
}

/// The hinges of some rows against those that are listed for them.
struct Hinged<'a> {
    rows: Range<usize>,
    list: &'a Shortlist,
    y: &'a [f64],
    r: usize,
    partners: &'a [(u32, u32)],
    margin: f64,
    width: f64,
    /// The value, and the weights between pairs of rows.
    to: (&'a mut f64, &'a mut Vec<(u32, u32, f64)>),
}

impl Kernel for Hinged<'_> {
    #[inline(always)]
    fn run(self) {
        let Hinged { rows, list, y, r, partners, margin, width, to: (value, found) } = self;
        let square = |i: usize, j: u32| sum(&y[i * r..][..r], &y[j as usize * r..][..r], |a, b| (a - b) * (a - b));
        let most = rows.clone().map(|i| list.starts[i + 1] - list.starts[i]).max().unwrap_or(0);
        let (mut all, mut weights) = (vec![0.0; most], vec![0.0; most]);
        for i in rows {
            let others = &list.others[list.starts[i]..list.starts[i + 1]];
            let (d, pushed) = (&mut all[..others.len()], &mut weights[..others.len()]);
            // A plain loop: what an iterator that grows a vector calls would be compiled for any processor.
            for (d, l) in d.iter_mut().zip(others) {
                *d = square(i, *l);
            }
            pushed.fill(0.0);
            for &(_, j) in &partners[of_row(partners, i)] {
                let (far, mut pull) = (margin + square(i, j), 0.0);
                for (v, sum) in d.iter().zip(&mut *pushed) {
                    if *v < far {
                        let (h, slope) = hinge(far - v, width);
                        *value += h;
                        pull += slope;
                        *sum -= slope;
                    }
                }
                if pull > 0.0 {
                    found.push((i as u32, j, pull));
                }
            }
            for (l, w) in others.iter().zip(&*pushed) {
                if *w != 0.0 {
                    found.push((i as u32, *l, *w));
                }
            }
        }
    }
}
