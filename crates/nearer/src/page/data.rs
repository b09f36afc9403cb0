//! What a page is made of: the plain things that are given to it, and the data that its script reads.

use nearer_num::order;
use std::collections::{BTreeMap, HashMap};

use nearer_num::rng::Rng;
use serde::Serialize;

use super::columns::{Colours, PageColumn};
use super::layers::{PageArrows, PageOpening};
use super::pack::Numbers;
use crate::evidence::{Bound, Part};
use crate::geometry::Ellipse;
use crate::input::InputFile;
use crate::object::{Objects, Pair};
use crate::report::{Evaluation, FitReport, JudgementEvaluation, Panel};

/// Pairs and judgements beyond this many are drawn at random (always the same ones), and the page says so.
pub const DRAWN: usize = 20_000;

/// A pair of objects of the data: what was measured, and what the map was to reach.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct DrawnPair {
    /// The pair, as indices into the objects of the data.
    pub pair: Pair,
    /// What was measured, or its bound.
    pub data: f64,
    /// Whether `data` is a bound.
    pub bound: Bound,
    /// What the data ask for on the scale of the map.
    pub disparity: f64,
}

/// How a judgement fares on a map.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Standing {
    /// The map contradicts it.
    Violated,
    /// It holds.
    Satisfied,
    /// Neither: both distances are the same, to the last bit.
    Tied,
}

/// What a judgement says, its objects as rows of the map.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Says {
    /// The first pair is nearer than the second.
    Nearer([usize; 2], [usize; 2]),
    /// The two are alike.
    Alike([usize; 2]),
    /// The two are not alike.
    Unlike([usize; 2]),
}

/// A judgement and how it fares on a map.
#[derive(Debug, Clone, PartialEq)]
pub struct JudgedRow {
    /// What it says.
    pub says: Says,
    /// The distance that should be the smaller one, on the map (for pairs: the distance, or the radius).
    pub near: f64,
    /// The distance that should be the larger one.
    pub far: f64,
    /// How it fares.
    pub verdict: Standing,
    /// Who said it, where known.
    pub participant: Option<String>,
}

/// What is in the evidence, in words, with the people behind it.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Story {
    /// What kind of evidence it is.
    pub kind: Option<Part>,
    /// Names and what is to be said of them.
    pub facts: Vec<(String, String)>,
    /// Questions that were answered in more than one way.
    pub contradictions: Vec<String>,
    /// Circles of judgements that no map can satisfy, one sentence a step.
    pub circles: Vec<Vec<String>>,
    /// Who answered.
    pub panel: Option<Panel>,
    /// What needs care.
    pub warnings: Vec<String>,
    /// All of it as data.
    pub data: serde_json::Value,
}

/// What the page's script reads.
#[derive(Debug, Serialize)]
pub(super) struct Data<'a> {
    pub(super) schema: u32,
    pub(super) version: &'static str,
    pub(super) title: &'a str,
    pub(super) labels: &'a [String],
    pub(super) axes: Vec<Numbers>,
    pub(super) single: bool,
    pub(super) colours: Colours,
    pub(super) columns: Vec<PageColumn>,
    #[serde(rename = "colourBy")]
    pub(super) colour_by: Option<usize>,
    #[serde(rename = "shapeBy")]
    pub(super) shape_by: Option<usize>,
    pub(super) images: BTreeMap<usize, &'a str>,
    pub(super) ellipses: Option<Ellipses>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) arrows: Option<PageArrows<'a>>,
    pub(super) opening: PageOpening<'a>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) links: Option<Links>,
    pub(super) corner: Option<String>,
    pub(super) pairs: Option<PagePairs>,
    pub(super) judged: Option<PageJudged>,
    #[serde(rename = "perObject")]
    pub(super) per_object: Option<PerObject>,
    pub(super) worst: Vec<Worst>,
    /// The fewest dimensions that predict what is held out as well as the best.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) fewest: Option<usize>,
    pub(super) report: Raw<'a>,
}

/// The report as it can be saved from the page.
#[derive(Debug, Serialize)]
pub(super) struct Raw<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) fit: Option<FitReport>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) evaluation: Option<&'a Evaluation>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) judgements: Option<&'a JudgementEvaluation>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) check: Option<&'a serde_json::Value>,
    pub(super) inputs: &'a [InputFile],
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) seconds: Option<f64>,
}

