//! What was assumed, done or left out on the way from files to a fit: as data, for a front end to word.

use std::fmt;

use crate::evidence::Part;

/// Something a reader should know. Its `Display` is a sentence without the words of any front end.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Note {
    /// What was taken for granted about a file.
    Assumed {
        /// The file.
        file: String,
        /// Each assumption.
        what: Vec<String>,
    },
    /// Something in a file that deserves a look.
    Look {
        /// The file.
        file: String,
        /// What.
        what: String,
    },
    /// Several files were taken as one part.
    Together {
        /// How many.
        files: usize,
        /// What they hold.
        part: Part,
        /// How many objects they have together.
        objects: usize,
    },
    /// Nobody named a method, and the evidence decided.
    Chosen {
        /// The method.
        method: String,
        /// What speaks for it.
        why: String,
    },
    /// A file of features beside judgements was taken as a kernel.
    Kernel {
        /// The file.
        file: String,
        /// The name of the kernel.
        name: String,
    },
    /// Some objects have features and no judgement.
    OnlyFeatures {
        /// The first of them.
        label: String,
    },
    /// A part was made out of another one.
    Converted {
        /// What was there.
        from: Part,
        /// What the method takes.
        to: Part,
        /// The method.
        method: String,
        /// What was done and what was lost.
        how: Vec<String>,
    },
    /// Pairs that were answered both ways were settled.
    Settled {
        /// How many count for the heavier side.
        outvoted: usize,
        /// How many have as much on either side, and count for nothing.
        tied: usize,
        /// The first of them.
        first: (String, String),
    },
    /// Parts that the method has no use for.
    Unused {
        /// The method.
        method: String,
        /// The parts.
        parts: Vec<Part>,
    },
}

impl fmt::Display for Note {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Note::Assumed { file, what } => write!(f, "{file}: {}", what.join("; ")),
            Note::Look { file, what } => write!(f, "{file}: note: {what}"),
            Note::Together { files, part: Part::Distances, objects } => {
                write!(
                    f,
                    "{files} files of the same {objects} objects: one mean a pair, or each file a person where a method keeps people apart"
                )
            }
            Note::Together { files, part, objects } => {
                write!(f, "{files} files of {part}: taken together, {objects} objects in all")
            }
            Note::Chosen { method, why } => write!(f, "method {method}: {why}"),
            Note::Kernel { file, name } => {
                write!(f, "{file}: features, taken as the kernel `{name}`, rbf of the median width")
            }
            Note::OnlyFeatures { label } => write!(f, "some objects have features and no judgement, as `{label}`"),
            Note::Converted { from, to, method, how } => {
                write!(f, "{from} taken as {to} for {method}: {}", how.join("; "))
            }
            Note::Settled { outvoted, tied, first: (from, to) } => {
                let majority = (*outvoted > 0)
                    .then(|| format!("{outvoted} count{} for the majority", if *outvoted == 1 { "s" } else { "" }));
                let nothing = (*tied > 0).then(|| format!("{tied} with as many on either side for nothing"));
                let all: Vec<String> = majority.into_iter().chain(nothing).collect();
                write!(f, "pairs answered both ways, as `{from}` and `{to}`: {}", all.join(", "))
            }
            Note::Unused { method, parts } => {
                let parts: Vec<String> = parts.iter().map(ToString::to_string).collect();
                write!(f, "{method} makes no use of the {}", parts.join(" and the "))
            }
        }
    }
}
