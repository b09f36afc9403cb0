//! Bad input, each kind through the command: exit code 2, one sentence with value, place and remedy, nothing written.

use std::io::Write as _;

use flate2::Compression;
use flate2::write::GzEncoder;

use crate::{Desk, square, stderr};

/// Maps the file and expects a refusal that says all of `words`.
fn refused(name: &str, content: impl AsRef<[u8]>, extra: &[&str], words: &[&str]) {
    let desk = Desk::new();
    desk.write(name, content);
    let args: Vec<&str> = ["embed", name, "-o", "map.csv", "-o", "map.nearer", "-o", "map.svg"]
        .into_iter()
        .chain(extra.iter().copied())
        .collect();
    let run = desk.run(&args).code(2);
    let said = stderr(&run);
    let complaints: Vec<&str> = said.lines().filter(|l| l.starts_with("nearer: ")).collect();
    assert_eq!(complaints.len(), 1, "one sentence is enough:\n{said}");
    for word in words {
        assert!(complaints[0].contains(word), "`{word}` is not in: {}", complaints[0]);
    }
    // Nothing but what was assumed and chosen may stand beside it.
    let other =
        said.lines().filter(|l| !l.starts_with("nearer: ") && !l.starts_with(name) && !l.starts_with("method "));
    assert_eq!(other.count(), 0, "{said}");
    assert_eq!(desk.names(), [name], "something was written");
    assert!(run.get_output().stdout.is_empty());
}

#[test]
fn numbers_that_are_no_distances() {
    refused("d.csv", "label,a,b,c\na,0,1,2\nb,1,0,inf\nc,2,inf,0\n", &[], &["d.csv", "line 3", "inf"]);
    refused("d.csv", "label,a,b,c\na,0,1,-2\nb,1,0,3\nc,-2,3,0\n", &[], &["d.csv", "line 2", "-2"]);
    refused("d.csv", "label,a,b,c\na,0,1,2\nb,1,0,three\nc,2,three,0\n", &[], &["d.csv", "line 3", "three"]);
}

#[test]
fn a_nan_is_refused_unless_it_is_said_to_be_a_gap() {
    let nan = "label,a,b,c\na,0,1,2\nb,1,0,NaN\nc,2,NaN,0\n";
    refused("d.csv", nan, &[], &["d.csv", "line 3", "column 4", "`NaN`", "--nan-missing"]);
    // Said to be a gap, metric-mds works with it and classical-mds refuses it by name.
    refused("d.csv", nan, &["--nan-missing", "--method", "classical-mds"], &["`b`", "`c`"]);
}

#[test]
fn rows_of_different_lengths() {
    refused("d.csv", "label,a,b,c\na,0,1,2\nb,1,0\nc,2,3,0\n", &[], &["d.csv", "line 3"]);
}

#[test]
fn labels_that_stand_twice() {
    refused("d.csv", "label,a,b,a\na,0,1,2\nb,1,0,3\na,2,3,0\n", &[], &["`a`"]);
}

#[test]
fn a_matrix_that_is_not_symmetric() {
    refused("d.csv", "label,a,b,c\na,0,1,2\nb,1,0,3\nc,2,4,0\n", &[], &["`b`", "`c`", "3", "4", "symmetric"]);
}

#[test]
fn a_diagonal_that_is_not_zero() {
    refused("d.csv", "label,a,b,c\na,1,0.5,0.2\nb,0.5,1,0.3\nc,0.2,0.3,1\n", &[], &["similarity"]);
    refused("d.csv", "label,a,b,c\na,0,5,2\nb,5,7,3\nc,2,3,0\n", &[], &["`b`", "7"]);
}

#[test]
fn nothing_known_or_nothing_apart() {
    refused("d.csv", "label,a,b,c\na,0,,\nb,,0,\nc,,,0\n", &[], &[]);
    refused("d.csv", "label,a,b,c\na,0,0,0\nb,0,0,0\nc,0,0,0\n", &[], &["0"]);
}

