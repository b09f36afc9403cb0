//! Certificates forged past the parser: honest ones changed in structure, their program named anew and their digest right.
//!
//! What is accepted is what was found: no gap smaller than the one that was found, no bound that a known point passes, nothing attained
//! that a known bound forbids, whatever the file says of its space, its settings and itself.

use std::hash::{DefaultHasher, Hasher as _};
use std::time::{Duration, Instant};

use nearer::io::{CertificateFile, Source, load_certificate, save_certificate};
use nearer::settings::{Settings, Value};
use nearer::verify::{About, Limits, renamed, verify};

use crate::honest::Honest;
use crate::rng::Rng;

/// No check of so small a question takes longer.
const LONGEST: Duration = Duration::from_secs(5);
/// By how much figures may differ for rounding.
const ROUNDING: f64 = 1e-7;

/// Sizes that break arithmetic.
const SIZES: [f64; 18] = [
    0.0, 1.0, -1.0, 1e-308, 5e-324, 1e-160, 1e-154, 1e-100, 1e-30, 1e-9, 1e-3, 1.000_001, 2.0, 1e3, 1e9, 1e100, 1e154,
    1e300,
];

/// Forges one file, as the bytes decide, and holds the verdict against what is known of the honest one. Tells whether the slow path came to
/// figures of it.
pub(crate) fn forged(bytes: &[u8], honest: &[Honest]) -> Result<bool, String> {
    let mut hasher = DefaultHasher::new();
    hasher.write(bytes);
    let mut rng = Rng(hasher.finish());
    let which = rng.pick(honest);
    let Some(about) = About::of(&which.study) else { return Err("nothing to be about".into()) };
    let mut file = which.file.clone();
    for _ in 0..1 + rng.below(4) {
        change(&mut file, honest, &mut rng);
    }
    if rng.one_in(2) {
        fit_together(&mut file);
    }
    if !rng.one_in(16) {
        file = renamed(file, about.clone());
    }
    if rng.one_in(8) {
        file = through_bytes(file)?;
    }
    let begun = Instant::now();
    let late = || begun.elapsed() > LONGEST;
    let verdict = verify(&file, about.within(Limits::default().memory(1 << 26).until(&late)));
    if begun.elapsed() > 2 * LONGEST {
        return Err(format!("{}: it took {:?}", which.name, begun.elapsed()));
    }
    // A file of a method that takes other evidence, or more memory than it may, is an error.
    let Ok(verdict) = verdict else { return Ok(false) };
    let Some(found) = verdict.found else { return Ok(false) };
    if !verdict.accepted {
        return Ok(true);
    }
    let Some(claimed) = &verdict.claimed else { return Err("accepted without a claim".into()) };
    let wrong = |what: &str| Err(format!("{}: {what}: found {found:?}, claimed {claimed:?}", which.name));
    if found.gap > claimed.gap() * (1.0 + ROUNDING) + ROUNDING {
        return wrong("a gap smaller than the one that was found");
    }
    let towards = if claimed.sense == which.file.claim.certificate.sense {
        sign(claimed.sense)
    } else {
        return wrong("another sense");
    };
    // The same question has the same truth, whoever answers it.
    let same = verdict.about == which.about && file.claim.method == which.file.claim.method;
    if !same || !same_settings(&file, &which.file) {
        return Ok(true);
    }
    let size = which.found.primal.abs().max(which.found.bound.abs()).max(1e-9);
    for (primal, bound) in [(found.primal, found.bound), (claimed.primal, claimed.bound())] {
        if towards * (bound - which.found.primal) > ROUNDING * size {
            return wrong("a bound that a known point passes");
        }
        if towards * (which.found.bound - primal) > ROUNDING * size {
            return wrong("an objective that a known bound forbids");
        }
    }
    Ok(true)
}

fn sign(sense: impl std::fmt::Debug) -> f64 {
    if format!("{sense:?}") == "Minimise" { 1.0 } else { -1.0 }
}

fn same_settings(a: &CertificateFile, b: &CertificateFile) -> bool {
    a.claim.settings == b.claim.settings && a.claim.resolved == b.claim.resolved && a.claim.seed == b.claim.seed
}

/// What was written reads back as the same file.
fn through_bytes(file: CertificateFile) -> Result<CertificateFile, String> {
    let mut bytes = Vec::new();
    // A number that is none cannot be written as JSON.
    if save_certificate(&mut bytes, &file).is_err() {
        return Ok(file);
    }
    let back = load_certificate(&Source::of_bytes("f.cert", bytes))
        .map_err(|e| format!("it was written, and not read: {e}"))?;
    if back.intact { Ok(back) } else { Err("it was written, and its digest is not right".into()) }
}

