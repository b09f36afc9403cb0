//! Who is a neighbour of whom, as it is asked for.

use crate::settings::{OrNone, configured, settable, words};

/// How the neighbourhood graph is made: the settings that every method has which begins with neighbours.
#[derive(Debug, Clone, PartialEq)]
pub struct Rule {
    /// How many nearest objects each one chooses.
    pub(crate) neighbours: usize,
    /// Whether one of two is enough.
    pub(crate) join: Join,
    /// All within this distance, in place of a number of nearest.
    pub(crate) radius: OrNone,
    /// What is done with a graph in several parts.
    pub(crate) components: Components,
    /// How neighbours are looked for.
    pub(crate) search: Search,
}

/// When two objects are neighbours that each have their nearest.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Join {
    /// If one of them is among the nearest of the other.
    Union,
    /// If each is among the nearest of the other.
    Mutual,
}

/// What to do with a graph of neighbours in several parts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Components {
    /// Refuse it, naming the parts.
    Refuse,
    /// Map the largest part and leave the other objects out.
    Largest,
    /// Link the parts by the shortest distances between them, as a minimum spanning tree would.
    Joined,
}

/// How the nearest objects are looked for in a table of features.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Search {
    /// Exactly where that takes a minute of one core at most, up to some 70,000 objects of 50 features (any number of up to 12); beyond, nearly.
    Auto,
    /// Exactly, however long it takes.
    Exact,
    /// Nearly: of ten nearest more than 95 % are found where objects vary in up to eight dimensions nearby, always the same ones.
    Approximate,
}

words!(Join { "union" => Join::Union, "mutual" => Join::Mutual });
words!(Components { "refuse" => Components::Refuse, "largest" => Components::Largest, "joined" => Components::Joined });
words!(Search { "auto" => Search::Auto, "exact" => Search::Exact, "approximate" => Search::Approximate });
configured!(Rule {
    neighbours: "neighbours",
    join: "join",
    radius: "radius",
    components: "components",
    search: "search",
});

impl Rule {
    /// So many nearest of each object, one of two being enough; parts are refused.
    #[must_use]
    pub fn nearest(neighbours: usize) -> Self {
        Rule {
            neighbours,
            join: Join::Union,
            radius: OrNone(None),
            components: Components::Refuse,
            search: Search::Auto,
        }
    }
    /// All objects within this distance of each other.
    #[must_use]
    pub fn within(radius: f64) -> Self {
        Rule { radius: OrNone(Some(radius)), ..Rule::nearest(10) }
    }
    settable! {
        /// Joined this way.
        join: Join,
        /// With this done to a graph in several parts.
        components: Components,
        /// Looked for this way.
        search: Search,
    }
}
