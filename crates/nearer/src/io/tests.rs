//! Files good and bad, end to end: every layout is read, and every fault is named with its place and remedy.

use proptest::prelude::*;

use crate::evidence::{Distances, Evidence, Similarity};
use crate::io::npy::tests::{by_hand, npy};
use crate::io::testing::{distances, file, gz, load, loaded_distances, refusal, refusal_within};
use crate::io::*;
use crate::object::Objects;

fn options() -> ReadOptions {
    ReadOptions::default()
}

fn of_kind(kind: FileKind) -> ReadOptions {
    ReadOptions { kind: Some(kind), ..options() }
}

/// The distances of a, b, c as every layout here has them: ab 1, ac 2, bc 3.
fn check(d: &Distances, text: &str) {
    assert_eq!(d.condensed(), [1.0, 2.0, 3.0], "{text}");
    assert!(d.is_plain(), "{text}");
}

#[test]
fn every_layout_of_labelled_text_says_the_same() {
    for text in [
        "label,a,b,c\na,0,1,2\nb,1,0,3\nc,2,3,0\n",
        ",a,b,c\na,0,1,2\nb,1,0,3\nc,2,3,0\n",
        "# lsmat\n#  more\n\ta\tb\tc\na\t0.0\t1.0\t2.0\nb\t1.0\t0.0\t3.0\nc\t2.0\t3.0\t0.0\n",
        "\"\",\"a\",\"b\",\"c\"\n\"a\",0,1,2\n\"b\",1,0,3\n\"c\",2,3,0\n",
        "\"a\" \"b\" \"c\"\n\"a\" 0 1 2\n\"b\" 1 0 3\n\"c\" 2 3 0\n",
        "  a b c\na 0 1 2\nb 1 0 3\nc 2 3 0\n",
        "\u{feff}label;a;b;c\r\na;0,0;1,0;2,0\r\nb;1,0;0,0;3,0\r\nc;2,0;3,0;0,0\r\n",
        "a,0,1,2\nb,1,0,3\nc,2,3,0\n",
        "a,b,c\n0,1,2\n1,0,3\n2,3,0\n",
        "a\nb,1\nc,2,3\n",
        "a,0\nb,1,0\nc,2,3,0\n",
        "label,a,b,c\na,0\nb,1,0\nc,2,3,0\n",
        "a,0,1,2\nb,0,3\nc,0\n",
        "a,1,2\nb,3\nc\n",
        "label,a,b,c\na,,,\nb,1,,\nc,2,3,\n",
        "label,a,b,c\na,0,1,2\nb,0,0,3\nc,0,0,0\n",
        "from,to,value\na,b,1\na,c,2\nb,c,3\n",
        "3\na 0 1 2\nb 1 0 3\nc 2 3 0\n",
    ] {
        let d = distances(text);
        check(&d, text);
        assert_eq!(d.objects().labels(), ["a", "b", "c"], "{text}");
        let zipped = loaded_distances(load("d.gz", gz(text.as_bytes()), &options()).unwrap());
        assert_eq!(zipped, d, "{text}");
    }
}

#[test]
fn every_layout_without_labels_says_the_same() {
    for text in [
        "0,1,2\n1,0,3\n2,3,0\n",
        "0 1 2\n1 0 3\n2 3 0",
        "0\n1,0\n2,3,0\n",
        "1\n2,3\n",
        "0,1,2\n0,3\n0\n",
        "1,2\n3\n",
        "1\n2\n3\n",
    ] {
        let d = distances(text);
        check(&d, text);
        assert_eq!(d.objects().labels(), ["1", "2", "3"], "{text}");
    }
    assert_eq!(distances("1,2,3,4,5,6\n").between(2, 3), Some(6.0));
}

