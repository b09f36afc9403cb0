//! The numbers that others computed, computed again: outside solvers in an environment of their own.

use anyhow::Result;

use crate::shell::{python_with, run};

/// The scripts, each beside the file that it writes.
const SCRIPTS: &[&str] = &[
    "crates/nearer/tests/golden/gram_programs.py",
    "crates/nearer/tests/golden/kernel_programs.py",
    "crates/nearer/tests/golden/diagonal_programs.py",
];

/// What the scripts need, at the versions that made the stored numbers.
const PACKAGES: &[&str] = &["numpy", "scipy", "clarabel==0.11.1", "scs==3.3.1", "cvxpy==1.9.3"];

pub(crate) fn remake() -> Result<()> {
    let python = python_with("golden-venv", PACKAGES, "import cvxpy, clarabel, scs")?;
    SCRIPTS.iter().try_for_each(|script| run(&python, &[script], &[]))
}
