//! The recipe of the methods that weigh columns: features of the program, weights, axes, coefficients of kernel values.

use ndarray::{Array2, Axis, s};
use nearer_num::{dense, packed};

use crate::error::Error;
use crate::evidence::{Comparisons, Kernels};
use crate::fit::{Fit, WeightsWitness};
use crate::geometry::Spectrum;
use crate::method::common;
use crate::method::cost::{Needs, Size};
use crate::method::kernel_reading::{self, Native};
use crate::method::spanning::Axes;
use crate::method::{proof, spanned};
use crate::model::KernelMap;
use crate::program::{DiagonalProgram, Weights};
use crate::report::{FitReport, KernelReading};
use crate::solve::{Diagonal, Goal, Run, Solved, Solver};

/// Columns that weights are learned for, and how they are functions of kernel values: column `p` at the training objects is
/// `Σ_k K_k lift_k,p` and whatever is constant.
pub(crate) struct Columns {
    /// One row for each object.
    pub(crate) values: Array2<f64>,
    /// What the columns are called: training objects, or features.
    pub(crate) names: Vec<String>,
    /// For each column its kernel and its place among the names.
    pub(crate) source: Vec<(usize, usize)>,
    /// For each column `K_pp` in its kernel, or what stands for it.
    pub(crate) size: Vec<f64>,
    lift: Lift,
}

enum Lift {
    /// Column `p` is the kernel column of this training object.
    Objects(Vec<usize>),
    /// For each column its coefficients for all training objects.
    Coefficients(Array2<f64>),
}

impl Columns {
    /// The columns of these training objects in all kernels, side by side.
    pub(crate) fn of_kernels(kernels: &Kernels, objects: &[usize]) -> Self {
        let (n, b) = (kernels.objects().len(), objects.len());
        let source: Vec<(usize, usize)> = (0..kernels.len()).flat_map(|k| (0..b).map(move |p| (k, p))).collect();
        let value = |i: usize, c: usize| kernels.matrix(source[c].0)[(i, objects[source[c].1])];
        Columns {
            values: Array2::from_shape_fn((n, source.len()), |(i, c)| value(i, c)),
            names: objects.iter().map(|i| kernels.objects().labels()[*i].clone()).collect(),
            size: (0..source.len()).map(|c| value(objects[source[c].1], c).max(0.0)).collect(),
            lift: Lift::Objects(source.iter().map(|(_, p)| objects[*p]).collect()),
            source,
        }
    }

    /// The features behind linear kernels.
    ///
    /// What new objects have that no training object varies in is not seen by a linear kernel, and is left out in placing.
    pub(crate) fn of_features(kernels: &Kernels) -> Result<Self, Error> {
        let n = kernels.objects().len();
        let (mut values, mut lift) = (Array2::zeros((n, 0)), Array2::zeros((n, 0)));
        let (mut names, mut source) = (Vec::new(), Vec::new());
        for k in 0..kernels.len() {
            let Some(linear) = kernels.functions().linear(k) else {
                return Err(Error::Evidence {
                    what: format!("kernel `{}` is not linear in its features", kernels.names()[k]),
                    remedy: "weigh the columns of kernels, or give linear kernels that are not normalised".into(),
                });
            };
            // K = X Xᵗ / size, so X (Xᵗ X)⁺ size brings its values back to features.
            let svd = dense::svd(linear.values.view())
                .map_err(|_| Error::Numerical { what: "the singular values of features".into() })?;
            let largest = svd.s.first().copied().unwrap_or(0.0);
            let inverse = svd.s.mapv(|v| if v > 1e-10 * largest && v > 0.0 { linear.size / v } else { 0.0 });
            let back = (&svd.u * &inverse).dot(&svd.v.t());
            let join = |a: &Array2<f64>, b: &Array2<f64>| {
                ndarray::concatenate(Axis(1), &[a.view(), b.view()]).expect("as many rows")
            };
            (values, lift) = (join(&values, &linear.values), join(&lift, &back));
            source.extend((0..linear.names.len()).map(|p| (k, names.len() + p)));
            names.extend(linear.names);
        }
        let size = vec![1.0; source.len()];
        Ok(Columns { values, names, source, size, lift: Lift::Coefficients(lift) })
    }

