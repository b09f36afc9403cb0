//! Numbers for readers: round steps for axes and scale bars, and short ways to write them.

/// The largest of 1, 2 or 5 times a power of ten that is not above `v`; `None` where `v` is no positive number.
pub(crate) fn round_down(v: f64) -> Option<f64> {
    if !(v.is_finite() && v > 0.0) {
        return None;
    }
    let exponent = v.log10().floor() as i32;
    let digits = if v / ten(exponent) >= 5.0 {
        5.0
    } else if v / ten(exponent) >= 2.0 {
        2.0
    } else {
        1.0
    };
    Some(times_ten(digits, exponent)).filter(|r| *r > 0.0 && r.is_finite())
}

/// A number as it stands in print: `1500`, `0.25`, `−3`, `2×10⁷`.
pub(crate) fn show(v: f64) -> String {
    if v == 0.0 || !v.is_finite() {
        return if v == 0.0 { "0".into() } else { v.to_string() };
    }
    let scientific = format!("{:.3e}", v.abs());
    let (digits, exponent) = scientific.split_once('e').unwrap_or((&scientific, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    let minus = if v < 0.0 { "−" } else { "" };
    if (-4..6).contains(&exponent) {
        let places = (3 - exponent).max(0) as usize;
        return format!("{minus}{}", trimmed(&format!("{:.places$}", v.abs())));
    }
    let raised: String = exponent.to_string().chars().map(superscript).collect();
    let digits = trimmed(digits);
    if digits == "1" { format!("{minus}10{raised}") } else { format!("{minus}{digits}×10{raised}") }
}

/// Round values from below `low` to above `high`, about `count` of them, that an axis may be marked at. Never empty, and
/// always of two values at least, so that an axis has a length.
pub(crate) fn ticks(low: f64, high: f64, count: usize) -> Vec<f64> {
    let (low, high) = if high > low { (low, high) } else { around(low) };
    let raw = high / count as f64 - low / count as f64;
    let step = round_up(raw);
    let (first, last) = ((low / step + 1e-9).floor(), (high / step - 1e-9).ceil());
    if !(first.is_finite() && last.is_finite() && last > first && last - first < 100.0) {
        return vec![low, high];
    }
    (0..=(last - first) as usize).map(|k| (first + k as f64) * step).collect()
}

fn round_up(v: f64) -> f64 {
    let down = round_down(v).unwrap_or(1.0);
    if v <= down * (1.0 + 1e-9) {
        return down;
    }
    // 1 → 2, 2 → 5, 5 → 10; what is left of rounding in `down` does not matter here.
    let leading = down / ten(down.log10().floor() as i32);
    if (1.5..4.0).contains(&leading) { down * 2.5 } else { down * 2.0 }
}

/// Something to draw an axis over where all values are equal.
fn around(v: f64) -> (f64, f64) {
    let half = if v == 0.0 { 1.0 } else { v.abs() / 2.0 };
    (v - half, v + half)
}

fn ten(exponent: i32) -> f64 {
    10f64.powi(exponent)
}

/// `digits · 10^exponent`, read as a decimal: a product of powers would not give the nearest double.
fn times_ten(digits: f64, exponent: i32) -> f64 {
    format!("{digits}e{exponent}").parse().unwrap_or(digits * ten(exponent))
}

fn trimmed(text: &str) -> &str {
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.') } else { text }
}

fn superscript(c: char) -> char {
    match c {
        '-' => '⁻',
        '1' => '¹',
        '2' => '²',
        '3' => '³',
        '0' | '4'..='9' => char::from_u32(0x2070 + c as u32 - '0' as u32).unwrap_or(c),
        c => c,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_read_well() {
        let shown: Vec<String> = [0.0, 1500.0, 0.25, -3.0, 2e7, 1e-30, 0.30000000000000004, 123456.0].map(show).into();
        assert_eq!(shown.join(" "), "0 1500 0.25 −3 2×10⁷ 10⁻³⁰ 0.3 123456");
    }

    #[test]
    fn steps_are_round_at_every_scale() {
        assert_eq!([7.0, 3.0, 1.0, 0.049].map(round_down), [Some(5.0), Some(2.0), Some(1.0), Some(0.02)]);
        assert_eq!([0.0, -1.0, f64::NAN, f64::INFINITY].map(round_down), [None; 4]);
        for scale in [1e-300, 1e-30, 1.0, 1e30, 1e300] {
            assert!(round_down(scale * 3.3).is_some_and(|r| r <= scale * 3.3 && r > scale));
            let t = ticks(0.0, 9.3 * scale, 5);
            assert!(t.len() >= 4 && t.len() <= 8 && t[0] == 0.0 && t[t.len() - 1] >= 9.3 * scale, "{t:?}");
        }
        assert_eq!(ticks(1.0, 6.0, 5), [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
        assert!(ticks(3.0, 3.0, 5).len() >= 2 && ticks(0.0, 0.0, 5).len() >= 2);
    }
}
