//! Locally linear embedding in its four forms: what is linear in every neighbourhood is nearly so on the map.

use ndarray::Array2;
use nearer_num::patches;
use nearer_num::sparse::{Inverse, analysed, sum_of_parts};

use crate::error::Error;
use crate::evidence::Features;
use crate::fit::{Embed, Fit};
use crate::geometry::{Embedding, Spectrum};
use crate::graph::neighbours::Among;
use crate::graph::{Join, Rule};
use crate::method::common::{self, DIM};
use crate::method::cost::Needs;
use crate::method::manifold::graph::{self, COMPONENTS, JOIN, Linked, NEIGHBOURS, RADIUS, SEARCH, USUAL};
use crate::method::table::{Kind, Method, Parameter, again, way};
use crate::model::{Extension, Manifold};
use crate::settings::{configured, settable, words};
use crate::solve::{Run, Step, Stop};

/// Locally linear embedding.
///
/// Every neighbourhood says which functions are linear on it; the coordinates of the map are the functions that are nearly so on all
/// of them: the bottom eigenvectors, constant one aside, of a sparse sum `M = Σ S_iᵗ M_i S_i` over the neighbourhoods. The [`Form`](LleForm)
/// says what `M_i` is. Coordinates are scaled to unit variance: the shape of a map is right up to a linear stretch, so judge it by
/// neighbours, not by distances.
///
/// # Takes
/// [`Features`]. Objects of equal features are one point.
/// # Places
/// New objects by the weights that reconstruct them from their nearest old ones; old objects come back exactly.
/// # Cost
/// A small eigenproblem for each object, one sparse factorisation of `n` unknowns and some twenty solves with it; nothing of
/// size n x n.
/// # Fails
/// If the links leave the objects in several parts, unless the [`Rule`] says what to do with them; if neighbours are too few for the form:
/// `dim + 1` for modified and ltsa, `dim (dim + 3) / 2 + 1` for hessian.
/// # Reference
/// Roweis and Saul (2000); Zhang and Wang (2007); Donoho and Grimes (2003); Zhang and Zha (2004).
///
/// ```
/// use nearer::{Embed, method::{Lle, LleForm}, toy};
/// # fn main() -> Result<(), nearer::Error> {
/// let (roll, _) = toy::swiss_roll(300, 1);
/// let fit = Lle::new(2).form(LleForm::Ltsa).fit(&roll)?;
/// assert_eq!(fit.embedding.dim(), 2);
/// # Ok(()) }
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Lle {
    dim: usize,
    form: LleForm,
    ridge: f64,
    graph: Rule,
}

/// What a neighbourhood says about functions on it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LleForm {
    /// `f_i = Σ w f_j` with the weights that reconstruct the object from its neighbours.
    Standard,
    /// The same with several sets of weights, as many as the neighbourhood has directions to spare: does not fold where the
    /// standard form does.
    Modified,
    /// Second derivatives by least squares are zero (Hessian eigenmaps); only the quadratic terms, as published.
    Hessian,
    /// What is left of `f` beside its best linear approximation in the tangent space is zero (local tangent space alignment).
    Ltsa,
}

words!(LleForm {
    "standard" => LleForm::Standard,
    "modified" => LleForm::Modified,
    "hessian" => LleForm::Hessian,
    "ltsa" => LleForm::Ltsa,
});
configured!(Lle [graph] { dim: "dim", form: "form", ridge: "ridge" });
graph::setters!(Lle);

/// Share of the diagonal that makes the sum definite before it is inverted: eigenvalues of interest are as small as 1e-11 of it.
const LIFT: f64 = 1e-14;
/// Residuals of the inverse: eigenvectors to about six digits more than its eigenvalues are apart.
const TOLERANCE: f64 = 1e-11;

