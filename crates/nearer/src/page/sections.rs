//! The parts of the page that are words: readable without a script, in print, and by a screen reader.

use super::escape::{html, isolated};
use super::{Page, judged, weights};
use crate::report::Tuning;
use crate::text::{self, Fact};

/// Everything between the head and the data.
pub(super) fn write(page: &Page<'_>, out: &mut String) {
    out.push_str("<a class=\"skip\" href=\"#map\">To the map</a>\n");
    header(page, out);
    out.push_str("<main>\n<noscript><p class=\"warning\">The words of this page can be read without scripts; the map and the diagrams need them.</p></noscript>\n<p id=\"trouble\" class=\"warning\" role=\"alert\" hidden></p>\n");
    out.push_str(MAP);
    maps(page, out);
    if let Some(people) = page.report.and_then(|r| r.people.as_ref()) {
        weights::write(people, out);
    }
    good(page, out);
    sure(page, out);
    if let Some(story) = page.story {
        judged::write(story, page.report.and_then(|r| r.lapses.as_ref()), out);
    }
    paper(page, out);
    out.push_str(SAVE);
    out.push_str("</main>\n");
    out.push_str(&format!(
        "<footer><p>Made by nearer {}. This file needs no network and sends nothing anywhere.</p></footer>\n<div id=\"card\" role=\"tooltip\" hidden></div>\n<div id=\"say\" class=\"unseen\" role=\"status\" aria-live=\"polite\"></div>\n",
        env!("CARGO_PKG_VERSION")
    ));
}

fn header(page: &Page<'_>, out: &mut String) {
    out.push_str(&format!("<header>\n<div><h1>{}</h1>\n", isolated(page.heading())));
    let dims = text::counted(page.map.dim(), "dimension");
    let by = page.report.map_or(String::new(), |r| format!(" by {}", html(&r.method)));
    out.push_str(&format!("<p class=\"lead\">{} in {dims}{by}</p>\n", text::counted(page.map.len(), "object")));
    out.push_str("<ul class=\"verdict\">\n");
    for sentence in verdicts(page) {
        out.push_str(&format!("<li>{}</li>\n", html(&sentence)));
    }
    out.push_str("</ul></div>\n<button type=\"button\" id=\"scheme\" aria-label=\"Colour scheme: as the system\">Scheme: auto</button>\n</header>\n");
}

/// What a reader should know first.
fn verdicts(page: &Page<'_>) -> Vec<String> {
    let mut said = Vec::new();
    if let Some(stress1) = page.stress1() {
        said.push(format!("Stress-1 {}", text::stress(stress1, page.map.len(), page.map.dim())));
    }
    if let (true, Some(e)) = (page.is_of_neighbours(), page.evaluation) {
        said.extend(text::kept_neighbours(e));
    }
    match (page.judgements, page.report.and_then(|r| r.agreement)) {
        (Some(e), _) => said.push(text::agreement(e)),
        (None, Some(share)) => said.push(format!("{:.1} % of the judgements hold on the map", 100.0 * share)),
        (None, None) => {}
    }
    if let Some(r) = page.report {
        if let Some(c) = &r.certificate {
            said.push(text::certificate(c, r.refined.as_ref(), r.dim).best);
        }
        if let Some(s) = r.starts.as_ref().filter(|s| s.tried > 1) {
            said.push(format!("Found {} out of {} starts", text::times(s.found), s.tried));
        }
    }
    said
}

