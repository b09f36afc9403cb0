//! Rows that compare squared differences, `Z_near - Z_far` and `Z_pair` with `Z_ij,p = (F_ip - F_jp)²`: never written out.
//!
//! There are many comparisons and few pairs. With `D` for which pairs a row compares, `A = D Z`, and `Aᵗ Θ A = Zᵗ (Dᵗ Θ D) Z`,
//! where `Dᵗ Θ D` is a Laplacian over the pairs: `O(q)` for each comparison and `O(q²)` for each pair, not for each comparison.

use super::rows::Rows;
use ndarray::s;

use crate::linear::{add_product, columns, columns_mut};
use crate::squares::Squares;
use crate::{packed, par};

/// Pairs whose squares are held at a time.
const HELD: usize = 2048;
/// Pairs that one piece fills in.
const PIECE: usize = 64;
/// Columns of a product that one piece works on.
const COLUMNS: usize = 64;

/// The rows `Z_near - Z_far` of comparisons, and after them `Z` of all pairs where those are bounded.
#[derive(Debug)]
pub struct PairRows<'a> {
    squares: &'a Squares,
    /// The pairs that comparisons refer to by place; all pairs of objects, packed, where there is no list.
    listed: Option<&'a [(u32, u32)]>,
    near: &'a [u32],
    far: &'a [u32],
    bounded: bool,
    /// The places in use and, place by place, the comparisons it is in with the other place.
    used: Vec<u32>,
    from: Vec<usize>,
    with: Vec<(u32, u32)>,
}

impl<'a> PairRows<'a> {
    /// Comparisons of the pairs at places `near` and `far` of a list, or of all pairs packed; with a row for each pair of objects
    /// where they are `bounded`, which takes all pairs.
    ///
    /// # Panics
    /// If pairs are bounded and listed, or there are not as many near as far.
    #[must_use]
    pub fn new(
        squares: &'a Squares,
        listed: Option<&'a [(u32, u32)]>,
        (near, far): (&'a [u32], &'a [u32]),
        bounded: bool,
    ) -> Self {
        assert!(!(bounded && listed.is_some()) && near.len() == far.len(), "rows of pairs");
        let places = listed.map_or(packed::len(squares.objects()), <[_]>::len);
        let mut from = vec![0; places + 1];
        near.iter().chain(far).for_each(|p| from[*p as usize + 1] += 1);
        (0..places).for_each(|p| from[p + 1] += from[p]);
        let mut next = from.clone();
        let mut with = vec![(0, 0); 2 * near.len()];
        for (t, (a, b)) in near.iter().zip(far).enumerate() {
            for (here, there) in [(a, b), (b, a)] {
                with[next[*here as usize]] = (t as u32, *there);
                next[*here as usize] += 1;
            }
        }
        let used = (0..places as u32).filter(|p| bounded || from[*p as usize] < from[*p as usize + 1]).collect();
        PairRows { squares, listed, near, far, bounded, used, from, with }
    }

    /// Operations of a step, about.
    #[must_use]
    pub fn work(&self) -> f64 {
        let q = self.width() as f64;
        (self.used.len() as f64 * q + 8.0 * self.near.len() as f64) * q
    }

    fn pair(&self, place: u32) -> (usize, usize) {
        match self.listed {
            Some(list) => (list[place as usize].0 as usize, list[place as usize].1 as usize),
            None => packed::pair(self.squares.objects(), place as usize),
        }
    }

    fn distances(&self, x: &[f64]) -> Vec<f64> {
        match self.listed {
            Some(list) => self.squares.of(x, list),
            None => self.squares.all(x),
        }
    }

    /// Rows of `Z` and of `Dᵗ Θ D Z` at some of the places in use.
    fn fill(&self, theta: &[f64], first: usize, z: &mut [f64], y: &mut [f64]) {
        let q = self.width();
        let flat = self.squares.numbers().as_slice().expect("in rows");
        let row = |at: usize| &flat[at * q..(at + 1) * q];
        // The squares of a place, `by` times, added.
        let add = |place: u32, by: f64, out: &mut [f64]| {
            let (i, j) = self.pair(place);
            match self.squares {
                Squares::Features(_) => {
                    let (a, b) = (row(i), row(j));
                    out.iter_mut().zip(a).zip(b).for_each(|((y, a), b)| *y += by * ((a - b) * (a - b)));
                }
                Squares::Given(n, _) => {
                    out.iter_mut().zip(row(packed::index(*n, i, j))).for_each(|(y, z)| *y += by * z);
                }
            }
        };
        let parts: Vec<(&mut [f64], &mut [f64])> = z.chunks_mut(PIECE * q).zip(y.chunks_mut(PIECE * q)).collect();
        par::each(parts, |k, (z, y)| {
            for (l, (z, y)) in z.chunks_mut(q).zip(y.chunks_mut(q)).enumerate() {
                let here = self.used[first + k * PIECE + l];
                z.fill(0.0);
                add(here, 1.0, z);
                let among = &self.with[self.from[here as usize]..self.from[here as usize + 1]];
                let mut sum: f64 = among.iter().map(|(t, _)| theta[*t as usize]).sum();
                if self.bounded {
                    sum += theta[self.near.len() + here as usize];
                }
                y.iter_mut().zip(z.iter()).for_each(|(y, z)| *y = sum * z);
                among.iter().for_each(|(t, there)| add(*there, -theta[*t as usize], y));
            }
        });
    }
}

