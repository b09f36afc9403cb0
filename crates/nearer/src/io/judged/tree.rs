//! Trees in tables: one `parent child` edge a row, or one path from the root a row.

use std::collections::HashMap;

use crate::error::{At, Error};
use crate::evidence::{Evidence, Taxonomy};
use crate::io::judged::labels::Labels;
use crate::io::judged::nearest::suggestion;
use crate::io::judged::plan::Plan;
use crate::io::judged::roles::Role;
use crate::io::judged::trials::check_width;
use crate::io::kinds::{FileKind, Loaded, ReadOptions};
use crate::io::layout::refuse;
use crate::io::packing::LABEL_BYTES;
use crate::io::text::Table;
use crate::object::{Objects, numeric_order};

/// What a node takes beside its name, here and in the taxonomy that comes of it.
pub(crate) const NODE_BYTES: usize = 100;

/// A tree under way: the names of its nodes, their parents, and where they were met.
#[derive(Debug, Default)]
pub(crate) struct Tree {
    pub(crate) names: Vec<String>,
    /// A root is its own parent.
    pub(crate) parents: Vec<u32>,
    pub(crate) lines: Vec<u64>,
}

impl Tree {
    /// Adds a node; without a parent it is a root.
    pub(crate) fn add(&mut self, name: String, parent: Option<u32>, line: u64) -> u32 {
        let k = self.names.len() as u32;
        self.names.push(name);
        self.parents.push(parent.unwrap_or(k));
        self.lines.push(line);
        k
    }

    fn is_inner(&self) -> Vec<bool> {
        let mut inner = vec![false; self.names.len()];
        self.parents
            .iter()
            .enumerate()
            .filter(|(k, p)| **p as usize != *k)
            .for_each(|(_, p)| inner[*p as usize] = true);
        inner
    }

    /// The taxonomy; its leaves in the order of numbers if they are numbers, or as the objects are given.
    pub(crate) fn finish(mut self, options: &ReadOptions, at: &At) -> Result<Taxonomy, Error> {
        let inner = self.is_inner();
        let leaves: Vec<usize> = (0..inner.len()).filter(|&k| !inner[k]).collect();
        let mut seen: HashMap<&str, usize> = HashMap::with_capacity(leaves.len());
        for &k in &leaves {
            if let Some(first) = seen.insert(&self.names[k], k) {
                return Err(Error::Value {
                    at: at.clone().line(self.lines[k]),
                    what: format!("the leaf `{}` stands on line {} already", self.names[k], self.lines[first]),
                    remedy: "give every object its own label".into(),
                });
            }
        }
        let names: Vec<&str> = leaves.iter().map(|&k| self.names[k].as_str()).collect();
        let order: Option<Vec<usize>> = match &options.objects {
            Some(objects) => Some(as_given(objects, &seen, &self, &leaves, at)?),
            None => numeric_order(&names).map(|order| order.into_iter().map(|k| leaves[k]).collect()),
        };
        if let Some(order) = order {
            self.reorder(&leaves, &order);
        }
        Taxonomy::from_parents(self.names, self.parents)
    }

    /// Puts the leaves into another order, inner nodes where they were.
    fn reorder(&mut self, leaves: &[usize], order: &[usize]) {
        let names: Vec<String> = order.iter().map(|&k| std::mem::take(&mut self.names[k])).collect();
        let parents: Vec<u32> = order.iter().map(|&k| self.parents[k]).collect();
        for ((&k, name), parent) in leaves.iter().zip(names).zip(parents) {
            (self.names[k], self.parents[k]) = (name, parent);
        }
    }
}

/// The leaves in the order of the objects; every object must be a leaf, and every leaf an object.
fn as_given(
    objects: &Objects,
    seen: &HashMap<&str, usize>,
    tree: &Tree,
    leaves: &[usize],
    at: &At,
) -> Result<Vec<usize>, Error> {
    let index = objects.index();
    if let Some(&k) = leaves.iter().find(|&&k| !index.contains_key(tree.names[k].as_str())) {
        let label = tree.names[k].clone();
        let meant = suggestion(&label, objects.labels().iter().map(String::as_str));
        return Err(Error::UnknownLabel {
            place: at.clone().line(tree.lines[k]).to_string(),
            label,
            objects: objects.len(),
            remedy: format!("{meant}correct the label, or add it to the objects").into(),
        });
    }
    let leaf = |label: &String| {
        seen.get(label.as_str()).copied().ok_or_else(|| {
            let meant = suggestion(label, seen.keys().copied().collect::<std::collections::BTreeSet<_>>());
            refuse(
                at,
                &format!("the object `{label}` is not a leaf of the tree"),
                format!("{meant}give every object a place in the tree"),
            )
        })
    };
    objects.labels().iter().map(leaf).collect()
}

