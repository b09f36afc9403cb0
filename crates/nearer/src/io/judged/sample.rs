//! What the first rows of a table give away by their cells, whatever a header calls them.

use std::collections::HashSet;

use crate::error::{At, Error, Remedy};
use crate::io::cell::{could_be_number, is_integer};
use crate::io::columns::LongColumns;
use crate::io::judged::headers::Found;
use crate::io::judged::pairs::{are_one_code, is_pair_word};
use crate::io::judged::plan::{Columns, Plan};
use crate::io::judged::roles::Role;
use crate::io::kinds::FileKind;
use crate::io::layout::refuse;

/// A word in the first row over a column of numbers.
pub(super) fn looks_like_header(sample: &[Vec<String>]) -> bool {
    sample.len() > 1
        && sample[0].iter().enumerate().any(|(k, cell)| {
            let below = || sample[1..].iter().filter_map(|r| r.get(k));
            !could_be_number(cell) && below().next().is_some() && below().all(|c| could_be_number(c))
        })
}

/// The same labels down the side as across the top: a matrix, whatever its objects are called.
pub(super) fn is_labelled_square(sample: &[Vec<String>]) -> bool {
    let width = sample.get(1).map_or(0, Vec::len);
    width > 1
        && sample.len() <= width
        && sample[0].len() + 1 >= width
        && sample[1..]
            .iter()
            .zip(&sample[0][sample[0].len() + 1 - width..])
            .all(|(row, name)| row.first() == Some(name))
}

/// R writes no field over the row names, so its header is one field short.
pub(super) fn row_names(sample: &[Vec<String>]) -> usize {
    usize::from(sample.len() > 1 && sample[1..].iter().all(|r| r.len() == sample[0].len() + 1))
}

/// Letters over columns that are no labels: fractions, or a square with zeros on its diagonal.
pub(super) fn is_numbers_table(sample: &[Vec<String>], complete: bool, found: &Found) -> bool {
    let data = &sample[1..];
    let cells = || data.iter().flat_map(|r| found.columns.iter().filter_map(|(_, k)| r.get(*k)));
    let fractions = cells().any(|c| could_be_number(c) && !is_integer(c));
    let square = complete
        && data.len() == sample[0].len()
        && data.iter().enumerate().all(|(i, r)| r.get(i).is_some_and(|c| c.parse() == Ok(0.0)));
    data.is_empty() || fractions || square
}

/// Whether all rows of a column, the first too, are words for alike and not alike that belong together.
pub(super) fn one_code(sample: &[Vec<String>], column: usize) -> bool {
    sample.len() > 1 && are_one_code(sample.iter().map(|r| r.get(column).map_or("", String::as_str)))
}

/// Three or four columns of words and nothing else, the same words in several of them: trials, and which is not said.
pub(super) fn are_trials_in_words(sample: &[Vec<String>]) -> bool {
    let width = sample[0].len();
    let words =
        sample.iter().all(|r| r.len() == width && r.iter().all(|c| !could_be_number(c) && !c.trim().is_empty()));
    let column = |k: usize| sample.iter().map(|r| r[k].as_str()).collect::<HashSet<_>>();
    sample.len() > 1
        && matches!(width, 3 | 4)
        && words
        && (0..width).any(|k| (0..k).any(|l| column(k).intersection(&column(l)).next().is_some()))
}

/// Two columns of words and nothing else; below a first row of a word and a number they are no words.
pub(super) fn are_two_words(sample: &[Vec<String>]) -> bool {
    let word = |cell: &String| !could_be_number(cell) && !cell.trim().is_empty();
    sample.len() > 1 && sample.iter().all(|r| r.len() == 2 && word(&r[1])) && sample[1..].iter().all(|r| word(&r[0]))
}

/// Two columns of labels and one of words such as `similar`, whatever the header calls them.
pub(super) fn pairs_by_words(sample: &[Vec<String>], first: &[String]) -> Option<Plan> {
    let said = |rows: &[Vec<String>], k: usize| {
        !rows.is_empty() && rows.iter().all(|r| r.get(k).is_some_and(|c| is_pair_word(c)))
    };
    let header = LongColumns::from_header(first).filter(|long| said(&sample[1..], long.value));
    let (columns, header) = match header {
        Some(long) => {
            let mut columns = vec![(Role::From, long.from), (Role::To, long.to), (Role::Label, long.value)];
            columns.extend(long.weight.map(|k| (Role::Weight, k)));
            columns.extend(long.participant.map(|k| (Role::Participant, k)));
            (columns, true)
        }
        None if first.len() == 3 && said(sample, 2) => (vec![(Role::From, 0), (Role::To, 1), (Role::Label, 2)], false),
        None => return None,
    };
    let names = if header { first.to_vec() } else { Vec::new() };
    let said = if header { Vec::new() } else { vec!["there is no header".to_string()] };
    Some(Plan { kind: FileKind::Pairs, header, names, columns: Columns(columns), said })
}

/// The refusal of trials that do not say what was asked.
pub(super) fn in_words(first: &[String], at: &At) -> Error {
    let seen = format!("`{}` names no columns, and the rows are words only", first.join(","));
    let remedy = match first.len() {
        3 => Remedy::from("say what was asked: ")
            .setting("kind", "triplets")
            .and(" where the first is nearer to the second than to the third, ")
            .setting("columns", "odd=3,shown=1,shown=2")
            .and(" where the last is the odd one out; or put a header over them, as head,near,far"),
        _ => Remedy::from("say what was asked: ").setting("kind", "quadruplets").and(
            " where the first two are nearer to each other than the last two; or put a header over them, as a,b,c,d",
        ),
    };
    refuse(at, &seen, remedy)
}
