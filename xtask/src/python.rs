//! The Python package: a wheel, installed into environments of its own under `target/python`, and its tests there.
//!
//! By itself the wheel is tried beside nothing but numpy, and beside the newest scikit-learn, and the archive of sources is held against
//! what the wheel was made of. `--all` adds frames, notebooks, the oldest scikit-learn that is supported, Spark with Dask and Ray, and the
//! package as `pip` builds it from that archive. Unless `--release` is said, it is built as the tests are, so that `cargo xtask ci` compiles
//! the library once.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};

use crate::browser;
use crate::shell::{self, AS_TESTED, target, text};

/// An environment, what is installed into it beside the wheel, and the folders of tests that run there.
struct Place {
    name: &'static str,
    packages: &'static [&'static str],
    tests: &'static [&'static str],
}

/// Needed by every change.
const USUAL: &[Place] = &[
    Place { name: "numpy", packages: &["numpy", "pytest"], tests: &["plain"] },
    Place {
        name: "sklearn",
        packages: &["numpy", "scikit-learn", "pandas", "matplotlib", "pytest"],
        tests: &["estimators", "cells"],
    },
];

/// Large, slow or old.
const MORE: &[Place] = &[
    Place {
        name: "frames",
        packages: &["numpy", "scikit-learn", "pandas", "polars", "pyarrow", "networkx", "matplotlib", "tqdm", "pytest"],
        tests: &["frames", "plain", "estimators"],
    },
    Place {
        name: "oldest",
        packages: &["numpy==1.26.*", "scikit-learn==1.6.*", "scipy==1.11.*", "pytest"],
        tests: &["plain", "estimators"],
    },
    Place {
        name: "notebooks",
        packages: &[
            "numpy",
            "scikit-learn",
            "pandas",
            "matplotlib",
            "nbconvert",
            "nbclient",
            "ipykernel",
            "playwright==1.*",
            "pytest",
        ],
        tests: &["notebooks"],
    },
    Place {
        name: "spark",
        packages: &[
            "numpy",
            "scikit-learn",
            "pandas",
            "polars",
            "pyarrow",
            "pyspark>=3.5",
            "dask[dataframe]",
            "ray[data]",
            "pytest",
        ],
        tests: &["spark"],
    },
];

pub(crate) fn run(words: &[&str]) -> Result<()> {
    let (mut all, mut release, mut only) = (false, false, Vec::new());
    for word in words {
        match *word {
            "--all" => all = true,
            "--release" => release = true,
            name if USUAL.iter().chain(MORE).any(|p| p.name == name) => only.push(name),
            other => {
                bail!("`cargo xtask python` takes --all, --release and the names of environments, and not {other}")
            }
        }
    }
    let nearer = command(release)?;
    let wheel = wheel(release)?;
    let asked = |p: &&Place| {
        if only.is_empty() { all || USUAL.iter().any(|u| u.name == p.name) } else { only.contains(&p.name) }
    };
    for place in USUAL.iter().chain(MORE).filter(asked) {
        println!("--- python: {}", place.name);
        match place.name {
            "notebooks" => browser::chromium()?,
            "spark" => shell::debian("default-jre-headless", || shell::answers("java", &["-version"]))?,
            _ => {}
        }
        tested(place, &wheel, &nearer)?;
    }
    if !only.is_empty() {
        return Ok(());
    }
    println!("--- python: its sources");
    let sources = sources(release)?;
    if all { from_sources(&sources) } else { Ok(()) }
}

/// What builds the package and the usual environments, installed where they are missing.
pub(crate) fn prepare() -> Result<()> {
    let _ = builder()?;
    USUAL.iter().try_for_each(|place| place.python().map(drop))
}

impl Place {
    /// The Python of this environment, with its packages and without the wheel.
    fn python(&self) -> Result<String> {
        shell::python_with(&format!("python/{}", self.name), self.packages, "import numpy, pytest")
    }
}

/// The Python that has maturin.
fn builder() -> Result<String> {
    shell::python_with("python/maturin", &["maturin>=1.7,<2"], "import maturin")
}

