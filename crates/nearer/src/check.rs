//! What a reader of evidence should know before mapping it: counts, contradictions, and what each method would cost.

use std::collections::BTreeMap;

use ndarray::{Array2, Axis};
use nearer_num::{dense, packed, rng::Rng};
use serde::{Deserialize, Serialize};

use crate::error::Error;
use crate::evidence::{DistanceRows, Distances, Evidence, EvidenceKind};
use crate::geometry::Spectrum;
use crate::method::table::METHODS;
use crate::solve::Run;

/// Up to this many objects every triangle is looked at; above, a seeded sample.
pub const TRIANGLES_EXACT: usize = 600;
/// How many triangles a sample has.
pub const TRIANGLES_SAMPLED: u64 = 1_000_000;
/// Up to this many objects all eigenvalues are computed.
pub const SPECTRUM_LIMIT: usize = 2000;
/// A side of a triangle may exceed the other two by this share before it counts: files are rounded.
const TRIANGLE_TOLERANCE: f64 = 1e-9;
/// How many labels are listed where any number could be.
const LISTED: usize = 10;

/// What is in the evidence. A key without meaning for the evidence is absent.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct CheckReport {
    /// The kind of evidence: `distances` or `rows`.
    pub kind: EvidenceKind,
    /// How many objects.
    pub objects: usize,
    /// How many measurements (for rows: how many rows).
    pub rows: usize,
    /// For rows: how many columns.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub columns: Option<usize>,
    /// For rows: how many of the columns have a row of their own.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub landmarks: Option<usize>,
    /// Pairs of objects (for rows: cells), known or not.
    pub pairs: usize,
    /// How many of them have no distance.
    pub missing: usize,
    /// How many are known only by a bound.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub censored: Option<usize>,
    /// Pairs measured more than once.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub repeated: Option<usize>,
    /// Objects without a single distance.
    pub unseen: usize,
    /// The first of them by name.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub unseen_labels: Vec<String>,
    /// Zero distances between different objects.
    pub zeros: usize,
    /// One such pair.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub zero: Option<[String; 2]>,
    /// The smallest distance above 0.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub smallest: Option<Named>,
    /// The largest distance.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub largest: Option<Named>,
    /// Whether a detour is ever shorter than the direct way.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub triangles: Option<Triangles>,
    /// Whether points in some number of dimensions have exactly these distances.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub euclidean: Option<Euclidean>,
    /// Groups of objects with nothing measured between them, the largest first; absent where all hang together.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub groups: Vec<Group>,
    /// What each method would need.
    pub methods: Vec<Cost>,
    /// The method to begin with, and why.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub suggested: Option<Suggestion>,
    /// What needs care before a map is believed.
    pub warnings: Vec<String>,
}

/// A distance with its two objects.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Named {
    /// The objects.
    pub between: [String; 2],
    /// The distance.
    pub distance: f64,
}

/// The triangle inequality.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Triangles {
    /// How many triangles with three known sides were looked at.
    pub tried: u64,
    /// Whether these were all there are, or a sample.
    pub exact: bool,
    /// How many have a side longer than the other two together.
    pub violations: u64,
    /// The side that is longer by most.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub worst: Option<Detour>,
}

/// A direct way that is longer than a detour.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Detour {
    /// The two ends.
    pub between: [String; 2],
    /// Their distance.
    pub direct: f64,
    /// The object on the way.
    pub through: String,
    /// The sum of the two distances over it.
    pub detour: f64,
}

/// Whether the distances are Euclidean: no negative eigenvalue of the centred inner products.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Euclidean {
    /// Whether they are.
    pub holds: bool,
    /// How many eigenvalues are negative beyond rounding.
    pub negative: usize,
    /// The least eigenvalue over the largest.
    pub least_share: f64,
    /// How many dimensions carry 95 % of the positive part.
    pub dims95: usize,
}

/// Objects that hang together by known pairs.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Group {
    /// How many.
    pub objects: usize,
    /// The first of them by name.
    pub first: Vec<String>,
}

/// What a method would need for this evidence.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Cost {
    /// The method.
    pub method: String,
    /// Bytes, the evidence included.
    pub memory: u64,
    /// Whether that may be used, where a limit is known.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub fits: Option<bool>,
    /// How time and memory grow.
    pub cost: String,
}

/// A method, and why this one.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Suggestion {
    /// The method.
    pub method: String,
    /// The reason, in words.
    pub why: String,
}

