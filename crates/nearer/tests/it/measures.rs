//! Every measure and standardising against SciPy, vegan and cluster, and what must not change an answer.

use nearer::Objects;
use nearer::evidence::{Measure, Prepared, Standardise, Table, TableColumn};
use nearer::io::{Format, write_distances};
use serde_json::Value;

use crate::golden::{cases, numbers};

/// Rows of numbers as a table; `null` is a cell that is missing.
fn table(rows: &Value) -> Table {
    let rows: Vec<Vec<Option<f64>>> =
        rows.as_array().unwrap().iter().map(|r| r.as_array().unwrap().iter().map(Value::as_f64).collect()).collect();
    let column = |k: usize| TableColumn::numbers(format!("c{k}"), rows.iter().map(|r| r[k]).collect::<Vec<_>>());
    Table::new(Objects::numbered(rows.len()), (0..rows[0].len()).map(column).collect()).unwrap()
}

#[track_caller]
fn same(name: &str, found: &[f64], wanted: &[f64]) {
    assert_eq!(found.len(), wanted.len(), "{name}");
    for (k, (f, w)) in found.iter().zip(wanted).enumerate() {
        assert!((f - w).abs() <= 1e-12 * w.abs().max(1.0), "{name}, pair {k}: {f}, wanted {w}");
    }
}

#[test]
fn measures_are_those_of_scipy() {
    let golden: Value = serde_json::from_str(include_str!("../golden/tables_scipy.json")).unwrap();
    for case in golden["cases"].as_array().unwrap() {
        let name = case["name"].as_str().unwrap();
        let table = table(&golden[case["table"].as_str().unwrap()]);
        let d = name.parse::<Measure>().unwrap().of(&table).unwrap().distances().unwrap();
        same(name, d.condensed(), &numbers(&case["values"]));
    }
}

#[test]
fn measures_and_standardisings_are_those_of_vegan_and_cluster() {
    let golden = cases(include_str!("../golden/tables_r.json"));
    let words = |v: &Value| -> Vec<Option<String>> {
        v.as_array().unwrap().iter().map(|w| w.as_str().map(str::to_owned)).collect()
    };
    let gaps = |v: &Value| -> Vec<Option<f64>> { v.as_array().unwrap().iter().map(Value::as_f64).collect() };
    for case in &golden {
        let name = case["name"].as_str().unwrap_or_default();
        match case["what"].as_str().unwrap() {
            "measure" => {
                let table = table(&golden[0][case["table"].as_str().unwrap()]);
                let d = name.parse::<Measure>().unwrap().of(&table).unwrap().distances().unwrap();
                same(name, d.condensed(), &numbers(&case["values"]));
            }
            "standardise" => {
                // Distances of the standardised table, since the table itself is nobody's business.
                let by: Standardise = name.parse().unwrap();
                let found = Prepared::new(Measure::Manhattan, &[by], &table(&golden[0]["counts"]), None).unwrap();
                let wanted = Measure::Manhattan.of(&table(&case["values"])).unwrap();
                same(name, found.distances().unwrap().condensed(), wanted.distances().unwrap().condensed());
            }
            "daisy" => {
                let columns = vec![
                    TableColumn::numbers("a", gaps(&case["a"])),
                    TableColumn::numbers("b", gaps(&case["b"])),
                    TableColumn::words("c", words(&case["c"])),
                    TableColumn::words("d", words(&case["d"])),
                ];
                let table = Table::new(Objects::numbered(6), columns).unwrap();
                let d = Measure::Gower.of(&table).unwrap().distances().unwrap();
                same("daisy", d.condensed(), &numbers(&case["values"]));
            }
            _ => {}
        }
    }
}

#[test]
fn rows_written_in_pieces_are_the_distances_of_all() {
    let golden: Value = serde_json::from_str(include_str!("../golden/tables_scipy.json")).unwrap();
    for measure in ["bray-curtis", "gower", "jaccard", "chi-square"] {
        let prepared = measure.parse::<Measure>().unwrap().of(&table(&golden["counts"])).unwrap();
        let all = prepared.distances().unwrap();
        let mut csv = Vec::new();
        write_distances(&mut csv, &prepared, Format::Csv, &mut |_| {}).unwrap();
        let csv = String::from_utf8(csv).unwrap();
        for (i, line) in csv.lines().skip(1).enumerate() {
            for (j, field) in line.split(',').skip(1).enumerate().filter(|(j, _)| *j != i) {
                assert_eq!(field.parse::<f64>().unwrap(), all.between(i, j).unwrap(), "{measure} {i} {j}");
            }
        }
    }
}

#[test]
fn new_rows_are_standardised_as_the_old_ones() {
    let golden: Value = serde_json::from_str(include_str!("../golden/tables_scipy.json")).unwrap();
    let all = table(&golden["numbers"]);
    for measure in [Measure::StandardisedEuclidean, Measure::Gower, Measure::Correlation] {
        // Old objects as new ones have the distances that they have.
        let rows = Prepared::new(measure, &[], &all, Some(&all)).unwrap().rows(0..all.len()).unwrap();
        let d = measure.of(&all).unwrap().distances().unwrap();
        for i in 0..all.len() {
            for j in (0..all.len()).filter(|j| *j != i) {
                assert!((rows[(i, j)] - d.between(i, j).unwrap()).abs() < 1e-14);
            }
        }
    }
}

#[test]
fn what_a_measure_cannot_take_is_refused_by_place() {
    let column = |name: &str, v: [f64; 3]| TableColumn::numbers(name, v.map(Some));
    let of = |measure: &str, columns: Vec<TableColumn>| {
        let table = Table::new(Objects::new(["ant", "bee", "cod"]).unwrap(), columns).unwrap();
        measure.parse::<Measure>().unwrap().of(&table).and_then(|p| p.distances()).unwrap_err().to_string()
    };
    let zero = || column("a", [1.0, 0.0, 0.0]);
    for (found, words) in [
        (of("bray", vec![column("legs", [6.0, -1.0, 0.0])]), vec!["`legs` of `bee` is -1", "bray-curtis"]),
        (of("bray", vec![zero()]), vec!["`bee` and `cod`", "0/0"]),
        (of("hellinger", vec![zero()]), vec!["`bee` is empty"]),
        (of("aitchison", vec![column("a", [1.0, 2.0, 3.0]), zero()]), vec!["`bee` has a 0", "aitchison:0.5"]),
        (of("morisita", vec![column("a", [1.0, 2.5, 3.0])]), vec!["2.5", "counts", "horn"]),
        (of("mahalanobis", vec![zero(), zero()]), vec!["cannot be inverted"]),
        (
            of("euclidean", vec![TableColumn::words("home", ["x", "y", "z"].map(Some))]),
            vec!["`home` holds words", "gower"],
        ),
        (of("cosine", vec![TableColumn::numbers("a", [Some(1.0), None, Some(2.0)])]), vec!["`a` of `bee` is missing"]),
    ] {
        assert!(words.iter().all(|w| found.contains(w)), "{found}");
    }
}
