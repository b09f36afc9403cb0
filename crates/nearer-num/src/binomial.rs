//! The binomial distribution: exact tails at any size, the sign test, and draws.

use std::f64::consts::TAU;

use crate::rng::Rng;

/// `P(X = k)` for `n` tries that succeed with probability `p` each.
///
/// By the saddle point of Loader (2000): no large logarithms are subtracted from each other, so the relative error stays
/// near that of the machine for any `n`.
///
/// ```
/// assert!((nearer_num::binomial::probability(2, 4, 0.5) - 0.375).abs() < 1e-15);
/// ```
#[must_use]
pub fn probability(k: u64, n: u64, p: f64) -> f64 {
    if k > n {
        return 0.0;
    }
    if p <= 0.0 || p >= 1.0 {
        return f64::from((k == 0 && p <= 0.0) || (k == n && p >= 1.0));
    }
    let (size, hits, misses) = (n as f64, k as f64, (n - k) as f64);
    if k == 0 {
        return (size * (-p).ln_1p()).exp();
    }
    if k == n {
        return (size * p.ln()).exp();
    }
    let log = stirling(n) - stirling(k) - stirling(n - k) - away(hits, size * p) - away(misses, size * (1.0 - p));
    log.exp() * (size / (TAU * hits * misses)).sqrt()
}

/// `P(X >= k)`, the upper tail. `O(√n)` terms where it matters, never more than `n`.
///
/// ```
/// assert!((nearer_num::binomial::at_least(3, 4, 0.5) - 5.0 / 16.0).abs() < 1e-15);
/// ```
#[must_use]
pub fn at_least(k: u64, n: u64, p: f64) -> f64 {
    if k == 0 {
        return 1.0;
    }
    if k > n {
        return 0.0;
    }
    if p <= 0.0 || p >= 1.0 {
        return f64::from(p >= 1.0);
    }
    // The tail is summed on the side where its terms fall; on the other side it is what the falling one leaves.
    if (k as f64) < n as f64 * p {
        return 1.0 - falling(n - k + 1, n, 1.0 - p);
    }
    falling(k, n, p)
}

/// `P(X <= k)`, the lower tail.
#[must_use]
pub fn at_most(k: u64, n: u64, p: f64) -> f64 {
    if k >= n { 1.0 } else { at_least(n - k, n, 1.0 - p) }
}

/// The exact two-sided sign test: how likely a split at least as uneven as `k` of `n` is when both sides are as likely.
///
/// ```
/// assert!((nearer_num::binomial::sign_test(1, 6) - 14.0 / 64.0).abs() < 1e-15);
/// ```
///
/// # Panics
/// If `k` is more than `n`.
#[must_use]
pub fn sign_test(k: u64, n: u64) -> f64 {
    assert!(k <= n, "{k} of {n}");
    (2.0 * at_least(k.max(n - k), n, 0.5)).min(1.0)
}

/// A draw: how many of `n` tries succeed. By inversion outwards from the mode, `O(√n)` steps.
#[must_use]
pub fn draw(rng: &mut Rng, n: u64, p: f64) -> u64 {
    if n == 0 || p <= 0.0 {
        return 0;
    }
    if p >= 1.0 {
        return n;
    }
    let mode = ((n as f64 + 1.0) * p).floor().min(n as f64) as u64;
    let odds = p / (1.0 - p);
    let (mut left, peak) = (rng.uniform(), probability(mode, n, p));
    let (mut low, mut high) = ((mode, peak), (mode, peak));
    left -= peak;
    while left > 0.0 && (low.1 > 0.0 || high.1 > 0.0) {
        // P(k + 1) = P(k) (n - k) / (k + 1) odds, and back.
        high = (high.0 + 1, high.1 * n.saturating_sub(high.0) as f64 / (high.0 + 1) as f64 * odds);
        left -= high.1;
        if left <= 0.0 && high.1 > 0.0 {
            return high.0;
        }
        let below = low.1 * low.0 as f64 / (n - low.0 + 1) as f64 / odds;
        low = (low.0.saturating_sub(1), below);
        left -= low.1;
        if left <= 0.0 && low.1 > 0.0 {
            return low.0;
        }
    }
    // Within the peak, or what rounding left of the whole probability.
    mode
}

/// `P(X >= k)` for `k` at or above the mean, where each term is smaller than the last.
fn falling(k: u64, n: u64, p: f64) -> f64 {
    let (mut term, mut sum, odds) = (1.0, 1.0, p / (1.0 - p));
    for j in k..n {
        term *= (n - j) as f64 / (j + 1) as f64 * odds;
        sum += term;
        if term < 1e-18 * sum {
            break;
        }
    }
    (probability(k, n, p) * sum).min(1.0)
}

