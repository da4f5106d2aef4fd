//! The file system of memory cards and of Android's shared storage, played by FUSE: no hard links, capital
//! letters do not count, times in whole seconds. The tests are those that were built already.

use std::fs::{self, File};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

use super::{need_programs, skip};
use crate::workspace::{Workspace, output, run as run_command};

const MOUNT: &str = "mount.exfat-fuse";
const FORMAT: &str = "mkfs.exfat";
/// It takes no room where nothing is written.
const SIZE: u64 = 256 << 20;
/// With `--workspace`, as all that is built here.
const TESTS: [&str; 6] = ["test", "--workspace", "--test", "it", "--test", "cli"];
/// What such a file system cannot have: links, pipes, names with signs for the terminal, files of
/// which only the size is there, and long chats in a short time.
const NOT: [&str; 10] = [
    "too_large",
    "link",
    "lead_out",
    "leads_out",
    "pipes_and_devices",
    "cannot_act_on_the_terminal",
    "hostile_names",
    "meant_by_a_part_of_its_name",
    "cannot_be_cured",
    "interrupted::",
];

pub(crate) fn build(workspace: &Workspace) -> Result<()> {
    need(workspace)?;
    workspace.cargo(TESTS.into_iter().chain(["--no-run"]))
}

pub(crate) fn need(workspace: &Workspace) -> Result<()> {
    let root = output(workspace.command("id").arg("-u")).is_ok_and(|user| user == "0");
    if !cfg!(target_os = "linux") || !root || !Path::new("/dev/fuse").exists() {
        return Err(skip("only root on Linux can mount a file system, where there is FUSE"));
    }
    need_programs(workspace, &[MOUNT, FORMAT], &["exfat-fuse", "exfatprogs"])
}

pub(crate) fn run(workspace: &Workspace) -> Result<()> {
    let card = Card::insert(workspace)?;
    let mut tests = workspace.cargo_command();
    tests.args(TESTS).arg("--").args(NOT.iter().flat_map(|name| ["--skip", name]));
    run_command(tests.env("TMPDIR", &card.folder).env("INSTA_UPDATE", "no"))
}

/// A file that is used as a memory card. Taken out when it is dropped.
struct Card<'w> {
    workspace: &'w Workspace,
    folder: PathBuf,
    device: String,
}

impl<'w> Card<'w> {
    fn insert(workspace: &'w Workspace) -> Result<Self> {
        let place = workspace.target.join("exfat");
        let (image, folder) = (place.join("image"), place.join("card"));
        fs::create_dir_all(&folder)?;
        let _ = fs::remove_file(&image);
        File::create(&image)?.set_len(SIZE).context("cannot make an image of a file system")?;
        output(workspace.command(FORMAT).arg(&image))
            .map_err(|error| skip(format!("{error:#}")))?;
        let mut attach = workspace.command("losetup");
        let device = output(attach.args(["--find", "--show"]).arg(&image))
            .map_err(|error| skip(format!("{error:#}")))?;
        // From here on it is taken out again, whatever happens.
        let card = Self { workspace, folder, device };
        let mut mount = workspace.command(MOUNT);
        run_command(mount.arg(&card.device).arg(&card.folder))
            .map_err(|error| skip(format!("{error:#}")))?;
        Ok(card)
    }
}

impl Drop for Card<'_> {
    fn drop(&mut self) {
        let _ = run_command(self.workspace.command("umount").arg(&self.folder));
        let _ = run_command(self.workspace.command("losetup").args(["--detach", &self.device]));
    }
}
