//! A run: its seed, its threads, its limits, and the one who watches it.

use std::fmt;
use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

use crate::error::{Error, Remedy};

/// Why an iteration ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Stop {
    /// The stopping rule of the method holds (or the answer is a closed form).
    Converged,
    /// No further progress is possible in floating point although the rule does not hold.
    Stalled,
    /// The largest number of iterations was used up.
    IterationLimit,
    /// The time limit was used up.
    TimeLimit,
    /// The watcher said stop.
    Cancelled,
}

impl fmt::Display for Stop {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Stop::Converged => "converged",
            Stop::Stalled => "stalled",
            Stop::IterationLimit => "iteration limit",
            Stop::TimeLimit => "time limit",
            Stop::Cancelled => "cancelled",
        })
    }
}

/// What a watcher sees of an iteration.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct Step {
    /// What is going on, in a word or two: `start 3 of 10`, `placing`.
    pub phase: &'static str,
    /// Which task of the phase this is, from 0, and of how many (restarts, replicates); `(0, 1)` for a single one.
    pub task: (usize, usize),
    /// Iterations done, from 1.
    pub iteration: usize,
    /// The largest number of iterations, where there is one.
    pub of: Option<usize>,
    /// The objective so far.
    pub objective: f64,
    /// How far a convex program has come, where it is one.
    pub convex: Option<Proving>,
}

/// How far a convex program has come.
#[derive(Debug, Clone, Copy)]
pub struct Proving {
    /// What nothing can pass, as far as is known.
    pub bound: f64,
    /// How far the objective is from it, relative to their size.
    pub gap: f64,
    /// Columns of the factor.
    pub rank: usize,
    /// Rows in play.
    pub rows: usize,
}

type Watch<'a> = dyn Fn(&Step) -> ControlFlow<()> + Sync + 'a;

/// How to run: seed, threads, limits, watcher. The same seed gives the same bits on any number of threads.
///
/// ```
/// use nearer::{Run, toy, Embed, method::MetricMds};
/// use std::ops::ControlFlow;
/// # fn main() -> Result<(), nearer::Error> {
/// let watch = |step: &nearer::Step| if step.iteration < 50 { ControlFlow::Continue(()) } else { ControlFlow::Break(()) };
/// let fit = MetricMds::new(2).fit_with(&toy::cities(), &Run::seeded(7).watched(&watch))?;
/// # Ok(()) }
/// ```
#[derive(Clone, Copy)]
pub struct Run<'a> {
    seed: u64,
    threads: usize,
    deadline: Option<Instant>,
    memory: Option<u64>,
    watch: Option<&'a Watch<'a>>,
    repeated: bool,
}

impl fmt::Debug for Run<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Run")
            .field("seed", &self.seed)
            .field("threads", &self.threads)
            .field("deadline", &self.deadline)
            .field("memory", &self.memory)
            .field("watched", &self.watch.is_some())
            .finish()
    }
}

impl Default for Run<'_> {
    fn default() -> Self {
        Run { seed: 0, threads: 1, deadline: None, memory: None, watch: None, repeated: false }
    }
}

