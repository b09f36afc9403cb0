//! Classical scaling.
