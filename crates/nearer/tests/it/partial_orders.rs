//! Partial orders below the closed form, against an outside solver, known infeasibility, and the slow path in a thousand small instances.

use nearer::evidence::{Comparison, Comparisons, Evidence};
use nearer::graph::{ConstraintGraph, Margins};
use nearer::method::PartialOrder;
use nearer::{Embed, Error, Item, Objects, Pair, toy, verify};
use nearer_num::rng::Rng;
use serde_json::Value;

use crate::golden::{cases, close, number};

fn pair(a: usize, b: usize) -> Pair {
    Pair::new(Item(a as u32), Item(b as u32)).unwrap()
}

/// Answers about points with whole coordinates, which `golden/partial_orders.py` makes as well.
fn planted(case: &Value) -> Comparisons {
    let count = |name: &str| case[name].as_u64().unwrap() as usize;
    let (n, rows) = (count("n"), count("asked"));
    let at = |i: usize| ((7919 * i) % 101, (104_729 * i) % 103);
    let far = |i: usize, j: usize| {
        let ((a, b), (c, d)) = (at(i), at(j));
        a.abs_diff(c).pow(2) + b.abs_diff(d).pow(2)
    };
    let mut seen = std::collections::HashSet::new();
    let mut list = Vec::new();
    for t in 0..rows {
        let (head, a, b) = ((37 * t + t / n) % n, (61 * t + 5 + t / 7) % n, (97 * t + 11 + t / 13) % n);
        if head == a || head == b || a == b || far(head, a) == far(head, b) {
            continue;
        }
        let (near, other) = if far(head, a) < far(head, b) { (a, b) } else { (b, a) };
        if seen.insert((pair(head, near), pair(head, other))) {
            list.push(Comparison::new(pair(head, near), pair(head, other)));
        }
    }
    assert_eq!(list.len(), count("rows"));
    Comparisons::new(Objects::numbered(n), list).unwrap()
}

/// One of the cases.
fn case(k: usize) -> Value {
    cases(include_str!("../golden/partial_orders.json")).swap_remove(k)
}

#[test]
fn values_and_smallest_bounds_are_those_of_clarabel() {
    for case in cases(include_str!("../golden/partial_orders.json")) {
        let c = &planted(&case);
        let off = |case: &Value| if case["status"] == "optimal" { 1e-6 } else { 1e-5 };
        let (closed, smallest) = (number(&case, "closed"), number(&case, "smallest"));
        let fit = PartialOrder::new(2).smallest(true).gap(1e-6).fit(c).unwrap();
        let figure = |name: &str| fit.report.figures[name].number().unwrap();
        close(figure("closed-form-from"), closed, 1e-8 * closed);
        let (from, never) = (figure("order-fits-from"), figure("order-never-fits-below"));
        let near = off(&case);
        assert!(never <= smallest * (1.0 + near) && from >= smallest * (1.0 - near), "{never} {smallest} {from}");
        assert!(never <= from && from - never <= 1e-6 * from, "{never} {from}");
        for at in case["bounds"].as_array().unwrap() {
            let (bound, value) = (number(at, "bound"), number(at, "value"));
            let fit = PartialOrder::new(2).bound(bound).gap(1e-6).fit(c).unwrap().certified(1e-6).unwrap();
            let certificate = fit.report.certificate.as_ref().unwrap();
            close(certificate.primal, value, off(at) * value);
            assert!(certificate.violation == 0.0 && certificate.primal <= certificate.bound(), "{certificate:?}");
        }
        // Just below the smallest bound there is no map, which is proved by the one way or the other.
        for share in [0.97, 0.995, 0.9999] {
            let e = PartialOrder::new(2).bound(share * smallest).fit(c).unwrap_err().to_string();
            assert!(e.contains("no map keeps") && e.contains("is nearer to"), "{share}: {e}");
        }
    }
}

