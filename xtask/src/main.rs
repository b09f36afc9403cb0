//! The chores of the project: `cargo xtask ci`, `cargo xtask readme`, `cargo xtask tidy`, `cargo xtask fuzz`, `cargo xtask bench`.

mod browser;
mod ci;
mod figures;
mod fuzz;
mod golden;
mod newcomer;
mod python;
mod readme;
mod shell;
mod tidy;

use std::process::ExitCode;

use anyhow::{Result, bail};

const USAGE: &str = "\
cargo xtask ci                everything that must hold: format, lints, tests, docs, the README's table, its commands, the figures
cargo xtask ci --no-browser   the same without the page in a browser
cargo xtask prepare           installs what the tests need: chromium, and Python's packages under target/ (ci does it beside compiling)
cargo xtask browser [TEST …]  the page in a real browser; installs chromium and its driver where they are missing
cargo xtask readme [--check]  rewrites (or checks) the table of methods in README.md
cargo xtask newcomer          runs the README's commands line by line, as a newcomer would paste them
cargo xtask figures           every figure printed on the examples, computed again by other programs from PyPI
cargo xtask python [ARGS]     the Python package: wheel and tests; --all with frames, notebooks, Spark; --release optimised
cargo xtask tidy              the invariants of ARCHITECTURE.md that a search through the sources can settle
cargo xtask fuzz [ARGS]       mutated files through every reader: --inputs N, --seconds S, --seed K, --target NAME
cargo xtask golden            installs outside solvers from PyPI under target/ and computes their goldens again
cargo xtask bench [ARGS]      python3 bench/run.py ARGS";

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = args.iter().map(String::as_str).collect();
    if let Some(code) = fuzz::as_compiler(&words) {
        return code;
    }
    match chore(&words) {
        Ok(()) => ExitCode::SUCCESS,
        Err(why) => {
            eprintln!("{why:#}");
            ExitCode::FAILURE
        }
    }
}

/// Installs what the tests need and is missing.
fn prepare(with_browser: bool) -> Result<()> {
    if with_browser {
        let _ = browser::prepare()?;
    }
    let _ = figures::prepare()?;
    python::prepare()
}

fn chore(words: &[&str]) -> Result<()> {
    match words {
        ["ci"] => ci::run(true),
        ["ci", "--no-browser"] => ci::run(false),
        ["prepare"] => prepare(true),
        ["prepare", "--no-browser"] => prepare(false),
        ["browser", rest @ ..] => browser::run(rest),
        ["readme"] => readme::write(),
        ["readme", "--check"] => readme::check(),
        ["newcomer"] => newcomer::run(),
        ["figures"] => figures::run(),
        ["python", rest @ ..] => python::run(rest),
        ["tidy"] => tidy::run(),
        ["golden"] => golden::remake(),
        ["fuzz", rest @ ..] => fuzz::run(rest),
        ["bench", rest @ ..] => shell::run("python3", &[&["bench/run.py"], rest].concat(), &[]),
        [] | ["help" | "--help" | "-h"] => {
            println!("{USAGE}");
            Ok(())
        }
        other => bail!("there is no `cargo xtask {}`\n\n{USAGE}", other.join(" ")),
    }
}
