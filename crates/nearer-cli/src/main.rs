//! The program; the command is in `lib.rs`.

use std::process::ExitCode;

fn main() -> ExitCode {
    nearer_cli::run()
}
