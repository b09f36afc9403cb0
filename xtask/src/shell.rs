//! Running other programs from the root of the repository.

use std::io::Write as _;
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

/// Runs a program to its end with this text as its stdin, its output shown.
pub(crate) fn feed(program: &str, args: &[&str], text: &str) -> Result<()> {
    let mut child = Command::new(program)
        .args(args)
        .current_dir(root())
        .stdin(Stdio::piped())
        .spawn()
        .with_context(|| format!("cannot start `{program}`"))?;
    if let Some(mut stdin) = child.stdin.take() {
        stdin.write_all(text.as_bytes()).with_context(|| format!("`{program}` does not listen"))?;
    }
    let status = child.wait()?;
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

/// Features under which a dev build of the command and of the Python package shares the library that the tests were built with.
pub(crate) const AS_TESTED: &str = "nearer-py/as-tested";

/// The command, built as the tests build it.
pub(crate) fn command() -> Result<PathBuf> {
    run("cargo", &["build", "-p", "nearer-cli", "-p", "nearer-py", "--bin", "nearer", "--features", AS_TESTED], &[])?;
    Ok(target().join("debug").join("nearer"))
}

/// Has `apt-get` install a package of Debian, as root or by `sudo` where that asks no password, unless it is `there`.
pub(crate) fn debian(package: &str, there: impl Fn() -> bool) -> Result<()> {
    if there() {
        return Ok(());
    }
    println!("{package} is missing, asking apt-get for it");
    let root = output("id", &["-u"]).is_ok_and(|id| id.trim() == "0");
    let apt = |args: &[&str]| {
        let quiet = [("DEBIAN_FRONTEND", "noninteractive")];
        if root { run("apt-get", args, &quiet) } else { run("sudo", &[&["-n", "apt-get"], args].concat(), &quiet) }
    };
    let install = ["install", "-q", "-y", "--no-install-recommends", package];
    let done = apt(&["update", "-q"]).and_then(|()| apt(&install));
    if done.is_err() || !there() {
        bail!("{package} is missing and could not be installed; `sudo apt-get install {package}` does it");
    }
    Ok(())
}

/// A path as an argument.
pub(crate) fn text(path: &Path) -> Result<&str> {
    path.to_str().with_context(|| format!("{} is not valid UTF-8; build in another folder", path.display()))
}

/// A Python of its own under the build folder that has these packages, installed where `probe` cannot be run.
pub(crate) fn python_with(name: &str, packages: &[&str], probe: &str) -> Result<String> {
    let folder = target().join(name);
    let python = folder.join("bin").join("python");
    let (folder, python) = (text(&folder)?, text(&python)?);
    if !answers(python, &["-c", probe]) {
        println!("installing {} into {folder}", packages.join(", "));
        debian("python3-venv", || answers("python3", &["-c", "import venv, ensurepip"]))?;
        run("python3", &["-m", "venv", folder], &[])?;
        let pip = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check"];
        run(python, &[&pip, packages].concat(), &[])?;
    }
    if !answers(python, &["-c", probe]) {
        bail!("{} could not be installed into {folder}; remove that folder and try again", packages.join(", "));
    }
    Ok(python.to_owned())
}
