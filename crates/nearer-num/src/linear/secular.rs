//! The roots of `1/ρ + Σ z_j² / (p_j - λ)`, one after each pole: eigenvalues of `diag(p) + ρ z zᵗ` (Golub 1973; Li 1993).
//!
//! Each root is held as its distance from the nearer pole, so that all differences `p_j - λ` are good to the last digits;
//! with `z` chosen anew such that the computed roots are exact ones, eigenvectors made of these differences are
//! orthogonal to working precision (Gu and Eisenstat 1994). `O(k)` for each evaluation, some five of them for each root.

use crate::simd::compiled_twice;

/// Steps after which a root is taken as it is, inside its bracket; five are usual.
const PATIENCE: usize = 200;
/// Steps after which every other one halves the bracket.
const TRUSTED: usize = 12;

/// Strictly increasing poles: the numbers given, or their squares, whose differences come from factors.
pub(crate) struct Poles<'a> {
    pub(crate) at: &'a [f64],
    pub(crate) squared: bool,
}

impl Poles<'_> {
    /// The poles seen from one of them.
    fn seen_from(&self, origin: usize, out: &mut [f64]) {
        let from = self.at[origin];
        if self.squared {
            out.iter_mut().zip(self.at).for_each(|(out, at)| *out = (at - from) * (at + from));
        } else {
            out.iter_mut().zip(self.at).for_each(|(out, at)| *out = at - from);
        }
    }
}

/// Root `i`: the pole next to it and the distance from there. `differences` becomes pole less root, for every pole.
pub(crate) fn root(poles: &Poles<'_>, z: &[f64], constant: f64, i: usize, differences: &mut [f64]) -> (usize, f64) {
    poles.seen_from(i, differences);
    let (origin, distance) = match z.len() - i {
        1 if i == 0 => (0, z[0] * z[0] / constant),
        1 => (i, last(differences, z, constant)),
        _ => between(poles, z, constant, i, differences),
    };
    differences.iter_mut().for_each(|d| *d -= distance);
    (origin, distance)
}

/// The `z` of the same signs whose roots are exactly those found; `differences` has a column for each root.
pub(crate) fn exact_weights(poles: &Poles<'_>, z: &[f64], constant: f64, differences: &[f64]) -> Vec<f64> {
    let k = z.len();
    let (mut square, mut seen) = (vec![-constant; k], vec![0.0; k]);
    for (j, column) in differences.chunks_exact(k.max(1)).enumerate() {
        poles.seen_from(j, &mut seen);
        seen[j] = 1.0;
        multiply_ratios(&mut square, column, &seen);
    }
    square.iter().zip(z).map(|(square, z)| square.max(0.0).sqrt().copysign(*z)).collect()
}

compiled_twice! {
    fn multiply_ratios(out: &mut [f64], above: &[f64], below: &[f64]) {
        for ((out, above), below) in out.iter_mut().zip(above).zip(below) {
            *out *= above / below;
        }
    }

    fn evaluate(poles: &[f64], z: &[f64], constant: f64, at: f64) -> Value {
        let (p4, p_rest) = poles.as_chunks::<4>();
        let (z4, z_rest) = z.as_chunks::<4>();
        let mut lanes = [[0.0; 4]; 3];
        for (p, z) in p4.iter().zip(z4) {
            for l in 0..4 {
                let ratio = z[l] / (p[l] - at);
                let term = z[l] * ratio;
                lanes[0][l] += term;
                lanes[1][l] += term.abs();
                lanes[2][l] += ratio * ratio;
            }
        }
        let [mut value, mut size, mut slope] = lanes.map(|l| (l[0] + l[2]) + (l[1] + l[3]));
        for (p, z) in p_rest.iter().zip(z_rest) {
            let ratio = z / (p - at);
            value += z * ratio;
            size += (z * ratio).abs();
            slope += ratio * ratio;
        }
        Value { value: value + constant, size: size + constant, slope }
    }
}

/// The function somewhere, the sum of the sizes of its terms, and its slope.
struct Value {
    value: f64,
    size: f64,
    slope: f64,
}

