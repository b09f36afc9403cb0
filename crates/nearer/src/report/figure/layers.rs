//! What lies under and over the points of a map: hulls and spiders of groups, arrows, lines between objects, contours.

use super::encode::Groups;
use crate::geometry::Embedding;
use crate::metadata::Column;
use nearer_num::order;

/// A line, an area or a word on a map, in its coordinates along the two axes that are drawn.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Layer {
    /// A thin line between two objects.
    Join(usize, usize),
    /// A line, with a head where it is an arrow, in the colour of a group or in ink.
    Line {
        /// Where it begins.
        from: [f64; 2],
        /// Where it ends.
        to: [f64; 2],
        /// Whether it ends in a head.
        head: bool,
        /// The group whose colour it has.
        group: Option<usize>,
    },
    /// An area with a faint fill.
    Area {
        /// Its corners, one after another.
        outline: Vec<[f64; 2]>,
        /// The group whose colour it has.
        group: Option<usize>,
    },
    /// A word.
    Word {
        /// Where its middle is.
        at: [f64; 2],
        /// What it says.
        text: String,
        /// The group whose colour it has.
        group: Option<usize>,
    },
}

/// The colours of a figure.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Theme {
    /// Dark on white.
    #[default]
    Light,
    /// Light on near black, for slides.
    Dark,
    /// Shades of grey alone, for print.
    Grey,
}

/// The points of a map along two of its axes; of a map with one axis the second is 0.
pub(crate) fn plane(map: &Embedding, axes: (usize, usize)) -> Vec<[f64; 2]> {
    let (a, b) = if map.dim() > 1 { axes } else { (0, 0) };
    let second = |r: ndarray::ArrayView1<'_, f64>| if map.dim() > 1 { r[b] } else { 0.0 };
    map.points().rows().into_iter().map(|r| [r[a], second(r)]).collect()
}

fn members(column: &Column, points: &[[f64; 2]]) -> Vec<Vec<[f64; 2]>> {
    let groups = Groups::of(column);
    let mut out = vec![Vec::new(); groups.names.len()];
    groups.of.iter().zip(points).filter_map(|(g, p)| Some(((*g)?, *p))).for_each(|(g, p)| out[g].push(p));
    out
}

fn mean(points: &[[f64; 2]]) -> [f64; 2] {
    [0, 1].map(|k| points.iter().map(|p| p[k]).sum::<f64>() / points.len().max(1) as f64)
}

