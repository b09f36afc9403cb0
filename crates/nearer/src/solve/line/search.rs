//! The search for an order of objects on a line, and for the gaps between them.

use nearer_num::exact::{self, Decided, Wanted};

use crate::solve::{Clock, Step, Stop};

/// What a search came to.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Found {
    /// A coordinate for each object.
    Place(Vec<f64>),
    /// There is no place; these comparisons alone leave none.
    Nowhere(Vec<usize>),
    /// It ended before it was done.
    Unknown(Stop),
}

/// How many partial orders may still be looked at.
#[derive(Debug)]
pub(super) struct Budget<'a> {
    clock: &'a Clock<'a>,
    nodes: usize,
    used: usize,
    stop: Option<Stop>,
}

impl<'a> Budget<'a> {
    pub(super) fn new(nodes: usize, clock: &'a Clock<'a>) -> Self {
        Budget { clock, nodes, used: 0, stop: None }
    }
    /// Partial orders looked at so far.
    pub(super) fn used(&self) -> usize {
        self.used
    }
    /// Takes one off; an error when there is none left, also ever after.
    fn spend(&mut self, placed: usize) -> Result<(), Stop> {
        if let Some(stop) = self.stop {
            return Err(stop);
        }
        self.used += 1;
        let step = Step::new("orders on the line", (0, 1), self.used, Some(self.nodes), placed as f64);
        self.stop = match self.clock.tick(&step) {
            None if self.used > self.nodes => Some(Stop::IterationLimit),
            other => other,
        };
        self.stop.map_or(Ok(()), Err)
    }
}

/// Comparisons `[a, b, c, d]` of objects, d(a, b) < d(c, d), and the objects placed so far.
pub(super) struct Search<'a, 'b> {
    comparisons: &'a [[usize; 4]],
    /// The comparisons that each object is in.
    of: Vec<Vec<usize>>,
    /// Objects from left to right.
    order: Vec<usize>,
    /// Where each object stands in it.
    at: Vec<Option<usize>>,
    /// Comparisons all of whose objects are placed.
    active: Vec<usize>,
    /// Comparisons that ruled something out.
    used: Vec<bool>,
    /// Whether some order could neither be confirmed nor ruled out.
    doubt: bool,
    budget: &'a mut Budget<'b>,
}

/// What is known of the objects that are not placed.
#[derive(Clone)]
struct Outlook {
    /// For each object the places that are left: bit `p` is the place before the p-th object in order.
    places: Vec<u128>,
    /// How many comparisons are decided by its place.
    weight: Vec<usize>,
}

impl<'a, 'b> Search<'a, 'b> {
    /// The most objects there may be: their places are bits of a number.
    pub(super) const MOST: usize = 127;

    pub(super) fn new(objects: usize, comparisons: &'a [[usize; 4]], budget: &'a mut Budget<'b>) -> Self {
        let mut of = vec![Vec::new(); objects];
        for (k, c) in comparisons.iter().enumerate() {
            for (_, object) in c.iter().enumerate().filter(|(j, object)| !c[..*j].contains(object)) {
                of[*object].push(k);
            }
        }
        let used = vec![false; comparisons.len()];
        let at = vec![None; objects];
        Search { comparisons, of, order: Vec::new(), at, active: Vec::new(), used, doubt: false, budget }
    }

    pub(super) fn run(mut self) -> Found {
        let objects = self.of.len();
        let Some(first) = (0..objects).max_by_key(|&k| (self.of[k].len(), std::cmp::Reverse(k))) else {
            return Found::Place(Vec::new());
        };
        let start = Outlook { places: vec![1; objects], weight: vec![0; objects] };
        let Some(outlook) = self.insert(first, 0, &start) else { return self.nowhere() };
        match self.extend(&outlook) {
            Err(stop) => Found::Unknown(stop),
            Ok(Some(place)) => Found::Place(place),
            Ok(None) => self.nowhere(),
        }
    }

    fn nowhere(self) -> Found {
        if self.doubt {
            return Found::Unknown(Stop::Stalled);
        }
        Found::Nowhere((0..self.used.len()).filter(|&k| self.used[k]).collect())
    }

    /// Tries all ways to place the rest.
    fn extend(&mut self, outlook: &Outlook) -> Result<Option<Vec<f64>>, Stop> {
        let rest = (0..self.at.len()).filter(|&k| self.at[k].is_none());
        let choice = rest.min_by_key(|&k| (outlook.places[k].count_ones(), std::cmp::Reverse(outlook.weight[k]), k));
        let Some(object) = choice else { return Ok(self.coordinates()) };
        // With one object placed, left and right of it are mirror images.
        let places = if self.order.len() == 1 { 0b10 } else { outlook.places[object] };
        for place in (0..=self.order.len()).filter(|p| places >> p & 1 == 1) {
            self.budget.spend(self.order.len())?;
            let active = self.active.len();
            if let Some(after) = self.insert(object, place, outlook)
                && (self.active.len() == active || self.possible())
                && let Some(found) = self.extend(&after)?
            {
                return Ok(Some(found));
            }
            self.order.remove(place);
            self.at[object] = None;
            self.active.truncate(active);
            self.renumber();
        }
        Ok(None)
    }

