//! Tests between groups, arrows and the agreement of two maps, against vegan.

use nearer::evaluate::{self, Centre};
use nearer::evidence::{Measure, Table, TableColumn};
use nearer::metadata::Column;
use nearer::{Objects, Run};
use serde_json::Value;

use crate::golden::{cases, close, map, number, numbers};

fn column(name: &str, values: &Value) -> Column {
    let text = |v: &Value| v.as_str().map_or_else(|| v.as_f64().map(|x| format!("{x:?}")), |s| Some(s.to_owned()));
    Column { name: name.into(), values: values.as_array().unwrap().iter().map(text).collect() }
}

fn case<'a>(all: &'a [Value], what: &str) -> &'a Value {
    all.iter().find(|c| c["what"] == what).unwrap()
}

/// Two estimates of one p from 9,999 shuffles each.
#[track_caller]
fn same_p(found: f64, wanted: f64) {
    let sd = (2.0 * wanted * (1.0 - wanted) / 9999.0).sqrt();
    close(found, wanted, 4.0 * sd + 2e-4);
}

#[test]
fn groups_are_tested_as_vegan_tests_them() {
    let golden = cases(include_str!("../golden/tables_r.json"));
    let rows: Vec<Vec<f64>> = golden[0]["counts"].as_array().unwrap().iter().map(numbers).collect();
    let numbers_of = |k: usize| TableColumn::numbers(k.to_string(), rows.iter().map(|r| Some(r[k])));
    let table = Table::new(Objects::numbered(rows.len()), (0..rows[0].len()).map(numbers_of).collect()).unwrap();
    let d = Measure::BrayCurtis.of(&table).unwrap().distances().unwrap();
    let by = column("site", &golden[0]["groups"]);
    let wanted = case(&golden, "groups");
    let tests = evaluate::groups(&d, &by, Centre::Median, 9999, &Run::seeded(3)).unwrap();
    close(tests.permanova.f, number(wanted, "f"), 1e-12);
    close(tests.permanova.r2, number(wanted, "r2"), 1e-12);
    close(tests.anosim.r, number(wanted, "anosim"), 1e-12);
    // vegan finds its spatial medians by a search that ends at some 1e-6.
    close(tests.dispersion.f, number(wanted, "median_f"), 1e-4);
    same_p(tests.permanova.p, number(wanted, "p"));
    same_p(tests.anosim.p, number(wanted, "anosim_p"));
    same_p(tests.dispersion.p, number(wanted, "median_p"));
    let centroid = evaluate::groups(&d, &by, Centre::Centroid, 9999, &Run::seeded(3)).unwrap();
    close(centroid.dispersion.f, number(wanted, "centroid_f"), 1e-9);
    same_p(centroid.dispersion.p, number(wanted, "centroid_p"));
    let own = numbers(&wanted["centroid"]);
    let of_a: Vec<f64> = own[..5].to_vec();
    close(centroid.groups[0].spread, of_a.iter().sum::<f64>() / 5.0, 1e-9);
    // The same shuffles on any number of threads.
    let alone = evaluate::groups(&d, &by, Centre::Median, 999, &Run::seeded(3).threads(1)).unwrap();
    assert_eq!(alone, evaluate::groups(&d, &by, Centre::Median, 999, &Run::seeded(3).threads(2)).unwrap());
}

#[test]
fn arrows_are_those_of_envfit() {
    let golden = cases(include_str!("../golden/tables_r.json"));
    let wanted = case(&golden, "arrows");
    let map = map(&wanted["map"]);
    let columns = ["depth", "salt"].map(|name| column(name, &wanted[name]));
    let found = evaluate::arrows(&map, &columns.each_ref(), 9999, &Run::seeded(1)).unwrap();
    for (k, arrow) in found.iter().enumerate() {
        close(arrow.r2, numbers(&wanted["r2"])[k], 1e-12);
        same_p(arrow.p, numbers(&wanted["p"])[k]);
        let direction = numbers(&wanted["arrows"][k]);
        close(arrow.direction[0], direction[0], 1e-12);
        close(arrow.direction[1], direction[1], 1e-12);
    }
}

#[test]
fn two_maps_agree_as_protest_says() {
    let golden = cases(include_str!("../golden/tables_r.json"));
    let wanted = case(&golden, "two maps");
    let (a, b) = (map(&wanted["map"]), map(&wanted["other"]));
    let c = evaluate::compare(&a, &b, true).unwrap();
    close(c.correlation, number(wanted, "r"), 1e-12);
    same_p(c.by_chance(&a, 9999, &Run::seeded(2)).unwrap(), number(wanted, "p"));
}
