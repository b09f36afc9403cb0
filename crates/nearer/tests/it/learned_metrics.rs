//! Metrics learned on features: closed forms, invariances, and what breaks other programs.

use ndarray::{Array2, Axis};
use nearer::evaluate::{class_evaluation, held_out_classes};
use nearer::evidence::{Classes, ConvertOptions, Judged, KernelKind, KernelSpec, Kernels};
use nearer::method::table::{METHODS, Method, find};
use nearer::method::{Itml, Lmnn, Nca, Rca, RcaForm};
use nearer::{
    Comparisons, Embed, Embedding, Features, Fit, Item, Objects, Pairs, Part, Place, Run, Sorts, Study, model::Model,
    toy,
};
use nearer_num::rng::Rng;

fn features(values: Array2<f64>) -> Features {
    let names = (0..values.ncols()).map(|k| format!("f{k}"));
    Features::new(Objects::numbered(values.nrows()), names, values).unwrap()
}

fn classes(of: &[&str]) -> Sorts {
    let groups = of.iter().map(|c| (!c.is_empty()).then(|| (*c).to_owned())).collect();
    Sorts::new(Objects::numbered(of.len()), vec!["class".into()], vec![groups]).unwrap()
}

/// Must-links that chain the objects of each class, and a cannot-link between classes.
fn chains(sorts: &Sorts) -> Pairs {
    let n = sorts.objects().len();
    let mut rows = Vec::new();
    for i in 0..n {
        let next = (i + 1..n).find(|j| sorts.together(0, i, *j) == Some(true));
        rows.extend(next.map(|j| Judged::new(Item(i as u32), Item(j as u32), true)));
        let other = (i + 1..n).find(|j| sorts.together(0, i, *j) == Some(false));
        rows.extend(other.map(|j| Judged::new(Item(i as u32), Item(j as u32), false)));
    }
    Pairs::new(sorts.objects().clone(), rows).unwrap().both_ways()
}

/// The methods that learn from features with classes.
fn learners() -> impl Iterator<Item = &'static Method> {
    let learns = |m: &&Method| m.parameters.iter().any(|p| p.name == "unit-variance");
    METHODS.iter().copied().filter(learns).filter(|m| m.takes().contains(&&[Part::Sorts, Part::Features][..]))
}

fn learned(
    method: &Method,
    f: &Features,
    sorts: &Sorts,
    dim: usize,
    run: &Run<'_>,
) -> Result<Fit<Model>, nearer::Error> {
    let settings = method.settings([("dim", dim.to_string().as_str())])?;
    let study = Study::from(f.clone()).with(sorts.clone());
    method.fit(&settings, &study.suited(method.name, &method.takes(), &ConvertOptions::default())?.0, run)
}

#[test]
fn rca_makes_the_scatter_within_classes_round() {
    let (f, sorts) = toy::classed(120, 3, 3, 4);
    let fit = Rca::new(5).ridge(1e-12).fit((&f, &sorts)).unwrap();
    let y = fit.embedding.points();
    let mut scatter = Array2::<f64>::zeros((5, 5));
    for c in 0..3 {
        let members: Vec<usize> = (0..120).filter(|i| i % 3 == c).collect();
        let own = y.select(Axis(0), &members);
        let off = &own - &own.mean_axis(Axis(0)).unwrap();
        scatter += &(off.t().dot(&off) / 120.0);
    }
    assert!((&scatter - &Array2::<f64>::eye(5)).iter().all(|v| v.abs() < 1e-9), "{scatter}");
    // The axes come in the order of what is left: two in which classes lie apart, three of noise.
    let spread: Vec<f64> = y.columns().into_iter().map(|c| c.dot(&c) / 120.0).collect();
    assert!(spread[1] > 3.0 && spread[2] < 1.3, "{spread:?}");
    // Chains of similar pairs that join each class say the same; dissimilar ones say nothing.
    let by_pairs = Rca::new(5).ridge(1e-12).fit((&f, &chains(&sorts))).unwrap();
    assert!((by_pairs.embedding.points() - y).iter().all(|v| v.abs() < 1e-9));
    // As printed, the noisiest directions are kept.
    let literal = Rca::new(2).form(RcaForm::Literal).fit((&f, &sorts)).unwrap();
    let e = |map| class_evaluation(map, &Classes::of(&sorts).unwrap(), None, 3, &Run::default()).unwrap().map.knn_error;
    assert!(e(&literal.embedding) > 0.4 && e(&fit.embedding) < 0.05);
}

