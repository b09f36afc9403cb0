//! The layout of a map's figure: where the panel, the points, the labels and the legend lie on the sheet, in points.

use std::collections::BTreeMap;

use super::candidate::{Job, Spot};
use super::colour::{PALETTE, Rgb};
use super::encode::{Encoding, Groups, Scale, check};
use super::layers::Layer;
use super::legend::Legend;
use super::map::{Figure, Labels};
use super::number::{round_down, show};
use super::place::place;
use super::project::Projection;
use super::sheet::{POINTS_PER_MM, Rect};
use super::spelling::Spelling;
use super::text::{Weight, Words, clean};
use crate::error::Error;
use crate::geometry::Ellipse;

pub(super) const MARGIN: f64 = 6.0;
pub(super) const TITLE: f64 = 9.0;
pub(super) const SMALL: f64 = 6.5;
/// The size of words of layers.
pub(super) const WORD: f64 = 7.0;
const DEFAULT_WIDTH_MM: f64 = 120.0;
const MOST_LABELLED: usize = 5000;
/// How ellipses of groups are told apart where colours are taken.
const DASHES: [&[f64]; 6] = [&[], &[3.0, 1.5], &[1.0, 1.2], &[5.0, 1.5, 1.0, 1.5], &[6.0, 2.0], &[2.0, 2.0]];
const GREY: Rgb = Rgb(0x66, 0x66, 0x66);

/// An ellipse with its colour and dashes.
#[derive(Debug, Clone, Copy)]
pub(super) struct Ring {
    pub(super) ellipse: Ellipse,
    pub(super) colour: Rgb,
    pub(super) dash: &'static [f64],
}

/// Everything about a figure but the writing of it.
#[derive(Debug)]
pub(super) struct Scene<'a> {
    pub(super) size: [f64; 2],
    pub(super) panel: Rect,
    pub(super) points: Vec<[f64; 2]>,
    pub(super) projection: Projection,
    pub(super) encoding: Encoding<'a>,
    pub(super) rings: Vec<Ring>,
    pub(super) legend: Legend,
    pub(super) legend_area: Rect,
    /// Of the markers, where all have one size.
    pub(super) radius: f64,
    /// Of each marker, where a column says it.
    pub(super) radii: Option<Vec<f64>>,
    pub(super) label_size: f64,
    /// Labels as they are written, and where.
    pub(super) labels: Vec<Option<(Spot, Words)>>,
    pub(super) dropped: usize,
    /// The words of layers.
    pub(super) words: Vec<Placed>,
    pub(super) spelling: Spelling,
    /// The scale bar: its length on the sheet and what it stands for.
    pub(super) bar: Option<(f64, String)>,
}

