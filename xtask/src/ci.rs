//! Everything that must hold, one step after the other, with the time each took.

use std::fs::{self, File};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::Instant;

use anyhow::{Context as _, Result, bail};

use crate::shell::{self, answers};
use crate::{browser, figures, newcomer, python, readme, tidy};

/// The one step that may be left out, where no browser can be installed.
const BROWSER: &str = "page in a browser";

/// The one feature of the library.
const FEATURE: &str = "nearer/parquet,nearer-cli/faults";

/// The step that sees whether what installs is there.
const TOOLS: &str = "tools";
/// The steps that need what is installed while the code is compiled.
const INSTALLED: &[&str] = &[BROWSER, "python", "figures"];

type Step = (&'static str, fn() -> Result<()>);

// Quick steps first. Every profile is built once: clippy and doc share the checked dependencies, the tests are the
// one dev build, with the one feature there is, and the README's commands the one release build, without it.
const STEPS: &[Step] = &[
    (TOOLS, tools),
    ("format", || shell::run("cargo", &["fmt", "--all", "--check"], &[])),
    ("tidy", tidy::run),
    ("bench scripts", || shell::run("python3", &["bench/run.py", "--help"], &[("PYTHONDONTWRITEBYTECODE", "1")])),
    ("clippy", || {
        let whole = ["clippy", "--workspace", "--all-targets", "--features", FEATURE, "--", "-D", "warnings"];
        shell::run("cargo", &whole, &[])
    }),
    ("docs", || {
        shell::run(
            "cargo",
            &["doc", "--workspace", "--no-deps", "--features", FEATURE],
            &[("RUSTDOCFLAGS", "-D warnings")],
        )
    }),
    ("tests", || shell::run("cargo", &["test", "--workspace", "--features", FEATURE], &[])),
    (BROWSER, || browser::run(&[])),
    ("readme table", readme::check),
    ("readme commands", newcomer::run),
    ("python", || python::run(&[])),
    ("figures", figures::run),
];

/// Runs all steps; the first that fails ends it, by name.
pub(crate) fn run(with_browser: bool) -> Result<()> {
    let begin = Instant::now();
    let mut summary = String::new();
    let mut installing = None;
    for (k, (name, step)) in STEPS.iter().enumerate() {
        println!("\n=== {} of {}: {name}", k + 1, STEPS.len());
        if *name == BROWSER && !with_browser {
            println!("SKIPPED, as --no-browser says: nobody has looked whether the page works");
            summary += &format!("  {name:<18}{:>8}    SKIPPED\n", "");
            continue;
        }
        let start = Instant::now();
        if INSTALLED.contains(name) {
            installing.take().map_or(Ok(()), Aside::wait)?;
        }
        let done = step();
        let seconds = start.elapsed().as_secs_f64();
        summary += &format!("  {name:<18}{seconds:>8.1} s  {}\n", if done.is_ok() { "ok" } else { "FAILED" });
        println!("=== {name}: {seconds:.1} s");
        if let Err(why) = done {
            println!("\n{summary}");
            bail!("ci failed at the step `{name}`: {why:#}");
        }
        if *name == TOOLS {
            installing = Some(Aside::begin(with_browser)?);
        }
    }
    let held = if with_browser { "all" } else { "all but one of" };
    println!("\n{summary}  {:<18}{:>8.1} s  {held} {} steps hold", "", begin.elapsed().as_secs_f64(), STEPS.len());
    Ok(())
}

/// `cargo xtask prepare` beside the other steps: what it fetches waits for a network while compilers wait for a processor.
struct Aside {
    child: Child,
    log: PathBuf,
}

impl Aside {
    fn begin(with_browser: bool) -> Result<Self> {
        let log = shell::target().join("prepare.log");
        let file = File::create(&log).with_context(|| format!("cannot write {}", log.display()))?;
        let mut command = Command::new(std::env::current_exe().context("where is this program?")?);
        command.arg("prepare").args((!with_browser).then_some("--no-browser"));
        let child = command.stdin(Stdio::null()).stdout(file.try_clone()?).stderr(file).spawn()?;
        Ok(Aside { child, log })
    }
    /// Waits for it; what it said is shown where it failed.
    fn wait(mut self) -> Result<()> {
        let status = self.child.wait()?;
        if !status.success() {
            println!("{}", fs::read_to_string(&self.log).unwrap_or_default());
            bail!("what the tests need could not be installed ({status})");
        }
        Ok(())
    }
}

impl Drop for Aside {
    fn drop(&mut self) {
        // A step that failed ends everything; an installation cut short would leave the system's packages half unpacked.
        let _ = self.child.wait();
    }
}

/// Formatter, linter and Python: what is missing is fetched where rustup can, and named where not.
fn tools() -> Result<()> {
    for (component, check) in [("rustfmt", "fmt"), ("clippy", "clippy")] {
        if answers("cargo", &[check, "--version"]) {
            continue;
        }
        println!("{component} is missing, asking rustup for it");
        let fetched = shell::run("rustup", &["component", "add", component], &[]);
        if fetched.is_err() || !answers("cargo", &[check, "--version"]) {
            bail!("{component} is missing and could not be fetched; `rustup component add {component}` installs it");
        }
    }
    if !answers("python3", &["--version"]) {
        bail!("python3 is missing; install it with the package manager of the system");
    }
    println!("cargo, rustfmt, clippy and python3 are there");
    Ok(())
}
