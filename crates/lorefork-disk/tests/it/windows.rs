//! What only Windows does: files that others hold, names that are devices, capital letters that do not
//! count, paths that are too long.

use std::fs::{self, File, OpenOptions};
use std::os::windows::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;

use lorefork::host::{
    ChatView as _, Host as _, HostError, HostErrorKind, Line, LineEdit, Piece, Written,
};
use lorefork::tavern::place::{ChatRef, Owner};
use lorefork_disk::{DiskHost, UserFolder};
use pollster::block_on;

use crate::folder::{Folder, mia};

const CHAT: &str = "chats/Mia/a.jsonl";
const TEXT: &str = "{\"h\":0}\r\n{\"a\":1}\r\n{\"b\":2}";

/// Holds a file so that nobody else may open it, as some editors and virus scanners do.
fn hold(path: &Path) -> File {
    OpenOptions::new().read(true).share_mode(0).open(path).unwrap()
}

fn edit(host: &DiskHost) -> Result<Written, HostError> {
    let chat = block_on(host.open(&mia("a")))?;
    let edits = [LineEdit { line: Line::Header, text: "{\"h\":1}\r".into() }];
    Ok(block_on(host.edit_chat(&chat, &edits)))
}

#[test]
fn who_holds_a_file_for_a_moment_is_waited_for() {
    let folder = Folder::new();
    folder.write(CHAT, TEXT);
    let held = hold(&folder.path(CHAT));
    let written = thread::scope(|scope| {
        scope.spawn(move || {
            thread::sleep(Duration::from_millis(30));
            drop(held);
        });
        edit(&folder.host())
    });
    assert!(matches!(written, Ok(Written::Done(_))), "{written:?}");
    assert_eq!(folder.read(CHAT), TEXT.replace("\"h\":0", "\"h\":1").as_bytes(), "line ends stay");
}

#[test]
fn who_holds_a_file_is_named_as_the_reason_and_nothing_is_changed() {
    let folder = Folder::new();
    folder.write(CHAT, TEXT);
    let held = hold(&folder.path(CHAT));
    let error = edit(&folder.host()).unwrap_err();
    // It cannot even be opened.
    assert_eq!(error.kind, HostErrorKind::ReadFailed);
    assert!(error.to_string().contains("another program has it open"), "{error}");
    drop(held);

    // May be read, but not replaced.
    const FILE_SHARE_READ: u32 = 1;
    let held =
        OpenOptions::new().read(true).share_mode(FILE_SHARE_READ).open(folder.path(CHAT)).unwrap();
    let Ok(Written::Refused(error)) = edit(&folder.host()) else { panic!("not refused") };
    assert!(error.to_string().contains("nother program"), "{error}");
    drop(held);
    assert_eq!(folder.read(CHAT), TEXT.as_bytes());
    let names: Vec<PathBuf> = folder.everything().into_iter().map(|(path, _)| path).collect();
    assert_eq!(names, [folder.path(CHAT)], "nothing is left behind");
}

#[test]
fn capital_letters_do_not_make_another_file() {
    let folder = Folder::new();
    folder.write(CHAT, TEXT);
    let host = folder.host();
    let chat = block_on(host.open(&mia("a"))).unwrap();
    let pieces = [Piece::Same(0..1)];
    let mut pieces = pieces.iter().cloned().map(Ok);
    let written = block_on(host.create_chat(&mia("A"), "{}", &mut pieces, &chat));
    let Written::Refused(error) = written else { panic!("{written:?}") };
    assert_eq!(error.kind, HostErrorKind::Exists);
    folder.write("worlds/Lore.json", "{}");
    let written = block_on(host.create_lorebook("LORE", "{\"entries\":{}}"));
    let Written::Refused(error) = written else { panic!("{written:?}") };
    assert_eq!(error.kind, HostErrorKind::Exists);
    assert_eq!(folder.read("worlds/Lore.json"), b"{}");
    assert_eq!(folder.read(CHAT), TEXT.as_bytes());
}

#[test]
fn names_of_devices_are_not_devices() {
    let folder = Folder::new();
    folder.write(CHAT, TEXT);
    let host = folder.host();
    for name in ["CON", "nul", "COM1", "aux.x"] {
        let kind = block_on(host.open(&mia(name))).unwrap_err().kind;
        assert_eq!(kind, HostErrorKind::Absent, "{name}");
        assert!(block_on(host.lorebook(name)).unwrap().is_none(), "{name}");
        let owner = Owner::Character(name.into());
        assert_eq!(block_on(host.chat_names(&owner)).unwrap(), Vec::<String>::new(), "{name}");
    }
    for name in [r"..\a", "a:b", r"a\b", "C:a"] {
        let kind = block_on(host.open(&mia(name))).unwrap_err().kind;
        assert_eq!(kind, HostErrorKind::Outside, "{name}");
    }
}

#[test]
fn a_path_may_be_longer_than_windows_likes() {
    let folder = Folder::new();
    let name = "n".repeat(120);
    let deep = fs::canonicalize(folder.path("")).unwrap().join(&name).join(&name);
    let character = "c".repeat(100);
    fs::create_dir_all(deep.join("chats").join(&character)).unwrap();
    fs::create_dir_all(deep.join("worlds")).unwrap();
    // Wine cannot look up such a path.
    const MORE_DATA: i32 = 234;
    if fs::canonicalize(&deep).is_err_and(|error| error.raw_os_error() == Some(MORE_DATA)) {
        return;
    }
    let chat = |name: &str| ChatRef::new(Owner::Character(character.clone()), name);
    fs::write(deep.join("chats").join(&character).join("a.jsonl"), TEXT).unwrap();

    let host = DiskHost::new(&UserFolder::at(&deep)).unwrap();
    let from = block_on(host.open(&chat("a"))).unwrap();
    let mut pieces = [Ok(Piece::Same(0..2))].into_iter();
    let written = block_on(host.create_chat(&chat("b"), "{}", &mut pieces, &from));
    assert!(matches!(written, Written::Done(_)), "{written:?}");
    assert_eq!(block_on(host.open(&chat("b"))).unwrap().len(), 2);
    block_on(host.note("0", "{}")).unwrap();
    assert_eq!(block_on(host.unfinished()).unwrap(), ["{}"]);
}
