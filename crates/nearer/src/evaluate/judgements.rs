//! Everything about a map and judgements that needs no new fit, gathered into the report that `nearer eval` prints.

use nearer_num::order;
use std::collections::HashMap;

use crate::error::Error;
use crate::evaluate::agreement::Held;
use crate::evaluate::interval::{Units, percentile_interval};
use crate::evaluate::join;
use crate::evaluate::radii::Rings;
use crate::evaluate::{ceiling, pair_ceiling};
use crate::evidence::{Comparisons, Pairs};
use crate::geometry::Embedding;
use crate::object::{Item, Objects};
use crate::report::{Ceiling, Contradicted, JudgementEvaluation, ObjectAgreement};
use crate::solve::Run;

/// What an evaluation against judgements looks at.
#[derive(Debug, Clone, Copy)]
pub struct JudgementOptions {
    /// Replicates of the bootstrap behind the interval: 1,000.
    pub replicates: usize,
    /// How many of the worst contradicted judgements are listed: 10.
    pub worst: usize,
}

impl Default for JudgementOptions {
    fn default() -> Self {
        JudgementOptions { replicates: 1000, worst: 10 }
    }
}

/// The agreement of a map with comparisons, its interval, the ceiling, each object, and the comparisons that the map
/// contradicts most, as one report.
///
/// # Fails
/// As [`agreement`](crate::evaluate::agreement) does.
///
/// ```
/// use nearer::{Comparison, Comparisons, Embedding, Item, Objects, Pair, Run};
/// use nearer::evaluate::{JudgementOptions, judgements};
/// # fn main() -> Result<(), nearer::Error> {
/// let pair = |a, b| Pair::new(Item(a), Item(b)).expect("two objects");
/// let says = |a, b, c| Comparison::new(pair(a, b), pair(a, c));
/// let answers = Comparisons::new(Objects::new(["cat", "lynx", "cod"])?, vec![says(0, 1, 2), says(1, 2, 0), says(2, 0, 1)])?;
/// let map = Embedding::new(answers.objects().clone(), ndarray::array![[0.0], [1.0], [-7.0]])?;
/// let report = judgements(&map, &answers, &JudgementOptions::default(), &Run::default())?;
/// assert_eq!(report.agreement, 2.0 / 3.0);
/// assert_eq!(report.worst[0].judgement, "`lynx` is nearer to `cod` than to `cat`");
/// assert_eq!(report.worst[0].excess, 7.0);
/// # Ok(()) }
/// ```
pub fn judgements(
    map: &Embedding,
    comparisons: &Comparisons,
    options: &JudgementOptions,
    run: &Run<'_>,
) -> Result<JudgementEvaluation, Error> {
    let held = Held::new(map, comparisons)?;
    let mut agreement = held.agreement(comparisons);
    let units = Units::of_comparisons(comparisons);
    agreement.interval = percentile_interval(&units, |row| held.satisfied(row), options.replicates, run)?;
    let mut e = begun("comparisons", map, comparisons.objects(), agreement.share, ceiling(comparisons)?);
    e.seed = run.seed();
    let rows = comparisons.rows();
    let ends = |k: usize| {
        let ([a, b], [c, d]) =
            ([rows[k].near.first(), rows[k].near.second()], [rows[k].far.first(), rows[k].far.second()]);
        [Some(a), Some(b), Some(c).filter(|c| *c != a && *c != b), Some(d).filter(|d| *d != a && *d != b)]
    };
    e.per_object = per_object(comparisons.objects(), rows.len(), ends, |k| held.satisfied(k));
    let worst = distinct(held.violated(), options.worst, |k| (rows[k].near, rows[k].far));
    let told = worst.into_iter().map(|(k, times)| {
        let (near, far) = held.distances(k);
        let line = comparisons.answered(k).map(|a| a.line).filter(|line| *line > 0);
        let participant = comparisons.participant(k).map(str::to_owned);
        let (judgement, excess) = (comparisons.in_words(k), near - far);
        Contradicted { judgement, near, far, excess, radius: None, times, line, participant }
    });
    e.worst = told.collect();
    if agreement.tied == agreement.rows {
        e.warnings.push("every comparison is a tie: all distances that are compared are equal on the map".into());
    }
    e.comparisons = Some(agreement);
    Ok(e)
}

