//! The data behind `nearer eval`: how good a map is, plain, versioned, serialisable. A key without meaning is absent.

use serde::{Deserialize, Serialize};

use crate::geometry::Spectrum;
use crate::report::{Input, MeanShare, StabilitySummary};
use crate::solve::Stop;

/// What a map of distances is held against.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Against {
    /// The data, but for a factor.
    Data,
    /// Their order alone.
    Ordinal,
    /// What the model makes of them.
    Transform,
}

/// How good a map is. Keys may be added; the meaning of a key does not change within a `schema`. All numbers are finite.
///
/// [`evaluate::evaluation`](crate::evaluate::evaluation) fills it from a map and data; the optional parts are set by field.
///
/// ```
/// use nearer::report::Evaluation;
/// let mut e = Evaluation::new(21, 2);
/// e.method = Some("metric-mds".into());
/// let json = serde_json::to_value(&e).map_err(|e| e.to_string())?;
/// assert_eq!(json["objects"], 21);
/// assert!(json.get("trustworthiness").is_none());        // never computed, so absent
/// # Ok::<(), String>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Evaluation {
    /// Version of this structure.
    pub schema: u32,
    /// The version of the library that made it.
    pub version: String,
    /// The method that made the map, where known.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub method: Option<String>,
    /// How many objects the data have.
    pub objects: usize,
    /// Dimensions of the map.
    pub dim: usize,
    /// What the map was held against.
    pub target: Against,
    /// `sqrt(Σ w (d̂ - d)² / Σ w d²)`, `d̂` the disparities, or the best multiple of the data.
    pub stress1: f64,
    /// `Σ w (δ - d)²` against the data, `Σ w (d̂ - d)²` against disparities or a transform.
    pub raw_stress: f64,
    /// `Σ w (d̂ - d)² / Σ w d̂²`; against the data, `d̂` is the data themselves.
    pub normalized_stress: f64,
    /// The best multiple of the data (for stress-1); 1 where there is none.
    pub scale: f64,
    /// How unevenly distances grow from the data to the map; absent where the map is not held against the data themselves.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub distortion: Option<Distortion>,
    /// The share of each object in the stress, in percent, in the order of the data.
    pub per_object: Vec<ObjectShare>,
    /// The pairs that fit worst, worst first.
    pub worst_pairs: Vec<WorstPair>,
    /// Whether neighbours on the map are neighbours in the data; 1 is perfect.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub trustworthiness: Option<f64>,
    /// Whether neighbours in the data are neighbours on the map; 1 is perfect.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub continuity: Option<f64>,
    /// The mean share of neighbours in the data that are neighbours on the map.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub neighbour_overlap: Option<f64>,
    /// How many neighbours those three looked at.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub neighbours: Option<usize>,
    /// Eigenvalues, where the method computed them.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub spectrum: Option<Spectrum>,
    /// How many dimensions carry 95 % of the positive part of the spectrum.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub dims95: Option<usize>,
    /// The map against another one.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub procrustes: Option<Procrustes>,
    /// The stress in other numbers of dimensions.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub by_dimension: Option<Vec<DimensionPoint>>,
    /// Where objects lie when the map is made again.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub stability: Option<StabilitySummary>,
    /// The stress of random and of shuffled numbers, mapped in the same way.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub reference: Option<StressReference>,
    /// The counts of the data.
    pub input: Input,
    /// What a reader should know before believing the figures.
    pub warnings: Vec<String>,
}

/// The largest ratio of a distance on the map to the one in the data over the least: the distortion of metric embeddings, which no
/// scale changes. Pairs of zero distance, without one or with a bound only are left out.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Distortion {
    /// The distortion; absent where two objects that differ in the data coincide on the map.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub value: Option<f64>,
    /// The pair of the largest ratio.
    pub stretched: Ratio,
    /// The pair of the least.
    pub shrunk: Ratio,
}

