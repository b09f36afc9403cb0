//! New objects on a map by their own judgements with old ones, and how sure their places are.

use std::collections::HashMap;

use crate::error::Error;
use crate::evidence::{Comparisons, Pairs};
use crate::fit::place_rows;
use crate::geometry::{Ellipse, Embedding};
use crate::model::hinge::{Hinge, Side, Term};
use crate::model::likely::{Answering, End, Likely};
use crate::model::ordinal::Ordinal;
use crate::object::{Item, Objects, Pair};
use crate::solve::likelihood::Answers;

/// New objects on a map, and what a reader should know about it.
#[derive(Debug, Clone)]
pub struct PlacedByJudgements {
    /// The coordinates of the new objects.
    pub embedding: Embedding,
    /// For each of them how many judgements it was placed by.
    pub used: Vec<usize>,
    /// For each of them how many of those do not hold at its place.
    pub violated: Vec<usize>,
    /// Whether another place, well apart, is as good.
    pub ambiguous: Vec<bool>,
    /// For each of them how sure its place is, by the likelihood of the map.
    pub sureness: Vec<Sureness>,
    /// Judgements that involve two or more new objects, which say nothing about one of them alone.
    pub between_new: usize,
    /// Judgements of old objects only.
    pub between_old: usize,
}

/// How sure the place of a new object is.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub enum Sureness {
    /// The map was made without a likelihood.
    Unknown,
    /// Its answers leave the place as wide open as the map.
    Undetermined,
    /// In this ellipse of the first two axes, with a probability of 95 %.
    Within(Ellipse),
    /// On a line, with this standard deviation.
    OnLine {
        /// In units of the map.
        deviation: f64,
    },
}

/// The probability of the ellipses.
const LEVEL: f64 = 0.95;

impl Ordinal {
    /// Places the objects of a query that are not on the map, each by its own comparisons with old ones.
    pub fn place_by_comparisons(&self, query: &Comparisons) -> Result<PlacedByJudgements, Error> {
        let join = Join::new(&self.points, query.objects());
        let mut terms: Vec<Vec<Term>> = vec![Vec::new(); join.new.len()];
        let mut rows: Vec<Vec<usize>> = vec![Vec::new(); join.new.len()];
        let (mut between_new, mut between_old) = (0, 0);
        for (k, row) in query.iter().enumerate() {
            let ends = [row.near.first(), row.near.second(), row.far.first(), row.far.second()];
            let mut new: Vec<Item> = ends.into_iter().filter(|i| join.old(*i).is_none()).collect();
            new.dedup();
            // A triplet about a new object names it in both pairs.
            match new.as_slice() {
                [] => between_old += 1,
                [one, rest @ ..] if rest.iter().all(|i| i == one) => {
                    let side = |p: Pair| self.side(&join, p);
                    let (near, far) = (side(row.near), side(row.far));
                    rows[join.number(*one)].push(k);
                    terms[join.number(*one)].push(Term { near, far, weight: row.weight, gap: row.margin * self.scale });
                }
                _ => between_new += 1,
            }
        }
        let mut placed = self.descend(&join, &terms, "comparison", "compare it with two or more old objects")?;
        if let Some(answering) = self.answering {
            self.likeliest(&mut placed, answering, query, &join, &rows)?;
        }
        Ok(PlacedByJudgements { between_new, between_old, ..placed })
    }

    /// Places the objects of a query that are not on the map, each by what is said to be like and unlike it.
    pub fn place_by_pairs(&self, query: &Pairs) -> Result<PlacedByJudgements, Error> {
        let join = Join::new(&self.points, query.objects());
        let mut terms: Vec<Vec<Term>> = vec![Vec::new(); join.new.len()];
        let (mut between_new, mut between_old) = (0, 0);
        for row in query.iter() {
            let (new, ball, distance) = match (join.old(row.from), join.old(row.to)) {
                (Some(_), Some(_)) => {
                    between_old += 1;
                    continue;
                }
                (None, None) => {
                    between_new += 1;
                    continue;
                }
                (None, Some(k)) => (row.from, self.own(row.level), Side::To(k)),
                (Some(k), None) => (row.to, self.ball(k, row.level), Side::To(k)),
            };
            let (near, far) = if row.similar { (distance, ball) } else { (ball, distance) };
            terms[join.number(new)].push(Term { near, far, weight: row.weight, gap: self.scale });
        }
        let placed = self.descend(&join, &terms, "answer about it and", "say which old objects are like it")?;
        Ok(PlacedByJudgements { between_new, between_old, ..placed })
    }

    /// The ball of an old object at a level, where the map has it.
    fn ball(&self, old: usize, level: u16) -> Side {
        let at = usize::from(level) * self.points.len() + old;
        self.radii.as_ref().and_then(|r| r.get(at)).map_or(Side::Radius(level), |r| Side::Fixed(*r))
    }

    /// The ball of a new object: its own, or that of everybody.
    fn own(&self, level: u16) -> Side {
        if self.one_radius && !self.points.is_empty() { self.ball(0, level) } else { Side::Radius(level) }
    }

