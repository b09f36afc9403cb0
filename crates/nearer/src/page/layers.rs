//! What a page draws beside the points: which layers it opens with, and the arrows that were fitted to it.

use serde::Serialize;

use super::Page;
use crate::error::Error;
use crate::report::{Arrow, Theme};

/// What is switched on when a page opens. The page has one column of groups at a time: the first that is named here.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Opening {
    /// The column whose groups have hulls.
    pub hulls: Option<String>,
    /// The column whose groups have ellipses.
    pub group_ellipses: Option<String>,
    /// The column whose groups are joined with their means.
    pub spiders: Option<String>,
    /// The columns of numbers that have arrows, of those that were fitted.
    pub arrows: Vec<String>,
    /// Whether lines of equal density are drawn.
    pub contours: bool,
    /// The column that the area of a point grows with.
    pub size_by: Option<String>,
    /// Titles of the axes to the right and upwards.
    pub axis_titles: Option<(String, String)>,
    /// Colours; light is what the reader's system has.
    pub theme: Theme,
}

/// Fitted columns, as the page's script reads them.
#[derive(Debug, Serialize)]
pub(super) struct PageArrows<'a> {
    pub(super) of: &'a [Arrow],
    pub(super) permutations: usize,
}

/// The same as [`Opening`], columns by number.
#[derive(Debug, Serialize)]
pub(super) struct PageOpening<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    groups: Option<usize>,
    hulls: bool,
    ellipses: bool,
    spiders: bool,
    contours: bool,
    arrows: Vec<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    size: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    titles: Option<[&'a str; 2]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    theme: Option<&'static str>,
}

impl Page<'_> {
    pub(super) fn page_opening(&self) -> Result<PageOpening<'_>, Error> {
        let o = &self.opening;
        let of_groups = [&o.hulls, &o.group_ellipses, &o.spiders];
        for name in of_groups {
            self.column(name.as_ref())?;
        }
        let fitted = self.arrows.map_or(&[][..], |(of, _)| of);
        let arrow = |name: &String| {
            self.column(Some(name))?;
            Ok(fitted.iter().position(|a| a.name == *name))
        };
        let arrows = o.arrows.iter().map(arrow).collect::<Result<Vec<_>, Error>>()?;
        Ok(PageOpening {
            groups: self.column(of_groups.into_iter().flatten().next())?,
            hulls: o.hulls.is_some(),
            ellipses: o.group_ellipses.is_some(),
            spiders: o.spiders.is_some(),
            contours: o.contours,
            arrows: arrows.into_iter().flatten().collect(),
            size: self.column(o.size_by.as_ref())?,
            titles: o.axis_titles.as_ref().map(|(x, y)| [x.as_str(), y.as_str()]),
            theme: match o.theme {
                Theme::Light => None,
                Theme::Dark => Some("dark"),
                Theme::Grey => Some("grey"),
            },
        })
    }
}
