//! Rows that come and go.
//!
//! A comparison is in one of three places. It may hold with room, and is left out; it may be broken by much, and is paid for by a
//! plain cost; or it is a row. Which of the rows would weigh in a step is read off the method itself, so that there are no rounds
//! of solving again: on the way to one solution rows come and go. Pairs that are bounded are never passed, rows or not.

use nearer_num::order;
use nearer_num::orthant::{DenseRows, Orthant};

use super::scaled::Scaled;
use super::search::{Place, Play, ROOM, Search, Source, start};
use crate::solve::solver::Goal;

/// A row that weighs less than this in a step is let go.
const LET_GO: f64 = 0.3;
/// A row that would weigh more than this is taken in.
const TAKE_IN: f64 = 3.0;
/// What could not be reached in so many steps like the last is left out.
const STEPS: f64 = 10.0;

impl<'a> Search<'a, DenseRows> {
    /// With rows that are written out: those that matter where they are to be generated, otherwise all comparisons.
    pub(super) fn written(scaled: &'a Scaled<'a>, goal: &'a Goal, generate: bool) -> Self {
        let (weights, mu) = start(scaled, scaled.columns.len());
        let mut search =
            Search::at(scaled, goal, Orthant::begin(scaled.cost.clone(), scaled.curvature.clone(), weights, mu));
        search.generate = generate;
        let rows = scaled.high.len();
        if let Some(b) = scaled.bound {
            search.sources.push(Source::Mean);
            search.state.add(&scaled.mean, &[-b], &[f64::INFINITY], ROOM);
        }
        if generate {
            // Some rows from the first step on, taken evenly: what is only paid for pulls without end.
            let stride = (rows / search.limit()).max(1);
            let broken: Vec<usize> = (0..rows).filter(|t| *t % stride != 0 && search.residual(*t) > 0.0).collect();
            search.pay(&broken);
            search.take_in(&(0..rows).step_by(stride).collect::<Vec<_>>());
        } else {
            search.take_in(&(0..rows).collect::<Vec<_>>());
        }
        search
    }

    /// So many rows of a kind are taken in at once.
    fn limit(&self) -> usize {
        (self.scaled.columns.len() / 16).max(60)
    }

    /// The least room that a bounded pair is given: little where little is missing.
    fn room(&self) -> f64 {
        ROOM.min(0.1 * self.gap()).max(1e-9) * self.scaled.bound.unwrap_or(1.0)
    }

    fn hold(&mut self, list: &[usize], b: f64) {
        let mut rows = Vec::new();
        for at in list {
            self.held[*at] = true;
            self.sources.push(Source::Pair(*at));
            self.scaled.push_pair(self.scaled.pair(*at), &mut rows);
        }
        self.state.add(&rows, &vec![-b; list.len()], &vec![f64::INFINITY; list.len()], self.room());
    }

    fn take_in(&mut self, list: &[usize]) {
        let s = self.scaled;
        let paid: Vec<usize> = list.iter().copied().filter(|t| self.places[*t] == Place::Paid).collect();
        self.unpay(&paid);
        let mut rows = Vec::new();
        for t in list {
            self.places[*t] = Place::Row;
            self.sources.push(Source::Compared(*t));
            s.push_compared(*t, &mut rows);
        }
        let of = |v: &[f64]| list.iter().map(|t| v[*t]).collect::<Vec<_>>();
        self.state.add(&rows, &of(&s.margin), &of(&s.high), ROOM);
    }

    /// These comparisons are paid for from now on.
    fn pay(&mut self, list: &[usize]) {
        if !list.is_empty() {
            self.state.shift(&self.scaled.paid(list));
            self.constant += list.iter().map(|t| self.scaled.high[*t] * self.scaled.margin[*t]).sum::<f64>();
            list.iter().for_each(|t| self.places[*t] = Place::Paid);
        }
    }

    fn unpay(&mut self, list: &[usize]) {
        if !list.is_empty() {
            self.state.shift(&self.scaled.paid(list).iter().map(|v| -v).collect::<Vec<_>>());
            self.constant -= list.iter().map(|t| self.scaled.high[*t] * self.scaled.margin[*t]).sum::<f64>();
        }
    }
}

