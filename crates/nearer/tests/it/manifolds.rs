//! Manifold and linear methods: against scikit-learn, on sheets that are known, on bad input, and when placing.

use ndarray::{Array1, Array2, Axis};
use nearer::evaluate::{neighbourhood, residual_variance};
use nearer::evidence::{KernelKind, KernelSpec, Kernels, Sorts, Width};
use nearer::graph::{Components, Join, Rule, Search};
use nearer::method::table::find;
use nearer::method::{
    ClassicalMds, Isomap, KernelPca, LandmarkIsomap, LaplacianEigenmaps, Lda, LinkWeights, Lle, LleForm, Pca,
};
use nearer::model::Model;
use nearer::{Distances, Embed, Embedding, Features, Fit, Objects, Place, Run, Study, toy};
use nearer_num::dense::svd;
use serde_json::Value;

fn golden() -> Value {
    serde_json::from_str(include_str!("../golden/manifolds.json")).unwrap()
}

fn matrix(rows: &Value) -> Array2<f64> {
    let rows = rows.as_array().unwrap();
    let width = rows[0].as_array().unwrap().len();
    Array2::from_shape_fn((rows.len(), width), |(i, j)| rows[i][j].as_f64().unwrap())
}

fn table(values: Array2<f64>) -> Features {
    let columns: Vec<String> = (0..values.ncols()).map(|k| format!("x{k}")).collect();
    Features::new(Objects::numbered(values.nrows()), columns, values).unwrap()
}

/// Columns that agree up to sign, and up to scale where a method leaves it free; gives the factor of each.
#[track_caller]
fn same_columns(what: &str, ours: &Array2<f64>, theirs: &Array2<f64>, scaled: bool, tolerance: f64) -> Vec<f64> {
    assert_eq!(ours.dim(), theirs.dim(), "{what}");
    let one = |k: usize| {
        let (a, b) = (ours.column(k), theirs.column(k));
        let factor = b.dot(&a) / a.dot(&a);
        let factor = if scaled { factor } else { factor.signum() };
        let off = (&b - &(&a * factor)).iter().fold(0.0, |m: f64, v| m.max(v.abs()));
        let size = b.iter().fold(0.0, |m: f64, v| m.max(v.abs()));
        assert!(off < tolerance * size, "{what}, column {k}: off by {off:e} of {size}");
        factor
    };
    (0..ours.ncols()).map(one).collect()
}