const MAP: &str = r#"<section id="map-section" aria-labelledby="map-title">
<div class="bar">
<h2 id="map-title">Map</h2>
<div class="tools" role="toolbar" aria-label="Map tools">
<span class="joined" role="group" aria-label="What dragging does">
<button type="button" data-mode="pan" aria-pressed="true">Pan</button>
<button type="button" data-mode="select" aria-pressed="false">Box</button>
<button type="button" data-mode="lasso" aria-pressed="false">Lasso</button>
</span>
<span class="joined" role="group" aria-label="Zoom">
<button type="button" id="zoom-in" aria-label="Zoom in">+</button>
<button type="button" id="zoom-out" aria-label="Zoom out">−</button>
<button type="button" id="whole">Whole map</button>
</span>
<button type="button" id="three" aria-pressed="false" hidden>3-D</button>
<span class="joined" role="group" aria-label="Save the map">
<button type="button" data-save="map" data-format="svg">svg</button>
<button type="button" data-save="map" data-format="png">png</button>
</span>
</div>
</div>
<details id="choices" open><summary>Search, axes, colours, layers</summary>
<div class="controls">
<label class="search">Search <input type="search" id="search" placeholder="label" autocomplete="off" spellcheck="false" aria-controls="found"></label>
<label>Right <select id="axis-x"></select></label>
<label>Up <select id="axis-y"></select></label>
<label id="axis-z-label" hidden>Depth <select id="axis-z"></select></label>
<label class="of-columns">Colour <select id="colour-by"></select></label>
<label class="of-columns">Size <select id="size-by"></select></label>
<label class="of-columns">Shape <select id="shape-by"></select></label>
<label class="tick"><input type="checkbox" id="labels" checked> labels</label>
<label class="tick" id="ellipses-label" hidden><input type="checkbox" id="ellipses" checked> ellipses</label>
<label class="tick" id="links-label" hidden><input type="checkbox" id="links"> links</label>
</div>
<div class="controls" id="layers">
<label>Groups <select id="groups-by"></select></label>
<label class="tick"><input type="checkbox" id="hulls"> hulls</label>
<label class="tick"><input type="checkbox" id="group-ellipses"> group ellipses</label>
<label class="tick"><input type="checkbox" id="spiders"> means and spiders</label>
<label class="tick"><input type="checkbox" id="arrows"> arrows</label>
<label class="tick"><input type="checkbox" id="contours"> contours</label>
<label>Title right <input type="text" id="title-x" maxlength="60" placeholder="none" autocomplete="off"></label>
<label>Title up <input type="text" id="title-y" maxlength="60" placeholder="none" autocomplete="off"></label>
</div>
</details>
<ul id="found" aria-label="Objects found" hidden></ul>
<div class="stage">
<div class="plot"><button type="button" id="back" hidden>Back to the list</button><div id="map" tabindex="0" role="figure" aria-label="Map" aria-describedby="map-help"></div>
<p id="map-help" class="quiet">Arrow keys go from object to object, Enter tells about it, + and − zoom, Escape clears.</p></div>
<aside id="side" aria-label="About the map">
<div id="legend"></div>
<div id="selection" hidden></div>
<div id="detail"><p class="quiet">Click an object to see what holds it there.</p></div>
</aside>
</div>
<details id="table"><summary>Coordinates as a table</summary><div class="wide" tabindex="0"></div></details>
</section>
"#;

/// Several maps side by side, where there are several.
fn maps(page: &Page<'_>, out: &mut String) {
    let Some(all) = page.report.and_then(|r| r.maps.as_ref()).filter(|m| m.maps.len() > 1) else { return };
    out.push_str("<section id=\"maps\" aria-labelledby=\"maps-title\">\n<h2 id=\"maps-title\">All maps</h2>\n<p class=\"quiet\">Every object lies in each map and has a share of each: the fainter it is, the less it belongs there. Two objects are near where a map that both belong to puts them near.</p>\n<div class=\"charts\">\n");
    for m in 0..all.maps.len() {
        let says = format!("{:.1} of {} objects, counted by their shares.", all.held_by(m), all.shares.len());
        chart(&format!("map-{}", m + 1), &format!("Map {}", m + 1), &says, out);
    }
    out.push_str("</div>\n</section>\n");
}

const SAVE: &str = r#"<section id="save" aria-labelledby="save-title">
<h2 id="save-title">Get it out</h2>
<p class="tools">
<button type="button" id="save-csv">Coordinates as csv</button>
<button type="button" id="save-json">Report as JSON</button>
</p>
<p class="quiet">Every picture has svg and png beside it. In csv files a text that a spreadsheet would run as a formula has an apostrophe before it.</p>
</section>
"#;

