//! Files of judgements, good and bad, end to end.

mod alike;
mod comparisons;
mod round_trip;

use crate::evidence::{Comparisons, Evidence, Pairs, Trials};
use crate::io::testing::{load, refusal};
use crate::io::*;

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

fn pairs(text: &str, options: &ReadOptions) -> Pairs {
    match load("t.csv", text, options).unwrap().evidence {
        Evidence::Pairs(p) => p,
        other => panic!("{other:?}"),
    }
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
