//! Refusals of measures between the rows of a table.

use super::Case;

pub(super) const CASES: &[Case] = &[
    Case {
        files: &[("t.csv", "label,x,y,w\na,1,-2,3\nb,2,1,1\nc,0,4,2\nd,5,5,1\n")],
        refused: &["embed", "t.csv", "--measure", "bray-curtis"],
        says: &["`y` of `a` is -2", "leave the column out, or choose --measure euclidean"],
        remedy: &[
            &["embed", "t.csv", "--measure", "euclidean"],
            &["embed", "t.csv", "--measure", "bray-curtis", "--leave", "y"],
        ],
    },
    Case {
        files: &[("t.csv", "label,x,y\na,1.5,2\nb,2,1\nc,0,4\nd,2,2\n")],
        refused: &["embed", "t.csv", "--measure", "morisita"],
        says: &["`x` of `a` is 1.5", "give whole numbers, or choose --measure horn"],
        remedy: &[&["embed", "t.csv", "--measure", "horn"]],
    },
    Case {
        files: &[("t.csv", "label,x,y\na,1.5,\nb,2,1\nc,0,4\nd,2,2\n")],
        refused: &["embed", "t.csv", "--measure", "bray-curtis"],
        says: &["`y` of `a` is missing", "leave out the row or the column, or choose --measure gower"],
        remedy: &[&["embed", "t.csv", "--measure", "gower"]],
    },
    Case {
        files: &[("t.csv", "label,x,y\na,1,-1\nb,2,1\nc,0,1\nd,2,1\n")],
        refused: &["embed", "t.csv", "--measure", "euclidean", "--standardise", "log"],
        says: &["is negative", "leave the column out, or choose --standardise z-score"],
        remedy: &[&["embed", "t.csv", "--measure", "euclidean", "--standardise", "z-score"]],
    },
    Case {
        files: &[("t.csv", "label,x,y\na,0,0\nb,0,0\nc,0,1\nd,2,1\n")],
        refused: &["embed", "t.csv", "--measure", "bray-curtis"],
        says: &["is 0/0", "leave out empty rows, or choose --measure euclidean"],
        remedy: &[&["embed", "t.csv", "--measure", "euclidean"]],
    },
    Case {
        files: &[("t.csv", "label,x,y\na,0,0\nb,0,2\nc,0,1\nd,2,1\n")],
        refused: &["embed", "t.csv", "--measure", "cosine"],
        says: &["the row of `a` is 0 throughout", "leave it out, or choose --measure euclidean"],
        remedy: &[&["embed", "t.csv", "--measure", "euclidean"]],
    },
    Case {
        files: &[("t.csv", "label,x,y\na,red,0\nb,blue,0\nc,red,1\nd,red,1\n")],
        refused: &["embed", "t.csv", "--measure", "euclidean"],
        says: &["the column `x` holds words", "leave it out, or choose --measure gower"],
        remedy: &[&["embed", "t.csv", "--measure", "gower"]],
    },
    Case {
        files: &[("t.csv", "label,x,y\na,1,0\nb,1,2\nc,3,1\nd,2,1\n")],
        refused: &["embed", "t.csv", "--measure", "aitchison"],
        says: &["the row of `a` has a 0", "--measure aitchison:0.5, or choose --measure robust-aitchison"],
        remedy: &[
            &["embed", "t.csv", "--measure", "aitchison:0.5"],
            &["embed", "t.csv", "--measure", "robust-aitchison"],
        ],
    },
    Case {
        files: &[("t.csv", "label,x,y\na,1,2\nb,2,4\nc,3,6\nd,5,10\n")],
        refused: &["embed", "t.csv", "--measure", "mahalanobis"],
        says: &["cannot be inverted", "take fewer columns, more rows, or --measure standardised-euclidean"],
        remedy: &[&["embed", "t.csv", "--measure", "standardised-euclidean"]],
    },
];
