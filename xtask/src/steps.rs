//! The steps of `cargo xtask test`, in order: the cheapest and most often broken first.
#![expect(clippy::print_stdout, reason = "says what could not be had")]

use std::path::PathBuf;
use std::thread;

use anyhow::{Context, Result, bail};

use crate::arrows;
use crate::dist;
use crate::docs;
use crate::e2e;
use crate::elsewhere::{exfat, firefox, qemu, wine};
use crate::package;
use crate::requirements;
use crate::tools::{self, Tool};
use crate::workspace::{Workspace, run};

pub(crate) struct Step {
    pub(crate) name: &'static str,
    pub(crate) about: &'static str,
    pub(crate) needs: &'static [Tool],
    /// Whether it is part of `--quick`: what a change breaks most often, in little time.
    pub(crate) is_quick: bool,
    /// Builds and downloads. Apart, so that the time of the tests themselves can be told.
    pub(crate) build: Chore,
    pub(crate) run: Chore,
}

type Chore = fn(&Workspace) -> Result<()>;

/// The step that waits most: for pages, for servers, for what a page does a moment later.
pub(crate) const WAITS: &str = "e2e";

/// Steps that are taken meanwhile: no other needs what they make, and they are content with what is left of the machine.
pub(crate) const ASIDE: [&str; 7] = ["exfat", "wine", "qemu", "npm", "deny", "doc", "generated"];

fn nothing(_: &Workspace) -> Result<()> {
    Ok(())
}

/// Everything that cargo tests besides doc tests, which it cannot build ahead.
const TESTS: [&str; 6] = ["test", "--workspace", "--lib", "--bins", "--tests", "--examples"];

/// With `--workspace`, as all that is built here: then everything below these two packages is what
/// the other tests have built already.
const CRASH: [&str; 4] =
    ["test", "--workspace", "--features", "lorefork-cli/crash-points,lorefork-disk/crash-points"];
/// Kills a real command, and the disk host, at every change on disk.
const KILLS: [&str; 2] = ["--test", "crash"];
/// Fails each change of a real command in turn.
const FAULTS: [&str; 3] = ["--test", "cli", "broken_disk"];

/// Many more texts than a plain run tries. Of the same build: optimised once more it takes as long, since most of the time
/// goes into making up texts.
const FUZZ: [&str; 5] = ["test", "--workspace", "--test", "json", "--quiet"];
const FUZZ_CASES: &str = "100000";

const NO_RUN: &str = "--no-run";

