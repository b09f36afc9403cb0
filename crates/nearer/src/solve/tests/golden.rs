//! Small instances of every convex program against Clarabel and SCS (`tests/golden/gram_programs.json`).

use crate::Run;
use crate::program::{GramProgram, Sense, Stretch};
use crate::solve::{Goal, GramIpm, LowRank, Solver};
use serde_json::Value;

use super::instances::{self, Shape};
use super::json::{cases, number};

#[test]
fn the_interior_point_method_reaches_the_optima_of_other_solvers() {
    compare(&GramIpm::new(), 1e-8);
}

#[test]
fn the_low_rank_engine_reaches_the_optima_of_other_solvers() {
    compare(&LowRank, 5e-7);
}

fn compare(solver: &dyn Solver, gap: f64) {
    let all = cases(include_str!("../../../tests/golden/gram_programs.json"));
    let mut wrong = Vec::new();
    for case in &all {
        let Some(program) = made(case) else { continue };
        assert!(solver.takes(&program));
        let solved = solver.solve(&program, None, &Goal { gap, ..Goal::default() }, &Run::seeded(1)).unwrap();
        let c = &solved.certificate;
        let (optimum, allowed) = (number(case, "optimum"), tolerance(case, &program));
        let (above, below) = match c.sense {
            Sense::Minimise => (c.primal - optimum, optimum - c.bound()),
            Sense::Maximise => (optimum - c.primal, c.bound() - optimum),
        };
        // Reached from both sides; and neither side passes the optimum by more than the other solver is off.
        if !(above.abs() <= allowed && below.abs() <= allowed) || c.gap() > 2e-6 {
            wrong.push(format!(
                "{}: {} and {}, gap {:.1e} ({})",
                said(case),
                c.primal,
                c.bound(),
                c.gap(),
                solved.stop
            ));
        }
    }
    assert!(wrong.is_empty(), "{} of {}\n{}", wrong.len(), all.len(), wrong.join("\n"));
}

/// A millionth of the optimum, or of a ten-thousandth of the program's natural size where the optimum is nothing.
fn tolerance(case: &Value, program: &GramProgram) -> f64 {
    1e-6 * number(case, "optimum").abs().max(1e-4 * program.scale())
}

fn said(case: &Value) -> String {
    let mut map = case.as_object().unwrap().clone();
    map.retain(|k, v| !v.is_null() && !matches!(k.as_str(), "solver" | "off" | "second" | "second_solver"));
    Value::from(map).to_string()
}

/// The program of a case; `None` where neighbours in one place have to be merged first, as the method does.
fn made(case: &Value) -> Option<GramProgram> {
    let whole = |key: &str| case[key].as_u64().unwrap_or_else(|| panic!("no whole number `{key}`"));
    let (seed, n, shape) = (whole("seed"), whole("n") as usize, Shape::named(case["shape"].as_str().unwrap()));
    let made = match case["program"].as_str().unwrap() {
        "gnmds" => instances::gnmds(seed, n, whole("rows") as usize, number(case, "slack"), shape),
        "psde" => instances::psde(seed, n, whole("k") as usize, case["slack"].as_f64(), shape),
        "partial-order" => {
            instances::partial_order(seed, n, whole("rows") as usize, shape, |_, _| number(case, "bound"))
        }
        "mvu" => {
            let how = match case["how"].as_str().unwrap() {
                "at-most" => Stretch::AtMost,
                "soft" => Stretch::Soft(number(case, "weight")),
                "penalised" => Stretch::Penalised(number(case, "weight")),
                other => panic!("no way to unfold `{other}`"),
            };
            instances::mvu(seed, n, whole("k") as usize, how, shape)
        }
        "robust" => instances::robust(seed, n, number(case, "missing"), number(case, "outliers"), shape),
        other => panic!("no program `{other}`"),
    };
    match made {
        Err(e) if e.to_string().contains("merge them") => {
            assert_eq!(case["shape"], "duplicates", "{}", said(case));
            None
        }
        made => Some(made.unwrap()),
    }
}
