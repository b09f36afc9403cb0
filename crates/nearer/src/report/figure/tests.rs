//! What every figure must keep to, checked on the finished files and on the glyphs as they are drawn.

use ndarray::{Array2, array};
use nearer_num::rng::Rng;
use roxmltree::Document;
use ttf_parser::OutlineBuilder;

use super::draw::draw;
use super::scene::Scene;
use super::sheet::{Anchor, Mark, Reading, Sheet};
use super::{Figure, Labels, font, png};
use crate::geometry::{Ellipse, Embedding};
use crate::metadata::Column;
use crate::object::Objects;

fn map(n: usize, groups: usize, spread: f64) -> Embedding {
    let mut rng = Rng::task(11, n as u64);
    let centres: Vec<[f64; 2]> = (0..groups).map(|_| [4.0 * rng.normal(), 3.0 * rng.normal()]).collect();
    let points = Array2::from_shape_fn((n, 2), |(i, k)| centres[i % groups][k] + spread * rng.normal());
    let names = ["ox", "Ångström", "pygmy hippopotamus", "jay", "Escherichia coli"];
    Embedding::new(Objects::new((0..n).map(|k| format!("{} {k}", names[k % 5]))).unwrap(), points).unwrap()
}

fn column(name: &str, values: impl Iterator<Item = Option<String>>) -> Column {
    Column { name: name.into(), values: values.collect() }
}

fn sheet(figure: &Figure<'_>) -> Sheet {
    draw(figure, Scene::new(figure).unwrap())
}

/// The box of what a pen has passed, handles of curves included: they reach further than the curves.
struct Bounds([f32; 4]);

impl OutlineBuilder for Bounds {
    fn move_to(&mut self, x: f32, y: f32) {
        let b = self.0;
        self.0 = [b[0].min(x), b[1].min(y), b[2].max(x), b[3].max(y)];
    }
    fn line_to(&mut self, x: f32, y: f32) {
        self.move_to(x, y);
    }
    fn quad_to(&mut self, x1: f32, y1: f32, x: f32, y: f32) {
        self.move_to(x1, y1);
        self.move_to(x, y);
    }
    fn curve_to(&mut self, x1: f32, y1: f32, x2: f32, y2: f32, x: f32, y: f32) {
        self.quad_to(x1, y1, x2, y2);
        self.move_to(x, y);
    }
    fn close(&mut self) {}
}

/// The boxes of the outlines of all texts across the sheet, as they are drawn: left, top, right, bottom.
fn text_boxes(sheet: &Sheet) -> Vec<[f64; 4]> {
    let mut found = Vec::new();
    for mark in &sheet.marks {
        let Mark::Text { at, set, words, reading: Reading::Across } = mark else { continue };
        let line = font::set(words.drawn());
        let back = match set.anchor {
            Anchor::Start => 0.0,
            Anchor::Middle => 0.5 * line.width * set.size,
            Anchor::End => line.width * set.size,
        };
        let mut bounds = Bounds([f32::MAX, f32::MAX, f32::MIN, f32::MIN]);
        font::outline(&line, set.size, &mut bounds);
        let [left, low, right, high] = bounds.0.map(f64::from);
        found.push([at[0] - back + left, at[1] - high, at[0] - back + right, at[1] - low]);
    }
    found
}

#[test]
fn texts_as_drawn_touch_neither_each_other_nor_the_edge() {
    for (n, groups, spread) in [(60, 60, 0.0), (60, 4, 0.4), (150, 3, 0.3), (400, 8, 0.5)] {
        let map = map(n, groups, spread);
        let habitat = column("habitat", (0..n).map(|k| (k % 7 != 0).then(|| format!("kind {}", k % 3))));
        let figure = Figure::new(&map).title("Animals").corner("stress-1 = 0.12").colour_by(&habitat);
        let sheet = sheet(&figure);
        let boxes = text_boxes(&sheet);
        assert!(boxes.len() >= n - figure.dropped_labels().unwrap());
        for (i, a) in boxes.iter().enumerate() {
            assert!(a[0] >= 0.0 && a[1] >= 0.0 && a[2] <= sheet.size[0] && a[3] <= sheet.size[1]);
            let free = |b: &[f64; 4]| a[2] <= b[0] || b[2] <= a[0] || a[3] <= b[1] || b[3] <= a[1];
            assert!(boxes[..i].iter().all(free), "{n} {groups} {a:?}");
        }
        let most = if n == 60 { 20 } else { n };
        assert!(figure.dropped_labels().unwrap() <= most, "{} of {n}", figure.dropped_labels().unwrap());
    }
}

