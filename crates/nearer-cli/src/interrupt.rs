//! Ctrl-C: the first ends a fit with the best so far, the second ends everything at once.

use std::sync::atomic::{AtomicBool, Ordering};

use crate::{context, system};

static SEEN: AtomicBool = AtomicBool::new(false);
static FITTING: AtomicBool = AtomicBool::new(false);

/// Takes over Ctrl-C (and the polite signals to end) for the life of the process.
pub(crate) fn install() {
    system::keeping_ignored(|| {
        // Without a handler Ctrl-C ends the process, which is no reason not to start.
        let _ = ctrlc::set_handler(asked_to_end);
    });
}

fn asked_to_end() {
    let again = SEEN.swap(true, Ordering::SeqCst);
    if again || !FITTING.load(Ordering::SeqCst) {
        context::complain(if again { "ended at once" } else { "cancelled before the first result; nothing written" });
        std::process::exit(130);
    }
    context::complain("ending with the best so far; press Ctrl-C again to end at once");
}

/// From here on a first Ctrl-C asks the fit to end, and what it has is written.
pub(crate) fn fitting() {
    FITTING.store(true, Ordering::SeqCst);
}

/// Whether Ctrl-C was pressed.
pub(crate) fn seen() -> bool {
    SEEN.load(Ordering::SeqCst)
}
