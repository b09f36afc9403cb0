//! Work on a thread of its own, so that Python's own thread hears signals and speaks of progress meanwhile.

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use nearer::{Error, Run, Step};
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;

/// How often Python's thread looks up.
const LOOK: Duration = Duration::from_millis(50);

/// What is free, asked of the system at most four times a second: reading its files takes longer than a small fit.
fn available() -> Option<u64> {
    static LAST: Mutex<Option<(Instant, Option<u64>)>> = Mutex::new(None);
    let mut last = LAST.lock().unwrap_or_else(PoisonError::into_inner);
    match *last {
        Some((when, found)) if when.elapsed() < Duration::from_millis(250) => found,
        _ => {
            let found = nearer::io::available_memory();
            *last = Some((Instant::now(), found));
            found
        }
    }
}

/// How to run, as Python says it.
#[derive(Debug, Clone, Copy, FromPyObject)]
pub(crate) struct Ask {
    pub(crate) seed: u64,
    pub(crate) threads: usize,
    pub(crate) time_limit: Option<f64>,
    pub(crate) memory: Option<u64>,
}

impl Ask {
    /// What may be used, in bytes.
    pub(crate) fn memory(&self) -> Option<u64> {
        self.memory.or_else(available)
    }
    /// The run.
    pub(crate) fn run(&self) -> Run<'static> {
        let run = Run::seeded(self.seed).threads(self.threads);
        let run = self.memory().map_or(run, |bytes| run.memory(bytes));
        match self.time_limit.map(Duration::try_from_secs_f64) {
            Some(Ok(limit)) => run.time_limit(limit),
            _ => run,
        }
    }
}

/// The last step of a fit, and whether it is to go on.
#[derive(Default)]
struct Shared {
    step: Mutex<Option<Step>>,
    stop: AtomicBool,
}

/// Does the work while Python's thread waits without the lock, and asks it in between for signals and for `progress`.
///
/// The first signal that raises asks the work to end with the best so far; what it raised comes back beside the result. A
/// second one leaves the work to itself and raises at once.
pub(crate) fn watched<T: Send + 'static>(
    py: Python<'_>,
    ask: Ask,
    progress: Option<&Py<PyAny>>,
    work: impl FnOnce(&Run<'_>) -> Result<T, Error> + Send + 'static,
) -> PyResult<(Result<T, Error>, Option<PyErr>)> {
    let shared = Arc::new(Shared::default());
    let (done, wait) = channel();
    let seen = Arc::clone(&shared);
    let worker = move || {
        let watch = |step: &Step| {
            *seen.step.lock().unwrap_or_else(PoisonError::into_inner) = Some(*step);
            if seen.stop.load(Ordering::Relaxed) { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        };
        let _ = done.send(work(&ask.run().watched(&watch)));
    };
    let started = Instant::now();
    let thread = std::thread::Builder::new().name("nearer".into()).spawn(worker);
    thread.map_err(|e| PyRuntimeError::new_err(format!("a thread could not be started: {e}")))?;
    let wait = Mutex::new(wait);
    let mut raised: Option<PyErr> = None;
    loop {
        let got = py.detach(|| wait.lock().unwrap_or_else(PoisonError::into_inner).recv_timeout(LOOK));
        match got {
            Ok(result) => return Ok((result, raised)),
            Err(RecvTimeoutError::Disconnected) => {
                return Err(PyRuntimeError::new_err("the fit came to no end; please report this with the data"));
            }
            Err(RecvTimeoutError::Timeout) => {}
        }
        let spoken = py.check_signals().and_then(|()| tell(py, &shared, progress, started));
        if let Err(e) = spoken {
            if raised.is_some() {
                return Err(e);
            }
            shared.stop.store(true, Ordering::Relaxed);
            raised = Some(e);
        }
    }
}

/// Tells of the last step; a callback that gives back `False` ends the work with the best so far.
fn tell(py: Python<'_>, shared: &Shared, progress: Option<&Py<PyAny>>, started: Instant) -> PyResult<()> {
    let Some(progress) = progress else { return Ok(()) };
    let step = *shared.step.lock().unwrap_or_else(PoisonError::into_inner);
    let Some(s) = step else { return Ok(()) };
    let told = (s.phase, s.task, s.iteration, s.of, s.objective, started.elapsed().as_secs_f64());
    let answer = progress.bind(py).call1(told)?;
    if answer.extract::<bool>().is_ok_and(|go_on| !go_on) {
        shared.stop.store(true, Ordering::Relaxed);
    }
    Ok(())
}
