//! What the command is built for, and how.

use std::env;
use std::path::PathBuf;

use anyhow::{Result, ensure};

use crate::tools;
use crate::workspace::{Workspace, run, works};

pub(super) struct Platform {
    /// System and processor, as Node names them, so that npm and the launcher know which package is meant.
    pub(super) name: &'static str,
    /// What Rust builds for it.
    target: &'static str,
    /// For people.
    pub(super) words: &'static str,
}

/// Static where that is possible: the same program for every Linux. It runs on Android, too, where
/// Termux has no glibc.
pub(super) const PLATFORMS: [Platform; 6] = [
    platform("linux-x64", "x86_64-unknown-linux-musl", "Linux on x64"),
    platform("linux-arm64", "aarch64-unknown-linux-musl", "Linux on arm64"),
    platform("android-arm64", "aarch64-unknown-linux-musl", "Android on arm64, in Termux"),
    platform("win32-x64", "x86_64-pc-windows-gnu", "Windows on x64"),
    platform("darwin-x64", "x86_64-apple-darwin", "macOS on x64"),
    platform("darwin-arm64", "aarch64-apple-darwin", "macOS on arm64"),
];

const fn platform(name: &'static str, target: &'static str, words: &'static str) -> Platform {
    Platform { name, target, words }
}

impl Platform {
    pub(super) fn os(&self) -> &'static str {
        self.name.split('-').next().unwrap_or_default()
    }

    pub(super) fn cpu(&self) -> &'static str {
        self.name.split('-').nth(1).unwrap_or_default()
    }

    pub(super) fn package(&self) -> String {
        format!("@lorefork/{}", self.name)
    }

    pub(super) fn program(&self) -> &'static str {
        if self.os() == "win32" { "lorefork.exe" } else { "lorefork" }
    }

    /// Whether its program runs on this machine.
    pub(super) fn is_here(&self) -> bool {
        let os = match env::consts::OS {
            "macos" => "darwin",
            "windows" => "win32",
            other => other,
        };
        let cpu = match env::consts::ARCH {
            "x86_64" => "x64",
            "aarch64" => "arm64",
            other => other,
        };
        (self.os(), self.cpu()) == (os, cpu)
    }

    fn is_static(&self) -> bool {
        self.target.ends_with("-musl")
    }
}

/// Why this machine cannot build for a platform, if it cannot.
pub(super) fn cannot_build(workspace: &Workspace, platform: &Platform) -> Option<String> {
    if platform.os() == "darwin" && !cfg!(target_os = "macos") {
        return Some("only a Mac builds this; the workflow has one".to_owned());
    }
    if platform.os() == "win32" && !works(workspace.command(tools::MINGW).arg("--version")) {
        return Some(format!(
            "{} is missing: install mingw (on Debian: `apt-get install gcc-mingw-w64-x86-64`)",
            tools::MINGW
        ));
    }
    tools::rust_target(workspace, platform.target).err().map(|error| format!("{error:#}"))
}

/// What people get is optimised for.
pub(super) const RELEASE: &str = "release";
/// The same otherwise, and built in a moment.
pub(super) const TRIAL: &str = "elsewhere";

/// Builds the command for a platform. What was built for another one of the same kind is used again.
pub(super) fn build(workspace: &Workspace, platform: &Platform, profile: &str) -> Result<PathBuf> {
    let target = platform.target;
    let mut cargo = workspace.cargo_command();
    cargo.args(["build", "--profile", profile, "--locked", "--package", "lorefork-cli"]);
    cargo.args(["--target", target]);
    if platform.is_static() {
        tools::link_with_rust(&mut cargo, target);
    }
    // Words of a panic name source files: not where they were on this machine.
    let mut flags = vec![remap(&workspace.root, "lorefork")];
    let home = env::var_os("CARGO_HOME").map(PathBuf::from);
    let home = home.or_else(|| env::home_dir().map(|home| home.join(".cargo")));
    flags.extend(home.map(|home| remap(&home, "cargo")));
    // Where its source is installed, the standard library names it, too.
    flags.push(remap(&tools::sysroot(workspace)?.join("lib/rustlib/src/rust"), "rust"));
    cargo.env("CARGO_ENCODED_RUSTFLAGS", flags.join("\u{1f}"));
    run(&mut cargo)?;

    let file = workspace.target.join(target).join(profile).join(platform.program());
    ensure!(file.is_file(), "cargo did not build {}", file.display());
    Ok(file)
}

fn remap(folder: &std::path::Path, name: &str) -> String {
    format!("--remap-path-prefix={}={name}", folder.display())
}
