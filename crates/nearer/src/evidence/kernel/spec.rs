//! What a kernel is asked to be: its name, its formula, what is done to its values; as typed on a command line.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::error::Error;

/// How wide a kernel reaches.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Width {
    /// This many times the median distance of the training objects.
    Median(f64),
    /// Exactly this.
    Fixed(f64),
}

impl Default for Width {
    fn default() -> Self {
        Width::Median(1.0)
    }
}

impl fmt::Display for Width {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Width::Median(times) => write!(f, "{times}median"),
            Width::Fixed(width) => write!(f, "{width}"),
        }
    }
}

/// The formula of a kernel over rows of features `x`, `y`.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum KernelKind {
    /// `xᵗy`.
    Linear,
    /// `(scale xᵗy + offset)^degree`; the scale is one over the number of features unless given.
    Polynomial {
        /// The power.
        degree: u32,
        /// What multiplies the product.
        scale: Option<f64>,
        /// What is added, 0 or more.
        offset: f64,
    },
    /// `exp(-|x - y|² / (2 w²))`.
    Rbf {
        /// `w`.
        width: Width,
    },
    /// `exp(-|x - y| / w)`: the literal form of Globerson and Roweis, equation 6.
    Laplacian {
        /// `w`.
        width: Width,
    },
    /// `xᵗy / (|x| |y|)`.
    Cosine,
    /// `exp(-χ²(x, y) / w)`, `χ² = Σ (xᵢ - yᵢ)² / (xᵢ + yᵢ)`, for histograms.
    ChiSquare {
        /// `w`.
        width: Width,
    },
    /// `Σ min(xᵢ, yᵢ)`, for histograms.
    Intersection,
    /// The values are given.
    Precomputed {
        /// Whether negative eigenvalues are set to zero; otherwise they are refused.
        clip: bool,
    },
}

impl KernelKind {
    /// As it is typed.
    #[must_use]
    pub fn name(&self) -> &'static str {
        match self {
            KernelKind::Linear => "linear",
            KernelKind::Polynomial { .. } => "polynomial",
            KernelKind::Rbf { .. } => "rbf",
            KernelKind::Laplacian { .. } => "laplacian",
            KernelKind::Cosine => "cosine",
            KernelKind::ChiSquare { .. } => "chi-square",
            KernelKind::Intersection => "intersection",
            KernelKind::Precomputed { .. } => "precomputed",
        }
    }
    /// The same formula with its width multiplied, where it has one that follows the data.
    #[must_use]
    pub fn widened(self, times: f64) -> Self {
        let wider = |w: Width| match w {
            Width::Median(t) => Width::Median(t * times),
            Width::Fixed(w) => Width::Fixed(w * times),
        };
        match self {
            KernelKind::Rbf { width } => KernelKind::Rbf { width: wider(width) },
            KernelKind::Laplacian { width } => KernelKind::Laplacian { width: wider(width) },
            KernelKind::ChiSquare { width } => KernelKind::ChiSquare { width: wider(width) },
            other => other,
        }
    }
    fn width(&mut self) -> Option<&mut Width> {
        match self {
            KernelKind::Rbf { width } | KernelKind::Laplacian { width } | KernelKind::ChiSquare { width } => {
                Some(width)
            }
            _ => None,
        }
    }
}

/// What a kernel is made of.
#[derive(Debug, Clone, PartialEq)]
pub enum Made {
    /// A formula over the features of a file, or some of its columns.
    Of {
        /// The formula.
        kind: KernelKind,
        /// Whether each feature is brought to mean 0 and standard deviation 1 first.
        standardise: bool,
        /// The file.
        file: String,
        /// Which columns, by name or number, `3-7` or `mfcc*`; all where there is nothing.
        columns: Vec<String>,
    },
    /// The sum of kernels that were named before: their features side by side.
    Sum(Vec<String>),
    /// The product of kernels that were named before, entry by entry.
    Product(Vec<String>),
}

/// A kernel as it is asked for: `[NAME=]KIND[,PARAMETER=VALUE…]:FILE[#COLUMNS]`, `NAME=sum:A+B` or `NAME=product:A*B`.
///
/// ```
/// use nearer::evidence::{KernelKind, KernelSpec, Made, Width};
/// # fn main() -> Result<(), nearer::Error> {
/// let spec: KernelSpec = "audio=rbf,width=0.5median:audio.csv#mfcc*".parse()?;
/// assert_eq!(spec.name, "audio");
/// let Made::Of { kind, file, .. } = &spec.made else { panic!() };
/// assert_eq!((*kind, file.as_str()), (KernelKind::Rbf { width: Width::Median(0.5) }, "audio.csv"));
/// # Ok(()) }
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct KernelSpec {
    /// Its name.
    pub name: String,
    /// What it is made of.
    pub made: Made,
    /// Whether it is centred in its feature space.
    pub centre: bool,
    /// Whether `K_ij / √(K_ii K_jj)` is taken: only directions count then, not lengths.
    pub normalise: bool,
}