/// Ellipses in the plane of two axes: object, centre, half axes, angle.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(super) struct Ellipses {
    pub(super) axes: [usize; 2],
    pub(super) rows: Vec<(usize, [f64; 5])>,
}

impl Ellipses {
    pub(super) fn new(ellipses: &[Option<Ellipse>], axes: (usize, usize)) -> Self {
        let flat = |e: &Ellipse| [e.centre[0], e.centre[1], e.half_axes[0], e.half_axes[1], e.angle];
        let rows = ellipses.iter().enumerate().filter_map(|(k, e)| Some((k, flat(e.as_ref()?)))).collect();
        Ellipses { axes: [axes.0, axes.1], rows }
    }
}

/// Links between objects: the rows of both ends.
#[derive(Debug, Serialize)]
pub(super) struct Links {
    a: Numbers,
    b: Numbers,
    shown: bool,
}

impl Links {
    pub(super) fn new(links: &[[u32; 2]], shown: bool) -> Self {
        let ends = |k: usize| Numbers::whole(links.iter().map(|l| l[k]).collect());
        Links { a: ends(0), b: ends(1), shown }
    }
}

/// Pairs of the data, by column.
#[derive(Debug, Serialize)]
pub(super) struct PagePairs {
    pub(super) total: usize,
    a: Numbers,
    b: Numbers,
    data: Numbers,
    disparity: Numbers,
    /// -1 at most, 1 at least; absent where all are exact.
    #[serde(skip_serializing_if = "Option::is_none")]
    bound: Option<Vec<i8>>,
}

impl PagePairs {
    /// The pairs of these objects, as rows of the map; at most [`DRAWN`] of them.
    pub(super) fn new(objects: &Objects, map: &Objects, pairs: &[DrawnPair]) -> Self {
        let index = map.index();
        let rows: Vec<Option<u32>> = objects.labels().iter().map(|l| index.get(l.as_str()).map(|i| i.0)).collect();
        let mut kept: Vec<(u32, u32, &DrawnPair)> = sample(pairs.len())
            .into_iter()
            .filter_map(|k| {
                let p = &pairs[k];
                Some((rows[p.pair.first().index()]?, rows[p.pair.second().index()]?, p))
            })
            .collect();
        order::by_key(&mut kept, &|(a, b, _)| (*a, *b));
        let bound = kept.iter().any(|(_, _, p)| p.bound != Bound::Exact).then(|| {
            let side = |bound| match bound {
                Bound::Exact => 0,
                Bound::AtMost => -1,
                Bound::AtLeast => 1,
            };
            kept.iter().map(|(_, _, p)| side(p.bound)).collect()
        });
        PagePairs {
            total: pairs.len(),
            a: Numbers::whole(kept.iter().map(|k| k.0).collect()),
            b: Numbers::whole(kept.iter().map(|k| k.1).collect()),
            data: Numbers::real(kept.iter().map(|k| k.2.data).collect()),
            disparity: Numbers::real(kept.iter().map(|k| k.2.disparity).collect()),
            bound,
        }
    }
}

/// Judgements, by column; the same thing said several times stands once.
#[derive(Debug, Serialize)]
pub(super) struct PageJudged {
    pub(super) total: usize,
    pub(super) different: usize,
    kind: &'static str,
    near: [Numbers; 2],
    far: [Numbers; 2],
    #[serde(rename = "nearDistance")]
    near_distance: Numbers,
    #[serde(rename = "farDistance")]
    far_distance: Numbers,
    /// 0 violated, 1 satisfied, 2 tied.
    verdict: Numbers,
    times: Numbers,
    /// Who said it first; an index into `people`, `u32::MAX` where it is not known.
    who: Numbers,
    people: Vec<String>,
}