impl Play for Search<'_, DenseRows> {
    /// How far a step may go for the pairs that are not rows, and where nothing bounds distances but comparisons that are paid for.
    fn reach(&self, along: &[f64]) -> f64 {
        let (mut reach, room) = (f64::INFINITY, self.room());
        if let Some(b) = self.scaled.bound {
            for (at, (d, grows)) in self.distances.iter().zip(along).enumerate() {
                if *grows > 0.0 && !self.held[at] {
                    reach = reach.min((b - d).max(room) / grows);
                }
            }
        }
        if self.scaled.bound.is_none() && self.generate {
            // Nothing but comparisons keeps distances small, and some of them are only paid for.
            let sum = |v: &[f64]| v.iter().sum::<f64>();
            let (now, grows) = (sum(&self.distances), sum(along));
            if grows > 0.0 {
                reach = reach.min(now / grows);
            }
        }
        reach
    }

    /// Lets rows go that weigh nothing, and takes in what would weigh.
    fn exchange(&mut self) {
        if !self.generate {
            return;
        }
        let mu = self.state.mu();
        let (weight, room) = self.state.relevance();
        let y = self.state.multipliers().to_vec();
        let mut keep = vec![true; y.len()];
        let mut paid = Vec::new();
        let let_go = LET_GO * 0.1_f64.powi(self.caution);
        for (k, source) in self.sources.iter().enumerate().filter(|(k, _)| weight[*k] < let_go) {
            match *source {
                Source::Mean => continue,
                Source::Pair(at) => self.held[at] = false,
                Source::Compared(t) => {
                    self.places[t] = Place::Out;
                    if y[k] > 0.5 * self.scaled.high[t] {
                        paid.push(t);
                    }
                }
            }
            keep[k] = false;
        }
        self.state.retain(&keep);
        let mut k = 0;
        self.sources.retain(|_| {
            k += 1;
            keep[k - 1]
        });
        self.pay(&paid);
        let usual = median(room);
        let limit = self.limit();
        // What would weigh, and could be reached in a few steps like the last.
        let (take_in, steps) = (TAKE_IN * 0.3_f64.powi(self.caution), STEPS * 3_f64.powi(self.caution));
        let matters =
            |slack: f64, moved: f64| mu * usual > take_in * slack * slack && slack.abs() < steps * moved.abs();
        if let Some(b) = self.scaled.bound {
            let near = |at: usize| {
                let slack = b - self.distances[at];
                slack <= 0.0 || matters(slack, self.moved[at])
            };
            let list = (0..self.held.len()).filter(|at| !self.held[*at] && near(*at));
            let list = first(list.map(|at| (at, -self.distances[at])).collect(), limit);
            self.hold(&list, b);
        }
        let (mut out, mut paid) = (Vec::new(), Vec::new());
        for t in 0..self.places.len() {
            let r = self.residual(t);
            let (near, far) = (self.scaled.near[t] as usize, self.scaled.far[t] as usize);
            let matters = matters(r, self.moved[near] - self.moved[far]);
            match self.places[t] {
                Place::Out if r > 0.0 || matters => out.push((t, -r)),
                Place::Paid if r < 0.0 || matters => paid.push((t, r)),
                _ => {}
            }
        }
        let mut list = first(out, limit);
        list.extend(first(paid, limit));
        self.take_in(&list);
    }
}

/// The entries with the least keys, in their order; of equal ones the first.
fn first(mut list: Vec<(usize, f64)>, limit: usize) -> Vec<usize> {
    order::by(&mut list, &|a, b| a.1.total_cmp(&b.1).then(a.0.cmp(&b.0)));
    list.into_iter().take(limit).map(|(at, _)| at).collect()
}

fn median(mut values: Vec<f64>) -> f64 {
    if values.is_empty() {
        return 0.0;
    }
    let middle = values.len() / 2;
    *values.select_nth_unstable_by(middle, f64::total_cmp).1
}
