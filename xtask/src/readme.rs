//! The table of methods in README.md, and what Python has of it, written from the one table the code has.

use std::fs;
use std::path::PathBuf;

use anyhow::{Context, Result, bail};

use crate::shell::{command, feed, output, root, text};

const BEGIN: &str = "<!-- methods -->\n";
const END: &str = "<!-- /methods -->";

/// Puts the table of today between the markers.
pub(crate) fn write() -> Result<()> {
    let old = read()?;
    let new = replaced(&old, &table()?)?;
    if new == old {
        println!("README.md is up to date");
    } else {
        fs::write(path(), new).context("cannot write README.md")?;
        println!("README.md: table of methods rewritten");
    }
    python(&[])
}

/// Fails where the README's table is not today's.
pub(crate) fn check() -> Result<()> {
    let text = read()?;
    if replaced(&text, &table()?)? != text {
        bail!("the table of methods in README.md is out of date; `cargo xtask readme` rewrites it");
    }
    println!("README.md lists the methods of the table");
    python(&["--check"])
}

pub(crate) fn path() -> PathBuf {
    root().join("README.md")
}

pub(crate) fn read() -> Result<String> {
    fs::read_to_string(path()).context("cannot read README.md")
}

/// The table as the command prints it, which the tests have built anyway: a chore that linked the library would build it once more.
fn table() -> Result<String> {
    output(text(&command()?)?, &["methods", "--markdown"])
}

/// The stub and the list of estimators.
fn python(how: &[&str]) -> Result<()> {
    let table = output(text(&command()?)?, &["methods", "--json"])?;
    feed("python3", &[&["python/generate.py"], how].concat(), &table)
}

fn replaced(text: &str, table: &str) -> Result<String> {
    let (before, rest) = text.split_once(BEGIN).context("README.md has no line `<!-- methods -->`")?;
    let (_, after) = rest.split_once(END).context("README.md has no `<!-- /methods -->` after `<!-- methods -->`")?;
    Ok(format!("{before}{BEGIN}\n{table}\n{END}{after}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_stands_between_the_markers_changes() {
        let old = "a\n<!-- methods -->\nold\n<!-- /methods -->\nb\n";
        let new = replaced(old, "| t |\n").unwrap();
        assert_eq!(new, "a\n<!-- methods -->\n\n| t |\n\n<!-- /methods -->\nb\n");
        assert_eq!(replaced(&new, "| t |\n").unwrap(), new);
        assert!(replaced("no markers", "").is_err());
    }
}
