//! What every sub-command works under: the shared flags, the memory of the machine, and where words go.

use std::io::Write as _;
use std::time::Duration;

use nearer::Run;

use crate::args::Globals;

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
#[derive(Debug)]
pub(crate) struct Context {
    pub(crate) json: bool,
    pub(crate) seed: u64,
    /// What may be used, in bytes, where it is known.
    pub(crate) memory: Option<u64>,
    threads: usize,
    time_limit: Option<Duration>,
    quiet: bool,
}

impl Context {
    pub(crate) fn new(globals: &Globals) -> Self {
        Context {
            json: globals.json,
            seed: globals.seed,
            memory: globals.memory.or_else(available),
            threads: globals.threads.min(MOST_THREADS),
            time_limit: globals.time_limit,
            quiet: globals.quiet,
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
        Context { seed, ..*self }
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

/// Free memory as the system tells it, and no more than this process may have.
fn available() -> Option<u64> {
    let info = std::fs::read_to_string("/proc/meminfo").ok()?;
    let line = info.lines().find_map(|l| l.strip_prefix("MemAvailable:"))?;
    let free = line.trim().trim_end_matches("kB").trim().parse::<u64>().ok()? * 1024;
    let number = |path: &str| std::fs::read_to_string(path).ok()?.trim().parse::<u64>().ok();
    let group = number("/sys/fs/cgroup/memory.max")
        .map(|most| most.saturating_sub(number("/sys/fs/cgroup/memory.current").unwrap_or(0)));
    Some(group.map_or(free, |g| g.min(free)))
}
