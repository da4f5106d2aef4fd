//! npm packages: a launcher without dependencies of its own, and a program for each platform, of which
//! npm installs only the one that fits. The package of a platform is a plain download, too.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use serde_json::{Map, Value, json};

use super::Program;
use super::platforms::PLATFORMS;
use crate::addresses::Addresses;
use crate::package;
use crate::tools;
use crate::workspace::{Workspace, output};

const VERSION: &str = env!("CARGO_PKG_VERSION");
const SOURCE: &str = "packaging/npm";
const LAUNCHER: &str = "lorefork.js";
const CHECKSUMS: &str = "SHA256SUMS";
/// Which commit was built; not written with changes.
const COMMIT: &str = "COMMIT";
const ABOUT: &str =
    "Gives every SillyTavern checkpoint and branch its own lorebook, as it was at that message";
/// The oldest Node that SillyTavern itself still takes.
const NODE: &str = ">=18";
/// Shells, and how each of them wants its file to be called.
const SHELLS: [(&str, &str); 5] = [
    ("bash", "lorefork.bash"),
    ("elvish", "lorefork.elv"),
    ("fish", "lorefork.fish"),
    ("powershell", "lorefork.ps1"),
    ("zsh", "_lorefork"),
];

/// Makes the packages in `folder`, and returns the names of their files.
pub(super) fn make(
    workspace: &Workspace,
    programs: &[Program],
    speaker: &Path,
    folder: &Path,
) -> Result<Vec<String>> {
    let contents = folder.join("contents");
    fs::create_dir_all(&contents)?;
    let extras = contents.join("extras");
    let pages = write_extras(workspace, speaker, &extras)?;

    let mut folders = vec![launcher(workspace, &contents, &extras, &pages)?];
    for program in programs {
        folders.push(platform(workspace, program, &contents, &extras)?);
    }
    let mut pack = tools::npm(workspace);
    pack.args(["pack", "--silent", "--pack-destination"]).arg(folder).args(&folders);
    let names = output(&mut pack)?;
    fs::remove_dir_all(contents)?;
    Ok(names.lines().map(str::to_owned).collect())
}

fn launcher(
    workspace: &Workspace,
    contents: &Path,
    extras: &Path,
    pages: &[String],
) -> Result<PathBuf> {
    let folder = contents.join("lorefork");
    package::copy(extras, &folder)?;
    for file in [LAUNCHER, "README.md"] {
        package::copy(&workspace.root.join(SOURCE).join(file), &folder.join(file))?;
    }
    let mut manifest = manifest(workspace, "lorefork", ABOUT)?;
    let programs: Map<String, Value> =
        PLATFORMS.iter().map(|platform| (platform.package(), json!(VERSION))).collect();
    manifest.extend(object(json!({
        "keywords": ["sillytavern", "lorebook", "world-info", "checkpoint", "branch"],
        "bin": { "lorefork": LAUNCHER },
        "man": pages,
        "engines": { "node": NODE },
        "optionalDependencies": programs,
    })));
    finish(workspace, &folder, &manifest)?;
    Ok(folder)
}

fn platform(
    workspace: &Workspace,
    program: &Program,
    contents: &Path,
    extras: &Path,
) -> Result<PathBuf> {
    let Program { platform, file } = program;
    let words = platform.words;
    let folder = contents.join(platform.name);
    package::copy(extras, &folder)?;
    fs::create_dir_all(folder.join("bin"))?;
    package::copy(file, &folder.join("bin").join(platform.program()))?;
    let readme = fs::read_to_string(workspace.root.join(SOURCE).join("platform.md"))?;
    let readme = readme.replace("{platform}", words).replace("{program}", platform.program());
    fs::write(folder.join("README.md"), readme)?;
    let about = format!("The program of Lorefork for {words}");
    let mut manifest = manifest(workspace, &platform.package(), &about)?;
    manifest.extend(object(json!({
        "os": [platform.os()],
        "cpu": [platform.cpu()],
        "preferUnplugged": true,
        "publishConfig": { "access": "public" },
    })));
    finish(workspace, &folder, &manifest)?;
    Ok(folder)
}

/// What all packages say of themselves.
fn manifest(workspace: &Workspace, name: &str, about: &str) -> Result<Map<String, Value>> {
    let addresses = Addresses::read(workspace)?;
    let mut manifest = object(json!({
        "name": name,
        "version": VERSION,
        "description": about,
        "license": "AGPL-3.0-or-later",
    }));
    if let Some(home) = addresses.home() {
        manifest.insert("homepage".to_owned(), json!(home));
    }
    if let Some(source) = addresses.source() {
        let repository = json!({ "type": "git", "url": format!("git+{source}.git") });
        manifest.insert("repository".to_owned(), repository);
    }
    Ok(manifest)
}