/// The environment with the wheel in it, and its tests run there.
fn tested(place: &Place, wheel: &Path, nearer: &Path) -> Result<()> {
    let python = installed(place, wheel)?;
    let folders: Vec<String> = place.tests.iter().map(|t| format!("python/tests/{t}")).collect();
    let pytest = ["-m", "pytest", "-q", "-p", "no:cacheprovider", "--durations=5"];
    let args: Vec<&str> = pytest.iter().copied().chain(folders.iter().map(String::as_str)).collect();
    shell::run(&python, &args, &[("NEARER", text(nearer)?), ("PYTHONDONTWRITEBYTECODE", "1")])
}

/// The command, which the tests hold the package against.
fn command(release: bool) -> Result<PathBuf> {
    if !release {
        return shell::command();
    }
    shell::run("cargo", &["build", "--release"], &[])?;
    Ok(target().join("release").join("nearer"))
}

/// The profile of `pyproject.toml`, where a panic unwinds; else that of the tests.
fn profile(release: bool) -> &'static str {
    if release { "unwinding" } else { "dev" }
}

/// A wheel, the only one in its folder.
fn wheel(release: bool) -> Result<PathBuf> {
    let features: &[&str] = if release { &[] } else { &["--features", AS_TESTED] };
    maturin(&[&["build", "--locked", "--profile", profile(release)], features].concat(), "wheels", "whl")
}

/// The archive of sources: it holds every file of ours that the compiler read for the wheel.
fn sources(release: bool) -> Result<PathBuf> {
    let archive = maturin(&["sdist"], "sources", "gz")?;
    let python = builder()?;
    let listed = shell::output(&python, &["-m", "tarfile", "-l", text(&archive)?])?;
    let folder = target().join(if release { "unwinding" } else { "debug" });
    let read = fs::read_to_string(folder.join("lib_core.d")).context("cargo left no list of what it read")?;
    let here = format!("{}/crates/", text(shell::root())?);
    let ours: Vec<&str> = read.split_whitespace().filter_map(|path| path.strip_prefix(&here)).collect();
    let absent =
        ours.iter().find(|path| !listed.lines().any(|line| line.trim_end().ends_with(&format!("/crates/{path}"))));
    match absent {
        Some(path) => bail!("the archive of sources lacks crates/{path}, without which the package is not built"),
        None if ours.is_empty() => bail!("cargo's list of what it read names nothing of ours"),
        None => Ok(archive),
    }
}

/// The package as `pip` builds it out of its sources, in an environment that has nothing.
fn from_sources(archive: &Path) -> Result<()> {
    println!("--- python: from its sources");
    let python = shell::python_with("python/sources", &["pip"], "import pip")?;
    // A release build takes as long again, and it is not what is tried here.
    let built = target();
    let how = [("MATURIN_PEP517_ARGS", "--profile dev"), ("CARGO_TARGET_DIR", text(&built)?)];
    shell::run(&python, &["-m", "pip", "install", "--quiet", "--force-reinstall", text(archive)?], &how)?;
    let tried = "import nearer; print(nearer.embed(nearer.toy.cities()))";
    shell::run(&python, &["-I", "-c", tried], &[])
}

/// Has maturin make one file, the only one in its folder.
fn maturin(words: &[&str], folder: &str, extension: &str) -> Result<PathBuf> {
    let python = builder()?;
    let folder = target().join("python").join(folder);
    if folder.exists() {
        fs::remove_dir_all(&folder).context("what maturin made last time cannot be removed")?;
    }
    shell::run(&python, &[&["-m", "maturin"], words, &["--out", text(&folder)?]].concat(), &[])?;
    let made = fs::read_dir(&folder)?.filter_map(|e| Some(e.ok()?.path()));
    made.into_iter().find(|p| p.extension().is_some_and(|x| x == extension)).context("maturin made no file")
}

/// The environment with the wheel of now in it; the packages beside it are kept from run to run.
fn installed(place: &Place, wheel: &Path) -> Result<String> {
    let python = place.python()?;
    let pip = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check"];
    shell::run(&python, &[&pip[..], place.packages].concat(), &[])?;
    shell::run(&python, &[&pip[..], &["--force-reinstall", "--no-deps", text(wheel)?]].concat(), &[])?;
    Ok(python)
}