fn loaded(tree: Taxonomy, kind: FileKind, mut assumptions: Vec<String>, warnings: Vec<String>) -> Loaded {
    assumptions.push(format!(
        "the tree has {} nodes, {} of them leaves, which are the objects",
        tree.nodes(),
        tree.objects().len()
    ));
    Loaded { evidence: Evidence::Taxonomy(tree), measurements: None, kind, assumptions, warnings }
}

/// The tree of a text that was parsed elsewhere.
pub(crate) fn parsed(tree: Tree, options: &ReadOptions, said: Vec<String>, at: &At) -> Result<Loaded, Error> {
    Ok(loaded(tree.finish(options, at)?, FileKind::Newick, said, Vec::new()))
}

/// Reads one edge a row.
pub(crate) fn read_edges(table: &mut Table, plan: Plan, options: &ReadOptions) -> Result<Loaded, Error> {
    let (at, source) = (table.at.clone(), table.source.clone());
    let column = |role| plan.columns.one(role).unwrap_or(0);
    let (parent, child) = (column(Role::Parent), column(Role::Child));
    let mut labels = Labels::default();
    let mut tree = Tree::default();
    let mut edge_lines: Vec<u64> = Vec::new();
    let (mut header, mut width) = (plan.header, None);
    while let Some((record, line)) = table.next()? {
        if std::mem::take(&mut header) || record.iter().all(|f| f.trim_ascii().is_empty()) {
            continue;
        }
        check_width(record, &mut width, false, &plan, &at, line)?;
        // A row without a parent names the root.
        let rooted = !record[parent].trim_ascii().is_empty();
        let mut node = |column: usize| -> Result<u32, Error> {
            let item = labels.item(&record[column], &at, line, column)?;
            if item.index() == tree.names.len() {
                tree.add(labels.label(item).to_string(), None, line);
                edge_lines.push(0);
            }
            Ok(item.0)
        };
        let up = if rooted { Some(node(parent)?) } else { None };
        let down = node(child)?;
        let Some(up) = up.filter(|up| *up != down) else { continue };
        let before = &mut tree.parents[down as usize];
        source.holds("the tree", (2 * labels.bytes() + NODE_BYTES * labels.len()) as u64)?;
        if *before == down {
            (*before, edge_lines[down as usize]) = (up, line);
        } else if *before != up {
            let name = |k: u32| &tree.names[k as usize];
            return Err(Error::Value {
                at: at.line(line),
                what: format!(
                    "`{}` has two parents, `{}` (line {}) and `{}`",
                    name(down),
                    name(tree.parents[down as usize]),
                    edge_lines[down as usize],
                    name(up)
                ),
                remedy: "a taxonomy is a tree: keep one of them".into(),
            });
        }
    }
    if tree.names.is_empty() {
        return Err(refuse(&at, "there is no row with an edge", "give a parent and a child in each row"));
    }
    check_tree(&tree, &edge_lines, &at)?;
    let warnings = labels.warnings();
    Ok(loaded(tree.finish(options, &at)?, FileKind::Taxonomy, plan.said, warnings))
}

/// Refuses a circle and a second root, by name and line.
fn check_tree(tree: &Tree, edge_lines: &[u64], at: &At) -> Result<(), Error> {
    let mut state = vec![0u8; tree.names.len()];
    for start in 0..tree.names.len() {
        let mut way = Vec::new();
        let mut node = start;
        while state[node] == 0 && tree.parents[node] as usize != node {
            state[node] = 1;
            way.push(node);
            node = tree.parents[node] as usize;
        }
        if state[node] == 1 {
            let from = way.iter().position(|&k| k == node).unwrap_or(0);
            let shown: Vec<String> = way[from..]
                .iter()
                .take(6)
                .map(|&k| {
                    format!(
                        "`{}` under `{}` (line {})",
                        tree.names[k], tree.names[tree.parents[k] as usize], edge_lines[k]
                    )
                })
                .collect();
            return Err(Error::Value {
                at: at.clone().line(edge_lines[node]),
                what: format!("the tree goes round in a circle: {}", shown.join(", ")),
                remedy: "take one of these edges out".into(),
            });
        }
        way.iter().for_each(|&k| state[k] = 2);
    }
    let roots: Vec<usize> = (0..tree.names.len()).filter(|&k| tree.parents[k] as usize == k).collect();
    if let [first, second, ..] = roots.as_slice() {
        let root = |k: usize| format!("`{}` (line {})", tree.names[k], tree.lines[k]);
        return Err(Error::Value {
            at: at.clone().line(tree.lines[*second]),
            what: format!("{} nodes have no parent: {}, {} …", roots.len(), root(*first), root(*second)),
            remedy: "put them under one root".into(),
        });
    }
    Ok(())
}

/// What may stand between the parts of a path.
const SEPARATORS: [char; 3] = ['/', '>', '|'];

