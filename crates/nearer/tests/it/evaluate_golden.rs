//! Figures of merit against scikit-learn, SciPy and NumPy.

use crate::golden::{all_close, cases, close, map, number, numbers};
use nearer::evaluate::{StressReport, Target, Ties, compare, neighbourhood, stress};
use nearer::evidence::Repeats;
use nearer::method::{ClassicalMds, MetricMds, NonmetricMds};
use nearer::{Bound, Distances, Embed, Objects, toy};
use serde_json::Value;

#[test]
fn neighbourhoods_are_scikit_learns() {
    for case in cases(include_str!("../golden/neighbourhood.json")) {
        let map = map(&case["map"]);
        let data = Distances::from_condensed(Objects::numbered(map.len()), numbers(&case["data"])).unwrap();
        let kept = neighbourhood(&data, &map, number(&case, "k") as usize).unwrap();
        close(kept.trustworthiness, number(&case, "trustworthiness"), 1e-14);
        close(kept.continuity, number(&case, "continuity"), 1e-14);
        close(kept.overlap, number(&case, "overlap"), 1e-14);
    }
}

#[test]
fn procrustes_is_scipys() {
    for case in cases(include_str!("../golden/procrustes.json")) {
        let (a, b) = (map(&case["a"]), map(&case["b"]));
        let wanted = number(&case, "disparity");
        let c = compare(&a, &b, true).unwrap();
        close(c.disparity, wanted, 1e-13);
        close(compare(&b, &a, true).unwrap().disparity, wanted, 1e-13);
        close(c.correlation, (1.0 - wanted).sqrt(), 1e-13);
        let rigid = compare(&a, &b, false).unwrap();
        close(rigid.disparity, number(&case, "rigid"), 1e-10);
        close(rigid.correlation, c.correlation, 1e-13);
        let left: f64 = rigid.residuals.iter().map(|r| r * r).sum();
        close((left / a.len() as f64).sqrt(), rigid.rmse, 1e-13);
    }
}

#[test]
fn isotonic_regression_is_scikit_learns() {
    for case in cases(include_str!("../golden/isotonic.json")) {
        let (mut values, weights) = (numbers(&case["values"]), numbers(&case["weights"]));
        nearer_num::isotonic::increasing(&mut values, Some(&weights));
        all_close(&values, &numbers(&case["fitted"]), 1e-13);
    }
}

fn agrees(found: &StressReport, wanted: &Value, tolerance: f64) {
    close(found.stress1, number(wanted, "stress1"), tolerance);
    all_close(&found.per_object, &numbers(&wanted["per_object"]), 100.0 * tolerance);
}

#[test]
fn stress_is_what_numpy_makes_of_the_definition() {
    for case in cases(include_str!("../golden/stress.json")) {
        let map = map(&case["map"]);
        let data = |bounds: Option<Vec<Bound>>| {
            let (values, weights) = (numbers(&case["data"]), numbers(&case["weights"]));
            let objects = Objects::numbered(map.len());
            Distances::from_parts(objects, values, Some(weights), bounds, Repeats::default()).unwrap()
        };
        let exact = data(None);
        let found = stress(&map, &exact, Target::Data).unwrap();
        agrees(&found, &case["multiple"], 1e-7);
        close(found.scale, number(&case, "scale"), 1e-6);
        close(found.raw, number(&case, "raw"), 1e-9);
        close(found.normalized, number(&case, "raw_normalized"), 1e-13);
        assert_eq!(found.pairs, exact.pairs() - exact.missing());

        for (ties, name) in [(Ties::Primary, "primary"), (Ties::Secondary, "secondary"), (Ties::Tertiary, "tertiary")] {
            let found = stress(&map, &exact, Target::Ordinal(ties)).unwrap();
            agrees(&found, &case[name], 1e-12);
            close(found.normalized, number(&case[name], "normalized"), 1e-13);
        }

        let bounds = numbers(&case["bounds"]).into_iter().map(|b| match b {
            b if b < 0.0 => Bound::AtMost,
            b if b > 0.0 => Bound::AtLeast,
            _ => Bound::Exact,
        });
        let found = stress(&map, &data(Some(bounds.collect())), Target::Data).unwrap();
        agrees(&found, &case["bounded"], 1e-7);
        close(found.scale, number(&case, "bounded_scale"), 1e-6);
        close(found.raw, number(&case, "bounded_raw"), 1e-9);
    }
}

/// Two ways to one number: what a fit says of itself, and what is computed from its map and the data alone.
#[test]
fn stress_is_what_the_fits_say() {
    let data = toy::cities();
    let c = ClassicalMds::new(2).fit(&data).unwrap();
    close(stress(&c.embedding, &data, Target::Data).unwrap().stress1, c.report.stress1.unwrap(), 1e-9);
    let m = MetricMds::new(2).fit(&data).unwrap();
    let found = stress(&m.embedding, &data, Target::Data).unwrap();
    close(found.stress1, m.report.stress1.unwrap(), 1e-9);
    close(found.raw / m.report.objective, 1.0, 1e-9);
    // At the minimum of raw stress the two normalisations are one.
    close(found.normalized, found.stress1.powi(2), 1e-6);
    for ties in [Ties::Primary, Ties::Secondary, Ties::Tertiary] {
        let o = NonmetricMds::new(2).ties(ties).fit(&data).unwrap();
        close(stress(&o.embedding, &data, Target::Ordinal(ties)).unwrap().stress1, o.report.stress1.unwrap(), 1e-9);
        if ties == Ties::Secondary {
            let own = stress(&o.embedding, &data, Target::Transform(o.model.transform())).unwrap();
            close(own.stress1, o.report.stress1.unwrap(), 1e-9);
        }
    }
}
