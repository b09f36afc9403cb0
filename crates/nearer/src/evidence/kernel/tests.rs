//! Kernels against their definitions, and new objects against old ones.

use super::*;
use crate::error::Error;
use ndarray::array;
use nearer_num::dense;
use nearer_num::rng::Rng;

fn table(n: usize, d: usize, seed: u64) -> Features {
    let mut rng = Rng::task(seed, 7);
    let values = Array2::from_shape_simple_fn((n, d), || rng.uniform());
    Features::new(Objects::numbered(n), (1..=d).map(|k| format!("f{k}")), values).unwrap()
}

fn kinds() -> Vec<KernelKind> {
    let width = Width::default();
    vec![
        KernelKind::Linear,
        KernelKind::Polynomial { degree: 3, scale: None, offset: 1.0 },
        KernelKind::Rbf { width },
        KernelKind::Laplacian { width },
        KernelKind::Cosine,
        KernelKind::ChiSquare { width },
        KernelKind::Intersection,
    ]
}

#[test]
fn formulas_are_those_of_the_books() {
    let two = Objects::numbered(2);
    let f = Features::new(two.clone(), ["a", "b"], array![[1.0, 2.0], [3.0, 0.0]]).unwrap();
    let value = |kind| {
        let spec = KernelSpec::new("k", kind).centred(false);
        let kernels = Kernels::new(&two, &[(spec, Some(&f))]).unwrap();
        kernels.matrix(0)[(0, 1)] * kernels.functions.kernels[0].whole.size
    };
    let width = Width::Fixed(2.0);
    assert!((value(KernelKind::Linear) - 3.0).abs() < 1e-14);
    assert!((value(KernelKind::Polynomial { degree: 2, scale: Some(0.5), offset: 1.0 }) - 6.25).abs() < 1e-14);
    assert!((value(KernelKind::Rbf { width }) - (-8.0f64 / 8.0).exp()).abs() < 1e-15);
    assert!((value(KernelKind::Rbf { width: Width::Median(1.0) }) - (-0.5f64).exp()).abs() < 1e-15);
    assert!((value(KernelKind::Laplacian { width }) - (-(8f64.sqrt()) / 2.0).exp()).abs() < 1e-15);
    assert!((value(KernelKind::Cosine) - 3.0 / 45f64.sqrt()).abs() < 1e-15);
    assert!((value(KernelKind::ChiSquare { width }) - (-(1.0 + 2.0) / 2.0f64).exp()).abs() < 1e-15);
    assert!((value(KernelKind::Intersection) - 1.0).abs() < 1e-15);
}

#[test]
fn every_kernel_is_positive_and_centring_and_normalising_are_what_they_say() {
    let f = table(25, 6, 1);
    for kind in kinds() {
        for normalise in [false, true] {
            let spec = KernelSpec::new("k", kind).normalised(normalise);
            let kernels = Kernels::new(f.objects(), &[(spec, Some(&f))]).unwrap();
            let k = kernels.matrix(0);
            let values = dense::eigvalsh(k.view()).unwrap();
            assert!(values[24] > -1e-12 * values[0], "{kind:?}: {}", values[24]);
            if normalise {
                assert!(k.diag().iter().all(|v| (v - 1.0).abs() < 1e-12));
            } else {
                assert!((k.diag().mean().unwrap() - 1.0).abs() < 1e-12);
                assert!(k.sum_axis(Axis(0)).iter().all(|s| s.abs() < 1e-11 * values[0]));
            }
        }
    }
}

#[test]
fn an_old_object_asked_for_again_has_the_values_it_had() {
    let f = table(12, 5, 2);
    for kind in kinds() {
        for (centre, normalise) in [(true, true), (true, false), (false, true), (false, false)] {
            let a = KernelSpec::new("a", kind).centred(centre).normalised(normalise);
            let mut b = KernelSpec::new("b", KernelKind::Linear).centred(centre).normalised(normalise);
            if let Made::Of { standardise, .. } = &mut b.made {
                *standardise = true;
            }
            let both = |made| KernelSpec { name: "c".into(), made, centre, normalise };
            for made in [Made::Sum(vec!["a".into(), "b".into()]), Made::Product(vec!["a".into(), "b".into()])] {
                let asked = [(a.clone(), Some(&f)), (b.clone(), Some(&f)), (both(made), None)];
                let kernels = Kernels::new(f.objects(), &asked).unwrap();
                assert_eq!(kernels.names(), ["c"]);
                let query = kernels.functions().query(&[(None, &f)]).unwrap();
                for i in 0..12 {
                    let row = kernels.functions().row(&query, i).unwrap();
                    let off =
                        row[0].iter().zip(kernels.matrix(0).row(i)).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
                    assert!(off < 1e-12 * kernels.matrix(0)[(i, i)].abs().max(1.0), "{kind:?} {off}");
                }
            }
        }
    }
}

