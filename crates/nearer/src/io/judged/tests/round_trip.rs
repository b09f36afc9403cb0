//! Rows that are written, split or broken: they read back as they were, or are refused.

use std::collections::HashMap;
use std::io::Write as _;

use proptest::prelude::*;

use super::{comparisons, of_kind, options, pairs, trials, with_columns};
use crate::evidence::{Comparison, Comparisons, Judged, Pairs};
use crate::io::testing::file;
use crate::io::*;
use crate::object::{Item, Objects, Pair};

fn split(name: &str, text: &str, options: &ReadOptions, lines: &[u64]) -> Result<(String, String), String> {
    let (_dir, source) = file(name, text.as_bytes());
    let reasons = lines.iter().map(|l| (*l, format!("because, of {l}"))).collect::<HashMap<_, _>>();
    let split = split_rows(&source, options, &reasons).map_err(|e| e.to_string())?;
    Ok((String::from_utf8(split.kept).unwrap(), String::from_utf8(split.dropped).unwrap()))
}

#[test]
fn rows_are_split_byte_for_byte() {
    let text = "# kept\nhead,near,far,note\r\na,b,c,\"two\nlines\"\r\n\r\na , c,b,\" x\"\r\nb,a,c,z";
    let (kept, dropped) = split("t.csv", text, &options(), &[6]).unwrap();
    assert_eq!(kept, "# kept\nhead,near,far,note\r\na,b,c,\"two\nlines\"\r\nb,a,c,z");
    assert_eq!(dropped, "head,near,far,note,reason\r\na , c,b,\" x\",\"because, of 6\"\r\n");
    let (kept, dropped) = split("t.csv", text, &options(), &[3, 7]).unwrap();
    assert_eq!(kept, "# kept\nhead,near,far,note\r\n\r\na , c,b,\" x\"\r\n");
    assert_eq!(
        dropped,
        "head,near,far,note,reason\r\na,b,c,\"two\nlines\",\"because, of 3\"\r\nb,a,c,z,\"because, of 7\"\n"
    );
    let (kept, dropped) = split("t.txt", "1 2 3\n\n2 3  1\n", &of_kind(FileKind::Triplets), &[3]).unwrap();
    assert_eq!((kept.as_str(), dropped.as_str()), ("1 2 3\n", "2 3  1 \"because, of 3\"\n"));
    let e = split("t.csv", "head,near,far\na,b,c\n", &options(), &[1, 2]).unwrap_err();
    assert!(e.contains("line 1 is not the line of a row"), "{e}");
    // What was not dropped reads as before, and the lines are those that the reader says.
    let (kept, dropped) = split("t.csv", "head,near,far\na,b,c\na,c,b\n", &options(), &[]).unwrap();
    assert_eq!((kept.as_str(), dropped.as_str()), ("head,near,far\na,b,c\na,c,b\n", "head,near,far,reason\n"));
}

/// Labels with everything that csv must quote; distinct by their number, and none of them padded or a number.
fn label(k: usize) -> String {
    format!("{k}{}", ["x", ", y", "\"z\"", " new\nline", "é", " a  b"][k % 6])
}

