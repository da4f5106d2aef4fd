//! `lorefork demo`.

use std::collections::BTreeMap;
use std::fs;

use insta::assert_snapshot;
use unicode_width::UnicodeWidthStr as _;

use crate::folder::{files, run, without_ids};

#[test]
fn the_story_is_told_on_one_screen() {
    let place = tempfile::tempdir().unwrap();
    let told = run(place.path(), &["demo"]);
    assert_eq!(told.code, 0, "{}", told.err);
    // The last line has a path as long as it happens to be.
    let (screen, _) = told.out.trim_end().rsplit_once('\n').unwrap();
    assert_snapshot!("demo", without_ids(screen));
    assert!(told.out.lines().count() <= 54);
    for line in screen.lines() {
        assert!(line.width() <= 80, "{line}");
    }
    assert!(!told.out.contains('\x1b'), "no colours in a pipe");
}

#[test]
fn r004_each_timeline_knows_what_it_should() {
    let place = tempfile::tempdir().unwrap();
    let told = run(place.path(), &["demo", "--json"]).json();
    let [main, checkpoint, branch] = [0, 1, 2].map(|index| told["timelines"][index].clone());
    assert_eq!([&main, &checkpoint, &branch].map(|knows| knows["entries"].clone()), [29, 21, 29]);
    assert_eq!(main["facts"]["character-Ashkeel"], "Dead");
    assert_eq!(checkpoint["facts"]["character-Ashkeel"], "Sea dragon, alive");
    assert_eq!(checkpoint["facts"]["character-Pinch"], serde_json::Value::Null);
    assert_eq!(branch["facts"], main["facts"]);
    for knows in [main, checkpoint, branch] {
        assert_eq!(knows["shared_with"], 0);
    }
    assert_eq!(told["made"][0]["quality"], "exact");
    assert_eq!(told["made"][1]["quality"], "exact");
}

/// Issue 5: a family that plain SillyTavern tangled is found, untangled, and that taken back.
#[test]
fn the_tangled_family_is_mended_and_there_to_be_tried() {
    let place = tempfile::tempdir().unwrap();
    let told = run(place.path(), &["demo", "--json"]).json();
    let mended = &told["mended"];
    let dragon = |when: &str| -> Vec<String> {
        let all = mended[when].as_array().unwrap().iter();
        all.map(|knows| knows["facts"]["character-Old Rime"].as_str().unwrap().to_owned()).collect()
    };
    assert_eq!(dragon("tangled"), ["Dead"; 3]);
    assert_eq!(dragon("untangled"), ["Awake and friendly", "Asleep under the ice", "Dead"]);
    for (timeline, heart) in
        mended["untangled"].as_array().unwrap().iter().zip([false, false, true])
    {
        assert_eq!(timeline["shared_with"], 0);
        assert_eq!(!timeline["facts"]["item-Frost heart"].is_null(), heart, "{timeline}");
    }
    assert_eq!((&mended["left"], &mended["back"]), (&0.into(), &4.into()));

    // It is tangled again, so that everybody can do it themselves.
    let root = ["--root", "lorefork-demo"];
    let lorefork = |args: &[&str]| run(place.path(), &[&root, args].concat());
    let family = |path: &str| path.contains("Frozen Harbour");
    let before = files(place.path());
    let found = lorefork(&["check", "--json"]).json();
    for problem in found["problems"].as_array().unwrap() {
        assert!(family(problem["chat"].as_str().unwrap()), "{problem}");
    }
    assert_eq!(found["problems"][0]["code"], "SHARED_LOREBOOK");
    let fixed = lorefork(&["fix", "--apply"]);
    assert_eq!(fixed.code, 0, "{}", fixed.out);
    assert_eq!(lorefork(&["check"]).code, 0);
    assert_eq!(lorefork(&["undo", "--apply"]).code, 0);
    let after = files(place.path());
    let of_family = |all: BTreeMap<String, Vec<u8>>| -> BTreeMap<String, Vec<u8>> {
        let is_data = |path: &str| family(path) && !path.contains("/lorefork/");
        all.into_iter().filter(|(path, _)| is_data(path)).collect()
    };
    assert_eq!(of_family(after), of_family(before));
}

#[test]
fn the_data_alone_has_nothing_to_mend() {
    let place = tempfile::tempdir().unwrap();
    assert_eq!(run(place.path(), &["demo", "--data-only"]).code, 0);
    let checked = run(place.path(), &["--root", "lorefork-demo", "check", "--json"]).json();
    assert_eq!(checked["problems"], serde_json::json!([]));
    assert_eq!(checked["scanned"]["chats"], 3);
}

#[test]
fn a_second_run_replaces_what_the_first_wrote() {
    let place = tempfile::tempdir().unwrap();
    assert_eq!(run(place.path(), &["demo"]).code, 0);
    let added = place.path().join("lorefork-demo/default-user/chats/Tamsin/mine.jsonl");
    fs::write(&added, "{}").unwrap();
    assert_eq!(run(place.path(), &["demo"]).code, 0);
    assert!(!added.exists());
    // Nothing is left beside it.
    assert_eq!(fs::read_dir(place.path()).unwrap().count(), 1);
}

#[test]
fn what_no_demo_wrote_is_left_alone() {
    let place = tempfile::tempdir().unwrap();
    let folder = place.path().join("mine");
    fs::create_dir_all(folder.join("default-user")).unwrap();
    fs::write(folder.join("default-user/story.txt"), "mine").unwrap();
    fs::write(place.path().join("file"), "mine").unwrap();
    let before = files(place.path());
    for name in ["mine", "file", ".", "mine/..", "mine/."] {
        let run = run(place.path(), &["demo", name]);
        assert_eq!(run.code, 2, "{name}: {}", run.out);
        assert!(run.err.contains("lorefork demo DIR"), "{}", run.err);
    }
    assert_eq!(files(place.path()), before);
    assert_eq!(run(place.path(), &["demo", "new/folder"]).code, 0);
    fs::create_dir(place.path().join("empty")).unwrap();
    assert_eq!(run(place.path(), &["demo", "empty"]).code, 0);
}

#[cfg(unix)]
#[test]
fn a_link_is_never_followed() {
    use std::os::unix::fs::symlink;
    let place = tempfile::tempdir().unwrap();
    fs::create_dir(place.path().join("mine")).unwrap();
    fs::write(place.path().join("mine/.lorefork-demo"), "").unwrap();
    fs::write(place.path().join("mine/story.txt"), "mine").unwrap();
    symlink("mine", place.path().join("link")).unwrap();
    assert_eq!(run(place.path(), &["demo", "link"]).code, 2);
    // Nor one inside of a folder that is replaced.
    assert_eq!(run(place.path(), &["demo", "own"]).code, 0);
    symlink("../mine", place.path().join("own/link")).unwrap();
    assert_eq!(run(place.path(), &["demo", "own"]).code, 0);
    assert_eq!(fs::read(place.path().join("mine/story.txt")).unwrap(), b"mine");
}