impl PageJudged {
    pub(super) fn new(rows: &[JudgedRow]) -> Self {
        let mut place: HashMap<Says, usize> = HashMap::new();
        let mut distinct: Vec<(&JudgedRow, u32)> = Vec::new();
        for row in rows {
            let at = *place.entry(row.says).or_insert_with(|| {
                distinct.push((row, 0));
                distinct.len() - 1
            });
            distinct[at].1 += 1;
        }
        // The worst are always among those that are kept.
        order::by(&mut distinct, &|(a, _), (b, _)| (b.near - b.far).total_cmp(&(a.near - a.far)));
        let different = distinct.len();
        let worst = 100.min(different);
        let mut kept: Vec<usize> = (0..worst).collect();
        kept.extend(sample(different - worst).into_iter().map(|k| k + worst));
        kept.sort_unstable();
        let kept: Vec<(&JudgedRow, u32)> = kept.into_iter().map(|k| distinct[k]).collect();
        let ends = |says: Says| match says {
            Says::Nearer(near, far) => [near[0], near[1], far[0], far[1]],
            Says::Alike([a, b]) => [a, b, usize::MAX, usize::MAX],
            Says::Unlike([a, b]) => [usize::MAX, usize::MAX, a, b],
        };
        let column = |k: usize| {
            Numbers::whole(kept.iter().map(|(r, _)| u32::try_from(ends(r.says)[k]).unwrap_or(u32::MAX)).collect())
        };
        let mut people: Vec<String> = kept.iter().filter_map(|(r, _)| r.participant.clone()).collect();
        people.sort();
        people.dedup();
        let who = |r: &JudgedRow| {
            let found = r.participant.as_ref().and_then(|p| people.binary_search(p).ok());
            found.map_or(u32::MAX, |k| k as u32)
        };
        PageJudged {
            total: rows.len(),
            different,
            kind: if matches!(rows.first().map(|r| r.says), Some(Says::Nearer(..))) { "comparisons" } else { "pairs" },
            near: [column(0), column(1)],
            far: [column(2), column(3)],
            near_distance: Numbers::real(kept.iter().map(|(r, _)| r.near).collect()),
            far_distance: Numbers::real(kept.iter().map(|(r, _)| r.far).collect()),
            verdict: Numbers::whole(kept.iter().map(|(r, _)| r.verdict as u32).collect()),
            times: Numbers::whole(kept.iter().map(|(_, t)| *t).collect()),
            who: Numbers::whole(kept.iter().map(|(r, _)| who(r)).collect()),
            people,
        }
    }
}

/// A figure for each object, and what it is; `null` for an object that the evidence has not.
#[derive(Debug, Serialize)]
pub(super) struct PerObject {
    pub(super) name: &'static str,
    pub(super) values: Vec<Option<f64>>,
}

/// A pair that fits badly, its objects as rows of the map.
#[derive(Debug, Serialize)]
pub(super) struct Worst {
    pub(super) a: usize,
    pub(super) b: usize,
    pub(super) data: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) bound: Option<String>,
    pub(super) distance: f64,
    pub(super) residual: f64,
}

/// Which of `n` things are drawn: all of them, or a random choice that is always the same.
fn sample(n: usize) -> Vec<usize> {
    if n <= DRAWN {
        return (0..n).collect();
    }
    let mut kept = Rng::task(0, 0).permutation(n);
    kept.truncate(DRAWN);
    kept
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::object::Item;

    #[test]
    fn what_is_said_twice_stands_once_and_the_worst_comes_first() {
        let row = |says, near, far, verdict| JudgedRow { says, near, far, verdict, participant: Some("ann".into()) };
        let good = row(Says::Nearer([0, 1], [0, 2]), 1.0, 2.0, Standing::Satisfied);
        let bad = row(Says::Nearer([0, 2], [0, 1]), 2.0, 1.0, Standing::Violated);
        let data = serde_json::to_value(PageJudged::new(&[good.clone(), bad, good])).unwrap();
        assert_eq!((data["total"].as_u64(), data["different"].as_u64()), (Some(3), Some(2)));
        assert_eq!(data["times"], serde_json::json!([1, 2]));
        assert_eq!(data["verdict"], serde_json::json!([0, 1]));
        assert_eq!((&data["near"][1], &data["people"]), (&serde_json::json!([2, 1]), &serde_json::json!(["ann"])));
    }

    #[test]
    fn pairs_are_joined_by_label_and_strangers_left_out() {
        let data = Objects::new(["b", "a", "z"]).unwrap();
        let map = Objects::new(["a", "b"]).unwrap();
        let pair = |i, j| Pair::new(Item(i), Item(j)).unwrap();
        let drawn = |pair, data| DrawnPair { pair, data, bound: Bound::Exact, disparity: data };
        let pairs = PagePairs::new(&data, &map, &[drawn(pair(0, 1), 5.0), drawn(pair(0, 2), 6.0)]);
        let value = serde_json::to_value(&pairs).unwrap();
        assert_eq!(
            (&value["a"], &value["b"], &value["data"]),
            (&serde_json::json!([1]), &serde_json::json!([0]), &serde_json::json!([5.0]))
        );
        assert!(value.get("bound").is_none());
    }
}
