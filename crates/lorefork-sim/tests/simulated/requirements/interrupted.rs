//! Isolations that were interrupted: as they are noted today, and as they were up to 0.2.0, which
//! noted them like forks.

use lorefork::fork::isolate;
use lorefork::json::{Json, quote};
use lorefork::moment::LoreChoice;
use lorefork::operation::hash;
use lorefork::operation::record::content;
use lorefork::operation::recover::{Healed, heal};
use lorefork::operation::undo::undo;
use lorefork::tavern::place::{ChatRef, lorebook_file};
use lorefork_sim::{Folder, SimHost, header};

use crate::requirements::story::*;

/// An isolation: the folder before and after it, and how it is noted while it is under way.
struct Isolation {
    before: Folder,
    after: Folder,
    chat: ChatRef,
    id: String,
    book: String,
    /// Of today, and of 0.2.0.
    notes: [String; 2],
}

fn isolation() -> Isolation {
    let chat = main_chat().sibling("Tale - Branch #1");
    let head = METADATA.replacen('{', r#"{"main_chat":"Tale","#, 1).replace("slug-main", "other");
    let before = folder().with_chat(&chat, &header(&head), &messages()[..9]);
    let host = SimHost::new(before.clone()).outside();
    let done = host.run(isolate(&host, &chat, LoreChoice::Live)).returned().unwrap().unwrap();
    let (id, name) = (done.id.unwrap(), done.lorebook.unwrap());
    let (after, book) = (host.folder(), lorebook_file(&name));
    let log = format!("lorefork/operations/log/{id}.json");
    let today = after.text(&log).unwrap().replace(r#""done": true"#, r#""done": false"#);
    assert!(today.contains(r#""done": false"#), "{today}");
    let lines = |folder: &Folder| -> Vec<String> {
        folder.text(&chat.file()).unwrap().lines().map(str::to_owned).collect()
    };
    let (was, is) = (lines(&before), lines(&after));
    let changes = was.iter().zip(&is).enumerate().filter(|(_, (was, is))| was != is);
    let changes: Vec<String> = changes
        .map(|(line, (was, is))| {
            let message = line.checked_sub(1).map_or("null".to_owned(), |at| at.to_string());
            let (chat, was, is) = (chat.json(), quote(was), quote(&content(is)));
            format!(r#"{{"chat":{chat},"message":{message},"before":{was},"after":{is}}}"#)
        })
        .collect();
    assert!(changes.len() > 1, "messages name the lorebook, too");
    let slug = Json::parse(&is[0]).unwrap().at(&["chat_metadata", "integrity"]).unwrap().text();
    let former = format!(
        r#"{{"v":1,"id":{},"what":"isolate","time":1,"chat":{},"slug":{slug},"at":8,"lorebook":{{"name":{},"hash":{}}},"group":null,"bareList":null,"link":null,"changes":[{}],"done":false}}"#,
        quote(&id),
        chat.json(),
        quote(&name),
        quote(&hash(after.text(&book).unwrap())),
        changes.join(","),
    );
    Isolation { before, after, chat, id, book, notes: [today, former] }
}

impl Isolation {
    /// What healing makes of a folder in which it was interrupted, without the log.
    fn healed(&self, folder: &Folder, note: &str) -> (Healed, SimHost) {
        let mut folder = folder.clone();
        folder.remove(&format!("lorefork/operations/log/{}.json", self.id));
        folder.put(format!("lorefork/operations/intents/{}.json", self.id), note);
        let host = SimHost::new(folder).outside();
        let mut healed = host.run(heal(&host)).returned().unwrap().unwrap();
        let intents = host.folder().files().filter(|(file, _)| file.contains("/intents/")).count();
        assert_eq!(intents, 0, "{healed:?}");
        (healed.pop().expect("one that was interrupted"), host)
    }

    /// With the lorebook written, and no more.
    fn half(&self) -> Folder {
        let mut half = self.before.clone();
        half.put(self.book.clone(), self.after.get(&self.book).unwrap().to_vec());
        half
    }
}

#[test]
fn an_interrupted_isolation_is_taken_back_or_finished_whoever_noted_it() {
    let all = isolation();
    for note in &all.notes {
        for (folder, is_done) in [(&all.before, false), (&all.half(), false), (&all.after, true)] {
            let (healed, host) = all.healed(folder, note);
            let expected = if is_done { &all.after } else { &all.before };
            let log = format!("lorefork/operations/log/{}.json", all.id);
            assert_eq!(matches!(healed, Healed::Finished(_)), is_done, "{healed:?}");
            assert_eq!(matches!(healed, Healed::Undone(_)), !is_done, "{healed:?}");
            for file in [&all.chat.file(), &all.book] {
                assert_eq!(host.folder().text(file), expected.text(file), "{file}");
            }
            assert_eq!(host.folder().has(&log), is_done);
            if is_done {
                host.run(undo(&host, Some(&all.id))).returned().unwrap().unwrap();
                assert_eq!(host.folder().text(&all.chat.file()), all.before.text(&all.chat.file()));
                assert!(!host.folder().has(&all.book));
            }
        }
    }
}

#[test]
fn an_isolation_stands_though_the_chat_was_saved_again_before_it_was_recorded() {
    let all = isolation();
    let file = all.chat.file();
    let saved = all.after.text(&file).unwrap().replacen(
        r#""chat_metadata":{"#,
        r#""chat_metadata":{"note_prompt":"later","#,
        1,
    );
    let mut folder = all.after.clone();
    folder.put(file.clone(), saved.clone());
    for note in &all.notes {
        let (healed, host) = all.healed(&folder, note);
        assert!(matches!(healed, Healed::Finished(_)), "{healed:?}");
        assert_eq!(host.folder().text(&file), Some(saved.as_str()));
        assert!(host.folder().has(&all.book));
    }
}

#[test]
fn an_interrupted_isolation_of_a_chat_that_is_gone_leaves_nothing() {
    let all = isolation();
    let mut folder = all.half();
    folder.remove(&all.chat.file());
    for note in &all.notes {
        let (healed, host) = all.healed(&folder, note);
        assert!(matches!(healed, Healed::Undone(_)), "{healed:?}");
        assert!(!host.folder().has(&all.book) && !host.folder().has(&all.chat.file()));
    }
}