/// Where the markers of the named objects stand.
fn marker(svg: &str, name: &str) -> [f64; 2] {
    let document = Document::parse(svg).unwrap();
    let titled = |n: &roxmltree::Node<'_, '_>| n.children().any(|c| c.has_tag_name("title") && c.text() == Some(name));
    let path = document.descendants().find(|n| n.has_tag_name("path") && titled(n)).unwrap();
    let d = path.attribute("d").unwrap();
    let (x, y) = d[1..d.find('a').unwrap()].split_once(',').unwrap();
    [x.parse().unwrap(), y.parse().unwrap()]
}

#[test]
fn a_unit_is_as_long_upwards_as_to_the_right_on_every_sheet() {
    for (scale, size) in [(1.0, (120.0, 40.0)), (1e-30, (40.0, 120.0)), (1e30, (90.0, 90.0))] {
        let points = array![[0.0, 0.0], [10.0, 0.0], [0.0, 10.0], [35.0, -3.0]] * scale;
        let map = Embedding::new(Objects::new(["o", "right", "up", "far"]).unwrap(), points).unwrap();
        let svg = Figure::new(&map).size(size.0, size.1).svg().unwrap();
        let [o, right, up] = ["o", "right", "up"].map(|name| marker(&svg, name));
        assert!((right[0] - o[0] - (o[1] - up[1])).abs() < 0.025 && right[0] - o[0] > 5.0, "{o:?} {right:?} {up:?}");
    }
}

#[test]
fn names_that_would_be_cut_alike_stay_apart() {
    let long = "a name that is longer than any figure has room for, with what tells it apart at its end:";
    let names = [format!("{long} left"), format!("{long} right"), format!("another {long} right")];
    let map = Embedding::new(Objects::new(names).unwrap(), array![[0.0, 0.0], [4.0, 3.0], [1.0, 8.0]]).unwrap();
    let svg = Figure::new(&map).svg().unwrap();
    let document = Document::parse(&svg).unwrap();
    let shown: Vec<&str> = document.descendants().filter(|n| n.has_tag_name("text")).filter_map(|n| n.text()).collect();
    for (begins, ends) in [("a name", " left"), ("a name", "right"), ("another", "…")] {
        let found = shown.iter().filter(|t| t.starts_with(begins) && t.ends_with(ends) && t.contains('…')).count();
        assert_eq!(found, 1, "{begins} … {ends}: {shown:?}");
    }
}

#[test]
fn strangers_names_come_back_as_text() {
    let names = [
        "</text><script>alert(1)</script>",
        "a & \"b\" 'c'",
        "bell\u{7}\u{0}",
        "שלום",
        "🙂",
        "漢字",
        "",
        "]]>",
        &"x".repeat(300),
    ];
    let points = Array2::from_shape_fn((names.len(), 2), |(i, k)| ((i * (k + 2)) % 9) as f64);
    let map = Embedding::new(Objects::new(names).unwrap(), points).unwrap();
    let same = column("<k>", names.iter().map(|n| Some((*n).into())));
    let svg = Figure::new(&map).title("<b>&").corner("\"<").axis_names("<", "&").colour_by(&same).svg().unwrap();
    let document = Document::parse(&svg).unwrap();
    assert!(document.descendants().all(|n| !n.has_tag_name("script")));
    let texts: Vec<&str> = document.descendants().filter(|n| n.has_tag_name("text")).filter_map(|n| n.text()).collect();
    assert!(texts.iter().any(|t| t.starts_with("</text><script>")));
    assert!(document.descendants().any(|n| n.has_tag_name("title") && n.text() == Some(names[0])));
    for expected in [names[1], "bell", "שלום", "🙂", "漢字", "]]>", "<b>&", "\"<", "<k>", "<", "&"] {
        assert!(texts.contains(&expected), "{expected} {texts:?}");
    }
    assert!(texts.iter().all(|t| !t.is_empty()) && texts.iter().any(|t| t.ends_with("x…") && t.chars().count() < 60));
}

