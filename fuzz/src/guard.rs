//! What an input may cost: a counter of the memory that is held, and a watch that ends a run which hangs or grows.

use std::alloc::{GlobalAlloc, Layout, System};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::{Duration, Instant};

/// No small input takes this long.
const LONGEST: Duration = Duration::from_secs(10);

/// A request for so much that the system may refuse it, which ends the process: the input is written down before.
const HUGE: usize = 1 << 32;
/// What the process is doing, for an end that nothing can catch.
static UNDER_WAY: OnceLock<(Watch, PathBuf)> = OnceLock::new();

static HELD: AtomicUsize = AtomicUsize::new(0);
static PEAK: AtomicUsize = AtomicUsize::new(0);

/// The allocator of the system, counted.
struct Counted;

#[global_allocator]
static COUNTED: Counted = Counted;

// SAFETY: everything is left to the system's allocator; only numbers are kept beside it.
unsafe impl GlobalAlloc for Counted {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let held = HELD.fetch_add(layout.size(), Ordering::Relaxed) + layout.size();
        PEAK.fetch_max(held, Ordering::Relaxed);
        before(layout.size());
        // SAFETY: as the caller promises.
        unsafe { System.alloc(layout) }
    }
    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        let held = HELD.fetch_add(layout.size(), Ordering::Relaxed) + layout.size();
        PEAK.fetch_max(held, Ordering::Relaxed);
        before(layout.size());
        // SAFETY: as the caller promises.
        unsafe { System.alloc_zeroed(layout) }
    }
    unsafe fn realloc(&self, at: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        let held = HELD.fetch_add(size, Ordering::Relaxed) + size - layout.size();
        HELD.fetch_sub(layout.size(), Ordering::Relaxed);
        PEAK.fetch_max(held, Ordering::Relaxed);
        before(size);
        // SAFETY: as the caller promises.
        unsafe { System.realloc(at, layout, size) }
    }
    unsafe fn dealloc(&self, at: *mut u8, layout: Layout) {
        HELD.fetch_sub(layout.size(), Ordering::Relaxed);
        // SAFETY: as the caller promises.
        unsafe { System.dealloc(at, layout) }
    }
}

/// Writes down the input that asks for this many bytes, where the answer may be the end of the process.
fn before(size: usize) {
    if size < HUGE {
        return;
    }
    let Some((watch, keep)) = UNDER_WAY.get() else { return };
    // The lock is free unless the input itself is just being set.
    if let Ok(current) = watch.0.try_lock() {
        current.keep("memory", keep);
    }
}

/// The most that was held since [`begin`], beyond what was held then.
pub(crate) fn peak(before: usize) -> usize {
    PEAK.load(Ordering::Relaxed).saturating_sub(before)
}

/// Begins to count; gives back what is held now.
pub(crate) fn begin() -> usize {
    let held = HELD.load(Ordering::Relaxed);
    PEAK.store(held, Ordering::Relaxed);
    held
}

/// The input under way.
#[derive(Debug, Default)]
struct Current {
    target: &'static str,
    name: &'static str,
    bytes: Vec<u8>,
    since: Option<Instant>,
}

impl Current {
    /// Writes the input down; the file.
    fn keep(&self, why: &str, folder: &Path) -> PathBuf {
        let file = folder.join(format!("{why}-{}-{}", self.target, self.name));
        let _ = std::fs::create_dir_all(folder).and_then(|()| std::fs::write(&file, &self.bytes));
        file
    }
}

/// Watches the inputs; one that does not end is written down, and ends the process.
#[derive(Debug, Clone, Default)]
pub(crate) struct Watch(Arc<Mutex<Current>>);

impl Watch {
    pub(crate) fn start(keep: PathBuf) -> Watch {
        let watch = Watch::default();
        let seen = watch.clone();
        let _ = UNDER_WAY.set((watch.clone(), keep.clone()));
        std::thread::spawn(move || {
            loop {
                std::thread::sleep(Duration::from_millis(200));
                let current = seen.0.lock().unwrap_or_else(PoisonError::into_inner);
                if let Some(since) = current.since.filter(|s| s.elapsed() > LONGEST) {
                    let file = current.keep("hang", &keep);
                    eprintln!("{}: no end after {:?}; see {}", current.target, since.elapsed(), file.display());
                    std::process::exit(1);
                }
            }
        });
        watch
    }
    pub(crate) fn begin(&self, target: &'static str, name: &'static str, bytes: &[u8]) {
        let mut current = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        (current.target, current.name, current.since) = (target, name, Some(Instant::now()));
        current.bytes.clear();
        current.bytes.extend_from_slice(bytes);
    }
    pub(crate) fn end(&self) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).since = None;
    }
}
