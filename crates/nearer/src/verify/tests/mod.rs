//! Certificates of every method are accepted, and what was done to one is found out.

mod hostile;
mod weights;

use ndarray::Array2;
use nearer_num::rng::Rng;

use super::*;
use crate::evidence::{Comparison, Comparisons, Distances, Judged, Pairs, Repeats};
use crate::fit::Embed;
use crate::graph::ConstraintGraph;
use crate::io::Claim;
use crate::method::{Gnmds, PartialOrder, Psde, Radii, RobustMds};
use crate::object::{Item, Objects, Pair};
use crate::program::Program as _;
use crate::program::{self, GramProgram, LongestPaths, Stretch};
use crate::settings::{Settings, Value};
use crate::solve::{Goal, LowRank, Run, Solver};
use crate::toy;

/// A certificate file of a method's fit.
fn of<'e, M, E: 'e>(
    method: &impl Embed<&'e E, Model = M>,
    evidence: &'e E,
    wrapped: Evidence,
) -> (CertificateFile, Evidence) {
    let fit = method.fit(evidence).unwrap();
    (certificate_of(&fit, &wrapped).unwrap(), wrapped)
}

fn gnmds(seed: u64) -> (CertificateFile, Evidence) {
    let c = toy::answers(8 + seed as usize % 5, 2, 150, 0.1, seed);
    of(&Gnmds::new(2).refine(false), &c, Evidence::Comparisons(c.clone()))
}

/// A ring, or neighbours at random and then in one direction only.
fn neighbours(n: u32, seed: u64) -> Pairs {
    let mut rng = Rng::task(seed, 7);
    let points: Vec<(f64, f64)> = (0..n).map(|_| (rng.normal(), rng.normal())).collect();
    let apart = |i: u32, j: u32| {
        let (a, b) = (points[i as usize], points[j as usize]);
        (a.0 - b.0).hypot(a.1 - b.1)
    };
    let similar = |i: u32, j: u32| {
        if seed == 0 { matches!((n + i - j) % n, k if k == 1 || k == n - 1) } else { apart(i, j) < 0.9 }
    };
    let all = (0..n).flat_map(|i| (0..n).filter(move |j| *j != i).map(move |j| (i, j)));
    let mut rows: Vec<Judged> = all.map(|(i, j)| Judged::new(Item(i), Item(j), similar(i, j))).collect();
    if seed % 3 == 2 {
        rows.retain(|_| rng.uniform() < 0.7);
        rows.iter_mut().for_each(|r| r.weight = 0.5 + rng.uniform());
    }
    Pairs::new(Objects::numbered(n as usize), rows).unwrap()
}

/// Four grades, by the distances of points in the plane, some of them wrong where answers may be broken.
fn graded(seed: u64, slack: Option<f64>, radii: Radii) -> (CertificateFile, Evidence) {
    let (n, mut rng) = (8 + seed as u32 % 3, Rng::task(seed, 11));
    let points: Vec<(f64, f64)> = (0..n).map(|_| (rng.normal(), rng.normal())).collect();
    let mut answers = Vec::new();
    for (i, a) in points.iter().enumerate() {
        for (j, b) in points.iter().enumerate().skip(i + 1) {
            let off = if slack.is_some() { (0.4 * rng.normal()).exp() } else { 1.0 };
            let d = (a.0 - b.0).hypot(a.1 - b.1) * off;
            let grade = 1 + [0.8, 1.5, 2.4].iter().filter(|step| d > **step).count() as u16;
            answers.push((Judged::new(Item(i as u32), Item(j as u32), true), grade));
        }
    }
    let pairs = Pairs::graded(Objects::numbered(n as usize), answers, 4).unwrap().both_ways();
    let method = slack.map_or(Psde::new(2), |s| Psde::new(2).slack(s)).radii(radii);
    of(&method, &pairs, Evidence::Pairs(pairs.clone()))
}

fn psde(seed: u64, slack: Option<f64>) -> (CertificateFile, Evidence) {
    let pairs = neighbours(9 + seed as u32 % 4, seed);
    let method = slack.map_or(Psde::new(2), |s| Psde::new(2).slack(s));
    of(&method, &pairs, Evidence::Pairs(pairs.clone()))
}

fn ordered(seed: u64, shrink: f64) -> (CertificateFile, Evidence) {
    let c = toy::answers(7, 2, 25, 0.0, seed);
    let paths = LongestPaths::new(&ConstraintGraph::new(&c), 7).unwrap();
    let bound = paths.diameter.max(1e-3) + shrink * (paths.smallest() - paths.diameter);
    of(&PartialOrder::new(2).bound(bound), &c, Evidence::Comparisons(c.clone()))
}

