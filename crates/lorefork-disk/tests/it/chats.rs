//! Opening, copying and changing chats and lorebooks.

use std::fs;

use lorefork::host::{
    ChatView as _, Host as _, HostErrorKind, Line, LineEdit, Piece, Stamp, Written,
};
use lorefork::tavern::place::{ChatRef, Owner};
use lorefork_disk::{DiskChat, DiskHost};
use pollster::block_on;
use proptest::prelude::*;

use crate::folder::{Folder, mia};

fn refused(written: &Written) -> HostErrorKind {
    match written {
        Written::Refused(error) => error.kind,
        other => panic!("not refused: {other:?}"),
    }
}

/// Creates a chat from pieces that are all at hand.
fn create(
    host: &DiskHost,
    to: &ChatRef,
    header: &str,
    pieces: &[Piece],
    from: &DiskChat,
) -> Written {
    block_on(host.create_chat(to, header, &mut pieces.iter().cloned().map(Ok), from))
}

fn done(written: Written) -> Stamp {
    match written {
        Written::Done(stamp) => stamp,
        other => panic!("not done: {other:?}"),
    }
}

#[test]
fn a_new_chat_has_no_blank_lines_and_no_line_break_at_the_end() {
    let folder = Folder::new();
    folder.write("chats/Mia/a.jsonl", "{\"h\":0}\n\n{\"a\":1}\r\n{\"b\":2}\n \n{\"c\":3}\n");
    let host = folder.host();
    let chat = block_on(host.open(&mia("a"))).unwrap();
    let pieces = [Piece::Same(0..2), Piece::Text("{\"x\":9}".into()), Piece::Same(2..3)];
    let stamp = done(create(&host, &mia("b"), "{\"h\":1}", &pieces, &chat));
    assert_eq!(
        folder.read("chats/Mia/b.jsonl"),
        b"{\"h\":1}\n{\"a\":1}\r\n{\"b\":2}\n{\"x\":9}\n{\"c\":3}"
    );
    let new = block_on(host.open(&mia("b"))).unwrap();
    assert_eq!(*new.stamp(), stamp);
    assert_eq!(new.len(), 4);
    let only_header = create(&host, &mia("c"), "{}", &[Piece::Same(1..1)], &chat);
    done(only_header);
    assert_eq!(folder.read("chats/Mia/c.jsonl"), b"{}");
}

#[test]
fn nothing_is_ever_replaced_by_something_new() {
    let folder = Folder::new();
    folder.write("chats/Mia/a.jsonl", "{}\n{}");
    folder.write("chats/Mia/b.jsonl", "precious");
    folder.write("worlds/lore.json", "precious");
    let host = folder.host();
    let chat = block_on(host.open(&mia("a"))).unwrap();
    let before = folder.everything();
    let chat = create(&host, &mia("b"), "{}", &[], &chat);
    assert_eq!(refused(&chat), HostErrorKind::Exists);
    let lorebook = block_on(host.create_lorebook("lore", "{}"));
    assert_eq!(refused(&lorebook), HostErrorKind::Exists);
    assert_eq!(folder.everything(), before);
}

#[test]
fn what_makes_no_sense_is_refused_and_writes_nothing() {
    let folder = Folder::new();
    folder.write("chats/Mia/a.jsonl", "{}\n{}");
    let host = folder.host();
    let chat = block_on(host.open(&mia("a"))).unwrap();
    let before = folder.everything();
    let try_create = |to: &ChatRef, header: &str, piece: Piece| {
        refused(&create(&host, to, header, &[piece], &chat))
    };
    let broken = "{}\n{}";
    assert_eq!(try_create(&mia("b"), "{}", Piece::Same(0..2)), HostErrorKind::WriteFailed);
    assert_eq!(try_create(&mia("b"), broken, Piece::Same(0..1)), HostErrorKind::WriteFailed);
    assert_eq!(try_create(&mia("b"), "{}", Piece::Text(broken.into())), HostErrorKind::WriteFailed);
    assert_eq!(try_create(&mia("../b"), "{}", Piece::Same(0..1)), HostErrorKind::Outside);
    let nobody = ChatRef::new(Owner::Character("Nobody".into()), "b");
    assert_eq!(try_create(&nobody, "{}", Piece::Same(0..1)), HostErrorKind::Absent);
    let edit = |line| LineEdit { line, text: "{}".into() };
    for edits in [
        vec![edit(Line::Message(1))],
        vec![edit(Line::Header), edit(Line::Header)],
        vec![LineEdit { line: Line::Header, text: broken.into() }],
    ] {
        assert_eq!(refused(&block_on(host.edit_chat(&chat, &edits))), HostErrorKind::WriteFailed);
    }
    assert_eq!(folder.everything(), before);
}

