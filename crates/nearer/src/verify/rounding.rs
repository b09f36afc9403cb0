//! Sums whose rounding is known, and products of rows that lose almost nothing.

/// The unit roundoff of `f64`.
pub(super) const UNIT: f64 = f64::EPSILON / 2.0;

/// `k u / (1 - k u)`, a hair more: what `k` roundings after each other can do, relative to the sizes that go in.
pub(super) fn roundings(k: usize) -> f64 {
    let ku = k as f64 * UNIT;
    ku / (1.0 - ku) * (1.0 + 1e-9)
}

/// A sum of terms, each known up to a doubt; the sum is kept in two numbers, so it loses next to nothing.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Sum {
    high: f64,
    low: f64,
    size: f64,
    doubt: f64,
    terms: usize,
}

impl Sum {
    /// Adds a term that is exact up to `doubt`.
    pub(super) fn add(&mut self, term: f64, doubt: f64) {
        let t = self.high + term;
        let z = t - self.high;
        self.low += (self.high - (t - z)) + (term - z);
        self.high = t;
        self.size += term.abs();
        self.doubt += doubt;
        self.terms += 1;
    }
    /// The sum.
    pub(super) fn value(&self) -> f64 {
        self.high + self.low
    }
    /// How far the exact sum may be from it.
    pub(super) fn doubt(&self) -> f64 {
        // The corrections are each at most u times a partial sum, and are themselves added plainly.
        let k = roundings(self.terms + 4);
        (2.0 * UNIT * self.value().abs() + k * k * self.size + self.doubt) * (1.0 + k) + f64::MIN_POSITIVE
    }
    /// The exact sum is not above this.
    pub(super) fn upper(&self) -> f64 {
        self.value() + self.doubt() * (1.0 + 4.0 * UNIT)
    }
    /// The exact sum is not below this.
    pub(super) fn lower(&self) -> f64 {
        self.value() - self.doubt() * (1.0 + 4.0 * UNIT)
    }
}

/// A number kept in two, good to some 30 digits: what is paid for by a large slack must not drown in the rounding of distances.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(super) struct Wide {
    pub(super) high: f64,
    pub(super) low: f64,
}

/// The relative error of a few operations on [`Wide`] numbers, with room to spare.
pub(super) const FINE: f64 = 64.0 * UNIT * UNIT;

impl Wide {
    /// `a + b` exactly.
    pub(super) fn sum(a: f64, b: f64) -> Self {
        let high = a + b;
        let z = high - a;
        Wide { high, low: (a - (high - z)) + (b - z) }
    }
    /// `a b` exactly, where nothing underflows.
    pub(super) fn product(a: f64, b: f64) -> Self {
        let high = a * b;
        Wide { high, low: f64::mul_add(a, b, -high) }
    }
    pub(super) fn plus(self, other: Wide) -> Self {
        let top = Wide::sum(self.high, other.high);
        let low = Wide::sum(self.low, other.low);
        let middle = Wide::sum(top.high, top.low + low.high);
        Wide::sum(middle.high, middle.low + low.low)
    }
    pub(super) fn minus(self, other: Wide) -> Self {
        self.plus(Wide { high: -other.high, low: -other.low })
    }
    pub(super) fn times(self, by: f64) -> Self {
        let top = Wide::product(self.high, by);
        Wide::sum(top.high, self.low.mul_add(by, top.low))
    }
    /// `(a - b)²`.
    pub(super) fn square_of_difference(a: f64, b: f64) -> Self {
        let off = Wide::sum(a, -b);
        let top = Wide::product(off.high, off.high);
        Wide::sum(top.high, (2.0 * off.high).mul_add(off.low, top.low))
    }
}

impl From<f64> for Wide {
    fn from(high: f64) -> Self {
        Wide { high, low: 0.0 }
    }
}

const LANES: usize = 8;

/// `Σ aₖ bₖ`, plainly.
pub(super) fn product(a: &[f64], b: &[f64]) -> (f64, f64) {
    let mut sums = [0.0; LANES];
    let (a8, a_rest) = a.as_chunks::<LANES>();
    let (b8, b_rest) = b.as_chunks::<LANES>();
    for (x, y) in a8.iter().zip(b8) {
        for k in 0..LANES {
            sums[k] += x[k] * y[k];
        }
    }
    let rest: f64 = a_rest.iter().zip(b_rest).map(|(x, y)| x * y).sum();
    (sums.iter().sum::<f64>() + rest, 0.0)
}

