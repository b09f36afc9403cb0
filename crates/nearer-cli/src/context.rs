//! What every sub-command works under: the shared flags, the memory of the machine, and where words go.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::io::Write as _;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use nearer::Run;
use nearer::error::Wording;
use nearer::io::{InputFile, Source};

use crate::args::Globals;
use crate::files::Files;

/// More threads than this only cost their making; the result is the same on any number.
const MOST_THREADS: usize = 256;

/// How a sub-command ended, when it did not fail.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Outcome {
    Good,
    /// It ran to an end, but not to convergence or to the certified gap, and that was asked for.
    NotConverged,
    /// A certificate was checked and does not hold.
    Refused,
}

/// The shared flags, ready for use.
#[derive(Debug, Clone)]
pub(crate) struct Context {
    pub(crate) json: bool,
    pub(crate) seed: u64,
    /// What may be used, in bytes, where it is known.
    pub(crate) memory: Option<u64>,
    threads: usize,
    time_limit: Option<Duration>,
    quiet: bool,
    sources: Arc<Mutex<BTreeMap<String, Source>>>,
    notes: Arc<Mutex<Vec<String>>>,
    /// The files that the arguments name.
    pub(crate) files: Files,
    /// How files are read, as it is recorded with a fit.
    pub(crate) reading: Vec<String>,
}

impl Context {
    pub(crate) fn new(globals: &Globals, files: Files) -> Self {
        Context {
            json: globals.json,
            seed: globals.seed,
            memory: globals.memory.or_else(nearer::io::available_memory),
            threads: globals.threads.min(MOST_THREADS),
            time_limit: globals.time_limit,
            quiet: globals.quiet,
            sources: Arc::default(),
            notes: Arc::default(),
            files,
            reading: Vec::new(),
        }
    }

    /// The run that the flags describe, not yet watched.
    pub(crate) fn run(&self) -> Run<'static> {
        let run = Run::seeded(self.seed).threads(self.threads);
        let run = match self.memory {
            Some(bytes) => run.memory(bytes),
            None => run,
        };
        match self.time_limit {
            Some(limit) => run.time_limit(limit),
            None => run,
        }
    }

    /// How long it may take, where that was said.
    pub(crate) fn time_limit(&self) -> Option<Duration> {
        self.time_limit
    }

    /// The same without a word.
    pub(crate) fn quietly(&self) -> Self {
        Context { quiet: true, ..self.clone() }
    }

    /// The same with another seed.
    pub(crate) fn with_seed(&self, seed: u64) -> Self {
        Context { seed, ..self.clone() }
    }

    /// The input of this name: opened once in a run, for a pipe can be opened only once.
    pub(crate) fn source(&self, file: &str) -> Source {
        let mut sources = self.sources.lock().unwrap_or_else(PoisonError::into_inner);
        let opened = || match self.memory {
            Some(bytes) => Source::from(file).within(bytes),
            None => Source::from(file),
        };
        sources.entry(file.to_owned()).or_insert_with(opened).clone()
    }

    /// What was read under these names: size and hash of each.
    pub(crate) fn inputs(&self, files: &[String]) -> Result<Vec<InputFile>, nearer::Error> {
        files.iter().map(|f| self.source(f).file()).collect()
    }

    /// A line for the person at the terminal.
    pub(crate) fn note(&self, text: &str) {
        if !self.quiet {
            say(text);
        }
    }

    /// Keeps what a fit is to remember of the way to its evidence.
    pub(crate) fn keep(&self, note: String) {
        self.notes.lock().unwrap_or_else(PoisonError::into_inner).push(note);
    }

    /// All that was kept.
    pub(crate) fn kept(&self) -> Vec<String> {
        self.notes.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// The same for several lines.
    pub(crate) fn notes<S: AsRef<str>>(&self, lines: impl IntoIterator<Item = S>) {
        for line in lines {
            self.note(line.as_ref());
        }
    }

    /// A line that is said once, however many files give cause for it.
    pub(crate) fn note_once(&self, text: &str) {
        static SAID: Mutex<BTreeSet<String>> = Mutex::new(BTreeSet::new());
        if SAID.lock().is_ok_and(|mut said| said.insert(text.to_owned())) {
            self.note(text);
        }
    }

    pub(crate) fn is_quiet(&self) -> bool {
        self.quiet
    }
}

/// A line on stderr. A stderr that cannot be written to is no reason to fail.
pub(crate) fn say(text: &str) {
    let _ = writeln!(std::io::stderr(), "{}", harmless(text.trim_end()));
}

/// Text for a terminal: what a label or a cell holds may be shown, and not obeyed. Control characters, and those that turn the
/// direction of writing round, are spelled out.
pub(crate) fn harmless(text: &str) -> Cow<'_, str> {
    let obeyed = |c: char| {
        (c.is_control() && c != '\n' && c != '\t') || matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
    };
    if !text.contains(obeyed) {
        return Cow::Borrowed(text);
    }
    text.chars().map(|c| if obeyed(c) { c.escape_unicode().to_string() } else { c.to_string() }).collect()
}

/// A failure as one sentence, what helps against it said in flags.
pub(crate) fn sentence(error: &anyhow::Error) -> String {
    match error.downcast_ref::<nearer::Error>() {
        Some(e @ nearer::Error::Parameter { name, .. }) if name == "method" => {
            format!("{} (`nearer methods` lists all)", e.worded(&Flags))
        }
        Some(e) => e.worded(&Flags),
        None => error.to_string(),
    }
}

/// A remedy in the words of the command.
pub(crate) fn remedy(remedy: &nearer::error::Remedy) -> String {
    remedy.worded(&Flags)
}

/// How the command says what a remedy names.
struct Flags;

impl Wording for Flags {
    fn setting(&self, name: &str, value: Option<&str>) -> String {
        value.map_or(format!("--{name}"), |value| format!("--{name} {value}"))
    }
    fn command(&self, name: &str) -> String {
        format!("`nearer {name}`")
    }
}

/// The one sentence of a failure.
pub(crate) fn complain(text: &str) {
    say(&format!("nearer: {}", text.replace('\n', " ")));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_label_does_not_command_the_terminal() {
        assert_eq!(harmless("a\u{1b}[2Jb\u{202e}"), "a\\u{1b}[2Jb\\u{202e}");
        assert!(matches!(harmless("`Zoë`,\tline\n"), Cow::Borrowed(_)));
    }
}
