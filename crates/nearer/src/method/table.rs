//! The table of methods: the one place from which the command's help, `nearer methods`, the README and the tests read.

use nearer_num::order;
use std::collections::HashSet;

use crate::error::{Error, Remedy};
use crate::evidence::Part;
use crate::fit::Fit;
use crate::geometry::Embedding;
use crate::method::cost::{Needs, Size};
use crate::method::way::AgainFn;
use crate::model::Model;
use crate::settings::{Configured, Settings};
use crate::solve::Run;
use crate::study::Study;

pub use crate::method::parameter::{Kind, Parameter};
pub use crate::method::way::Way;
pub(crate) use crate::method::way::{again, way};

/// One method.
#[derive(Debug)]
pub struct Method {
    /// Its name, as `--method` takes it.
    pub name: &'static str,
    /// What others call it; accepted wherever its name is.
    pub aliases: &'static [&'static str],
    /// What it does, in one line.
    pub summary: &'static str,
    /// What it minimises or solves, as a formula.
    pub solves: &'static str,
    /// The ways to fit it: which parts of a study it takes.
    pub ways: &'static [Way],
    /// Its parameters.
    pub parameters: &'static [Parameter],
    /// How it places new objects.
    pub places: &'static str,
    /// How time and memory grow, in words.
    pub cost: &'static str,
    /// Where it comes from.
    pub reference: &'static str,
    pub(crate) needs: fn(&Size, &Settings) -> Needs,
    pub(crate) again: AgainFn,
}

