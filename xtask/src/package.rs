//! `cargo xtask package`: the folder that goes into a SillyTavern.
#![expect(clippy::print_stdout, reason = "says what was made")]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail, ensure};
use serde_json::{Value, json};

use crate::addresses::Addresses;
use crate::tools::{self, Tool};
use crate::workspace::{Workspace, output, run};

#[derive(clap::Args)]
pub(crate) struct Args {}

pub(crate) const NEEDS: &[Tool] = &[Tool::WasmTarget, Tool::RustSource, Tool::Node];

const SOURCE: &str = "extension";
const TARGET: &str = "wasm32-unknown-unknown";
const PROFILE: &str = "release-wasm";
const MODULE: &str = "lorefork_web";
/// A panic stops at once, without place and words: the page does not show them.
/// (`-Zfmt-debug=none` would take a few kilobytes more off, but then `{:?}` says nothing in the
/// page and something in every test.)
const FLAGS: [&str; 3] =
    ["-Zunstable-options", "-Cpanic=immediate-abort", "-Zlocation-detail=none"];
/// What goes along besides the engine. Types, settings of tools and their packages stay behind.
const PARTS: [&str; 5] = ["manifest.json", "index.js", "style.css", "src", "i18n"];

/// Bytes of the module at most, and gzipped: what was reached so far, so that it can only shrink.
/// Lower them with every step.
const MOST: u64 = 1_340_000;
const MOST_ZIPPED: u64 = 602_500;

/// Where the folder is, or will be.
pub(crate) fn folder(workspace: &Workspace) -> PathBuf {
    workspace.target.join("extension/lorefork")
}

pub(crate) fn run_chore(workspace: &Workspace, _: &Args) -> Result<()> {
    fresh(workspace)?;
    check_size(workspace)?;
    println!("\nThe extension is in {}", folder(workspace).display());
    Ok(())
}

/// Builds it with whatever that needs, for those who want to use it.
pub(crate) fn fresh(workspace: &Workspace) -> Result<()> {
    for tool in NEEDS {
        tool.ensure(workspace)?;
    }
    build(workspace)
}

pub(crate) fn build(workspace: &Workspace) -> Result<()> {
    tools::npm_install(workspace, SOURCE)?;

    // Made anew and then put in place, so that nobody meets half of it.
    let fresh = workspace.target.join("extension/fresh");
    remove(&fresh)?;
    fs::create_dir_all(&fresh)?;
    let source = workspace.root.join(SOURCE);
    for part in PARTS {
        if source.join(part).exists() {
            copy(&source.join(part), &fresh.join(part))?;
        }
    }
    copy(&workspace.root.join("LICENSE"), &fresh.join("LICENSE"))?;
    finish_manifest(workspace, &fresh)?;

    add_module(workspace, &fresh.join("engine"))?;

    let folder = folder(workspace);
    remove(&folder)?;
    fs::rename(&fresh, &folder).context("cannot put the extension in place")
}

/// What takes longest, so that it can be begun early.
pub(crate) fn build_ahead(workspace: &Workspace) -> Result<()> {
    for tool in NEEDS {
        tool.ensure(workspace)?;
    }
    run(&mut bindgen(workspace, "build"))?;
    build_engine(workspace)
}

fn add_module(workspace: &Workspace, folder: &Path) -> Result<()> {
    build_engine(workspace)?;
    let built = workspace.target.join(TARGET).join(PROFILE).join(format!("{MODULE}.wasm"));
    run(bindgen(workspace, "run").arg("--").arg(built).arg(folder))?;
    optimise(workspace, &folder.join(format!("{MODULE}_bg.wasm")))
}

/// What makes the JavaScript around the engine, to be built or run.
fn bindgen(workspace: &Workspace, what: &str) -> Command {
    let mut bindgen = workspace.cargo_command();
    bindgen.args([what, "--quiet", "--manifest-path", "xtask/bindgen/Cargo.toml", "--target-dir"]);
    bindgen.arg(workspace.target.join("bindgen"));
    bindgen
}

