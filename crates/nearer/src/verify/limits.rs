//! What a check may use: memory and time, which the numbers of a file must not decide.

use std::fmt;

use crate::error::{Error, Remedy};

/// What a check may use. By default there is no limit.
///
/// ```
/// use nearer::verify::Limits;
/// let begun = std::time::Instant::now();
/// let late = || begun.elapsed().as_secs() >= 5;
/// let limits = Limits::default().memory(1 << 30).until(&late);
/// assert!(!format!("{limits:?}").is_empty());
/// ```
#[derive(Clone, Copy, Default)]
pub struct Limits<'a> {
    memory: Option<u64>,
    late: Option<&'a (dyn Fn() -> bool + Sync)>,
}

impl<'a> Limits<'a> {
    /// The same with so many bytes at the most.
    #[must_use]
    pub fn memory(mut self, bytes: u64) -> Self {
        self.memory = Some(bytes);
        self
    }
    /// The same until this says that it is late; it is asked often.
    #[must_use]
    pub fn until(mut self, late: &'a (dyn Fn() -> bool + Sync)) -> Self {
        self.late = Some(late);
        self
    }
    pub(super) fn late(&self) -> bool {
        self.late.is_some_and(|late| late())
    }
    /// Refuses a check that needs more than it may use.
    pub(super) fn afford(&self, bytes: f64) -> Result<(), Error> {
        match self.memory {
            Some(available) if bytes > available as f64 => Err(Error::Memory {
                what: "checking the certificate".into(),
                needed: bytes as u64,
                available,
                remedy: Remedy::from("allow more memory, or check a certificate of fewer objects"),
            }),
            _ => Ok(()),
        }
    }
    /// Refuses to give a verdict that was cut short.
    pub(super) fn in_time(&self) -> Result<(), Error> {
        if !self.late() {
            return Ok(());
        }
        Err(Error::Evidence {
            what: "the certificate was not checked in the time it was given".into(),
            remedy: "give it more time, or none: the check ends on any file".into(),
        })
    }
}

impl fmt::Debug for Limits<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Limits").field("memory", &self.memory).field("timed", &self.late.is_some()).finish()
    }
}
