//! A kernel before it is centred: a formula with its numbers and the training objects it was made on, or given values.

use ndarray::{Array1, Array2, ArrayView1};
use nearer_num::{dense, par, vectors};
use serde::{Deserialize, Serialize};

use super::spec::{KernelKind, Width};
use crate::error::Error;
use crate::evidence::Features;
use crate::object::Objects;

/// A formula with all its numbers.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Formula {
    Linear,
    Polynomial { degree: u32, scale: f64, offset: f64 },
    Rbf { width: f64 },
    Laplacian { width: f64 },
    Cosine,
    ChiSquare { width: f64 },
    Intersection,
    Given,
}

impl Formula {
    fn value(&self, x: &[f64], y: &[f64]) -> f64 {
        match *self {
            Formula::Linear => vectors::dot(x, y),
            Formula::Polynomial { degree, scale, offset } => (scale * vectors::dot(x, y) + offset).powi(degree as i32),
            Formula::Rbf { width } => (-vectors::square_distance(x, y) / (2.0 * width * width)).exp(),
            Formula::Laplacian { width } => (-vectors::square_distance(x, y).sqrt() / width).exp(),
            Formula::Cosine => vectors::dot(x, y) / (vectors::dot(x, x) * vectors::dot(y, y)).sqrt(),
            Formula::ChiSquare { width } => (-vectors::chi_square(x, y) / width).exp(),
            Formula::Intersection => vectors::common_part(x, y),
            Formula::Given => f64::NAN,
        }
    }
    /// Refuses rows of features that the formula has no value for.
    fn refuse(&self, name: &str, objects: &Objects, values: &Array2<f64>, columns: &[String]) -> Result<(), Error> {
        match self {
            Formula::ChiSquare { .. } | Formula::Intersection => {
                if let Some(((i, j), v)) = values.indexed_iter().find(|(_, v)| **v < 0.0) {
                    return Err(Error::Evidence {
                        what: format!(
                            "kernel `{name}` is for histograms, and the feature `{}` of `{}` is {v}",
                            columns[j],
                            objects.labels()[i]
                        ),
                        remedy: "give numbers of 0 or more, or choose another kernel".into(),
                    });
                }
            }
            Formula::Cosine => {
                if let Some(i) = values.rows().into_iter().position(|r| r.iter().all(|v| *v == 0.0)) {
                    return Err(Error::Evidence {
                        what: format!(
                            "all features of `{}` are 0, and the cosine kernel `{name}` needs a direction",
                            objects.labels()[i]
                        ),
                        remedy: "leave the object out, or choose another kernel".into(),
                    });
                }
            }
            _ => {}
        }
        Ok(())
    }
}

/// One such kernel.
#[derive(Debug, Clone)]
pub(super) struct Base {
    pub(super) name: String,
    pub(super) formula: Formula,
    /// The names of its features; of a given kernel there are none.
    pub(super) columns: Vec<String>,
    /// The features of the training objects, standardised where that was asked for; the values of a given kernel.
    pub(super) training: Array2<f64>,
    /// Means and standard deviations of the features, where they are standardised.
    pub(super) standard: Option<(Array1<f64>, Array1<f64>)>,
    /// What brings rows of a given kernel into the span of its positive eigenvalues, where it was clipped.
    pub(super) projector: Option<Array2<f64>>,
    /// What should be known about it.
    pub(super) notes: Vec<String>,
}

impl Base {
    /// A kernel of this kind over the features of the training objects.
    pub(super) fn new(
        name: &str,
        kind: KernelKind,
        standardise: bool,
        features: &Features,
        objects: &Objects,
    ) -> Result<Self, Error> {
        if let KernelKind::Precomputed { clip } = kind {
            return Self::given(name, clip, features, objects);
        }
        let mut training = rows_of(name, features, objects)?;
        let standard = standardise.then(|| standard(&mut training));
        let width = |w: Width, distance: fn(&[f64], &[f64]) -> f64| match w {
            Width::Fixed(w) => Ok(w),
            Width::Median(times) => median(&training, distance).map(|m| times * m).ok_or_else(|| Error::Evidence {
                what: format!("all objects have the same features, so kernel `{name}` has no natural width"),
                remedy: "check the file, or give the width".into(),
            }),
        };
        let plain: fn(&[f64], &[f64]) -> f64 = |x, y| vectors::square_distance(x, y).sqrt();
        let formula = match kind {
            KernelKind::Linear => Formula::Linear,
            KernelKind::Polynomial { degree, scale, offset } => {
                Formula::Polynomial { degree, scale: scale.unwrap_or(1.0 / training.ncols() as f64), offset }
            }
            KernelKind::Rbf { width: w } => Formula::Rbf { width: width(w, plain)? },
            KernelKind::Laplacian { width: w } => Formula::Laplacian { width: width(w, plain)? },
            KernelKind::Cosine => Formula::Cosine,
            KernelKind::ChiSquare { width: w } => Formula::ChiSquare { width: width(w, vectors::chi_square)? },
            KernelKind::Intersection => Formula::Intersection,
            KernelKind::Precomputed { .. } => Formula::Given,
        };
        formula.refuse(name, objects, &training, features.columns())?;
        let columns = features.columns().to_vec();
        Ok(Base { name: name.into(), formula, columns, training, standard, projector: None, notes: Vec::new() })
    }

