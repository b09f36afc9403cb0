//! The drawing of a map's figure: ellipses below, then points, then labels, and the legend beside them.

use nearer_num::order;
use std::collections::BTreeMap;
use std::fmt::Write;

use nearer_num::rng::Rng;

use super::colour::{PALETTE, Rgb};
use super::encode::Look;
use super::layers::Layer;
use super::legend::{paint, ring};
use super::map::Figure;
use super::marker::Shape;
use super::scene::{MARGIN, SMALL, Scene, TITLE, WORD};
use super::sheet::{Anchor, Paint, Path, Sheet, Stroke, Type};
use super::text::{Weight, Words, clean, extent};

pub(super) const INK: Rgb = Rgb(0x22, 0x22, 0x22);
pub(super) const QUIET: Rgb = Rgb(0x55, 0x55, 0x55);
pub(super) const FRAME: Rgb = Rgb(0xc8, 0xc8, 0xc8);
pub(super) const LEADER: Rgb = Rgb(0x90, 0x90, 0x90);
/// Beyond this many points each is no longer an element of its own.
const SINGLE: usize = 2000;
/// Points drawn together once there are more: enough to keep files small, few enough that crowds grow darker.
const BATCH: usize = 1000;

/// The figure, drawn.
pub(super) fn draw(figure: &Figure<'_>, scene: Scene<'_>) -> Sheet {
    let title = if figure.title.is_empty() { "Map".into() } else { clean(&figure.title) };
    let mut sheet = Sheet::new(scene.size, &title, &description(&scene));
    let panel = scene.panel;
    if !figure.title.is_empty() {
        let title = scene.spelling.fit(&figure.title, TITLE, Weight::Bold, scene.size[0] - 2.0 * MARGIN);
        sheet.text([panel.left, MARGIN + 0.8 * TITLE], Type::new(TITLE, INK, Anchor::Start).bold(), title);
    }
    if figure.map.dim() == 1 {
        let y = (panel.top + panel.bottom) / 2.0;
        sheet.line([panel.left, y], [panel.right, y], Stroke::new(FRAME, 0.6));
    }
    draw_rings(&mut sheet, &scene);
    draw_layers(&mut sheet, figure, &scene);
    for (spot, _) in scene.labels.iter().flatten() {
        if let Some([a, b]) = spot.leader {
            sheet.line(a, b, Stroke::new(LEADER, 0.4));
        }
    }
    if scene.points.len() <= SINGLE {
        draw_points(&mut sheet, figure, &scene);
    } else {
        draw_crowd(&mut sheet, &scene);
    }
    let rimmed = !scene.rings.is_empty() || !figure.layers.is_empty();
    for (spot, words) in scene.labels.iter().flatten() {
        let set = Type::new(scene.label_size, INK, spot.anchor).rimmed(rimmed);
        sheet.text(spot.at, set, words.clone());
    }
    draw_words(&mut sheet, &scene);
    sheet.path(Path::rect(panel), Paint::stroke(Stroke::new(FRAME, 0.6)));
    draw_footer(&mut sheet, figure, &scene);
    scene.legend.draw(&mut sheet, &scene.spelling, scene.legend_area);
    sheet
}

fn description(scene: &Scene<'_>) -> String {
    let mut text = format!("{} objects", scene.points.len());
    if scene.dropped > 0 {
        let _ = write!(text, "; {} labels left out for want of room", scene.dropped);
    }
    text
}

fn draw_rings(sheet: &mut Sheet, scene: &Scene<'_>) {
    if scene.rings.is_empty() {
        return;
    }
    sheet.clipped(scene.panel, |sheet| {
        for r in &scene.rings {
            let at = scene.projection.place(r.ellipse.centre).map(|v| v.clamp(-1e6, 1e6));
            // Numbers far off the sheet would only strain the programs that read them.
            let half = r.ellipse.half_axes.map(|v| scene.projection.length(v).clamp(0.3, 1e5));
            sheet.path(Path::ellipse(at, half, -r.ellipse.angle.to_degrees()), ring(r.colour, r.dash));
        }
    });
}

/// The colour of a group, or ink.
fn of_group(group: Option<usize>) -> Rgb {
    group.map_or(QUIET, |k| PALETTE[k % PALETTE.len()])
}

/// Areas and lines, below the points.
fn draw_layers(sheet: &mut Sheet, figure: &Figure<'_>, scene: &Scene<'_>) {
    if figure.layers.is_empty() {
        return;
    }
    let place = |p: [f64; 2]| scene.projection.place(p).map(|v| v.clamp(-1e6, 1e6));
    // Many lines together are as loud as the points.
    let many = figure.layers.iter().filter(|l| matches!(l, Layer::Join(..))).count() > 4 * scene.points.len().min(500);
    let join = if many { Stroke::new(LEADER, 0.3).faint(0.6) } else { Stroke::new(LEADER, 0.5) };
    sheet.clipped(scene.panel, |sheet| {
        for layer in &figure.layers {
            match layer {
                Layer::Join(a, b) if a.max(b) < &scene.points.len() => {
                    sheet.line(scene.points[*a], scene.points[*b], join);
                }
                Layer::Area { outline, group } => {
                    let corners: Vec<[f64; 2]> = outline.iter().map(|p| place(*p)).collect();
                    let colour = of_group(*group);
                    sheet.path(Path::polygon(&corners), Paint::fill(colour, 0.12).and(Stroke::new(colour, 0.7)));
                }
                Layer::Line { from, to, head, group } => {
                    let (a, b) = (place(*from), place(*to));
                    let width = if *head { 0.9 } else { 0.45 };
                    sheet.line(a, b, Stroke::new(of_group(*group), width).faint(if *head { 1.0 } else { 0.75 }));
                    let length = (b[0] - a[0]).hypot(b[1] - a[1]);
                    if *head && length > 0.0 {
                        let size = (0.35 * length).min(4.5);
                        let way = [(b[0] - a[0]) / length, (b[1] - a[1]) / length];
                        let back = [b[0] - size * way[0], b[1] - size * way[1]];
                        let side = [0.4 * size * way[1], -0.4 * size * way[0]];
                        let corners =
                            [b, [back[0] + side[0], back[1] + side[1]], [back[0] - side[0], back[1] - side[1]]];
                        sheet.path(Path::polygon(&corners), Paint::fill(of_group(*group), 1.0));
                    }
                }
                Layer::Join(..) | Layer::Word { .. } => {}
            }
        }
    });
}

