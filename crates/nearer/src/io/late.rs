//! Rows that pass a filter and come last, behind all that a file is recognised by: every reader takes them.

use super::testing::{file, gz};
use super::*;
use crate::error::Error;
use crate::evidence::Evidence;
use crate::object::Objects;

/// Rows that do not pass: with the note of each some two megabytes, thirty times what is looked at first.
const EARLY: usize = 20_000;

/// A table whose last rows alone are of the batch `late`.
fn table(header: &str, early: impl Fn(usize) -> String, late: &[&str]) -> String {
    let note = "n".repeat(80);
    let mut text = format!("{header},batch,note\n");
    (0..EARLY).for_each(|k| text.push_str(&format!("{},early,{note}\n", early(k))));
    late.iter().for_each(|row| text.push_str(&format!("{row},late,{note}\n")));
    text
}

fn only(source: Source, what: &str) -> Source {
    source.only(vec![what.parse().unwrap()])
}

/// The same text plain and packed; a reader that takes the late rows says how many they made, and one that finds none counts all.
fn late<T: std::fmt::Debug>(text: &str, found: usize, read: impl Fn(Source) -> Result<(usize, T), Error>) {
    for (name, bytes) in [("t.csv", text.as_bytes().to_vec()), ("t.csv.gz", gz(text.as_bytes()))] {
        let (_dir, source) = file(name, &bytes);
        let (count, taken) =
            read(only(source.clone(), "batch=late")).unwrap_or_else(|e| panic!("{e}: {}", &text[..60]));
        assert_eq!(count, found, "{taken:?}");
        let e = read(only(source, "batch=never")).unwrap_err().to_string();
        assert!(e.contains(&format!("none of the {} rows has batch=never", text.lines().count() - 1)), "{e}");
    }
}

fn evidence(options: ReadOptions) -> impl Fn(Source) -> Result<(usize, Evidence), Error> {
    move |source| {
        let read = read_evidence(&source, &options)?.evidence;
        Ok((read.objects().len(), read))
    }
}

#[test]
fn judgements_of_every_kind_may_come_last() {
    let early = |width: usize| move |k: usize| (0..width).map(|i| format!("e{}", k + i)).collect::<Vec<_>>().join(",");
    for (kind, header, rows) in [
        ("triplets", "head,near,far", ["a,b,c", "b,c,d", "c,d,a"]),
        ("quadruplets", "a,b,c,d", ["a,b,c,d", "b,c,a,d", "c,d,a,b"]),
        ("odd-one-out", "odd,other,third", ["a,b,c", "b,c,d", "c,d,a"]),
        ("ranks", "head,first,second,third", ["a,b,c,d", "b,c,d,a", "c,d,a,b"]),
        ("pairs", "from,to,alike", ["a,b,1", "b,c,0", "c,d,1"]),
        ("classes", "object,class", ["a,x", "b,x", "c,y"]),
        ("taxonomy", "parent,child", ["r,a", "r,b", "r,c"]),
        ("long", "from,to,value", ["a,b,1", "b,c,2", "c,d,3"]),
    ] {
        let names: Vec<&str> = header.split(',').collect();
        let text = match kind {
            "pairs" | "long" => table(header, |k| format!("e{k},e{},1", k + 1), &rows),
            "classes" => table(header, |k| format!("e{k},x"), &rows),
            _ => table(header, early(names.len()), &rows),
        };
        let roles = match kind {
            "triplets" => "head=head,near=near,far=far",
            "odd-one-out" => "odd=odd,shown=other,shown=third",
            "ranks" => "head=head,rank=first,rank=second,rank=third",
            "classes" => "object=object,class=class",
            _ => "",
        };
        let columns = if roles.is_empty() { Roles::default() } else { roles.parse().unwrap() };
        let kind: FileKind = kind.parse().unwrap();
        late(
            &text,
            if matches!(kind, FileKind::Classes | FileKind::Taxonomy) { 3 } else { 4 },
            evidence(ReadOptions { kind: Some(kind), columns, ..ReadOptions::default() }),
        );
    }
}

