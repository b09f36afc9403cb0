//! What the judgements say, as HTML: counts, contradictions, circles, people.

use super::data::Story;
use super::escape::{html, isolated};
use super::sections::chart;
use crate::evidence::Part;
use crate::report::{Lapsed, Panel, Participant, Worth};
use crate::text::{counted, said_of};
use nearer_num::order;

/// The section, or nothing where there is nothing to say.
pub(super) fn write(story: &Story, lapses: Option<&Lapsed>, out: &mut String) {
    out.push_str("<section id=\"evidence\" aria-labelledby=\"evidence-title\">\n");
    let title = if story.kind == Some(Part::Distances) { "What the distances say" } else { "What the judgements say" };
    out.push_str(&format!("<h2 id=\"evidence-title\">{title}</h2>\n"));
    out.push_str("<dl class=\"facts\">\n");
    for (name, what) in &story.facts {
        out.push_str(&format!("<dt>{}</dt><dd>{}</dd>\n", html(name), isolated(what)));
    }
    out.push_str("</dl>\n");
    if !story.contradictions.is_empty() {
        out.push_str("<h3>Questions answered in more than one way</h3>\n<ul id=\"contradictions\">\n");
        story.contradictions.iter().for_each(|c| out.push_str(&format!("<li>{}</li>\n", isolated(c))));
        out.push_str("</ul>\n");
    }
    if !story.circles.is_empty() {
        out.push_str("<h3>Circles: together these cannot hold on any map</h3>\n");
        for circle in &story.circles {
            out.push_str("<ol class=\"circle\">\n");
            circle.iter().for_each(|step| out.push_str(&format!("<li>{}</li>\n", isolated(step))));
            out.push_str("</ol>\n");
        }
    }
    if let Some(panel) = &story.panel {
        let lapses = lapses.filter(|l| !l.participants.is_empty());
        people(panel, lapses, out);
        if lapses.is_some() {
            out.push_str("<div class=\"charts\">\n");
            let says = "The share of each participant's answers that the common map does not explain, with its 95 % interval; beyond the dashes more than half. That alone is nothing against anybody: see what stands out in the table.";
            chart("people-lapses", "Lapses", says, out);
            out.push_str("</div>\n");
        }
    }
    for warning in &story.warnings {
        out.push_str(&format!("<p class=\"warning\">{}</p>\n", isolated(warning)));
    }
    out.push_str("</section>\n");
}

fn people(panel: &Panel, lapses: Option<&Lapsed>, out: &mut String) {
    out.push_str("<h3>Who disagrees</h3>\n");
    let share = |what: &str, s: Option<f64>| s.map_or(String::new(), |s| format!(" {what} {:.1} %.", 100.0 * s));
    out.push_str(&format!(
        "<p>{} gave {}; {} answered by more than one of them.{}{}{}</p>\n",
        counted(panel.participants.len(), "participant"),
        counted(panel.answers, "answer"),
        said_of(panel.shared_questions, "question was", "questions were"),
        share("Two of them give the same answer to a question in", panel.pairwise_agreement),
        share("One agrees with the majority of the others in", panel.agreement_with_others),
        share("The majorities of two halves of them agree in", panel.split_half),
    ));
    out.push_str("<div class=\"wide\" tabindex=\"0\"><table id=\"people\"><thead><tr><th scope=\"col\">participant</th><th scope=\"col\" class=\"number\">answers</th><th scope=\"col\" class=\"number\">with the others</th><th scope=\"col\" class=\"number\">chance</th><th scope=\"col\" class=\"number\">own contradictions</th><th scope=\"col\" class=\"number\">lapses</th><th scope=\"col\" class=\"number\">on the map</th><th scope=\"col\" class=\"number\">on an own map</th><th scope=\"col\" class=\"number\">checks passed</th><th scope=\"col\">stands out</th></tr></thead><tbody>\n");
    let mut order: Vec<&Participant> = panel.participants.iter().collect();
    let agreeing = |p: &Participant| {
        let own = lapses.and_then(|l| l.participants.iter().find(|o| o.participant == p.name));
        own.map_or(p.others.map_or(2.0, |o| o.share), |o| -o.lapse)
    };
    order::by(&mut order, &|a, b| agreeing(a).total_cmp(&agreeing(b)));
    for p in order.iter().take(MOST_PEOPLE) {
        let (with, chance) = p.others.map_or(("–".to_owned(), "–".to_owned()), |o| {
            (format!("{:.1} % of {}", 100.0 * o.share, o.shared), format!("{:.0} %", 100.0 * o.chance))
        });
        let mut flags: Vec<String> = p.flags.iter().map(ToString::to_string).collect();
        let own = lapses.and_then(|l| l.participants.iter().find(|o| o.participant == p.name));
        let (lapsed, holding) = own.map_or(("–".to_owned(), "–".to_owned()), |o| {
            let percent = |v: f64| format!("{:.1}", 100.0 * v);
            let range = format!("{} % ({} to {})", percent(o.lapse), percent(o.low), percent(o.high));
            (range, format!("{} %", percent(o.agreement)))
        });
        let predicted = own.and_then(|o| o.own).map_or("–".to_owned(), |own| format!("{:.1} %", 100.0 * own.share()));
        let asked = p.passed + p.failed;
        let checks = if asked > 0 { format!("{} of {asked}", p.passed) } else { "–".to_owned() };
        flags.extend(own.and_then(|o| match o.verdict {
            Worth::Usable => None,
            Worth::Careless => Some("careless".to_owned()),
            Worth::AnotherRule => Some("follows another rule".to_owned()),
            Worth::Reversed => Some("key reversed".to_owned()),
            Worth::TooFew => Some("too few answers to say".to_owned()),
        }));
        out.push_str(&format!(
            "<tr><th scope=\"row\">{}</th><td class=\"number\">{}</td><td class=\"number\">{with}</td><td class=\"number\">{chance}</td><td class=\"number\">{} of {}</td><td class=\"number\">{lapsed}</td><td class=\"number\">{holding}</td><td class=\"number\">{predicted}</td><td class=\"number\">{checks}</td><td>{}</td></tr>\n",
            isolated(&p.name),
            p.answers,
            p.contradicted,
            p.repeated,
            html(&flags.join(", "))
        ));
    }
    out.push_str("</tbody></table></div>\n");
    if panel.participants.len() > MOST_PEOPLE {
        out.push_str(&format!(
            "<p class=\"quiet\">The {MOST_PEOPLE} who agree least or lapse most; the data as JSON has all {}.</p>\n",
            panel.participants.len()
        ));
    }
    if panel.flagged().next().is_some() {
        out.push_str(&format!("<p class=\"quiet\">Rules: {}.</p>\n", html(&panel.rules.join("; "))));
    }
}

/// How many participants are listed.
const MOST_PEOPLE: usize = 50;
