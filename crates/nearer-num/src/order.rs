//! Sorting, compiled once for a type and not once for every comparison: a sort of the standard library is two thousand
//! instructions, and a comparison that is called through a pointer costs no more than a millisecond in a hundred thousand. For
//! lists that are longer than that, the standard library's own.

use std::cmp::Ordering;

/// Sorts by this comparison; equal ones stay as they are.
pub fn by<T>(list: &mut [T], compare: &dyn Fn(&T, &T) -> Ordering) {
    list.sort_by(compare);
}

/// Sorts by these keys; those of equal ones stay as they are.
pub fn by_key<T, K: Ord>(list: &mut [T], key: &dyn Fn(&T) -> K) {
    list.sort_by_key(key);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_ones_stay_as_they_are() {
        let mut list = vec![(2, 'a'), (1, 'b'), (2, 'c'), (1, 'd'), (0, 'e')];
        by(&mut list, &|a, b| a.0.cmp(&b.0));
        assert_eq!(list, [(0, 'e'), (1, 'b'), (1, 'd'), (2, 'a'), (2, 'c')]);
        by_key(&mut list, &|a| std::cmp::Reverse(a.0));
        assert_eq!(list, [(2, 'a'), (2, 'c'), (1, 'b'), (1, 'd'), (0, 'e')]);
    }
}
