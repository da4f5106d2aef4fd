//! What a person writes for a chat.

use std::path::Path;

use lorefork::tavern::place::{ChatRef, Owner};
use lorefork_disk::{Root, SelectError, select};

use crate::folder::{Folder, mia};

fn folder() -> Folder {
    let folder = Folder::new();
    for file in ["Mia/Day one", "Mia/Day two", "Eve/Day one", "Eve/v1.5", "Eve/Only Eve"] {
        folder.write(&format!("chats/{file}.jsonl"), "{}");
    }
    for file in ["g one", "g two", "nobody's"] {
        folder.write(&format!("group chats/{file}.jsonl"), "{}");
    }
    folder.write(
        "groups/17.json",
        r#"{"name":"The Crew","chat_id":"g: two","chats":["g one","g: two"]}"#,
    );
    folder
        .write("groups/18.json", r#"{"name":"Others","chat_id":"gone","chats":["gone","g one"]}"#);
    folder.write(
        "characters/Eve.png",
        card(r#"{"spec":"chara_card_v2","data":{"name":"Evelyn/Eve"}}"#),
    );
    folder
}

/// The smallest picture that holds a card.
fn card(json: &str) -> Vec<u8> {
    fn chunk(kind: &str, data: &[u8]) -> Vec<u8> {
        let checked = [kind.as_bytes(), data].concat();
        let mut crc = u32::MAX;
        for byte in &checked {
            crc ^= u32::from(*byte);
            for _ in 0..8 {
                crc = (crc >> 1) ^ if crc & 1 == 1 { 0xedb8_8320 } else { 0 };
            }
        }
        let length = u32::try_from(data.len()).unwrap().to_be_bytes();
        [&length[..], &checked, &(!crc).to_be_bytes()].concat()
    }
    fn base64(bytes: &[u8]) -> String {
        let digits = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
        let digits_of = |three: &[u8]| {
            let bits = three.iter().fold(0_u32, |bits, byte| bits << 8 | u32::from(*byte))
                << (8 * (3 - three.len()));
            let count = three.len() + 1;
            (0..count).map(|i| char::from(digits[(bits >> (18 - 6 * i)) as usize & 63])).collect()
        };
        bytes.chunks(3).map(digits_of).collect::<Vec<String>>().concat()
    }
    let text = format!("chara\0{}", base64(json.as_bytes()));
    let signature = b"\x89PNG\r\n\x1a\n".to_vec();
    [signature, chunk("IHDR", &[0; 13]), chunk("tEXt", text.as_bytes()), chunk("IEND", b"")]
        .concat()
}

fn eve(name: &str) -> ChatRef {
    ChatRef::new(Owner::Character("Eve".into()), name)
}

fn crew(name: &str) -> ChatRef {
    ChatRef::new(Owner::Group("17".into()), name)
}

fn try_find(folder: &Folder, selector: &str) -> Result<ChatRef, SelectError> {
    select(&[folder.user()], selector, &folder.path("chats")).map(|(_, chat)| chat)
}

#[test]
fn every_way_to_say_it() {
    let folder = folder();
    let absolute = folder.path("chats/Mia/Day one.jsonl").display().to_string();
    for (selector, chat) in [
        (absolute.as_str(), mia("Day one")),
        ("Mia/Day one.jsonl", mia("Day one")),
        ("../chats/Mia/./Day one.jsonl", mia("Day one")),
        ("chats/Mia/Day one.jsonl", mia("Day one")),
        ("group chats/g one.jsonl", crew("g one")),
        ("Mia/Day one", mia("Day one")),
        ("mia/day ONE", mia("Day one")),
        ("Evelyn/Eve/Day one", eve("Day one")),
        ("Day two", mia("Day two")),
        ("day two", mia("Day two")),
        ("v1.5", eve("v1.5")),
        ("g one", crew("g one")),
        ("group:The Crew", crew("g two")),
        ("group:17", crew("g two")),
        ("group:the crew", crew("g two")),
        ("group:The Crew/g one", crew("g one")),
        ("group:17/G ONE", crew("g one")),
        ("group:Others/g one", ChatRef::new(Owner::Group("18".into()), "g one")),
    ] {
        assert_eq!(try_find(&folder, selector).unwrap(), chat, "{selector}");
    }
}

#[test]
fn several_and_none_list_what_there_is() {
    let folder = folder();
    let error = try_find(&folder, "Day one").unwrap_err();
    assert!(matches!(error, SelectError::Ambiguous { .. }));
    assert_eq!(error.candidates(), ["Eve/Day one", "Mia/Day one"]);

    let error = try_find(&folder, "only one").unwrap_err();
    assert!(matches!(error, SelectError::Unknown { .. }));
    assert_eq!(error.candidates()[0], "Eve/Only Eve");
    assert!(error.candidates().len() > 5);
    assert!(error.hint().unwrap().contains("list"));

    for selector in
        ["group:Nobody", "group:Others", "group:Others/g two", "Mia/v1.5", "x.jsonl", "", "/"]
    {
        let error = try_find(&folder, selector).unwrap_err();
        assert!(matches!(error, SelectError::Unknown { .. }), "{selector}");
    }
    let candidates = try_find(&folder, "group:crews").unwrap_err().candidates().to_vec();
    assert!(candidates.iter().any(|label| label.starts_with("group:The Crew/")), "{candidates:?}");
}

#[test]
fn a_part_of_a_name_is_enough_if_only_one_has_it() {
    let folder = folder();
    for (selector, chat) in [
        ("only", eve("Only Eve")),
        ("AY TWO", mia("Day two")),
        ("ev/1.5", eve("v1.5")),
        ("Mia/one", mia("Day one")),
        ("Evelyn/only", eve("Only Eve")),
        ("group:crew", crew("g two")),
        ("group:Crew/one", crew("g one")),
        ("The Crew/g one", crew("g one")),
    ] {
        assert_eq!(try_find(&folder, selector).unwrap(), chat, "{selector}");
    }
    let error = try_find(&folder, "one").unwrap_err();
    assert!(matches!(error, SelectError::Ambiguous { .. }), "{error}");
    assert_eq!(error.candidates(), ["Eve/Day one", "Mia/Day one", "group:The Crew/g one"]);
}

#[test]
fn a_whole_name_wins_over_a_part_and_a_file_is_no_part() {
    let folder = folder();
    folder.write("chats/Mia/Day.jsonl", "{}");
    folder.write("chats/Mia2/Day one, again.jsonl", "{}");
    assert_eq!(try_find(&folder, "Day").unwrap(), mia("Day"));
    assert_eq!(try_find(&folder, "day").unwrap(), mia("Day"));
    // The owner is named whole here, and only in part there.
    assert_eq!(try_find(&folder, "Mia/y on").unwrap(), mia("Day one"));
    assert!(matches!(try_find(&folder, "only.jsonl"), Err(SelectError::Unknown { .. })));
    // Here the one is named whole, there the other.
    folder.write("chats/Mia2/two.jsonl", "{}");
    let error = try_find(&folder, "Mia/two").unwrap_err();
    assert_eq!(error.candidates(), ["Mia/Day two", "Mia2/two"]);
}

#[test]
fn more_than_can_be_listed_are_counted() {
    let folder = Folder::new();
    for number in 10..35 {
        folder.write(&format!("chats/Mia/Day {number}.jsonl"), "{}");
    }
    let error = try_find(&folder, "Day").unwrap_err();
    assert_eq!((error.candidates().len(), error.further()), (10, 15));
}

#[test]
fn chats_that_are_nobodys_or_elsewhere_say_so() {
    let folder = folder();
    for selector in ["nobody's", "group chats/nobody's.jsonl"] {
        let error = try_find(&folder, selector).unwrap_err();
        assert!(error.to_string().contains("group chats/nobody's.jsonl"), "{error}");
    }
    let other = self::folder();
    let path = other.path("chats/Mia/Day one.jsonl").display().to_string();
    assert!(matches!(try_find(&folder, &path), Err(SelectError::Elsewhere { .. })));
    other.write("Day one.jsonl", "");
    let path = other.path("Day one.jsonl").display().to_string();
    assert!(matches!(try_find(&other, &path), Err(SelectError::Elsewhere { .. })));
}

#[test]
fn all_users_are_searched() {
    let root = Folder::new();
    for file in ["bob/chats/Mia/a", "bob/chats/Mia/b", "eve/chats/Mia/a"] {
        root.write(&format!("data/{file}.jsonl"), "{}");
        std::fs::create_dir_all(root.path("data").join(&file[..3]).join("worlds")).unwrap();
    }
    let root = Root::find(Some(Path::new("data")), &root.path("")).unwrap();
    let (user, chat) = select(root.users(), "b", Path::new("/")).unwrap();
    assert_eq!((user.handle.as_str(), chat), ("bob", mia("b")));
    let error = select(root.users(), "Mia/a", Path::new("/")).unwrap_err();
    assert_eq!(error.candidates(), ["bob/Mia/a", "eve/Mia/a"]);
    for selector in ["eve/Mia/a", "eve/a", "eve/chats/Mia/a.jsonl", "eve/mi/A"] {
        let (user, chat) = select(root.users(), selector, Path::new("/")).unwrap();
        assert_eq!((user.handle.as_str(), chat), ("eve", mia("a")), "{selector}");
    }
    let eve = [root.user("eve").unwrap().clone()];
    assert_eq!(select(&eve, "Mia/a", Path::new("/")).unwrap().0.handle, "eve");
}

#[cfg(unix)]
#[test]
fn a_user_folder_that_leads_out_of_the_root_is_refused_but_may_be_named_itself() {
    use lorefork::host::HostErrorKind;
    use lorefork_disk::{DiskHost, UserFolder};
    let elsewhere = folder();
    let root = Folder::new();
    std::fs::create_dir(root.path("data")).unwrap();
    std::os::unix::fs::symlink(elsewhere.path(""), root.path("data/bob")).unwrap();
    let find = |start: &str| Root::find(Some(&root.path(start)), Path::new("/")).unwrap();
    let host = |user: &UserFolder| DiskHost::new(user);
    let error = host(find("data").user("bob").unwrap()).err().unwrap();
    assert_eq!(error.kind, HostErrorKind::Outside);
    assert!(error.to_string().contains("--root"));
    assert!(host(&find("data/bob").users()[0]).is_ok());
}
