//! Placing by neighbours: a new object is linked to its nearest old ones, and goes where the map's own rule puts it.

use ndarray::{Array1, Array2};
use nearer_num::patches;
use nearer_num::paths::Search;

use crate::error::Error;
use crate::evidence::{DistanceRows, Features};
use crate::fit::{Place, place_rows};
use crate::geometry::{Embedding, Pose, Turn};
use crate::graph::KnownPairs;
use crate::model::Parts;
use crate::object::Objects;

/// A map that was made of a neighbourhood graph, with what is needed to put new objects on it.
///
/// The nearest old objects of a new one are found by its features, or in its row of distances; what follows is
/// the extension of the method: ways along the graph and the Nyström extension (Isomap), the weights that reconstruct it (locally linear
/// embedding), or the mean of its neighbours, stretched (Laplacian eigenmaps). An object at distance 0 from an old
/// one lies where that lies. Objects of equal features are one point, so the model holds each once.
///
/// # Cost
/// One pass over the old objects' features a new object, and for Isomap one search along the graph.
#[derive(Debug, Clone)]
pub struct Manifold {
    points: Embedding,
    seen: Known,
    reach: Reach,
    extension: Extension,
}

/// How old objects are known.
#[derive(Debug, Clone)]
enum Known {
    /// By rows of distances to them.
    Distances,
    /// By their features.
    Features { columns: Vec<String>, values: Array2<f64> },
}

/// Which old objects a new one is linked to.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Reach {
    /// So many nearest.
    Nearest(usize),
    /// All within a distance; the nearest where there are none.
    Within(f64),
}

/// How the neighbours of a new object say where it lies.
#[derive(Debug, Clone)]
pub(crate) enum Extension {
    /// `y = offset + Σ way² basis` over the ways to some old objects.
    Ways { graph: KnownPairs, landmarks: Vec<usize>, basis: Array2<f64>, offset: Array1<f64> },
    /// Weights that sum to 1 and reconstruct its features, the local products with this ridge.
    Weights { ridge: f64 },
    /// The weighted mean of its neighbours, each coordinate times a factor; weights by a heat kernel of this width, or all 1.
    Mean { factors: Array1<f64>, width: Option<f64> },
}

impl Manifold {
    /// A map whose points are those of different old objects, in this order.
    pub(crate) fn new(points: Embedding, features: Option<Features>, reach: Reach, extension: Extension) -> Self {
        let seen = features.map_or(Known::Distances, |features| {
            let (columns, values) = features.into_table();
            Known::Features { columns, values }
        });
        Manifold { points, seen, reach, extension }
    }
    /// The old objects that a new one is held against, each place once.
    #[must_use]
    pub fn points(&self) -> &Embedding {
        &self.points
    }
    /// The links that ways go along, as rows of a map of these objects; `None` where the model follows no ways.
    #[must_use]
    pub fn links(&self, map: &Objects) -> Option<Vec<[u32; 2]>> {
        let Extension::Ways { graph, .. } = &self.extension else { return None };
        let index = map.index();
        let row = |v: u32| index.get(self.points.objects().labels()[v as usize].as_str()).map(|i| i.0);
        let ends = graph.pairs().filter_map(|(a, b, _)| Some((row(a)?, row(b)?)));
        let mut links: Vec<[u32; 2]> = ends.map(|(a, b)| [a.min(b), a.max(b)]).collect();
        links.sort_unstable();
        Some(links)
    }
    /// Dimensions of the map.
    #[must_use]
    pub fn dim(&self) -> usize {
        self.points.dim()
    }
    /// Whether new objects are placed by features, not by rows of distances.
    #[must_use]
    pub fn takes_features(&self) -> bool {
        matches!(self.seen, Known::Features { .. })
    }

