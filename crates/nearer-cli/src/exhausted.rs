//! What happens where the system has no more memory: a sentence and exit code 2, not an abort.
//!
//! Rust ends a process whose allocation fails by an abort, and nothing on stable Rust takes its place. Here the allocator notes that one
//! failed, and the signal of the abort that follows is answered by a sentence, from a handler that allocates nothing. Outputs are
//! written beside their places and renamed, so an end like this leaves none of them half written.
//!
//! With the feature `faults` the allocation that `NEARER_FAIL_ALLOCATION` names fails, or it and all after it (`41+`): that is how the tests try
//! every place (SQLite's way).

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicUsize, Ordering};

/// The size of the last allocation that failed; 0 where none has.
static FAILED: AtomicUsize = AtomicUsize::new(0);

/// The allocator of the system, which is asked and watched.
struct Watched;

#[global_allocator]
static WATCHED: Watched = Watched;

impl Watched {
    fn seen(at: *mut u8, size: usize) -> *mut u8 {
        if at.is_null() {
            FAILED.store(size.max(1), Ordering::Relaxed);
        }
        at
    }
}

// SAFETY: everything is left to the system's allocator, or refused, which an allocator may do at any time.
unsafe impl GlobalAlloc for Watched {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        if faults::due() {
            return Self::seen(std::ptr::null_mut(), layout.size());
        }
        // SAFETY: as the caller promises.
        Self::seen(unsafe { System.alloc(layout) }, layout.size())
    }
    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        if faults::due() {
            return Self::seen(std::ptr::null_mut(), layout.size());
        }
        // SAFETY: as the caller promises.
        Self::seen(unsafe { System.alloc_zeroed(layout) }, layout.size())
    }
    unsafe fn realloc(&self, at: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        if faults::due() {
            return Self::seen(std::ptr::null_mut(), size);
        }
        // SAFETY: as the caller promises.
        Self::seen(unsafe { System.realloc(at, layout, size) }, size)
    }
    unsafe fn dealloc(&self, at: *mut u8, layout: Layout) {
        // SAFETY: as the caller promises.
        unsafe { System.dealloc(at, layout) }
    }
}

/// Whether an allocation has failed: what goes wrong afterwards goes wrong for want of memory.
pub(crate) fn seen() -> bool {
    FAILED.load(Ordering::Relaxed) > 0
}

/// The sentence for it.
pub(crate) const SENTENCE: &str = "nearer: there is not enough memory; allow less with `--memory`, so that it is refused with an estimate, or give less data\n";

/// Answers an abort for want of memory by a sentence and exit code 2; any other abort stays one.
pub(crate) fn install() {
    faults::arm();
    #[cfg(unix)]
    // SAFETY: the handler only loads a number, writes bytes that are there and ends the process, all of which a signal handler may do.
    unsafe {
        libc::signal(libc::SIGABRT, answer as *const () as libc::sighandler_t);
    }
    let shown = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| if seen() { end() } else { shown(panic) }));
}

#[cfg(unix)]
extern "C" fn answer(_: libc::c_int) {
    if seen() {
        end();
    }
    // SAFETY: back to what an abort does by itself.
    unsafe {
        libc::signal(libc::SIGABRT, libc::SIG_DFL);
        libc::abort();
    }
}

/// The sentence, and the end; without an allocation.
fn end() -> ! {
    #[cfg(unix)]
    // SAFETY: the bytes are there for ever, and nothing of the process is used any more.
    unsafe {
        libc::write(libc::STDERR_FILENO, SENTENCE.as_ptr().cast(), SENTENCE.len());
        libc::_exit(2)
    }
    #[cfg(not(unix))]
    std::process::exit(2)
}

#[cfg(feature = "faults")]
mod faults {
    use std::sync::atomic::{AtomicU64, Ordering};

    static COUNT: AtomicU64 = AtomicU64::new(0);
    static FIRST: AtomicU64 = AtomicU64::new(u64::MAX);
    static LAST: AtomicU64 = AtomicU64::new(u64::MAX);

    pub(super) fn due() -> bool {
        let first = FIRST.load(Ordering::Relaxed);
        first != u64::MAX && (first..=LAST.load(Ordering::Relaxed)).contains(&COUNT.fetch_add(1, Ordering::Relaxed))
    }

    pub(super) fn arm() {
        let Ok(asked) = std::env::var("NEARER_FAIL_ALLOCATION") else { return };
        let (number, on) = asked.strip_suffix('+').map_or((asked.as_str(), false), |number| (number, true));
        let Ok(first) = number.parse() else { return };
        LAST.store(if on { u64::MAX - 1 } else { first }, Ordering::Relaxed);
        FIRST.store(first, Ordering::Relaxed);
    }
}

#[cfg(not(feature = "faults"))]
mod faults {
    #[inline(always)]
    pub(super) fn due() -> bool {
        false
    }
    pub(super) fn arm() {}
}
