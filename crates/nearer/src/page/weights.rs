//! What each person makes of a common map: weights as a picture and as a table, readable without a script.

use super::escape::{html, isolated};
use crate::report::PersonReading;
use nearer_num::order;

/// Width and height of the picture, and the room for its axes.
const SIZE: f64 = 340.0;
const ROOM: f64 = 44.0;

/// The panel of weights beside the map.
pub(super) fn write(people: &[PersonReading], out: &mut String) {
    let matrix = people.iter().any(|p| p.weights.len() > 1);
    out.push_str("<section id=\"people-weights\" aria-labelledby=\"people-weights-title\">\n<h2 id=\"people-weights-title\">What each person makes of the map</h2>\n");
    out.push_str(if matrix {
        "<p class=\"quiet\">The matrix by which a person measures differences on the common map; the mean over people is the identity.</p>\n"
    } else {
        "<p class=\"quiet\">How much a person stretches each axis of the common map; the squares have mean 1 over people. Near 0, an axis says nothing to that person.</p>\n"
    });
    if !matrix && people.iter().all(|p| p.weights[0].len() > 1) {
        picture(people, out);
    }
    let axes = people.first().map_or(0, |p| p.weights[0].len());
    let head: String = (1..=axes).map(|k| format!("<th scope=\"col\">axis {k}</th>")).collect();
    out.push_str(&format!(
        "<div class=\"wide\" tabindex=\"0\"><table>\n<thead><tr><th scope=\"col\">person</th>{head}<th scope=\"col\">stress-1</th></tr></thead>\n<tbody>\n"
    ));
    for p in people {
        for (row, weights) in p.weights.iter().enumerate() {
            let (name, stress) = if row == 0 {
                (isolated(&p.person), format!("{:.3}", p.stress1))
            } else {
                (String::new(), String::new())
            };
            let cells: String = weights.iter().map(|w| format!("<td>{w:.3}</td>")).collect();
            out.push_str(&format!("<tr><th scope=\"row\">{name}</th>{cells}<td>{stress}</td></tr>\n"));
        }
    }
    out.push_str("</tbody></table></div>\n</section>\n");
}

/// People by their weights of the first two axes.
fn picture(people: &[PersonReading], out: &mut String) {
    let most = people.iter().flat_map(|p| p.weights[0].iter().take(2)).fold(1.0, |m: f64, w| m.max(*w)) * 1.08;
    let at = |w: f64| (SIZE - 2.0 * ROOM) * w / most;
    let (x, y) = (|w: f64| ROOM + at(w), |w: f64| SIZE - ROOM - at(w));
    out.push_str(&format!(
        "<svg id=\"weights-picture\" viewBox=\"0 0 {SIZE} {SIZE}\" width=\"{SIZE}\" height=\"{SIZE}\" role=\"img\" aria-label=\"Weights of people on the first two axes\" fill=\"currentColor\" font-size=\"11\">\n"
    ));
    let line = |x1: f64, y1: f64, x2: f64, y2: f64, dash: &str| {
        format!(
            "<line x1=\"{x1:.1}\" y1=\"{y1:.1}\" x2=\"{x2:.1}\" y2=\"{y2:.1}\" stroke=\"currentColor\" stroke-opacity=\"0.5\"{dash}/>\n"
        )
    };
    out.push_str(&line(x(0.0), y(0.0), x(most), y(0.0), ""));
    out.push_str(&line(x(0.0), y(0.0), x(0.0), y(most), ""));
    // On the diagonal both axes count alike.
    out.push_str(&line(x(0.0), y(0.0), x(most), y(most), " stroke-dasharray=\"3 4\""));
    out.push_str(&format!("<text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\">axis 1</text>\n", x(most), y(0.0) + 28.0));
    out.push_str(&format!("<text x=\"{:.1}\" y=\"{:.1}\">axis 2</text>\n", x(0.0) - 30.0, y(most) - 8.0));
    for tick in [0.5, 1.0, 1.5, 2.0].into_iter().filter(|t| *t < most) {
        out.push_str(&format!(
            "<text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{tick}</text>\n",
            x(tick),
            y(0.0) + 14.0
        ));
        out.push_str(&format!(
            "<text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\">{tick}</text>\n",
            x(0.0) - 6.0,
            y(tick) + 4.0
        ));
    }
    let places: Vec<(f64, f64)> = people.iter().map(|p| (x(p.weights[0][0]), y(p.weights[0][1]))).collect();
    let named = with_room(people, &places);
    for (k, p) in people.iter().enumerate() {
        let ((px, py), name) = (places[k], html(&p.person));
        out.push_str(&format!("<circle cx=\"{px:.1}\" cy=\"{py:.1}\" r=\"3.5\"><title>{name}</title></circle>"));
        if named[k] {
            let (side, anchor) = beside(px);
            let base = py + 4.0;
            out.push_str(&format!("<text x=\"{side:.1}\" y=\"{base:.1}\" text-anchor=\"{anchor}\">{name}</text>"));
        }
        out.push('\n');
    }
    out.push_str("</svg>\n");
}

/// Where a name begins or ends: towards the middle, so that none leaves the picture.
fn beside(px: f64) -> (f64, &'static str) {
    if px > 0.6 * SIZE { (px - 6.0, "end") } else { (px + 6.0, "start") }
}

/// Whose names have room: those who stand apart first, and no name over another. The table has them all.
fn with_room(people: &[PersonReading], places: &[(f64, f64)]) -> Vec<bool> {
    /// The width of a usual letter, and the height of a line.
    const LETTER: (f64, f64) = (6.2, 11.0);
    let apart = |k: usize| {
        let others = places.iter().enumerate().filter(|(j, _)| *j != k);
        others.map(|(_, p)| (p.0 - places[k].0).hypot(p.1 - places[k].1)).fold(f64::INFINITY, f64::min)
    };
    let apart: Vec<f64> = (0..people.len()).map(apart).collect();
    let mut order: Vec<usize> = (0..people.len()).collect();
    order::by(&mut order, &|a, b| apart[*b].total_cmp(&apart[*a]).then(a.cmp(b)));
    let (mut named, mut taken) = (vec![false; people.len()], Vec::<(f64, f64, f64)>::new());
    for k in order {
        let ((px, py), width) = (places[k], LETTER.0 * people[k].person.chars().count() as f64);
        let (side, anchor) = beside(px);
        let from = if anchor == "end" { side - width } else { side };
        let meets =
            |(start, end, y): &(f64, f64, f64)| from < *end && *start < from + width && (y - py).abs() < LETTER.1;
        if !taken.iter().any(meets) {
            taken.push((from, from + width, py));
            named[k] = true;
        }
    }
    named
}
