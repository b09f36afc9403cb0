//! The links of the neighbourhood graph behind a map, for figures and pages.

use anyhow::{Result, bail};
use nearer::method::links;
use nearer::model::Model;
use nearer::report::FitReport;
use nearer::{Embedding, Settings, Study};

use crate::context::Context;

/// Objects up to which a page gets the links of a method that begins with them, unasked.
const UNASKED: usize = 5000;
/// Links beyond this many are a grey sheet, and slow.
const MOST: usize = 200_000;

/// Where links are looked for.
#[derive(Clone, Copy)]
pub(super) struct Behind<'a> {
    pub(super) map: &'a Embedding,
    pub(super) model: Option<&'a Model>,
    pub(super) report: Option<&'a FitReport>,
    pub(super) study: Option<&'a Study>,
}

impl Behind<'_> {
    /// The links: those that the model follows, else those of the study by the settings of the fit. Where they are not `asked` for, only
    /// those of a method that has some, and none where that would take long.
    pub(super) fn links(&self, asked: bool, context: &Context) -> Result<Vec<[u32; 2]>> {
        let objects = self.map.objects();
        let own = match self.model {
            Some(Model::Manifold(m)) => m.links(objects),
            _ => None,
        };
        let settings = self.report.map(|r| &r.settings);
        let begins = settings.is_some_and(|s| s.count("neighbours").is_some());
        let found = match (own, self.study) {
            (Some(own), _) => own,
            (None, Some(study)) if asked || (begins && self.map.len() <= UNASKED) => {
                links(study, settings.unwrap_or(&Settings::default()), context.seed, objects)?
            }
            (None, _) => Vec::new(),
        };
        match found.len() {
            0 if asked => bail!(
                "--links: nothing says who is near whom; give the features or the distances behind the map{}",
                if self.study.is_none() { " by --evidence FILE" } else { "" }
            ),
            many if many > MOST && asked => bail!("--links: {many} links are more than the {MOST} that can be drawn"),
            many if many > MOST => Ok(Vec::new()),
            _ => Ok(found),
        }
    }
}