#[test]
fn the_span_of_a_linear_kernel_is_the_features() {
    let (f, sorts) = toy::classed(40, 3, 2, 4);
    let linear = KernelSpec::new("x", KernelKind::Linear);
    let kernels = Kernels::new(f.objects(), &[(linear, Some(&f))]).unwrap();
    let within = Rca::new(3).fit((&kernels, &sorts)).unwrap();
    let same = |over: &Embedding, within: &Embedding, off: f64| {
        for (i, j) in [(0, 1), (3, 17), (20, 39)] {
            let (a, b) = (over.distance(i, j), within.distance(i, j));
            assert!((a - b).abs() < off * a, "{a} {b}");
        }
    };
    same(&Rca::new(3).fit((&f, &sorts)).unwrap().embedding, &within.embedding, 1e-6);
    let pairs = chains(&sorts);
    let rca = Rca::new(3);
    same(&rca.fit((&f, &pairs)).unwrap().embedding, &rca.fit((&kernels, &pairs)).unwrap().embedding, 1e-6);
    let lmnn = Lmnn::new(3).gap(1e-9);
    let answers = toy::answers(40, 2, 200, 0.1, 3);
    let c = Comparisons::new(f.objects().clone(), answers.iter().copied().collect()).unwrap();
    let (over, kernel) = (lmnn.fit((&f, &c)).unwrap(), lmnn.fit((&kernels, &c)).unwrap());
    let (a, b) = (over.report.certificate.unwrap(), kernel.report.certificate.unwrap());
    assert!((a.primal - b.primal).abs() < 1e-6 * a.primal && b.about.contains("of these kernels"), "{a} {b}");
    let nca = Nca::new(2).fit((&kernels, &pairs)).unwrap();
    assert!((nca.report.objective - Nca::new(2).fit((&f, &pairs)).unwrap().report.objective).abs() < 1e-3, "{nca:?}");
    let placed = within.model.place(&within.model.functions().query(&[(None, &f)]).unwrap()).unwrap();
    assert!((placed.points() - within.embedding.points()).iter().all(|v| v.abs() < 1e-8));
    let nca = Nca::new(2).fit((&kernels, &sorts)).unwrap();
    assert!(nca.report.objective > 35.0, "{}", nca.report.objective);
}

#[test]
fn nca_learns_from_pairs_what_it_learns_from_classes() {
    let (f, sorts) = toy::classed(60, 3, 4, 2);
    let all: Vec<Judged> = (0..60u32)
        .flat_map(|i| (i + 1..60).map(move |j| (i, j)))
        .map(|(i, j)| Judged::new(Item(i), Item(j), i % 3 == j % 3))
        .collect();
    let pairs = Pairs::new(f.objects().clone(), all).unwrap().both_ways();
    let (a, b) = (Nca::new(2).fit((&f, &sorts)).unwrap(), Nca::new(2).fit((&f, &pairs)).unwrap());
    assert!((a.report.objective - b.report.objective).abs() < 1e-6 * a.report.objective);
    // The nuisance columns are what it does without.
    let reading = a.report.features.unwrap();
    let (told, noise) = reading.features.split_at(2);
    let most = noise.iter().map(|f| f.share).fold(0.0, f64::max);
    assert!(told.iter().all(|f| f.share > most), "{reading:?}");
    assert!((reading.features.iter().map(|f| f.share).sum::<f64>() - 1.0).abs() < 1e-9);
}

