//! What a reader of evidence should know before mapping it: counts, contradictions, and what each method would cost.

mod choose;
mod data;
mod dimension;
mod distances;
mod facts;
mod features;
mod groups;
mod judgements;
mod shape;
mod story;
mod tree;
mod words;

pub use choose::choose;
pub use data::{CheckReport, Cost, Found, Group, Suggestion, Together};
pub use dimension::{Estimate, IntrinsicDimension, intrinsic_dimension};
pub use distances::{Detour, Euclidean, Named, OfDistances, Triangles};
pub use facts::facts;
pub use features::OfFeatures;
pub use judgements::{
    Contradiction, Cycle, Cycles, Enough, Noise, OfJudgements, Order, REPAIR_LIMIT, RepairCost, Told, TriadCount,
    graded,
};
pub use tree::OfTaxonomy;

use crate::error::Error;
use crate::evidence::{Classes, Evidence, Part};
use crate::method::cost::Size;
use crate::method::table::{METHODS, Method};
use crate::settings::Settings;
use crate::solve::Run;
use crate::study::Study;

/// Up to this many objects every triangle is looked at; above, a seeded sample.
pub const TRIANGLES_EXACT: usize = 600;
/// How many triangles a sample has.
pub const TRIANGLES_SAMPLED: u64 = 1_000_000;
/// Up to this many objects all eigenvalues are computed.
pub const SPECTRUM_LIMIT: usize = 2000;
/// How many labels are listed where any number could be.
const LISTED: usize = 10;

/// The method to begin with for a study of these parts, when nothing else is said; what was given first decides, and
/// features beside judgements make the map a function of them. `memory` is what may be used.
#[must_use]
pub fn suggest(parts: &[Part], objects: usize, memory: Option<u64>) -> Suggestion {
    let size = Size { objects, ..Size::default() };
    let needed =
        METHODS.iter().find(|m| m.name == "metric-mds").map_or(0, |m| m.needs(size, &Settings::default()).bytes);
    let featured = parts.iter().any(|p| matches!(p, Part::Features | Part::Kernels));
    let kernels = parts.contains(&Part::Kernels);
    let first = match parts.first().copied().unwrap_or(Part::Distances) {
        // What would become comparisons gives way to those that are there.
        Part::Taxonomy | Part::Sorts if parts.contains(&Part::Comparisons) => Part::Comparisons,
        first => first,
    };
    let judged = matches!(first, Part::Comparisons | Part::Taxonomy | Part::Sorts);
    let (method, why) = match (first, memory) {
        (Part::Pairs, _) if featured => {
            ("kpsde", "pairs of objects with features: it learns where objects lie from their features".into())
        }
        _ if judged && featured => (
            "kernel-gnmds",
            "comparisons of objects with features: it learns where objects lie from their features".into(),
        ),
        (Part::Features, _) if kernels => {
            ("mvu", "it unfolds what the kernel says, as a function of the features that places new objects".into())
        }
        (Part::Rows, _) => {
            ("landmark-mds", "the file has distances to a few columns only, not between all objects".into())
        }
        (Part::Distances, Some(limit)) if needed > limit => (
            "landmark-mds",
            format!(
                "all pairs of {objects} objects would need about {}, and {} may be used",
                crate::error::bytes(needed),
                crate::error::bytes(limit)
            ),
        ),
        (Part::Distances, _) => {
            ("metric-mds", "it keeps the distances themselves as well as a map of this dimension can".into())
        }
        (Part::Features, _) => ("pca", "it keeps as much of the variance of the features as a linear map can".into()),
        (Part::Kernels, _) => {
            ("mvu", "it unfolds what the kernel says, as a function of the features that places new objects".into())
        }
        (Part::Pairs, _) => (
            "psde",
            "it gives each object a ball that keeps those like it from the others, and proves it is the best".into(),
        ),
        (Part::Comparisons, _) => {
            ("choice", "it is the likeliest map of the answers, with the lapses of those who gave them".into())
        }
        _ if judged => (
            "gnmds",
            "it breaks as few comparisons as it can, refined in this dimension, and says how good it could be".into(),
        ),
        (other, _) => (
            METHODS.iter().find(|m| m.takes_alone(other)).map_or("metric-mds", |m| m.name),
            "it is the first that takes this kind of evidence".into(),
        ),
    };
    Suggestion { method: method.into(), why }
}

/// The method to begin with for a study, for a map of `dim` dimensions. Features that stand alone are looked at: see
/// [`intrinsic_dimension`].
#[must_use]
pub fn suggest_for(study: &Study, dim: usize, run: &Run<'_>, memory: Option<u64>) -> Suggestion {
    if let Some(suggestion) = classed(study, dim) {
        return suggestion;
    }
    match (study.parts().as_slice(), study.features()) {
        ([Part::Features], [(_, table)]) => {
            run.install(|| features::suggested(table, intrinsic_dimension(table).as_ref(), dim, run))
        }
        (parts, _) => suggest(parts, study.objects().len(), memory),
    }
}

