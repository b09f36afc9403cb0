//! The page: one HTML file that opens offline and holds the map, the proof and the doubts.
//!
//! The file asks the network for nothing: the drawing library is inside, packed, and a content security policy forbids
//! every request and every script but the page's own. Whatever comes from labels and metadata is text in every place.

mod columns;
mod contents;
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

pub use data::{DRAWN, DrawnPair, JudgedRow, Says, Standing, Story};
pub use layers::Opening;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use sha2::{Digest as _, Sha256};

use self::library::Library;
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
}