    fn given(name: &str, clip: bool, table: &Features, objects: &Objects) -> Result<Self, Error> {
        let all = rows_of(name, table, objects)?;
        let mut k = all.select(ndarray::Axis(1), &columns_of(name, table.columns(), objects)?);
        let largest = k.iter().fold(0.0, |m: f64, v| m.max(v.abs()));
        let crooked = k.indexed_iter().map(|((i, j), v)| ((i, j), (v - k[(j, i)]).abs()));
        let ((i, j), by) = crooked.fold(((0, 0), 0.0), |m, e| if e.1 > m.1 { e } else { m });
        if by > 1e-8 * largest {
            return Err(Error::Evidence {
                what: format!(
                    "kernel `{name}` is not symmetric: its values for `{}` and `{}` differ by {by:.3e} between the two orders",
                    objects.labels()[i],
                    objects.labels()[j]
                ),
                remedy: "give the mean of the two, or the right file".into(),
            });
        }
        k = (&k + &k.t()) * 0.5;
        let failed = |_| Error::Numerical { what: format!("the eigenvalues of kernel `{name}`") };
        let (values, vectors) = dense::eigh(k.view()).map_err(failed)?;
        let least = values.last().copied().unwrap_or(0.0);
        let mut base = Base {
            name: name.into(),
            formula: Formula::Given,
            columns: Vec::new(),
            training: k,
            standard: None,
            projector: None,
            notes: Vec::new(),
        };
        if least < -1e-8 * values[0].max(0.0) || values[0] <= 0.0 {
            let negative: f64 = -values.iter().filter(|v| **v < 0.0).sum::<f64>();
            let share = 100.0 * negative / values.iter().map(|v| v.abs()).sum::<f64>();
            let count = values.iter().filter(|v| **v < 0.0).count();
            let what = format!(
                "kernel `{name}` is not positive: {count} of {} eigenvalues are negative, the least {least:.4e} with the largest {:.4e}; they carry {share:.1} % of the spectrum",
                values.len(),
                values[0]
            );
            if !clip || values[0] <= 0.0 {
                let remedy = "say clip=yes to set them to zero, or give a positive kernel".into();
                return Err(Error::Evidence { what, remedy });
            }
            let positive: Vec<usize> = (0..values.len()).filter(|i| values[*i] > 0.0).collect();
            let v = vectors.select(ndarray::Axis(1), &positive);
            let scaled = &v * &values.select(ndarray::Axis(0), &positive);
            base.training = scaled.dot(&v.t());
            base.projector = Some(v.dot(&v.t()));
            base.notes.push(format!("{what}; they were set to zero"));
        }
        Ok(base)
    }

    /// The values among the training objects.
    pub(super) fn matrix(&self) -> Array2<f64> {
        if self.formula == Formula::Given {
            return self.training.clone();
        }
        let n = self.training.nrows();
        let row = |i: usize| {
            let x = self.row_slice(i);
            (0..=i).map(|j| self.formula.value(x, self.row_slice(j))).collect::<Vec<f64>>()
        };
        let mut k = Array2::zeros((n, n));
        for (i, row) in par::map(n, row).into_iter().enumerate() {
            for (j, v) in row.into_iter().enumerate() {
                k[(i, j)] = v;
                k[(j, i)] = v;
            }
        }
        k
    }

    fn row_slice(&self, i: usize) -> &[f64] {
        let width = self.training.ncols();
        &self.training.as_slice().expect("rows one after another")[i * width..][..width]
    }

    /// What a table of new objects gives to this kernel: features in its order and scale, or values against the training
    /// objects with, where the table has a column `self`, those of each object with itself.
    pub(super) fn taken(&self, table: &Features, objects: &Objects, trained: &Objects) -> Result<Taken, Error> {
        let rows = rows_of(&self.name, table, objects)?;
        if self.formula == Formula::Given {
            let columns = columns_of(&self.name, table.columns(), trained)?;
            let own = table.columns().iter().position(|c| c == "self").map(|c| rows.column(c).to_owned());
            let mut values = rows.select(ndarray::Axis(1), &columns);
            if let Some(p) = &self.projector {
                values = values.dot(p);
            }
            return Ok(Taken { values, own });
        }
        let named = table.columns();
        let place = |c: &String| {
            named.iter().position(|n| n == c).ok_or_else(|| Error::Evidence {
                what: format!("the new objects have no feature `{c}`, which kernel `{}` needs", self.name),
                remedy: "give the same columns as for the map".into(),
            })
        };
        let columns = self.columns.iter().map(place).collect::<Result<Vec<_>, _>>()?;
        let mut values = rows.select(ndarray::Axis(1), &columns);
        if let Some((mean, deviation)) = &self.standard {
            values = (values - mean) / deviation;
        }
        self.formula.refuse(&self.name, objects, &values, &self.columns)?;
        Ok(Taken { values: values.as_standard_layout().into_owned(), own: None })
    }

