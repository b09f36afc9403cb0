//! What a method that weighs columns asks, written down a second time from its definition.

use std::collections::HashMap;

use ndarray::Array2;

use crate::error::Error;
use crate::evidence::{Comparisons, Evidence, Features, Kernels};
use crate::io::CertificateFile;
use crate::object::{Objects, Pair};
use crate::program::{Fingerprint, Sense};
use crate::verify::About;
use crate::verify::question::{Said, Trouble, Two, all_pairs, basis, grown, other_question, place};
use crate::verify::rounding::Wide;

/// `min ½ wᵗ P w + cᵗ w + s Σ d + Σ weight [margin + d(near) - d(far)]₊` over weights that are not negative, `d ≤ B` where there is
/// such a bound; what is maximised stands with its sign turned.
#[derive(Debug)]
pub(super) struct Weighing {
    pub(super) objects: Objects,
    pub(super) sense: Sense,
    pub(super) columns: Columns,
    pub(super) cost: Vec<f64>,
    pub(super) bend: Bend,
    /// `s`.
    pub(super) spread: f64,
    /// `B`.
    pub(super) bound: Option<f64>,
    pub(super) rows: Vec<Weighed>,
}

/// One comparison: what of the far pair is missing to the near one and the margin is paid for.
#[derive(Debug, Clone, Copy)]
pub(super) struct Weighed {
    pub(super) near: Two,
    pub(super) far: Two,
    pub(super) margin: f64,
    pub(super) weight: f64,
}

/// What is weighed.
#[derive(Debug)]
pub(super) enum Columns {
    /// A row an object: a weight counts the squared difference of two rows.
    Features(Array2<f64>),
    /// A row a pair: a weight counts what stands there.
    Distances(Array2<f64>),
}

/// `P`.
#[derive(Debug)]
pub(super) enum Bend {
    None,
    Diagonal(Vec<f64>),
    Blocks(Vec<Array2<f64>>),
}

impl Weighing {
    /// The question of a claim about evidence.
    pub(super) fn of(file: &CertificateFile, said: &Said<'_>, about: &About<'_>) -> Result<Self, Trouble> {
        let Evidence::Comparisons(c) = about.evidence.as_ref() else {
            return Err(Trouble::Input(Error::Evidence {
                what: format!("a certificate of {} is not about {}", file.claim.method, about.evidence.kind()),
                remedy: "give the comparisons that the map was made of".into(),
            }));
        };
        let slack = said.needed("slack")?;
        let (svm, table) = (file.claim.method == "svm-metric", about.features.filter(|_| about.kernels.is_none()));
        let mut q = if let Some(features) = table.filter(|_| svm) {
            plain_features(features, said)?
        } else if svm {
            support_vectors(about.spanning()?, said, file)?
        } else {
            partial_order(about.spanning()?, said, file)?
        };
        if q.objects != *c.objects() {
            return Err(other_question("the features are of other objects than the comparisons"));
        }
        q.rows = if svm { compared(c, slack) } else { compared(&grown(c, said, file.claim.seed)?, slack) };
        Ok(q)
    }

    pub(super) fn n(&self) -> usize {
        self.objects.len()
    }

    /// How many weights there are.
    pub(super) fn width(&self) -> usize {
        self.table().ncols()
    }

    fn table(&self) -> &Array2<f64> {
        match &self.columns {
            Columns::Features(table) | Columns::Distances(table) => table,
        }
    }

    /// What column `p` counts for a pair, right to four roundings.
    pub(super) fn square(&self, (i, j): Two, p: usize) -> f64 {
        let (i, j) = (i as usize, j as usize);
        match &self.columns {
            Columns::Features(f) => (f[(i, p)] - f[(j, p)]) * (f[(i, p)] - f[(j, p)]),
            Columns::Distances(d) => d[(place(self.n(), i, j), p)],
        }
    }

    /// The same as a wide number.
    pub(super) fn wide(&self, (i, j): Two, p: usize) -> Wide {
        let (i, j) = (i as usize, j as usize);
        match &self.columns {
            Columns::Features(f) => Wide::square_of_difference(f[(i, p)], f[(j, p)]),
            Columns::Distances(d) => d[(place(self.n(), i, j), p)].into(),
        }
    }

    /// What all pairs at the bound would count for.
    pub(super) fn scale(&self) -> f64 {
        let pairs = 0.5 * self.n() as f64 * (self.n() as f64 - 1.0);
        self.bound.map_or(0.0, |b| self.spread.abs() * b * pairs)
    }

