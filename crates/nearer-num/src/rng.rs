//! Named random streams: the stream of a task depends on the seed and the number of the task, never on a thread.

use rand::RngExt as _;
use rand::SeedableRng as _;
use rand_pcg::Pcg64;

/// A random stream.
#[derive(Debug, Clone)]
pub struct Rng(Pcg64);

impl Rng {
    /// The stream of task `task` under `seed`.
    #[must_use]
    pub fn task(seed: u64, task: u64) -> Self {
        // Two rounds of splitmix64 keep neighbouring seeds and tasks far apart.
        let mut state = [0u8; 32];
        let mut x = seed ^ mix(task.wrapping_add(0x9E37_79B9_7F4A_7C15));
        for chunk in state.chunks_exact_mut(8) {
            x = mix(x.wrapping_add(0x9E37_79B9_7F4A_7C15));
            chunk.copy_from_slice(&x.to_le_bytes());
        }
        Rng(Pcg64::from_seed(state))
    }
    /// Uniform in `0..1`.
    pub fn uniform(&mut self) -> f64 {
        self.0.random::<f64>()
    }
    /// Uniform in `0..n`.
    ///
    /// # Panics
    /// If `n` is 0.
    pub fn below(&mut self, n: usize) -> usize {
        self.0.random_range(0..n as u64) as usize
    }
    /// Standard normal (Box and Muller).
    pub fn normal(&mut self) -> f64 {
        let u = 1.0 - self.uniform();
        let v = self.uniform();
        (-2.0 * u.ln()).sqrt() * (std::f64::consts::TAU * v).cos()
    }
    /// The numbers `0..n` in random order.
    pub fn permutation(&mut self, n: usize) -> Vec<usize> {
        let mut order: Vec<usize> = (0..n).collect();
        for k in (1..n).rev() {
            order.swap(k, self.below(k + 1));
        }
        order
    }
}

fn mix(mut z: u64) -> u64 {
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn streams_differ_by_seed_and_task_and_repeat() {
        let first = |s, t| Rng::task(s, t).uniform();
        assert_eq!(first(1, 2).to_bits(), first(1, 2).to_bits());
        assert_ne!(first(1, 2), first(2, 1));
        assert_ne!(first(0, 0), first(0, 1));
    }

    #[test]
    fn normal_has_mean_zero_and_variance_one() {
        let mut rng = Rng::task(5, 0);
        let x: Vec<f64> = (0..40_000).map(|_| rng.normal()).collect();
        let mean = x.iter().sum::<f64>() / x.len() as f64;
        let variance = x.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / x.len() as f64;
        assert!(mean.abs() < 0.02 && (variance - 1.0).abs() < 0.03, "{mean} {variance}");
    }
}
