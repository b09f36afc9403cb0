//! What a metric is learned on: coordinates of the objects that their features, or kernels of them, span; and the way back
//! from a metric on them to a map, a model and what each feature has to do with it.

use std::borrow::Cow;

use ndarray::{Array1, Array2, s};
use nearer_num::dense;

use crate::error::Error;
use crate::evidence::{Features, Kernels};
use crate::fit::Fit;
use crate::geometry::{Embedding, Spectrum};
use crate::method::cost::Size;
use crate::method::table::Parameter;
use crate::model::{KernelMap, Linear};
use crate::object::Objects;
use crate::program::{MetricCandidate, MetricProgram, MetricWitness};
use crate::report::{FeatureReading, FeatureShare, FitReport};
use crate::solve::Run;

/// Whether columns are brought to the same spread first.
pub(crate) const STANDARDISE: Parameter = Parameter::flag("unit-variance", false)
    .says("divide each feature by its standard deviation first; the model does the same to new objects");

/// Directions that carry less than this share of the widest one's variance are rounding: the objects do not span them.
const SPANNED: f64 = 1e-12;

/// How many dimensions the objects of a table span: a map of a metric learned from it has at most as many.
///
/// # Fails
/// Where all features have one value throughout.
pub fn spanned_dimensions(features: &Features) -> Result<usize, Error> {
    Ok(Ground::of_features(features, false, false)?.width())
}

/// How many directions there are to learn in at most: objects span no more than they are.
pub(crate) fn directions(size: &Size) -> f64 {
    size.columns.clamp(1, size.objects.max(1)) as f64
}

/// What a metric can be learned over: features, or the span of kernels.
pub(crate) trait Over {
    /// What places new objects.
    type Model;
    /// How much there is of it.
    fn size(&self) -> Size;
    /// Where a metric is learned.
    fn ground(&self, standardise: bool) -> Result<Ground<'_>, Error>;
    /// The fit of a metric `A Aᵗ` there.
    fn fitted(
        ground: &Ground<'_>,
        method: &str,
        factor: &Array2<f64>,
        dim: usize,
        run: &Run<'_>,
    ) -> Result<Fit<Self::Model>, Error>;
}

impl Over for Features {
    type Model = Linear;
    fn size(&self) -> Size {
        self.into()
    }
    fn ground(&self, standardise: bool) -> Result<Ground<'_>, Error> {
        Ground::of_features(self, standardise, false)
    }
    fn fitted(
        ground: &Ground<'_>,
        method: &str,
        factor: &Array2<f64>,
        dim: usize,
        run: &Run<'_>,
    ) -> Result<Fit<Linear>, Error> {
        ground.linear(method, factor, dim, run)
    }
}

impl Over for Kernels {
    type Model = KernelMap;
    fn size(&self) -> Size {
        // Kernels span as many directions as there are objects.
        Size { columns: self.objects().len(), ..self.into() }
    }
    fn ground(&self, _: bool) -> Result<Ground<'_>, Error> {
        Ground::of_kernels(self)
    }
    fn fitted(
        ground: &Ground<'_>,
        method: &str,
        factor: &Array2<f64>,
        dim: usize,
        run: &Run<'_>,
    ) -> Result<Fit<KernelMap>, Error> {
        ground.kernel_map(method, factor, dim, run)
    }
}

/// Centred coordinates of the objects, and how they were made.
pub(crate) struct Ground<'a> {
    /// A row for each object, a column for each direction; every column has the mean zero.
    pub(crate) values: Array2<f64>,
    objects: &'a Objects,
    source: Source<'a>,
}

