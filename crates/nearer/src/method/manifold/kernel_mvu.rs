//! Maximum variance unfolding in the span of a kernel: a map of features that keeps the distances of neighbours.

use ndarray::{Array2, Axis, concatenate, s};
use nearer_num::{dense, packed};

use crate::error::Error;
use crate::evidence::{Distances, Kernels};
use crate::fit::{Embed, Fit, Place as _, Witness};
use crate::geometry::Spectrum;
use crate::graph::Components;
use crate::graph::neighbours::{Among, Neighbourhood, merged_in_words};
use crate::method::manifold::graph;
use crate::method::manifold::mvu::{METHOD, Mvu};
use crate::method::manifold::mvu_form::{Neighbours, Unfolding};
use crate::method::manifold::mvu_variant::{Variant, orthonormal};
use crate::method::spanned::Spans;
use crate::method::{Axes, common, convex, proof, spanned};
use crate::model::KernelMap;
use crate::program::{self, Block, Span, Stretch};
use crate::report::{FitReport, Input};
use crate::settings::{Configured as _, Typed as _};
use crate::solve::{Engine, Goal, Run};

impl Embed<&Kernels> for Mvu {
    type Model = KernelMap;
    /// `max tr(HG)` with `d ≤ D` between neighbours in the feature space of the kernel and `G = Φ Z Φᵗ` for the leading
    /// components `Φ` of the kernel, [`basis`](Mvu::basis) of them (100): the map is a function of the features, and places new
    /// objects by them. With several kernels the components of all of them. Only the form at-most, in full.
    fn fit_with(&self, kernels: &Kernels, run: &Run<'_>) -> Result<Fit<KernelMap>, Error> {
        let n = kernels.objects().len();
        common::require_dim(n, self.dim)?;
        let asked = self.settings();
        for (name, given, only) in [
            ("form", self.form != Unfolding::AtMost, "at-most, the only form with a kernel"),
            (
                "variant",
                self.variant != Variant::Full,
                "full, the only variant with a kernel; `basis` makes it smaller",
            ),
            ("components", self.graph.components != Components::Refuse, "refuse, with a kernel"),
        ] {
            if given {
                let value = asked.get(name).map(ToString::to_string).unwrap_or_default();
                return Err(Error::Parameter { name: name.into(), value, expected: only.into() });
            }
        }
        METHOD.afford(kernels, self, run, "map fewer objects")?;
        run.install(|| {
            let values =
                (0..packed::len(n)).map(|k| packed::pair(n, k)).map(|(i, j)| kernels.squared_distance(i, j).sqrt());
            let apart = Distances::from_condensed(kernels.objects().clone(), values.collect())?;
            let graph = Neighbourhood::of(Among::Distances(&apart), &self.graph, run.seed(), &graph::looking(run))?;
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
        let first = graph.first();
        let everything: Vec<usize> = (0..n).collect();
        let (different, all) = kernels.split(&first, &everything)?;
        let mut fit = self.fit_with(&different, run)?;
        fit.embedding = fit.model.place(&all)?;
        fit.report.objects = n;
        fit.report.warnings.push(merged_in_words(n - graph.vertices));
        Ok(fit)
    }

    fn spanned(&self, kernels: &Kernels, graph: &Neighbourhood, run: &Run<'_>) -> Result<Fit<KernelMap>, Error> {
        let n = kernels.objects().len();
        let columns: Vec<usize> = (0..n).collect();
        let kept = self.basis.unwrap_or(COMPONENTS);
        let spans = Spans::new(kernels, columns, Axes::Objects, |k, at| {
            Ok(Span::orthonormal_of(kernels, k, at, 0.0)?.leading(kept))
        })?;
        let views: Vec<_> = spans.all.iter().map(|s| s.block.basis.view()).collect();
        let all = concatenate(Axis(1), &views).expect("all spans are of the same objects");
        // Several kernels are one span: the orthonormal basis of all their components together.
        let block = Block { basis: orthonormal(&all)?, charge: None };
        let about = program::spanned_in(&spans.all, block.basis.ncols());
        let program = program::unfold(n, &graph.pairs, &graph.squared, Stretch::AtMost)?.within(block, about)?;
        let goal = Goal { gap: self.gap, rounds: self.max_iter };
        let solved = Engine::Auto.solve(&program, None, &goal, run)?;

        let points = convex::turned(&program.space.points(&solved.candidate.factors))?;
        let spectrum = Spectrum::complete(points.columns().into_iter().map(|c| c.dot(&c)).collect());
        let factors = apart(&least_squares(&all, &points)?, &spans.all);
        let mut report = FitReport::new("mvu", n, self.dim, run.seed())
            .figure("edges", graph.pairs.len())
            .figure("edges-are", graph.rule.as_str())
            .figure("components", all.ncols());
        report = Neighbours::of(&points, &graph.pairs, &graph.squared).told(report);
        report.became("basis", kept);
        report.became("search", graph.search.value());
        report.by(self);
        proof::proved(&mut report, &solved, self.gap);
        report.kernels = Some(spans.reading(&factors, &spectrum));
        report.objective_is = "variance tr(HG) of the solution in all its dimensions, scaled to be feasible".into();
        report.input = Input { pairs: n * (n - 1) / 2, ..Input::default() };
        report.warnings.extend(kernels.notes());
        report.warnings.extend(spanned::narrow_features(kernels));
        report.spectrum = Some(spectrum);
        let factors: Vec<_> = factors.iter().map(|f| convex::leading(f, self.dim)).collect();
        let model = spans.model(&factors)?;
        let embedding = model.trained(kernels)?;
        let witness = Witness { objects: kernels.objects().clone(), program, candidate: solved.candidate };
        Ok(Fit::new(embedding, model, report).witnessed(witness))
    }
}

/// Components of a kernel that a map is made of unless it is said how many: few enough to be smooth between the objects.
const COMPONENTS: usize = 100;

/// The least `X` with `basis · X = points`.
fn least_squares(basis: &Array2<f64>, points: &Array2<f64>) -> Result<Array2<f64>, Error> {
    let svd = dense::svd(basis.view()).map_err(|_| Error::Numerical { what: "the span of the kernels".into() })?;
    let inverse = svd.s.mapv(|s| if s > 1e-10 * svd.s[0] { 1.0 / s } else { 0.0 });
    Ok((&svd.v * &inverse).dot(&svd.u.t().dot(points)))
}

/// The rows of each span.
fn apart(all: &Array2<f64>, spans: &[Span]) -> Vec<Array2<f64>> {
    let mut from = 0;
    let one = |span: &Span| {
        let to = from + span.block.basis.ncols();
        let part = all.slice(s![from..to, ..]).to_owned();
        from = to;
        part
    };
    spans.iter().map(one).collect()
}
