//! A disk that fails, and a process that ends, at any point.

use std::collections::BTreeSet;

use crate::folder::{Folder, command};

const BRANCH: &[&str] = &["--root", "data", "branch", "The Last Lamp", "--at", "13"];

/// Makes the process end before its n-th change on disk; whether there was one.
fn crashed(folder: &Folder, n: usize) -> bool {
    let mut command = command(folder.path(), BRANCH);
    !command.env("LOREFORK_CRASH_AT", n.to_string()).output().unwrap().status.success()
}

/// Either nothing was written, or the fork is complete.
fn fork_with_failure(n: usize, kind: &str) {
    let folder = Folder::new();
    let before = folder.files();
    let output = command(folder.path(), BRANCH)
        .arg("--json")
        .env("LOREFORK_FAIL_AT", format!("{n}:{kind}"))
        .output()
        .unwrap();
    let out = String::from_utf8(output.stdout).unwrap();
    let json: serde_json::Value = serde_json::from_str(&out).unwrap();
    match output.status.code() {
        Some(0) => {
            let chat = json["chat"].as_str().unwrap();
            let verified = folder.run(&["verify", chat, "--json"]).json();
            assert_eq!(verified["state"], "untouched", "{n}:{kind}: {out}");
        }
        Some(2) => {
            let mut after = folder.files();
            after.retain(|name, _| !name.contains("/lorefork/"));
            assert_eq!(after, before, "{n}:{kind}: {out}");
            let message = json["error"]["message"].as_str().unwrap();
            assert!(message.contains("could not"), "{message}");
        }
        code => panic!("{n}:{kind}: exit {code:?}: {out}"),
    }
}

#[test]
fn r043_no_space_no_permission_and_read_only() {
    let points = (1..).find(|n| !crashed(&Folder::new(), *n)).unwrap();
    assert!(points > 10, "{points}: some points were passed");
    for n in 1..points {
        for kind in ["ENOSPC", "EACCES", "EROFS"] {
            fork_with_failure(n, kind);
        }
    }
}

#[test]
fn n6_an_interrupted_operation_is_reported_and_healed_by_the_next() {
    let mut endings = BTreeSet::new();
    for n in 1.. {
        let folder = Folder::new();
        if !crashed(&folder, n) {
            break;
        }
        let asked = folder.run(&["assess", "The Last Lamp"]);
        let made = folder.run(&["branch", "The Last Lamp", "--at", "13"]);
        assert_eq!(made.code, 0, "{n}: {}", made.err);
        let is_healed = made.out.contains("had been interrupted");
        assert_eq!(is_healed, asked.out.contains("was interrupted"), "{n}: {}", made.out);
        for ending in ["finished", "undone"] {
            if made.out.contains(&format!("It was {ending} first")) {
                endings.insert(ending);
            }
        }
    }
    assert_eq!(endings, BTreeSet::from(["finished", "undone"]));
}
