//! What is said to be alike: pairs, sorts, classes and trees.

use super::{of_kind, options, pairs, refused};
use crate::evidence::{Evidence, Judged, Sorts, Taxonomy};
use crate::io::testing::load;
use crate::io::*;
use crate::object::{Item, Objects};

#[test]
fn pairs_in_grades_are_read_and_written() {
    let text = "from,to,grade\na,b,1\na,c,3\nb,c,2\n";
    let p = pairs(text, &options());
    assert_eq!((p.levels(), p.per_answer(), p.tally().rows), (2, 4, 3));
    assert_eq!(p.grades().collect::<Vec<_>>(), [1, 3, 2]);
    let mut written = Vec::new();
    write_pairs(&mut written, &p).unwrap();
    assert_eq!(String::from_utf8(written).unwrap(), text);
    // The largest likeness is the first grade, and numbers that nobody says are no step.
    let same = pairs("from,to,likeness\na,b,7\na,c,0\nb,c,3\n", &options());
    assert_eq!(same.grades().collect::<Vec<_>>(), [1, 3, 2]);
    let wrong = |text: &str| load("t.csv", text, &options()).unwrap_err().to_string();
    assert!(wrong("from,to,grade\na,b,1\na,c,1.5\n").contains("`1.5` is no grade; write whole numbers"));
    assert!(wrong("from,to,grade\na,b,1\na,c,1\n").contains("all pairs are of one grade"));
    assert!(wrong("from,to,grade,votes_a,votes_b\na,b,1,2,1\na,c,2,1,0\n").contains("votes against a grade"));
}

#[test]
fn pairs_in_every_code_say_the_same() {
    for (yes, no) in [
        ("1", "0"),
        ("1", "-1"),
        ("similar", "dissimilar"),
        ("Same", "Different"),
        ("alike", "unlike"),
        ("yes", "no"),
        ("TRUE", "FALSE"),
        ("must-link", "cannot-link"),
    ] {
        let text = format!("from,to,label\na,b,{yes}\na,c,{no}\n");
        let p = pairs(&text, &options());
        assert_eq!(
            (p.len(), p.is_mirrored(), p.rows()[0].similar, p.rows()[2].similar),
            (4, true, true, false),
            "{text}"
        );
        let loaded = load("t.csv", &text, &options()).unwrap();
        assert!(loaded.assumptions.contains(&format!("{yes} means alike, {no} not alike")), "{:?}", loaded.assumptions);
        if yes.parse::<f64>().is_err() {
            for text in [format!("item1,item2,response\na,b,{yes}\na,c,{no}\n"), format!("a,b,{yes}\na,c,{no}\n")] {
                assert_eq!(pairs(&text, &options()).len(), 4, "{text}");
            }
        }
    }
    let directed = ReadOptions { directed: true, ..options() };
    let p = pairs("from,to,same,participant,weight\na,b,1,Ann,2\na,a,1,Ann,1\n", &directed);
    let row = Judged { weight: 2.0, participant: Some(0), line: 2, ..Judged::new(Item(0), Item(1), true) };
    assert_eq!((p.rows(), p.participants(), p.tally().selves), (&[row][..], &["Ann".to_string()][..], 1));
    let p = pairs("1 2 1\n2 3 0\n", &of_kind(FileKind::Pairs));
    assert_eq!(p.objects().labels(), ["1", "2", "3"]);
}

#[test]
fn pairs_in_no_code_are_refused() {
    for (text, words) in [
        ("from,to,label\na,b,0.5\n", &["line 2, column 3", "`0.5`", "call it `distance`"][..]),
        ("from,to,label\na,b,1\na,c,0\na,d,-1\n", &["line 4", "`-1`", "`0`"]),
        ("from,to,label\na,b,yes\na,c,different\n", &["`different`", "`yes`"]),
        ("from,to,label\na,b,\n", &["``"]),
        ("from,to,label\na,a,1\n", &["no row with two objects"]),
        ("from,to,label,weight\na,b,1,x\n", &["`x`"]),
    ] {
        refused(text, &options(), words);
    }
}

fn taxonomy(name: &str, text: &str, options: &ReadOptions) -> Taxonomy {
    match load(name, text, options).unwrap().evidence {
        Evidence::Taxonomy(t) => t,
        other => panic!("{other:?}"),
    }
}

#[test]
fn trees_as_edges_paths_and_brackets_are_the_same_tree() {
    let paths = of_kind(FileKind::Paths);
    for (name, text, options) in [
        ("t.csv", "parent,child\nanimal,mammal\nmammal,dog\nmammal,cat\nanimal,trout\n", options()),
        ("t.csv", "child,parent,note\nanimal,,\nmammal,animal,x\ndog,mammal,\ncat,mammal,\ntrout,animal,\n", options()),
        ("t.txt", "animal mammal\nmammal dog\nmammal cat\nanimal trout\n", of_kind(FileKind::Taxonomy)),
        ("t.txt", "animal/mammal/dog\nanimal/mammal/cat\nanimal/trout\n", options()),
        ("t.txt", "animal > mammal > dog\nanimal > mammal > cat\nanimal > trout\n", paths.clone()),
        ("t.csv", "object,path\ndog,animal|mammal\ncat,animal|mammal\ntrout,animal\n", options()),
        ("t.nwk", "((dog,cat)mammal,trout)animal;", options()),
        ("t.txt", "((dog,cat)mammal,trout)animal;", of_kind(FileKind::Newick)),
    ] {
        let t = taxonomy(name, text, &options);
        assert_eq!(
            (t.objects().labels(), t.nodes(), t.height()),
            (&["dog", "cat", "trout"].map(String::from)[..], 5, 2),
            "{text}"
        );
        assert_eq!(t.name(t.common_ancestor(Item(0), Item(1))), "mammal", "{text}");
        assert_eq!(t.name(t.common_ancestor(Item(0), Item(2))), "animal", "{text}");
    }
    let t = taxonomy("t.txt", "a/x\nb/y\n", &paths);
    assert_eq!((t.nodes(), t.height()), (5, 2));
    let given = ReadOptions { objects: Some(Objects::new(["cat", "trout", "dog"]).unwrap()), ..options() };
    let t = taxonomy("t.nwk", "((dog,cat)mammal,trout)animal;", &given);
    assert_eq!(t.objects().labels(), ["cat", "trout", "dog"]);
    assert_eq!(t.name(t.common_ancestor(Item(0), Item(2))), "mammal");
    let t = taxonomy("t.txt", "9 10\n9 2\n9 3\n", &of_kind(FileKind::Taxonomy));
    assert_eq!(t.objects().labels(), ["2", "3", "10"]);
}

