//! Small files that unpack to large ones, for every reader: refused with an estimate as soon as they are too large.

use std::io::Read as _;

use super::testing::{file, gz};
use super::*;
use crate::error::Error;
use crate::object::Objects;

const MEMORY: u64 = 1 << 22;

/// Whether the answer is that it needs more than it may have.
fn too_large<T: std::fmt::Debug>(name: &str, read: Result<T, Error>) {
    match read {
        Err(Error::Memory { needed, available, .. }) => {
            assert_eq!(available, MEMORY, "{name}");
            assert!(needed > available, "{name}");
        }
        other => panic!("{name}: {other:?}"),
    }
}

/// Different labels, one after the other.
fn labels(count: usize) -> impl Iterator<Item = String> {
    (0..count).map(|k| format!("object-{k:06}"))
}

/// A header may claim any number of columns, also of no rows.
#[test]
fn columns_that_only_the_header_has_are_refused() {
    for shape in ["(0, 4294967296)", "(1, 4294967296)", "(0, 1152921504606846976)", "(4294967296, 0)"] {
        let head = format!("{{'descr': '<f8', 'fortran_order': False, 'shape': {shape}, }}\n");
        let bytes = [b"\x93NUMPY\x01\x00", &(head.len() as u16).to_le_bytes()[..], head.as_bytes()].concat();
        for kind in ["triplets", "quadruplets", "odd-one-out", "choices", "ranks", "features", "matrix"] {
            let (_dir, source) = file("wide.npy", &bytes);
            let options = ReadOptions { kind: Some(kind.parse().unwrap()), ..ReadOptions::default() };
            match read_evidence(&source.within(MEMORY), &options) {
                Err(Error::Format { what, .. }) if shape.contains("0,") || shape.contains(", 0)") => {
                    assert!(what.contains("holds no numbers"), "{what}");
                }
                Err(Error::Format { what, .. }) if kind == "matrix" => assert!(what.contains("4294967296"), "{what}"),
                other => too_large(kind, other),
            }
        }
    }
}

#[test]
fn every_layout_of_evidence_is_held_to_its_memory() {
    let many = 160_000;
    let rows = |header: &str, row: &dyn Fn(&str) -> String| {
        header.to_owned() + &labels(many).map(|l| row(&l)).collect::<Vec<_>>().join("")
    };
    let again = |header: &str, row: &str| header.to_owned() + &row.repeat(800_000);
    for (kind, text) in [
        ("features", rows("id,length,width\n", &|l| format!("{l},1,2\n"))),
        ("rows", rows("id,a,b\n", &|l| format!("{l},1,2\n"))),
        ("long", again("from,to,value\n", "a,b,1\n")),
        ("triplets", again("head,near,far\n", "a,b,c\n")),
        ("quadruplets", again("a,b,c,d\n", "a,b,c,d\n")),
        ("odd-one-out", again("odd,other1,other2\n", "a,b,c\n")),
        ("ranks", again("head,rank1,rank2,rank3\n", "a,b,c,d\n")),
        ("pairs", again("from,to,label\n", "a,b,1\n")),
        ("classes", rows("object,class\n", &|l| format!("{l},x\n"))),
        ("sorts", rows("object,ann,bob\n", &|l| format!("{l},x,y\n"))),
        ("taxonomy", rows("parent,child\n", &|l| format!("root,{l}\n"))),
        ("paths", rows("", &|l| format!("all/{l}\n"))),
        ("newick", format!("({});", labels(many).collect::<Vec<_>>().join(","))),
        ("condensed", again("", "1.5\n")),
        ("lower", (0..1100).map(|k| vec!["0"; k + 1].join(",") + "\n").collect()),
        (
            "matrix",
            format!(",{}\nobject-000000{}\n", labels(60_000).collect::<Vec<_>>().join(","), ",0".repeat(60_000)),
        ),
    ] {
        let (_dir, source) = file("bomb.gz", &gz(text.as_bytes()));
        let options = ReadOptions { kind: Some(kind.parse().unwrap()), ..ReadOptions::default() };
        too_large(kind, read_evidence(&source.within(MEMORY), &options));
    }
}

