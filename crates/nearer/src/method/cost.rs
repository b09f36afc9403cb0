//! What a fit needs, told before it starts: an order of magnitude, from what was measured.
//!
//! Every method's row has a function of the [`Size`] of the evidence and of its settings. `check`, the refusal of what does not
//! fit in memory, the estimate before a fit and what a progress bar leaves to wait for all ask it. Times are those of one core
//! of an ordinary server in a release build; evidence that contradicts itself a lot may well take three times as long. Those of
//! the methods in the tests below are fitted to measurements; those of constant-shift, sstress, naive-order,
//! partial-order, the landmark methods and curves of metric-mds are reckoned from the same passes and eigenproblems.

use crate::evidence::{
    Comparisons, DistanceRows, Distances, Evidence, Features, KernelKind, KernelSpec, Kernels, Made, Pairs,
};
use crate::study::Study;

/// How much evidence there is.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Size {
    /// Objects.
    pub objects: usize,
    /// Known pairs, comparisons, or pairs said to be alike or not.
    pub rows: usize,
    /// Columns of a table: features, or distances to landmarks.
    pub columns: usize,
    /// Kernels.
    pub kernels: usize,
    /// Directions that the widest kernel spans, as far as its formula tells: the features of a linear one. 0 for as many as there are
    /// objects.
    pub span: usize,
    /// Measurements behind the distances, where several were made of a pair.
    pub measurements: usize,
    /// Steps of likeness that pairs are graded in; 1 or none where they are alike or not.
    pub levels: usize,
}

/// What a fit of that size needs.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Needs {
    /// Seconds; `None` where nobody can tell.
    pub seconds: Option<f64>,
    /// Bytes, the evidence included.
    pub bytes: u64,
}

impl Needs {
    /// So many seconds, so many bytes.
    pub(crate) fn new(seconds: f64, bytes: f64) -> Self {
        Needs { seconds: Some(seconds), bytes: bytes as u64 }
    }
}

impl Size {
    /// Objects, as a number to reckon with.
    pub(crate) fn n(&self) -> f64 {
        self.objects as f64
    }
    /// Rows, as a number to reckon with.
    pub(crate) fn m(&self) -> f64 {
        self.rows as f64
    }
    /// What balls take beyond those of one level: a sign, a weight, a distance and what a descent keeps of each, for every pair of
    /// objects at every level.
    pub(crate) fn balls(&self) -> f64 {
        if self.levels > 1 { 56.0 * self.levels as f64 * self.n().powi(2) } else { 0.0 }
    }
    /// Steps of likeness, one at least.
    pub(crate) fn steps(&self) -> f64 {
        self.levels.max(1) as f64
    }
    /// Kernels, one at least.
    pub(crate) fn k(&self) -> f64 {
        self.kernels.max(1) as f64
    }
    /// Directions that a kernel spans at most, as a number to reckon with.
    pub(crate) fn r(&self) -> f64 {
        if self.span == 0 { self.n() } else { self.span.min(self.objects) as f64 }
    }
    /// Bytes that comparisons take: the answer by columns (44), the comparison, and a row of the graph.
    pub(crate) fn comparisons(&self) -> f64 {
        108.0 * self.m()
    }
    /// Bytes of a packed triangle of distances.
    pub(crate) fn triangle(&self) -> f64 {
        4.0 * self.n().powi(2)
    }
}

impl From<&Distances> for Size {
    fn from(d: &Distances) -> Self {
        Size { objects: d.len(), rows: d.pairs() - d.missing(), ..Size::default() }
    }
}
impl From<&DistanceRows> for Size {
    fn from(rows: &DistanceRows) -> Self {
        let (n, columns) = (rows.objects().len(), rows.to().len());
        Size { objects: n, rows: n, columns, ..Size::default() }
    }
}
impl From<&Comparisons> for Size {
    fn from(c: &Comparisons) -> Self {
        Size { objects: c.objects().len(), rows: c.len(), ..Size::default() }
    }
}
impl From<&Pairs> for Size {
    fn from(p: &Pairs) -> Self {
        Size { objects: p.objects().len(), rows: p.len(), levels: p.levels(), ..Size::default() }
    }
}
impl From<&Features> for Size {
    fn from(f: &Features) -> Self {
        Size { objects: f.len(), rows: f.len(), columns: f.columns().len(), ..Size::default() }
    }
}
impl From<&Kernels> for Size {
    fn from(k: &Kernels) -> Self {
        let n = k.objects().len();
        Size { objects: n, rows: n, kernels: k.len(), span: k.span(), ..Size::default() }
    }
}
impl From<(&Kernels, &Comparisons)> for Size {
    fn from((k, c): (&Kernels, &Comparisons)) -> Self {
        Size { kernels: k.len(), span: k.span(), ..Size::from(c) }
    }
}
impl From<(&Features, &Comparisons)> for Size {
    fn from((f, c): (&Features, &Comparisons)) -> Self {
        Size { columns: f.columns().len(), ..Size::from(c) }
    }
}
impl From<(&Kernels, &Pairs)> for Size {
    fn from((k, p): (&Kernels, &Pairs)) -> Self {
        Size { kernels: k.len(), span: k.span(), ..Size::from(p) }
    }
}
impl From<&Evidence> for Size {
    fn from(evidence: &Evidence) -> Self {
        match evidence {
            Evidence::Distances(d) => d.into(),
            Evidence::Rows(rows) => rows.into(),
            Evidence::Comparisons(c) => c.into(),
            Evidence::Pairs(p) => p.into(),
            Evidence::Features(f) => f.into(),
            Evidence::Kernels(k) => k.into(),
            other => Size { objects: other.objects().len(), rows: other.objects().len(), ..Size::default() },
        }
    }
}