impl Layer {
    /// The convex hull of each group of a column that has three objects apart.
    #[must_use]
    pub fn hulls(map: &Embedding, axes: (usize, usize), column: &Column) -> Vec<Layer> {
        let groups = members(column, &plane(map, axes));
        let hulls = groups.into_iter().enumerate().map(|(k, points)| (k, hull(points)));
        let hulls = hulls.filter(|(_, outline)| outline.len() > 2);
        hulls.map(|(k, outline)| Layer::Area { outline, group: Some(k) }).collect()
    }
    /// A line from the mean of each group of a column to its objects, and the group's name there.
    #[must_use]
    pub fn spiders(map: &Embedding, axes: (usize, usize), column: &Column) -> Vec<Layer> {
        let names = Groups::of(column).names;
        let groups = members(column, &plane(map, axes));
        let mut out = Vec::new();
        for (k, points) in groups.iter().enumerate().filter(|(_, p)| !p.is_empty()) {
            let from = mean(points);
            out.extend(points.iter().map(|to| Layer::Line { from, to: *to, head: false, group: Some(k) }));
        }
        // Names last, so that no line crosses them.
        for (k, points) in groups.iter().enumerate().filter(|(_, p)| !p.is_empty()) {
            out.push(Layer::Word { at: mean(points), text: names[k].clone(), group: Some(k) });
        }
        out
    }
    /// Arrows from the middle of the map, each of a name, a direction along the axes that are drawn, and a length from 0 to 1; the
    /// longest that there is room for.
    #[must_use]
    pub fn arrows(map: &Embedding, axes: (usize, usize), arrows: &[(String, [f64; 2], f64)]) -> Vec<Layer> {
        /// The share of the way to the border that the longest takes.
        const REACH: f64 = 0.8;
        let points = plane(map, axes);
        let from = mean(&points);
        let room = |k: usize, sign: f64| points.iter().map(|p| sign * (p[k] - from[k])).fold(0.0, f64::max);
        let scale = arrows
            .iter()
            .flat_map(|(_, way, length)| {
                [0, 1].map(|k| {
                    let along = way[k] * length;
                    if along == 0.0 { f64::INFINITY } else { REACH * room(k, along.signum()) / along.abs() }
                })
            })
            .filter(|s| *s > 0.0)
            .fold(f64::INFINITY, f64::min);
        let scale = if scale.is_finite() { scale } else { 1.0 };
        let tip = |way: &[f64; 2], length: f64| [0, 1].map(|k| from[k] + scale * length * way[k]);
        let lines =
            arrows.iter().map(|(_, way, length)| Layer::Line { from, to: tip(way, *length), head: true, group: None });
        let words = arrows.iter().map(|(name, way, length)| Layer::Word {
            at: tip(way, length + 0.09),
            text: name.clone(),
            group: None,
        });
        lines.chain(words).collect()
    }
    /// An arrow from each object along these vectors in the coordinates of the map, the longest an eighth of what the map takes; and
    /// how many times as long as they are they are drawn.
    #[must_use]
    pub fn drift(map: &Embedding, axes: (usize, usize), vectors: &[Vec<f64>]) -> (Vec<Layer>, f64) {
        if map.dim() < 2 {
            return (Vec::new(), 1.0);
        }
        let points = plane(map, axes);
        let ways: Vec<[f64; 2]> = vectors.iter().map(|v| [v[axes.0], v[axes.1]]).collect();
        let longest = ways.iter().map(|w| w[0].hypot(w[1])).fold(0.0, f64::max);
        let wide = [0, 1].map(|k| {
            let (low, high) =
                points.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(a, b), p| (a.min(p[k]), b.max(p[k])));
            high - low
        });
        if longest <= 0.0 {
            return (Vec::new(), 1.0);
        }
        let times = wide[0].max(wide[1]) / 8.0 / longest;
        let arrow = |(p, w): (&[f64; 2], &[f64; 2])| Layer::Line {
            from: *p,
            to: [p[0] + times * w[0], p[1] + times * w[1]],
            head: true,
            group: None,
        };
        (points.iter().zip(&ways).map(arrow).collect(), times)
    }
    /// Lines of equal density of the points (a normal kernel of Scott's width), at even steps up to the highest.
    #[must_use]
    pub fn contours(map: &Embedding, axes: (usize, usize)) -> Vec<Layer> {
        const GRID: usize = 72;
        const LEVELS: usize = 6;
        let points = plane(map, axes);
        let n = points.len() as f64;
        let middle = mean(&points);
        let width = [0, 1].map(|k| {
            let square: f64 = points.iter().map(|p| (p[k] - middle[k]).powi(2)).sum();
            (square / (n - 1.0).max(1.0)).sqrt() * n.powf(-1.0 / 6.0)
        });
        if width.iter().any(|w| w.is_nan() || *w <= 0.0) {
            return Vec::new();
        }
        let low = [0, 1].map(|k| points.iter().map(|p| p[k]).fold(f64::INFINITY, f64::min) - 2.0 * width[k]);
        let high = [0, 1].map(|k| points.iter().map(|p| p[k]).fold(f64::NEG_INFINITY, f64::max) + 2.0 * width[k]);
        let at = |k: usize, i: usize| low[k] + (high[k] - low[k]) * i as f64 / (GRID - 1) as f64;
        let bell = |k: usize, i: usize| -> Vec<f64> {
            points.iter().map(|p| (-0.5 * ((p[k] - at(k, i)) / width[k]).powi(2)).exp()).collect()
        };
        let (xs, ys): (Vec<_>, Vec<_>) = (0..GRID).map(|i| (bell(0, i), bell(1, i))).unzip();
        let density: Vec<Vec<f64>> =
            xs.iter().map(|x| ys.iter().map(|y| x.iter().zip(y).map(|(a, b)| a * b).sum()).collect()).collect();
        let most = density.iter().flatten().copied().fold(0.0, f64::max);
        let mut out = Vec::new();
        for level in 1..=LEVELS {
            let level = most * level as f64 / (LEVELS + 1) as f64;
            for i in 0..GRID - 1 {
                for j in 0..GRID - 1 {
                    let corners = [(i, j), (i + 1, j), (i + 1, j + 1), (i, j + 1)];
                    let mut crossed = Vec::new();
                    for k in 0..4 {
                        let ((a, b), (c, d)) = (corners[k], corners[(k + 1) % 4]);
                        let (p, q) = (density[a][b], density[c][d]);
                        if (p < level) != (q < level) {
                            let t = (level - p) / (q - p);
                            let between = |k: usize, i: usize, j: usize| at(k, i) + t * (at(k, j) - at(k, i));
                            crossed.push([between(0, a, c), between(1, b, d)]);
                        }
                    }
                    for pair in crossed.chunks_exact(2) {
                        out.push(Layer::Line { from: pair[0], to: pair[1], head: false, group: None });
                    }
                }
            }
        }
        out
    }
}

