//! Class labels: what each object is, where it is known.

use crate::error::Error;
use crate::evidence::Sorts;
use crate::evidence::convert::{locate, sample};
use crate::object::Objects;

/// One class for each object, or none: a grouping by one assessor, with the classes numbered in their natural order, whole
/// numbers as numbers and words as words.
///
/// ```
/// use nearer::evidence::{Classes, Sorts};
/// use nearer::Objects;
/// # fn main() -> Result<(), nearer::Error> {
/// let of = ["10", "9", "10"].map(|c| Some(c.to_owned())).to_vec();
/// let classes = Classes::of(&Sorts::new(Objects::numbered(3), vec!["kind".into()], vec![of])?)?;
/// assert_eq!(classes.names(), ["9", "10"]);
/// assert_eq!(classes.class(0), Some(1));
/// # Ok(()) }
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Classes {
    objects: Objects,
    names: Vec<String>,
    of: Vec<Option<u32>>,
}

impl Classes {
    /// The classes that one grouping makes.
    ///
    /// # Fails
    /// [`Error::Evidence`] where several assessors grouped the objects: which of them is right, nobody says.
    pub fn of(sorts: &Sorts) -> Result<Self, Error> {
        if sorts.assessors().len() != 1 {
            return Err(Error::Evidence {
                what: format!("{} groupings of the objects, and classes are one", sorts.assessors().len()),
                remedy: "choose one of them, or a method that takes pairs or comparisons".into(),
            });
        }
        let n = sorts.objects().len();
        let mut names: Vec<&str> = (0..n).filter_map(|k| sorts.group(0, k)).collect();
        let number = |name: &str| name.trim().parse::<f64>().ok().filter(|v| v.is_finite());
        let order = |a: &&str, b: &&str| match (number(a), number(b)) {
            (Some(x), Some(y)) => x.total_cmp(&y).then(a.cmp(b)),
            (x, y) => y.is_some().cmp(&x.is_some()).then(a.cmp(b)),
        };
        names.sort_unstable_by(order);
        names.dedup();
        let place = |name: &str| names.binary_search_by(|probe| order(probe, &name)).ok().map(|k| k as u32);
        let of = (0..n).map(|k| sorts.group(0, k).and_then(place)).collect();
        Ok(Classes { objects: sorts.objects().clone(), names: names.iter().map(ToString::to_string).collect(), of })
    }
    /// The objects.
    #[must_use]
    pub fn objects(&self) -> &Objects {
        &self.objects
    }
    /// The names of the classes, in order.
    #[must_use]
    pub fn names(&self) -> &[String] {
        &self.names
    }
    /// The class of an object, by its place among the names; `None` where it is not known.
    #[must_use]
    pub fn class(&self, object: usize) -> Option<u32> {
        self.of[object]
    }
    /// How many objects have one.
    #[must_use]
    pub fn known(&self) -> usize {
        self.of.iter().flatten().count()
    }
    /// The class of each of these objects, by label; `None` for those that are not classed.
    #[must_use]
    pub fn on(&self, objects: &Objects) -> Vec<Option<u32>> {
        let index = self.objects.index();
        objects.labels().iter().map(|l| index.get(l.as_str()).and_then(|item| self.of[item.index()])).collect()
    }
    /// Some of the objects, in that order; names that none of them has stay.
    #[must_use]
    pub fn subset(&self, items: &[usize]) -> Self {
        Classes {
            objects: self.objects.subset(items),
            names: self.names.clone(),
            of: items.iter().map(|k| self.of[*k]).collect(),
        }
    }
    /// The classes as a grouping.
    #[must_use]
    pub fn sorts(&self, name: &str) -> Sorts {
        let groups = self.of.iter().map(|c| c.map(|c| self.names[c as usize].clone())).collect();
        Sorts::new(self.objects.clone(), vec![name.to_owned()], vec![groups]).expect("one group for each object")
    }
}

/// Pairs of one group, and pairs of two.
pub(crate) type Sampled = (Vec<(u32, u32)>, Vec<(u32, u32)>);