/// `Σ aₖ bₖ` as the sum of two numbers, wrong by at most [`sharpness`] times `Σ |aₖ bₖ|`.
///
/// Numbers are cut into 26 and 27 leading and trailing bits. Products of leading parts are exact, and summed with what each
/// addition loses kept aside; the rest is smaller by `2⁻²⁴`, and its rounding by as much.
pub(super) fn sharp_product(a: &[f64], b: &[f64]) -> (f64, f64) {
    let (mut high, mut low) = ([0.0; LANES], [0.0; LANES]);
    let (a8, a_rest) = a.as_chunks::<LANES>();
    let (b8, b_rest) = b.as_chunks::<LANES>();
    for (x, y) in a8.iter().zip(b8) {
        for k in 0..LANES {
            (high[k], low[k]) = gathered(high[k], low[k], x[k], y[k]);
        }
    }
    for (x, y) in a_rest.iter().zip(b_rest) {
        (high[0], low[0]) = gathered(high[0], low[0], *x, *y);
    }
    let (mut sum, mut rest) = (0.0, 0.0);
    for k in 0..LANES {
        let t = sum + high[k];
        let z = t - sum;
        rest += (sum - (t - z)) + (high[k] - z);
        rest += low[k];
        sum = t;
    }
    (sum, rest)
}

/// One term more.
#[inline(always)]
fn gathered(high: f64, low: f64, x: f64, y: f64) -> (f64, f64) {
    let (xh, yh) = (leading(x), leading(y));
    let p = xh * yh;
    let t = high + p;
    let z = t - high;
    let lost = (high - (t - z)) + (p - z);
    (t, low + (lost + (xh * (y - yh) + (x - xh) * y)))
}

/// The 26 leading bits.
#[inline(always)]
fn leading(x: f64) -> f64 {
    f64::from_bits(x.to_bits() & !0x07ff_ffff)
}

/// The relative error of [`sharp_product`] over `n` terms, against the sum of the sizes: the numbers set aside are at most
/// `2⁻²⁴ + 2 n u` of them, and are added with `4 n + 32` roundings at most.
pub(super) fn sharpness(n: usize) -> f64 {
    2.0 * roundings(4 * n + 32) * (f64::EPSILON.sqrt() * 8.0 + 2.0 * n as f64 * UNIT)
}

#[cfg(test)]
mod tests {
    use super::*;
    use nearer_num::rng::Rng;

    /// Whole numbers of 50 bits: their products and sums are exact in `i128`.
    #[test]
    fn sharp_products_are_sharp() {
        for n in [1usize, 7, 8, 9, 300] {
            let mut rng = Rng::task(5, n as u64);
            let mut draw = || (rng.uniform() * 2e15).round() - 1e15;
            let a: Vec<f64> = (0..n).map(|_| draw()).collect();
            let b: Vec<f64> = (0..n).map(|_| draw()).collect();
            let exact: i128 = a.iter().zip(&b).map(|(x, y)| *x as i128 * *y as i128).sum();
            let size: f64 = a.iter().zip(&b).map(|(x, y)| (x * y).abs()).sum();
            let (high, low) = sharp_product(&a, &b);
            let off = ((high as i128 - exact) as f64 + low).abs();
            assert!(off <= sharpness(n) * size + 1.0, "{n}: {off} {}", sharpness(n) * size);
            assert!(sharpness(n) < 0.01 * UNIT * n.max(100) as f64);
        }
    }

    /// Whole numbers again: differences, squares and sums of them are exact in `i128`.
    #[test]
    fn wide_numbers_keep_what_plain_ones_lose() {
        let mut rng = Rng::task(5, 77);
        for _ in 0..200 {
            let mut draw = || (rng.uniform() * 2e15).round() - 1e15;
            let [a, b, c, d] = [draw(), draw(), draw(), draw()];
            let square = |x: f64, y: f64| (x as i128 - y as i128).pow(2);
            let exact = square(a, b) - square(c, d);
            let wide = Wide::square_of_difference(a, b).minus(Wide::square_of_difference(c, d));
            let off = (wide.high as i128 + wide.low as i128 - exact).unsigned_abs() as f64;
            assert!(off <= FINE * 8e30 + 1.0, "{off}");
            let thrice = wide.times(3.0);
            let off = (thrice.high as i128 + thrice.low as i128 - 3 * exact).unsigned_abs() as f64;
            assert!(off <= FINE * 24e30 + 2.0, "{off}");
        }
    }

    #[test]
    fn sums_hold_their_promise() {
        let mut sum = Sum::default();
        for term in [1e16, 1.0, -1e16, 1.0] {
            sum.add(term, 0.0);
        }
        assert_eq!(sum.value(), 2.0);
        assert!(sum.lower() <= 2.0 && 2.0 <= sum.upper() && sum.upper() - sum.lower() < 1e-3);
    }
}
