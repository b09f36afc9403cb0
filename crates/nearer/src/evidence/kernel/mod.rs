//! Kernels: how alike objects are by their features, in a form that maps can be linear in.

mod base;
mod parts;
mod query;
mod spec;
#[cfg(test)]
mod tests;

pub use query::KernelQuery;
pub use spec::{KernelKind, KernelSpec, Made, Width};

use ndarray::{Array1, Array2, Axis};

use crate::error::Error;
use crate::evidence::Features;
use crate::object::Objects;
use base::Base;

/// Kernels as functions: all that is needed to give a new object its values against the training objects.
///
/// Centring takes the mean of the training objects out of the feature space, `k(x, y) - m(x) - m(y) + m̄` with `m(x)` the
/// mean of `k(x, ·)` over them; normalising divides by the lengths that are left, each object by its own. Kernels that are not
/// normalised are divided by the mean squared length, so that several weigh the same and no figure depends on units. All treat
/// a new object as an old one.
#[derive(Debug, Clone)]
pub struct KernelFunctions {
    objects: Objects,
    bases: Vec<Base>,
    kernels: Vec<Kernel>,
}

/// One kernel of a set: the sum or product of some bases, centred and normalised as asked.
#[derive(Debug, Clone)]
struct Kernel {
    name: String,
    terms: Vec<usize>,
    product: bool,
    normalise: bool,
    /// What the values are divided by: the mean of the diagonal after centring.
    size: f64,
    /// The means of the rows and of all values, where it is centred.
    means: Option<(Array1<f64>, f64)>,
    /// The lengths of the training objects after centring, where it is normalised.
    lengths: Array1<f64>,
}

/// What a linear kernel is made of.
pub(crate) struct LinearFeatures {
    /// The features of the training objects, centred where the kernel is.
    pub(crate) values: Array2<f64>,
    /// Their names.
    pub(crate) names: Vec<String>,
    /// What the inner products were divided by.
    pub(crate) size: f64,
}

/// Named kernels of the same objects, with their values among them.
///
/// ```
/// use ndarray::array;
/// use nearer::evidence::{KernelKind, KernelSpec, Kernels};
/// use nearer::{Features, Objects};
/// # fn main() -> Result<(), nearer::Error> {
/// let animals = Objects::new(["ant", "bee", "cow"])?;
/// let features = Features::new(animals.clone(), ["legs", "wings"], array![[6.0, 0.0], [6.0, 4.0], [4.0, 0.0]])?;
/// let kernels = Kernels::new(&animals, &[(KernelSpec::new("body", KernelKind::Linear), Some(&features))])?;
/// // Centred: the rows sum to zero.
/// assert!(kernels.matrix(0).sum().abs() < 1e-12);
/// # Ok(()) }
/// ```
#[derive(Debug, Clone)]
pub struct Kernels {
    functions: KernelFunctions,
    matrices: Vec<Array2<f64>>,
}

impl Kernels {
    /// The kernels that are asked for over the features that go with them, on these objects. A kernel that is part of a sum
    /// or product is not used on its own. A precomputed kernel takes a table with a row and a column for each object.
    pub fn new(objects: &Objects, asked: &[(KernelSpec, Option<&Features>)]) -> Result<Self, Error> {
        let refuse = |what: String, remedy: &str| Err(Error::Evidence { what, remedy: remedy.into() });
        let mut bases: Vec<Base> = Vec::new();
        let mut wanted: Vec<(&KernelSpec, Vec<usize>, bool)> = Vec::new();
        let mut used: Vec<usize> = Vec::new();
        for (k, (spec, features)) in asked.iter().enumerate() {
            if asked[..k].iter().any(|(s, _)| s.name == spec.name) {
                return refuse(format!("two kernels are called `{}`", spec.name), "give each a name of its own");
            }
            let (terms, product) = match (&spec.made, features) {
                (Made::Of { kind, standardise, columns, .. }, Some(table)) => {
                    let table = table.chosen(columns)?;
                    bases.push(Base::new(&spec.name, *kind, *standardise, &table, objects)?);
                    (vec![bases.len() - 1], false)
                }
                (Made::Of { .. }, None) => {
                    return refuse(format!("kernel `{}` has no features", spec.name), "give a table of them");
                }
                (Made::Sum(names) | Made::Product(names), _) => {
                    let mut terms = Vec::new();
                    for name in names {
                        match bases.iter().position(|b| b.name == *name) {
                            Some(b) => terms.push(b),
                            None => {
                                return refuse(
                                    format!(
                                        "kernel `{}` is made of `{name}`, which is not one of those before it",
                                        spec.name
                                    ),
                                    "name its parts first",
                                );
                            }
                        }
                    }
                    used.extend(&terms);
                    (terms, matches!(spec.made, Made::Product(_)))
                }
            };
            wanted.push((spec, terms, product));
        }
        wanted.retain(|(spec, terms, _)| !matches!(spec.made, Made::Of { .. }) || !used.contains(&terms[0]));
        if wanted.is_empty() {
            return refuse("no kernel is given".into(), "give one at least");
        }
        let asked = wanted
            .into_iter()
            .map(|(spec, terms, product)| Asked {
                name: spec.name.clone(),
                terms,
                product,
                centre: spec.centre,
                normalise: spec.normalise,
            })
            .collect();
        Self::made(objects.clone(), bases, asked)
    }