#[test]
fn a_chat_that_somebody_changed_is_left_alone() {
    let folder = Folder::new();
    let host = folder.host();
    let edits = [LineEdit { line: Line::Header, text: "{\"mine\":1}".into() }];
    for how in ["replaced", "in place", "removed"] {
        folder.write("chats/Mia/a.jsonl", "{}\n{}");
        let chat = block_on(host.open(&mia("a"))).unwrap();
        match how {
            "replaced" if folder.replace_open("chats/Mia/a.jsonl", "{}\n[]") => {}
            "replaced" => continue,
            "in place" => folder.write("chats/Mia/a.jsonl", "{}\n{}\n{}"),
            _ => {
                fs::remove_file(folder.path("chats/Mia/a.jsonl")).unwrap();
                // Wine removes it once nobody has it open.
                if cfg!(windows) && folder.path("chats/Mia/a.jsonl").exists() {
                    continue;
                }
            }
        }
        let before = folder.everything();
        assert_eq!(
            refused(&block_on(host.edit_chat(&chat, &edits))),
            HostErrorKind::Changed,
            "{how}"
        );
        if how == "in place" {
            // What would be copied is not what was judged.
            let new = create(&host, &mia("b"), "{}", &[Piece::Same(0..1)], &chat);
            assert_eq!(refused(&new), HostErrorKind::Changed);
        }
        assert_eq!(folder.everything(), before, "{how}");
    }
}

#[test]
fn a_replaced_chat_can_still_be_forked_as_it_was() {
    let folder = Folder::new();
    folder.write("chats/Mia/a.jsonl", "{}\n{\"old\":1}");
    let host = folder.host();
    let chat = block_on(host.open(&mia("a"))).unwrap();
    if !folder.replace_open("chats/Mia/a.jsonl", "{}\n{\"new\":1}") {
        return;
    }
    done(create(&host, &mia("b"), "{}", &[Piece::Same(0..1)], &chat));
    assert_eq!(folder.read("chats/Mia/b.jsonl"), b"{}\n{\"old\":1}");
}

#[test]
fn times_in_whole_seconds_prove_nothing_so_the_content_does() {
    let folder = Folder::new();
    let host = folder.host();
    let second = std::time::UNIX_EPOCH + std::time::Duration::from_secs(1_700_000_000);
    let write = |text: &str| {
        folder.write("chats/Mia/a.jsonl", text);
        let file = fs::File::options().write(true).open(folder.path("chats/Mia/a.jsonl")).unwrap();
        file.set_modified(second).unwrap();
        block_on(host.open(&mia("a"))).unwrap()
    };
    let one = write("{}\n{\"a\":1}");
    assert_eq!(one.stamp(), write("{}\n{\"a\":1}").stamp());
    assert_ne!(one.stamp(), write("{}\n{\"a\":2}").stamp());
}

#[test]
fn only_what_is_still_ours_is_removed() {
    let folder = Folder::new();
    folder.write("chats/Mia/a.jsonl", "{}\n{}");
    let host = folder.host();
    let chat = block_on(host.open(&mia("a"))).unwrap();
    let stamp = done(create(&host, &mia("b"), "{}", &[], &chat));
    let lore = done(block_on(host.create_lorebook("lore", "{1}")));

    assert_eq!(refused(&block_on(host.remove_lorebook("lore", &stamp))), HostErrorKind::Changed);
    assert_eq!(refused(&block_on(host.remove_chat(&mia("a"), &stamp))), HostErrorKind::Changed);
    done(block_on(host.remove_lorebook("lore", &lore)));
    done(block_on(host.remove_chat(&mia("b"), &stamp)));
    assert_eq!(refused(&block_on(host.remove_lorebook("lore", &lore))), HostErrorKind::Absent);
    assert_eq!(refused(&block_on(host.remove_chat(&mia("b"), &stamp))), HostErrorKind::Absent);
    assert_eq!(folder.everything().len(), 1);
}

