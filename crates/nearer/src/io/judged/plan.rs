//! What a table of judgements is, and which column plays which part: from what was said, the header, or the order.

use std::collections::HashSet;

use crate::error::{At, Error, Remedy};
use crate::io::cell::{could_be_number, is_integer};
use crate::io::columns::LongColumns;
use crate::io::judged::headers::{Found, Names};
use crate::io::judged::nearest::suggestion;
use crate::io::judged::pairs::{are_one_code, is_pair_word};
use crate::io::judged::roles::Role;
use crate::io::judged::tree::is_path;
use crate::io::judged::words;
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
pub(crate) struct Columns(Vec<(Role, usize)>);

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

/// Letters over columns that are no labels: fractions, or a square with zeros on its diagonal.
fn is_numbers_table(sample: &[Vec<String>], complete: bool, found: &Found) -> bool {
    let data = &sample[1..];
    let cells = || data.iter().flat_map(|r| found.columns.iter().filter_map(|(_, k)| r.get(*k)));
    let fractions = cells().any(|c| could_be_number(c) && !is_integer(c));
    let square = complete
        && data.len() == sample[0].len()
        && data.iter().enumerate().all(|(i, r)| r.get(i).is_some_and(|c| c.parse() == Ok(0.0)));
    data.is_empty() || fractions || square
}

/// A word in the first row over a column of numbers.
fn looks_like_header(sample: &[Vec<String>]) -> bool {
    sample.len() > 1
        && sample[0].iter().enumerate().any(|(k, cell)| {
            let below = || sample[1..].iter().filter_map(|r| r.get(k));
            !could_be_number(cell) && below().next().is_some() && below().all(|c| could_be_number(c))
        })
}

