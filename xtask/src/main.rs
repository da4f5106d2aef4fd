//! The chores of the project: `cargo xtask test`, `cargo xtask package`, `cargo xtask tavern` and more.
#![expect(
    clippy::print_stdout,
    reason = "a program for developers: what it prints is what it is for"
)]

mod addresses;
mod arrows;
mod aside;
mod bench;
mod dist;
mod docs;
mod e2e;
mod elsewhere;
mod install;
mod mutate;
mod package;
mod pictures;
mod publish;
mod release;
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
    /// Build the extension: the folder that goes into a SillyTavern
    Package(package::Args),
    /// Build the command for all platforms this machine can, as npm packages
    Dist(dist::Args),
    /// Put the built extension into the repository that SillyTavern installs it from
    Publish(publish::Args),
    /// Look whether everything is ready for a release, and make its tag
    Release(release::Args),
    /// Put the extension into a SillyTavern
    Install(install::Args),
    /// Start a real SillyTavern with the extension and the data of the demo, ready to click
    Tavern(e2e::TavernArgs),
    /// Test the extension in a real SillyTavern, in a real browser
    E2e(e2e::Args),
    /// Take pictures of everything the extension shows, in two themes and two sizes
    Pictures(pictures::Args),
    /// Repair many damaged folders, and take the repairs back
    Mutate(mutate::Args),
    /// Write the pages of docs/ that are generated
    Docs(docs::Args),
}

fn main() -> ExitCode {
    let args = Args::parse();
    let done = Workspace::find().and_then(|workspace| match &args.chore {
        Chore::Test(args) => test::run(&workspace, args),
        Chore::Bench(args) => bench::run(&workspace, args),
        Chore::Package(args) => package::run_chore(&workspace, args),
        Chore::Dist(args) => dist::run(&workspace, args),
        Chore::Publish(args) => publish::run(&workspace, args),
        Chore::Release(args) => release::run(&workspace, args),
        Chore::Install(args) => install::run(&workspace, args),
        Chore::Tavern(args) => e2e::tavern(&workspace, args),
        Chore::E2e(args) => e2e::chore(&workspace, args),
        Chore::Pictures(args) => pictures::run_chore(&workspace, args),
        Chore::Mutate(args) => mutate::run_chore(&workspace, args),
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
