//! Distances, and rows of them: gaps, zeros, extremes, triangles, groups.

use serde::{Deserialize, Serialize};

use crate::check::groups::Groups;
use crate::check::shape::{euclidean, triangles};
use crate::check::{CheckReport, Found, SPECTRUM_LIMIT};
use crate::error::Error;
use crate::evidence::{DistanceRows, Distances, Part};
use crate::solve::Run;

/// What is in a set of distances.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct OfDistances {
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

pub(super) fn of_distances(d: &Distances, run: &Run<'_>, memory: Option<u64>) -> Result<CheckReport, Error> {
    let n = d.len();
    let mut found = OfDistances {
        pairs: d.pairs(),
        missing: d.missing(),
        censored: Some(d.censored()),
        repeated: Some(d.repeats().pairs),
        ..OfDistances::default()
    };
    let labels = d.objects().labels();
    let mut groups = Groups::new(n);
    let mut seen = vec![false; n];
    let mut k = 0;
    for i in 0..n {
        for j in i + 1..n {
            if d.weight_at(k) > 0.0 {
                (seen[i], seen[j]) = (true, true);
                groups.join(i, j);
                found.note(&labels[i], &labels[j], d.condensed()[k]);
            }
            k += 1;
        }
    }
    found.triangles = (n >= 3).then(|| triangles(d, run.seed())).filter(|t| t.tried > 0);
    if d.missing() == 0 && d.censored() == 0 && (2..=SPECTRUM_LIMIT).contains(&n) {
        found.euclidean = Some(euclidean(d)?);
    }
    let rows = d.repeats().rows.max(d.pairs() - d.missing());
    let warnings = found.warnings();
    let mut report = CheckReport::new(Part::Distances, d.into(), rows, Found::Distances(Box::new(found)), memory);
    report.unseen(labels, |k| seen[k]);
    report.apart(groups.listed(labels), "measured");
    report.warnings.extend(warnings);
    Ok(report)
}

pub(super) fn of_rows(rows: &DistanceRows, memory: Option<u64>) -> CheckReport {
    let (n, m) = (rows.objects().len(), rows.to().len());
    let index = rows.to().index();
    let labels = rows.objects().labels();
    let mut found = OfDistances {
        pairs: n * m,
        columns: Some(m),
        landmarks: Some(labels.iter().filter(|l| index.contains_key(l.as_str())).count()),
        ..OfDistances::default()
    };
    let mut seen = vec![false; n];
    for (i, label) in labels.iter().enumerate() {
        for (j, to) in rows.to().labels().iter().enumerate() {
            match rows.get(i, j) {
                Some(value) => {
                    seen[i] = true;
                    if label != to {
                        found.note(label, to, value);
                    }
                }
                None => found.missing += 1,
            }
        }
    }
    let warnings = found.warnings();
    let mut report = CheckReport::new(Part::Rows, rows.into(), n, Found::Distances(Box::new(found)), memory);
    report.unseen(labels, |k| seen[k]);
    report.warnings.extend(warnings);
    report
}

impl OfDistances {
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

    fn warnings(&self) -> Vec<String> {
        let mut warnings = Vec::new();
        if self.pairs > 0 && self.missing == self.pairs {
            warnings.push("not a single distance is known".into());
        } else if self.pairs > 0 && self.smallest.is_none() {
            warnings.push("every distance is 0: all objects would lie on one point".into());
        }
        if let Some(t) = self.triangles.as_ref().filter(|t| t.violations * 20 > t.tried) {
            warnings.push(format!(
                "{:.0} % of the triangles contradict the triangle inequality: nonmetric-mds reads the order of the distances only",
                100.0 * t.violations as f64 / t.tried as f64
            ));
        }
        warnings
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::check;
    use crate::evidence::Evidence;
    use crate::object::Objects;
    use crate::toy;

    fn report(d: Distances) -> (CheckReport, OfDistances) {
        let report = check(&Evidence::Distances(d), &Run::default(), None).unwrap();
        let Found::Distances(found) = report.found.clone() else { panic!() };
        (report, *found)
    }

    #[test]
    fn roads_bend_and_points_do_not() {
        let (_, cities) = report(toy::cities());
        let largest = cities.largest.unwrap();
        assert_eq!((largest.distance, largest.between), (4532.0, ["Athens".to_owned(), "Lisbon".to_owned()]));
        assert!(!cities.euclidean.unwrap().holds);
        let (_, points) = report(toy::gaussian(30, 3, 1));
        let euclidean = points.euclidean.unwrap();
        assert!(euclidean.holds && euclidean.dims95 <= 3, "{euclidean:?}");
        assert_eq!(points.triangles.unwrap().violations, 0);
    }

    #[test]
    fn the_worst_detour_is_named() {
        let d = Distances::from_condensed(Objects::new(["a", "b", "c"]).unwrap(), vec![1.0, 9.0, 2.0]).unwrap();
        let t = report(d).1.triangles.unwrap();
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
        let (r, found) = report(d);
        assert_eq!((r.groups.len(), r.unseen, found.missing), (3, 1, 8));
        assert_eq!(r.unseen_labels, ["e"]);
        assert_eq!(r.groups[0].first, ["a", "b"]);
    }
}
