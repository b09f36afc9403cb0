//! The commands of the README and of the guide, run as a newcomer would paste them.
//!
//! A fenced `sh` block that follows the line `<!-- run -->` is run line by line with `nearer` on the path. All blocks
//! share one fresh folder that holds a copy of `examples/`: what one line writes, a later line may read, and nothing
//! lands in the repository. The folder is `target/newcomer`, below the root, so that `cargo run -- demo` finds its way.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

use anyhow::{Context, Result, bail};

use crate::readme;
use crate::shell::{self, root, target};

const MARK: &str = "<!-- run -->";
/// Stories from a file to a figure, run like the README.
const GUIDE: &str = "docs/guide.md";

fn guide() -> Result<String> {
    fs::read_to_string(root().join(GUIDE)).with_context(|| format!("cannot read {GUIDE}"))
}

pub(crate) fn run() -> Result<()> {
    let mut lines = Vec::new();
    for (name, text) in [("README.md", readme::read()?), (GUIDE, guide()?)] {
        let found = commands(&text)?;
        if found.is_empty() {
            bail!("{name} has no block of commands marked with `{MARK}`");
        }
        lines.extend(found);
    }
    shell::run("cargo", &["build", "--release", "-p", "nearer-cli"], &[])?;
    refuses_parquet()?;
    let folder = fresh_folder()?;
    let path = search_path()?;
    for line in &lines {
        println!("\n> {line}");
        let start = Instant::now();
        let status = Command::new("sh")
            .args(["-e", "-c", line])
            .current_dir(&folder)
            .env("PATH", &path)
            .stdin(Stdio::null())
            .status()
            .context("cannot start sh")?;
        if !status.success() {
            bail!("the command `{line}` of README.md or {GUIDE} ended with {status}");
        }
        println!("  ({:.1} s)", start.elapsed().as_secs_f64());
    }
    println!("\nall {} commands of README.md and {GUIDE} ran", lines.len());
    Ok(())
}

/// The tests are built with the feature `parquet`, and what is shipped is not: it says so of such a file, and how to read it.
fn refuses_parquet() -> Result<()> {
    let file = root().join("crates/nearer/tests/golden/parquet/mixed.parquet");
    let done = Command::new(target().join("release").join("nearer")).arg("check").arg(file).output()?;
    let said = String::from_utf8_lossy(&done.stderr);
    if done.status.code() != Some(2) || !said.contains("cargo feature parquet") {
        bail!(
            "the release build is to refuse a parquet file with the way to read it, and ended with {}: {said}",
            done.status
        );
    }
    Ok(())
}

/// The lines of the marked blocks; a backslash at the end joins a line with the next, comments and `$ ` are left out.
fn commands(text: &str) -> Result<Vec<String>> {
    let mut found = Vec::new();
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        if line.trim() != MARK {
            continue;
        }
        let fence = lines.find(|l| !l.trim().is_empty()).unwrap_or_default();
        if !matches!(fence.trim(), "```sh" | "```bash" | "```console") {
            bail!("README.md: `{MARK}` is followed by `{fence}`, not by a block that begins with ```sh");
        }
        let block: Vec<&str> = lines.by_ref().take_while(|l| !l.trim_start().starts_with("```")).collect();
        for line in block.join("\n").replace("\\\n", " ").lines() {
            let line = line.trim().trim_start_matches("$ ");
            if line.contains("xtask ci") {
                bail!("README.md: `{line}` runs these commands and cannot be one of them; take its block's mark away");
            }
            if !line.is_empty() && !line.starts_with('#') {
                found.push(line.to_owned());
            }
        }
    }
    Ok(found)
}

fn fresh_folder() -> Result<PathBuf> {
    let folder = root().join("target").join("newcomer");
    if folder.exists() {
        fs::remove_dir_all(&folder).with_context(|| format!("cannot empty {}", folder.display()))?;
    }
    copy(&root().join("examples"), &folder.join("examples"))?;
    Ok(folder)
}

fn copy(from: &Path, to: &Path) -> Result<()> {
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from).with_context(|| format!("cannot read {}", from.display()))? {
        let entry = entry?;
        let target = to.join(entry.file_name());
        if entry.file_type()?.is_dir() {
            copy(&entry.path(), &target)?;
        } else {
            fs::copy(entry.path(), target)?;
        }
    }
    Ok(())
}

fn search_path() -> Result<std::ffi::OsString> {
    let release = target().join("release");
    let old = std::env::var_os("PATH").unwrap_or_default();
    Ok(std::env::join_paths(std::iter::once(release).chain(std::env::split_paths(&old)))?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_marked_blocks_are_run() {
        let text = "\
# x\n```sh\nnot this\n```\n<!-- run -->\n```sh\n# a comment\n$ one \\\n  more\n\ntwo\n```\ntext\n\n<!-- run -->\n\n```sh\nthree\n```\n";
        assert_eq!(commands(text).unwrap(), ["one    more", "two", "three"]);
    }

    #[test]
    fn a_mark_without_a_block_is_refused() {
        assert!(commands("<!-- run -->\ntext\n").is_err());
        assert!(commands("<!-- run -->\n```sh\ncargo xtask ci\n```\n").is_err());
    }
}