impl Rows for PairRows<'_> {
    fn len(&self) -> usize {
        self.near.len() + if self.bounded { self.used.len() } else { 0 }
    }

    fn width(&self) -> usize {
        self.squares.columns()
    }

    fn times(&self, x: &[f64]) -> Vec<f64> {
        let d = self.distances(x);
        let mut out: Vec<f64> = self.near.iter().zip(self.far).map(|(a, b)| d[*a as usize] - d[*b as usize]).collect();
        if self.bounded {
            out.extend_from_slice(&d);
        }
        out
    }

    fn transposed(&self, y: &[f64]) -> Vec<f64> {
        let (compared, pairs) = y.split_at(self.near.len());
        let net: Vec<f64> = self
            .used
            .iter()
            .map(|place| {
                let among = &self.with[self.from[*place as usize]..self.from[*place as usize + 1]];
                let sign = |t: u32| if self.near[t as usize] == *place { 1.0 } else { -1.0 };
                let sum: f64 = among.iter().map(|(t, _)| sign(*t) * compared[*t as usize]).sum();
                sum + if self.bounded { pairs[*place as usize] } else { 0.0 }
            })
            .collect();
        let pairs: Vec<(u32, u32)> =
            self.used.iter().map(|p| self.pair(*p)).map(|(i, j)| (i as u32, j as u32)).collect();
        self.squares.gathered(&pairs, &net)
    }

    fn normal(&self, theta: &[f64], out: &mut [f64]) {
        let q = self.width();
        let held = HELD.min(self.used.len());
        let (mut z, mut y) = (vec![0.0; held * q], vec![0.0; held * q]);
        for first in (0..self.used.len()).step_by(HELD) {
            let count = HELD.min(self.used.len() - first);
            self.fill(theta, first, &mut z[..count * q], &mut y[..count * q]);
            let (z, y) = (&z[..count * q], &y[..count * q]);
            let (z, y) = (columns(z, q, count), columns(y, q, count));
            par::chunks(out, COLUMNS * q, |start, part| {
                let (first, many) = (start / q, part.len() / q);
                let into = columns_mut(part, q, many).slice_move(s![first.., ..]);
                let right = y.slice(s![first..first + many, ..]).reversed_axes();
                add_product(into, 1.0, 1.0, z.slice(s![first.., ..]), right);
            });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::orthant::DenseRows;
    use crate::rng::Rng;
    use ndarray::Array2;

    /// The same rows written out have the same products, of listed pairs and of all, bounded or not, on any number of threads.
    #[test]
    fn products_are_those_of_the_rows_written_out() {
        for (n, q, m, bounded) in [(3, 2, 1, false), (9, 5, 40, true), (70, 30, 900, true), (12, 70, 200, false)] {
            let mut rng = Rng::task(21, n as u64);
            let f = Array2::from_shape_simple_fn((n, q), || rng.normal());
            let all: Vec<(u32, u32)> =
                (0..packed::len(n)).map(|k| packed::pair(n, k)).map(|(i, j)| (i as u32, j as u32)).collect();
            let list: Vec<(u32, u32)> = all.iter().copied().step_by(2).collect();
            let pairs = if bounded { &all } else { &list };
            let (mut near, mut far) = (Vec::new(), Vec::new());
            while near.len() < m {
                let (a, b) = (rng.below(pairs.len()) as u32, rng.below(pairs.len()) as u32);
                if a != b {
                    near.push(a);
                    far.push(b);
                }
            }
            let mut dense = DenseRows::new(q);
            let square = |place: u32, p: usize| {
                let (i, j) = pairs[place as usize];
                (f[(i as usize, p)] - f[(j as usize, p)]).powi(2)
            };
            for (a, b) in near.iter().zip(&far) {
                dense.values.extend((0..q).map(|p| square(*a, p) - square(*b, p)));
            }
            if bounded {
                (0..pairs.len() as u32).for_each(|a| dense.values.extend((0..q).map(|p| square(a, p))));
            }
            let squares = Squares::Features(f.clone());
            let rows = PairRows::new(&squares, (!bounded).then_some(&list[..]), (&near, &far), bounded);
            assert_eq!(rows.len(), dense.len());
            let x: Vec<f64> = (0..q).map(|_| rng.normal()).collect();
            let y: Vec<f64> = (0..rows.len()).map(|_| rng.normal()).collect();
            let theta: Vec<f64> = y.iter().map(|y| y * y).collect();
            let close = |a: &[f64], b: &[f64]| {
                let size = b.iter().fold(0.0, |m: f64, v| m.max(v.abs()));
                a.iter().zip(b).all(|(a, b)| (a - b).abs() <= 1e-11 * size)
            };
            assert!(close(&rows.times(&x), &dense.times(&x)) && close(&rows.transposed(&y), &dense.transposed(&y)));
            let square = |rows: &dyn Rows| {
                let mut out = vec![0.0; q * q];
                rows.normal(&theta, &mut out);
                (0..q).for_each(|j| out[j * q..j * q + j].fill(0.0));
                out
            };
            assert!(close(&square(&rows), &square(&dense)));
            assert_eq!(crate::par::install(2, || square(&rows)), square(&rows));
        }
    }
}
