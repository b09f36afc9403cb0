//! Maps made again: the same bits on any number of threads, cancelled with what is done, and right where it is known.

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicUsize, Ordering};

use nearer::evaluate::{Stability, StabilityKind, Target, Ties, bootstrap, jackknife, stress_by_dimension};
use nearer::evidence::Measurement;
use nearer::method::{ClassicalMds, MetricMds};
use nearer::report::StabilitySummary;
use nearer::{Bound, Distances, Embed, Error, Fit, Item, Measurements, Pair, Run, Step, Stop, toy};
use nearer_num::rng::Rng;

fn classical(d: &Distances, run: &Run<'_>) -> Result<Fit<()>, Error> {
    Ok(ClassicalMds::new(2).fit_with(d, run)?.map_model(|_| ()))
}

fn same(a: &Stability, b: &Stability) -> bool {
    a.points == b.points && a.stability.to_bits() == b.stability.to_bits() && a.ellipses == b.ellipses
}

#[test]
fn threads_change_no_bit_and_seeds_do() {
    let data = toy::noisy(15, 2, 0.1, 8);
    let map = classical(&data, &Run::default()).unwrap().embedding;
    let boot = |run: Run<'_>| bootstrap(None, &data, &map, classical, Target::Data, 30, &run).unwrap();
    let one = boot(Run::seeded(5));
    assert!(same(&one, &boot(Run::seeded(5).threads(2))));
    assert!(!same(&one, &boot(Run::seeded(6))));
    let jack = |run: Run<'_>| jackknife(&data, classical, Target::Data, &run).unwrap();
    assert!(same(&jack(Run::default()), &jack(Run::default().threads(2))));
    // A descent with random starts opens threads of its own.
    let descent = |d: &Distances, run: &Run<'_>| MetricMds::new(2).starts(3).fit_with(d, run);
    let boot = |run: Run<'_>| bootstrap(None, &data, &map, descent, Target::Data, 8, &run).unwrap();
    assert!(same(&boot(Run::seeded(5)), &boot(Run::seeded(5).threads(2))));
}

#[test]
fn exact_distances_give_replicates_on_top_of_the_map() {
    let data = toy::gaussian(12, 2, 1);
    let map = classical(&data, &Run::default()).unwrap().embedding;
    let jack = jackknife(&data, classical, Target::Ordinal(Ties::Primary), &Run::default()).unwrap();
    let boot = bootstrap(None, &data, &map, classical, Target::Data, 10, &Run::default()).unwrap();
    for s in [&jack, &boot] {
        assert!(s.dispersion < 1e-12 && s.spread.iter().all(|v| *v < 1e-6), "{}", s.dispersion);
        assert!((s.stability - 1.0).abs() < 1e-12 && (s.cross_validity - 1.0).abs() < 1e-12);
        assert_eq!((s.stop, s.failed), (Stop::Converged, 0));
    }
    assert_eq!((jack.replicates, boot.replicates), (12, 10));
    assert!(jack.points.iter().all(|p| p.len() == 11) && boot.points.iter().all(|p| p.len() == 10));
    assert!(jack.ellipses.iter().all(Option::is_none) && boot.ellipses.iter().all(Option::is_some));
}

/// The residual bootstrap promises the spread of measuring again: measure again, and compare.
#[test]
fn the_residual_bootstrap_foretells_the_spread_of_new_measurements() {
    let exact = toy::gaussian(25, 2, 2);
    let measured = |k: u64| {
        let mut rng = Rng::task(77, k);
        let values = exact.condensed().iter().map(|d| (d + 0.15 * rng.normal()).abs()).collect();
        exact.with_values(values).unwrap()
    };
    let data = measured(0);
    let map = classical(&data, &Run::default()).unwrap().embedding;
    let boot = bootstrap(None, &data, &map, classical, Target::Data, 150, &Run::seeded(3)).unwrap();
    let truth = classical(&exact, &Run::default()).unwrap().embedding;
    let mut squares = 0.0;
    for k in 1..=150 {
        let again = classical(&measured(k), &Run::default()).unwrap().embedding;
        squares += nearer::evaluate::compare(&truth, &again, false).unwrap().rmse.powi(2);
    }
    let real = (squares / 150.0).sqrt();
    let foretold = (boot.spread.iter().map(|s| s * s).sum::<f64>() / 25.0).sqrt();
    assert!((0.75..1.33).contains(&(foretold / real)), "foretold {foretold}, real {real}");
    assert!((boot.dispersion - (2.0 - boot.stability - boot.cross_validity)).abs() < 1e-12);
}