#[test]
fn what_is_no_tree_is_refused_with_its_lines() {
    let other = ReadOptions { objects: Some(Objects::new(["dog", "cow"]).unwrap()), ..options() };
    for (text, options, words) in [
        (
            "parent,child\na,c\nr,a\nr,b\nb,c\n",
            &options(),
            &["line 5", "`c` has two parents, `a` (line 2) and `b`"][..],
        ),
        ("parent,child\nr,a\na,b\nb,c\nc,a\n", &options(), &["`a` has two parents"]),
        (
            "parent,child\nr,x\na,b\nb,c\nc,a\n",
            &options(),
            &["circle", "`a` under `c` (line 5)", "`b` under `a` (line 3)"],
        ),
        ("parent,child\na,b\nc,d\n", &options(), &["2 nodes have no parent", "`a` (line 2)", "`c` (line 3)"]),
        ("parent,child\n", &options(), &["no row"]),
        ("path\na/b\na//c\n", &options(), &["line 3", "`a//c`", "empty"]),
        ("path\na/b\na/c\na/b\n", &options(), &["line 4", "`b`", "line 2"]),
        ("path\na/x\nb/x\n", &options(), &["line 3", "`x`", "line 2"]),
        ("path\na/b\na>c\n", &options(), &["line 3", "`>`", "`/` on line 2"]),
        ("#NEXUS\nbegin trees;\n", &options(), &["NEXUS", "Newick"]),
        ("parent,child\nr,dog\nr,cwo\n", &other, &["line 3", "`cwo`", "did you mean `cow`?"]),
        ("parent,child\nr,dog\n", &other, &["`cow` is not a leaf"]),
    ] {
        refused(text, options, words);
    }
    let loaded = load("t.txt", "a/b\na\na/b/c\n", &of_kind(FileKind::Paths)).unwrap();
    assert!(loaded.warnings[0].contains("2 paths are above others"), "{:?}", loaded.warnings);
}

fn sorts(text: &str, options: &ReadOptions) -> Sorts {
    match load("t.csv", text, options).unwrap().evidence {
        Evidence::Sorts(s) => s,
        other => panic!("{other:?}"),
    }
}

#[test]
fn classes_and_sorts() {
    let s = sorts("id,class\na,x\nb,y\nc,x\nd,\n", &options());
    assert_eq!(
        (s.assessors(), s.together(0, 0, 2), s.together(0, 0, 3)),
        (&["class".to_string()][..], Some(true), None)
    );
    // Who is in one chunklet belongs together; who is in two may all the same.
    let Evidence::Pairs(pairs) = load("t.csv", "id,chunklet\na,1\nb,2\nc,1\nd,\n", &options()).unwrap().evidence else {
        panic!("chunklets are pairs")
    };
    let all: Vec<(u32, u32, bool)> = pairs.iter().map(|r| (r.from.0, r.to.0, r.similar)).collect();
    assert_eq!((pairs.objects().len(), all), (4, vec![(0, 2, true), (2, 0, true)]));
    let s = sorts("a,x\nb,y\n", &of_kind(FileKind::Classes));
    assert_eq!(s.together(0, 0, 1), Some(false));
    let s = sorts("\"\",\"J1\",\"J2\"\n\"w1\",1,2\n\"w2\",1,NA\n", &of_kind(FileKind::Sorts));
    assert_eq!(
        (s.assessors(), s.together(0, 0, 1), s.together(1, 0, 1)),
        (&["J1", "J2"].map(String::from)[..], Some(true), None)
    );
    let s = sorts("J1 J2\nw1 1 2\nw2 1 3\n", &of_kind(FileKind::Sorts));
    assert_eq!((s.objects().labels(), s.together(1, 0, 1)), (&["w1", "w2"].map(String::from)[..], Some(false)));
    refused("id,class\na,x\na,y\n", &options(), &["line 3", "`a`", "line 2"]);
    let wide = sorts("object,ann,bob\na,x,1\nb,x,2\nc,y,\n", &of_kind(FileKind::Sorts));
    let long = "object,group,participant\na,x,ann\nc,y,ann\nb,x,ann\nb,2,bob\na,1,bob\n";
    assert_eq!(sorts(long, &options()), wide);
    assert_eq!(sorts(long, &of_kind(FileKind::Sorts)), wide);
    let again = "object,group,participant\na,x,ann\nb,x,ann\na,y,ann\n";
    refused(again, &options(), &["line 4", "`a`", "line 2", "every person and object one row"]);
    refused("a,1,2\nb,1\n", &of_kind(FileKind::Sorts), &["line 2", "2 fields"]);
}