/// A root between two poles. `seen` are the poles from the `i`th, and then from the nearer of the two.
fn between(poles: &Poles<'_>, z: &[f64], constant: f64, i: usize, seen: &mut [f64]) -> (usize, f64) {
    let gap = seen[i + 1];
    let middle = 0.5 * gap;
    let there = evaluate(seen, z, constant, middle);
    let (before, after) = (z[i] * z[i], z[i + 1] * z[i + 1]);
    // What the other poles say in the middle is taken as constant for a first guess.
    let rest = there.value + (before - after) / middle;
    if there.value >= 0.0 {
        let guess = smaller_root(rest * gap + before + after, before * gap, rest);
        let search = Search { seen, z, constant, near: i, far: i + 1, pick: smaller_root };
        (i, search.run(guess, 0.0, middle))
    } else {
        poles.seen_from(i + 1, seen);
        let guess = smaller_root(before + after - rest * gap, -after * gap, rest);
        let search = Search { seen, z, constant, near: i + 1, far: i, pick: smaller_root };
        (i + 1, search.run(guess, -middle, 0.0))
    }
}

/// The root after the last pole, seen from it.
fn last(seen: &[f64], z: &[f64], constant: f64) -> f64 {
    let near = z.len() - 1;
    let reach = z.iter().map(|z| z * z).sum::<f64>() / constant * (1.0 + 16.0 * f64::EPSILON);
    let search = Search { seen, z, constant, near, far: near - 1, pick: larger_root };
    search.run(0.5 * reach, 0.0, reach)
}

struct Search<'a> {
    seen: &'a [f64],
    z: &'a [f64],
    constant: f64,
    near: usize,
    far: usize,
    pick: fn(f64, f64, f64) -> f64,
}

impl Search<'_> {
    /// The root in the open interval. Each step goes to the root of a function with the nearer pole as it is and one more,
    /// where the other one is, that has the same value and slope; one that leaves the bracket is replaced by its middle.
    fn run(&self, guess: f64, mut low: f64, mut high: f64) -> f64 {
        let inside = |x: f64, low: f64, high: f64| if x > low && x < high { x } else { 0.5 * (low + high) };
        let mut at = inside(guess, low, high);
        for step in 0..PATIENCE {
            let here = evaluate(self.seen, self.z, self.constant, at);
            if here.value.abs() <= 4.0 * f64::EPSILON * here.size {
                break;
            }
            if here.value > 0.0 {
                high = at;
            } else {
                low = at;
            }
            let change = self.change(&here, at);
            let halve = step > TRUSTED && step % 2 == 0;
            let next = if halve { 0.5 * (low + high) } else { inside(at + change, low, high) };
            if next <= low || next >= high || (next - at).abs() <= f64::EPSILON * at.abs() {
                break;
            }
            at = next;
        }
        at
    }

    fn change(&self, here: &Value, at: f64) -> f64 {
        let (near, far) = (self.seen[self.near] - at, self.seen[self.far] - at);
        let ratio = self.z[self.near] / near;
        let constant = here.value - far * here.slope + ratio * ratio * (far - near);
        let linear = (near + far) * here.value - near * far * here.slope;
        (self.pick)(linear, near * far * here.value, constant)
    }
}

/// Of `c x² - a x + b = 0`, the root between two poles.
fn smaller_root(a: f64, b: f64, c: f64) -> f64 {
    let root = (a * a - 4.0 * b * c).abs().sqrt();
    if a > 0.0 { 2.0 * b / (a + root) } else { (a - root) / (2.0 * c) }
}

/// The root after both poles.
fn larger_root(a: f64, b: f64, c: f64) -> f64 {
    let root = (a * a - 4.0 * b * c).abs().sqrt();
    if a >= 0.0 { (a + root) / (2.0 * c) } else { 2.0 * b / (a - root) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn roots_lie_between_the_poles_and_keep_the_weights() {
        for squared in [false, true] {
            for k in [1, 2, 3, 7, 50] {
                let spread = |j: usize| j as f64 + if j % 2 == 1 { -1.0 + 1e-9 } else { 0.0 };
                let at: Vec<f64> = (0..k).map(spread).collect();
                let z: Vec<f64> =
                    (0..k).map(|j| 10f64.powi(-(j as i32 * 5) % 13) * if j % 3 == 0 { -1.0 } else { 1.0 }).collect();
                let poles = Poles { at: &at, squared };
                let mut differences = vec![0.0; k * k];
                for (i, column) in differences.chunks_exact_mut(k).enumerate() {
                    root(&poles, &z, 0.5, i, column);
                    assert!(column[..=i].iter().all(|d| *d < 0.0) && column[i + 1..].iter().all(|d| *d > 0.0));
                }
                // The largest weight is one: small ones are kept as closely as that one, not more.
                for (z, exact) in z.iter().zip(exact_weights(&poles, &z, 0.5, &differences)) {
                    assert!((z - exact).abs() < 1e-15 * k as f64, "{squared} {k}: {z} {exact}");
                }
            }
        }
    }
}
