//! Colours that survive a colour-blind reader and a grey copier.

/// A colour of the screen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Rgb(pub(crate) u8, pub(crate) u8, pub(crate) u8);

/// Where nothing is coloured, and where a value is missing.
pub(crate) const PLAIN: Rgb = PALETTE[0];
pub(crate) const MISSING: Rgb = Rgb(0x8c, 0x8c, 0x8c);

/// Eight colours that stay apart for every common kind of colour vision (Okabe and Ito 2008), the palest last.
pub(crate) const PALETTE: [Rgb; 8] = [
    Rgb(0x00, 0x72, 0xb2),
    Rgb(0xd5, 0x5e, 0x00),
    Rgb(0x00, 0x9e, 0x73),
    Rgb(0xcc, 0x79, 0xa7),
    Rgb(0x56, 0xb4, 0xe9),
    Rgb(0xe6, 0x9f, 0x00),
    Rgb(0x3c, 0x3c, 0x3c),
    Rgb(0xf0, 0xe4, 0x42),
];

/// Dark to light in even steps of perceived lightness: ten colours of viridis, the rest between them.
const RAMP: [Rgb; 10] = [
    Rgb(0x44, 0x01, 0x54),
    Rgb(0x48, 0x28, 0x78),
    Rgb(0x3e, 0x49, 0x89),
    Rgb(0x31, 0x68, 0x8e),
    Rgb(0x26, 0x82, 0x8e),
    Rgb(0x1f, 0x9e, 0x89),
    Rgb(0x35, 0xb7, 0x79),
    Rgb(0x6d, 0xcd, 0x59),
    Rgb(0xb4, 0xde, 0x2c),
    Rgb(0xfd, 0xe7, 0x25),
];

/// The steps a ramp is drawn in: finer ones nobody can tell apart, and every step is an element of the file.
pub(crate) const STEPS: usize = 48;

/// The colour at the share `t` of the ramp, from 0 to 1.
pub(crate) fn ramp(t: f64) -> Rgb {
    let last = RAMP.len() - 1;
    let t = (t.clamp(0.0, 1.0) * (STEPS - 1) as f64).round() / (STEPS - 1) as f64 * last as f64;
    let k = (t.floor() as usize).min(last - 1);
    RAMP[k].mixed(RAMP[k + 1], t - k as f64)
}

impl Rgb {
    pub(crate) const WHITE: Rgb = Rgb(0xff, 0xff, 0xff);

    /// The share `t` of the way to another colour.
    pub(crate) fn mixed(self, other: Rgb, t: f64) -> Rgb {
        let mix = |a: u8, b: u8| (f64::from(a) + t * (f64::from(b) - f64::from(a))).round() as u8;
        Rgb(mix(self.0, other.0), mix(self.1, other.1), mix(self.2, other.2))
    }

    /// The same colour, darker: the outline that keeps neighbours apart and pale fills visible.
    pub(crate) fn outline(self) -> Rgb {
        self.mixed(Rgb(0, 0, 0), 0.35)
    }

    /// A colour written as in css, `#d55e00`.
    pub(crate) fn read(text: &str) -> Option<Rgb> {
        let digits =
            text.trim().strip_prefix('#').filter(|d| d.len() == 6 && d.bytes().all(|b| b.is_ascii_hexdigit()))?;
        let part = |k: usize| u8::from_str_radix(&digits[k..k + 2], 16).ok();
        Some(Rgb(part(0)?, part(2)?, part(4)?))
    }

    pub(crate) fn hex(self) -> String {
        format!("#{:02x}{:02x}{:02x}", self.0, self.1, self.2)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Relative luminance, near enough for an order.
    fn lightness(c: Rgb) -> f64 {
        0.2126 * f64::from(c.0).powf(2.2) + 0.7152 * f64::from(c.1).powf(2.2) + 0.0722 * f64::from(c.2).powf(2.2)
    }

    #[test]
    fn the_ramp_only_gets_lighter() {
        let light: Vec<f64> = (0..STEPS).map(|k| lightness(ramp(k as f64 / (STEPS - 1) as f64))).collect();
        assert!(light.windows(2).all(|w| w[0] < w[1]), "{light:?}");
        assert_eq!((ramp(-1.0), ramp(2.0)), (RAMP[0], RAMP[9]));
    }

    #[test]
    fn colours_are_written_as_in_css() {
        assert_eq!(Rgb(1, 16, 255).hex(), "#0110ff");
    }
}
