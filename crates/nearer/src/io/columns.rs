//! Which column of a long table holds what, by the names people give them, or by what stands in them.

use crate::error::{At, Error, Remedy};
use crate::io::cell::could_be_number;
use crate::io::judged::Role;
use crate::io::judged::plan::Columns;
use crate::io::kinds::{FileKind, ReadOptions};
use crate::io::layout::{integers, refuse};

/// Which column holds what.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct LongColumns {
    pub(crate) from: usize,
    pub(crate) to: usize,
    pub(crate) value: usize,
    pub(crate) weight: Option<usize>,
    pub(crate) participant: Option<usize>,
}

/// The names of the two objects of a row, in pairs that belong together.
pub(crate) const PAIRS: [(&str, &str); 18] = [
    ("from", "to"),
    ("i", "j"),
    ("a", "b"),
    ("object1", "object2"),
    ("object_1", "object_2"),
    ("source", "target"),
    ("item1", "item2"),
    ("item_1", "item_2"),
    ("id1", "id2"),
    ("name1", "name2"),
    ("label1", "label2"),
    ("sample1", "sample2"),
    ("stimulus1", "stimulus2"),
    ("stim1", "stim2"),
    ("left", "right"),
    ("first", "second"),
    ("row", "col"),
    ("x", "y"),
];
pub(crate) const VALUES: [&str; 13] = [
    "value",
    "distance",
    "dissimilarity",
    "dist",
    "score",
    "similarity",
    "sim",
    "rating",
    "response",
    "judgement",
    "judgment",
    "diss",
    "delta",
];
const WEIGHTS: [&str; 5] = ["weight", "weights", "w", "n", "count"];
const PARTICIPANTS: [&str; 8] =
    ["participant", "subject", "rater", "source_id", "participant_id", "subject_id", "respondent", "judge"];

impl LongColumns {
    /// The columns as they were named; that they all are was checked.
    pub(crate) fn new(columns: &Columns) -> LongColumns {
        let column = |role| columns.one(role).unwrap_or(0);
        LongColumns {
            from: column(Role::From),
            to: column(Role::To),
            value: column(Role::Value),
            weight: columns.one(Role::Weight),
            participant: columns.one(Role::Participant),
        }
    }

    /// The columns by their names, in any order; `None` where the names are not those of a long table.
    pub(crate) fn from_header(header: &[String]) -> Option<LongColumns> {
        let names: Vec<String> = header.iter().map(|h| h.trim().to_lowercase().replace([' ', '-'], "_")).collect();
        let bare = |name: &str| name.replace('_', "");
        let all: Vec<String> = names.iter().map(|name| bare(name)).collect();
        let position = |wanted: &str| {
            let wanted = bare(wanted);
            all.iter().position(|name| *name == wanted)
        };
        let find = |wanted: &[&str]| wanted.iter().find_map(|name| position(name));
        let known = PAIRS.iter().find_map(|(a, b)| Some((find(&[a])?, find(&[b])?)));
        let (from, to) = known.or_else(|| one_and_two(&names))?;
        let value = find(&VALUES)?;
        Some(LongColumns { from, to, value, weight: find(&WEIGHTS), participant: find(&PARTICIPANTS) })
    }

