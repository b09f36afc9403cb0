//! The writing of a map's figure: ellipses below, then points, then labels, and the legend beside them.

use std::collections::BTreeMap;
use std::fmt::Write;

use nearer_num::rng::Rng;

use super::encode::Look;
use super::legend::{paint, ring};
use super::map::Figure;
use super::marker::Shape;
use super::scene::{MARGIN, SMALL, Scene, TITLE};
use super::svg::{Anchor, Svg, Type, number, pair};
use super::text::{Weight, clean, escape, extent, fit};

pub(super) const INK: &str = "#222222";
pub(super) const QUIET: &str = "#555555";
pub(super) const FRAME: &str = "#c8c8c8";
/// Beyond this many points each is no longer an element of its own.
const SINGLE: usize = 2000;
/// Points drawn together once there are more: enough to keep files small, few enough that crowds grow darker.
const BATCH: usize = 1000;

/// The figure as svg.
pub(super) fn draw(figure: &Figure<'_>, scene: Scene<'_>) -> String {
    let [width, height] = scene.size;
    let title = if figure.title.is_empty() { "Map".into() } else { clean(&figure.title) };
    let mut svg = Svg::new(width, height, &title, &description(&scene));
    let panel = scene.panel;
    if !figure.title.is_empty() {
        let title = fit(&figure.title, TITLE, Weight::Bold, width - 2.0 * MARGIN);
        svg.text([panel.left, MARGIN + 0.8 * TITLE], Type::new(TITLE, INK, Anchor::Start).bold(), &title);
    }
    if figure.map.dim() == 1 {
        let y = (panel.top + panel.bottom) / 2.0;
        svg.line([panel.left, y], [panel.right, y], FRAME, 0.6);
    }
    draw_rings(&mut svg, &scene);
    for (spot, _) in scene.labels.iter().flatten() {
        if let Some([a, b]) = spot.leader {
            svg.line(a, b, "#909090", 0.4);
        }
    }
    if scene.points.len() <= SINGLE {
        draw_points(&mut svg, figure, &scene);
    } else {
        draw_crowd(&mut svg, &scene);
    }
    for (spot, text) in scene.labels.iter().flatten() {
        svg.text(spot.at, Type::new(scene.label_size, INK, spot.anchor).rimmed(!scene.rings.is_empty()), text);
    }
    svg.frame(panel, FRAME, 0.6);
    draw_footer(&mut svg, figure, &scene);
    scene.legend.draw(&mut svg, scene.legend_area);
    svg.finish()
}

fn description(scene: &Scene<'_>) -> String {
    let mut text = format!("{} objects", scene.points.len());
    if scene.dropped > 0 {
        let _ = write!(text, "; {} labels left out for want of room", scene.dropped);
    }
    text
}

fn draw_rings(svg: &mut Svg, scene: &Scene<'_>) {
    if scene.rings.is_empty() {
        return;
    }
    svg.clipped(scene.panel, |svg| {
        for r in &scene.rings {
            let at = scene.projection.place(r.ellipse.centre);
            // Numbers far off the sheet would only strain the programs that read them.
            let half = r.ellipse.half_axes.map(|v| number(scene.projection.length(v).clamp(0.3, 1e5)));
            let turn = -r.ellipse.angle.to_degrees();
            svg.raw(&format!(
                "<ellipse rx=\"{}\" ry=\"{}\" transform=\"translate({}) rotate({})\" {}/>\n",
                half[0],
                half[1],
                pair(at.map(|v| v.clamp(-1e6, 1e6))),
                number(turn),
                ring(r.colour, r.dash)
            ));
        }
    });
}

