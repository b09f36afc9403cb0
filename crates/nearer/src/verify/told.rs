//! A claim held against a study, and the verdict in words.

use crate::error::Error;
use crate::io::CertificateFile;
use crate::program::{Certificate, Sense, safe, value};
use crate::study::Study;
use crate::verify::{AGREE, About, Found, HOLDS, Limits, Verdict, verify};

/// Checks a certificate against a study as the method of the claim took it: `method::as_claimed` makes it.
///
/// # Fails
/// As [`verify`], and where the study is empty.
pub fn verify_study(file: &CertificateFile, study: &Study, limits: Limits<'_>) -> Result<Verdict, Error> {
    let about = About::of(study).ok_or_else(|| Error::Evidence {
        what: "no evidence is given".into(),
        remedy: "give what the certificate is about".into(),
    })?;
    verify(file, about.within(limits))
}

impl Verdict {
    /// How the claim stands to what was found.
    fn beside(&self, found: &Found) -> String {
        let Some(claimed) = &self.claimed else { return String::new() };
        let worse = |claimed: &Certificate| {
            let off = |a: f64, b: f64| (a - b).abs() / a.abs().max(b.abs()).max(f64::MIN_POSITIVE);
            off(claimed.primal, found.primal).max(claimed.bound.map_or(0.0, |bound| off(bound, found.bound)))
        };
        match worse(claimed) {
            off if off <= AGREE => format!("the claim agrees with them to {AGREE:.0e} of their size"),
            // A power of ten, not below it.
            off => format!(
                "the claim says less, by up to {:.0e} of their size",
                10f64.powi((off.log10() - 1e-9).ceil() as i32)
            ),
        }
    }
    /// The verdict in sentences, the figures before what they do not say.
    #[must_use]
    pub fn lines(&self) -> Vec<String> {
        if !self.accepted {
            let reasons: Vec<&str> = self.reasons.iter().map(|r| r.what.as_str()).collect();
            return vec![format!("rejected: {}", reasons.join("; "))];
        }
        let Some(found) = &self.found else { return Vec::new() };
        let Some(claimed) = &self.claimed else { return Vec::new() };
        let side = if claimed.sense == Sense::Minimise { "below" } else { "above" };
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
                safe(found.bound, claimed.sense),
                value(found.primal),
                found.gap
            ),
            format!(
                "both figures were computed anew, and {}; how and with which seed the claim was made is not checked",
                self.beside(found)
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
