//! The file as it is written.

use super::*;
use crate::fit::Embed as _;
use crate::metadata::Column;
use crate::{method::ClassicalMds, toy};

fn data_of(html: &str) -> serde_json::Value {
    let (_, rest) = html.split_once("id=\"data\">").unwrap();
    serde_json::from_str(rest.split_once("</script>").unwrap().0).unwrap()
}

#[test]
fn the_page_of_a_small_fit_holds_its_map_to_the_last_bit() {
    let fit = ClassicalMds::new(2).fit(&toy::cities()).unwrap();
    let html = Page::new(&fit.embedding).report(&fit.report).html().unwrap();
    let data = data_of(&html);
    assert_eq!(data["labels"][20], "Vienna");
    for (k, axis) in data["axes"].as_array().unwrap().iter().enumerate() {
        for (i, v) in axis.as_array().unwrap().iter().enumerate() {
            assert_eq!(v.as_f64().unwrap().to_bits(), fit.embedding.points()[[i, k]].to_bits());
        }
    }
    assert_eq!(data["report"]["fit"]["method"], "classical-mds");
    assert_eq!(data["corner"], format!("stress-1 = {:.3}", fit.report.stress1.unwrap()));
}

#[test]
fn a_certificate_is_told_first_and_in_full() {
    let fit = ClassicalMds::new(2).fit(&toy::cities()).unwrap();
    let mut report = fit.report.clone();
    let c = crate::program::Certificate::new(crate::program::Sense::Minimise, 2.0, 1.9996, 1.0);
    report.certificate = Some(c);
    report.rounds = vec![crate::report::Round { rows: 40, violated: 3, worst: 0.5 }];
    let html = Page::new(&fit.embedding).report(&report).html().unwrap();
    let sentence = "No map in any number of dimensions can have an objective below 1.9996;";
    assert_eq!(html.matches(sentence).count(), 3, "in the header, under `How sure are we`, in the paragraph");
    assert!(
        html.contains("within 0.02 % of that bound") && html.contains("40 rows in play, 3 broken, the worst by 0.5")
    );
    assert_eq!(data_of(&html)["report"]["fit"]["certificate"]["bound"], 1.9996);
}

#[test]
fn nothing_in_it_is_fetched_and_only_its_own_scripts_may_run() {
    let fit = ClassicalMds::new(2).fit(&toy::cities()).unwrap();
    let html = Page::new(&fit.embedding).html().unwrap();
    for word in ["src=", "http://", "https://", "@import", "url("] {
        let found = html.lines().find(|l| l.contains(word) && !l.contains("http://www.w3.org/2000/svg"));
        assert!(found.is_none(), "`{word}` is in `{}`", found.unwrap());
    }
    let script = html.rsplit_once("<script>").unwrap().1.split_once("</script>").unwrap().0;
    assert!(html.contains(&format!("'sha256-{}'", STANDARD.encode(Sha256::digest(script.as_bytes())))));
    assert!(html.contains("default-src 'none'") && html.contains("plotly.js (nearer"));
}

#[test]
fn a_hostile_label_opens_no_tag() {
    let nasty = "</script><script>alert(1)</script>";
    let map =
        Embedding::new(Objects::new([nasty, "", "\"><img onerror=x>"]).unwrap(), ndarray::array![[0.0], [1.0], [2.0]]);
    let map = map.unwrap();
    let metadata =
        Metadata { columns: vec![Column { name: nasty.into(), values: vec![Some(nasty.into()), None, None] }] };
    let html = Page::new(&map).title(nasty).metadata(&metadata).colour_by(nasty).html().unwrap();
    assert_eq!(html.matches("<script").count(), 3);
    assert!(!html.contains("<img"));
    assert_eq!(data_of(&html)["labels"][0], nasty);
}

#[test]
fn what_does_not_fit_the_map_is_refused() {
    let fit = ClassicalMds::new(2).fit(&toy::cities()).unwrap();
    let page = Page::new(&fit.embedding);
    let e = page.clone().images(&[None, None]).html().unwrap_err().to_string();
    assert!(e.contains("2 pictures for 21 objects"), "{e}");
    let e = page.colour_by("nothing").html().unwrap_err().to_string();
    assert!(e.contains("nothing"), "{e}");
}
