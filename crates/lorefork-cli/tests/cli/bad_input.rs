//! Bad input gets a clear error that names file and line, exit code 2, and nothing written.

use std::fs;
use std::fs::File;

use insta::assert_snapshot;

use crate::folder::{BOOK, CHAT, Folder, Run, command, run};

/// Damages a folder, asks for a checkpoint, and expects that nothing was written.
fn refused(code: i32, damage: impl FnOnce(&Folder), arguments: &[&str]) -> Run {
    let folder = Folder::new();
    damage(&folder);
    let before = folder.files();
    let run = folder.run(arguments);
    assert_eq!(run.code, code, "{}{}", run.out, run.err);
    assert_eq!(run.out, "");
    assert!(run.err.starts_with("error: ") && run.err.contains("→ "), "{}", run.err);
    assert_eq!(folder.files(), before, "nothing was written");
    run
}

const CHECKPOINT: &[&str] = &["checkpoint", "Tamsin/The Last Lamp", "--at", "13"];

macro_rules! refused {
    ($test:ident, $damage:expr) => {
        refused!($test, 2, $damage, CHECKPOINT);
    };
    ($test:ident, $code:expr, $damage:expr, $arguments:expr) => {
        #[test]
        fn $test() {
            assert_snapshot!(stringify!($test), refused($code, $damage, $arguments).shown());
        }
    };
}

refused!(a_line_that_cannot_be_parsed, |folder: &Folder| {
    folder.change_line(CHAT, 6, |line| line[..40].to_owned());
});
refused!(a_chat_without_header, |folder: &Folder| {
    folder.change(CHAT, |bytes| {
        let end = bytes.iter().position(|byte| *byte == b'\n').unwrap();
        bytes[end + 1..].to_vec()
    });
});
refused!(a_byte_order_mark, |folder: &Folder| {
    folder.change(CHAT, |bytes| [b"\xef\xbb\xbf", &bytes[..]].concat());
});
refused!(an_empty_chat, |folder: &Folder| folder.write(CHAT, ""));
refused!(a_chat_that_is_not_utf8, |folder: &Folder| {
    folder.change(CHAT, |mut bytes| {
        // Into the text of the fourth message.
        let mut ends = bytes.iter().enumerate().filter(|(_, byte)| **byte == b'\n');
        let start = ends.nth(3).unwrap().0;
        let text = bytes[start..].windows(7).position(|window| window == b"\"mes\":\"").unwrap();
        bytes.insert(start + text + 7, 0xff);
        bytes
    });
});
refused!(a_header_that_is_not_utf8, |folder: &Folder| {
    folder.change(CHAT, |bytes| [b"\xff", &bytes[..]].concat());
});
refused!(a_lorebook_that_is_not_json, |folder: &Folder| folder.write(BOOK, "{ entries: }"));
refused!(a_lorebook_without_entries, |folder: &Folder| folder.write(BOOK, "{\"name\": \"x\"}"));
refused!(a_lorebook_that_is_not_utf8, |folder: &Folder| folder.write(BOOK, b"{\"entries\":\xff}"));
refused!(r045_a_lorebook_that_is_absent, |folder: &Folder| {
    fs::remove_file(folder.file(BOOK)).unwrap();
});
refused!(a_card_without_data, |folder: &Folder| {
    folder.change("characters/Tamsin.png", |bytes| {
        // The header of the picture, and its end.
        [&bytes[..33], b"\0\0\0\0IEND\xae\x42\x60\x82"].concat()
    });
});
refused!(a_card_that_is_no_picture, |folder: &Folder| {
    folder.write("characters/Tamsin.png", "a letter");
});
refused!(
    r013_a_message_that_is_not_there,
    2,
    |_: &Folder| (),
    &["checkpoint", "The Last Lamp", "--at", "61"]
);
refused!(
    a_swipe_that_is_not_there,
    2,
    |_: &Folder| (),
    &["branch", "The Last Lamp", "--at", "60", "--swipe", "3"]
);
refused!(
    a_name_with_a_separator,
    2,
    |_: &Folder| (),
    &["branch", "The Last Lamp", "--name", "a/b"]
);
refused!(a_name_of_nothing, 2, |_: &Folder| (), &["branch", "The Last Lamp", "--name", "?"]);
refused!(a_chat_nobody_has, 2, |_: &Folder| (), &["checkpoint", "Lamps", "--at", "13"]);
refused!(
    a_chat_that_several_have,
    2,
    |folder: &Folder| folder.write("chats/凪/The Last Lamp.jsonl", folder.read(CHAT)),
    &["checkpoint", "the last lamp", "--at", "13"]
);
refused!(a_user_nobody_is, 2, |_: &Folder| (), &["status", "--user", "mallory"]);
refused!(
    a_group_that_is_too_old,
    2,
    |folder: &Folder| {
        folder.change("groups/1775943612408.json", |bytes| {
            let text = String::from_utf8(bytes).unwrap();
            text.replacen('{', "{\"chat_metadata\": {},", 1).into_bytes()
        });
    },
    &["branch", "group:The Night Watch"]
);

