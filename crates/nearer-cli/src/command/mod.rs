//! One file a sub-command.

pub(crate) mod align;
pub(crate) mod check;
pub(crate) mod clean;
pub(crate) mod cluster;
pub(crate) mod demo;
pub(crate) mod distances;
pub(crate) mod embed;
pub(crate) mod eval;
pub(crate) mod groups;
pub(crate) mod learn;
pub(crate) mod methods;
pub(crate) mod place;
pub(crate) mod plot;
pub(crate) mod regress;
pub(crate) mod report;
pub(crate) mod rerun;
mod held_out;
mod links;
mod online_rows;
mod page;
pub(crate) mod verify;
mod placing;
mod refused;
mod results;
mod stability;
mod stream;
mod tables;

use anyhow::Result;

use crate::args::{Invocation, Sub};
use crate::context::{Context, Outcome};

/// Runs the sub-command that was asked for.
pub(crate) fn run(invocation: &Invocation) -> Result<Outcome> {
    let mut context = Context::new(&invocation.cli.globals, invocation.files.clone());
    context.reading.clone_from(&invocation.reading);
    context.files.check()?;
    let parameters = invocation.parameters.as_slice();
    match &invocation.cli.command {
        Sub::Check(args) => args.run(&context),
        Sub::Clean(args) => args.run(&context),
        Sub::Distances(args) => args.run(&context),
        Sub::Cluster(args) => args.run(&context),
        Sub::Embed(args) => args.run(&context, parameters),
        Sub::Learn(args) => args.run(&context),
        Sub::Place(args) => args.run(&context),
        Sub::Eval(args) => args.run(&context, parameters),
        Sub::Groups(args) => args.run(&context),
        Sub::Align(args) => args.run(&context),
        Sub::Plot(args) => args.run(&context, parameters),
        Sub::Report(args) => args.run(&context, parameters),
        Sub::Verify(args) => args.run(&context),
        Sub::Regress(args) => args.run(&context),
        Sub::Rerun(args) => args.run(&context),
        Sub::Methods(args) => args.run(&context),
        Sub::Demo(args) => args.run(&context),
    }
}
