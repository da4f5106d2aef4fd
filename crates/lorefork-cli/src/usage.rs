//! Reading the command line.

use std::ffi::OsString;

use clap::{CommandFactory as _, FromArgMatches as _, ValueEnum as _};

use crate::args::{Cli, Color};
use crate::code::Own;
use crate::error::{Exit, Failure};
use crate::output;

/// What was typed; if there is nothing to do, what to exit with. Help and errors are printed here.
pub(crate) fn parse(arguments: impl Iterator<Item = OsString>) -> Result<Cli, Exit> {
    let arguments: Vec<OsString> = arguments.collect();
    // Help and usage errors are printed before anything is parsed.
    color(&arguments).show();
    let matches = Cli::command().color(color(&arguments).into()).try_get_matches_from(&arguments);
    matches.and_then(|matches| Cli::from_arg_matches(&matches)).map_err(|error| {
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

/// Which colours are asked for, as far as that can be seen before the rest is understood.
fn color(arguments: &[OsString]) -> Color {
    let arguments = || arguments.iter().filter_map(|argument| argument.to_str());
    let after = arguments().zip(arguments().skip(1)).find(|(option, _)| *option == "--color");
    let joined = || arguments().find_map(|argument| argument.strip_prefix("--color="));
    let word = after.map(|(_, word)| word).or_else(joined);
    word.and_then(|word| Color::from_str(word, false).ok()).unwrap_or_default()
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
    Failure::new(Own::Usage, message, tip.unwrap_or("See “lorefork --help”."))
}
