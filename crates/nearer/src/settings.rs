//! Settings: the values of a method's parameters, typed once for the command line, the files, JSON and Rust.
//!
//! Two words mean the same wherever they stand: `auto`, chosen from the evidence (the report says what it became), and
//! `none`, without it. Everything else is a number, a count, yes or no, or a word that the method's row lists.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;

use serde::de::{self, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::error::Error;

/// One value: of a setting, or of a figure in a report.
#[derive(Debug, Clone, PartialEq)]
pub enum Value {
    /// Chosen from the evidence.
    Auto,
    /// Without it.
    None,
    /// Yes or no.
    Flag(bool),
    /// A whole number.
    Count(u64),
    /// A number.
    Number(f64),
    /// A word.
    Word(Cow<'static, str>),
}

impl Value {
    /// The number, of a number or a count.
    #[must_use]
    pub fn number(&self) -> Option<f64> {
        match self {
            Value::Number(v) => Some(*v),
            Value::Count(v) => Some(*v as f64),
            _ => None,
        }
    }
    /// The whole number, of a count.
    #[must_use]
    pub fn count(&self) -> Option<usize> {
        match self {
            Value::Count(v) => usize::try_from(*v).ok(),
            _ => None,
        }
    }
    /// The word, `auto` and `none` among them.
    #[must_use]
    pub fn word(&self) -> Option<&str> {
        match self {
            Value::Auto => Some("auto"),
            Value::None => Some("none"),
            Value::Word(word) => Some(word),
            _ => None,
        }
    }
    /// The value that a word stands for.
    #[must_use]
    pub const fn of_word(word: &'static str) -> Value {
        match word.as_bytes() {
            b"auto" => Value::Auto,
            b"none" => Value::None,
            _ => Value::Word(Cow::Borrowed(word)),
        }
    }
}

/// As it would be typed.
impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Value::Flag(yes) => f.write_str(if *yes { "yes" } else { "no" }),
            Value::Count(v) => write!(f, "{v}"),
            // Six orders of magnitude are read at a glance; beyond, zeros would have to be counted.
            Value::Number(v) if *v != 0.0 && !(1e-4..1e7).contains(&v.abs()) => write!(f, "{v:e}"),
            Value::Number(v) => write!(f, "{v}"),
            Value::Auto | Value::None | Value::Word(_) => f.write_str(self.word().unwrap_or_default()),
        }
    }
}

impl Serialize for Value {
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        match self {
            Value::Flag(yes) => s.serialize_bool(*yes),
            Value::Count(v) => s.serialize_u64(*v),
            Value::Number(v) => s.serialize_f64(*v),
            Value::Auto | Value::None | Value::Word(_) => s.serialize_str(self.word().unwrap_or_default()),
        }
    }
}

impl<'de> Deserialize<'de> for Value {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        struct Any;
        impl Visitor<'_> for Any {
            type Value = Value;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a number, a word, true or false")
            }
            fn visit_bool<E: de::Error>(self, v: bool) -> Result<Value, E> {
                Ok(Value::Flag(v))
            }
            fn visit_u64<E: de::Error>(self, v: u64) -> Result<Value, E> {
                Ok(Value::Count(v))
            }
            fn visit_i64<E: de::Error>(self, v: i64) -> Result<Value, E> {
                Ok(Value::Number(v as f64))
            }
            fn visit_f64<E: de::Error>(self, v: f64) -> Result<Value, E> {
                Ok(Value::Number(v))
            }
            fn visit_str<E: de::Error>(self, v: &str) -> Result<Value, E> {
                Ok(match v {
                    "auto" => Value::Auto,
                    "none" => Value::None,
                    other => Value::Word(Cow::Owned(other.to_owned())),
                })
            }
        }
        d.deserialize_any(Any)
    }
}

