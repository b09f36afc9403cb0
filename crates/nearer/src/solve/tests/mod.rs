//! The engines and the programs they solve: goldens by outside solvers, invariances on random instances, and the experiments
//! of the papers.

mod golden;
mod instances;
#[allow(dead_code)] // what reads maps is for the tests from outside
#[path = "../../../tests/it/golden.rs"]
mod json;
mod kernel_programs;
mod property;
mod seed_experiments;
mod weights;
