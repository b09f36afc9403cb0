//! The page: one HTML file that opens offline and holds the map, the proof and the doubts.
//!
//! The file asks the network for nothing: the drawing library is inside, packed, and a content security policy forbids
//! every request and every script but the page's own. Whatever comes from labels and metadata is text in every place.

mod columns;
mod data;
mod escape;
mod library;
mod judged;
mod layers;
mod pack;
mod sections;
#[cfg(test)]
mod tests;
mod weights;

pub use data::{DRAWN, DrawnPair, JudgedRow, Says, Story, Verdict};
pub use layers::Opening;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use sha2::{Digest as _, Sha256};

use self::columns::{Colours, PageColumn};
use self::data::{Data, Ellipses, Links, PageJudged, PagePairs, PerObject, Raw, Worst};
use self::layers::PageArrows;
use self::library::Library;
use self::pack::Numbers;
use crate::error::Error;
use crate::geometry::{Ellipse, Embedding};
use crate::input::InputFile;
use crate::metadata::Metadata;
use crate::object::Objects;
use crate::report::{Arrow, Evaluation, FitReport, JudgementEvaluation};
use crate::text::MethodWords;

const STYLE: &str = include_str!("assets/page.css");
/// The page's script, in the order in which its parts build on each other.
const SCRIPT: [&str; 8] = [
    include_str!("assets/base.js"),
    include_str!("assets/map.js"),
    include_str!("assets/links.js"),
    include_str!("assets/layers.js"),
    include_str!("assets/labels.js"),
    include_str!("assets/charts.js"),
    include_str!("assets/panels.js"),
    include_str!("assets/start.js"),
];

/// Ellipses, the two axes of their plane, and what they mean.
type Drawn<'a> = (&'a [Option<Ellipse>], (usize, usize), String);

