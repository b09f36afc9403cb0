//! Invariants that a search through the sources can settle: what may not stand where.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};

use crate::shell::root;

/// No file of code is longer than this.
const LONGEST: usize = 800;

struct Absence {
    folder: &'static str,
    except: &'static [&'static str],
    words: &'static [&'static str],
    why: &'static str,
}

const ABSENCES: &[Absence] = &[
    Absence {
        folder: "crates/nearer/src",
        except: &[],
        words: &["faer::", "use faer"],
        why: "only nearer-num calls faer",
    },
    Absence {
        folder: "crates/nearer/src",
        except: &[],
        words: &["println!", "eprintln!", "print!(", "eprint!("],
        why: "the library never prints",
    },
    Absence {
        folder: "crates/nearer/src",
        except: &["crates/nearer/src/io"],
        words: &["File::open", "File::create", "fs::read", "fs::write", "OpenOptions"],
        why: "only `io` opens files",
    },
    Absence {
        folder: "crates/nearer/src",
        except: &[],
        words: &["env::var", "unsafe {", "unsafe fn"],
        why: "the library reads no environment and has no unsafe code",
    },
    Absence {
        folder: "crates/nearer/src/verify",
        except: &["crates/nearer/src/verify/tests.rs"],
        words: &[
            "crate::solve",
            "crate::method",
            "certify",
            "nearer_num",
            "GramProgram",
            "program::psde",
            "program::gnmds",
        ],
        why: "what checks certificates shares no code with what makes them",
    },
    Absence {
        folder: "crates/nearer-num/src",
        except: &[],
        words: &["println!", "stress", "dissimilar", "landmark", "embedding"],
        why: "the numerics know no word of the field and print nothing",
    },
];

pub(crate) fn run() -> Result<()> {
    let mut faults = Vec::new();
    for folder in ["crates", "xtask"] {
        for file in files(&root().join(folder))? {
            if file.extension().is_some_and(|e| e == "rs") {
                let lines = fs::read_to_string(&file)?.lines().count();
                if lines > LONGEST {
                    faults.push(format!("{}: {lines} lines, {LONGEST} at most", shown(&file)));
                }
            }
        }
    }
    for absence in ABSENCES {
        faults.extend(violations(absence)?);
    }
    faults.extend(goldens_without_source()?);
    if !faults.is_empty() {
        bail!("{} faults\n  {}", faults.len(), faults.join("\n  "));
    }
    println!("files are short enough, {} absences hold, every golden has its source", ABSENCES.len());
    Ok(())
}

fn violations(absence: &Absence) -> Result<Vec<String>> {
    let mut found = Vec::new();
    for file in files(&root().join(absence.folder))? {
        let name = shown(&file);
        if !name.ends_with(".rs") || absence.except.iter().any(|e| name.starts_with(e)) {
            continue;
        }
        for (k, line) in fs::read_to_string(&file)?.lines().enumerate() {
            if line.trim() == "#[cfg(test)]" {
                break; // tests stand last in a file
            }
            let code = line.split("//").next().unwrap_or_default();
            if let Some(word) = absence.words.iter().find(|w| code.contains(*w)) {
                found.push(format!("{name}, line {}: `{word}`, but {}", k + 1, absence.why));
            }
        }
    }
    Ok(found)
}

/// A number in a folder `golden` must be named in the SOURCE.md beside it.
fn goldens_without_source() -> Result<Vec<String>> {
    let mut found = Vec::new();
    for file in files(&root().join("crates"))? {
        let name = file.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let Some(golden) = file.ancestors().find(|a| a.file_name().is_some_and(|n| n == "golden")) else { continue };
        let source = fs::read_to_string(golden.join("SOURCE.md")).unwrap_or_default();
        if name != "SOURCE.md" && !name.ends_with(".py") && !name.ends_with(".R") && !source.contains(&name) {
            found.push(format!("{} is not named in {}/SOURCE.md", shown(&file), shown(golden)));
        }
    }
    Ok(found)
}

fn files(folder: &Path) -> Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).with_context(|| format!("cannot read {}", folder.display()))? {
        let path = entry?.path();
        if path.is_dir() {
            found.extend(files(&path)?);
        } else {
            found.push(path);
        }
    }
    found.sort();
    Ok(found)
}

fn shown(path: &Path) -> String {
    path.strip_prefix(root()).unwrap_or(path).display().to_string()
}