/// The least bound with its proof is a certificate, which the slow path accepts, and not with a bound that is larger.
#[test]
fn the_smallest_bound_is_proved_to_others() {
    let (c, smallest) = (planted(&case(1)), number(&case(1), "smallest"));
    let fit = PartialOrder::new(2).smallest_bound().fit(&c).unwrap().certified(1e-5).unwrap();
    let evidence = Evidence::Comparisons(c);
    let mut file = verify::certificate_of(&fit, &evidence).unwrap();
    let claim = &mut file.claim.certificate;
    assert!((claim.primal - smallest).abs() < 1e-4 && claim.bound() <= smallest * (1.0 + 1e-6), "{claim:?}");
    (claim.bound, claim.primal) = (claim.bound.map(|b| 1.01 * b), 1.01 * claim.primal);
    assert!(!verify::verify(&file, &evidence).unwrap().accepted);
}

/// Margins that grow with the depth are those of comparisons that have them already.
#[test]
fn margins_grow_with_the_depth() {
    let c = planted(&case(0));
    for margins in [Margins::Linear, Margins::Doubling] {
        let grown = margins.applied(&c, 0).unwrap();
        let one = PartialOrder::new(2).margins(margins).fit(&c).unwrap();
        let other = PartialOrder::new(2).fit(&grown).unwrap();
        assert_eq!(one.embedding, other.embedding);
        assert_ne!(one.embedding, PartialOrder::new(2).fit(&c).unwrap().embedding);
        let fit = PartialOrder::new(2).margins(margins).smallest_bound().fit(&c).unwrap();
        assert!(verify::certificate_of(&fit, &Evidence::Comparisons(c.clone())).is_ok());
    }
}

/// Whatever is printed is on the right side: a solution keeps every row as it stands in its own coordinates, lies below the sum of the
/// largest distances there could be, its certificate is accepted, and a bound that is refused lies below one that is proved.
#[test]
fn a_thousand_small_orders_are_told_the_truth() {
    let (mut solved, mut refused) = (0, 0);
    for seed in 0..1000 {
        let mut rng = Rng::task(seed, 41);
        let n = 4 + (seed % 4) as usize;
        let c = toy::answers(n, 1 + (seed % 3) as usize, 3 * n, 0.0, seed);
        let graph = ConstraintGraph::new(&c);
        let least = PartialOrder::new(1).smallest_bound().fit(&c).unwrap();
        let proved = least.report.certificate.as_ref().unwrap();
        let closed = least.report.figures["closed-form-from"].number().unwrap();
        assert!(proved.bound() <= proved.primal && proved.primal <= closed * (1.0 + 1e-5), "{seed}: {proved:?}");
        let bound = (0.8 + 0.4 * rng.uniform()) * (proved.primal + rng.uniform() * (closed - proved.primal));
        if bound <= graph.diameter().unwrap() {
            continue;
        }
        let evidence = Evidence::Comparisons(c.clone());
        match PartialOrder::new(1).bound(bound).fit(&c) {
            Ok(fit) => {
                solved += 1;
                let certificate = fit.report.certificate.as_ref().unwrap();
                assert!(
                    certificate.broken.is_none() && bound >= proved.bound() * (1.0 - 1e-6),
                    "{seed}: {certificate:?}"
                );
                assert!(certificate.primal <= certificate.bound() * (1.0 + 1e-9), "{seed}: {certificate:?}");
                assert!(verify::certificate_of(&fit, &evidence).is_ok(), "{seed}: {certificate:?}");
                let points = &fit.witness.as_ref().unwrap().points().unwrap().candidate.factors[0];
                let d = |p: Pair| {
                    let (a, b) = (points.row(p.first().index()), points.row(p.second().index()));
                    a.iter().zip(b).map(|(a, b)| (a - b) * (a - b)).sum::<f64>()
                };
                let worst = c.iter().map(|row| d(row.near) + row.margin - d(row.far)).fold(f64::MIN, f64::max);
                assert!(worst <= 1e-6 * bound, "{seed}: {worst}");
            }
            Err(Error::Evidence { what, .. }) => {
                refused += 1;
                assert!(what.contains("no map keeps") && bound < proved.primal, "{seed}: {what}");
            }
            Err(e) => panic!("{seed}: {e}"),
        }
    }
    assert!(solved > 300 && refused > 50, "{solved} {refused}");
}
