//! Ctrl-C in the middle of a command.

use std::fs;
use std::os::unix::process::ExitStatusExt as _;
use std::process::{Command, ExitStatus, Stdio};

use crate::folder::{CHAT, Folder, command};

const CHECKPOINT: &[&str] = &["checkpoint", "The Last Lamp", "--name", "Interrupted"];
const MADE: &str = "chats/Tamsin/Interrupted.jsonl";
/// What shells tell as 130.
const SIGINT: i32 = 2;

/// Whether something has begun and is not done.
fn is_under_way(folder: &Folder) -> bool {
    fs::read_dir(folder.file("lorefork/operations/intents"))
        .is_ok_and(|all| all.flatten().any(|file| file.path().extension() == Some("json".as_ref())))
}

/// Interrupts the checkpoint when it has begun to write, and returns how it ended; none if it was done before.
fn interrupted(folder: &Folder) -> Option<ExitStatus> {
    let arguments = [&["--root", "data"], CHECKPOINT].concat();
    let plain = command(folder.path(), &arguments);
    // Whoever runs the tests in the background may have it ignored, and so would all that they start.
    let mut listening = Command::new("env");
    listening.arg("--default-signal=INT").arg(plain.get_program()).args(plain.get_args());
    listening.current_dir(folder.path());
    for (name, value) in plain.get_envs() {
        match value {
            Some(value) => listening.env(name, value),
            None => listening.env_remove(name),
        };
    }
    let mut running = listening.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    while !is_under_way(folder) {
        if running.try_wait().unwrap().is_some() {
            return None;
        }
    }
    let id = running.id().to_string();
    assert!(Command::new("kill").args(["-s", "INT", &id]).status().unwrap().success());
    let status = running.wait().unwrap();
    is_under_way(folder).then_some(status)
}

#[test]
fn n6_ctrl_c_ends_a_command_and_the_next_one_cleans_up() {
    // So long that it can be met while it writes.
    for messages in [50_000, 200_000, 800_000] {
        let folder = Folder::new();
        let chat = folder.read(CHAT);
        let (_, last) = chat.rsplit_once('\n').unwrap();
        folder.write(CHAT, chat.clone() + &format!("\n{last}").repeat(messages));
        let before = folder.read(CHAT);
        let Some(status) = interrupted(&folder) else { continue };

        assert_eq!((status.code(), status.signal()), (None, Some(SIGINT)));
        assert!(folder.read(CHAT) == before || folder.file(MADE).exists(), "no link to nowhere");
        let again = folder.run(CHECKPOINT);
        // Where it had come so far that it was finished first, the name is taken.
        let said = again.out + &again.err;
        assert!(said.contains("had been interrupted") && [0, 2].contains(&again.code), "{said}");
        assert_eq!(folder.run(&["verify", "Interrupted"]).code, 0);
        assert_eq!(folder.run(&["check"]).code, 0, "nothing is half-made");
        assert!(!is_under_way(&folder));
        let left: Vec<String> =
            folder.files().into_keys().filter(|name| name.contains(".tmp")).collect();
        assert!(left.is_empty(), "{left:?}");
        return;
    }
    panic!("it was never met while it wrote");
}
