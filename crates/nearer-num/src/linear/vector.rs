//! Some numbers that are worked on together: what the kernel of products is written in, once for all processors.

/// Numbers in the vectors of most processors.
pub(crate) const LANES: usize = 4;
/// Numbers in a long vector, which some processors have.
pub(crate) const LONG: usize = 8;

/// Some numbers that are worked on together.
pub(crate) trait Vector: Copy {
    /// How many.
    const LANES: usize;
    fn splat(x: f64) -> Self;
    unsafe fn load(at: *const f64) -> Self;
    /// The first lanes; the others are zero, and not read.
    unsafe fn load_some(at: *const f64, lanes: usize) -> Self;
    unsafe fn store(self, at: *mut f64);
    /// The numbers; zeros where there are fewer.
    fn lanes(self) -> [f64; LONG];
    /// `self + a b`.
    fn plus(self, a: Self, b: Self) -> Self;
    /// The same of one number, with the same rounding.
    fn plus_one(x: f64, a: f64, b: f64) -> f64;
    fn times(self, by: f64) -> Self;
}

/// Any processor: products are rounded before they are added.
impl Vector for [f64; LANES] {
    const LANES: usize = LANES;
    #[inline(always)]
    fn splat(x: f64) -> Self {
        [x; LANES]
    }
    #[inline(always)]
    unsafe fn load(at: *const f64) -> Self {
        // SAFETY: the caller has four numbers there.
        unsafe { at.cast::<Self>().read_unaligned() }
    }
    #[inline(always)]
    unsafe fn load_some(at: *const f64, lanes: usize) -> Self {
        // SAFETY: the caller has as many numbers there as lanes.
        std::array::from_fn(|l| if l < lanes { unsafe { *at.add(l) } } else { 0.0 })
    }
    #[inline(always)]
    unsafe fn store(self, at: *mut f64) {
        // SAFETY: the caller has four numbers there.
        unsafe { at.cast::<Self>().write_unaligned(self) }
    }
    #[inline(always)]
    fn lanes(self) -> [f64; LONG] {
        std::array::from_fn(|l| if l < LANES { self[l] } else { 0.0 })
    }
    #[inline(always)]
    fn plus(self, a: Self, b: Self) -> Self {
        std::array::from_fn(|l| self[l] + a[l] * b[l])
    }
    #[inline(always)]
    fn plus_one(x: f64, a: f64, b: f64) -> f64 {
        x + a * b
    }
    #[inline(always)]
    fn times(self, by: f64) -> Self {
        self.map(|x| x * by)
    }
}

/// Processors with AVX2 and FMA, and those with AVX-512; only what asks for these may use them.
#[cfg(target_arch = "x86_64")]
mod avx {
    use super::{LANES, LONG, Vector};
    use std::arch::x86_64 as x86;

    // SAFETY of all below: the instructions are there where this is used, in functions that ask for them and are called after
    // the processor was; memory is the caller's promise.
    impl Vector for x86::__m256d {
        const LANES: usize = LANES;
        #[inline(always)]
        fn splat(x: f64) -> Self {
            unsafe { x86::_mm256_set1_pd(x) }
        }
        #[inline(always)]
        unsafe fn load(at: *const f64) -> Self {
            unsafe { x86::_mm256_loadu_pd(at) }
        }
        #[inline(always)]
        unsafe fn load_some(at: *const f64, lanes: usize) -> Self {
            unsafe {
                let wanted = x86::_mm256_set1_epi64x(lanes as i64);
                let mask = x86::_mm256_cmpgt_epi64(wanted, x86::_mm256_setr_epi64x(0, 1, 2, 3));
                x86::_mm256_maskload_pd(at, mask)
            }
        }
        #[inline(always)]
        unsafe fn store(self, at: *mut f64) {
            unsafe { x86::_mm256_storeu_pd(at, self) }
        }
        #[inline(always)]
        fn lanes(self) -> [f64; LONG] {
            let mut lanes = [0.0; LONG];
            unsafe { x86::_mm256_storeu_pd(lanes.as_mut_ptr(), self) };
            lanes
        }
        #[inline(always)]
        fn plus(self, a: Self, b: Self) -> Self {
            unsafe { x86::_mm256_fmadd_pd(a, b, self) }
        }
        #[inline(always)]
        fn plus_one(x: f64, a: f64, b: f64) -> f64 {
            a.mul_add(b, x)
        }
        #[inline(always)]
        fn times(self, by: f64) -> Self {
            unsafe { x86::_mm256_mul_pd(self, x86::_mm256_set1_pd(by)) }
        }
    }

    impl Vector for x86::__m512d {
        const LANES: usize = LONG;
        #[inline(always)]
        fn splat(x: f64) -> Self {
            unsafe { x86::_mm512_set1_pd(x) }
        }
        #[inline(always)]
        unsafe fn load(at: *const f64) -> Self {
            unsafe { x86::_mm512_loadu_pd(at) }
        }
        #[inline(always)]
        unsafe fn load_some(at: *const f64, lanes: usize) -> Self {
            unsafe { x86::_mm512_maskz_loadu_pd(((1u32 << lanes) - 1) as u8, at) }
        }
        #[inline(always)]
        unsafe fn store(self, at: *mut f64) {
            unsafe { x86::_mm512_storeu_pd(at, self) }
        }
        #[inline(always)]
        fn lanes(self) -> [f64; LONG] {
            let mut lanes = [0.0; LONG];
            unsafe { x86::_mm512_storeu_pd(lanes.as_mut_ptr(), self) };
            lanes
        }
        #[inline(always)]
        fn plus(self, a: Self, b: Self) -> Self {
            unsafe { x86::_mm512_fmadd_pd(a, b, self) }
        }
        #[inline(always)]
        fn plus_one(x: f64, a: f64, b: f64) -> f64 {
            a.mul_add(b, x)
        }
        #[inline(always)]
        fn times(self, by: f64) -> Self {
            unsafe { x86::_mm512_mul_pd(self, x86::_mm512_set1_pd(by)) }
        }
    }
}
