//! What a reader must know about the machine; nothing that tells whose it is.

use std::fs;
use std::path::Path;
use std::process::Command;
use std::thread;

use crate::workspace::{Workspace, output};

pub(crate) fn facts(workspace: &Workspace, data: &Path) -> Vec<String> {
    let (os, arch) = (std::env::consts::OS, std::env::consts::ARCH);
    let cores = thread::available_parallelism().map_or(0, usize::from);
    let mut facts = vec![format!("{os} on {arch}, {cores} cores")];
    let memory = field("/proc/meminfo", "MemTotal:")
        .and_then(|total| total.trim_end_matches(" kB").parse::<u64>().ok());
    if let Some(kilobytes) = memory {
        facts.push(format!("{} GB of memory", kilobytes.div_ceil(1_000_000)));
    }
    // `stat` cannot tell ext4 from ext2.
    let mut df = Command::new("df");
    let system = output(df.arg("--output=fstype").arg(data)).ok();
    if let Some(system) = system.as_deref().and_then(|text| text.lines().last()) {
        facts.push(format!("file system {system}"));
    }
    let versions: [(&str, &[&str]); 3] =
        [("rustc", &["--version"]), ("head", &["--version"]), ("node", &["--version"])];
    for (program, args) in versions {
        let said = first_line(workspace.command(program).args(args));
        facts.extend(said.map(|said| match program {
            "node" => format!("Node.js {said}"),
            _ => said,
        }));
    }
    facts
}

fn first_line(command: &mut Command) -> Option<String> {
    let text = output(command).ok()?;
    text.lines().next().map(str::to_owned)
}

fn field(file: &str, name: &str) -> Option<String> {
    let text = fs::read_to_string(file).ok()?;
    let value = text.lines().find_map(|line| line.strip_prefix(name))?;
    Some(value.trim().to_owned())
}
