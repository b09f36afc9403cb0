//! Objects that hang together by known pairs.

use nearer_num::order;
use std::collections::BTreeMap;

use crate::check::Group;
use crate::graph::union::Union;

/// Objects joined by known pairs.
pub(in crate::check) struct Groups(Union);

impl Groups {
    pub(in crate::check) fn new(n: usize) -> Self {
        Groups(Union::new(n))
    }
    pub(in crate::check) fn join(&mut self, a: usize, b: usize) {
        self.0.join(a, b);
    }
    /// Whether a chain of pairs joins two objects.
    pub(in crate::check) fn joined(&mut self, a: usize, b: usize) -> bool {
        self.0.find(a) == self.0.find(b)
    }
    /// The groups, the largest first; none when all hang together.
    pub(in crate::check) fn listed(mut self, labels: &[String]) -> Vec<Group> {
        let mut members: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        for k in 0..labels.len() {
            let root = self.0.find(k);
            members.entry(root).or_default().push(k);
        }
        if members.len() < 2 {
            return Vec::new();
        }
        let mut groups: Vec<Group> = members
            .into_values()
            .map(|m| Group { objects: m.len(), first: m.iter().take(3).map(|&k| labels[k].clone()).collect() })
            .collect();
        order::by_key(&mut groups, &|g| std::cmp::Reverse(g.objects));
        groups
    }
}