    fn made(objects: Objects, bases: Vec<Base>, asked: Vec<Asked>) -> Result<Self, Error> {
        let raw: Vec<Array2<f64>> = bases.iter().map(Base::matrix).collect();
        let (mut kernels, mut matrices) = (Vec::new(), Vec::new());
        for one in asked {
            let mut k = raw[one.terms[0]].clone();
            for term in &one.terms[1..] {
                if one.product { k *= &raw[*term] } else { k += &raw[*term] }
            }
            let means = one.centre.then(|| {
                let rows = k.mean_axis(Axis(1)).unwrap_or_default();
                let all = rows.mean().unwrap_or(0.0);
                k = k.clone() - &rows.clone().insert_axis(Axis(1)) - &rows + all;
                (rows, all)
            });
            let mut lengths = Array1::zeros(0);
            if one.normalise {
                let largest = k.diag().iter().fold(0.0, |m: f64, v| m.max(*v));
                if let Some(i) = k.diag().iter().position(|v| *v <= 1e-12 * largest) {
                    return Err(nothing_left(&one.name, &objects.labels()[i]));
                }
                lengths = k.diag().mapv(f64::sqrt);
                k = k / &lengths / &lengths.clone().insert_axis(Axis(1));
            }
            let size = if one.normalise { 1.0 } else { k.diag().mean().unwrap_or(0.0) };
            if !(size > 0.0 && size.is_finite()) {
                return Err(Error::Evidence {
                    what: format!("kernel `{}` does not tell the objects apart", one.name),
                    remedy: "check its features, or choose another width".into(),
                });
            }
            k /= size;
            let Asked { name, terms, product, normalise, .. } = one;
            kernels.push(Kernel { name, terms, product, normalise, size, means, lengths });
            matrices.push(k);
        }
        Ok(Kernels { functions: KernelFunctions { objects, bases, kernels }, matrices })
    }

    /// The objects.
    #[must_use]
    pub fn objects(&self) -> &Objects {
        &self.functions.objects
    }
    /// How many kernels there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.matrices.len()
    }
    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.matrices.is_empty()
    }
    /// The values of the k-th kernel among the objects.
    #[must_use]
    pub fn matrix(&self, k: usize) -> &Array2<f64> {
        &self.matrices[k]
    }
    /// The names of the kernels.
    #[must_use]
    pub fn names(&self) -> Vec<&str> {
        self.functions.names()
    }
    /// The kernels as functions, for new objects.
    #[must_use]
    pub fn functions(&self) -> &KernelFunctions {
        &self.functions
    }
    /// What should be known about them: eigenvalues that were clipped.
    #[must_use]
    pub fn notes(&self) -> Vec<String> {
        self.functions.bases.iter().flat_map(|b| b.notes.iter().cloned()).collect()
    }
    /// The squared distance of two objects in the features of all kernels side by side.
    #[must_use]
    pub fn squared_distance(&self, i: usize, j: usize) -> f64 {
        self.matrices.iter().map(|k| k[(i, i)] + k[(j, j)] - 2.0 * k[(i, j)]).sum::<f64>().max(0.0)
    }

    /// The kernels on some of the objects, centred and normalised by those alone (widths stay), and a query that asks for
    /// others of the objects: what holding objects out needs.
    pub fn split(&self, trained: &[usize], asked: &[usize]) -> Result<(Kernels, KernelQuery), Error> {
        let f = &self.functions;
        let again = f
            .kernels
            .iter()
            .map(|k| Asked {
                name: k.name.clone(),
                terms: k.terms.clone(),
                product: k.product,
                centre: k.means.is_some(),
                normalise: k.normalise,
            })
            .collect();
        let bases = f.bases.iter().map(|b| b.subset(trained)).collect();
        let kernels = Kernels::made(f.objects.subset(trained), bases, again)?;
        Ok((kernels, self.query_of(asked, trained)))
    }

    /// A query that asks for some of the objects, of a map that was trained on others of them, in that order.
    #[must_use]
    pub fn query_of(&self, asked: &[usize], trained: &[usize]) -> KernelQuery {
        let taken = self.functions.bases.iter().map(|b| b.taken_of(asked, trained)).collect();
        KernelQuery::new(self.objects().subset(asked), taken)
    }

    /// The kernels on the objects of these labels alone, as [`split`](Self::split) makes them.
    pub fn restricted(&self, objects: &Objects) -> Result<Kernels, Error> {
        Ok(self.split(&self.places(objects)?, &[])?.0)
    }

    /// A query for the objects of these labels, of a map trained on those.
    pub fn asked(&self, objects: &Objects, trained: &Objects) -> Result<KernelQuery, Error> {
        Ok(self.query_of(&self.places(objects)?, &self.places(trained)?))
    }

    fn places(&self, objects: &Objects) -> Result<Vec<usize>, Error> {
        let index = self.objects().index();
        let place = |l: &String| {
            index.get(l.as_str()).map(|i| i.index()).ok_or_else(|| Error::Evidence {
                what: format!("`{l}` has no features"),
                remedy: "give every object its features".into(),
            })
        };
        objects.labels().iter().map(place).collect()
    }
}

