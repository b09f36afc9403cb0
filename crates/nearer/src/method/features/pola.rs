//! POLA: a metric learned online, one pair at a time.

use ndarray::Array2;
use nearer_num::dense;

use crate::error::Error;
use crate::evidence::{Features, Pairs};
use crate::fit::{Embed, Fit};
use crate::method::common::DIM;
use crate::method::cost::Needs;
use crate::method::features::ground::{Ground, STANDARDISE};
use crate::method::features::groups::places;
use crate::method::table::{Kind, Method, Parameter, again, way};
use crate::model::Linear;
use crate::report::FitReport;
use crate::settings::{Value, configured};
use crate::solve::{Run, Step};

/// The state of an online learner: a metric and a threshold, and what they cost so far.
///
/// A pair with difference `v` and `y = 1` (alike) or `-1` costs `[1 - y (b - vᵗ A v)]₊`. A step along the derivative, of length
/// `loss / (|v|⁴ + 1)`, makes that zero; then `A` loses the one eigenvalue that may be below zero, and `b` is one at least
/// (Shalev-Shwartz, Singer and Ng 2004). For any metric and threshold `(A*, b*)` that a stream never costs anything, the sum of the
/// squared losses is at most `(max |v|⁴ + 1) |(A*, b*) - (0, 1)|²`, and so is the number of mistakes.
///
/// ```
/// use nearer::method::Online;
/// let mut learner = Online::new(2);
/// for _ in 0..50 {
///     learner.learn(&[2.0, 0.0], true);       // far apart in the first feature, and alike
///     learner.learn(&[0.0, 1.0], false);
/// }
/// assert!(learner.square(&[2.0, 0.0]) < learner.threshold() && learner.square(&[0.0, 1.0]) > learner.threshold());
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Online {
    metric: Array2<f64>,
    threshold: f64,
    pairs: u64,
    mistakes: u64,
    squared_losses: f64,
    largest: f64,
    scale: Vec<f64>,
    standardise: bool,
}