/// A pair, and its distance on the map over that in the data.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Ratio {
    /// One object.
    pub a: String,
    /// The other.
    pub b: String,
    /// The ratio.
    pub ratio: f64,
}

/// What chance gives: the stress of numbers that say nothing, mapped in the same way.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct StressReference {
    /// How many matrices of each kind.
    pub draws: usize,
    /// Of uniform random numbers.
    pub random: StressSpread,
    /// Of the distances themselves, shuffled.
    pub shuffled: StressSpread,
    /// The share of shuffles, the data counted as one, with as low a stress.
    pub p: f64,
    /// The share of an object in the stress, in percent, that no object of 95 % of the random matrices is above.
    pub object95: f64,
}

/// Stress-1 over several matrices.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct StressSpread {
    /// Their mean.
    pub mean: f64,
    /// Their standard deviation.
    pub sd: f64,
    /// The lowest.
    pub least: f64,
}

/// The share of an object in the stress.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ObjectShare {
    /// The object.
    pub label: String,
    /// Its share, in percent.
    pub percent: f64,
}

/// A pair that fits badly.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct WorstPair {
    /// One object.
    pub a: String,
    /// The other.
    pub b: String,
    /// The distance of the data, or its bound.
    pub data: f64,
    /// `at-most` or `at-least` where `data` is a bound.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub bound: Option<String>,
    /// The distance on the map.
    pub distance: f64,
    /// What the data ask for, on the scale of the map.
    pub disparity: f64,
    /// `disparity - distance`: positive where the map draws the two too near each other.
    pub residual: f64,
}

/// Two maps laid over each other.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Procrustes {
    /// What is left, as a share of the spread of the map; 0 when the maps agree.
    pub disparity: f64,
    /// Procrustes correlation; 1 when they agree.
    pub correlation: f64,
    /// The root mean square distance between the two positions of an object.
    pub rmse: f64,
    /// The factor by which the other map was scaled.
    pub scale: f64,
    /// How far apart the two positions of each common object are.
    pub per_object: Vec<ObjectResidual>,
    /// Objects that only this map has.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub only_here: Vec<String>,
    /// Objects that only the other map has.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub only_there: Vec<String>,
}

/// How far an object is from where another map has it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ObjectResidual {
    /// The object.
    pub label: String,
    /// The distance between its two positions.
    pub residual: f64,
}

/// The stress of a map in some number of dimensions.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct DimensionPoint {
    /// Dimensions of the map.
    pub dim: usize,
    /// Its stress-1.
    pub stress1: f64,
    /// `Σ w (δ - d)²`.
    pub raw_stress: f64,
    /// `Σ w (d̂ - d)² / Σ w d̂²`.
    pub normalized_stress: f64,
    /// `1 - R²` of the map's distances and the data, or the ways along its graph where the method follows such.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub residual_variance: Option<f64>,
    /// Whether neighbours on the map are neighbours in the data; 1 is perfect.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub trustworthiness: Option<f64>,
    /// Whether neighbours in the data are neighbours on the map; 1 is perfect.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub continuity: Option<f64>,
    /// Why its fit ended.
    pub stop: Stop,
}

/// The share of the judgements that hold on a map in some number of dimensions.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct DimensionAgreement {
    /// Dimensions of the map.
    pub dim: usize,
    /// The share.
    pub agreement: f64,
    /// The share of those held out, over folds, where that was asked.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub held_out: Option<MeanShare>,
    /// The mean logarithm of the probability of answers held out, for methods with a likelihood.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub log_likelihood: Option<MeanShare>,
    /// Both fold by fold; the folds are the same in all dimensions.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub folds: Vec<HeldOutFold>,
    /// Why its fit ended.
    pub stop: Stop,
}

/// What a fold came to.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct HeldOutFold {
    /// The share held out that holds.
    pub agreement: f64,
    /// The mean logarithm of the probability of the answers held out.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub log_likelihood: Option<f64>,
}

