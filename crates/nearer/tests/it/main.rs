//! The one integration binary: the library against outside programs, and against itself where nothing may change.

#![allow(clippy::unwrap_used)] // a test that cannot unwrap has failed

mod certified_metrics;
mod choice;
mod clusters;
mod convex_methods;
mod convex_ste;
mod evaluate_golden;
mod evaluate_invariance;
mod evaluate_judgements;
mod evaluate_stability;
mod golden;
mod groups;
mod kernel_methods;
mod measures;
mod manifolds;
mod learned_metrics;
mod methods_golden;
mod methods_table;
mod multiple_maps;
mod mvu;
mod order_of_objects;
mod ordinal_methods;
mod partial_orders;
mod placing_judgements;
mod preferences;
mod settings;
mod sureness;
mod three_way;
mod weighted_methods;
