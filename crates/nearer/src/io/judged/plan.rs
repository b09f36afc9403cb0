//! What a table of judgements is, and which column plays which part: from what was said, the header, or the order.

use crate::error::{At, Error, Remedy};
use crate::io::columns::LongColumns;
use crate::io::judged::headers::{Found, Names};
use crate::io::judged::parts::{finish, in_order, resolve};
use crate::io::judged::roles::Role;
use crate::io::judged::sample::{
    are_trials_in_words, are_two_words, in_words, is_labelled_square, is_numbers_table, looks_like_header, one_code,
    pairs_by_words, row_names,
};
use crate::io::judged::tree::is_path;
use crate::io::kinds::{FileKind, ReadOptions};
use crate::io::layout::{is_label_name, refuse};

/// What a table is.
#[derive(Debug)]
pub(crate) struct Plan {
    pub(crate) kind: FileKind,
    /// The first record is a header.
    pub(crate) header: bool,
    /// The names of the columns; empty without a header.
    pub(crate) names: Vec<String>,
    pub(crate) columns: Columns,
    pub(crate) said: Vec<String>,
}

/// Which column plays which part.
#[derive(Debug, Clone, Default)]
pub(crate) struct Columns(pub(super) Vec<(Role, usize)>);

impl Columns {
    pub(crate) fn one(&self, role: Role) -> Option<usize> {
        self.0.iter().find(|(r, _)| *r == role).map(|(_, k)| *k)
    }
    pub(crate) fn all(&self, role: Role) -> Vec<usize> {
        self.0.iter().filter(|(r, _)| *r == role).map(|(_, k)| *k).collect()
    }
    pub(crate) fn has(&self, role: Role) -> bool {
        self.one(role).is_some()
    }
    /// How many fields a record needs at least.
    pub(crate) fn least(&self) -> usize {
        self.0.iter().map(|(_, k)| k + 1).max().unwrap_or(1)
    }
}

/// What the first rows are, if they are judgements; `None` leaves them to the readers of distances.
pub(crate) fn plan(
    sample: &[Vec<String>],
    complete: bool,
    options: &ReadOptions,
    at: &At,
) -> Result<Option<Plan>, Error> {
    let roles = &options.columns;
    let wanted = match options.kind {
        Some(kind) if kind.is_judged() || (kind == FileKind::Long && !roles.is_empty()) => Some(kind),
        Some(kind) if !roles.is_empty() => {
            let what = format!("the roles of columns were given, and a file of the kind {kind} has none");
            return Err(refuse(
                at,
                &what,
                Remedy::from("take ").any("columns").and(" away, or say another ").any("kind"),
            ));
        }
        Some(_) => return Ok(None),
        None => by_roles(options),
    };
    let Some(first) = sample.first() else {
        if wanted.is_none() {
            return Ok(None);
        }
        return Err(refuse(at, "the file is empty", "give a file with judgements in it"));
    };
    if wanted.is_none() && (options.similarity.is_some() || is_labelled_square(sample)) {
        return Ok(None);
    }
    let names = Names::new(first);
    let found = choose(&names, first, wanted, options, sample, complete, at)?;
    let by_name = roles.iter().any(|(_, column)| first.iter().any(|h| h.trim() == column));
    let corner = || wanted == Some(FileKind::Sorts) && is_label_name(&first[0]);
    let header = by_name || found.is_some() || (wanted.is_some() && (looks_like_header(sample) || corner()));
    if wanted.is_none() && found.is_none() {
        if let Some(pairs) = pairs_by_words(sample, first) {
            return finish(pairs, first, at).map(Some);
        }
        if roles.is_empty() && sample.iter().all(|r| r.len() == 1 && is_path(&r[0])) {
            let columns = Columns(vec![(Role::Path, 0)]);
            let plan = Plan { kind: FileKind::Paths, header: false, names: Vec::new(), columns, said: Vec::new() };
            return finish(plan, first, at).map(Some);
        }
        if let (Some((shown, choice)), true) = (names.unclear_choice(), sample.len() > 1) {
            let shown: Vec<String> = shown.iter().map(|k| format!("shown={}", first[*k])).collect();
            return Err(refuse(
                at,
                &format!(
                    "`{}` could name the odd one out, the one between the others, or another choice",
                    first[choice]
                ),
                Remedy::from("say which with ")
                    .setting("columns", format!("odd={},{}", first[choice], shown.join(",")))
                    .and(", or ")
                    .setting("columns", format!("central={},{}", first[choice], shown.join(","))),
            ));
        }
        if roles.is_empty() && are_trials_in_words(sample) {
            return Err(in_words(first, at));
        }
        if roles.is_empty() && are_two_words(sample) {
            let what =
                format!("`{}` names no columns that are known, and the rows are two words each", first.join(","));
            let remedy = Remedy::from("say what they are: ")
                .setting("classes", first[1].trim().to_owned())
                .and(" where that is a header over objects and their classes, ")
                .setting("kind", "classes")
                .and(" where it is an object and its class like the other rows, ")
                .setting("kind", "taxonomy")
                .and(" where it is a parent and its child");
            return Err(refuse(at, &what, remedy));
        }
        if roles.is_empty() {
            return Ok(None);
        }
    }
    let shift = if header { row_names(sample) } else { 0 };
    let mut columns: Vec<(Role, usize)> = Vec::new();
    for (role, column) in roles.iter() {
        columns.push((role, resolve(column, first, header, shift, at)?));
    }
    let kind = wanted.or(found.as_ref().map(|f| f.kind)).ok_or_else(|| {
        let remedy = Remedy::from("name them all with ").any("columns").and(", or say ").any("kind");
        refuse(at, "which columns hold the judgements is not clear", remedy)
    })?;
    let mut said = Vec::new();
    if let Some(found) = found {
        let own: Vec<Role> = columns.iter().map(|(r, _)| *r).collect();
        let given = |k: usize| columns.iter().any(|(_, c)| *c == k + shift);
        let all = found.columns.iter().copied().filter(|(r, _)| !own.contains(r));
        let more: Vec<(Role, usize)> = all.map(|(r, k)| (r, k + shift)).collect();
        let used: Vec<(Role, usize)> = found.columns.clone();
        let extras = names.extras(&used).into_iter().filter(|(r, k)| !own.contains(r) && !given(*k));
        let extras: Vec<(Role, usize)> = extras.map(|(r, k)| (r, k + shift)).collect();
        columns.extend(more.into_iter().chain(extras));
    } else if header {
        let own: Vec<Role> = columns.iter().map(|(r, _)| *r).collect();
        let used: Vec<(Role, usize)> = columns.iter().map(|(r, k)| (*r, k.wrapping_sub(shift))).collect();
        columns.extend(names.extras(&used).into_iter().filter(|(r, _)| !own.contains(r)).map(|(r, k)| (r, k + shift)));
    } else {
        said.push("there is no header".into());
    }
    // Rankings may differ in length.
    let longest = || sample.iter().map(Vec::len).max().unwrap_or(0);
    let width = if kind == FileKind::Ranks && !header { longest() } else { sample.get(1).unwrap_or(first).len() };
    in_order(kind, header, width, &mut columns);
    let shifted = std::iter::repeat_n(String::new(), shift).chain(first.iter().map(|h| h.trim().to_string()));
    let names = if header { shifted.collect() } else { Vec::new() };
    finish(Plan { kind, header, names, columns: Columns(columns), said }, first, at).map(Some)
}

