//! Tables from parquet: what pyarrow and pandas wrote is read as the same table in csv is, and what is damaged is refused.

#![allow(clippy::unwrap_used)] // a test that cannot unwrap has failed

use std::path::PathBuf;

use nearer::Evidence;
use nearer::evidence::{Distances, Measure};
use nearer::io::{Measuring, ReadOptions, Source, read_evidence, read_metadata, read_table};

fn golden(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/golden/parquet").join(name)
}

fn bytes(name: &str) -> Vec<u8> {
    std::fs::read(golden(name)).unwrap()
}

fn error(source: Source) -> String {
    read_evidence(&source, &ReadOptions::default()).unwrap_err().to_string()
}

#[test]
fn every_kind_of_column_reads_as_it_does_from_csv() {
    let ours = read_table(&golden("mixed.parquet").into()).unwrap();
    let csv = read_table(&golden("mixed.csv").into()).unwrap();
    assert_eq!(ours.table.objects(), csv.table.objects());
    assert_eq!(ours.table.columns().len(), 11);
    for (a, b) in ours.table.columns().iter().zip(csv.table.columns()) {
        assert_eq!((a.name(), a.is_numbers()), (b.name(), b.is_numbers()));
        assert_eq!(format!("{a:?}"), format!("{b:?}"), "{}", a.name());
    }
    assert_eq!(ours.table.missing(), csv.table.missing());
    assert!(ours.assumptions.iter().any(|a| a.contains("parquet")), "{:?}", ours.assumptions);
    assert!(!ours.assumptions.iter().any(|a| a.contains("commas")), "{:?}", ours.assumptions);
}

#[test]
fn a_gap_is_a_gap_and_rows_can_be_chosen() {
    let source = Source::from(golden("mixed.parquet")).only(vec!["site=sea".parse().unwrap()]);
    let table = read_table(&source).unwrap().table;
    assert_eq!(table.objects().labels(), ["a \"cod\"", "dog;cat", "gnu é"]);
    let measure = Measuring { take: vec!["x".into(), "whole".into()], ..Measure::Gower.into() };
    let options = ReadOptions { measure: Some(measure), ..ReadOptions::default() };
    let Evidence::Distances(d) = read_evidence(&source, &options).unwrap().evidence else { panic!() };
    assert_eq!(d.len(), 3);
}

#[test]
fn names_of_rows_that_pandas_puts_last_are_labels() {
    let table = read_table(&golden("indexed.parquet").into()).unwrap().table;
    assert_eq!(table.objects().labels(), ["ant", "bee", "cod"]);
    let names: Vec<&str> = table.columns().iter().map(|c| c.name()).collect();
    assert_eq!((names, table.missing()), (vec!["legs", "wings"], 1));
    let (metadata, _) = read_metadata(&golden("indexed.parquet").into(), table.objects()).unwrap();
    assert_eq!(metadata.column("legs").unwrap().numbers().unwrap(), [Some(6.0), Some(6.0), Some(0.0)]);
    assert_eq!(metadata.column("wings").unwrap().numbers().unwrap(), [Some(0.0), Some(4.0), None]);
}

#[test]
fn rows_that_pandas_only_counts_keep_their_numbers() {
    let table = read_table(&golden("counted.parquet").into()).unwrap().table;
    assert_eq!(table.objects().labels(), ["10", "12", "14"]);
    assert_eq!(table.columns().iter().map(|c| c.name()).collect::<Vec<_>>(), ["legs", "wings"]);
}

#[test]
fn distances_in_long_form_and_other_encodings() {
    let long = |source: Source| -> Distances {
        let Evidence::Distances(d) = read_evidence(&source, &ReadOptions::default()).unwrap().evidence else {
            panic!()
        };
        d
    };
    // 3-4-5 and its double.
    let d = long(golden("long.parquet").into());
    assert_eq!(d.condensed(), [5.0, 10.0, 5.0]);
    assert_eq!([0, 1, 2].map(|k| d.weight_at(k)), [1.0, 2.0, 1.0]);
    // Whatever the file is called, and where it has no name.
    assert_eq!(long(Source::of_bytes("d", bytes("long.parquet"))).condensed(), d.condensed());
}

#[test]
fn what_cannot_be_read_is_named() {
    let e = error(golden("list.parquet").into());
    assert!(e.contains("`values.list.element`") && e.contains("several values") && e.contains("list.parquet"), "{e}");
    let e = error(golden("brotli.parquet").into());
    assert!(e.contains("brotli") && e.contains("snappy"), "{e}");
    let whole = bytes("mixed.parquet");
    let e = error(Source::of_bytes("cut.parquet", whole[..whole.len() - 9].to_vec()));
    assert!(e.contains("cut off or damaged") && e.contains("cut.parquet"), "{e}");
    let e = error(Source::of_bytes("bare.parquet", b"PAR1".to_vec()));
    assert!(e.contains("cut off or damaged"), "{e}");
}

#[test]
fn a_page_that_would_not_fit_is_refused_before_it_is_unpacked() {
    // Some kilobytes that hold a page of 48 megabytes.
    let small = Source::from(golden("zeros.parquet")).within(40 << 20);
    let e = read_table(&small).unwrap_err().to_string();
    assert!(e.contains("unpacked") && e.contains("40.0 MiB"), "{e}");
    let enough = Source::from(golden("zeros.parquet")).within(1 << 30);
    assert_eq!(read_table(&enough).unwrap().table.len(), 2);
}

#[test]
fn damage_is_an_error_and_never_the_end() {
    // The decoder itself panics on some of them (24 of 4,500), which is caught: every file ends as a table or as an error that names it.
    let mut state = 7_u64;
    let mut below = |n: usize| {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (state >> 33) as usize % n
    };
    let (mut read, mut refused) = (0, 0);
    for name in ["mixed.parquet", "indexed.parquet", "long.parquet"] {
        let whole = bytes(name);
        for _ in 0..1500 {
            let mut broken = whole.clone();
            for _ in 0..=below(3) {
                let at = 4 + below(broken.len() - 4);
                broken[at] = [broken[at] ^ 1 << below(8), 0, 0xff, below(256) as u8][below(4)];
            }
            match read_table(&Source::of_bytes("broken.parquet", broken).within(1 << 28)) {
                Ok(_) => read += 1,
                Err(e) => {
                    assert!(e.to_string().contains("broken.parquet"), "{e}");
                    refused += 1;
                }
            }
        }
    }
    assert!(read > 100 && refused > 1000, "{read} read, {refused} refused");
}
