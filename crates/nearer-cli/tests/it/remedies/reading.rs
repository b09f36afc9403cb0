//! What a file is: refusals of readers, and what they say to do.

use super::{Case, POINTS, SQUARE};

const FULL: &str = "label,a,b,c,d\na,0,1,2,3\nb,1.5,0,1,2\nc,2,1,0,1\nd,3,2,1,0\n";
const WORDS: &str = "pear,apple,plum\napple,plum,kiwi\nkiwi,pear,fig\nfig,kiwi,plum\nplum,apple,fig\n";
const FOUR: &str = "pear,apple,plum,kiwi\napple,plum,kiwi,fig\nkiwi,pear,fig,plum\nfig,kiwi,plum,apple\n";
const ALIKE: &str = "SubjectID,Document1,Document2,Similarity,Time\ns1,1,2,4,0.5\ns1,1,3,2,0.7\ns1,2,3,1,0.4\ns2,1,2,5,0.5\ns2,1,3,2,0.9\ns2,2,3,2,1.2\n";
const NAN: &str = "label,a,b,c\na,0,1,2\nb,1,0,NaN\nc,2,NaN,0\n";
const DIAGONAL: &str = "label,a,b,c\na,1,.5,.2\nb,.5,1,.3\nc,.2,.3,1\n";
const WHOLE: &str = "1,2,3\n2,3,4\n3,4,1\n4,1,2\n1,3,4\n2,4,1\n";
const STIMS: &str = "stim,pick,other\ncat,lynx,cod\ncod,hake,cat\nhake,carp,lynx\ncarp,cod,cat\nlynx,cat,hake\n";
const NUMBERS: &str = "what,x1,x2\ncat,1,2\nlynx,2,2\ncod,7,1\nhake,8,2\ncarp,6,3\n";

