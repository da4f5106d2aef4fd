//! Finding, untangling and taking back, as a person or a script meets it (issue 5).

use std::fs;
use std::path::Path;

use insta::assert_snapshot;
use serde_json::Value;

use crate::folder::{Folder, files, quoted_alike, run, without_ids};

const MAIN: &str = "chats/Tamsin/The Frozen Harbour.jsonl";

/// The demo's folder, in which a family shares a lorebook.
struct Tangled {
    place: tempfile::TempDir,
}

impl Tangled {
    fn new() -> Self {
        let place = tempfile::tempdir().unwrap();
        assert_eq!(run(place.path(), &["demo"]).code, 0);
        Self { place }
    }

    fn run(&self, arguments: &[&str]) -> crate::folder::Run {
        run(self.place.path(), &[&["--root", "lorefork-demo"], arguments].concat())
    }

    fn file(&self, name: &str) -> std::path::PathBuf {
        self.place.path().join("lorefork-demo/default-user").join(name)
    }

    /// What a command says, without the id of the newest operation, which is another one each time.
    fn shown_without_id(&self, arguments: &[&str]) -> String {
        let log = self.run(&["log", "--json"]).json();
        let id = log["operations"][0]["id"].as_str().unwrap().split('-').next().unwrap().to_owned();
        self.run(arguments).shown().replace(&format!(" {id} "), " ···· ")
    }

    /// Chats and lorebooks, with their bytes.
    fn stories(&self) -> Vec<(String, Vec<u8>)> {
        let all = files(self.place.path()).into_iter();
        all.filter(|(path, _)| !path.contains("/lorefork/")).collect()
    }
}

fn lines(path: &Path) -> Vec<String> {
    fs::read_to_string(path).unwrap().split('\n').map(str::to_owned).collect()
}

/// Also of what is cured by the repair of something else.
#[test]
fn all_that_check_names_is_in_the_preview() {
    let tangled = Tangled::new();
    let named = |typed: &[&str], list: &str| -> Vec<(Value, Value)> {
        let json = tangled.run(typed).json();
        let all = json[list].as_array().unwrap().iter();
        all.map(|found| (found["code"].clone(), found["chat"].clone())).collect()
    };
    let found = named(&["check", "--json"], "problems");
    assert!(found.iter().any(|(code, _)| code == "RECAP_FROM_THE_FUTURE"), "{found:?}");
    let planned = named(&["fix", "--json"], "steps");
    assert!(found.iter().all(|one| planned.contains(one)), "{found:?} {planned:?}");
    assert_eq!(named(&["fix", "--apply", "--json"], "steps"), planned);
    // It is still called what it is.
    assert_eq!(tangled.run(&["log", "--json"]).json()["operations"][0]["what"], "untangle");
}

#[test]
fn fix_shows_what_it_would_do_and_writes_nothing() {
    let tangled = Tangled::new();
    let before = tangled.stories();
    let plan = tangled.run(&["fix", "--only", "SHARED_LOREBOOK"]);
    assert_snapshot!("fix-plan", plan.shown());
    let json = tangled.run(&["fix", "--json"]).json();
    assert_eq!((&json["applied"], &json["operations"]), (&false.into(), &Value::Array(vec![])));
    let step = &json["steps"][0];
    assert_eq!((&step["code"], &step["left"]), (&"SHARED_LOREBOOK".into(), &Value::Null));
    let timelines = step["timelines"].as_array().unwrap();
    assert_eq!(timelines.len(), 3);
    let branch =
        timelines.iter().find(|own| own["chat"] == "Tamsin/The Frozen Harbour - Branch #1");
    assert_eq!(branch.unwrap()["left_out"][0]["name"], "item-Silver bell");
    assert_eq!(tangled.stories(), before);
}

