//! What people see fits their screen, at 60, 80 and 120 columns.

use insta::assert_snapshot;

use crate::folder::{CHAT, Folder, run_at};

const WIDTHS: [usize; 3] = [60, 80, 120];

/// The chats of the sample, a family that shares, and names as people have them.
fn folder() -> Folder {
    let folder = Folder::new();
    assert_eq!(folder.run(&["checkpoint", "The Last Lamp", "--at", "13"]).code, 0);
    folder.plain_copy("The Last Lamp - Branch #1", 14);
    let child = folder
        .read("chats/Tamsin/The Last Lamp - Branch #1.jsonl")
        .replace(r#""main_chat":"The Last Lamp""#, r#""main_chat":"The Last Lamp - Branch #1""#);
    folder.write("chats/Tamsin/Tamsin - 2026-11-15@19h05m18s246ms - Branch #2.jsonl", child);
    let gone = r#"{"chat_metadata":{"world_info":"z-AutoLB-Tamsin-Tamsin - 2026-11-15@19h05m18s246ms"},"user_name":"unused","character_name":"unused"}"#;
    folder.write("chats/Tamsin/lost.jsonl", gone);
    folder.write("chats/Tamsin/broken.jsonl", "{ not a header");
    // Two columns each.
    folder.write(&format!("chats/凪/{}.jsonl", "夜".repeat(70)), gone);
    folder
}

#[test]
fn status_fits_the_screen() {
    let folder = folder();
    for columns in WIDTHS {
        let run = run_at(columns, folder.path(), &["--root", "data", "status"]);
        assert_eq!(run.too_wide(columns), [""; 0], "at {columns} columns");
        assert_snapshot!(format!("status-{columns}"), run.shown());
    }
}

#[test]
fn what_else_is_printed_fits_too() {
    let folder = folder();
    let night = "夜".repeat(70);
    let dragon = format!("chats/Tamsin/{}.jsonl", "long name ".repeat(20).trim());
    folder.write(&dragon, folder.read(CHAT));
    for columns in WIDTHS {
        for arguments in [
            &["log"][..],
            &["status", "The Last Lamp"],
            &["status", &night],
            &["check"],
            &["status", "a"],
            &["status", "nobody has this"],
            &["assess", "long name", "--at", "-1"],
            &["explain", "SHARED_LOREBOOK"],
            &["fix", "--only", "nope"],
        ] {
            let arguments = [&["--root", "data"], arguments].concat();
            let run = run_at(columns, folder.path(), &arguments);
            assert_eq!(run.too_wide(columns), [""; 0], "{arguments:?} at {columns} columns");
        }
    }
}
