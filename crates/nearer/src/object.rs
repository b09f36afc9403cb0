//! What is being mapped: labelled objects, typed indices, and unordered pairs of them.

use nearer_num::order;
use std::collections::HashMap;
use std::sync::Arc;

use crate::error::Error;

/// The labels of the objects, in order. Cheap to clone; objects are given, never guessed from an index.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Objects(Arc<[String]>);

/// The index of an object.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Item(pub u32);

/// An unordered pair of two different objects; the smaller index stands first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Pair(Item, Item);

impl Objects {
    /// Labelled objects. Labels must differ from each other.
    pub fn new<S: Into<String>>(labels: impl IntoIterator<Item = S>) -> Result<Self, Error> {
        let labels: Arc<[String]> = labels.into_iter().map(Into::into).collect();
        let mut seen = HashMap::with_capacity(labels.len());
        for (k, label) in labels.iter().enumerate() {
            if let Some(first) = seen.insert(label.as_str(), k) {
                return Err(Error::Evidence {
                    what: format!("label `{label}` stands for two objects, number {} and number {}", first + 1, k + 1),
                    remedy: "give every object its own label".into(),
                });
            }
        }
        Ok(Objects(labels))
    }

    /// Objects without names: `1`, `2`, … `n`.
    #[must_use]
    pub fn numbered(n: usize) -> Self {
        Objects((1..=n).map(|k| k.to_string()).collect())
    }

    /// How many objects there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The label of an object.
    ///
    /// # Panics
    /// If the item is not one of these objects.
    #[must_use]
    pub fn label(&self, item: Item) -> &str {
        &self.0[item.index()]
    }

    /// All labels, in order.
    #[must_use]
    pub fn labels(&self) -> &[String] {
        &self.0
    }

    /// From label to item, for joining files.
    #[must_use]
    pub fn index(&self) -> HashMap<&str, Item> {
        self.0.iter().enumerate().map(|(k, l)| (l.as_str(), Item(k as u32))).collect()
    }

    /// The indices of the objects in the order of their labels (of numbers, by size); `None` if they stand in it.
    pub(crate) fn label_order(&self) -> Option<Vec<usize>> {
        let order = label_order(&self.0);
        (!order.is_sorted()).then_some(order)
    }

    /// For each of these objects its number among others; nothing for one that is not there.
    #[must_use]
    pub fn among(&self, others: &Objects) -> Vec<Option<usize>> {
        let index = others.index();
        self.labels().iter().map(|label| index.get(label.as_str()).map(|item| item.index())).collect()
    }

    /// The objects at these indices, in that order.
    #[must_use]
    pub fn subset(&self, items: &[usize]) -> Objects {
        Objects(items.iter().map(|&k| self.0[k].clone()).collect())
    }
}

/// The order of labels: as they count where all are whole numbers, else as they are spelled.
pub(crate) fn label_order<S: AsRef<str>>(labels: &[S]) -> Vec<usize> {
    numeric_order(labels).unwrap_or_else(|| {
        let mut order: Vec<usize> = (0..labels.len()).collect();
        order::by(&mut order, &|&a, &b| labels[a].as_ref().cmp(labels[b].as_ref()));
        order
    })
}

/// The order in which labels that are all whole numbers count; `None` if one of them is not.
pub(crate) fn numeric_order<S: AsRef<str>>(labels: &[S]) -> Option<Vec<usize>> {
    let numbers: Vec<i64> = labels.iter().map(|l| l.as_ref().parse().ok()).collect::<Option<_>>()?;
    let mut order: Vec<usize> = (0..labels.len()).collect();
    order::by_key(&mut order, &|&k| (numbers[k], labels[k].as_ref()));
    Some(order)
}

impl Item {
    /// The index as a `usize`.
    #[must_use]
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

impl Pair {
    /// The pair of two objects; `None` for an object with itself.
    #[must_use]
    pub fn new(a: Item, b: Item) -> Option<Pair> {
        match a.cmp(&b) {
            std::cmp::Ordering::Less => Some(Pair(a, b)),
            std::cmp::Ordering::Greater => Some(Pair(b, a)),
            std::cmp::Ordering::Equal => None,
        }
    }
    /// The object with the smaller index.
    #[must_use]
    pub fn first(self) -> Item {
        self.0
    }
    /// The object with the larger index.
    #[must_use]
    pub fn second(self) -> Item {
        self.1
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_labels_are_refused_by_name() {
        let e = Objects::new(["a", "b", "a"]).unwrap_err().to_string();
        assert!(e.contains("`a`") && e.contains("number 1 and number 3"), "{e}");
    }

    #[test]
    fn a_pair_has_no_order_and_no_self() {
        assert_eq!(Pair::new(Item(3), Item(1)), Pair::new(Item(1), Item(3)));
        assert_eq!(Pair::new(Item(2), Item(2)), None);
    }
}
