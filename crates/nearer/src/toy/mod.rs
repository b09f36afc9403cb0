//! Small data to try things on.

mod colours;

use ndarray::Array2;
use nearer_num::order;
use nearer_num::rng::Rng;

pub use colours::{JudgedColours, judged_colours};

use crate::evidence::{Comparison, Comparisons, Distances, Features, Judged, Pairs, Sorts};
use crate::object::{Item, Objects, Pair};

const CITIES: [&str; 21] = [
    "Athens",
    "Barcelona",
    "Brussels",
    "Calais",
    "Cherbourg",
    "Cologne",
    "Copenhagen",
    "Geneva",
    "Gibraltar",
    "Hamburg",
    "Hook of Holland",
    "Lisbon",
    "Lyons",
    "Madrid",
    "Marseilles",
    "Milan",
    "Munich",
    "Paris",
    "Rome",
    "Stockholm",
    "Vienna",
];

/// Kilometres by road, upper triangle row by row.
#[rustfmt::skip]
const ROAD_KM: [u16; 210] = [
    3313, 2963, 3175, 3339, 2762, 3276, 2610, 4485, 2977, 3030, 4532, 2753, 3949, 2865, 2282, 2179, 3000, 817, 3927, 1991,
    1318, 1326, 1294, 1498, 2218, 803, 1172, 2018, 1490, 1305, 645, 636, 521, 1014, 1365, 1033, 1460, 2868, 1802,
    204, 583, 206, 966, 677, 2256, 597, 172, 2084, 690, 1558, 1011, 925, 747, 285, 1511, 1616, 1175,
    460, 409, 1136, 747, 2224, 714, 330, 2052, 739, 1550, 1059, 1077, 977, 280, 1662, 1786, 1381,
    785, 1545, 853, 2047, 1115, 731, 1827, 789, 1347, 1101, 1209, 1160, 340, 1794, 2196, 1588,
    760, 1662, 2436, 460, 269, 2290, 714, 1764, 1035, 911, 583, 465, 1497, 1403, 937,
    1418, 3196, 460, 269, 2971, 1458, 2498, 1778, 1537, 1104, 1176, 2050, 650, 1455,
    1975, 1118, 895, 1936, 158, 1439, 425, 328, 591, 513, 995, 2068, 1019,
    2897, 2428, 676, 1817, 698, 1693, 2185, 2565, 1971, 2631, 3886, 2974,
    550, 2671, 1159, 2198, 1479, 1238, 805, 877, 1751, 949, 1155,
    2280, 863, 1730, 1183, 1098, 851, 457, 1683, 1500, 1205,
    1178, 668, 1762, 2250, 2507, 1799, 2700, 3231, 2937,
    1281, 320, 328, 724, 471, 1048, 2108, 1157,
    1157, 1724, 2010, 1273, 2097, 3188, 2409,
    618, 1109, 792, 1011, 2428, 1363,
    331, 856, 586, 2187, 898,
    821, 946, 1754, 428,
    1476, 1827, 1249,
    2707, 1209,
    2105,
];

/// Road distances in kilometres between 21 European cities: the textbook example of classical scaling, and not quite
/// Euclidean, since roads bend.
#[must_use]
pub fn cities() -> Distances {
    let values = ROAD_KM.iter().map(|km| f64::from(*km)).collect();
    let objects = Objects::new(CITIES).expect("the names differ");
    Distances::from_condensed(objects, values).expect("the table is complete")
}

/// Distances between `n` random points of a normal distribution in `dim` dimensions: exactly Euclidean.
#[must_use]
pub fn gaussian(n: usize, dim: usize, seed: u64) -> Distances {
    let mut rng = Rng::task(seed, 0);
    let x: Vec<Vec<f64>> = (0..n).map(|_| (0..dim).map(|_| rng.normal()).collect()).collect();
    let distance = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| (a - b).powi(2)).sum::<f64>().sqrt();
    let values = (0..n).flat_map(|i| (i + 1..n).map(move |j| (i, j))).map(|(i, j)| distance(&x[i], &x[j])).collect();
    Distances::from_condensed(Objects::numbered(n), values).expect("distances of points are finite")
}