enum Source<'a> {
    /// `values = (x - mean) / scale · basis`, without a basis where the features themselves are the directions.
    Features { features: &'a Features, mean: Array1<f64>, scale: Array1<f64>, basis: Option<Array2<f64>> },
    /// `values = Σ K_k · coefficients`, centred.
    Kernels { kernels: &'a Kernels, coefficients: Array2<f64> },
}

impl<'a> Ground<'a> {
    /// The features, standardised where asked; what the objects do not span is left out, unless `keep` holds every feature that
    /// varies as a direction of its own.
    pub(crate) fn of_features(features: &'a Features, standardise: bool, keep: bool) -> Result<Self, Error> {
        let (n, d) = features.values().dim();
        if n == 0 {
            return Err(too_few(n));
        }
        let spreads = features.spreads();
        let mean = Array1::from_iter(spreads.iter().map(|s| s.0));
        let scale = Array1::from_iter(spreads.iter().map(|s| if standardise && s.1 > 0.0 { s.1 } else { 1.0 }));
        let mut values = (features.values() - &mean) / &scale;
        if values.iter().all(|v| *v == 0.0) {
            return Err(Error::Evidence {
                what: format!("all {d} features have one value throughout: they tell no object from another"),
                remedy: "give features that vary".into(),
            });
        }
        let basis = if keep { None } else { spanning(&values)? };
        if let Some(basis) = &basis {
            values = values.dot(basis);
        }
        let source = Source::Features { features, mean, scale, basis };
        Ok(Ground { values, objects: features.objects(), source })
    }

    /// The space that kernels span, several side by side: their principal coordinates.
    pub(crate) fn of_kernels(kernels: &'a Kernels) -> Result<Self, Error> {
        let n = kernels.objects().len();
        let mut sum = Array2::zeros((n, n));
        (0..kernels.len()).for_each(|k| sum += kernels.matrix(k));
        crate::solve::spectral::double_centre(&mut sum);
        // Centring of squared distances carries a factor of -1/2.
        sum.mapv_inplace(|v| -2.0 * v);
        let (values, vectors) = dense::eigh(sum.view()).map_err(|_| failed())?;
        let kept = values.iter().take_while(|v| **v > SPANNED.sqrt() * values[0] && **v > 0.0).count();
        if kept == 0 {
            return Err(Error::Evidence {
                what: "the kernels have one value throughout: they tell no object from another".into(),
                remedy: "give features that vary, or another width".into(),
            });
        }
        let vectors = vectors.slice(s![.., ..kept]);
        let root = values.slice(s![..kept]).mapv(f64::sqrt);
        let coefficients = &vectors / &root;
        Ok(Ground {
            values: &vectors * &root,
            objects: kernels.objects(),
            source: Source::Kernels { kernels, coefficients },
        })
    }

    /// The objects of the rows.
    pub(crate) fn objects(&self) -> &Objects {
        self.objects
    }
    /// How many directions there are.
    pub(crate) fn width(&self) -> usize {
        self.values.ncols()
    }
    /// Refuses more dimensions than directions.
    pub(crate) fn require(&self, name: &str, dim: usize) -> Result<(), Error> {
        let (n, most) = (self.objects.len(), self.width());
        if n < 2 {
            return Err(too_few(n));
        }
        if dim == 0 || dim > most {
            return Err(Error::Parameter {
                name: name.into(),
                value: dim.to_string(),
                expected: format!("1 to {most}, the dimensions that the {n} objects span"),
            });
        }
        Ok(())
    }

    /// The map of a metric `A Aᵗ` on these coordinates along its principal axes, and how it is had from the ground: centre and
    /// axes of the factor.
    fn axes(&self, factor: &Array2<f64>, dim: usize) -> Result<Axes, Error> {
        let whole = Embedding::new(self.objects.clone(), self.values.dot(factor))?;
        let pose = whole.pose()?;
        let points = pose.apply(whole.points());
        let spectrum: Vec<f64> = points.columns().into_iter().map(|c| c.dot(&c)).collect();
        let kept = dim.min(points.ncols());
        let mut map = Array2::zeros((points.nrows(), dim));
        map.slice_mut(s![.., ..kept]).assign(&points.slice(s![.., ..kept]));
        let mut onto = Array2::zeros((factor.nrows(), dim));
        onto.slice_mut(s![.., ..kept]).assign(&factor.dot(&pose.axes.slice(s![.., ..kept])));
        Ok(Axes { map: Embedding::new(self.objects.clone(), map)?, onto, spectrum: Spectrum::complete(spectrum) })
    }

    /// A report with what every learned metric tells.
    fn report(&self, method: &str, axes: &Axes, factor: &Array2<f64>, dim: usize, run: &Run<'_>) -> FitReport {
        let mut report = FitReport::new(method, self.objects.len(), dim, run.seed());
        let largest = axes.spectrum.eigenvalues.first().copied().unwrap_or(0.0);
        let rank = axes.spectrum.eigenvalues.iter().filter(|v| **v > 1e-9 * largest && **v > 0.0).count();
        let kept: f64 = axes.spectrum.eigenvalues.iter().take(dim).sum();
        if axes.spectrum.trace > 0.0 && kept < 0.8 * axes.spectrum.trace {
            report.warnings.push(format!(
                "the metric has {rank} dimensions; the {dim} of the map carry {:.0} % of its variance",
                100.0 * kept / axes.spectrum.trace
            ));
        }
        report.spectrum = Some(axes.spectrum.clone());
        report.features = self.reading(factor, rank);
        report
    }

    /// What each feature has to do with the metric `A Aᵗ`; nothing for kernels, which are no features.
    fn reading(&self, factor: &Array2<f64>, rank: usize) -> Option<FeatureReading> {
        let Source::Features { features, scale, basis, mean } = &self.source else { return None };
        // On the scale of standardised columns the metric is L Lᵗ, and the points X L.
        let whole = basis.as_ref().map_or_else(|| factor.clone(), |b| b.dot(factor));
        let points = self.values.dot(factor);
        let total: f64 = points.iter().map(|v| v * v).sum();
        let mut all: Vec<FeatureShare> = Vec::with_capacity(features.columns().len());
        for (c, name) in features.columns().iter().enumerate() {
            let column = features.values().column(c).mapv(|v| (v - mean[c]) / scale[c]);
            let along = points.t().dot(&column);
            let spread = (column.dot(&column) / column.len() as f64).sqrt();
            let share = if total > 0.0 { along.dot(&whole.row(c)) / total } else { 0.0 };
            let step = spread * whole.row(c).dot(&whole.row(c)).sqrt();
            all.push(FeatureShare { name: name.clone(), share, step });
        }
        Some(FeatureReading { rank, features: all })
    }

    /// The fit of a metric `A Aᵗ` over features.
    pub(crate) fn linear(
        &self,
        method: &str,
        factor: &Array2<f64>,
        dim: usize,
        run: &Run<'_>,
    ) -> Result<Fit<Linear>, Error> {
        let Source::Features { features, mean, scale, basis } = &self.source else {
            return Err(Error::Numerical { what: "a linear map of kernels".into() });
        };
        let axes = self.axes(factor, dim)?;
        let mut map = basis.as_ref().map_or_else(|| axes.onto.clone(), |b| b.dot(&axes.onto));
        map.rows_mut().into_iter().zip(scale).for_each(|(mut row, s)| row.mapv_inplace(|v| v / s));
        let report = self.report(method, &axes, factor, dim, run);
        let model = Linear::new([("features", features.columns().to_vec())], map, mean.clone())?;
        Ok(Fit::new(axes.map, model, report))
    }

    /// What each feature is divided by.
    pub(crate) fn scale(&self) -> Vec<f64> {
        match &self.source {
            Source::Features { scale, .. } => scale.to_vec(),
            Source::Kernels { .. } => vec![1.0; self.width()],
        }
    }
    /// Whether it is the span of kernels.
    pub(crate) fn is_spanned(&self) -> bool {
        matches!(self.source, Source::Kernels { .. })
    }
    /// The features as they were given, or the coordinates in the span of kernels as if they were features.
    pub(crate) fn coordinates(&self) -> Result<Cow<'_, Features>, Error> {
        match &self.source {
            Source::Features { features, .. } => Ok(Cow::Borrowed(*features)),
            Source::Kernels { .. } => {
                let names = (1..=self.width()).map(|k| k.to_string());
                Ok(Cow::Owned(Features::new(self.objects.clone(), names, self.values.clone())?))
            }
        }
    }
    /// The fit with what was asked and answered, for others to check.
    pub(crate) fn witnessed<M>(
        &self,
        mut fit: Fit<M>,
        program: MetricProgram,
        mut candidate: MetricCandidate,
    ) -> Fit<M> {
        if let Source::Features { basis: Some(basis), .. } = &self.source {
            candidate.factor = basis.dot(&candidate.factor);
        }
        let (objects, basis) = (self.objects.clone(), program.spanned.then_some(program.values));
        fit.metric = Some(MetricWitness { objects, scale: self.scale(), ask: program.ask, candidate, basis });
        fit
    }

    /// The fit of a metric `A Aᵗ` in the span of kernels.
    fn kernel_map(
        &self,
        method: &str,
        factor: &Array2<f64>,
        dim: usize,
        run: &Run<'_>,
    ) -> Result<Fit<KernelMap>, Error> {
        let Source::Kernels { kernels, coefficients } = &self.source else {
            return Err(Error::Numerical { what: "a map of kernels over features".into() });
        };
        let axes = self.axes(factor, dim)?;
        let along = coefficients.dot(&axes.onto);
        let model = KernelMap::new(kernels, vec![along; kernels.len()])?;
        let report = self.report(method, &axes, factor, dim, run);
        Ok(Fit::new(axes.map, model, report))
    }
}

