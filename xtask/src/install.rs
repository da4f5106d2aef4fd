//! `cargo xtask install DIR`: the extension into somebody's SillyTavern.
#![expect(clippy::print_stdout, reason = "says what was done")]

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Result, bail, ensure};
use serde_json::Value;

use crate::package;
use crate::workspace::Workspace;

/// The oldest SillyTavern that the extension knows.
const OLDEST: [u32; 2] = [1, 16];
const NAME: &str = "lorefork";

#[derive(clap::Args)]
pub(crate) struct Args {
    /// A SillyTavern folder, its data folder, or the folder of one user
    dir: PathBuf,

    /// For this user
    #[arg(long, default_value = "default-user", value_name = "HANDLE")]
    user: String,

    /// Install what was packaged last, without building it again
    #[arg(long)]
    no_build: bool,
}

pub(crate) fn run(workspace: &Workspace, args: &Args) -> Result<()> {
    // Before anything is built: a wrong folder is told at once.
    let place = find(&std::path::absolute(&args.dir)?, &args.user)?;
    match &place.version {
        Some(version) => {
            check_version(version)?;
            println!("SillyTavern {version}");
        }
        None => println!(
            "This folder does not tell which SillyTavern it belongs to; 1.16 or later is needed."
        ),
    }
    if !args.no_build {
        package::fresh(workspace)?;
    }
    let source = package::folder(workspace);
    ensure!(source.exists(), "nothing was packaged yet: leave out --no-build");
    let target = place.user.join("extensions").join(NAME);
    if target.exists() {
        let manifest = fs::read_to_string(target.join("manifest.json")).unwrap_or_default();
        let ours = manifest.contains("\"display_name\": \"Lorefork\"");
        ensure!(ours, "{} is something else; move it away first", target.display());
        ensure!(
            !target.join(".git").exists(),
            "{} was installed by SillyTavern; update it there, or delete it first",
            target.display()
        );
        package::remove(&target)?;
    }
    package::copy(&source, &target)?;
    println!("Installed in {}. Reload SillyTavern's page.", target.display());
    Ok(())
}

struct Place {
    user: PathBuf,
    version: Option<String>,
}

fn find(dir: &Path, user: &str) -> Result<Place> {
    ensure!(dir.is_dir(), "{} is not a folder", dir.display());
    if is_user(dir) {
        return Ok(Place { version: version_of_data(dir), user: dir.to_owned() });
    }
    let package = json(&dir.join("package.json"));
    let Some(package) = package.filter(|package| package["name"] == "sillytavern") else {
        let folder = dir.join(user);
        ensure!(
            is_user(&folder),
            "{} is neither a SillyTavern folder, nor a data folder of one with a user “{user}”",
            dir.display()
        );
        return Ok(Place { version: version_of_data(&folder), user: folder });
    };
    let version = package["version"].as_str().unwrap_or_default().to_owned();
    // Before the data is looked for: an old one may keep it elsewhere.
    check_version(&version)?;
    let folder = data_root(dir).join(user);
    ensure!(
        is_user(&folder),
        "this SillyTavern has no user “{user}” ({}): start it once, or say --user",
        folder.display()
    );
    Ok(Place { version: Some(version), user: folder })
}

fn is_user(dir: &Path) -> bool {
    dir.join("chats").is_dir() && dir.join("worlds").is_dir()
}

/// `dataRoot` of the configuration; one line is all that is needed of YAML here.
fn data_root(tavern: &Path) -> PathBuf {
    let config = fs::read_to_string(tavern.join("config.yaml")).unwrap_or_default();
    let named = config.lines().find_map(|line| line.strip_prefix("dataRoot:"));
    let named = named
        .map(|rest| rest.split(" #").next().unwrap_or_default().trim().trim_matches(['"', '\'']));
    tavern.join(named.filter(|name| !name.is_empty()).unwrap_or("./data"))
}

/// The version that last saved settings there.
fn version_of_data(user: &Path) -> Option<String> {
    Some(json(&user.join("settings.json"))?["currentVersion"].as_str()?.to_owned())
}

fn json(file: &Path) -> Option<Value> {
    serde_json::from_str(&fs::read_to_string(file).ok()?).ok()
}

fn check_version(version: &str) -> Result<()> {
    let mut parts = version.split('.').map(|part| part.parse::<u32>().ok());
    let (Some(Some(major)), Some(Some(minor))) = (parts.next(), parts.next()) else {
        bail!("cannot read the version “{version}” of this SillyTavern");
    };
    let [oldest_major, oldest_minor] = OLDEST;
    ensure!(
        (major, minor) >= (oldest_major, oldest_minor),
        "this is SillyTavern {version}; Lorefork needs {oldest_major}.{oldest_minor} or later: update SillyTavern first"
    );
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn old_versions_are_refused() {
        for good in ["1.16.0", "1.19.0", "1.100.2", "2.0.0"] {
            check_version(good).unwrap();
        }
        for bad in ["1.15.9", "1.9.20", "0.99.0", "new", ""] {
            assert!(check_version(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn folders_are_told_apart() {
        let root = std::env::temp_dir().join(format!("lorefork-install-{}", std::process::id()));
        let user = root.join("mine/default-user");
        fs::create_dir_all(user.join("chats")).unwrap();
        fs::create_dir_all(user.join("worlds")).unwrap();
        fs::write(user.join("settings.json"), r#"{"currentVersion":"1.17.0"}"#).unwrap();
        fs::write(root.join("package.json"), r#"{"name":"sillytavern","version":"1.19.0"}"#)
            .unwrap();
        fs::write(root.join("config.yaml"), "# where\ndataRoot: \"./mine\" # here\n").unwrap();

        let by_tavern = find(&root, "default-user").unwrap();
        assert_eq!(by_tavern.version.as_deref(), Some("1.19.0"));
        assert!(by_tavern.user.ends_with("mine/default-user"));
        for dir in [root.join("mine"), user] {
            let found = find(&dir, "default-user").unwrap();
            assert_eq!(found.version.as_deref(), Some("1.17.0"));
        }
        let refused = |dir: &Path, user: &str| format!("{:#}", find(dir, user).err().unwrap());
        assert!(refused(&root, "somebody").contains("no user “somebody”"));
        let elsewhere = root.join("mine/default-user/chats");
        assert!(refused(&elsewhere, "default-user").contains("neither a SillyTavern folder"));
        assert!(refused(&root.join("nowhere"), "default-user").contains("is not a folder"));
        fs::write(root.join("package.json"), r#"{"name":"sillytavern","version":"1.15.0"}"#)
            .unwrap();
        assert!(refused(&root, "somebody").contains("this is SillyTavern 1.15.0"));
        fs::remove_dir_all(root).unwrap();
    }
}
