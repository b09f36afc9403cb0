//! Files of judgements: comparisons, pairs, groups and trees, recognised by their columns.

mod array;
mod clicks;
mod extras;
mod groups;
mod headers;
mod known;
mod labels;
mod nearest;
pub(crate) mod newick;
mod patristic;
mod objects;
mod pairs;
mod parts;
pub(crate) mod plan;
mod roles;
mod sample;
mod split;
mod tree;
mod trials;
mod words;
mod write;

#[cfg(test)]
mod tests;

pub(crate) use array::read as read_array;
pub use known::is_known_header;
pub use objects::read_objects;
pub use roles::{Role, Roles};
pub use split::{Split, split_rows};
pub use write::{write_comparisons, write_pairs};

use crate::error::{Error, Remedy};
use crate::io::cell::Numerals;
use crate::io::judged::plan::Plan;
use crate::io::kinds::{FileKind, Loaded, ReadOptions};
use crate::io::layout::refuse;
use crate::io::text::Table;

/// Reads a table of judgements whose columns are known.
pub(crate) fn read_table(
    table: &mut Table,
    plan: Plan,
    numerals: Numerals,
    options: &ReadOptions,
) -> Result<Loaded, Error> {
    if let Some(task) = plan.kind.task() {
        return trials::read(table, plan, task, numerals, options);
    }
    match plan.kind {
        FileKind::Clicks => clicks::read(table, plan, numerals, options),
        FileKind::Pairs => pairs::read(table, plan, numerals, options),
        FileKind::Taxonomy => tree::read_edges(table, plan, options),
        FileKind::Paths => tree::read_paths(table, plan, options),
        kind if groups::is_groups(kind) => groups::read(table, plan, options),
        kind => Err(refuse(
            &table.at,
            &format!("a table is not of the kind {kind}"),
            Remedy::from("say another ").any("kind"),
        )),
    }
}
