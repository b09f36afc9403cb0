//! Placing by judgements: a new point satisfies as many of its own comparisons as it can, the old points stay.

use ndarray::Array1;

use crate::error::Error;
use crate::evidence::{Comparisons, Pairs};
use crate::fit::Place;
use crate::geometry::{Embedding, Turn};
use crate::model::Parts;
use crate::model::likely::Answering;

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
    pub(super) points: Embedding,
    pub(super) scale: f64,
    pub(super) radii: Option<Array1<f64>>,
    pub(super) one_radius: bool,
    pub(super) answering: Option<Answering>,
}

impl Ordinal {
    /// The points of a map in its pose. A margin of 1 is 3 % of its mean squared distance.
    #[must_use]
    pub fn new(points: Embedding) -> Self {
        let scale = RELATIVE_MARGIN * points.mean_square();
        Ordinal { points, scale, radii: None, one_radius: false, answering: None }
    }
    /// The same, its fixed points turned.
    pub(crate) fn turned(self, turn: &Turn) -> Result<Self, Error> {
        Ok(Ordinal { points: self.points.turned(turn)?, ..self })
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