struct Asked {
    name: String,
    terms: Vec<usize>,
    product: bool,
    centre: bool,
    normalise: bool,
}

impl KernelFunctions {
    /// The training objects.
    #[must_use]
    pub fn objects(&self) -> &Objects {
        &self.objects
    }
    /// The names of the kernels.
    #[must_use]
    pub fn names(&self) -> Vec<&str> {
        self.kernels.iter().map(|k| k.name.as_str()).collect()
    }
    /// How many kernels there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.kernels.len()
    }
    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.kernels.is_empty()
    }

    /// The features behind the k-th kernel, where it is linear in them: its values are their inner products over `size`.
    pub(crate) fn linear(&self, k: usize) -> Option<LinearFeatures> {
        let kernel = &self.kernels[k];
        let base = &self.bases[kernel.terms[0]];
        if kernel.terms.len() > 1 || kernel.normalise || base.formula != base::Formula::Linear {
            return None;
        }
        let mut values = base.training.clone();
        if kernel.means.is_some()
            && let Some(mean) = values.mean_axis(Axis(0))
        {
            values -= &mean;
        }
        Some(LinearFeatures { values, names: base.columns.clone(), size: kernel.size })
    }

    /// The values of one object of a query against the training objects, one row for each kernel.
    pub fn row(&self, query: &KernelQuery, object: usize) -> Result<Vec<Vec<f64>>, Error> {
        let label = &query.objects().labels()[object];
        let raw: Vec<(Vec<f64>, Option<f64>)> = self
            .bases
            .iter()
            .zip(query.taken())
            .map(|(b, t)| b.row(t.values.row(object), t.own.as_ref().map(|o| o[object])))
            .collect();
        let one = |kernel: &Kernel| {
            let (mut row, mut own) = raw[kernel.terms[0]].clone();
            for term in &kernel.terms[1..] {
                let (other, its) = &raw[*term];
                row.iter_mut().zip(other).for_each(|(a, b)| if kernel.product { *a *= b } else { *a += b });
                own = own.zip(*its).map(|(a, b)| if kernel.product { a * b } else { a + b });
            }
            if let Some((means, all)) = &kernel.means {
                let mean = row.iter().sum::<f64>() / row.len().max(1) as f64;
                row.iter_mut().zip(means).for_each(|(v, m)| *v += all - m - mean);
                own = own.map(|o| o - 2.0 * mean + all);
            }
            if kernel.normalise {
                let own = own.ok_or_else(|| Error::Evidence {
                    what: format!(
                        "kernel `{}` is normalised, and the value of `{label}` with itself is not given",
                        kernel.name
                    ),
                    remedy: "add a column `self` to the rows of the precomputed kernel".into(),
                })?;
                if own <= 0.0 {
                    return Err(nothing_left(&kernel.name, label));
                }
                row.iter_mut().zip(&kernel.lengths).for_each(|(v, l)| *v /= l * own.sqrt());
            }
            row.iter_mut().for_each(|v| *v /= kernel.size);
            Ok(row)
        };
        self.kernels.iter().map(one).collect()
    }
}

fn nothing_left(kernel: &str, label: &str) -> Error {
    Error::Evidence {
        what: format!("`{label}` has length 0 in kernel `{kernel}`, so it cannot be normalised"),
        remedy: "leave the object out, or say normalise=no for this kernel".into(),
    }
}
