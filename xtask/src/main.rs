//! The chores of the project: `cargo xtask test`, `cargo xtask bench`, `cargo xtask docs`.
#![expect(
    clippy::print_stdout,
    reason = "a program for developers: what it prints is what it is for"
)]

mod bench;
mod docs;
mod requirements;
mod steps;
mod test;
mod tools;
mod workspace;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

use crate::workspace::Workspace;

/// The chores of the project.
#[derive(Parser)]
#[command(name = "cargo xtask", bin_name = "cargo xtask")]
struct Args {
    #[command(subcommand)]
    chore: Chore,
}

#[derive(Subcommand)]
enum Chore {
    /// Check everything that must hold before a change may land
    Test(test::Args),
    /// Measure the command against head and Node, on data made for it
    Bench(bench::Args),
    /// Write the pages of docs/ that are generated
    Docs(docs::Args),
}

fn main() -> ExitCode {
    let args = Args::parse();
    let done = Workspace::find().and_then(|workspace| match &args.chore {
        Chore::Test(args) => test::run(&workspace, args),
        Chore::Bench(args) => bench::run(&workspace, args),
        Chore::Docs(args) => docs::run(&workspace, args),
    });
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            // On stdout, so that in a CI log it stands after what led to it.
            println!("\nerror: {error:#}");
            ExitCode::FAILURE
        }
    }
}