/// The convex hull, counter-clockwise (Andrew 1979).
fn hull(mut points: Vec<[f64; 2]>) -> Vec<[f64; 2]> {
    order::by(&mut points, &|a, b| a[0].total_cmp(&b[0]).then(a[1].total_cmp(&b[1])));
    points.dedup();
    if points.len() < 3 {
        return Vec::new();
    }
    let left = |o: [f64; 2], a: [f64; 2], b: [f64; 2]| (a[0] - o[0]) * (b[1] - o[1]) - (a[1] - o[1]) * (b[0] - o[0]);
    let half = |points: &mut dyn Iterator<Item = [f64; 2]>| {
        let mut side: Vec<[f64; 2]> = Vec::new();
        for p in points {
            while side.len() > 1 && left(side[side.len() - 2], side[side.len() - 1], p) <= 0.0 {
                side.pop();
            }
            side.push(p);
        }
        side.pop();
        side
    };
    let mut out = half(&mut points.iter().copied());
    out.extend(half(&mut points.iter().rev().copied()));
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Objects;
    use ndarray::array;

    fn map() -> Embedding {
        let points = array![[0.0, 0.0], [2.0, 0.0], [2.0, 2.0], [0.0, 2.0], [1.0, 1.0], [5.0, 5.0]];
        Embedding::new(Objects::numbered(6), points).unwrap()
    }

    fn column(values: [&str; 6]) -> Column {
        Column { name: "g".into(), values: values.map(|v| Some(v.to_owned())).to_vec() }
    }

    #[test]
    fn a_hull_leaves_out_what_is_inside() {
        let hulls = Layer::hulls(&map(), (0, 1), &column(["a", "a", "a", "a", "a", "b"]));
        let corners = vec![[0.0, 0.0], [2.0, 0.0], [2.0, 2.0], [0.0, 2.0]];
        assert_eq!(hulls, [Layer::Area { outline: corners, group: Some(0) }]);
    }

    #[test]
    fn arrows_stay_within_the_points_and_keep_their_lengths_apart() {
        let wanted = [("long".to_owned(), [1.0, 0.0], 1.0), ("short".to_owned(), [0.0, -1.0], 0.5)];
        let layers = Layer::arrows(&map(), (0, 1), &wanted);
        let ends: Vec<f64> = layers
            .iter()
            .filter_map(|l| match l {
                Layer::Line { from, to, .. } => Some((to[0] - from[0]).hypot(to[1] - from[1])),
                _ => None,
            })
            .collect();
        assert!((ends[0] - 2.0 * ends[1]).abs() < 1e-12 && ends[0] <= 5.0 - 10.0 / 6.0);
    }

    #[test]
    fn contours_close_around_the_points() {
        let lines = Layer::contours(&map(), (0, 1));
        // Every end of a piece is the end of another.
        let mut ends = std::collections::HashMap::new();
        for l in &lines {
            let Layer::Line { from, to, .. } = l else { panic!() };
            for p in [from, to] {
                *ends.entry(p.map(|v| (v * 1e9).round() as i64)).or_insert(0) += 1;
            }
        }
        let open = ends.values().filter(|c| **c % 2 == 1).count();
        assert!(!lines.is_empty() && open * 20 < ends.len(), "{open} of {}", ends.len());
    }
}
