//! Files of judgements, good and bad, end to end.

use std::collections::HashMap;
use std::io::Write as _;

use proptest::prelude::*;

use crate::evidence::{
    Answered, Comparison, Comparisons, Evidence, Judged, Pairs, Side, Sorts, Task, Taxonomy, Trials,
};
use crate::io::npy::tests::npy;
use crate::io::testing::{file, gz, load, refusal, refusal_within};
use crate::io::*;
use crate::object::{Item, Objects, Pair};

fn options() -> ReadOptions {
    ReadOptions::default()
}

fn of_kind(kind: FileKind) -> ReadOptions {
    ReadOptions { kind: Some(kind), ..options() }
}

fn with_columns(columns: &str) -> ReadOptions {
    ReadOptions { columns: columns.parse().unwrap(), ..options() }
}

fn comparisons(text: impl AsRef<[u8]>, options: &ReadOptions) -> Comparisons {
    match load("t.csv", text, options).unwrap().evidence {
        Evidence::Comparisons(c) => c,
        other => panic!("{other:?}"),
    }
}

fn trials(text: impl AsRef<[u8]>, options: &ReadOptions) -> Trials {
    comparisons(text, options).trials().unwrap().clone()
}

/// Every trial as labels, in the order of its task.
fn shown(trials: &Trials) -> Vec<String> {
    let row = |t: crate::evidence::Trial<'_>| {
        t.items.iter().map(|i| trials.objects().label(*i)).collect::<Vec<_>>().join(" ")
    };
    trials.iter().map(row).collect()
}

fn refused(text: impl AsRef<[u8]>, options: &ReadOptions, words: &[&str]) {
    let e = refusal("t.csv", text.as_ref(), options);
    let text = String::from_utf8_lossy(text.as_ref());
    assert!(e.contains("t.csv") && words.iter().all(|w| e.contains(w)), "{text}\n{e}");
}

#[test]
fn triplets_in_every_documented_layout_say_the_same() {
    for (text, options) in [
        ("head,near,far\nd,w,c\nc,l,d\n", options()),
        ("anchor,positive,negative\nd,w,c\nc,l,d\n", options()),
        ("far,head,near\nc,d,w\nd,c,l\n", options()),
        ("Query\tCloser\tFarther\nd\tw\tc\nc\tl\td\n", options()),
        ("i,j,k\nd,w,c\nc,l,d\n", options()),
        ("i,j,k,response\nd,w,c,1\nc,d,l,-1\n", options()),
        ("x,head,left,right,winner\n1,d,w,c,w\n2,c,d,l,l\n", options()),
        ("resp,S1,S2,S3\n1,w,d,c\n0,d,c,l\n", options()),
        ("\"\",\"resp\",\"S1\",\"S2\",\"S3\"\n\"1\",1,w,d,c\n\"2\",0,d,c,l\n", options()),
        ("head near far\n1 d w c\n2 c l d\n", options()),
        ("d w c\nc l d\n", of_kind(FileKind::Triplets)),
        ("stim;pick;other\nd;w;c\nc;l;d\n", with_columns("head=stim,near=pick,far=other")),
        ("c,d,w\nd,c,l\n", with_columns("far=1,head=2,near=3")),
        ("near,head,far\nd,w,c\nc,l,d\n", with_columns("head=near,near=head")),
    ] {
        let t = trials(text, &options);
        assert_eq!((t.task(), shown(&t)), (Task::Triplets, vec!["d w c".into(), "c l d".into()]), "{text}");
        assert_eq!(shown(&trials(gz(text.as_bytes()), &options)), ["d w c", "c l d"], "{text}");
    }
}

#[test]
fn quadruplets_say_which_pair_is_nearer() {
    for text in ["i,j,k,l\na,b,c,d\n", "a,b,c,d\na,b,c,d\n", "resp,S1,S2,S3,S4\n0,c,d,a,b\n"] {
        let t = trials(text, &options());
        assert_eq!((t.task(), shown(&t)), (Task::Quadruplets, vec!["a b c d".into()]), "{text}");
    }
    assert_eq!(shown(&trials("1,2,3,4\n4,3,2,1\n", &of_kind(FileKind::Quadruplets))), ["1 2 3 4", "4 3 2 1"]);
}

