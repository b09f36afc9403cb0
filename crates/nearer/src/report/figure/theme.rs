//! A sheet in other colours: what is neutral turns round, what has a colour keeps it as far as it can be seen.

use super::colour::Rgb;
use super::layers::Theme;
use super::sheet::{Mark, Paint, Path, Rect, Sheet};

const NIGHT: Rgb = Rgb(0x16, 0x18, 0x1c);

impl Sheet {
    /// The same sheet in the colours of a theme.
    pub(super) fn themed(mut self, theme: Theme) -> Sheet {
        if theme == Theme::Light {
            return self;
        }
        self.marks.iter_mut().for_each(|m| recolour(m, theme));
        if theme == Theme::Dark {
            let whole = Rect { left: 0.0, top: 0.0, right: self.size[0], bottom: self.size[1] };
            let ground = Mark::Shape { path: Path::rect(whole), paint: Paint::fill(NIGHT, 1.0), name: None };
            self.marks.insert(0, ground);
        }
        self
    }
}

fn recolour(mark: &mut Mark, theme: Theme) {
    match mark {
        Mark::Shape { paint, .. } => {
            paint.fill.iter_mut().for_each(|i| i.colour = seen(i.colour, theme));
            paint.stroke.iter_mut().for_each(|s| s.ink.colour = seen(s.ink.colour, theme));
        }
        Mark::Text { set, .. } => {
            set.colour = seen(set.colour, theme);
            if theme == Theme::Dark {
                set.rim = NIGHT;
                // Letters are thin: they need more light than areas do.
                set.colour = set.colour.mixed(Rgb::WHITE, 0.35);
            }
        }
        Mark::Clipped(_, inside) => inside.iter_mut().for_each(|m| recolour(m, theme)),
    }
}

fn seen(colour: Rgb, theme: Theme) -> Rgb {
    let Rgb(r, g, b) = colour;
    let light = 0.299 * f64::from(r) + 0.587 * f64::from(g) + 0.114 * f64::from(b);
    if theme == Theme::Grey {
        return [light as u8].map(|v| Rgb(v, v, v))[0];
    }
    let neutral = r.abs_diff(g).max(g.abs_diff(b)).max(r.abs_diff(b)) < 12;
    if neutral {
        let turned = (255.0 - light).clamp(22.0, 235.0) as u8;
        return Rgb(turned, turned, turned);
    }
    // Dark colours on a dark ground are lifted until they can be told from it.
    if light < 90.0 { colour.mixed(Rgb::WHITE, (90.0 - light) / 165.0) } else { colour }
}
