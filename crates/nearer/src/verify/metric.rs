//! Certificates of learned metrics checked again: the question stated once more from features and judgements, its objective and
//! the matrix behind the bound as plain loops, and the proof by the slow factorisation.

use ndarray::Array2;

use super::definite::{Square, least_eigenvalue};
use super::question::{Trouble, asked, used};
use super::rank::Axes;
use super::rounding::{Sum, roundings};
use super::{AGREE, About, Found, MODEST, Verdict, judge};
use crate::error::Error;
use crate::evidence::{Classes, Evidence, Features, sampled_pairs};
use crate::graph::class_neighbours;
use crate::io::{CertificateFile, Claim};
use crate::program::{Candidate, Certificate, MetricAsk, MetricWitness, Sense};
use crate::report::FitReport;
use crate::settings::{Settings, Value};

/// The methods that learn a metric with a proof.
pub(super) const METRICS: [&str; 3] = ["lmnn", "mmc", "mcml"];
/// A weight that settings say as a share may differ by this much of it from what is made of them here.
const SAME: f64 = 1e-9;

/// The features as they are scaled, and what is asked of a metric on them.
pub(super) struct Question {
    features: Features,
    scale: Vec<f64>,
    ask: MetricAsk,
}

impl Question {
    /// The question of a method about features and judgements.
    pub(super) fn of(file: &CertificateFile, about: &About<'_>) -> Result<Question, Trouble> {
        let (claim, used) = (&file.claim, used(&file.claim));
        let Some(features) = about.features else {
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
        let number = |name: &str| {
            used.number(name).filter(|v| v.is_finite() && *v > 0.0).ok_or_else(|| {
                Trouble::Claim("settings", format!("its setting `{name}` is absent or no number above 0"))
            })
        };
        let standardise = used.get("unit-variance") == Some(&Value::Flag(true));
        let spreads = features.spreads();
        let scale: Vec<f64> =
            spreads.iter().map(|(_, spread)| if standardise && *spread > 0.0 { *spread } else { 1.0 }).collect();
        let question = |ask| Question { features: features.clone(), scale: scale.clone(), ask };
        let weight = number("weight")?;
        let found = match (claim.method.as_str(), evidence) {
            ("lmnn", Evidence::Sorts(sorts)) => {
                let group = groups(&Classes::of(sorts)?);
                let count = used.count("targets").unwrap_or(0);
                let targets = class_neighbours(features, &scale, &group, count);
                question(MetricAsk::Neighbours { group, targets, push: number("push")?, ridge: weight })
            }
            ("lmnn", Evidence::Comparisons(c)) => {
                let two = |p: crate::object::Pair| [p.first().index() as u32, p.second().index() as u32];
                let rows = c.iter().map(|r| (two(r.near), two(r.far), r.weight, r.margin)).collect();
                question(MetricAsk::Compared { rows, push: number("push")?, ridge: weight })
            }
            ("mmc", Evidence::Sorts(_) | Evidence::Pairs(_)) => {
                let (similar, all) = sides(evidence, &used, claim.seed)?;
                let differ = |p: &(u32, u32, f64)| features.row(p.0 as usize) != features.row(p.1 as usize);
                let dissimilar = all.into_iter().filter(differ).collect();
                let diagonal = used.word("form") == Some("diagonal");
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
        let share = number(if claim.method == "mcml" { "trace" } else { "ridge" })?;
        let own = share * found.variance();
        if (own - weight).abs() > SAME * own {
            return Err(Trouble::Claim("settings", format!("its weight is {weight}, and its settings make {own}")));
        }
        Ok(found)
    }

    pub(super) fn fingerprint(&self) -> String {
        self.ask.fingerprint(self.features.objects(), &self.scale)
    }

    /// A feature of an object as it is scaled, without its mean.
    fn rows(&self) -> Vec<Vec<f64>> {
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
        if matches!(self.ask, MetricAsk::Apart { diagonal: true, .. }) {
            return self.scale.len() as f64;
        }
        let points = Array2::from_shape_fn((rows.len(), self.scale.len()), |(i, k)| rows[i][k]);
        Axes::of(&points).beyond(1e-12) as f64
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

/// The class of each object; `u32::MAX` for none.
fn groups(classes: &Classes) -> Vec<u32> {
    (0..classes.objects().len()).map(|i| classes.class(i).unwrap_or(u32::MAX)).collect()
}

type Sides = (Vec<(u32, u32, f64)>, Vec<(u32, u32, f64)>);

/// The pairs alike and not, as they are given or drawn from classes.
fn sides(evidence: &Evidence, used: &Settings, seed: u64) -> Result<Sides, Trouble> {
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
            let Some(count) = used.count("pairs") else {
                return Err(Trouble::Claim("settings", "it does not say how many pairs were drawn".into()));
            };
            let (alike, not) = sampled_pairs(&groups(&Classes::of(sorts)?), count, seed);
            let weighed = |list: Vec<(u32, u32)>| list.into_iter().map(|(a, b)| (a, b, 1.0)).collect();
            Ok((weighed(alike), weighed(not)))
        }
        _ => Ok((Vec::new(), Vec::new())),
    }
}

/// What a fit of a metric has to write down: its factor, and the multipliers that are not zero.
pub(super) fn certificate_of(
    report: &FitReport,
    certificate: &Certificate,
    witness: &MetricWitness,
    about: &About<'_>,
) -> Result<CertificateFile, Error> {
    let claim = Claim {
        method: report.method.clone(),
        settings: report.settings.clone(),
        resolved: report.resolved.clone(),
        seed: report.seed,
        evidence: about.fingerprint(&report.method).unwrap_or_default(),
        program: witness.ask.fingerprint(&witness.objects, &witness.scale),
        certificate: certificate.clone(),
    };
    let c = &witness.candidate;
    let shares = || c.multipliers.iter().map(|(t, l, a)| (*t, *l, a.clamp(0.0, 1.0)));
    let (multipliers, ball_multipliers) = match &witness.ask {
        MetricAsk::Compared { rows, .. } => {
            let mut all = vec![0.0; rows.len()];
            shares().for_each(|(t, _, a)| all[t as usize] = a);
            (all, Vec::new())
        }
        _ => (Vec::new(), shares().collect()),
    };
    let candidate = Candidate { factors: vec![c.factor.clone()], radii: Vec::new(), multipliers, ball_multipliers };
    let file = CertificateFile { claim, candidate, space: Vec::new(), weighed: None, intact: true };
    if Question::of(&file, about)?.fingerprint() != file.claim.program {
        return Err(Error::Evidence {
            what: "the program that was solved is not the one that its settings ask for".into(),
            remedy: "this is a mistake in nearer: please report it, and leave the certificate out".into(),
        });
    }
    Ok(file)
}

/// Checks a certificate of a learned metric.
pub(super) fn verify(mut verdict: Verdict, file: &CertificateFile, about: &About<'_>) -> Result<Verdict, Error> {
    let question = match Question::of(file, about) {
        Ok(question) => question,
        Err(Trouble::Input(error)) => return Err(error),
        Err(Trouble::Claim(kind, what)) => {
            verdict.say(kind, what);
            return Ok(verdict);
        }
    };
    verdict.settings = asked(&file.claim);
    if question.fingerprint() != file.claim.program {
        verdict.say(
            "other-question",
            "the certificate is about another question: a parameter, or which pairs were held".into(),
        );
        return Ok(verdict);
    }
    let c = &file.claim.certificate;
    if c.sense != question.ask.sense() || c.about != question.ask.about() {
        verdict.say("other-question", "what is claimed is not what the question of the method is".into());
        return Ok(verdict);
    }
    verdict.about = c.about.clone();
    let d = question.scale.len();
    let [factor] = file.candidate.factors.as_slice() else {
        verdict.say("shape", "the file holds no factor of a metric".into());
        return Ok(verdict);
    };
    if factor.nrows() != d {
        verdict.say("shape", format!("the file holds a metric of {} features, and there are {d}", factor.nrows()));
        return Ok(verdict);
    }
    let (Some(bound), Some(gap)) = (c.bound, c.gap) else {
        verdict.say("bound", "the certificate claims no bound: there is nothing to check".into());
        return Ok(verdict);
    };
    let points = Points::of(&question, factor);
    let judged = match &question.ask {
        MetricAsk::Neighbours { group, targets, push, ridge } => {
            let Some(rows) = opened(file, targets, group, *push, &mut verdict) else { return Ok(verdict) };
            points.neighbours(group, targets, *push, *ridge, &rows, bound)
        }
        MetricAsk::Compared { rows, push, ridge } => {
            let shares = &file.candidate.multipliers;
            if shares.len() != rows.len() || shares.iter().any(|a| !(0.0..=1.0).contains(a)) {
                verdict.say(
                    "multiplier",
                    "a multiplier lies outside [0, 1], or there is not one for each comparison".into(),
                );
                return Ok(verdict);
            }
            points.compared(rows, *push, *ridge, shares, bound)
        }
        MetricAsk::Apart { similar, dissimilar, ridge, diagonal } => {
            if *diagonal && factor.indexed_iter().any(|((i, j), v)| i != j && *v != 0.0) {
                verdict.say("shape", "the metric is claimed to be diagonal, and is not".into());
                return Ok(verdict);
            }
            points.apart(similar, dissimilar, *ridge, *diagonal, bound)
        }
        MetricAsk::Collapse { group, trace } => points.collapse(group, *trace),
    };
    judged.hold(&mut verdict, c.sense, c.primal, bound, gap);
    let seen = Array2::from_shape_fn((points.y.len(), factor.ncols()), |(i, k)| points.y[i][k]);
    let axes = Axes::of(&seen);
    let (fewest, most) = (axes.beyond(1e-5 * (1.0 + 1e-6)), axes.beyond(1e-5 * (1.0 - 1e-6)));
    if !(fewest..=most).contains(&c.rank) {
        verdict.say("rank", format!("the rank is claimed to be {}, and the points have {fewest}", c.rank));
    }
    verdict.found = Some(Found {
        primal: judged.primal,
        bound: judged.bound,
        gap: judge::gap(judged.primal, judged.bound, judged.scale),
        violation: 0.0,
        feasible: true,
        rank: fewest,
    });
    verdict.accepted = verdict.reasons.is_empty();
    Ok(verdict)
}

/// A hinge with its multiplier: near pair, far pair, multiplier, margin.
type Open = ([u32; 2], [u32; 2], f64, f64);

/// The hinges that the file has multipliers for; each is one of the question, there once, and within its range.
fn opened(
    file: &CertificateFile,
    targets: &[(u32, u32)],
    group: &[u32],
    push: f64,
    verdict: &mut Verdict,
) -> Option<Vec<Open>> {
    let mut seen = std::collections::HashSet::new();
    let mut rows = Vec::new();
    for &(t, l, a) in &file.candidate.ball_multipliers {
        let known = targets.get(t as usize).filter(|(i, _)| {
            let other = group.get(l as usize).copied();
            other.is_some_and(|g| g != u32::MAX && g != group[*i as usize])
        });
        let (Some(&(i, j)), true, true) = (known, (0.0..=1.0).contains(&a), seen.insert((t, l))) else {
            verdict.say(
                "multiplier",
                format!(
                    "the multiplier {a} of target {} and object {} is out of range, there twice, or of no hinge",
                    t + 1,
                    l + 1
                ),
            );
            return None;
        };
        rows.push(([i, j], [i, l], push * a, 1.0));
    }
    Some(rows)
}

/// What the slow path came to.
struct Judged {
    /// The objective, on the side that is worse for the claim.
    primal: f64,
    /// The same on the better side.
    least: f64,
    bound: f64,
    scale: f64,
}

impl Judged {
    fn hold(&self, verdict: &mut Verdict, sense: Sense, primal: f64, bound: f64, gap: f64) {
        let larger = primal.abs().max(bound.abs());
        let towards = if sense == Sense::Minimise { 1.0 } else { -1.0 };
        let over = towards * (self.least - primal);
        if over > AGREE * larger || over.is_nan() {
            verdict.say(
                "primal",
                format!("the primal is claimed to be {primal}, and the numbers of the file attain {}", self.least),
            );
        } else if over < -MODEST * larger - 1e-9 * self.scale {
            verdict.say(
                "modest",
                format!(
                    "the primal is claimed to be {primal}, and its own numbers attain {}, which is better",
                    self.least
                ),
            );
        }
        let over = towards * (bound - self.bound);
        if over > AGREE * larger || over.is_nan() {
            verdict.say(
                "bound",
                format!("the bound is claimed to be {bound}, and the numbers of the file prove {}", self.bound),
            );
        }
        let stated = judge::gap(primal, bound, self.scale);
        if (stated - gap).abs() > AGREE {
            verdict.say("gap", format!("the gap is claimed to be {gap}, and primal and bound are {stated} apart"));
        }
    }
}

/// The objects under the metric of the file.
struct Points<'a> {
    x: Vec<Vec<f64>>,
    y: Vec<Vec<f64>>,
    factor: &'a Array2<f64>,
    /// By how much a squared distance may be off.
    doubt: f64,
    reach: f64,
}

impl<'a> Points<'a> {
    fn of(question: &Question, factor: &'a Array2<f64>) -> Self {
        let x = question.rows();
        let one = |row: &Vec<f64>| -> Vec<f64> {
            (0..factor.ncols()).map(|k| row.iter().enumerate().map(|(f, v)| v * factor[(f, k)]).sum()).collect()
        };
        let y = x.iter().map(one).collect();
        let reach = x.iter().map(|r| r.iter().map(|v| v * v).sum::<f64>()).fold(0.0, f64::max);
        let size: f64 = factor.iter().map(|v| v * v).sum();
        let doubt = 16.0 * roundings(2 * factor.nrows() + factor.ncols() + 8) * reach * size;
        Points { x, y, factor, doubt, reach }
    }
    fn square(&self, i: u32, j: u32) -> f64 {
        self.y[i as usize].iter().zip(&self.y[j as usize]).map(|(a, b)| (a - b) * (a - b)).sum()
    }
    fn trace(&self) -> f64 {
        self.factor.iter().map(|v| v * v).sum()
    }
    /// Adds `w zzᵗ` of a pair.
    fn add(&self, to: &mut Pile, i: u32, j: u32, w: f64) {
        let z: Vec<f64> = self.x[i as usize].iter().zip(&self.x[j as usize]).map(|(a, b)| a - b).collect();
        for a in (0..z.len()).filter(|a| z[*a] != 0.0) {
            let scaled = w * z[a];
            for b in 0..=a {
                to.put(a, b, scaled * z[b]);
            }
        }
        to.weight += w.abs();
    }
    /// By how much a pile may be off in any direction: differences of rounded features, and two products.
    fn off(&self, pile: &Pile) -> f64 {
        4.0 * roundings(16) * pile.weight * self.reach
    }

    fn neighbours(
        &self,
        group: &[u32],
        targets: &[(u32, u32)],
        push: f64,
        ridge: f64,
        open: &[Open],
        bound: f64,
    ) -> Judged {
        let mut value = Sum::default();
        for &(i, j) in targets {
            let near = self.square(i, j);
            value.add((1.0 - push) * near, self.doubt);
            for l in (0..group.len()).filter(|l| group[*l] != group[i as usize] && group[*l] != u32::MAX) {
                let r = 1.0 + near - self.square(i, l as u32);
                if r > 0.0 {
                    value.add(push * r, 2.0 * push * self.doubt);
                }
            }
        }
        let pull: Vec<(u32, u32, f64)> = targets.iter().map(|(i, j)| (*i, *j, 1.0 - push)).collect();
        self.hinged(value, &pull, ridge, open, bound)
    }
    fn compared(&self, rows: &[crate::program::Triple], push: f64, ridge: f64, shares: &[f64], bound: f64) -> Judged {
        let mut value = Sum::default();
        for (near, far, weight, margin) in rows {
            let d = self.square(near[0], near[1]);
            value.add((1.0 - push) * weight * d, weight * self.doubt);
            let r = margin + d - self.square(far[0], far[1]);
            if r > 0.0 {
                value.add(push * weight * r, 2.0 * weight * self.doubt);
            }
        }
        let pull: Vec<_> = rows.iter().map(|r| (r.0[0], r.0[1], (1.0 - push) * r.2)).collect();
        let open: Vec<Open> = rows.iter().zip(shares).map(|(r, a)| (r.0, r.1, push * r.2 * a, r.3)).collect();
        self.hinged(value, &pull, ridge, &open, bound)
    }
    /// Whether the multipliers, all made smaller alike, prove the bound that is claimed.
    fn hinged(&self, mut value: Sum, pull: &[(u32, u32, f64)], ridge: f64, open: &[Open], bound: f64) -> Judged {
        value.add(ridge * self.trace(), 1e-12 * ridge * self.trace());
        let d = self.x[0].len();
        let most: f64 = open.iter().map(|r| r.2 * r.3).sum();
        let share = if most > 0.0 { bound / most } else { 0.0 };
        let mut matrix = Pile::zeros(d);
        pull.iter().for_each(|(i, j, w)| self.add(&mut matrix, *i, *j, *w));
        for (near, far, a, _) in open {
            self.add(&mut matrix, near[0], near[1], share * a);
            self.add(&mut matrix, far[0], far[1], -share * a);
        }
        (0..d).for_each(|k| matrix.put(k, k, ridge));
        let (off, weight) = (self.off(&matrix), matrix.weight);
        let proved = bound <= 0.0 || (share <= 1.0 && least_eigenvalue(&matrix.square()) >= off);
        Judged { primal: value.upper(), least: value.lower(), bound: if proved { bound } else { 0.0 }, scale: weight }
    }
    fn apart(
        &self,
        similar: &[(u32, u32, f64)],
        dissimilar: &[(u32, u32, f64)],
        ridge: f64,
        diagonal: bool,
        bound: f64,
    ) -> Judged {
        let d = self.x[0].len();
        let mut used = Sum::default();
        similar.iter().for_each(|(i, j, w)| used.add(w * self.square(*i, *j), w * self.doubt));
        used.add(ridge * self.trace(), 1e-12 * ridge * self.trace());
        let lengths: Vec<f64> =
            dissimilar.iter().map(|(i, j, _)| (self.square(*i, *j) / used.upper()).sqrt()).collect();
        let (mut value, mut total) = (Sum::default(), 0.0);
        for (length, (_, _, w)) in lengths.iter().zip(dissimilar) {
            let off = if *length > 0.0 { self.doubt / used.upper() / length } else { 0.0 };
            value.add(w * length, w * off);
            total += w;
        }
        let mean = value.value() / total;
        let (mut s, mut constant, mut g) = (Pile::zeros(d), 0.0, Pile::zeros(d));
        similar.iter().for_each(|(i, j, w)| self.add(&mut s, *i, *j, *w));
        (0..d).for_each(|k| s.put(k, k, ridge));
        for (length, (i, j, w)) in lengths.iter().zip(dissimilar) {
            let e = length.max(1e-6 * mean);
            constant += 0.5 * w * e;
            self.add(&mut g, *i, *j, 0.5 * w / e);
        }
        let most = bound - constant;
        let off = self.off(&g) + most * self.off(&s);
        let (s, g) = (s.square(), g.square());
        let proved = if diagonal {
            (0..d).all(|k| g.at(k, k) + off <= most * s.at(k, k))
        } else {
            let mut matrix = Square::zeros(d);
            matrix.entries.iter_mut().zip(&s.entries).zip(&g.entries).for_each(|((m, s), g)| *m = most * s - g);
            least_eigenvalue(&matrix) >= off
        };
        Judged {
            primal: value.lower(),
            least: value.upper(),
            bound: if proved { bound } else { f64::INFINITY },
            scale: value.value(),
        }
    }
    fn collapse(&self, group: &[u32], trace: f64) -> Judged {
        let (n, d) = (self.x.len(), self.x[0].len());
        let size = |g: u32| group.iter().filter(|o| **o == g).count();
        let mut value = Sum::default();
        let mut gradient = Pile::zeros(d);
        for i in (0..n).filter(|i| group[*i] != u32::MAX && size(group[*i]) > 1) {
            let squares: Vec<f64> = (0..n).map(|j| self.square(i as u32, j as u32)).collect();
            let others = || (0..n).filter(|j| *j != i);
            let least = others().map(|j| squares[j]).fold(f64::INFINITY, f64::min);
            let total: f64 = others().map(|j| (least - squares[j]).exp()).sum();
            let even = 1.0 / (size(group[i]) - 1) as f64;
            let same = |j: usize| group[j] == group[i];
            let mean: f64 = others().filter(|j| same(*j)).map(|j| even * squares[j]).sum();
            value.add(mean + total.ln() - least + even.ln(), 2.0 * self.doubt + 1e-13);
            for j in others() {
                let w = (if same(j) { even } else { 0.0 }) - (least - squares[j]).exp() / total;
                if w.abs() > 1e-18 {
                    self.add(&mut gradient, i as u32, j as u32, w);
                }
            }
        }
        value.add(trace * self.trace(), 1e-12 * trace * self.trace());
        (0..d).for_each(|k| gradient.put(k, k, trace));
        // A share is off by what its distances are.
        let off = self.off(&gradient) + gradient.weight * 4.0 * self.reach * (4.0 * self.doubt + 1e-13);
        let gradient = gradient.square();
        let mut along = Sum::default();
        for k in 0..self.factor.ncols() {
            for a in 0..d {
                let image: f64 = (0..d).map(|b| gradient.at(a, b) * self.factor[(b, k)]).sum();
                along.add(self.factor[(a, k)] * image, 0.0);
            }
        }
        let below = (least_eigenvalue(&gradient) - off).min(0.0);
        let bound = value.lower() - along.upper() - off * self.trace() + below * value.upper() / trace;
        Judged { primal: value.upper(), least: value.lower(), bound: bound.max(0.0), scale: n as f64 }
    }
}

/// A sum of symmetric matrices, the lower triangle of each, kept in two numbers an entry so that it loses next to nothing.
struct Pile {
    n: usize,
    high: Vec<f64>,
    low: Vec<f64>,
    weight: f64,
}

impl Pile {
    fn zeros(n: usize) -> Self {
        Pile { n, high: vec![0.0; n * n], low: vec![0.0; n * n], weight: 0.0 }
    }
    fn put(&mut self, a: usize, b: usize, term: f64) {
        let at = a * self.n + b;
        let sum = self.high[at] + term;
        let part = sum - self.high[at];
        self.low[at] += (self.high[at] - (sum - part)) + (term - part);
        self.high[at] = sum;
    }
    fn square(&self) -> Square {
        let mut square = Square::zeros(self.n);
        for a in 0..self.n {
            for b in 0..=a {
                let v = self.high[a * self.n + b] + self.low[a * self.n + b];
                (square.entries[a * self.n + b], square.entries[b * self.n + a]) = (v, v);
            }
        }
        square
    }
}
