//! Landmark MDS: classical scaling of a few objects, the rest by triangulation.

use crate::error::Error;
use crate::evidence::{DistanceRows, Distances};
use crate::fit::{Embed, Fit};
use crate::method::common::{self, DIM};
use crate::method::distances::landmark::{self, Base, CHOICE, Choice, FromLandmarks, LANDMARKS};
use crate::method::table::{Method, again, way};
use crate::model::{Landmarks, Shift};
use crate::report::FitReport;
use crate::solve::{Run, spectral};

/// Landmark multidimensional scaling.
///
/// Classical scaling of `m` landmarks, and every other object by triangulation from its distances to them:
/// `y = ½ Λ^-½ Vᵗ (means - δ²)`. With all objects as landmarks it is classical scaling. Never makes anything of size
/// n x n; [`fit_chunks`](LandmarkMds::fit_chunks) maps rows as they are read.
///
/// # Takes
/// [`Distances`], complete and exact, or [`DistanceRows`] from every object to the landmarks (which have rows too).
/// # Places
/// New objects from their distances to the landmarks, by the same formula: exact for old objects.
/// # Cost
/// `O(m³ + n m dim)` time, `O(m² + n dim)` memory beside the data.
/// # Reference
/// de Silva and Tenenbaum (2004); Platt (2005).
///
/// ```
/// use nearer::{Embed, method::LandmarkMds, toy};
/// # fn main() -> Result<(), nearer::Error> {
/// let d = toy::gaussian(500, 3, 0);
/// let fit = LandmarkMds::new(3).landmarks(20).fit(&d)?;
/// assert!((fit.embedding.distance(3, 400) - d.between(3, 400).unwrap()).abs() < 1e-6);
/// # Ok(()) }
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct LandmarkMds {
    dim: usize,
    landmarks: usize,
    choice: Choice,
}

pub(crate) static METHOD: Method = Method {
    name: "landmark-mds",
    aliases: &["lmds", "landmark"],
    summary: "classical scaling of some landmarks, all others by triangulation: a million objects in bounded memory",
    solves: "classical scaling of m landmarks; y = ½ Λ^-½ Vᵗ (means - δ²) for the rest",
    ways: &[way::<LandmarkMds, Distances>(), way::<LandmarkMds, DistanceRows>()],
    parameters: &[DIM, LANDMARKS, CHOICE],
    places: "triangulation from the landmarks; exact for old objects",
    cost: "O(m³ + n·m·dim) time for m landmarks; rows are streamed",
    reference: "de Silva & Tenenbaum 2004; Platt 2005",
    needs: landmark::needs,
    again: again::<LandmarkMds>,
};

landmark::setters!(LandmarkMds);
landmark::embeds!(LandmarkMds);

impl FromLandmarks for LandmarkMds {
    fn name(&self) -> &'static str {
        "landmark-mds"
    }
    fn dim(&self) -> usize {
        self.dim
    }
    fn landmarks(&self, d: &Distances, seed: u64) -> Vec<usize> {
        super::landmark::choose(d, self.landmarks.max(self.dim + 1), self.choice, seed)
    }
    fn base(&self, d: &Distances, run: &Run<'_>) -> Result<Base, Error> {
        let (n, whole) = (d.len(), d.len() <= spectral::WHOLE);
        let scaling = spectral::scale(n, d.condensed(), Shift::None, self.dim, whole, &run.clock())?;
        let mut report = FitReport::new("landmark-mds", n, self.dim, run.seed());
        report.became("landmarks", n);
        report.by(self);
        report.objective = scaling.strain(d.len(), d.condensed(), self.dim);
        report.objective_is = "strain |B - Y Yᵗ|² of the landmarks".into();
        common::warn_spectrum(&mut report, &scaling, self.dim);
        report.spectrum = Some(scaling.spectrum.clone());
        Ok(Base { model: common::landmarks(&scaling, d.objects(), self.dim), report })
    }
}