#[test]
fn lorebooks_are_found_by_the_name_somebody_typed() {
    let folder = Folder::new();
    folder.write("worlds/My Lore.json", "{}");
    folder.write("worlds/Odd.JSON", "{}");
    folder.write("worlds/broken.json", b"\xff");
    let host = folder.host();
    assert_eq!(block_on(host.lorebook("My: Lore?")).unwrap().unwrap().text, "{}");
    for absent in ["nothing", "../settings", "con", ""] {
        assert_eq!(block_on(host.lorebook(absent)).unwrap(), None, "{absent}");
    }
    assert_eq!(block_on(host.lorebook("broken")).unwrap_err().kind, HostErrorKind::Damaged);
    assert_eq!(block_on(host.lorebook_names()).unwrap(), ["My Lore", "Odd", "broken"]);
}

#[test]
fn a_group_is_replaced_only_as_it_was_seen() {
    let folder = Folder::new();
    folder.write("groups/1.json", "{\"chats\":[]}");
    let host = folder.host();
    let seen = block_on(host.group("1")).unwrap().unwrap();
    assert_eq!(block_on(host.group("2")).unwrap(), None);
    let stamp = done(block_on(host.replace_group("1", "{}", &seen.stamp)));
    assert_eq!(block_on(host.group("1")).unwrap().unwrap().stamp, stamp);
    let again = block_on(host.replace_group("1", "{}", &seen.stamp));
    assert_eq!(refused(&again), HostErrorKind::Changed);
    let absent = block_on(host.replace_group("2", "{}", &seen.stamp));
    assert_eq!(refused(&absent), HostErrorKind::Absent);
}