fn robust(seed: u64) -> (CertificateFile, Evidence) {
    let mut rng = Rng::task(seed, 9);
    let n = 8 + rng.below(5);
    let points = Array2::from_shape_fn((n, 2), |_| rng.normal());
    let mut values = Vec::new();
    for i in 0..n {
        for j in i + 1..n {
            let d = (&points.row(i) - &points.row(j)).mapv(|v| v * v).sum().sqrt();
            values.push(if rng.uniform() < 0.1 { 3.0 * d } else { d });
        }
    }
    let d = Distances::from_condensed(Objects::numbered(n), values).unwrap();
    of(&RobustMds::new(2).refine(false), &d, Evidence::Distances(d.clone()))
}

/// A strip of points, each held to its nearest: made here, with the program and the engine of all.
fn unfolded(form: &str, how: Stretch, weight: Option<f64>) -> (CertificateFile, Evidence) {
    let n = 14;
    let at = |i: usize| {
        let t = 0.45 * i as f64;
        [t.cos() * (1.0 + 0.2 * t), t.sin() * (1.0 + 0.2 * t), 0.5 * (i % 3) as f64]
    };
    let d = |i: usize, j: usize| at(i).iter().zip(at(j)).map(|(a, b)| (a - b) * (a - b)).sum::<f64>().sqrt();
    // Most pairs are missing: the known ones are held.
    let all: Vec<(usize, usize)> = (0..n).flat_map(|i| (i + 1..n).map(move |j| (i, j))).collect();
    let values = all.iter().map(|&(i, j)| d(i, j)).collect();
    let weights = all.iter().map(|(i, j)| f64::from(u8::from(j - i <= 3))).collect();
    let distances =
        Distances::from_parts(Objects::numbered(n), values, Some(weights), None, Repeats::default()).unwrap();
    let edges: Vec<(u32, u32)> = all.iter().filter(|(i, j)| j - i <= 3).map(|&(i, j)| (i as u32, j as u32)).collect();
    let squared: Vec<f64> =
        edges.iter().map(|&(i, j)| distances.between(i as usize, j as usize).unwrap().powi(2)).collect();
    let program = program::unfold(n, &edges, &squared, how).unwrap();
    let evidence = Evidence::Distances(distances);
    let solved = LowRank.solve(&program, None, &Goal::default(), &Run::default()).unwrap();
    let mut settings = Settings::default().with("form", form);
    if let Some(weight) = weight {
        settings.set("weight", weight);
    }
    let claim = Claim {
        method: "mvu".into(),
        settings,
        resolved: Settings::default(),
        seed: 0,
        evidence: fingerprint_of_evidence(&evidence, None).unwrap(),
        program: program.fingerprint(evidence.objects()),
        certificate: solved.certificate,
    };
    (CertificateFile { claim, candidate: solved.candidate, space: Vec::new(), weighed: None, intact: true }, evidence)
}

fn every() -> Vec<(String, CertificateFile, Evidence)> {
    let mut all = Vec::new();
    let mut put = |name: String, (file, evidence)| all.push((name, file, evidence));
    for seed in 0..6 {
        put(format!("gnmds {seed}"), gnmds(seed));
        put(format!("psde slack {seed}"), psde(seed, Some(0.01 * (1.0 + seed as f64))));
        put(format!("robust {seed}"), robust(seed));
        put(format!("order closed {seed}"), ordered(seed, 1.3));
        put(format!("order engine {seed}"), ordered(seed, 0.6));
    }
    for seed in [0, 1, 3] {
        put(format!("psde hard {seed}"), psde(seed, None));
        for radii in [Radii::Each, Radii::One] {
            put(format!("psde grades {radii:?} {seed}"), graded(seed, None, radii));
            put(format!("psde grades {radii:?} slack {seed}"), graded(seed, Some(0.01), radii));
        }
    }
    put("unfold at most".into(), unfolded("at-most", Stretch::AtMost, None));
    put("unfold soft".into(), unfolded("soft", Stretch::Soft(40.0), Some(40.0)));
    put("unfold penalised".into(), unfolded("penalised", Stretch::Penalised(3.0), Some(3.0)));
    all
}

#[test]
fn every_certificate_that_was_written_is_accepted() {
    for (name, file, evidence) in every() {
        let verdict = verify(&file, &evidence).unwrap();
        assert!(verdict.accepted, "{name}: {verdict:#?}");
    }
}

