//! Methods that learn a weight for each column: what the weights say is what the map shows, for old objects and new ones, and
//! programs with more freedom bound them.

use ndarray::Array2;
use nearer::evidence::{KernelKind, KernelSpec, Kernels, Width};
use nearer::method::{Axes, Form, KernelGnmds, KernelPartialOrder, Metric, Over, SvmMetric};
use nearer::solve::Stop;
use nearer::{Comparison, Comparisons, Embed, Features, Fit, Item, Pair, Place, Run, toy};

fn rbf(features: &Features, answers: &Comparisons) -> Kernels {
    let of = |name: &str, columns: &str| {
        let chosen = features.chosen(&[columns.into()]).unwrap();
        (KernelSpec::new(name, KernelKind::Rbf { width: Width::Median(1.0) }), chosen)
    };
    let (seen, other) = (of("seen", "1-2"), of("other", "3-5"));
    Kernels::new(answers.objects(), &[(seen.0, Some(&seen.1)), (other.0, Some(&other.1))]).unwrap()
}

fn weights<M>(fit: &Fit<M>) -> Vec<Vec<f64>> {
    fit.report.kernels.as_ref().unwrap().kernels.iter().map(|k| k.weights.clone()).collect()
}

fn squared(points: &Array2<f64>, i: usize, j: usize) -> f64 {
    points.row(i).iter().zip(points.row(j)).map(|(a, b)| (a - b).powi(2)).sum()
}

/// With as many dimensions as there are weights the map has the distances of the metric, and new objects keep to it.
#[test]
fn weights_of_features_are_the_metric_of_old_and_new_objects() {
    let (features, answers) = toy::featured_answers(18, 3, 300, 0.05, 2);
    let fit = SvmMetric::new(5).fit((&features, &answers)).unwrap().certified(1e-5).unwrap();
    let w = &weights(&fit)[0];
    let x = features.values();
    let metric = |a: &[f64], b: &[f64]| (0..5).map(|p| w[p] * (a[p] - b[p]).powi(2)).sum::<f64>();
    let row = |i: usize| x.row(i).to_vec();
    for i in 0..18 {
        for j in 0..i {
            let (found, wanted) = (squared(fit.embedding.points(), i, j), metric(&row(i), &row(j)));
            assert!((found - wanted).abs() < 1e-9 * (1.0 + wanted), "{found} {wanted}");
        }
    }
    // New objects half way between old ones, and one far outside.
    let new = Array2::from_shape_fn((3, 5), |(i, p)| if i < 2 { 0.5 * (x[(i, p)] + x[(i + 4, p)]) } else { 30.0 });
    let names = nearer::Objects::new(["p", "q", "r"]).unwrap();
    let placed = fit.model.place(&Features::new(names, features.columns().to_vec(), new.clone()).unwrap()).unwrap();
    for i in 0..3 {
        for j in 0..18 {
            let found: f64 =
                placed.points().row(i).iter().zip(fit.embedding.points().row(j)).map(|(a, b)| (a - b).powi(2)).sum();
            let wanted = metric(&new.row(i).to_vec(), &row(j));
            assert!((found - wanted).abs() < 1e-8 * (1.0 + wanted), "{found} {wanted}");
        }
    }
}

/// A table of features is a linear kernel: the same weights and the same map, without the kernel, and a model that knows no
/// object.
#[test]
fn a_table_of_features_is_a_linear_kernel_of_them() {
    let (features, answers) = toy::featured_answers(18, 3, 300, 0.05, 2);
    let linear = KernelSpec::new("features", KernelKind::Linear);
    let kernels = Kernels::new(answers.objects(), &[(linear, Some(&features))]).unwrap();
    for form in [Form::Quadratic, Form::Trace] {
        for axes in [Axes::Objects, Axes::Map] {
            let method = SvmMetric::new(2).form(form).axes(axes).over(Over::Features);
            let table = method.fit((&features, &answers)).unwrap().certified(1e-5).unwrap();
            let kernel = method.fit((&kernels, &answers)).unwrap().certified(1e-5).unwrap();
            assert_eq!(weights(&table), weights(&kernel));
            let off =
                (table.embedding.points() - kernel.embedding.points()).iter().fold(0.0, |m: f64, v| m.max(v.abs()));
            let size = table.embedding.points().iter().fold(0.0, |m: f64, v| m.max(v.abs()));
            assert!(off < 1e-7 * size, "{form:?} {axes:?}: {off} of {size}");
            assert_eq!(table.report.kernels.as_ref().unwrap().native, kernel.report.kernels.as_ref().unwrap().native);
            let placed = table.model.place(&features).unwrap();
            let off = (placed.points() - table.embedding.points()).iter().fold(0.0, |m: f64, v| m.max(v.abs()));
            assert!(off < 1e-12 * size, "{off} of {size}");
            assert!(nearer::model::Model::from(table.model).anchors().is_none());
        }
    }
}

