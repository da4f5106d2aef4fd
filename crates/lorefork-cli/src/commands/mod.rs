//! The commands. Each looks or acts, and answers for people and for machines; printing is done here.

mod assess;
mod carry;
mod check;
mod decide;
mod demo;
mod diff;
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
pub(crate) mod tree;
mod verify;
mod words;

use lorefork::error::Code;
use lorefork::host::Host as _;
use lorefork::json::Json;
use lorefork::tavern::place::Owner;
use lorefork_disk::DiskHost;

use crate::args::{Cli, Command, Globals};
use crate::error::{Exit, Failure};
use crate::output::{self, Page, Text};

/// Runs a command, prints what it answers, and says what to exit with.
pub(crate) fn run(cli: Cli) -> Exit {
    let globals = cli.globals;
    let answer = match cli.command {
        Command::Assess(args) => assess::run(&globals, &args),
        Command::Checkpoint(args) => fork::checkpoint(&globals, &args),
        Command::Branch(args) => fork::branch(&globals, &args),
        Command::Isolate(args) => isolate::run(&globals, &args),
        Command::Rewind(args) => rewind::run(&globals, &args),
        Command::Decide(args) => decide::run(&globals, &args),
        Command::Delete(args) => remove::delete(&globals, &args),
        Command::Sweep(args) => remove::sweep(&globals, &args),
        Command::Log(args) => log::run(&globals, &args),
        Command::Undo(args) => log::undo(&globals, &args),
        Command::Verify(args) => verify::run(&globals, &args),
        Command::Status(args) => status::run(&globals, &args),
        Command::Tree(args) => tree::run(&globals, &args),
        Command::Diff(args) => diff::run(&globals, &args),
        Command::Carry(args) => carry::run(&globals, &args),
        Command::Label(args) => words::label_it(&globals, &args),
        Command::Rename(args) => words::rename_it(&globals, &args),
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
        Ok(answer) if globals.quiet => {
            output::print_error_page(&output::findings::warnings_in(&answer.json));
            answer.exit
        }
        Ok(answer) => printed(answer.exit, output::print_page(&answer.page)),
        Err(failure) if globals.json => printed(failure.exit, output::print_json(&failure.json())),
        Err(failure) => {
            output::print_error_page(&failure.page());
            failure.exit
        }
    }
}

/// The command that takes a change back, after each. It is not broken into lines, so that it can be
/// copied.
fn take_back(page: &mut Page, globals: &Globals, host: &DiskHost, id: &str) {
    let text = Text::new().quiet("→ ").plain("To take it back: ");
    page.fixed(0, text.code(globals.command(host, &["undo", short(id), "--apply"])));
}

/// What a character or group is called.
async fn owner_name(host: &DiskHost, owner: &Owner) -> String {
    match owner {
        Owner::Character(folder) => folder.clone(),
        Owner::Group(id) if id.is_empty() => "chats that no group lists".to_owned(),
        Owner::Group(id) => {
            let record = host.group(id).await.ok().flatten();
            let name = record.as_ref().and_then(|record| {
                let name = Json::parse(&record.text).ok()?.get("name")?.str()?;
                Some(name.into_owned())
            });
            name.unwrap_or_else(|| id.clone())
        }
    }
}

/// As much of an operation's id as people need.
fn short(id: &str) -> &str {
    id.split('-').next().unwrap_or(id)
}

/// What to exit with, unless the answer could not be given.
fn printed(exit: Exit, written: std::io::Result<()>) -> Exit {
    match written {
        Ok(()) => exit,
        Err(error) => {
            let message = format!("the answer could not be printed: {error}");
            let hint = "“lorefork status” shows what there is now.";
            output::print_error_page(&Failure::new(Code::WriteFailed, message, hint).page());
            Exit::CouldNot
        }
    }
}
