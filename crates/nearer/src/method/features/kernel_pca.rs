//! Kernel principal components: principal components in the feature space of a kernel.

use ndarray::Array2;
use nearer_num::{dense, lanczos};

use crate::error::Error;
use crate::evidence::{Features, KernelKind, KernelSpec, Kernels, Width};
use crate::fit::{Embed, Fit};
use crate::geometry::Spectrum;
use crate::method::common::{self, DIM};
use crate::method::cost::Needs;
use crate::method::distances::order;
use crate::method::table::{Method, again, way};
use crate::model::KernelMap;
use crate::report::{FitReport, Input};
use crate::settings::configured;
use crate::solve::{Run, Stop, spectral};

/// Kernel principal component analysis.
///
/// The leading eigenvectors of the centred kernel, `H K H = V Λ Vᵗ`: `Y = V Λ^½`. Several kernels are added. Of a linear
/// kernel it is [`Pca`](crate::method::Pca) up to scale (kernels are divided by the mean squared length of their objects).
///
/// # Takes
/// [`Kernels`], or [`Features`]: then an rbf kernel of the median width.
/// # Places
/// New objects by their features, from their kernel values: the Nyström extension, exact for old objects.
/// # Cost
/// The `n x n` kernel, and a pass over it for each Lanczos step.
/// # Fails
/// If the kernel does not tell objects apart.
/// # Reference
/// Schölkopf, Smola and Müller (1998); McFee and Lanckriet (2009), figure 3a.
///
/// ```
/// use nearer::{Embed, Place, method::KernelPca, toy};
/// # fn main() -> Result<(), nearer::Error> {
/// let (roll, _) = toy::swiss_roll(80, 1);
/// let fit = KernelPca::new(2).fit(&roll)?;
/// let again = fit.model.place(&roll)?;
/// assert!((again.points() - fit.embedding.points()).iter().all(|e| e.abs() < 1e-9));
/// # Ok(()) }
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct KernelPca {
    dim: usize,
}

configured!(KernelPca { dim: "dim" });

pub(crate) static METHOD: Method = Method {
    name: "kernel-pca",
    aliases: &["kpca"],
    summary: "kernel principal components: the axes of most variance in the feature space of a kernel",
    solves: "H K H = V Λ Vᵗ, Y = V Λ^½",
    ways: &[way::<KernelPca, Kernels>(), way::<KernelPca, Features>()],
    parameters: &[DIM],
    places: "Nyström extension by kernel values; exact for old objects",
    cost: "the n x n kernel as memory, O(n²) time per Lanczos step",
    reference: "Schölkopf, Smola & Müller 1998",
    needs: |s, _| {
        let (n, w) = (s.n(), s.columns.max(1) as f64);
        Needs::new(1e-9 * n * n * (w + 100.0) + common::spectrum(n), (16.0 + 8.0 * s.k()) * n * n + 8.0 * n * w)
    },
    again: again::<KernelPca>,
};

impl KernelPca {
    /// A map of `dim` dimensions.
    #[must_use]
    pub fn new(dim: usize) -> Self {
        KernelPca { dim }
    }

    fn axes(&self, kernels: &Kernels, run: &Run<'_>) -> Result<Fit<KernelMap>, Error> {
        let (n, clock) = (kernels.objects().len(), run.clock());
        let failed = |_| Error::Numerical { what: "the eigen-decomposition of the kernel".into() };
        let mut sum = kernels.matrix(0).clone();
        (1..kernels.len()).for_each(|k| sum += kernels.matrix(k));
        // As squared distances: -½ H (-2K) H is the centred kernel.
        sum.mapv_inplace(|v| -2.0 * v);
        spectral::double_centre(&mut sum);
        let trace = sum.diag().sum();
        let (values, vectors, spectrum, converged) = if n <= spectral::WHOLE {
            let (values, vectors) = dense::eigh(sum.view()).map_err(failed)?;
            (values.clone(), vectors, Spectrum::complete(values.to_vec()), true)
        } else {
            let lead = lanczos::largest_while(n, self.dim, 1e-10, |x| sum.dot(x), || !clock.late()).map_err(failed)?;
            let spectrum = Spectrum::leading(lead.values.to_vec(), trace, lead.least);
            (lead.values, lead.vectors, spectrum, lead.converged)
        };
        let floor = 1e-12 * values[0].max(0.0);
        let there = values.iter().take(self.dim).filter(|v| **v > floor).count();
        if there == 0 {
            return Err(Error::Evidence {
                what: format!("the kernel does not tell the {n} objects apart"),
                remedy: "there is nothing to map; choose another width, or other features".into(),
            });
        }
        let mut coefficients =
            Array2::from_shape_fn(
                (n, self.dim),
                |(i, k)| {
                    if k < there { vectors[(i, k)] / values[k].sqrt() } else { 0.0 }
                },
            );
        let signs = coefficients.clone();
        common::sign_columns(&signs, &mut coefficients);
        let model = KernelMap::new(kernels, vec![coefficients; kernels.len()])?;
        let embedding = model.trained(kernels)?;
        let mut report = FitReport::new("kernel-pca", n, self.dim, run.seed())
            .figure("variance-share", values.iter().take(there).sum::<f64>() / trace);
        report.by(self);
        report.objective = values.iter().take(there).sum();
        report.objective_is = "sum of the eigenvalues of the centred kernel along the axes of the map".into();
        report.stop = if converged { Stop::Converged } else { Stop::TimeLimit };
        report.input = Input { pairs: n * (n - 1) / 2, ..Input::default() };
        report.warnings.extend(kernels.notes());
        if there < self.dim {
            report
                .warnings
                .push(format!("the kernel varies in {there} directions only: the other dimensions are zero"));
        }
        report.spectrum = Some(spectrum);
        Ok(Fit::new(embedding, model, report))
    }
}

impl Embed<&Kernels> for KernelPca {
    type Model = KernelMap;
    fn fit_with(&self, kernels: &Kernels, run: &Run<'_>) -> Result<Fit<KernelMap>, Error> {
        common::require_dim(kernels.objects().len(), self.dim)?;
        METHOD.afford(kernels, self, run, "map fewer objects")?;
        run.install(|| self.axes(kernels, run))
    }
}

impl Embed<&Features> for KernelPca {
    type Model = KernelMap;
    fn fit_with(&self, features: &Features, run: &Run<'_>) -> Result<Fit<KernelMap>, Error> {
        common::require_dim(features.len(), self.dim)?;
        METHOD.afford(features, self, run, "map fewer objects")?;
        run.install(|| {
            order::features_by_label(features, |features| {
                let rbf = KernelSpec::new("features", KernelKind::Rbf { width: Width::default() });
                let kernels = Kernels::new(features.objects(), &[(rbf, Some(features))])?;
                self.axes(&kernels, run)
            })
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::method::Pca;
    use crate::toy;

    #[test]
    fn of_a_linear_kernel_it_is_pca_up_to_scale() {
        for n in [60, 150] {
            let (roll, _) = toy::swiss_roll(n, 2);
            let linear = KernelSpec::new("x", KernelKind::Linear);
            let kernels = Kernels::new(roll.objects(), &[(linear, Some(&roll))]).unwrap();
            let (a, b) = (KernelPca::new(2).fit(&kernels).unwrap(), Pca::new(2).fit(&roll).unwrap());
            let scale = b.embedding.points()[(0, 0)] / a.embedding.points()[(0, 0)];
            assert!((a.embedding.points() * scale - b.embedding.points()).iter().all(|e| e.abs() < 1e-7));
        }
    }
}