#[test]
fn the_odd_one_is_named_by_its_label_or_by_its_column() {
    for (text, options) in [
        ("stim1_name,stim2_name,stim3_name,choice\na,x,b,x\n", options()),
        ("image1,image2,image3,odd\nx,a,b,x\n", options()),
        ("odd,other1,other2\nx,a,b\n", options()),
        ("a,b,x\n", ReadOptions { kind: Some(FileKind::OddOneOut), ..with_columns("odd=3") }),
        ("x,a,b\n", with_columns("odd=1,shown=2,shown=3")),
        ("p,q,r\na,b,x\n", with_columns("odd=r,one=p,two=q,three=r")),
        ("item1,item2,item3,response\na,b,x,x\n", of_kind(FileKind::OddOneOut)),
    ] {
        assert_eq!(shown(&trials(text, &options)), ["a b x"], "{text}");
    }
    // Four objects: three others, whose column is also among those shown.
    let four = with_columns("odd=4,shown=1,shown=2,shown=3,shown=4");
    assert_eq!(shown(&trials("a,b,c,x\n", &four)), ["a b c x"]);
    // A trial that shows an object twice is kept as what it is.
    let t = trials("one,two,three,odd\na,a,x,a\na,b,x,x\n", &options()).tally();
    assert_eq!((t.rows, t.selves, t.queries), (2, 1, 1));
}

#[test]
fn odd_first_and_odd_last_are_not_guessed() {
    refused("1,2,3\n4,5,6\n", &of_kind(FileKind::OddOneOut), &["odd=1", "cblearn", "odd=3", "SPoSE"]);
    refused("stim1,stim2,stim3,choice\na,b,c,c\n", &options(), &["`choice`", "odd=choice", "central=choice"]);
    refused("1,2,3\n4,5,6\n7,8,9\n7,8,1\n", &options(), &["`kind` triplets", "`kind` odd-one-out", "`kind` long"]);
}

#[test]
fn most_central_choices_and_ranks() {
    let t = trials("item1,item2,item3,central\na,m,b,m\n", &options());
    assert_eq!((t.task(), shown(&t)), (Task::MostCentral, vec!["m a b".into()]));
    for (text, options) in [
        ("head,chosen1,chosen2,rest1,rest2\nh,a,b,c,d\n", options()),
        ("query,item1,item2,item3,item4,selected1,selected2\nh,a,c,b,d,a,b\n", options()),
        ("h,a,b,c,d\n", with_columns("head=1,chosen=2,chosen=3")),
    ] {
        let t = trials(text, &options);
        assert_eq!((t.task(), t.get(0).split, shown(&t)), (Task::Choices, 2, vec!["h a b c d".into()]), "{text}");
    }
    let t = trials("head,chosen,rest1,rest2\nh,a,b,c\nh,a,b,\n", &options());
    assert_eq!(shown(&t), ["h a b c", "h a b"]);
    for (text, options) in [
        ("head,rank1,rank2,rank3\nh,a,b,c\n", options()),
        ("h,a,b,c\n", of_kind(FileKind::Ranks)),
        ("ref,item1,item2,item3,rank1,rank2\nh,c,b,a,a,b\n", options()),
    ] {
        let c = comparisons(text, &options);
        let said: Vec<String> = (0..c.len()).map(|k| c.in_words(k)).collect();
        assert_eq!(said, ["`h` is nearer to `a` than to `b`", "`h` is nearer to `b` than to `c`"], "{text}");
    }
    let ranks = of_kind(FileKind::Ranks);
    assert_eq!(shown(&trials("g,a,b\nh,a,b,c\n", &ranks)), ["g a b", "h a b c"]);
    let late = "g,a,b\n".repeat(5000) + "h,a,b,c\n";
    refused(&late, &ranks, &["line 5001", "4 fields", "3 have a part"]);
    refused("head,item1,item2,chosen\nh,a,b,z\n", &options(), &["line 2", "`z` is not among those shown"]);
    refused("head,chosen,rest1,rest2\nh,a,,\n", &options(), &["line 2", "compares nothing"]);
}

