//! Who watches a run: a bar on a terminal after two seconds, and Ctrl-C.

use std::ops::ControlFlow;
use std::sync::OnceLock;
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use nearer::Step;

use crate::context::Context;
use crate::interrupt;

const PATIENCE: Duration = Duration::from_secs(2);

/// Sees every step of a run.
pub(crate) struct Watcher {
    started: Instant,
    show: bool,
    bar: OnceLock<ProgressBar>,
}

impl Watcher {
    /// Starts to watch; from here on Ctrl-C ends the run and not the process.
    pub(crate) fn new(context: &Context) -> Self {
        interrupt::fitting();
        let show = !context.is_quiet() && std::io::IsTerminal::is_terminal(&std::io::stderr());
        Watcher { started: Instant::now(), show, bar: OnceLock::new() }
    }

    /// One step of the run.
    pub(crate) fn see(&self, step: &Step) -> ControlFlow<()> {
        if interrupt::seen() {
            return ControlFlow::Break(());
        }
        if self.show && self.started.elapsed() > PATIENCE {
            self.draw(step);
        }
        ControlFlow::Continue(())
    }

    /// Objects done of a known number, for placing.
    pub(crate) fn count(&self, phase: &'static str, done: usize, of: Option<usize>) -> ControlFlow<()> {
        self.see(&Step::new(phase, (0, 1), done, of, f64::NAN))
    }

    fn draw(&self, step: &Step) {
        let bar = self.bar.get_or_init(|| {
            let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr_with_hz(5));
            let style = ProgressStyle::with_template("{elapsed:>4} {wide_bar} {pos}/{len} {msg}");
            bar.with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar())).with_elapsed(PATIENCE)
        });
        match step.of {
            Some(of) => bar.set_length(of as u64),
            None => bar.unset_length(),
        }
        bar.set_position(step.iteration as u64);
        let task = if step.task.1 > 1 { format!(" {} of {}", step.task.0 + 1, step.task.1) } else { String::new() };
        let objective = if step.objective.is_nan() { String::new() } else { format!(", {:.6}", step.objective) };
        let proof = step.convex.map_or(String::new(), |c| {
            format!(", bound {:.6}, gap {:.1e}, rank {}, {} rows", c.bound, c.gap, c.rank, c.rows)
        });
        bar.set_message(format!("{}{task}{objective}{proof}", step.phase));
    }
}

impl Drop for Watcher {
    fn drop(&mut self) {
        if let Some(bar) = self.bar.get() {
            bar.finish_and_clear();
        }
    }
}