    /// Solves the program of these columns and makes the map of it.
    pub(crate) fn fit(
        &self,
        asked: &Asked<'_>,
        kernels: &Kernels,
        program: &DiagonalProgram,
        run: &Run<'_>,
    ) -> Result<Fit<KernelMap>, Error> {
        let solved = asked.solved(program, run)?;
        let kept: Vec<usize> = (0..self.source.len()).filter(|p| solved.candidate.weights[*p] > 0.0).collect();
        let root: Vec<f64> = kept.iter().map(|p| solved.candidate.weights[*p].sqrt()).collect();
        let mut points = spanned::centred(self.values.select(Axis(1), &kept));
        points.columns_mut().into_iter().zip(&root).for_each(|(mut c, r)| c.mapv_inplace(|v| v * r));
        let failed = |_| Error::Numerical { what: "the axes of a solution".into() };
        let svd = dense::svd(points.view()).map_err(failed)?;
        let spectrum = Spectrum::complete(svd.s.iter().map(|v| v * v).collect());
        let turn = match asked.axes {
            Axes::Objects => svd.v,
            Axes::Map => dense::eigh(self.metric(kernels, &kept, &root).view()).map_err(failed)?.1,
        };
        let reading = self.reading(kernels, &solved, &points, &kept, &spectrum);
        let coefficients = self.coefficients(kernels, &kept, &root, &turn, asked.dim);
        let fit = asked.finished(kernels, &solved, (&points, spectrum), reading, coefficients, run)?;
        let columns = match &self.lift {
            Lift::Objects(at) => at.iter().take(self.names.len()).map(|i| *i as u32).collect(),
            Lift::Coefficients(_) => Vec::new(),
        };
        Ok(fit.witnessed(witness(kernels, program, solved, columns)))
    }

    /// `Q^½ K Q^½` among the columns that have a weight, kernel by kernel.
    fn metric(&self, kernels: &Kernels, kept: &[usize], root: &[f64]) -> Array2<f64> {
        Array2::from_shape_fn((kept.len(), kept.len()), |(a, b)| {
            let ((k, p), (l, o)) = (self.source[kept[a]], self.source[kept[b]]);
            match &self.lift {
                Lift::Objects(at) if k == l => root[a] * root[b] * kernels.matrix(k)[(at[kept[a]], at[kept[b]])],
                Lift::Coefficients(_) if p == o => root[a] * root[b],
                _ => 0.0,
            }
        })
    }

    /// For each kernel a row of coefficients for each training object.
    fn coefficients(
        &self,
        kernels: &Kernels,
        kept: &[usize],
        root: &[f64],
        turn: &Array2<f64>,
        dim: usize,
    ) -> Vec<Array2<f64>> {
        let n = kernels.objects().len();
        let mut all = vec![Array2::zeros((n, dim)); kernels.len()];
        let axes = dim.min(turn.ncols());
        for (a, &p) in kept.iter().enumerate() {
            let (k, _) = self.source[p];
            let along = turn.slice(s![a, ..axes]).mapv(|v| v * root[a]);
            match &self.lift {
                Lift::Objects(at) => {
                    let mut row = all[k].slice_mut(s![at[p], ..axes]);
                    row += &along;
                }
                Lift::Coefficients(lift) => {
                    for (i, coefficient) in lift.column(p).iter().enumerate() {
                        all[k].slice_mut(s![i, ..axes]).scaled_add(*coefficient, &along);
                    }
                }
            }
        }
        all
    }

    fn reading(
        &self,
        kernels: &Kernels,
        solved: &Solved<Weights>,
        points: &Array2<f64>,
        kept: &[usize],
        spectrum: &Spectrum,
    ) -> KernelReading {
        let mut parts = vec![(0.0, vec![0.0; self.names.len()]); kernels.len()];
        let mut norm = 0.0;
        for (a, &p) in kept.iter().enumerate() {
            let (k, name) = self.source[p];
            parts[k].0 += points.column(a).dot(&points.column(a));
            parts[k].1[name] = solved.candidate.weights[p];
            norm += solved.candidate.weights[p] * self.size[p];
        }
        kernel_reading::reading(&kernels.names(), self.names.clone(), parts, spectrum, norm)
    }
}

/// What `columns` weights need beside so many kernels, and so many bytes of comparisons.
pub(crate) fn needs(size: &Size, columns: f64, kernels: f64, rows: f64) -> Needs {
    let bytes = Diagonal::memory(size.objects as u64, columns as u64) as f64 + 8.0 * size.n() * columns;
    Needs::new(0.03 + 1e-8 * size.m() * columns.powf(1.36), bytes + 8.0 * kernels * size.n().powi(2) + rows)
}

/// What such a method was asked for.
pub(crate) struct Asked<'a> {
    pub(crate) method: &'a str,
    pub(crate) comparisons: &'a Comparisons,
    pub(crate) dim: usize,
    pub(crate) gap: f64,
    pub(crate) axes: Axes,
}