#[test]
fn arrays_say_the_same_in_any_order_and_type() {
    let square: [f64; 9] = [0.0, 1.0, 2.0, 1.0, 0.0, 3.0, 2.0, 3.0, 0.0];
    let whole = square.map(|v| v as i32);
    let single = square.map(|v| v as f32);
    let (c, f) = (npyz::Order::C, npyz::Order::Fortran);
    for bytes in [
        npy(&[3, 3], c, &square),
        npy(&[3, 3], f, &square),
        npy(&[3, 3], c, &whole),
        npy(&[3, 3], c, &single),
        npy(&[3], c, &[1.0, 2.0, 3.0]),
        gz(&npy(&[3, 3], c, &square)),
    ] {
        check(&loaded_distances(load("d.npy", &bytes, &options()).unwrap()), "npy");
    }
    let big: Vec<u8> = square.iter().flat_map(|v| v.to_be_bytes()).collect();
    let header = "{'descr': '>f8', 'fortran_order': False, 'shape': (3, 3), }\n";
    check(&loaded_distances(load("d.npy", by_hand(header, &big), &options()).unwrap()), "big endian");
}

#[test]
fn assumptions_are_said() {
    let loaded = load("d.csv", "label;a;b;c\nb;1,5;0;NA\na;0;1,5;2\nc;2;;0\n", &options()).unwrap();
    let said = loaded.assumptions.join("\n");
    for words in ["semicolons", "decimal point", "first line", "label", "another order", "`NA`", "empty cells"] {
        assert!(said.contains(words), "{words} not in\n{said}");
    }
    let d = loaded_distances(loaded);
    assert_eq!((d.between(0, 1), d.between(0, 2), d.between(1, 2)), (Some(1.5), Some(2.0), None));
}

#[test]
fn a_label_may_be_na_or_a_number() {
    let d = distances(",NA,2\nNA,0,5\n2,5,0\n");
    assert_eq!((d.objects().labels(), d.between(0, 1)), (&["NA".to_string(), "2".to_string()][..], Some(5.0)));
}

#[test]
fn zeros_gaps_and_bounds_are_three_things() {
    let d = distances("label,a,b,c\na,0,0,<10\nb,0,0,NA\nc,<10,NA,0\n");
    assert_eq!((d.between(0, 1), d.missing(), d.censored()), (Some(0.0), 1, 1));
    assert_eq!(d.bounds().unwrap()[1], crate::Bound::AtMost);
}

#[test]
fn rectangles_are_objects_with_landmarks() {
    let text = "id,a,b\na,0,1\nb,1,0\nc,2,NA\nd,3,1\n";
    let loaded = load("d.csv", text, &options()).unwrap();
    assert_eq!(loaded.kind, FileKind::Rows);
    let Evidence::Rows(rows) = loaded.evidence else { panic!() };
    assert_eq!((rows.objects().len(), rows.to().labels()), (4, &["a", "b"].map(String::from)[..]));
    assert_eq!((rows.get(2, 0), rows.get(2, 1)), (Some(2.0), None));
    let loaded =
        load("d.npy", npy(&[4, 2], npyz::Order::Fortran, &[0., 1., 2., 3., 1., 0., 5., 6.]), &options()).unwrap();
    let Evidence::Rows(rows) = loaded.evidence else { panic!() };
    assert_eq!((rows.get(1, 0), rows.get(3, 1)), (Some(1.0), Some(6.0)));
    let many: String = (0..40).map(|k| format!("{}.5,{},{},7\n", k + 1, k + 2, k + 3)).collect();
    assert_eq!(load("d.csv", many, &options()).unwrap().kind, FileKind::Rows);
}

#[test]
fn similarities_become_distances_by_the_rule() {
    let similarity = |rule| ReadOptions { similarity: Some(rule), ..options() };
    let text = "label,a,b,c\na,1,0.75,0.5\nb,0.75,1,0\nc,0.5,0,1\n";
    let d = loaded_distances(load("s.csv", text, &similarity(Similarity::From(1.0))).unwrap());
    assert_eq!(d.condensed(), [0.25, 0.5, 1.0]);
    let d = loaded_distances(load("s.csv", text, &similarity(Similarity::Gram)).unwrap());
    assert_eq!(d.condensed()[1], 1.0);
    let dist = "label,a,b,c\na,0,7,5\nb,7,0,1\nc,5,1,0\n";
    let d = loaded_distances(load("s.csv", dist, &similarity(Similarity::FromMax)).unwrap());
    assert_eq!(d.condensed(), [0.0, 2.0, 6.0]);
    let e = refusal("s.csv", dist, &similarity(Similarity::From(5.0)));
    assert!(e.contains("similarity 7 of `a` and `b`") && e.contains("distance -2") && e.contains("5-s"), "{e}");
    let d = loaded_distances(load("s.csv", "a,1\nb,-0.5,1\n", &similarity(Similarity::From(1.0))).unwrap());
    assert_eq!(d.condensed(), [1.5]);
}

