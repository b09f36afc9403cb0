//! The arguments: what all sub-commands share, and how a wrong one becomes one sentence.

use std::process::ExitCode;
use std::time::Duration;

use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{ArgMatches, Args, CommandFactory as _, FromArgMatches as _, Parser, Subcommand};

use crate::command::{
    align, check, clean, cluster, demo, distances, embed, eval, groups, learn, methods, place, plot, regress, report,
    rerun, verify,
};
use crate::files::Files;
use crate::{context, output, parameters, record};

/// Maps from distances: with a measure of how good they are, figures, and a way to add new objects.
#[derive(Debug, Parser)]
#[command(
    name = "nearer",
    version,
    max_term_width = 110,
    arg_required_else_help = true,
    after_help = "Start with `nearer demo`, or with `nearer check FILE` on your own distances.\n\
                  Exit codes: 0 good, 1 not converged or certified where asked (--converged, --certified), or a\n\
                  certificate rejected or a rerun that differs, 2 bad input or usage, 130 after Ctrl-C."
)]
pub(crate) struct Cli {
    #[command(flatten)]
    pub(crate) globals: Globals,
    #[command(subcommand)]
    pub(crate) command: Sub,
}

/// What every sub-command takes.
#[derive(Debug, Args)]
#[command(next_help_heading = "Everywhere")]
pub(crate) struct Globals {
    /// Write what a script wants to know as JSON to stdout
    #[arg(long, global = true)]
    pub(crate) json: bool,
    /// Same seed, same bits, on any number of threads
    #[arg(long, global = true, default_value_t = 0, value_name = "N")]
    pub(crate) seed: u64,
    /// Threads to use; 0 is one for each core
    #[arg(long, global = true, default_value_t = 0, value_name = "N")]
    pub(crate) threads: usize,
    /// End after this time with the best map so far: 30s, 5m, 2h, or seconds
    #[arg(long, global = true, value_parser = duration, value_name = "TIME")]
    pub(crate) time_limit: Option<Duration>,
    /// Memory that may be used: 8GiB, 500MB, or bytes (default: what the system says is free)
    #[arg(long, global = true, value_parser = memory, value_name = "SIZE")]
    pub(crate) memory: Option<u64>,
    /// Say nothing on stderr but errors
    #[arg(long, short, global = true)]
    pub(crate) quiet: bool,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Sub {
    Check(check::Check),
    Clean(clean::Clean),
    Distances(distances::Distances),
    Cluster(cluster::Cluster),
    Embed(embed::Embed),
    Learn(learn::Learn),
    Place(place::Place),
    Regress(regress::Regress),
    Eval(eval::Eval),
    Groups(groups::Groups),
    Align(align::Align),
    Report(report::Report),
    Plot(plot::Plot),
    Verify(verify::Verify),
    Rerun(rerun::Rerun),
    Methods(methods::Methods),
    Demo(demo::Demo),
}

/// The parsed arguments, and the values of the method parameters among them.
#[derive(Debug)]
pub(crate) struct Invocation {
    pub(crate) cli: Cli,
    pub(crate) files: Files,
    pub(crate) parameters: Vec<(&'static str, String)>,
    /// How files are to be read, as it is recorded with a fit.
    pub(crate) reading: Vec<String>,
}

/// Parses the command line; help, version and wrong usage end here with their exit code.
pub(crate) fn parse() -> Result<Invocation, ExitCode> {
    let mut command = Cli::command();
    for name in ["embed", "eval", "plot", "report"] {
        command = command.mut_subcommand(name, parameters::add_flags);
    }
    let matches = command.try_get_matches_from_mut(std::env::args_os()).map_err(|e| early(&e))?;
    let reading = matches.subcommand().map(|(name, m)| record::flags(&command, name, m)).unwrap_or_default();
    let parameters = matches.subcommand().map(|(_, m): (_, &ArgMatches)| parameters::given(m)).unwrap_or_default();
    let files = matches.subcommand().map(|(_, m)| Files::of(m)).unwrap_or_default();
    let cli = Cli::from_arg_matches(&matches).map_err(|e| early(&e))?;
    Ok(Invocation { cli, files, parameters, reading })
}

fn early(error: &clap::Error) -> ExitCode {
    match error.kind() {
        ErrorKind::DisplayHelp | ErrorKind::DisplayVersion => {
            match output::to_stdout(|w| Ok(write!(w, "{}", error.render())?)) {
                Err(e) if !output::is_broken_pipe(&e) => {
                    context::complain(&format!("{e}"));
                    ExitCode::from(2)
                }
                _ => ExitCode::SUCCESS,
            }
        }
        ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand => {
            context::say(&error.render().to_string());
            ExitCode::from(2)
        }
        _ => {
            let sentence = one_sentence(error);
            context::complain(&sentence);
            // What could not be parsed cannot say whether JSON is wanted.
            if std::env::args_os().any(|a| a == "--json") {
                output::error_to_stdout(&anyhow::Error::msg(sentence));
            }
            ExitCode::from(2)
        }
    }
}

/// Flags by their old names.
const RENAMED: &[(&str, &str)] = &[("--choice", "--landmarks-by")];

/// clap explains over several lines; the first says what is wrong, a tip what was meant.
fn one_sentence(error: &clap::Error) -> String {
    let text = error.render().to_string();
    let mut lines = text.lines().map(str::trim);
    let mut sentence = lines.next().unwrap_or_default().trim_start_matches("error:").trim().to_owned();
    if sentence.ends_with(':') {
        let names = text.lines().skip(1).map_while(|l| l.strip_prefix("  ")).map(str::trim).collect::<Vec<_>>();
        sentence = format!("{sentence} {}", names.join(", "));
    }
    if let Some(choices) = text.lines().map(str::trim).find_map(|l| l.strip_prefix("[possible values: ")) {
        sentence = format!("{sentence}; choose from {}", choices.trim_end_matches(']'));
    }
    if let Some(tip) = text.lines().find_map(|l| l.trim().strip_prefix("tip:")) {
        sentence = format!("{sentence}; {}", tip.trim());
    }
    if let Some(ContextValue::String(old)) = error.get(ContextKind::InvalidArg)
        && let Some((_, new)) = RENAMED.iter().find(|(name, _)| old.starts_with(name))
    {
        return format!("{old} is now called {new}");
    }
    match error.get(ContextKind::Usage) {
        Some(usage) => {
            let usage = usage.to_string();
            let usage = usage.lines().next().unwrap_or_default().trim_start_matches("Usage:").trim();
            let words: Vec<&str> = usage.split_whitespace().take_while(|w| w.starts_with(char::is_lowercase)).collect();
            format!("{sentence}; see `{} --help`", if words.is_empty() { "nearer".into() } else { words.join(" ") })
        }
        None => format!("{sentence}; see `nearer --help`"),
    }
}

fn duration(text: &str) -> Result<Duration, String> {
    let (number, unit) = split_unit(text);
    let factor = match unit {
        "" | "s" => 1.0,
        "ms" => 1e-3,
        "m" | "min" => 60.0,
        "h" => 3600.0,
        _ => return Err("write a time as 30s, 5m, 2h, or seconds".into()),
    };
    number
        .parse::<f64>()
        .ok()
        .and_then(|n| Duration::try_from_secs_f64(n * factor).ok())
        .ok_or_else(|| "write a time as 30s, 5m, 2h, or seconds".into())
}

fn memory(text: &str) -> Result<u64, String> {
    let (number, unit) = split_unit(text);
    let factor: f64 = match unit.to_ascii_lowercase().as_str() {
        "" | "b" => 1.0,
        "k" | "kib" => 1024.0,
        "m" | "mib" => 1024f64.powi(2),
        "g" | "gib" => 1024f64.powi(3),
        "t" | "tib" => 1024f64.powi(4),
        "kb" => 1e3,
        "mb" => 1e6,
        "gb" => 1e9,
        "tb" => 1e12,
        _ => return Err("write a size as 8GiB, 500MB, or bytes".into()),
    };
    match number.parse::<f64>() {
        Ok(n) if n.is_finite() && n >= 0.0 => Ok((n * factor) as u64),
        _ => Err("write a size as 8GiB, 500MB, or bytes".into()),
    }
}

fn split_unit(text: &str) -> (&str, &str) {
    let text = text.trim();
    let at = text.find(|c: char| c.is_ascii_alphabetic()).unwrap_or(text.len());
    (text[..at].trim(), text[at..].trim())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_arguments_hold_together() {
        let mut command = Cli::command();
        for name in ["embed", "eval", "plot", "report"] {
            command = command.mut_subcommand(name, parameters::add_flags);
        }
        command.debug_assert();
    }

    #[test]
    fn times_and_sizes_are_read() {
        assert_eq!(duration("1.5m").unwrap(), Duration::from_secs(90));
        assert_eq!(duration("0").unwrap(), Duration::ZERO);
        assert!(duration("-1s").is_err() && duration("5 weeks").is_err());
        assert_eq!(memory("8GiB").unwrap(), 8 << 30);
        assert_eq!(memory("500MB").unwrap(), 500_000_000);
        assert!(memory("much").is_err());
    }
}