/// The same for pairs said to be alike or not, at the best radii.
pub fn pair_judgements(
    map: &Embedding,
    pairs: &Pairs,
    options: &JudgementOptions,
    run: &Run<'_>,
) -> Result<JudgementEvaluation, Error> {
    let rings = Rings::new(map, pairs)?;
    let mut agreement = rings.agreement(pairs);
    let good = |row: usize| rings.satisfied(pairs, row);
    agreement.interval = percentile_interval(&Units::of_pairs(pairs), good, options.replicates, run)?;
    let mut e = begun("pairs", map, pairs.objects(), agreement.share, pair_ceiling(pairs)?);
    e.seed = run.seed();
    let rows = pairs.rows();
    e.per_object = per_object(pairs.objects(), rows.len(), |k| [Some(rows[k].from), Some(rows[k].to)], good);
    for (i, object) in e.per_object.iter_mut().enumerate() {
        object.radius = rings.squared_radius(pairs, Item(i as u32), 0).map(f64::sqrt);
    }
    // A similar pair should be nearer than the radius; a dissimilar one farther.
    let sides = |k: usize| {
        let (distance, radius) = rings.distances(pairs, k);
        if rows[k].similar { (distance, radius) } else { (radius, distance) }
    };
    let excess = |k: usize| sides(k).0 - sides(k).1;
    let mut violated: Vec<usize> = (0..rows.len()).filter(|&k| !good(k)).collect();
    order::by(&mut violated, &|&a, &b| excess(b).total_cmp(&excess(a)).then(a.cmp(&b)));
    let worst = distinct(violated, options.worst, |k| (rows[k].from, rows[k].to, rows[k].level, rows[k].similar));
    let told = worst.into_iter().map(|(k, times)| {
        let (near, far) = sides(k);
        let [from, to] = [rows[k].from, rows[k].to].map(|item| pairs.objects().label(item));
        let verb = if rows[k].similar { "is like" } else { "is not like" };
        let grade = usize::from(rows[k].level) + 1;
        let grade = if pairs.levels() > 1 { format!(" of grade {grade} or better") } else { String::new() };
        Contradicted {
            judgement: format!("`{from}` {verb} `{to}`{grade}"),
            near,
            far,
            excess: near - far,
            radius: Some(rings.distances(pairs, k).1),
            times,
            line: Some(rows[k].line).filter(|line| *line > 0),
            participant: rows[k].participant.and_then(|who| pairs.participants().get(who as usize).cloned()),
        }
    });
    e.worst = told.collect();
    e.pairs = Some(agreement);
    Ok(e)
}

fn begun(kind: &str, map: &Embedding, objects: &Objects, agreement: f64, ceiling: Ceiling) -> JudgementEvaluation {
    let mut warnings = Vec::new();
    let extra = join::only_in(map.objects(), objects);
    if let Some(first) = extra.first() {
        let more = if extra.len() > 1 { format!(" and {} more", extra.len() - 1) } else { String::new() };
        warnings.push(format!("`{first}`{more} on the map but not in the judgements: left out of every figure"));
    }
    JudgementEvaluation {
        schema: JudgementEvaluation::SCHEMA,
        version: env!("CARGO_PKG_VERSION").into(),
        method: None,
        kind: kind.into(),
        objects: objects.len(),
        dim: map.dim(),
        seed: 0,
        agreement,
        comparisons: None,
        pairs: None,
        ceiling,
        per_object: Vec::new(),
        worst: Vec::new(),
        held_out: None,
        procrustes: None,
        by_dimension: None,
        stability: None,
        warnings,
    }
}

fn per_object<const N: usize>(
    objects: &Objects,
    rows: usize,
    involved: impl Fn(usize) -> [Option<Item>; N],
    satisfied: impl Fn(usize) -> bool,
) -> Vec<ObjectAgreement> {
    let start = |label: &String| ObjectAgreement { label: label.clone(), rows: 0, satisfied: 0, radius: None };
    let mut all: Vec<ObjectAgreement> = objects.labels().iter().map(start).collect();
    for row in 0..rows {
        let good = usize::from(satisfied(row));
        for item in involved(row).into_iter().flatten() {
            all[item.index()].rows += 1;
            all[item.index()].satisfied += good;
        }
    }
    all
}

/// The first few rows that say something different, and how often each is among all of them.
fn distinct<K: Eq + std::hash::Hash>(rows: Vec<usize>, most: usize, key: impl Fn(usize) -> K) -> Vec<(usize, usize)> {
    let mut found: Vec<(usize, usize)> = Vec::new();
    let mut place: HashMap<K, usize> = HashMap::new();
    for row in rows {
        match place.get(&key(row)) {
            Some(&at) => found[at].1 += 1,
            None if found.len() < most => {
                place.insert(key(row), found.len());
                found.push((row, 1));
            }
            None => {}
        }
    }
    found
}
