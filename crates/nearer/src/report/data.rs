//! The one data structure behind `--json`, the model file and the report: plain, versioned, serialisable.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::error::Error;
use crate::evidence::Distances;
use crate::geometry::Spectrum;
use crate::input::InputFile;
use crate::program::Certificate;
use crate::report::lapses::Lapsed;
use crate::report::maps::MapMixture;
use crate::settings::{Configured, Settings, Value};
use crate::solve::{Round, Starts, Stop};

/// How a fit went. Keys may be added; the meaning of a key does not change within a `schema`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct FitReport {
    /// Version of this structure.
    pub schema: u32,
    /// The version of the library that made it.
    pub version: String,
    /// The method, as in the method table.
    pub method: String,
    /// Its settings, as they were asked for; with the seed and the evidence they give the same map again.
    pub settings: Settings,
    /// What settings became: `auto` a number, 100 landmarks those 20 that there are.
    #[serde(skip_serializing_if = "Settings::is_empty", default)]
    pub resolved: Settings,
    /// What else came out, by name.
    #[serde(skip_serializing_if = "BTreeMap::is_empty", default)]
    pub figures: BTreeMap<String, Value>,
    /// How many objects.
    pub objects: usize,
    /// Dimensions of the map.
    pub dim: usize,
    /// The seed of the run.
    pub seed: u64,
    /// Why it ended.
    pub stop: Stop,
    /// Iterations of the start that was kept; 0 for a closed form.
    pub iterations: usize,
    /// The value the method minimised (or maximised), for the map that was kept; its docs say which.
    pub objective: f64,
    /// What `objective` is, in words.
    pub objective_is: String,
    /// `sqrt(Σ w (dhat - d)² / Σ w d²)`, dhat the disparities, or the best multiple of the data where there are none.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub stress1: Option<f64>,
    /// Share of the comparisons with d(near) < d(far) on the map, or of the pairs satisfied at the best radii.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub agreement: Option<f64>,
    /// Eigenvalues, where the method computes them.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub spectrum: Option<Spectrum>,
    /// What the starts came to, where there were several.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub starts: Option<Starts>,
    /// How far the convex program behind the map is from its best, proved.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub certificate: Option<Certificate>,
    /// The map of few dimensions against the bound for any number of them.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub refined: Option<Refined>,
    /// Rows broken and rows in play, round by round, where rows were generated as they were needed.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub rounds: Vec<Round>,
    /// What each kernel contributes, where the map is a function of features.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub kernels: Option<KernelReading>,
    /// What each feature contributes, where the map is linear in them.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub features: Option<FeatureReading>,
    /// What was tried before the parameters were chosen, where they were chosen by the evidence.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub tuning: Option<Tuning>,
    /// Answers that the map does not explain, where the method looks for them.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub lapses: Option<Lapsed>,
    /// All maps, where there are several of the same objects.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub maps: Option<MapMixture>,
    /// What each person does to the common map, where the method tells people apart.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub people: Option<Vec<PersonReading>>,
    /// Where each object drifts to, along the axes of the map, where the data are not symmetric.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub drift: Option<Vec<Vec<f64>>>,
    /// What the evidence was.
    pub input: Input,
    /// The files that it was read from, by name, size and hash.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub inputs: Vec<InputFile>,
    /// What was taken for granted about them, and what was done and left out until the method had its evidence.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub notes: Vec<String>,
    /// How they were read, as flags of the command, as far as they do not say it themselves.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub reading: Vec<String>,
    /// SHA-256 of the labels and coordinates of the map, bit by bit.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub map: Option<String>,
    /// What a reader should know before believing the map.
    pub warnings: Vec<String>,
}

/// The counts of the evidence behind a fit.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Input {
    /// Pairs of objects, known or not.
    pub pairs: usize,
    /// Pairs without a distance.
    pub missing: usize,
    /// Pairs known only by a bound.
    pub censored: usize,
    /// Pairs measured more than once.
    pub repeated: usize,
}

/// One person beside the others on a common map.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PersonReading {
    /// Who.
    pub person: String,
    /// A weight an axis, as one row; or the matrix by which the person measures differences on the map. The mean of the squared
    /// weights over people is 1.
    pub weights: Vec<Vec<f64>>,
    /// Stress-1 of this person's distances.
    pub stress1: f64,
    /// What this person's distances were divided by, to be of the size of all.
    pub scale: f64,
}

/// The map in the dimensions asked for, held against the convex bound, which holds in any number of them.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Refined {
    /// The objective of the solution projected on its leading axes.
    pub projected: f64,
    /// The objective after descending from there in the dimensions of the map.
    pub objective: f64,
    /// How far that is from the bound, relative to the larger of the two; absent where hard rows are broken.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub within: Option<f64>,
    /// Hard rows that do not hold on the map.
    pub violated: usize,
    /// All hard rows.
    pub rows: usize,
}

/// How a map that is a function of features uses its kernels.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct KernelReading {
    /// The training objects whose kernel columns the map is made of.
    pub landmarks: Vec<String>,
    /// One entry for each kernel.
    pub kernels: Vec<KernelShare>,
    /// `(Σ λ)² / Σ λ²` of the spectrum: how many dimensions carry it, were they equal.
    pub effective_dimension: f64,
    /// `Σ tr(Q K)`: the squared norm of the map in the feature spaces of its kernels.
    pub norm: f64,
    /// The share of the comparisons that hold in the distances of all kernels side by side, before anything is learned.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub native: Option<f64>,
    /// The share of the comparisons that hold in all dimensions of the solution.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub learned: Option<f64>,
}

