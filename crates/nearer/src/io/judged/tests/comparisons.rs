//! Triplets, rankings and other trials: every layout, and what is wrong with them.

use super::{comparisons, of_kind, options, refused, shown, trials, with_columns};
use crate::evidence::{Answered, Evidence, Side, Task};
use crate::io::npy::tests::npy;
use crate::io::testing::{gz, load, refusal_within};
use crate::io::*;
use crate::object::Objects;

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
