//! Sums over two vectors, in eight strands: the same bits wherever the vectors lie, and quick.

/// Eight running sums; the compiler makes two or four registers of them.
const STRANDS: usize = 8;

/// `Σ f(aᵢ, bᵢ)` over vectors of the same length.
#[inline(always)]
pub(crate) fn sum(a: &[f64], b: &[f64], f: impl Fn(f64, f64) -> f64) -> f64 {
    let mut strands = [0.0; STRANDS];
    let (a8, b8) = (a.chunks_exact(STRANDS), b.chunks_exact(STRANDS));
    let rest: f64 = a8.remainder().iter().zip(b8.remainder()).map(|(x, y)| f(*x, *y)).sum();
    for (x, y) in a8.zip(b8) {
        for k in 0..STRANDS {
            strands[k] += f(x[k], y[k]);
        }
    }
    strands.iter().sum::<f64>() + rest
}

/// `Σ aᵢ bᵢ`.
#[must_use]
pub fn dot(a: &[f64], b: &[f64]) -> f64 {
    let (parts, rest) = a.as_chunks::<STRANDS>();
    let mut lanes = [0.0; STRANDS];
    for (a, b) in parts.iter().zip(b.as_chunks::<STRANDS>().0) {
        (0..STRANDS).for_each(|k| lanes[k] += a[k] * b[k]);
    }
    let last: f64 = rest.iter().zip(&b[STRANDS * parts.len()..]).map(|(a, b)| a * b).sum();
    ((lanes[0] + lanes[1]) + (lanes[2] + lanes[3])) + ((lanes[4] + lanes[5]) + (lanes[6] + lanes[7])) + last
}

/// The Euclidean length.
#[must_use]
pub fn norm(a: &[f64]) -> f64 {
    dot(a, a).sqrt()
}

/// Adds `factor · x` to `y`.
pub fn add_multiple(factor: f64, x: &[f64], y: &mut [f64]) {
    y.iter_mut().zip(x).for_each(|(y, x)| *y += factor * x);
}

/// `Σ (aᵢ - bᵢ)²`.
#[must_use]
pub fn square_distance(a: &[f64], b: &[f64]) -> f64 {
    sum(a, b, |x, y| (x - y) * (x - y))
}

/// `Σ (aᵢ - bᵢ)² / (aᵢ + bᵢ)` for numbers that are not negative; places where both are zero count nothing.
#[must_use]
pub fn chi_square(a: &[f64], b: &[f64]) -> f64 {
    sum(a, b, |x, y| if x + y > 0.0 { (x - y) * (x - y) / (x + y) } else { 0.0 })
}

/// `Σ min(aᵢ, bᵢ)`.
#[must_use]
pub fn common_part(a: &[f64], b: &[f64]) -> f64 {
    sum(a, b, f64::min)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sums_are_those_of_the_definition() {
        for n in [0usize, 1, 7, 8, 9, 40, 43] {
            let a: Vec<f64> = (0..n).map(|k| (k * k % 11) as f64).collect();
            let b: Vec<f64> = (0..n).map(|k| (k * 5 % 7) as f64).collect();
            let direct = |f: &dyn Fn(f64, f64) -> f64| a.iter().zip(&b).map(|(x, y)| f(*x, *y)).sum::<f64>();
            assert_eq!(dot(&a, &b), direct(&|x, y| x * y));
            assert_eq!(square_distance(&a, &b), direct(&|x, y| (x - y).powi(2)));
            assert_eq!(common_part(&a, &b), direct(&f64::min));
            let chi = direct(&|x, y| if x + y > 0.0 { (x - y).powi(2) / (x + y) } else { 0.0 });
            assert!((chi_square(&a, &b) - chi).abs() <= 1e-12 * chi);
        }
    }
}
