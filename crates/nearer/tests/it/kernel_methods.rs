//! What holds for every method that learns a map of features: it fits, places, keeps its certificate, and survives a file.

use ndarray::Array2;
use nearer::evaluate::{By, Hold, Radii, held_out, held_out_pairs};
use nearer::evidence::{KernelFunctions, KernelKind, KernelSpec, Kernels, Pairs, Width};
use nearer::io::{Saved, Source, load_model, save_model};
use nearer::method::table::{METHODS, Method};
use nearer::method::{KernelGnmds, Kpsde, Mvu, Pick, Unfolding};
use nearer::model::{KernelMap, Model};
use nearer::{Comparisons, Embed, Features, Fit, Objects, Part, Place, Run, Study, toy};

fn learning() -> impl Iterator<Item = (&'static Method, &'static [Part])> {
    // Kernel PCA is a closed form, with nothing to prove; what is learned from classes is in `learned_metrics`.
    let learning = METHODS.iter().filter(|m| !["kernel-pca", "rca", "nca", "lmnn"].contains(&m.name));
    learning.flat_map(|m| m.takes().into_iter().filter(|w| w.contains(&Part::Kernels)).map(move |w| (*m, w)))
}

/// Views of a ring by features that bend it, each like its neighbours.
fn ring(n: usize) -> (Features, Pairs) {
    let row = |i: usize| {
        let a = std::f64::consts::TAU * i as f64 / n as f64;
        [a.cos(), a.sin(), 0.5 * (2.0 * a).cos(), 0.3 * (3.0 * a).sin()]
    };
    let values = Array2::from_shape_fn((n, 4), |(i, k)| row(i)[k]);
    let features = Features::new(Objects::numbered(n), ["a", "b", "c", "d"], values).unwrap();
    (features, toy::cylinder(n, 1))
}

fn kernels(features: &Features) -> Kernels {
    let two = features.chosen(&["1-2".into()]).unwrap();
    let asked = [
        (KernelSpec::new("all", KernelKind::Rbf { width: Width::default() }), Some(features)),
        (KernelSpec::new("two", KernelKind::Linear), Some(&two)),
    ];
    Kernels::new(features.objects(), &asked).unwrap()
}

fn evidence(way: &[Part]) -> (Features, Study) {
    if way.contains(&Part::Comparisons) {
        let (f, c) = toy::featured_answers(24, 2, 500, 0.05, 3);
        let k = kernels(&f);
        return (f, Study::from(k).with(c));
    }
    let (f, p) = ring(24);
    let study = Study::from(kernels(&f));
    (f, if way.contains(&Part::Pairs) { study.with(p) } else { study })
}

fn fit(method: &Method, evidence: &Study, run: &Run<'_>) -> Fit<Model> {
    method.fit(&method.settings([]).unwrap(), evidence, run).unwrap_or_else(|e| panic!("{}: {e}", method.name))
}

fn kernel_map(model: &Model) -> &KernelMap {
    match model {
        Model::Kernel(m) => m,
        other => panic!("{other:?}"),
    }
}

fn off(a: &Array2<f64>, b: &Array2<f64>) -> f64 {
    let size = a.iter().map(|v| v * v).sum::<f64>().sqrt() / (a.nrows() as f64).sqrt();
    (a - b).iter().fold(0.0, |m: f64, v| m.max(v.abs())) / size
}