#[test]
fn weights_of_kernel_columns_are_the_metric_of_the_map() {
    let (features, answers) = toy::featured_answers(16, 3, 250, 0.05, 3);
    let kernels = rbf(&features, &answers);
    for form in [Form::Quadratic, Form::Trace] {
        let fit = SvmMetric::new(15).form(form).fit((&kernels, &answers)).unwrap().certified(1e-5).unwrap();
        let w = weights(&fit);
        for i in 0..16 {
            for j in 0..i {
                let column = |k: usize, p: usize| kernels.matrix(k)[(i, p)] - kernels.matrix(k)[(j, p)];
                let wanted: f64 = (0..2).map(|k| (0..16).map(|p| w[k][p] * column(k, p).powi(2)).sum::<f64>()).sum();
                let found = squared(fit.embedding.points(), i, j);
                assert!((found - wanted).abs() < 1e-8 * (1.0 + wanted), "{form:?}: {found} {wanted}");
            }
        }
        // Old objects placed by their features lie where they are.
        let placed = fit.model.place(&kernels.query_of(&(0..16).collect::<Vec<_>>(), &(0..16).collect::<Vec<_>>()));
        let off = (placed.unwrap().points() - fit.embedding.points()).iter().fold(0.0, |m: f64, v| m.max(v.abs()));
        assert!(off < 1e-8, "{form:?}: {off}");
    }
}

/// Diagonal metrics are some of all metrics: what is proved of all binds them, whatever engine proved it.
#[test]
fn diagonal_metrics_stay_on_the_side_of_full_ones() {
    for seed in 0..4 {
        let (features, answers) = toy::featured_answers(12, 3, 120, 0.1, seed);
        let both = (&rbf(&features, &answers), &answers);
        let order = KernelPartialOrder::new(2).slack(20.0).bound(60.0).trace(5.0);
        let full = order.clone().fit(both).unwrap().report.certificate.unwrap();
        let few =
            order.weights(Metric::Diagonal).fit(both).unwrap().certified(1e-5).unwrap().report.certificate.unwrap();
        // And no weights at all pay 20 for each of 120 comparisons.
        assert!(few.primal <= full.bound() && few.primal > -2000.0, "{few:?} {full:?}");
        let full = KernelGnmds::new(2).slack(1.0).fit(both).unwrap().report.certificate.unwrap();
        let trace = SvmMetric::new(2).form(Form::Trace).slack(1.0);
        let few = trace.fit(both).unwrap().certified(1e-5).unwrap().report.certificate.unwrap();
        assert!(few.primal >= full.bound(), "{few:?} {full:?}");
    }
}

/// The answers follow the features of one kernel: that one gets the weight, and few of its objects.
#[test]
fn weights_find_the_kernel_that_the_answers_follow() {
    let (features, answers) = toy::featured_answers(24, 3, 700, 0.0, 4);
    let both = (&rbf(&features, &answers), &answers);
    let fit = KernelPartialOrder::new(2).weights(Metric::Diagonal).fit(both).unwrap().certified(1e-5).unwrap();
    let reading = fit.report.kernels.as_ref().unwrap();
    assert!(reading.kernels[0].share > 0.8, "{reading:?}");
    assert!(reading.learned > reading.native && reading.learned > Some(0.9), "{reading:?}");
    let nonzero: usize = reading.kernels.iter().map(|k| k.nonzero).sum();
    assert!(nonzero < 30 && fit.report.agreement > Some(0.8), "{nonzero} {:?}", fit.report.agreement);
}

#[test]
fn units_threads_and_order_change_nothing() {
    let (features, answers) = toy::featured_answers(15, 2, 200, 0.1, 5);
    let scaled = features.values().mapv(|v| 250.0 * v + 3.0);
    let scaled = Features::new(features.objects().clone(), features.columns().to_vec(), scaled).unwrap();
    let fit = |f: &Features, run: &Run<'_>| SvmMetric::new(2).fit_with((f, &answers), run).unwrap();
    let (plain, other) = (fit(&features, &Run::seeded(1)), fit(&scaled, &Run::seeded(1)));
    let off = (plain.embedding.points() - other.embedding.points()).iter().fold(0.0, |m: f64, v| m.max(v.abs()));
    assert!(off < 1e-3, "{off}");
    let two = fit(&features, &Run::seeded(1).threads(2));
    assert_eq!(
        (plain.embedding.points(), &plain.report.certificate),
        (two.embedding.points(), &two.report.certificate)
    );
    // Axes of the map itself are another view of the same weights.
    let by_map = SvmMetric::new(2).axes(Axes::Map).fit((&features, &answers)).unwrap();
    assert_eq!(weights(&by_map), weights(&plain));
}