impl<'a> Scene<'a> {
    pub(super) fn new(figure: &Figure<'a>) -> Result<Scene<'a>, Error> {
        let coordinates = coordinates(figure)?;
        let (n, line) = (coordinates.len(), figure.map.dim() == 1);
        let encoding = Encoding::new(n, figure.colour, figure.shape)?;
        let mut rings = rings_of_objects(figure, &encoding)?;
        let mut projection = Projection::new(&coordinates);
        let groups = match figure.groups {
            Some((column, level)) => Some((column, group_rings(column, level, &coordinates, &encoding, &projection)?)),
            None => None,
        };
        if let Some((_, (_, _, of_groups))) = &groups {
            rings.splice(0..0, of_groups.iter().copied());
        }
        let tip = |layer: &Layer| match layer {
            Layer::Line { to, head: true, .. } => Some(Ellipse { centre: *to, half_axes: [0.0; 2], angle: 0.0 }),
            _ => None,
        };
        let tips: Vec<Ellipse> = figure.layers.iter().filter_map(tip).collect();
        projection.make_room(rings.iter().map(|r| &r.ellipse).chain(&tips));
        // Groups that are coloured already are explained already.
        let explain = groups.as_ref().filter(|(column, _)| figure.colour != Some(*column));
        let legend = Legend::new(&encoding, explain.map(|(c, (g, looks, _))| (c.name.as_str(), looks.as_slice(), g)));
        let spelling = Spelling::new(texts_of(figure).chain(legend.texts()));

        let (size, panel, legend_area) =
            sheet(figure, &legend, &spelling, if line { 0.28 + 0.006 * n as f64 } else { projection.aspect() }, line)?;
        projection.fit(panel);
        let points: Vec<[f64; 2]> = coordinates.iter().map(|p| projection.place(*p)).collect();
        let radius = marker_radius(n, panel);
        let radii = figure.sizes.map(|column| sizes(column, n, radius)).transpose()?;
        let mut label_size = label_size(n);
        let words = words_of(figure, &spelling, &projection, panel);
        let taken: Vec<[f64; 2]> = words.iter().flat_map(Placed::covered).collect();
        let room = (largest(radius, radii.as_deref()), panel);
        let labels = place_labels(figure, &spelling, &points, &taken, &mut label_size, room);
        let wanted = match figure.labels {
            Labels::None => 0,
            _ => figure.map.objects().labels().iter().filter(|l| !clean(l).is_empty()).count(),
        };
        let dropped = wanted - labels.iter().flatten().count().min(wanted);
        let bar = projection.per_point().and_then(|unit| {
            let length = round_down(unit * 0.22 * panel.width())?;
            Some((length / unit, show(length)))
        });
        Ok(Scene {
            size,
            panel,
            points,
            projection,
            encoding,
            rings,
            legend,
            legend_area,
            radius,
            radii,
            label_size,
            labels,
            dropped,
            words,
            spelling,
            bar,
        })
    }
}

fn coordinates(figure: &Figure<'_>) -> Result<Vec<[f64; 2]>, Error> {
    let dim = figure.map.dim();
    let rows = figure.map.points().rows();
    if dim == 1 && figure.axes.is_none_or(|(a, _)| a == 0) {
        return Ok(rows.into_iter().map(|r| [r[0], 0.0]).collect());
    }
    let (a, b) = figure.axes.unwrap_or((0, 1));
    if a >= dim || b >= dim || a == b {
        return Err(Error::Parameter {
            name: "axes".into(),
            value: format!("{a} and {b}"),
            expected: format!("two different axes of the {dim} there are, counted from 0"),
        });
    }
    Ok(rows.into_iter().map(|r| [r[a], r[b]]).collect())
}

fn rings_of_objects(figure: &Figure<'_>, encoding: &Encoding<'_>) -> Result<Vec<Ring>, Error> {
    let Some(ellipses) = figure.ellipses else { return Ok(Vec::new()) };
    let labels = figure.map.objects().labels();
    if ellipses.len() != labels.len() {
        return Err(Error::Evidence {
            what: format!("{} ellipses for {} objects", ellipses.len(), labels.len()),
            remedy: "give one ellipse or none for each object".into(),
        });
    }
    let mut rings = Vec::new();
    for (k, ellipse) in ellipses.iter().enumerate() {
        let Some(e) = ellipse else { continue };
        if !e.centre.iter().chain(&e.half_axes).chain([&e.angle]).all(|v| v.is_finite()) {
            return Err(Error::Evidence {
                what: format!("the ellipse of `{}` is not made of finite numbers", labels[k]),
                remedy: "leave out the ellipses that could not be computed".into(),
            });
        }
        rings.push(Ring { ellipse: *e, colour: encoding.looks[k].colour, dash: &[] });
    }
    Ok(rings)
}

type GroupRings = (Groups, Vec<(Rgb, &'static [f64])>, Vec<Ring>);

/// The groups, how their ellipses look, and the ellipses of those that have one.
fn group_rings(
    column: &crate::metadata::Column,
    level: f64,
    coordinates: &[[f64; 2]],
    encoding: &Encoding<'_>,
    projection: &Projection,
) -> Result<GroupRings, Error> {
    check(column, coordinates.len())?;
    if !(level > 0.0 && level < 1.0) {
        return Err(Error::Parameter {
            name: "level".into(),
            value: level.to_string(),
            expected: "a share between 0 and 1, such as 0.95".into(),
        });
    }
    let groups = Groups::of(column);
    let same = matches!(&encoding.colour, Some((c, Scale::Groups(_))) if *c == column);
    let look = |k: usize| match (&encoding.colour, same) {
        (None, _) | (_, true) => (PALETTE[k % PALETTE.len()], DASHES[(k / PALETTE.len()) % 6]),
        _ => (GREY, DASHES[k % 6]),
    };
    let looks: Vec<(Rgb, &'static [f64])> = (0..groups.names.len()).map(look).collect();
    let mut members = vec![Vec::new(); groups.names.len()];
    for (group, p) in groups.of.iter().zip(coordinates) {
        if let Some(group) = group {
            members[*group].push(projection.normal(*p));
        }
    }
    let ring = |(k, points): (usize, &Vec<[f64; 2]>)| {
        let ellipse = projection.denormal(Ellipse::of_points(points, level)?);
        Some(Ring { ellipse, colour: looks[k].0, dash: looks[k].1 })
    };
    let rings = members.iter().enumerate().filter_map(ring).collect();
    Ok((groups, looks, rings))
}

/// The sheet, the panel and the place of the legend.
fn sheet(
    figure: &Figure<'_>,
    legend: &Legend,
    spelling: &Spelling,
    aspect: f64,
    line: bool,
) -> Result<([f64; 2], Rect, Rect), Error> {
    let asked = figure.size.unwrap_or((DEFAULT_WIDTH_MM, DEFAULT_WIDTH_MM));
    let (width, given) = (asked.0 * POINTS_PER_MM, asked.1 * POINTS_PER_MM);
    for mm in [asked.0, asked.1] {
        if !(20.0..=2000.0).contains(&mm) {
            return Err(Error::Parameter {
                name: "size".into(),
                value: format!("{} mm x {} mm", asked.0, asked.1),
                expected: "20 mm to 2000 mm each way".into(),
            });
        }
    }
    let named = figure.axis_names.is_some();
    let explained = legend.width(spelling, 0.32 * width);
    let right = if explained > 0.0 { explained + 8.0 } else { 0.0 };
    let top = MARGIN + if figure.title.is_empty() { 0.0 } else { TITLE + 5.0 };
    let left = MARGIN + if named && !line { SMALL + 4.0 } else { 0.0 };
    let below = MARGIN + SMALL + 5.0 + if named { SMALL + 4.0 } else { 0.0 };
    let panel_width = width - left - MARGIN - right;
    let height = match figure.size {
        Some(_) => given,
        None => {
            let shape = if line { aspect.min(0.7) } else { aspect.clamp(0.5, 1.0) };
            let panel = (panel_width * shape).max(legend.height().min(1.1 * width));
            panel + top + below
        }
    };
    let panel = Rect { left, top, right: left + panel_width, bottom: height - below };
    let legend_area = Rect { left: panel.right + 8.0, top, right: width - MARGIN, bottom: height - MARGIN };
    Ok(([width, height], panel, legend_area))
}

fn marker_radius(n: usize, panel: Rect) -> f64 {
    let radius = match n {
        0..=60 => 2.3,
        61..=200 => 1.9,
        201..=1000 => 1.5,
        1001..=5000 => 1.1,
        5001..=20_000 => 0.8,
        _ => 0.6,
    };
    // On a sheet the size of a stamp, or of a poster, markers keep some proportion.
    radius * (panel.width().min(panel.height()) / 250.0).sqrt().clamp(0.6, 2.0)
}

fn label_size(n: usize) -> f64 {
    match n {
        0..=30 => 7.5,
        31..=80 => 6.5,
        81..=200 => 5.8,
        _ => 5.0,
    }
}

/// The labels that are written, and where. Where all are asked for and the first size leaves no room for some, smaller ones
/// are tried before anything is written over anything else.
fn place_labels(
    figure: &Figure<'_>,
    spelling: &Spelling,
    points: &[[f64; 2]],
    taken: &[[f64; 2]],
    size: &mut f64,
    (radius, panel): (f64, Rect),
) -> Vec<Option<(Spot, Words)>> {
    // What other words cover is as good as covered by points.
    let obstacles: Vec<[f64; 2]> = points.iter().chain(taken).copied().collect();
    let all = figure.labels == Labels::All;
    let line = figure.map.dim() == 1;
    let smaller: &[f64] = if all && points.len() <= 300 { &[0.9, 0.8, 0.72] } else { &[] };
    let first = *size;
    let mut tries = std::iter::once(&1.0).chain(smaller).peekable();
    while let Some(shrink) = tries.next() {
        *size = first * shrink;
        let texts = labels(figure, spelling, *size, panel);
        let mut extents: Vec<_> = texts.iter().map(|t| t.as_ref().map(|t| t.extent(*size, Weight::Regular))).collect();
        if extents.iter().all(Option::is_none) {
            break;
        }
        let all = all && tries.peek().is_none();
        extents.resize(obstacles.len(), None);
        let spots = place(&Job { points: &obstacles, labels: &extents, radius, frame: panel.grown(-1.0), line, all });
        if tries.peek().is_none() || spots.iter().zip(&texts).all(|(s, t)| s.is_some() == t.is_some()) {
            return spots.into_iter().zip(texts).map(|(s, t)| s.zip(t)).collect();
        }
    }
    vec![None; points.len()]
}

/// A word of a layer as it is written: its middle on the sheet.
#[derive(Debug)]
pub(super) struct Placed {
    pub(super) words: Words,
    pub(super) at: [f64; 2],
    pub(super) group: Option<usize>,
    half: f64,
}

impl Placed {
    /// Places that it covers.
    fn covered(&self) -> Vec<[f64; 2]> {
        const STEP: f64 = 4.0;
        let count = (2.0 * self.half / STEP).ceil().max(1.0) as usize;
        let x = |k: usize| self.at[0] - self.half + 2.0 * self.half * k as f64 / count as f64;
        (0..=count).map(|k| [x(k), self.at[1]]).collect()
    }
}

/// The words of layers, within the panel.
fn words_of(figure: &Figure<'_>, spelling: &Spelling, projection: &Projection, panel: Rect) -> Vec<Placed> {
    let placed = |layer: &Layer| {
        let Layer::Word { at, text, group } = layer else { return None };
        let words = spelling.fit(text, WORD, Weight::Regular, 0.5 * panel.width());
        let half = words.extent(WORD, Weight::Regular).width / 2.0;
        let [x, y] = projection.place(*at);
        let (left, right) = (panel.left + half + 2.0, panel.right - half - 2.0);
        let at = [x.clamp(left.min(right), right.max(left)), y.clamp(panel.top + 6.0, panel.bottom - 6.0)];
        Some(Placed { words, at, group: *group, half })
    };
    figure.layers.iter().filter_map(placed).collect()
}

/// The labels cut to a width that leaves others room.
fn labels(figure: &Figure<'_>, spelling: &Spelling, size: f64, panel: Rect) -> Vec<Option<Words>> {
    if !labelled(figure) {
        return vec![None; figure.map.len()];
    }
    let most = (0.4 * panel.width()).min(18.0 * size);
    let cut = |label: &String| Some(spelling.fit(label, size, Weight::Regular, most)).filter(|t| !t.text().is_empty());
    let all = figure.map.objects().labels();
    let mut out: Vec<Option<Words>> = all.iter().map(cut).collect();
    // Names that are cut to the same text are cut where they are told apart.
    let mut shown: BTreeMap<String, usize> = BTreeMap::new();
    out.iter().flatten().for_each(|words| *shown.entry(words.drawn().to_owned()).or_default() += 1);
    for (words, label) in out.iter_mut().zip(all) {
        if words.as_ref().is_some_and(|w| shown[w.drawn()] > 1) {
            *words = Some(spelling.fit_ends(label, size, Weight::Regular, most));
        }
    }
    figure.silent.iter().filter(|k| **k < out.len()).collect::<Vec<_>>().into_iter().for_each(|k| out[*k] = None);
    out
}

/// The radius of each point: areas from the least to some nine times that, even in the numbers of the column.
fn sizes(column: &crate::metadata::Column, n: usize, radius: f64) -> Result<Vec<f64>, Error> {
    check(column, n)?;
    let Some(values) = column.numbers() else {
        return Err(Error::Evidence {
            what: format!("the column `{}` holds words, and sizes are by numbers", column.name),
            remedy: "choose a column of numbers".into(),
        });
    };
    let known = || values.iter().flatten().copied();
    let (least, most) = (known().fold(f64::INFINITY, f64::min), known().fold(f64::NEG_INFINITY, f64::max));
    let share = |v: f64| if most > least { (v - least) / (most - least) } else { 0.5 };
    Ok(values.iter().map(|v| radius * (0.5 + 6.0 * v.map_or(0.0, share)).sqrt()).collect())
}

fn largest(radius: f64, radii: Option<&[f64]>) -> f64 {
    radii.map_or(radius, |r| 0.6 * r.iter().copied().fold(radius, f64::max))
}

fn labelled(figure: &Figure<'_>) -> bool {
    figure.labels != Labels::None && (figure.labels == Labels::All || figure.map.len() <= MOST_LABELLED)
}

/// What is written beside the points and around the panel.
fn texts_of<'a>(figure: &'a Figure<'_>) -> impl Iterator<Item = &'a str> {
    let labels: &[String] = if labelled(figure) { figure.map.objects().labels() } else { &[] };
    let axes = figure.axis_names.iter().flat_map(|(a, b)| [a.as_str(), b.as_str()]);
    let words = figure.layers.iter().filter_map(|l| match l {
        Layer::Word { text, .. } => Some(text.as_str()),
        _ => None,
    });
    labels.iter().map(String::as_str).chain([figure.title.as_str(), figure.corner.as_str()]).chain(axes).chain(words)
}
