//! Who belongs together, as metric learners take it: groups by class or by closure of must-links, and pairs from either.

use std::collections::HashMap;

use ndarray::{Array1, Array2};
use nearer_num::softmin::ALONE;

use crate::error::Error;
use crate::evidence::{Classes, Pairs, Sorts};
use crate::graph::union::Union;
use crate::object::Objects;

/// For each object its group; [`ALONE`] where nothing is said of it.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Groups {
    pub(crate) of: Vec<u32>,
    pub(crate) count: usize,
}

impl Groups {
    /// The classes of these objects.
    ///
    /// # Fails
    /// Where there are fewer than `least` classes of two objects or more.
    pub(crate) fn of_classes(sorts: &Sorts, objects: &Objects, least: usize) -> Result<Self, Error> {
        let classes = Classes::of(sorts)?;
        let of: Vec<u32> = classes.on(objects).into_iter().map(|c| c.unwrap_or(ALONE)).collect();
        let groups = Groups { count: classes.names().len(), of };
        let (several, used) =
            (groups.sizes().iter().filter(|s| **s > 1).count(), groups.sizes().iter().filter(|s| **s > 0).count());
        if several == 0 {
            return Err(Error::Evidence {
                what: format!("none of the {used} classes has two objects"),
                remedy: "choose a column whose values are shared".into(),
            });
        }
        if used < least {
            return Err(Error::Evidence {
                what: format!(
                    "all {} classed objects are of one class",
                    groups.of.iter().filter(|g| **g != ALONE).count()
                ),
                remedy: format!("give objects of {least} classes at least, or take rca, which needs one").into(),
            });
        }
        Ok(groups)
    }
    /// The closure of the pairs said to be alike, among these objects.
    ///
    /// # Fails
    /// Where an object of a pair is not among them.
    pub(crate) fn linked(pairs: &Pairs, objects: &Objects) -> Result<Self, Error> {
        Ok(Self::of_links(pairs, &places(pairs.objects(), objects)?, objects.len()))
    }
    /// The closure of the pairs said to be alike: what is joined by a chain of them is one group.
    pub(crate) fn of_links(pairs: &Pairs, at: &[usize], n: usize) -> Self {
        let mut sets = Union::new(n);
        let mut linked = vec![false; n];
        for row in pairs.iter().filter(|r| r.similar) {
            let (a, b) = (at[row.from.index()], at[row.to.index()]);
            sets.join(a, b);
            (linked[a], linked[b]) = (true, true);
        }
        let mut numbers: HashMap<usize, u32> = HashMap::new();
        let of = (0..n)
            .map(|i| {
                if !linked[i] {
                    return ALONE;
                }
                let next = numbers.len() as u32;
                *numbers.entry(sets.find(i)).or_insert(next)
            })
            .collect();
        Groups { of, count: numbers.len() }
    }
    /// How many objects each group has.
    pub(crate) fn sizes(&self) -> Vec<usize> {
        let mut sizes = vec![0; self.count];
        self.of.iter().filter(|g| **g != ALONE).for_each(|g| sizes[*g as usize] += 1);
        sizes
    }
    /// The mean of each group.
    pub(crate) fn means(&self, values: &Array2<f64>) -> Array2<f64> {
        let mut means = Array2::zeros((self.count, values.ncols()));
        for (row, g) in values.rows().into_iter().zip(&self.of).filter(|(_, g)| **g != ALONE) {
            let mut mean = means.row_mut(*g as usize);
            mean += &row;
        }
        for (mut mean, size) in means.rows_mut().into_iter().zip(self.sizes()) {
            mean.mapv_inplace(|v| v / size.max(1) as f64);
        }
        means
    }
    /// The mean of `(x - m)(x - m)ᵗ` over all objects of groups of two or more, `m` the mean of the group; and how many they are.
    pub(crate) fn scatter(&self, values: &Array2<f64>) -> (Array2<f64>, usize) {
        let (means, sizes) = (self.means(values), self.sizes());
        let within: Vec<usize> =
            (0..values.nrows()).filter(|i| self.of[*i] != ALONE && sizes[self.of[*i] as usize] > 1).collect();
        let mut off = values.select(ndarray::Axis(0), &within);
        for (mut row, i) in off.rows_mut().into_iter().zip(&within) {
            row -= &means.row(self.of[*i] as usize);
        }
        (off.t().dot(&off) / within.len().max(1) as f64, within.len())
    }
}

/// The place of each object among others.
///
/// # Fails
/// [`Error::Evidence`] for one that is not among them.
pub(crate) fn places(objects: &Objects, among: &Objects) -> Result<Vec<usize>, Error> {
    let index = among.index();
    let place = |label: &String| {
        index.get(label.as_str()).map(|item| item.index()).ok_or_else(|| Error::Evidence {
            what: format!("`{label}` is judged and has no features"),
            remedy: "give it a row of features, or leave its judgements out".into(),
        })
    };
    objects.labels().iter().map(place).collect()
}

/// A symmetric matrix's inverse root of what lies above a floor, in the columns: `V (Λ + floor)^(-1/2)`.
pub(crate) fn whitening(scatter: &Array2<f64>, ridge: f64) -> Result<(Array1<f64>, Array2<f64>), Error> {
    let (values, vectors) = nearer_num::dense::eigh(scatter.view())
        .map_err(|_| Error::Numerical { what: "the eigen-decomposition of a scatter".into() })?;
    let root = values.mapv(|v| 1.0 / (v.max(0.0) + ridge).sqrt());
    let factor = &vectors * &root;
    Ok((values, factor))
}
