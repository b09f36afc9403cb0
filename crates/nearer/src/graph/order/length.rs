//! How far the order goes: longest paths, in edges and in margins.

use super::ConstraintGraph;
use crate::error::Error;

impl ConstraintGraph {
    /// For each node the edges of a longest path that ends there: 0 where nothing is nearer. `O(V + E)`.
    ///
    /// # Errors
    /// If answers go in a circle; the error spells it out. So for all longest paths.
    pub fn depth(&self) -> Result<Vec<u32>, Error> {
        self.longest(0, |depth, _| depth + 1, |a, b| a > b)
    }
    /// For each node the margins along a path that ends there, at their largest: by how much at least its squared
    /// distance exceeds that of a pair where such a path begins.
    pub fn margin_depth(&self) -> Result<Vec<f64>, Error> {
        self.longest(0.0, |depth, margin| depth + margin, |a, b| a > b)
    }
    /// For each node the margins along a path that begins there, at their largest.
    pub fn heights(&self) -> Result<Vec<(crate::object::Pair, f64)>, Error> {
        let mut height = vec![0.0f64; self.nodes.len()];
        for v in self.topological_order()?.into_iter().rev() {
            for e in &self.edges[self.from(v)] {
                height[v as usize] = height[v as usize].max(height[e.far as usize] + e.margin);
            }
        }
        Ok(self.nodes.iter().copied().zip(height).collect())
    }
    /// The edges of a longest path.
    pub fn length(&self) -> Result<u32, Error> {
        Ok(self.depth()?.into_iter().max().unwrap_or(0))
    }
    /// The largest sum of margins along a path: the diameter of the margin-weighted graph.
    pub fn diameter(&self) -> Result<f64, Error> {
        Ok(self.margin_depth()?.into_iter().fold(0.0, f64::max))
    }

    fn longest<T: Copy>(
        &self,
        start: T,
        extend: impl Fn(T, f64) -> T,
        longer: impl Fn(&T, &T) -> bool,
    ) -> Result<Vec<T>, Error> {
        let mut depth = vec![start; self.nodes.len()];
        for v in self.topological_order()? {
            for e in &self.edges[self.from(v)] {
                let here = extend(depth[v as usize], e.margin);
                if longer(&here, &depth[e.far as usize]) {
                    depth[e.far as usize] = here;
                }
            }
        }
        Ok(depth)
    }
}
