//! What the chores need besides Rust: found, installed where we may, or named where we may not.

use std::env;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, anyhow, bail, ensure};

use crate::workspace::{Workspace, output, run, works};

const WASM: &str = "wasm32-unknown-unknown";
/// Pinned: what it accepts as configuration changes with its version.
const CARGO_DENY: &str = "0.20.2";
/// The oldest Node that has the test runner as we use it.
const NODE: u32 = 20;
/// The C compiler that links for Windows.
pub(crate) const MINGW: &str = "x86_64-w64-mingw32-gcc";

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Tool {
    Rustfmt,
    Clippy,
    WasmTarget,
    /// The source of Rust's standard library, to build it for size.
    RustSource,
    Node,
    Chromium,
    /// Chromium for tests: the part of it that shows no window starts sooner and computes less.
    HeadlessChromium,
}

impl Tool {
    /// Makes sure that the tool is there, or says what to do.
    pub(crate) fn ensure(self, workspace: &Workspace) -> Result<()> {
        match self {
            Self::Rustfmt => component(workspace, "rustfmt", "fmt"),
            Self::Clippy => component(workspace, "clippy", "clippy"),
            Self::WasmTarget => rust_target(workspace, WASM),
            Self::RustSource => rust_source(workspace),
            Self::Node => node(workspace),
            Self::Chromium => ensure_browser(workspace, chromium, &["chromium"]),
            Self::HeadlessChromium => {
                ensure_browser(workspace, headless_chromium, &[HEADLESS, "chromium"])
            }
        }
    }
}

fn component(workspace: &Workspace, name: &str, command: &str) -> Result<()> {
    if works(workspace.cargo_command().args([command, "--version"])) {
        return Ok(());
    }
    rustup(workspace, &["component", "add", name])
        .with_context(|| format!("{name} is missing: install it with the Rust toolchain"))
}

/// Rust's standard library for another platform.
pub(crate) fn rust_target(workspace: &Workspace, target: &str) -> Result<()> {
    // Asked of the compiler, because not everybody's Rust comes from rustup.
    let rustc = env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let mut ask = workspace.command(rustc);
    ask.args(["--print", "target-libdir", "--target", target]);
    if Path::new(&output(&mut ask)?).is_dir() {
        return Ok(());
    }
    rustup(workspace, &["target", "add", target]).with_context(|| {
        format!(
            "Rust's standard library for {target} is missing: install it with the Rust toolchain"
        )
    })
}

/// Links with the linker that comes with Rust: then no C compiler for that platform is needed.
pub(crate) fn link_with_rust(cargo: &mut Command, target: &str) {
    let name = target.to_uppercase().replace('-', "_");
    cargo.env(format!("CARGO_TARGET_{name}_LINKER"), "rust-lld");
}

/// Where the Rust that builds is installed.
pub(crate) fn sysroot(workspace: &Workspace) -> Result<PathBuf> {
    let rustc = env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    Ok(output(workspace.command(rustc).args(["--print", "sysroot"]))?.into())
}

fn rust_source(workspace: &Workspace) -> Result<()> {
    if sysroot(workspace)?.join("lib/rustlib/src/rust/library/Cargo.lock").exists() {
        return Ok(());
    }
    rustup(workspace, &["component", "add", "rust-src"])
        .context("rust-src is missing: install it with the Rust toolchain")
}

fn rustup(workspace: &Workspace, args: &[&str]) -> Result<()> {
    if !works(workspace.command("rustup").arg("--version")) {
        bail!("rustup is not installed, so it could not be added");
    }
    let _turn = turn(workspace, "rustup")?;
    run(workspace.command("rustup").args(args))
}

/// Waits until nobody else installs this, and is free for others when it is dropped: what later steps need is installed
/// while the first are taken. Whoever has waited looks once more whether there is anything to do.
pub(crate) fn turn(workspace: &Workspace, what: &str) -> Result<File> {
    let folder = workspace.target.join("turns");
    fs::create_dir_all(&folder)?;
    let turn = File::create(folder.join(what))?;
    turn.lock().with_context(|| format!("cannot wait until nobody else installs {what}"))?;
    Ok(turn)
}

fn node(workspace: &Workspace) -> Result<()> {
    let missing = || anyhow!("Node.js {NODE} or newer with npm is missing: install it");
    if !works(npm(workspace).arg("--version")) || !works(workspace.command("node").arg("-v")) {
        return Err(missing());
    }
    let version = output(workspace.command("node").arg("--version"))?;
    let major = version.trim_start_matches('v').split('.').next();
    match major.and_then(|major| major.parse::<u32>().ok()) {
        Some(major) if major >= NODE => Ok(()),
        _ => Err(missing().context(format!("found Node.js {version}"))),
    }
}

pub(crate) fn npm(workspace: &Workspace) -> Command {
    workspace.command(if cfg!(windows) { "npm.cmd" } else { "npm" })
}

/// Installs what a folder's `package.json` asks for, unless that was done already.
pub(crate) fn npm_install(workspace: &Workspace, folder: &str) -> Result<()> {
    let name = folder;
    let folder = workspace.root.join(name);
    ensure!(folder.join("package.json").exists(), "{name}/package.json is missing");
    let lock = folder.join("package-lock.json");
    let is_installed = || {
        // npm writes this file last.
        let installed = modified(&folder.join("node_modules/.package-lock.json"));
        let asked = modified(&folder.join("package.json")).max(modified(&lock));
        installed.is_some() && installed >= asked
    };
    if is_installed() {
        return Ok(());
    }
    let _turn = turn(workspace, name)?;
    if is_installed() {
        return Ok(());
    }
    let install = if lock.exists() { "ci" } else { "install" };
    let quiet = ["--ignore-scripts", "--no-audit", "--no-fund"];
    run(npm(workspace).current_dir(&folder).arg(install).args(quiet))
}