/// A metric seen along its principal axes.
struct Axes {
    map: Embedding,
    /// From the ground onto the map.
    onto: Array2<f64>,
    spectrum: Spectrum,
}

/// The directions that rows span, widest first; none where they are all there are.
///
/// How many there are is judged in the columns as they are and in those brought to one spread, and the larger number counts: a column in
/// a unit ten million times smaller than another's is no rounding of it.
fn spanning(values: &Array2<f64>) -> Result<Option<Array2<f64>>, Error> {
    let (n, d) = values.dim();
    let (kept, vectors) = widest(values)?;
    if kept == d {
        return Ok(None);
    }
    let size = values.map_axis(ndarray::Axis(0), |c| (c.dot(&c) / n as f64).sqrt());
    let size = size.mapv(|s| if s > 0.0 { s } else { 1.0 });
    let (alike, even) = if kept < n { widest(&(values / &size))? } else { (0, Array2::zeros((d, 0))) };
    if alike <= kept {
        return Ok(Some(vectors));
    }
    if alike == d {
        return Ok(None);
    }
    // Back in their own units they span what the rows do.
    let own = &even * &size.insert_axis(ndarray::Axis(1));
    Ok(Some(dense::svd(own.view()).map_err(|_| failed())?.u))
}

/// How many directions carry more than rounding, and these.
fn widest(values: &Array2<f64>) -> Result<(usize, Array2<f64>), Error> {
    let (n, d) = values.dim();
    // The smaller of the two products has the same eigenvalues above zero.
    let (gram, tall) = if d <= n { (values.t().dot(values), true) } else { (values.dot(&values.t()), false) };
    let (squares, vectors) = dense::eigh(gram.view()).map_err(|_| failed())?;
    let kept = squares.iter().take_while(|v| **v > SPANNED * squares[0]).count();
    let vectors = vectors.slice(s![.., ..kept]);
    if tall {
        return Ok((kept, vectors.to_owned()));
    }
    let root = squares.slice(s![..kept]).mapv(f64::sqrt);
    Ok((kept, values.t().dot(&vectors) / &root))
}

fn too_few(found: usize) -> Error {
    Error::TooFew { found, needed: 2, remedy: "a map needs something to lie apart from".into() }
}

fn failed() -> Error {
    Error::Numerical { what: "the eigen-decomposition of the scatter of features".into() }
}
