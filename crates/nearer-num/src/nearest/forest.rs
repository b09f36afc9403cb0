//! Nearly the nearest rows: random halves bring rows together that are near, and their neighbours' neighbours mend the rest.

use super::{Lists, Near, insert, pieces, squared};
use crate::par;
use crate::rng::Rng;

/// How often all rows are divided anew.
const TREES: u64 = 10;
/// Those in one leaf, then twice the neighbours of neighbours.
const PASSES: usize = 3;
/// Rows that one piece of the work has.
const PIECE: usize = 256;

/// For each row of `width` numbers `k` near other rows with their squared distances, nearest first. Each of ten times the rows
/// are halved between two of them, drawn at random, until few are left together; those are held against each other, and then each
/// row against the neighbours of its neighbours. Of ten nearest more than 95 % are found on sheets of up to eight dimensions (more than 99 %
/// on those of two); the same seed finds the same. Ended as [`super::neighbours_while`] is.
/// `O(rows (log rows + k²) width)`.
pub fn about(values: &[f64], width: usize, k: usize, seed: u64, go_on: &mut dyn FnMut(usize) -> bool) -> Option<Lists> {
    let n = values.len().checked_div(width).unwrap_or(0);
    let k = k.min(n.saturating_sub(1));
    let row = |i: u32| &values[i as usize * width..][..width];
    let leaves: Vec<Vec<Vec<u32>>> = par::map(TREES as usize, |tree| {
        let mut rng = Rng::task(seed, 0x666f_7265 + tree as u64);
        let mut order: Vec<u32> = (0..n as u32).collect();
        let mut leaves = Vec::new();
        halve(&mut order, &row, 3 * k + 10, &mut rng, &mut leaves);
        leaves
    });
    // Where each row stands in each tree.
    let home: Vec<Vec<u32>> = leaves
        .iter()
        .map(|tree| {
            let mut home = vec![0; n];
            tree.iter().enumerate().for_each(|(l, leaf)| leaf.iter().for_each(|&i| home[i as usize] = l as u32));
            home
        })
        .collect();
    let mut near = each(n, &mut |done| go_on(done / PASSES), |i| {
        let mut found = Vec::with_capacity(k + 1);
        for (tree, home) in leaves.iter().zip(&home) {
            for &j in &tree[home[i as usize] as usize] {
                meet(&mut found, k, i, j, &row);
            }
        }
        found
    })?;
    drop((leaves, home));
    for pass in 1..PASSES {
        near = each(n, &mut |done| go_on((pass * n + done) / PASSES), |i| {
            let mut found = near[i as usize].clone();
            for &Near(_, j) in &near[i as usize] {
                for &Near(_, other) in &near[j as usize] {
                    meet(&mut found, k, i, other, &row);
                }
            }
            found
        })?;
    }
    Some(near.into_iter().map(|list| list.into_iter().map(|Near(d, j)| (j, d)).collect()).collect())
}

fn meet<'a>(found: &mut Vec<Near>, k: usize, i: u32, j: u32, row: &impl Fn(u32) -> &'a [f64]) {
    if i != j && !found.iter().any(|one| one.1 == j) {
        insert(found, k, Near(squared(row(i), row(j)), j));
    }
}

/// Divides rows at the middle of their projections on the way from one of them to another.
fn halve<'a>(
    order: &mut [u32],
    row: &impl Fn(u32) -> &'a [f64],
    few: usize,
    rng: &mut Rng,
    leaves: &mut Vec<Vec<u32>>,
) {
    if order.len() <= few {
        leaves.push(order.to_vec());
        return;
    }
    let (a, b) = (row(order[rng.below(order.len())]), row(order[rng.below(order.len())]));
    let along = |i: u32| row(i).iter().zip(a.iter().zip(b)).map(|(v, (a, b))| v * (a - b)).sum::<f64>();
    let mut placed: Vec<(f64, u32)> = order.iter().map(|&i| (along(i), i)).collect();
    let half = placed.len() / 2;
    placed.select_nth_unstable_by(half, |x, y| x.0.total_cmp(&y.0).then(x.1.cmp(&y.1)));
    order.iter_mut().zip(&placed).for_each(|(o, p)| *o = p.1);
    let (low, high) = order.split_at_mut(half);
    halve(low, row, few, rng, leaves);
    halve(high, row, few, rng, leaves);
}

fn each(
    n: usize,
    go_on: &mut dyn FnMut(usize) -> bool,
    one: impl Fn(u32) -> Vec<Near> + Sync + Send,
) -> Option<Vec<Vec<Near>>> {
    pieces(n, PIECE, go_on, |range| range.map(|i| one(i as u32)).collect())
}
