//! The library that draws on the page: plotly.js, packed, with its licence beside it. `assets/SOURCE.md` says where the
//! file comes from and how it was made.

use std::io::Read as _;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use flate2::read::GzDecoder;
use sha2::{Digest as _, Sha256};

const PACKED: &[u8] = include_bytes!("assets/plotly.min.js.gz");

/// The library as a page carries it.
pub(super) struct Library {
    /// Gzip, in base64.
    pub(super) packed: String,
    /// Of the text it unpacks to, in base64: by it the page's content policy names the script.
    pub(super) sha256: String,
    /// Its name, version, owner and licence, from its first lines.
    pub(super) banner: String,
}

impl Library {
    pub(super) fn new() -> Library {
        let text = text();
        let banner = text.trim_start().trim_start_matches("/**").split("*/").next().unwrap_or_default();
        let lines: Vec<&str> = banner.lines().map(|l| l.trim().trim_start_matches('*').trim()).collect();
        Library {
            packed: STANDARD.encode(PACKED),
            sha256: STANDARD.encode(Sha256::digest(text.as_bytes())),
            banner: lines.join(" ").trim().to_owned(),
        }
    }
}

fn text() -> String {
    let mut text = String::new();
    GzDecoder::new(PACKED).read_to_string(&mut text).expect("the packed library is gzip of a script");
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_library_is_the_one_whose_licence_is_beside_it() {
        let (library, licence) = (Library::new(), include_str!("assets/plotly-LICENSE"));
        assert!(library.banner.contains("plotly.js") && library.banner.contains("MIT"), "{}", library.banner);
        assert!(licence.contains("MIT") && licence.contains("Plotly"));
        // What the page's script asks for: a bundle without one of them would leave a chart empty.
        for trace in ["scatter", "scattergl", "scatter3d", "bar"] {
            assert!(text().contains(&format!("name:\"{trace}\"")), "{trace}");
        }
    }
}