/// The method to begin with for evidence of this kind, when nothing else is said. `memory` is what may be used.
#[must_use]
pub fn suggest(kind: EvidenceKind, objects: usize, memory: Option<u64>) -> Suggestion {
    let needed = METHODS.iter().find(|m| m.name == "metric-mds").map_or(0, |m| (m.memory)(objects as u64));
    let (method, why) = match (kind, memory) {
        (EvidenceKind::Rows, _) => {
            ("landmark-mds", "the file has distances to a few columns only, not between all objects".into())
        }
        (_, Some(limit)) if needed > limit => (
            "landmark-mds",
            format!(
                "all pairs of {objects} objects would need about {}, and {} may be used",
                crate::error::bytes(needed),
                crate::error::bytes(limit)
            ),
        ),
        _ => ("metric-mds", "it keeps the distances themselves as well as a map of this dimension can".into()),
    };
    Suggestion { method: method.into(), why }
}

/// Looks at evidence without changing it. The run gives the seed of the sample, the threads and the memory.
pub fn check(evidence: &Evidence, run: &Run<'_>, memory: Option<u64>) -> Result<CheckReport, Error> {
    run.install(|| match evidence {
        Evidence::Distances(d) => distances(d, run, memory),
        Evidence::Rows(rows) => Ok(of_rows(rows, memory)),
    })
}

fn distances(d: &Distances, run: &Run<'_>, memory: Option<u64>) -> Result<CheckReport, Error> {
    let n = d.len();
    let mut report = CheckReport::new(EvidenceKind::Distances, n, d.pairs(), memory);
    report.missing = d.missing();
    report.censored = Some(d.censored());
    report.repeated = Some(d.repeats().pairs);
    report.rows = d.repeats().rows.max(d.pairs() - d.missing());
    let mut groups = Groups::new(n);
    let mut seen = vec![false; n];
    let mut k = 0;
    for i in 0..n {
        for j in i + 1..n {
            if d.weight_at(k) > 0.0 {
                (seen[i], seen[j]) = (true, true);
                groups.join(i, j);
                report.note(&d.objects().labels()[i], &d.objects().labels()[j], d.condensed()[k]);
            }
            k += 1;
        }
    }
    report.unseen(d, &seen);
    report.groups = groups.listed(d.objects().labels());
    report.triangles = (n >= 3).then(|| triangles(d, run.seed())).filter(|t| t.tried > 0);
    if d.missing() == 0 && d.censored() == 0 && (2..=SPECTRUM_LIMIT).contains(&n) {
        report.euclidean = Some(euclidean(d)?);
    }
    report.warn();
    Ok(report)
}

fn of_rows(rows: &DistanceRows, memory: Option<u64>) -> CheckReport {
    let (n, m) = (rows.objects().len(), rows.to().len());
    let mut report = CheckReport::new(EvidenceKind::Rows, n, n * m, memory);
    report.rows = n;
    report.columns = Some(m);
    let index = rows.to().index();
    report.landmarks = Some(rows.objects().labels().iter().filter(|l| index.contains_key(l.as_str())).count());
    for (i, label) in rows.objects().labels().iter().enumerate() {
        let mut any = false;
        for (j, to) in rows.to().labels().iter().enumerate() {
            match rows.get(i, j) {
                Some(value) => {
                    any = true;
                    if label != to {
                        report.note(label, to, value);
                    }
                }
                None => report.missing += 1,
            }
        }
        if !any {
            report.unseen += 1;
            report.unseen_labels.extend((report.unseen_labels.len() < LISTED).then(|| label.clone()));
        }
    }
    report.warn();
    report
}

impl CheckReport {
    fn new(kind: EvidenceKind, objects: usize, pairs: usize, memory: Option<u64>) -> Self {
        let methods = METHODS
            .iter()
            .filter(|m| m.takes.contains(&kind))
            .map(|m| {
                let bytes = (m.memory)(objects as u64);
                Cost {
                    method: m.name.into(),
                    memory: bytes,
                    fits: memory.map(|limit| bytes <= limit),
                    cost: m.cost.into(),
                }
            })
            .collect();
        CheckReport {
            kind,
            objects,
            rows: 0,
            columns: None,
            landmarks: None,
            pairs,
            missing: 0,
            censored: None,
            repeated: None,
            unseen: 0,
            unseen_labels: Vec::new(),
            zeros: 0,
            zero: None,
            smallest: None,
            largest: None,
            triangles: None,
            euclidean: None,
            groups: Vec::new(),
            methods,
            suggested: Some(suggest(kind, objects, memory)),
            warnings: Vec::new(),
        }
    }

