//! Flags made from the method table: every parameter of every method is a flag, and only its own method takes it.

use clap::{Arg, ArgMatches, Command};
use nearer::method::table::{METHODS, Method, Parameter};

const PREFIX: &str = "parameter:";

/// Adds one flag for each parameter name of the table; a name that the command has already keeps its meaning.
pub(crate) fn add_flags(command: Command) -> Command {
    let taken: Vec<String> = command.get_arguments().filter_map(|a| a.get_long().map(str::to_owned)).collect();
    names().into_iter().filter(|name| !taken.iter().any(|t| t == name)).fold(command, |command, name| {
        command.arg(
            Arg::new(format!("{PREFIX}{name}"))
                .long(name)
                .value_name("VALUE")
                .allow_negative_numbers(true)
                .help_heading("Method parameters")
                .help(help(name)),
        )
    })
}

/// The parameters that were given, as the method table wants them.
pub(crate) fn given(matches: &ArgMatches) -> Vec<(&'static str, String)> {
    names()
        .into_iter()
        .filter_map(|name| {
            let value = matches.try_get_one::<String>(&format!("{PREFIX}{name}")).ok()??;
            Some((name, value.clone()))
        })
        .collect()
}

fn names() -> Vec<&'static str> {
    let mut names: Vec<&'static str> = Vec::new();
    for parameter in METHODS.iter().flat_map(|m| m.parameters) {
        if !names.contains(&parameter.name) {
            names.push(parameter.name);
        }
    }
    names
}

/// What the flag does; where methods differ in range or default, each variant with its methods.
fn help(name: &str) -> String {
    let mut variants: Vec<(Parameter, Vec<&Method>)> = Vec::new();
    for method in METHODS {
        let Some(parameter) = method.parameters.iter().find(|p| p.name == name) else { continue };
        let same = |v: &Parameter| {
            v.doc == parameter.doc && v.default == parameter.default && v.expected() == parameter.expected()
        };
        match variants.iter_mut().find(|(v, _)| same(v)) {
            Some((_, methods)) => methods.push(method),
            None => variants.push((parameter.clone(), vec![method])),
        }
    }
    variants
        .iter()
        .map(|(p, methods)| {
            let who = if methods.len() == METHODS.len() {
                "all methods".to_owned()
            } else {
                methods.iter().map(|m| m.name).collect::<Vec<_>>().join(", ")
            };
            format!("{}; {} [default: {}] ({who})", p.doc, p.expected(), p.default)
        })
        .collect::<Vec<_>>()
        .join("; ")
}
