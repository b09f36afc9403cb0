//! Memory that ends: an allocation fails, at one place after another, and every command ends with an error, never by an abort.
//!
//! `NEARER_EVERY_ALLOCATION=1 cargo test -p nearer-cli --features faults exhausted` tries each of the first thousand of each command.

use std::time::Duration;

use crate::{Desk, stderr};

/// The commands, each on files that another made.
const COMMANDS: &[&[&str]] = &[
    &["check", "cities.csv"],
    &["check", "answers.csv"],
    &["clean", "answers.csv", "-o", "out.csv"],
    &["distances", "features.csv", "--measure", "euclidean", "-o", "out.csv"],
    &["cluster", "features.csv", "--groups", "2", "-o", "out.csv"],
    &["embed", "cities.csv", "-o", "out.csv", "-o", "out.svg", "-o", "out.html", "-o", "out.nearer"],
    &["embed", "answers.csv", "-m", "gnmds", "-o", "out.cert", "-o", "out.csv"],
    &["embed", "answers.csv", "-m", "choice", "-o", "out.nearer"],
    &["place", "map.nearer", "new.csv", "-o", "out.csv"],
    &["eval", "map.nearer", "cities.csv"],
    &["groups", "map.nearer", "--metadata", "groups.csv", "--by", "side"],
    &["align", "map.nearer", "map.csv", "-o", "out.csv"],
    &["report", "map.nearer", "-o", "out.html"],
    &["plot", "map.nearer", "-o", "out.svg", "-o", "out.png"],
    &["verify", "proof.cert", "answers.csv"],
    &["rerun", "map.nearer", "cities.csv"],
    &["regress", "map.nearer", "sizes.csv", "-o", "out.nearer"],
    &["learn", "features.csv", "alike.csv", "-o", "out.nearer"],
    &["methods"],
    &["demo", "cities", "-o", "out"],
];

fn desk() -> Desk {
    let desk = Desk::with_cities();
    desk.write("answers.csv", crate::verify::ANSWERS).write("features.csv", crate::verify::FEATURES);
    desk.run(&["embed", "cities.csv", "-o", "map.nearer", "-o", "map.csv"]).success();
    desk.run(&["embed", "answers.csv", "-m", "gnmds", "-o", "proof.cert", "-o", "answers.map.csv"]).success();
    let map = desk.read("map.csv");
    let labels: Vec<&str> = map.lines().skip(1).filter_map(|line| line.split(',').next()).collect();
    let side = |k: usize| if k.is_multiple_of(2) { "even" } else { "odd" };
    let groups: String = labels.iter().enumerate().map(|(k, label)| format!("{label},{}\n", side(k))).collect();
    desk.write("groups.csv", format!("label,side\n{groups}"));
    let sizes: String = labels.iter().enumerate().map(|(k, label)| format!("{label},{},{}\n", k * k % 7, k)).collect();
    desk.write("sizes.csv", format!("label,size,age\n{sizes}"));
    desk.write("alike.csv", "from,to,label\na,b,1\nb,c,1\na,f,0\nb,e,0\nc,f,0\n");
    let row: String = labels.iter().map(|_| ",500").collect();
    desk.write("new.csv", format!("label,{}\nnew{row}\n", labels.join(",")));
    desk
}

#[test]
fn an_allocation_that_fails_ends_in_an_error_wherever_it_is() {
    let desk = desk();
    let every = std::env::var_os("NEARER_EVERY_ALLOCATION").is_some();
    let steps: Vec<usize> = if every { (0..1000).collect() } else { vec![0, 3, 17, 60, 211, 640, 2500] };
    for (k, args) in COMMANDS.iter().enumerate() {
        desk.run(args).success();
        let before = desk.names();
        for at in &steps {
            for all_after in ["", "+"] {
                let mut command = desk.command(args);
                command.env("NEARER_FAIL_ALLOCATION", format!("{at}{all_after}")).timeout(Duration::from_secs(60));
                let run = command.assert();
                let code = run.get_output().status.code();
                let said = stderr(&run);
                // One that was not needed, or that something had an answer to, changes nothing.
                let good = code == Some(0) || code == Some(2) && said.contains("nearer: ");
                assert!(good, "{k} {args:?} {at}{all_after}: {code:?} {said}");
            }
        }
        // What was there is whole: the same names, but for what is left beside them for the next run to clear away.
        let after = desk.names();
        let lost: Vec<_> = before.iter().filter(|name| !after.contains(name)).collect();
        assert!(lost.is_empty(), "{args:?}: {lost:?}");
    }
}
