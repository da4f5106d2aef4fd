//! `cargo xtask mutate`: many folders that something was done to, through the command.

use std::path::PathBuf;

use anyhow::Result;

use crate::workspace::{Workspace, run};

#[derive(clap::Args)]
pub(crate) struct Args {
    /// How many folders
    #[arg(long, default_value_t = 20_000)]
    folders: u64,

    /// The seed of the first one
    #[arg(long, default_value_t = 0)]
    first: u64,

    /// Only the folder of this seed
    #[arg(long)]
    seed: Option<u64>,

    /// Leaves each folder here, as it was before and as it was in the end
    #[arg(long, value_name = "DIR")]
    keep: Option<PathBuf>,
}

const TEST: &str = "mutated_folders_are_mended_once_and_come_back";

pub(crate) fn run_chore(workspace: &Workspace, args: &Args) -> Result<()> {
    let mut cargo = workspace.cargo_command();
    cargo.args(["test", "--release", "--package", "lorefork-cli", "--bin", "lorefork", TEST]);
    cargo.env("LOREFORK_FOLDERS", args.folders.to_string());
    cargo.env("LOREFORK_FIRST", args.first.to_string());
    if let Some(seed) = args.seed {
        cargo.env("LOREFORK_SEED", seed.to_string());
    }
    if let Some(keep) = &args.keep {
        cargo.env("LOREFORK_KEEP", std::path::absolute(keep)?);
    }
    run(&mut cargo)
}