#[test]
fn a_salmon_file_says_who_when_and_on_which_side() {
    let text = "head,left,right,winner,sampler,score,puid,response_time,loser,catch_trial\n\
                3,1,2,1,Random,0.5,u1,1.5,2,False\n3,1,2,2,Random,0.5,u2,,1,False\n1,2,3,3,Random,0,u1,2,2,True\n";
    let loaded = load("responses.csv", text, &options()).unwrap();
    for said in [
        "columns head, winner, loser: head is nearer to winner than to loser",
        "puid is the participant",
        "response_time is the response time in seconds",
        "1 answer is marked as a check: counted and not used",
    ] {
        assert!(loaded.assumptions.iter().any(|a| a == said), "{said}: {:?}", loaded.assumptions);
    }
    let t = trials(text, &options());
    assert_eq!(t.objects().labels(), ["1", "2", "3"]);
    assert_eq!(t.participants(), ["u1", "u2"]);
    let row = |k: usize| t.get(k).answered;
    assert_eq!(
        row(0),
        Answered { line: 2, participant: Some(0), seconds: Some(1.5), side: Some(Side::Left), ..Answered::default() }
    );
    assert_eq!((row(1).seconds, row(1).side, row(1).participant), (None, Some(Side::Right), Some(1)));
    let tally = t.tally();
    assert_eq!((tally.rows, tally.checks, tally.selves, tally.queries, tally.contradictory), (3, 1, 0, 1, 1));
}

#[test]
fn weights_margins_times_and_votes_are_taken() {
    let t = trials("head,near,far,weight,margin,rt_ms\na,b,c,2.5,0,1500\n", &options());
    let a = t.get(0).answered;
    assert_eq!((a.weight, a.margin, a.seconds), (2.5, 0.0, Some(1.5)));
    let t = trials("head;near;far;weight\na;b;c;2,5\n", &options());
    assert_eq!(t.get(0).answered.weight, 2.5);
    let t = trials("head,near,far,votes\na,b,c,3\n", &options()).tally();
    assert_eq!((t.rows, t.queries, t.minority), (3, 1, 0));
    let t = trials("head,near,far,votes_near,votes_far\na,b,c,3,1\na,d,c,0,2\n", &options());
    assert_eq!(shown(&t), ["a b c", "a b c", "a b c", "a c b", "a c d", "a c d"]);
    assert_eq!(t.tally().minority, 1);
    let loaded = load("t.csv", "head,near,far,rt\na,b,c,-1\na,c,d,1200\na,d,b,900\n", &options()).unwrap();
    assert!(loaded.warnings.iter().any(|w| w.contains("line 2: `-1`")), "{:?}", loaded.warnings);
    assert!(loaded.warnings.iter().any(|w| w.contains("time_ms")), "{:?}", loaded.warnings);
}

#[test]
fn objects_that_are_given_exist_unseen_and_strangers_are_refused() {
    let objects = Objects::new(["ape", "dog", "wolf", "cat"]).unwrap();
    let given = ReadOptions { objects: Some(objects.clone()), ..options() };
    let c = comparisons("head,near,far\ndog,wolf,cat\n", &given);
    assert_eq!((c.objects(), shown(c.trials().unwrap())), (&objects, vec!["dog wolf cat".to_string()]));
    refused(
        "head,near,far\ndog,wolf,cat\ndog,Wolf,cat\n",
        &given,
        &["line 3, column 2", "`Wolf`", "did you mean `wolf`?"],
    );
    refused(",a,b\na,0,1\nb,1,0\n", &given, &["`objects`"]);
    let loaded = load("t.csv", "head,near,far\nDog,wolf,cat\ndog,wolf,cat\n", &options()).unwrap();
    assert_eq!(loaded.warnings, ["`Dog` (line 2) and `dog` (line 3) differ only by case; they are two objects"]);
}

