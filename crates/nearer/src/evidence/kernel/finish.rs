//! What is done to the values of a kernel: centring, normalising, one size for all.

use ndarray::{Array1, Array2, Axis};

use crate::error::Error;
use crate::object::Objects;

/// What was asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Wish {
    pub(super) centre: bool,
    pub(super) normalise: bool,
}

/// Centring and normalising by the training objects, as it is done to new ones too.
#[derive(Debug, Clone)]
pub(super) struct Finish {
    pub(super) normalise: bool,
    /// What the values are divided by: the mean of the diagonal after centring.
    pub(super) size: f64,
    /// The means of the rows and of all values, where it is centred.
    pub(super) means: Option<(Array1<f64>, f64)>,
    /// The lengths of the training objects after centring, where it is normalised.
    pub(super) lengths: Array1<f64>,
}

impl Finish {
    /// Finishes values among the training objects, and keeps how.
    pub(super) fn of(name: &str, k: &mut Array2<f64>, wish: Wish, objects: &Objects) -> Result<Self, Error> {
        let means = wish.centre.then(|| {
            let rows = k.mean_axis(Axis(1)).unwrap_or_default();
            let all = rows.mean().unwrap_or(0.0);
            *k = k.clone() - &rows.clone().insert_axis(Axis(1)) - &rows + all;
            (rows, all)
        });
        let mut lengths = Array1::zeros(0);
        if wish.normalise {
            let largest = k.diag().iter().fold(0.0, |m: f64, v| m.max(*v));
            if let Some(i) = k.diag().iter().position(|v| *v <= 1e-12 * largest) {
                return Err(nothing_left(name, &objects.labels()[i]));
            }
            lengths = k.diag().mapv(f64::sqrt);
            *k = &*k / &lengths / &lengths.clone().insert_axis(Axis(1));
        }
        let size = if wish.normalise { 1.0 } else { k.diag().mean().unwrap_or(0.0) };
        if !(size > 0.0 && size.is_finite()) {
            return Err(Error::Evidence {
                what: format!("kernel `{name}` does not tell the objects apart"),
                remedy: "check its features, or choose another width".into(),
            });
        }
        *k /= size;
        Ok(Finish { normalise: wish.normalise, size, means, lengths })
    }

    pub(super) fn wish(&self) -> Wish {
        Wish { centre: self.means.is_some(), normalise: self.normalise }
    }

    /// The same done to a row of values of a new object, and to its value with itself where that is known.
    pub(super) fn row(
        &self,
        name: &str,
        label: &str,
        mut row: Vec<f64>,
        mut own: Option<f64>,
    ) -> Result<(Vec<f64>, Option<f64>), Error> {
        if let Some((means, all)) = &self.means {
            let mean = row.iter().sum::<f64>() / row.len().max(1) as f64;
            row.iter_mut().zip(means).for_each(|(v, m)| *v += all - m - mean);
            own = own.map(|o| o - 2.0 * mean + all);
        }
        if self.normalise {
            let length = own.ok_or_else(|| Error::Evidence {
                what: format!("kernel `{name}` is normalised, and the value of `{label}` with itself is not given"),
                remedy: "add a column `self` to the rows of the precomputed kernel".into(),
            })?;
            if length <= 0.0 {
                return Err(nothing_left(name, label));
            }
            row.iter_mut().zip(&self.lengths).for_each(|(v, l)| *v /= l * length.sqrt());
            own = Some(1.0);
        }
        row.iter_mut().for_each(|v| *v /= self.size);
        Ok((row, own.map(|o| o / self.size)))
    }
}

fn nothing_left(kernel: &str, label: &str) -> Error {
    Error::Evidence {
        what: format!("`{label}` has length 0 in kernel `{kernel}`, so it cannot be normalised"),
        remedy: "leave the object out, or say normalise=no for this kernel".into(),
    }
}
