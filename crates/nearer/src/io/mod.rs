//! The only readers and writers of files.
//!
//! | file | kind | format |
//! |---|---|---|
//! | square matrix, labelled or not | [`FileKind::Matrix`] | csv, tsv, `;`, blanks, scikit-bio lsmat, `.npy` |
//! | one triangle, with or without its diagonal | [`FileKind::Lower`], [`FileKind::Upper`] | the same text |
//! | condensed vector | [`FileKind::Condensed`] | text, `.npy` |
//! | one measurement a row | [`FileKind::Long`] | text |
//! | PHYLIP, square or lower, strict or relaxed | [`FileKind::Phylip`] | text |
//! | rows of distances to landmarks or old objects | [`FileKind::Rows`] | text, `.npy` |
//! | features: a row of numbers for each object | [`FileKind::Features`] | text, `.npy` |
//! | triplets, quadruplets, odd-one-out and other trials | [`FileKind::Triplets`] … [`FileKind::Ranks`] | text; `.npy` of whole numbers |
//! | pairs, alike or not | [`FileKind::Pairs`] | text |
//! | classes, free sorts | [`FileKind::Classes`], [`FileKind::Sorts`] | text |
//! | trees: edges, paths, brackets | [`FileKind::Taxonomy`], [`FileKind::Paths`], [`FileKind::Newick`] | text |
//!
//! Files of our own are safetensors: the model ([`save_model`]) and the certificate ([`save_certificate`]).
//!
//! With the feature `parquet` every table may be a parquet file too (flat columns; packed by snappy, zstd, gzip or not at all): its rows are
//! read as the lines of a csv, some at a time.
//!
//! Any file of evidence may be gzipped. What a file is, is recognised from its content; whatever was assumed is said, and what is
//! wrong is refused with its value, its line and column, and the remedy. [`Outbox`] puts the files of a run in
//! their places only when all of them are written.

mod source;
mod kinds;
mod cell;
mod text;
mod head;
mod columns;
mod layout;
mod packing;
mod square;
mod npy;
mod matrix;
mod triangle;
mod maps;
mod people;
mod weights;
mod long;
mod phylip;
mod chunk;
mod rows;
mod features;
mod filter;
mod table;
mod judged;
mod read;
#[cfg(feature = "parquet")]
mod parquet;
mod study;
mod map;
mod metadata;
mod images;
mod tensors;
mod model;
mod certificate;
mod litter;
mod outbox;
mod memory;

#[cfg(test)]
mod bombs;
#[cfg(test)]
mod late;
#[cfg(test)]
mod testing;
#[cfg(test)]
mod tests;

pub use crate::input::InputFile;
pub use certificate::{
    CERTIFICATE_VERSION, CertificateFile, Claim, WeighedColumns, load_certificate, save_certificate,
};
pub use filter::Filter;
pub use images::{MOST_IMAGE_BYTES, read_images};
pub use judged::{Role, Roles, Split, is_known_header, read_objects, split_rows, write_comparisons, write_pairs};
pub use kinds::{FileKind, Format, Loaded, Measuring, ReadOptions};
pub use map::{read_map, write_map};
pub use maps::write_maps;
pub use memory::available_memory;
pub use metadata::read_metadata;
pub use model::{MODEL_VERSION, Saved, load_model, looks_like_model, save_model};
pub use outbox::Outbox;
pub use people::write_people;
pub use read::read_evidence;
pub use rows::{RowStream, read_rows, shape};
pub use source::Source;
pub use study::{StudyFile, joined, load, read_features, read_study};
pub use table::{TableFile, read_square, read_table, write_distances};
pub use weights::write_weights;