#[test]
fn wrong_tables_are_refused_with_place_and_remedy() {
    let triplets = of_kind(FileKind::Triplets);
    for (text, options, words) in [
        ("", &triplets, &["empty"][..]),
        ("head,near,far\n", &options(), &["no row with an answer"]),
        ("head,near,far\na,b,c\na,b\n", &options(), &["line 3", "2 fields", "3 in the header"]),
        ("head,near,far\na,,c\n", &options(), &["line 2, column 2", "empty"]),
        ("head,near,far,weight\na,b,c,NaN\n", &options(), &["line 2, column 4", "`NaN`", "above 0"]),
        ("head,near,far,weight\na,b,c,-2\n", &options(), &["line 2, column 4", "`-2`", "exchange near and far"]),
        ("head,near,far,weight\na,b,c,0\n", &options(), &["`0`"]),
        ("head,near,far,margin\na,b,c,-1\n", &options(), &["margin `-1`"]),
        ("head,near,far,weight,weights\na,b,c,1,2\n", &options(), &["`weight` and `weights`", "`columns` weight="]),
        ("head,near,far,winner,loser\na,b,c,b,c\n", &options(), &["two ways", "near=near", "near=winner"]),
        ("head,near,far,votes\na,b,c,1.5\n", &options(), &["`1.5`", "whole number"]),
        ("head,near,far,check\na,b,c,perhaps\n", &options(), &["`perhaps`", "true or false"]),
        ("a,b,c,d\nx,y,y,x\n", &options(), &["line 2", "`x`, `y` is compared with itself"]),
        ("head,left,right,winner\na,b,c,d\n", &options(), &["line 2, column 4", "neither `b` nor `c`"]),
        (
            "one,two,three,odd\na,b,c,d\n",
            &options(),
            &["line 2, column 4", "`d` is not among those shown, `a`, `b`, `c`"],
        ),
        ("resp,S1,S2,S3\n2,1,2,3\n", &options(), &["`2` is not an answer"]),
        ("p,q,r\n1,2,3\n", &triplets, &["nothing says which column is the head", "`p`, `q`, `r`", "head=…"]),
        ("1,2\n3,4\n", &triplets, &["head", "2 columns"]),
        (
            "stim,pick,other\na,b,c\n",
            &with_columns("head=stim,near=pik,far=other"),
            &["no column `pik`", "did you mean `pick`?"],
        ),
        ("a,b,c\n", &with_columns("head=x,near=2,far=3"), &["no header", "`x`"]),
        ("a,b,c\n", &with_columns("head=1,near=2,far=4"), &["no column 4", "has 3"]),
        ("head,near,far\na,b,c\n", &with_columns("head=near"), &["`near` is given as head and as near"]),
        ("u,v\na,b\n", &with_columns("head=u,near=v"), &["far one"]),
        ("head,near,near\na,b,c\n", &with_columns("head=head,near=near,far=3"), &["column 2 and column 3"]),
        ("head,near,far\na,b\0,c\n", &options(), &["NUL"]),
        (
            ",a,b\na,0,1\nb,1,0\n",
            &ReadOptions { kind: Some(FileKind::Matrix), ..with_columns("head=1") },
            &["`columns`"],
        ),
    ] {
        refused(text, options, words);
    }
    refused(b"head,near,far\na,\xff,c\n", &options(), &["line 2, column 2", "UTF-8"]);
    let long: String = "head,near,far\n".to_string() + &"a,b,c\n".repeat(5000);
    let e = refusal_within(1000, "t.csv", &long, &options());
    assert!(e.contains("1000 B") && e.contains("`memory`"), "{e}");
    let zipped = gz(long.as_bytes());
    refused(&zipped[..zipped.len() - 9], &options(), &["cut off"]);
}

#[test]
fn letters_over_numbers_are_a_matrix_still() {
    let text = "i,j,k\n0,1,2\n1,0,3\n2,3,0\n";
    assert_eq!(load("d.csv", text, &options()).unwrap().kind, FileKind::Matrix);
    let text = "a,b,c,d\n0,1,2,1\n1,0,3,1\n2,3,0,1\n1,1,1,0\n";
    assert_eq!(load("d.csv", text, &options()).unwrap().kind, FileKind::Matrix);
    assert_eq!(load("d.csv", "i,j,value\na,b,1\na,c,2\n", &options()).unwrap().kind, FileKind::Long);
    let text = "label,parent,child\nparent,0,1\nchild,1,0\n";
    assert_eq!(load("d.csv", text, &options()).unwrap().kind, FileKind::Matrix);
    let text = "u,v,d\na,b,1\na,c,2\nb,c,2\n";
    let loaded = load("d.csv", text, &with_columns("from=u,to=v,value=d")).unwrap();
    assert_eq!(loaded.kind, FileKind::Long);
}