#[test]
fn every_one_fits_with_a_certificate_and_places_old_objects_where_they_are() {
    for (method, kind) in learning() {
        let (features, evidence) = evidence(kind);
        let fit = fit(method, &evidence, &Run::seeded(1));
        let c = fit.report.certificate.as_ref().unwrap_or_else(|| panic!("{} proves nothing", method.name));
        assert!(c.gap() <= 1e-5, "{}: {:e}", method.name, c.gap());
        let reading =
            fit.report.kernels.as_ref().unwrap_or_else(|| panic!("{} does not tell its kernels", method.name));
        assert!((reading.kernels.iter().map(|k| k.share).sum::<f64>() - 1.0).abs() < 1e-9, "{}", method.name);
        let map = kernel_map(&fit.model);
        let again = map.place(&features).unwrap();
        assert_eq!(again.objects(), fit.embedding.objects());
        assert!(off(fit.embedding.points(), again.points()) < 1e-8, "{}", method.name);
        // One at a time is all at once, bit for bit.
        for i in [0, 11, 23] {
            assert_eq!(map.place(&features.subset(&[i])).unwrap().point(0), again.point(i), "{}", method.name);
        }
        let said = fit.report.warnings.join("; ");
        assert!(!said.contains("not within"), "{}: {said}", method.name);
    }
}

#[test]
fn a_model_file_places_without_the_evidence() {
    for (method, kind) in learning() {
        let (features, evidence) = evidence(kind);
        let fit = fit(method, &evidence, &Run::seeded(1));
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("m.nearer");
        let saved = Saved { embedding: fit.embedding.clone(), model: fit.model.clone(), report: fit.report.clone() };
        save_model(&mut std::fs::File::create(&path).unwrap(), &saved).unwrap();
        let back = load_model(&Source::from(path.to_str().unwrap())).unwrap();
        assert_eq!(back.report, fit.report);
        let (a, b) =
            (kernel_map(&fit.model).place(&features).unwrap(), kernel_map(&back.model).place(&features).unwrap());
        assert_eq!(a, b, "{}", method.name);
    }
}

#[test]
fn threads_and_the_order_of_objects_change_nothing() {
    for (method, kind) in learning() {
        let (_, evidence) = evidence(kind);
        let (one, two) = (fit(method, &evidence, &Run::seeded(3)), fit(method, &evidence, &Run::seeded(3).threads(2)));
        assert_eq!(one.embedding, two.embedding, "{}", method.name);
        assert_eq!(one.report.objective.to_bits(), two.report.objective.to_bits(), "{}", method.name);
    }
}

#[test]
fn evidence_without_features_is_refused_by_name() {
    for (method, kind) in learning().filter(|(m, _)| m.name != "mvu") {
        let (_, c) = toy::featured_answers(12, 1, 30, 0.0, 1);
        let plain = if kind.contains(&Part::Pairs) { Study::from(toy::cylinder(6, 2)) } else { Study::from(c) };
        let e = method.fit(&method.settings([]).unwrap(), &plain, &Run::default()).unwrap_err().to_string();
        assert!(e.contains(method.name) && e.contains("with kernels"), "{e}");
    }
    // Kernels of other objects than the judgements are about.
    let (f, _) = ring(10);
    let e = Kpsde::new(2).fit((&kernels(&f), &toy::cylinder(11, 1))).unwrap_err().to_string();
    assert!(e.contains("10 objects") && e.contains("11"), "{e}");
}