/// Values by the names of their parameters.
///
/// ```
/// use nearer::settings::{Settings, Value};
/// let asked = Settings::default().with("slack", Value::Auto).with("gap", 0.25).with("dim", 2usize);
/// let text = serde_json::to_string(&asked).unwrap();
/// assert_eq!(text, r#"{"dim":2,"gap":0.25,"slack":"auto"}"#);
/// assert_eq!(serde_json::from_str::<Settings>(&text).unwrap(), asked);
/// ```
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Settings(BTreeMap<String, Value>);

impl Settings {
    /// The value of a parameter, where it is known.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&Value> {
        self.0.get(name)
    }
    /// The number of a parameter, where it has one.
    #[must_use]
    pub fn number(&self, name: &str) -> Option<f64> {
        self.get(name)?.number()
    }
    /// The whole number of a parameter, where it has one.
    #[must_use]
    pub fn count(&self, name: &str) -> Option<usize> {
        self.get(name)?.count()
    }
    /// The word of a parameter, where it has one.
    #[must_use]
    pub fn word(&self, name: &str) -> Option<&str> {
        self.get(name)?.word()
    }
    /// All of them, by name.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &Value)> {
        self.0.iter().map(|(name, value)| (name.as_str(), value))
    }
    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
    /// Puts in a value, or another one.
    pub fn set(&mut self, name: &str, value: impl Into<Value>) {
        self.0.insert(name.to_owned(), value.into());
    }
    /// The same settings with a value.
    #[must_use]
    pub fn with(mut self, name: &str, value: impl Into<Value>) -> Self {
        self.set(name, value);
        self
    }
    /// The same settings, with those of another set in place of theirs.
    #[must_use]
    pub fn but(mut self, others: &Settings) -> Self {
        self.0.extend(others.0.clone());
        self
    }
    /// Those that are such.
    pub(crate) fn only(&self, keep: impl Fn(&str, &Value) -> bool) -> Self {
        Settings(self.0.iter().filter(|(n, v)| keep(n, v)).map(|(n, v)| (n.clone(), v.clone())).collect())
    }
    /// The value of a parameter as a method holds it.
    pub(crate) fn read<T: Typed>(&self, name: &str) -> Result<T, Error> {
        let value = self.get(name);
        value.and_then(T::of).ok_or_else(|| Error::Parameter {
            name: name.into(),
            value: value.map_or("absent".into(), ToString::to_string),
            expected: "what the method's row says".into(),
        })
    }
}

/// A type that a method holds a setting as.
pub(crate) trait Typed: Sized {
    /// The value, if it is of this type.
    fn of(value: &Value) -> Option<Self>;
    /// As a value.
    fn value(&self) -> Value;
}

/// What turns into a value and back as it is, a number also from a count.
macro_rules! typed {
    ($($type:ty, $from:ident: $of:expr, $to:expr;)*) => {$(
        impl Typed for $type {
            fn of($from: &Value) -> Option<Self> {
                $of
            }
            fn value(&self) -> Value {
                (*self).into()
            }
        }
        impl From<$type> for Value {
            fn from(v: $type) -> Value {
                $to(v)
            }
        }
    )*};
}
typed! {
    usize, v: v.count(), |v: usize| Value::Count(v as u64);
    f64, v: v.number(), Value::Number;
    bool, v: match v { Value::Flag(yes) => Some(*yes), _ => None }, Value::Flag;
    // What is not given is chosen from the evidence.
    Option<f64>, v: if *v == Value::Auto { Some(None) } else { v.number().map(Some) }, |v: Option<f64>| v.map_or(Value::Auto, Value::Number);
    Option<usize>, v: if *v == Value::Auto { Some(None) } else { v.count().map(Some) }, |v: Option<usize>| v.map_or(Value::Auto, Value::from);
}

impl From<&str> for Value {
    fn from(word: &str) -> Value {
        match word {
            "auto" => Value::Auto,
            "none" => Value::None,
            other => Value::Word(Cow::Owned(other.to_owned())),
        }
    }
}
impl From<String> for Value {
    fn from(word: String) -> Value {
        word.as_str().into()
    }
}