#[test]
fn too_few_objects() {
    refused("d.csv", "", &[], &["d.csv"]);
    refused("d.csv", "label,a\na,0\n", &[], &[]);
    refused("d.csv", "label,a,b\na,0,1\nb,1,0\n", &[], &["dim", "2"]);
}

#[test]
fn as_many_dimensions_as_objects() {
    refused("d.csv", square(5, 1), &["--dim", "5"], &["dim", "5", "4"]);
}

#[test]
fn files_that_are_none() {
    let mut gz = GzEncoder::new(Vec::new(), Compression::default());
    gz.write_all(square(30, 1).as_bytes()).unwrap();
    let bytes = gz.finish().unwrap();
    refused("d.csv.gz", &bytes[..bytes.len() / 2], &[], &["d.csv.gz", "cut off or damaged"]);
    let junk: Vec<u8> = (0..4000u32).map(|k| (k.wrapping_mul(2654435761) >> 13) as u8).collect();
    refused("d.csv", junk, &[], &["d.csv"]);
}

#[test]
fn a_strange_label_in_the_metadata() {
    let desk = Desk::new();
    desk.write("d.csv", square(5, 1)).write("meta.csv", "label,kind\np0,x\nnobody,y\n");
    let run = desk.run(&["embed", "d.csv", "--metadata", "meta.csv", "--colour-by", "kind", "-o", "map.svg"]).code(2);
    let said = stderr(&run);
    assert!(said.contains("nobody") && said.contains("meta.csv"), "{said}");
    assert_eq!(desk.names(), ["d.csv", "meta.csv"]);
    desk.write("meta.csv", "label,kind\np0,x\n");
    let run = desk.run(&["embed", "d.csv", "--metadata", "meta.csv", "--colour-by", "sort", "-o", "map.svg"]).code(2);
    assert!(stderr(&run).contains("it has kind"));
}

