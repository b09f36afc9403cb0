//! Do groups of objects differ? PERMANOVA, ANOSIM, and whether they are spread differently.

use ndarray::{Array2, ArrayView1};
use nearer_num::{dense, order, packed};
use serde::Serialize;

use crate::error::Error;
use crate::evaluate::permuted::p_values;
use crate::evidence::{Distances, ranks};
use crate::metadata::Column;
use crate::solve::Run;

/// What the tests say about groups.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct GroupTests {
    /// The column that makes the groups.
    pub by: String,
    /// The groups, in the order of their first object.
    pub groups: Vec<GroupSpread>,
    /// Objects without a group, which are left out.
    pub without: usize,
    /// How many shuffles each p comes from.
    pub permutations: usize,
    /// The share of the squared distances that lies between groups.
    pub permanova: Permanova,
    /// Ranks of distances between groups against those within.
    pub anosim: Anosim,
    /// Whether some groups are wider than others, which PERMANOVA and ANOSIM also answer to.
    pub dispersion: Dispersion,
}

/// One group.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct GroupSpread {
    /// Its name.
    pub name: String,
    /// How many objects.
    pub objects: usize,
    /// Their mean distance to the group's spatial median.
    pub spread: f64,
}

/// `F = (SS_between / (g-1)) / (SS_within / (n-g))` of squared distances (Anderson 2001), vegan's `adonis2`.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Permanova {
    /// The pseudo-F.
    pub f: f64,
    /// The share of the sum of squares that lies between groups.
    pub r2: f64,
    /// Degrees of freedom: between, within.
    pub df: (usize, usize),
    /// By permutation.
    pub p: f64,
}

/// `R = (mean rank between - mean rank within) / (n(n-1)/4)` (Clarke 1993), vegan's `anosim`.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Anosim {
    /// From -1 to 1.
    pub r: f64,
    /// By permutation.
    pub p: f64,
}

/// The F of an analysis of variance of distances to the group's spatial median (Anderson 2006), vegan's `betadisper`.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Dispersion {
    /// The F.
    pub f: f64,
    /// By permutation of residuals.
    pub p: f64,
}

/// What a group's spread is measured from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Centre {
    /// The point of least summed distance; vegan's default.
    #[default]
    Median,
    /// The mean.
    Centroid,
}

