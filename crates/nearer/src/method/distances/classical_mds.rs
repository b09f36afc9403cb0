//! Classical scaling, also called principal coordinates.

use crate::error::{Error, Remedy};
use crate::evidence::Distances;
use crate::fit::{Embed, Fit};
use crate::geometry::Embedding;
use crate::method::common::{self, DIM};
use crate::method::cost::Needs;
use crate::method::distances::order;
use crate::method::table::{Method, Parameter, again, way};
use crate::model::{Landmarks, Shift};
use crate::report::{FitReport, Input};
use crate::settings::{configured, settable, words};
use crate::solve::{Run, spectral};

/// Classical multidimensional scaling (principal coordinates analysis).
///
/// Centres the squared distances, `B = -½ H D² H` with `H = I - 11ᵗ/n`, and takes `Y = V Λ^½` from the eigenvectors of
/// the largest eigenvalues: the map that minimises the strain `|B - Y Yᵗ|²`. Exact for Euclidean distances; negative
/// eigenvalues say how far from Euclidean the data are, and a [`Correction`] can remove them.
///
/// # Takes
/// [`Distances`], complete and exact.
/// # Places
/// New objects by the Nyström extension (Gower 1968): a training object comes back to its own place exactly.
/// # Cost
/// One pass over the `n(n-1)/2` distances for each Lanczos step, usually ten to thirty; memory `O(n)` beside the data.
/// The whole spectrum (default up to 100 objects) takes `O(n³)` time and three `n x n` matrices.
/// # Reference
/// Torgerson (1952); Gower (1966); Lingoes (1971) and Cailliez (1983) for the corrections.
///
/// ```
/// use nearer::{Embed, method::{ClassicalMds, Correction}, toy};
/// # fn main() -> Result<(), nearer::Error> {
/// let fit = ClassicalMds::new(2).fit(&toy::cities())?;
/// let spectrum = fit.report.spectrum.as_ref().unwrap();
/// assert_eq!(spectrum.negative, Some(9));             // roads are not straight lines
/// let (first, _) = spectrum.goodness(2).unwrap();
/// assert!((first - 0.7538).abs() < 5e-5);             // R's cmdscale says the same
/// let corrected = ClassicalMds::new(2).correction(Correction::Lingoes).fit(&toy::cities())?;
/// assert_eq!(corrected.report.spectrum.unwrap().negative, Some(0));
/// # Ok(()) }
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct ClassicalMds {
    dim: usize,
    correction: Correction,
    eigenspace: Eigenspace,
    whole: Whole,
}

/// What to do about negative eigenvalues.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Correction {
    /// Leave them, and report them.
    None,
    /// Add the same number to every squared distance, the least that makes them Euclidean: `δ² + 2c`.
    Lingoes,
    /// Add the same number to every distance, the least that makes them Euclidean: `δ + c`.
    Cailliez,
}

/// Which end of the spectrum to map.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Eigenspace {
    /// The largest eigenvalues: the map.
    Positive,
    /// The most negative ones: what of the data no Euclidean map can show (Laub and Müller 2004).
    Negative,
}

/// Whether to compute every eigenvalue.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Whole {
    /// Up to 100 objects.
    Auto,
    /// Always.
    Full,
    /// Never: the leading ones alone.
    Leading,
}

words!(Correction { "none" => Correction::None, "lingoes" => Correction::Lingoes, "cailliez" => Correction::Cailliez });
words!(Eigenspace { "positive" => Eigenspace::Positive, "negative" => Eigenspace::Negative });
words!(Whole { "auto" => Whole::Auto, "full" => Whole::Full, "leading" => Whole::Leading });
configured!(ClassicalMds { dim: "dim", correction: "correction", eigenspace: "eigenspace", whole: "spectrum" });

pub(crate) static METHOD: Method = Method {
    name: "classical-mds",
    aliases: &["cmds", "pcoa", "cmdscale", "torgerson", "principal-coordinates"],
    summary: "classical scaling (principal coordinates): exact for Euclidean distances, with R's corrections and goodness of fit",
    solves: "min |B - Y Yᵗ|², B = -½ H D² H",
    ways: &[way::<ClassicalMds, Distances>()],
    parameters: &[
        DIM,
        Parameter::choice::<Correction>("correction", "none").says(
            "additive constant that removes negative eigenvalues: none, on squares (lingoes), on distances (cailliez)",
        ),
        Parameter::choice::<Eigenspace>("eigenspace", "positive").says("negative maps what no Euclidean map can show"),
        Parameter::choice::<Whole>("spectrum", "auto")
            .says("every eigenvalue, or the leading ones; auto: every one up to 100 objects"),
    ],
    places: "Nyström extension of the eigenvectors; exact for old objects",
    cost: "O(n²) time per Lanczos step, the distances as only memory; O(n³) for the whole spectrum",
    reference: "Torgerson 1952; Gower 1966, 1968; Lingoes 1971; Cailliez 1983",
    needs: |s, settings| {
        // The whole spectrum is that of a dense matrix, its leading part some thirty passes over the triangle.
        let n = s.n();
        let whole = settings.word("spectrum") == Some("full")
            || (settings.word("spectrum") == Some("auto") && s.objects <= spectral::WHOLE);
        let (seconds, squares) = if whole { (4e-10 * n.powi(3), 24.0 * n * n) } else { (0.0, 0.0) };
        Needs::new(seconds + 2.7e-8 * n * n, s.triangle() + squares + 1600.0 * n)
    },
    again: again::<ClassicalMds>,
};

