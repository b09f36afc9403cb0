//! Exponential and logarithm without a branch and without a call, so that loops over them are compiled for whole vectors. Both
//! are made of sums and products alone: every processor gives the same bits.

use std::f64::consts::LOG2_E;

/// The logarithm of 2, its leading bits apart: whole multiples of those are exact.
const LN2_HIGH: f64 = 6.931_471_803_691_238e-1;
const LN2_LOW: f64 = 1.908_214_929_270_587_7e-10;
/// Adding this leaves the nearest whole number in the last bits.
const ROUND: f64 = 6_755_399_441_055_744.0;
/// The bits of the square root of a half, of 2^52, and where the exponent stands.
const ROOT_HALF: u64 = 0x3fe6_a09e_667f_3bcd;
const WHOLE: u64 = 0x4330_0000_0000_0000;
const EXPONENT: u32 = 52;

/// `e^x` of `x ≤ 0`, to two units in the last place; below -708 as there.
#[inline(always)]
#[must_use]
pub fn exp_below_zero(x: f64) -> f64 {
    let x = if x < -708.0 { -708.0 } else { x };
    // x = n ln 2 + r with |r| ≤ ln 2 / 2.
    let shifted = x * LOG2_E + ROUND;
    let n = shifted - ROUND;
    let r = (x - n * LN2_HIGH) - n * LN2_LOW;
    let mut sum = 1.0 / 479_001_600.0;
    for factor in [
        1.0 / 39_916_800.0,
        1.0 / 3_628_800.0,
        1.0 / 362_880.0,
        1.0 / 40_320.0,
        1.0 / 5_040.0,
        1.0 / 720.0,
        1.0 / 120.0,
        1.0 / 24.0,
        1.0 / 6.0,
        0.5,
        1.0,
        1.0,
    ] {
        sum = sum * r + factor;
    }
    sum * f64::from_bits(shifted.to_bits().wrapping_add(1023) << EXPONENT)
}

/// The logarithm of a normal positive number, to an error of 1e-15 of 1 or of itself.
#[inline(always)]
#[must_use]
pub fn ln(x: f64) -> f64 {
    // x = 2^k m with m from the root of a half to that of two.
    let bits = x.to_bits();
    let raised = bits.wrapping_sub(ROOT_HALF).wrapping_add(1024 << EXPONENT) >> EXPONENT;
    let k = f64::from_bits(raised | WHOLE) - (f64::from_bits(WHOLE) + 1024.0);
    let m = f64::from_bits(bits.wrapping_sub(raised.wrapping_sub(1024) << EXPONENT));
    // ln m = 2 artanh(s), by the coefficients of FreeBSD's e_log.c.
    let f = m - 1.0;
    let s = f / (2.0 + f);
    let z = s * s;
    let mut sum = 1.479_819_860_511_658_6e-1;
    for factor in [
        1.531_383_769_920_937_3e-1,
        1.818_357_216_161_805e-1,
        2.222_219_843_214_978_4e-1,
        2.857_142_874_366_239e-1,
        3.999_999_999_940_942e-1,
        6.666_666_666_666_735e-1,
    ] {
        sum = sum * z + factor;
    }
    let half = 0.5 * f * f;
    k * LN2_HIGH - ((half - (s * (half + sum * z) + k * LN2_LOW)) - f)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn they_are_those_of_the_standard_library() {
        for k in 0..200_000 {
            let x = -708.0 * (f64::from(k) / 200_000.0).powi(3);
            let (ours, theirs) = (exp_below_zero(x), x.exp());
            assert!((ours - theirs).abs() <= 4.5e-16 * theirs, "exp {x}: {ours} {theirs}");
        }
        for k in -140_000..140_000 {
            let x = 2f64.powf(f64::from(k) / 140.0) * (1.0 + 1e-3 * f64::from(k % 7));
            let (ours, theirs) = (ln(x), x.ln());
            assert!((ours - theirs).abs() <= 1e-15 * theirs.abs().max(1.0), "ln {x}: {ours} {theirs}");
        }
        assert_eq!((exp_below_zero(0.0), exp_below_zero(-0.0), ln(1.0)), (1.0, 1.0, 0.0));
        assert_eq!(exp_below_zero(f64::NEG_INFINITY), exp_below_zero(-708.0));
        assert!(exp_below_zero(f64::NAN).is_nan());
    }
}
