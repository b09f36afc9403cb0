//! The certificate file: what a convex fit claims, and the numbers by which anybody can check it.
//!
//! Safetensors with one JSON key, `__metadata__.nearer`: `{claim: {certificate, evidence, method, program, resolved, seed,
//! settings}, digest, format: "nearer certificate", version: 2}`. `settings` are those that were asked for, `resolved` what those
//! became that were `auto`. `evidence` and `program` are SHA-256 over the exact numbers of what the
//! method was given and of the program it made of it; `digest` is one over the rest of the file. Tensors (f64 unless
//! said): `factors.<k>`, the points of the solution, in any number of dimensions; `multipliers`, one for each row, in the
//! order in which the program has them; for balls `balls.pairs` (u64, object and other) and `balls.multipliers`; and `radii`.
//! Where points are linear in a basis, `basis.<k>` is that of block `k`, `factors.<k>` the factor on it, and `charge.<k>` what
//! the block is charged, if it is. Where columns are weighed there are, instead of points, `weights` and `weights.multipliers`,
//! `weights.held` (u64, pairs) and `weights.held.multipliers` of the pairs at the bound, `weights.everywhere` of all pairs,
//! `weights.tangent`, and `weights.columns` (u64), the objects whose kernel columns they are. Equal claims make equal bytes. Version 1 had no basis.

use std::io::Write;

use ndarray::{Array2, Ix1, Ix2};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::error::{At, Error};
use crate::io::source::{self, Source};
use crate::io::tensors::{Layout, Tensors};
use crate::program::{Block, Candidate, Certificate, Fingerprint, Weights};
use crate::settings::Settings;

/// The version of the format that is written, and the newest that is read.
pub const CERTIFICATE_VERSION: u64 = 2;

const LAYOUT: Layout = Layout {
    format: "nearer certificate",
    version: CERTIFICATE_VERSION,
    oldest: CERTIFICATE_VERSION,
    noun: "certificate",
};

/// A claim about a convex fit, with its proof.
#[derive(Debug, Clone)]
pub struct CertificateFile {
    /// What is claimed, and of what.
    pub claim: Claim,
    /// The points and multipliers that prove it.
    pub candidate: Candidate,
    /// Where the points may lie: the blocks of their basis, or nothing for any points.
    pub space: Vec<Block>,
    /// The answer of a program of weights, which has no points.
    pub weighed: Option<WeighedColumns>,
    /// Whether the file is as it was written.
    pub intact: bool,
}

/// Weights of columns, and what they are columns of.
#[derive(Debug, Clone, PartialEq)]
pub struct WeighedColumns {
    /// Weights and multipliers.
    pub answer: Weights,
    /// The objects whose kernel columns are weighed, in order; empty where features or whole kernels are.
    pub columns: Vec<u32>,
}

/// What a certificate claims, and of what.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Claim {
    /// The method, as in the method table.
    pub method: String,
    /// Its settings, as they were asked for.
    pub settings: Settings,
    /// What settings became.
    #[serde(skip_serializing_if = "Settings::is_empty", default)]
    pub resolved: Settings,
    /// The seed of the run.
    pub seed: u64,
    /// SHA-256 of the evidence, as the method saw it.
    pub evidence: String,
    /// SHA-256 of the program made of it.
    pub program: String,
    /// What is said to be attained and to be proved.
    pub certificate: Certificate,
}