    /// Counts one known distance between different objects.
    fn note(&mut self, a: &str, b: &str, distance: f64) {
        let named = || Named { between: [a.into(), b.into()], distance };
        if distance == 0.0 {
            self.zeros += 1;
            self.zero.get_or_insert_with(|| [a.into(), b.into()]);
        } else if self.smallest.as_ref().is_none_or(|s| distance < s.distance) {
            self.smallest = Some(named());
        }
        if self.largest.as_ref().is_none_or(|s| distance > s.distance) {
            self.largest = Some(named());
        }
    }

    fn unseen(&mut self, d: &Distances, seen: &[bool]) {
        let mut unseen = (0..d.len()).filter(|&k| !seen[k]);
        self.unseen_labels = unseen.by_ref().take(LISTED).map(|k| d.objects().labels()[k].clone()).collect();
        self.unseen = self.unseen_labels.len() + unseen.count();
    }

    fn warn(&mut self) {
        let mut warnings = Vec::new();
        if self.groups.len() > 1 {
            warnings.push(format!(
                "the known pairs fall into {} groups with nothing measured between them: no map of all objects follows from them",
                self.groups.len()
            ));
        }
        if self.pairs > 0 && self.missing == self.pairs {
            warnings.push("not a single distance is known".into());
        } else if self.pairs > 0 && self.smallest.is_none() {
            warnings.push("every distance is 0: all objects would lie on one point".into());
        }
        if self.objects < 3 {
            warnings.push(format!("{} objects are too few for a map of two dimensions", self.objects));
        }
        if let Some(t) = self.triangles.as_ref().filter(|t| t.violations * 20 > t.tried) {
            warnings.push(format!(
                "{:.0} % of the triangles contradict the triangle inequality: nonmetric-mds reads the order of the distances only",
                100.0 * t.violations as f64 / t.tried as f64
            ));
        }
        self.warnings = warnings;
    }
}

/// Triangles with a side longer than the other two together. Bounds are no sides.
fn triangles(d: &Distances, seed: u64) -> Triangles {
    let n = d.len();
    let exact_at = |k: usize| d.bounds().is_none_or(|b| b[k] == crate::evidence::Bound::Exact);
    let side = |i: usize, j: usize| {
        let k = packed::index(n, i, j);
        if d.weight_at(k) > 0.0 && exact_at(k) { d.condensed()[k] } else { f64::NAN }
    };
    let mut found = Triangles { tried: 0, exact: n <= TRIANGLES_EXACT, violations: 0, worst: None };
    let mut worst: Option<(f64, [usize; 3])> = None;
    let mut look = |i: usize, j: usize, k: usize| {
        let (ij, ik, jk) = (side(i, j), side(i, k), side(j, k));
        let whole = ij + ik + jk;
        if whole.is_nan() {
            return;
        }
        found.tried += 1;
        let (longest, ends) = [(ij, [i, j, k]), (ik, [i, k, j]), (jk, [j, k, i])]
            .into_iter()
            .max_by(|a, b| a.0.total_cmp(&b.0))
            .unwrap_or((ij, [i, j, k]));
        let excess = 2.0 * longest - whole;
        if excess > TRIANGLE_TOLERANCE * longest {
            found.violations += 1;
            if worst.is_none_or(|(most, _)| excess > most) {
                worst = Some((excess, ends));
            }
        }
    };
    if n <= TRIANGLES_EXACT {
        for i in 0..n {
            for j in i + 1..n {
                for k in j + 1..n {
                    look(i, j, k);
                }
            }
        }
    } else {
        let mut rng = Rng::task(seed, 0);
        for _ in 0..TRIANGLES_SAMPLED {
            let mut t = [rng.below(n), rng.below(n), rng.below(n)];
            t.sort_unstable();
            if t[0] < t[1] && t[1] < t[2] {
                look(t[0], t[1], t[2]);
            }
        }
    }
    let label = |k: usize| d.objects().labels()[k].clone();
    found.worst = worst.map(|(excess, [a, b, over])| {
        let direct = side(a.min(b), a.max(b));
        Detour { between: [label(a), label(b)], direct, through: label(over), detour: direct - excess }
    });
    found
}

