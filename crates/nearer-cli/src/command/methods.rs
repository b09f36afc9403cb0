//! `nearer methods`: the table, or one method in full.

use std::fmt::Write as _;

use anyhow::Result;
use clap::Args;
use nearer::method::table::{METHODS, Method, find};

use crate::context::{Context, Outcome};
use crate::output;

/// The methods, and what each takes and costs
#[derive(Debug, Args)]
pub(crate) struct Methods {
    /// One method, in full
    name: Option<String>,
    /// As a markdown table
    #[arg(long)]
    markdown: bool,
}

impl Methods {
    pub(crate) fn run(&self, context: &Context) -> Result<Outcome> {
        let one = self.name.as_deref().map(find).transpose()?;
        let text = match (one, context.json, self.markdown) {
            (Some(m), true, _) => format!("{}\n", serde_json::to_string_pretty(m)?),
            (None, true, _) => format!("{}\n", serde_json::to_string_pretty(METHODS)?),
            (Some(m), _, true) => markdown(&[m]),
            (None, _, true) => markdown(METHODS),
            (Some(m), ..) => in_full(m),
            (None, ..) => table(),
        };
        output::to_stdout(|w| Ok(w.write_all(text.as_bytes())?))?;
        Ok(Outcome::Good)
    }
}

fn takes(method: &Method) -> String {
    method.ways.iter().map(|way| nearer::Part::together(way.parts)).collect::<Vec<_>>().join(", ")
}

fn table() -> String {
    let width = METHODS.iter().map(|m| m.name.len()).max().unwrap_or(0);
    let mut text = String::new();
    for m in METHODS {
        let _ = writeln!(text, "{:width$}  {} (takes {})", m.name, m.summary, takes(m));
    }
    text.push_str("\n`nearer methods NAME` tells what a method solves, its parameters, cost and reference.\n");
    text
}

fn in_full(m: &Method) -> String {
    let aliases = if m.aliases.is_empty() { String::new() } else { format!("also       {}\n", m.aliases.join(", ")) };
    let mut text = format!(
        "{}: {}\n\n{aliases}solves     {}\ntakes      {}\nplaces     {}\ncost       {}\nreference  {}\n\nparameters\n",
        m.name,
        m.summary,
        m.solves,
        takes(m),
        m.places,
        m.cost,
        m.reference
    );
    let width = m.parameters.iter().map(|p| p.name.len()).max().unwrap_or(0);
    for p in m.parameters {
        let _ = writeln!(text, "  --{:width$}  {}; {} [default: {}]", p.name, p.doc, p.expected(), p.default);
    }
    text
}

fn markdown(methods: &[&Method]) -> String {
    let cell = |text: &str| text.replace('|', "\\|");
    let mut text = String::from("| method | what it does | what it solves | takes | cost |\n|---|---|---|---|---|\n");
    for m in methods {
        let cells = [&format!("`{}`", m.name), m.summary, m.solves, &takes(m), m.cost].map(cell);
        let _ = writeln!(text, "| {} |", cells.join(" | "));
    }
    text
}