    /// Where an object lies from its distances to the old ones, `NaN` where unknown.
    fn point(&self, distances: &[f64], own: Option<&[f64]>, label: &str) -> Result<Vec<f64>, Error> {
        let order = |a: &usize, b: &usize| distances[*a].total_cmp(&distances[*b]).then(a.cmp(b));
        let mut known: Vec<usize> = (0..distances.len()).filter(|&j| !distances[j].is_nan()).collect();
        let Some(&nearest) = known.iter().min_by(|a, b| order(a, b)) else {
            return Err(Error::Evidence {
                what: format!("`{label}` has no distance to any object of the map"),
                remedy: "measure it against its nearest old objects at least".into(),
            });
        };
        if distances[nearest] == 0.0 {
            return Ok(self.points.point(nearest).to_vec());
        }
        match self.reach {
            Reach::Nearest(k) => {
                if known.len() > k {
                    known.select_nth_unstable_by(k - 1, order);
                    known.truncate(k);
                }
                known.sort_unstable_by(order);
            }
            Reach::Within(radius) => {
                known.retain(|&j| distances[j] <= radius);
                if known.is_empty() {
                    known.push(nearest);
                }
            }
        }
        Ok(match &self.extension {
            Extension::Ways { graph, landmarks, basis, offset } => {
                let sources: Vec<(u32, f64)> = known.iter().map(|&j| (j as u32, distances[j])).collect();
                let mut ways = vec![0.0; graph.len()];
                Search::new(graph.edges()).from(&sources, &mut ways);
                let mut y = offset.to_vec();
                for (&l, row) in landmarks.iter().zip(basis.rows()) {
                    y.iter_mut().zip(row).for_each(|(y, b)| *y += ways[l] * ways[l] * b);
                }
                y
            }
            Extension::Weights { ridge } => {
                let (Known::Features { values, .. }, Some(own)) = (&self.seen, own) else {
                    return Err(Error::Numerical { what: "placing by weights without features".into() });
                };
                let apart = |j: usize| values.row(j).iter().zip(own).map(|(v, x)| v - x).collect::<Vec<f64>>();
                let near: Vec<Vec<f64>> = known.iter().map(|&j| apart(j)).collect();
                let product = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
                let gram = Array2::from_shape_fn((near.len(), near.len()), |(a, b)| product(&near[a], &near[b]));
                self.mean(&known, &patches::sum_to_one(&gram, *ridge))
            }
            Extension::Mean { factors, width } => {
                // About the nearest, so that a heat kernel of an object far away does not vanish altogether.
                let least = distances[nearest] * distances[nearest];
                let weight = |&j: &usize| match width {
                    Some(width) => (-(distances[j] * distances[j] - least) / (2.0 * width * width)).exp(),
                    None => 1.0,
                };
                let weights: Vec<f64> = known.iter().map(weight).collect();
                let total: f64 = weights.iter().sum();
                let weights: Vec<f64> = weights.iter().map(|w| w / total).collect();
                let mean = self.mean(&known, &weights);
                mean.iter().zip(factors).map(|(m, f)| m * f).collect()
            }
        })
    }

    /// The same map, turned. Where new objects are placed axis by axis it can be mirrored only.
    pub(crate) fn turned(self, turn: &Turn) -> Result<Self, Error> {
        let pose = Pose { centre: Array1::zeros(self.dim()), axes: turn.matrix().clone() };
        let mirrored = pose.axes.indexed_iter().all(|((i, j), v)| i == j || *v == 0.0);
        if matches!(self.extension, Extension::Mean { .. }) && !mirrored {
            return Err(Error::Evidence {
                what: "each axis of this map is an answer of its own, and new objects are placed axis by axis".into(),
                remedy: "mirror axes, or leave the map as it lies".into(),
            });
        }
        let points = self.points.turned(turn)?;
        Ok(Manifold { points, extension: self.extension.posed(&pose), ..self })
    }
    /// The sum of the points of some old objects, with weights.
    fn mean(&self, of: &[usize], weights: &[f64]) -> Vec<f64> {
        let mut y = vec![0.0; self.dim()];
        for (&j, w) in of.iter().zip(weights) {
            y.iter_mut().zip(self.points.point(j)).for_each(|(y, p)| *y += w * p);
        }
        y
    }

    pub(crate) fn to_parts(&self) -> Parts {
        let mut parts = Parts::new("manifold");
        parts.labels.insert("training".into(), self.points.objects().labels().to_vec());
        parts.arrays.insert("points".into(), self.points.points().clone().into_dyn());
        if let Known::Features { columns, values } = &self.seen {
            parts.labels.insert("columns".into(), columns.clone());
            parts.arrays.insert("features".into(), values.clone().into_dyn());
        }
        let reach = match self.reach {
            Reach::Nearest(k) => serde_json::json!({ "nearest": k }),
            Reach::Within(radius) => serde_json::json!({ "within": radius }),
        };
        parts.settings.insert("reach".into(), reach);
        let numbers = |values: Vec<f64>| Array1::from(values).into_dyn();
        match &self.extension {
            Extension::Ways { graph, landmarks, basis, offset } => {
                let ends = graph.pairs().flat_map(|(i, j, _)| [f64::from(i), f64::from(j)]).collect();
                parts.arrays.insert("edges".into(), numbers(ends));
                parts.arrays.insert("lengths".into(), numbers(graph.pairs().map(|e| e.2).collect()));
                parts.arrays.insert("landmarks".into(), numbers(landmarks.iter().map(|l| *l as f64).collect()));
                parts.arrays.insert("basis".into(), basis.clone().into_dyn());
                parts.arrays.insert("offset".into(), offset.clone().into_dyn());
            }
            Extension::Weights { ridge } => {
                parts.settings.insert("ridge".into(), serde_json::json!(ridge));
            }
            Extension::Mean { factors, width } => {
                parts.arrays.insert("factors".into(), factors.clone().into_dyn());
                parts.settings.insert("width".into(), serde_json::json!(width));
            }
        }
        parts
    }

