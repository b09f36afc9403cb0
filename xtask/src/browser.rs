//! The tests of the page in a real browser: Debian's chromium, driven by playwright from PyPI in an environment of its own.
//!
//! What is missing is installed: chromium by `apt-get` (as root, or by `sudo` where that asks no password), the driver
//! into `target/browser`. Browsers are never downloaded.

use std::path::Path;

use anyhow::{Context as _, Result};

use crate::shell::{self, text};

const CHROMIUM: &str = "/usr/bin/chromium";
const DRIVER: &str = "playwright==1.*";

/// Installs what is missing, builds the command and runs the tests; `only` names some of them.
pub(crate) fn run(only: &[&str]) -> Result<()> {
    let python = prepare()?;
    let nearer = shell::command()?;
    let environment = [("NEARER", text(&nearer)?), ("CHROMIUM", CHROMIUM), ("PYTHONDONTWRITEBYTECODE", "1")];
    let script = ["crates/nearer-cli/tests/browser/run.py"];
    shell::run(&python, &[&script, only].concat(), &environment)
}

/// The browser and its driver, installed where they are missing; gives the Python that has the driver.
pub(crate) fn prepare() -> Result<String> {
    chromium()?;
    shell::python_with("browser", &[DRIVER], "import playwright.sync_api")
}

/// Debian's chromium, installed where it is missing.
pub(crate) fn chromium() -> Result<()> {
    shell::debian("chromium", || Path::new(CHROMIUM).exists())
        .context("without a browser `cargo xtask ci --no-browser` goes on")
}
