//! Judgements one by one, as the page lists them: what each says, how far apart the map puts its ends, whether it holds.

use crate::error::Error;
use crate::evaluate::agreement::Held;
use crate::evaluate::radii::Rings;
use crate::evaluate::shepard::ShepardPair;
use crate::evidence::{Comparisons, Pairs};
use crate::geometry::Embedding;
use crate::object::{Item, Pair};
use crate::page::{DrawnPair, JudgedRow, Says, Standing};

/// Every comparison with its distances on the map and whether it holds, in the order of the evidence.
///
/// # Fails
/// As [`agreement`](crate::evaluate::agreement) does.
///
/// ```
/// use nearer::{Comparison, Comparisons, Embedding, Item, Objects, Pair};
/// use nearer::{evaluate::judged_comparisons, page::Standing};
/// # fn main() -> Result<(), nearer::Error> {
/// let pair = |a, b| Pair::new(Item(a), Item(b)).expect("two objects");
/// let answers = Comparisons::new(Objects::numbered(3), vec![Comparison::new(pair(0, 1), pair(0, 2))])?;
/// let map = Embedding::new(Objects::numbered(3), ndarray::array![[0.0], [1.0], [-7.0]])?;
/// let rows = judged_comparisons(&map, &answers)?;
/// assert_eq!((rows[0].near, rows[0].far, rows[0].verdict), (1.0, 7.0, Standing::Satisfied));
/// # Ok(()) }
/// ```
pub fn judged_comparisons(map: &Embedding, comparisons: &Comparisons) -> Result<Vec<JudgedRow>, Error> {
    let held = Held::new(map, comparisons)?;
    let row = rows_of(map, comparisons.objects().labels());
    let ends = |p: Pair| Some([row(p.first())?, row(p.second())?]);
    let told = comparisons.rows().iter().enumerate().filter_map(|(k, c)| {
        let (near, far) = held.distances(k);
        let verdict = match (held.satisfied(k), near == far) {
            (true, _) => Standing::Satisfied,
            (false, true) => Standing::Tied,
            (false, false) => Standing::Violated,
        };
        let says = Says::Nearer(ends(c.near)?, ends(c.far)?);
        Some(JudgedRow { says, near, far, verdict, participant: comparisons.participant(k).map(str::to_owned) })
    });
    Ok(told.collect())
}

/// The same for pairs said to be alike or not: the distance of each pair and the radius about its first object, the
/// smaller one wanted first.
///
/// # Fails
/// As [`pair_agreement`](crate::evaluate::pair_agreement) does.
pub fn judged_pairs(map: &Embedding, pairs: &Pairs) -> Result<Vec<JudgedRow>, Error> {
    let rings = Rings::new(map, pairs)?;
    let row = rows_of(map, pairs.objects().labels());
    let told = pairs.rows().iter().enumerate().filter_map(|(k, p)| {
        let (distance, radius) = rings.distances(pairs, k);
        let both = [row(p.from)?, row(p.to)?];
        let (says, near, far) =
            if p.similar { (Says::Alike(both), distance, radius) } else { (Says::Unlike(both), radius, distance) };
        let verdict = if rings.satisfied(pairs, k) { Standing::Satisfied } else { Standing::Violated };
        let participant = p.participant.and_then(|who| pairs.participants().get(who as usize).cloned());
        Some(JudgedRow { says, near, far, verdict, participant })
    });
    Ok(told.collect())
}

/// From an object of the evidence to its row on the map.
fn rows_of(map: &Embedding, labels: &[String]) -> impl Fn(Item) -> Option<usize> {
    let index = map.objects().index();
    let rows: Vec<Option<usize>> = labels.iter().map(|l| index.get(l.as_str()).map(|item| item.index())).collect();
    move |item| rows[item.index()]
}

impl From<&ShepardPair> for DrawnPair {
    fn from(p: &ShepardPair) -> Self {
        DrawnPair { pair: p.pair, data: p.data, bound: p.bound, disparity: p.disparity }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evaluate::{agreement, pair_agreement};
    use crate::evidence::Judged;
    use crate::object::Objects;

    #[test]
    fn the_rows_add_up_to_the_agreement() {
        let points = ndarray::Array2::from_shape_fn((9, 2), |(i, k)| ((5 * i + 3 * k) as f64).sin());
        let map = Embedding::new(Objects::numbered(9), points).unwrap();
        let n = 9u32;
        let says = |k: u32| {
            let (a, b, c) = (k % n, (k + 1 + k / 9) % n, (k + 4) % n);
            Some(crate::Comparison::new(Pair::new(Item(a), Item(b))?, Pair::new(Item(a), Item(c))?))
                .filter(|c| c.near != c.far)
        };
        let answers = Comparisons::new(Objects::numbered(9), (0..60).filter_map(says).collect()).unwrap();
        let (rows, found) = (judged_comparisons(&map, &answers).unwrap(), agreement(&map, &answers).unwrap());
        let count = |v| rows.iter().filter(|r| r.verdict == v).count();
        assert_eq!(
            (count(Standing::Satisfied), count(Standing::Tied), count(Standing::Violated)),
            (found.satisfied, found.tied, found.violated)
        );
        let judged: Vec<Judged> =
            (0..40).map(|k| Judged::new(Item(k % n), Item((k + 1 + k % 3) % n), k % 2 == 0)).collect();
        let pairs = Pairs::new(Objects::numbered(9), judged).unwrap();
        let (rows, found) = (judged_pairs(&map, &pairs).unwrap(), pair_agreement(&map, &pairs).unwrap());
        assert_eq!(rows.iter().filter(|r| r.verdict == Standing::Satisfied).count(), found.satisfied);
    }

    #[test]
    fn objects_are_rows_of_the_map_and_not_of_the_evidence() {
        let map = Embedding::new(Objects::new(["c", "b", "a"]).unwrap(), ndarray::array![[0.0], [1.0], [5.0]]).unwrap();
        let pairs =
            Pairs::new(Objects::new(["a", "b", "c"]).unwrap(), vec![Judged::new(Item(0), Item(2), false)]).unwrap();
        assert_eq!(judged_pairs(&map, &pairs).unwrap()[0].says, Says::Unlike([2, 0]));
    }
}