/// A page under construction: the map, and whatever else is known about it.
///
/// ```
/// use nearer::{Embed, method::MetricMds, page::Page, toy};
/// # fn main() -> Result<(), nearer::Error> {
/// let fit = MetricMds::new(2).fit(&toy::cities())?;
/// let html = Page::new(&fit.embedding).title("European cities by road").report(&fit.report).html()?;
/// assert!(html.starts_with("<!doctype html>") && html.contains("European cities by road"));
/// # Ok(()) }
/// ```
#[derive(Debug, Clone)]
pub struct Page<'a> {
    map: &'a Embedding,
    title: String,
    report: Option<&'a FitReport>,
    method: Option<MethodWords<'a>>,
    seconds: Option<f64>,
    inputs: Vec<InputFile>,
    metadata: Option<&'a Metadata>,
    colour_by: Option<String>,
    shape_by: Option<String>,
    images: &'a [Option<String>],
    ellipses: Option<Drawn<'a>>,
    links: Option<(&'a [[u32; 2]], bool)>,
    evaluation: Option<&'a Evaluation>,
    pairs: Option<(&'a Objects, &'a [DrawnPair])>,
    judgements: Option<&'a JudgementEvaluation>,
    judged: Option<&'a [JudgedRow]>,
    story: Option<&'a Story>,
    arrows: Option<(&'a [Arrow], usize)>,
    opening: Opening,
}

impl<'a> Page<'a> {
    /// The page of a map, with nothing known about it but its points.
    #[must_use]
    pub fn new(map: &'a Embedding) -> Self {
        Page {
            map,
            title: String::new(),
            report: None,
            method: None,
            seconds: None,
            inputs: Vec::new(),
            metadata: None,
            colour_by: None,
            shape_by: None,
            images: &[],
            ellipses: None,
            links: None,
            evaluation: None,
            pairs: None,
            judgements: None,
            judged: None,
            story: None,
            arrows: None,
            opening: Opening::default(),
        }
    }

    /// A title.
    #[must_use]
    pub fn title(mut self, title: impl Into<String>) -> Self {
        self.title = title.into();
        self
    }

    /// How the fit went: stress, certificate, starts, warnings.
    #[must_use]
    pub fn report(mut self, report: &'a FitReport) -> Self {
        self.report = Some(report);
        self
    }

    /// What the paragraph for a paper says of the method.
    #[must_use]
    pub fn method(mut self, words: MethodWords<'a>) -> Self {
        self.method = Some(words);
        self
    }

    /// How long the fit took.
    #[must_use]
    pub fn seconds(mut self, seconds: f64) -> Self {
        self.seconds = Some(seconds);
        self
    }

    /// The files behind the map.
    #[must_use]
    pub fn inputs(mut self, inputs: Vec<InputFile>) -> Self {
        self.inputs = inputs;
        self
    }

    /// What else is known of the objects, to be seen under the pointer and to colour, size and shape by.
    #[must_use]
    pub fn metadata(mut self, metadata: &'a Metadata) -> Self {
        self.metadata = Some(metadata);
        self
    }

    /// The column that colours the map when the page opens.
    #[must_use]
    pub fn colour_by(mut self, column: impl Into<String>) -> Self {
        self.colour_by = Some(column.into());
        self
    }

    /// The column that shapes the points when the page opens.
    #[must_use]
    pub fn shape_by(mut self, column: impl Into<String>) -> Self {
        self.shape_by = Some(column.into());
        self
    }

    /// A picture of each object as a `data:` address, or none.
    #[must_use]
    pub fn images(mut self, images: &'a [Option<String>]) -> Self {
        self.images = images;
        self
    }

    /// Where the objects lie when the map is made again, in the plane of two axes (counted from 0), and a sentence on
    /// what the ellipses mean.
    #[must_use]
    pub fn ellipses(mut self, of: &'a [Option<Ellipse>], axes: (usize, usize), meaning: impl Into<String>) -> Self {
        self.ellipses = Some((of, axes, meaning.into()));
        self
    }

    /// Links between objects, as rows of the map, and whether they are shown when the page opens.
    #[must_use]
    pub fn links(mut self, links: &'a [[u32; 2]], shown: bool) -> Self {
        self.links = Some((links, shown));
        self
    }

    /// How good the map is against distances.
    #[must_use]
    pub fn evaluation(mut self, evaluation: &'a Evaluation) -> Self {
        self.evaluation = Some(evaluation);
        self
    }

    /// The pairs of the data behind the Shepard diagram; `objects` are those of the data.
    #[must_use]
    pub fn pairs(mut self, objects: &'a Objects, pairs: &'a [DrawnPair]) -> Self {
        self.pairs = Some((objects, pairs));
        self
    }

    /// How well the map agrees with judgements, and the judgements one by one.
    #[must_use]
    pub fn judgements(mut self, evaluation: &'a JudgementEvaluation, rows: &'a [JudgedRow]) -> Self {
        (self.judgements, self.judged) = (Some(evaluation), Some(rows));
        self
    }

    /// What is in the evidence: counts, contradictions, circles, people.
    #[must_use]
    pub fn story(mut self, story: &'a Story) -> Self {
        self.story = Some(story);
        self
    }

    /// Columns of numbers fitted to the map, which the page can draw as arrows, and how many shuffles their p comes from.
    #[must_use]
    pub fn arrows(mut self, arrows: &'a [Arrow], permutations: usize) -> Self {
        self.arrows = Some((arrows, permutations));
        self
    }

    /// What is drawn beside the points when the page opens; a reader switches it on and off.
    #[must_use]
    pub fn opening(mut self, opening: Opening) -> Self {
        self.opening = opening;
        self
    }

    /// The whole file.
    ///
    /// # Fails
    /// When a column, the pictures or the ellipses are not one for each object of the map, or when a column to colour or
    /// shape by does not exist.
    pub fn html(&self) -> Result<String, Error> {
        self.check()?;
        let json = serde_json::to_string(&self.data()?)
            .map_err(|e| Error::Numerical { what: format!("the page's data as JSON ({e})") })?;
        let script = format!("(() => {{\n'use strict';\n{}}})();", SCRIPT.concat());
        let library = Library::new();
        let policy = format!(
            "default-src 'none'; script-src 'sha256-{}' 'sha256-{}'; style-src 'unsafe-inline'; img-src data: blob:; base-uri 'none'; form-action 'none'",
            STANDARD.encode(Sha256::digest(script.as_bytes())),
            library.sha256
        );
        let title = escape::html(self.heading());
        let version = env!("CARGO_PKG_VERSION");
        let mut out = String::with_capacity(library.packed.len() + json.len() + script.len() + STYLE.len() + 40_000);
        out.push_str(&format!(
            "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<meta http-equiv=\"Content-Security-Policy\" content=\"{policy}\">\n<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<meta name=\"generator\" content=\"nearer {version}\">\n<link rel=\"icon\" href=\"data:,\">\n<title>{title}</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n"
        ));
        sections::write(self, &mut out);
        out.push_str(&format!("<script type=\"application/json\" id=\"data\">{}</script>\n", escape::json(&json)));
        out.push_str(&format!("<!-- {} Packed: gzip, base64. -->\n", escape::html(&library.banner)));
        out.push_str(&format!("<script type=\"text/plain\" id=\"plotly\">{}</script>\n", library.packed));
        out.push_str(&format!("<script>{script}</script>\n</body>\n</html>\n"));
        Ok(out)
    }

    fn heading(&self) -> &str {
        if self.title.is_empty() { "Map" } else { &self.title }
    }

    fn check(&self) -> Result<(), Error> {
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

    fn column(&self, name: Option<&String>) -> Result<Option<usize>, Error> {
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

    fn data(&self) -> Result<Data<'_>, Error> {
        let n = self.map.len();
        let columns = self.metadata.map_or(&[][..], |m| &m.columns);
        Ok(Data {
            schema: 1,
            version: env!("CARGO_PKG_VERSION"),
            title: self.heading(),
            labels: self.map.objects().labels(),
            axes: self.map.points().columns().into_iter().map(|c| Numbers::real(c.to_vec())).collect(),
            single: n > pack::PLAIN,
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
            fewest: self
                .judgements
                .and_then(|e| e.by_dimension.as_deref())
                .and_then(crate::report::DimensionAgreement::fewest),
            report: Raw {
                // Files are named with their hashes, and without the folders they lie in.
                fit: self.report.map(|r| FitReport { inputs: Vec::new(), reading: Vec::new(), ..r.clone() }),
                evaluation: self.evaluation,
                judgements: self.judgements,
                check: self.story.map(|s| &s.data),
                inputs: &self.inputs,
                seconds: self.seconds,
            },
        })
    }

    /// The stress that the corner of the map names, as `nearer plot` has it.
    fn stress1(&self) -> Option<f64> {
        let evaluation = self.evaluation.filter(|_| !self.is_of_neighbours());
        self.report.and_then(|r| r.stress1).or(evaluation.map(|e| e.stress1))
    }

    /// Whether the map was to keep neighbours alone.
    fn is_of_neighbours(&self) -> bool {
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