#[test]
fn what_is_wrong_is_named_with_place_and_remedy() {
    let table: &[(&str, &[&str])] = &[
        ("", &["empty", "give a file"]),
        ("\n\n# only comments\n", &["empty"]),
        ("label,a,b\n", &["header", "no row"]),
        ("from,to,value\n", &["header", "no row"]),
        (",a\na,0\n", &["1 object,", "2 are needed"]),
        ("0\n", &["1 object,"]),
        ("label,a,b\na,0,abc\nb,1,0\n", &["line 2, column 3", "`abc` is not a number", "leave the cell empty"]),
        ("label,a,b\na,0,1\nb,1\n", &["line 3", "1 values", "expected 2"]),
        ("label,a,b\na,0,1,9\nb,1,0\n", &["line 2", "3 values", "expected 2"]),
        ("label,a,a\na,0,1\na,1,0\n", &["line 1, column 3", "`a`", "own label"]),
        ("a,0,1\na,1,0\n", &["line 2", "`a`", "line 1"]),
        ("label,a,b\na,0,1\na,1,0\n", &["line 3", "`a`", "line 2"]),
        ("label,a,b\na,0,-1\nb,-1,0\n", &["line 2, column 3", "-1 is negative", "`similarity`"]),
        ("label,a,b\na,0,inf\nb,inf,0\n", &["line 2, column 3", "`inf` is not a finite number"]),
        ("label,a,b\na,0,1e999\nb,1,0\n", &["`1e999` is not a finite"]),
        ("label,a,b\na,1,0.5\nb,0.5,1\n", &["line 2, column 2", "diagonal entry of `a` is 1", "`similarity`"]),
        ("label,a,b\na,0,1\nb,2,0\n", &["line 3, column 2", "`a` to `b` is 1, and back it is 2", "triangle"]),
        ("label,a,b\na,,\nb,,\n", &["every distance is missing"]),
        ("from,to,value\na,b,NA\n", &["every distance is missing"]),
        ("from,to,value\na,a,3\na,b,1\n", &["line 2, column 3", "`a` is 3", "`similarity`"]),
        ("from,to,value\na,b\n", &["line 2", "2 fields", "needs 3"]),
        ("from,to,value,weight\na,b,1,x\n", &["line 2, column 4", "weight `x`"]),
        ("from,to,value\n,b,1\n", &["line 2, column 1", "label is empty"]),
        ("label,a,b,c\na,0,1,2\nb,1,0,3\n", &["2 rows of 3", "`c`", "`kind` rows"]),
        ("a\0b,1\n", &["NUL", "not text"]),
        ("label,x1,x2\na,0.5,1\nb,1,2\nc,2,2\n", &["coordinates (x1, x2)", "a map already", "`kind` rows"]),
        ("1,2,3\n1,3,4\n2,3,5\n", &["three columns of whole numbers", "`kind` long", "`kind` matrix"]),
        ("1\n2\n3\n4\n", &["4 values", "1, 3, 6, 10"]),
        ("a\nb,1\nc,2\n", &["2 rows of 1", "neither"]),
        ("a\nb,1\nc,2,3\nd,4,5\n", &["line 4", "2 values", "expected 3"]),
        ("3\na 0 1 2\nb 1 0\n", &["`b` has 2 distances, expected 3"]),
        ("\u{ff}\u{fe}", &[]),
    ];
    let mut poor = Vec::new();
    for (text, words) in table {
        let e = refusal("d.csv", text, &options());
        let placed = e.contains("d.csv") || e.contains("object,");
        if !placed || e.contains('\n') || !words.iter().all(|w| e.contains(w)) {
            poor.push(format!("{text:?}: {e}"));
        }
    }
    assert!(poor.is_empty(), "{}", poor.join("\n"));
    let e = refusal("d.csv", b"label,a,b\n\xff\xfe,0,1\nb,1,0\n", &options());
    assert!(e.contains("d.csv, line 2"), "{e}");
    let e = refusal("d.csv", "label,a,b\nx,0,1\ny,1,0\n", &of_kind(FileKind::Matrix));
    assert!(e.contains("line 2") && e.contains("`x` has a row") && e.contains("`kind` rows"), "{e}");
    let e = refusal("d.npy", "0,1\n1,0\n", &options());
    assert!(e.contains("does not begin like"), "{e}");
    let whole = npy(&[3, 3], npyz::Order::C, &[0.0; 9]);
    let e = refusal("d.npy", &whole[..whole.len() - 4], &options());
    assert!(e.contains("ends before number 7") || e.contains("ends before number"), "{e}");
    let e = refusal("d.npy", npy(&[4], npyz::Order::C, &[1.0; 4]), &options());
    assert!(e.contains("4 values"), "{e}");
    let e = refusal("d.npy", npy(&[2, 2], npyz::Order::C, &[0.0, f64::INFINITY, 1.0, 0.0]), &options());
    assert!(e.contains("inf") && e.contains("column 2"), "{e}");
}

