//! The graph against slow second ways, and what may not change it.

mod consistency;
mod implied;
mod invariance;
mod shape;