impl Online {
    /// Nothing learned yet, for so many features.
    #[must_use]
    pub fn new(features: usize) -> Self {
        Online {
            metric: Array2::zeros((features, features)),
            threshold: 1.0,
            pairs: 0,
            mistakes: 0,
            squared_losses: 0.0,
            largest: 0.0,
            scale: vec![1.0; features],
            standardise: false,
        }
    }
    /// Nothing learned yet, over the features of a table, each divided by its standard deviation where asked.
    #[must_use]
    pub fn over(features: &Features, standardise: bool) -> Self {
        let scale = features.spreads().iter().map(|s| if standardise && s.1 > 0.0 { s.1 } else { 1.0 }).collect();
        Online { scale, standardise, ..Online::new(features.columns().len()) }
    }
    /// Where another left off: its model, with the threshold and counts of its report.
    ///
    /// # Fails
    /// [`Error::Evidence`] where the model is of another method, other features, or not all of its metric.
    pub fn resumed(model: &Linear, report: &FitReport, features: &Features, standardise: bool) -> Result<Self, Error> {
        let wrong = |what: &str| Error::Evidence {
            what: what.into(),
            remedy: "resume with a model that was learned online, with the same features and scaling".into(),
        };
        let number = |name: &str| report.figures.get(name).and_then(crate::settings::Value::number);
        let (Some(threshold), Some(pairs), Some(mistakes)) = (number("threshold"), number("pairs"), number("mistakes"))
        else {
            return Err(wrong("the model was not learned online"));
        };
        let columns: Vec<&String> = model.tables().flat_map(|(_, c)| c).collect();
        if columns != features.columns().iter().collect::<Vec<_>>() || model.dim() < columns.len() {
            return Err(wrong("the model is of other features, or shows only some dimensions of its metric"));
        }
        if report.settings.get("unit-variance") != Some(&standardise.into()) {
            return Err(wrong("the model was learned on features scaled in another way"));
        }
        let mut learner = Online::over(features, standardise);
        // The model divides by the scale; here differences come divided already.
        let mut factor = model.map().clone();
        factor.rows_mut().into_iter().zip(&learner.scale).for_each(|(mut row, s)| row.mapv_inplace(|v| v * s));
        learner.metric = factor.dot(&factor.t());
        (learner.threshold, learner.pairs, learner.mistakes) = (threshold.max(1.0), pairs as u64, mistakes as u64);
        Ok(learner)
    }
    /// The features as the learner sees them.
    #[must_use]
    pub fn scaled(&self, features: &Features) -> Array2<f64> {
        features.values() / &ndarray::ArrayView1::from(&self.scale)
    }
    /// The whole metric as a map of the objects of a table, with a model that holds all of its dimensions.
    ///
    /// # Fails
    /// [`Error::Evidence`] where nothing was learned yet.
    pub fn fit(&self, features: &Features, run: &Run<'_>) -> Result<Fit<Linear>, Error> {
        let ground = Ground::of_features(features, self.standardise, true)?;
        let method = Pola { dim: ground.width(), passes: 1, standardise: self.standardise };
        method.told(self, ground.linear("pola", &self.factor()?, ground.width(), run)?)
    }
    /// `A`.
    #[must_use]
    pub fn metric(&self) -> &Array2<f64> {
        &self.metric
    }
    /// `b`: pairs of a squared distance below it are held to be alike.
    #[must_use]
    pub fn threshold(&self) -> f64 {
        self.threshold
    }
    /// Pairs seen.
    #[must_use]
    pub fn pairs(&self) -> u64 {
        self.pairs
    }
    /// Pairs on the wrong side of the threshold when they came.
    #[must_use]
    pub fn mistakes(&self) -> u64 {
        self.mistakes
    }
    /// The sum of the squared losses, since the start or since it was resumed.
    #[must_use]
    pub fn squared_losses(&self) -> f64 {
        self.squared_losses
    }
    /// What the sum of squared losses, and so the number of mistakes, is at most on any stream that this metric and threshold
    /// would never have lost on.
    #[must_use]
    pub fn mistake_bound(&self, metric: &Array2<f64>, threshold: f64) -> f64 {
        let far = metric.iter().map(|v| v * v).sum::<f64>() + (threshold - 1.0).powi(2);
        (self.largest * self.largest + 1.0) * far
    }
    /// `vᵗ A v`.
    #[must_use]
    pub fn square(&self, v: &[f64]) -> f64 {
        self.metric
            .rows()
            .into_iter()
            .zip(v)
            .map(|(row, a)| a * row.iter().zip(v).map(|(m, b)| m * b).sum::<f64>())
            .sum()
    }
    /// Learns from one pair: the loss it had before.
    pub fn learn(&mut self, v: &[f64], alike: bool) -> f64 {
        let y = if alike { 1.0 } else { -1.0 };
        let side = y * (self.threshold - self.square(v));
        let length: f64 = v.iter().map(|a| a * a).sum();
        self.pairs += 1;
        self.mistakes += u64::from(side <= 0.0);
        self.largest = self.largest.max(length);
        let loss = (1.0 - side).max(0.0);
        if loss == 0.0 {
            return 0.0;
        }
        self.squared_losses += loss * loss;
        let step = loss / (length * length + 1.0);
        for (mut row, a) in self.metric.rows_mut().into_iter().zip(v) {
            row.iter_mut().zip(v).for_each(|(m, b)| *m -= step * y * a * b);
        }
        self.threshold = (self.threshold + step * y).max(1.0);
        if alike {
            self.mend();
        }
        loss
    }
    /// Takes away the eigenvalue below zero, of which a step can make one.
    fn mend(&mut self) {
        if let Ok((values, vectors)) = dense::eigh(self.metric.view()) {
            let last = values.len() - 1;
            if values[last] < 0.0 {
                let axis = vectors.column(last);
                for (mut row, a) in self.metric.rows_mut().into_iter().zip(axis) {
                    row.scaled_add(-values[last] * a, &axis);
                }
            }
        }
    }
    /// A factor of the metric.
    ///
    /// # Fails
    /// [`Error::Numerical`] where its axes are not found.
    pub fn factor(&self) -> Result<Array2<f64>, Error> {
        let (values, vectors) =
            dense::eigh(self.metric.view()).map_err(|_| Error::Numerical { what: "the axes of a metric".into() })?;
        Ok(&vectors * &values.mapv(|v| v.max(0.0).sqrt()))
    }
}