/// Builds the standard library along: the one that comes with Rust is made for speed, and carries
/// the words of panics that nobody would read in a page.
///
/// Stable Rust can do that, but does not promise the options yet; `RUSTC_BOOTSTRAP` lets it. Only
/// the package is built so. Should a new Rust spell them differently, this is the place; without
/// them the same engine comes out, only larger.
fn build_engine(workspace: &Workspace) -> Result<()> {
    let mut cargo = workspace.cargo_command();
    cargo.args(["build", "--package", "lorefork-web", "--profile", PROFILE, "--target", TARGET]);
    cargo.args(["-Zbuild-std=std,panic_abort", "-Zbuild-std-features=optimize_for_size"]);
    cargo.env("RUSTC_BOOTSTRAP", "1");
    cargo.env("RUSTFLAGS", FLAGS.join(" "));
    run(&mut cargo)
}

fn optimise(workspace: &Workspace, module: &Path) -> Result<()> {
    let mut opt = workspace.command("node");
    opt.arg(workspace.root.join(SOURCE).join("node_modules/binaryen/bin/wasm-opt"));
    // The first kilobyte is the end of the stack: no pointer leads there, unless it overflows next.
    opt.args(["-Oz", "--traps-never-happen", "--low-memory-unused"]);
    // What every browser of the last years has, and what Rust builds for.
    for feature in [
        "bulk-memory",
        "bulk-memory-opt",
        "multivalue",
        "mutable-globals",
        "nontrapping-float-to-int",
        "reference-types",
        "sign-ext",
    ] {
        opt.arg(format!("--enable-{feature}"));
    }
    run(opt.arg(module).arg("-o").arg(module))
}

/// The engine may not grow unnoticed.
pub(crate) fn check_size(workspace: &Workspace) -> Result<()> {
    let module = folder(workspace).join(format!("engine/{MODULE}_bg.wasm"));
    let raw = fs::metadata(&module).context("the extension was not packaged")?.len();
    let zip = "const fs = require('fs'), zlib = require('zlib'); \
        console.log(zlib.gzipSync(fs.readFileSync(process.argv[1]), { level: 9 }).length)";
    let zipped = output(workspace.command("node").arg("-e").arg(zip).arg(&module))?;
    let zipped: u64 = zipped.parse().context("Node did not tell a size")?;
    println!("{MODULE}: {raw} bytes of {MOST}, gzipped {zipped} of {MOST_ZIPPED}");
    ensure!(raw <= MOST && zipped <= MOST_ZIPPED, "the WebAssembly is too big");
    Ok(())
}

/// SillyTavern shows the manifest's version and home page: they are ours.
fn finish_manifest(workspace: &Workspace, folder: &Path) -> Result<()> {
    let file = folder.join("manifest.json");
    let mut manifest: Value =
        serde_json::from_str(&fs::read_to_string(&file)?).context("manifest.json")?;
    manifest["version"] = json!(env!("CARGO_PKG_VERSION"));
    manifest["homePage"] = json!(Addresses::read(workspace)?.home().unwrap_or_default());
    for key in ["js", "css"] {
        let Some(file) = manifest[key].as_str() else { bail!("manifest.json names no {key}") };
        ensure!(folder.join(file).exists(), "manifest.json names {file}, which is not there");
    }
    write_json(&file, &manifest)
}

pub(crate) fn write_json(file: &Path, value: &impl serde::Serialize) -> Result<()> {
    let mut text = serde_json::to_string_pretty(value)?;
    text.push('\n');
    fs::write(file, text).with_context(|| format!("cannot write {}", file.display()))
}

pub(crate) fn remove(folder: &Path) -> Result<()> {
    if folder.exists() {
        fs::remove_dir_all(folder)
            .with_context(|| format!("cannot remove {}", folder.display()))?;
    }
    Ok(())
}

/// Copies a file, or a folder with all that is in it.
pub(crate) fn copy(from: &Path, to: &Path) -> Result<()> {
    let context = || format!("cannot copy {}", from.display());
    if !from.is_dir() {
        fs::copy(from, to).with_context(context)?;
        return Ok(());
    }
    fs::create_dir_all(to).with_context(context)?;
    for item in from.read_dir().with_context(context)? {
        let item = item?;
        copy(&item.path(), &to.join(item.file_name()))?;
    }
    Ok(())
}
