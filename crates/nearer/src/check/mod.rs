//! What a reader of evidence should know before mapping it: counts, contradictions, and what each method would cost.

mod data;
mod groups;
mod shape;

pub use data::{CheckReport, Cost, Detour, Euclidean, Group, Named, Suggestion, Triangles};

use crate::check::groups::Groups;
use crate::check::shape::{euclidean, triangles};
use crate::error::Error;
use crate::evidence::{DistanceRows, Distances, Evidence, EvidenceKind};
use crate::method::table::METHODS;
use crate::solve::Run;

/// Up to this many objects every triangle is looked at; above, a seeded sample.
pub const TRIANGLES_EXACT: usize = 600;
/// How many triangles a sample has.
pub const TRIANGLES_SAMPLED: u64 = 1_000_000;
/// Up to this many objects all eigenvalues are computed.
pub const SPECTRUM_LIMIT: usize = 2000;
/// How many labels are listed where any number could be.
const LISTED: usize = 10;

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
        other => Err(Error::Evidence {
            what: format!("{} cannot be checked yet", other.kind()),
            remedy: "give distances".into(),
        }),
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