#[test]
fn maps_are_those_of_scikit_learn() {
    let golden = golden();
    let features = |name: &str| table(matrix(&golden["tables"][name]));
    let (x, new) = (features("roll"), features("new"));
    let mut seen = 0;
    for case in golden["cases"].as_array().unwrap() {
        let name = case["name"].as_str().unwrap();
        let y = matrix(&case["y"]);
        let k = case["k"].as_u64().unwrap_or_default() as usize;
        // The map, the model, and whether the scale is free.
        let (map, placed, scaled): (Embedding, Option<Embedding>, bool) = match name {
            "isomap" => {
                let fit = Isomap::new(2).neighbours(k).fit(&x).unwrap();
                let placed = fit.model.place(&new).unwrap();
                // All objects as landmarks are the same map.
                let all = LandmarkIsomap::new(2).landmarks(110).neighbours(k).fit(&x).unwrap();
                same_columns("all landmarks", all.embedding.points(), &y, false, 1e-8);
                (fit.embedding, Some(placed), false)
            }
            "lle" => {
                let form = match case["form"].as_str().unwrap() {
                    "standard" => LleForm::Standard,
                    "modified" => LleForm::Modified,
                    "hessian" => LleForm::Hessian,
                    _ => LleForm::Ltsa,
                };
                let fit = Lle::new(2).form(form).neighbours(k).fit(&x).unwrap();
                let placed = fit.model.place(&new).unwrap();
                (fit.embedding, Some(placed), true)
            }
            "laplacian-eigenmaps" => {
                let width = case["width"].as_f64().filter(|w| *w > 0.0);
                let weights = width.map_or(LinkWeights::Binary, |w| LinkWeights::Heat(Some(w)));
                (LaplacianEigenmaps::new(2).neighbours(k).weights(weights).fit(&x).unwrap().embedding, None, true)
            }
            "pca" => {
                let fit = Pca::new(3).fit(&x).unwrap();
                let spectrum = fit.report.spectrum.unwrap().eigenvalues;
                for (a, b) in spectrum.iter().zip(case["variance"].as_array().unwrap()) {
                    assert!((a / 109.0 - b.as_f64().unwrap()).abs() < 1e-9 * spectrum[0]);
                }
                (fit.embedding, None, false)
            }
            "pca-whitened" => (Pca::new(2).whiten(true).fit(&x).unwrap().embedding, None, false),
            "kernel-pca" => {
                let kind = KernelKind::Rbf { width: Width::Fixed(case["width"].as_f64().unwrap()) };
                let kernels = Kernels::new(x.objects(), &[(KernelSpec::new("x", kind), Some(&x))]).unwrap();
                let fit = KernelPca::new(2).fit(&kernels).unwrap();
                let placed = fit.model.place(&new).unwrap();
                (fit.embedding, Some(placed), true)
            }
            _ => {
                let of = features(case["x"].as_str().unwrap());
                let class = golden["classes"].as_array().unwrap().iter().map(|c| Some(c.to_string())).collect();
                let classes = Sorts::new(of.objects().clone(), vec!["class".into()], vec![class]).unwrap();
                (Lda::new(y.ncols()).fit((&of, &classes)).unwrap().embedding, None, false)
            }
        };
        let what = format!("{name} {}", case["form"]);
        let factors = same_columns(&what, map.points(), &y, scaled, 1e-6);
        if let Some(placed) = placed {
            let theirs = matrix(&case["placed"]);
            let ours = placed.points() * &Array1::from(factors);
            let off = (&ours - &theirs).iter().fold(0.0, |m: f64, v| m.max(v.abs()));
            assert!(off < 1e-6 * y.iter().fold(0.0, |m: f64, v| m.max(v.abs())), "{what}, placed: {off:e}");
        }
        seen += 1;
    }
    assert_eq!(seen, 12);
}

/// The share of the variance of each column of `truth` that an affine function of `map` explains.
fn affine_r2(map: &Array2<f64>, truth: &Array2<f64>) -> Vec<f64> {
    let centred = |a: &Array2<f64>| a - &a.mean_axis(Axis(0)).unwrap();
    let (x, t) = (centred(map), centred(truth));
    let u = svd(x.view()).unwrap().u;
    let fitted = u.dot(&u.t().dot(&t));
    let one = |k: usize| {
        let rest = &t.column(k) - &fitted.column(k);
        1.0 - rest.dot(&rest) / t.column(k).dot(&t.column(k))
    };
    (0..truth.ncols()).map(one).collect()
}

