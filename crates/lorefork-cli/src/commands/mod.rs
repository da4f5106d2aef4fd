//! The commands. Each looks or acts, and answers for people and for machines; printing is done here.

mod assess;
mod check;
mod demo;
mod explain;
mod fix;
mod fork;
mod isolate;
mod log;
#[cfg(test)]
mod mutated;
mod overview;
mod remove;
mod rewind;
mod shell;
mod status;
mod verify;

use crate::args::{Cli, Command};
use crate::error::{Exit, Failure};
use crate::output;

/// Runs a command, prints what it answers, and says what to exit with.
pub(crate) fn run(cli: Cli) -> Exit {
    let globals = cli.globals;
    let answer = match cli.command {
        Command::Assess(args) => assess::run(&globals, &args),
        Command::Checkpoint(args) => fork::checkpoint(&globals, &args),
        Command::Branch(args) => fork::branch(&globals, &args),
        Command::Isolate(args) => isolate::run(&globals, &args),
        Command::Rewind(args) => rewind::run(&globals, &args),
        Command::Delete(args) => remove::delete(&globals, &args),
        Command::Sweep(args) => remove::sweep(&globals, &args),
        Command::Log(args) => log::run(&globals, &args),
        Command::Undo(args) => log::undo(&globals, &args),
        Command::Verify(args) => verify::run(&globals, &args),
        Command::Status(args) => status::run(&globals, &args),
        Command::Check(args) => check::run(&globals, &args),
        Command::Fix(args) => fix::run(&globals, &args),
        Command::Explain(args) => explain::run(&args),
        Command::Demo(args) => demo::run(&args),
        Command::Completions { shell } => return printed(Exit::Done, shell::completions(shell)),
        Command::Man { command } => match shell::man(command.as_deref()) {
            Ok(written) => return printed(Exit::Done, written),
            Err(failure) => Err(failure),
        },
    };
    match answer {
        Ok(answer) if globals.json => printed(answer.exit, output::print_json(&answer.json)),
        Ok(answer) => printed(answer.exit, output::print_page(&answer.page)),
        Err(failure) if globals.json => printed(failure.exit, output::print_json(&failure.json())),
        Err(failure) => {
            output::print_error_page(&failure.page());
            failure.exit
        }
    }
}

/// What to exit with, unless the answer could not be given.
fn printed(exit: Exit, written: std::io::Result<()>) -> Exit {
    match written {
        Ok(()) => exit,
        Err(error) => {
            let message = format!("the answer could not be printed: {error}");
            let hint = "“lorefork status” shows what there is now.";
            output::print_error_page(&Failure::new("WRITE_FAILED", message, hint).page());
            Exit::CouldNot
        }
    }
}