/// A ring of which every fourth view is held out: they land between their neighbours.
#[test]
fn views_that_nobody_judged_land_between_their_neighbours() {
    let (features, _) = ring(48);
    let trained: Vec<usize> = (0..48).filter(|i| i % 4 != 2).collect();
    let part = features.subset(&trained);
    // Alike: up to two steps of the full ring apart, so that the ring stays closed.
    let near = |a: usize, b: usize| {
        let steps = trained[a].abs_diff(trained[b]);
        steps.min(48 - steps) <= 2
    };
    let n = trained.len();
    let all = (0..n).flat_map(|i| (0..n).filter(move |j| *j != i).map(move |j| (i, j)));
    let rows = all
        .map(|(i, j)| nearer::evidence::Judged::new(nearer::Item(i as u32), nearer::Item(j as u32), near(i, j)))
        .collect();
    let pairs = Pairs::new(part.objects().clone(), rows).unwrap();
    let spec = KernelSpec::new("all", KernelKind::Rbf { width: Width::default() });
    let kernels = Kernels::new(part.objects(), &[(spec, Some(&part))]).unwrap();
    for (basis, pick) in [(n, Pick::Random), (18, Pick::Random), (12, Pick::Spread)] {
        let fit = Kpsde::new(2).basis(basis).pick(pick).fit_with((&kernels, &pairs), &Run::seeded(1)).unwrap();
        assert!(fit.report.agreement.unwrap() > 0.97, "{:?}", fit.report.agreement);
        assert!(!fit.report.rounds.is_empty());
        let landmarks = fit.report.kernels.as_ref().unwrap().landmarks.len();
        assert_eq!(landmarks, basis);
        let held: Vec<usize> = (0..48).filter(|i| i % 4 == 2).collect();
        let placed = fit.model.place(&features.subset(&held)).unwrap();
        for (k, &i) in held.iter().enumerate() {
            let to = |t: usize| (&placed.point(k) - &fit.embedding.point(t)).mapv(|v| v * v).sum();
            let nearest = (0..n).min_by(|a, b| to(*a).total_cmp(&to(*b))).unwrap();
            assert_eq!(trained[nearest].abs_diff(i), 1, "basis {basis}: view {i} is nearest to {}", trained[nearest]);
        }
    }
}

/// The features that answers follow are two of six; a learned map predicts what the raw features cannot.
#[test]
fn a_learned_map_predicts_better_than_the_features_and_than_no_features() {
    // How a set of 450 answers falls out is worth two points in a hundred either way: four sets.
    let mut learned = 0.0;
    for seed in 2..6 {
        let (features, answers) = toy::featured_answers(40, 4, 900, 0.1, seed);
        let (old, new): (Vec<usize>, Vec<usize>) = (0..answers.len()).partition(|k| k % 2 == 0);
        let (train, test) = (answers.subset(&old), answers.subset(&new));
        let share = |d: &dyn Fn(usize, usize) -> f64| {
            let d = |p: nearer::Pair| d(p.first().index(), p.second().index());
            test.iter().filter(|r| d(r.near) < d(r.far)).count() as f64 / test.len() as f64
        };
        let fit = KernelGnmds::new(2).fit((&of_features(&features), &train)).unwrap();
        let (map, raw) = (share(&|i, j| fit.embedding.distance(i, j)), share(&|i, j| features.squared_distance(i, j)));
        let free = nearer::method::Gnmds::new(2).fit(&train).unwrap();
        let plain = share(&|i, j| free.embedding.distance(i, j));
        assert!(map > raw + 0.15 && map > plain + 0.05, "{seed}: {map} {raw} {plain}");
        let reading = fit.report.kernels.unwrap();
        assert!(reading.learned > reading.native, "{reading:?}");
        learned += map / 4.0;
    }
    // A tenth of the answers is wrong, so 0.9 is the most there is.
    assert!(learned > 0.84, "{learned}");
    let (features, answers) = toy::featured_answers(40, 4, 900, 0.1, 5);
    let kernels = of_features(&features);
    let with = |c: &Comparisons, run: &Run<'_>| KernelGnmds::new(2).fit_with((&kernels, c), run);
    let found = held_out(&answers, By::Rows, 3, with, &Run::seeded(2)).unwrap();
    assert!(found.test.mean > 0.83, "{:?}", found.test);
}

