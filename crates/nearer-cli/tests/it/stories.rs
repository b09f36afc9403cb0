//! The commands of a story run as they stand, on a small set of the same shape as the one it tells of.

use std::fmt::Write as _;

use nearer::toy;

use super::Desk;

const LEARNED_METRICS: &str = include_str!("../../../../docs/learned-metrics.md");

/// The made set has as many classes, one object of each after the other.
const PEOPLE: usize = 8;

/// The lines of all `sh` blocks of a page.
fn commands(page: &str) -> Vec<&str> {
    let blocks = page.split("```sh\n").skip(1).filter_map(|rest| rest.split("```").next());
    blocks.flat_map(str::lines).filter(|line| !line.is_empty()).collect()
}

/// Rows of a table, one for each object that `keep` lets in.
fn table(columns: usize, classed: bool, keep: impl Fn(usize) -> bool) -> String {
    let (features, _) = toy::classed(160, PEOPLE, columns - 2, 5);
    let mut text = format!("picture,{}", features.columns().join(","));
    text.push_str(if classed { ",person\n" } else { "\n" });
    for (i, row) in features.values().rows().into_iter().enumerate().filter(|(i, _)| keep(*i)) {
        let cells: Vec<String> = row.iter().map(ToString::to_string).collect();
        write!(text, "picture{},{}", i + 1, cells.join(",")).unwrap();
        text.push_str(&if classed { format!(",person{}\n", i % PEOPLE) } else { "\n".into() });
    }
    text
}

#[test]
fn a_metric_from_some_names() {
    let desk = Desk::new();
    let known = |i: usize| (i / PEOPLE).is_multiple_of(2);
    desk.write("known.csv", table(45, true, known)).write("rest.csv", table(45, false, |i| !known(i)));
    // Who the rest are: the first and the last column of their table.
    let people = table(45, true, |i| !known(i));
    let ends = |line: &str| format!("{},{}\n", line.split(',').next().unwrap(), line.rsplit(',').next().unwrap());
    desk.write("rest-people.csv", people.lines().map(ends).collect::<String>());
    let lines = commands(LEARNED_METRICS);
    assert!(lines.len() >= 6 && lines.iter().all(|l| l.starts_with("nearer ")), "{lines:?}");
    let mut said = Vec::new();
    for line in lines {
        let args: Vec<&str> = line.split_whitespace().skip(1).collect();
        let out = desk.run(&args).success();
        said.push(String::from_utf8_lossy(&out.get_output().stdout).into_owned());
    }
    let all = said.join("\n");
    // The two judgements that the story stands on are there, with what they are held against.
    assert!(all.contains("that rca did not see") && all.contains("difference, fold by fold"), "{all}");
    let wrong = |of: &str| all.lines().filter(|l| l.starts_with(of)).count();
    assert!(wrong("map ") == 2 && wrong("features ") == 2, "{all}");
}
