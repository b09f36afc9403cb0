//! All triples, by strips of rows: squared distances become weights of a Laplacian, which is applied both ways and forgotten.
//! Where a descent begins most hinges are open, so that a product of tables is quicker than one pair after another.

use std::ops::Range;

use ndarray::{Array2, ArrayView2};

use super::{LANES, Open, PIECE, Pass, hinge, of_row};
use crate::simd::{self, Kernel};
use crate::softmin::{ALONE, distances};
use crate::vectors::sum;
use crate::{gemm, par};

/// A strip is applied as a product of tables where more than this share of its weights are not zero; one by one a number costs more, but only
/// those that are not zero do. A guess between the two, not swept.
const FILLED: f64 = 0.08;

/// One pass over all triples. `partners` are sorted by their first row; rows of [`ALONE`] are of no group and no other.
#[must_use]
pub fn pass(y: ArrayView2<'_, f64>, group: &[u32], partners: &[(u32, u32)], margin: f64, width: f64) -> Pass {
    let y = y.as_standard_layout();
    let squares: Vec<f64> = y.rows().into_iter().map(|row| row.dot(&row)).collect();
    let groups: Vec<f64> = group.iter().map(|g| f64::from(*g)).collect();
    let n = y.nrows();
    let blocks = par::ranges(n, PIECE);
    // Each lane has sums of its own for all rows: of few rows one is enough.
    let share = if blocks.len() < 2 * LANES { blocks.len() } else { blocks.len().div_ceil(LANES) };
    let lanes = par::ranges(blocks.len(), share.max(1));
    let found = par::map(lanes.len(), |lane| {
        let (mut value, mut degrees, mut moved) = (0.0, vec![0.0; n], Array2::zeros(y.dim()));
        for rows in &blocks[lanes[lane].clone()] {
            if of_row(partners, rows.start).start == of_row(partners, rows.end - 1).end {
                continue;
            }
            let mut strip = distances(y.view(), &squares, rows.clone());
            let strip = strip.as_slice_mut().expect("in rows");
            let mut met = 0;
            let (value, degrees, out) = (&mut value, &mut degrees[..], &mut met);
            simd::run(Weigh {
                rows: rows.clone(),
                strip,
                groups: &groups,
                partners,
                margin,
                width,
                value,
                degrees,
                met: out,
            });
            if met as f64 > FILLED * strip.len() as f64 {
                gemm::add_both_ways(strip, rows.clone(), y.view(), moved.view_mut());
            } else {
                let (r, y) = (y.ncols(), y.as_slice().expect("in rows"));
                let moved = moved.as_slice_mut().expect("in rows");
                simd::run(Few { strip, first: rows.start, y, r, moved });
            }
        }
        (value, degrees, moved)
    });
    let (mut value, mut degrees, mut moved) = (0.0, vec![0.0; n], Array2::<f64>::zeros(y.dim()));
    for (part, degree, one) in found {
        value += part;
        degrees.iter_mut().zip(&degree).for_each(|(a, b)| *a += b);
        moved += &one;
    }
    for ((mut out, row), degree) in moved.rows_mut().into_iter().zip(y.rows()).zip(&degrees) {
        out.zip_mut_with(&row, |o, y| *o = degree * y - *o);
    }
    Pass { value, moved }
}

/// Weights between some rows and all, of which few are not zero, applied both ways one by one.
struct Few<'a> {
    strip: &'a [f64],
    first: usize,
    y: &'a [f64],
    r: usize,
    moved: &'a mut [f64],
}

impl Kernel for Few<'_> {
    #[inline(always)]
    fn run(self) {
        let Few { strip, first, y, r, moved } = self;
        let n = y.len() / r;
        for (i, weights) in (first..).zip(strip.chunks_exact(n)) {
            for (k, eight) in weights.chunks(8).enumerate() {
                if eight.iter().fold(true, |none, w| none & (*w == 0.0)) {
                    continue;
                }
                for (j, w) in (8 * k..).zip(eight) {
                    if *w != 0.0 {
                        add(moved, y, r, (i, j), *w);
                        add(moved, y, r, (j, i), *w);
                    }
                }
            }
        }
    }
}

/// Adds a multiple of row `from` of one table to row `to` of another.
#[inline(always)]
fn add(moved: &mut [f64], y: &[f64], r: usize, (to, from): (usize, usize), w: f64) {
    for (out, v) in moved[to * r..][..r].iter_mut().zip(&y[from * r..][..r]) {
        *out += w * v;
    }
}

/// Squared distances of some rows to all, which become the derivatives of the value by them.
struct Weigh<'a> {
    rows: Range<usize>,
    strip: &'a mut [f64],
    /// The group of each row, as a number as wide as those it is compared beside.
    groups: &'a [f64],
    partners: &'a [(u32, u32)],
    margin: f64,
    width: f64,
    value: &'a mut f64,
    /// For every row of all, the sum of the weights between it and these.
    degrees: &'a mut [f64],
    /// How many weights are not zero, about.
    met: &'a mut usize,
}

