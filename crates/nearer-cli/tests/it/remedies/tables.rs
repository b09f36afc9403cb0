//! Which column is what: refusals of tables of judgements.

use super::{Case, SQUARE};

pub(super) const CASES: &[Case] = &[
    Case {
        files: &[("c.csv", "session,result,clicked,seen\ns,a,1,1\ns,b,maybe,0\ns,c,0,1\nt,b,1,1\nt,c,1,0\nt,a,0,1\n")],
        refused: &["embed", "c.csv"],
        says: &["`maybe` does not say whether the result was opened", "--columns opened=…"],
        remedy: &[&["embed", "c.csv", "--columns", "opened=seen"]],
    },
    Case {
        files: &[("d.csv", SQUARE)],
        refused: &["embed", "d.csv", "--kind", "matrix", "--columns", "head=a"],
        says: &["a file of the kind matrix has none", "take --columns away, or say another --kind"],
        remedy: &[
            &["embed", "d.csv", "--kind", "matrix"],
            &["embed", "d.csv", "--kind", "triplets", "--columns", "head=a,near=b,far=c"],
        ],
    },
    Case {
        files: &[("t.csv", "x,y,z\na,b,c\nb,c,a\n")],
        refused: &["embed", "t.csv", "--columns", "weight=x"],
        says: &["which columns hold the judgements is not clear", "name them all with --columns, or say --kind"],
        remedy: &[&["embed", "t.csv", "--columns", "head=x,near=y,far=z"], &["embed", "t.csv", "--kind", "triplets"]],
    },
    Case {
        files: &[("t.csv", "anchor,winner,loser,near,far\na,b,c,c,b\nb,c,d,d,c\n")],
        refused: &["embed", "t.csv"],
        says: &[
            "names the triplets in two ways",
            "--columns head=anchor,near=near,far=far, or --columns head=anchor,near=winner,far=loser",
        ],
        remedy: &[
            &["embed", "t.csv", "--columns", "head=anchor,near=near,far=far"],
            &["embed", "t.csv", "--columns", "head=anchor,near=winner,far=loser"],
        ],
    },
    Case {
        files: &[
            ("t.csv", "head,near,far,weight,weights\na,b,c,1,2\nb,c,d,1,2\nc,d,a,1,1\n"),
            ("u.csv", "head,near,far,weight\na,b,c,1\nb,c,d,1\nc,d,a,1\n"),
        ],
        refused: &["embed", "t.csv"],
        says: &[
            "`weight` and `weights` both look like the weight",
            "say which with --columns weight=…, or take one of them out",
        ],
        remedy: &[&["embed", "t.csv", "--columns", "weight=weights"], &["embed", "u.csv"]],
    },
    Case {
        files: &[("t.csv", "from,to,x\na,b,1\nb,c,0\n")],
        refused: &["embed", "t.csv", "--kind", "pairs"],
        says: &["nothing says which column is the first object", "name the columns with --columns from=…,to=…,label=…"],
        remedy: &[&["embed", "t.csv", "--columns", "from=from,to=to,label=x"]],
    },
    Case {
        files: &[("t.csv", "head,x,y\na,b,c\nb,c,a\n")],
        refused: &["embed", "t.csv", "--kind", "choices"],
        says: &["nothing says which column is the head", "--columns head=…,chosen=…,rest=…,rest=…"],
        remedy: &[&["embed", "t.csv", "--columns", "head=head,chosen=x,rest=y"]],
    },
    Case {
        files: &[("d.csv", SQUARE)],
        refused: &["embed", "d.csv", "--kind", "ranks"],
        says: &["--columns head=…,rank=…,rank=…, nearest first"],
        remedy: &[&["embed", "d.csv", "--columns", "head=label,rank=a,rank=b"]],
    },
    Case {
        files: &[("t.csv", "stim1,stim2,stim3,x\na,b,c,b\nb,c,a,a\n")],
        refused: &["embed", "t.csv", "--kind", "most-central"],
        says: &["nothing says which column is the central one", "--columns central=…,shown=…,shown=…"],
        remedy: &[&["embed", "t.csv", "--columns", "central=x,shown=stim1,shown=stim2,shown=stim3"]],
    },
    Case {
        files: &[("t.csv", "list,x,y\n1,b,1\n1,c,0\n1,a,1\n")],
        refused: &["embed", "t.csv", "--kind", "clicks"],
        says: &["nothing says which column is the list", "--columns session=…,object=…,opened=…"],
        remedy: &[&["embed", "t.csv", "--columns", "session=list,object=x,opened=y"]],
    },
    Case {
        files: &[("t.csv", "who,x,y\nann,b,1\nbob,c,0\ncis,b,1\n")],
        refused: &["embed", "t.csv", "--kind", "classes"],
        says: &["nothing says which column is the object", "--columns object=…,class=…"],
        remedy: &[&["embed", "t.csv", "--columns", "object=who,class=x"]],
    },
    Case {
        files: &[("t.csv", "who,x,y\na,b,1\nb,c,2\nc,a,1\n")],
        refused: &["embed", "t.csv", "--kind", "long", "--columns", "from=who"],
        says: &["nothing says which column is the second object", "--columns from=…,to=…,value=…"],
        remedy: &[&["embed", "t.csv", "--columns", "from=who,to=x,value=y"]],
    },
    Case {
        files: &[("t.csv", "up,down,x\nr,a,1\nr,b,0\na,c,1\na,d,1\n")],
        refused: &["embed", "t.csv", "--kind", "taxonomy"],
        says: &["nothing says which column is the parent", "--columns parent=…,child=…"],
        remedy: &[&["embed", "t.csv", "--columns", "parent=up,child=down"]],
    },
    Case {
        files: &[("d.csv", SQUARE), ("p.csv", "label,where\na,x/y\nb,x/z\nc,w/y\nd,x/y\n")],
        refused: &["embed", "d.csv", "--kind", "paths"],
        says: &["--columns path=…"],
        remedy: &[&["embed", "p.csv", "--columns", "object=label,path=where"]],
    },
    Case {
        files: &[("t.npy", "3,3: 0 1 2 1 0 2 2 1 0")],
        refused: &["embed", "t.npy", "--kind", "pairs"],
        says: &["is not of the kind pairs", "give one trial a row, N x 3 or N x 4, with --kind triplets"],
        remedy: &[&["embed", "t.npy", "--kind", "triplets"]],
    },
];
