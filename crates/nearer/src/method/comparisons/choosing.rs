//! Link and precision by what they predict: a fifth of the answers is held out, and their likelihood decides.

use nearer_num::par;
use nearer_num::rng::Rng;

use crate::error::Error;
use crate::method::comparisons::choice::ChoiceLink;
use crate::report::{Tried, Tuning};
use crate::settings::{Settings, Typed as _};
use crate::solve::likelihood::{Answers, Lapsing, Opening, Rates, Turns};
use crate::solve::{Clock, Run};

/// What may be chosen among.
#[derive(Clone, Copy)]
pub(super) struct Choosing<'a> {
    pub answers: &'a Answers,
    /// Objects and dimensions.
    pub shape: (usize, usize),
    /// Given, or to be chosen.
    pub link: Option<ChoiceLink>,
    pub precision: Option<f64>,
    pub by: Lapsing,
}

/// What was chosen, and by which figures.
pub(super) struct Chosen {
    pub link: ChoiceLink,
    pub precision: f64,
    pub tuning: Option<Tuning>,
}

/// So many answers are looked at, of which a fifth is held out: once, or of fewer answers several fifths in turn.
const LOOKED_AT: usize = 50_000;
const HELD_OUT: usize = 5;
/// Fewer answers cannot tell links apart, and are left to themselves as far as a map has a size.
const FEWEST: usize = 60;
const OF_FEW: f64 = 0.005;
/// The links are compared at the middle precision; then the precisions, each from the map of the one before.
const MIDDLE: f64 = 0.1;
const STRONGER: &[f64] = &[0.5];
const WEAKER: &[f64] = &[0.02, 0.002, 0.0];
/// A line has one coordinate an object, which its answers settle: a prior would only bend the scale.
const ON_LINE: f64 = 0.002;
/// Turns of a map and its lapses, and steps a turn.
const OF_LINKS: (usize, usize) = (4, 30);
const OF_PRECISIONS: (usize, usize) = (2, 30);
/// The random stream of the split and the starts.
const STREAM: u64 = 0x0c01_ce00;