#[test]
fn a_flat_grid_and_a_roll_are_unrolled() {
    // A grid of unit steps: with four neighbours ways are those of a taxi, with all within 1.5 nearly those of a bird.
    let grid = table(Array2::from_shape_fn((14 * 9, 2), |(i, k)| if k == 0 { (i / 9) as f64 } else { (i % 9) as f64 }));
    let fit = Isomap::new(2).graph(Rule::within(1.5)).fit(&grid).unwrap();
    assert!(affine_r2(fit.embedding.points(), grid.values()).iter().all(|r| *r > 0.99));
    for form in [LleForm::Standard, LleForm::Modified, LleForm::Ltsa] {
        let fit = Lle::new(2).form(form).graph(Rule::within(1.5)).fit(&grid);
        // At a corner there are three neighbours, enough for two dimensions.
        let r2 = affine_r2(fit.unwrap().embedding.points(), grid.values());
        assert!(form == LleForm::Standard || r2.iter().all(|r| *r > 0.999), "{form:?} {r2:?}");
    }
    let (roll, flat) = toy::swiss_roll(1000, 1);
    let fit = Isomap::new(2).fit(&roll).unwrap();
    let r2 = affine_r2(fit.embedding.points(), &flat);
    assert!(r2[0] > 0.9995 && r2[1] > 0.98, "{r2:?}");
    let few = LandmarkIsomap::new(2).landmarks(50).fit(&roll).unwrap();
    let r2 = affine_r2(few.embedding.points(), &flat);
    assert!(r2[0] > 0.999 && r2[1] > 0.95, "{r2:?}");
    for form in [LleForm::Modified, LleForm::Hessian, LleForm::Ltsa] {
        let fit = Lle::new(2).form(form).fit(&roll).unwrap();
        let r2 = affine_r2(fit.embedding.points(), &flat);
        assert!(r2.iter().all(|r| *r > 0.9995), "{form:?} {r2:?}");
    }
}

/// A sheet with one object beside it that is among nobody's nearest: scikit-learn's null space has that object alone in it.
#[test]
fn an_object_that_is_nobodys_neighbour_does_not_take_a_dimension() {
    let mut rng = nearer_num::rng::Rng::task(3, 9);
    let mut flat = Array2::from_shape_fn((121, 2), |(i, k)| [i / 11, i % 11][k] as f64 + 0.2 * rng.normal());
    flat.row_mut(120).assign(&ndarray::array![14.0, 5.0]);
    let sheet = table(ndarray::concatenate![Axis(1), flat, flat.column(0).mapv(|x| 0.5 * x).insert_axis(Axis(1))]);
    for form in [LleForm::Hessian, LleForm::Ltsa] {
        let fit = Lle::new(2).form(form).fit(&sheet).unwrap();
        let r2 = affine_r2(fit.embedding.points(), &flat);
        assert!(r2.iter().all(|r| *r > 1.0 - 1e-8), "{form:?} {r2:?}");
        assert!(fit.report.warnings.iter().any(|w| w.contains("1 object is among nobody's nearest")));
    }
}

/// Every fifth object held out and placed: neighbours on the sheet are neighbours on the map, nearly as well as for the others.
#[test]
fn what_is_held_out_lands_among_its_neighbours() {
    let (roll, flat) = toy::swiss_roll(600, 4);
    let (new, old): (Vec<usize>, Vec<usize>) = (0..600).partition(|i| i % 5 == 0);
    let (train, rest) = (roll.subset(&old), roll.subset(&new));
    let lle = |form| Lle::new(2).form(form).neighbours(10);
    let mut fits: Vec<(&str, Fit<Model>)> = vec![
        ("isomap", Isomap::new(2).neighbours(10).fit(&train).unwrap().map_model(Model::from)),
        ("landmark", LandmarkIsomap::new(2).landmarks(60).neighbours(10).fit(&train).unwrap().map_model(Model::from)),
        ("modified", lle(LleForm::Modified).fit(&train).unwrap().map_model(Model::from)),
        ("ltsa", lle(LleForm::Ltsa).fit(&train).unwrap().map_model(Model::from)),
    ];
    fits.push(("laplacian", LaplacianEigenmaps::new(2).neighbours(10).fit(&train).unwrap().map_model(Model::from)));
    for (name, fit) in fits {
        let placed = fit.model.place_tables(&[(None, &rest)]).unwrap();
        let both = ndarray::concatenate![Axis(0), fit.embedding.points().view(), placed.points().view()];
        let order: Vec<usize> = old.iter().chain(&new).copied().collect();
        let objects = roll.objects().subset(&order);
        let map = Embedding::new(objects.clone(), both).unwrap();
        let truth = flat.select(Axis(0), &order);
        let data = |rows: &Array2<f64>, objects: &Objects| {
            let square = Array2::from_shape_fn((rows.nrows(), rows.nrows()), |(i, j)| {
                rows.row(i).iter().zip(rows.row(j)).map(|(a, b)| (a - b) * (a - b)).sum::<f64>().sqrt()
            });
            Distances::from_square(objects.clone(), square.view()).unwrap()
        };
        let all = neighbourhood(&data(&truth, &objects), &map, 10).unwrap();
        let train_only =
            neighbourhood(&data(&flat.select(Axis(0), &old), train.objects()), &fit.embedding, 10).unwrap();
        let lost = train_only.trustworthiness - all.trustworthiness;
        assert!(lost < 0.005, "{name}: {} {}", train_only.trustworthiness, all.trustworthiness);
        // Old objects come back, one at a time as all at once, and from the file as from the fit.
        let again = fit.model.place_tables(&[(None, &train)]).unwrap();
        let off = (again.points() - fit.embedding.points()).iter().fold(0.0, |m: f64, v| m.max(v.abs()));
        assert!(off < 1e-9, "{name}: {off:e}");
        let read = Model::from_parts(&fit.model.to_parts()).unwrap();
        let one = read.place_tables(&[(None, &rest.subset(&[7]))]).unwrap();
        assert_eq!(one.point(0), placed.point(7), "{name}");
        let wrong = table(Array2::zeros((2, 1)));
        let e = fit.model.place_tables(&[(None, &wrong)]).unwrap_err().to_string();
        assert!(e.contains("no such column"), "{e}");
    }
}

