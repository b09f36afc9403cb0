//! Judgements out again, as csv that reads back to the same.

use std::io::{self, Write};

use crate::evidence::{Comparison, Comparisons, Pairs};
use crate::object::Item;

/// Writes comparisons as csv: `head,near,far` if each of them shares an object, or else `a,b,c,d` (a and b are nearer than
/// c and d); then `weight`, `margin`, `participant` and `response_time` where any row has them.
///
/// Objects that no comparison names are not in the file; give them again with the list of objects when reading it.
///
/// ```
/// use nearer::evidence::{Comparison, Comparisons};
/// use nearer::{Item, Objects, Pair};
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let pair = |a, b| Pair::new(Item(a), Item(b)).expect("two objects");
/// let c = Comparisons::new(Objects::new(["dog", "wolf", "cat"])?, vec![Comparison::new(pair(0, 1), pair(0, 2))])?;
/// let mut text = Vec::new();
/// nearer::io::write_comparisons(&mut text, &c)?;
/// assert_eq!(text, b"head,near,far\ndog,wolf,cat\n");
/// # Ok(()) }
/// ```
pub fn write_comparisons(w: &mut dyn Write, comparisons: &Comparisons) -> io::Result<()> {
    let triplets: Option<Vec<[Item; 3]>> = comparisons.iter().map(triplet).collect();
    let plain = |f: fn(&Comparison) -> f64| comparisons.iter().all(|c| f(c) == 1.0);
    let weighted = !plain(|c| c.weight);
    let with_margins = !plain(|c| c.margin);
    let rows = || 0..comparisons.len();
    let by_people = rows().any(|k| comparisons.participant(k).is_some());
    let timed = rows().any(|k| comparisons.answered(k).is_some_and(|a| a.seconds.is_some()));
    let mut out = csv::Writer::from_writer(w);
    let names: &[&str] = if triplets.is_some() { &["head", "near", "far"] } else { &["a", "b", "c", "d"] };
    let extras = [(weighted, "weight"), (with_margins, "margin"), (by_people, "participant"), (timed, "response_time")];
    out.write_record(names.iter().copied().chain(extras.iter().filter(|(there, _)| *there).map(|(_, name)| *name)))?;
    let mut row: Vec<String> = Vec::new();
    for (k, c) in comparisons.iter().enumerate() {
        row.clear();
        let items: &[Item] = match &triplets {
            Some(triplets) => &triplets[k],
            None => &[c.near.first(), c.near.second(), c.far.first(), c.far.second()],
        };
        row.extend(items.iter().map(|i| comparisons.objects().label(*i).to_string()));
        row.extend(weighted.then(|| format!("{:?}", c.weight)));
        row.extend(with_margins.then(|| format!("{:?}", c.margin)));
        row.extend(by_people.then(|| comparisons.participant(k).unwrap_or_default().to_string()));
        let seconds = || comparisons.answered(k).and_then(|a| a.seconds);
        row.extend(timed.then(|| seconds().map_or(String::new(), |s| format!("{s:?}"))));
        out.write_record(&row)?;
    }
    out.flush()
}

/// Writes pairs as csv: `from,to,label` with 1 for alike and 0 for not, or `from,to,grade` with 1 for the most alike, then `weight` and `participant` where any row has
/// them. Of pairs without direction each answer is one row; others read back to the same with
/// [`ReadOptions::directed`](crate::io::ReadOptions::directed).
pub fn write_pairs(w: &mut dyn Write, pairs: &Pairs) -> io::Result<()> {
    let weighted = pairs.iter().any(|row| row.weight != 1.0);
    let by_people = pairs.iter().any(|row| row.participant.is_some());
    let mut out = csv::Writer::from_writer(w);
    let extras = [(weighted, "weight"), (by_people, "participant")];
    let label = if pairs.levels() > 1 { "grade" } else { "label" };
    out.write_record(["from", "to", label].into_iter().chain(extras.iter().filter(|e| e.0).map(|e| e.1)))?;
    for (row, grade) in pairs.iter().step_by(pairs.per_answer()).zip(pairs.grades()) {
        out.write_field(pairs.objects().label(row.from))?;
        out.write_field(pairs.objects().label(row.to))?;
        match pairs.levels() {
            1 => out.write_field(if row.similar { "1" } else { "0" })?,
            _ => out.write_field(grade.to_string())?,
        }
        if weighted {
            out.write_field(format!("{:?}", row.weight))?;
        }
        if by_people {
            let name = row.participant.and_then(|who| pairs.participants().get(who as usize));
            out.write_field(name.map_or("", String::as_str))?;
        }
        out.write_record(None::<&[u8]>)?;
    }
    out.flush()
}

/// Head, near and far of a comparison whose pairs share an object.
fn triplet(c: &Comparison) -> Option<[Item; 3]> {
    let ends = [c.near.first(), c.near.second()];
    let head = ends.into_iter().find(|i| *i == c.far.first() || *i == c.far.second())?;
    let other = |p: crate::object::Pair| if p.first() == head { p.second() } else { p.first() };
    Some([head, other(c.near), other(c.far)])
}
