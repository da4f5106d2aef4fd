//! Help, completions and the manual page.

use insta::assert_snapshot;

use crate::folder::run;

fn shown(arguments: &[&str]) -> String {
    let place = tempfile::tempdir().unwrap();
    let run = run(place.path(), arguments);
    // Where a paragraph of help is followed by another, clap leaves blanks.
    run.shown().lines().map(str::trim_end).collect::<Vec<_>>().join("\n")
}

#[test]
fn help_is_written_for_users() {
    assert_snapshot!("help", shown(&["--help"]));
    for command in ["assess", "checkpoint", "branch", "isolate", "verify", "status", "demo"] {
        assert_snapshot!(format!("help-{command}"), shown(&[command, "--help"]));
    }
}

#[test]
fn nothing_typed_shows_what_can_be() {
    let text = shown(&[]);
    assert!(text.starts_with("exit 2") && text.contains("checkpoint"), "{text}");
}

#[test]
fn global_options_stand_before_or_after_the_command() {
    let place = tempfile::tempdir().unwrap();
    for arguments in [["--root", "nowhere", "status"], ["status", "--root", "nowhere"]] {
        let run = run(place.path(), &arguments);
        assert_eq!(run.code, 2);
        assert!(run.err.contains("there is no folder"), "{}", run.err);
    }
}

#[test]
fn completions_and_manual_pages_are_printed() {
    let place = tempfile::tempdir().unwrap();
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        let run = run(place.path(), &["completions", shell]);
        assert_eq!(run.code, 0);
        assert!(run.out.contains("checkpoint"), "{shell}");
    }
    let page = run(place.path(), &["man"]);
    assert!(page.code == 0 && page.out.contains(".TH lorefork 1"), "{}", page.out);
    let page = run(place.path(), &["man", "checkpoint"]);
    assert!(page.out.contains(".TH lorefork-checkpoint 1"), "{}", page.out);
    assert_eq!(run(place.path(), &["man", "nothing"]).code, 2);
}
