//! The `nearer` command: arguments in, the library at work, files and words out.
//!
//! A library with one function, so that it is compiled while the library below it still is: cargo lets a program wait for all
//! it is linked with. It is no interface; what Rust programs use is the crate `nearer`.

mod args;
mod choose;
mod columns;
mod command;
mod context;
mod exhausted;
mod figures;
mod files;
mod input;
mod interrupt;
mod kernels;
mod output;
mod parameters;
mod pose;
mod progress;
mod record;
mod system;

use std::process::ExitCode;

use context::Outcome;

/// Does what the arguments of this process say, and gives the code it is to end with.
pub fn run() -> ExitCode {
    exhausted::install();
    interrupt::install();
    let (outcome, json) = match args::parse() {
        Ok(invocation) => (command::run(&invocation), invocation.cli.globals.json),
        Err(early) => return early,
    };
    match outcome {
        Ok(_) if interrupt::seen() => ExitCode::from(130),
        Ok(Outcome::Good) => ExitCode::SUCCESS,
        Ok(Outcome::NotConverged | Outcome::Refused) => ExitCode::from(1),
        Err(error) if output::is_broken_pipe(&error) => ExitCode::SUCCESS,
        Err(error) => {
            context::complain(&context::sentence(&error));
            if json {
                output::error_to_stdout(&error);
            }
            ExitCode::from(if interrupt::seen() { 130 } else { 2 })
        }
    }
}