impl DimensionAgreement {
    /// The fewest dimensions that predict what is held out as well as the best, to within one standard error (Breiman, Friedman,
    /// Olshen and Stone 1984); `None` where nothing was held out. What counts is the likelihood where the method has one, else the
    /// agreement. The standard error is that of the difference to the best, fold by fold: how hard a fold is falls out of it.
    ///
    /// ```
    /// use nearer::{Stop, report::{DimensionAgreement, HeldOutFold}};
    /// let at = |dim, folds: [f64; 3]| DimensionAgreement {
    ///     dim,
    ///     agreement: 1.0,
    ///     held_out: None,
    ///     log_likelihood: None,
    ///     folds: folds.map(|agreement| HeldOutFold { agreement, log_likelihood: None }).to_vec(),
    ///     stop: Stop::Converged,
    /// };
    /// // Two are as good as three in two of the folds; one is worse in all.
    /// let points = [at(1, [0.70, 0.72, 0.71]), at(2, [0.80, 0.83, 0.81]), at(3, [0.81, 0.83, 0.80])];
    /// assert_eq!(DimensionAgreement::fewest(&points), Some(2));
    /// assert_eq!(DimensionAgreement::fewest(&[]), None);
    /// ```
    #[must_use]
    pub fn fewest(points: &[DimensionAgreement]) -> Option<usize> {
        let likely = Self::by_likelihood(points);
        let value = |f: &HeldOutFold| if likely { f.log_likelihood.unwrap_or(f64::NEG_INFINITY) } else { f.agreement };
        let told: Vec<(usize, Vec<f64>)> =
            points.iter().map(|p| (p.dim, p.folds.iter().map(value).collect::<Vec<f64>>())).collect();
        let count = told.iter().map(|(_, f)| f.len()).min().filter(|count| *count > 0)?;
        let mean = |f: &[f64]| f[..count].iter().sum::<f64>() / count as f64;
        let (_, best) = told.iter().max_by(|a, b| mean(&a.1).total_cmp(&mean(&b.1)))?;
        let within = |f: &[f64]| {
            let behind: Vec<f64> = best.iter().zip(f).map(|(b, f)| b - f).collect();
            let by = mean(&behind);
            let spread = behind[..count].iter().map(|d| (d - by).powi(2)).sum::<f64>();
            by <= (spread / ((count.max(2) - 1) * count) as f64).sqrt()
        };
        told.iter().filter(|(_, f)| within(f)).map(|(dim, _)| *dim).min()
    }

    /// Whether every point has a likelihood to be compared by.
    #[must_use]
    pub fn by_likelihood(points: &[DimensionAgreement]) -> bool {
        points.iter().all(|p| p.folds.iter().all(|f| f.log_likelihood.is_some()))
    }
}

impl Evaluation {
    /// The version of the structure written by this library.
    pub const SCHEMA: u32 = 1;

    /// An evaluation of a perfect fit; the rest is filled in by field.
    #[must_use]
    pub fn new(objects: usize, dim: usize) -> Self {
        Evaluation {
            schema: Self::SCHEMA,
            version: env!("CARGO_PKG_VERSION").into(),
            method: None,
            objects,
            dim,
            target: Against::Data,
            stress1: 0.0,
            raw_stress: 0.0,
            normalized_stress: 0.0,
            scale: 1.0,
            distortion: None,
            per_object: Vec::new(),
            worst_pairs: Vec::new(),
            trustworthiness: None,
            continuity: None,
            neighbour_overlap: None,
            neighbours: None,
            spectrum: None,
            dims95: None,
            procrustes: None,
            by_dimension: None,
            stability: None,
            reference: None,
            input: Input::default(),
            warnings: Vec::new(),
        }
    }

    /// The same with a spectrum, and the number of dimensions that it says carry 95 %.
    #[must_use]
    pub fn with_spectrum(mut self, spectrum: Spectrum) -> Self {
        self.dims95 = spectrum.dims95;
        self.spectrum = Some(spectrum);
        self
    }
}