/// At most `count` pairs of rows of one group and as many of different groups: all of them where there are no more, else a
/// sample without repetition, the same for the same seed and the same labels, whatever the order of the rows. Rows of `u32::MAX`
/// are of no group; of a pair the row that comes first is named first.
pub(crate) fn sampled_pairs(objects: &Objects, of: &[u32], count: usize, seed: u64) -> Sampled {
    let order = objects.label_order().unwrap_or_else(|| (0..of.len()).collect());
    let groups = of.iter().filter(|g| **g != u32::MAX).max().map_or(0, |g| *g as usize + 1);
    let mut members: Vec<Vec<u32>> = vec![Vec::new(); groups];
    order.iter().filter(|i| of[**i] != u32::MAX).for_each(|&i| members[of[i] as usize].push(i as u32));
    let size = |g: usize| members[g].len() as u64;
    let ends = |sizes: Vec<u64>| {
        let add = |sum: &mut u64, s: u64| {
            *sum += s;
            Some(*sum)
        };
        sizes.into_iter().scan(0, add).collect::<Vec<u64>>()
    };
    let draw = |total: u64, task: u64| sample(std::slice::from_ref(&(0..total)), count, seed ^ (task << 32));
    let own = ends((0..groups).map(|g| size(g) * size(g).saturating_sub(1) / 2).collect());
    let similar = draw(own.last().copied().unwrap_or(0), 1).into_iter().map(|k| {
        let (g, k) = locate(&own, k);
        // Pair k of those below the diagonal: row i has i of them.
        let mut i = ((1.0 + (1.0 + 8.0 * k as f64).sqrt()) / 2.0) as u64;
        while i * (i - 1) / 2 > k {
            i -= 1;
        }
        while i * (i + 1) / 2 <= k {
            i += 1;
        }
        rising(members[g][(k - i * (i - 1) / 2) as usize], members[g][i as usize])
    });
    let blocks: Vec<(usize, usize)> = (0..groups).flat_map(|a| (a + 1..groups).map(move |b| (a, b))).collect();
    let across = ends(blocks.iter().map(|(a, b)| size(*a) * size(*b)).collect());
    let dissimilar = draw(across.last().copied().unwrap_or(0), 2).into_iter().map(|k| {
        let (block, k) = locate(&across, k);
        let (a, b) = blocks[block];
        rising(members[a][(k / size(b)) as usize], members[b][(k % size(b)) as usize])
    });
    (similar.collect(), dissimilar.collect())
}

fn rising(a: u32, b: u32) -> (u32, u32) {
    (a.min(b), a.max(b))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_of_classes_are_all_of_them_or_a_sample() {
        let of = [0, 1, 0, u32::MAX, 1, 0, 2];
        let (similar, dissimilar) = sampled_pairs(&Objects::numbered(7), &of, 100, 1);
        assert_eq!(similar, [(0, 2), (0, 5), (2, 5), (1, 4)]);
        assert_eq!(dissimilar.len(), 3 * 2 + 3 + 2);
        assert!(dissimilar.iter().all(|(a, b)| of[*a as usize] != of[*b as usize]));
        let many: Vec<u32> = (0..300).map(|i| i % 3).collect();
        let objects = Objects::numbered(300);
        let (a, b) = sampled_pairs(&objects, &many, 50, 4);
        assert!(a.len() == 50 && a.iter().all(|(i, j)| i < j && i % 3 == j % 3));
        assert!(b.len() == 50 && b.iter().all(|(i, j)| i % 3 != j % 3));
        assert_eq!(sampled_pairs(&objects, &many, 50, 4), (a.clone(), b.clone()));
        assert_ne!(sampled_pairs(&objects, &many, 50, 5).0, a);
        // Rows in another order: the same pairs of labels.
        let turned: Vec<usize> = (0..300).map(|k| (7 * k + 5) % 300).collect();
        let of: Vec<u32> = turned.iter().map(|k| many[*k]).collect();
        let (c, d) = sampled_pairs(&objects.subset(&turned), &of, 50, 4);
        let back = |list: Vec<(u32, u32)>| -> Vec<(u32, u32)> {
            let old = |i: u32| turned[i as usize] as u32;
            list.into_iter().map(|(i, j)| rising(old(i), old(j))).collect()
        };
        assert_eq!((back(c), back(d)), (a, b));
    }

    #[test]
    fn classes_are_one_grouping_and_joined_by_label() {
        let word = |w: &str| Some(w.to_owned());
        let objects = Objects::new(["a", "b", "c"]).unwrap();
        let two = Sorts::new(objects.clone(), vec!["A".into(), "B".into()], vec![vec![None; 3]; 2]).unwrap();
        assert!(Classes::of(&two).unwrap_err().to_string().contains("2 groupings"));
        let sorts = Sorts::new(objects, vec!["A".into()], vec![vec![word("oak"), None, word("ash")]]).unwrap();
        let classes = Classes::of(&sorts).unwrap();
        assert_eq!((classes.names(), classes.known()), (&["ash".to_owned(), "oak".to_owned()][..], 2));
        assert_eq!(classes.on(&Objects::new(["c", "x", "a"]).unwrap()), [Some(0), None, Some(1)]);
        assert_eq!(classes.sorts("A"), sorts);
    }
}