/// The points of a Swiss roll, a rectangle rolled up in space, as features `x`, `height`, `z`, and the places of its
/// points on the rectangle before it was rolled up (along the roll, and across it).
#[must_use]
pub fn swiss_roll(n: usize, seed: u64) -> (Features, Array2<f64>) {
    let mut rng = Rng::task(seed, 3);
    let drawn: Vec<(f64, f64)> =
        (0..n).map(|_| (1.5 * std::f64::consts::PI * (1.0 + 2.0 * rng.uniform()), 21.0 * rng.uniform())).collect();
    let values = Array2::from_shape_fn((n, 3), |(i, k)| {
        let (angle, height) = drawn[i];
        [angle * angle.cos(), height, angle * angle.sin()][k]
    });
    // The length of the spiral r = t up to the angle t.
    let along = |t: f64| 0.5 * (t * (1.0 + t * t).sqrt() + t.asinh());
    let flat = Array2::from_shape_fn((n, 2), |(i, k)| if k == 0 { along(drawn[i].0) } else { drawn[i].1 });
    let features = Features::new(Objects::numbered(n), ["x", "height", "z"], values).expect("all are finite");
    (features, flat)
}

/// The same with every distance multiplied by `1 + noise · z`, `z` normal, and never below 0: no longer Euclidean.
#[must_use]
pub fn noisy(n: usize, dim: usize, noise: f64, seed: u64) -> Distances {
    let mut rng = Rng::task(seed, 1);
    let exact = gaussian(n, dim, seed);
    let values = exact.condensed().iter().map(|d| (d * (1.0 + noise * rng.normal())).max(0.0)).collect();
    exact.with_values(values).expect("still finite and not negative")
}

/// Answers to `count` triplet questions about `n` random points of a normal distribution in `dim` dimensions: a head and
/// two others, drawn with replacement. A share `noise` of the answers is the wrong one.
///
/// # Panics
/// If answers are asked of fewer than three objects.
#[must_use]
pub fn answers(n: usize, dim: usize, count: usize, noise: f64, seed: u64) -> Comparisons {
    assert!(n >= 3 || count == 0, "a triplet needs three objects");
    let points = gaussian(n, dim, seed);
    let mut rng = Rng::task(seed, 2);
    let mut rows = Vec::with_capacity(count);
    while rows.len() < count {
        let [head, a, b] = [(); 3].map(|()| Item(rng.below(n) as u32));
        let (Some(near), Some(far), true) = (Pair::new(head, a), Pair::new(head, b), a != b) else { continue };
        let truth = points.get(near) < points.get(far);
        let wrong = rng.uniform() < noise;
        rows.push(if truth != wrong { Comparison::new(near, far) } else { Comparison::new(far, near) });
    }
    Comparisons::new(points.objects().clone(), rows).expect("the pairs of a triplet differ")
}

/// Objects with features and answers about them: two columns that the answers follow, and `nuisance` columns, twice as wide,
/// that they do not. `count` triplet answers, a share `noise` of them wrong.
///
/// # Panics
/// If answers are asked of fewer than three objects.
#[must_use]
pub fn featured_answers(n: usize, nuisance: usize, count: usize, noise: f64, seed: u64) -> (Features, Comparisons) {
    let said = answers(n, 2, count, noise, seed);
    // The same draw as the points behind the answers.
    let mut rng = Rng::task(seed, 0);
    let seen: Vec<f64> = (0..2 * n).map(|_| rng.normal()).collect();
    let mut rng = Rng::task(seed, 4);
    let values =
        Array2::from_shape_fn((n, 2 + nuisance), |(i, k)| if k < 2 { seen[2 * i + k] } else { 2.0 * rng.normal() });
    let names = (1..=2 + nuisance).map(|k| format!("f{k}"));
    (Features::new(said.objects().clone(), names, values).expect("all are finite"), said)
}

