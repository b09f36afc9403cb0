//! A claim held against a study, and the verdict in words.

use crate::error::Error;
use crate::io::CertificateFile;
use crate::program::{Sense, safe, value};
use crate::study::Study;
use crate::verify::{AGREE, About, Found, HOLDS, Verdict, verify};

/// Checks a certificate against a study as the method of the claim took it: `method::as_claimed` makes it.
///
/// # Fails
/// As [`verify`], and where the study is empty.
pub fn verify_study(file: &CertificateFile, study: &Study) -> Result<Verdict, Error> {
    let about = About::of(study).ok_or_else(|| Error::Evidence {
        what: "no evidence is given".into(),
        remedy: "give what the certificate is about".into(),
    })?;
    verify(file, about)
}

impl Verdict {
    /// By how much what was found and what is claimed differ, as a share of their size: the next power of ten, [`AGREE`] at the least.
    fn apart(&self, found: &Found) -> f64 {
        let off = |a: f64, b: f64| (a - b).abs() / a.abs().max(b.abs()).max(f64::MIN_POSITIVE);
        let bound = self.claimed.bound.map_or(0.0, |bound| off(bound, found.bound));
        let off = off(self.claimed.primal, found.primal).max(bound).max(AGREE);
        10f64.powi((off.log10() - 1e-9).ceil() as i32)
    }
    /// The verdict in sentences, the figures before what they do not say.
    #[must_use]
    pub fn lines(&self) -> Vec<String> {
        if !self.accepted {
            let reasons: Vec<&str> = self.reasons.iter().map(|r| r.what.as_str()).collect();
            return vec![format!("rejected: {}", reasons.join("; "))];
        }
        let Some(found) = &self.found else { return Vec::new() };
        let side = if self.claimed.sense == Sense::Minimise { "below" } else { "above" };
        let settings: String = self.settings.iter().map(|(name, value)| format!(", {name} {value}")).collect();
        let of = if self.covered == self.objects {
            format!("{} objects", self.objects)
        } else {
            format!("{} of {} objects, those that hang together", self.covered, self.objects)
        };
        let mut lines = vec![
            format!(
                "accepted: {} of {of}{settings}; {} has an objective {side} {}, the solution has {}, gap {:.1e}",
                self.method,
                self.about,
                safe(found.bound, self.claimed.sense),
                value(found.primal),
                found.gap
            ),
            format!(
                "both were computed anew and agree with the claim to {:.0e} of their size; how and with which seed the claim was made is not checked",
                self.apart(found)
            ),
        ];
        if !found.feasible {
            lines.push(format!(
                "note: the solution breaks a row that must hold by {:.1e}, less than {HOLDS:.0e} of the widest, and its objective \
                 is that of such a map",
                found.violation
            ));
        }
        lines
    }
}
