//! The graph against slow second ways, and what may not change it.
