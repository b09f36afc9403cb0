//! Whether a report is one of its map: what is listed by object, axis, map, kernel or person has as many entries as there are of these.
//!
//! Pages, figures and tables go through these lists by number. A fit makes them of the right length; a file may hold anything.

use crate::geometry::Embedding;
use crate::report::FitReport;

impl FitReport {
    /// What does not fit together, in words; nothing where all of it does.
    pub(crate) fn misfit(&self, map: &Embedding) -> Option<String> {
        let (n, dim) = (map.len(), map.dim());
        let all = [
            self.maps_misfit(n, dim),
            self.people_misfit(),
            self.drift
                .as_ref()
                .and_then(|drift| (!table(drift, n, dim)).then_some("the drift of each object along each axis")),
            self.kernels.as_ref().and_then(|k| {
                let fits = k.kernels.iter().all(|share| share.weights.len() == k.landmarks.len());
                (!fits).then_some("the weight of each landmark in each kernel")
            }),
            self.tuning
                .as_ref()
                .and_then(|t| (t.taken >= t.tried.len()).then_some("which of the settings tried was taken")),
            self.starts.as_ref().and_then(|s| {
                let listed = s.objectives.is_empty() || s.objectives.len() == s.tried;
                (s.found > s.tried || !listed).then_some("the objective of each start")
            }),
            self.refined.as_ref().and_then(|r| (r.violated > r.rows).then_some("how many hard rows are broken")),
            {
                let input = &self.input;
                let known = input.pairs.checked_sub(input.missing);
                let fits = known.is_some_and(|known| input.censored <= known && input.repeated <= input.pairs);
                (!fits).then_some("how many pairs are missing, bounds or repeated")
            },
        ];
        all.into_iter().flatten().next().map(|what| format!("its report does not fit its map: {what}"))
    }

    fn maps_misfit(&self, n: usize, dim: usize) -> Option<&'static str> {
        let mixture = self.maps.as_ref()?;
        let fits = !mixture.maps.is_empty()
            && mixture.maps.iter().all(|map| table(map, n, dim))
            && table(&mixture.shares, n, mixture.maps.len());
        (!fits).then_some("where each object lies in each of its maps, and its share of it")
    }

    /// A person has a row of weights, or a square of them; all people the same.
    fn people_misfit(&self) -> Option<&'static str> {
        let people = self.people.as_ref()?;
        let first = &people.first()?.weights;
        let axes = first.first().map_or(0, Vec::len);
        let rows = first.len();
        let fits = axes > 0 && (rows == 1 || rows == axes) && people.iter().all(|p| table(&p.weights, rows, axes));
        (!fits).then_some("the weights of each person")
    }
}

/// Whether there are so many rows, of so many numbers each.
fn table(rows: &[Vec<f64>], count: usize, width: usize) -> bool {
    rows.len() == count && rows.iter().all(|row| row.len() == width)
}

#[cfg(test)]
mod tests {
    use ndarray::Array2;
    use serde_json::json;

    use super::*;
    use crate::object::Objects;

    #[test]
    fn every_list_is_held_against_the_map() {
        let map = Embedding::new(Objects::numbered(3), Array2::zeros((3, 2))).unwrap();
        let plain = serde_json::to_value(FitReport::new("metric-mds", 3, 2, 0)).unwrap();
        let misfit = |name: &str, value: serde_json::Value| {
            let mut report = plain.clone();
            report[name] = value;
            serde_json::from_value::<FitReport>(report).unwrap().misfit(&map)
        };
        let person =
            |weights: serde_json::Value| json!({"person": "p", "weights": weights, "stress1": 0.1, "scale": 1.0});
        let kernel = |weights: serde_json::Value| {
            let share = json!({"name": "k", "share": 1.0, "weights": weights, "nonzero": 1});
            json!({"landmarks": ["a", "b"], "kernels": [share], "effective_dimension": 1.0, "norm": 1.0})
        };
        let tried = json!({"settings": {}, "score": 0.5});
        let place = json!([[0.0, 0.0], [0.0, 0.0], [0.0, 0.0]]);
        let input = |m: usize, c: usize| json!({"pairs": 3, "missing": m, "censored": c, "repeated": 0});
        for (name, right, wrong) in [
            (
                "maps",
                json!({"maps": [place], "shares": [[1.0], [1.0], [1.0]]}),
                vec![
                    json!({"maps": [], "shares": [[], [], []]}),
                    json!({"maps": [[[0.0, 0.0]]], "shares": [[1.0], [1.0], [1.0]]}),
                    json!({"maps": [[[0.0], [0.0], [0.0]]], "shares": [[1.0], [1.0], [1.0]]}),
                    json!({"maps": [place], "shares": [[1.0], [], [1.0]]}),
                    json!({"maps": [place], "shares": [[1.0]]}),
                ],
            ),
            (
                "people",
                json!([person(json!([[1.0, 1.0]])), person(json!([[1.0, 2.0]]))]),
                vec![
                    json!([person(json!([]))]),
                    json!([person(json!([[]]))]),
                    json!([person(json!([[1.0, 1.0]])), person(json!([[1.0]]))]),
                    json!([person(json!([[1.0, 0.0], [0.0]]))]),
                    json!([person(json!([[1.0, 0.0], [0.0, 1.0], [0.0, 0.0]]))]),
                ],
            ),
            ("drift", place.clone(), vec![json!([[0.0, 0.0]]), json!([[0.0], [0.0], [0.0]])]),
            ("kernels", kernel(json!([1.0, 2.0])), vec![kernel(json!([1.0])), kernel(json!([1.0, 2.0, 3.0]))]),
            (
                "tuning",
                json!({"score_is": "s", "tried": [tried], "taken": 0}),
                vec![
                    json!({"score_is": "s", "tried": [tried], "taken": 1}),
                    json!({"score_is": "s", "tried": [], "taken": 0}),
                ],
            ),
            (
                "starts",
                json!({"tried": 2, "found": 1, "objectives": [1.0, 2.0]}),
                vec![
                    json!({"tried": 2, "found": 3, "objectives": [1.0, 2.0]}),
                    json!({"tried": 2, "found": 1, "objectives": [1.0]}),
                ],
            ),
            ("input", input(1, 2), vec![input(4, 0), input(2, 2)]),
        ] {
            assert_eq!(misfit(name, right), None, "{name}");
            for value in wrong {
                assert!(misfit(name, value.clone()).is_some(), "{name}: {value}");
            }
        }
    }
}
