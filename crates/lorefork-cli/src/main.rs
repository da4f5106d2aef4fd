//! The `lorefork` command.

mod args;
mod code;
mod commands;
mod demo;
mod error;
mod help;
mod output;
mod place;
mod usage;

use std::process::ExitCode;

fn main() -> ExitCode {
    match usage::parse(std::env::args_os()) {
        Ok(cli) => commands::run(cli).into(),
        Err(exit) => exit.into(),
    }
}