/// Writes a certificate file.
pub fn save_certificate(w: &mut dyn Write, file: &CertificateFile) -> Result<(), Error> {
    let claim = serde_json::to_value(&file.claim).map_err(|_| unwritable())?;
    // JSON has no infinity: a claim that would not read back is not written.
    serde_json::from_value::<Claim>(claim.clone()).map_err(|_| unwritable())?;
    let c = &file.candidate;
    let spaces = file.space.iter().flat_map(|b| b.basis.iter().chain(b.charge.iter().flatten()));
    let own =
        c.factors.iter().flatten().chain(&c.multipliers).chain(&c.radii).chain(c.ball_multipliers.iter().map(|b| &b.2));
    let weights = file.weighed.iter().map(|w| &w.answer).flat_map(|a| {
        a.weights
            .iter()
            .chain(&a.multipliers)
            .chain(&a.tangent)
            .chain(a.held.iter().map(|h| &h.2))
            .chain([&a.everywhere])
    });
    if spaces.chain(own).chain(weights).any(|v| !v.is_finite()) {
        return Err(unwritable());
    }
    let digest = digest(&claim, &file.candidate, &file.space, file.weighed.as_ref());
    let about = json!({ "claim": claim, "digest": digest, "format": LAYOUT.format, "version": CERTIFICATE_VERSION });
    let mut tensors = Tensors::default();
    for (k, factor) in c.factors.iter().enumerate() {
        tensors.numbers(&format!("factors.{k}"), factor.shape(), factor);
    }
    for (k, block) in file.space.iter().enumerate() {
        tensors.numbers(&format!("basis.{k}"), block.basis.shape(), &block.basis);
        if let Some(charge) = &block.charge {
            tensors.numbers(&format!("charge.{k}"), charge.shape(), charge);
        }
    }
    tensors.numbers("multipliers", &[c.multipliers.len()], &c.multipliers);
    tensors.numbers("radii", &[c.radii.len()], &c.radii);
    let balls = &c.ball_multipliers;
    tensors.counts("balls.pairs", &[balls.len(), 2], balls.iter().flat_map(|b| [u64::from(b.0), u64::from(b.1)]));
    let values: Vec<f64> = balls.iter().map(|b| b.2).collect();
    tensors.numbers("balls.multipliers", &[values.len()], &values);
    if let Some(WeighedColumns { answer, columns }) = &file.weighed {
        let held: Vec<f64> = answer.held.iter().map(|h| h.2).collect();
        let pairs = answer.held.iter().flat_map(|h| [u64::from(h.0), u64::from(h.1)]);
        tensors.counts("weights.held", &[held.len(), 2], pairs);
        tensors.counts("weights.columns", &[columns.len()], columns.iter().map(|c| u64::from(*c)));
        for (name, list) in [
            ("weights", &answer.weights),
            ("weights.multipliers", &answer.multipliers),
            ("weights.tangent", &answer.tangent),
            ("weights.held.multipliers", &held),
            ("weights.everywhere", &vec![answer.everywhere]),
        ] {
            tensors.numbers(name, &[list.len()], list);
        }
    }
    let bytes = tensors.serialised(&about).ok_or_else(unwritable)?;
    w.write_all(&bytes).map_err(|e| Error::File { action: "write", path: "the certificate file".into(), source: e })
}

/// Reads a certificate file; anything that is not a whole certificate of a known version is refused. What it claims is not
/// checked here: see [`verify`](crate::verify::verify).
pub fn load_certificate(source: &Source) -> Result<CertificateFile, Error> {
    let bytes = source::read_all(source, source::open(source)?, 2, "the certificate")?;
    parse(&bytes, &source.at())
}