/// POLA over a file of pairs, in the order of its rows: see [`Online`].
///
/// ```text
/// (A, b) ← (A, b) + loss / (|v|⁴ + 1) · (-y v vᵗ, y),   A ⪰ 0,  b ≥ 1,      loss = [1 - y (b - vᵗ A v)]₊
/// ```
///
/// # Takes
/// [`Features`] with [`Pairs`]. `nearer learn` takes the pairs from a stream, and goes on where a model left off.
/// # Places
/// Anything with the same features ([`Linear`]).
/// # Cost
/// `O(q²)` a pair, `O(q³)` where a pair that is alike cost something; `O(q²)` memory.
/// # Fails
/// [`Error::Evidence`] where there is no pair, or nothing was learned.
/// # Reference
/// Shalev-Shwartz, Singer and Ng (2004), *Online and batch learning of pseudo-metrics*.
///
/// ```
/// use nearer::{Embed, method::Pola, toy};
/// # fn main() -> Result<(), nearer::Error> {
/// let (features, classes) = toy::classed(60, 3, 2, 1);
/// let fit = Pola::new(2).fit((&features, &classes.pairs(1000, 1)?))?;
/// assert!(fit.report.figures.contains_key("mistakes"));
/// # Ok(()) }
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Pola {
    dim: usize,
    passes: usize,
    standardise: bool,
}

configured!(Pola { dim: "dim", passes: "passes", standardise: "unit-variance" });

pub(crate) static METHOD: Method = Method {
    name: "pola",
    aliases: &["pseudo-metric-online-learning"],
    summary: "features with pairs, one at a time: a metric and a threshold that each pair corrects, also from a stream",
    solves: "(A, b) ← (A, b) + loss/(|v|⁴+1) (-y v vᵗ, y), A ⪰ 0, b ≥ 1, loss = [1 - y (b - vᵗ A v)]₊",
    ways: &[way::<Pola, (Features, Pairs)>()],
    parameters: &[
        DIM,
        Parameter {
            name: "passes",
            kind: Kind::Count { min: 1, max: 1_000_000 },
            or: &[],
            default: Value::Count(1),
            doc: "how often all pairs are gone through, in the order of their rows",
        },
        STANDARDISE,
    ],
    places: "by features alone",
    cost: "O(q²) time a pair, O(q³) where one that is alike costs something; 16 q² + 40 n q bytes",
    reference: "Shalev-Shwartz, Singer & Ng 2004",
    needs: |s, _| {
        let q = s.columns.max(1) as f64;
        Needs::new(
            1e-3 + s.m() * (1e-8 + 2e-9 * q * q + 2e-9 * q.powi(3)),
            60.0 * s.n() * q + 40.0 * q * q + 64.0 * s.m() + 1000.0 * s.n(),
        )
    },
    again: again::<Pola>,
};

impl Pola {
    /// A map of `dim` dimensions, after one pass.
    #[must_use]
    pub fn new(dim: usize) -> Self {
        Pola { dim, passes: 1, standardise: false }
    }
    /// With so many passes.
    #[must_use]
    pub fn passes(mut self, passes: usize) -> Self {
        self.passes = passes;
        self
    }
    /// With each feature divided by its standard deviation first.
    #[must_use]
    pub fn standardise(mut self, yes: bool) -> Self {
        self.standardise = yes;
        self
    }
}

impl Pola {
    /// The fit with what the learner has to tell.
    fn told(&self, learner: &Online, mut fit: Fit<Linear>) -> Result<Fit<Linear>, Error> {
        if learner.metric.iter().all(|v| *v == 0.0) {
            return Err(Error::Evidence {
                what: "the metric is zero: no pair that is not alike asked for a distance".into(),
                remedy: "give pairs of both kinds that differ in their features".into(),
            });
        }
        let report = &mut fit.report;
        report.iterations = self.passes;
        report.objective = learner.squared_losses();
        report.objective_is = "sum of squared losses on the way".into();
        report.by(self);
        *report = report
            .clone()
            .figure("threshold", learner.threshold())
            .figure("pairs", learner.pairs() as usize)
            .figure("mistakes", learner.mistakes() as usize);
        Ok(fit)
    }
}