impl Method {
    /// Checks what was typed against the table and fills in the defaults.
    ///
    /// # Fails
    /// [`Error::Parameter`] for a name that is none of the method's, and for a value out of its range.
    pub fn settings<'a>(&self, given: impl IntoIterator<Item = (&'a str, &'a str)>) -> Result<Settings, Error> {
        self.revised(&Settings::default(), given)
    }

    /// Settings recorded before, with what was typed in place of theirs.
    ///
    /// # Fails
    /// As [`settings`](Method::settings).
    pub fn revised<'a>(
        &self,
        recorded: &Settings,
        given: impl IntoIterator<Item = (&'a str, &'a str)>,
    ) -> Result<Settings, Error> {
        let mut settings = recorded.clone();
        for (name, text) in given {
            let parameter = self.parameter(name, text)?;
            let value = parameter.kind.typed(text).unwrap_or_else(|| text.into());
            settings.set(name, parameter.checked(&value).ok_or_else(|| parameter.refusal(text))?);
        }
        self.complete(&settings)
    }

    /// Checks settings against the table, fills in the defaults, and leaves out what has no meaning for the method they make.
    ///
    /// # Fails
    /// As [`settings`](Method::settings).
    pub fn complete(&self, settings: &Settings) -> Result<Settings, Error> {
        (self.again)(&self.completed(settings)?)
    }

    fn completed(&self, settings: &Settings) -> Result<Settings, Error> {
        let mut all = Settings::default();
        self.parameters.iter().for_each(|p| all.set(p.name, p.default.clone()));
        for (name, value) in settings.iter() {
            let parameter = self.parameter(name, value)?;
            all.set(name, parameter.checked(value).ok_or_else(|| parameter.refusal(value))?);
        }
        Ok(all)
    }

    /// What a fit of evidence of this size needs, with these settings.
    #[must_use]
    pub fn needs(&self, size: impl Into<Size>, settings: &Settings) -> Needs {
        let size = size.into();
        let mut needs = (self.needs)(&size, settings);
        // Read, sorted by pair and kept beside the distances that are made of them.
        needs.bytes += 75 * size.measurements as u64;
        needs
    }

    /// Refuses a fit that does not fit in the memory of the run.
    pub(crate) fn afford(
        &self,
        size: impl Into<Size>,
        method: &impl Configured,
        run: &Run<'_>,
        remedy: impl Into<Remedy>,
    ) -> Result<(), Error> {
        run.afford(self.name, self.needs(size, &method.settings()).bytes, remedy)
    }

    /// The parameter of that name.
    fn parameter(&self, name: &str, value: impl ToString) -> Result<&'static Parameter, Error> {
        self.parameters.iter().find(|p| p.name == name).ok_or_else(|| Error::Parameter {
            name: name.into(),
            value: value.to_string(),
            expected: format!(
                "one of the parameters of {}: {}",
                self.name,
                self.parameters.iter().map(|p| p.name).collect::<Vec<_>>().join(", ")
            ),
        })
    }

    /// The parts of its ways.
    #[must_use]
    pub fn takes(&self) -> Vec<&'static [Part]> {
        self.ways.iter().map(|way| way.parts).collect()
    }

    /// The parts of the ways that there are with these settings.
    #[must_use]
    pub fn takes_with(&self, settings: &Settings) -> Vec<&'static [Part]> {
        self.ways.iter().filter(|way| way.is_for(settings)).map(|way| way.parts).collect()
    }

    /// Whether it has a way that takes this part and nothing else.
    #[must_use]
    pub fn takes_alone(&self, part: Part) -> bool {
        self.ways.iter().any(|way| way.parts == [part])
    }

    /// Fits a study that has the parts of one of its ways: the first of them, those of several parts before others.
    /// [`Study::suited`] makes such a study.
    pub fn fit(&self, settings: &Settings, study: &Study, run: &Run<'_>) -> Result<Fit<Model>, Error> {
        let settings = self.completed(settings)?;
        let mut ways: Vec<&Way> = self.ways.iter().filter(|way| way.is_for(&settings)).collect();
        order::by_key(&mut ways, &|way| std::cmp::Reverse(way.parts.len()));
        let fit = ways.iter().find_map(|way| (way.fit)(&settings, study, run));
        let mut fit = fit.unwrap_or_else(|| Err(self.refuses(study)))?;
        fit.report.warnings.extend(crowding(&fit.embedding));
        Ok(fit)
    }

    /// The refusal of a study that none of its ways can take.
    fn refuses(&self, study: &Study) -> Error {
        let has = study.parts().iter().map(ToString::to_string).collect::<Vec<_>>().join(" and ");
        let ways: Vec<String> = self.ways.iter().map(|way| Part::together(way.parts)).collect();
        Error::Evidence {
            what: format!("{} does not take {has}", self.name),
            remedy: Remedy::from(format!("it takes {}; ", ways.join(" or ")))
                .command("methods")
                .and(format!(" lists what takes {has}")),
        }
    }
}

/// Points nearer to each other than this share of the size of the map are in one place.
const ONE_PLACE: f64 = 1e-6;
/// More objects than this share in the places of others are worth a word.
const CROWD: f64 = 0.1;

/// A warning that counts the places, where many objects share them.
fn crowding(map: &Embedding) -> Option<String> {
    let size = map.points().iter().fold(0.0, |m: f64, v| m.max(v.abs()));
    let cell = 2.0 * size * ONE_PLACE;
    if cell.is_nan() || cell <= 0.0 {
        return None;
    }
    // Two grids, half a cell apart: what a border of one divides, the other has in one place.
    let places = |shift: f64| {
        let place = |p: ndarray::ArrayView1<'_, f64>| p.iter().map(|v| (v / cell + shift).round() as i64).collect();
        map.points().rows().into_iter().map(place).collect::<HashSet<Vec<i64>>>().len()
    };
    let (n, places) = (map.len(), places(0.0).min(places(0.5)));
    ((n - places) as f64 > CROWD * n as f64)
        .then(|| format!("{n} objects lie in {places} places: those in one place are not told apart by this map"))
}

