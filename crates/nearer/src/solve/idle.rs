//! Whether an iteration still gets on: steps that bring a gap hardly down are counted, and enough of them are the end.

/// A gap below this share of the least before it is a gain: slower than that, twenty steps bring no digit more. Chosen by trial;
/// not swept.
const GAIN: f64 = 0.9;

/// The least that something which is to fall has been, and how many steps in a row have gained nothing.
#[derive(Debug, Clone, Copy)]
pub(super) struct Idle {
    least: f64,
    gain: f64,
    steps: usize,
}

impl Idle {
    pub(super) fn new() -> Self {
        Idle::below(GAIN)
    }
    /// Where a gain is a value below this share of the least.
    pub(super) fn below(gain: f64) -> Self {
        Idle { least: f64::INFINITY, gain, steps: 0 }
    }
    /// Takes what a step has come to; so many in a row have gained nothing, none if this one has.
    pub(super) fn after(&mut self, value: f64) -> usize {
        self.steps = if value < self.gain * self.least { 0 } else { self.steps + 1 };
        self.least = self.least.min(value);
        self.steps
    }
    /// Counts anew, the least being what it is.
    pub(super) fn again(&mut self) {
        self.steps = 0;
    }
}
