//! What is known about answers beside the answers.
//!
//! There may be ten million of them, and of most files it is the same for all: a column takes room only from the first value that
//! differs from the usual one.

/// On which side of the screen the chosen object was shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Side {
    /// Left.
    Left,
    /// Right.
    Right,
}

/// What is known about an answer beside the answer.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Answered {
    /// The line of the file, from 1; 0 where there is no file.
    pub line: u64,
    /// Who answered, an index into [`Trials::participants`](crate::evidence::Trials::participants).
    pub participant: Option<u32>,
    /// Response time in seconds.
    pub seconds: Option<f64>,
    /// On which side the chosen object stood.
    pub side: Option<Side>,
    /// The row is marked as a check of attention.
    pub check: bool,
    /// How much the answer counts: above 0.
    pub weight: f64,
    /// By how much the far squared distance should exceed the near one: 0 or more.
    pub margin: f64,
}

impl Default for Answered {
    fn default() -> Self {
        Answered { line: 0, participant: None, seconds: None, side: None, check: false, weight: 1.0, margin: 1.0 }
    }
}

/// What is known about many answers, column by column.
#[derive(Debug, Clone)]
pub(super) struct Known {
    count: usize,
    lines: Lines,
    /// Nobody is [`NOBODY`].
    participants: Column<u32>,
    /// As bits: unknown is no number.
    seconds: Column<u64>,
    sides: Column<Option<Side>>,
    checks: Column<bool>,
    weights: Column<f64>,
    margins: Column<f64>,
}

const NOBODY: u32 = u32::MAX;

impl Default for Known {
    fn default() -> Self {
        Known {
            count: 0,
            lines: Lines::Following { first: 0, step: 0 },
            participants: Column::of(NOBODY),
            seconds: Column::of(f64::NAN.to_bits()),
            sides: Column::of(None),
            checks: Column::of(false),
            weights: Column::of(1.0),
            margins: Column::of(1.0),
        }
    }
}

impl Known {
    pub(super) fn len(&self) -> usize {
        self.count
    }
    pub(super) fn push(&mut self, one: &Answered) {
        let k = self.count;
        self.lines.push(k, one.line);
        self.participants.push(k, one.participant.unwrap_or(NOBODY));
        self.seconds.push(k, one.seconds.filter(|s| !s.is_nan()).unwrap_or(f64::NAN).to_bits());
        self.sides.push(k, one.side);
        self.checks.push(k, one.check);
        self.weights.push(k, one.weight);
        self.margins.push(k, one.margin);
        self.count += 1;
    }
    /// Some of them in this order, of participants that have other numbers now.
    pub(super) fn taken(&self, order: &[u32], who: impl Fn(u32) -> u32) -> Self {
        let mut participants = self.participants.taken(order);
        participants.values.iter_mut().filter(|p| **p != NOBODY).for_each(|p| *p = who(*p));
        let mut lines = Lines::Following { first: 0, step: 0 };
        order.iter().enumerate().for_each(|(at, &k)| lines.push(at, self.lines.get(k as usize)));
        Known {
            count: order.len(),
            lines,
            participants,
            seconds: self.seconds.taken(order),
            sides: self.sides.taken(order),
            checks: self.checks.taken(order),
            weights: self.weights.taken(order),
            margins: self.margins.taken(order),
        }
    }
    pub(super) fn get(&self, k: usize) -> Answered {
        assert!(k < self.count, "answer {k} of {}", self.count);
        Answered {
            line: self.lines.get(k),
            participant: Some(self.participants.get(k)).filter(|who| *who != NOBODY),
            seconds: Some(f64::from_bits(self.seconds.get(k))).filter(|s| !s.is_nan()),
            side: self.sides.get(k),
            check: self.checks.get(k),
            weight: self.weights.get(k),
            margin: self.margins.get(k),
        }
    }
}

/// Lines of a file: none, one after the other, or any.
#[derive(Debug, Clone)]
enum Lines {
    Following { first: u64, step: u64 },
    Each(Vec<u64>),
}

impl Lines {
    fn get(&self, k: usize) -> u64 {
        match self {
            Lines::Following { first, step } => first + step * k as u64,
            Lines::Each(all) => all[k],
        }
    }
    fn push(&mut self, k: usize, line: u64) {
        if let Lines::Following { first, step } = self {
            match k {
                0 => *first = line,
                1 => *step = u64::from(line > *first),
                _ => {}
            }
            if *first + *step * k as u64 == line {
                return;
            }
            *self = Lines::Each((0..k).map(|j| self.get(j)).collect());
        }
        if let Lines::Each(all) = self {
            all.push(line);
        }
    }
}

/// Values that take no room while all of them are the usual one.
#[derive(Debug, Clone)]
pub(super) struct Column<T> {
    usual: T,
    values: Vec<T>,
}

impl<T: Copy + PartialEq> Column<T> {
    pub(super) fn of(usual: T) -> Self {
        Column { usual, values: Vec::new() }
    }
    /// Adds value number `k`.
    pub(super) fn push(&mut self, k: usize, value: T) {
        if self.values.is_empty() {
            if value == self.usual {
                return;
            }
            self.values = vec![self.usual; k];
        }
        self.values.push(value);
    }
    /// Some of them in this order.
    pub(super) fn taken(&self, order: &[u32]) -> Self {
        let all = if self.values.is_empty() { &[][..] } else { order };
        Column { usual: self.usual, values: all.iter().map(|&k| self.values[k as usize]).collect() }
    }
    pub(super) fn get(&self, k: usize) -> T {
        self.values.get(k).copied().unwrap_or(self.usual)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whatever comes in comes out, also where a column begins late, and what all have alike takes no room.
    #[test]
    fn what_is_kept_is_what_was_given() {
        let usual = Answered { line: 2, ..Answered::default() };
        let list = [
            usual,
            Answered { line: 3, ..usual },
            Answered { line: 4, participant: Some(7), ..usual },
            Answered { line: 9, seconds: Some(1.5), side: Some(Side::Right), ..usual },
            Answered { line: 10, check: true, weight: 2.0, margin: 0.0, ..usual },
            Answered { line: 11, participant: Some(0), seconds: Some(f64::INFINITY), ..usual },
        ];
        for some in [&list[..0], &list[..1], &list[..2], &list[..], &[Answered::default(); 3], &[usual, usual, list[3]]]
        {
            let mut known = Known::default();
            some.iter().for_each(|one| known.push(one));
            assert_eq!((0..known.len()).map(|k| known.get(k)).collect::<Vec<_>>(), some);
        }
        let mut known = Known::default();
        (0..1000).for_each(|k| known.push(&Answered { line: 2 + k, ..usual }));
        let heap = [known.participants.values.len(), known.seconds.values.len(), known.weights.values.len()];
        assert!(heap == [0; 3] && matches!(known.lines, Lines::Following { .. }));
    }
}
