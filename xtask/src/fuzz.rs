//! `cargo xtask fuzz`: builds the fuzzer with counters on every edge of the library, and runs it.

use std::path::Path;
use std::process::{Command, ExitCode};

use anyhow::{Context, Result, bail};

use crate::shell::{root, target};

/// Tells this program, when cargo starts it in place of the compiler, that it is meant.
const MARK: &str = "NEARER_FUZZ_COMPILER";

/// What puts a counter on every edge: passes of LLVM, which every toolchain has.
const COUNTERS: [&str; 4] = [
    "-Cpasses=sancov-module",
    "-Cllvm-args=-sanitizer-coverage-level=3",
    "-Cllvm-args=-sanitizer-coverage-inline-8bit-counters",
    "-Ccodegen-units=4",
];

/// Builds and runs the fuzzer. Only the library itself is built anew: its dependencies are those of any wheel.
pub(crate) fn run(words: &[&str]) -> Result<()> {
    let own = std::env::current_exe().context("where this program lies is not known")?;
    let guided = start(words, Some(&own));
    match guided {
        Err(why) if why.to_string().contains("build") => {
            println!("{why}; without counters then: inputs are chosen blindly");
            start(words, None)
        }
        other => other,
    }
}

fn start(words: &[&str], compiler: Option<&Path>) -> Result<()> {
    let mut build = Command::new("cargo");
    // As wheels are built: a panic unwinds, and is then a finding.
    build.current_dir(root()).args(["build", "--profile", "unwinding", "-p", "nearer-fuzz"]);
    if let Some(own) = compiler {
        build.env("RUSTC_WORKSPACE_WRAPPER", own).env(MARK, "1");
    }
    if !build.status().context("cannot start cargo")?.success() {
        bail!("the build failed");
    }
    let status = Command::new(target().join("unwinding/nearer-fuzz")).args(words).current_dir(root()).status()?;
    if status.success() { Ok(()) } else { bail!("the fuzzer ended with {status}") }
}

/// In place of the compiler: the same arguments, and counters for the library.
pub(crate) fn as_compiler(words: &[&str]) -> Option<ExitCode> {
    std::env::var_os(MARK)?;
    let (compiler, rest) = words.split_first()?;
    if Path::new(compiler).file_stem().is_none_or(|name| name != "rustc") {
        return None;
    }
    let library = rest.windows(2).any(|w| w == ["--crate-name", "nearer"]);
    let counters: &[&str] = if library { &COUNTERS } else { &[] };
    let status = Command::new(compiler).args(rest).args(counters).env_remove(MARK).status();
    Some(match status {
        Ok(status) if status.success() => ExitCode::SUCCESS,
        _ => ExitCode::FAILURE,
    })
}
