//! What every sub-command works under: the shared flags, the memory of the machine, and where words go.

use std::collections::{BTreeMap, BTreeSet};
use std::io::Write as _;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use nearer::Run;
use nearer::io::{InputFile, Source};

use crate::args::Globals;
use crate::files::Files;
use crate::memory;

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
    /// The files that the arguments name.
    pub(crate) files: Files,
}

impl Context {
    pub(crate) fn new(globals: &Globals, files: Files) -> Self {
        Context {
            json: globals.json,
            seed: globals.seed,
            memory: globals.memory.or_else(memory::available),
            threads: globals.threads.min(MOST_THREADS),
            time_limit: globals.time_limit,
            quiet: globals.quiet,
            sources: Arc::default(),
            files,
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

    /// The same with another seed.
    pub(crate) fn with_seed(&self, seed: u64) -> Self {
        Context { seed, ..self.clone() }
    }

    /// The input of this name: opened once in a run, for a pipe can be opened only once.
    pub(crate) fn source(&self, file: &str) -> Source {
        let mut sources = self.sources.lock().unwrap_or_else(PoisonError::into_inner);
        sources.entry(file.to_owned()).or_insert_with(|| Source::from(file)).clone()
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
    let _ = writeln!(std::io::stderr(), "{}", text.trim_end());
}

/// The one sentence of a failure.
pub(crate) fn complain(text: &str) {
    say(&format!("nearer: {}", text.replace('\n', " ")));
}
