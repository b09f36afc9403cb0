//! Objects that hang together by known pairs.

use std::collections::BTreeMap;

use crate::check::Group;

/// Objects joined by known pairs.
pub(in crate::check) struct Groups(Vec<usize>);

impl Groups {
    pub(in crate::check) fn new(n: usize) -> Self {
        Groups((0..n).collect())
    }
    fn root(&mut self, mut k: usize) -> usize {
        while self.0[k] != k {
            self.0[k] = self.0[self.0[k]];
            k = self.0[k];
        }
        k
    }
    pub(in crate::check) fn join(&mut self, a: usize, b: usize) {
        let (a, b) = (self.root(a), self.root(b));
        self.0[a.max(b)] = a.min(b);
    }
    /// Whether a chain of pairs joins two objects.
    pub(in crate::check) fn joined(&mut self, a: usize, b: usize) -> bool {
        self.root(a) == self.root(b)
    }
    /// The groups, the largest first; none when all hang together.
    pub(in crate::check) fn listed(mut self, labels: &[String]) -> Vec<Group> {
        let mut members: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        for k in 0..labels.len() {
            let root = self.root(k);
            members.entry(root).or_default().push(k);
        }
        if members.len() < 2 {
            return Vec::new();
        }
        let mut groups: Vec<Group> = members
            .into_values()
            .map(|m| Group { objects: m.len(), first: m.iter().take(3).map(|&k| labels[k].clone()).collect() })
            .collect();
        groups.sort_by_key(|g| std::cmp::Reverse(g.objects));
        groups
    }
}