#[test]
fn both_statements_of_a_question_are_the_same_to_the_last_bit() {
    let same = |program: GramProgram, file: &CertificateFile, evidence: &Evidence| {
        assert_eq!(program.fingerprint(evidence.objects()), file.claim.program);
    };
    for seed in 0..6 {
        let grades = graded(seed, Some(0.02), Radii::One);
        for (file, evidence) in [gnmds(seed), robust(seed), psde(seed, Some(0.02)), grades, ordered(seed, 0.7)] {
            let used = file.claim.settings.clone().but(&file.claim.resolved);
            let number = |name: &str| used.number(name).unwrap();
            match &evidence {
                Evidence::Pairs(p) => {
                    let one = used.get("radii").and_then(Value::word) == Some("one");
                    same(program::psde(p, Some(number("slack")), one).unwrap(), &file, &evidence);
                }
                Evidence::Distances(d) => same(program::robust(d).unwrap(), &file, &evidence),
                Evidence::Comparisons(c) if file.claim.method == "gnmds" => {
                    same(program::gnmds(c, number("slack")).unwrap(), &file, &evidence);
                }
                Evidence::Comparisons(c) => {
                    let graph = ConstraintGraph::new(c);
                    let paths = LongestPaths::new(&graph, c.objects().len()).unwrap();
                    let kept = graph.comparisons();
                    same(program::partial_order(&kept, &paths, number("bound")).unwrap(), &file, &evidence);
                }
                other => panic!("{other:?}"),
            }
        }
    }
}

/// The kinds of reasons for which a file is refused.
fn refused(file: &CertificateFile, evidence: &Evidence) -> Vec<&'static str> {
    let verdict = verify(file, evidence).unwrap();
    assert_eq!(verdict.accepted, verdict.reasons.is_empty());
    verdict.reasons.iter().map(|r| r.kind).collect()
}

#[test]
fn a_multiplier_with_its_sign_flipped_is_found() {
    let mut flipped = 0;
    for (name, mut file, evidence) in every() {
        let c = &mut file.candidate;
        // The largest of them.
        let row = (0..c.multipliers.len()).max_by(|a, b| c.multipliers[*a].abs().total_cmp(&c.multipliers[*b].abs()));
        let ball =
            (0..c.ball_multipliers.len()).max_by(|a, b| c.ball_multipliers[*a].2.total_cmp(&c.ball_multipliers[*b].2));
        match (row, ball) {
            (Some(t), _) => c.multipliers[t] *= -1.0,
            (None, Some(t)) => c.ball_multipliers[t].2 *= -1.0,
            // A ring is best without its rows: there is nothing to flip.
            (None, None) => continue,
        }
        flipped += 1;
        let kinds = refused(&file, &evidence);
        assert!(kinds.contains(&"multiplier") || kinds.contains(&"bound"), "{name}: {kinds:?}");
    }
    assert!(flipped >= 10, "{flipped}");
}

#[test]
fn a_bound_that_was_made_better_or_worse_is_found() {
    for (name, file, evidence) in every() {
        for factor in [0.5, 0.9999, 1.0001, 2.0, -1.0] {
            let mut scaled = file.clone();
            scaled.claim.certificate.bound = scaled.claim.certificate.bound.map(|b| b * factor);
            // Better than what its numbers prove, or weaker than its gap says.
            let kinds = refused(&scaled, &evidence);
            assert!(kinds.contains(&"bound") || kinds == ["gap"], "{name}, {factor}: {kinds:?}");
            // Nor is it of use to tell a gap that fits.
            let c = &mut scaled.claim.certificate;
            c.gap = Some(0.0);
            c.primal = c.bound();
            assert!(!refused(&scaled, &evidence).is_empty(), "{name}, {factor}");
        }
    }
}

#[test]
fn points_that_were_scaled_are_found() {
    for (name, mut file, evidence) in every() {
        file.candidate.factors[0] *= 1.01;
        let kinds = refused(&file, &evidence);
        // A program with a bound on the spread grows and shrinks everything to it: scaled points are the same answer there.
        if name.starts_with("psde slack") {
            assert!(kinds.is_empty(), "{name}: {kinds:?}");
        } else if !name.starts_with("psde") {
            assert!(kinds.contains(&"primal") || kinds.contains(&"violation"), "{name}: {kinds:?}");
        }
        let mut noise = Rng::task(1, 1);
        file.candidate.factors[0].mapv_inplace(|v| v + 0.1 * noise.normal());
        assert!(!refused(&file, &evidence).is_empty(), "{name}");
    }
}

