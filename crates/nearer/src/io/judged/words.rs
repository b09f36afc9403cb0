//! What was made of the columns of a table of judgements, in plain words.

use crate::io::judged::plan::Plan;
use crate::io::judged::roles::Role;
use crate::io::kinds::FileKind;

/// A sentence for the answer, and one for each column that says something about it.
pub(crate) fn said(plan: &Plan) -> Vec<String> {
    let name = |k: usize| plan.names.get(k).filter(|n| !n.is_empty()).map_or(format!("column {}", k + 1), Clone::clone);
    let one = |role: Role| plan.columns.one(role).map(name).unwrap_or_default();
    let all = |role: Role| plan.columns.all(role).into_iter().map(name).collect::<Vec<_>>().join(", ");
    let columns = |roles: &[Role]| {
        let names: Vec<String> = roles.iter().flat_map(|r| plan.columns.all(*r)).map(name).collect();
        format!("columns {}", names.join(", "))
    };
    use Role::{A, B, C, Central, Chosen, D, Far, Head, Near, Odd, Rank, Rest, Shown};
    let mut said = Vec::new();
    let turned = plan.columns.has(Role::Answer);
    let if_one = if turned {
        format!(" where {} is 1, and the other way round where it is 0 or -1", one(Role::Answer))
    } else {
        String::new()
    };
    match plan.kind {
        FileKind::Triplets if plan.columns.has(Far) => said.push(format!(
            "{}: {} is nearer to {} than to {}{if_one}",
            columns(&[Head, Near, Far]),
            one(Head),
            one(Near),
            one(Far)
        )),
        FileKind::Triplets => said.push(format!(
            "{}: {} is nearer to {} than to the other one of {} and {}",
            columns(&[Head, Near]),
            one(Head),
            one(Near),
            one(Role::Left),
            one(Role::Right)
        )),
        FileKind::Quadruplets => said.push(format!(
            "{}: {} and {} are nearer than {} and {}{if_one}",
            columns(&[A, B, C, D]),
            one(A),
            one(B),
            one(C),
            one(D)
        )),
        FileKind::OddOneOut | FileKind::MostCentral => {
            let (role, what) = match plan.kind {
                FileKind::OddOneOut => (Odd, "is the odd one out"),
                _ => (Central, "lies between the others"),
            };
            said.push(format!("{} {what} among {}", one(role), all(Shown)));
        }
        FileKind::Choices | FileKind::Ranks => {
            let (role, what) = if plan.kind == FileKind::Choices {
                (Chosen, "was chosen as nearest to")
            } else {
                (Rank, "is the order, nearest first, by nearness to")
            };
            let rest = match (plan.columns.has(Rest), plan.columns.has(Shown)) {
                (true, _) => format!("; {} are farther", all(Rest)),
                (_, true) => format!("; what else was shown ({}) is farther", all(Shown)),
                _ => String::new(),
            };
            said.push(format!("{} {what} {}{rest}", all(role), one(Head)));
        }
        FileKind::Pairs => {
            let how = match (plan.columns.has(Role::Grade), plan.columns.has(Role::Likeness)) {
                (true, _) => format!("{} says how alike they are, 1 the most", one(Role::Grade)),
                (_, true) => format!("{} says how alike they are, the largest number the most", one(Role::Likeness)),
                _ => format!("{} says whether they are alike", one(Role::Label)),
            };
            said.push(format!("each row is one pair, {} and {}; {how}", one(Role::From), one(Role::To)));
        }
        FileKind::Clicks => said.push(format!(
            "each row is one result ({}) of a list ({}), from its top down; {} says whether it was opened: two opened are nearer than one of them and one passed over above the last opened",
            one(Role::Object),
            one(Role::Session),
            one(Role::Opened)
        )),
        FileKind::Taxonomy => {
            said.push(format!("each row is one edge, {} above {}", one(Role::Parent), one(Role::Child)))
        }
        FileKind::Classes => said.push(format!("{} is the class of {}", one(Role::Class), one(Role::Object))),
        FileKind::Paths if plan.columns.has(Role::Object) => {
            said.push(format!("{} is the path from the root down to {}", one(Role::Path), one(Role::Object)));
        }
        FileKind::Paths => said.push("each row is a path from the root, its last part the object".into()),
        _ => {}
    }
    for (role, what) in [
        (Role::Participant, "is the participant"),
        (Role::Time, "is the response time in seconds"),
        (Role::TimeMs, "is the response time in milliseconds"),
        (Role::Weight, "is the weight"),
        (Role::Margin, "is the margin"),
        (Role::Check, "marks checks of attention, which are counted and not used"),
    ] {
        if plan.columns.has(role) {
            said.push(format!("{} {what}", one(role)));
        }
    }
    match plan.columns.all(Role::Votes).as_slice() {
        [] => {}
        [one] => said.push(format!("{} is how often the answer was given", name(*one))),
        [near, far, ..] => said.push(format!(
            "{} is how often the answer was given, and {} how often the opposite one",
            name(*near),
            name(*far)
        )),
    }
    if plan.columns.has(Role::Left) && plan.columns.has(Role::Right) {
        said.push(format!("{} and {} say on which side an object stood", one(Role::Left), one(Role::Right)));
    }
    said
}
