//! Packs plotly.js, as the `plotly` crate ships it, for the page of `report::html`: gzipped and in base64, a quarter of
//! its size, which the page unpacks when it opens. Only what is drawn with is taken, without MathJax.

use std::io::Write as _;
use std::path::Path;
use std::{env, fs};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use flate2::{Compression, GzBuilder};
use sha2::{Digest as _, Sha256};

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    let sources = plotly::Plot::offline_js_sources();
    let script = plotly_script(&sources).expect("the first script of the plotly crate's offline sources is plotly.js");
    // No name and no time in the gzip header: the same sources give the same bytes.
    let mut packer = GzBuilder::new().write(Vec::new(), Compression::best());
    packer.write_all(script.as_bytes()).expect("memory can be written to");
    let packed = STANDARD.encode(packer.finish().expect("memory can be written to"));
    let banner = script.trim_start().trim_start_matches("/**").split("*/").next().unwrap_or_default();
    let banner: Vec<&str> = banner.lines().map(|l| l.trim().trim_start_matches('*').trim()).collect();
    let folder = env::var("OUT_DIR").expect("cargo says where to write");
    for (name, text) in [
        ("plotly.b64", packed),
        ("plotly.sha256", STANDARD.encode(Sha256::digest(script.as_bytes()))),
        ("plotly.banner", banner.join(" ").trim().to_owned()),
    ] {
        fs::write(Path::new(&folder).join(name), text).expect("cargo's folder can be written to");
    }
}

/// The text of the script that holds plotly.js.
fn plotly_script(sources: &str) -> Option<&str> {
    let (_, rest) = sources.split_once('>')?;
    rest.split_once("</script>").map(|(text, _)| text).filter(|text| text.contains("plotly.js v"))
}
