//! Several maps of the same objects, as a table.

use std::io::{self, Write};

use crate::object::Objects;
use crate::report::MapMixture;

/// A row for each object and map: `label,map,share,x1,x2,…`, maps counted from 1.
///
/// ```
/// use nearer::{Objects, io::write_maps, report::MapMixture};
/// let objects = Objects::new(["tie"]).expect("one label");
/// let mixture = MapMixture { maps: vec![vec![vec![0.5, 1.0]], vec![vec![2.0, 0.0]]], shares: vec![vec![0.75, 0.25]] };
/// let mut table = Vec::new();
/// write_maps(&mut table, &objects, &mixture).expect("a vector takes all");
/// assert_eq!(String::from_utf8_lossy(&table), "label,map,share,x1,x2\ntie,1,0.75,0.5,1\ntie,2,0.25,2,0\n");
/// ```
pub fn write_maps(w: &mut dyn Write, objects: &Objects, mixture: &MapMixture) -> io::Result<()> {
    let mut out = csv::Writer::from_writer(w);
    let dim = mixture.maps.first().and_then(|m| m.first()).map_or(0, Vec::len);
    let header = ["label", "map", "share"].map(str::to_owned).into_iter().chain((1..=dim).map(|k| format!("x{k}")));
    out.write_record(header)?;
    for (i, label) in objects.labels().iter().enumerate() {
        for (m, map) in mixture.maps.iter().enumerate() {
            let row = [label.clone(), (m + 1).to_string(), mixture.shares[i][m].to_string()];
            out.write_record(row.into_iter().chain(map[i].iter().map(f64::to_string)))?;
        }
    }
    out.flush()
}