/// Objects of some classes with features: two columns in which the classes lie apart, and `nuisance` columns, three times as wide,
/// that have nothing to do with them.
///
/// # Panics
/// If there are fewer objects than classes.
#[must_use]
pub fn classed(n: usize, classes: usize, nuisance: usize, seed: u64) -> (Features, Sorts) {
    assert!(classes > 0 && n >= classes, "an object of each class");
    let mut rng = Rng::task(seed, 5);
    let turn = |i: usize| std::f64::consts::TAU * (i % classes) as f64 / classes as f64;
    let values = Array2::from_shape_fn((n, 2 + nuisance), |(i, k)| match k {
        0 => 4.0 * turn(i).cos() + rng.normal(),
        1 => 4.0 * turn(i).sin() + rng.normal(),
        _ => 3.0 * rng.normal(),
    });
    let objects = Objects::numbered(n);
    let of = (0..n).map(|i| Some(format!("c{}", i % classes))).collect();
    let names = (1..=2 + nuisance).map(|k| format!("f{k}"));
    let features = Features::new(objects.clone(), names, values).expect("all are finite");
    (features, Sorts::new(objects, vec!["class".into()], vec![of]).expect("one for each"))
}

/// Views of an object turned through `around` steps of a full circle at `along` heights: two are alike if they differ by at
/// most one step in both, and all others are not. View `(a, h)` is number `a · along + h`. With 18 and 9 it is the experiment
/// of Globerson and Roweis (2007, figure 5): its map is a cylinder.
#[must_use]
pub fn cylinder(around: usize, along: usize) -> Pairs {
    let n = around * along;
    let alike = |i: usize, j: usize| {
        let (a, b) = (i / along, j / along);
        let turn = a.abs_diff(b).min(around - a.abs_diff(b));
        turn <= 1 && (i % along).abs_diff(j % along) <= 1
    };
    said(n, alike)
}

/// `arms` arms of `length` points around a centre, each point alike to its `k` nearest and to no other (Globerson and Roweis
/// 2007, figure 3). Number 0 is the centre; point `h` of arm `a`, both from 0, is number `1 + a · length + h`.
#[must_use]
pub fn star(arms: usize, length: usize, k: usize) -> Pairs {
    let mut points = vec![[0.0, 0.0]];
    for arm in 0..arms {
        let angle = std::f64::consts::TAU * arm as f64 / arms as f64;
        points.extend((1..=length).map(|h| [h as f64 * angle.cos(), h as f64 * angle.sin()]));
    }
    neighbours(points, k)
}

/// A rectangular grid, each point alike to its `k` nearest and to no other (Globerson and Roweis 2007, figure 3). The point
/// in row `i` and column `j` is number `i · columns + j`.
#[must_use]
pub fn grid(rows: usize, columns: usize, k: usize) -> Pairs {
    neighbours((0..rows * columns).map(|p| [(p / columns) as f64, (p % columns) as f64]).collect(), k)
}

/// What each point says of all others: alike if among its `k` nearest. Points are shaken a little first, since with ties what
/// is said would depend on the order of the points, and no map might satisfy it.
fn neighbours(mut points: Vec<[f64; 2]>, k: usize) -> Pairs {
    let mut rng = Rng::task(0, 3);
    points.iter_mut().flatten().for_each(|v| *v += 0.02 * (rng.uniform() - 0.5));
    let n = points.len();
    let square = |i: usize, j: usize| (points[i][0] - points[j][0]).powi(2) + (points[i][1] - points[j][1]).powi(2);
    let mut near = vec![false; n * n];
    for i in 0..n {
        let mut others: Vec<usize> = (0..n).filter(|j| *j != i).collect();
        order::by(&mut others, &|a, b| square(i, *a).total_cmp(&square(i, *b)));
        others.iter().take(k).for_each(|j| near[i * n + j] = true);
    }
    said(n, |i, j| near[i * n + j])
}

/// Every ordered pair, alike or not.
fn said(n: usize, alike: impl Fn(usize, usize) -> bool) -> Pairs {
    let ordered = (0..n).flat_map(|i| (0..n).filter(move |j| *j != i).map(move |j| (i, j)));
    let rows = ordered.map(|(i, j)| Judged::new(Item(i as u32), Item(j as u32), alike(i, j))).collect();
    Pairs::new(Objects::numbered(n), rows).expect("no object is paired with itself")
}
