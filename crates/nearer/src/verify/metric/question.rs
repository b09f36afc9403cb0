//! What was asked of a metric, stated once more from features and judgements.

use std::borrow::Cow;

use ndarray::Array2;

use super::super::About;
use super::super::question::{Said, Trouble, other_question};
use super::super::rank::Axes;
use super::super::space::principal_coordinates;
use crate::error::Error;
use crate::evidence::{Classes, Evidence, Features, sampled_pairs};
use crate::graph::class_neighbours;
use crate::io::CertificateFile;
use crate::program::{Block, MetricAsk};

/// A weight that settings say as a share may differ by this much of it from what is made of them here.
const SAME: f64 = 1e-9;

/// The features as they are scaled, and what is asked of a metric on them.
pub(super) struct Question {
    features: Features,
    pub(super) scale: Vec<f64>,
    pub(super) ask: MetricAsk,
    /// Where the features are coordinates in the span of kernels: those of the file, and the turn that takes them to these.
    named: Option<(Array2<f64>, Array2<f64>)>,
}

impl Question {
    /// The question of a method about features and judgements.
    pub(super) fn of(file: &CertificateFile, said: &Said<'_>, about: &About<'_>) -> Result<Question, Trouble> {
        let claim = &file.claim;
        let spanned = if file.space.is_empty() { None } else { Some(coordinates(&file.space, about)?) };
        let own = spanned.as_ref().map(|(features, ..)| features);
        let Some(features) = own.or(about.features) else {
            return Err(Trouble::Input(Error::Evidence {
                what: "the certificate is about a metric on features, and none are given".into(),
                remedy: "give the features that it was learned on".into(),
            }));
        };
        let evidence = about.evidence.as_ref();
        if evidence.objects() != features.objects() {
            return Err(Trouble::Input(Error::Evidence {
                what: "judgements and features are not of the same objects in the same order".into(),
                remedy: "give both as they were for the fit".into(),
            }));
        }
        // Coordinates in the span of kernels stand as they are.
        let standardise = spanned.is_none() && said.flag("unit-variance")?;
        let spreads = features.spreads();
        let scale: Vec<f64> =
            spreads.iter().map(|(_, spread)| if standardise && *spread > 0.0 { *spread } else { 1.0 }).collect();
        let named = spanned.as_ref().map(|(_, named, turn)| (named.clone(), turn.clone()));
        let question = |ask| Question { features: features.clone(), scale: scale.clone(), ask, named: named.clone() };
        let weight = said.needed("weight")?;
        let found = match (claim.method.as_str(), evidence) {
            ("lmnn", Evidence::Sorts(sorts)) => {
                let group = groups(&Classes::of(sorts)?);
                let count = said.count("targets")?.unwrap_or(0);
                // Among neighbours that are equally near but for a rounding, the coordinates of the file say which they are.
                let seen = match &spanned {
                    Some((features, named, _)) => Cow::Owned(Features::new(
                        features.objects().clone(),
                        features.columns().to_vec(),
                        named.clone(),
                    )?),
                    None => Cow::Borrowed(features),
                };
                let targets = class_neighbours(&seen, &scale, &group, count);
                question(MetricAsk::Neighbours { group, targets, push: said.needed("push")?, ridge: weight })
            }
            ("lmnn", Evidence::Comparisons(c)) => {
                let two = |p: crate::object::Pair| [p.first().index() as u32, p.second().index() as u32];
                let rows = c.iter().map(|r| (two(r.near), two(r.far), r.weight, r.margin)).collect();
                question(MetricAsk::Compared { rows, push: said.needed("push")?, ridge: weight })
            }
            ("mmc", Evidence::Sorts(_) | Evidence::Pairs(_)) => {
                let (similar, all) = sides(evidence, said, claim.seed)?;
                let differ = |p: &(u32, u32, f64)| features.row(p.0 as usize) != features.row(p.1 as usize);
                let dissimilar = all.into_iter().filter(differ).collect();
                let diagonal = said.word("form", &["full", "diagonal"])? == "diagonal";
                question(MetricAsk::Apart { similar, dissimilar, ridge: weight, diagonal })
            }
            ("mcml", Evidence::Sorts(sorts)) => {
                question(MetricAsk::Collapse { group: groups(&Classes::of(sorts)?), trace: weight })
            }
            (known, other) => {
                return Err(Trouble::Input(Error::Evidence {
                    what: format!("a certificate of {known} is not about {}", other.kind()),
                    remedy: "give the evidence that the map was made of".into(),
                }));
            }
        };
        let share = said.needed(if claim.method == "mcml" { "trace" } else { "ridge" })?;
        let own = share * found.variance();
        if (own - weight).abs() > SAME * own {
            return Err(Trouble::Claim("settings", format!("its weight is {weight}, and its settings make {own}")));
        }
        Ok(found)
    }

    pub(super) fn fingerprint(&self) -> String {
        self.ask.fingerprint(self.features.objects(), &self.scale, self.named.as_ref().map(|(named, _)| named))
    }

    /// The factor of the file on these features.
    pub(super) fn turned(&self, factor: &Array2<f64>) -> Array2<f64> {
        match &self.named {
            Some((_, turn)) => turn.dot(factor),
            None => factor.clone(),
        }
    }