#[test]
fn every_learner_places_old_objects_where_they_are_and_threads_change_no_bit() {
    let (f, sorts) = toy::classed(45, 3, 3, 6);
    for method in learners() {
        let fit = learned(method, &f, &sorts, 2, &Run::seeded(2)).unwrap();
        let placed = fit.model.place_tables(&[(None, &f)]).unwrap();
        let off = (placed.points() - fit.embedding.points()).iter().fold(0.0, |m: f64, v| m.max(v.abs()));
        let size = fit.embedding.points().iter().fold(0.0, |m: f64, v| m.max(v.abs()));
        assert!(off < 1e-9 * size, "{}: {off} of {size}", method.name);
        let two = learned(method, &f, &sorts, 2, &Run::seeded(2).threads(2)).unwrap();
        assert_eq!(two.embedding, fit.embedding, "{}", method.name);
        // Standardised features are those that the model divides by their spread.
        let settings = method.settings([("unit-variance", "yes")]).unwrap();
        let study = Study::from(f.clone()).with(sorts.clone());
        let suited = study.suited(method.name, &method.takes(), &ConvertOptions::default()).unwrap().0;
        let standard = method.fit(&settings, &suited, &Run::seeded(2)).unwrap();
        let mut values = f.values().clone();
        for mut column in values.columns_mut() {
            let mean = column.mean().unwrap();
            let spread = (column.mapv(|v| (v - mean).powi(2)).mean().unwrap()).sqrt();
            column.mapv_inplace(|v| (v - mean) / spread);
        }
        let by_hand = learned(method, &features(values), &sorts, 2, &Run::seeded(2)).unwrap();
        let off =
            (by_hand.embedding.points() - standard.embedding.points()).iter().fold(0.0, |m: f64, v| m.max(v.abs()));
        let size = standard.embedding.points().iter().fold(0.0, |m: f64, v| m.max(v.abs()));
        assert!(off < 1e-2 * size, "{}: {off} of {size}", method.name);
        assert_eq!(standard.model.place_tables(&[(None, &f)]).unwrap().len(), 45);
    }
}

/// What makes other programs fail, hang or return numbers that are none.
#[test]
fn what_breaks_others_gives_a_finite_map_or_a_sentence() {
    let mut rng = Rng::task(9, 0);
    let mut normal = |n: usize, d: usize| Array2::from_shape_simple_fn((n, d), || rng.normal());
    let of: Vec<&str> = (0..30).map(|i| ["a", "b", "c"][i % 3]).collect();
    let mut constant = normal(30, 5);
    constant.column_mut(2).fill(7.0);
    let mut doubled = normal(30, 4);
    for i in 0..15 {
        let row = doubled.row(i).to_owned();
        doubled.row_mut(i + 15).assign(&row);
    }
    let wide = normal(12, 40);
    let some: Vec<&str> = of.iter().enumerate().map(|(i, c)| if i % 2 == 0 { *c } else { "" }).collect();
    for method in learners() {
        for (what, values, of) in [
            ("a constant feature", &constant, &of[..]),
            ("duplicates", &doubled, &of[..]),
            ("more features than objects", &wide, &of[..12]),
            ("objects without a class", &constant, &some[..]),
        ] {
            let fit = learned(method, &features(values.clone()), &classes(of), 2, &Run::default());
            let fit = fit.unwrap_or_else(|e| panic!("{} {what}: {e}", method.name));
            assert!(fit.embedding.points().iter().all(|v| v.is_finite()), "{} {what}", method.name);
            assert!(fit.embedding.points().iter().any(|v| *v != 0.0), "{} {what}", method.name);
        }
        let one = learned(method, &features(constant.clone()), &classes(&["a"; 30]), 2, &Run::default());
        match one {
            Ok(fit) => assert!(fit.embedding.points().iter().all(|v| v.is_finite()), "{}", method.name),
            Err(e) => assert!(e.to_string().contains("one class"), "{}: {e}", method.name),
        }
        let same = learned(method, &features(Array2::ones((6, 2))), &classes(&of[..6]), 2, &Run::default());
        assert!(same.unwrap_err().to_string().contains("one value throughout"), "{}", method.name);
    }
    let rca = find("rca").unwrap();
    let e = learned(rca, &features(constant), &classes(&of), 9, &Run::default()).unwrap_err().to_string();
    assert!(e.contains("1 to 4"), "{e}");
}