#[test]
fn features_behind_kernels_that_are_not_linear_are_refused() {
    let (features, answers) = toy::featured_answers(8, 3, 40, 0.0, 1);
    let both = (&rbf(&features, &answers), &answers);
    let wrong = SvmMetric::new(2).over(Over::Features).fit(both).unwrap_err().to_string();
    assert!(wrong.contains("`seen` is not linear"), "{wrong}");
    assert!(SvmMetric::new(2).slack(-1.0).fit(both).is_err());
}

/// One weight for each kernel: the squared distances of the map are the weighted sums of those in the kernels, for old objects and
/// for those that are placed; a kernel of what nobody looked at gets nothing.
#[test]
fn a_weight_for_each_kernel_is_their_weighted_sum() {
    let (features, answers) = toy::featured_answers(16, 3, 250, 0.05, 3);
    let kernels = rbf(&features, &answers);
    let method = KernelPartialOrder::new(15).weights(Metric::Kernel);
    let fit = method.fit((&kernels, &answers)).unwrap().certified(1e-4).unwrap();
    let w: Vec<f64> = weights(&fit).iter().map(|of_kernel| of_kernel[0]).collect();
    assert!(w[0] > 0.0 && w[1] < 0.2 * w[0], "{w:?}");
    let placed = fit.model.place(&kernels.query_of(&[3, 7], &(0..16).collect::<Vec<_>>())).unwrap();
    for i in 0..16 {
        for j in 0..i {
            let wanted: f64 = (0..2).map(|k| w[k] * kernels_apart(&kernels, k, i, j)).sum();
            let found = squared(fit.embedding.points(), i, j);
            assert!((found - wanted).abs() < 1e-7 * (1.0 + wanted), "{found} {wanted}");
        }
        let wanted: f64 = (0..2).map(|k| w[k] * kernels_apart(&kernels, k, 7, i)).sum();
        let new = placed.points().row(1);
        let found: f64 = new.iter().zip(fit.embedding.points().row(i)).map(|(a, b)| (a - b).powi(2)).sum();
        assert!((found - wanted).abs() < 1e-6 * (1.0 + wanted), "{found} {wanted}");
    }
}

fn kernels_apart(kernels: &Kernels, k: usize, i: usize, j: usize) -> f64 {
    let m = kernels.matrix(k);
    m[(i, i)] + m[(j, j)] - 2.0 * m[(i, j)]
}

/// As many comparisons as there are with forty objects in two groups, far more than rows that can come and go one by one.
#[test]
fn many_thousand_comparisons_are_solved() {
    let (features, _) = toy::featured_answers(40, 3, 10, 0.0, 5);
    let pair = |a: u32, b: u32| Pair::new(Item(a), Item(b)).unwrap();
    let near = |i: u32, j: u32| i % 2 == j % 2;
    let triplets = (0..40).flat_map(|i| (0..40).flat_map(move |j| (0..40).map(move |k| (i, j, k))));
    let rows = triplets.filter(|&(i, j, k)| i != j && i != k && near(i, j) && !near(i, k));
    let rows = rows.map(|(i, j, k)| Comparison::new(pair(i, j), pair(i, k))).collect::<Vec<_>>();
    assert_eq!(rows.len(), 15_200);
    let answers = Comparisons::new(features.objects().clone(), rows).unwrap();
    let kernels = rbf(&features, &answers);
    for form in [Metric::Diagonal, Metric::Kernel] {
        let fit = KernelPartialOrder::new(2).weights(form).fit((&kernels, &answers)).unwrap();
        let c = fit.report.certificate.clone().unwrap();
        assert!(c.is_within(1e-4) && fit.report.stop == Stop::Converged, "{form:?}: {c:?}");
    }
    // What is ended before its time says what that means.
    let stop = |_: &nearer::solve::Step| std::ops::ControlFlow::Break(());
    let run = Run::seeded(0);
    let fit = KernelPartialOrder::new(2)
        .weights(Metric::Diagonal)
        .fit_with((&kernels, &answers), &run.watched(&stop))
        .unwrap();
    assert_eq!(fit.report.stop, Stop::Cancelled);
    let said = fit.report.warnings.join("; ");
    assert!(said.contains("not solved") && said.contains("let it run on"), "{said}");
}
