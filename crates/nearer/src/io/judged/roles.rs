//! The part that a column of a table of judgements plays, as a person says it: `head=stim,near=pick,far=other`.

use std::fmt;
use std::str::FromStr;

use crate::error::Error;
use crate::io::judged::nearest::suggestion;

/// The part that a column plays.
///
/// | judgement | roles |
/// |---|---|
/// | triplets | `head`, `near`, `far` (or `left` and `right` instead of `far`); `answer` 0 or -1 exchanges near and far |
/// | quadruplets | `a`, `b` (the near pair), `c`, `d` (the far pair); `answer` likewise |
/// | odd-one-out | `odd`, and `shown` for the others, or for all that were shown |
/// | most-central | `central`, and `shown` likewise |
/// | choices | `head`, `chosen` once or more, and `rest` or `shown` |
/// | ranks | `head`, `rank` once or more, nearest first, and `rest` or `shown` where not all were ranked |
/// | pairs | `from`, `to`, `label` (or `grade`, 1 the most alike, or `likeness`, the largest the most alike); distances: `from`, `to`, `value` |
/// | clicks | `session` (the list), `object` (the result shown), `opened` 1 or 0 |
/// | classes, paths, edges | `object`, `class`; `path`; `parent`, `child` |
/// | any | `weight`, `votes`, `margin`, `participant`, `time` (seconds) or `time_ms`, `left`, `right`, `check` |
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Role {
    /// The object that the others are compared with.
    Head,
    /// The one that is nearer to the head.
    Near,
    /// The one that is farther from the head.
    Far,
    /// One of the near pair.
    A,
    /// The other of the near pair.
    B,
    /// One of the far pair.
    C,
    /// The other of the far pair.
    D,
    /// The one that does not belong.
    Odd,
    /// The one between the others.
    Central,
    /// An object that was shown.
    Shown,
    /// An object that was chosen.
    Chosen,
    /// An object in its place of a ranking.
    Rank,
    /// An object that was neither chosen nor ranked.
    Rest,
    /// 1: as the columns say; 0 or -1: the other way round.
    Answer,
    /// The object that a pair begins with.
    From,
    /// The other object of a pair.
    To,
    /// Whether a pair is alike.
    Label,
    /// How alike a pair is, as a whole number from 1, the most alike.
    Grade,
    /// How alike a pair is, as a whole number, the largest for the most alike.
    Likeness,
    /// The distance of a pair.
    Value,
    /// An object of its own row.
    Object,
    /// Its class.
    Class,
    /// Its path from the root.
    Path,
    /// The upper end of an edge.
    Parent,
    /// The lower end of an edge.
    Child,
    /// The list that a result was shown in.
    Session,
    /// Whether a result was opened.
    Opened,
    /// How much an answer counts.
    Weight,
    /// How many gave this answer; a second such column: how many gave the opposite one.
    Votes,
    /// By how much the far squared distance should exceed the near one.
    Margin,
    /// Who answered.
    Participant,
    /// The response time in seconds.
    Time,
    /// The response time in milliseconds.
    TimeMs,
    /// The object shown on the left.
    Left,
    /// The object shown on the right.
    Right,
    /// Whether the row is a check of attention.
    Check,
}

const ROLES: [(Role, &str); 36] = [
    (Role::Head, "head"),
    (Role::Near, "near"),
    (Role::Far, "far"),
    (Role::A, "a"),
    (Role::B, "b"),
    (Role::C, "c"),
    (Role::D, "d"),
    (Role::Odd, "odd"),
    (Role::Central, "central"),
    (Role::Shown, "shown"),
    (Role::Chosen, "chosen"),
    (Role::Rank, "rank"),
    (Role::Rest, "rest"),
    (Role::Answer, "answer"),
    (Role::From, "from"),
    (Role::To, "to"),
    (Role::Label, "label"),
    (Role::Grade, "grade"),
    (Role::Likeness, "likeness"),
    (Role::Value, "value"),
    (Role::Object, "object"),
    (Role::Class, "class"),
    (Role::Path, "path"),
    (Role::Parent, "parent"),
    (Role::Child, "child"),
    (Role::Session, "session"),
    (Role::Opened, "opened"),
    (Role::Weight, "weight"),
    (Role::Votes, "votes"),
    (Role::Margin, "margin"),
    (Role::Participant, "participant"),
    (Role::Time, "time"),
    (Role::TimeMs, "time_ms"),
    (Role::Left, "left"),
    (Role::Right, "right"),
    (Role::Check, "check"),
];

