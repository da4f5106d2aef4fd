//! `lorefork demo`.

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
    assert!(told.out.lines().count() <= 40);
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
    assert_eq!(told["made"][0]["quality"], "snapshot");
    assert_eq!(told["made"][1]["quality"], "exact");
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