    pub(crate) fn from_parts(parts: &Parts) -> Result<Self, Error> {
        let wrong = || parts.defect("its arrays do not fit together");
        let points = Embedding::new(parts.objects("training")?, parts.matrix("points")?).map_err(|_| wrong())?;
        let (n, dim) = (points.len(), points.dim());
        let seen = match (parts.matrix("features"), parts.labels.get("columns")) {
            (Ok(values), Some(columns)) if values.dim() == (n, columns.len()) => {
                Known::Features { columns: columns.clone(), values }
            }
            (Err(_), None) => Known::Distances,
            _ => return Err(wrong()),
        };
        let reach: serde_json::Value = parts.setting("reach")?;
        let reach = match (reach["nearest"].as_u64(), reach["within"].as_f64()) {
            (Some(k), _) if k > 0 => Reach::Nearest(k as usize),
            (_, Some(radius)) => Reach::Within(radius),
            _ => return Err(wrong()),
        };
        let extension = if parts.settings.contains_key("ridge") {
            if matches!(seen, Known::Distances) {
                return Err(wrong());
            }
            Extension::Weights { ridge: parts.setting("ridge")? }
        } else if parts.settings.contains_key("width") {
            let factors = parts.vector("factors")?;
            if factors.len() != dim {
                return Err(wrong());
            }
            Extension::Mean { factors, width: parts.setting("width")? }
        } else {
            let whole = |v: f64| (v >= 0.0 && v < n as f64 && v.fract() == 0.0).then_some(v as u32).ok_or_else(wrong);
            let ends = parts.vector("edges")?.iter().map(|v| whole(*v)).collect::<Result<Vec<u32>, Error>>()?;
            let lengths = parts.vector("lengths")?;
            let landmarks =
                parts.vector("landmarks")?.iter().map(|v| whole(*v)).collect::<Result<Vec<u32>, Error>>()?;
            let (basis, offset) = (parts.matrix("basis")?, parts.vector("offset")?);
            let sound = ends.len() == 2 * lengths.len() && lengths.iter().all(|l| *l >= 0.0);
            if !sound || basis.dim() != (landmarks.len(), dim) || offset.len() != dim {
                return Err(wrong());
            }
            let pairs: Vec<(u32, u32)> = ends.chunks(2).map(|e| (e[0], e[1])).collect();
            let graph = KnownPairs::of_edges(n, &pairs, |e| lengths[e]);
            Extension::Ways { graph, landmarks: landmarks.into_iter().map(|l| l as usize).collect(), basis, offset }
        };
        Ok(Manifold { points, seen, reach, extension })
    }
}

impl Extension {
    /// An affine extension after the map was moved into its pose.
    pub(crate) fn posed(self, pose: &Pose) -> Self {
        match self {
            Extension::Ways { graph, landmarks, basis, offset } => Extension::Ways {
                graph,
                landmarks,
                basis: basis.dot(&pose.axes),
                offset: (&offset - &pose.centre).dot(&pose.axes),
            },
            other => other,
        }
    }
}

impl Place<DistanceRows> for Manifold {
    fn place(&self, query: &DistanceRows) -> Result<Embedding, Error> {
        if self.takes_features() {
            return Err(Error::Evidence {
                what: "this map was made of features".into(),
                remedy: "place new objects by their features, with the columns that the map was made of".into(),
            });
        }
        let columns = query.columns_of(self.points.objects())?;
        place_rows(query.objects(), self.dim(), |r| {
            let row = query.row(r);
            let distances: Vec<f64> = columns.iter().map(|c| row[*c]).collect();
            self.point(&distances, None, &query.objects().labels()[r])
        })
    }
}

impl Place<Features> for Manifold {
    fn place(&self, features: &Features) -> Result<Embedding, Error> {
        let Known::Features { columns, values } = &self.seen else {
            return Err(Error::Evidence {
                what: "this map was made of distances".into(),
                remedy: "place new objects by their distances to the old ones".into(),
            });
        };
        let place = |c: &String| {
            features.columns().iter().position(|have| have == c).ok_or_else(|| Error::Evidence {
                what: format!("the map is made of the feature `{c}`, and the table has no such column"),
                remedy: format!("give a table with the columns {}", columns.join(", ")).into(),
            })
        };
        let chosen = columns.iter().map(place).collect::<Result<Vec<usize>, Error>>()?;
        place_rows(features.objects(), self.dim(), |r| {
            let row = features.row(r);
            let own: Vec<f64> = chosen.iter().map(|&c| row[c]).collect();
            let apart = |old: ndarray::ArrayView1<'_, f64>| {
                old.iter().zip(&own).map(|(a, b)| (a - b) * (a - b)).sum::<f64>().sqrt()
            };
            let distances: Vec<f64> = values.rows().into_iter().map(apart).collect();
            self.point(&distances, Some(&own), &features.objects().labels()[r])
        })
    }
}