#[test]
fn kernels_survive_being_taken_apart() {
    let f = table(9, 4, 3);
    let asked = [
        (KernelSpec::new("a", KernelKind::Rbf { width: Width::Median(0.5) }), Some(&f)),
        (KernelSpec::new("b", KernelKind::Cosine).centred(false), Some(&f)),
    ];
    let kernels = Kernels::new(f.objects(), &asked).unwrap();
    let (described, arrays) = kernels.functions().taken_apart();
    let described = serde_json::from_value(serde_json::to_value(&described).unwrap()).unwrap();
    let again = KernelFunctions::put_together(
        f.objects().clone(),
        described,
        |name| arrays.get(name).and_then(|a| a.clone().into_dimensionality().ok()),
        |name| arrays.get(name).and_then(|a| a.clone().into_dimensionality().ok()),
    )
    .unwrap();
    let new = table(3, 4, 4);
    let (q, r) = (kernels.functions().query(&[(None, &new)]).unwrap(), again.query(&[(None, &new)]).unwrap());
    for i in 0..3 {
        assert_eq!(kernels.functions().row(&q, i).unwrap(), again.row(&r, i).unwrap());
    }
}

#[test]
fn objects_held_out_are_asked_as_new_ones_would_be() {
    let f = table(10, 4, 5);
    let spec = KernelSpec::new("k", KernelKind::Rbf { width: Width::Fixed(0.7) }).normalised(true);
    let kernels = Kernels::new(f.objects(), &[(spec.clone(), Some(&f))]).unwrap();
    let (trained, query) = kernels.split(&[0, 1, 2, 3, 5, 7], &[4, 9]).unwrap();
    let part = f.subset(&[0, 1, 2, 3, 5, 7]);
    let direct = Kernels::new(part.objects(), &[(spec, Some(&part))]).unwrap();
    assert_eq!(trained.matrix(0), direct.matrix(0));
    let asked = direct.functions().query(&[(None, &f.subset(&[4, 9]))]).unwrap();
    for i in 0..2 {
        assert_eq!(trained.functions().row(&query, i).unwrap(), direct.functions().row(&asked, i).unwrap());
    }
}

fn refusal(result: Result<Kernels, Error>) -> String {
    result.map(|_| ()).unwrap_err().to_string()
}

#[test]
fn given_kernels_that_are_no_kernels_are_refused_or_clipped() {
    let three = Objects::new(["a", "b", "c"]).unwrap();
    let given = |k: Array2<f64>| Features::new(three.clone(), ["a", "b", "c"], k).unwrap();
    let spec = |clip| KernelSpec::new("mine", KernelKind::Precomputed { clip }).centred(false);
    let crooked = given(array![[2.0, 1.0, 0.0], [0.5, 2.0, 0.0], [0.0, 0.0, 1.0]]);
    let e = refusal(Kernels::new(&three, &[(spec(true), Some(&crooked))]));
    assert!(e.contains("not symmetric") && e.contains("5.000e-1") && e.contains("`a` and `b`"), "{e}");
    // Eigenvalues 3, 1 and -1.
    let indefinite = given(array![[1.0, 2.0, 0.0], [2.0, 1.0, 0.0], [0.0, 0.0, 1.0]]);
    let e = refusal(Kernels::new(&three, &[(spec(false), Some(&indefinite))]));
    assert!(e.contains("1 of 3 eigenvalues") && e.contains("20.0 %") && e.contains("clip=yes"), "{e}");
    let clipped = Kernels::new(&three, &[(spec(true), Some(&indefinite))]).unwrap();
    // Divided by its mean diagonal.
    let expected = array![[1.5, 1.5, 0.0], [1.5, 1.5, 0.0], [0.0, 0.0, 1.0]] * 0.75;
    assert!((clipped.matrix(0) - &expected).iter().all(|v| v.abs() < 1e-14));
    assert!(clipped.notes()[0].contains("set to zero"));
    // A row of the indefinite kernel, given again, is clipped in the same way.
    let query = clipped.functions().query(&[(Some("mine"), &indefinite)]).unwrap();
    let row = &clipped.functions().row(&query, 0).unwrap()[0];
    assert!(row.iter().zip(expected.row(0)).all(|(a, b)| (a - b).abs() < 1e-14), "{row:?}");
}