impl From<&Study> for Size {
    /// That of the part that a map is held against, with the columns and kernels beside it.
    fn from(study: &Study) -> Self {
        let tables = || study.features().iter().map(|(_, features)| features);
        let main = match study.main() {
            Some(evidence) => evidence.into(),
            None => tables().next().map_or_else(Size::default, Size::from),
        };
        let columns = main.columns.max(tables().map(|f| f.columns().len()).sum());
        let specs = study.kernel_specs();
        let linear = |s: &KernelSpec| matches!(s.made, Made::Of { kind: KernelKind::Linear, .. }) && !s.normalise;
        let told = if !specs.is_empty() && specs.iter().all(linear) { columns } else { 0 };
        Size {
            objects: main.objects.max(study.objects().len()),
            columns,
            kernels: study.kernels().map_or(specs.len(), Kernels::len),
            span: study.kernels().map_or(told, Kernels::span),
            measurements: study.measurements().map_or(0, |m| m.rows().len()),
            ..main
        }
    }
}

/// A time in words, as an order of magnitude: `about a minute`.
#[must_use]
pub fn in_words(seconds: f64) -> &'static str {
    match seconds {
        s if s < 1.0 => "less than a second",
        s if s < 5.0 => "a few seconds",
        s if s < 20.0 => "about ten seconds",
        s if s < 45.0 => "about half a minute",
        s if s < 120.0 => "about a minute",
        s if s < 400.0 => "some minutes",
        s if s < 1200.0 => "about a quarter of an hour",
        s if s < 2700.0 => "about half an hour",
        s if s < 7200.0 => "about an hour",
        s if s < 36_000.0 => "hours",
        _ => "more than half a day",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::method::table::{METHODS, find};

    fn needs(method: &str, size: Size) -> Needs {
        let method = find(method).unwrap();
        method.needs(size, &method.settings([]).unwrap())
    }
    fn size(objects: usize, rows: usize, kernels: usize) -> Size {
        Size { objects, rows, columns: 10, kernels, ..Size::default() }
    }

    #[test]
    fn more_of_anything_takes_longer_and_more_memory() {
        for method in METHODS {
            let of = |n, rows, kernels| needs(method.name, size(n, rows, kernels));
            // Few objects have twenty starts and more have one, so there are two stretches.
            for stretch in [[70, 80, 100], [301, 500, 2000]] {
                let all = stretch.map(|n| of(n, 10_000, 1));
                assert!(all.windows(2).all(|w| w[0].seconds <= w[1].seconds && w[0].bytes < w[1].bytes), "{all:?}");
            }
            assert!(of(500, 1000, 1).seconds <= of(500, 1_000_000, 1).seconds, "{}", method.name);
            assert!(of(500, 1000, 1).bytes <= of(500, 1_000_000, 3).bytes, "{}", method.name);
        }
    }

    /// What was measured (`bench/results`; the 500 objects by 100,000 triplets of noisy answers in a trial), within a factor of
    /// three: seconds of one core, and megabytes at the peak less the 16 of a process that has nothing to do.
    #[test]
    fn what_was_measured_is_met_within_a_factor_of_three() {
        for &(method, objects, rows, kernels, seconds, megabytes) in MEASURED {
            let told = needs(method, size(objects, rows, kernels));
            let what = format!("{method} {objects} {rows}: {told:?}");
            if let (Some(told), Some(measured)) = (told.seconds, seconds) {
                assert!((1.0 / 3.0..3.0).contains(&(told / measured)), "{what}, {measured} s measured");
            }
            if let Some(measured) = megabytes {
                assert!(
                    (1.0 / 3.0..3.0).contains(&(told.bytes as f64 / 1e6 / measured)),
                    "{what}, {measured} MB measured"
                );
            }
        }
    }

    type Case = (&'static str, usize, usize, usize, Option<f64>, Option<f64>);

    const MEASURED: &[Case] = &[
        ("classical-mds", 2000, 1_999_000, 0, Some(0.114), None),
        ("classical-mds", 5000, 12_497_500, 0, Some(0.62), Some(101.0)),
        ("metric-mds", 1000, 499_500, 0, Some(0.088), None),
        ("metric-mds", 5000, 12_497_500, 0, Some(1.27), Some(101.0)),
        ("nonmetric-mds", 500, 124_750, 0, Some(0.16), None),
        ("nonmetric-mds", 1000, 499_500, 0, Some(1.5), None),
        ("nonmetric-mds", 2000, 1_999_000, 0, Some(13.4), Some(75.0)),
        // By how noisy the distances are: 12.6 s and 60 s at 500 objects.
        ("robust-mds", 150, 11_175, 0, Some(6.0), None),
        ("robust-mds", 500, 124_750, 0, Some(12.6), None),
        ("robust-mds", 500, 124_750, 0, Some(60.4), None),
        ("nearest-edm", 500, 124_750, 0, Some(1.1), None),
        ("robust-mds", 1000, 499_500, 0, Some(68.0), None),
        ("mvu", 1000, 1000, 0, Some(0.5), None),
        ("mvu", 20_000, 20_000, 0, Some(25.0), None),
        ("psde", 162, 26_000, 0, Some(0.06), None),
        ("psde", 648, 419_256, 0, Some(0.84), None),
        ("psde", 2000, 3_998_000, 0, Some(15.0), Some(376.0)),
        ("gnmds", 30, 16_068, 0, Some(0.3), None),
        ("gnmds", 64, 7312, 0, Some(1.0), None),
        ("gnmds", 100, 24_000, 0, Some(1.1), None),
        ("gnmds", 399, 7272, 0, Some(5.4), None),
        ("gnmds", 500, 100_000, 0, Some(7.5), Some(61.0)),
        ("gnmds", 600, 4800, 0, Some(1.7), Some(29.0)),
        ("gnmds", 1000, 8000, 0, Some(5.6), Some(128.0)),
        ("convex-ste", 600, 4800, 0, Some(0.47), Some(29.0)),
        ("convex-ste", 1000, 8000, 0, Some(2.15), Some(81.0)),
        ("multiple-maps", 150, 900, 0, Some(9.2), None),
        ("multiple-maps", 600, 3600, 0, Some(152.0), None),
        ("kpsde", 162, 26_000, 1, Some(0.18), None),
        ("kpsde", 648, 419_256, 1, Some(1.25), Some(42.0)),
        ("kernel-gnmds", 75, 2000, 1, Some(0.25), None),
        ("kernel-partial-order", 75, 2000, 1, Some(0.8), None),
        ("kernel-partial-order", 75, 2000, 5, Some(5.3), None),
        ("kernel-partial-order", 300, 2400, 1, Some(4.9), None),
        ("kernel-partial-order", 600, 4800, 1, Some(32.0), Some(51.0)),
        ("kernel-gnmds", 300, 2400, 1, Some(1.1), None),
        ("kernel-gnmds", 600, 4800, 1, Some(11.3), Some(32.0)),
        ("svm-metric", 75, 2000, 1, Some(0.05), None),
    ];

    /// Seconds at 600 objects and 4,800 comparisons, by how many features a linear kernel has.
    #[test]
    fn a_kernel_of_few_features_is_a_smaller_question() {
        for (method, span, seconds) in [
            ("kernel-partial-order", 4, 0.9),
            ("kernel-partial-order", 20, 1.2),
            ("kernel-partial-order", 60, 1.3),
            ("kernel-gnmds", 20, 4.7),
            ("kernel-gnmds", 60, 3.0),
        ] {
            let told = needs(method, Size { span, ..size(600, 4800, 1) }).seconds.unwrap();
            assert!((1.0 / 3.0..3.0).contains(&(told / seconds)), "{method} {span}: {told}, {seconds} s measured");
        }
    }

    #[test]
    fn words_grow_with_the_time() {
        assert_eq!(in_words(0.2), "less than a second");
        assert_eq!(in_words(60.0), "about a minute");
        assert_eq!(in_words(900.0), "about a quarter of an hour");
        assert_eq!(in_words(1e6), "more than half a day");
    }
}