impl Embed<(&Features, &Pairs)> for Pola {
    type Model = Linear;
    fn fit_with(&self, (features, pairs): (&Features, &Pairs), run: &Run<'_>) -> Result<Fit<Linear>, Error> {
        METHOD.afford(features, self, run, "give fewer features")?;
        let ground = Ground::of_features(features, self.standardise, false)?;
        ground.require("dim", self.dim)?;
        let at = places(pairs.objects(), ground.objects())?;
        if pairs.is_empty() {
            return Err(Error::Evidence {
                what: "there is no pair to learn from".into(),
                remedy: "give pairs that are alike or not".into(),
            });
        }
        let mut learner = Online::new(ground.width());
        let step = if pairs.is_mirrored() { 2 } else { 1 };
        let (clock, mut stop) = (run.clock(), None);
        'all: for pass in 1..=self.passes {
            for row in pairs.iter().step_by(step) {
                let v = &ground.values.row(at[row.from.index()]) - &ground.values.row(at[row.to.index()]);
                learner.learn(&v.to_vec(), row.similar);
                if learner.pairs().is_multiple_of(1000) {
                    stop =
                        clock.tick(&Step::new("learning", (0, 1), pass, Some(self.passes), learner.squared_losses()));
                    if stop.is_some() {
                        break 'all;
                    }
                }
            }
        }
        let mut fit = self.told(&learner, ground.linear("pola", &learner.factor()?, self.dim, run)?)?;
        fit.report.stop = stop.unwrap_or(fit.report.stop);
        Ok(fit)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use nearer_num::rng::Rng;

    /// On a stream that some metric never loses on, the sum of squared losses and the mistakes stay within the bound.
    /// A stream cut in two and resumed ends where the whole one does.
    #[test]
    fn it_goes_on_where_it_left_off() {
        let (features, classes) = crate::toy::classed(30, 3, 1, 4);
        let pairs = classes.pairs(200, 1).unwrap();
        for standardise in [false, true] {
            let mut whole = Online::over(&features, standardise);
            let x = whole.scaled(&features);
            let mut part = whole.clone();
            for (k, row) in pairs.iter().step_by(2).enumerate() {
                let v = (&x.row(row.from.index()) - &x.row(row.to.index())).to_vec();
                if k == 90 {
                    let fit = part.fit(&features, &Run::default()).unwrap();
                    part = Online::resumed(&fit.model, &fit.report, &features, standardise).unwrap();
                }
                whole.learn(&v, row.similar);
                part.learn(&v, row.similar);
            }
            assert_eq!((whole.pairs(), whole.mistakes()), (part.pairs(), part.mistakes()));
            assert!((whole.metric() - part.metric()).iter().all(|v| v.abs() < 1e-9));
            let other = Online::resumed(
                &whole.fit(&features, &Run::default()).unwrap().model,
                &FitReport::new("nca", 30, 3, 0),
                &features,
                standardise,
            );
            assert!(other.unwrap_err().to_string().contains("not learned online"));
        }
    }

    #[test]
    fn the_mistake_bound_holds_on_a_separable_stream() {
        let mut rng = Rng::task(6, 0);
        // Alike where the first feature differs by less than 1, not alike beyond 2: A* = s e e^t with b* between.
        let (scale, threshold) = (1.0, 2.5);
        let mut best = Array2::zeros((4, 4));
        best[(0, 0)] = scale;
        let mut learner = Online::new(4);
        let mut lost = Vec::new();
        for _ in 0..4000 {
            let mut v: Vec<f64> = (0..4).map(|_| rng.normal()).collect();
            let alike = rng.uniform() < 0.5;
            v[0] = if alike { rng.uniform() } else { 2.0 + rng.uniform() };
            // The best metric loses nothing: 1 - (b - d²) ≤ 0 and 1 + (b - d²) ≤ 0.
            let d = scale * v[0] * v[0];
            assert!(if alike { threshold - d >= 1.0 } else { d - threshold >= 1.0 });
            lost.push(learner.learn(&v, alike));
            assert!(learner.squared_losses() <= learner.mistake_bound(&best, threshold) * (1.0 + 1e-12));
        }
        assert!(learner.mistakes() as f64 <= learner.squared_losses());
        let early: f64 = lost[..500].iter().sum();
        let late: f64 = lost[3500..].iter().sum();
        assert!(late < 0.2 * early, "{early} {late}");
        let least = dense::eigvalsh(learner.metric().view()).unwrap()[3];
        assert!(least > -1e-12, "{least}");
    }
}