impl Kernel for Weigh<'_> {
    #[inline(always)]
    fn run(self) {
        let (alone, slope) = (f64::from(ALONE), 1.0 / self.width);
        let mut pulls: Vec<(f64, [f64; 8])> = Vec::new();
        for (i, row) in self.rows.zip(self.strip.chunks_exact_mut(self.groups.len())) {
            let (own, mine) = (self.groups[i], &self.partners[of_row(self.partners, i)]);
            pulls.clear();
            pulls.extend(mine.iter().map(|p| (self.margin + row[p.1 as usize], [0.0; 8])));
            let far = pulls.iter().map(|p| p.0).fold(f64::NEG_INFINITY, f64::max);
            let mut values = [0.0; 8];
            for (row, groups) in row.chunks_mut(8).zip(self.groups.chunks(8)) {
                // What is too far away, of the same group or of none has no hinge: it is as if it were nowhere.
                let mut d = [f64::INFINITY; 8];
                let mut near = false;
                for ((d, v), g) in d.iter_mut().zip(&*row).zip(groups) {
                    *d = if *g != own && *g != alone { *v } else { f64::INFINITY };
                    near |= *d < far;
                }
                let mut weights = [0.0; 8];
                if near {
                    for (far, pull) in &mut pulls {
                        for k in 0..8 {
                            let reach = *far - d[k];
                            let reach = if reach > 0.0 { reach } else { 0.0 };
                            let steep = reach * slope;
                            let steep = if steep < 1.0 { steep } else { 1.0 };
                            values[k] += steep * (reach - 0.5 * steep * self.width);
                            pull[k] += steep;
                            weights[k] -= steep;
                        }
                    }
                }
                *self.met += weights.iter().filter(|w| **w != 0.0).count();
                row.copy_from_slice(&weights[..row.len()]);
            }
            *self.value += values.iter().sum::<f64>();
            for (p, pull) in mine.iter().zip(&pulls) {
                row[p.1 as usize] += pull.1.iter().sum::<f64>();
            }
            self.degrees.iter_mut().zip(&*row).for_each(|(degree, v)| *degree += v);
            self.degrees[i] += sum(row, self.groups, |v, _| v);
        }
    }
}

/// The value of all triples, and those that it depends on.
#[must_use]
pub fn open(y: ArrayView2<'_, f64>, group: &[u32], partners: &[(u32, u32)], margin: f64, width: f64) -> (f64, Open) {
    let y = y.as_standard_layout();
    let squares: Vec<f64> = y.rows().into_iter().map(|row| row.dot(&row)).collect();
    let blocks = par::ranges(y.nrows(), PIECE);
    let found = par::map(blocks.len(), |b| {
        let block = blocks[b].clone();
        let (mut value, mut active, mut near) = (0.0, Vec::new(), Vec::new());
        if of_row(partners, block.start).start == of_row(partners, block.end - 1).end {
            return (value, active);
        }
        let d = distances(y.view(), &squares, block.clone());
        for (i, row) in block.zip(d.rows()) {
            let row = row.to_slice().expect("in rows");
            let own = of_row(partners, i);
            let far = partners[own.clone()].iter().map(|p| row[p.1 as usize]).fold(f64::NEG_INFINITY, f64::max);
            others_within(row, group, i, margin + far, &mut near);
            for t in own {
                let far = margin + row[partners[t].1 as usize];
                for l in near.iter().filter(|l| row[**l as usize] < far) {
                    let (h, slope) = hinge(far - row[*l as usize], width);
                    value += h;
                    active.push((t as u32, *l, slope));
                }
            }
        }
        (value, active)
    });
    let mut all = Vec::with_capacity(found.iter().map(|f| f.1.len()).sum());
    let mut value = 0.0;
    for (part, active) in found {
        value += part;
        all.extend(active);
    }
    (value, all)
}

/// The rows of other groups whose squared distance to row `i` is below `far`: few, so that eight are passed by at a time.
pub(super) fn others_within(row: &[f64], group: &[u32], i: usize, far: f64, found: &mut Vec<u32>) {
    found.clear();
    let own = group[i];
    for (k, eight) in row.chunks(8).enumerate() {
        if eight.iter().fold(false, |any, v| any | (*v < far)) {
            let at = |(l, v): (usize, &f64)| (*v < far).then_some(8 * k + l);
            let near = eight.iter().enumerate().filter_map(at);
            found.extend(near.filter(|l| group[*l] != own && group[*l] != ALONE).map(|l| l as u32));
        }
    }
}