/// The kind that the roles tell.
pub(crate) fn by_roles(options: &ReadOptions) -> Option<FileKind> {
    let has = |role| options.columns.has(role);
    let kinds = [
        (has(Role::Odd), FileKind::OddOneOut),
        (has(Role::Central), FileKind::MostCentral),
        (has(Role::Rank), FileKind::Ranks),
        (has(Role::Chosen), FileKind::Choices),
        (has(Role::Near) || has(Role::Far), FileKind::Triplets),
        (has(Role::A) && has(Role::B), FileKind::Quadruplets),
        (has(Role::Value), FileKind::Long),
        (has(Role::Label) || has(Role::Grade) || has(Role::Likeness), FileKind::Pairs),
        (has(Role::Session) || has(Role::Opened), FileKind::Clicks),
        (has(Role::Class), FileKind::Classes),
        (has(Role::Path), FileKind::Paths),
        (has(Role::Parent) || has(Role::Child), FileKind::Taxonomy),
    ];
    kinds.into_iter().find(|(there, _)| *there).map(|(_, kind)| kind)
}

/// The columns of an array, by their numbers or by their order.
pub(crate) fn of_array(kind: FileKind, width: usize, options: &ReadOptions, at: &At) -> Result<Plan, Error> {
    let unnamed = vec![String::new(); width];
    let mut columns = Vec::new();
    for (role, column) in options.columns.iter() {
        columns.push((role, resolve(column, &unnamed, false, 0, at)?));
    }
    in_order(kind, false, width, &mut columns);
    finish(Plan { kind, header: false, names: Vec::new(), columns: Columns(columns), said: Vec::new() }, &unnamed, at)
}

/// The one thing that the header means; two are refused, and letters over a matrix are none.
fn choose(
    names: &Names,
    first: &[String],
    wanted: Option<FileKind>,
    options: &ReadOptions,
    sample: &[Vec<String>],
    complete: bool,
    at: &At,
) -> Result<Option<Found>, Error> {
    let mut all = names.readings(wanted);
    if wanted.is_none() {
        let long = LongColumns::from_header(first).is_some();
        // One or minus one under `response` is an answer, other numbers are distances.
        let answers = |f: &Found| {
            let column = f.columns.iter().find(|(r, _)| *r == Role::Answer).map(|(_, k)| *k);
            column.is_some_and(|k| {
                sample[1..].iter().all(|r| matches!(r.get(k).map(String::as_str), Some("1" | "0" | "-1")))
            })
        };
        all.retain(|f| !f.letters || !((long && !answers(f)) || is_numbers_table(sample, complete, f)));
        // `a,b,similar` over `a,c,dissimilar` is a row like the others.
        let letter = |k: usize| first[k].trim().chars().count() == 1;
        all.retain(|f| {
            let label = f.columns.iter().find(|(r, _)| *r == Role::Label).map(|(_, k)| *k);
            label.is_none_or(|k| !(f.columns.iter().all(|(_, c)| *c == k || letter(*c)) && one_code(sample, k)))
        });
    }
    if options.columns.iter().any(|(role, _)| !role.is_extra()) {
        // What was said decides; the header may add what was left out.
        all.truncate(1);
    }
    let sure: Vec<&Found> = all.iter().filter(|f| !f.letters).collect();
    if let [one, two, ..] = sure.as_slice() {
        let show = |f: &Found| {
            let parts: Vec<String> = f.columns.iter().map(|(r, k)| format!("{r}={}", first[*k])).collect();
            parts.join(",")
        };
        let what = if one.kind == two.kind {
            format!("the header names the {} in two ways", one.kind)
        } else {
            format!("the header could be that of {} or of {}", one.kind, two.kind)
        };
        let remedy =
            Remedy::from("say which with ").setting("columns", show(one)).and(", or ").setting("columns", show(two));
        return Err(refuse(at, &what, remedy));
    }
    Ok(sure.first().map(|f| (*f).clone()).or_else(|| all.into_iter().next()))
}