#[test]
fn what_was_done_is_told_and_taken_back_in_json_too() {
    let tangled = Tangled::new();
    let before = tangled.stories();
    let fixed = tangled.run(&["fix", "--apply", "--json"]).json();
    assert_eq!(fixed["applied"], true);
    let [id] = fixed["operations"].as_array().unwrap().as_slice() else { panic!("{fixed}") };
    let log = tangled.run(&["log", "--json"]).json();
    let newest = &log["operations"][0];
    assert_eq!((&newest["id"], &newest["what"]), (id, &"untangle".into()));
    assert_eq!(newest["files"].as_array().unwrap().len(), 6, "3 lorebooks and 3 chats");
    assert_eq!((&newest["undone"], &newest["user"]), (&false.into(), &"default-user".into()));
    let plan = tangled.run(&["undo", "--json"]).json();
    assert_eq!((&plan["would_undo"], plan["files"].as_array().unwrap().len()), (id, 6));
    assert_snapshot!("undo-plan", tangled.shown_without_id(&["undo"]));
    let undone = tangled.run(&["undo", "--apply", "--json"]).json();
    assert_eq!((&undone["undid"], &undone["what"]), (id, &"untangle".into()));
    assert_eq!(tangled.stories(), before);
    let log = tangled.run(&["log", "--json"]).json();
    assert_eq!(log["operations"][1]["undone"], true);
    assert_eq!(tangled.run(&["undo", id.as_str().unwrap()]).code, 1, "undone already");
}