#[test]
fn other_evidence_and_other_parameters_are_found() {
    let (file, _) = gnmds(1);
    assert_eq!(refused(&file, &gnmds(2).1), ["other-evidence"]);
    assert_eq!(refused(&psde(1, None).0, &psde(3, None).1), ["other-evidence"]);
    for (mut file, evidence) in [gnmds(1), psde(1, Some(0.02))] {
        let slack = file.claim.settings.clone().but(&file.claim.resolved).number("slack").unwrap();
        file.claim.resolved.set("slack", slack * 1.5);
        assert_eq!(refused(&file, &evidence), ["other-question"]);
    }
    let (mut file, evidence) = psde(1, Some(0.02));
    file.claim.settings.set("slack", Value::None);
    assert_eq!(refused(&file, &evidence), ["other-question"]);
    let (mut file, evidence) = ordered(1, 0.6);
    file.claim.resolved.set("bound", 1e9);
    assert_eq!(refused(&file, &evidence), ["other-question"]);
    let (mut file, evidence) = unfolded("at-most", Stretch::AtMost, None);
    file.claim.settings.set("form", "soft");
    file.claim.resolved.set("weight", 1000.0);
    assert_eq!(refused(&file, &evidence), ["other-question"]);
    file.claim.settings.set("form", "exact");
    assert_eq!(refused(&file, &evidence), ["settings"]);
    // The same rows said of objects with other names.
    let (file, evidence) = gnmds(1);
    let Evidence::Comparisons(c) = &evidence else { panic!() };
    let labels = (0..c.objects().len()).map(|k| format!("x{k}"));
    let renamed = Comparisons::new(Objects::new(labels).unwrap(), c.rows().to_vec()).unwrap();
    assert_eq!(refused(&file, &Evidence::Comparisons(renamed)), ["other-evidence"]);
}

#[test]
fn what_does_not_fit_the_question_is_said() {
    let (file, evidence) = gnmds(1);
    let mut fewer = file.clone();
    fewer.candidate.multipliers.pop();
    assert_eq!(refused(&fewer, &evidence), ["shape"]);
    let mut fewer = file.clone();
    fewer.candidate.factors = vec![Array2::zeros((3, 2))];
    assert_eq!(refused(&fewer, &evidence), ["shape"]);
    let mut changed = file.clone();
    changed.intact = false;
    assert_eq!(refused(&changed, &evidence), ["changed"]);
    let mut ranked = file.clone();
    ranked.claim.certificate.rank += 1;
    assert_eq!(refused(&ranked, &evidence), ["rank"]);
    let mut gap = file.clone();
    gap.claim.certificate.gap = gap.claim.certificate.gap.map(|g| g + 1e-6);
    assert_eq!(refused(&gap, &evidence), ["gap"]);
    let mut other = file.clone();
    other.claim.method = "classical-mds".into();
    assert!(verify(&other, &evidence).unwrap_err().to_string().contains("classical-mds"));
    let mut twice = psde(1, None);
    let again = twice.0.candidate.ball_multipliers[0];
    twice.0.candidate.ball_multipliers.push(again);
    assert_eq!(refused(&twice.0, &twice.1), ["shape"]);
}

#[test]
fn a_fit_without_a_certificate_cannot_be_written_down() {
    let c = toy::answers(6, 2, 20, 0.0, 1);
    let fit = crate::method::NaiveOrder::new(2).fit(&c).unwrap();
    let e = certificate_of(&fit, &Evidence::Comparisons(c)).unwrap_err().to_string();
    assert!(e.contains("naive-order") && e.contains("`methods`"), "{e}");
}

/// A bound by hand: two objects, one comparison cannot be; three objects, one comparison of margin 1, slack `s`.
///
/// `min ⟨H,G⟩ + s [1 + d(0,1) - d(0,2)]₊`: with `y ≤ s` the matrix `H + y (L₀₁ - L₀₂)` on the plane has the eigenvalues of
/// `I + y [[…]]`, the least being `1 - √3 y`; the optimum is `s` while `√3 s ≤ 1`, for all points then lie in one place.
#[test]
fn a_question_that_is_solved_by_hand() {
    let pair = |a, b| Pair::new(Item(a), Item(b)).unwrap();
    let c = Comparisons::new(Objects::numbered(3), vec![Comparison::new(pair(0, 1), pair(0, 2))]).unwrap();
    let (mut file, evidence) = of(&Gnmds::new(2).slack(0.5).refine(false), &c, Evidence::Comparisons(c.clone()));
    let c = &mut file.claim.certificate;
    (c.primal, c.bound, c.gap, c.rank, c.violation) = (0.5, Some(0.5), Some(0.0), 0, 0.0);
    file.candidate.factors = vec![Array2::zeros((3, 2))];
    file.candidate.multipliers = vec![0.5];
    assert_eq!(refused(&file, &evidence), [""; 0]);
    file.claim.certificate.bound = Some(0.5 + 1e-8);
    assert!(refused(&file, &evidence).contains(&"bound"));
}
