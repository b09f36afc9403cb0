//! The files that the arguments name: no output is an input, and no two outputs are one file.

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Result, bail};
use clap::ArgMatches;
use nearer::evidence::{KernelSpec, Made};

/// How the value of an argument names files.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Use {
    /// A file to be read, `FILE` or `FILE::how to read it`.
    Input,
    /// A file that is read whole first and may be written again: what is learned goes on in one place.
    Continued,
    /// A kernel over the features in a file.
    Kernel,
    /// `NAME=FILE`, to be read.
    Named,
    /// A folder of pictures to be read.
    Pictures,
    /// A file to be written.
    Output,
}

/// Every argument that names files, by its id and as it is typed. A test holds that none is missing.
const ARGUMENTS: [(&str, &str, Use); 24] = [
    ("files", "the input", Use::Input),
    ("file", "the input", Use::Input),
    ("map", "the input", Use::Input),
    ("model", "the input", Use::Input),
    ("to", "--to", Use::Input),
    ("reference", "the reference", Use::Input),
    ("align_to", "--align-to", Use::Input),
    ("fit", "the input", Use::Input),
    ("certificate", "the input", Use::Input),
    ("other", "--other", Use::Input),
    ("evidence", "--evidence", Use::Input),
    ("resume", "--resume", Use::Continued),
    ("metadata", "--metadata", Use::Input),
    ("objects", "--objects", Use::Input),
    ("kernels", "--kernel", Use::Kernel),
    ("kernel", "--kernel", Use::Named),
    ("images", "--images", Use::Pictures),
    ("output", "-o", Use::Output),
    ("figure_data", "--figure-data", Use::Output),
    ("dropped", "--dropped", Use::Output),
    ("centres", "--centres", Use::Output),
    ("shepard", "--shepard", Use::Output),
    ("scree", "--scree", Use::Output),
    ("per_object", "--per-object", Use::Output),
];

/// A file and the flag that names it.
#[derive(Debug, Clone)]
struct Named {
    flag: &'static str,
    path: PathBuf,
}

/// The files of one run, as they were typed.
#[derive(Debug, Clone, Default)]
pub(crate) struct Files {
    inputs: Vec<Named>,
    pictures: Vec<Named>,
    outputs: Vec<Named>,
}

impl Files {
    /// The files that the arguments of a sub-command name.
    pub(crate) fn of(matches: &ArgMatches) -> Files {
        let mut files = Files::default();
        for (id, flag, how) in ARGUMENTS {
            let Ok(Some(values)) = matches.try_get_raw(id) else { continue };
            for value in values {
                let Some(path) = named(value, how) else { continue };
                let list = match how {
                    Use::Input | Use::Kernel | Use::Named => &mut files.inputs,
                    Use::Pictures => &mut files.pictures,
                    Use::Continued => continue,
                    Use::Output => &mut files.outputs,
                };
                list.push(Named { flag, path });
            }
        }
        files
    }

    /// The same with an output that no argument names.
    pub(crate) fn and_output(&self, flag: &'static str, path: &Path) -> Files {
        let mut all = self.clone();
        all.outputs.push(Named { flag, path: path.to_owned() });
        all
    }

    /// Refuses an output that is an input, or another output, by whatever path; before anything is read or computed.
    pub(crate) fn check(&self) -> Result<()> {
        for (k, output) in self.outputs.iter().enumerate() {
            let typed = format!("{} {}", output.flag, output.path.display());
            if let Some(other) = self.outputs[..k].iter().find(|o| one_file(&o.path, &output.path)) {
                bail!("{} {} and {typed} are one file; give each its own name", other.flag, other.path.display());
            }
            if let Some(input) = self.inputs.iter().find(|i| i.path.exists() && one_file(&i.path, &output.path)) {
                let name =
                    if input.path == Path::new(STDIN) { "stdin".into() } else { input.path.display().to_string() };
                bail!("{typed} would be written over {} {name}; choose another name", input.flag);
            }
            let picture = output.path.extension().is_some_and(|e| e == "png" || e == "svg");
            if let Some(folder) = self.pictures.iter().find(|f| picture && one_file(&f.path, folder_of(&output.path))) {
                bail!(
                    "{typed} would stand among the pictures of {} {}; write it to another folder",
                    folder.flag,
                    folder.path.display()
                );
            }
        }
        Ok(())
    }
}

/// What stands behind `-`, where the system has a name for it.
const STDIN: &str = "/dev/stdin";

