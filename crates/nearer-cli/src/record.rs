//! How a fit was asked for, so that it can be repeated: the flags that say how files are to be read.

use std::path::Path;

use clap::parser::ValueSource;
use clap::{ArgAction, ArgMatches, Command, CommandFactory as _, FromArgMatches as _};
use nearer::io::InputFile;

use crate::args::{Cli, Sub};
use crate::command::embed::Embed;
use crate::input::path_of;
use crate::parameters;

/// The headings of the flags that decide what a file means.
const HEADINGS: [&str; 3] = ["Reading", "Features", "Pose"];
/// What stands under them and is recorded in another way: tuning by what it chose.
const APART: [&str; 2] = ["tune", "folds"];

/// The flags that were given and say how files are to be read.
pub(crate) fn flags(command: &Command, name: &str, matches: &ArgMatches) -> Vec<String> {
    let Some(command) = command.find_subcommand(name) else { return Vec::new() };
    let mut given = Vec::new();
    for arg in command.get_arguments() {
        let id = arg.get_id().as_str();
        let (Some(heading), Some(long)) = (arg.get_help_heading(), arg.get_long()) else { continue };
        // A column of the metadata may be the classes.
        let classed = id == "metadata" && matches.value_source("classes") == Some(ValueSource::CommandLine);
        if !classed && (!HEADINGS.contains(&heading) || APART.contains(&id)) {
            continue;
        }
        if matches.value_source(id) != Some(ValueSource::CommandLine) {
            continue;
        }
        if matches!(arg.get_action(), ArgAction::SetTrue) {
            given.push(format!("--{long}"));
        }
        for value in matches.get_raw(id).into_iter().flatten().filter(|_| arg.get_action().takes_values()) {
            given.push(format!("--{long}={}", value.to_string_lossy()));
        }
    }
    given
}

/// What marks, in a record, how one file alone is read: `2::kind=features` is said of the second.
const OF_ONE: &str = "::";

/// The flags, and what is said behind the names of files.
pub(crate) fn with_files(flags: &[String], files: &[String]) -> Vec<String> {
    let said = |(k, file): (usize, &String)| {
        let said = &file[path_of(file).len()..];
        (!said.is_empty()).then(|| format!("{}{said}", k + 1))
    };
    flags.iter().cloned().chain(files.iter().enumerate().filter_map(said)).collect()
}

/// The `embed` that read these files with such flags; a file that has nothing said behind its name has what was recorded.
pub(crate) fn embed(files: &[String], recorded: &[String]) -> Result<Embed, clap::Error> {
    let (flags, of_files): (Vec<&String>, Vec<&String>) = recorded.iter().partition(|r| r.starts_with('-'));
    let said =
        |k: usize| of_files.iter().find_map(|r| r.split_once(OF_ONE).filter(|(number, _)| number.parse() == Ok(k + 1)));
    let named = |(k, file): (usize, &String)| match said(k) {
        Some((_, said)) if path_of(file) == file => format!("{file}{OF_ONE}{said}"),
        _ => file.clone(),
    };
    let words = ["nearer", "embed"].into_iter().map(str::to_owned).chain(flags.into_iter().cloned());
    // Whatever a file is called, it is no flag.
    let words = words.chain(["--".to_owned()]).chain(files.iter().enumerate().map(named));
    let command = Cli::command().mut_subcommand("embed", parameters::add_flags);
    match Cli::from_arg_matches(&command.try_get_matches_from(words)?)?.command {
        Sub::Embed(embed) => Ok(embed),
        _ => Err(clap::Error::new(clap::error::ErrorKind::InvalidSubcommand)),
    }
}

/// What was recorded of how files were read, where the evidence lies elsewhere now: files that the flags name are looked for beside it.
pub(crate) fn moved(reading: &[String], recorded: &[InputFile], evidence: &str) -> Vec<String> {
    let folder = |path: &str| Path::new(path).parent().map(Path::to_owned).unwrap_or_default();
    let Some(old) = recorded.first().map(|first| folder(&first.path)) else { return reading.to_vec() };
    let now = |file: &InputFile| {
        let there = folder(evidence).join(Path::new(&file.path).strip_prefix(&old).ok()?);
        (!Path::new(&file.path).exists() && there.exists()).then(|| there.to_string_lossy().into_owned())
    };
    let moves: Vec<(&str, String)> =
        recorded.iter().filter_map(|file| Some((file.path.as_str(), now(file)?))).collect();
    let renamed = |flag: &String| moves.iter().fold(flag.clone(), |flag, (old, new)| flag.replace(old, new));
    reading.iter().map(renamed).collect()
}