    /// What may stand as the subject of the sentence that is proved.
    pub(super) fn subject(&self) -> String {
        format!("no weighting of these {} columns", self.width())
    }

    /// What of it is no question that numbers can answer, if something is.
    pub(super) fn defect(&self) -> Option<String> {
        let bent: Box<dyn Iterator<Item = &f64>> = match &self.bend {
            Bend::None => Box::new(std::iter::empty()),
            Bend::Diagonal(diagonal) => Box::new(diagonal.iter()),
            Bend::Blocks(blocks) => Box::new(blocks.iter().flatten()),
        };
        let odd = |v: &&f64| !(v.is_finite() && **v >= 0.0);
        if let Some(v) = self.cost.iter().chain(bent).chain(self.bound.iter()).find(odd) {
            return Some(format!("what weights cost, or their bound, is {v}, which is no question"));
        }
        if let Some(v) = self.table().iter().find(|v| !v.is_finite()) {
            return Some(format!("a number that is weighed is {v}"));
        }
        let wrong = |r: &&Weighed| !(r.weight.is_finite() && r.weight > 0.0 && r.margin.is_finite());
        self.rows
            .iter()
            .find(wrong)
            .map(|r| format!("a comparison weighs {} and has a margin of {}", r.weight, r.margin))
    }

    /// The same name that the program has, if both state the same question.
    pub(super) fn fingerprint(&self) -> String {
        let mut print = Fingerprint::new("nearer weights 1");
        print.objects(&self.objects);
        print.sense(self.sense);
        print.number(self.spread);
        print.perhaps(self.bound);
        print.table(self.table());
        self.cost.iter().for_each(|c| print.number(*c));
        match &self.bend {
            Bend::None => print.count(0),
            Bend::Diagonal(diagonal) => diagonal.iter().for_each(|v| print.number(*v)),
            Bend::Blocks(blocks) => blocks.iter().for_each(|b| print.table(b)),
        }
        print.count(self.rows.len());
        for row in &self.rows {
            for (i, j) in [row.near, row.far] {
                print.count(i as usize);
                print.count(j as usize);
            }
            print.number(row.margin);
            print.number(row.weight);
        }
        print.finish()
    }
}

/// The same over the columns of a table as they stand, about their means.
fn plain_features(features: &Features, said: &Said<'_>) -> Result<Weighing, Trouble> {
    if said.word("over", &["kernels", "features"])? != "features" {
        return Err(other_question("kernels are said to be weighed, and features are given"));
    }
    let (n, mut table) = (features.len(), features.values().to_owned());
    for mut column in table.columns_mut() {
        let mean = column.iter().sum::<f64>() / n as f64;
        column.iter_mut().for_each(|v| *v -= mean);
    }
    of_columns(features.objects(), table, said)
}

/// A weight for each column of a table: `min Σ w²` or `Σ w`, and what comparisons miss.
fn of_columns(objects: &Objects, table: Array2<f64>, said: &Said<'_>) -> Result<Weighing, Trouble> {
    let (trace, width) = (said.word("form", &["qp", "trace"])? == "trace", table.ncols());
    Ok(Weighing {
        objects: objects.clone(),
        sense: Sense::Minimise,
        columns: Columns::Features(table),
        cost: vec![if trace { 1.0 } else { 0.0 }; width],
        bend: if trace { Bend::None } else { Bend::Diagonal(vec![2.0; width]) },
        spread: 0.0,
        bound: None,
        rows: Vec::new(),
    })
}

