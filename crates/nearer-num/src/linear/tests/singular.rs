//! Singular values and vectors.

use super::*;

const SHAPES: [(usize, usize); 22] = [
    (0, 0),
    (0, 3),
    (3, 0),
    (1, 1),
    (1, 5),
    (2, 2),
    (3, 2),
    (2, 7),
    (5, 5),
    (10, 10),
    (24, 24),
    (25, 25),
    (33, 33),
    (64, 64),
    (100, 100),
    (130, 100),
    (257, 257),
    (200, 60),
    (60, 200),
    (500, 30),
    (90, 400),
    (120, 119),
];

#[test]
fn random_ones_of_any_shape() {
    for (m, n) in SHAPES {
        let a = random(m, n, 21);
        let (_, s, _) = check(&format!("random {m} {n}"), a.view());
        let gram = if m < n { a.dot(&a.t()) } else { a.t().dot(&a) };
        let squares = self_adjoint_values(gram.view()).unwrap();
        let largest = s.first().map_or(1.0, |s| s * s);
        for (s, square) in s.iter().rev().zip(squares) {
            assert!((s * s - square).abs() < 1e-13 * largest, "{m} {n}");
        }
    }
}

#[test]
fn known_singular_values() {
    for (m, n) in SHAPES {
        let k = m.min(n);
        let spectra: [fn(usize) -> f64; 6] = [
            |k| 1.0 / (k + 1) as f64,
            |k| 10f64.powi(-(k as i32)),
            |k| 10f64.powf(-0.1 * k as f64),
            |k| if k < 3 { 1.0 } else { 0.0 },
            |k| 1.0 - 1e-14 * k as f64,
            |k| if k == 0 { 1.0 } else { 1e-14 },
        ];
        for (kind, spectrum) in spectra.iter().enumerate() {
            let wanted: Array1<f64> = (0..k).map(spectrum).collect();
            let a = orthonormal(m, k, 1).dot(&Array2::from_diag(&wanted)).dot(&orthonormal(n, k, 2).t());
            let (_, s, _) = check(&format!("known {kind} {m} {n}"), a.view());
            for (s, wanted) in s.iter().zip(&wanted) {
                assert!((s - wanted).abs() < 1e-14 + 5.0 * unit(k), "{kind} {m} {n}: {s} {wanted}");
            }
        }
    }
}

#[test]
fn zero_identity_ones_and_low_rank() {
    for (m, n) in SHAPES {
        check(&format!("zero {m} {n}"), Array2::zeros((m, n)).view());
        check(&format!("ones {m} {n}"), Array2::ones((m, n)).view());
        check(&format!("low rank {m} {n}"), random(m, 2, 1).dot(&random(2, n, 2)).view());
        let diagonal = Array2::from_shape_fn((m, n), |(i, j)| if i == j { (i % 3) as f64 - 1.0 } else { 0.0 });
        check(&format!("diagonal {m} {n}"), diagonal.view());
        let shift = Array2::from_shape_fn((m, n), |(i, j)| if i + 1 == j { 1.0 } else { 0.0 });
        check(&format!("shift {m} {n}"), shift.view());
        let jordan = Array2::from_shape_fn((m, n), |(i, j)| if i == j { 0.3 } else { shift[(i, j)] });
        check(&format!("jordan {m} {n}"), jordan.view());
        let holes = Array2::from_shape_fn((m, n), |(i, j)| {
            let x = ((i * 7 + j * 3) % 5) as f64;
            if i % 4 == 1 || j % 6 == 2 { 0.0 } else { x }
        });
        check(&format!("holes {m} {n}"), holes.view());
    }
}

#[test]
fn graded_ones() {
    for (m, n) in SHAPES {
        for step in [1.0, 0.1, -0.1, -1.0] {
            let full = random(m, n, 8);
            let by = |k: usize| 10f64.powf(step * k as f64);
            check(
                &format!("rows {step} {m} {n}"),
                Array2::from_shape_fn((m, n), |(i, j)| full[(i, j)] * by(i.min(250))).view(),
            );
            check(
                &format!("columns {step} {m} {n}"),
                Array2::from_shape_fn((m, n), |(i, j)| full[(i, j)] * by(j.min(250))).view(),
            );
            let bidiagonal = |(i, j)| if i == j || i + 1 == j { by(i) } else { 0.0 };
            check(&format!("bidiagonal {step} {m} {n}"), Array2::from_shape_fn((m, n), bidiagonal).view());
        }
    }
}

#[test]
fn any_scale_and_nothing_of_what_is_not_finite() {
    for (m, n) in SHAPES {
        let a = random(m, n, 4);
        for scale in [1e150, 1e-150, 1e300, 1e-300] {
            check(&format!("scale {scale:e} {m} {n}"), (&a * scale).view());
        }
        for bad in [f64::NAN, f64::INFINITY] {
            let mut broken = a.clone();
            if let Some(last) = broken.last_mut() {
                *last = bad;
                assert!(thin_svd(broken.view()).is_none());
            }
        }
    }
}

fn check(what: &str, a: ArrayView2<'_, f64>) -> (Array2<f64>, Vec<f64>, Array2<f64>) {
    let (m, n) = a.dim();
    let k = m.min(n);
    let (u, s, v) = thin_svd(a).unwrap();
    assert_eq!((u.dim(), s.len(), v.dim()), ((m, k), k, (n, k)), "{what}");
    assert!(s.windows(2).all(|pair| pair[0] >= pair[1]) && s.iter().all(|s| *s >= 0.0), "{what}");
    let divisor = s.first().copied().filter(|s| *s > 0.0).unwrap_or(1.0);
    let ratio: Array1<f64> = s.iter().map(|s| s / divisor).collect();
    let back = u.dot(&Array2::from_diag(&ratio)).dot(&v.t());
    let residual = column_size(&(a.mapv(|x| x / divisor) - back)) / unit(m.max(n));
    let missing = |q: &Array2<f64>| column_size(&(q.t().dot(q) - Array2::<f64>::eye(k))) / unit(q.nrows());
    let (left, right) = (missing(&u), missing(&v));
    assert!(residual < ALLOWED && left < ALLOWED && right < ALLOWED, "{what}");
    (u, s, v)
}
