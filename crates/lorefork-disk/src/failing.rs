//! Whatever call fails, nothing of the user's is harmed, and the words are right.

use std::io::ErrorKind;

use lorefork::host::{ChatView as _, Host as _, HostError, Line, LineEdit, Piece, Written};
use lorefork::tavern::place::{ChatRef, Owner};
use pollster::block_on;

use crate::fs::points;
use crate::write::is_temporary;
use crate::{DiskHost, UserFolder};

const OLD: &str = "{\"h\":0}\n{\"a\":1}\n{\"b\":2}";
const EDITED: &str = "{\"h\":1}\n{\"a\":1}\n{\"b\":2}";
const NEW: &str = "{\"h\":9}\n{\"a\":1}";

struct Scene {
    folder: tempfile::TempDir,
    host: DiskHost,
}

impl Scene {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir_all(folder.path().join("chats/Mia")).unwrap();
        std::fs::create_dir(folder.path().join("worlds")).unwrap();
        std::fs::write(folder.path().join("chats/Mia/a.jsonl"), OLD).unwrap();
        let host = DiskHost::new(&UserFolder::at(folder.path())).unwrap();
        Self { folder, host }
    }

    fn read(&self, file: &str) -> Option<String> {
        std::fs::read_to_string(self.folder.path().join(file)).ok()
    }

    fn temporary_files(&self, folder: &str) -> Vec<String> {
        let names = crate::fs::names(&self.folder.path().join(folder)).unwrap_or_default();
        names.into_iter().filter(|name| is_temporary(name)).collect()
    }
}

fn mia(name: &str) -> ChatRef {
    ChatRef::new(Owner::Character("Mia".into()), name)
}

/// All changes of a fork, one after the other, until one does not succeed.
fn fork(host: &DiskHost) -> Result<(), Written> {
    let refused = Written::Refused;
    let done = |written| if let Written::Done(_) = written { Ok(()) } else { Err(written) };
    let _claim = block_on(host.claim("test")).map_err(refused)?;
    let chat = block_on(host.open(&mia("a"))).map_err(refused)?;
    block_on(host.note("id", "{}")).map_err(refused)?;
    done(block_on(host.create_lorebook("lore", "{\"entries\":{}}")))?;
    let mut pieces = [Ok(Piece::Same(0..1))].into_iter();
    done(block_on(host.create_chat(&mia("b"), "{\"h\":9}", &mut pieces, &chat)))?;
    let header = LineEdit { line: Line::Header, text: "{\"h\":1}".into() };
    done(block_on(host.edit_chat(&chat, &[header])))?;
    assert_eq!(chat.len(), 2);
    block_on(host.log("id", "{}")).map_err(refused)?;
    block_on(host.forget("id")).map_err(refused)
}

#[test]
fn a_failure_at_any_call_harms_nothing() {
    for kind in [ErrorKind::StorageFull, ErrorKind::PermissionDenied, ErrorKind::Other] {
        for n in 1.. {
            let scene = Scene::new();
            points::fail_at(n, kind);
            let result = fork(&scene.host);
            let passed = points::stop_failing();
            let parent = scene.read("chats/Mia/a.jsonl").unwrap();
            assert!(parent == OLD || parent == EDITED, "{n}: {parent}");
            let new = scene.read("chats/Mia/b.jsonl");
            assert!(new.is_none() || new.as_deref() == Some(NEW), "{n}: {new:?}");
            if let Err(Written::Refused(error)) = &result {
                assert!(says_why(kind, error), "{n}: {error}");
            }
            if result.is_ok() {
                assert_eq!((parent.as_str(), new.as_deref()), (EDITED, Some(NEW)));
            }

            // Whatever stayed is gone once the intent is forgotten by the next process.
            let next = DiskHost::new(&UserFolder::at(scene.folder.path())).unwrap();
            block_on(next.forget("id")).unwrap();
            for folder in ["worlds", "chats/Mia", "lorefork", "lorefork/operations/intents"] {
                assert_eq!(scene.temporary_files(folder), [""; 0], "{n}");
            }
            if passed < n {
                assert!(result.is_ok());
                break;
            }
        }
    }
}

fn says_why(kind: ErrorKind, error: &HostError) -> bool {
    match kind {
        ErrorKind::StorageFull => error.to_string().contains("no space is left"),
        ErrorKind::PermissionDenied => error.to_string().contains("permission denied"),
        _ => true,
    }
}

#[test]
fn a_read_only_disk_is_named_as_such() {
    let scene = Scene::new();
    points::fail_at(1, ErrorKind::ReadOnlyFilesystem);
    let written = block_on(scene.host.create_lorebook("lore", "{}"));
    points::stop_failing();
    let Written::Refused(error) = written else { panic!("{written:?}") };
    assert_eq!(error.file.as_deref(), Some("worlds/lore.json"));
    assert!(error.to_string().contains("read-only"), "{error}");
}

/// Without hard links a name is taken before it is filled. Here the process ends in between.
#[test]
fn a_name_that_was_only_taken_is_given_back() {
    let scene = Scene::new();
    let temporary = ".lorefork-00ff.tmp";
    for (file, text) in [(temporary, NEW), ("b.jsonl", temporary), ("c.jsonl", "mine")] {
        std::fs::write(scene.folder.path().join("chats/Mia").join(file), text).unwrap();
    }
    block_on(scene.host.forget("id")).unwrap();
    let left = crate::fs::names(&scene.folder.path().join("chats/Mia")).unwrap();
    assert_eq!(left, ["a.jsonl", "c.jsonl"]);
}