    /// The columns of a table without a header: two of labels and one of numbers. Three columns of whole numbers could
    /// be that or a matrix, and are refused.
    pub(crate) fn without_header(
        sample: &[Vec<String>],
        complete: bool,
        wanted: Option<FileKind>,
        at: &At,
    ) -> Result<Option<LongColumns>, Error> {
        let width = sample[0].len();
        let plain = LongColumns { from: 0, to: 1, value: 2, weight: None, participant: None };
        let numeric = |k: usize| sample.iter().all(|r| r.get(k).is_some_and(|c| could_be_number(c)));
        let words = |k: usize| sample.iter().any(|r| r.get(k).is_some_and(|c| !could_be_number(c)));
        let even = sample.iter().all(|r| r.len() == width);
        let columns = match width {
            4 if even && numeric(3) => LongColumns { weight: Some(3), ..plain },
            4 if even => LongColumns { participant: Some(3), ..plain },
            5 if even && numeric(3) => LongColumns { weight: Some(3), participant: Some(4), ..plain },
            _ => plain,
        };
        if wanted == Some(FileKind::Long) {
            if (3..=5).contains(&width) && numeric(2) {
                return Ok(Some(columns));
            }
            return Err(refuse(
                at,
                &format!("`{}` does not name the columns of a long table", sample[0].join(",")),
                "name them from, to and value (and weight, participant, where there are any)",
            ));
        }
        if !(3..=5).contains(&width) || !even || !numeric(2) {
            return Ok(None);
        }
        if words(0) && words(1) {
            return Ok(Some(columns));
        }
        if width != 3 || !integers(sample, 0..2) || is_small_square(sample, complete) {
            return Ok(None);
        }
        if integers(sample, 2..3) {
            return Err(refuse(
                at,
                "three columns of whole numbers without a header could be measurements (from, to, value), triplets, odd-one-out trials, a matrix or rows of distances to three landmarks",
                Remedy::from("add a header such as from,to,value or head,near,far, or say which with ")
                    .setting("kind", "long")
                    .and(", ")
                    .setting("kind", "triplets")
                    .and(", ")
                    .setting("kind", "odd-one-out")
                    .and(", ")
                    .setting("kind", "matrix")
                    .and(" or ")
                    .setting("kind", "rows"),
            ));
        }
        Ok(Some(columns))
    }

    /// Refuses values that call themselves similarities, where nothing says how they become distances.
    pub(crate) fn check(&self, header: &[String], options: &ReadOptions, at: &At) -> Result<(), Error> {
        let name = header.get(self.value).map_or("", |h| h.trim());
        let alike = ["similarity", "sim", "proximity"].contains(&name.to_lowercase().as_str());
        if !alike || options.similarity.is_some() {
            return Ok(());
        }
        let what = format!("the column `{name}` holds similarities, and a map is made of distances");
        let remedy = Remedy::from("say how they become distances: ")
            .setting("similarity", "max-s")
            .and(", or ")
            .setting("similarity", "1-s")
            .and(" where 1 is the same; if they are distances, call the column `distance`");
        Err(refuse(at, &what, remedy))
    }

    /// Which column is which, in words.
    pub(crate) fn words(&self, header: &[String]) -> String {
        let name = |k: usize| header.get(k).map_or(format!("column {}", k + 1), |h| format!("`{}`", h.trim()));
        let mut words = format!(
            "each row is one measurement: {} and {} name the objects, {} is the value",
            name(self.from),
            name(self.to),
            name(self.value)
        );
        if let Some(k) = self.weight {
            words += &format!(", {} is its weight", name(k));
        }
        if let Some(k) = self.participant {
            words += &format!(", {} says who measured", name(k));
        }
        words
    }
}

/// What the objects of a study are called, where their columns are called that and 1 and 2. Other words (`x1`, `rating1`) may
/// as well be features.
const THINGS: [&str; 22] = [
    "document", "doc", "word", "term", "concept", "sentence", "image", "img", "picture", "photo", "face", "sound",
    "tone", "product", "brand", "species", "taxon", "city", "country", "person", "entity", "node",
];

/// The two columns that are called by the word for an object and 1 and 2, as `document1` and `document2`.
fn one_and_two(names: &[String]) -> Option<(usize, usize)> {
    let find =
        |thing: &str, k: usize| names.iter().position(|n| *n == format!("{thing}{k}") || *n == format!("{thing}_{k}"));
    THINGS.iter().find_map(|thing| Some((find(thing, 1)?, find(thing, 2)?)))
}

/// Three rows of three numbers that can only be a matrix: zeros on the diagonal, and symmetric.
fn is_small_square(sample: &[Vec<String>], complete: bool) -> bool {
    let v = |i: usize, j: usize| sample[i][j].parse::<f64>().unwrap_or(f64::NAN);
    complete
        && sample.len() == 3
        && (0..3).all(|i| v(i, i) == 0.0)
        && (0..3).all(|i| (0..3).all(|j| v(i, j) == v(j, i)))
}