pub(crate) static METHOD: Method = Method {
    name: "lle",
    aliases: &["locally-linear-embedding"],
    summary: "locally linear embedding, standard, modified, hessian or ltsa: what is linear nearby stays so",
    solves: "min Σ_i |M_i^½ f(N_i)|², fᵗf = n, f ⟂ 1: bottom eigenvectors of a sparse sum",
    ways: &[way::<Lle, Features>()],
    parameters: &[
        DIM,
        Parameter::choice::<LleForm>("form", "modified")
            .says("weights that reconstruct (standard), several of them (modified), second derivatives (hessian), tangent spaces (ltsa)"),
        Parameter::number("ridge", Kind::POSITIVE, 1e-3)
            .says("share of the trace added to the diagonal of local products before weights are solved for"),
        NEIGHBOURS,
        JOIN,
        RADIUS,
        COMPONENTS,
        SEARCH,
    ],
    places: "weights that reconstruct it from its nearest old objects; exact for old objects",
    cost: "O(n·k³) time and one sparse factorisation; no n x n matrix",
    reference: "Roweis & Saul 2000; Zhang & Wang 2007; Donoho & Grimes 2003; Zhang & Zha 2004",
    needs: |s, settings| {
        let (seconds, bytes) = graph::needs(s, settings);
        let (n, k) = (s.n(), settings.count("neighbours").unwrap_or(USUAL) as f64);
        Needs::new(
            seconds + n * (2e-8 * k.powi(3) + 1e-5) + 4e-7 * n.powf(1.5),
            bytes + n * (16.0 * k * k + 3000.0 + 40.0 * k * n.max(2.0).ln()),
        )
    },
    again: again::<Lle>,
};

/// The vertices of a neighbourhood, and what it adds to the sum on them.
type Patch = (Vec<u32>, Array2<f64>);

impl Lle {
    /// A map of `dim` dimensions in the modified form from 10 neighbours an object.
    #[must_use]
    pub fn new(dim: usize) -> Self {
        Lle { dim, form: LleForm::Modified, ridge: 1e-3, graph: Rule::nearest(USUAL) }
    }
    settable! {
        /// In this form.
        form: LleForm,
        /// With this share of the trace added to the diagonal of local products.
        ridge: f64,
    }

    /// Fewest neighbours that the form has a meaning with.
    fn least(&self) -> usize {
        match self.form {
            LleForm::Standard => 1,
            LleForm::Modified => self.dim,
            LleForm::Hessian => patches::for_curvature(self.dim),
            LleForm::Ltsa => self.dim + 1,
        }
    }

    /// For each vertex those that its neighbourhood is made of: its own choice, or its links where a choice is not one. Hessian and
    /// ltsa look at the neighbours alone; a vertex that is nobody's neighbour belongs to its own neighbourhood then, for else
    /// nothing at all would be said of it. How many those are comes second.
    fn neighbourhoods(&self, linked: &Linked<'_>) -> (Vec<Vec<u32>>, usize) {
        let own = self.graph.join == Join::Union && linked.graph.asked.is_some();
        let links = linked.graph.lengths();
        let of = |v: usize| {
            let mut near = if own { linked.graph.chosen[v].clone() } else { Vec::new() };
            if near.is_empty() || !own {
                near = links.neighbours(v).iter().map(|(j, _)| *j).collect();
            }
            near
        };
        let mut near: Vec<Vec<u32>> = (0..linked.graph.vertices).map(of).collect();
        let mut seen = vec![matches!(self.form, LleForm::Standard | LleForm::Modified); near.len()];
        near.iter().flatten().for_each(|&j| seen[j as usize] = true);
        let lone: Vec<usize> = (0..near.len()).filter(|&v| !seen[v]).collect();
        lone.iter().for_each(|&v| near[v].push(v as u32));
        (near, lone.len())
    }