/// A price that may be left out: rows that must hold.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct OrNone(pub(crate) Option<f64>);

impl From<f64> for OrNone {
    fn from(price: f64) -> Self {
        OrNone(Some(price))
    }
}

impl Typed for OrNone {
    fn of(value: &Value) -> Option<Self> {
        if *value == Value::None { Some(OrNone(None)) } else { value.number().map(|v| OrNone(Some(v))) }
    }
    fn value(&self) -> Value {
        self.0.map_or(Value::None, Value::Number)
    }
}

/// Says which words the values of a type are: they become its `WORDS`, for the method's row, and its way to a setting and
/// back.
macro_rules! words {
    ($type:ty { $($word:literal => $value:expr),* $(,)? }) => {
        impl $crate::settings::Worded for $type {
            const WORDS: &'static [&'static str] = &[$($word),*];
        }
        impl $crate::settings::Typed for $type {
            fn of(value: &$crate::settings::Value) -> Option<Self> {
                let word = value.word()?;
                $(if word == $word { return Some($value); })*
                None
            }
            fn value(&self) -> $crate::settings::Value {
                $(if *self == $value { return const { $crate::settings::Value::of_word($word) }; })*
                unreachable!("every value of the type has a word")
            }
        }
    };
}
pub(crate) use words;

/// A type whose values are words.
pub(crate) trait Worded {
    /// Its words.
    const WORDS: &'static [&'static str];
}

/// A method, or a part that methods share, as its settings say it, and its settings as it says them.
///
/// What has no meaning for the method as it stands (the knots of a spline, where there is none) is left out.
pub trait Configured: Sized {
    /// The method of these settings, complete and within their ranges as [`Method::settings`] gives them.
    ///
    /// # Fails
    /// [`Error::Parameter`] where one is absent or of another type.
    ///
    /// [`Method::settings`]: crate::method::table::Method::settings
    fn from_settings(settings: &Settings) -> Result<Self, Error>;
    /// Its settings, written into others.
    fn write(&self, settings: &mut Settings);
    /// Its settings.
    fn settings(&self) -> Settings {
        let mut settings = Settings::default();
        self.write(&mut settings);
        settings
    }
}

/// The setters of a value that is made step by step: the value with another one in the field of that name, or in the one after the arrow.
/// An `Option` is set to something.
macro_rules! settable {
    ($($(#[$doc:meta])+ $name:ident: $type:ty $(=> $($field:ident).+)?),* $(,)?) => {$(
        $(#[$doc])+
        #[must_use]
        pub fn $name(mut self, $name: $type) -> Self {
            $crate::settings::settable!(@put self $name $($($field).+)?);
            self
        }
    )*};
    (@put $this:ident $name:ident) => { $this.$name = $name.into() };
    (@put $this:ident $name:ident $($field:ident).+) => { $this.$($field).+ = $name.into() };
}
pub(crate) use settable;

/// Ties the fields of a struct to the names of its parameters; fields in brackets are parts with parameters of their own.
macro_rules! configured {
    ($type:ident $([$($part:ident),*])? { $($field:ident: $name:literal),* $(,)? }) => {
        impl $crate::settings::Configured for $type {
            fn from_settings(settings: &$crate::settings::Settings) -> Result<Self, $crate::error::Error> {
                Ok($type {
                    $($($part: $crate::settings::Configured::from_settings(settings)?,)*)?
                    $($field: settings.read($name)?,)*
                })
            }
            fn write(&self, settings: &mut $crate::settings::Settings) {
                $($($crate::settings::Configured::write(&self.$part, settings);)*)?
                $(settings.set($name, $crate::settings::Typed::value(&self.$field));)*
            }
        }
    };
}
pub(crate) use configured;
