//! Constant-shift embedding: one number added to every squared distance makes them Euclidean and keeps their order.

use crate::error::Error;
use crate::evidence::Distances;
use crate::fit::{Embed, Fit};
use crate::geometry::Embedding;
use crate::method::common::{self, DIM, spectrum};
use crate::method::cost::Needs;
use crate::method::distances::order;
use crate::method::table::{Method, again, way};
use crate::model::Landmarks;
use crate::report::{FitReport, Input};
use crate::settings::configured;
use crate::solve::{Run, spectral};

/// Constant-shift embedding.
///
/// Shifts the spectrum of `B = -½ H D² H` by its least eigenvalue, `B - λ_min H`, and scales what is then positive
/// semidefinite: all squared distances between different objects grow by `-2 λ_min`, so in `n - 1` dimensions the order
/// of all distances is kept exactly (adding `I` in place of `H`, as is sometimes printed, adds an axis that means
/// nothing). In few dimensions it is classical scaling with the Lingoes correction.
///
/// # Takes
/// [`Distances`], complete and exact.
/// # Places
/// New objects by the Nyström extension, their squared distances shifted alike: exact for old objects.
/// # Cost
/// Two partial eigenproblems, `O(n²)` a step; memory `O(n)` beside the data.
/// # Reference
/// Roth, Laub, Kawanabe and Buhmann (2003).
///
/// ```
/// use nearer::{Embed, method::ConstantShift, toy};
/// # fn main() -> Result<(), nearer::Error> {
/// let fit = ConstantShift::new(20).fit(&toy::cities())?;
/// let shift: f64 = fit.report.figures["constant"].number().unwrap();
/// let lisbon_athens = fit.embedding.distance(0, 11).powi(2);
/// assert!((lisbon_athens - (4532f64.powi(2) + shift)).abs() < 1e-6 * lisbon_athens);
/// # Ok(()) }
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct ConstantShift {
    dim: usize,
}

configured!(ConstantShift { dim: "dim" });

pub(crate) static METHOD: Method = Method {
    name: "constant-shift",
    aliases: &["cse"],
    summary: "adds one number to all squared distances so that they become Euclidean; keeps their order",
    solves: "B - λ_min(B) H, then classical scaling",
    ways: &[way::<ConstantShift, Distances>()],
    parameters: &[DIM],
    places: "Nyström extension with the same shift; exact for old objects",
    cost: "O(n²) time per Lanczos step, the distances as only memory",
    reference: "Roth, Laub, Kawanabe & Buhmann 2003",
    needs: |s, _| Needs::new(6e-8 * s.n().powi(2) + spectrum(s.n()), s.triangle() + 1600.0 * s.n()),
    again: again::<ConstantShift>,
};

impl ConstantShift {
    /// A map of `dim` dimensions.
    #[must_use]
    pub fn new(dim: usize) -> Self {
        ConstantShift { dim }
    }
}

impl Embed<&Distances> for ConstantShift {
    type Model = Landmarks;
    fn fit_with(&self, d: &Distances, run: &Run<'_>) -> Result<Fit<Landmarks>, Error> {
        order::by_label(d, run, |d| self.in_order(d, run))
    }
}

impl ConstantShift {
    fn in_order(&self, d: &Distances, run: &Run<'_>) -> Result<Fit<Landmarks>, Error> {
        common::require(d, self.dim, "constant-shift")?;
        d.require_complete("constant-shift")?;
        run.install(|| {
            let clock = run.clock();
            let shift = common::lingoes(d.len(), d.condensed(), &clock)?;
            let scaling = spectral::scale(d.len(), d.condensed(), shift, self.dim, d.len() <= spectral::WHOLE, &clock)?;
            let (embedding, pose) = common::posed(Embedding::new(d.objects().clone(), scaling.points(self.dim))?)?;
            let model = common::landmarks(&scaling, d.objects(), self.dim).posed(&pose);
            let mut report =
                FitReport::new("constant-shift", d.len(), self.dim, run.seed()).figure("constant", shift.constant());
            report.by(self);
            report.input = Input::from(d);
            report.objective = scaling.strain(d.len(), d.condensed(), self.dim);
            report.objective_is = "strain |B - Y Yᵗ|² of the shifted distances".into();
            report.stress1 = Some(common::stress1(&embedding, d));
            report.stop = scaling.stop;
            common::warn_spectrum(&mut report, &scaling, self.dim);
            report.spectrum = Some(scaling.spectrum);
            Ok(Fit::new(embedding, model, report))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::toy;
    use proptest::prelude::*;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(20))]
        #[test]
        fn the_order_of_all_distances_is_kept(seed in 0u64..1000) {
            let d = toy::noisy(9, 2, 0.4, seed);
            let fit = ConstantShift::new(8).fit(&d).unwrap();
            let pairs: Vec<(f64, f64)> = (0..9)
                .flat_map(|i| (0..i).map(move |j| (i, j)))
                .map(|(i, j)| (d.between(i, j).unwrap(), fit.embedding.distance(i, j)))
                .collect();
            for a in &pairs {
                for b in &pairs {
                    prop_assert!(a.0 >= b.0 - 1e-6 || a.1 < b.1 + 1e-9, "{a:?} {b:?}");
                }
            }
        }
    }
}