#[test]
fn a_line_that_does_not_end_is_refused() {
    let within = |text: &str| file("line.gz", &gz(text.as_bytes()));
    for text in ["0,".repeat(1 << 23), "0 ".repeat(1 << 23)] {
        let (_dir, source) = within(&text);
        let source = source.within(MEMORY);
        too_large("evidence", read_evidence(&source, &ReadOptions::default()));
        too_large("map", read_map(&source, None));
        too_large("metadata", read_metadata(&source, &Objects::numbered(3)));
        too_large("rows", read_rows(&source, &ReadOptions::default()));
    }
    let (_dir, source) = within(&"(".repeat(1 << 23));
    too_large("tree", read_evidence(&source.within(MEMORY), &ReadOptions::default()));
    let (_dir, source) = within(&format!("a,b\n\"{}", "x\n".repeat(1 << 23)));
    too_large("quotation", read_metadata(&source.within(MEMORY), &Objects::numbered(3)));
}

#[test]
fn tables_beside_the_evidence_are_held_to_it_too() {
    let list = labels(160_000).collect::<Vec<_>>().join("\n");
    let (_dir, source) = file("objects.gz", &gz(list.as_bytes()));
    too_large("objects", read_objects(&source.within(MEMORY)));
    let map = labels(160_000).map(|l| format!("{l},1,2\n")).collect::<String>();
    let (_dir, source) = file("map.gz", &gz(format!("label,x,y\n{map}").as_bytes()));
    too_large("map", read_map(&source.within(MEMORY), None));
    let (_dir, source) = file("wide.gz", &gz(labels(4000).collect::<Vec<_>>().join(",").as_bytes()));
    too_large("metadata", read_metadata(&source.within(MEMORY), &Objects::numbered(1000)));
    for zeros in [
        gz(&vec![0; 1 << 23]),
        gz(&{
            let mut bytes = model::tests::bytes();
            bytes.resize(1 << 23, 0);
            bytes
        }),
    ] {
        let (_dir, source) = file("m.nearer", &zeros);
        let source = source.within(MEMORY);
        too_large("model", load_model(&source));
        too_large("certificate", load_certificate(&source));
    }
}

#[test]
fn the_estimate_is_for_the_whole_file() {
    let text = "a,b,1\n".repeat(1 << 20);
    let (_dir, source) = file("long.csv", format!("from,to,value\n{text}").as_bytes());
    match read_evidence(&source.within(MEMORY), &ReadOptions::default()) {
        // 2^20 measurements of 40 bytes each.
        Err(Error::Memory { needed, .. }) => assert!((20 << 20..60 << 20).contains(&needed), "{needed}"),
        other => panic!("{other:?}"),
    }
}

#[test]
fn what_fits_is_read() {
    let (_dir, source) = file("d.csv.gz", &gz(b"label,a,b\na,0,1\nb,1,0\n"));
    let source = source.within(MEMORY);
    assert!(read_evidence(&source, &ReadOptions::default()).is_ok());
    let mut all = Vec::new();
    source::open(&source).unwrap().read_to_end(&mut all).unwrap();
    assert_eq!(all.len(), 22);
}

/// A table of many columns is nothing but its first lines, and each of its names is held in several places: it is refused before they are
/// made, and not when all is there.
#[test]
fn many_columns_are_counted_before_they_are_held() {
    const COLUMNS: usize = 60_000;
    let line = |first: &str, of: &dyn Fn(usize) -> String| {
        (0..COLUMNS).fold(first.to_string(), |all, k| all + "," + &of(k)) + "\n"
    };
    let rows: String = (0..3).map(|i| line(&format!("o{i}"), &|k| ((7 * k + i) % 10).to_string())).collect();
    let text = line("label", &|k| format!("c{k}")) + &rows;
    let within = |memory: u64| {
        let (_dir, source) = file("wide.csv", text.as_bytes());
        let source = source.within(memory);
        let options = ReadOptions { kind: Some(FileKind::Features), ..ReadOptions::default() };
        (read_evidence(&source, &options).map(drop), read_table(&source).map(drop))
    };
    let (features, table) = within(20 << 20);
    for (read, what) in [(features, "the fields of the first lines"), (table, "the columns")] {
        let e = read.unwrap_err();
        assert!(matches!(e, Error::Memory { .. }) && e.to_string().contains(what), "{e}");
    }
    let (features, table) = within(64 << 20);
    assert!(features.is_ok() && table.is_ok());
}

/// As many columns as there are objects shown in a trial: each is looked for once.
#[test]
fn many_numbered_columns_are_recognised_in_a_moment() {
    let n = 60_000;
    let header = (0..n).fold(String::from("head"), |all, k| all + &format!(",shown{k}"));
    let row = (0..n).fold(String::from("x"), |all, k| all + &format!(",o{k}"));
    let started = std::time::Instant::now();
    let (_dir, source) = file("t.csv", format!("{header}\n{row}\n").as_bytes());
    let _ = read_evidence(&source, &ReadOptions::default());
    assert!(started.elapsed() < std::time::Duration::from_secs(20));
}
