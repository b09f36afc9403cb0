//! Who watches a run: a bar on a terminal after two seconds, and Ctrl-C.

use std::ops::ControlFlow;
use std::sync::OnceLock;
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use nearer::Step;
use nearer::method::cost;

use crate::context::Context;
use crate::interrupt;

const PATIENCE: Duration = Duration::from_secs(2);

/// Sees every step of a run.
pub(crate) struct Watcher {
    started: Instant,
    /// Seconds that all of it should take, where that can be told.
    expected: Option<f64>,
    show: bool,
    bar: OnceLock<ProgressBar>,
}

impl Watcher {
    /// Starts to watch; from here on Ctrl-C ends the run and not the process.
    pub(crate) fn new(context: &Context) -> Self {
        interrupt::fitting();
        let show = !context.is_quiet() && std::io::IsTerminal::is_terminal(&std::io::stderr());
        Watcher { started: Instant::now(), expected: None, show, bar: OnceLock::new() }
    }

    /// The same watcher, which knows about how many seconds it will take.
    pub(crate) fn expecting(mut self, seconds: Option<f64>) -> Self {
        self.expected = seconds;
        self
    }

    /// One step of the run.
    pub(crate) fn see(&self, step: &Step) -> ControlFlow<()> {
        self.draw(|| told(step, self.expected.map(|s| s - self.started.elapsed().as_secs_f64())))
    }

    /// Objects done of a known number, for placing.
    pub(crate) fn count(&self, phase: &'static str, done: usize, of: Option<usize>) -> ControlFlow<()> {
        self.draw(|| match of {
            Some(of) => format!("{phase}, {done} of {of}"),
            None => format!("{phase}, {done}"),
        })
    }

    /// Draws what there is to say; `Break` after Ctrl-C.
    fn draw(&self, line: impl Fn() -> String) -> ControlFlow<()> {
        if interrupt::seen() {
            return ControlFlow::Break(());
        }
        if self.show && self.started.elapsed() > PATIENCE {
            let bar = self.bar.get_or_init(|| {
                let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr_with_hz(5));
                // A wide message ends where the terminal does.
                let style = ProgressStyle::with_template("{elapsed:>4} {wide_msg}");
                bar.with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar())).with_elapsed(PATIENCE)
            });
            bar.set_message(line());
        }
        ControlFlow::Continue(())
    }
}

impl Drop for Watcher {
    fn drop(&mut self) {
        if let Some(bar) = self.bar.get() {
            bar.finish_and_clear();
        }
    }
}

/// One step in words: what matters most first, for a narrow terminal cuts off the end. What is not known yet is not said.
fn told(step: &Step, left: Option<f64>) -> String {
    let mut said = vec![match step.task {
        (_, 0 | 1) => step.phase.to_owned(),
        (k, of) => format!("{} {} of {of}", step.phase, k + 1),
    }];
    // A limit is not what will be needed.
    said.push(match step.of {
        Some(most) => format!("step {} of {most} at most", step.iteration),
        None => format!("step {}", step.iteration),
    });
    match left {
        Some(s) if s > 1.0 => said.push(format!("{} left", cost::in_words(s))),
        Some(_) => said.push("longer than estimated".into()),
        None => {}
    }
    if step.objective.is_finite() {
        said.push(short(step.objective));
    }
    if let Some(c) = step.convex {
        if c.gap.is_finite() {
            said.push(format!("gap {:.1e}", c.gap));
        }
        if c.bound.is_finite() {
            said.push(format!("bound {}", short(c.bound)));
        }
        said.push(format!("rank {}, {} rows", c.rank, c.rows));
    }
    said.join(", ")
}

fn short(v: f64) -> String {
    if v != 0.0 && !(1e-3..1e6).contains(&v.abs()) { format!("{v:.4e}") } else { format!("{v:.6}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_known_is_not_said() {
        let step = Step::new("descending", (2, 20), 7, Some(1000), 0.25);
        assert_eq!(
            told(&step, Some(30.0)),
            "descending 3 of 20, step 7 of 1000 at most, about half a minute left, 0.250000"
        );
        let step = Step::new("rounds", (0, 1), 1, None, f64::INFINITY);
        assert_eq!(told(&step, None), "rounds, step 1");
        assert!(told(&step, Some(-5.0)).contains("longer than estimated"));
        assert!(!told(&step, Some(2.0)).contains("inf"));
    }
}