/// What one kernel contributes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct KernelShare {
    /// Its name.
    pub name: String,
    /// Its share of the sum of all squared distances of the solution.
    pub share: f64,
    /// For each landmark the weight that the learned metric gives its column: the diagonal of `Q`.
    pub weights: Vec<f64>,
    /// How many of them are above a millionth of the largest of all kernels.
    pub nonzero: usize,
    /// The share of the comparisons that hold in its own distances, before anything is learned.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub native: Option<f64>,
}

/// How a learned metric uses the features.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct FeatureReading {
    /// The rank of the metric: in so many dimensions it measures.
    pub rank: usize,
    /// One entry for each feature, in the order of the table.
    pub features: Vec<FeatureShare>,
}

/// What one feature contributes to a learned metric.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct FeatureShare {
    /// Its name.
    pub name: String,
    /// Its share of the sum of all squared distances: `Σ_g M_fg S_fg` over the same of all features, `S` their scatter. The shares
    /// sum to one; that of a feature which others outweigh may be below zero.
    pub share: f64,
    /// How far an object moves when the feature changes by one standard deviation and no other does.
    pub step: f64,
}

/// How parameters were chosen.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Tuning {
    /// What was made as large as possible, in words.
    pub score_is: String,
    /// What was tried, in the order of the trials.
    pub tried: Vec<Tried>,
    /// Which of them was taken.
    pub taken: usize,
}

impl Tuning {
    /// How many times as wide as they were asked for the kernels are that were taken.
    #[must_use]
    pub fn width(&self) -> Option<f64> {
        self.tried.get(self.taken)?.settings.number("width")
    }
}

/// One setting that was tried.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Tried {
    /// What was set; `width` is a factor of that of the kernels.
    pub settings: Settings,
    /// What it came to.
    pub score: f64,
    /// By fold, where there were folds.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub folds: Vec<f64>,
}

impl FitReport {
    /// The version of the structure written by this library.
    pub const SCHEMA: u32 = 2;

    /// A report of a closed-form fit of `method`; the rest is filled in by field.
    #[must_use]
    pub fn new(method: &str, objects: usize, dim: usize, seed: u64) -> Self {
        FitReport {
            schema: Self::SCHEMA,
            version: env!("CARGO_PKG_VERSION").into(),
            method: method.into(),
            settings: Settings::default(),
            resolved: Settings::default(),
            figures: BTreeMap::new(),
            objects,
            dim,
            seed,
            stop: Stop::Converged,
            iterations: 0,
            objective: 0.0,
            objective_is: String::new(),
            stress1: None,
            agreement: None,
            spectrum: None,
            starts: None,
            certificate: None,
            refined: None,
            rounds: Vec::new(),
            kernels: None,
            features: None,
            tuning: None,
            lapses: None,
            maps: None,
            people: None,
            drift: None,
            input: Input::default(),
            inputs: Vec::new(),
            notes: Vec::new(),
            reading: Vec::new(),
            map: None,
            warnings: Vec::new(),
        }
    }

    /// The same report with a figure noted.
    #[must_use]
    pub fn figure(mut self, name: &str, value: impl Into<Value>) -> Self {
        self.figures.insert(name.into(), value.into());
        self
    }

    /// Notes what a setting became.
    pub(crate) fn became(&mut self, name: &str, value: impl Into<Value>) {
        self.resolved.set(name, value);
    }

    /// Notes the settings of the method, and of what they became only what they do not say themselves.
    pub(crate) fn by(&mut self, method: &impl Configured) {
        self.settings = method.settings();
        self.resolved = self.resolved.only(|name, used| self.settings.get(name) != Some(used));
    }

    /// The settings as they were used: what was asked for, with what `auto` became.
    #[must_use]
    pub fn used(&self) -> Settings {
        self.settings.clone().but(&self.resolved)
    }

    /// The settings, to fit again with.
    ///
    /// # Fails
    /// [`Error::Evidence`] for a report of version 0.1, which kept words of what was used and not what was asked.
    pub fn recorded(&self) -> Result<&Settings, Error> {
        if self.schema >= 2 {
            return Ok(&self.settings);
        }
        Err(Error::Evidence {
            what: format!("this fit was recorded by nearer {}, which did not keep its settings", self.version),
            remedy: "fit again with this version, or name the method and its parameters".into(),
        })
    }

    /// Whether the map keeps who is near whom and nothing else: it was made of a neighbourhood graph of features, and how far apart
    /// others are in those is not what it shows.
    #[must_use]
    pub fn is_of_neighbours(&self) -> bool {
        self.stress1.is_none() && self.settings.count("neighbours").is_some()
    }

    /// The settings in words; what `auto` became stands behind it.
    #[must_use]
    pub fn settings_in_words(&self) -> Vec<(&str, String)> {
        let one = |(name, value): (_, &Value)| match self.resolved.get(name) {
            Some(used) if used != value => (name, format!("{value} ({used})")),
            _ => (name, value.to_string()),
        };
        self.settings.iter().map(one).collect()
    }
}

impl From<&Distances> for Input {
    fn from(d: &Distances) -> Self {
        Input { pairs: d.pairs(), missing: d.missing(), censored: d.censored(), repeated: d.repeats().pairs }
    }
}
