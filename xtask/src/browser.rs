//! The tests of the page in a real browser: Debian's chromium, driven by playwright from PyPI in an environment of its own.
//!
//! What is missing is installed: chromium by `apt-get` (as root, or by `sudo` where that asks no password), the driver
//! into `target/browser`. Browsers are never downloaded.

use std::path::Path;

use anyhow::{Result, bail};

use crate::shell::{self, target};

const CHROMIUM: &str = "/usr/bin/chromium";
const DRIVER: &str = "playwright==1.*";

/// Installs what is missing, builds the command and runs the tests; `only` names some of them.
pub(crate) fn run(only: &[&str]) -> Result<()> {
    let python = prepare()?;
    shell::run("cargo", &["build", "-p", "nearer-cli"], &[])?;
    let nearer = target().join("debug").join("nearer");
    let environment = [("NEARER", text(&nearer)?), ("CHROMIUM", CHROMIUM), ("PYTHONDONTWRITEBYTECODE", "1")];
    let script = ["crates/nearer-cli/tests/browser/run.py"];
    shell::run(&python, &[&script, only].concat(), &environment)
}

/// The browser and its driver, installed where they are missing; gives the Python that has the driver.
fn prepare() -> Result<String> {
    if !Path::new(CHROMIUM).exists() {
        install_chromium()?;
    }
    shell::python_with("browser", &[DRIVER], "import playwright.sync_api")
}

fn install_chromium() -> Result<()> {
    println!("{CHROMIUM} is missing, asking apt-get for it");
    let root = shell::output("id", &["-u"]).is_ok_and(|id| id.trim() == "0");
    let apt = |args: &[&str]| {
        let quiet = [("DEBIAN_FRONTEND", "noninteractive")];
        if root {
            shell::run("apt-get", args, &quiet)
        } else {
            shell::run("sudo", &[&["-n", "apt-get"], args].concat(), &quiet)
        }
    };
    let done =
        apt(&["update", "-q"]).and_then(|()| apt(&["install", "-q", "-y", "--no-install-recommends", "chromium"]));
    if done.is_err() || !Path::new(CHROMIUM).exists() {
        bail!(
            "chromium is missing and could not be installed; `sudo apt-get install chromium` does it, `cargo xtask ci --no-browser` goes on without"
        );
    }
    Ok(())
}

fn text(path: &Path) -> Result<&str> {
    path.to_str().ok_or_else(|| anyhow::anyhow!("{} is not valid UTF-8; build in another folder", path.display()))
}