impl KernelSpec {
    /// A kernel of this formula, centred.
    #[must_use]
    pub fn new(name: impl Into<String>, kind: KernelKind) -> Self {
        let made = Made::Of { kind, standardise: false, file: String::new(), columns: Vec::new() };
        KernelSpec { name: name.into(), made, centre: true, normalise: false }
    }
    /// The same over the table of features in this file, and called as the file is.
    #[must_use]
    pub fn over(kind: KernelKind, file: &str) -> Self {
        let stem = std::path::Path::new(file).file_stem().map(|s| s.to_string_lossy().into_owned());
        let made = Made::Of { kind, standardise: false, file: file.into(), columns: Vec::new() };
        KernelSpec { made, ..KernelSpec::new(stem.unwrap_or_else(|| "kernel".into()), kind) }
    }
    /// The file of the table that it is over; nothing for sums and products.
    #[must_use]
    pub fn file(&self) -> Option<&str> {
        match &self.made {
            Made::Of { file, .. } => Some(file),
            Made::Sum(_) | Made::Product(_) => None,
        }
    }
    /// Whether it is centred.
    #[must_use]
    pub fn centred(mut self, centre: bool) -> Self {
        self.centre = centre;
        self
    }
    /// Whether it is normalised.
    #[must_use]
    pub fn normalised(mut self, normalise: bool) -> Self {
        self.normalise = normalise;
        self
    }
}

const FORM: &str = "NAME=KIND[,PARAMETER=VALUE…]:FILE[#COLUMNS] with KIND one of linear, polynomial, rbf, laplacian, cosine, \
chi-square, intersection, precomputed; NAME=sum:A+B; or NAME=product:A*B";

impl FromStr for KernelSpec {
    type Err = Error;
    fn from_str(text: &str) -> Result<Self, Error> {
        let wrong = |expected: String| Error::Parameter { name: "kernel".into(), value: text.into(), expected };
        let (head, tail) = text.split_once(':').ok_or_else(|| wrong(FORM.into()))?;
        let (name, formula) = match head.split_once('=') {
            // `rbf,width=2:file` has an equals sign of its own.
            Some((name, formula)) if !name.contains(',') => (Some(name.trim()), formula),
            _ => (None, head),
        };
        let mut words = formula.split(',').map(str::trim);
        let kind = words.next().unwrap_or_default();
        if tail.is_empty() || name == Some("") {
            return Err(wrong(FORM.into()));
        }
        let mut options = Options { centre: true, normalise: false, standardise: false };
        let named = |sign: char| -> Result<(String, Vec<String>), Error> {
            let parts: Vec<String> = tail.split(sign).map(|p| p.trim().to_owned()).collect();
            let name = name.ok_or_else(|| wrong(format!("a name for the {kind} of kernels: NAME={kind}:…")))?;
            if parts.len() < 2 || parts.iter().any(String::is_empty) {
                return Err(wrong(format!("names of two kernels or more, joined by `{sign}`")));
            }
            Ok((name.to_owned(), parts))
        };
        let (name, made) = match kind {
            "sum" => {
                let (name, parts) = named('+')?;
                words.try_for_each(|w| options.take(w).then_some(()).ok_or_else(|| wrong(PLAIN.into())))?;
                (name, Made::Sum(parts))
            }
            "product" => {
                let (name, parts) = named('*')?;
                words.try_for_each(|w| options.take(w).then_some(()).ok_or_else(|| wrong(PLAIN.into())))?;
                (name, Made::Product(parts))
            }
            _ => {
                let mut kind = formula_of(kind).ok_or_else(|| wrong(FORM.into()))?;
                for word in words {
                    if !options.take(word) {
                        parameter(&mut kind, word).map_err(&wrong)?;
                    }
                }
                let (file, columns) = tail.split_once('#').unwrap_or((tail, ""));
                let columns: Vec<String> = columns.split(',').filter(|c| !c.is_empty()).map(str::to_owned).collect();
                let name = name.map_or_else(|| KernelSpec::over(kind, file).name, str::to_owned);
                (name, Made::Of { kind, standardise: options.standardise, file: file.into(), columns })
            }
        };
        Ok(KernelSpec { name, made, centre: options.centre, normalise: options.normalise })
    }
}

const PLAIN: &str = "centre=yes|no or normalise=yes|no for a sum or product of kernels";

struct Options {
    centre: bool,
    normalise: bool,
    standardise: bool,
}

