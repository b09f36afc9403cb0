//! Which branches of the library an input reached, where it was built to tell: `cargo xtask fuzz` has the compiler put a counter
//! on every edge (LLVM's inline 8-bit counters, on any toolchain). Without it inputs are chosen blindly.

use std::sync::Mutex;

/// The counters of the library, as the linker laid them out.
static REGIONS: Mutex<Vec<(usize, usize)>> = Mutex::new(Vec::new());

/// Called before `main`, once for each piece of the library.
///
/// # Safety
/// Only by the code that the compiler makes, with the bounds of the counters, which live as long as the process.
#[unsafe(no_mangle)]
unsafe extern "C" fn __sanitizer_cov_8bit_counters_init(start: *mut u8, end: *mut u8) {
    if let Ok(mut regions) = REGIONS.lock() {
        let region = (start as usize, end as usize);
        if !regions.contains(&region) && region.0 < region.1 {
            regions.push(region);
        }
    }
}

/// What all inputs so far have reached.
#[derive(Debug, Default)]
pub(crate) struct Coverage {
    /// For each counter the classes of counts that were met, as bits.
    seen: Vec<u8>,
    edges: usize,
}

impl Coverage {
    /// Whether the library tells what was reached.
    pub(crate) fn is_told(&self) -> bool {
        REGIONS.lock().is_ok_and(|r| !r.is_empty())
    }
    /// How many edges were reached.
    pub(crate) fn edges(&self) -> usize {
        self.edges
    }
    /// Takes in what the last input reached, and clears it; whether some of it is new.
    pub(crate) fn take(&mut self) -> bool {
        let Ok(regions) = REGIONS.lock() else { return false };
        let total: usize = regions.iter().map(|(a, b)| b - a).sum();
        self.seen.resize(total, 0);
        let (mut at, mut new) = (0, false);
        for &(start, end) in regions.iter() {
            // SAFETY: the bounds are those that the compiler gave; no other thread runs the library meanwhile.
            let counters = unsafe { std::slice::from_raw_parts_mut(start as *mut u8, end - start) };
            // There are hundreds of thousands, nearly all of them zero: looked at eight at a time, cleared where they are not.
            for (k, piece) in counters.chunks_mut(8).enumerate() {
                let none =
                    <[u8; 8]>::try_from(&*piece).map_or(piece.iter().all(|c| *c == 0), |p| u64::from_ne_bytes(p) == 0);
                if !none {
                    new |= self.merge(piece, at + 8 * k);
                    piece.fill(0);
                }
            }
            at += end - start;
        }
        new
    }
    fn merge(&mut self, counters: &[u8], at: usize) -> bool {
        let mut new = false;
        for (k, count) in counters.iter().enumerate().filter(|(_, c)| **c != 0) {
            let seen = &mut self.seen[at + k];
            self.edges += usize::from(*seen == 0);
            let class = class(*count);
            new |= *seen & class == 0;
            *seen |= class;
        }
        new
    }
}

/// Once, twice, three times, a few, many …: a loop that runs once more is no news.
fn class(count: u8) -> u8 {
    match count {
        0 => 0,
        1 => 1,
        2 => 2,
        3 => 4,
        4..=7 => 8,
        8..=15 => 16,
        16..=31 => 32,
        32..=127 => 64,
        _ => 128,
    }
}