/// Tests whether the groups that a column makes differ, by so many shuffles. Objects without a value are left out.
///
/// # Fails
/// [`Error::Evidence`] where there are fewer than two groups, or no group of two; where distances are missing.
///
/// ```
/// use nearer::{Run, evaluate, metadata::Column, toy};
/// # fn main() -> Result<(), nearer::Error> {
/// let cities = toy::cities();
/// let south = ["Athens", "Barcelona", "Gibraltar", "Lisbon", "Madrid", "Rome"];
/// let of = |l: &String| Some(if south.contains(&l.as_str()) { "south" } else { "north" }.to_owned());
/// let column = Column { name: "where".into(), values: cities.objects().labels().iter().map(of).collect() };
/// let tests = evaluate::groups(&cities, &column, evaluate::Centre::Median, 199, &Run::seeded(1))?;
/// assert!(tests.permanova.p < 0.05 && tests.permanova.r2 > 0.1);
/// # Ok(()) }
/// ```
pub fn groups(
    distances: &Distances,
    column: &Column,
    centre: Centre,
    permutations: usize,
    run: &Run<'_>,
) -> Result<GroupTests, Error> {
    let (names, of) = column.categories();
    let with: Vec<usize> = (0..distances.len()).filter(|i| of.get(*i).copied().flatten().is_some()).collect();
    let without = distances.len() - with.len();
    let d = if without > 0 { distances.subset(&with) } else { distances.clone() };
    d.require_complete("groups")?;
    let of: Vec<usize> = with.iter().filter_map(|i| of[*i]).collect();
    let (n, g) = (d.len(), names.len());
    let sizes: Vec<usize> = (0..g).map(|k| of.iter().filter(|o| **o == k).count()).collect();
    if g < 2 || n <= g {
        return Err(Error::Evidence {
            what: format!("the column `{}` makes {g} groups of {n} objects", column.name),
            remedy: "choose a column with two groups or more, of more than one object".into(),
        });
    }
    run.afford("the tests of groups", 40 * (n * n) as u64, "test fewer objects")?;
    let squares = square(n, &d.condensed().iter().map(|v| v * v).collect::<Vec<_>>());
    let ranks = square(n, &ranks(d.condensed()));
    // Side by side, since each pair is asked for both, and from all over the square.
    let both: Vec<[f64; 2]> = squares.iter().zip(&ranks).map(|(s, r)| [*s, *r]).collect();
    // Objects in the order of their groups, so that a shuffle is cut into groups by their sizes.
    let mut grouped: Vec<usize> = (0..n).collect();
    order::by_key(&mut grouped, &|i| of[*i]);
    let total = squares.sum() / 2.0 / n as f64;
    let df = (g - 1, n - g);
    let pairs = packed::len(n) as f64;
    let inside: f64 = sizes.iter().map(|s| (s * s.saturating_sub(1) / 2) as f64).sum();
    let all_ranks = pairs * (pairs + 1.0) / 2.0;
    let statistics = |order: &[usize]| {
        let (mut within, mut rank, mut start) = (0.0, 0.0, 0);
        for size in &sizes {
            let members = &order[start..start + size];
            start += size;
            let (mut square, mut ranked) = (0.0, 0.0);
            for (k, &i) in members.iter().enumerate() {
                let row = &both[i * n..(i + 1) * n];
                for &j in &members[k + 1..] {
                    let [s, r] = row[j];
                    square += s;
                    ranked += r;
                }
            }
            within += square / *size as f64;
            rank += ranked;
        }
        let f = ((total - within) / df.0 as f64) / (within / df.1 as f64);
        let r = ((all_ranks - rank) / (pairs - inside) - rank / inside) / (pairs / 2.0);
        vec![f, r]
    };
    let observed = statistics(&grouped);
    let p = p_values(n, permutations, run, &observed, statistics)?;
    let between = observed[0] * df.0 as f64;
    let r2 = between / (between + df.1 as f64);
    let distance = to_centres(&squares, &of, g, centre)?;
    let dispersion = analysis(&distance, &of, &sizes, permutations, run)?;
    let spread = |k: usize| {
        let own = distance.iter().zip(&of).filter(|(_, o)| **o == k).map(|(v, _)| v);
        own.sum::<f64>() / sizes[k] as f64
    };
    Ok(GroupTests {
        by: column.name.clone(),
        groups: names
            .into_iter()
            .enumerate()
            .map(|(k, name)| GroupSpread { name, objects: sizes[k], spread: spread(k) })
            .collect(),
        without,
        permutations,
        permanova: Permanova { f: observed[0], r2, df, p: p[0] },
        anosim: Anosim { r: observed[1], p: p[1] },
        dispersion,
    })
}

/// A packed triangle as the square that it is half of.
fn square(n: usize, triangle: &[f64]) -> Array2<f64> {
    let mut out = vec![0.0; n * n];
    packed::rows_of_square(n, triangle, 0..n, &mut out);
    Array2::from_shape_vec((n, n), out).unwrap_or_default()
}