    /// Whether a table has the columns of this kernel.
    pub(super) fn is_in(&self, table: &Features, trained: &Objects) -> bool {
        let wanted = if self.formula == Formula::Given { trained.labels() } else { &self.columns[..] };
        let index: std::collections::HashSet<&str> = table.columns().iter().map(String::as_str).collect();
        wanted.iter().all(|c| index.contains(c.as_str()))
    }

    /// The values of one new object against the training objects, and with itself where that is known.
    pub(super) fn row(&self, x: ArrayView1<'_, f64>, own: Option<f64>) -> (Vec<f64>, Option<f64>) {
        if self.formula == Formula::Given {
            return (x.to_vec(), own);
        }
        let x = x.to_vec();
        let row = (0..self.training.nrows()).map(|i| self.formula.value(&x, self.row_slice(i))).collect();
        (row, Some(self.formula.value(&x, &x)))
    }

    /// The same kernel on some of its training objects.
    pub(super) fn subset(&self, items: &[usize]) -> Base {
        let mut training = self.training.select(ndarray::Axis(0), items);
        if self.formula == Formula::Given {
            training = training.select(ndarray::Axis(1), items);
        }
        Base { training, projector: None, ..self.clone() }
    }

    /// What some of the training objects are to this kernel on others of them.
    pub(super) fn taken_of(&self, items: &[usize], trained: &[usize]) -> Taken {
        let rows = self.training.select(ndarray::Axis(0), items);
        if self.formula == Formula::Given {
            let own = Array1::from_iter(items.iter().map(|i| self.training[(*i, *i)]));
            return Taken { values: rows.select(ndarray::Axis(1), trained), own: Some(own) };
        }
        Taken { values: rows, own: None }
    }
}

/// What new objects give to one kernel.
#[derive(Debug, Clone)]
pub(super) struct Taken {
    pub(super) values: Array2<f64>,
    pub(super) own: Option<Array1<f64>>,
}

/// The rows of a table in the order of the objects.
fn rows_of(name: &str, table: &Features, objects: &Objects) -> Result<Array2<f64>, Error> {
    let index = table.objects().index();
    let missing: Vec<&String> = objects.labels().iter().filter(|l| !index.contains_key(l.as_str())).collect();
    if let Some(first) = missing.first() {
        return Err(Error::Evidence {
            what: format!(
                "{} of the {} objects have no row for kernel `{name}`, as `{first}`",
                missing.len(),
                objects.len()
            ),
            remedy: "give every object its features; labels must be the same in both files".into(),
        });
    }
    let places: Vec<usize> = objects.labels().iter().map(|l| index[l.as_str()].index()).collect();
    Ok(table.values().select(ndarray::Axis(0), &places).as_standard_layout().into_owned())
}

/// The columns of a table of kernel values in the order of the training objects.
fn columns_of(name: &str, columns: &[String], objects: &Objects) -> Result<Vec<usize>, Error> {
    let index: std::collections::HashMap<&str, usize> =
        columns.iter().enumerate().map(|(k, c)| (c.as_str(), k)).collect();
    objects
        .labels()
        .iter()
        .map(|l| {
            index.get(l.as_str()).copied().ok_or_else(|| Error::Evidence {
                what: format!("kernel `{name}` has no column for `{l}`"),
                remedy: "a precomputed kernel has a column for each object of the map".into(),
            })
        })
        .collect()
}

/// Brings every column to mean 0 and standard deviation 1, and gives what it took. Constant columns stay at 0.
fn standard(values: &mut Array2<f64>) -> (Array1<f64>, Array1<f64>) {
    let n = values.nrows().max(1) as f64;
    let mean = values.sum_axis(ndarray::Axis(0)) / n;
    *values -= &mean;
    let deviation = values.map_axis(ndarray::Axis(0), |c| {
        let d = (c.iter().map(|v| v * v).sum::<f64>() / n).sqrt();
        if d > 0.0 { d } else { 1.0 }
    });
    *values /= &deviation;
    (mean, deviation)
}

/// Pairs whose distances are looked at for the median.
const LOOKED_AT: usize = 2_000_000;

/// The median of the distances that are not zero; of very many, of evenly spaced ones.
fn median(rows: &Array2<f64>, distance: fn(&[f64], &[f64]) -> f64) -> Option<f64> {
    let (n, width) = rows.dim();
    let values = rows.as_slice()?;
    let all = n * n.saturating_sub(1) / 2;
    let step = all.div_ceil(LOOKED_AT).max(1);
    // Coprime to n or not: pairs (i, i + gap) for every gap that is looked at cover the objects evenly.
    let found = par::map(n / 2, |half| {
        let gap = half + 1;
        if gap % step != 0 {
            return Vec::new();
        }
        let row = |i: usize| &values[i * width..][..width];
        (0..n).map(|i| distance(row(i), row((i + gap) % n))).filter(|d| *d > 0.0).collect::<Vec<f64>>()
    });
    let mut found: Vec<f64> = found.into_iter().flatten().collect();
    if found.is_empty() {
        return None;
    }
    let middle = found.len() / 2;
    Some(*found.select_nth_unstable_by(middle, f64::total_cmp).1)
}