/// Each point an element with its whole name, which a browser shows under the pointer.
fn draw_points(svg: &mut Svg, figure: &Figure<'_>, scene: &Scene<'_>) {
    let opacity = if scene.points.len() <= 300 { 1.0 } else { 0.8 };
    let labels = figure.map.objects().labels();
    let mut last: Option<Look> = None;
    for ((at, look), label) in scene.points.iter().zip(&scene.encoding.looks).zip(labels) {
        if last != Some(*look) {
            svg.raw(if last.is_some() { "</g>\n" } else { "" });
            svg.raw(&format!("<g {}>\n", paint(look, 1.0)));
            last = Some(*look);
        }
        let fade = if opacity < 1.0 { format!(" opacity=\"{}\"", number(opacity)) } else { String::new() };
        let name = escape(&clean(label));
        svg.raw(&format!("<path d=\"{}\"{fade}><title>{name}</title></path>\n", look.shape.path(*at, scene.radius)));
    }
    svg.raw(if last.is_some() { "</g>\n" } else { "" });
}

/// Many points as few paths. They are drawn in a random order (always the same), since in the order of the data the last
/// group would lie on top of all others.
fn draw_crowd(svg: &mut Svg, scene: &Scene<'_>) {
    let n = scene.points.len();
    let opacity = number(if n <= 5000 {
        0.7
    } else if n <= 20_000 {
        0.55
    } else {
        0.4
    });
    let size = number(2.0 * scene.radius);
    for batch in Rng::task(0, 0).permutation(n).chunks(BATCH) {
        let mut paths: BTreeMap<Look, String> = BTreeMap::new();
        for &k in batch {
            let (at, look) = (scene.points[k], scene.encoding.looks[k]);
            let path = paths.entry(look).or_default();
            if look.shape == Shape::Circle && !look.hollow {
                // A line without length and with round ends is the shortest way to write a dot.
                let _ = write!(path, "M{}h0", pair(at));
            } else {
                path.push_str(&look.shape.path(at, scene.radius));
            }
        }
        for (look, path) in paths {
            let colour = look.colour.hex();
            let paint = match (look.shape, look.hollow) {
                (Shape::Circle, false) => {
                    format!(
                        "stroke=\"{colour}\" stroke-opacity=\"{opacity}\" stroke-width=\"{size}\" stroke-linecap=\"round\""
                    )
                }
                (_, false) => format!("fill=\"{colour}\" fill-opacity=\"{opacity}\""),
                (_, true) => format!("stroke=\"{colour}\" stroke-opacity=\"{opacity}\" stroke-width=\"0.4\""),
            };
            svg.path(&path, &paint);
        }
    }
}

/// The scale bar, the corner text and the names of the axes, all outside the panel, where they cover nothing.
fn draw_footer(svg: &mut Svg, figure: &Figure<'_>, scene: &Scene<'_>) {
    let panel = scene.panel;
    let small = Type::new(SMALL, QUIET, Anchor::Start);
    let mut y = panel.bottom + SMALL + 4.0;
    if let Some((a, b)) = &figure.axis_names {
        let middle = [(panel.left + panel.right) / 2.0, (panel.top + panel.bottom) / 2.0];
        let a = fit(a, SMALL, Weight::Regular, panel.width());
        svg.text([middle[0], y], small.anchored(Anchor::Middle), &a);
        if figure.map.dim() > 1 {
            let b = fit(b, SMALL, Weight::Regular, panel.height());
            svg.upright_text([panel.left - 4.0, middle[1]], small.anchored(Anchor::Middle), &b);
        }
        y += SMALL + 4.0;
    }
    let mut free = panel.width();
    if let Some((length, text)) = &scene.bar {
        let (left, right, middle) = (panel.left, panel.left + length, y - 0.36 * SMALL);
        let ends = format!(
            "M{}v4M{}h{}M{}v4",
            pair([left, middle - 2.0]),
            pair([left, middle]),
            number(*length),
            pair([right, middle - 2.0])
        );
        svg.path(&ends, &format!("stroke=\"{QUIET}\" stroke-width=\"0.7\""));
        svg.text([right + 4.0, y], small, text);
        free -= length + 12.0 + extent(text, SMALL, Weight::Regular).width;
    }
    if !figure.corner.is_empty() {
        let corner = fit(&figure.corner, SMALL, Weight::Regular, free);
        svg.text([panel.right, y], small.anchored(Anchor::End), &corner);
    }
}
