//! What is named and not read: pipes, devices, files that are too large.

use lorefork::host::{Host as _, HostErrorKind};
use pollster::block_on;

use crate::folder::Folder;

#[cfg(unix)]
#[test]
fn pipes_and_devices_are_named_and_not_read() {
    use std::os::unix::fs::symlink;

    use crate::folder::mia;
    let folder = Folder::new();
    folder.write("chats/Mia/a.jsonl", "{\"chat_metadata\":{}}\n{}");
    folder.write("worlds/lore.json", "{\"entries\":{}}");
    for file in ["chats/Mia/pipe.jsonl", "worlds/pipe.json", "groups/pipe.json"] {
        let made = std::process::Command::new("mkfifo").arg(folder.path(file)).status();
        assert!(made.unwrap().success());
    }
    symlink("pipe.jsonl", folder.path("chats/Mia/link.jsonl")).unwrap();
    symlink("/dev/zero", folder.path("chats/Mia/zero.jsonl")).unwrap();
    symlink("/dev/zero", folder.path("worlds/zero.json")).unwrap();
    symlink("/dev/zero", folder.path("characters/zero.png")).unwrap();
    symlink("/dev/zero", folder.path("settings.json")).unwrap();

    let host = folder.host();
    let facts = host.facts().unwrap();
    for chat in &facts.chats {
        let trouble = chat.trouble.as_ref().map(ToString::to_string).unwrap_or_default();
        assert_eq!(chat.chat.name != "a", trouble.contains("a pipe or a device"), "{trouble}");
    }
    for book in &facts.lorebooks {
        let is_read = book.book.is_ok();
        assert_eq!(book.name == "lore", is_read, "{}", book.name);
    }
    assert_eq!((facts.chats.len(), facts.lorebooks.len()), (4, 3));
    let names = |chats: Vec<lorefork::host::HeaderOf>| -> Vec<String> {
        chats.into_iter().map(|header| header.chat.name).collect()
    };
    assert_eq!(names(block_on(host.headers(&|_| true)).unwrap()), ["a"]);
    for chat in ["pipe", "link"] {
        let error = block_on(host.open(&mia(chat))).unwrap_err();
        assert!(error.to_string().contains("a pipe or a device"), "{error}");
    }
    let error = block_on(host.lorebook("pipe")).unwrap_err();
    assert!(error.to_string().contains("a pipe or a device"), "{error}");
}

#[test]
fn a_lorebook_that_is_too_large_is_named_and_not_read() {
    let folder = Folder::new();
    folder.write("worlds/large.json", "");
    let file = std::fs::File::options().write(true).open(folder.path("worlds/large.json")).unwrap();
    // All of it is a hole.
    file.set_len(1 << 40).unwrap();
    let host = folder.host();
    let error = block_on(host.lorebook("large")).unwrap_err();
    assert_eq!(error.kind, HostErrorKind::Damaged);
    assert!(error.to_string().contains("larger than 256 MB"), "{error}");
    let facts = host.facts().unwrap();
    assert!(
        facts.lorebooks[0].book.as_ref().unwrap_err().to_string().contains("larger than 256 MB")
    );
}