/// The file that the value of an argument names.
fn named(value: &OsStr, how: Use) -> Option<PathBuf> {
    let text = value.to_string_lossy();
    match how {
        Use::Input if value == "-" => Some(STDIN.into()),
        Use::Input => match text.split_once("::") {
            Some((path, _)) if !Path::new(value).exists() => Some(path.into()),
            _ => Some(value.into()),
        },
        Use::Kernel => match text.parse::<KernelSpec>().ok()?.made {
            Made::Of { file, .. } => Some(file.into()),
            _ => None,
        },
        Use::Named => text.split_once('=').map(|(_, file)| file.into()),
        Use::Continued => None,
        Use::Pictures | Use::Output => Some(value.into()),
    }
}

/// Whether two paths lead to one file: through links, `./`, other names for it, or letters of another case.
fn one_file(a: &Path, b: &Path) -> bool {
    if let (Ok(one), Ok(other)) = (fs::metadata(a), fs::metadata(b)) {
        return same_entry(&one, &other) || matches!((a.canonicalize(), b.canonicalize()), (Ok(a), Ok(b)) if a == b);
    }
    let place = |path: &Path| Some((folder_of(path).canonicalize().ok()?, path.file_name()?.to_owned()));
    match (place(a), place(b)) {
        // A file that is not there yet cannot be asked; where the system does not tell cases apart, neither do we.
        (Some((p, a)), Some((q, b))) if cfg!(any(windows, target_os = "macos")) => {
            p == q && a.to_string_lossy().to_lowercase() == b.to_string_lossy().to_lowercase()
        }
        (Some(a), Some(b)) => a == b,
        _ => false,
    }
}

#[cfg(unix)]
fn same_entry(a: &fs::Metadata, b: &fs::Metadata) -> bool {
    use std::os::unix::fs::MetadataExt;
    (a.dev(), a.ino()) == (b.dev(), b.ino())
}
#[cfg(not(unix))]
fn same_entry(_: &fs::Metadata, _: &fs::Metadata) -> bool {
    false
}

/// The folder that a file stands in.
pub(crate) fn folder_of(path: &Path) -> &Path {
    path.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory as _;

    use super::*;
    use crate::args::Cli;

    /// A new flag that names a file must be in the table, or its file is not protected.
    #[test]
    fn every_argument_that_names_a_file_is_known() {
        let words = ["FILE", "DIR", "MAP", "MODEL", "EVIDENCE", "NEW", "CERTIFICATE", "REPORT", "OUT", "KERNEL"];
        for command in Cli::command().get_subcommands().filter(|c| c.get_name() != "demo") {
            for argument in command.get_arguments() {
                let names = argument.get_value_names().unwrap_or_default();
                let is_file = names.iter().any(|n| words.iter().any(|w| n.as_str().split('=').any(|part| part == *w)));
                let known = ARGUMENTS.iter().any(|(id, ..)| argument.get_id() == *id);
                assert!(!is_file || known, "{} {}: {names:?}", command.get_name(), argument.get_id());
            }
        }
    }

    #[test]
    fn a_file_is_known_by_every_path_to_it() {
        let dir = tempfile::tempdir().unwrap();
        let (a, b) = (dir.path().join("a.csv"), dir.path().join("b.csv"));
        fs::write(&a, "x").unwrap();
        let dotted = dir.path().join(".").join("a.csv");
        assert!(one_file(&a, &dotted) && !one_file(&a, &b));
        assert!(one_file(&b, &dir.path().join(".").join("b.csv")), "neither is there yet");
        #[cfg(unix)]
        {
            std::os::unix::fs::symlink(&a, dir.path().join("link")).unwrap();
            fs::hard_link(&a, dir.path().join("second")).unwrap();
            assert!(one_file(&a, &dir.path().join("link")) && one_file(&a, &dir.path().join("second")));
        }
    }

    #[test]
    fn files_are_found_in_every_form_of_value() {
        let path = |value: &str, how| named(OsStr::new(value), how).map(|p| p.display().to_string());
        assert_eq!(path("-", Use::Input).as_deref(), Some("/dev/stdin"));
        assert_eq!(path("f.csv::kind=features", Use::Input).as_deref(), Some("f.csv"));
        assert_eq!(path("a=rbf,width=2:f.csv#2-3", Use::Kernel).as_deref(), Some("f.csv"));
        assert_eq!(path("audio=f.csv", Use::Named).as_deref(), Some("f.csv"));
    }
}