    /// Puts an object at a place; `None` where that leaves another object without one.
    fn insert(&mut self, object: usize, place: usize, before: &Outlook) -> Option<Outlook> {
        self.order.insert(place, object);
        self.renumber();
        let mut after = before.clone();
        for mask in &mut after.places {
            // The place before the new object and the place after it were one place.
            let low = *mask & ((1 << (place + 1)) - 1);
            *mask = low | (*mask >> place) << (place + 1);
        }
        for i in 0..self.of[object].len() {
            let k = self.of[object][i];
            let mut open = self.comparisons[k].iter().copied().filter(|&o| self.at[o].is_none());
            match open.next() {
                None => self.active.push(k),
                Some(other) if open.all(|o| o == other) => {
                    after.weight[other] += 1;
                    let left = self.without_nested(k, other, after.places[other]);
                    self.used[k] |= left != after.places[other];
                    after.places[other] = left;
                }
                Some(_) => {}
            }
        }
        let stuck = (0..self.at.len()).any(|o| self.at[o].is_none() && after.places[o] == 0);
        (!stuck).then_some(after)
    }

    /// The places of an object at which the far pair of a comparison does not lie within its near pair.
    fn without_nested(&self, k: usize, object: usize, places: u128) -> u128 {
        let c = self.comparisons[k];
        let mut left = places;
        for place in (0..=self.order.len()).filter(|p| places >> p & 1 == 1) {
            let x = |o: usize| self.at[o].filter(|_| o != object).map_or(2 * place, |q| 2 * q + 1);
            let (near, far) = (span(x(c[0]), x(c[1])), span(x(c[2]), x(c[3])));
            if near.0 <= far.0 && far.1 <= near.1 {
                left &= !(1 << place);
            }
        }
        left
    }

    fn renumber(&mut self) {
        for (q, object) in self.order.iter().enumerate() {
            self.at[*object] = Some(q);
        }
    }

    /// Whether some gaps satisfy the comparisons among the placed objects; in doubt, yes.
    fn possible(&mut self) -> bool {
        match self.gaps() {
            Decided::Contradiction(multipliers) => {
                multipliers.iter().for_each(|(a, _)| self.used[self.active[*a]] = true);
                false
            }
            Decided::Point { .. } | Decided::Overflow => true,
        }
    }

    /// Coordinates of all objects in their final order, checked against the comparisons.
    fn coordinates(&mut self) -> Option<Vec<f64>> {
        let Decided::Point { x: gaps, .. } = self.gaps() else {
            self.doubt = true;
            return None;
        };
        let divisor = gaps.iter().fold(0, |a, b| gcd(a, *b)).max(1);
        let mut place = vec![0.0; self.at.len()];
        let mut x = 0i128;
        for (object, gap) in self.order.iter().zip([0].iter().chain(&gaps)) {
            x += gap / divisor;
            place[*object] = x as f64;
        }
        let distance = |a: usize, b: usize| (place[a] - place[b]).abs();
        let holds = self.comparisons.iter().all(|&[a, b, c, d]| distance(a, b) < distance(c, d));
        self.doubt |= !holds;
        holds.then_some(place)
    }

    /// Gaps between neighbours that satisfy the active comparisons: each says that one stretch is shorter than another.
    fn gaps(&self) -> Decided {
        let at = |o: usize| self.at[o].expect("all objects of an active comparison are placed");
        let spans: Vec<[usize; 4]> = self
            .active
            .iter()
            .map(|&k| {
                let [a, b, c, d] = self.comparisons[k];
                let ((a, b), (c, d)) = (span(at(a), at(b)), span(at(c), at(d)));
                [a, b, c, d]
            })
            .collect();
        let mut x = vec![0i128; self.order.len()];
        let violated = |gaps: &[i128], scale: i128, wanted: Wanted| {
            gaps.iter().enumerate().for_each(|(j, gap)| x[j + 1] = x[j] + gap);
            let excess = |&[a, b, c, d]: &[usize; 4]| (x[d] - x[c]) - (x[b] - x[a]);
            let short = spans.iter().map(excess).enumerate().filter(|(_, e)| *e < scale);
            match wanted {
                Wanted::First => short.map(|(k, _)| k).next(),
                Wanted::Worst => short.min_by_key(|(k, e)| (*e, *k)).map(|(k, _)| k),
            }
        };
        exact::decide(self.order.len() - 1, violated, |k, row| {
            let [a, b, c, d] = spans[k];
            row[a..b].iter_mut().for_each(|v| *v -= 1);
            row[c..d].iter_mut().for_each(|v| *v += 1);
        })
    }
}

fn span(a: usize, b: usize) -> (usize, usize) {
    (a.min(b), a.max(b))
}

fn gcd(a: i128, b: i128) -> i128 {
    if b == 0 { a.abs() } else { gcd(b, a % b) }
}