/// `ln n! - ln(√(2πn) (n/e)ⁿ)`, the error of Stirling's formula.
fn stirling(n: u64) -> f64 {
    let x = n as f64;
    if n < 16 {
        let factorial: f64 = (2..=n).map(|k| k as f64).product();
        return factorial.ln() - (0.5 * (TAU * x).ln() + x * x.ln() - x);
    }
    let y = x * x;
    (1.0 / 12.0 - (1.0 / 360.0 - (1.0 / 1260.0 - (1.0 / 1680.0 - 1.0 / 1188.0 / y) / y) / y) / y) / x
}

/// `x ln(x / m) + m - x`, without cancellation where `x` is near `m`.
fn away(x: f64, m: f64) -> f64 {
    let v = (x - m) / (x + m);
    if v.abs() >= 0.1 {
        return x * (x / m).ln() + m - x;
    }
    // ln(x / m) = 2 (v + v³/3 + v⁵/5 + …), and x v · 2 + m - x = (x - m) v.
    let (mut sum, mut power) = ((x - m) * v, 2.0 * x * v);
    for k in 1.. {
        power *= v * v;
        let next = sum + power / f64::from(2 * k + 1);
        if next == sum {
            break;
        }
        sum = next;
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Pascal's triangle, with nothing of the above.
    fn direct(n: usize, p: f64) -> Vec<f64> {
        let mut row = vec![1.0];
        for _ in 0..n {
            let mut next = vec![0.0; row.len() + 1];
            for (k, v) in row.iter().enumerate() {
                next[k] += v * (1.0 - p);
                next[k + 1] += v * p;
            }
            row = next;
        }
        row
    }

    #[test]
    fn tails_are_the_direct_sums() {
        for n in [1, 2, 5, 17, 40, 300] {
            for p in [0.5, 1.0 / 3.0, 0.03, 0.97] {
                let terms = direct(n, p);
                for k in 0..=n {
                    let (upper, lower) = (terms[k..].iter().sum::<f64>(), terms[..=k].iter().sum::<f64>());
                    let near = |a: f64, b: f64| (a - b).abs() <= 1e-12 * b.max(1e-3);
                    let k = k as u64;
                    assert!(near(probability(k, n as u64, p), terms[k as usize]), "{k} of {n} at {p}");
                    assert!(near(at_least(k, n as u64, p), upper), "{k} of {n} at {p}: {upper}");
                    assert!(near(at_most(k, n as u64, p), lower), "{k} of {n} at {p}: {lower}");
                }
            }
        }
        let small = direct(300, 0.5)[250..].iter().sum::<f64>();
        assert!((at_least(250, 300, 0.5) / small - 1.0).abs() < 1e-12, "far out in the tail");
    }

    #[test]
    fn the_ends_are_certain_or_impossible() {
        assert_eq!((at_least(0, 9, 0.2), at_least(10, 9, 0.2), at_most(9, 9, 0.2)), (1.0, 0.0, 1.0));
        assert_eq!((probability(0, 3, 0.0), probability(3, 3, 1.0), probability(1, 3, 1.0)), (1.0, 1.0, 0.0));
        assert_eq!((at_least(1, 3, 0.0), at_least(3, 3, 1.0), at_most(2, 3, 1.0)), (0.0, 1.0, 0.0));
        assert_eq!((sign_test(0, 0), sign_test(5, 10)), (1.0, 1.0));
        assert_eq!(sign_test(3, 40), sign_test(37, 40));
        assert!((sign_test(0, 10) - 2.0 / 1024.0).abs() < 1e-17);
    }

    #[test]
    fn the_middle_of_a_million_is_half() {
        let n = 1_000_000;
        let half = at_least(n / 2, n, 0.5) - 0.5 * probability(n / 2, n, 0.5);
        assert!((half - 0.5).abs() < 1e-12, "{half}");
    }

    #[test]
    fn draws_have_the_frequencies_of_the_distribution() {
        for (n, p) in [(6, 0.3), (40, 0.9), (1, 0.5)] {
            let (mut rng, count) = (Rng::task(3, n), 40_000);
            let mut seen = vec![0.0; n as usize + 1];
            (0..count).for_each(|_| seen[draw(&mut rng, n, p) as usize] += 1.0);
            for (k, expected) in direct(n as usize, p).iter().enumerate() {
                let sd = (expected * (1.0 - expected) / f64::from(count)).sqrt();
                let found = seen[k] / f64::from(count);
                assert!((found - expected).abs() <= 4.5 * sd + 1e-4, "{k} of {n}: {found} for {expected}");
            }
        }
        let mut rng = Rng::task(3, 0);
        assert_eq!((draw(&mut rng, 0, 0.5), draw(&mut rng, 9, 0.0), draw(&mut rng, 9, 1.0)), (0, 0, 9));
        let mean = (0..400).map(|_| draw(&mut rng, 1_000_000, 0.8) as f64).sum::<f64>() / 400.0;
        assert!((mean - 800_000.0).abs() < 4.0 * 400.0 / 20.0, "{mean}");
    }
}