#[test]
fn what_does_not_fit_is_refused_by_name() {
    let f = table(5, 3, 6);
    let linear = || KernelSpec::new("k", KernelKind::Linear);
    let objects = Objects::new(["1", "2", "x"]).unwrap();
    assert!(refusal(Kernels::new(&objects, &[(linear(), Some(&f))])).contains("1 of the 3 objects have no row"));
    assert!(refusal(Kernels::new(f.objects(), &[(linear(), Some(&f)), (linear(), Some(&f))])).contains("two kernels"));
    let below = Features::new(Objects::numbered(2), ["a"], array![[-1.0], [1.0]]).unwrap();
    let e = refusal(Kernels::new(below.objects(), &[(KernelSpec::new("h", KernelKind::Intersection), Some(&below))]));
    assert!(e.contains("for histograms") && e.contains("-1"), "{e}");
    let same = Features::new(Objects::numbered(2), ["a"], array![[1.0], [1.0]]).unwrap();
    let rbf = KernelSpec::new("r", KernelKind::Rbf { width: Width::default() });
    assert!(refusal(Kernels::new(same.objects(), &[(rbf, Some(&same))])).contains("no natural width"));
    let sum = KernelSpec { made: Made::Sum(vec!["a".into(), "b".into()]), ..linear() };
    assert!(refusal(Kernels::new(f.objects(), &[(sum, None)])).contains("`a`, which is not one"));
    let kernels = Kernels::new(f.objects(), &[(linear(), Some(&f))]).unwrap();
    let e = kernels.functions().query(&[(None, &table(2, 2, 1))]).map(|_| ()).unwrap_err().to_string();
    assert!(e.contains("no feature `f3`"), "{e}");
    let e = kernels.functions().query(&[(Some("z"), &f)]).map(|_| ()).unwrap_err().to_string();
    assert!(e.contains("no kernel `z`"), "{e}");
}

/// The product space by the definition: each part centred and normalised, or divided by its mean square, then added; the units of
/// one part do not matter.
#[test]
fn a_sum_is_the_product_space_of_its_parts() {
    let f = table(12, 6, 9);
    let mut wide = f.values().clone();
    wide.columns_mut().into_iter().take(3).for_each(|mut c| c *= 1e6);
    let wide = Features::new(f.objects().clone(), f.columns().to_vec(), wide).unwrap();
    let part = |name: &str, columns: &str, normalise: bool| KernelSpec {
        made: Made::Of {
            kind: KernelKind::Linear,
            standardise: false,
            file: String::new(),
            columns: vec![columns.into()],
        },
        ..KernelSpec::new(name, KernelKind::Linear).normalised(normalise)
    };
    for normalise in [false, true] {
        let (a, b) = (part("a", "1-3", normalise), part("b", "4-6", normalise));
        let both =
            KernelSpec { made: Made::Sum(vec!["a".into(), "b".into()]), ..KernelSpec::new("c", KernelKind::Linear) };
        let made = |f: &Features| {
            Kernels::new(f.objects(), &[(a.clone(), Some(f)), (b.clone(), Some(f)), (both.clone(), None)]).unwrap()
        };
        let alone =
            |spec: &KernelSpec| Kernels::new(f.objects(), &[(spec.clone(), Some(&f))]).unwrap().matrix(0).clone();
        let mut sum = alone(&a) + alone(&b);
        // The sum is centred and brought to size like any kernel; normalising has un-centred its parts a little.
        let rows = sum.mean_axis(ndarray::Axis(1)).unwrap();
        let all = rows.mean().unwrap();
        sum = &sum - &rows.clone().insert_axis(ndarray::Axis(1)) - &rows + all;
        sum /= sum.diag().mean().unwrap();
        for kernels in [made(&f), made(&wide)] {
            assert!((kernels.matrix(0) - &sum).iter().all(|v| v.abs() < 1e-9));
        }
        // New objects, and a model file, see the same kernel.
        let kernels = made(&f);
        let (described, arrays) = kernels.functions().taken_apart();
        let described = serde_json::from_value(serde_json::to_value(&described).unwrap()).unwrap();
        let again = KernelFunctions::put_together(
            f.objects().clone(),
            described,
            |name| arrays.get(name).and_then(|a| a.clone().into_dimensionality().ok()),
            |name| arrays.get(name).and_then(|a| a.clone().into_dimensionality().ok()),
        )
        .unwrap();
        for functions in [kernels.functions(), &again] {
            let query = functions.query(&[(None, &f)]).unwrap();
            for i in 0..12 {
                let row = &functions.row(&query, i).unwrap()[0];
                assert!(row.iter().zip(sum.row(i)).all(|(a, b)| (a - b).abs() < 1e-9), "{i}");
            }
        }
    }
}