    /// Moves each new object to where its answers are likeliest.
    fn likeliest(
        &self,
        placed: &mut PlacedByJudgements,
        answering: Answering,
        query: &Comparisons,
        join: &Join<'_>,
        rows: &[Vec<usize>],
    ) -> Result<(), Error> {
        let (dim, size) = (self.dim(), self.points.mean_square().max(f64::MIN_POSITIVE));
        let old: Vec<usize> = (0..query.objects().len()).filter(|&k| join.old[k].is_some()).collect();
        let at = |k: usize| join.old[k].map_or_else(|| vec![0.0; dim], |o| self.points.point(o).to_vec());
        let points: Vec<f64> = (0..query.objects().len()).flat_map(at).collect();
        let ends = nearer_num::par::map(rows.len(), |k| {
            let answers = Answers::of(&query.subset(&rows[k]));
            let own = join.new[k];
            Likely { choices: &answers.choices, points: &points, dim, own, old: &old, answering, size }.maximise()
        });
        let objects = placed.embedding.objects().clone();
        placed.embedding = place_rows(&objects, dim, |k| Ok(ends[k].place.clone()))?;
        placed.ambiguous = ends.iter().map(|e| e.ambiguous).collect();
        let sure = |e: &End| match &e.covariance {
            None => Sureness::Undetermined,
            Some(c) if dim > 1 => Sureness::Within(Ellipse::of_covariance(
                [e.place[0], e.place[1]],
                [c[(0, 0)], c[(1, 1)], c[(0, 1)]],
                LEVEL,
            )),
            Some(c) => Sureness::OnLine { deviation: c[(0, 0)].sqrt() },
        };
        placed.sureness = ends.iter().map(sure).collect();
        let d = |map: &Embedding, k: usize, p: Pair| {
            let place = |i: Item| match join.old(i) {
                Some(o) => self.points.point(o).to_vec(),
                None => map.point(k).to_vec(),
            };
            place(p.first()).iter().zip(place(p.second())).map(|(a, b)| (a - b).powi(2)).sum::<f64>()
        };
        for (k, rows) in rows.iter().enumerate() {
            let broken = |r: &&usize| {
                let row = &query.rows()[**r];
                d(&placed.embedding, k, row.near) >= d(&placed.embedding, k, row.far)
            };
            placed.violated[k] = rows.iter().filter(broken).count();
        }
        Ok(())
    }

    fn side(&self, join: &Join<'_>, p: Pair) -> Side {
        match (join.old(p.first()), join.old(p.second())) {
            (Some(a), Some(b)) => Side::Fixed(self.points.distance(a, b).powi(2)),
            (Some(k), None) | (None, Some(k)) => Side::To(k),
            (None, None) => unreachable!("a pair holds two objects, and one of them is old"),
        }
    }

    fn descend(
        &self,
        join: &Join<'_>,
        terms: &[Vec<Term>],
        what: &str,
        remedy: &str,
    ) -> Result<PlacedByJudgements, Error> {
        let objects = join.query.subset(&join.new);
        if objects.is_empty() {
            return Err(Error::Evidence {
                what: format!("all {} objects are on the map already", join.query.len()),
                remedy: "there is nothing to place; give judgements about a new object".into(),
            });
        }
        let size = self.points.mean_square().max(f64::MIN_POSITIVE);
        let ends = nearer_num::par::map(objects.len(), |k| {
            if terms[k].is_empty() {
                return Err(Error::Evidence {
                    what: format!("`{}` has no {what} with old objects alone", objects.labels()[k]),
                    remedy: format!("{remedy}; the labels must be those of the map").into(),
                });
            }
            Ok(Hinge::new(self.points.points(), &terms[k], size).minimise())
        });
        let ends = ends.into_iter().collect::<Result<Vec<_>, _>>()?;
        Ok(PlacedByJudgements {
            embedding: place_rows(&objects, self.dim(), |k| Ok(ends[k].place.clone()))?,
            used: terms.iter().map(Vec::len).collect(),
            violated: ends.iter().map(|e| e.violated).collect(),
            ambiguous: ends.iter().map(|e| e.ambiguous).collect(),
            sureness: vec![Sureness::Unknown; objects.len()],
            between_new: 0,
            between_old: 0,
        })
    }
}

/// The objects of a query beside those of a map.
struct Join<'a> {
    query: &'a Objects,
    /// For each object of the query its number on the map.
    old: Vec<Option<usize>>,
    /// Those without one.
    new: Vec<usize>,
    number: HashMap<usize, usize>,
}

impl<'a> Join<'a> {
    fn new(map: &Embedding, query: &'a Objects) -> Self {
        let index = map.objects().index();
        let old: Vec<Option<usize>> =
            query.labels().iter().map(|l| index.get(l.as_str()).map(|item| item.index())).collect();
        let new: Vec<usize> = (0..old.len()).filter(|&k| old[k].is_none()).collect();
        let number = new.iter().copied().zip(0..).collect();
        Join { query, old, new, number }
    }
    fn old(&self, item: Item) -> Option<usize> {
        self.old[item.index()]
    }
    fn number(&self, item: Item) -> usize {
        self.number[&item.index()]
    }
}
