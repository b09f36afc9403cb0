//! The settings of a claim, each read through its own type, and those that were read: what a verdict may list.

use std::cell::RefCell;

use super::Trouble;
use crate::io::Claim;
use crate::settings::{Settings, Value};

/// The longest word that a setting has.
const LONGEST: usize = 40;

/// What a claim says of its settings, those that were `auto` as what they became.
///
/// A setting enters the question by being read here, through the type that it has; what was not read was not checked, and is not told.
#[derive(Debug)]
pub(in crate::verify) struct Said<'a> {
    claim: &'a Claim,
    read: RefCell<Settings>,
}

impl<'a> Said<'a> {
    /// The settings of a claim. A name or a word that is no name or word, but a sentence, is refused.
    pub(in crate::verify) fn of(claim: &'a Claim) -> Result<Self, Trouble> {
        let plain = |text: &str| {
            let good = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
            !text.is_empty() && text.len() <= LONGEST && text.chars().all(good)
        };
        for (name, value) in claim.settings.iter().chain(claim.resolved.iter()) {
            if !plain(name) || matches!(value, Value::Word(word) if !plain(word)) {
                let what =
                    format!("its setting `{}` is `{}`, which is no setting", short(name), short(&value.to_string()));
                return Err(Trouble::Claim("settings", what));
            }
        }
        Ok(Said { claim, read: RefCell::default() })
    }

    /// Those that were read, and so were checked.
    pub(in crate::verify) fn checked(self) -> Settings {
        self.read.into_inner()
    }

    fn get(&self, name: &str) -> Option<&'a Value> {
        self.claim.resolved.get(name).or(self.claim.settings.get(name)).filter(|v| **v != Value::Auto)
    }

    fn read(&self, name: &str) {
        if let Some(value) = self.get(name) {
            self.read.borrow_mut().set(name, value.clone());
        }
    }

    /// A number above 0 that the question cannot do without.
    pub(in crate::verify) fn needed(&self, name: &str) -> Result<f64, Trouble> {
        self.number(name)?.ok_or_else(|| wrong(name, "absent", "a number above 0"))
    }

    /// A number above 0; `None` where it is absent.
    pub(in crate::verify) fn number(&self, name: &str) -> Result<Option<f64>, Trouble> {
        let Some(value) = self.get(name) else { return Ok(None) };
        match value.number().filter(|v| v.is_finite() && *v > 0.0) {
            Some(v) => {
                self.read(name);
                Ok(Some(v))
            }
            None => Err(wrong(name, &value.to_string(), "a number above 0")),
        }
    }

    /// A number above 0, or none.
    pub(in crate::verify) fn number_or_none(&self, name: &str) -> Result<Option<f64>, Trouble> {
        if self.get(name) == Some(&Value::None) {
            self.read(name);
            return Ok(None);
        }
        self.number(name)
    }

    /// A number that may be 0, which it is where it is absent.
    pub(in crate::verify) fn number_or_zero(&self, name: &str) -> Result<f64, Trouble> {
        match self.get(name) {
            Some(value) if value.number() == Some(0.0) => {
                self.read(name);
                Ok(0.0)
            }
            _ => Ok(self.number(name)?.unwrap_or(0.0)),
        }
    }

    /// A whole number above 0; `None` where it is absent.
    pub(in crate::verify) fn count(&self, name: &str) -> Result<Option<usize>, Trouble> {
        let Some(value) = self.get(name) else { return Ok(None) };
        match value.count().filter(|v| *v > 0) {
            Some(v) => {
                self.read(name);
                Ok(Some(v))
            }
            None => Err(wrong(name, &value.to_string(), "a whole number above 0")),
        }
    }

    /// Whether it is this word.
    pub(in crate::verify) fn is_word(&self, name: &str, word: &str) -> bool {
        let is = self.get(name).and_then(Value::word) == Some(word);
        if is {
            self.read(name);
        }
        is
    }

    /// One of these words; the first where it is absent.
    pub(in crate::verify) fn word(&self, name: &str, words: &[&'static str]) -> Result<&'static str, Trouble> {
        let Some(value) = self.get(name) else { return Ok(words[0]) };
        match words.iter().find(|word| value.word() == Some(word)) {
            Some(word) => {
                self.read(name);
                Ok(word)
            }
            None => Err(wrong(name, &value.to_string(), &format!("one of {}", words.join(", ")))),
        }
    }

    /// Yes or no; no where it is absent.
    pub(in crate::verify) fn flag(&self, name: &str) -> Result<bool, Trouble> {
        match self.get(name) {
            None => Ok(false),
            Some(Value::Flag(yes)) => {
                self.read(name);
                Ok(*yes)
            }
            Some(other) => Err(wrong(name, &other.to_string(), "yes or no")),
        }
    }
}

fn wrong(name: &str, value: &str, expected: &str) -> Trouble {
    Trouble::Claim("settings", format!("its setting `{name}` is {}, expected {expected}", short(value)))
}

/// The beginning of a text of the file.
fn short(text: &str) -> String {
    let cut: String = text.chars().take(LONGEST).collect();
    if cut.len() < text.len() { format!("{cut}…") } else { cut }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::program::{Certificate, Sense};

    fn claim(settings: Settings) -> Claim {
        Claim {
            method: "psde".into(),
            settings,
            resolved: Settings::default(),
            seed: 0,
            evidence: String::new(),
            program: String::new(),
            certificate: Certificate::new(Sense::Minimise, 1.0, 1.0, 1.0),
        }
    }

    #[test]
    fn a_setting_is_what_its_type_says_or_the_claim_is_refused() {
        let all = Settings::default()
            .with("slack", "1e9")
            .with("unit-variance", "yes")
            .with("targets", 2.5)
            .with("form", "soft")
            .with("trace", 0.0)
            .with("weight", 3usize);
        let claim = claim(all);
        let said = Said::of(&claim).unwrap();
        assert!(said.needed("slack").is_err() && said.number_or_none("slack").is_err());
        assert!(said.flag("unit-variance").is_err() && said.count("targets").is_err());
        assert!(said.word("form", &["full", "diagonal"]).is_err() && said.number("trace").is_err());
        assert_eq!(said.number_or_zero("trace").unwrap(), 0.0);
        assert_eq!(said.needed("weight").unwrap(), 3.0);
        assert_eq!(said.word("form", &["at-most", "soft"]).unwrap(), "soft");
        // What was refused was not read, and is not told.
        let told = said.checked();
        assert_eq!(told.iter().map(|(n, _)| n).collect::<Vec<_>>(), ["form", "trace", "weight"]);
    }

    #[test]
    fn a_sentence_is_no_setting() {
        for (name, value) in [("join", "union; no map at all"), ("a b", "c"), ("", "x"), ("join", "")] {
            assert!(Said::of(&claim(Settings::default().with(name, value))).is_err(), "{name} {value}");
        }
        assert!(Said::of(&claim(Settings::default().with("join", "union"))).is_ok());
    }
}