/// Whether a cell is a path.
pub(crate) fn is_path(cell: &str) -> bool {
    cell.contains(SEPARATORS) && cell.parse::<f64>().is_err()
}

/// Reads one path a row.
pub(crate) fn read_paths(table: &mut Table, plan: Plan, options: &ReadOptions) -> Result<Loaded, Error> {
    let at = table.at.clone();
    let column = plan.columns.one(Role::Path).unwrap_or(0);
    let object = plan.columns.one(Role::Object);
    let mut rows: Vec<(String, Option<String>, u64)> = Vec::new();
    let (mut header, mut width, mut bytes) = (plan.header, None, 0);
    while let Some((record, line)) = table.next()? {
        if std::mem::take(&mut header) || record.iter().all(|f| f.trim_ascii().is_empty()) {
            continue;
        }
        check_width(record, &mut width, false, &plan, &at, line)?;
        let path = Table::label(&at, &record[column], line, column)?;
        let label = object.map(|k| Table::label(&at, &record[k], line, k)).transpose()?;
        bytes += record.as_slice().len() + NODE_BYTES;
        rows.push((path, label, line));
        table.holds("the paths", bytes as u64)?;
    }
    if rows.is_empty() {
        return Err(refuse(&at, "there is no row with a path", "give one path a row, as animal/mammal/dog"));
    }
    let separator = separator(&rows, &at)?;
    let mut assumptions = plan.said;
    assumptions.push(format!("the parts of a path are separated by `{separator}`"));
    let mut tree = Tree::default();
    let root = tree.add("(root)".into(), None, 0);
    let mut index: HashMap<(u32, String), u32> = HashMap::new();
    let mut ends = Vec::with_capacity(rows.len());
    for (path, label, line) in rows {
        let parts: Vec<&str> =
            path.trim_matches(|c: char| c == separator || c.is_whitespace()).split(separator).map(str::trim).collect();
        if parts.iter().any(|p| p.is_empty()) {
            return Err(Error::Value {
                at: at.line(line).column(column as u64 + 1),
                what: format!("a part of the path `{path}` is empty"),
                remedy: "name every level".into(),
            });
        }
        let mut node = root;
        for part in parts.into_iter().map(str::to_string).chain(label.clone()) {
            node = match index.get(&(node, part.clone())) {
                Some(known) => *known,
                None => {
                    bytes += 2 * part.len() + LABEL_BYTES + NODE_BYTES;
                    table.holds("the tree", bytes as u64)?;
                    let made = tree.add(part.clone(), Some(node), line);
                    index.insert((node, part), made);
                    made
                }
            };
        }
        ends.push((node, path, line));
    }
    let inner = tree.is_inner();
    let mut first: HashMap<u32, u64> = HashMap::new();
    let mut above = Vec::new();
    for (node, path, line) in ends {
        if inner[node as usize] {
            above.push((path, line));
        } else if let Some(before) = first.insert(node, line) {
            return Err(Error::Value {
                at: at.line(line),
                what: format!("`{}` stands on line {before} already, with the same path", tree.names[node as usize]),
                remedy: "give every object one row".into(),
            });
        }
    }
    let warnings = above.first().map(|(path, line)| {
        format!("{} paths are above others and so no objects, the first on line {line}: `{path}`", above.len())
    });
    if tree.parents.iter().skip(1).filter(|p| **p == root).count() == 1 {
        // All paths begin alike: that is the root.
        tree.names.remove(0);
        tree.lines.remove(0);
        tree.parents = tree.parents.iter().skip(1).map(|p| p.saturating_sub(1)).collect();
    } else {
        assumptions.push("the paths begin with different names: one root stands above them".into());
    }
    Ok(loaded(tree.finish(options, &at)?, FileKind::Paths, assumptions, warnings.into_iter().collect()))
}

/// The one separator that the paths have.
fn separator(rows: &[(String, Option<String>, u64)], at: &At) -> Result<char, Error> {
    let used: Vec<char> = SEPARATORS.into_iter().filter(|s| rows.iter().any(|(path, ..)| path.contains(*s))).collect();
    match used.as_slice() {
        [] => Ok('/'),
        [one] => Ok(*one),
        [one, two, ..] => {
            let line = |s: char| rows.iter().find(|(path, ..)| path.contains(s)).map_or(0, |(_, _, line)| *line);
            let everywhere: Vec<char> =
                used.iter().copied().filter(|s| rows.iter().all(|(path, ..)| path.contains(*s))).collect();
            if let [only] = everywhere.as_slice() {
                return Ok(*only);
            }
            Err(refuse(
                &at.clone().line(line(*two)),
                &format!("`{two}` could separate the parts of a path, and `{one}` on line {} as well", line(*one)),
                "use one separator, and no other one inside names",
            ))
        }
    }
}
