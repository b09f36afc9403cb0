//! Placing by judgements: a new point satisfies as many of its own comparisons as it can, the old points stay.

use std::collections::HashMap;

use ndarray::Array1;

use crate::error::Error;
use crate::evidence::{Comparisons, Pairs};
use crate::fit::{Place, place_rows};
use crate::geometry::{Ellipse, Embedding, Turn};
use crate::model::Parts;
use crate::model::hinge::{Hinge, Side, Term};
use crate::model::likely::{Answering, End, Likely};
use crate::object::{Item, Objects, Pair};
use crate::solve::likelihood::Answers;

/// A margin of 1 is this share of the mean squared distance of a map, unless said otherwise.
///
/// Measured as the error of held-out objects of planted maps, relative to the size of the map: with 500 triplets an object
/// in the plane 0.020, 0.016, 0.016, 0.031, 0.093 at shares 0, 0.01, 0.03, 0.1, 0.3; with 800 of which a tenth is wrong 0.158,
/// 0.151, 0.128, 0.082, 0.059. A margin steadies a place against wrong answers, and too large a one pushes it away.
const RELATIVE_MARGIN: f64 = 0.03;

/// Old points that stay fixed, for placing new objects by judgements.
///
/// From comparisons, the position `y` of a new object minimises `Σ w [margin · scale + d²(near) - d²(far)]₊` over its own
/// comparisons with old objects. Where both pairs hold the new object that is a half-space a comparison; where only one
/// does, it is the inside or the outside of a ball, and the outside is not convex: the descent starts from the best of
/// the old points and from between them, and the lowest end is kept. Nothing is random.
///
/// Where the map was made by a likelihood ([`answering`](Ordinal::answering)), the place is where the answers of the object are
/// likeliest under it, whole trials and a lapse of the usual rate included, and how sure it is is told.
///
/// From pairs, a similar old object is to be inside a ball and a dissimilar one outside. The ball of a new object has a
/// radius of its own (at each level), found with its place; the balls of old objects have those of the map, where it has radii
/// ([`with_radii`](Ordinal::with_radii)), else answers count as if asked from the new object.
///
/// ```
/// use nearer::evidence::{Comparison, Comparisons};
/// use nearer::model::Ordinal;
/// use nearer::{Embedding, Item, Objects, Pair, Place};
/// # fn main() -> Result<(), nearer::Error> {
/// let old = Embedding::new(Objects::new(["left", "middle", "right"])?, ndarray::array![[-1.0], [0.0], [1.0]])?;
/// let objects = Objects::new(["new", "left", "middle", "right"])?;
/// let pair = |a, b| Pair::new(Item(a), Item(b)).expect("two objects");
/// let rows = vec![Comparison::new(pair(0, 3), pair(0, 2)), Comparison::new(pair(0, 2), pair(0, 1))];
/// let placed = Ordinal::new(old).place(&Comparisons::new(objects, rows)?)?;
/// assert_eq!(placed.objects().labels(), ["new"]);
/// assert!(placed.point(0)[0] > 0.5);
/// # Ok(()) }
/// ```
#[derive(Debug, Clone)]
pub struct Ordinal {
    points: Embedding,
    scale: f64,
    radii: Option<Array1<f64>>,
    one_radius: bool,
    answering: Option<Answering>,
}

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
    /// The points of a map in its pose. A margin of 1 is 3 % of its mean squared distance.
    #[must_use]
    pub fn new(points: Embedding) -> Self {
        let scale = RELATIVE_MARGIN * points.mean_square();
        Ordinal { points, scale, radii: None, one_radius: false, answering: None }
    }
    /// The same, its fixed points turned.
    #[must_use]
    pub(crate) fn turned(mut self, turn: &Turn) -> Self {
        let points = turn.of(self.points.points());
        self.points = Embedding::new(self.points.objects().clone(), points).expect("a turn of finite points is finite");
        self
    }
    /// With this squared distance for a margin of 1; 0 leaves margins out.
    #[must_use]
    pub fn scaled(mut self, scale: f64) -> Self {
        self.scale = scale;
        self
    }
    /// With the scale at which margins of this size, the usual one of the evidence, are 3 % of the mean squared distance.
    #[must_use]
    pub fn with_usual_margin(self, margin: f64) -> Self {
        let scale = RELATIVE_MARGIN * self.points.mean_square() / if margin > 0.0 { margin } else { 1.0 };
        self.scaled(scale)
    }
    /// With the likelihood of answers: new objects are placed where theirs are likeliest, and how sure that is is told.
    ///
    /// # Fails
    /// [`Error::Evidence`] for a lapse that is no probability, or numbers that are not finite.
    pub fn answering(mut self, answering: Answering) -> Result<Self, Error> {
        if !answering.is_sound() {
            return Err(Error::Evidence {
                what: format!("{answering:?} is no likelihood"),
                remedy: "give a lapse from 0 to 1, and finite numbers".into(),
            });
        }
        self.answering = Some(answering);
        Ok(self)
    }
    /// With the squared radius of the ball of each old object: those like it lie inside. Of pairs in grades those of all
    /// objects at the first level, then at the next.
    pub fn with_radii(mut self, squared: Array1<f64>) -> Result<Self, Error> {
        let whole = squared.len().checked_rem(self.points.len()) == Some(0);
        if !whole || squared.is_empty() || squared.iter().any(|r| !r.is_finite()) {
            return Err(Error::Evidence {
                what: format!("{} radii for {} objects, or one that is no number", squared.len(), self.points.len()),
                remedy: "give one finite squared radius for each object and level".into(),
            });
        }
        self.radii = Some(squared);
        Ok(self)
    }
    /// With the radii of the old objects for new ones too: they are one, and no new object finds its own.
    #[must_use]
    pub fn with_one_radius(mut self) -> Self {
        self.one_radius = true;
        self
    }
    /// The same model with some objects forgotten, so that they can be placed as new ones.
    #[must_use]
    pub fn without(&self, labels: &[&str]) -> Self {
        let keep: Vec<usize> =
            (0..self.points.len()).filter(|&k| !labels.contains(&self.points.objects().labels()[k].as_str())).collect();
        let points = self.points.points().select(ndarray::Axis(0), &keep);
        Ordinal {
            points: Embedding::new(self.points.objects().subset(&keep), points).expect("rows of a map"),
            scale: self.scale,
            radii: self.radii.as_ref().map(|r| {
                let levels = r.len() / self.points.len().max(1);
                let kept = (0..levels).flat_map(|level| keep.iter().map(move |k| level * self.points.len() + k));
                r.select(ndarray::Axis(0), &kept.collect::<Vec<usize>>())
            }),
            one_radius: self.one_radius,
            answering: self.answering,
        }
    }
    /// The old points.
    #[must_use]
    pub fn points(&self) -> &Embedding {
        &self.points
    }
    /// The squared distance that a margin of 1 is.
    #[must_use]
    pub fn scale(&self) -> f64 {
        self.scale
    }
    /// The likelihood of answers, where the map was made by one.
    #[must_use]
    pub fn likelihood(&self) -> Option<Answering> {
        self.answering
    }
    /// The squared radii of the old objects, where the map has them.
    #[must_use]
    pub fn radii(&self) -> Option<&Array1<f64>> {
        self.radii.as_ref()
    }
    /// Dimensions of the map.
    #[must_use]
    pub fn dim(&self) -> usize {
        self.points.dim()
    }

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

    pub(crate) fn to_parts(&self) -> Parts {
        let mut parts = Parts::new("ordinal");
        parts.arrays.insert("points".into(), self.points.points().clone().into_dyn());
        parts.labels.insert("points".into(), self.points.objects().labels().to_vec());
        parts.settings.insert("scale".into(), serde_json::json!(self.scale));
        if let Some(answering) = &self.answering {
            parts.settings.insert("answering".into(), serde_json::json!(answering));
        }
        if let Some(radii) = &self.radii {
            parts.arrays.insert("radii".into(), radii.clone().into_dyn());
        }
        if self.one_radius {
            parts.settings.insert("one_radius".into(), serde_json::json!(true));
        }
        parts
    }
    pub(crate) fn from_parts(parts: &Parts) -> Result<Self, Error> {
        let points = Embedding::new(parts.objects("points")?, parts.matrix("points")?)?;
        let scale: f64 = parts.setting("scale")?;
        let radii = if parts.arrays.contains_key("radii") { Some(parts.vector("radii")?) } else { None };
        let whole = |r: &Array1<f64>| !r.is_empty() && r.len().checked_rem(points.len()) == Some(0);
        if !(scale.is_finite() && scale >= 0.0) || radii.as_ref().is_some_and(|r| !whole(r)) {
            return Err(parts.defect("its arrays and settings do not fit together"));
        }
        let answering: Option<Answering> =
            parts.settings.contains_key("answering").then(|| parts.setting("answering")).transpose()?;
        if answering.is_some_and(|a| !a.is_sound()) {
            return Err(parts.defect("its likelihood is none"));
        }
        let one_radius = parts.settings.contains_key("one_radius") && parts.setting::<bool>("one_radius")?;
        Ok(Ordinal { points, scale, radii, one_radius, answering })
    }
}

impl Place<Comparisons> for Ordinal {
    fn place(&self, query: &Comparisons) -> Result<Embedding, Error> {
        Ok(self.place_by_comparisons(query)?.embedding)
    }
}

impl Place<Pairs> for Ordinal {
    fn place(&self, query: &Pairs) -> Result<Embedding, Error> {
        Ok(self.place_by_pairs(query)?.embedding)
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