/// Features with classes and nothing else: `lda` where the classes are enough for the dimensions of the map.
fn classed(study: &Study, dim: usize) -> Option<Suggestion> {
    if study.features().is_empty() || study.parts().iter().any(|p| !matches!(p, Part::Features | Part::Sorts)) {
        return None;
    }
    let classes = Classes::of(study.sorts()?).ok()?.names().len();
    let (method, why) = if classes > dim {
        (
            "lda",
            format!(
                "the {dim} axes on which the {classes} classes lie farthest apart for their spread, in closed form"
            ),
        )
    } else {
        (
            "lmnn",
            format!(
                "{classes} classes lie apart on {} at most and the map has {dim}: it draws nearest neighbours of one class together, and proves how well",
                crate::text::said_of(classes.saturating_sub(1), "axis", "axes")
            ),
        )
    };
    Some(Suggestion { method: method.into(), why })
}

/// Looks at evidence without changing it. The run gives the seed of the sample, the threads and the memory.
pub fn check(evidence: &Evidence, run: &Run<'_>, memory: Option<u64>) -> Result<CheckReport, Error> {
    run.install(|| match evidence {
        Evidence::Distances(d) => distances::of_distances(d, run, memory),
        Evidence::Rows(rows) => Ok(distances::of_rows(rows, memory)),
        Evidence::Comparisons(c) => judgements::of_comparisons(c, run, memory),
        Evidence::Pairs(pairs) => Ok(judgements::of_pairs(pairs, memory)),
        Evidence::Sorts(sorts) => Ok(judgements::of_sorts(sorts, memory)),
        Evidence::Features(features) => Ok(features::of_features(features, run, memory)),
        Evidence::Taxonomy(tree) => Ok(tree::of_taxonomy(tree, memory)),
        // A kernel is made of features.
        other => Err(Error::Evidence {
            what: format!("there is nothing more to find in {}", other.kind()),
            remedy: "check what it is made of".into(),
        }),
    })
}

/// What the methods need that take the main part of a study alone, with all that was measured of it.
#[must_use]
pub fn alone(study: &Study, memory: Option<u64>) -> Vec<Cost> {
    let Some(part) = study.main().map(Evidence::kind) else { return Vec::new() };
    METHODS.iter().filter(|m| m.takes_alone(part)).map(|m| Cost::of(m, Size::from(study), memory)).collect()
}

/// What the methods need that take several parts of a study together, as features beside judgements.
#[must_use]
pub fn together(study: &Study, memory: Option<u64>) -> Together {
    let parts = study.parts();
    // Features that no kernel was named for make one of their own.
    let there = |part: &Part| parts.contains(part) || (*part == Part::Kernels && parts.contains(&Part::Features));
    let takes = |m: &&&Method| m.takes().iter().any(|way| way.len() > 1 && way.iter().all(&there));
    let size = Size { kernels: Size::from(study).kernels.max(1), ..Size::from(study) };
    Together {
        objects: study.objects().len(),
        methods: METHODS.iter().filter(takes).map(|m| Cost::of(m, size, memory)).collect(),
        suggested: classed(study, 2).unwrap_or_else(|| suggest(&parts, study.objects().len(), memory)),
        parts,
    }
}

impl Cost {
    fn of(method: &Method, size: Size, memory: Option<u64>) -> Self {
        let needs = method.needs(size, &method.settings([]).unwrap_or_default());
        Cost {
            method: method.name.into(),
            memory: needs.bytes,
            fits: memory.map(|limit| needs.bytes <= limit),
            cost: method.cost.into(),
            seconds: needs.seconds.filter(|s| *s >= 1.0),
        }
    }
}

impl CheckReport {
    fn new(kind: Part, size: Size, rows: usize, found: Found, memory: Option<u64>) -> Self {
        let objects = size.objects;
        let methods = METHODS.iter().filter(|m| m.takes_alone(kind)).map(|m| Cost::of(m, size, memory)).collect();
        let warnings = if objects < 3 {
            vec![format!("{objects} objects are too few for a map of two dimensions")]
        } else {
            Vec::new()
        };
        CheckReport {
            kind,
            objects,
            rows,
            unseen: 0,
            unseen_labels: Vec::new(),
            found,
            groups: Vec::new(),
            methods,
            suggested: Some(suggest(&[kind], objects, memory)),
            warnings,
        }
    }

    /// The first objects that are not seen, by name, and how many there are.
    fn unseen(&mut self, labels: &[String], seen: impl Fn(usize) -> bool) {
        let mut unseen = (0..labels.len()).filter(|&k| !seen(k));
        self.unseen_labels = unseen.by_ref().take(LISTED).map(|k| labels[k].clone()).collect();
        self.unseen = self.unseen_labels.len() + unseen.count();
    }

    /// The groups that nothing joins, with their warning.
    fn apart(&mut self, groups: Vec<Group>, what: &str) {
        if groups.len() > 1 {
            self.warnings.push(format!(
                "the objects fall into {} groups with nothing {what} between them: no map of all objects follows from that",
                groups.len()
            ));
        }
        self.groups = groups;
    }
}