#[test]
fn memory_is_refused_before_reading() {
    for text in
        ["a,0,1,2\nb,1,0,3\nc,2,3,0\n", "from,to,value\na,b,1\na,c,2\nb,c,2\n", "a\nb,1\nc,2,3\n", "3\na 0 1 2\n"]
    {
        let e = refusal_within(16, "d.csv", text, &options());
        assert!(e.contains("d.csv") && e.contains("16 B may be used"), "{e}");
    }
    let header = "{'descr': '<f8', 'fortran_order': False, 'shape': (100000, 100000), }";
    let e = refusal_within(1 << 30, "d.npy", by_hand(header, b""), &options());
    assert!(e.contains("37.3 GiB") && e.contains("landmark"), "{e}");
}

#[test]
fn rows_stream_in_chunks_with_chosen_columns() {
    let text = "id,a,b,c\nn1,1,2,3\nn2,4,NA,6\nn3,7,8,9\n";
    let whole = npy(&[3, 3], npyz::Order::C, &[1.0, 2.0, 3.0, 4.0, f64::NAN, 6.0, 7.0, 8.0, 9.0]);
    for (name, content, b, a) in [("r.csv", text.as_bytes().to_vec(), "b", "a"), ("r.npy", whole, "2", "1")] {
        let (_dir, source) = file(name, &content);
        let stream = RowStream::open(&source, &ReadOptions { nan_missing: true, ..options() }).unwrap();
        assert_eq!(stream.to().len(), 3);
        let mut stream = stream.with_columns(&Objects::new([b, a]).unwrap()).unwrap();
        for _pass in 0..2 {
            let first = stream.next_chunk(2).unwrap().unwrap();
            assert_eq!((first.objects().len(), first.to().len()), (2, 2));
            assert_eq!((first.get(0, 0), first.get(0, 1), first.get(1, 0)), (Some(2.0), Some(1.0), None));
            let last = stream.next_chunk(2).unwrap().unwrap();
            assert_eq!((last.objects().len(), last.get(0, 0)), (1, Some(8.0)));
            assert!(stream.next_chunk(2).unwrap().is_none());
            stream = stream.reopen().unwrap();
        }
        let e = stream.with_columns(&Objects::new(["zebra"]).unwrap()).unwrap_err().to_string();
        assert!(e.contains("`zebra`"), "{e}");
    }
}

#[test]
fn rows_for_placing_may_be_fewer_than_columns() {
    let (_dir, source) = file("new.csv", b"id,a,b,c\nn1,1,2,\n");
    let (rows, said) = read_rows(&source, &options()).unwrap();
    assert_eq!((rows.objects().labels(), rows.get(0, 2)), (&["n1".to_string()][..], None));
    assert!(said.iter().any(|s| s.contains("missing")), "{said:?}");
    for (text, words) in [
        ("id,a,b\nn1,1,2\nn1,1,2\n", &["line 3", "`n1`", "line 2"][..]),
        ("id,a,b\nn1,1,<2\n", &["line 2, column 3", "`<2` is a bound"]),
        ("id,a,b\nn1,1\n", &["line 2", "expected 2"]),
        ("from,to,value\na,b,1\n", &["long table"]),
        ("id,a,b\n", &["no row"]),
    ] {
        let (_dir, source) = file("new.csv", text.as_bytes());
        let e = read_rows(&source, &options()).unwrap_err().to_string();
        assert!(words.iter().all(|w| e.contains(w)), "{text}: {e}");
    }
}

