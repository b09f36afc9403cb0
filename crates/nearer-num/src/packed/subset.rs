//! Some rows and columns of a packed triangle, in any order.

use super::{len, row_start};

/// Rows and columns that are worked on together: what they are taken from stays in the first caches, along rows and down columns.
const TILE: usize = 64;

/// Some rows and columns of triangles of one size.
#[derive(Debug)]
pub struct Subset<'a> {
    items: &'a [usize],
    /// Where entry `j` of row `i` stands, less `j`.
    bases: Vec<usize>,
}

impl<'a> Subset<'a> {
    /// These rows and columns of `n`, in this order, none of them twice.
    #[must_use]
    pub fn new(n: usize, items: &'a [usize]) -> Self {
        // The last row has no entry, and its base may lie before the first.
        Subset { items, bases: (0..n).map(|i| row_start(n, i).wrapping_sub(i + 1)).collect() }
    }

    /// The triangle of these rows and columns of a triangle.
    #[must_use]
    pub fn of<T: Copy>(&self, triangle: &[T]) -> Vec<T> {
        let count = self.items.len();
        let mut out = Vec::with_capacity(len(count));
        let Some(&any) = triangle.first() else { return out };
        for top in (0..count).step_by(TILE) {
            let bottom = (top + TILE).min(count);
            out.resize(if bottom == count { len(count) } else { row_start(count, bottom) }, any);
            for left in (top..count).step_by(TILE) {
                let right = (left + TILE).min(count);
                for a in top..bottom {
                    let from = left.max(a + 1);
                    if from >= right {
                        break;
                    }
                    let start = row_start(count, a) + from - a - 1;
                    let to = &mut out[start..start + right - from];
                    let i = self.items[a];
                    for (place, &j) in to.iter_mut().zip(&self.items[from..right]) {
                        *place = triangle[self.bases[i.min(j)].wrapping_add(i.max(j))];
                    }
                }
            }
        }
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::packed::index;
    use crate::rng::Rng;

    #[test]
    fn every_entry_is_that_of_its_two_objects() {
        let mut rng = Rng::task(11, 0);
        for (n, count) in [(1, 1), (2, 2), (3, 0), (40, 1), (65, 65), (150, 129), (300, 200)] {
            let triangle: Vec<u32> = (0..len(n) as u32).collect();
            let mut items: Vec<usize> = (0..n).collect();
            (0..n).for_each(|k| items.swap(k, k + rng.below(n - k)));
            items.truncate(count);
            let got = Subset::new(n, &items).of(&triangle);
            assert_eq!(got.len(), if count < 2 { 0 } else { len(count) });
            for a in 0..count {
                for b in a + 1..count {
                    let (i, j) = (items[a].min(items[b]), items[a].max(items[b]));
                    assert_eq!(got[index(count, a, b)], triangle[index(n, i, j)]);
                }
            }
        }
    }
}