/// The same labels down the side as across the top: a matrix, whatever its objects are called.
fn is_labelled_square(sample: &[Vec<String>]) -> bool {
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
fn row_names(sample: &[Vec<String>]) -> usize {
    usize::from(sample.len() > 1 && sample[1..].iter().all(|r| r.len() == sample[0].len() + 1))
}

/// Whether all rows of a column, the first too, are words for alike and not alike that belong together.
fn one_code(sample: &[Vec<String>], column: usize) -> bool {
    sample.len() > 1 && are_one_code(sample.iter().map(|r| r.get(column).map_or("", String::as_str)))
}

/// Two columns of labels and one of words such as `similar`, whatever the header calls them.
fn pairs_by_words(sample: &[Vec<String>], first: &[String]) -> Option<Plan> {
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

/// Three or four columns of words and nothing else, the same words in several of them: trials, and which is not said.
fn are_trials_in_words(sample: &[Vec<String>]) -> bool {
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
fn are_two_words(sample: &[Vec<String>]) -> bool {
    let word = |cell: &String| !could_be_number(cell) && !cell.trim().is_empty();
    sample.len() > 1 && sample.iter().all(|r| r.len() == 2 && word(&r[1])) && sample[1..].iter().all(|r| word(&r[0]))
}

/// The refusal of trials that do not say what was asked.
fn in_words(first: &[String], at: &At) -> Error {
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

/// The column that a name or a number means.
fn resolve(column: &str, first: &[String], header: bool, shift: usize, at: &At) -> Result<usize, Error> {
    if header && let Some(k) = first.iter().position(|h| h.trim() == column) {
        if let Some(again) = first.iter().skip(k + 1).position(|h| h.trim() == column) {
            let what = format!("the name `{column}` stands over column {} and column {}", k + 1, k + again + 2);
            return Err(refuse(at, &what, "say which by its number"));
        }
        return Ok(k + shift);
    }
    match column.parse::<usize>() {
        Ok(k) if (1..=first.len() + shift).contains(&k) => Ok(k - 1),
        Ok(k) => Err(refuse(
            at,
            &format!("there is no column {k}: the file has {}", first.len() + shift),
            "count the columns from 1",
        )),
        Err(_) if header => {
            let meant = suggestion(column, first.iter().map(String::as_str));
            let names = first.iter().map(|h| format!("`{}`", h.trim())).collect::<Vec<_>>().join(", ");
            Err(refuse(at, &format!("there is no column `{column}`"), format!("{meant}the columns are {names}")))
        }
        Err(_) => Err(refuse(
            at,
            &format!("there is no header that could name a column `{column}`"),
            "give the columns by their numbers, from 1",
        )),
    }
}

/// Without a header the columns have an order, and those without a part belong to the objects shown.
fn in_order(kind: FileKind, header: bool, width: usize, columns: &mut Vec<(Role, usize)>) {
    let plain: &[Role] = match kind {
        FileKind::Triplets => &[Role::Head, Role::Near, Role::Far],
        FileKind::Quadruplets => &[Role::A, Role::B, Role::C, Role::D],
        FileKind::Pairs => &[Role::From, Role::To, Role::Label],
        FileKind::Taxonomy => &[Role::Parent, Role::Child],
        FileKind::Clicks => &[Role::Session, Role::Object, Role::Opened],
        FileKind::Classes => &[Role::Object, Role::Class],
        FileKind::Paths if width == 1 => &[Role::Path],
        FileKind::Paths => &[Role::Object, Role::Path],
        FileKind::Ranks => &[Role::Head],
        _ => &[],
    };
    let one_line = kind == FileKind::Paths && width == 1;
    if columns.is_empty() && (!header || one_line) && width >= plain.len() {
        columns.extend(plain.iter().enumerate().map(|(k, role)| (*role, k)));
    }
    let has = |role: Role| columns.iter().any(|(r, _)| *r == role);
    let others = match kind {
        FileKind::OddOneOut if has(Role::Odd) && !has(Role::Shown) => Role::Shown,
        FileKind::MostCentral if has(Role::Central) && !has(Role::Shown) => Role::Shown,
        FileKind::Choices if has(Role::Chosen) && !has(Role::Shown) && !has(Role::Rest) => Role::Rest,
        FileKind::Ranks if has(Role::Head) && !has(Role::Rank) => Role::Rank,
        _ => return,
    };
    if !header || width == 3 {
        let free: Vec<usize> = (0..width).filter(|k| !columns.iter().any(|(_, c)| c == k)).collect();
        columns.extend(free.into_iter().map(|k| (others, k)));
    }
}

/// Checks that every part is played, and by one column; says what was made of it.
fn finish(mut plan: Plan, first: &[String], at: &At) -> Result<Plan, Error> {
    let columns = &plan.columns;
    let name = |k: usize| plan.names.get(k).map_or(format!("column {}", k + 1), |n| format!("`{n}`"));
    for (k, (role, column)) in columns.0.iter().enumerate() {
        if let Some((_, other)) = columns.0[..k].iter().find(|(r, _)| r == role && !role.repeats()) {
            let what = format!("{} and {} both look like the {role}", name(*other), name(*column));
            let remedy = Remedy::from("say which with ").setting("columns", format!("{role}=…"));
            return Err(refuse(at, &what, remedy.and(", or take one of them out")));
        }
        // The odd one may stand among those shown, and a weight may be anything.
        let shares = |other: Role| {
            let marked = |r: Role| matches!(r, Role::Odd | Role::Central);
            role.is_extra()
                || other.is_extra()
                || (*role == Role::Shown && marked(other))
                || (marked(*role) && other == Role::Shown)
        };
        if let Some((other, _)) = columns.0[..k].iter().find(|(r, c)| c == column && !shares(*r)) {
            let what = format!("{} is given as {other} and as {role}", name(*column));
            return Err(refuse(at, &what, "give every part a column of its own"));
        }
    }
    if let Some((missing, remedy)) = missing(plan.kind, columns) {
        let seen = if plan.header {
            format!(
                "the columns are {}",
                first.iter().map(|h| format!("`{}`", h.trim())).collect::<Vec<_>>().join(", ")
            )
        } else {
            format!("there is no header, and {} columns", first.len())
        };
        return Err(refuse(at, &format!("nothing says which column is the {missing}: {seen}"), remedy));
    }
    let said = words::said(&plan);
    plan.said.extend(said);
    Ok(plan)
}

/// The part that nobody plays, and how to say who does.
fn missing(kind: FileKind, columns: &Columns) -> Option<(&'static str, Remedy)> {
    let named = |roles: &'static str| Remedy::from("name the columns with ").setting("columns", roles);
    let lacks = |role| !columns.has(role);
    let shown = columns.all(Role::Shown).len();
    let first = |roles: &[(Role, &'static str)]| roles.iter().find(|(r, _)| lacks(*r)).map(|(_, name)| *name);
    let sided = !lacks(Role::Left) && !lacks(Role::Right);
    match kind {
        FileKind::Triplets => first(&[(Role::Head, "head"), (Role::Near, "near one")])
            .or((lacks(Role::Far) && !sided).then_some("far one"))
            .map(|what| (what, named("head=…,near=…,far=…"))),
        FileKind::Quadruplets => first(&[(Role::A, "a"), (Role::B, "b"), (Role::C, "c"), (Role::D, "d")])
            .map(|what| (what, named("a=…,b=…,c=…,d=…").and(", where a and b are the nearer two"))),
        FileKind::OddOneOut if lacks(Role::Odd) || shown < 2 => Some((
            if lacks(Role::Odd) { "odd one" } else { "others shown" },
            Remedy::from("say so: ")
                .setting("columns", "odd=1,shown=2,shown=3")
                .and(" (odd first, as cblearn writes it) or ")
                .setting("columns", "odd=3,shown=1,shown=2")
                .and(" (odd last, as SPoSE writes it), by number or by name"),
        )),
        FileKind::MostCentral if lacks(Role::Central) || shown < 2 => Some((
            if lacks(Role::Central) { "central one" } else { "others shown" },
            named("central=…,shown=…,shown=…"),
        )),
        FileKind::Choices => first(&[(Role::Head, "head"), (Role::Chosen, "chosen one")])
            .or((lacks(Role::Rest) && shown < 2).then_some("rest"))
            .map(|what| (what, named("head=…,chosen=…,rest=…,rest=…").and(" (chosen and rest as often as needed)"))),
        FileKind::Ranks => first(&[(Role::Head, "head"), (Role::Rank, "rank")])
            .map(|what| (what, named("head=…,rank=…,rank=…").and(", nearest first"))),
        FileKind::Pairs => first(&[(Role::From, "first object"), (Role::To, "second object")])
            .or([Role::Label, Role::Grade, Role::Likeness].into_iter().all(lacks).then_some("label"))
            .map(|what| (what, named("from=…,to=…,label=…"))),
        FileKind::Long => first(&[(Role::From, "first object"), (Role::To, "second object"), (Role::Value, "value")])
            .map(|what| (what, named("from=…,to=…,value=…"))),
        FileKind::Clicks => {
            first(&[(Role::Session, "list"), (Role::Object, "result"), (Role::Opened, "mark of what was opened")])
                .map(|what| (what, named("session=…,object=…,opened=…")))
        }
        FileKind::Classes => {
            first(&[(Role::Object, "object"), (Role::Class, "class")]).map(|what| (what, named("object=…,class=…")))
        }
        FileKind::Paths => first(&[(Role::Path, "path")]).map(|what| (what, named("path=…"))),
        FileKind::Taxonomy => {
            first(&[(Role::Parent, "parent"), (Role::Child, "child")]).map(|what| (what, named("parent=…,child=…")))
        }
        _ => None,
    }
}