impl Options {
    /// Takes what every kernel may be told; `false` where the word says something else.
    fn take(&mut self, word: &str) -> bool {
        let Some((name, value)) = word.split_once('=') else { return false };
        let Some(yes) = yes(value) else { return false };
        match name {
            "centre" | "center" => self.centre = yes,
            "normalise" | "normalize" => self.normalise = yes,
            "standardise" | "standardize" => self.standardise = yes,
            _ => return false,
        }
        true
    }
}

fn yes(value: &str) -> Option<bool> {
    match value {
        "yes" => Some(true),
        "no" => Some(false),
        _ => None,
    }
}

fn formula_of(word: &str) -> Option<KernelKind> {
    let width = Width::default();
    Some(match word {
        "linear" => KernelKind::Linear,
        "polynomial" | "poly" => KernelKind::Polynomial { degree: 3, scale: None, offset: 1.0 },
        "rbf" | "gaussian" => KernelKind::Rbf { width },
        "laplacian" => KernelKind::Laplacian { width },
        "cosine" => KernelKind::Cosine,
        "chi-square" | "chi2" => KernelKind::ChiSquare { width },
        "intersection" => KernelKind::Intersection,
        "precomputed" => KernelKind::Precomputed { clip: false },
        _ => return None,
    })
}

fn parameter(kind: &mut KernelKind, word: &str) -> Result<(), String> {
    let (name, value) = word.split_once('=').unwrap_or((word, ""));
    let number = |text: &str, least: f64| text.parse::<f64>().ok().filter(|v| v.is_finite() && *v >= least);
    match (name, &mut *kind) {
        ("degree", KernelKind::Polynomial { degree, .. }) => {
            *degree = value.parse().ok().filter(|d| (1..=20).contains(d)).ok_or("a degree from 1 to 20")?;
        }
        ("scale", KernelKind::Polynomial { scale, .. }) => {
            *scale = Some(number(value, f64::MIN_POSITIVE).ok_or("a scale above 0")?);
        }
        ("offset", KernelKind::Polynomial { offset, .. }) => {
            *offset = number(value, 0.0).ok_or("an offset of 0 or more: below, the kernel is not positive")?;
        }
        ("clip", KernelKind::Precomputed { clip }) => *clip = yes(value).ok_or("clip=yes or clip=no")?,
        ("width", _) => {
            let name = kind.name();
            let width = kind.width().ok_or_else(|| format!("no width: the {name} kernel has none"))?;
            let given = match value.strip_suffix("median") {
                Some("") => Some(Width::Median(1.0)),
                Some(times) => number(times, f64::MIN_POSITIVE).map(Width::Median),
                None => number(value, f64::MIN_POSITIVE).map(Width::Fixed),
            };
            *width = given.ok_or("a width above 0, as a number or as 0.5median")?;
        }
        _ => {
            let own = match kind {
                KernelKind::Polynomial { .. } => "degree, scale, offset, ",
                KernelKind::Precomputed { .. } => "clip, ",
                KernelKind::Rbf { .. } | KernelKind::Laplacian { .. } | KernelKind::ChiSquare { .. } => "width, ",
                _ => "",
            };
            return Err(format!("one of {own}centre, normalise, standardise (each yes or no), not `{word}`"));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kernels_are_read_as_they_are_typed() {
        let spec: KernelSpec = "poly,degree=2,offset=0,normalise=yes:a/b.csv#1-3,7".parse().unwrap();
        assert_eq!((spec.name.as_str(), spec.normalise, spec.centre), ("b", true, true));
        let Made::Of { kind, columns, .. } = &spec.made else { panic!("{spec:?}") };
        assert_eq!(*kind, KernelKind::Polynomial { degree: 2, scale: None, offset: 0.0 });
        assert_eq!(columns, &["1-3", "7"]);
        let spec: KernelSpec = "both=sum,centre=no:a+b".parse().unwrap();
        assert_eq!((spec.made, spec.centre), (Made::Sum(vec!["a".into(), "b".into()]), false));
    }

    #[test]
    fn what_is_mistyped_is_named() {
        for (text, words) in [
            ("rbf", "NAME=KIND"),
            ("x=rbg:f.csv", "chi-square"),
            ("x=rbf,width=-1:f.csv", "a width above 0"),
            ("x=linear,width=1:f.csv", "no width"),
            ("x=rbf,clip=yes:f.csv", "one of width"),
            ("sum:a+b", "a name for the sum"),
            ("s=sum:a", "two kernels or more"),
            ("p=poly,degree=0:f.csv", "from 1 to 20"),
            ("p=poly,offset=-1:f.csv", "0 or more"),
        ] {
            let e = text.parse::<KernelSpec>().unwrap_err().to_string();
            assert!(e.contains(words), "{text}: {e}");
        }
    }
}
