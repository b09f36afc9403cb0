//! The longest ways along steps from place to place: what an order of distances adds up to.

/// The largest sum of steps `(from, to, by)` on a way to each of `count` places, none below zero; `None` where ways go in a circle.
/// Every step is taken once, when nothing can come to its start any more.
pub(super) fn longest(count: usize, steps: &[(usize, usize, f64)]) -> Option<Vec<f64>> {
    let (mut first, mut waiting) = (vec![0usize; count + 1], vec![0usize; count]);
    for (from, to, _) in steps {
        first[from + 1] += 1;
        waiting[*to] += 1;
    }
    (0..count).for_each(|k| first[k + 1] += first[k]);
    let mut next = first.clone();
    let mut by_start = vec![(0usize, 0.0f64); steps.len()];
    for (from, to, by) in steps {
        by_start[next[*from]] = (*to, *by);
        next[*from] += 1;
    }
    let mut heights = vec![0.0f64; count];
    let mut ready: Vec<usize> = (0..count).filter(|k| waiting[*k] == 0).collect();
    let mut done = 0;
    while let Some(from) = ready.pop() {
        done += 1;
        for &(to, by) in &by_start[first[from]..first[from + 1]] {
            heights[to] = heights[to].max(heights[from] + by);
            waiting[to] -= 1;
            if waiting[to] == 0 {
                ready.push(to);
            }
        }
    }
    (done == count).then_some(heights)
}

#[cfg(test)]
mod tests {
    use super::longest;

    #[test]
    fn the_longest_way_is_found_and_a_circle_too() {
        let steps = [(0, 1, 1.0), (1, 2, 1.0), (0, 2, 1.5), (3, 2, 5.0)];
        assert_eq!(longest(4, &steps), Some(vec![0.0, 1.0, 5.0, 0.0]));
        assert_eq!(longest(2, &[(0, 1, 1.0), (1, 0, 1.0)]), None);
        assert_eq!(longest(0, &[]), Some(vec![]));
        // A step below zero leaves what is at least zero.
        assert_eq!(longest(2, &[(0, 1, -1.0)]), Some(vec![0.0, 0.0]));
    }
}