#[test]
fn neither_order_nor_threads_nor_units_change_a_map() {
    let (roll, _) = toy::swiss_roll(300, 2);
    let order = nearer_num::rng::Rng::task(1, 1).permutation(300);
    let shuffled = roll.subset(&order);
    let larger = Features::new(roll.objects().clone(), roll.columns().to_vec(), roll.values() * 1024.0).unwrap();
    for name in ["pca", "kernel-pca", "isomap", "landmark-isomap", "lle", "laplacian-eigenmaps"] {
        let method = find(name).unwrap();
        let settings = method.settings([]).unwrap();
        let on = |f: &Features, threads| {
            method.fit(&settings, &Study::from(f.clone()), &Run::seeded(3).threads(threads)).unwrap().embedding
        };
        let map = on(&roll, 1);
        assert_eq!(map, on(&roll, 2), "{name}");
        assert_eq!(map.points().select(Axis(0), &order), *on(&shuffled, 1).points(), "{name}");
        let again = on(&larger, 1);
        let factor = if ["pca", "isomap", "landmark-isomap"].contains(&name) { 1024.0 } else { 1.0 };
        let off = (again.points() / factor - map.points()).iter().fold(0.0, |m: f64, v| m.max(v.abs()));
        assert!(off < 1e-5 * map.points().iter().fold(0.0, |m: f64, v| m.max(v.abs())), "{name}: {off:e}");
    }
}

