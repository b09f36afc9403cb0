//! Sets of numbers that grow together.

/// Sets that grow together.
pub(crate) struct Union(Vec<usize>);

impl Union {
    pub(crate) fn new(n: usize) -> Self {
        Union((0..n).collect())
    }
    /// The one that speaks for the set of `i`: the smallest of it.
    pub(crate) fn find(&mut self, mut i: usize) -> usize {
        while self.0[i] != i {
            self.0[i] = self.0[self.0[i]];
            i = self.0[i];
        }
        i
    }
    /// The smaller number speaks for both.
    pub(crate) fn join(&mut self, a: usize, b: usize) {
        let (a, b) = (self.find(a), self.find(b));
        self.0[a.max(b)] = a.min(b);
    }
    /// The number of each one's set, and the first of each set.
    pub(crate) fn vertices(mut self) -> (Vec<u32>, Vec<usize>) {
        let mut first = Vec::new();
        let mut number = vec![u32::MAX; self.0.len()];
        for i in 0..self.0.len() {
            let root = self.find(i);
            if root == i {
                number[i] = first.len() as u32;
                first.push(i);
            } else {
                number[i] = number[root];
            }
        }
        (number, first)
    }
}
