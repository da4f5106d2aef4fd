//! Reading the command line.

use std::ffi::OsString;

use clap::Parser as _;

use crate::args::Cli;
use crate::error::{Exit, Failure};
use crate::output;

/// What was typed; if there is nothing to do, what to exit with. Help and errors are printed here.
pub(crate) fn parse(arguments: impl Iterator<Item = OsString>) -> Result<Cli, Exit> {
    let arguments: Vec<OsString> = arguments.collect();
    Cli::try_parse_from(&arguments).map_err(|error| {
        if !error.use_stderr() {
            // If help cannot be printed, nobody reads it.
            let _ = error.print();
            return Exit::Done;
        }
        if arguments.iter().any(|argument| argument == "--json") {
            // The exit code says the same.
            let _ = output::print_json(&failure(&error).json());
        } else {
            let _ = error.print();
        }
        Exit::CouldNot
    })
}

/// A usage error in the shape of all others: its first paragraph, and what can be done.
fn failure(error: &clap::Error) -> Failure {
    let text = error.render().to_string();
    let mut lines = text.lines();
    let message: Vec<&str> =
        lines.by_ref().map(str::trim).take_while(|line| !line.is_empty()).collect();
    let message = message.join(" ");
    let message = message.strip_prefix("error: ").unwrap_or(&message);
    let tip = lines.find_map(|line| line.trim().strip_prefix("tip: "));
    Failure::new("USAGE", message, tip.unwrap_or("See “lorefork --help”."))
}