#[test]
fn the_same_map_gives_the_same_bytes() {
    let map = map(80, 5, 0.5);
    let number = column("size", (0..80).map(|k| (k % 9 != 0).then(|| format!("{}.5", k * k))));
    let kind = column("kind", (0..80).map(|k| (k % 11 != 0).then(|| format!("kind {}", k % 10))));
    let rings: Vec<Option<Ellipse>> = (0..80)
        .map(|k| {
            (k % 2 == 0).then(|| Ellipse {
                centre: [map.point(k)[0], map.point(k)[1]],
                half_axes: [0.5, 0.2],
                angle: 1.0,
            })
        })
        .collect();
    let figure = || {
        Figure::new(&map)
            .colour_by(&number)
            .shape_by(&kind)
            .ellipses(&rings)
            .group_ellipses(&kind, 0.9)
            .size(90.0, 60.0)
    };
    assert_eq!(figure().svg().unwrap(), figure().svg().unwrap());
    let (png, pdf) = (figure().png(254.0).unwrap(), figure().pdf().unwrap());
    assert!(png == figure().png(254.0).unwrap() && pdf == figure().pdf().unwrap());
    let picture = png::pixels(&sheet(&figure()), 254.0).unwrap();
    assert_eq!((picture.width(), picture.height()), (900, 600));
    assert!(picture.pixels().iter().any(|p| p.red() < 100) && picture.pixels().iter().all(|p| p.alpha() == 255));
    assert!(pdf.starts_with(b"%PDF") && pdf.len() > 5000);
}

#[test]
fn maps_of_none_of_one_and_of_equal_objects_are_drawn() {
    for (n, dim) in [(0, 2), (1, 2), (1, 1), (5, 2), (5, 1), (0, 1), (4, 3)] {
        let map = Embedding::new(Objects::numbered(n), Array2::from_elem((n, dim), -7.5)).unwrap();
        for labels in [Labels::Auto, Labels::All, Labels::None] {
            let svg = Figure::new(&map).labels(labels).svg().unwrap();
            assert!(!svg.contains("NaN") && !svg.contains("inf"), "{svg}");
            Document::parse(&svg).unwrap();
            assert!(Figure::new(&map).labels(labels).pdf().is_ok() && Figure::new(&map).png(72.0).is_ok());
        }
    }
}

#[test]
fn a_line_keeps_every_label_apart() {
    let mut rng = Rng::task(5, 5);
    let points = Array2::from_shape_fn((25, 1), |_| rng.normal());
    let map = Embedding::new(Objects::new((0..25).map(|k| format!("object {k}"))).unwrap(), points).unwrap();
    let figure = Figure::new(&map);
    assert_eq!(figure.dropped_labels().unwrap(), 0);
    assert!(Figure::new(&map).axes(0, 1).svg().is_ok() && Figure::new(&map).axes(1, 0).svg().is_err());
}

#[test]
fn a_hundred_thousand_points_make_a_small_file() {
    let map = map(100_000, 9, 0.5);
    let kind = column("kind", (0..100_000).map(|k| Some(format!("{}", k % 9))));
    let figure = Figure::new(&map).colour_by(&kind);
    let svg = figure.svg().unwrap();
    assert!(svg.len() < 2_500_000, "{}", svg.len());
    assert_eq!(figure.dropped_labels().unwrap(), 100_000);
    assert!(svg.contains("100000 labels left out"));
    Document::parse(&svg).unwrap();
}

#[test]
fn what_cannot_be_drawn_is_refused_with_its_value() {
    let map = map(6, 2, 1.0);
    let kind = column("kind", (0..6).map(|_| Some("a".into())));
    let refused = [
        Figure::new(&map).axes(0, 2),
        Figure::new(&map).axes(1, 1),
        Figure::new(&map).size(f64::NAN, 50.0),
        Figure::new(&map).size(50.0, 5.0),
        Figure::new(&map).ellipses(&[None]),
        Figure::new(&map).group_ellipses(&kind, 1.0),
    ];
    let said = refused.map(|f| f.svg().unwrap_err().to_string()).join("\n");
    for part in
        ["`axes` is 0 and 2", "`axes` is 1 and 1", "NaN mm", "50 mm x 5 mm", "1 ellipses for 6 objects", "`level` is 1"]
    {
        assert!(said.contains(part), "{part} in {said}");
    }
}
