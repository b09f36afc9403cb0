//! What to do about an error: words, settings and commands, each front end saying the last two in its own way.

use std::borrow::Cow;
use std::fmt;

/// What to do about an error.
///
/// The library knows that a setting would help, and not how its caller types it: `--kind rows`, `kind="rows"`. So a remedy
/// keeps its parts, and a front end words them with [`Remedy::worded`]. By itself a setting is shown as `` `kind` rows ``.
///
/// ```
/// use nearer::error::{Remedy, Wording};
/// struct Python;
/// impl Wording for Python {
///     fn setting(&self, name: &str, value: Option<&str>) -> String {
///         value.map_or(format!("{name}="), |v| format!("{name}=\"{v}\""))
///     }
///     fn command(&self, name: &str) -> String {
///         format!("nearer.{name}()")
///     }
/// }
/// let remedy = Remedy::from("give a square matrix, or say ").setting("kind", "rows");
/// assert_eq!(remedy.to_string(), "give a square matrix, or say `kind` rows");
/// assert_eq!(remedy.worded(&Python), "give a square matrix, or say kind=\"rows\"");
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Remedy(Vec<Part>);

/// A part of a remedy.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Part {
    Say(Cow<'static, str>),
    Setting(&'static str, Option<Cow<'static, str>>),
    Command(&'static str),
}

/// How a front end says what a remedy names.
pub trait Wording {
    /// A setting by its name, and the value to give it, where there is one.
    fn setting(&self, name: &str, value: Option<&str>) -> String;
    /// One of the things that nearer does: `check`, `clean`, `embed`, `place`, `verify` …
    fn command(&self, name: &str) -> String;
}

/// By itself: names in quotation marks.
struct Plain;

impl Wording for Plain {
    fn setting(&self, name: &str, value: Option<&str>) -> String {
        value.map_or(format!("`{name}`"), |v| format!("`{name}` {v}"))
    }
    fn command(&self, name: &str) -> String {
        format!("`{name}`")
    }
}

impl Remedy {
    /// The same, and then a setting with the value to give it.
    #[must_use]
    pub fn setting(self, name: &'static str, value: impl Into<Cow<'static, str>>) -> Self {
        self.with(Part::Setting(name, Some(value.into())))
    }
    /// The same, and then a setting whose value is for the reader to choose, or that needs none.
    #[must_use]
    pub fn any(self, name: &'static str) -> Self {
        self.with(Part::Setting(name, None))
    }
    /// The same, and then something that nearer does.
    #[must_use]
    pub fn command(self, name: &'static str) -> Self {
        self.with(Part::Command(name))
    }
    /// The same, and then words.
    #[must_use]
    pub fn and(self, words: impl Into<Cow<'static, str>>) -> Self {
        self.with(Part::Say(words.into()))
    }
    /// Whether it names a setting.
    #[must_use]
    pub fn names(&self, setting: &str) -> bool {
        self.0.iter().any(|part| matches!(part, Part::Setting(name, _) if *name == setting))
    }
    fn with(mut self, part: Part) -> Self {
        self.0.push(part);
        self
    }
    /// As a front end says it.
    #[must_use]
    pub fn worded(&self, how: &dyn Wording) -> String {
        let part = |part: &Part| match part {
            Part::Say(words) => words.to_string(),
            Part::Setting(name, value) => how.setting(name, value.as_deref()),
            Part::Command(name) => how.command(name),
        };
        self.0.iter().map(part).collect()
    }
}

impl fmt::Display for Remedy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.worded(&Plain))
    }
}

impl From<&str> for Remedy {
    fn from(words: &str) -> Self {
        Remedy::from(words.to_owned())
    }
}
impl From<&String> for Remedy {
    fn from(words: &String) -> Self {
        Remedy::from(words.as_str())
    }
}
impl From<String> for Remedy {
    fn from(words: String) -> Self {
        Remedy::default().and(words)
    }
}
