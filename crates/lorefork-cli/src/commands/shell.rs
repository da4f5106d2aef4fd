//! `lorefork completions` and `lorefork man`.

use std::io;

use clap::CommandFactory as _;

use crate::args::Cli;
use crate::code::Own;
use crate::error::Failure;
use crate::output;

pub(super) fn completions(shell: clap_complete::Shell) -> io::Result<()> {
    let mut text = Vec::new();
    clap_complete::generate(shell, &mut Cli::command(), "lorefork", &mut text);
    output::print_raw(&text)
}

pub(super) fn man(of: Option<&str>) -> Result<io::Result<()>, Failure> {
    let mut command = Cli::command();
    command.build();
    let page = match of {
        None => command.clone(),
        Some(name) => command.find_subcommand(name).cloned().ok_or_else(|| {
            let message = format!("there is no command “{name}”");
            Failure::new(Own::Usage, message, "“lorefork --help” lists them.")
        })?,
    };
    let mut text = Vec::new();
    // Writing to memory does not fail.
    let _ = clap_mangen::Man::new(page).render(&mut text);
    Ok(output::print_raw(&text))
}