/// The same of pairs: of one kind alone, of identical objects, of more features than objects.
#[test]
fn pairs_that_break_others_give_a_finite_map_or_a_sentence() {
    let mut rng = Rng::task(10, 0);
    let mut values = Array2::from_shape_simple_fn((12, 40), || rng.normal());
    let twin = values.row(0).to_owned();
    values.row_mut(1).assign(&twin);
    let f = features(values);
    let pairs = |rows: &[(u32, u32, bool)]| {
        let rows = rows.iter().map(|(a, b, similar)| Judged::new(Item(*a), Item(*b), *similar));
        Pairs::new(f.objects().clone(), rows.collect()).unwrap().both_ways()
    };
    let alike = [(2, 3, true), (4, 5, true), (6, 7, true)];
    let apart = [(2, 4, false), (3, 6, false), (5, 7, false)];
    let twins = [(0, 1, false)];
    let cases = [
        ("only alike", alike.to_vec()),
        ("only apart", apart.to_vec()),
        ("only twins", twins.to_vec()),
        ("all", [&alike[..], &apart, &twins].concat()),
    ];
    let learns = |m: &&Method| m.takes().contains(&&[Part::Pairs, Part::Features][..]);
    let names: Vec<&str> = METHODS.iter().copied().filter(learns).map(|m| m.name).collect();
    assert_eq!(names.len(), 6, "{names:?}");
    for method in METHODS.iter().copied().filter(learns) {
        for (what, rows) in &cases {
            let study = Study::from(f.clone()).with(pairs(rows));
            let found = method.fit(&method.settings([]).unwrap(), &study, &Run::default());
            match found {
                Ok(fit) => assert!(fit.embedding.points().iter().all(|v| v.is_finite()), "{} {what}", method.name),
                // A sentence of the evidence, with a remedy.
                Err(nearer::Error::Evidence { remedy, .. }) => {
                    assert!(*what != "all" && !remedy.to_string().is_empty(), "{} {what}", method.name);
                }
                Err(e) => panic!("{} {what}: {e}", method.name),
            }
        }
    }
}

/// Learned from comparisons, the metric leaves out what they are not about, and ends by itself.
#[test]
fn itml_learns_from_comparisons() {
    let (f, c) = toy::featured_answers(30, 4, 600, 0.0, 2);
    let fit = Itml::new(2).fit((&f, &c)).unwrap();
    assert_eq!(fit.report.stop, nearer::Stop::Converged);
    let plain = nearer::method::Pca::new(2).fit(&f).unwrap().embedding;
    let holds = c.iter().filter(|r| {
        let d = |p: nearer::Pair| plain.distance(p.first().index(), p.second().index());
        d(r.near) < d(r.far)
    });
    let before = holds.count() as f64 / c.len() as f64;
    assert!(fit.report.agreement.unwrap() > before, "{:?} {before}", fit.report.agreement);
}

#[test]
fn features_with_classes_are_begun_with_what_tells_classes_apart() {
    let (f, sorts) = toy::classed(30, 3, 2, 1);
    let study = Study::from(f.clone()).with(sorts);
    let told = |dim| nearer::check::suggest_for(&study, dim, &Run::default(), None);
    assert_eq!((told(2).method.as_str(), told(3).method.as_str()), ("lda", "lmnn"));
    assert!(told(2).why.contains("3 classes") && told(3).why.contains("2 axes"), "{}", told(3).why);
}

#[test]
fn objects_held_out_are_classed_better_where_noise_was_learned_away() {
    let (f, sorts) = toy::classed(150, 3, 20, 3);
    let classes = Classes::of(&sorts).unwrap();
    let fit = |f: &Features, c: &Classes, run: &Run<'_>| {
        let fit = Nca::new(2).fit_with((f, &c.sorts("class")), run)?;
        Ok(fit.map_model(Model::Linear))
    };
    let found = held_out_classes((&f, false), &classes, 3, 5, fit, &Run::seeded(1)).unwrap();
    assert!(found.map.mean < 0.05 && found.features.mean > 0.1, "{found:?}");
    assert!(found.difference.mean + 2.0 * found.difference.standard_error < 0.0, "{found:?}");
    // What the other columns say: the sum over folds of objects is all of them, each once.
    assert_eq!((found.each.len(), found.method.as_str()), (5, "nca"));
}
