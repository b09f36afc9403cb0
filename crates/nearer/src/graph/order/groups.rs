//! Which objects are never compared, and which are compared only among themselves.

use super::ConstraintGraph;
use crate::graph::union::Union;
use crate::object::Item;
use nearer_num::order;

impl ConstraintGraph {
    /// The objects in no comparison, in order.
    #[must_use]
    pub fn unseen(&self) -> Vec<Item> {
        let mut seen = vec![false; self.objects.len()];
        self.edges.iter().flat_map(|e| self.objects_of(e.near, e.far)).for_each(|i| seen[i.index()] = true);
        (0..seen.len()).filter(|&k| !seen[k]).map(|k| Item(k as u32)).collect()
    }

    /// The compared objects in groups that share no comparison: largest first, then by their first object. With more
    /// than one group, nothing says how far apart the groups are, nor how their sizes compare.
    #[must_use]
    pub fn groups(&self) -> Vec<Vec<Item>> {
        let mut union = Union::new(self.objects.len());
        let mut seen = vec![false; self.objects.len()];
        for e in &self.edges {
            let items = self.objects_of(e.near, e.far);
            items.into_iter().for_each(|i| union.join(items[0].index(), i.index()));
            items.into_iter().for_each(|i| seen[i.index()] = true);
        }
        let mut groups: Vec<Vec<Item>> = vec![Vec::new(); self.objects.len()];
        for k in (0..self.objects.len()).filter(|&k| seen[k]) {
            groups[union.find(k)].push(Item(k as u32));
        }
        groups.retain(|g| !g.is_empty());
        order::by_key(&mut groups, &|g| std::cmp::Reverse(g.len())); // stable: equal ones by their first object
        groups
    }

    fn objects_of(&self, near: u32, far: u32) -> [Item; 4] {
        let (near, far) = (self.nodes[near as usize], self.nodes[far as usize]);
        [near.first(), near.second(), far.first(), far.second()]
    }
}