#[test]
fn damage_after_the_fork_point_is_a_warning() {
    let folder = Folder::new();
    folder.change_line(CHAT, 50, |line| line[..40].to_owned());
    let run = folder.run(&["checkpoint", "The Last Lamp", "--at", "13"]);
    assert_eq!(run.code, 0, "{}", run.err);
    assert!(run.out.contains("line 51"), "{}", run.out);
}

#[cfg(unix)]
#[test]
fn links_in_a_circle_and_out_of_the_folder_are_refused() {
    use std::os::unix::fs::symlink;
    for (part, target) in [("worlds", "worlds"), ("chats", "chats"), ("worlds", "../../elsewhere")]
    {
        let folder = Folder::new();
        fs::rename(folder.file(part), folder.path().join("elsewhere")).unwrap();
        symlink(target, folder.file(part)).unwrap();
        let before = folder.files();
        let run = folder.run(CHECKPOINT);
        assert_eq!(run.code, 2, "{}{}", run.out, run.err);
        assert!(run.err.contains("link"), "{}", run.err);
        assert_eq!(folder.files(), before);
    }
    let folder = Folder::new();
    symlink("loop", folder.path().join("loop")).unwrap();
    let run = run(folder.path(), &["--root", "loop", "status"]);
    assert_eq!(run.code, 2);
    assert!(run.err.contains("circle"), "{}", run.err);
}

#[test]
fn folders_that_hold_no_data_are_refused() {
    let folder = Folder::new();
    fs::write(folder.path().join("file"), "").unwrap();
    fs::create_dir(folder.path().join("empty")).unwrap();
    for root in ["file", "empty", "absent"] {
        let run = run(folder.path(), &["--root", root, "status"]);
        assert_eq!(run.code, 2);
        assert!(run.err.contains(root) && run.err.contains("--root"), "{}", run.err);
    }
}

#[test]
fn the_data_is_found_from_the_chats_file_and_from_the_environment() {
    let folder = Folder::new();
    let file = format!("data/default-user/{CHAT}");
    assert_eq!(run(folder.path(), &["assess", &file]).code, 0);
    assert_eq!(run(&folder.file("chats"), &["assess", "The Last Lamp"]).code, 0);
    let mut command = command(folder.path(), &["assess", "The Last Lamp"]);
    assert_eq!(command.env("LOREFORK_ROOT", "data").output().unwrap().status.code(), Some(0));
}

#[test]
fn somebody_else_who_is_writing_is_waited_for_and_named() {
    let folder = Folder::new();
    fs::create_dir(folder.file("lorefork")).unwrap();
    let lock = File::create(folder.file("lorefork/lock")).unwrap();
    lock.lock().unwrap();
    let before = folder.files();
    let run = folder.run(&["checkpoint", "The Last Lamp", "--wait", "0"]);
    assert_snapshot!("busy", run.shown());
    let run = folder.run(&["checkpoint", "The Last Lamp", "--wait", "0", "--json"]);
    assert_eq!((run.code, &run.json()["error"]["code"]), (3, &"BUSY".into()));
    assert_eq!(folder.files(), before);
    // Looking needs no lock.
    assert_eq!(folder.run(&["assess", "The Last Lamp"]).code, 0);
}

#[test]
fn text_from_files_cannot_act_on_the_terminal() {
    let folder = Folder::new();
    // What a file can be called, a terminal may understand as a command. On Windows it cannot be
    // called everything.
    let escape = if cfg!(windows) { "" } else { "\u{1b}" };
    folder.write(&format!("chats/Tamsin/a{escape}[31mred\u{202e}.jsonl"), folder.read(CHAT));
    let shown = if cfg!(windows) { r"a[31mred\u{202e}" } else { r"a\u{1b}[31mred\u{202e}" };
    for arguments in [&["status"][..], &["status", "nobody"]] {
        let run = folder.run(arguments);
        let all = run.out + &run.err;
        assert!(all.contains(shown), "{all}");
        assert!(!all.contains(['\u{1b}', '\u{202e}']), "{all}");
    }
}