fn object(value: Value) -> Map<String, Value> {
    match value {
        Value::Object(map) => map,
        _ => Map::new(),
    }
}

fn finish(workspace: &Workspace, folder: &Path, manifest: &Map<String, Value>) -> Result<()> {
    package::copy(&workspace.root.join("LICENSE"), &folder.join("LICENSE"))?;
    package::write_json(&folder.join("package.json"), manifest)
}

/// Completions and manual pages; returns the paths of the pages.
fn write_extras(workspace: &Workspace, speaker: &Path, folder: &Path) -> Result<Vec<String>> {
    let ask = |args: &[&str]| -> Result<String> {
        let mut lorefork = workspace.command(speaker);
        let said = output(lorefork.args(args).env_remove("LOREFORK_ROOT"))?;
        ensure!(!said.is_empty(), "`lorefork {}` said nothing", args.join(" "));
        Ok(said + "\n")
    };
    let completions = folder.join("completions");
    fs::create_dir_all(&completions)?;
    for (shell, file) in SHELLS {
        fs::write(completions.join(file), ask(&["completions", shell])?)?;
    }
    fs::create_dir_all(folder.join("man"))?;
    let mut pages = vec!["man/lorefork.1".to_owned()];
    fs::write(folder.join(&pages[0]), ask(&["man"])?)?;
    let help = ask(&["--help"])?;
    for command in crate::docs::commands(&help) {
        let page = format!("man/lorefork-{command}.1");
        fs::write(folder.join(&page), ask(&["man", command])?)?;
        pages.push(page);
    }
    Ok(pages)
}

/// As `sha256sum --check` reads them.
pub(super) fn write_checksums(workspace: &Workspace, folder: &Path) -> Result<()> {
    let mut sums = String::new();
    for name in files(folder)? {
        let sum = checksum(workspace, &folder.join(&name))?;
        sums.push_str(&format!("{sum}  {name}\n"));
    }
    fs::write(folder.join(CHECKSUMS), sums).context("cannot write the checksums")
}

fn checksum(workspace: &Workspace, file: &Path) -> Result<String> {
    let hash = "const fs = require('fs'), crypto = require('crypto'); \
        console.log(crypto.createHash('sha256').update(fs.readFileSync(process.argv[1])).digest('hex'))";
    output(workspace.command("node").arg("-e").arg(hash).arg(file))
}

/// The packages in a folder, in order.
fn files(folder: &Path) -> Result<Vec<String>> {
    let mut names = Vec::new();
    for file in folder.read_dir().context("cannot read the folder of the packages")? {
        let name = file?.file_name().to_string_lossy().into_owned();
        if name.ends_with(".tgz") {
            names.push(name);
        }
    }
    names.sort();
    Ok(names)
}

pub(super) fn write_commit(workspace: &Workspace, folder: &Path) -> Result<()> {
    match workspace.commit() {
        Some(commit) => fs::write(folder.join(COMMIT), commit).context("cannot write the commit"),
        None => Ok(()),
    }
}

/// Whether the packages are of a version and of this commit, and as their checksums say. Returns the platforms that are
/// missing.
pub(crate) fn check(workspace: &Workspace, version: &str) -> Result<Vec<&'static str>> {
    const NONE: &str = "there are no packages: run `cargo xtask dist`";
    let folder = super::folder(workspace);
    let sums = fs::read_to_string(folder.join(CHECKSUMS)).context(NONE)?;
    let names = files(&folder)?;
    for name in &names {
        let sum = checksum(workspace, &folder.join(name))?;
        ensure!(sums.contains(&format!("{sum}  {name}\n")), "{name} is not what {CHECKSUMS} says");
    }
    let has = |name: &str| names.contains(&format!("{name}-{version}.tgz"));
    ensure!(has("lorefork"), "no package is of version {version}: run `cargo xtask dist`");
    let built = fs::read_to_string(folder.join(COMMIT)).ok();
    ensure!(
        built.is_some() && built == workspace.commit(),
        "the packages are not of this commit: run `cargo xtask dist`"
    );
    let all = PLATFORMS.iter().map(|platform| platform.name);
    Ok(all.filter(|name| !has(&format!("lorefork-{name}"))).collect())
}