fn pairs(text: &str, options: &ReadOptions) -> Pairs {
    match load("t.csv", text, options).unwrap().evidence {
        Evidence::Pairs(p) => p,
        other => panic!("{other:?}"),
    }
}

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

#[test]
fn arrays_of_whole_numbers_are_trials() {
    let read = |values: &[i64], width: u64, order, options: &ReadOptions| {
        load("t.npy", npy(&[values.len() as u64 / width, width], order, values), options)
    };
    let (c, f) = (npyz::Order::C, npyz::Order::Fortran);
    let get = |loaded: Loaded| match loaded.evidence {
        Evidence::Comparisons(c) => shown(c.trials().unwrap()),
        other => panic!("{other:?}"),
    };
    let triplets = of_kind(FileKind::Triplets);
    assert_eq!(get(read(&[10, 2, 3, 2, 3, 10], 3, c, &triplets).unwrap()), ["10 2 3", "2 3 10"]);
    assert_eq!(get(read(&[10, 2, 2, 3, 3, 10], 3, f, &triplets).unwrap()), ["10 2 3", "2 3 10"]);
    assert_eq!(get(read(&[1, 2, 3, 4], 4, c, &of_kind(FileKind::Quadruplets)).unwrap()), ["1 2 3 4"]);
    assert_eq!(get(read(&[7, 8, 9], 3, c, &with_columns("odd=1")).unwrap()), ["8 9 7"]);
    let answers = with_columns("head=1,near=2,far=3,answer=4");
    assert_eq!(get(read(&[1, 2, 3, -1], 4, c, &answers).unwrap()), ["1 3 2"]);
    let names = Objects::new(["ape", "bee", "cow"]).unwrap();
    let named = ReadOptions { objects: Some(names), ..answers };
    assert_eq!(get(read(&[0, 1, 2, 1], 4, c, &named).unwrap()), ["ape bee cow"]);
    for (values, width, options, words) in [
        (&[1, 2, 3][..], 3, of_kind(FileKind::OddOneOut), &["cblearn", "SPoSE"][..]),
        (&[1, 2, 3], 3, of_kind(FileKind::Quadruplets), &["3 columns"]),
        (&[1, 2, 3], 3, of_kind(FileKind::Pairs), &["shape [1, 3]", "pairs"]),
        (&[0, 1, 3, 1], 4, named, &["line 1, column 3", "object 3 among 3"]),
    ] {
        let e = read(values, width, c, &options).unwrap_err().to_string();
        assert!(e.contains("t.npy") && words.iter().all(|w| e.contains(w)), "{e}");
    }
    let e = load("t.npy", npy(&[1, 3], c, &[1.0, 2.5, 3.0]), &triplets).unwrap_err().to_string();
    assert!(e.contains("2.5") && e.contains("column 2"), "{e}");
}

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

#[test]
fn the_examples_say_what_their_page_says() {
    let example = |name: &str| {
        let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples").join(name);
        read_evidence(&Source::from(path), &options()).unwrap().evidence
    };
    let Evidence::Comparisons(c) = example("judgements.csv") else { panic!() };
    let t = c.trials().unwrap().tally();
    assert_eq!((t.rows, t.checks, t.selves, t.contradictory), (23, 2, 2, 2));
    assert_eq!(c.trials().unwrap().participants().len(), 4);
    let Evidence::Pairs(p) = example("alike.csv") else { panic!() };
    assert_eq!((p.tally().rows, p.tally().contradictory, p.objects().len()), (15, 1, 9));
    let Evidence::Taxonomy(tree) = example("animals.nwk") else { panic!() };
    assert_eq!((tree.objects().len(), tree.nodes(), tree.height()), (8, 14, 3));
    assert_eq!(tree.objects().labels()[4], "sea gull");
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