impl Choosing<'_> {
    /// Both as they are given, or as they predict best.
    pub(super) fn choose(&self, run: &Run<'_>) -> Result<Chosen, Error> {
        let few = self.answers.choices.len() < FEWEST;
        if few || (self.link.is_some() && self.precision.is_some()) {
            let (link, precision) = (self.link.unwrap_or(ChoiceLink::Distance), self.precision.unwrap_or(OF_FEW));
            return Ok(Chosen { link, precision, tuning: None });
        }
        let mut rng = Rng::task(run.seed() ^ STREAM, 0);
        let folds = self.folds(&mut rng);
        let openings: Vec<Opening<'_>> =
            folds.iter().map(|(_, kept)| Opening::new(kept, self.shape, run.clock())).collect();
        let start = |(opening, (_, kept)): (&Opening<'_>, &(Answers, Answers))| {
            Ok((opening.start(0, MIDDLE, &mut rng)?, Rates::first(self.by, kept)))
        };
        let starts = openings.iter().zip(&folds).map(start).collect::<Result<Vec<_>, Error>>()?;
        let mut looks =
            Looks { choosing: self, folds: &folds, openings: &openings, clock: run.clock(), seen: Vec::new() };
        let (usual, ways) = if self.shape.1 == 1 { (ON_LINE, [&[][..], &[0.0]]) } else { (MIDDLE, [STRONGER, WEAKER]) };
        let middle = self.precision.unwrap_or(usual);
        for link in self.link.map_or_else(|| ChoiceLink::ALL.to_vec(), |link| vec![link]) {
            looks.look(link, middle, starts.clone(), OF_LINKS);
        }
        let link = looks.best();
        if self.precision.is_none() {
            for way in ways {
                let mut last = link;
                for precision in way {
                    let Look { link, ends, .. } = &looks.seen[last];
                    last = looks.look(*link, *precision, ends.clone(), OF_PRECISIONS);
                }
            }
        }
        let taken = looks.best();
        let tried = looks.seen.iter().map(Look::told).collect();
        let score_is = "mean log-likelihood of answers held out, a fifth of all at a time".into();
        let Look { link, precision, .. } = looks.seen[taken];
        Ok(Chosen { link, precision, tuning: Some(Tuning { score_is, tried, taken }) })
    }

    /// Answers to look at, all that is known of some objects, not a little of each: a prior helps thin answers and spoils dense
    /// ones.
    fn dense(&self, rng: &mut Rng) -> Vec<usize> {
        let (choices, rank) = (&self.answers.choices, rng.permutation(self.shape.0));
        let last = |t: usize| choices.points(t).map(|p| rank[p as usize]).max().unwrap_or(0);
        let mut upto = vec![0; self.shape.0];
        (0..choices.len()).for_each(|t| upto[last(t)] += 1);
        let mut sum = 0;
        let enough = upto.iter().position(|count| {
            sum += count;
            sum >= LOOKED_AT
        });
        let within = enough.unwrap_or(self.shape.0);
        let list: Vec<usize> = (0..choices.len()).filter(|t| last(*t) <= within).collect();
        let order = rng.permutation(list.len());
        order.into_iter().take(LOOKED_AT).map(|k| list[k]).collect()
    }

    /// What is held out and what is kept; the same in any number of dimensions.
    pub(super) fn parts(&self, run: &Run<'_>) -> Vec<(Answers, Answers)> {
        self.folds(&mut Rng::task(run.seed() ^ STREAM, 0))
    }

    /// What is held out and what is kept.
    fn folds(&self, rng: &mut Rng) -> Vec<(Answers, Answers)> {
        let count = self.answers.choices.len();
        let order = if count > LOOKED_AT { self.dense(rng) } else { rng.permutation(count) };
        let fold = |k: usize| {
            let held = k * order.len() / HELD_OUT..(k + 1) * order.len() / HELD_OUT;
            let mut sides = [order[held.clone()].to_vec(), [&order[..held.start], &order[held.end..]].concat()];
            // In the order of the evidence again: memory is read forwards.
            sides.iter_mut().for_each(|side| side.sort_unstable());
            (self.answers.subset(&sides[0]), self.answers.subset(&sides[1]))
        };
        (0..(LOOKED_AT / order.len()).clamp(1, HELD_OUT)).map(fold).collect()
    }
}

/// Fits of most answers, and what they say of the others.
struct Looks<'a> {
    choosing: &'a Choosing<'a>,
    folds: &'a [(Answers, Answers)],
    openings: &'a [Opening<'a>],
    clock: Clock<'a>,
    seen: Vec<Look>,
}

/// A setting that was tried: for each fold where it ended and what it came to.
struct Look {
    link: ChoiceLink,
    precision: f64,
    ends: Vec<(Vec<f64>, Rates)>,
    scores: Vec<f64>,
}

impl Looks<'_> {
    /// Fits from a map and rates for each fold; gives the number of the look.
    fn look(
        &mut self,
        link: ChoiceLink,
        precision: f64,
        from: Vec<(Vec<f64>, Rates)>,
        length: (usize, usize),
    ) -> usize {
        let one = |k: usize| {
            let (held, kept) = &self.folds[k];
            let turns = Turns {
                answers: kept,
                link: link.of(self.choosing.shape.1),
                precision,
                by: self.choosing.by,
                opening: &self.openings[k],
            };
            let (end, rates) = turns.take(from[k].clone(), length, &self.clock);
            let score = turns.score(&end.at, &rates, held);
            ((end.at, rates), score)
        };
        let (ends, scores) = par::map(self.folds.len(), one).into_iter().unzip();
        self.seen.push(Look { link, precision, ends, scores });
        self.seen.len() - 1
    }
    /// The first of those that predict best.
    fn best(&self) -> usize {
        let better = |best: usize, k: usize| if self.seen[k].score() > self.seen[best].score() { k } else { best };
        (0..self.seen.len()).fold(0, better)
    }
}

impl Look {
    fn score(&self) -> f64 {
        self.scores.iter().sum::<f64>() / self.scores.len() as f64
    }
    fn told(&self) -> Tried {
        let settings = Settings::default().with("link", Some(self.link).value()).with("precision", self.precision);
        let folds = if self.scores.len() > 1 { self.scores.clone() } else { Vec::new() };
        Tried { settings, score: self.score(), folds }
    }
}
