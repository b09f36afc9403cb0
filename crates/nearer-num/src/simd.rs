//! Kernels compiled twice: for any processor, and for those with AVX2. Nothing is fused or reordered between the two, so
//! both give the same bits; the second is only quicker.

/// A piece of work worth compiling twice. Implementations mark `run` as `#[inline(always)]`, and so every function that it
/// calls: only what is inlined is compiled for the better processor.
pub(crate) trait Kernel {
    fn run(self);
}

/// Runs a kernel in the quickest form this processor has.
pub(crate) fn run(kernel: impl Kernel) {
    #[cfg(target_arch = "x86_64")]
    if std::arch::is_x86_feature_detected!("avx2") {
        // SAFETY: the processor was just found to have AVX2, which is all that `with_avx2` asks for.
        unsafe { with_avx2(kernel) };
        return;
    }
    kernel.run();
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn with_avx2(kernel: impl Kernel) {
    kernel.run();
}

/// The same for functions: defines some that run in the quickest form this processor has. Only what is inlined into them is compiled for the
/// better processor: helpers are to be marked `#[inline(always)]`.
macro_rules! compiled_twice {
    ($($(#[$note:meta])* $seen:vis fn $name:ident($($arg:ident: $kind:ty),* $(,)?) $(-> $out:ty)? $body:block)*) => {$(
        $(#[$note])*
        $seen fn $name($($arg: $kind),*) $(-> $out)? {
            #[inline(always)]
            fn plain($($arg: $kind),*) $(-> $out)? $body

            #[cfg(target_arch = "x86_64")]
            #[target_feature(enable = "avx2")]
            fn with_avx2($($arg: $kind),*) $(-> $out)? {
                plain($($arg),*)
            }

            #[cfg(target_arch = "x86_64")]
            if std::arch::is_x86_feature_detected!("avx2") {
                // SAFETY: the processor was just found to have AVX2, which is all that `with_avx2` asks for.
                return unsafe { with_avx2($($arg),*) };
            }
            plain($($arg),*)
        }
    )*};
}

pub(crate) use compiled_twice;

#[cfg(test)]
mod tests {
    use super::*;

    struct Roots<'a>(&'a [f64], &'a mut [f64]);
    impl Kernel for Roots<'_> {
        #[inline(always)]
        fn run(self) {
            for (out, x) in self.1.iter_mut().zip(self.0) {
                *out = 1.0 / (x * x + x).sqrt();
            }
        }
    }

    #[test]
    fn both_forms_give_the_same_bits() {
        let x: Vec<f64> = (1..1000).map(|k| 0.37 * f64::from(k)).collect();
        let (mut quick, mut plain) = (vec![0.0; x.len()], vec![0.0; x.len()]);
        run(Roots(&x, &mut quick));
        Roots(&x, &mut plain).run();
        assert!(quick.iter().zip(&plain).all(|(a, b)| a.to_bits() == b.to_bits()));
    }
}