pub(crate) const STEPS: &[Step] = &[
    Step {
        name: "fmt",
        about: "formatting",
        needs: &[Tool::Rustfmt],
        is_quick: true,
        build: nothing,
        run: |w| {
            // rustfmt has its own mind about colours.
            let plain: &[&str] = if w.ci { &["--", "--color", "never"] } else { &[] };
            w.cargo(["fmt", "--all", "--check"].iter().chain(plain).copied())
        },
    },
    Step {
        name: "arrows",
        about: "rooms of the engine use only rooms below them",
        needs: &[],
        is_quick: true,
        build: nothing,
        run: arrows::check,
    },
    Step {
        name: "clippy",
        about: "lints, warnings denied",
        needs: &[Tool::Clippy],
        is_quick: true,
        build: |w| {
            let what = ["clippy", "--workspace", "--all-targets", "--all-features"];
            w.cargo(what.into_iter().chain(["--", "-D", "warnings"]))
        },
        run: nothing,
    },
    Step {
        name: "wasm",
        about: "the engine builds for the browser",
        needs: &[Tool::WasmTarget],
        is_quick: false,
        build: |w| {
            let target = ["--target", "wasm32-unknown-unknown"];
            w.cargo(["check", "--package", "lorefork"].into_iter().chain(target))
        },
        run: nothing,
    },
    Step {
        name: "test",
        about: "unit, property, snapshot and simulation tests",
        needs: &[],
        is_quick: true,
        build: |w| w.cargo(TESTS.into_iter().chain([NO_RUN])),
        run: |w| w.cargo_in_memory(TESTS),
    },
    Step {
        name: "doctest",
        about: "examples in the documentation",
        needs: &[],
        is_quick: false,
        build: nothing,
        run: |w| w.cargo(["test", "--workspace", "--doc"]),
    },
    Step {
        name: "crash",
        about: "a kill at every file-system call, then recovery",
        needs: &[],
        is_quick: false,
        build: |w| w.cargo(CRASH.into_iter().chain(["--test", "crash", "--test", "cli", NO_RUN])),
        run: |w| {
            w.cargo_in_memory(CRASH.into_iter().chain(KILLS))?;
            w.cargo_in_memory(CRASH.into_iter().chain(FAULTS))
        },
    },
    Step {
        name: "fuzz",
        about: "edits of JSON texts as odd as they come, a hundred thousand each",
        needs: &[],
        is_quick: false,
        build: |w| w.cargo(FUZZ.into_iter().chain([NO_RUN])),
        run: |w| run(w.cargo_command().args(FUZZ).env("PROPTEST_CASES", FUZZ_CASES)),
    },
    Step {
        name: "requirements",
        about: "every test that docs/requirements.md names exists",
        needs: &[],
        is_quick: true,
        build: nothing,
        run: requirements::check,
    },
    Step {
        name: "difftest",
        about: "the engine against SillyTavern's own JavaScript, in Node",
        needs: &[Tool::Node],
        is_quick: false,
        build: |w| {
            tools::npm_install(w, DIFFTEST)?;
            w.build_programs()
        },
        run: difftest,
    },
    Step {
        name: "types",
        about: "types of the extension's JavaScript",
        needs: &[Tool::Node],
        is_quick: true,
        build: |w| tools::npm_install(w, "extension"),
        run: |w| {
            let tsc = "extension/node_modules/typescript/bin/tsc";
            run(w.command("node").args([tsc, "--project", "extension"]))
        },
    },
    Step {
        name: "words",
        about: "all that is said, in every language",
        needs: &[Tool::Node],
        is_quick: true,
        build: nothing,
        run: |w| run(w.command("node").args(["--test", "extension/test/words.test.mjs"])),
    },
    Step {
        name: "imports",
        about: "no circle of imports in the extension's JavaScript",
        needs: &[Tool::Node],
        is_quick: true,
        build: nothing,
        run: |w| run(w.command("node").args(["--test", "extension/test/imports.test.mjs"])),
    },
    Step {
        name: "package",
        about: "the extension as it is installed, and its size",
        needs: package::NEEDS,
        is_quick: false,
        build: package::build,
        run: package::check_size,
    },
    Step {
        name: "exfat",
        about: "disk host and command on a memory card: no hard links, no capital letters",
        needs: &[],
        is_quick: false,
        build: exfat::build,
        run: exfat::run,
    },
    Step {
        name: "wine",
        about: "disk host and command on Windows, played by Wine",
        needs: &[],
        is_quick: false,
        build: wine::build,
        run: wine::run,
    },
    Step {
        name: "qemu",
        about: "disk host and command on arm64, played by QEMU",
        needs: &[],
        is_quick: false,
        build: qemu::build,
        run: qemu::run,
    },
    Step {
        name: "npm",
        about: "the command's npm packages, installed without Rust and without the net",
        needs: &[Tool::Node],
        is_quick: false,
        build: dist::build_test,
        run: dist::test,
    },
    Step {
        name: "e2e",
        about: "the extension in a real SillyTavern, in a real browser",
        needs: e2e::NEEDS,
        is_quick: false,
        build: e2e::build,
        run: |w| e2e::test(w, &[]),
    },
    Step {
        name: "firefox",
        about: "the same in Firefox, briefly",
        needs: &[Tool::Node],
        is_quick: false,
        build: firefox::build,
        run: firefox::run,
    },
    Step {
        name: "deny",
        about: "licences and sources of the dependencies",
        needs: &[],
        is_quick: false,
        build: |w| tools::cargo_deny(w).map(drop),
        run: deny,
    },
    Step {
        name: "doc",
        about: "documentation builds, warnings denied",
        needs: &[],
        is_quick: false,
        build: |w| {
            let mut doc = w.cargo_command();
            doc.args(["doc", "--workspace", "--no-deps"]);
            run(doc.env("RUSTDOCFLAGS", "-D warnings"))
        },
        run: nothing,
    },
    Step {
        name: "generated",
        about: "generated pages of docs/ are up to date",
        needs: &[],
        is_quick: false,
        build: docs::build,
        run: docs::check,
    },
];

/// What later steps need and takes long to be had, though not much of the machine: downloads, and builds that for the most
/// part keep one core busy.
const AHEAD: [&[Chore]; 2] = [
    &[
        |w| tools::npm_install(w, DIFFTEST),
        e2e::need,
        exfat::need,
        wine::need,
        qemu::need,
        firefox::need,
    ],
    &[package::build_ahead, |w| tools::cargo_deny(w).map(drop)],
];

/// Gets what later steps need, as far as it is to be had: each step asks for it once more.
pub(crate) fn get_ahead(workspace: &Workspace) {
    let get = |all: &[Chore]| {
        for get in all {
            if let Err(error) = get(workspace) {
                println!("{error:#}");
            }
        }
    };
    thread::scope(|scope| {
        for all in AHEAD {
            scope.spawn(|| get(all));
        }
    });
}

const DIFFTEST: &str = "difftest";
const ORACLE: &str = "oracle";

fn difftest(workspace: &Workspace) -> Result<()> {
    let folder = workspace.root.join(DIFFTEST);
    // Named one by one: what `node --test FOLDER` means differs between versions of Node.
    let mut files = Vec::<PathBuf>::new();
    for file in folder.read_dir().context("cannot read difftest/")? {
        let name = file?.file_name();
        if name.to_string_lossy().ends_with(".test.mjs") {
            files.push(PathBuf::from(DIFFTEST).join(name));
        }
    }
    if files.is_empty() {
        bail!("difftest/ has no *.test.mjs");
    }
    files.sort();
    let oracle = workspace.built("debug/examples", ORACLE);
    run(workspace.command("node").arg("--test").args(files).env("LOREFORK_ORACLE", oracle))
}

fn deny(workspace: &Workspace) -> Result<()> {
    let mut deny = workspace.command(tools::cargo_deny(workspace)?);
    // Not `advisories`: their database cannot be fetched everywhere.
    deny.arg("--all-features");
    run(deny.args(["check", "licenses", "bans", "sources"]))
}