#[test]
fn rows_of_numbers_may_come_last() {
    let text = table("label,u,v,w", |k| format!("e{k},{k},2,3"), &["a,1,2,3", "b,3,1,2", "c,2,2,1", "d,4,0,1"]);
    let options = |kind| ReadOptions { kind: Some(kind), ..ReadOptions::default() };
    late(&text, 4, evidence(options(FileKind::Features)));
    late(&text, 4, evidence(ReadOptions { classes: Some("batch".into()), ..options(FileKind::Features) }));
    late(&text, 4, |source| read_table(&source).map(|t| (t.table.len(), t)));
    let measure = Some(Measuring { take: vec!["u".into(), "v".into()], ..crate::evidence::Measure::Euclidean.into() });
    late(&text, 4, evidence(ReadOptions { measure, ..ReadOptions::default() }));
    let objects = Objects::new(["a", "b", "c", "d"]).unwrap();
    late(&text, 4, |source| {
        let (m, _) = read_metadata(&source, &objects)?;
        Ok((m.columns[0].values.iter().flatten().count(), m))
    });
    late(&text, 4, |source| read_objects(&source).map(|(o, said)| (o.len(), said)));
    // Columns of distances alone: a filter is by one of them.
    let mut rows = String::from("label,one,two\n");
    (0..EARLY).for_each(|k| rows.push_str(&format!("e{k},1,{:090}\n", 2)));
    rows.push_str("a,5,6\nb,6,5\nc,7,7\n");
    let (_dir, source) = file("rows.csv", rows.as_bytes());
    let read = evidence(options(FileKind::Rows));
    assert_eq!(read(only(source.clone(), "one>=5")).unwrap().0, 3);
    assert!(read(only(source.clone(), "one>=9")).unwrap_err().to_string().contains("none of the 20003 rows"));
    let (map, _) = read_map(&only(source, "one>=5"), None).unwrap();
    assert_eq!(map.objects().len(), 3);
}

#[test]
fn a_header_that_begins_with_a_hash_is_one_under_a_filter_too() {
    let text = "#SampleID\tsite\tph\ns1\tlake\t7\ns2\tpond\t6\ns3\tlake\t5\n";
    let (_dir, source) = file("t.tsv", text.as_bytes());
    assert_eq!(read_table(&only(source, "site=lake")).unwrap().table.len(), 2);
}

#[test]
fn what_has_no_named_columns_is_refused() {
    for (name, text) in [("t.nwk", "((dog,cat),trout);"), ("t.txt", "((dog,cat),trout);")] {
        let (_dir, source) = file(name, text.as_bytes());
        let e = read_evidence(&only(source, "site=lake"), &ReadOptions::default()).unwrap_err().to_string();
        assert!(e.contains("a tree has no named columns") && e.contains("site=lake"), "{e}");
    }
    let (_dir, source) = file("d.npy", &npy::tests::npy(&[2, 2], npyz::Order::C, &[0.0_f64; 4]));
    let e = read_evidence(&only(source, "site=lake"), &ReadOptions::default()).unwrap_err().to_string();
    assert!(e.contains("an array has no named columns"), "{e}");
}

#[cfg(feature = "parquet")]
#[test]
fn rows_of_a_parquet_file_may_come_last() {
    use ::parquet::data_type::{ByteArray, ByteArrayType, DoubleType};
    use ::parquet::file::writer::SerializedFileWriter;
    use ::parquet::schema::parser::parse_message_type;
    let schema = "message t { REQUIRED BYTE_ARRAY label (UTF8); REQUIRED DOUBLE u; REQUIRED BYTE_ARRAY batch (UTF8); }";
    let schema = std::sync::Arc::new(parse_message_type(schema).unwrap());
    let mut writer = SerializedFileWriter::new(Vec::new(), schema, Default::default()).unwrap();
    let n = 200_000;
    let mut group = writer.next_row_group().unwrap();
    let words = |of: &dyn Fn(usize) -> String| (0..n).map(|k| ByteArray::from(of(k).as_str())).collect::<Vec<_>>();
    for column in 0..3 {
        let mut next = group.next_column().unwrap().unwrap();
        match column {
            0 => next.typed::<ByteArrayType>().write_batch(&words(&|k| format!("object {k}")), None, None),
            1 => next.typed::<DoubleType>().write_batch(&(0..n).map(|k| k as f64).collect::<Vec<_>>(), None, None),
            _ => {
                let batch = words(&|k| if k + 4 >= n { "late".into() } else { "early".into() });
                next.typed::<ByteArrayType>().write_batch(&batch, None, None)
            }
        }
        .unwrap();
        next.close().unwrap();
    }
    group.close().unwrap();
    let (_dir, source) = file("t.parquet", &writer.into_inner().unwrap());
    let read = evidence(ReadOptions { kind: Some(FileKind::Features), ..ReadOptions::default() });
    assert_eq!(read(only(source.clone(), "batch=late")).unwrap().0, 4);
    assert!(read(only(source, "batch=never")).unwrap_err().to_string().contains("none of the 200000 rows"));
}