/// `min wᵗ L w` or `Σ w K_pp`, and what comparisons miss.
fn support_vectors(kernels: &Kernels, said: &Said<'_>, file: &CertificateFile) -> Result<Weighing, Trouble> {
    if said.word("over", &["kernels", "features"])? == "features" {
        let mut parts = Vec::new();
        for k in 0..kernels.len() {
            let Some(linear) = kernels.functions().linear(k) else {
                return Err(other_question("features are said to be weighed, and a kernel is not linear in them"));
            };
            parts.push(linear.values);
        }
        let views: Vec<_> = parts.iter().map(|p| p.view()).collect();
        let table =
            ndarray::concatenate(ndarray::Axis(1), &views).map_err(|_| other_question("features differ in size"))?;
        return of_columns(kernels.objects(), table, said);
    }
    let trace = said.word("form", &["qp", "trace"])? == "trace";
    let objects = named(kernels, said, file)?;
    let table = columns(kernels, &objects);
    let width = table.ncols();
    let block = |k: usize| {
        let m = kernels.matrix(k);
        Array2::from_shape_fn((objects.len(), objects.len()), |(i, j)| {
            let (x, y) = (m[(objects[i], objects[j])], m[(objects[j], objects[i])]);
            x * x + y * y
        })
    };
    Ok(Weighing {
        objects: kernels.objects().clone(),
        sense: Sense::Minimise,
        columns: Columns::Features(table),
        cost: if trace { sizes(kernels, &objects) } else { vec![0.0; width] },
        bend: if trace { Bend::None } else { Bend::Blocks((0..kernels.len()).map(block).collect()) },
        spread: 0.0,
        bound: None,
        rows: Vec::new(),
    })
}

/// `max Σ d`, less what comparisons miss and what weights cost, `d ≤ B`.
fn partial_order(kernels: &Kernels, said: &Said<'_>, file: &CertificateFile) -> Result<Weighing, Trouble> {
    let trace = said.number_or_zero("trace")?;
    let bound = said.needed("bound")?;
    let (columns, cost) = if said.word("weights", &["full", "diagonal", "kernel"])? == "diagonal" {
        let objects = named(kernels, said, file)?;
        let cost = sizes(kernels, &objects).into_iter().map(|size| trace * size).collect();
        (Columns::Features(columns(kernels, &objects)), cost)
    } else {
        let n = kernels.objects().len();
        let pairs: Vec<(usize, usize)> = all_pairs(n).collect();
        let apart = Array2::from_shape_fn((pairs.len(), kernels.len()), |(at, k)| {
            let ((i, j), m) = (pairs[at], kernels.matrix(k));
            (m[(i, i)] + m[(j, j)] - 2.0 * m[(i, j)]).max(0.0)
        });
        let mean = |k: usize| kernels.matrix(k).diag().mean().unwrap_or(0.0);
        (Columns::Distances(apart), (0..kernels.len()).map(|k| trace * mean(k)).collect())
    };
    Ok(Weighing {
        objects: kernels.objects().clone(),
        sense: Sense::Maximise,
        columns,
        cost,
        bend: Bend::None,
        spread: -1.0,
        bound: Some(bound),
        rows: Vec::new(),
    })
}

/// The objects whose kernel columns are weighed: those that the settings and the seed of the claim make, which the file has to name.
fn named(kernels: &Kernels, said: &Said<'_>, file: &CertificateFile) -> Result<Vec<usize>, Trouble> {
    let objects = basis(kernels, said, file.claim.seed)?;
    let named = file.weighed.iter().flat_map(|w| &w.columns).map(|i| *i as usize);
    if !named.eq(objects.iter().copied()) {
        let what = "the kernel columns that it names are not those that its settings and its seed make";
        return Err(Trouble::Claim("shape", what.into()));
    }
    Ok(objects)
}

/// The columns of these objects, kernel by kernel.
fn columns(kernels: &Kernels, objects: &[usize]) -> Array2<f64> {
    let b = objects.len();
    Array2::from_shape_fn((kernels.objects().len(), b * kernels.len()), |(i, c)| {
        kernels.matrix(c / b)[(i, objects[c % b])]
    })
}

/// `K_pp` of each column.
fn sizes(kernels: &Kernels, objects: &[usize]) -> Vec<f64> {
    let all = (0..kernels.len()).flat_map(|k| objects.iter().map(move |o| (k, *o)));
    all.map(|(k, o)| kernels.matrix(k)[(o, o)].max(0.0)).collect()
}

/// The same comparison several times is one, its weights added; rows stand as they first came.
fn compared(c: &Comparisons, slack: f64) -> Vec<Weighed> {
    let two = |pair: Pair| (pair.first().0, pair.second().0);
    let mut rows: Vec<Weighed> = Vec::new();
    let mut known: HashMap<(Two, Two, u64), usize> = HashMap::new();
    for one in c.iter() {
        let (near, far, next) = (two(one.near), two(one.far), rows.len());
        let k = *known.entry((near, far, one.margin.to_bits())).or_insert(next);
        if k == next {
            rows.push(Weighed { near, far, margin: one.margin, weight: slack * one.weight });
        } else {
            rows[k].weight += slack * one.weight;
        }
    }
    rows
}