/// The method of that name, or of the name that others have for it ([`Method::aliases`]).
///
/// ```
/// use nearer::method::table::find;
/// assert_eq!(find("pcoa").unwrap().name, "classical-mds");
/// let e = find("nonmetrik").unwrap_err().to_string();
/// assert!(e.contains("nonmetric-mds") && !e.contains("fastmap"), "{e}");
/// ```
pub fn find(name: &str) -> Result<&'static Method, Error> {
    let asked = plain(name);
    let named = |m: &&Method| plain(m.name) == asked || m.aliases.iter().any(|a| plain(a) == asked);
    METHODS.iter().copied().find(named).ok_or_else(|| Error::Parameter {
        name: "method".into(),
        value: name.into(),
        expected: match KIN.iter().find(|(names, _)| names.contains(&asked.as_str())) {
            Some((_, kin)) => format!("{kin}, which this version has for the same"),
            None => format!("perhaps {}", nearest(&asked).join(", ")),
        },
    })
}

/// Well-known methods that are not here, by their plain names, and what takes the same evidence.
const KIN: &[(&[&str], &str)] = &[
    (&["ltsa", "mlle", "hlle", "hessianeigenmaps"], "lle in its form ltsa, modified or hessian"),
    (&["tsne", "umap", "trimap", "pacmap"], "isomap, mvu or metric-mds"),
];

/// A name without what people write differently.
fn plain(name: &str) -> String {
    name.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

/// The names that look most like one, the likeliest first: few, since a list of all helps nobody.
fn nearest(asked: &str) -> Vec<&'static str> {
    const FEW: usize = 3;
    let likeness = |m: &Method| {
        std::iter::once(&m.name).chain(m.aliases).map(|n| strsim::jaro_winkler(&plain(n), asked)).fold(0.0, f64::max)
    };
    let mut all: Vec<(f64, &'static str)> = METHODS.iter().map(|m| (likeness(m), m.name)).collect();
    order::by(&mut all, &|a, b| b.0.total_cmp(&a.0));
    all.into_iter().take(FEW).map(|(_, name)| name).collect()
}

/// Every method, in the order in which they are explained.
pub static METHODS: &[&Method] = &[
    &super::distances::metric_mds::METHOD,
    &super::distances::nonmetric_mds::METHOD,
    &super::distances::classical_mds::METHOD,
    &super::distances::constant_shift::METHOD,
    &super::distances::nearest_edm::METHOD,
    &super::distances::sstress::METHOD,
    &super::distances::robust_mds::METHOD,
    &super::distances::landmark_mds::METHOD,
    &super::distances::metricmap::METHOD,
    &super::distances::fastmap::METHOD,
    &super::distances::indscal::METHOD,
    &super::distances::unfolding::METHOD,
    &super::distances::asymmetric::METHOD,
    &super::features::pca::METHOD,
    &super::features::kernel_pca::METHOD,
    &super::features::lda::METHOD,
    &super::manifold::isomap::METHOD,
    &super::manifold::landmark_isomap::METHOD,
    &super::manifold::lle::METHOD,
    &super::manifold::laplacian_eigenmaps::METHOD,
    &super::manifold::mvu::METHOD,
    &super::comparisons::choice::METHOD,
    &super::comparisons::ste::METHOD,
    &super::comparisons::t_ste::METHOD,
    &super::comparisons::ckl::METHOD,
    &super::comparisons::soe::METHOD,
    &super::comparisons::lore::METHOD,
    &super::comparisons::naive_order::METHOD,
    &super::comparisons::line::METHOD,
    &super::pairs::psde::METHOD,
    &super::pairs::multiple_maps::METHOD,
    &super::comparisons::gnmds::METHOD,
    &super::comparisons::convex_ste::METHOD,
    &super::comparisons::partial_order::METHOD,
    &super::pairs::kpsde::METHOD,
    &super::comparisons::kernel_gnmds::METHOD,
    &super::comparisons::kernel_partial_order::METHOD,
    &super::features::svm_metric::METHOD,
    &super::features::rca::METHOD,
    &super::features::nca::METHOD,
    &super::features::lmnn::METHOD,
    &super::features::mmc::METHOD,
    &super::features::mcml::METHOD,
    &super::features::itml::METHOD,
    &super::features::local_metric::METHOD,
    &super::features::pola::METHOD,
];