fn good(page: &Page<'_>, out: &mut String) {
    let mut facts: Vec<(&str, String)> = Vec::new();
    let named = |f: Fact| (f.name, f.words);
    let noted = |warnings: &[String]| -> Vec<(&str, String)> { warnings.iter().map(|w| ("note", w.clone())).collect() };
    if let Some(e) = page.evaluation {
        facts.extend(text::evaluation(e).into_iter().map(named));
        facts.extend(noted(&e.warnings));
    } else if let Some(s) = page.stress1() {
        facts.push(("stress-1", text::stress(s, page.map.len(), page.map.dim())));
    }
    if let Some(e) = page.judgements {
        facts.extend(text::judgements(e).into_iter().map(named));
        facts.extend(noted(&e.warnings));
    } else if let Some(share) = page.report.and_then(|r| r.agreement) {
        facts.push(("agreement", format!("{:.1} % of the judgements hold on the map", 100.0 * share)));
    }
    if let Some(s) = page.report.and_then(|r| r.spectrum.as_ref()) {
        if let Some(dims) = s.dims95.filter(|_| page.evaluation.is_none_or(|e| e.dims95.is_none())) {
            facts.push(("spectrum", text::spectrum(dims)));
        }
        if let Some(negative) = s.negative.filter(|n| *n > 0) {
            facts.push((
                "",
                format!("{} negative: the data are not quite Euclidean", text::counted(negative, "eigenvalue")),
            ));
        }
    }
    let spectrum = page.report.is_some_and(|r| r.spectrum.is_some());
    if facts.is_empty() && !spectrum {
        return;
    }
    out.push_str("<section id=\"good\" aria-labelledby=\"good-title\">\n<h2 id=\"good-title\">How good is it</h2>\n");
    list(&facts, out);
    out.push_str("<div class=\"charts\">\n");
    if page.pairs.is_some() {
        chart(
            "shepard",
            "Shepard diagram",
            "What the data say of each pair against how far apart the map puts them. On the line, a pair is where the data want it.",
            out,
        );
    }
    if page.judged.is_some() {
        chart(
            "verdicts",
            "Judgement by judgement",
            "The distance that should be the larger one against the one that should be the smaller. Above the line a judgement holds.",
            out,
        );
    }
    if page.evaluation.is_some() || page.judgements.is_some() {
        chart("objects", "Object by object", "The objects that fit worst. Click one to see what holds it there.", out);
    }
    if spectrum {
        let rises = page.report.and_then(|r| r.spectrum.as_ref()).is_some_and(crate::geometry::Spectrum::rises);
        let says = match rises {
            true => "The least eigenvalues: what each dimension costs; those of the map are dark.",
            false => "How much each dimension carries; those of the map are dark.",
        };
        chart("spectrum", "Spectrum", says, out);
    }
    if page.evaluation.is_some_and(|e| e.by_dimension.is_some()) {
        chart(
            "dimensions",
            "What the map misses, against dimensions",
            "Where a line bends, further dimensions add little.",
            out,
        );
    }
    if page.judgements.is_some_and(|e| e.held_out.is_some()) {
        let says = "How many judgements hold that a fit had not seen, fold by fold, beside those it was made from.";
        chart("heldout", "Held out", says, out);
    }
    if let Some(points) = page.judgements.and_then(|e| e.by_dimension.as_ref()) {
        let says = "How many judgements hold in each number of dimensions: of those that a fit had not seen, and of those it was made from.";
        chart("agreements", "Agreement against dimensions", says, out);
        if points.iter().any(|p| p.log_likelihood.is_some()) {
            let says =
                "How likely answers are that a fit had not seen: it falls again where dimensions only learn the noise.";
            chart("likelihoods", "Likelihood against dimensions", says, out);
        }
    }
    if page.judgements.is_some_and(|e| e.per_object.iter().any(|o| o.radius.is_some())) {
        let says = "The radius about each object that puts most of what was said of it right: alike inside, not alike outside.";
        chart("radii", "Radii", says, out);
    }
    out.push_str("</div>\n");
    if page.evaluation.is_some_and(|e| !e.worst_pairs.is_empty()) {
        out.push_str("<h3 id=\"worst-title\">Worst pairs</h3>\n<p class=\"quiet\">Click one to see it on the map.</p>\n<ol id=\"worst\" class=\"rows\" aria-labelledby=\"worst-title\"></ol>\n");
    }
    if page.judgements.is_some() {
        out.push_str("<h3 id=\"violated-title\">Most violated judgements</h3>\n<p class=\"quiet\">Click one to see it on the map: the pair that should be nearer is drawn full, the other dashed.</p>\n<ol id=\"violated\" class=\"rows\" aria-labelledby=\"violated-title\"></ol>\n");
    }
    out.push_str("</section>\n");
}

pub(super) fn chart(id: &str, title: &str, says: &str, out: &mut String) {
    out.push_str(&format!(
        "<figure>\n<div class=\"bar\"><h3 id=\"{id}-title\">{title}</h3><span class=\"joined\"><button type=\"button\" data-save=\"{id}\" data-format=\"svg\" aria-label=\"{title} as svg\">svg</button><button type=\"button\" data-save=\"{id}\" data-format=\"png\" aria-label=\"{title} as png\">png</button></span></div>\n<div id=\"{id}\" class=\"chart\" role=\"img\" aria-labelledby=\"{id}-title\" aria-describedby=\"{id}-says\"></div>\n<figcaption id=\"{id}-says\">{says} <span class=\"note\"></span></figcaption>\n</figure>\n"
    ));
}

