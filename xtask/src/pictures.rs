//! `cargo xtask pictures`: everything the extension shows, as pictures to look at.
#![expect(clippy::print_stdout, reason = "says where the pictures are")]

use std::fs;

use anyhow::Result;

use crate::e2e;
use crate::package;
use crate::tools::{self, Tool};
use crate::workspace::{Workspace, run};

#[derive(clap::Args)]
pub(crate) struct Args {
    /// Also write the few pictures that docs/ shows
    #[arg(long)]
    write: bool,

    /// Use what was packaged last, without building it again
    #[arg(long)]
    no_build: bool,
}

pub(crate) fn run_chore(workspace: &Workspace, args: &Args) -> Result<()> {
    for tool in [Tool::Node, Tool::Chromium] {
        tool.ensure(workspace)?;
    }
    if !args.no_build {
        package::fresh(workspace)?;
    }
    e2e::build(workspace)?;
    let folder = workspace.target.join("e2e/pictures");
    package::remove(&folder)?;
    fs::create_dir_all(&folder)?;
    let mut node = e2e::node(workspace)?;
    // As people see it.
    node.env("CHROMIUM", tools::chromium()?);
    node.env("LOREFORK_PICTURES", &folder);
    if args.write {
        node.env("LOREFORK_DOCS_PICTURES", workspace.root.join("docs/pictures"));
    }
    let files = ["looks", "carelooks", "storylooks", "meeting"];
    let files = files.map(|file| format!("e2e/{file}.test.mjs"));
    run(node.args(["--test", "--test-concurrency=1", "--test-reporter=spec"]).args(files))?;
    println!("\nThe pictures are in {}", folder.display());
    Ok(())
}