/// Reads bytes as everything there is; that nothing panics is the test.
fn read_as_all(name: &str, bytes: &[u8]) {
    let (_dir, source) = file(name, bytes);
    let (source, careful) = (source.within(1 << 20), options());
    let _ = read_evidence(&source, &careful);
    for kind in ["matrix", "lower", "upper", "condensed", "long", "phylip", "rows", "map"] {
        let _ = read_evidence(&source, &ReadOptions { kind: kind.parse().ok(), ..careful.clone() });
    }
    let _ = read_rows(&source, &careful);
    let _ = read_map(&source, None);
    let _ = load_model(&source);
    let _ = read_metadata(&source, &Objects::numbered(3));
}

/// Some bytes changed, taken out, or cut off.
fn mutated(original: Vec<u8>) -> impl Strategy<Value = Vec<u8>> {
    let len = original.len();
    let changes = prop::collection::vec((0..len, prop_oneof![any::<u8>(), Just(b','), Just(b'\n'), Just(b'9')]), 0..6);
    (changes, 0..=len, any::<bool>()).prop_map(move |(changes, cut, whole)| {
        let mut bytes = original.clone();
        changes.iter().for_each(|(k, b)| bytes[*k] = *b);
        bytes.truncate(if whole { len } else { cut });
        bytes
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn damaged_text_never_panics(bytes in prop_oneof![
        mutated(b"label,a,b,c\na,0,1,2\nb,1,0,3\nc,2,3,0\n".to_vec()),
        mutated(b"from,to,value,weight\na,b,1,1\na,c,2,1\nb,c,>3,1\n".to_vec()),
        mutated(b"3\nAlpha\nBeta 1.0\nGamma 2.0 3.0\n".to_vec()),
        mutated(b"a 0\nb 1 0\nc 2 3 0\n".to_vec()),
    ]) {
        read_as_all("d.csv", &bytes);
    }

    #[test]
    fn damaged_arrays_never_panic(bytes in mutated(npy(&[3, 3], npyz::Order::C, &[0.0, 1.0, 2.0, 1.0, 0.0, 3.0, 2.0, 3.0, 0.0]))) {
        read_as_all("d.npy", &bytes);
    }

    #[test]
    fn damaged_models_never_panic(bytes in mutated(crate::io::model::tests::bytes())) {
        read_as_all("m.nearer", &bytes);
    }

    #[test]
    fn noise_never_panics(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        read_as_all("d.csv", &bytes);
    }
}

#[test]
fn labels_that_look_the_same_are_named() {
    let (_dir, source) =
        file("d.csv", "label,caf\u{e9},cafe\u{301},tea\ncaf\u{e9},0,1,2\ncafe\u{301},1,0,1\ntea,2,1,0\n".as_bytes());
    let loaded = read_evidence(&source, &options()).unwrap();
    assert!(loaded.warnings.iter().any(|w| w.contains("U+00E9") && w.contains("U+0301")), "{:?}", loaded.warnings);
    assert_eq!(loaded.evidence.objects().len(), 3);
}

#[test]
fn numbers_that_no_power_of_is_finite_are_refused_where_they_stand() {
    for (text, place) in [
        ("label,a,b\na,0,1e155\nb,1e155,0\n", "line 2, column 3"),
        ("from,to,value,weight\na,b,1,1e308\n", "line 2, column 4"),
        ("head,near,far,weight\na,b,c,1e308\n", "line 2, column 4"),
        ("head,near,far,margin\na,b,c,1e300\n", "line 2, column 4"),
        ("from,to,label,weight\na,b,1,1e308\n", "line 2, column 4"),
        ("id,length,width\na,1,2\nb,1,1e200\nc,1,1\n", "line 3, column 3"),
    ] {
        let e = refusal("d.csv", text, &options());
        assert!(e.contains(place), "{text}: {e}");
    }
    let e = refusal("d.csv", "label,a,b\na,0,1e-200\nb,1e-200,0\n", &options());
    assert!(e.contains("1e-200") && e.contains("smaller unit"), "{e}");
}
