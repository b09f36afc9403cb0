//! How long a convex fit will take, told before it starts: an order of magnitude, from what was measured.
//!
//! Times are those of one core of an ordinary server to a certified gap of 10⁻⁵. Another machine, a tighter gap or evidence
//! that contradicts itself a lot may well take three times as long; more threads help a little.

/// About how many seconds a fit by this method takes for `n` objects and `rows` judgements, pairs or distances; `None` for
/// methods that are not convex, whose time is not worth a word or depends on the starts.
///
/// ```
/// use nearer::solve::estimate;
/// assert!(estimate::seconds("gnmds", 30, 500).unwrap() < 1.0);
/// assert!(estimate::seconds("gnmds", 1000, 1_000_000).unwrap() > 10.0);
/// assert_eq!(estimate::seconds("metric-mds", 1000, 1_000_000), None);
/// ```
#[must_use]
pub fn seconds(method: &str, n: usize, rows: usize) -> Option<f64> {
    let (n, rows) = (n as f64, rows as f64);
    Some(match method {
        // Up to sixty objects one Cholesky factorisation of n²/2 unknowns a step; above, products of squares with a factor
        // whose rank grows with n.
        "gnmds" | "naive-order" | "partial-order" if n <= 60.0 => INTERIOR * n.powi(6) + PASS * rows,
        "gnmds" | "naive-order" | "partial-order" => FACTOR * n.powi(3) + PASS * rows,
        "robust-mds" => ROBUST * n.powi(3),
        "psde" => BALLS * n * n,
        "mvu" => UNFOLD * n,
        _ => return None,
    })
}

/// Seconds for each sixth power of n, cube, square, object or row.
const INTERIOR: f64 = 3e-11;
const FACTOR: f64 = 5e-8;
const ROBUST: f64 = 8e-8;
const BALLS: f64 = 3e-6;
const UNFOLD: f64 = 1.2e-3;
const PASS: f64 = 1e-5;

/// A time in words, as an order of magnitude: `about a minute`.
#[must_use]
pub fn in_words(seconds: f64) -> &'static str {
    match seconds {
        s if s < 1.0 => "less than a second",
        s if s < 5.0 => "a few seconds",
        s if s < 20.0 => "about ten seconds",
        s if s < 45.0 => "about half a minute",
        s if s < 120.0 => "about a minute",
        s if s < 600.0 => "some minutes",
        s if s < 2400.0 => "about a quarter of an hour or two",
        s if s < 7200.0 => "about an hour",
        s if s < 36_000.0 => "hours",
        _ => "more than half a day",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn more_of_anything_takes_longer() {
        for method in ["gnmds", "partial-order", "naive-order", "robust-mds", "psde", "mvu"] {
            let sizes: Vec<f64> = [70, 100, 500, 2000].iter().map(|n| seconds(method, *n, 10_000).unwrap()).collect();
            assert!(sizes.windows(2).all(|w| w[0] < w[1]), "{method}: {sizes:?}");
            assert!(seconds(method, 500, 1_000_000) >= seconds(method, 500, 1000));
        }
        assert!(seconds("gnmds", 20, 1000) < seconds("gnmds", 60, 1000));
    }

    /// What was measured, within a factor of three.
    #[test]
    fn measured_times_are_met_in_their_order() {
        for (method, n, rows, measured) in MEASURED {
            let ratio = seconds(method, *n, *rows).unwrap() / measured;
            assert!((1.0 / 3.0..3.0).contains(&ratio), "{method} {n} {rows}: {ratio}");
        }
    }

    const MEASURED: &[(&str, usize, usize, f64)] = &[
        ("gnmds", 55, 13_049, 1.2),
        ("gnmds", 500, 100_000, 5.1),
        ("gnmds", 1000, 1_000_000, 77.0),
        ("psde", 648, 419_256, 0.84),
        ("psde", 2000, 3_998_000, 13.0),
        ("mvu", 1000, 1000, 0.5),
        ("mvu", 20_000, 20_000, 25.0),
        ("robust-mds", 500, 124_750, 12.6),
        ("robust-mds", 1000, 499_500, 68.0),
    ];

    #[test]
    fn words_grow_with_the_time() {
        assert_eq!(in_words(0.2), "less than a second");
        assert_eq!(in_words(60.0), "about a minute");
        assert_eq!(in_words(1e6), "more than half a day");
    }
}
