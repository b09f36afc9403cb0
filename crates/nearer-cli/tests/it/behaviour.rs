//! What holds for every run: threads, limits, Ctrl-C, pipes.

use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use crate::{Desk, points, square, stderr, stdout};

#[test]
fn one_thread_or_two_the_same_bits() {
    let desk = Desk::new();
    desk.write("d.csv", square(120, 5));
    for method in ["metric-mds", "nonmetric-mds", "classical-mds", "sstress"] {
        let bits = |threads: &str| {
            let files = ["-o", "map.csv", "-o", "map.nearer"];
            let args: Vec<&str> = ["embed", "d.csv", "-m", method, "--seed", "4", "--threads", threads]
                .into_iter()
                .chain(files)
                .collect();
            desk.run(&args).success();
            (std::fs::read(desk.path("map.csv")).unwrap(), std::fs::read(desk.path("map.nearer")).unwrap())
        };
        assert_eq!(bits("1"), bits("2"), "{method}");
    }
}

#[test]
fn a_formula_is_for_reading_and_a_transform_for_the_method() {
    let desk = Desk::new();
    desk.write("d.csv", square(12, 5));
    let told = desk.json(&["embed", "d.csv", "-m", "metric-mds", "--transform", "interval"]);
    assert_eq!(told["settings"]["transform"], "interval");
    let run = desk.run(&["embed", "d.csv", "-m", "metric-mds", "--formula", "sqrt(d)", "-o", "m.csv"]).success();
    assert!(stderr(&run).contains("each distance d becomes sqrt(d)"), "{}", stderr(&run));
    let run = desk.run(&["embed", "d.csv", "--formula", "log(-d)"]).code(2);
    assert!(stderr(&run).contains("log(-d)"), "{}", stderr(&run));
}

#[test]
fn a_time_limit_of_nothing_still_gives_a_map() {
    let desk = Desk::new();
    desk.write("d.csv", square(60, 5));
    let told = desk.json(&["embed", "d.csv", "--time-limit", "0", "-o", "map.csv"]);
    assert_eq!(told["stop"], "time-limit");
    assert_eq!(points(&desk.read("map.csv")).len(), 60);
    let run = desk.run(&["embed", "d.csv", "--time-limit", "0s", "--converged", "-o", "map2.csv"]).code(1);
    assert!(stderr(&run).contains("--converged"));
    assert_eq!(points(&desk.read("map2.csv")).len(), 60);
}

#[test]
fn too_little_memory_is_refused_with_the_estimate() {
    let desk = Desk::new();
    desk.write("d.csv", square(200, 5));
    let run = desk.run(&["embed", "d.csv", "-m", "metric-mds", "--memory", "20KiB", "-o", "map.csv"]).code(2);
    let said = stderr(&run);
    assert!(said.contains("KiB") && said.contains("landmark"), "{said}");
    assert_eq!(desk.names(), ["d.csv"]);
}

#[cfg(unix)]
#[test]
fn ctrl_c_writes_the_best_so_far() {
    let desk = Desk::new();
    desk.write("d.csv", square(400, 5));
    // Many starts to an impossible tolerance: long enough on any machine.
    let mut child = Command::new(env!("CARGO_BIN_EXE_nearer"))
        .current_dir(desk.0.path())
        .args(["embed", "d.csv", "-m", "metric-mds", "--starts", "1000", "-o", "map.csv", "--json"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    std::thread::sleep(Duration::from_secs(3));
    let started = Instant::now();
    assert!(Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap().success());
    let status = child.wait().unwrap();
    assert!(started.elapsed() < Duration::from_secs(20));
    assert_eq!(status.code(), Some(130));
    assert_eq!(points(&desk.read("map.csv")).len(), 400);
}

#[test]
fn a_reader_that_leaves_early_is_no_failure() {
    let desk = Desk::new();
    desk.write("d.csv", square(300, 5));
    let mut child = Command::new(env!("CARGO_BIN_EXE_nearer"))
        .current_dir(desk.0.path())
        .args(["embed", "d.csv", "-m", "classical-mds", "-q"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let out = child.wait_with_output().unwrap();
    assert_eq!(out.status.code(), Some(0));
    assert!(out.stderr.is_empty(), "{}", String::from_utf8_lossy(&out.stderr));
}

#[test]
fn help_and_version_are_data() {
    let desk = Desk::new();
    assert!(stdout(&desk.run(&["--version"]).success()).starts_with("nearer "));
    let help = stdout(&desk.run(&["embed", "--help"]).success());
    assert!(help.contains("Method parameters") && help.contains("--dim") && help.contains("metric-mds"));
}