    fn aligned(&self, seen: Among<'_>, run: &Run<'_>) -> Result<Fit<Manifold>, Error> {
        let (clock, failed) =
            (run.clock(), || Error::Numerical { what: "the bottom eigenvectors of the neighbourhoods".into() });
        let linked = Linked::new(seen, &self.graph, self.dim, run)?;
        let n = linked.graph.vertices;
        let Some(features) = linked.features() else { return Err(failed()) };
        let (near, lone) = self.neighbourhoods(&linked);
        if let Some(few) = near.iter().map(Vec::len).min().filter(|few| *few < self.least()) {
            return Err(Error::Parameter {
                name: "neighbours".into(),
                value: few.to_string(),
                expected: format!(
                    "{} or more, of every object, for this form in {} dimensions",
                    self.least(),
                    self.dim
                ),
            });
        }
        let tick = |done| clock.tick(&Step::new("neighbourhoods", (0, 1), done, Some(n), 0.0)) == Some(Stop::Cancelled);
        if tick(0) {
            return Err(Error::Cancelled);
        }
        let parts = self.parts(&features, &near).map_err(|_| failed())?;
        if tick(n) {
            return Err(Error::Cancelled);
        }
        let (pattern, values) = sum_of_parts(n, &parts);
        let trace = (0..n).filter_map(|i| pattern.place(i, i)).map(|k| values[k]).sum();
        drop(parts);
        let mut factors = analysed(pattern).ok_or_else(failed)?;
        let centre = |x: &mut Array2<f64>| {
            if let Some(mean) = x.mean_axis(ndarray::Axis(0)) {
                *x -= &mean;
            }
        };
        let how = Inverse { lift: LIFT, tolerance: TOLERANCE };
        // One more than the map has: the gap after the last says whether its dimensions are settled.
        let wanted = (self.dim + 1).min(n - 1);
        let found = factors.bottom(&values, wanted, how, centre, || !clock.late()).ok_or_else(failed)?;
        if found.vectors.ncols() < self.dim {
            return Err(failed());
        }
        let mut axes = found.vectors.slice(ndarray::s![.., ..self.dim]).to_owned() * (n as f64).sqrt();
        let signs = axes.clone();
        common::sign_columns(&signs, &mut axes);
        let points = Embedding::new(linked.vertices(), axes)?;

        let mut report = linked.report("lle", self.dim, run);
        report.by(self);
        if lone > 0 {
            report.warnings.push(format!(
                "{lone} {} among nobody's nearest: what this form says of neighbours is said of them by their own neighbourhoods",
                if lone == 1 { "object is" } else { "objects are" }
            ));
        }
        report.objective = found.values.iter().take(self.dim).sum();
        report.objective_is =
            "sum of the bottom eigenvalues: what is not linear in the neighbourhoods of the map".into();
        report.stop = match (found.converged, clock.late()) {
            (true, _) => Stop::Converged,
            (_, true) => Stop::TimeLimit,
            _ => Stop::Stalled,
        };
        if let (Some(last), Some(next)) = (found.values.get(self.dim - 1), found.values.get(self.dim))
            && (next - last).abs() <= 1e-3 * next.abs()
        {
            report.warnings.push(format!(
                "the eigenvalue of the last dimension, {last:.3e}, is hardly below the next, {next:.3e}: {} dimensions are not settled by these neighbourhoods, try one more or fewer, or other neighbours",
                self.dim
            ));
        }
        report.spectrum = Some(Spectrum::leading(found.values.to_vec(), trace, 0.0));
        let embedding = linked.map(points.points())?;
        let (reach, extension) = (linked.reach(&self.graph), Extension::Weights { ridge: self.ridge });
        Ok(Fit::new(embedding, Manifold::new(points, Some(features), reach, extension), report))
    }

    /// What each neighbourhood adds to the sum, and on which vertices.
    fn parts(&self, features: &Features, near: &[Vec<u32>]) -> Result<Vec<Patch>, nearer_num::dense::DidNotConverge> {
        let about = |i: usize| {
            let rows: Vec<usize> = near[i].iter().map(|j| *j as usize).collect();
            let x = features.values().select(ndarray::Axis(0), &rows) - features.row(i);
            x.dot(&x.t())
        };
        let with_own = |i: usize| std::iter::once(i as u32).chain(near[i].iter().copied()).collect::<Vec<u32>>();
        if self.form == LleForm::Modified {
            let grams = nearer_num::par::map(near.len(), about);
            let all = patches::modified(&grams, self.dim, self.ridge)?;
            return Ok(all.into_iter().enumerate().map(|(i, part)| (with_own(i), part)).collect());
        }
        let one = |i: usize| {
            Ok(match self.form {
                LleForm::Hessian => (near[i].clone(), patches::curvature(&about(i), self.dim)?),
                LleForm::Ltsa => (near[i].clone(), patches::aligned(&about(i), self.dim)?),
                _ => (with_own(i), patches::reconstructed(&about(i), self.ridge)),
            })
        };
        nearer_num::par::map(near.len(), one).into_iter().collect()
    }
}

impl Embed<&Features> for Lle {
    type Model = Manifold;
    fn fit_with(&self, features: &Features, run: &Run<'_>) -> Result<Fit<Manifold>, Error> {
        METHOD.afford(features, self, run, "map fewer objects, or take fewer neighbours")?;
        graph::of_features(features, run, |seen| self.aligned(seen, run))
    }
}
