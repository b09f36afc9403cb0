//! Eigenvalues and eigenvectors.

use super::*;

#[test]
fn random_ones() {
    for n in SIZES {
        let a = random(n, n, n as u64);
        check(&format!("random {n}"), (&a + &a.t()).view());
    }
}

#[test]
fn a_path_has_known_eigenvalues() {
    for n in SIZES {
        let a = tridiagonal(n, |_| 2.0, |_| -1.0);
        let (w, _) = check(&format!("path {n}"), a.view());
        for (k, w) in w.iter().enumerate() {
            let angle = std::f64::consts::PI * (k + 1) as f64 / (n + 1) as f64;
            assert!((w - (2.0 - 2.0 * angle.cos())).abs() < 1e-14 * (n as f64).sqrt(), "{n} {k}");
        }
    }
}

#[test]
fn identity_zero_and_repeated_values() {
    for n in SIZES {
        check(&format!("identity {n}"), Array2::eye(n).view());
        check(&format!("zero {n}"), Array2::zeros((n, n)).view());
        let repeated = Array2::from_shape_fn((n, n), |(i, j)| if i == j { (i % 3) as f64 } else { 0.0 });
        check(&format!("repeated {n}"), repeated.view());
        let hidden = with_eigenvalues(n, |k| (k % 3) as f64);
        check(&format!("hidden repeated {n}"), hidden.view());
    }
}

#[test]
fn rank_one() {
    for n in SIZES {
        let x = random(n, 1, 5);
        let (w, _) = check(&format!("rank one {n}"), x.dot(&x.t()).view());
        let square = x.iter().map(|x| x * x).sum::<f64>();
        assert!(w.last().is_none_or(|w| (w - square).abs() <= 1e-14 * square));
        check(&format!("ones {n}"), Array2::ones((n, n)).view());
    }
}

#[test]
fn wilkinson_alone_and_glued() {
    let w21 = tridiagonal(21, |k| (10.0 - k as f64).abs(), |_| 1.0);
    let (w, _) = check("W21", w21.view());
    assert!((w[20] - 10.746194182903393).abs() < 1e-13 && (w[20] - w[19]).abs() < 1e-12);
    for glue in [1e-3, 1e-8, 1e-14, 1e-200] {
        let glued = |k: usize| if (k + 1).is_multiple_of(21) { glue } else { 1.0 };
        let a = tridiagonal(210, |k| (10.0 - (k % 21) as f64).abs(), glued);
        check(&format!("glued {glue}"), a.view());
    }
    for n in SIZES {
        check(&format!("W{n}"), tridiagonal(n, |k| (n as f64 / 2.0 - k as f64).abs(), |_| 1.0).view());
    }
}

#[test]
fn graded_ones() {
    for n in SIZES {
        for step in [1.0, 0.1] {
            let up = |k: usize| 10f64.powf(-step * k as f64);
            let down = |k: usize| up(n - 1 - k);
            let full = random(n, n, 11);
            let full = &full + &full.t();
            let scaled = Array2::from_shape_fn((n, n), |(i, j)| full[(i, j)] * up(i) * up(j));
            check(&format!("graded down {n} {step}"), scaled.view());
            let scaled = Array2::from_shape_fn((n, n), |(i, j)| full[(i, j)] * down(i) * down(j));
            check(&format!("graded up {n} {step}"), scaled.view());
            check(&format!("graded tridiagonal {n} {step}"), tridiagonal(n, up, up).view());
            check(&format!("graded tridiagonal up {n} {step}"), tridiagonal(n, down, |k| down(k + 1)).view());
        }
    }
}

#[test]
fn clusters() {
    for n in SIZES {
        for width in [1e-14, 1e-15, 1e-10] {
            let spread = |k: usize| ((k % 4) as f64) + width * k as f64;
            check(&format!("cluster {n} {width}"), with_eigenvalues(n, spread).view());
            let at_one = |k: usize| if k == 0 { 0.1 } else { 1.0 + width * k as f64 };
            check(&format!("cluster at one {n} {width}"), with_eigenvalues(n, at_one).view());
        }
    }
}

#[test]
fn blocks() {
    for n in SIZES {
        let full = random(n, n, 3);
        let full = &full + &full.t();
        for size in [1, 2, 7, 40] {
            let a = Array2::from_shape_fn((n, n), |(i, j)| if i / size == j / size { full[(i, j)] } else { 0.0 });
            check(&format!("blocks {n} {size}"), a.view());
            let same =
                Array2::from_shape_fn(
                    (n, n),
                    |(i, j)| {
                        if i / size == j / size { full[(i % size, j % size)] } else { 0.0 }
                    },
                );
            check(&format!("equal blocks {n} {size}"), same.view());
        }
    }
}

#[test]
fn any_scale() {
    for n in SIZES {
        let a = random(n, n, 9);
        let a = &a + &a.t();
        for scale in [1e150, 1e-150, 1e300, 1e-300] {
            check(&format!("scale {n} {scale}"), (&a * scale).view());
        }
    }
}

#[test]
fn what_is_above_the_diagonal_is_not_read_and_what_is_not_finite_gives_nothing() {
    for n in [1, 2, 3, 33, 100, 200] {
        let a = random(n, n, 13);
        let a = &a + &a.t();
        let garbage = Array2::from_shape_fn((n, n), |(i, j)| if i < j { f64::NAN } else { a[(i, j)] });
        assert_eq!(self_adjoint(garbage.view()), self_adjoint(a.view()));
        for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
            let mut broken = a.clone();
            broken[(n - 1, n / 2)] = bad;
            assert!(self_adjoint(broken.view()).is_none() && self_adjoint_values(broken.view()).is_none());
        }
    }
}

fn check(what: &str, a: ArrayView2<'_, f64>) -> (Vec<f64>, Array2<f64>) {
    let n = a.nrows();
    let (w, v) = self_adjoint(a).unwrap();
    let scale = w.iter().fold(0.0, |most: f64, w| most.max(w.abs()));
    let unit = unit(n);
    assert!(w.windows(2).all(|pair| pair[0] <= pair[1]), "{what}");
    // Divided first: the scale may be such that products overflow.
    let divisor = if scale > 0.0 { scale } else { 1.0 };
    let (small, ratio) =
        (a.mapv(|x| x / divisor), Array2::from_diag(&w.iter().map(|w| w / divisor).collect::<Array1<f64>>()));
    let residual = column_size(&(small.dot(&v) - v.dot(&ratio))) / unit;
    let orthogonality = column_size(&(v.t().dot(&v) - Array2::<f64>::eye(n))) / unit;
    let alone = self_adjoint_values(a).unwrap();
    let apart = w.iter().zip(&alone).fold(0.0, |most: f64, (w, v)| most.max((w - v).abs())) / divisor / unit;
    assert!(residual < ALLOWED && orthogonality < ALLOWED && apart < ALLOWED, "{what}");
    (w, v)
}

#[test]
fn the_same_bits_each_time_and_for_either_order_in_memory() {
    for n in [2, 10, 64, 150] {
        let a = random(n, n, 2);
        let a = &a + &a.t();
        let by_rows = Array2::from_shape_fn((n, n), |at| a[at]);
        assert_eq!(self_adjoint(a.view()), self_adjoint(by_rows.view()));
        assert_eq!(thin_svd(a.view()), thin_svd(by_rows.view()));
    }
}
