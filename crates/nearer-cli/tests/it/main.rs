//! The command, end to end, on files of its own.
#![allow(clippy::unwrap_used)]

mod agreement;
mod bad_input;
mod behaviour;
mod commands;
#[cfg(feature = "faults")]
mod exhausted;
mod files;
mod judgements;
mod kernels;
mod learned;
mod manifolds;
mod order;
mod page;
mod people;
mod remedies;
mod rerun;
mod stories;
mod tables;
mod verify;

use std::fs;
use std::path::{Path, PathBuf};

use assert_cmd::Command;
use assert_cmd::assert::Assert;

/// A folder that goes away with the test, and the command run inside it.
struct Desk(tempfile::TempDir);

impl Desk {
    fn new() -> Self {
        Desk(tempfile::tempdir().unwrap())
    }
    /// A desk with the demo's cities on it.
    fn with_cities() -> Self {
        let desk = Desk::new();
        desk.run(&["demo", "cities", "-o", "demo"]).success();
        fs::copy(desk.path("demo/cities.csv"), desk.path("cities.csv")).unwrap();
        fs::remove_dir_all(desk.path("demo")).unwrap();
        desk
    }
    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }
    fn write(&self, name: &str, text: impl AsRef<[u8]>) -> &Self {
        fs::write(self.path(name), text).unwrap();
        self
    }
    fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap()
    }
    fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_nearer"));
        command.current_dir(self.0.path()).args(args);
        command
    }
    fn run(&self, args: &[&str]) -> Assert {
        self.command(args).assert()
    }
    fn json(&self, args: &[&str]) -> serde_json::Value {
        let out = self.command(args).arg("--json").assert().success();
        serde_json::from_slice(&out.get_output().stdout).unwrap()
    }
    /// Everything on the desk, by name.
    fn names(&self) -> Vec<String> {
        let mut names: Vec<String> =
            fs::read_dir(self.0.path()).unwrap().map(|e| e.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }
}

fn stdout(run: &Assert) -> String {
    String::from_utf8(run.get_output().stdout.clone()).unwrap()
}

fn stderr(run: &Assert) -> String {
    String::from_utf8(run.get_output().stderr.clone()).unwrap()
}

/// Labels and coordinates of a map in csv.
fn points(csv: &str) -> Vec<(String, Vec<f64>)> {
    csv.lines()
        .skip(1)
        .map(|line| {
            let mut cells = line.split(',');
            let label = cells.next().unwrap().to_owned();
            (label, cells.map(|c| c.parse().unwrap()).collect())
        })
        .collect()
}

/// Distances between random points as a square csv with labels.
fn square(n: usize, seed: u64) -> String {
    let mut state = seed;
    let mut uniform = || {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (state >> 33) as f64 / f64::from(1u32 << 31)
    };
    let x: Vec<[f64; 3]> = (0..n).map(|_| [uniform(), uniform(), uniform()]).collect();
    let distance = |a: &[f64; 3], b: &[f64; 3]| a.iter().zip(b).map(|(a, b)| (a - b).powi(2)).sum::<f64>().sqrt();
    let header: String = (0..n).map(|k| format!(",p{k}")).collect();
    let rows: String = (0..n)
        .map(|i| format!("p{i}{}\n", (0..n).map(|j| format!(",{}", distance(&x[i], &x[j]))).collect::<String>()))
        .collect();
    format!("label{header}\n{rows}")
}

fn is_png(path: &Path) -> bool {
    fs::read(path).unwrap().starts_with(b"\x89PNG")
}
