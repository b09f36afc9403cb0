//! Maximum variance unfolding in the span of a kernel: a map of features that keeps the distances of neighbours.

use nearer_num::packed;

use crate::error::Error;
use crate::evidence::{Distances, Kernels};
use crate::fit::{Embed, Fit, Place as _};
use crate::graph::neighbours::Neighbourhood;
use crate::method::common;
use crate::method::convex::Convex;
use crate::method::mvu::{Mvu, Split, Unfolding, Variant};
use crate::method::spanned::{self, Axes, Spanned};
use crate::model::KernelMap;
use crate::program::{self, Span};
use crate::report::Input;
use crate::solve::Run;

impl Embed<Kernels> for Mvu {
    type Model = KernelMap;
    /// `max tr(HG) - trace tr(QK)` with `d ≤ D` between neighbours in the feature space of the kernel and `G = K_r Q K_rᵗ`: the
    /// map is a function of the features, and places new objects by them. Only the form at-most, in full.
    fn fit_with(&self, kernels: &Kernels, run: &Run<'_>) -> Result<Fit<KernelMap>, Error> {
        let n = kernels.objects().len();
        common::require_dim(n, self.dim)?;
        for (name, given, only) in [
            ("form", self.form != Unfolding::AtMost, "at-most, the only form with a kernel"),
            (
                "variant",
                self.variant != Variant::Full,
                "full, the only variant with a kernel; --basis makes it smaller",
            ),
            ("components", self.split != Split::Refuse, "refuse, with a kernel"),
        ] {
            if given {
                return Err(Error::Parameter { name: name.into(), value: "another".into(), expected: only.into() });
            }
        }
        run.afford("mvu with a kernel", 64 * (n * n) as u64, "map fewer objects")?;
        run.install(|| {
            let values =
                (0..packed::len(n)).map(|k| packed::pair(n, k)).map(|(i, j)| kernels.squared_distance(i, j).sqrt());
            let apart = Distances::from_condensed(kernels.objects().clone(), values.collect())?;
            let graph = Neighbourhood::of_distances(&apart, self.neighbours);
            graph.require_connected(kernels.objects())?;
            if graph.vertices < n {
                return self.of_different(kernels, &graph, run);
            }
            self.spanned(kernels, &graph, run)
        })
    }
}

impl Mvu {
    /// Objects that the kernel does not tell apart are one point: the first of them is mapped, and the others with it.
    fn of_different(&self, kernels: &Kernels, graph: &Neighbourhood, run: &Run<'_>) -> Result<Fit<KernelMap>, Error> {
        let n = kernels.objects().len();
        let mut first = vec![0; graph.vertices];
        (0..n).rev().for_each(|i| first[graph.vertex[i].unwrap_or_default() as usize] = i);
        let everything: Vec<usize> = (0..n).collect();
        let (different, all) = kernels.split(&first, &everything)?;
        let mut fit = self.fit_with(&different, run)?;
        fit.embedding = fit.model.place(&all)?;
        fit.report.objects = n;
        fit.report
            .warnings
            .push(format!("{} objects are at distance 0 from an earlier one and share its point", n - graph.vertices));
        Ok(fit)
    }

    fn spanned(&self, kernels: &Kernels, graph: &Neighbourhood, run: &Run<'_>) -> Result<Fit<KernelMap>, Error> {
        let n = kernels.objects().len();
        let columns = spanned::columns(n, self.basis, run);
        let spans = (0..kernels.len())
            .map(|k| Span::orthonormal(kernels.matrix(k), &columns, self.trace))
            .collect::<Result<Vec<_>, _>>()?;
        let program = program::kernel_unfold(n, &graph.pairs, &graph.squared, &spans)?;
        let spanned = Spanned {
            method: "mvu",
            kernels,
            columns: &columns,
            spans: &spans,
            program: &program,
            axes: Axes::Objects,
        };
        let convex = Convex { gap: self.gap, ..Convex::new(self.dim, false) };
        let mut fit = spanned.fit(&convex, run)?;
        let report = &mut fit.report;
        report.parameters.insert("neighbours".into(), graph.rule.clone());
        report.parameters.insert("edges".into(), graph.pairs.len().to_string());
        report.parameters.insert("trace".into(), self.trace.to_string());
        report.objective_is = "variance tr(HG) of the map, less what tr(QK) costs".into();
        report.input = Input { pairs: n * (n - 1) / 2, ..Input::default() };
        Ok(fit)
    }
}