impl Asked<'_> {
    pub(crate) fn solved(&self, program: &DiagonalProgram, run: &Run<'_>) -> Result<Solved<Weights>, Error> {
        Diagonal::new().solve(program, None, &Goal { gap: self.gap, ..Goal::default() }, run)
    }

    /// Solves a program with a weight for each kernel as a whole, and makes the map of the kernel `Σ w_k K_k`.
    pub(crate) fn fit_whole(
        &self,
        kernels: &Kernels,
        program: &DiagonalProgram,
        run: &Run<'_>,
    ) -> Result<Fit<KernelMap>, Error> {
        let solved = self.solved(program, run)?;
        let weights = &solved.candidate.weights;
        let n = kernels.objects().len();
        let mut sum = Array2::zeros((n, n));
        let mut parts = Vec::new();
        for (k, w) in weights.iter().enumerate() {
            let own = spanned::centred(spanned::centred(kernels.matrix(k).clone()).reversed_axes());
            parts.push((w * own.diag().sum(), vec![*w; n]));
            sum.scaled_add(*w, &own);
        }
        let failed = |_| Error::Numerical { what: "the axes of a solution".into() };
        let (values, vectors) = dense::eigh(sum.view()).map_err(failed)?;
        let spectrum = Spectrum::complete(values.iter().map(|v| v.max(0.0)).collect());
        // An axis of rounding is no axis.
        let kept: Vec<usize> = (0..n).filter(|c| values[*c] > 1e-12 * values[0] && values[*c] > 0.0).collect();
        let mut points = vectors.select(Axis(1), &kept);
        points.columns_mut().into_iter().zip(&kept).for_each(|(mut c, at)| c.mapv_inplace(|v| v * values[*at].sqrt()));
        let mut along = Array2::zeros((n, self.dim));
        for (c, at) in kept.iter().take(self.dim).enumerate() {
            along.column_mut(c).scaled_add(1.0 / values[*at].sqrt(), &vectors.column(*at));
        }
        let coefficients = weights.iter().map(|w| &along * *w).collect();
        let labels = kernels.objects().labels().to_vec();
        let norm = parts.iter().map(|p| p.0).sum();
        let reading = kernel_reading::reading(&kernels.names(), labels, parts, &spectrum, norm);
        let fit = self.finished(kernels, &solved, (&points, spectrum), reading, coefficients, run)?;
        Ok(fit.witnessed(witness(kernels, program, solved, Vec::new())))
    }

    /// The map of these coefficients, with what is to be said of it.
    fn finished(
        &self,
        kernels: &Kernels,
        solved: &Solved<Weights>,
        (points, spectrum): (&Array2<f64>, Spectrum),
        mut reading: KernelReading,
        coefficients: Vec<Array2<f64>>,
        run: &Run<'_>,
    ) -> Result<Fit<KernelMap>, Error> {
        kernel_reading::compared(&mut reading, &Native::Kernels(kernels), points, self.comparisons);
        let mut report = self.report(solved, spectrum, reading, kernels.objects().len(), run);
        report.warnings.extend(kernels.notes());
        let model = spanned::posed(kernels, coefficients)?;
        let embedding = model.trained(kernels)?;
        let holding = common::holding(&embedding, self.comparisons) as f64;
        report.agreement = Some(holding / self.comparisons.len() as f64);
        Ok(Fit::new(embedding, model, report))
    }

    /// What is to be said of the weights that were found for so many objects.
    pub(crate) fn report(
        &self,
        solved: &Solved<Weights>,
        spectrum: Spectrum,
        reading: KernelReading,
        objects: usize,
        run: &Run<'_>,
    ) -> FitReport {
        let mut report = FitReport::new(self.method, objects, self.dim, run.seed());
        report.kernels = Some(reading);
        proof::proved(&mut report, solved, self.gap);
        warn(&mut report, solved, &spectrum, self.gap);
        report.spectrum = Some(spectrum);
        report
    }
}

fn witness(kernels: &Kernels, program: &DiagonalProgram, solved: Solved<Weights>, columns: Vec<u32>) -> WeightsWitness {
    WeightsWitness { objects: kernels.objects().clone(), program: program.clone(), answer: solved.candidate, columns }
}

/// The squared distances of all pairs in the kernels as they are, a column a kernel.
pub(crate) fn distances_of(kernels: &Kernels) -> Array2<f64> {
    let n = kernels.objects().len();
    Array2::from_shape_fn((packed::len(n), kernels.len()), |(at, k)| {
        let ((i, j), m) = (packed::pair(n, at), kernels.matrix(k));
        (m[(i, i)] + m[(j, j)] - 2.0 * m[(i, j)]).max(0.0)
    })
}

const WORDS: proof::Words = proof::Words {
    has: "the weights make",
    whose: "their",
    needs: "the weights need",
    why: "the comparisons say no more at this weight of broken ones",
};

fn warn(report: &mut FitReport, solved: &Solved<Weights>, spectrum: &Spectrum, gap: f64) {
    if solved.candidate.weights.iter().any(|w| *w != 0.0) {
        return proof::dimensions(report, spectrum, solved.certificate.rank, &WORDS);
    }
    report.warnings.push(if !solved.certificate.is_within(gap) {
        "all weights are zero and all objects in one place: nothing better was found, and nothing can be read off this map".into()
    } else {
        "all weights are zero and all objects in one place: at this slack every comparison is better paid for than kept; \
         give a larger slack"
            .into()
    });
}
