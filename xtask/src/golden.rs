//! The numbers that others computed, computed again: outside solvers in an environment of their own.

use anyhow::Result;

use crate::shell::{run, target};

/// The scripts, each beside the file that it writes.
const SCRIPTS: &[&str] = &[
    "crates/nearer/tests/golden/gram_programs.py",
    "crates/nearer/tests/golden/kernel_programs.py",
    "crates/nearer/tests/golden/diagonal_programs.py",
];

/// What the scripts need, at the versions that made the stored numbers.
const PACKAGES: &[&str] = &["numpy", "scipy", "clarabel==0.11.1", "scs==3.3.1", "cvxpy==1.9.3"];

pub(crate) fn remake() -> Result<()> {
    let folder = target().join("golden-venv");
    let python = folder.join("bin/python");
    let python = python.to_string_lossy();
    if !folder.join("bin/python").exists() {
        run("python3", &["-m", "venv", &folder.to_string_lossy()], &[])?;
    }
    run(&python, &[&["-m", "pip", "install", "--quiet"], PACKAGES].concat(), &[])?;
    SCRIPTS.iter().try_for_each(|script| run(&python, &[script], &[]))
}