/// The words of layers, above all points.
fn draw_words(sheet: &mut Sheet, scene: &Scene<'_>) {
    for word in &scene.words {
        let set = Type::new(WORD, of_group(word.group).outline(), Anchor::Middle).rimmed(true);
        sheet.text([word.at[0], word.at[1] + 0.36 * WORD], set, word.words.clone());
    }
}

/// Each point an element with its whole name, which a browser shows under the pointer.
fn draw_points(sheet: &mut Sheet, figure: &Figure<'_>, scene: &Scene<'_>) {
    let opacity = if scene.points.len() <= 300 { 1.0 } else { 0.8 };
    let labels = figure.map.objects().labels();
    // The largest first, so that none hides a smaller one.
    let mut order: Vec<usize> = (0..scene.points.len()).collect();
    if let Some(radii) = &scene.radii {
        order::by(&mut order, &|a, b| radii[*b].total_cmp(&radii[*a]));
    }
    for k in order {
        let (look, radius) = (&scene.encoding.looks[k], scene.radii.as_ref().map_or(scene.radius, |r| r[k]));
        sheet.named(look.shape.path(scene.points[k], radius), paint(look, opacity), clean(&labels[k]));
    }
}

/// Many points as few paths. They are drawn in a random order (always the same), since in the order of the data the last
/// group would lie on top of all others.
fn draw_crowd(sheet: &mut Sheet, scene: &Scene<'_>) {
    let n = scene.points.len();
    let opacity = match n {
        0..=5000 => 0.7,
        5001..=20_000 => 0.55,
        _ => 0.4,
    };
    for batch in Rng::task(0, 0).permutation(n).chunks(BATCH) {
        let mut paths: BTreeMap<Look, Path> = BTreeMap::new();
        for &k in batch {
            let (at, look) = (scene.points[k], scene.encoding.looks[k]);
            paths.entry(look).or_default().add(if is_dot(&look) {
                Path::dots([at])
            } else {
                look.shape.path(at, scene.radius)
            });
        }
        for (look, path) in paths {
            let paint = if is_dot(&look) {
                Paint::stroke(Stroke::new(look.colour, 2.0 * scene.radius).faint(opacity).round())
            } else if look.hollow {
                Paint::stroke(Stroke::new(look.colour, 0.4).faint(opacity))
            } else {
                Paint::fill(look.colour, opacity)
            };
            sheet.path(path, paint);
        }
    }
}

fn is_dot(look: &Look) -> bool {
    look.shape == Shape::Circle && !look.hollow
}

/// The scale bar, the corner text and the names of the axes, all outside the panel, where they cover nothing.
fn draw_footer(sheet: &mut Sheet, figure: &Figure<'_>, scene: &Scene<'_>) {
    let (panel, spelling) = (scene.panel, &scene.spelling);
    let small = Type::new(SMALL, QUIET, Anchor::Start);
    let mut y = panel.bottom + SMALL + 4.0;
    if let Some((a, b)) = &figure.axis_names {
        let middle = [(panel.left + panel.right) / 2.0, (panel.top + panel.bottom) / 2.0];
        let a = spelling.fit(a, SMALL, Weight::Regular, panel.width());
        sheet.text([middle[0], y], small.anchored(Anchor::Middle), a);
        if figure.map.dim() > 1 {
            let b = spelling.fit(b, SMALL, Weight::Regular, panel.height());
            sheet.upright_text([panel.left - 4.0, middle[1]], small.anchored(Anchor::Middle), b);
        }
        y += SMALL + 4.0;
    }
    let mut free = panel.width();
    if let Some((length, text)) = &scene.bar {
        let (left, right, middle) = (panel.left, panel.left + length, y - 0.36 * SMALL);
        let stroke = Paint::stroke(Stroke::new(QUIET, 0.7));
        let mut bar = Path::lines(&[[left, middle], [right, middle]]);
        for x in [left, right] {
            bar.add(Path::lines(&[[x, middle - 2.0], [x, middle + 2.0]]));
        }
        sheet.path(bar, stroke);
        sheet.text([right + 4.0, y], small, Words::plain(text.as_str()));
        free -= length + 12.0 + extent(text, SMALL, Weight::Regular).width;
    }
    if !figure.corner.is_empty() {
        let corner = spelling.fit(&figure.corner, SMALL, Weight::Regular, free);
        sheet.text([panel.right, y], small.anchored(Anchor::End), corner);
    }
}
