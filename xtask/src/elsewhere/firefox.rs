//! Firefox, as Debian has it: what a player does, briefly. All other browser tests run in Chromium.

use anyhow::Result;

use super::need_programs;
use crate::e2e;
use crate::tools;
use crate::workspace::Workspace;

/// Debian's, which changes once a year.
const PROGRAM: &str = "firefox-esr";

pub(crate) fn need(workspace: &Workspace) -> Result<()> {
    match tools::firefox() {
        Some(_) => Ok(()),
        None => need_programs(workspace, &[PROGRAM], &[PROGRAM]),
    }
}

pub(crate) fn build(workspace: &Workspace) -> Result<()> {
    need(workspace)?;
    e2e::build(workspace)
}

pub(crate) fn run(workspace: &Workspace) -> Result<()> {
    e2e::test(workspace, &[e2e::FIREFOX.to_owned()])
}