#[test]
fn several_sources_are_drawn_anew() {
    let exact = toy::gaussian(8, 2, 3);
    let mut rng = Rng::task(1, 1);
    let mut rows = Vec::new();
    for source in 0..6 {
        for i in 0..8 {
            for j in i + 1..8 {
                let value = exact.between(i, j).unwrap() * (1.0 + 0.1 * rng.uniform());
                let pair = Pair::new(Item(i as u32), Item(j as u32)).unwrap();
                rows.push(Measurement { pair, value, weight: 1.0, bound: Bound::Exact, source });
            }
        }
    }
    let names = (0..6).map(|k| format!("p{k}")).collect();
    let study = Measurements::new(exact.objects().clone(), names, rows);
    let data = study.merged().unwrap();
    // Classical scaling refuses weights other than 1, which merging leaves behind.
    let fit = |d: &Distances, run: &Run<'_>| {
        classical(&Distances::from_condensed(d.objects().clone(), d.condensed().to_vec())?, run)
    };
    let map = fit(&data, &Run::default()).unwrap().embedding;
    let s = bootstrap(Some(&study), &data, &map, fit, Target::Data, 25, &Run::default()).unwrap();
    assert_eq!((s.kind, s.replicates), (StabilityKind::Sources, 25));
    assert!(s.stability > 0.9 && s.dispersion > 0.0);
    let json = serde_json::to_value(StabilitySummary::from(&s)).unwrap();
    assert_eq!(json["kind"], "sources");
    assert_eq!(json["per_object"].as_array().unwrap().len(), 8);
}

#[test]
fn a_cancelled_run_gives_what_finished() {
    let data = toy::noisy(10, 2, 0.1, 8);
    let map = classical(&data, &Run::default()).unwrap().embedding;
    let seen = AtomicUsize::new(0);
    let watch = |s: &Step| {
        assert_eq!((s.phase, s.task.1), ("bootstrap", 40));
        seen.fetch_add(1, Ordering::Relaxed);
        if s.task.0 < 7 { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    };
    let run = Run::default().watched(&watch);
    let s = bootstrap(None, &data, &map, classical, Target::Data, 40, &run).unwrap();
    assert_eq!(s.stop, Stop::Cancelled);
    assert!((7..=8).contains(&s.replicates), "{}", s.replicates);
    assert!(seen.load(Ordering::Relaxed) >= 8);
    let never = |_: &Step| ControlFlow::Break(());
    let fits = |dim: usize, run: &Run<'_>| ClassicalMds::new(dim).fit_with(&data, run);
    let curve = stress_by_dimension(1..5, fits, &data, Target::Data, &Run::default().watched(&never));
    assert!(curve.map_or_else(|e| matches!(e, Error::Cancelled), |points| points.len() == 1));
}

#[test]
fn failing_fits_are_counted_and_only_failing_fits_are_an_error() {
    let data = toy::noisy(6, 2, 0.1, 8);
    let map = classical(&data, &Run::default()).unwrap().embedding;
    let calls = AtomicUsize::new(0);
    let broken = || Error::Numerical { what: "half of the fits".into() };
    let half = |d: &Distances, run: &Run<'_>| match calls.fetch_add(1, Ordering::Relaxed) % 2 {
        0 => Err(broken()),
        _ => classical(d, run),
    };
    let s = bootstrap(None, &data, &map, half, Target::Data, 10, &Run::default()).unwrap();
    assert_eq!((s.replicates, s.failed), (5, 5));
    assert!(s.failure.unwrap().contains("half of the fits"));
    let none = |_: &Distances, _: &Run<'_>| Err::<Fit<()>, _>(broken());
    assert!(bootstrap(None, &data, &map, none, Target::Data, 10, &Run::default()).is_err());
    assert!(bootstrap(None, &data, &map, classical, Target::Data, 0, &Run::default()).is_err());
    assert!(matches!(
        jackknife(&data.subset(&[0, 1]), classical, Target::Data, &Run::default()),
        Err(Error::TooFew { .. })
    ));
}

#[test]
fn stress_falls_to_nothing_at_the_dimension_of_the_data() {
    let data = toy::gaussian(12, 3, 5);
    let fits = |dim: usize, run: &Run<'_>| ClassicalMds::new(dim).fit_with(&data, run);
    let curve = stress_by_dimension(1..=4, fits, &data, Target::Data, &Run::default()).unwrap();
    assert_eq!(curve.iter().map(|p| p.dim).collect::<Vec<_>>(), [1, 2, 3, 4]);
    assert!(curve[0].stress1 > curve[1].stress1 && curve[1].stress1 > 0.01 && curve[2].stress1 < 1e-7);
}
