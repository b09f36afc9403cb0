//! Two questions to the system that the standard library does not ask. What else is unsafe about the command is its allocator
//! (`exhausted.rs`).

#[cfg(unix)]
pub(crate) use unix::{keeping_ignored, stdout_was_closed};

#[cfg(unix)]
mod unix {
    use std::sync::atomic::{AtomicBool, Ordering};

    /// Takes over signals by `install`; if the signal to hang up was ignored before (`nohup`), it stays ignored.
    pub(crate) fn keeping_ignored(install: impl FnOnce()) {
        let ignored = is_ignored(libc::SIGHUP);
        install();
        if ignored {
            // SAFETY: to ignore a signal needs no handler that could do wrong.
            unsafe { libc::signal(libc::SIGHUP, libc::SIG_IGN) };
        }
    }

    fn is_ignored(signal: libc::c_int) -> bool {
        // SAFETY: without a new action this only asks, and `old` is a place for the answer.
        unsafe {
            let mut old: libc::sigaction = std::mem::zeroed();
            libc::sigaction(signal, std::ptr::null(), &mut old) == 0 && old.sa_sigaction == libc::SIG_IGN
        }
    }

    static CLOSED: AtomicBool = AtomicBool::new(false);

    /// Whether the process was started without a stdout (`>&-`). By the time of `main` the standard library has put
    /// `/dev/null` in its place, into which results would go without a word.
    pub(crate) fn stdout_was_closed() -> bool {
        CLOSED.load(Ordering::Relaxed)
    }

    extern "C" fn look() {
        // SAFETY: this only asks whether the descriptor is there.
        if unsafe { libc::fcntl(libc::STDOUT_FILENO, libc::F_GETFD) } == -1 {
            CLOSED.store(true, Ordering::Relaxed);
        }
    }

    /// Runs before `main` and before the standard library.
    #[used]
    #[cfg_attr(any(target_os = "linux", target_os = "freebsd"), unsafe(link_section = ".init_array"))]
    #[cfg_attr(target_os = "macos", unsafe(link_section = "__DATA,__mod_init_func"))]
    static LOOK: extern "C" fn() = look;
}

#[cfg(not(unix))]
pub(crate) fn keeping_ignored(install: impl FnOnce()) {
    install();
}
#[cfg(not(unix))]
pub(crate) fn stdout_was_closed() -> bool {
    false
}
