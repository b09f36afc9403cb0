//! Colours judged by people, some of whom did not look: made up, so that the truth is known.

use ndarray::Array2;
use nearer_num::rng::Rng;

use crate::evidence::{Answered, Comparisons, Task, Trials};
use crate::geometry::Embedding;
use crate::metadata::{Column, Metadata};
use crate::object::{Item, Objects};

/// Twelve hues, thirty degrees apart in CIELAB.
const HUES: [&str; 12] =
    ["rose", "red", "orange", "yellow", "lime", "green", "teal", "cyan", "azure", "blue", "violet", "magenta"];
/// How far from grey: three rings of hues.
const RINGS: [(&str, f64, usize); 3] = [("vivid", 42.0, 1), ("soft", 26.0, 1), ("pale", 12.0, 2)];
/// The lightness of all of them.
const LIGHTNESS: f64 = 70.0;
/// A difference of so many units makes an answer 73 % sure.
const UNSURE: f64 = 5.0;
const PEOPLE: usize = 20;
/// Those who answer anything.
const CARELESS: [usize; 2] = [6, 15];
/// How often the others do.
const LAPSE: f64 = 0.04;

/// Colours, answers about them, and the truth.
#[derive(Debug, Clone)]
pub struct JudgedColours {
    /// Triplets: which of two colours is more like a third, with who said so.
    pub answers: Comparisons,
    /// Where the colours lie: red-green and yellow-blue of CIELAB, all of the same lightness.
    pub truth: Embedding,
    /// The column `colour`, as the screen shows them.
    pub metadata: Metadata,
    /// Who answered at random.
    pub careless: Vec<String>,
}

/// Thirty-one colours of one lightness, judged by twenty people who answer `each` triplets about them. Eighteen of them answer by
/// how different colours look, the surer the clearer it is, and four times in a hundred without a look; two answer at random.
///
/// ```
/// use nearer::toy;
/// let judged = toy::judged_colours(10, 1);
/// assert_eq!((judged.answers.len(), judged.truth.len(), judged.careless.len()), (200, 31, 2));
/// assert_eq!(judged.metadata.columns[0].values[1].as_deref(), Some("#f28dad"));
/// ```
#[must_use]
pub fn judged_colours(each: usize, seed: u64) -> JudgedColours {
    let mut labels = vec!["grey".to_owned()];
    let mut places = vec![[0.0, 0.0]];
    for (ring, chroma, step) in RINGS {
        for (k, hue) in HUES.iter().enumerate().step_by(step) {
            let angle = (30.0 * k as f64).to_radians();
            labels.push(format!("{ring} {hue}"));
            places.push([chroma * angle.cos(), chroma * angle.sin()]);
        }
    }
    let colour = |[a, b]: &[f64; 2]| Some(screen(LIGHTNESS, *a, *b));
    let metadata =
        Metadata { columns: vec![Column { name: "colour".into(), values: places.iter().map(colour).collect() }] };
    let objects = Objects::new(labels).expect("the names differ");
    let mut rng = Rng::task(seed, 5);
    let mut trials = Trials::new(objects.clone(), Task::Triplets);
    let names: Vec<String> = (1..=PEOPLE).map(|k| format!("p{k:02}")).collect();
    let apart = |i: usize, j: usize| (places[i][0] - places[j][0]).hypot(places[i][1] - places[j][1]);
    for (who, name) in names.iter().enumerate() {
        let participant = Some(trials.add_participant(name.clone()));
        for _ in 0..each {
            let drawn = rng.permutation(places.len());
            let (head, a, b) = (drawn[0], drawn[1], drawn[2]);
            let sure = 1.0 / (1.0 + ((apart(head, a) - apart(head, b)) / UNSURE).exp());
            let lapse = if CARELESS.contains(&who) { 1.0 } else { LAPSE };
            let first = rng.uniform() < if rng.uniform() < lapse { 0.5 } else { sure };
            let items = (if first { [head, a, b] } else { [head, b, a] }).map(|k| Item(k as u32));
            trials.push(&items, 0, Answered { participant, ..Answered::default() }).expect("three colours");
        }
    }
    let truth = Array2::from_shape_fn((places.len(), 2), |(i, k)| places[i][k]);
    JudgedColours {
        answers: trials.comparisons(),
        truth: Embedding::new(objects, truth).expect("finite"),
        metadata,
        careless: CARELESS.iter().map(|k| names[*k].clone()).collect(),
    }
}

/// A colour of CIELAB (daylight, D65) as the screen has it, cut where the screen cannot show it.
fn screen(lightness: f64, a: f64, b: f64) -> String {
    let fy = (lightness + 16.0) / 116.0;
    let inverse = |t: f64| if t > 6.0 / 29.0 { t.powi(3) } else { 3.0 * (6.0_f64 / 29.0).powi(2) * (t - 4.0 / 29.0) };
    let [x, y, z] = [0.95047 * inverse(fy + a / 500.0), inverse(fy), 1.08883 * inverse(fy - b / 200.0)];
    let linear = [
        3.2404542 * x - 1.5371385 * y - 0.4985314 * z,
        -0.969266 * x + 1.8760108 * y + 0.041556 * z,
        0.0556434 * x - 0.2040259 * y + 1.0572252 * z,
    ];
    let byte = |v: f64| {
        let v = v.clamp(0.0, 1.0);
        let bent = if v <= 0.003_130_8 { 12.92 * v } else { 1.055 * v.powf(1.0 / 2.4) - 0.055 };
        (255.0 * bent).round() as u8
    };
    let [r, g, b] = linear.map(byte);
    format!("#{r:02x}{g:02x}{b:02x}")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Against the values of the standard: white, and the mid grey that CIELAB calls 70.
    #[test]
    fn the_screen_shows_greys_as_greys() {
        assert_eq!((screen(100.0, 0.0, 0.0), screen(0.0, 0.0, 0.0)), ("#ffffff".into(), "#000000".into()));
        assert_eq!(screen(70.0, 0.0, 0.0), "#ababab");
    }
}
