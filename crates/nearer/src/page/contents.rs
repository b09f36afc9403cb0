//! The data of a page, gathered from all that it was given, once that fits together.

use super::Page;
use super::columns::{Colours, PageColumn};
use super::data::{Data, Ellipses, Links, PageJudged, PagePairs, PerObject, Raw, Worst};
use super::layers::PageArrows;
use super::pack::{Numbers, PLAIN};
use crate::error::Error;
use crate::report::{DimensionAgreement, FitReport};

impl Page<'_> {
    pub(super) fn check(&self) -> Result<(), Error> {
        let n = self.map.len();
        let lists = [
            ("pictures", (!self.images.is_empty()).then_some(self.images.len())),
            ("ellipses", self.ellipses.as_ref().map(|(e, ..)| e.len())),
        ];
        for (what, found) in lists {
            if let Some(found) = found.filter(|f| *f != n) {
                return Err(Error::Evidence {
                    what: format!("{found} {what} for {n} objects"),
                    remedy: "give one or none for each object of the map".into(),
                });
            }
        }
        let strange = self.links.and_then(|(links, _)| links.iter().flatten().find(|k| **k as usize >= n));
        match strange {
            Some(k) => Err(Error::Evidence {
                what: format!("a link ends at row {k} of a map of {n} objects"),
                remedy: "count the rows of the map from 0".into(),
            }),
            None => Ok(()),
        }
    }

    pub(super) fn data(&self) -> Result<Data<'_>, Error> {
        let n = self.map.len();
        let columns = self.metadata.map_or(&[][..], |m| &m.columns);
        Ok(Data {
            schema: 1,
            version: env!("CARGO_PKG_VERSION"),
            title: self.heading(),
            labels: self.map.objects().labels(),
            axes: self.map.points().columns().into_iter().map(|c| Numbers::real(c.to_vec())).collect(),
            single: n > PLAIN,
            colours: Colours::new(),
            columns: columns.iter().map(|c| PageColumn::new(c, n)).collect::<Result<_, _>>()?,
            colour_by: self.column(self.colour_by.as_ref())?,
            shape_by: self.column(self.shape_by.as_ref())?,
            images: self.images.iter().enumerate().filter_map(|(k, i)| Some((k, i.as_deref()?))).collect(),
            ellipses: self.ellipses.as_ref().map(|(e, axes, _)| Ellipses::new(e, *axes)),
            arrows: self
                .arrows
                .filter(|(a, _)| !a.is_empty())
                .map(|(of, permutations)| PageArrows { of, permutations }),
            opening: self.page_opening()?,
            links: self.links.map(|(links, shown)| Links::new(links, shown)),
            corner: self.stress1().map(|s| format!("stress-1 = {s:.3}")),
            pairs: self.pairs.map(|(objects, pairs)| PagePairs::new(objects, self.map.objects(), pairs)),
            judged: self.judged.map(PageJudged::new),
            per_object: self.per_object(),
            worst: self.worst(),
            fewest: self.judgements.and_then(|e| e.by_dimension.as_deref()).and_then(DimensionAgreement::fewest),
            report: Raw {
                // Files are named with their hashes, and without the folders they lie in.
                fit: self.report.map(|r| FitReport {
                    inputs: Vec::new(),
                    notes: Vec::new(),
                    reading: Vec::new(),
                    ..r.clone()
                }),
                evaluation: self.evaluation,
                judgements: self.judgements,
                check: self.story.map(|s| &s.data),
                inputs: &self.inputs,
                seconds: self.seconds,
            },
        })
    }

    pub(super) fn column(&self, name: Option<&String>) -> Result<Option<usize>, Error> {
        let Some(name) = name else { return Ok(None) };
        let columns = self.metadata.map_or(&[][..], |m| &m.columns);
        match columns.iter().position(|c| c.name == *name) {
            Some(k) => Ok(Some(k)),
            None => Err(Error::Parameter {
                name: "column".into(),
                value: name.clone(),
                expected: format!(
                    "one of the columns of the metadata: {}",
                    columns.iter().map(|c| c.name.as_str()).collect::<Vec<_>>().join(", ")
                ),
            }),
        }
    }

    /// The stress that the corner of the map names, as `nearer plot` has it.
    pub(super) fn stress1(&self) -> Option<f64> {
        let evaluation = self.evaluation.filter(|_| !self.is_of_neighbours());
        self.report.and_then(|r| r.stress1).or(evaluation.map(|e| e.stress1))
    }

    /// Whether the map was to keep neighbours alone.
    pub(super) fn is_of_neighbours(&self) -> bool {
        self.report.is_some_and(FitReport::is_of_neighbours)
    }

    fn per_object(&self) -> Option<PerObject> {
        let index = self.map.objects().index();
        let mut values = vec![None; self.map.len()];
        let mut put = |label: &str, value: Option<f64>| {
            if let Some(item) = index.get(label) {
                values[item.index()] = value;
            }
        };
        let name = match (self.evaluation, self.judgements) {
            (Some(e), _) => {
                e.per_object.iter().for_each(|o| put(&o.label, Some(o.percent)));
                "share of the stress, %"
            }
            (None, Some(e)) => {
                for o in e.per_object.iter().filter(|o| o.rows > 0) {
                    put(&o.label, Some(100.0 * (1.0 - o.satisfied as f64 / o.rows as f64)));
                }
                "judgements contradicted, %"
            }
            (None, None) => return None,
        };
        Some(PerObject { name, values })
    }

    fn worst(&self) -> Vec<Worst> {
        let index = self.map.objects().index();
        let row = |label: &String| index.get(label.as_str()).map(|item| item.index());
        let found = self.evaluation.map_or(&[][..], |e| &e.worst_pairs);
        found
            .iter()
            .filter_map(|p| {
                Some(Worst {
                    a: row(&p.a)?,
                    b: row(&p.b)?,
                    data: p.data,
                    bound: p.bound.clone(),
                    distance: p.distance,
                    residual: p.residual,
                })
            })
            .collect()
    }
}
