//! A metric and a threshold that one pair after another corrects.

use ndarray::Array2;
use nearer_num::dense;

use crate::error::Error;
use crate::evidence::Features;
use crate::fit::Fit;
use crate::method::features::ground::Ground;
use crate::method::features::pola::Pola;
use crate::model::Linear;
use crate::report::FitReport;
use crate::solve::Run;

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
        let method = Pola::new(ground.width()).standardise(self.standardise);
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

#[cfg(test)]
mod tests {
    use super::*;
    use nearer_num::rng::Rng;

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

    /// On a stream that some metric never loses on, the sum of squared losses and the mistakes stay within the bound.
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
