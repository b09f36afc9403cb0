//! The likelihood over Gram matrices: against CVXPY, against itself in a map, and certificates that cheat.

use nearer::method::{ConvexSte, Ste};
use nearer::{Comparison, Comparisons, Embed, Evidence, Item, Objects, Pair, toy, verify};
use serde_json::Value;

use crate::golden::{cases, number};

const OPTIMA: &str = include_str!("../golden/convex_ste.json");

fn comparisons(case: &Value) -> Comparisons {
    let pair = |a: &Value, b: &Value| Pair::new(Item(a.as_u64().unwrap() as u32), Item(b.as_u64().unwrap() as u32));
    let rows = case["comparisons"].as_array().unwrap().iter().zip(case["weights"].as_array().unwrap());
    let rows = rows.map(|(t, weight)| Comparison {
        weight: weight.as_f64().unwrap(),
        ..Comparison::new(pair(&t[0], &t[1]).unwrap(), pair(&t[2], &t[3]).unwrap())
    });
    Comparisons::new(Objects::numbered(case["objects"].as_u64().unwrap() as usize), rows.collect()).unwrap()
}

#[test]
fn optima_are_those_of_cvxpy_and_are_verified() {
    for case in cases(OPTIMA) {
        let (c, theirs) = (comparisons(&case), number(&case, "objective"));
        let fit = ConvexSte::new(2).trace(number(&case, "trace")).gap(1e-7).fit(&c).unwrap();
        let ours = fit.report.certificate.clone().unwrap();
        assert!((ours.primal - theirs).abs() < 1e-6 * theirs, "{ours} CVXPY {theirs}");
        assert!(ours.is_within(1e-6) && ours.bound() <= theirs * (1.0 + 1e-8), "{ours} CVXPY {theirs}");
        let evidence = Evidence::Comparisons(c);
        let mut file = verify::certificate_of(&fit, &evidence).unwrap();
        let verdict = verify::verify(&file, &evidence).unwrap();
        assert!(verdict.accepted, "{:?}", verdict.reasons);
        // A bound that is a little too good, and multipliers that do not prove it.
        file.claim.certificate.bound = file.claim.certificate.bound.map(|b| b * (1.0 + 1e-5));
        assert!(!verify::verify(&file, &evidence).unwrap().accepted);
        let mut file = verify::certificate_of(&fit, &evidence).unwrap();
        file.candidate.multipliers.iter_mut().for_each(|y| *y *= 0.9);
        assert!(!verify::verify(&file, &evidence).unwrap().accepted);
    }
}

/// No map is better than the bound: not the one of the descent with the same prior, in two dimensions or in many.
#[test]
fn no_map_passes_the_bound() {
    let c = toy::answers(25, 2, 1200, 0.1, 5);
    let fit = ConvexSte::new(2).trace(1.5).fit(&c).unwrap();
    let bound = fit.report.certificate.as_ref().unwrap().bound();
    for dim in [2, 3, 12] {
        let map = Ste::new(dim).precision(1.5).fit(&c).unwrap();
        assert!(map.report.objective >= bound, "{dim}: {} {bound}", map.report.objective);
    }
    let within = fit.report.refined.as_ref().unwrap().within.unwrap();
    let flat = Ste::new(2).precision(1.5).fit(&c).unwrap().report.objective;
    assert!((fit.report.objective - flat).abs() < 1e-3 * flat, "{} {flat} {within}", fit.report.objective);
}