fn modified(path: &Path) -> Option<std::time::SystemTime> {
    path.metadata().and_then(|meta| meta.modified()).ok()
}

/// Where cargo-deny is: on the path in our version, or installed beside the build.
pub(crate) fn cargo_deny(workspace: &Workspace) -> Result<PathBuf> {
    let wanted = format!("cargo-deny {CARGO_DENY}");
    let is_ours = |program: &Path| {
        let version = workspace.command(program).arg("--version").output();
        version.is_ok_and(|said| String::from_utf8_lossy(&said.stdout).trim() == wanted)
    };
    let on_path = PathBuf::from("cargo-deny");
    if is_ours(&on_path) {
        return Ok(on_path);
    }
    let home = workspace.target.join("tools");
    let mut own = home.join("bin/cargo-deny");
    own.as_mut_os_string().push(env::consts::EXE_SUFFIX);
    if is_ours(&own) {
        return Ok(own);
    }
    let _turn = turn(workspace, "cargo-deny")?;
    if is_ours(&own) {
        return Ok(own);
    }
    let mut install = workspace.cargo_command();
    install.args(["install", "cargo-deny", "--locked", "--quiet"]);
    // Unoptimised and without debug information it is built in a third of the time, and fast enough.
    install.args(["--profile", "dev", "--version", CARGO_DENY]);
    install.env("CARGO_PROFILE_DEV_DEBUG", "0");
    install.arg("--root").arg(&home);
    install.env("CARGO_TARGET_DIR", home.join("build"));
    run(&mut install).with_context(|| {
        format!("{wanted} could not be installed: `cargo install cargo-deny --version {CARGO_DENY} --locked`")
    })?;
    // Hundreds of megabytes that nobody needs again.
    fs::remove_dir_all(home.join("build")).context("cannot remove cargo-deny's build")?;
    Ok(own)
}

/// A browser of the Chromium kind, with all that it shows to people.
pub(crate) fn chromium() -> Result<PathBuf> {
    browser(
        "CHROMIUM",
        &["chromium", "chromium-browser", "google-chrome-stable", "google-chrome"],
    )
    .context(
        "Chromium is missing: install it (on Debian: `apt-get install chromium`), or say in CHROMIUM where it is",
    )
}

/// The program, and the package of Debian, that is Chromium without windows.
const HEADLESS: &str = "chromium-headless-shell";

/// A browser of the Chromium kind, for tests.
pub(crate) fn headless_chromium() -> Result<PathBuf> {
    browser("CHROMIUM", &[HEADLESS]).map_or_else(chromium, Ok)
}

/// Firefox, if there is one.
pub(crate) fn firefox() -> Option<PathBuf> {
    browser("FIREFOX", &["firefox-esr", "firefox"])
}

/// The browser that a variable names, or the first that is on the path.
fn browser(variable: &str, names: &[&str]) -> Option<PathBuf> {
    if let Some(named) = env::var_os(variable) {
        return Some(named.into());
    }
    let path = env::var_os("PATH").unwrap_or_default();
    let mut places =
        env::split_paths(&path).flat_map(|folder| names.iter().map(move |name| folder.join(name)));
    places.find(|file| file.is_file())
}

/// Whose turn it is to install packages of Debian.
const PACKAGES: &str = "packages";

/// Installs the first of these packages that is to be had, unless there is a browser.
fn ensure_browser(
    workspace: &Workspace,
    find: fn() -> Result<PathBuf>,
    packages: &[&str],
) -> Result<()> {
    let Err(missing) = find() else { return Ok(()) };
    if !may_install(workspace) {
        return Err(missing);
    }
    let _turn = turn(workspace, PACKAGES)?;
    let mut tried = find().map(drop);
    for package in packages {
        if tried.is_ok() {
            break;
        }
        tried = install(workspace, &[package]);
    }
    tried?;
    find().map(drop)
}

/// Makes sure that programs can be started, or says which packages of Debian have them.
pub(crate) fn programs(workspace: &Workspace, names: &[&str], packages: &[&str]) -> Result<()> {
    let missing = || {
        let lacks = |name: &&&str| !works(workspace.command("which").arg(name));
        names.iter().filter(lacks).copied().collect::<Vec<_>>()
    };
    if missing().is_empty() {
        return Ok(());
    }
    let _turn = turn(workspace, PACKAGES)?;
    if missing().is_empty() {
        return Ok(());
    }
    let tried = if may_install(workspace) { install(workspace, packages) } else { Ok(()) };
    let missing = missing();
    if missing.is_empty() {
        return Ok(());
    }
    let (missing, packages) = (missing.join(" and "), packages.join(" "));
    let why = tried.err().map(|error| format!(": {error:#}")).unwrap_or_default();
    bail!("{missing} cannot be had (on Debian: `apt-get install {packages}`){why}")
}

/// Only the administrator may, and only where packages are called so.
fn may_install(workspace: &Workspace) -> bool {
    cfg!(target_os = "linux")
        && output(workspace.command("id").arg("-u")).is_ok_and(|user| user == "0")
        && works(workspace.command("apt-get").arg("--version"))
}

fn install(workspace: &Workspace, packages: &[&str]) -> Result<()> {
    let apt = || {
        let mut apt = workspace.command("apt-get");
        apt.env("DEBIAN_FRONTEND", "noninteractive");
        apt
    };
    run(apt().args(["update", "-qq"]))?;
    run(apt().args(["install", "-y", "-qq", "--no-install-recommends"]).args(packages))
}