    /// Whether each feature has a weight of its own.
    pub(super) fn by_feature(&self) -> bool {
        matches!(self.ask, MetricAsk::Apart { diagonal: true, .. })
    }

    /// The set that the bound speaks of.
    pub(super) fn about(&self) -> String {
        self.ask.about(self.named.as_ref().map(|_| self.scale.len())).into_owned()
    }

    /// A feature of an object as it is scaled, without its mean.
    pub(super) fn rows(&self) -> Vec<Vec<f64>> {
        let means: Vec<f64> = self.features.spreads().iter().map(|s| s.0).collect();
        (0..self.features.len())
            .map(|i| {
                let one = |k: usize| (self.features.values()[(i, k)] - means[k]) / self.scale[k];
                (0..self.scale.len()).map(one).collect()
            })
            .collect()
    }

    /// The directions that the features span: how many of the mean variances there are.
    fn width(&self, rows: &[Vec<f64>]) -> f64 {
        if self.by_feature() {
            return self.scale.len() as f64;
        }
        let points = Array2::from_shape_fn((rows.len(), self.scale.len()), |(i, k)| rows[i][k]);
        // In columns of one spread as well: a column in a small unit is no rounding of another.
        let mut even = points.clone();
        for mut column in even.columns_mut() {
            let size = column.iter().map(|v| v * v / rows.len() as f64).sum::<f64>().sqrt();
            column.mapv_inplace(|v| if size > 0.0 { v / size } else { v });
        }
        Axes::of(&points).beyond(1e-12).max(Axes::of(&even).beyond(1e-12)) as f64
    }

    /// What a share of the variance is a share of.
    fn variance(&self) -> f64 {
        let rows = self.rows();
        let width = self.width(&rows);
        let square = |i: u32, j: u32| -> f64 {
            rows[i as usize].iter().zip(&rows[j as usize]).map(|(a, b)| (a - b) * (a - b)).sum()
        };
        let all: f64 = rows.iter().flatten().map(|v| v * v).sum();
        let pairs: Vec<(u32, u32, f64)> = match &self.ask {
            MetricAsk::Neighbours { targets, push, .. } => targets.iter().map(|(i, j)| (*i, *j, 1.0 - push)).collect(),
            MetricAsk::Compared { rows, push, .. } => {
                rows.iter().map(|r| (r.0[0], r.0[1], (1.0 - push) * r.2)).collect()
            }
            MetricAsk::Apart { similar, .. } => similar.clone(),
            MetricAsk::Collapse { .. } => return all / width,
        };
        let sum: f64 = pairs.iter().map(|(i, j, w)| w * square(*i, *j)).sum();
        let weight: f64 = pairs.iter().map(|p| p.2).sum();
        if sum > 0.0 { sum / width } else { weight.max(1.0) * all / rows.len() as f64 / width }
    }
}

/// The coordinates that kernels give the objects, those of the file, and the turn from these to those.
fn coordinates(space: &[Block], about: &About<'_>) -> Result<(Features, Array2<f64>, Array2<f64>), Trouble> {
    let kernels = about.spanning()?;
    let [Block { basis, charge: None }] = space else {
        return Err(other_question(
            "a metric in the span of kernels has one list of coordinates, which are charged nothing",
        ));
    };
    about.limits.afford(72.0 * (kernels.objects().len() as f64).powi(2))?;
    let Some((own, turn)) = principal_coordinates(kernels, basis, &about.limits) else {
        return Err(other_question("its coordinates are not those that the kernels give the objects"));
    };
    let names = (1..=own.ncols()).map(|k| k.to_string());
    Ok((Features::new(kernels.objects().clone(), names, own)?, basis.clone(), turn))
}

/// The class of each object; `u32::MAX` for none.
fn groups(classes: &Classes) -> Vec<u32> {
    (0..classes.objects().len()).map(|i| classes.class(i).unwrap_or(u32::MAX)).collect()
}

type Sides = (Vec<(u32, u32, f64)>, Vec<(u32, u32, f64)>);

/// The pairs alike and not, as they are given or drawn from classes.
fn sides(evidence: &Evidence, said: &Said<'_>, seed: u64) -> Result<Sides, Trouble> {
    match evidence {
        Evidence::Pairs(pairs) => {
            let step = if pairs.is_mirrored() { 2 } else { 1 };
            let (mut alike, mut not) = (Vec::new(), Vec::new());
            for row in pairs.iter().step_by(step) {
                let (a, b) = (row.from.index() as u32, row.to.index() as u32);
                let list = if row.similar { &mut alike } else { &mut not };
                list.push((a.min(b), a.max(b), row.weight));
            }
            Ok((alike, not))
        }
        Evidence::Sorts(sorts) => {
            let Some(count) = said.count("pairs")? else {
                return Err(Trouble::Claim("settings", "it does not say how many pairs were drawn".into()));
            };
            let (alike, not) = sampled_pairs(sorts.objects(), &groups(&Classes::of(sorts)?), count, seed);
            let weighed = |list: Vec<(u32, u32)>| list.into_iter().map(|(a, b)| (a, b, 1.0)).collect();
            Ok((weighed(alike), weighed(not)))
        }
        _ => Ok((Vec::new(), Vec::new())),
    }
}
