//! The numbers behind a figure, as a tidy csv.

use anyhow::Result;
use nearer::Embedding;
use nearer::metadata::Metadata;
use nearer::report::Layer;

use super::Look;
use crate::context::Context;

impl Look {
    /// The numbers behind the figure: one row for each object, hull corner, mean of a group and arrow.
    pub(crate) fn data(&self, map: &Embedding, metadata: &Metadata, context: &Context) -> Result<Vec<u8>> {
        let drawn = self.drawn(map, metadata, context)?;
        let mut out = csv::Writer::from_writer(Vec::new());
        let (a, b) = if map.dim() > 1 { self.axes } else { (0, 0) };
        let names: Vec<&str> = metadata.columns.iter().map(|c| c.name.as_str()).collect();
        let mut header = vec!["what", "name", "x", "y", "r2", "p"];
        header.extend(&names);
        out.write_record(&header)?;
        let blank = || vec![String::new(); names.len()];
        for (k, label) in map.objects().labels().iter().enumerate() {
            let p = map.point(k);
            let y = if map.dim() > 1 { p[b] } else { 0.0 };
            let mut row = vec![
                "object".into(),
                label.clone(),
                format!("{:?}", p[a]),
                format!("{y:?}"),
                String::new(),
                String::new(),
            ];
            row.extend(metadata.columns.iter().map(|c| c.values[k].clone().unwrap_or_default()));
            out.write_record(&row)?;
        }
        for layer in &drawn.layers {
            let mut write = |what: &str, name: &str, p: [f64; 2]| {
                let mut row = vec![
                    what.into(),
                    name.into(),
                    format!("{:?}", p[0]),
                    format!("{:?}", p[1]),
                    String::new(),
                    String::new(),
                ];
                row.extend(blank());
                out.write_record(&row)
            };
            match layer {
                Layer::Area { outline, group } => {
                    let name = group.map_or(String::new(), |g| (g + 1).to_string());
                    outline.iter().try_for_each(|p| write("hull", &name, *p))?;
                }
                Layer::Word { at, text, group: Some(_) } => write("mean", text, *at)?,
                _ => {}
            }
        }
        for (label, way) in map.objects().labels().iter().zip(self.drift.iter().flatten()) {
            let along = |k: usize| format!("{:?}", way.get(k).copied().unwrap_or_default());
            let mut row = vec!["drift".into(), label.clone(), along(a), along(b), String::new(), String::new()];
            row.extend(blank());
            out.write_record(&row)?;
        }
        for arrow in &drawn.arrows {
            let along = |k: usize| format!("{:?}", arrow.direction.get(k).copied().unwrap_or_default());
            let mut row = vec![
                "arrow".into(),
                arrow.name.clone(),
                along(a),
                along(b),
                format!("{:?}", arrow.r2),
                format!("{:?}", arrow.p),
            ];
            row.extend(blank());
            out.write_record(&row)?;
        }
        Ok(out.into_inner()?)
    }
}
