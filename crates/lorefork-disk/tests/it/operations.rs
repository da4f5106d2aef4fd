//! Claims, intents, logs, and what a crash leaves behind.

use std::cell::RefCell;
use std::rc::Rc;
use std::time::Duration;

use lorefork::host::{Host as _, HostErrorKind, Step};
use lorefork_disk::Progress;
use pollster::block_on;

use crate::folder::Folder;

#[test]
fn intents_are_kept_until_they_are_forgotten() {
    let folder = Folder::new();
    let host = folder.host();
    assert_eq!(block_on(host.unfinished()).unwrap(), Vec::<String>::new());
    block_on(host.note("b", "{2}")).unwrap();
    block_on(host.note("a", "{1}")).unwrap();
    block_on(host.note("a", "{1, more}")).unwrap();
    // As the next process sees it.
    let next = folder.host();
    assert_eq!(block_on(next.unfinished()).unwrap(), ["{1, more}", "{2}"]);
    block_on(next.forget("a")).unwrap();
    block_on(next.forget("a")).unwrap();
    assert_eq!(block_on(host.unfinished()).unwrap(), ["{2}"]);
    block_on(host.log("b", "{done}")).unwrap();
    assert_eq!(block_on(host.logged()).unwrap(), ["{done}"]);
    for id in ["", "..", "a/b"] {
        assert!(block_on(host.note(id, "{}")).is_err());
        assert!(block_on(host.forget(id)).is_err());
    }
}

#[test]
fn forgetting_sweeps_up_what_a_crash_left() {
    let folder = Folder::new();
    let left = [
        "worlds/.lorefork-0123.tmp",
        "groups/.lorefork-0123.tmp",
        "group chats/.lorefork-0123.tmp",
        "chats/Mia/.lorefork-0123.tmp",
        "lorefork/operations/intents/.lorefork-0123.tmp",
    ];
    for file in left {
        folder.write(file, "half");
    }
    folder.write("chats/Mia/.lorefork-notes.txt", "not ours");
    let host = folder.host();
    block_on(host.note("a", "{}")).unwrap();
    let next = folder.host();
    block_on(next.forget("a")).unwrap();
    for file in left {
        assert!(!folder.path(file).exists(), "{file}");
    }
    assert!(folder.path("chats/Mia/.lorefork-notes.txt").exists());
}

#[test]
fn one_operation_at_a_time() {
    let folder = Folder::new();
    let first = folder.host();
    let heard = Rc::new(RefCell::new(Vec::new()));
    let hear = Rc::clone(&heard);
    let second = folder.host().waiting(Duration::from_millis(100)).watched_by(move |progress| {
        if let Progress::Waiting { for_whom } = progress {
            hear.borrow_mut().push(for_whom.to_owned());
        }
    });

    let claim = block_on(first.claim("checkpoint of Mia/a")).unwrap();
    let error = block_on(second.claim("branch")).unwrap_err();
    assert_eq!(error.kind, HostErrorKind::Busy);
    let process = format!("process {}", std::process::id());
    assert!(error.to_string().contains("checkpoint of Mia/a"), "{error}");
    assert!(error.to_string().contains(&process), "{error}");
    assert_eq!(heard.borrow().len(), 1);
    drop(claim);
    block_on(second.claim("branch")).unwrap();
}

#[test]
fn steps_are_told() {
    let folder = Folder::new();
    let heard = Rc::new(RefCell::new(Vec::new()));
    let hear = Rc::clone(&heard);
    let host = folder.host().watched_by(move |progress| {
        if let Progress::Step(step) = progress {
            hear.borrow_mut().push(step);
        }
    });
    host.progress(Step::Lorebook);
    assert_eq!(heard.borrow()[..], [Step::Lorebook]);
}

#[test]
fn a_file_in_place_of_our_folder_is_an_error_with_words() {
    let folder = Folder::new();
    folder.write("lorefork", "a file");
    let error = block_on(folder.host().claim("x")).unwrap_err();
    assert_eq!(error.kind, HostErrorKind::WriteFailed);
    assert!(error.to_string().contains("not a folder"), "{error}");
}

#[cfg(unix)]
#[test]
fn our_folder_may_not_lead_out() {
    let elsewhere = Folder::new();
    let folder = Folder::new();
    std::os::unix::fs::symlink(elsewhere.path(""), folder.path("lorefork")).unwrap();
    let before = elsewhere.everything();
    let host = folder.host();
    assert_eq!(block_on(host.claim("x")).unwrap_err().kind, HostErrorKind::Outside);
    assert_eq!(block_on(host.note("x", "{}")).unwrap_err().kind, HostErrorKind::Outside);
    assert_eq!(elsewhere.everything(), before);
}