fn sure(page: &Page<'_>, out: &mut String) {
    if page.report.is_none() && page.inputs.is_empty() && page.ellipses.is_none() {
        return;
    }
    out.push_str("<section id=\"sure\" aria-labelledby=\"sure-title\">\n<h2 id=\"sure-title\">How sure are we</h2>\n");
    if let Some(r) = page.report {
        if let Some(c) = &r.certificate {
            let said = text::certificate(c, r.refined.as_ref(), r.dim);
            out.push_str(&format!("<p id=\"certificate\">{}</p>\n", html(&said.in_full())));
        }
        list(&text::fit_facts(r, page.seconds), out);
        if r.rounds.len() > 1 {
            out.push_str("<div class=\"charts\">\n");
            let says = "Rows are taken into the program as they are found broken; it is solved when none is left.";
            chart("rounds", "Rows broken, round by round", says, out);
            out.push_str("</div>\n");
        }
        if let Some(t) = &r.tuning {
            tuning(t, out);
        }
        for warning in &r.warnings {
            out.push_str(&format!("<p class=\"warning\">{}</p>\n", isolated(warning)));
        }
    }
    if let Some((_, _, meaning)) = &page.ellipses {
        out.push_str(&format!("<p>{}.</p>\n", html(&capital(meaning))));
    }
    if !page.inputs.is_empty() {
        out.push_str("<h3>Files</h3>\n<ul id=\"files\">\n");
        for file in &page.inputs {
            let (name, bytes, hash) = (isolated(file.name()), file.bytes, html(&file.sha256));
            out.push_str(&format!("<li>{name}, {bytes} bytes<br><code>SHA-256 {hash}</code></li>\n"));
        }
        out.push_str("</ul>\n");
    }
    if let Some(report) = page.report.filter(|r| !r.notes.is_empty()) {
        out.push_str("<details id=\"notes\"><summary>How the files were read</summary>\n<ul>\n");
        // Where a file lies on somebody's disk is nobody else's business.
        let named =
            |note: &String| report.inputs.iter().fold(note.clone(), |n, file| n.replace(&file.path, file.name()));
        report.notes.iter().for_each(|note| out.push_str(&format!("<li>{}</li>\n", isolated(&named(note)))));
        out.push_str("</ul></details>\n");
    }
    out.push_str("</section>\n");
}

/// What was tried before settings were chosen.
fn tuning(tuning: &Tuning, out: &mut String) {
    out.push_str(&format!("<details id=\"tuning\"><summary>How the settings were chosen: by the {}</summary>\n<div class=\"wide\" tabindex=\"0\"><table><thead><tr><th scope=\"col\">settings</th><th scope=\"col\" class=\"number\">score</th><th scope=\"col\"></th></tr></thead><tbody>\n", html(&tuning.score_is)));
    for (k, tried) in tuning.tried.iter().enumerate() {
        let settings: Vec<String> = tried.settings.iter().map(|(name, value)| format!("{name} {value}")).collect();
        let taken = if k == tuning.taken { "taken" } else { "" };
        out.push_str(&format!(
            "<tr><th scope=\"row\">{}</th><td class=\"number\">{:.4}</td><td>{taken}</td></tr>\n",
            html(&settings.join(", ")),
            tried.score
        ));
    }
    out.push_str("</tbody></table></div></details>\n");
}

fn paper(page: &Page<'_>, out: &mut String) {
    let steadiness = page.ellipses.as_ref().map(|(_, _, words)| words.as_str());
    let methods = text::methods(page.report, page.method.as_ref(), page.evaluation, page.judgements, steadiness);
    out.push_str("<section id=\"paper\" aria-labelledby=\"paper-title\">\n<h2 id=\"paper-title\">For a paper</h2>\n");
    if let Some(text) = methods {
        out.push_str(&format!("<p id=\"methods\">{}</p>\n<p><button type=\"button\" data-copy=\"methods\">Copy the paragraph</button></p>\n", html(&text)));
    }
    let cite = text::cite(env!("CARGO_PKG_VERSION"), page.method.as_ref());
    let lines: Vec<String> = cite.lines().map(html).collect();
    out.push_str(&format!("<h3>Cite</h3>\n<pre id=\"cite\">{}</pre>\n<p><button type=\"button\" data-copy=\"cite\">Copy the citation</button></p>\n</section>\n", lines.join("\n")));
}

fn list(facts: &[(&str, String)], out: &mut String) {
    out.push_str("<dl class=\"facts\">\n");
    for (name, what) in facts {
        out.push_str(&format!("<dt>{}</dt><dd>{}</dd>\n", html(&capital(name)), isolated(what)));
    }
    out.push_str("</dl>\n");
}

fn capital(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or(String::new(), |first| first.to_uppercase().chain(letters).collect())
}