impl<'a> Run<'a> {
    /// One thread, no limits, this seed.
    #[must_use]
    pub fn seeded(seed: u64) -> Self {
        Run { seed, ..Run::default() }
    }
    /// On this many threads; 0 means one for each core.
    #[must_use]
    pub fn threads(mut self, threads: usize) -> Self {
        self.threads = threads;
        self
    }
    /// End so long from now with the best so far. Everything that is done under this run shares the one clock: a fit that
    /// solves and then refines has the time once.
    #[must_use]
    pub fn time_limit(mut self, limit: Duration) -> Self {
        self.deadline = Instant::now().checked_add(limit);
        self
    }
    /// Refuse, before starting, what would need more memory than this (bytes, the evidence included).
    #[must_use]
    pub fn memory(mut self, bytes: u64) -> Self {
        self.memory = Some(bytes);
        self
    }
    /// Call this after every iteration; `Break` ends the run with the best so far.
    #[must_use]
    pub fn watched<'b>(self, watch: &'b Watch<'b>) -> Run<'b> {
        Run {
            seed: self.seed,
            threads: self.threads,
            deadline: self.deadline,
            memory: self.memory,
            watch: Some(watch),
            repeated: self.repeated,
        }
    }
    /// The same for one of many fits, a fold or a replicate: what only a reader of one fit wants to know is not looked for.
    #[must_use]
    pub(crate) fn repeated(mut self) -> Self {
        self.repeated = true;
        self
    }
    /// Whether it is one of many fits.
    pub(crate) fn is_repeated(&self) -> bool {
        self.repeated
    }
    /// The seed.
    #[must_use]
    pub fn seed(&self) -> u64 {
        self.seed
    }
    /// The same run with another seed.
    #[must_use]
    pub fn reseeded(mut self, seed: u64) -> Self {
        self.seed = seed;
        self
    }
    /// Refuses when `needed` bytes are more than may be used.
    pub fn afford(&self, what: &str, needed: u64, remedy: impl Into<Remedy>) -> Result<(), Error> {
        match self.memory {
            Some(available) if needed > available => {
                Err(Error::Memory { what: what.into(), needed, available, remedy: remedy.into() })
            }
            _ => Ok(()),
        }
    }
    /// The clock of the time limit, which runs already, and the watcher.
    #[must_use]
    pub fn clock(&self) -> Clock<'a> {
        Clock { deadline: self.deadline, watch: self.watch }
    }
    /// Runs `work` on the threads of this run.
    pub fn install<T: Send>(&self, work: impl FnOnce() -> T + Send) -> T {
        nearer_num::par::install(self.threads, work)
    }
}

/// The clock and the watcher of one run; iterations ask it whether to go on.
#[derive(Clone, Copy)]
pub struct Clock<'a> {
    deadline: Option<Instant>,
    watch: Option<&'a Watch<'a>>,
}

impl fmt::Debug for Clock<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Clock").field("deadline", &self.deadline).field("watched", &self.watch.is_some()).finish()
    }
}

impl Clock<'_> {
    /// `Some` when the run is to end here, after this step.
    #[must_use]
    pub fn tick(&self, step: &Step) -> Option<Stop> {
        if let Some(watch) = self.watch
            && watch(step).is_break()
        {
            return Some(Stop::Cancelled);
        }
        self.late().then_some(Stop::TimeLimit)
    }
    /// Whether the time is up.
    #[must_use]
    pub fn late(&self) -> bool {
        self.deadline.is_some_and(|d| d <= Instant::now())
    }
    /// The time that is left, where there is a limit.
    pub(crate) fn left(&self) -> Option<Duration> {
        self.deadline.map(|d| d.saturating_duration_since(Instant::now()))
    }
    /// The same clock with so much less time, for what comes after the steps that ask it.
    #[must_use]
    pub(crate) fn sparing(&self, time: Duration) -> Self {
        Clock { deadline: self.deadline.map(|d| d.checked_sub(time).unwrap_or(d)), ..*self }
    }
    /// How long steps take, where there is a limit: seconds each, they are counted so that the last one still fits.
    #[must_use]
    pub(crate) fn laps(&self) -> Laps {
        Laps { deadline: self.deadline, begun: self.deadline.map(|_| Instant::now()), longest: Duration::ZERO }
    }
}

/// The time that steps have taken, one after another.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Laps {
    deadline: Option<Instant>,
    begun: Option<Instant>,
    longest: Duration,
}

impl Laps {
    /// A step has ended; `Some` where another one as long would end after the limit.
    pub(crate) fn lap(&mut self) -> Option<Stop> {
        let (deadline, begun) = (self.deadline?, self.begun?);
        let now = Instant::now();
        self.longest = self.longest.max(now.duration_since(begun));
        self.begun = Some(now);
        (now + self.longest > deadline).then_some(Stop::TimeLimit)
    }
}

impl Step {
    /// A step of a phase.
    #[must_use]
    pub fn new(phase: &'static str, task: (usize, usize), iteration: usize, of: Option<usize>, objective: f64) -> Self {
        Step { phase, task, iteration, of, objective, convex: None }
    }
    /// The same step of a convex program.
    #[must_use]
    pub fn proving(mut self, so_far: Proving) -> Self {
        self.convex = Some(so_far);
        self
    }
}
