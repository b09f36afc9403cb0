//! The links behind a map, to be drawn on it.

use crate::error::Error;
use crate::graph::neighbours::{Among, Neighbourhood};
use crate::graph::{Components, Rule};
use crate::method::manifold::graph::USUAL;
use crate::object::Objects;
use crate::settings::{OrNone, Settings};
use crate::study::Study;

/// The links of the neighbourhood graph of the features of a study, else of its distances, as rows of a map of its objects: those that
/// a method with these settings begins with, or the ten nearest of each object for a method that begins with none. Of objects
/// that are alike the first is linked, and those that are not on the map have no links. Empty where the study has neither.
///
/// # Fails
/// As the method does, where the graph is in several parts and the settings refuse such.
///
/// ```
/// use nearer::{Settings, Study, method::links, toy};
/// # fn main() -> Result<(), nearer::Error> {
/// let (roll, _) = toy::swiss_roll(200, 1);
/// let links = links(&Study::from(roll.clone()), &Settings::default(), 0, roll.objects())?;
/// assert!(links.len() >= 1000 && links.iter().all(|[a, b]| a < b));
/// # Ok(()) }
/// ```
pub fn links(study: &Study, settings: &Settings, seed: u64, map: &Objects) -> Result<Vec<[u32; 2]>, Error> {
    // In the order of the labels, as methods do it: of two that are as near the same one is taken.
    let (features, distances);
    let seen = match (study.features(), study.distances()) {
        ([(_, f), ..], _) => {
            features = f.objects().label_order().map(|order| f.subset(&order));
            Among::Features(features.as_ref().unwrap_or(f))
        }
        ([], Some(d)) => {
            distances = d.objects().label_order().map(|order| d.subset(&order));
            Among::Distances(distances.as_ref().unwrap_or(d))
        }
        ([], None) => return Ok(Vec::new()),
    };
    let graph = match settings.count("neighbours") {
        Some(k) => Neighbourhood::of(seen, &rule(k, settings), seed, &|_, _| Ok(()))?,
        None => Neighbourhood::as_it_is(seen, &Rule::nearest(USUAL), seed, &|_, _| Ok(()))?,
    };
    let (index, labels, first) = (map.index(), seen.objects().labels(), graph.first());
    let row = |v: u32| index.get(labels[first[v as usize]].as_str()).map(|i| i.0);
    let mut links: Vec<[u32; 2]> =
        graph.pairs.iter().filter_map(|&(a, b)| Some((row(a)?, row(b)?))).map(|(a, b)| [a.min(b), a.max(b)]).collect();
    links.sort_unstable();
    Ok(links)
}

/// The rule of these settings; what they do not say is as in [`Rule::nearest`].
fn rule(neighbours: usize, settings: &Settings) -> Rule {
    let usual = Rule::nearest(neighbours);
    Rule {
        join: settings.read("join").unwrap_or(usual.join),
        radius: settings.read("radius").unwrap_or(OrNone(None)),
        components: settings.read("components").unwrap_or(Components::Refuse),
        search: settings.read("search").unwrap_or(usual.search),
        ..usual
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evidence::Features;
    use ndarray::Array2;

    fn line() -> Features {
        // Out of order, and two alike.
        let labels = ["e", "a", "c", "b", "d", "again"];
        let at = [4.0, 0.0, 2.0, 1.0, 3.5, 0.0];
        Features::new(Objects::new(labels).unwrap(), ["x"], Array2::from_shape_fn((6, 1), |(i, _)| at[i])).unwrap()
    }

    #[test]
    fn the_links_of_a_line_as_rows_of_its_map() {
        let study = Study::from(line());
        let settings = Settings::default().with("neighbours", 1usize);
        // a-b, b-c (c chose b), d-e: two parts, which these settings refuse.
        let refused = links(&study, &settings, 0, line().objects()).unwrap_err().to_string();
        assert!(refused.contains("2 separate parts"), "{refused}");
        let joined = settings.with("components", "joined");
        assert_eq!(links(&study, &joined, 0, line().objects()).unwrap(), [[0, 4], [1, 3], [2, 3], [2, 4]]);
        // A map without b has none of its links.
        let some = Objects::new(["a", "c", "d", "e"]).unwrap();
        assert_eq!(links(&study, &joined, 0, &some).unwrap(), [[1, 2], [2, 3]]);
        // All are among the ten nearest of all, whatever parts there are.
        assert_eq!(links(&study, &Settings::default(), 0, line().objects()).unwrap().len(), 10);
    }
}