/// The eigenvalues of `-½ J D² J`.
fn euclidean(d: &Distances) -> Result<Euclidean, Error> {
    let n = d.len();
    let mut b = Array2::zeros((n, n));
    for (k, v) in d.condensed().iter().enumerate() {
        let (i, j) = packed::pair(n, k);
        b[(i, j)] = -0.5 * v * v;
        b[(j, i)] = -0.5 * v * v;
    }
    let means = b.mean_axis(Axis(1)).unwrap_or_default();
    let mean = means.mean().unwrap_or_default();
    for ((i, j), v) in b.indexed_iter_mut() {
        *v += mean - means[i] - means[j];
    }
    let values =
        dense::eigvalsh(b.view()).map_err(|_| Error::Numerical { what: "the eigenvalues of the distances".into() })?;
    let largest = values.first().copied().unwrap_or_default();
    let spectrum = Spectrum::complete(values.to_vec());
    let negative = spectrum.negative.unwrap_or_default();
    Ok(Euclidean {
        holds: negative == 0,
        negative,
        least_share: if largest > 0.0 { spectrum.least.unwrap_or_default() / largest } else { 0.0 },
        dims95: spectrum.dims95.unwrap_or_default(),
    })
}

/// Objects joined by known pairs.
struct Groups(Vec<usize>);

impl Groups {
    fn new(n: usize) -> Self {
        Groups((0..n).collect())
    }
    fn root(&mut self, mut k: usize) -> usize {
        while self.0[k] != k {
            self.0[k] = self.0[self.0[k]];
            k = self.0[k];
        }
        k
    }
    fn join(&mut self, a: usize, b: usize) {
        let (a, b) = (self.root(a), self.root(b));
        self.0[a.max(b)] = a.min(b);
    }
    /// The groups, the largest first; none when all hang together.
    fn listed(mut self, labels: &[String]) -> Vec<Group> {
        let mut members: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        for k in 0..labels.len() {
            let root = self.root(k);
            members.entry(root).or_default().push(k);
        }
        if members.len() < 2 {
            return Vec::new();
        }
        let mut groups: Vec<Group> = members
            .into_values()
            .map(|m| Group { objects: m.len(), first: m.iter().take(3).map(|&k| labels[k].clone()).collect() })
            .collect();
        groups.sort_by_key(|g| std::cmp::Reverse(g.objects));
        groups
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::object::Objects;
    use crate::toy;

    fn report(d: Distances) -> CheckReport {
        check(&Evidence::Distances(d), &Run::default(), None).unwrap()
    }

    #[test]
    fn roads_bend_and_points_do_not() {
        let cities = report(toy::cities());
        let largest = cities.largest.unwrap();
        assert_eq!((largest.distance, largest.between), (4532.0, ["Athens".to_owned(), "Lisbon".to_owned()]));
        assert!(!cities.euclidean.unwrap().holds);
        let points = report(toy::gaussian(30, 3, 1));
        let euclidean = points.euclidean.unwrap();
        assert!(euclidean.holds && euclidean.dims95 <= 3, "{euclidean:?}");
        assert_eq!(points.triangles.unwrap().violations, 0);
    }

    #[test]
    fn the_worst_detour_is_named() {
        let d = Distances::from_condensed(Objects::new(["a", "b", "c"]).unwrap(), vec![1.0, 9.0, 2.0]).unwrap();
        let t = report(d).triangles.unwrap();
        assert_eq!((t.tried, t.violations), (1, 1));
        let worst = t.worst.unwrap();
        assert_eq!((worst.between, worst.through.as_str()), (["a".to_owned(), "c".to_owned()], "b"));
        assert_eq!((worst.direct, worst.detour), (9.0, 3.0));
    }

    #[test]
    fn groups_apart_and_unseen_objects_are_found() {
        let (o, gap) = (Objects::new(["a", "b", "c", "d", "e"]).unwrap(), 0.0);
        let weights = vec![1.0, gap, gap, gap, gap, gap, gap, 1.0, gap, gap];
        let d = Distances::from_parts(o, vec![1.0; 10], Some(weights), None, Default::default()).unwrap();
        let r = report(d);
        assert_eq!((r.groups.len(), r.unseen, r.missing), (3, 1, 8));
        assert_eq!(r.unseen_labels, ["e"]);
        assert_eq!(r.groups[0].first, ["a", "b"]);
    }
}
