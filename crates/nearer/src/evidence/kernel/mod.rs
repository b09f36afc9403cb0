//! Kernels: how alike objects are by their features, in a form that maps can be linear in.

mod base;
mod finish;
mod parts;
mod query;
mod spanning;
mod spec;
#[cfg(test)]
mod tests;

pub use query::KernelQuery;
pub(crate) use spanning::spanning_objects;
pub use spec::{KernelKind, KernelSpec, Made, Width};

use ndarray::{Array2, Axis};

use crate::error::Error;
use crate::evidence::Features;
use crate::object::Objects;
use base::Base;
use finish::{Finish, Wish};

/// Kernels as functions: all that is needed to give a new object its values against the training objects.
///
/// Centring takes the mean of the training objects out of the feature space, `k(x, y) - m(x) - m(y) + m̄` with `m(x)` the
/// mean of `k(x, ·)` over them; normalising divides by the lengths that are left, each object by its own. Kernels that are not
/// normalised are divided by the mean squared length, so that several weigh the same and no figure depends on units. The parts of a
/// sum are each centred and normalised by their own wishes before they are added (the product space of McFee and Lanckriet), so
/// none drowns the others by its units; those of a product are multiplied as they are. All treat a new object as an old one.
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
    /// What is done to each term of a sum before it is added; of other kernels there is nothing.
    parts: Vec<Finish>,
    whole: Finish,
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
        let mut wishes: Vec<Wish> = Vec::new();
        let mut wanted: Vec<(&KernelSpec, Vec<usize>, bool)> = Vec::new();
        let mut used: Vec<usize> = Vec::new();
        for (k, (spec, features)) in asked.iter().enumerate() {
            if asked[..k].iter().any(|(s, _)| s.name == spec.name) {
                let remedy = "write a name of its own before one of them, as other=rbf:FILE";
                return refuse(format!("two kernels are called `{}`", spec.name), remedy);
            }
            let (terms, product) = match (&spec.made, features) {
                (Made::Of { kind, standardise, columns, .. }, Some(table)) => {
                    let table = table.chosen(columns)?;
                    bases.push(Base::new(&spec.name, *kind, *standardise, &table, objects)?);
                    wishes.push(Wish { centre: spec.centre, normalise: spec.normalise });
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
                parts: if matches!(spec.made, Made::Sum(_)) {
                    terms.iter().map(|t| wishes[*t]).collect()
                } else {
                    Vec::new()
                },
                terms,
                product,
                whole: Wish { centre: spec.centre, normalise: spec.normalise },
            })
            .collect();
        Self::made(objects.clone(), bases, asked)
    }

    fn made(objects: Objects, bases: Vec<Base>, asked: Vec<Asked>) -> Result<Self, Error> {
        let raw: Vec<Array2<f64>> = bases.iter().map(Base::matrix).collect();
        let (mut kernels, mut matrices) = (Vec::new(), Vec::new());
        for one in asked {
            let mut parts = Vec::new();
            let mut k: Option<Array2<f64>> = None;
            for (at, term) in one.terms.iter().enumerate() {
                let mut own = raw[*term].clone();
                if let Some(wish) = one.parts.get(at) {
                    parts.push(Finish::of(&bases[*term].name, &mut own, *wish, &objects)?);
                }
                k = Some(match k {
                    None => own,
                    Some(k) if one.product => k * &own,
                    Some(k) => k + &own,
                });
            }
            let mut k = k.expect("a kernel has a term");
            let whole = Finish::of(&one.name, &mut k, one.whole, &objects)?;
            let Asked { name, terms, product, .. } = one;
            kernels.push(Kernel { name, terms, product, parts, whole });
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
    /// Directions that the widest of the kernels can span: as many as a linear one has features, else as many as there are objects.
    pub(crate) fn span(&self) -> usize {
        let one = |k| self.functions.linear_columns(k).unwrap_or(self.objects().len());
        (0..self.len()).map(one).max().unwrap_or(0)
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
                parts: k.parts.iter().map(Finish::wish).collect(),
                whole: k.whole.wish(),
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
    parts: Vec<Wish>,
    whole: Wish,
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

    /// How many features the k-th kernel is linear in, where it is.
    fn linear_columns(&self, k: usize) -> Option<usize> {
        let kernel = &self.kernels[k];
        let base = &self.bases[kernel.terms[0]];
        let plain = kernel.terms.len() == 1 && kernel.parts.is_empty() && !kernel.whole.normalise;
        (plain && base.formula == base::Formula::Linear).then_some(base.columns.len())
    }

    /// The features behind the k-th kernel, where it is linear in them: its values are their inner products over `size`.
    pub(crate) fn linear(&self, k: usize) -> Option<LinearFeatures> {
        self.linear_columns(k)?;
        let kernel = &self.kernels[k];
        let base = &self.bases[kernel.terms[0]];
        let mut values = base.training.clone();
        if kernel.whole.means.is_some()
            && let Some(mean) = values.mean_axis(Axis(0))
        {
            values -= &mean;
        }
        Some(LinearFeatures { values, names: base.columns.clone(), size: kernel.whole.size })
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
            let mut sum: Option<(Vec<f64>, Option<f64>)> = None;
            for (at, term) in kernel.terms.iter().enumerate() {
                let (mut row, mut own) = raw[*term].clone();
                if let Some(part) = kernel.parts.get(at) {
                    (row, own) = part.row(&self.bases[*term].name, label, row, own)?;
                }
                sum = Some(match sum {
                    None => (row, own),
                    Some((mut all, its)) => {
                        all.iter_mut().zip(&row).for_each(|(a, b)| if kernel.product { *a *= b } else { *a += b });
                        (all, its.zip(own).map(|(a, b)| if kernel.product { a * b } else { a + b }))
                    }
                });
            }
            let (row, own) = sum.expect("a kernel has a term");
            Ok(kernel.whole.row(&kernel.name, label, row, own)?.0)
        };
        self.kernels.iter().map(one).collect()
    }
}