fn parse(bytes: &[u8], at: &At) -> Result<CertificateFile, Error> {
    let mut about = LAYOUT.header(bytes, at)?;
    let value = about.remove("claim").unwrap_or_default();
    let claim: Claim = serde_json::from_value(value.clone())
        .map_err(|e| LAYOUT.defect(at, &format!("what it claims cannot be read ({e})")))?;
    let tensors = LAYOUT.tensors(bytes, at)?;
    let list = |name: &str| -> Result<Vec<f64>, Error> {
        let array = LAYOUT.array(&tensors, name, at)?.into_dimensionality::<Ix1>();
        Ok(array.map_err(|_| LAYOUT.defect(at, &format!("`{name}` is not a list")))?.to_vec())
    };
    let pairs = |name: &str| -> Result<Vec<(u32, u32)>, Error> {
        let wrong = || LAYOUT.defect(at, &format!("`{name}` does not hold pairs of objects"));
        let all = LAYOUT.counts(&tensors, name, at)?;
        let all = all.iter().map(|v| u32::try_from(*v).map_err(|_| wrong())).collect::<Result<Vec<u32>, Error>>()?;
        if all.len() % 2 == 0 {
            Ok(all.as_chunks::<2>().0.iter().map(|p| (p[0], p[1])).collect())
        } else {
            Err(wrong())
        }
    };
    let there = |name: &str| tensors.names().contains(&name);
    let table = |name: &str| -> Result<Array2<f64>, Error> {
        let matrix = LAYOUT.array(&tensors, name, at)?.into_dimensionality::<Ix2>();
        matrix.map_err(|_| LAYOUT.defect(at, &format!("`{name}` is not a matrix")))
    };
    let mut factors: Vec<Array2<f64>> = Vec::new();
    while there(&format!("factors.{}", factors.len())) {
        factors.push(table(&format!("factors.{}", factors.len()))?);
    }
    let mut space: Vec<Block> = Vec::new();
    while there(&format!("basis.{}", space.len())) {
        let charge = format!("charge.{}", space.len());
        let charge = if there(&charge) { Some(table(&charge)?) } else { None };
        space.push(Block { basis: table(&format!("basis.{}", space.len()))?, charge });
    }
    let (balls, values) = (pairs("balls.pairs")?, list("balls.multipliers")?);
    if balls.len() != values.len() {
        return Err(LAYOUT.defect(at, "the multipliers of balls are not as many as their pairs"));
    }
    let candidate = Candidate {
        factors,
        radii: list("radii")?,
        multipliers: list("multipliers")?,
        ball_multipliers: balls.into_iter().zip(values).map(|((i, j), y)| (i, j, y)).collect(),
    };
    let mut weighed = None;
    if there("weights") {
        let (held, values, everywhere) =
            (pairs("weights.held")?, list("weights.held.multipliers")?, list("weights.everywhere")?);
        if held.len() != values.len() || everywhere.len() != 1 {
            return Err(LAYOUT.defect(at, "the multipliers of weights are not as many as what they belong to"));
        }
        let columns = LAYOUT.counts(&tensors, "weights.columns", at)?;
        let columns = columns.iter().map(|c| u32::try_from(*c)).collect::<Result<Vec<u32>, _>>();
        weighed = Some(WeighedColumns {
            answer: Weights {
                weights: list("weights")?,
                multipliers: list("weights.multipliers")?,
                held: held.into_iter().zip(values).map(|((i, j), v)| (i, j, v)).collect(),
                everywhere: everywhere[0],
                tangent: list("weights.tangent")?,
            },
            columns: columns.map_err(|_| LAYOUT.defect(at, "`weights.columns` does not hold objects"))?,
        });
    }
    let digest = digest(&value, &candidate, &space, weighed.as_ref());
    let intact = about.get("digest").and_then(Value::as_str) == Some(&digest);
    Ok(CertificateFile { claim, candidate, space, weighed, intact })
}

/// SHA-256 over everything that a certificate says.
fn digest(claim: &Value, candidate: &Candidate, space: &[Block], weighed: Option<&WeighedColumns>) -> String {
    let mut print = Fingerprint::new("nearer certificate 2");
    print.word(&claim.to_string());
    print.count(candidate.factors.len());
    for factor in &candidate.factors {
        print.count(factor.nrows());
        print.count(factor.ncols());
        factor.iter().for_each(|v| print.number(*v));
    }
    for list in [&candidate.radii, &candidate.multipliers] {
        print.count(list.len());
        list.iter().for_each(|v| print.number(*v));
    }
    print.count(candidate.ball_multipliers.len());
    for &(i, j, y) in &candidate.ball_multipliers {
        print.count(i as usize);
        print.count(j as usize);
        print.number(y);
    }
    if !space.is_empty() {
        print.blocks(space);
    }
    if let Some(WeighedColumns { answer, columns }) = weighed {
        print.word("weights");
        for list in [&answer.weights, &answer.multipliers, &answer.tangent] {
            print.count(list.len());
            list.iter().for_each(|v| print.number(*v));
        }
        print.count(answer.held.len());
        for &(i, j, v) in &answer.held {
            print.count(i as usize);
            print.count(j as usize);
            print.number(v);
        }
        print.number(answer.everywhere);
        print.count(columns.len());
        columns.iter().for_each(|c| print.count(*c as usize));
    }
    print.finish()
}

