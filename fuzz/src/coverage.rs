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

/// Counters that are looked at together.
const BLOCK: usize = 64;
/// All counters are looked at after so many inputs, and whenever those that were met before show something new.
const ALL: u64 = 32;

/// What all inputs so far have reached.
#[derive(Debug, Default)]
pub(crate) struct Coverage {
    /// For each counter the classes of counts that were met, as bits.
    seen: Vec<u8>,
    /// Where the blocks lie in which something was ever met, and the number of their first counter: few, for most of the library
    /// reads no files, and to look at all its counters takes longer than to read a small one.
    met: Vec<(usize, usize)>,
    inputs: u64,
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
        let mut new = false;
        for k in 0..self.met.len() {
            let (start, at) = self.met[k];
            new |= self.block(start, at, BLOCK.min(self.seen.len() - at));
        }
        let all = new || self.inputs.is_multiple_of(ALL);
        self.inputs += 1;
        new | (all && self.all())
    }
    /// Takes in all blocks in which nothing was met before.
    fn all(&mut self) -> bool {
        let regions = REGIONS.lock().map(|r| r.clone()).unwrap_or_default();
        self.seen.resize(regions.iter().map(|(a, b)| (b - a).next_multiple_of(BLOCK)).sum(), 0);
        let (mut at, mut new) = (0, false);
        for (begin, end) in regions {
            for start in (begin..end).step_by(BLOCK) {
                if self.block(start, at, BLOCK.min(end - start)) {
                    // A region ends where another thing begins: only whole blocks are remembered.
                    self.met.extend((start + BLOCK <= end).then_some((start, at)));
                    new = true;
                }
                at += BLOCK;
            }
        }
        new
    }
    /// Takes in one block of counters, and clears it.
    fn block(&mut self, start: usize, at: usize, count: usize) -> bool {
        // SAFETY: the bounds are those that the compiler gave; no other thread runs the library meanwhile.
        let counters = unsafe { std::slice::from_raw_parts_mut(start as *mut u8, count) };
        if counters.iter().fold(0, |any, c| any | c) == 0 {
            return false;
        }
        let new = self.merge(counters, at);
        counters.fill(0);
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