#[test]
fn places_that_cannot_be_written_to() {
    let desk = Desk::new();
    desk.write("d.csv", square(5, 1));
    for (target, word) in [
        ("no/such/map.csv", "no folder"),
        ("map.docx", "extension"),
        ("map", "extension"),
        ("d.csv", "over the input"),
        ("/proc/map.csv", "cannot write"),
    ] {
        let run = desk.run(&["embed", "d.csv", "-o", target]).code(2);
        let said = stderr(&run);
        assert!(said.contains(word) && said.lines().count() == 1, "{target}: {said}");
    }
    assert_eq!(desk.names(), ["d.csv"]);
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_behind_stdout() {
    let desk = Desk::new();
    desk.write("d.csv", square(5, 1));
    for args in
        [vec!["embed", "d.csv"], vec!["embed", "d.csv", "--json", "-o", "map.csv"], vec!["methods"], vec!["--help"]]
    {
        let full = std::fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
        let out = std::process::Command::new(env!("CARGO_BIN_EXE_nearer"))
            .current_dir(desk.0.path())
            .args(&args)
            .stdout(full)
            .output()
            .unwrap();
        assert_eq!(out.status.code(), Some(2), "{args:?}");
        assert!(String::from_utf8_lossy(&out.stderr).contains("stdout"));
    }
    assert_eq!(desk.names(), ["d.csv"]);
}

#[test]
fn wrong_usage_is_one_sentence() {
    let desk = Desk::new();
    desk.write("d.csv", square(5, 1));
    for (args, word) in [
        (vec!["embed"], "--help"),
        (vec!["embed", "d.csv", "--dimension", "3"], "--dim"),
        (vec!["embed", "d.csv", "--method", "magic"], "`nearer methods` lists all"),
        (vec!["embed", "d.csv", "--method", "classical-mds", "--ties", "primary"], "parameters of classical-mds"),
        (vec!["embed", "d.csv", "--dim", "two"], "whole number"),
        (vec!["embed", "d.csv", "--time-limit", "soon"], "30s"),
        (vec!["embed", "nothing.csv"], "nothing.csv"),
        (vec!["embed", "d.csv", "--similarity", "half"], "max-s"),
        (vec!["plot", "d.csv", "-o", "map.csv"], "figure"),
        (vec!["embed", "d.csv", "--ellipses", "round"], "bootstrap, jackknife"),
        (vec!["nonsense"], "nonsense"),
    ] {
        let run = desk.run(&args).code(2);
        let said = stderr(&run);
        let last = said.lines().last().unwrap_or_default();
        assert!(last.starts_with("nearer: ") && last.contains(word), "{args:?}: {said}");
    }
}

#[test]
fn judgements_that_cannot_be_read() {
    refused("t.csv", "1,2,3\n4,5,6\n7,8,9\n7,8,1\n", &[], &["t.csv", "--kind triplets", "--kind odd-one-out"]);
    refused("t.csv", "1,2,3\n4,5,6\n", &["--kind", "odd-one-out"], &["odd=1", "odd=3"]);
    refused("t.csv", "stim,pick,other\na,b,c\n", &["--columns", "head=stim,near=pik,far=other"], &["`pik`", "`pick`"]);
    refused("t.csv", "head,near,far\na,b,c\n", &["--columns", "haed=head"], &["`haed`", "did you mean `head`?"]);
    refused("t.csv", "head,near,far\na,b,c\n", &["--columns", "head=head", "--columns", "head=far"], &["`head` twice"]);
    refused("t.csv", "head,near,far,weight\na,b,c,-1\n", &[], &["line 2", "column 4", "`-1`"]);
    refused("t.nwk", "((a,b),c", &[], &["t.nwk", "line 1", "character 9"]);
    refused("t.csv", "parent,child\na,b\nb,a\n", &[], &["t.csv", "circle", "line 2", "line 3"]);
}

#[test]
fn labels_that_are_not_among_the_objects_that_are_given() {
    let desk = Desk::new();
    desk.write("objects.txt", "dog\nwolf\nsea lion\n");
    desk.write("t.csv", "head,near,far\ndog,wolf,Sea Lion\n");
    let said = stderr(&desk.run(&["check", "t.csv", "--objects", "objects.txt"]).code(2));
    assert!(said.contains("t.csv, line 2, column 3") && said.contains("did you mean `sea lion`?"), "{said}");
}

#[test]
fn of_files_of_different_kinds_one_is_mapped_and_the_others_are_said() {
    let desk = Desk::new();
    desk.write("t.csv", "head,near,far\na,b,c\n");
    desk.write("d.csv", "label,a,b\na,0,1\nb,1,0\n");
    let said = stderr(&desk.run(&["embed", "t.csv", "d.csv", "-o", "map.csv"]).success());
    assert!(said.contains("choice makes no use of the distances"), "{said}");
}

#[test]
fn features_that_cannot_be_used() {
    let features = ["--kind", "features"];
    let table = |cell: &str| format!("id,length,width\na,1,2\nb,2,{cell}\nc,3,1\n");
    refused("f.csv", table("NaN"), &features, &["f.csv", "line 3, column 3", "NaN", "finite"]);
    refused("f.csv", table("inf"), &features, &["f.csv", "line 3, column 3", "inf", "finite"]);
    refused("f.csv", table(""), &features, &["f.csv", "line 3, column 3", "empty"]);
    refused("f.csv", table("wide"), &features, &["f.csv", "line 3, column 3", "`wide` is not a number"]);
    refused("f.csv", "id,length,width\na,1,2\na,2,3\n", &features, &["f.csv", "line 3", "`a`"]);
    refused("f.csv", "id,length,width\na,1,2\nb,2\n", &features, &["f.csv", "line 3"]);
    refused("f.csv", "id,length,width\na,1,2\nb,1,2\nc,1,2\n", &features, &["one place"]);
}

#[test]
fn neighbours_in_two_parts() {
    let at = |k: u32| if k < 10 { k } else { 1000 + k * k };
    let rows: String = (0..20).map(|k| format!("t{k},{}\n", at(k))).collect();
    let text = format!("id,position\n{rows}");
    let args = ["--kind", "features", "--method", "mvu", "--neighbours", "2", "--dim", "1"];
    refused("f.csv", text, &args, &["separate parts", "raise --neighbours above 2", "--components largest"]);
}
