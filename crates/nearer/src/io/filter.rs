//! Which rows of a table are read: `column=value` and its like.

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use csv::ByteRecord;

use crate::error::{At, Error, nearest};

/// What the cell of a column must be for its row to be read.
///
/// `site=lake`, `site!=lake`, `depth<3`, `depth>=3`, `site in lake,pond`, `site not in lake,pond`. Numbers are compared as
/// numbers where both are; an empty cell, or `NA`, passes only what it is not equal to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Filter {
    column: String,
    test: Test,
    values: Vec<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Test {
    In,
    NotIn,
    Less,
    AtMost,
    More,
    AtLeast,
}

impl FromStr for Filter {
    type Err = Error;
    fn from_str(text: &str) -> Result<Self, Error> {
        let words = [(" not in ", Test::NotIn), (" in ", Test::In)];
        let signs = [
            ("!=", Test::NotIn),
            ("<=", Test::AtMost),
            (">=", Test::AtLeast),
            ("==", Test::In),
            ("=", Test::In),
            ("<", Test::Less),
            (">", Test::More),
        ];
        let first = words.iter().chain(&signs).filter_map(|(sign, test)| Some((text.find(sign)?, *sign, *test)));
        // The first sign counts, and of those that begin at one place the longest.
        let found = first.min_by_key(|(at, sign, _)| (*at, usize::MAX - sign.len()));
        let wrong = || Error::Parameter {
            name: "where".into(),
            value: format!("`{text}`"),
            expected: "column=value, with = != < <= > >= or `in` and a list with commas".into(),
        };
        let (at, sign, test) = found.ok_or_else(wrong)?;
        let (column, rest) = (text[..at].trim(), text[at + sign.len()..].trim());
        let unquoted = |v: &str| {
            let v = v.trim();
            let inner = v.strip_prefix(['"', '\'']).and_then(|v| v.strip_suffix(['"', '\'']));
            inner.unwrap_or(v).to_owned()
        };
        let values: Vec<String> = match sign {
            " in " | " not in " => rest.trim_matches(['(', ')']).split(',').map(unquoted).collect(),
            _ => vec![unquoted(rest)],
        };
        let ordered = !matches!(test, Test::In | Test::NotIn);
        if column.is_empty() || (ordered && values[0].parse::<f64>().is_err()) {
            return Err(wrong());
        }
        Ok(Filter { column: unquoted(column), test, values })
    }
}

impl fmt::Display for Filter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sign = match self.test {
            Test::In if self.values.len() > 1 => " in ",
            Test::NotIn if self.values.len() > 1 => " not in ",
            Test::In => "=",
            Test::NotIn => "!=",
            Test::Less => "<",
            Test::AtMost => "<=",
            Test::More => ">",
            Test::AtLeast => ">=",
        };
        write!(f, "{}{sign}{}", self.column, self.values.join(","))
    }
}

impl Filter {
    fn passes(&self, cell: &str) -> Result<bool, String> {
        let same =
            |v: &String| v == cell || v.parse::<f64>().ok().zip(cell.parse::<f64>().ok()).is_some_and(|(a, b)| a == b);
        match self.test {
            Test::In => return Ok(self.values.iter().any(same)),
            Test::NotIn => return Ok(!self.values.iter().any(same)),
            _ if cell.is_empty() || cell == "NA" => return Ok(false),
            _ => {}
        }
        let number = |text: &str| text.parse::<f64>().map_err(|_| format!("`{text}` is not a number"));
        let (cell, value) = (number(cell)?, number(&self.values[0])?);
        Ok(match self.test {
            Test::Less => cell < value,
            Test::AtMost => cell <= value,
            Test::More => cell > value,
            _ => cell >= value,
        })
    }
}

/// The filters of one file, once its first record has said where their columns are.
#[derive(Debug)]
pub(crate) struct Passing {
    filters: Arc<[Filter]>,
    columns: Option<Vec<usize>>,
    passed: u64,
    refused: u64,
}

impl Passing {
    pub(crate) fn new(filters: &Arc<[Filter]>) -> Self {
        Passing { filters: filters.clone(), columns: None, passed: 0, refused: 0 }
    }
    /// Whether a record is to be read; the first one names the columns.
    pub(crate) fn pass(&mut self, record: &ByteRecord, line: u64, at: &At) -> Result<bool, Error> {
        if self.filters.is_empty() {
            return Ok(true);
        }
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).trim().to_string();
        let Some(columns) = &self.columns else {
            let header: Vec<String> = record.iter().map(text).collect();
            let find = |f: &Filter| {
                header.iter().position(|h| *h == f.column).ok_or_else(|| Error::Value {
                    at: at.clone().line(line),
                    what: format!("there is no column `{}` for `{f}`", f.column),
                    remedy: match nearest(&f.column, header.iter().map(String::as_str)) {
                        Some(near) => format!("perhaps `{near}`").into(),
                        None => "give a name of the first line".into(),
                    },
                })
            };
            self.columns = Some(self.filters.iter().map(find).collect::<Result<_, Error>>()?);
            return Ok(true);
        };
        for (filter, k) in self.filters.iter().zip(columns) {
            let cell = record.get(*k).map(text).unwrap_or_default();
            let passes = filter.passes(&cell).map_err(|what| Error::Value {
                at: at.clone().line(line).column(*k as u64 + 1),
                what,
                remedy: format!("`{filter}` compares numbers").into(),
            })?;
            if !passes {
                self.refused += 1;
                return Ok(false);
            }
        }
        self.passed += 1;
        Ok(true)
    }
    /// Refuses filters that nothing passed.
    pub(crate) fn end(&self, at: &At) -> Result<(), Error> {
        if self.passed > 0 || self.refused == 0 {
            return Ok(());
        }
        let all: Vec<String> = self.filters.iter().map(ToString::to_string).collect();
        Err(Error::Value {
            at: at.clone(),
            what: format!("none of the {} rows has {}", self.refused, all.join(" and ")),
            remedy: "look at the values of the column".into(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn filters_say_what_passes() {
        for (text, yes, no) in [
            ("a=lake", "lake", "pond"),
            ("a = 4", "4.0", "40"),
            ("a!=lake", "", "lake"),
            ("a<3", "2.5", "3"),
            ("a>=3", "3", "NA"),
            ("a in lake, pond", "pond", "sea"),
            ("a not in lake,pond", "sea", "lake"),
            ("a='x=y'", "x=y", "x"),
        ] {
            let f: Filter = text.parse().unwrap();
            assert!(f.passes(yes).unwrap() && !f.passes(no).unwrap(), "{text}");
            assert_eq!(f.to_string().parse::<Filter>().unwrap(), f, "{text}");
        }
        assert!("lake".parse::<Filter>().is_err() && "=3".parse::<Filter>().is_err());
        assert!("depth<deep".parse::<Filter>().is_err());
        assert!("depth<3".parse::<Filter>().unwrap().passes("deep").is_err());
    }
}