impl Role {
    /// The name, as `--columns` takes it.
    #[must_use]
    pub fn name(self) -> &'static str {
        ROLES.iter().find(|(role, _)| *role == self).map_or("", |(_, name)| name)
    }
    /// Whether several columns may play it.
    pub(crate) fn repeats(self) -> bool {
        matches!(self, Role::Shown | Role::Chosen | Role::Rank | Role::Rest | Role::Votes)
    }
    /// Whether it says something about an answer, and is no part of it.
    pub(crate) fn is_extra(self) -> bool {
        use Role::{Check, Left, Margin, Participant, Right, Time, TimeMs, Votes, Weight};
        matches!(self, Weight | Votes | Margin | Participant | Time | TimeMs | Left | Right | Check)
    }
}

impl fmt::Display for Role {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Role {
    type Err = Error;
    fn from_str(text: &str) -> Result<Self, Error> {
        let name = text.trim().to_lowercase().replace('-', "_");
        if ["one", "two", "three"].contains(&name.as_str()) {
            return Ok(Role::Shown);
        }
        let names = || ROLES.iter().map(|(_, name)| *name);
        ROLES.iter().find(|(_, n)| *n == name).map(|(role, _)| *role).ok_or_else(|| Error::Parameter {
            name: "columns".into(),
            value: format!("`{}`", text.trim()),
            expected: format!(
                "{}one of the roles {}",
                suggestion(&name, names()),
                names().collect::<Vec<_>>().join(", ")
            ),
        })
    }
}

/// Which columns play which part. A column is the name in the header, or its number from 1.
///
/// ```
/// use nearer::io::{Role, Roles};
/// # fn main() -> Result<(), nearer::Error> {
/// let roles: Roles = "head=stim, near=pick, far=other, participant=subj".parse()?;
/// assert_eq!(roles, Roles::new([(Role::Head, "stim"), (Role::Near, "pick"), (Role::Far, "other")])?
///     .and(Role::Participant, "subj")?);
/// assert!("haed=stim".parse::<Roles>().unwrap_err().to_string().contains("did you mean `head`?"));
/// # Ok(()) }
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Roles(Vec<(Role, String)>);

impl Roles {
    /// Roles and their columns. A role is given once, but for `shown`, `chosen`, `rank`, `rest` and `votes`.
    pub fn new<S: Into<String>>(columns: impl IntoIterator<Item = (Role, S)>) -> Result<Self, Error> {
        columns.into_iter().try_fold(Roles::default(), |all, (role, column)| all.and(role, column))
    }

    /// One more role.
    pub fn and(mut self, role: Role, column: impl Into<String>) -> Result<Self, Error> {
        let column = column.into();
        if let Some((_, before)) = self.0.iter().find(|(r, _)| *r == role && !role.repeats()) {
            return Err(Error::Parameter {
                name: "columns".into(),
                value: format!("`{role}` twice, `{before}` and `{column}`"),
                expected: format!("one column to be the {role}"),
            });
        }
        self.0.push((role, column));
        Ok(self)
    }

    /// Whether nothing is said.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
    /// All of them, in the order in which they were given.
    pub fn iter(&self) -> impl Iterator<Item = (Role, &str)> {
        self.0.iter().map(|(role, column)| (*role, column.as_str()))
    }
    /// Whether a role is given.
    pub(crate) fn has(&self, role: Role) -> bool {
        self.0.iter().any(|(r, _)| *r == role)
    }
}

impl FromStr for Roles {
    type Err = Error;
    fn from_str(text: &str) -> Result<Self, Error> {
        let mut all = Roles::default();
        for part in text.split(',').map(str::trim).filter(|p| !p.is_empty()) {
            let (role, column) = part.split_once('=').filter(|(_, c)| !c.trim().is_empty()).ok_or_else(|| {
                Error::Parameter {
                    name: "columns".into(),
                    value: format!("`{part}`"),
                    expected: "role=column, as in head=stim,near=pick,far=other; a column whose name has a comma goes by its number".into(),
                }
            })?;
            all = all.and(role.parse()?, column.trim())?;
        }
        Ok(all)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_role_has_a_name_that_reads_back() {
        for (role, name) in ROLES {
            assert_eq!((name.parse::<Role>().unwrap(), role.to_string().as_str()), (role, name));
        }
        assert_eq!("two".parse::<Role>().unwrap(), Role::Shown);
    }

    #[test]
    fn wrong_roles_are_refused_with_what_was_meant() {
        for (text, words) in [
            ("head", vec!["`head`", "role=column"]),
            ("head=", vec!["role=column"]),
            ("particpant=p", vec!["did you mean `participant`?"]),
            ("head=a,head=b", vec!["`head` twice", "`a` and `b`"]),
        ] {
            let e = text.parse::<Roles>().unwrap_err().to_string();
            assert!(words.iter().all(|w| e.contains(w)), "{text}: {e}");
        }
        assert_eq!("shown=a,shown=b,odd=c,".parse::<Roles>().unwrap().iter().count(), 3);
    }
}