proptest! {
    #[test]
    fn comparisons_read_back_as_they_were(
        rows in prop::collection::vec((0u32..7, 0u32..7, 0u32..7, 0u32..7, 0.01f64..9.0, 0.0f64..3.0), 1..40),
        triplets: bool, plain: bool,
    ) {
        let objects = Objects::new((0..7).map(label)).unwrap();
        let rows: Vec<Comparison> = rows.into_iter().filter_map(|(a, b, c, d, weight, margin)| {
            let near = Pair::new(Item(a), Item(b))?;
            let far = if triplets { Pair::new(Item(a), Item(d))? } else { Pair::new(Item(c), Item(d))? };
            let (weight, margin) = if plain { (1.0, 1.0) } else { (weight, margin) };
            (near != far).then_some(Comparison { near, far, weight, margin })
        }).collect();
        prop_assume!(!rows.is_empty());
        let before = Comparisons::new(objects.clone(), rows).unwrap();
        let mut text = Vec::new();
        write_comparisons(&mut text, &before).unwrap();
        let after = comparisons(&text, &ReadOptions { objects: Some(objects), ..ReadOptions::default() });
        prop_assert_eq!(before.rows(), after.rows());
        prop_assert_eq!(before.objects(), after.objects());
    }

    #[test]
    fn pairs_read_back_as_they_were(
        rows in prop::collection::vec((0u32..7, 0u32..7, any::<bool>(), 0.01f64..9.0), 1..40),
        directed: bool, weighted: bool,
    ) {
        let objects = Objects::new((0..7).map(label)).unwrap();
        let rows: Vec<Judged> = rows.into_iter().filter(|r| r.0 != r.1).enumerate().map(|(k, (a, b, similar, weight))| {
            let weight = if weighted { weight } else { 1.0 };
            Judged { weight, participant: Some(k as u32 % 2), ..Judged::new(Item(a), Item(b), similar) }
        }).collect();
        prop_assume!(rows.len() > 1);
        let before = Pairs::new(objects.clone(), rows).unwrap().described(vec!["Ann".into(), "Bob, B".into()], 0);
        let before = if directed { before } else { before.both_ways() };
        let mut text = Vec::new();
        write_pairs(&mut text, &before).unwrap();
        let read = ReadOptions { objects: Some(objects), directed, ..ReadOptions::default() };
        let after = pairs(std::str::from_utf8(&text).unwrap(), &read);
        let bare = |p: &Pairs| p.iter().map(|r| Judged { line: 0, ..*r }).collect::<Vec<_>>();
        prop_assert_eq!(bare(&before), bare(&after));
        prop_assert_eq!(before.participants(), after.participants());
    }

    #[test]
    fn noise_never_panics(bytes in prop::collection::vec(prop::sample::select(&b"ab12,;\t \n\"'()/>-:[]=.\xff\0"[..]), 0..80), header in 0usize..9) {
        let headers = ["", "head,near,far\n", "a,b,c,d\n", "one,two,three,odd\n", "from,to,label\n", "parent,child\n", "path\n", "id,class\n", "("];
        let text = [headers[header].as_bytes(), &bytes].concat();
        let (_dir, source) = file("noise", &text);
        for kind in ["", "triplets", "quadruplets", "odd-one-out", "most-central", "choices", "ranks", "pairs", "classes", "sorts", "taxonomy", "paths", "newick"] {
            let options = ReadOptions { kind: kind.parse().ok(), ..ReadOptions::default() };
            let _ = read_evidence(&source, &options);
            let _ = split_rows(&source, &options, &HashMap::from([(2, "r".to_string())]));
        }
        let _ = read_evidence(&source, &with_columns("odd=2,shown=1,shown=3"));
        let _ = read_objects(&source);
    }

    /// Dropping nothing changes nothing, and each row is in one of the two parts.
    #[test]
    fn splitting_loses_nothing(rows in prop::collection::vec((0u8..5, 0u8..5, "[ a-c\"\n]{0,4}"), 1..20), drop in prop::collection::vec(any::<bool>(), 20)) {
        let mut text = b"head,near,far,note\n".to_vec();
        for (a, b, note) in &rows {
            writeln!(text, "h,{a},{b},\"{}\"", note.replace('"', "\"\"")).unwrap();
        }
        let t = trials(&text, &ReadOptions::default());
        prop_assert_eq!(t.len(), rows.len());
        let reasons: HashMap<u64, String> = t.iter().zip(&drop).filter(|(_, d)| **d).map(|(t, _)| (t.answered.line, "r".into())).collect();
        let (_dir, source) = file("t.csv", &text);
        let split = split_rows(&source, &ReadOptions::default(), &reasons).unwrap();
        let mut back = split.kept.clone();
        if reasons.len() < rows.len() {
            let kept = trials(&split.kept, &ReadOptions::default());
            prop_assert_eq!(kept.len(), rows.len() - reasons.len());
        }
        if !reasons.is_empty() {
            prop_assert_eq!(trials(&split.dropped, &ReadOptions::default()).len(), reasons.len());
        } else {
            prop_assert_eq!(std::mem::take(&mut back), text);
        }
    }
}