#[test]
fn objects_held_out_of_pairs_are_placed_by_their_features() {
    let (features, _) = ring(40);
    // Up to three steps apart: what is left of the ring without some of its views stays a ring.
    let near = |i: u32, j: u32| matches!((40 + i - j) % 40, 1..=3 | 37..=39);
    let all = (0..40u32).flat_map(|i| (0..40u32).filter(move |j| *j != i).map(move |j| (i, j)));
    let rows = all.map(|(i, j)| nearer::evidence::Judged::new(nearer::Item(i), nearer::Item(j), near(i, j))).collect();
    let pairs = Pairs::new(features.objects().clone(), rows).unwrap();
    let spec = KernelSpec::new("all", KernelKind::Rbf { width: Width::default() });
    let kernels = Kernels::new(features.objects(), &[(spec, Some(&features))]).unwrap();
    let fit = |p: &Pairs, run: &Run<'_>| Kpsde::new(2).fit_with((&kernels.restricted(p.objects())?, p), run);
    let place = |m: &KernelMap, asked: &Objects| m.place(&kernels.asked(asked, m.functions().objects())?);
    for what in [Hold::Object, Hold::Rows(By::Rows)].into_iter().flat_map(|w| [(w, Radii::Own), (w, Radii::One)]) {
        let found = held_out_pairs(&pairs, what, 5, fit, place, &Run::seeded(1)).unwrap();
        assert_eq!(found.folds.len(), 5);
        assert!(found.test.mean > 0.85, "{what:?} {:?}", found.test);
    }
}

fn of_features(features: &nearer::Features) -> Kernels {
    Kernels::new(features.objects(), &[(KernelSpec::new("x", KernelKind::Linear), Some(features))]).unwrap()
}

/// Unfolding with a kernel: part of a roll is mapped, the rest lands where it belongs.
#[test]
fn unfolding_with_a_kernel_places_the_rest_of_the_roll() {
    let (roll, truth) = toy::swiss_roll(800, 1);
    let (old, new): (Vec<usize>, Vec<usize>) = (0..800).partition(|i| i % 5 != 0);
    let part = roll.subset(&old);
    let spec = KernelSpec::new("roll", KernelKind::Rbf { width: Width::Median(0.4) });
    let kernels = Kernels::new(part.objects(), &[(spec, Some(&part))]).unwrap();
    let fit = Mvu::new(2).basis(80).gap(1e-4).fit(&kernels).unwrap();
    let placed = fit.model.place(&roll.subset(&new)).unwrap();
    // Held against the flat sheet: of the ten nearest mapped points, how many are among the thirty nearest on the sheet.
    let sheet = |a: usize, b: usize| (&truth.row(a) - &truth.row(b)).mapv(|v| v * v).sum();
    let nearest = |count: usize, d: &dyn Fn(usize) -> f64| {
        let mut order: Vec<usize> = (0..old.len()).collect();
        order.sort_by(|a, b| d(*a).total_cmp(&d(*b)));
        order.truncate(count);
        order
    };
    let (mut hits, mut all) = (0, 0);
    for (k, &i) in new.iter().enumerate() {
        let on_map = nearest(10, &|t| (&placed.point(k) - &fit.embedding.point(t)).mapv(|v| v * v).sum());
        let on_sheet = nearest(30, &|t| sheet(i, old[t]));
        hits += on_map.iter().filter(|t| on_sheet.contains(t)).count();
        all += 10;
    }
    let share = hits as f64 / f64::from(all);
    assert!(share > 0.95, "{share}");
    assert!(fit.report.certificate.unwrap().gap() < 1e-4);
    let e = Mvu::new(2).form(Unfolding::Soft(None)).fit(&kernels).unwrap_err().to_string();
    assert!(e.contains("`form` is soft, expected at-most, the only form with a kernel"), "{e}");
}

#[test]
fn functions_of_a_sum_and_a_product_are_of_the_parts() {
    let (f, _) = ring(8);
    let specs: Vec<KernelSpec> =
        ["a=linear:x#a", "b=linear:x#b", "s=sum,centre=no:a+b"].iter().map(|s| s.parse().unwrap()).collect();
    let both = Kernels::new(f.objects(), &specs.iter().map(|s| (s.clone(), Some(&f))).collect::<Vec<_>>()).unwrap();
    let whole: KernelSpec = "w=linear,centre=no:x#a,b".parse().unwrap();
    let whole = Kernels::new(f.objects(), &[(whole, Some(&f))]).unwrap();
    assert!((both.matrix(0) - whole.matrix(0)).iter().all(|v| v.abs() < 1e-14));
    let functions: &KernelFunctions = both.functions();
    assert_eq!(functions.names(), ["s"]);
}