/// How far each object is from the centre of its group, in the space of all principal coordinates: `√|d₊² - d₋²|`, the second
/// from the axes of negative eigenvalues.
fn to_centres(squares: &Array2<f64>, of: &[usize], g: usize, centre: Centre) -> Result<Vec<f64>, Error> {
    let n = of.len();
    let means: Vec<f64> = squares.rows().into_iter().map(|r| r.sum() / n as f64).collect();
    let all = means.iter().sum::<f64>() / n as f64;
    let gram = Array2::from_shape_fn((n, n), |(i, j)| -0.5 * (squares[(i, j)] - means[i] - means[j] + all));
    let (values, vectors) = dense::eigh(gram.view())
        .map_err(|_| Error::Numerical { what: "the principal coordinates of the distances".into() })?;
    let largest = values.iter().fold(0.0, |m: f64, v| m.max(v.abs()));
    let tiny = f64::EPSILON.sqrt() * largest.max(1.0);
    let part = |positive: bool| {
        let axes: Vec<usize> = (0..n).filter(|k| values[*k].abs() > tiny && (values[*k] > 0.0) == positive).collect();
        let mut points = vectors.select(ndarray::Axis(1), &axes);
        for (mut column, k) in points.columns_mut().into_iter().zip(&axes) {
            column *= values[*k].abs().sqrt();
        }
        points
    };
    let (real, imaginary) = (part(true), part(false));
    let mut out = vec![0.0; n];
    for k in 0..g {
        let members: Vec<usize> = (0..n).filter(|i| of[*i] == k).collect();
        for (points, sign) in [(&real, 1.0), (&imaginary, -1.0)] {
            let own = points.select(ndarray::Axis(0), &members);
            let middle = match centre {
                Centre::Centroid => own.mean_axis(ndarray::Axis(0)).unwrap_or_default(),
                Centre::Median => spatial_median(&own),
            };
            for (row, i) in own.rows().into_iter().zip(&members) {
                out[*i] += sign * square_distance(row, middle.view());
            }
        }
    }
    out.iter_mut().for_each(|v| *v = v.abs().sqrt());
    Ok(out)
}

fn square_distance(a: ArrayView1<'_, f64>, b: ArrayView1<'_, f64>) -> f64 {
    a.iter().zip(b).map(|(x, y)| (x - y) * (x - y)).sum()
}

/// The point of least summed distance to some points (Weiszfeld 1937, with the step of Vardi and Zhang where it meets a point).
fn spatial_median(points: &Array2<f64>) -> ndarray::Array1<f64> {
    const ROUNDS: usize = 20_000;
    let mut at = points.mean_axis(ndarray::Axis(0)).unwrap_or_default();
    for _ in 0..ROUNDS {
        let (mut sum, mut weights, mut here) = (ndarray::Array1::<f64>::zeros(at.len()), 0.0, 0.0);
        for row in points.rows() {
            let d = square_distance(row, at.view()).sqrt();
            if d > 1e-12 {
                sum.scaled_add(1.0 / d, &row);
                weights += 1.0 / d;
            } else {
                here += 1.0;
            }
        }
        if weights == 0.0 {
            break;
        }
        let next = &sum / weights;
        let pull = ((&sum - &(&at * weights)).mapv(|v| v * v).sum()).sqrt();
        let keep = if here > 0.0 && pull > 0.0 { (here / pull).min(1.0) } else { 0.0 };
        let next = &next * (1.0 - keep) + &at * keep;
        let moved = square_distance(next.view(), at.view()).sqrt();
        let size = next.dot(&next).sqrt().max(1e-300);
        at = next;
        if moved <= 1e-13 * size {
            break;
        }
    }
    at
}

/// The F of numbers in groups, and how often residuals that are shuffled have one as large.
fn analysis(
    values: &[f64],
    of: &[usize],
    sizes: &[usize],
    shuffles: usize,
    run: &Run<'_>,
) -> Result<Dispersion, Error> {
    let (n, g) = (values.len() as f64, sizes.len() as f64);
    let f = |values: &dyn Fn(usize) -> f64| {
        let mut means = vec![0.0; sizes.len()];
        of.iter().enumerate().for_each(|(i, k)| means[*k] += values(i) / sizes[*k] as f64);
        let all = means.iter().zip(sizes).map(|(m, s)| m * *s as f64).sum::<f64>() / n;
        let between: f64 = means.iter().zip(sizes).map(|(m, s)| *s as f64 * (m - all) * (m - all)).sum();
        let within: f64 = of.iter().enumerate().map(|(i, k)| (values(i) - means[*k]).powi(2)).sum();
        ((between / (g - 1.0)) / (within / (n - g)), means)
    };
    let (observed, means) = f(&|i| values[i]);
    let left: Vec<f64> = values.iter().zip(of).map(|(v, k)| v - means[*k]).collect();
    let p = p_values(values.len(), shuffles, run, &[observed], |order| vec![f(&|i| left[order[i]]).0])?;
    Ok(Dispersion { f: observed, p: p[0] })
}
