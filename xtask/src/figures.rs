//! The figures that the command prints on the examples, computed again by numpy, scipy, scikit-learn and networkx.

use anyhow::Result;

use crate::shell::{self, target};

const PACKAGES: &[&str] = &["numpy", "scipy>=1.12", "scikit-learn", "networkx"];
const PROBE: &str = "import numpy, scipy.optimize, sklearn.manifold, networkx; scipy.optimize.isotonic_regression";

/// Fails where a figure differs from what the other programs make of the same files.
pub(crate) fn run() -> Result<()> {
    shell::run("cargo", &["build", "--release", "-p", "nearer-cli"], &[])?;
    let python = prepare()?;
    let nearer = target().join("release").join("nearer");
    let page = target().join("figures.md").to_string_lossy().into_owned();
    let environment = [("NEARER", &*nearer.to_string_lossy()), ("PYTHONDONTWRITEBYTECODE", "1")];
    shell::run(&python, &["bench/truth.py", "-o", &page], &environment)
}

/// The other programs, installed where they are missing; gives the Python that has them.
pub(crate) fn prepare() -> Result<String> {
    shell::python_with("figures", PACKAGES, PROBE)
}