fn unwritable() -> Error {
    Error::Numerical { what: "writing the certificate (a number in it is not finite)".into() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::io::testing::{file, refusal};
    use crate::program::Sense;
    use ndarray::array;

    fn sample() -> CertificateFile {
        let claim = Claim {
            method: "psde".into(),
            settings: Settings::default().with("slack", 0.1),
            resolved: Settings::default(),
            seed: 3,
            evidence: "e".into(),
            program: "p".into(),
            certificate: Certificate::new(Sense::Minimise, 1.0, 1.0 - 1e-9, 1.0),
        };
        let candidate = Candidate {
            factors: vec![array![[0.1, 1.0 / 3.0], [2.0, -0.5]]],
            radii: vec![0.5, 1.5],
            multipliers: vec![0.25],
            ball_multipliers: vec![(0, 1, 0.75)],
        };
        let space =
            vec![Block { basis: array![[1.0, 0.5], [-1.0, 0.25]], charge: Some(array![[2.0, 0.0], [0.0, 3.0]]) }];
        CertificateFile { claim, candidate, space, weighed: None, intact: true }
    }

    fn bytes() -> Vec<u8> {
        let mut bytes = Vec::new();
        save_certificate(&mut bytes, &sample()).unwrap();
        bytes
    }

    /// The bytes with a text of the header replaced by one of the same length.
    fn changed(from: &str, to: &str) -> Vec<u8> {
        assert_eq!(from.len(), to.len());
        let mut bytes = bytes();
        let k = bytes.windows(from.len()).position(|w| w == from.as_bytes()).expect("it is in the file");
        bytes[k..k + to.len()].copy_from_slice(to.as_bytes());
        bytes
    }

    #[test]
    fn a_certificate_reads_back_and_equal_ones_make_equal_bytes() {
        let back = parse(&bytes(), &At::default()).unwrap();
        assert!(back.intact);
        assert_eq!(back.claim, sample().claim);
        assert_eq!(back.candidate.factors, sample().candidate.factors);
        assert_eq!(back.candidate.ball_multipliers, sample().candidate.ball_multipliers);
        assert_eq!(back.candidate.radii, sample().candidate.radii);
        assert_eq!(
            (&back.space[0].basis, &back.space[0].charge),
            (&sample().space[0].basis, &sample().space[0].charge)
        );
        assert_eq!(bytes(), bytes());
    }

    #[test]
    fn a_changed_number_is_seen() {
        let mut bytes = bytes();
        let last = bytes.len() - 1;
        bytes[last] ^= 0x80;
        assert!(!parse(&bytes, &At::default()).unwrap().intact);
        assert!(!parse(&changed("\\\"seed\\\":3", "\\\"seed\\\":4"), &At::default()).unwrap().intact);
    }

    #[test]
    fn what_is_no_certificate_is_refused_by_name() {
        let at = At::file("p.cert");
        let whole = bytes();
        for cut in [0, 4, 8, 9, 100, whole.len() - 1] {
            let e = parse(&whole[..cut], &at).unwrap_err().to_string();
            assert!(e.contains("p.cert") && e.contains("certificate"), "{cut}: {e}");
        }
        let newer = changed("\\\"version\\\":2", "\\\"version\\\":3");
        let e = parse(&newer, &at).unwrap_err().to_string();
        assert_eq!(e, "p.cert: written by version 3 of the format; this program reads up to 2; update nearer");
        let older = changed("\\\"version\\\":2", "\\\"version\\\":1");
        let e = parse(&older, &at).unwrap_err().to_string();
        assert!(e.contains("nearer 0.1") && e.contains("make the certificate file again"), "{e}");
        for (from, to, word) in [
            ("multipliers\":{\"dtype\":\"F64\"", "multipliers\":{\"dtype\":\"I64\"", "type"),
            ("nearer certificate", "another file here?", "not a certificate"),
            ("\"balls.pairs\"", "\"balls.paarx\"", "missing"),
            ("closed-form", "closed-dorm", "claims"),
        ] {
            let e = parse(&changed(from, to), &at).unwrap_err().to_string();
            assert!(e.contains(word) && e.contains("p.cert"), "{from}: {e}");
        }
        let model = parse(&crate::io::model::tests::bytes(), &at).unwrap_err().to_string();
        assert!(model.contains("not a certificate"), "{model}");
    }

    #[test]
    fn a_certificate_is_no_evidence() {
        let e = refusal("p.cert", bytes(), &crate::io::ReadOptions::default());
        assert!(e.contains("certificate file") && e.contains("`verify`"), "{e}");
        let (_dir, source) = file("p.cert", &bytes());
        assert!(load_certificate(&source).unwrap().intact);
    }
}
