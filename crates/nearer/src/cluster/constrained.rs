//! k-means that keeps every pair (Wagstaff et al. 2001): sets of must-links move together, and never into a group that holds what
//! they must not meet.

use ndarray::{Array2, Axis};
use nearer_num::kmeans;
use nearer_num::order;
use nearer_num::rng::Rng;
use nearer_num::vectors::square_distance;

use super::State;
use super::links::Links;
use crate::error::Error;
use crate::object::Objects;

/// The best of some starts; a start that finds no grouping is given up.
#[allow(clippy::too_many_arguments)]
pub(super) fn cop(
    x: &Array2<f64>,
    links: &Links,
    k: usize,
    starts: usize,
    rounds: usize,
    seed: u64,
    objects: &Objects,
    go_on: &mut dyn FnMut(usize, usize, f64) -> bool,
) -> Result<State, Error> {
    let sets = Sets::of(x, links);
    let mut best: Option<State> = None;
    let mut stuck = None;
    for start in 0..starts.max(1) {
        let mut rng = Rng::task(seed, start as u64);
        // Those that must not meet most others first: they are the hardest to place.
        let mut order = rng.permutation(sets.members.len());
        order::by_key(&mut order, &|s| std::cmp::Reverse(sets.foes[*s].len()));
        let mut centres = kmeans::plus_plus(x.view(), k, &mut rng);
        let (mut of, mut round, mut settled) = (vec![u32::MAX; sets.members.len()], 0, false);
        let placed = loop {
            let next = match sets.placed(&centres, &order) {
                Ok(next) => next,
                Err(set) => {
                    stuck = Some(set);
                    break false;
                }
            };
            settled = next == of;
            of = next;
            if settled || round == rounds {
                break true;
            }
            round += 1;
            let own = sets.spread(&of, x.nrows());
            let old = std::mem::replace(&mut centres, kmeans::means(x.view(), &own, k));
            // A group without objects keeps its centre.
            for c in (0..k).filter(|c| !own.contains(&(*c as u32))) {
                centres.row_mut(c).assign(&old.row(c));
            }
            if !go_on(start, round, sets.cost(x, &own, &centres)) {
                break true;
            }
        };
        if placed {
            let own = sets.spread(&of, x.nrows());
            let value = sets.cost(x, &own, &centres);
            if best.as_ref().is_none_or(|b| value < b.objective) {
                best = Some(State::round(own, centres, value, round, settled));
            }
        }
    }
    best.ok_or_else(|| {
        let who = stuck.and_then(|s| sets.members[s].first().copied()).map_or("some", |i| objects.labels()[i].as_str());
        Error::Evidence {
            what: format!("no grouping into {k} was found that keeps every pair: `{who}` may be in no group with the others where they are"),
            remedy: "give more groups or starts, take pairs out, or take mpck-means, which may break pairs at a cost".into(),
        }
    })
}

/// Objects that move together.
struct Sets {
    members: Vec<Vec<usize>>,
    means: Array2<f64>,
    /// The sets that each must not meet.
    foes: Vec<Vec<usize>>,
}

impl Sets {
    fn of(x: &Array2<f64>, links: &Links) -> Self {
        let members = links.members();
        let mut means = Array2::zeros((members.len(), x.ncols()));
        let mut foes = vec![Vec::new(); members.len()];
        for (s, own) in members.iter().enumerate() {
            means.row_mut(s).assign(&x.select(Axis(0), own).mean_axis(Axis(0)).expect("a set is not empty"));
            for (j, _) in own.iter().flat_map(|i| &links.cannot[*i]) {
                foes[s].push(links.set[*j as usize] as usize);
            }
            foes[s].sort_unstable();
            foes[s].dedup();
        }
        Sets { members, means, foes }
    }
    /// Each set in the nearest group that holds no foe; the set that finds none, where one does not.
    fn placed(&self, centres: &Array2<f64>, order: &[usize]) -> Result<Vec<u32>, usize> {
        let mut of = vec![u32::MAX; self.members.len()];
        for &s in order {
            let taken: Vec<u32> = self.foes[s].iter().map(|f| of[*f]).collect();
            let mean = self.means.row(s);
            let near = |c: &usize| {
                square_distance(mean.as_slice().expect("in rows"), centres.row(*c).as_slice().expect("in rows"))
            };
            let free = (0..centres.nrows()).filter(|c| !taken.contains(&(*c as u32)));
            of[s] = free.min_by(|a, b| near(a).total_cmp(&near(b))).ok_or(s)? as u32;
        }
        Ok(of)
    }
    fn spread(&self, of: &[u32], n: usize) -> Vec<u32> {
        let mut own = vec![0; n];
        for (members, group) in self.members.iter().zip(of) {
            members.iter().for_each(|i| own[*i] = *group);
        }
        own
    }
    fn cost(&self, x: &Array2<f64>, of: &[u32], centres: &Array2<f64>) -> f64 {
        let off = |i: usize| &x.row(i) - &centres.row(of[i] as usize);
        (0..x.nrows()).map(|i| off(i).dot(&off(i))).sum()
    }
}
