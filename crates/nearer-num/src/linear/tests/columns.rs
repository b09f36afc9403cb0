//! Orthonormal columns.

use super::*;
use crate::linear::orthonormal as made_orthonormal;

fn close(a: &Array2<f64>, b: &Array2<f64>) -> bool {
    a.dim() == b.dim() && a.iter().zip(b).all(|(a, b)| (a - b).abs() < 1e-12)
}

#[test]
fn columns_become_orthonormal_and_span_the_same() {
    for (m, n) in [(0, 0), (0, 2), (1, 1), (5, 1), (5, 5), (3, 7), (40, 6), (200, 29), (70, 70), (50, 80), (300, 120)] {
        for scale in [1.0, 1e-170, 1e170] {
            let a = random(m, n, 1) * scale;
            let q = made_orthonormal(a.view()).unwrap();
            assert_eq!(q.dim(), (m, m.min(n)));
            assert!(close(&q.t().dot(&q), &Array2::eye(m.min(n))), "{m} {n}");
            let a = a / scale;
            assert!(close(&q.dot(&q.t().dot(&a)), &a), "{m} {n}");
        }
    }
}

#[test]
fn columns_that_depend_on_others_are_replaced() {
    let mut dependent = random(30, 6, 2);
    dependent.column_mut(0).fill(0.0);
    let twice = &dependent.column(1) * 2.0;
    dependent.column_mut(4).assign(&twice);
    for a in [dependent.clone(), dependent.as_standard_layout().into_owned(), Array2::zeros((9, 4))] {
        let q = made_orthonormal(a.view()).unwrap();
        assert!(close(&q.t().dot(&q), &Array2::eye(q.ncols())));
    }
    for odd in [f64::NAN, f64::INFINITY] {
        assert!(made_orthonormal(Array2::from_elem((20, 5), odd).view()).is_none());
    }
}