impl ClassicalMds {
    /// A map of `dim` dimensions, without correction.
    #[must_use]
    pub fn new(dim: usize) -> Self {
        ClassicalMds { dim, correction: Correction::None, eigenspace: Eigenspace::Positive, whole: Whole::Auto }
    }
    settable! {
        /// With a correction for negative eigenvalues.
        correction: Correction,
        /// Of one end of the spectrum.
        eigenspace: Eigenspace,
        /// With every eigenvalue, or not.
        spectrum: Whole => whole,
    }
}

impl Embed<&Distances> for ClassicalMds {
    type Model = Landmarks;
    fn fit_with(&self, d: &Distances, run: &Run<'_>) -> Result<Fit<Landmarks>, Error> {
        order::by_label(d, run, |d| self.in_order(d, run))
    }
}

impl ClassicalMds {
    fn in_order(&self, d: &Distances, run: &Run<'_>) -> Result<Fit<Landmarks>, Error> {
        common::require(d, self.dim, "classical-mds")?;
        d.require_complete("classical-mds")?;
        let full = self.whole == Whole::Full || (self.whole == Whole::Auto && d.len() <= spectral::WHOLE);
        if full {
            let square = 8 * (d.len() as u64).pow(2);
            run.afford(
                "the whole spectrum",
                d.memory() + 3 * square,
                Remedy::from("ask for the leading eigenvalues with ").setting("spectrum", "leading"),
            )?;
        }
        run.install(|| self.scale(d, full, run))
    }

    fn scale(&self, d: &Distances, full: bool, run: &Run<'_>) -> Result<Fit<Landmarks>, Error> {
        let (n, values, clock) = (d.len(), d.condensed(), run.clock());
        let shift = match self.correction {
            Correction::None => Shift::None,
            Correction::Lingoes => common::lingoes(n, values, &clock)?,
            Correction::Cailliez => common::cailliez(n, values, &clock)?,
        };
        let scaling = match self.eigenspace {
            Eigenspace::Positive => spectral::scale(n, values, shift, self.dim, full, &clock)?,
            Eigenspace::Negative => spectral::scale_negative(n, values, shift, self.dim, &clock)?,
        };
        let embedding = Embedding::new(d.objects().clone(), scaling.points(self.dim))?;
        let (embedding, pose) = common::posed(embedding)?;
        let model = common::landmarks(&scaling, d.objects(), self.dim).posed(&pose);

        let mut report = FitReport::new("classical-mds", n, self.dim, run.seed());
        report.became("spectrum", if full { "full" } else { "leading" });
        report.by(self);
        report.input = Input::from(d);
        report.objective = scaling.strain(n, values, self.dim);
        report.objective_is = "strain |B - Y Yᵗ|², B the centred squared distances".into();
        report.stress1 = Some(common::stress1(&embedding, d));
        report.stop = scaling.stop;
        common::warn_spectrum(&mut report, &scaling, self.dim);
        if let Shift::Squared(c) | Shift::Plain(c) = shift {
            report = report.figure("constant", c);
        }
        report.spectrum = Some(scaling.spectrum);
        Ok(Fit::new(embedding, model, report))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::toy;

    #[test]
    fn euclidean_distances_come_back_exactly() {
        let d = toy::gaussian(30, 3, 1);
        for whole in [Whole::Full, Whole::Leading] {
            let fit = ClassicalMds::new(3).spectrum(whole).fit(&d).unwrap();
            for i in 0..30 {
                for j in 0..i {
                    assert!((fit.embedding.distance(i, j) - d.between(i, j).unwrap()).abs() < 1e-9);
                }
            }
            assert!(fit.report.objective.abs() < 1e-7 && fit.report.stress1.unwrap() < 1e-7);
        }
    }

    #[test]
    fn the_partial_and_the_whole_spectrum_agree() {
        let d = toy::noisy(120, 10, 0.05, 2);
        let full = ClassicalMds::new(2).spectrum(Whole::Full).fit(&d).unwrap();
        let lead = ClassicalMds::new(2).spectrum(Whole::Leading).fit(&d).unwrap();
        assert!((full.embedding.points() - lead.embedding.points()).iter().all(|e| e.abs() < 1e-7));
        let (a, b) = (full.report.spectrum.unwrap(), lead.report.spectrum.unwrap());
        assert!(
            (a.trace - b.trace).abs() < 1e-8 * a.trace && (a.eigenvalues[1] - b.eigenvalues[1]).abs() < 1e-8 * a.trace
        );
        assert!((full.report.objective - lead.report.objective).abs() < 1e-8 * full.report.objective);
    }

    #[test]
    fn the_negative_eigenspace_is_what_the_map_cannot_show() {
        let d = toy::cities();
        let fit = ClassicalMds::new(1).eigenspace(Eigenspace::Negative).fit(&d).unwrap();
        let least = ClassicalMds::new(1).fit(&d).unwrap().report.spectrum.unwrap().least.unwrap();
        let square: f64 = fit.embedding.points().iter().map(|v| v * v).sum();
        assert!((square + least).abs() < 1e-6 * square, "{square} {least}");
    }
}