pub(super) const CASES: &[Case] = &[
    Case {
        files: &[("f.csv", "fruit,grams,sugar\napple,180,10.4\npear,178,\nplum,66,9.9\nfig,40,16\n")],
        refused: &["embed", "f.csv"],
        says: &["line 3, column 3: the cell is empty", "have no gaps", "--measure gower", "--kind rows"],
        remedy: &[&["embed", "f.csv", "--measure", "gower"], &["check", "f.csv", "--kind", "rows"]],
    },
    Case {
        files: &[("s.csv", "id,class,by\na,x,ann\nb,x,ann\nc,y,ann\nd,y,ann\na,1,bob\nb,2,bob\nc,2,bob\nd,2,bob\n")],
        refused: &["embed", "s.csv", "--kind", "classes"],
        says: &["line 6", "`a` stands on line 2 already", "--columns object=…,class=…,participant=…"],
        remedy: &[&["embed", "s.csv", "--columns", "object=id,class=class,participant=by"]],
    },
    Case {
        files: &[
            ("f.csv", "id,size,width\na,0,0\nb,0,1\nc,5,5\nd,5,6\n"),
            ("c.csv", "thing,colour\na,red\nb,red\nc,blue\nd,blue\n"),
        ],
        refused: &["embed", "f.csv", "c.csv", "--method", "rca"],
        says: &["`thing,colour` names no columns", "--classes colour", "--kind classes", "--kind taxonomy"],
        remedy: &[
            &["embed", "f.csv", "c.csv::columns=object=thing,class=colour", "--method", "rca"],
            &["embed", "f.csv", "c.csv", "--classes", "colour", "--method", "rca"],
        ],
    },
    Case {
        files: &[
            ("f.csv", "id,size,width\na,0,0\nb,0,1\nc,5,5\nd,5,6\n"),
            ("c.csv", "a,red\nb,red\nc,blue\nd,blue\n"),
            ("t.csv", "all,animals\nanimals,dog\nanimals,cat\nall,oak\n"),
        ],
        refused: &["check", "c.csv"],
        says: &["`a,red` names no columns", "--kind classes", "--kind taxonomy"],
        remedy: &[
            &["check", "c.csv", "--kind", "classes"],
            &["embed", "f.csv", "c.csv::kind=classes", "--method", "rca"],
            &["check", "t.csv", "--kind", "taxonomy"],
        ],
    },
    Case {
        files: &[("m.csv", POINTS)],
        refused: &["embed", "m.csv"],
        says: &["a map already", "`nearer report`", "`nearer plot`", "--kind rows", "--kind features"],
        remedy: &[
            &["report", "m.csv", "-o", "m.html"],
            &["plot", "m.csv", "-o", "m.svg"],
            &["embed", "m.csv", "--kind", "features"],
        ],
    },
    Case {
        files: &[("d.csv", SQUARE), ("o.txt", "a\nb\nc\nd\n")],
        refused: &["embed", "d.csv", "--objects", "o.txt"],
        says: &["take --objects away"],
        remedy: &[&["embed", "d.csv"]],
    },
    Case {
        files: &[("d.csv", SQUARE)],
        refused: &["eval", "d.csv", "d.csv"],
        says: &["these are distances and not coordinates", "`nearer embed`"],
        remedy: &[&["embed", "d.csv", "-o", "m.csv"], &["eval", "m.csv", "d.csv"]],
    },
    Case {
        files: &[("d.csv", SQUARE), ("n.csv", "label,a,b,c,d\nn,1,1,2,3\n"), ("m.csv", POINTS)],
        refused: &["place", "m.csv", "n.csv", "-o", "p.csv"],
        says: &["not a model file", "give a file that `nearer embed` wrote"],
        remedy: &[&["embed", "d.csv", "-o", "m.nearer"], &["place", "m.nearer", "n.csv", "-o", "p.csv"]],
    },
    Case {
        files: &[
            ("p.csv", "from,to,label\na,b,3.5\nb,c,1.5\na,c,2\n"),
            ("q.csv", "from,to,distance\na,b,3.5\nb,c,1.5\na,c,2\n"),
        ],
        refused: &["embed", "p.csv"],
        says: &["does not say whether the two are alike", "if the column holds distances, call it `distance`"],
        remedy: &[&["embed", "q.csv"]],
    },
    Case {
        files: &[("t.csv", "head,near,far,catch_trial,flag\na,b,c,perhaps,0\nb,c,d,no,0\nc,d,a,no,1\na,b,d,no,0\n")],
        refused: &["embed", "t.csv"],
        says: &["`perhaps` does not say whether the row is a check", "--columns check=…"],
        remedy: &[&["embed", "t.csv", "--columns", "check=flag"]],
    },
    Case {
        files: &[("t.csv", "stim1,stim2,stim3,choice\na,b,c,a\nb,c,d,c\nc,d,a,a\n")],
        refused: &["embed", "t.csv"],
        says: &["--columns odd=choice,shown=stim1,shown=stim2,shown=stim3", "--columns central=choice"],
        remedy: &[
            &["embed", "t.csv", "--columns", "odd=choice,shown=stim1,shown=stim2,shown=stim3"],
            &["embed", "t.csv", "--columns", "central=choice,shown=stim1,shown=stim2,shown=stim3"],
        ],
    },
    Case {
        files: &[("t.csv", WORDS)],
        refused: &["embed", "t.csv", "--kind", "odd-one-out"],
        says: &["--columns odd=1,shown=2,shown=3", "--columns odd=3,shown=1,shown=2"],
        remedy: &[
            &["embed", "t.csv", "--columns", "odd=1,shown=2,shown=3"],
            &["embed", "t.csv", "--columns", "odd=3,shown=1,shown=2"],
        ],
    },
    Case {
        files: &[("d.csv", "label,a,b,c\na,0,-1,2\nb,-1,0,3\nc,2,3,0\n")],
        refused: &["embed", "d.csv"],
        says: &["the distance -1 is negative", "--similarity"],
        remedy: &[&["embed", "d.csv", "--similarity", "max-s"]],
    },
    Case {
        // What is said of one file does not hold for the other.
        files: &[("t.csv", STIMS), ("f.csv", NUMBERS)],
        refused: &["embed", "t.csv", "f.csv", "--kind", "features"],
        says: &["t.csv", "is not a number"],
        remedy: &[
            &["embed", "t.csv::columns=head=stim,near=pick,far=other", "f.csv::kind=features"],
            &["embed", "t.csv::head=stim,near=pick,far=other,kind=triplets", "f.csv::kind=features"],
        ],
    },
    Case {
        files: &[("t.csv", STIMS)],
        refused: &["embed", "t.csv::kinds=triplets"],
        says: &["`kinds` cannot be said of a file", "kind, format, similarity, formula, measure, where, columns"],
        remedy: &[&["embed", "t.csv::kind=triplets,columns=head=stim,near=pick,far=other"]],
    },
    Case {
        files: &[("d.csv", FULL)],
        refused: &["embed", "d.csv"],
        says: &["not symmetric", "--symmetrise mean", "--kind upper or --kind lower", "--kind rows"],
        remedy: &[
            &["embed", "d.csv", "--symmetrise", "mean"],
            &["embed", "d.csv", "--kind", "upper"],
            &["embed", "d.csv", "--kind", "lower"],
            &["embed", "d.csv", "--kind", "rows", "--method", "asymmetric-mds"],
        ],
    },
    Case {
        files: &[("t.csv", WORDS)],
        refused: &["embed", "t.csv"],
        says: &[
            "`pear,apple,plum` names no columns",
            "--kind triplets",
            "--columns odd=3,shown=1,shown=2",
            "head,near,far",
        ],
        remedy: &[&["embed", "t.csv", "--kind", "triplets"], &["embed", "t.csv", "--columns", "odd=3,shown=1,shown=2"]],
    },
    Case {
        files: &[("q.csv", FOUR)],
        refused: &["embed", "q.csv"],
        says: &["names no columns", "--kind quadruplets"],
        remedy: &[&["embed", "q.csv", "--kind", "quadruplets"]],
    },
    Case {
        files: &[("s.csv", ALIKE)],
        refused: &["embed", "s.csv"],
        says: &["the column `Similarity` holds similarities", "--similarity max-s"],
        remedy: &[&["embed", "s.csv", "--similarity", "max-s"]],
    },
    Case {
        files: &[("d.csv", NAN)],
        refused: &["embed", "d.csv"],
        says: &["`NaN`", "--nan-missing"],
        remedy: &[&["embed", "d.csv", "--nan-missing"]],
    },
    Case {
        files: &[("d.csv", DIAGONAL)],
        refused: &["embed", "d.csv"],
        says: &["diagonal entry of `a` is 1", "--similarity (1-s, max-s, sqrt"],
        remedy: &[
            &["embed", "d.csv", "--similarity", "1-s"],
            &["embed", "d.csv", "--similarity", "max-s"],
            &["embed", "d.csv", "--similarity", "sqrt"],
        ],
    },
    Case {
        files: &[("w.csv", WHOLE)],
        refused: &["embed", "w.csv"],
        says: &["three columns of whole numbers", "--kind long, --kind triplets, --kind odd-one-out"],
        remedy: &[&["embed", "w.csv", "--kind", "long"], &["embed", "w.csv", "--kind", "triplets"]],
    },
    Case {
        files: &[("v.csv", "1\n2\n3\n4\n")],
        refused: &["embed", "v.csv", "--kind", "condensed"],
        says: &["4 values are not the pairs of any number of objects", "say what the file is with --kind"],
        remedy: &[&["embed", "v.csv", "--kind", "features"]],
    },
    Case {
        files: &[("d.npy", "3,2: 0 1 2 1 5 2")],
        refused: &["embed", "d.npy", "--kind", "matrix"],
        says: &["is not of the kind matrix", "or another --kind"],
        remedy: &[&["embed", "d.npy", "--kind", "features"]],
    },
    Case {
        // What is said of a file counts, not its name.
        files: &[("p.phy", "a 0 1 2\nb 1 0 1\nc 2 1 0\n")],
        refused: &["embed", "p.phy"],
        says: &["`a 0 1 2` is not a number of objects", "say --kind matrix if this is another kind of file"],
        remedy: &[&["embed", "p.phy", "--kind", "matrix"]],
    },
    Case {
        files: &[("d.csv", "label,a,b,c,d\na,0,1,2,3\nb,1,0,1,2\nx,2,1,1,1\nc,2,1,0,1\nd,3,2,1,0\n")],
        refused: &["embed", "d.csv", "--kind", "matrix"],
        says: &["`x` has a row, but is not among the 4 columns", "or say --kind rows if the columns are landmarks"],
        remedy: &[&["embed", "d.csv", "--kind", "rows"]],
    },
    Case {
        files: &[
            ("r.csv", "label,p,q,s\na,1,2,1\nb,2,1,3\nc,3,1,1\n"),
            ("l.csv", "label,p,q,s\np,0,2,1\nq,2,0,3\ns,1,3,0\n"),
        ],
        refused: &["embed", "r.csv", "--kind", "rows"],
        says: &["`p` is a column but has no row", "put the rows on an existing map with `nearer place`"],
        remedy: &[
            &["embed", "l.csv", "-o", "m.nearer", "--method", "landmark-mds"],
            &["place", "m.nearer", "r.csv", "-o", "p.csv"],
        ],
    },
    Case {
        files: &[("m.nearer", "A\0\0\0\0\0\0\0{\"a\":"), ("d.csv", SQUARE)],
        refused: &["place", "m.nearer", "d.csv", "-o", "p.csv"],
        says: &["it is cut off within its header", "make the model file again with `nearer embed`"],
        remedy: &[&["embed", "d.csv", "-o", "m.nearer"], &["place", "m.nearer", "d.csv", "-o", "p.csv"]],
    },
    Case {
        files: &[("d.csv", "label,a,b,c\na,0,1,2\nb,1,0,1\nc,2,1,0\n")],
        refused: &["embed", "d.csv", "--measure", "euclidean", "--kind", "matrix"],
        says: &["the kind matrix was asked for", "take --measure away, or say --kind features"],
        remedy: &[
            &["embed", "d.csv", "--kind", "matrix"],
            &["embed", "d.csv", "--measure", "euclidean", "--kind", "features"],
        ],
    },
    Case {
        files: &[("d.csv", "label,a,b,c\na,0,2,1\nb,2,0,1\nc,1,3,0\n")],
        refused: &["embed", "d.csv", "--confusion", "luce"],
        says: &[
            "the diagonal is 0 throughout",
            "--similarity max-s, its two sides brought together by --symmetrise mean",
        ],
        remedy: &[&["embed", "d.csv", "--similarity", "max-s", "--symmetrise", "mean"]],
    },
    Case {
        files: &[("d.csv", "label,a,b,c\na,9,2,0\nb,2,9,0\nc,0,0,9\n")],
        refused: &["embed", "d.csv", "--confusion", "luce"],
        says: &["are infinitely far apart", "--confusion luce:0.5, or choose --confusion overlap"],
        remedy: &[&["embed", "d.csv", "--confusion", "luce:0.5"], &["embed", "d.csv", "--confusion", "overlap"]],
    },
    Case {
        files: &[("d.csv", "label,a,b,c\na,9,2,0\nb,2,9,0\nc,0,0,9\n")],
        refused: &["embed", "d.csv", "--confusion", "shepard"],
        says: &["are infinitely far apart", "--confusion shepard:0.5, or choose --confusion overlap"],
        remedy: &[&["embed", "d.csv", "--confusion", "shepard:0.5"], &["embed", "d.csv", "--confusion", "overlap"]],
    },
];