/// The gap that belongs to the figures.
fn fit_together(file: &mut CertificateFile) {
    let c = &mut file.claim.certificate;
    let Some(bound) = c.bound else { return };
    let larger = c.primal.abs().max(bound.abs());
    c.gap = Some(if c.primal == bound { 0.0 } else { (c.primal - bound).abs() / larger });
}

/// One number, made another.
fn twist(v: &mut f64, rng: &mut Rng) {
    let size = *rng.pick(&SIZES);
    match rng.below(6) {
        0 => *v = size,
        1 => *v *= size,
        2 => *v = -*v,
        3 => *v += size,
        4 => *v *= 1.0 + unit(rng) * 1e-6,
        _ => *v = unit(rng),
    }
}

/// A number between -1 and 1.
fn unit(rng: &mut Rng) -> f64 {
    rng.next() as f64 / (u64::MAX as f64 / 2.0) - 1.0
}

/// Some or all numbers of a list, alike or each in its own way.
fn twist_all<'a>(all: impl Iterator<Item = &'a mut f64>, rng: &mut Rng) {
    let (share, size, how) = (1 + rng.below(4), *rng.pick(&SIZES), rng.below(4));
    for v in all {
        if rng.below(share) == 0 {
            match how {
                0 => *v *= size,
                1 => *v = unit(rng) * size,
                2 => twist(v, rng),
                _ => *v = 0.0,
            }
        }
    }
}

fn change(file: &mut CertificateFile, honest: &[Honest], rng: &mut Rng) {
    match rng.below(12) {
        0 | 1 => change_points(file, rng),
        2 | 3 => change_multipliers(file, rng),
        4 | 5 => change_space(file, rng),
        6..=8 => change_claim(file, honest, rng),
        9 => change_setting(file, rng),
        10 => change_weights(file, rng),
        _ => {
            // Parts of another honest file.
            let other = &rng.pick(honest).file;
            match rng.below(5) {
                0 => file.candidate = other.candidate.clone(),
                1 => file.space.clone_from(&other.space),
                2 => file.weighed.clone_from(&other.weighed),
                3 => file.claim.certificate = other.claim.certificate.clone(),
                _ => file.claim.seed = rng.next(),
            }
        }
    }
}

fn change_points(file: &mut CertificateFile, rng: &mut Rng) {
    let which = rng.below(file.candidate.factors.len());
    let Some(factor) = file.candidate.factors.get_mut(which) else { return };
    let (rows, columns) = factor.dim();
    match rng.below(5) {
        // Columns that say nothing, or next to nothing.
        0 => {
            let (more, size) = (rng.below(400), *rng.pick(&[0.0, 1e-308, 1e-160]));
            let old = factor.clone();
            *factor =
                ndarray_from(rows, columns + more, |i, k| if k < columns { old[(i, k)] } else { size * unit(rng) });
        }
        1 => *factor = ndarray_from(rows, rng.below(columns + 2), |_, _| unit(rng)),
        _ => twist_all(factor.iter_mut(), rng),
    }
}

fn ndarray_from(rows: usize, columns: usize, mut f: impl FnMut(usize, usize) -> f64) -> ndarray::Array2<f64> {
    ndarray::Array2::from_shape_fn((rows, columns), |(i, k)| f(i, k))
}

fn change_multipliers(file: &mut CertificateFile, rng: &mut Rng) {
    let c = &mut file.candidate;
    match rng.below(4) {
        0 => twist_all(c.multipliers.iter_mut(), rng),
        1 => twist_all(c.ball_multipliers.iter_mut().map(|b| &mut b.2), rng),
        2 if !c.ball_multipliers.is_empty() => {
            let k = rng.below(c.ball_multipliers.len());
            let (i, j, _) = &mut c.ball_multipliers[k];
            (*i, *j) = (rng.below(20) as u32, rng.below(20) as u32);
        }
        _ => {
            c.multipliers.truncate(rng.below(c.multipliers.len() + 1));
        }
    }
}

