//! Features beside judgements: `--kernel`, or a file of features given with them.

use anyhow::{Result, bail};
use clap::Args;
use nearer::evidence::{ConvertOptions, KernelKind, KernelSpec, Kernels, Made, Width};
use nearer::io::{FileKind, ReadOptions, read_evidence};
use nearer::method::table::{METHODS, Method};
use nearer::{Evidence, EvidenceKind, Features, Objects};

use crate::context::Context;
use crate::input::{self, Read};

/// What is known about the objects themselves.
#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "Features")]
pub(crate) struct KernelFlags {
    /// A kernel over features, for methods that learn a map as a function of them: [NAME=]KIND[,PARAMETER=VALUE…]:FILE[#COLUMNS].
    /// KIND: linear, polynomial (degree, scale, offset), rbf, laplacian, chi-square (width, as 2 or 0.5median), cosine,
    /// intersection, precomputed (clip); each takes centre (yes unless no), normalise, standardise. NAME=sum:A+B and
    /// NAME=product:A*B join kernels named before. May be given several times
    #[arg(long = "kernel", value_name = "KERNEL")]
    pub(crate) kernels: Vec<KernelSpec>,
}

impl KernelFlags {
    /// Whether there are features to learn a map of.
    pub(crate) fn are_given(&self, read: &Read) -> bool {
        !self.kernels.is_empty() || !read.features.is_empty()
    }

    /// The kernels on these objects; of a file of features given without `--kernel` an rbf kernel of the median width.
    pub(crate) fn kernels(&self, objects: &Objects, read: &Read, context: &Context) -> Result<Kernels> {
        let specs = self.specs(read, context)?;
        let tables = self.tables(&specs, read, context)?;
        Ok(made(objects, &specs, &tables)?)
    }

    /// What was asked for, or what a file of features suggests.
    pub(crate) fn specs(&self, read: &Read, context: &Context) -> Result<Vec<KernelSpec>> {
        if self.kernels.is_empty() {
            return read
                .features
                .iter()
                .map(|(file, _)| {
                    let mut spec: KernelSpec = format!("rbf:{file}").parse()?;
                    if let Made::Of { kind, .. } = &mut spec.made {
                        *kind = KernelKind::Rbf { width: Width::default() };
                    }
                    context.note(&format!(
                        "{file}: features, taken as the kernel `{}`, rbf of the median width (--kernel chooses another; standardise=yes where columns have different units)",
                        spec.name
                    ));
                    Ok(spec)
                })
                .collect();
        }
        if let Some((file, _)) = read.features.first() {
            bail!("{file} holds features, and kernels are given by --kernel too; give the file with --kernel as well");
        }
        Ok(self.kernels.clone())
    }

    /// The tables behind the kernels, each file read once.
    pub(crate) fn tables(
        &self,
        specs: &[KernelSpec],
        read: &Read,
        context: &Context,
    ) -> Result<Vec<(String, Features)>> {
        let mut tables: Vec<(String, Features)> = read.features.clone();
        for spec in specs {
            if let Made::Of { file, .. } = &spec.made
                && !tables.iter().any(|(name, _)| name == file)
            {
                tables.push((file.clone(), features(file, context)?));
            }
        }
        Ok(tables)
    }

    /// The evidence together with its kernels, as the method takes it, or as its kind suggests.
    pub(crate) fn beside(&self, read: &mut Read, method: Option<&Method>, context: &Context) -> Result<()> {
        let wanted = wanted(&read.evidence, method)?;
        if wanted == EvidenceKind::Kernels {
            // A table of features by itself: what it says is all in the kernel.
            if let Evidence::Features(_) = &read.evidence {
                let objects = read.evidence.objects().clone();
                read.evidence = Evidence::Kernels(self.kernels(&objects, read, context)?);
                return Ok(());
            }
        }
        let options = ConvertOptions { seed: context.seed, ..ConvertOptions::default() };
        let (judged, said) = if wanted == EvidenceKind::KernelPairs {
            let pairs = read.evidence.to_pairs(&options)?;
            (Evidence::Pairs(pairs.evidence), pairs.said)
        } else {
            let comparisons = read.evidence.to_comparisons(&options)?;
            (Evidence::Comparisons(comparisons.evidence), comparisons.said)
        };
        if !said.is_empty() {
            context.note(&format!("{} taken as {}: {}", read.evidence.kind(), judged.kind(), said.join("; ")));
        }
        let specs = self.specs(read, context)?;
        let tables = self.tables(&specs, read, context)?;
        let kernels = made(judged.objects(), &specs, &tables)?;
        let index = judged.objects().index();
        let rest = tables.iter().flat_map(|(_, t)| t.objects().labels()).find(|l| !index.contains_key(l.as_str()));
        if let Some(label) = rest {
            context.note(&format!(
                "some objects have features and no judgement, as `{label}`; `nearer place` puts them on the map"
            ));
        }
        read.inputs.extend(context.inputs(&tables.iter().map(|t| t.0.clone()).collect::<Vec<_>>())?);
        read.evidence = match judged {
            Evidence::Pairs(p) => Evidence::KernelPairs(kernels, p),
            Evidence::Comparisons(c) => Evidence::KernelComparisons(kernels, c),
            other => other,
        };
        Ok(())
    }
}

/// The kernels that are asked for over tables by the names of their files.
pub(crate) fn made(
    objects: &Objects,
    specs: &[KernelSpec],
    tables: &[(String, Features)],
) -> Result<Kernels, nearer::Error> {
    let table = |spec: &KernelSpec| match &spec.made {
        Made::Of { file, .. } => tables.iter().find(|(name, _)| name == file).map(|(_, t)| t),
        _ => None,
    };
    let asked: Vec<(KernelSpec, Option<&Features>)> = specs.iter().map(|s| (s.clone(), table(s))).collect();
    Kernels::new(objects, &asked)
}

/// Which form of evidence with kernels: the one that the method takes, or the one nearest to the evidence.
fn wanted(evidence: &Evidence, method: Option<&Method>) -> Result<EvidenceKind> {
    let all = [EvidenceKind::KernelPairs, EvidenceKind::KernelComparisons, EvidenceKind::Kernels];
    let natural = match evidence {
        Evidence::Pairs(_) => EvidenceKind::KernelPairs,
        Evidence::Features(_) => EvidenceKind::Kernels,
        _ => EvidenceKind::KernelComparisons,
    };
    let Some(method) = method else { return Ok(natural) };
    if method.takes.contains(&natural) {
        return Ok(natural);
    }
    match all.iter().find(|k| method.takes.contains(k)) {
        Some(kind) => Ok(*kind),
        None => {
            let able: Vec<&str> =
                METHODS.iter().filter(|m| all.iter().any(|k| m.takes.contains(k))).map(|m| m.name).collect();
            bail!("{} does not learn from features; choose one of {}, or leave them out", method.name, able.join(", "))
        }
    }
}

/// A table of features from a file.
pub(crate) fn features(file: &str, context: &Context) -> Result<Features> {
    let options = ReadOptions { kind: Some(FileKind::Features), ..ReadOptions::default() };
    let loaded = read_evidence(&context.source(file), &options)?;
    input::said(file, &loaded.assumptions, context);
    context.notes(loaded.warnings.iter().map(|w| format!("{file}: note: {w}")));
    match loaded.evidence {
        Evidence::Features(f) => Ok(f),
        other => bail!("{file} holds {}, and features are wanted", other.kind()),
    }
}