#[test]
fn a_given_graph_and_its_ways() {
    // A ring of 12 known by its steps alone: ways go round it, and the map is a circle.
    let n = 12;
    let step = |i: usize, j: usize| (i + 1) % n == j || (j + 1) % n == i;
    let square = Array2::from_shape_fn((n, n), |(i, j)| match (i == j, step(i, j)) {
        (true, _) => 0.0,
        (_, true) => 1.0,
        _ => f64::NAN,
    });
    let ring = Distances::from_square(Objects::numbered(n), square.view()).unwrap();
    let fit = Isomap::new(2).fit(&ring).unwrap();
    let ways = Array2::from_shape_fn((n, n), |(i, j)| i.abs_diff(j).min(n - i.abs_diff(j)) as f64);
    let ways = Distances::from_square(Objects::numbered(n), ways.view()).unwrap();
    let direct = ClassicalMds::new(2).fit(&ways).unwrap();
    for i in 0..n {
        for j in 0..i {
            assert!((fit.embedding.distance(i, j) - direct.embedding.distance(i, j)).abs() < 1e-9);
        }
    }
    let told = fit.report.figures["residual-variance"].number().unwrap();
    assert!((told - residual_variance(ways.condensed(), &direct.embedding)).abs() < 1e-9);
    assert!(fit.report.figures["edges-are"].word() == Some("the known pairs"));
    // Laplacian eigenmaps of a ring: cosine and sine, λ = 1 - cos(2π/n).
    let smooth = LaplacianEigenmaps::new(2).fit(&ring).unwrap();
    let eigenvalue = smooth.report.spectrum.unwrap().eigenvalues[0];
    assert!((eigenvalue - (1.0 - (std::f64::consts::TAU / n as f64).cos())).abs() < 1e-9);
    let radius = |i: usize| smooth.embedding.point(i).dot(&smooth.embedding.point(i));
    assert!((0..n).all(|i| (radius(i) - 2.0).abs() < 1e-9));
    // Diffusion shrinks both alike.
    let later = LaplacianEigenmaps::new(2).time(3.0).fit(&ring).unwrap();
    let shrunk = (1.0 - eigenvalue).powi(3);
    assert!((later.embedding.distance(0, 6) - shrunk * smooth.embedding.distance(0, 6)).abs() < 1e-9);
}

#[test]
fn parts_duplicates_and_what_cannot_be_mapped() {
    let place = |i: usize| if i < 20 { i as f64 } else { 1000.0 + i as f64 };
    let two = table(Array2::from_shape_fn((30, 2), |(i, k)| if k == 0 { place(i) } else { (i % 3) as f64 }));
    let refused = |fit: Result<String, nearer::Error>| fit.unwrap_err().to_string();
    let e = refused(Isomap::new(2).neighbours(4).fit(&two).map(|_| String::new()));
    for words in ["2 separate parts", "raise `neighbours` above 4", "`components` largest", "`components` joined"] {
        assert!(e.contains(words), "{words}: {e}");
    }
    let rule = |c| Rule::nearest(4).components(c);
    let largest = Isomap::new(2).graph(rule(Components::Largest)).fit(&two).unwrap();
    assert_eq!((largest.embedding.len(), largest.report.objects), (20, 20));
    let joined = Isomap::new(2).graph(rule(Components::Joined)).fit(&two).unwrap();
    assert!(joined.embedding.len() == 30 && joined.report.warnings[0].contains("joined by 1 links"));
    assert!(joined.embedding.distance(0, 29) > 1000.0);
    for form in [LleForm::Standard, LleForm::Ltsa] {
        let fit = Lle::new(1).form(form).graph(rule(Components::Joined)).fit(&two).unwrap();
        assert!(fit.embedding.points().iter().all(|v| v.is_finite()));
    }
    let mutual = Isomap::new(2).graph(rule(Components::Largest).join(Join::Mutual)).fit(&two).unwrap();
    assert!(mutual.report.figures["edges-are"].word().unwrap().contains("each is one of the other's"));
    // Equal objects share a point, however many they are.
    let twice = table(Array2::from_shape_fn((60, 2), |(i, k)| [(i / 2) as f64, ((i / 2) * (i / 2) % 7) as f64][k]));
    for fit in [
        Isomap::new(2).fit(&twice).unwrap(),
        LandmarkIsomap::new(2).fit(&twice).unwrap(),
        Lle::new(2).fit(&twice).unwrap(),
        LaplacianEigenmaps::new(2).fit(&twice).unwrap(),
    ] {
        assert!((0..30).all(|i| fit.embedding.point(2 * i) == fit.embedding.point(2 * i + 1)));
        assert!(
            fit.report.warnings.iter().any(|w| w.contains("30 objects are at distance 0")),
            "{:?}",
            fit.report.warnings
        );
    }
    // More neighbours than objects are all of them; more dimensions than objects, or nothing that varies, is refused.
    let few = twice.subset(&[0, 2, 4, 6, 8]);
    assert_eq!(Isomap::new(2).neighbours(50).fit(&few).unwrap().embedding.len(), 5);
    let same = table(Array2::ones((6, 3)));
    for (dim, features, words) in [(5, &few, "1 to n - 1"), (2, &same, "nothing to map")] {
        for name in ["pca", "isomap", "landmark-isomap", "lle", "laplacian-eigenmaps", "kernel-pca"] {
            let method = find(name).unwrap();
            let settings = method.settings([("dim", dim.to_string().as_str())]).unwrap();
            let e = method.fit(&settings, &Study::from(features.clone()), &Run::default()).unwrap_err().to_string();
            // A kernel of equal objects has no width.
            assert!(e.contains(words) || name == "kernel-pca", "{name}: {e}");
        }
    }
    let e = refused(
        Lle::new(2)
            .form(LleForm::Hessian)
            .neighbours(5)
            .fit(&two.subset(&(0..20).collect::<Vec<_>>()))
            .map(|_| String::new()),
    );
    assert!(e.contains("6 or more"), "{e}");
    // One object far away hangs on by its nearest.
    let mut far = two.values().select(Axis(0), &(0..20).collect::<Vec<_>>());
    far[(19, 1)] = 1e6;
    for name in ["isomap", "lle", "laplacian-eigenmaps"] {
        let method = find(name).unwrap();
        let fit = method.fit(&method.settings([]).unwrap(), &Study::from(table(far.clone())), &Run::default()).unwrap();
        assert!(fit.embedding.points().iter().all(|v| v.is_finite()), "{name}");
    }
}

