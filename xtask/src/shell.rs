//! Running other programs from the root of the repository.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};

/// The root of the repository.
pub(crate) fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("xtask lies in the root")
}

/// Where cargo puts what it builds.
pub(crate) fn target() -> PathBuf {
    std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root().join("target"), |dir| root().join(dir))
}

/// Runs a program to its end, its output shown; an exit code other than 0 is an error.
pub(crate) fn run(program: &str, args: &[&str], env: &[(&str, &str)]) -> Result<()> {
    println!("$ {program} {}", args.join(" "));
    let status = Command::new(program)
        .args(args)
        .envs(env.iter().copied())
        .current_dir(root())
        .stdin(Stdio::null())
        .status()
        .with_context(|| format!("cannot start `{program}`"))?;
    if !status.success() {
        bail!("`{program} {}` ended with {status}", args.join(" "));
    }
    Ok(())
}

/// Runs a program to its end and gives what it wrote to stdout.
pub(crate) fn output(program: &str, args: &[&str]) -> Result<String> {
    let done = Command::new(program)
        .args(args)
        .current_dir(root())
        .stdin(Stdio::null())
        .stderr(Stdio::inherit())
        .output()
        .with_context(|| format!("cannot start `{program}`"))?;
    if !done.status.success() {
        bail!("`{program} {}` ended with {}", args.join(" "), done.status);
    }
    String::from_utf8(done.stdout).context("the output is not text")
}

/// Whether a program can be run and says so.
pub(crate) fn answers(program: &str, args: &[&str]) -> bool {
    let quiet = Command::new(program).args(args).stdout(Stdio::null()).stderr(Stdio::null()).status();
    quiet.is_ok_and(|status| status.success())
}

/// A Python of its own under the build folder that has these packages, installed where `probe` cannot be run.
pub(crate) fn python_with(name: &str, packages: &[&str], probe: &str) -> Result<String> {
    let folder = target().join(name);
    let python = folder.join("bin").join("python");
    let (Some(folder), Some(python)) = (folder.to_str(), python.to_str()) else {
        bail!("{} is not valid UTF-8; build in another folder", folder.display());
    };
    if !answers(python, &["-c", probe]) {
        println!("installing {} into {folder}", packages.join(", "));
        run("python3", &["-m", "venv", folder], &[])?;
        let pip = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check"];
        run(python, &[&pip, packages].concat(), &[])?;
    }
    if !answers(python, &["-c", probe]) {
        bail!("{} could not be installed into {folder}; remove that folder and try again", packages.join(", "));
    }
    Ok(python.to_owned())
}
