//! Invariants that a search through the sources can settle: what may not stand where.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};

use crate::shell::root;

/// No file of code is longer than this.
const LONGEST: usize = 800;

const LIBRARY: &str = "crates/nearer/src";

struct Absence {
    folder: &'static str,
    except: &'static [&'static str],
    words: &'static [&'static str],
    why: &'static str,
}

const ABSENCES: &[Absence] = &[
    Absence {
        folder: "crates/nearer-num/src",
        except: &[
            "crates/nearer-num/src/simd.rs",
            "crates/nearer-num/src/linear/kernel.rs",
            "crates/nearer-num/src/linear/vector.rs",
        ],
        words: &["unsafe {", "unsafe fn"],
        why: "all that is unsafe about numbers is in simd.rs and in the innermost loop of products",
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
        except: &["crates/nearer/src/verify/tests/"],
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
    faults.extend(flags_in_strings()?);
    faults.extend(rooms_out_of_order()?);
    if !faults.is_empty() {
        bail!("{} faults\n  {}", faults.len(), faults.join("\n  "));
    }
    println!(
        "files are short enough, {} absences hold, every golden has its source, no library string names a flag, and the rooms stand in their order",
        ABSENCES.len()
    );
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

/// The code of a file of the library, without comments and without the tests that stand last: numbered lines.
fn code(file: &Path) -> Result<Vec<(usize, String)>> {
    let text = fs::read_to_string(file)?;
    let lines = text.lines().enumerate().take_while(|(_, line)| line.trim() != "#[cfg(test)]");
    Ok(lines.map(|(k, line)| (k + 1, line.split("//").next().unwrap_or_default().to_owned())).collect())
}

/// The files of the library that are not tests.
fn library() -> Result<Vec<PathBuf>> {
    let is_test = |p: &PathBuf| {
        let name = p.file_name().and_then(|n| n.to_str()).unwrap_or_default();
        let folder = p.components().any(|c| c.as_os_str() == "tests");
        !name.ends_with(".rs") || folder || ["tests.rs", "testing.rs", "bombs.rs"].contains(&name)
    };
    Ok(files(&root().join(LIBRARY))?.into_iter().filter(|p| !is_test(p)).collect())
}

/// The library does not know how its caller types a setting: an error carries a `Remedy`, which each front end words.
fn flags_in_strings() -> Result<Vec<String>> {
    let mut found = Vec::new();
    for file in library()? {
        for (k, line) in code(&file)? {
            let after = |mark: &str| {
                let next = |at: usize| line[at + mark.len()..].starts_with(|c: char| c.is_ascii_lowercase());
                line.match_indices(mark).any(|(at, _)| next(at))
            };
            if after("--") || after("`nearer ") {
                found.push(format!("{}, line {k}: names a flag or a command; see `Remedy`", shown(&file)));
            }
        }
    }
    Ok(found)
}

/// A room uses only those that stand above it in lib.rs.
fn rooms_out_of_order() -> Result<Vec<String>> {
    let rooms: Vec<String> = code(&root().join(LIBRARY).join("lib.rs"))?
        .iter()
        .filter_map(|(_, line)| {
            line.trim_start_matches("pub ").strip_prefix("mod ")?.strip_suffix(';').map(str::to_owned)
        })
        .collect();
    let place = |room: &str| rooms.iter().position(|r| r == room);
    let mut faults = Vec::new();
    for file in library()? {
        let inside = file.strip_prefix(root().join(LIBRARY))?;
        let own =
            inside.components().next().map(|c| c.as_os_str().to_string_lossy().trim_end_matches(".rs").to_owned());
        let Some((own, at)) = own.and_then(|own| place(&own).map(|at| (own, at))) else { continue };
        for (k, line) in code(&file)? {
            for (from, _) in line.match_indices("crate::") {
                let name: String = line[from + 7..].chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
                if place(&name).is_some_and(|other| other > at) {
                    let file = shown(&file);
                    faults.push(format!("{file}, line {k}: `{own}` uses `{name}`, which stands below it in lib.rs"));
                }
            }
        }
    }
    Ok(faults)
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