#[test]
fn an_approximate_search_is_said_and_nearly_as_good() {
    let (roll, flat) = toy::swiss_roll(700, 5);
    // Ten neighbours of a corner of so few objects would reach to the next turn.
    let rule = Rule::nearest(7).search(Search::Approximate);
    let fit = Isomap::new(2).graph(rule).fit(&roll).unwrap();
    assert!(fit.report.warnings[0].contains("approximately"), "{:?}", fit.report.warnings);
    let r2 = affine_r2(fit.embedding.points(), &flat);
    assert!(r2[0] > 0.999 && r2[1] > 0.95, "{r2:?}");
}

#[test]
fn classes_are_told_apart_and_what_has_none_is_placed() {
    let values = Array2::from_shape_fn((40, 3), |(i, k)| {
        let noise = ((i * (7 + k)) as f64 * 1.3).sin();
        if k == 0 { 10.0 * noise } else { noise + if k == 1 { (i % 2) as f64 * 4.0 } else { 0.0 } }
    });
    let features = table(values);
    let class = |i: usize| if i == 39 { None } else { Some(format!("c{}", i % 2)) };
    let classes =
        Sorts::new(features.objects().clone(), vec!["class".into()], vec![(0..40).map(class).collect()]).unwrap();
    let fit = Lda::new(1).fit((&features, &classes)).unwrap();
    let y = fit.embedding.points().column(0).to_owned();
    let side = |i: usize| y[i] > 0.0;
    assert!((0..39).filter(|&i| side(i) == side(i % 2)).count() >= 38, "{y}");
    assert!(side(39) == side(1) && fit.report.warnings.iter().any(|w| w.contains("1 object has no class")));
    let e = Lda::new(2).fit((&features, &classes)).unwrap_err().to_string();
    assert!(e.contains("1 to 1: 2 classes differ in 1 directions"), "{e}");
    let one = Sorts::new(features.objects().clone(), vec!["class".into()], vec![vec![Some("a".into()); 40]]).unwrap();
    assert!(Lda::new(1).fit((&features, &one)).unwrap_err().to_string().contains("1 classes"));
}
