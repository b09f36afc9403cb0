//! Distances along the branches of a tree: what a phylogeny says about how far apart its leaves are.

use nearer_num::packed;

use crate::error::{At, Error};
use crate::evidence::{Distances, Evidence};
use crate::io::judged::tree::Tree;
use crate::io::kinds::{FileKind, Loaded};
use crate::io::layout::refuse;
use crate::io::source::Source;
use crate::object::Objects;

/// The distances between the leaves: the sums of the lengths on the way. `lengths` has that of the branch above each node.
pub(crate) fn read(
    tree: &Tree,
    lengths: &[Option<f64>],
    source: &Source,
    at: &At,
    mut said: Vec<String>,
) -> Result<Loaded, Error> {
    let nodes = tree.names.len();
    let root = |k: usize| tree.parents[k] as usize == k;
    if let Some(k) = (0..nodes).find(|k| !root(*k) && lengths.get(*k).copied().flatten().is_none()) {
        let name = Some(&tree.names[k]).filter(|n| !n.is_empty());
        let what = name.map_or("a branch has no length".into(), |n| format!("the branch of `{n}` has no length"));
        let remedy = "write a length after every colon, or map the tree by its shape";
        return Err(refuse(&at.clone().line(tree.lines[k]), &what, remedy));
    }
    let mut depth = vec![0.0; nodes];
    let mut is_leaf = vec![true; nodes];
    // Parents stand before their children.
    for k in (0..nodes).filter(|k| !root(*k)) {
        let parent = tree.parents[k] as usize;
        is_leaf[parent] = false;
        depth[k] = depth[parent] + lengths[k].unwrap_or_default();
    }
    let leaves: Vec<usize> = (0..nodes).filter(|k| is_leaf[*k]).collect();
    let n = leaves.len();
    source.holds("the distances between all leaves", 8 * packed::len(n) as u64)?;
    let objects = Objects::new(leaves.iter().map(|k| tree.names[*k].clone()))?;
    let mut values = vec![0.0; packed::len(n)];
    // Below each node, the leaves met so far; two meet first at the node where their ways part.
    let mut below: Vec<Vec<usize>> = vec![Vec::new(); nodes];
    leaves.iter().enumerate().for_each(|(i, k)| below[*k].push(i));
    for k in (0..nodes).rev().filter(|k| !root(*k)) {
        let parent = tree.parents[k] as usize;
        let mine = std::mem::take(&mut below[k]);
        for &i in &mine {
            for &j in &below[parent] {
                let d = depth[leaves[i]] + depth[leaves[j]] - 2.0 * depth[parent];
                values[packed::index(n, i.min(j), i.max(j))] = d;
            }
        }
        below[parent].extend(mine);
    }
    said.push(format!("patristic distances between its {n} leaves: the lengths of the branches on the way, summed"));
    let evidence = Evidence::Distances(Distances::from_condensed(objects, values)?);
    Ok(Loaded { evidence, measurements: None, kind: FileKind::Patristic, assumptions: said, warnings: Vec::new() })
}

#[cfg(test)]
mod tests {
    use crate::Evidence;
    use crate::io::testing::{load, refusal};
    use crate::io::{FileKind, ReadOptions};

    fn asked() -> ReadOptions {
        ReadOptions { kind: Some(FileKind::Patristic), ..ReadOptions::default() }
    }

    #[test]
    fn ways_through_the_tree_are_summed() {
        let loaded = load("t.nwk", "((dog:1,cat:2)mammal:0.5,(trout:3,(eel:1,cod:1):1):4);", &asked()).unwrap();
        let Evidence::Distances(d) = loaded.evidence else { panic!() };
        assert_eq!(d.objects().labels(), ["dog", "cat", "trout", "eel", "cod"]);
        assert_eq!(d.condensed(), [3.0, 8.5, 7.5, 7.5, 9.5, 8.5, 8.5, 5.0, 5.0, 2.0]);
    }

    #[test]
    fn a_branch_without_length_is_named() {
        let e = refusal("t.nwk", "((dog:1,cat):0.5,trout:3);", &asked());
        assert!(e.contains("`cat`") && e.contains("line 1"), "{e}");
    }
}
