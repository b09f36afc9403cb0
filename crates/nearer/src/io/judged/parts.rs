//! Columns by the parts they were given: by name, number or order, and whether every part is played.

use crate::error::{At, Error, Remedy};
use crate::io::judged::nearest::suggestion;
use crate::io::judged::plan::{Columns, Plan};
use crate::io::judged::roles::Role;
use crate::io::judged::words;
use crate::io::kinds::FileKind;
use crate::io::layout::refuse;

/// The column that a name or a number means.
pub(super) fn resolve(column: &str, first: &[String], header: bool, shift: usize, at: &At) -> Result<usize, Error> {
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
pub(super) fn in_order(kind: FileKind, header: bool, width: usize, columns: &mut Vec<(Role, usize)>) {
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
pub(super) fn finish(mut plan: Plan, first: &[String], at: &At) -> Result<Plan, Error> {
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
