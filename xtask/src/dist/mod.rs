//! `cargo xtask dist`: the command for all platforms that this machine can build for, as npm packages
//! that are plain downloads at the same time.
#![expect(clippy::print_stdout, reason = "says what was made")]

mod packages;
mod platforms;
mod test;

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use clap::builder::PossibleValuesParser;

pub(crate) use self::packages::check;
use self::platforms::{PLATFORMS, Platform, RELEASE, TRIAL};
pub(crate) use self::test::{build as build_test, run as test};
use crate::package;
use crate::tools::Tool;
use crate::workspace::{Workspace, works};

#[derive(clap::Args)]
pub(crate) struct Args {
    /// Only for these platforms, such as `linux-x64`
    #[arg(long, value_name = "PLATFORM", num_args = 1.., value_parser = platform_names())]
    only: Vec<String>,
}

fn platform_names() -> PossibleValuesParser {
    PLATFORMS.iter().map(|platform| platform.name).collect::<Vec<_>>().into()
}

/// A program, and what it runs on.
struct Program {
    platform: &'static Platform,
    file: PathBuf,
}

/// Where the packages are, or will be.
pub(crate) fn folder(workspace: &Workspace) -> PathBuf {
    workspace.target.join("dist")
}

pub(crate) fn run(workspace: &Workspace, args: &Args) -> Result<()> {
    Tool::Node.ensure(workspace)?;
    let folder = folder(workspace);
    package::remove(&folder)?;
    fs::create_dir_all(&folder)?;

    let chosen = |platform: &&Platform| {
        args.only.is_empty() || args.only.iter().any(|name| name == platform.name)
    };
    let mut programs = Vec::new();
    let mut skipped = Vec::new();
    for platform in PLATFORMS.iter().filter(chosen) {
        match platforms::cannot_build(workspace, platform) {
            Some(why) => skipped.push(format!("  {:<14} {why}", platform.name)),
            None => {
                let file = platforms::build(workspace, platform, RELEASE)?;
                programs.push(Program { platform, file });
            }
        }
    }
    if programs.is_empty() {
        bail!("nothing can be built here:\n{}", skipped.join("\n"));
    }
    let speaker = speaker(workspace, &programs)?;
    let made = packages::make(workspace, &programs, &speaker, &folder)?;
    packages::write_checksums(workspace, &folder)?;
    packages::write_commit(workspace, &folder)?;

    println!("\nIn {}:", folder.display());
    for file in made {
        let size = fs::metadata(folder.join(&file)).context("a package is gone")?.len();
        println!("  {file:<40} {:>6} KB", size.div_ceil(1000));
    }
    if !skipped.is_empty() {
        println!("\nNot built here:\n{}", skipped.join("\n"));
    }
    Ok(())
}

/// A program that runs on this machine, to ask it for its manual and completions.
fn speaker(workspace: &Workspace, programs: &[Program]) -> Result<PathBuf> {
    if let Some(here) = programs.iter().find(|program| program.platform.is_here()) {
        return Ok(here.file.clone());
    }
    workspace.build_programs()?;
    Ok(workspace.built("debug", "lorefork"))
}

/// The platform that this machine is, if Lorefork can be built for it here.
fn here(workspace: &Workspace) -> Result<&'static Platform, String> {
    let here = PLATFORMS.iter().find(|platform| platform.is_here());
    let platform = here.ok_or("Lorefork is not built for such a machine")?;
    platforms::cannot_build(workspace, platform).map_or(Ok(platform), Err)
}

/// The packages for this machine, of a program that is built as the one that is shipped, but for how much it is optimised.
fn for_test(workspace: &Workspace, platform: &'static Platform, folder: &Path) -> Result<()> {
    package::remove(folder)?;
    fs::create_dir_all(folder)?;
    let file = slim(workspace, &platforms::build(workspace, platform, TRIAL)?, folder);
    let programs = [Program { platform, file: file.clone() }];
    packages::make(workspace, &programs, &file, folder)?;
    packages::write_checksums(workspace, folder)
}

/// The program without what only a debugger reads, where that can be taken off: it is most of it, and npm would compress it
/// for long.
fn slim(workspace: &Workspace, file: &Path, folder: &Path) -> PathBuf {
    let slim = folder.join("program");
    let stripped = works(workspace.command("strip").arg("-o").arg(&slim).arg(file));
    if stripped { slim } else { file.to_owned() }
}