#[test]
fn what_cannot_come_back_is_saved_beside() {
    let tangled = Tangled::new();
    let former = lines(&tangled.file(MAIN));
    assert_eq!(tangled.run(&["fix", "--apply"]).code, 0);
    // SillyTavern goes on with the chat, which changes its first line.
    let mut now = lines(&tangled.file(MAIN));
    now[0] = now[0].replacen(r#""tainted":true"#, r#""tainted":true,"variables":{"x":1}"#, 1);
    now.push(r#"{"name":"Rook","is_user":true,"mes":"And then?"}"#.to_owned());
    fs::write(tangled.file(MAIN), now.join("\n")).unwrap();
    let before = tangled.stories();
    assert_snapshot!("undo-refused", tangled.shown_without_id(&["undo", "--apply"]));
    assert_eq!(tangled.stories(), before);

    let saved = tangled.run(&["undo", "--save-beside", "--json"]).json();
    let book = saved["lorebooks"][0].as_str().unwrap();
    assert!(tangled.file(&format!("worlds/{book}.json")).is_file(), "{saved}");
    let chats = saved["chats"].as_array().unwrap();
    let name = chats
        .iter()
        .filter_map(Value::as_str)
        .find(|name| name.starts_with("The Frozen Harbour before "));
    let path = tangled.file(&format!("chats/Tamsin/{}.jsonl", name.unwrap()));
    let mut beside = lines(&path);
    assert_eq!(beside.pop(), now.pop(), "what came since is there, too");
    assert_eq!(beside[1..], former[1..]);
    let header: Value = serde_json::from_str(&beside[0]).unwrap();
    assert_eq!(header["chat_metadata"]["world_info"], book);
    let checked = tangled.run(&["check", name.unwrap(), "--json"]).json();
    for problem in checked["problems"].as_array().unwrap() {
        assert_eq!(problem["code"], "SHARED_LOREBOOK", "only what was wrong before: {problem}");
    }
    for (path, bytes) in before {
        let there = fs::read(tangled.place.path().join(path.trim_start_matches('/')));
        assert_eq!(there.unwrap(), bytes, "{path}");
    }
}

#[test]
fn a_save_without_a_change_is_no_reason_to_refuse() {
    let folder = Folder::new();
    let before = folder.files();
    let made = folder.run(&["checkpoint", "The Last Lamp", "--at", "13", "--json"]).json();
    let file = made["file"].as_str().unwrap();
    let text = folder.read(file);
    // Somebody edits a message: that is a change.
    folder.write(file, text.replacen("Rain hammers", "Hail hammers", 2));
    assert_eq!(folder.run(&["undo", "--apply"]).code, 1);
    // SillyTavern saves what it read: another file that says the same.
    folder.write(file, &text);
    let undone = folder.run(&["undo", "--apply"]);
    assert_eq!(undone.code, 0, "{}{}", undone.out, undone.err);
    let stories = |all: std::collections::BTreeMap<String, Vec<u8>>| -> Vec<(String, Vec<u8>)> {
        all.into_iter().filter(|(path, _)| !path.contains("/lorefork/")).collect()
    };
    assert_eq!(stories(folder.files()), stories(before));
}

#[test]
fn several_users_each_have_their_own_diary() {
    let folder = Folder::new();
    let users = [folder.data().join("default-user"), folder.data().join("second")];
    for (path, bytes) in files(&users[0]) {
        let path = users[1].join(path.trim_start_matches('/'));
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, bytes).unwrap();
    }
    let checkpoint = |user: &str| {
        let arguments = ["--user", user, "checkpoint", "The Last Lamp", "--at", "13"];
        assert_eq!(folder.run(&arguments).code, 0);
    };
    checkpoint("second");
    // Only one has something to undo.
    let plan = folder.run(&["undo"]);
    assert_eq!(plan.code, 0, "{}", plan.err);
    checkpoint("default-user");
    let which = folder.run(&["undo"]);
    assert_snapshot!("undo-which-user", which.shown());
    let log = folder.run(&["log", "--json"]).json();
    let of = |user: &str| {
        let all = log["operations"].as_array().unwrap();
        all.iter().find(|operation| operation["user"] == user).unwrap()["id"].clone()
    };
    let id = of("second");
    assert_eq!(folder.run(&["undo", id.as_str().unwrap(), "--apply"]).code, 0);
    let log = without_ids(&folder.run(&["log"]).out);
    assert!(log.contains("default-user\n") && log.contains("second\n"), "{log}");
    let swept = folder.run(&["sweep"]);
    assert_eq!(swept.code, 0, "{}", swept.err);
    assert!(swept.out.contains("second"), "{}", swept.out);
}

#[test]
fn every_code_of_an_answer_can_be_asked_about() {
    let folder = Folder::new();
    let refused = folder.run(&["undo", "nothing", "--json"]).json();
    let code = refused["error"]["code"].as_str().unwrap();
    let told = folder.run(&["explain", code]);
    assert_eq!(told.code, 0, "{}", told.err);
    assert!(told.out.contains("no operation of that id"), "{}", told.out);
}

/// What a plan says to type is what was typed, and `--apply`: an option less would do more.
#[test]
fn what_to_type_repeats_all_that_was_typed() {
    let folder = Folder::new();
    folder.plain_copy("The Last Lamp - Branch #1", 20);
    let told = |arguments: &[&str]| {
        let out = folder.run(arguments).out;
        let mut lines = out.lines().map(str::trim).filter(|line| line.ends_with(" --apply"));
        lines.next().map(quoted_alike)
    };
    let expected = |rest: &str| Some(format!("lorefork --root data {rest} --apply"));
    let branch = "The Last Lamp - Branch #1";
    assert_eq!(
        told(&["fix", "--only", "SHARED_LOREBOOK", "--missing", "empty"]).as_deref(),
        expected("fix --only SHARED_LOREBOOK --missing empty").as_deref()
    );
    assert_eq!(
        told(&["isolate", branch, "--lore", "live"]),
        expected("isolate 'The Last Lamp - Branch #1' --lore live")
    );
    assert_eq!(
        told(&["rewind", branch, "--at", "13", "--lore", "empty"]),
        expected("rewind 'The Last Lamp - Branch #1' --at 13 --lore empty")
    );
    assert_eq!(
        told(&["--user", "default-user", "delete", branch]),
        expected("--user default-user delete 'The Last Lamp - Branch #1'")
    );
    // What stands behind “--” is a name.
    assert_eq!(told(&["delete", "--", branch]), None);
    let out = quoted_alike(&folder.run(&["delete", "--", branch]).out);
    assert!(
        out.contains("lorefork --root data delete --apply -- 'The Last Lamp - Branch #1'"),
        "{out}"
    );

    assert_eq!(folder.run(&["isolate", branch, "--apply"]).code, 0);
    let log = folder.run(&["log", "--json"]).json();
    let id = log["operations"][0]["id"].as_str().unwrap();
    let short = id.split('-').next().unwrap();
    assert_eq!(told(&["undo"]), expected(&format!("undo {short}")));
    assert_eq!(told(&["undo", short]), expected(&format!("undo {short}")));
    fs::remove_file(folder.file("chats/Tamsin/The Last Lamp - Branch #1.jsonl")).unwrap();
    assert_eq!(told(&["sweep", "--older-than", "0"]), expected("sweep --older-than 0"));

    assert_eq!(folder.run(&["sweep", "--older-than", "0", "--apply"]).code, 0);
    assert_eq!(
        told(&["log", "--empty-trash", "--older-than", "0"]),
        expected("log --empty-trash --older-than 0")
    );
    let none = folder.run(&["log", "--empty-trash", "--older-than", "30"]);
    assert_eq!((none.code, none.out.contains("--apply")), (0, false), "{}", none.out);
}

/// What a link leads to would go to the trash and the link would stay, so that it could not come
/// back: it is refused, and nothing is written.
#[cfg(unix)]
#[test]
fn a_chat_or_lorebook_that_is_a_link_is_not_moved_to_the_trash() {
    for file in ["chats/Tamsin/The Last Lamp.jsonl", "worlds/z-AutoLB-Tamsin-The Last Lamp.json"] {
        let folder = Folder::new();
        fs::rename(folder.file(file), folder.file("kept elsewhere")).unwrap();
        let up = if file.starts_with("chats") { "../.." } else { ".." };
        std::os::unix::fs::symlink(format!("{up}/kept elsewhere"), folder.file(file)).unwrap();
        let before = folder.files();
        for arguments in
            [vec!["delete", "The Last Lamp"], vec!["delete", "The Last Lamp", "--apply"]]
        {
            let refused = folder.run(&arguments);
            assert_eq!(refused.code, 2, "{}{}", refused.out, refused.err);
            assert!(refused.err.contains(file), "{}", refused.err);
            assert!(refused.err.contains("symbolic link"), "{}", refused.err);
        }
        assert_eq!(folder.files(), before);
    }
}

/// A line of the family that is no text keeps nobody from deleting, and stays; a deleted timeline whose
/// name is taken since, here with CRLF, comes back beside it, message by message.
#[test]
fn a_deleted_timeline_comes_back_beside_one_that_has_its_name() {
    let folder = Tangled::new();
    let (deleted, sibling) = ("The Last Lamp - Checkpoint #1", "The Last Lamp - Branch #1");
    let chat = |name: &str| folder.file(&format!("chats/Tamsin/{name}.jsonl"));
    let was = fs::read_to_string(chat(deleted)).unwrap().replace('\n', "\r\n");
    fs::write(chat(deleted), &was).unwrap();
    let mut bytes = fs::read(chat(sibling)).unwrap();
    let damage = [b"\n\xff\xfe".as_slice(), br#"{"extra":{"branches":[]}}"#].concat();
    bytes.extend(&damage);
    fs::write(chat(sibling), bytes).unwrap();
    let json = folder.run(&["delete", deleted, "--apply", "--json"]).json();
    assert_eq!(json["linked"].as_array().unwrap().len(), 2, "{json}");
    let left = fs::read(chat(sibling)).unwrap();
    assert!(left.ends_with(&damage), "what cannot be read stays as it is");
    assert!(!left.windows(deleted.len()).any(|part| part == deleted.as_bytes()));
    fs::write(chat(deleted), "{}").unwrap();
    let id = json["id"].as_str().unwrap();
    assert_eq!(folder.run(&["undo", id, "--apply"]).code, 1);
    assert_eq!(folder.run(&["undo", id, "--save-beside"]).code, 0);
    let short = id.split('-').next().unwrap();
    let saved = fs::read_to_string(chat(&format!("{deleted} before {short}"))).unwrap();
    let messages = |text: &str| text.split('\n').skip(1).map(str::to_owned).collect::<Vec<_>>();
    assert_eq!(messages(&saved), messages(&was));
    assert_eq!(fs::read_to_string(chat(deleted)).unwrap(), "{}");
}