#[test]
fn headers_that_name_something() {
    let folder = Folder::new();
    folder.write("chats/Mia/a.jsonl", "\n{\"world\":\"lore\"}\n{\"x\":\"other\"}");
    folder.write("chats/Mia/b.jsonl", "{\"world\":\"other\"}");
    folder.write("chats/Eve/a.jsonl", "{\"world\":\"lore 2\"}\r\n");
    folder.write("chats/Mia/empty.jsonl", "");
    folder.write("chats/loose.jsonl", "{\"world\":\"lore\"}");
    folder.write("group chats/g.jsonl", "{\"world\":\"lore\"}");
    folder.write("group chats/nobody's.jsonl", "{\"world\":\"lore\"}");
    folder.write("groups/7.json", r#"{"name":"G","chats":["g?"]}"#);
    folder.write("groups/8.json", "broken");
    let found = |text: &str| -> Vec<_> {
        let headers = block_on(folder.host().headers(&|one| one.header.contains(text))).unwrap();
        headers.into_iter().map(|one| format!("{} {}", one.chat, one.header)).collect()
    };
    assert_eq!(
        found("lore"),
        [
            "Eve/a {\"world\":\"lore 2\"}\r",
            "Mia/a {\"world\":\"lore\"}",
            "group:7/g {\"world\":\"lore\"}",
            "group:/nobody's {\"world\":\"lore\"}",
        ]
    );
    assert_eq!(found("\"other\"").len(), 1);
    assert_eq!(found("nowhere").len(), 0);
}

#[cfg(unix)]
#[test]
fn links_that_lead_out_or_in_a_circle_are_refused_and_nothing_is_written() {
    use std::os::unix::fs::symlink;
    let elsewhere = Folder::new();
    elsewhere.write("chats/Mia/a.jsonl", "{}\n{}");
    let folder = Folder::new();
    folder.write("chats/Mia/a.jsonl", "{}\n{}");
    let host = folder.host();
    let chat = block_on(host.open(&mia("a"))).unwrap();
    symlink(elsewhere.path("chats/Mia"), folder.path("chats/Out")).unwrap();
    symlink("Circle", folder.path("chats/Circle")).unwrap();
    fs::remove_dir(folder.path("worlds")).unwrap();
    symlink(elsewhere.path("worlds"), folder.path("worlds")).unwrap();
    let before = (folder.everything(), elsewhere.everything());
    for owner in ["Out", "Circle"] {
        let there = ChatRef::new(Owner::Character(owner.into()), "a");
        assert_eq!(block_on(host.open(&there)).unwrap_err().kind, HostErrorKind::Outside);
        let new = create(&host, &there.sibling("b"), "{}", &[], &chat);
        assert_eq!(refused(&new), HostErrorKind::Outside);
    }
    let lorebook = block_on(host.create_lorebook("lore", "{}"));
    assert_eq!(refused(&lorebook), HostErrorKind::Outside);
    assert_eq!((folder.everything(), elsewhere.everything()), before);
}

fn lines() -> impl Strategy<Value = (String, Vec<String>)> {
    let line = prop_oneof![
        4 => r#"\{"[a-zé日]{0,30}":[0-9]{1,4}\}\r?"#,
        1 => r"[ \r]{0,2}",
    ];
    (prop::collection::vec(line, 0..30), any::<bool>()).prop_map(|(lines, ends)| {
        let text = format!("{{}}\n{}{}", lines.join("\n"), if ends { "\n" } else { "" });
        let messages = lines.into_iter().filter(|line| !line.trim().is_empty()).collect();
        (text, messages)
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn copied_messages_are_the_same_bytes((text, messages) in lines(), from: usize, to: usize) {
        let folder = Folder::new();
        folder.write("chats/Mia/a.jsonl", &text);
        let host = folder.host();
        let chat = block_on(host.open(&mia("a"))).unwrap();
        prop_assert_eq!(chat.len(), messages.len());
        let to = to % (messages.len() + 1);
        let from = from % (to + 1);
        done(create(&host, &mia("b"), "{}", &[Piece::Same(from..to)], &chat));
        let mut expected = vec!["{}".to_owned()];
        expected.extend_from_slice(&messages[from..to]);
        prop_assert_eq!(folder.read("chats/Mia/b.jsonl"), expected.join("\n").into_bytes());
        prop_assert_eq!(folder.read("chats/Mia/a.jsonl"), text.into_bytes());
    }

    #[test]
    fn lines_that_are_not_edited_are_the_same_bytes((text, messages) in lines(), which: Vec<bool>) {
        let folder = Folder::new();
        folder.write("chats/Mia/a.jsonl", &text);
        let host = folder.host();
        let chat = block_on(host.open(&mia("a"))).unwrap();
        let mut edits = vec![LineEdit { line: Line::Header, text: "{\"new\":\"header\"}".into() }];
        for (message, _) in messages.iter().enumerate().filter(|(i, _)| which.get(*i) == Some(&true)) {
            edits.insert(0, LineEdit { line: Line::Message(message), text: format!("<{message}>") });
        }
        let stamp = done(block_on(host.edit_chat(&chat, &edits)));

        // The same by a simple walk over the lines.
        let mut next = 0;
        let expected: Vec<_> = text.split('\n').enumerate().map(|(number, line)| {
            if number == 0 {
                return "{\"new\":\"header\"}".to_owned();
            }
            if line.trim().is_empty() {
                return line.to_owned();
            }
            next += 1;
            if which.get(next - 1) == Some(&true) { format!("<{}>", next - 1) } else { line.into() }
        }).collect();
        prop_assert_eq!(folder.read("chats/Mia/a.jsonl"), expected.join("\n").into_bytes());
        // What was seen is gone, what was written is there.
        prop_assert_eq!(refused(&block_on(host.edit_chat(&chat, &edits))), HostErrorKind::Changed);
        let now = block_on(host.open(&mia("a"))).unwrap();
        prop_assert_eq!(now.stamp(), &stamp);
    }
}