fn change_space(file: &mut CertificateFile, rng: &mut Rng) {
    let which = rng.below(file.space.len());
    let Some(block) = file.space.get_mut(which) else { return };
    let (rows, columns) = block.basis.dim();
    match rng.below(7) {
        0 => twist_all(block.basis.iter_mut(), rng),
        1 => block.charge.iter_mut().for_each(|p| twist_all(p.iter_mut(), rng)),
        2 => block.charge = None,
        // Fewer directions, with the factor that belongs to them; or foreign ones.
        3 if columns > 1 => {
            let kept = 1 + rng.below(columns - 1);
            block.basis = block.basis.slice(ndarray::s![.., ..kept]).to_owned();
            let most = |p: &ndarray::Array2<f64>| (kept.min(p.nrows()), kept.min(p.ncols()));
            block.charge = block.charge.as_ref().map(|p| p.slice(ndarray::s![..most(p).0, ..most(p).1]).to_owned());
            if let Some(factor) = file.candidate.factors.get_mut(which) {
                *factor = factor.slice(ndarray::s![..kept.min(factor.nrows()), ..]).to_owned();
            }
        }
        4 => block.basis = ndarray_from(rows, columns, |_, _| unit(rng)),
        // A little outside of where it was.
        5 => {
            let size = *rng.pick(&[1e-12, 1e-9, 1e-7, 1e-6, 9e-6, 1e-4]);
            block.basis.iter_mut().for_each(|v| *v += size * unit(rng));
        }
        _ => {
            let wide = rng.below(rows + 3);
            block.basis = ndarray_from(rows, wide, |i, k| f64::from(u8::from(i == k)));
        }
    }
}

fn change_claim(file: &mut CertificateFile, honest: &[Honest], rng: &mut Rng) {
    let c = &mut file.claim.certificate;
    match rng.below(9) {
        0 => c.bound = Some(c.primal),
        1 => c.primal = c.bound(),
        2 => twist(&mut c.primal, rng),
        3 => {
            let mut bound = c.bound();
            twist(&mut bound, rng);
            c.bound = Some(bound);
        }
        // One end absurdly weak, so that a share of it is anything.
        4 => {
            let far = sign(c.sense) * c.primal.abs().max(1.0) * 10f64.powi(rng.below(20) as i32);
            if rng.one_in(2) {
                c.bound = Some(c.primal - far);
                c.primal -= 1e-9 * far;
            } else {
                c.primal += far;
                c.bound = c.bound.map(|b| b + 1e-9 * far);
            }
        }
        5 => c.gap = Some(*rng.pick(&SIZES)),
        6 => c.violation = *rng.pick(&SIZES),
        7 => c.rank = rng.below(40),
        _ => match rng.below(4) {
            0 => c.about.clone_from(&rng.pick(honest).about),
            1 => c.about = "no map in any number of dimensions".into(),
            2 => c.about = format!("no map that combines {} vectors that the file names", rng.below(20)),
            _ => c.about = c.about.replace("the widest", "all"),
        },
    }
    if rng.one_in(2) {
        fit_together(file);
    }
}

fn change_setting(file: &mut CertificateFile, rng: &mut Rng) {
    let names: Vec<String> =
        file.claim.settings.iter().chain(file.claim.resolved.iter()).map(|(name, _)| name.to_owned()).collect();
    let name = if rng.one_in(8) { "join; no map at all".to_owned() } else { rng.pick(&names).clone() };
    let value = match rng.below(8) {
        0 => Value::Auto,
        1 => Value::None,
        2 => Value::Flag(rng.one_in(2)),
        3 => Value::Count(rng.below(30) as u64),
        4 => Value::Number(*rng.pick(&SIZES)),
        5 => Value::from("7"),
        6 => Value::from("union; no map at all has an objective above 1"),
        _ => Value::from(
            *rng.pick(&["full", "diagonal", "kernel", "soft", "landmark", "each", "one", "spread", "features"]),
        ),
    };
    let settings: &mut Settings = if rng.one_in(2) { &mut file.claim.settings } else { &mut file.claim.resolved };
    settings.set(&name, value);
}

fn change_weights(file: &mut CertificateFile, rng: &mut Rng) {
    let Some(weighed) = &mut file.weighed else { return };
    let a = &mut weighed.answer;
    match rng.below(6) {
        0 => twist_all(a.weights.iter_mut(), rng),
        1 => twist_all(a.multipliers.iter_mut(), rng),
        2 => twist_all(a.tangent.iter_mut(), rng),
        3 => twist_all(a.held.iter_mut().map(|h| &mut h.2), rng),
        4 => twist(&mut a.everywhere, rng),
        _ => weighed.columns.iter_mut().for_each(|c| *c = rng.below(8) as u32),
    }
}
