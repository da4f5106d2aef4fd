//! K of the requirements, and R-141: timelines that are opened, and how ready each message is.

use lorefork::error::report::Policy;
use lorefork::fork::opened::{Opened, opened};
use lorefork::fork::readiness::{Span, State, readiness};
use lorefork::tavern::names::Kind;
use lorefork::tavern::place::{ChatRef, lorebook_file};
use lorefork::timeline::record;
use lorefork::timeline::verify::Level;
use lorefork_sim::{Folder, SimHost};

use crate::requirements::story::*;

fn open(folder: &Folder, chat: &ChatRef, shared: &[String]) -> Opened {
    let host = SimHost::new(folder.clone());
    let found = host.run(opened(&host, chat, shared)).returned().unwrap().unwrap();
    assert!(host.folder() == *folder, "looking changes nothing");
    found
}

fn worst(opened: &Opened) -> Option<Level> {
    opened.remarks.iter().map(|remark| remark.level).max()
}

#[test]
fn r105_r107_r139_what_an_opened_checkpoint_says() {
    let forked = checkpoint_at(6);
    let (folder, chat) = (forked.host.folder(), &forked.made().place);
    let fine = open(&folder, chat, &[]);
    assert_eq!(fine.kind, Some(record::Kind::Checkpoint));
    assert_eq!((fine.at, fine.version, fine.scenes), (Some(6), Some(1), Some(2)));
    assert_eq!(fine.parent.as_deref(), Some("Tale"));
    assert!(fine.remarks.is_empty() && fine.shared_with.is_empty() && fine.made.is_some());
    assert_eq!(fine.entries, Some(forked.made().entries));

    let with = |file: &str, text: String| {
        let mut folder = folder.clone();
        folder.put(file, text);
        worst(&open(&folder, chat, &[]))
    };
    let text = forked.text(&chat.file());
    let grown = format!("{text}\n{}", messages()[9]);
    assert_eq!(with(&chat.file(), grown), Some(Level::Info), "a story goes on");
    let other = text.replace(r#""content":"two""#, r#""content":"2""#);
    assert_eq!(with(&chat.file(), other), Some(Level::Error), "the recap says something else");
    let book = lorebook_file(forked.made().lorebook.as_ref().unwrap());
    let edited = forked.text(&book).replace("dead", "alive");
    assert_eq!(with(&book, edited), Some(Level::Warning));
    let mut gone = folder.clone();
    gone.remove(&book);
    assert_eq!(worst(&open(&gone, chat, &[])), Some(Level::Error));
}

#[test]
fn r099_r106_a_legacy_timeline_is_spoken_of_only_if_it_shares() {
    let mut shared = folder();
    let own = METADATA
        .replace("slug-main", "other")
        .replace("\"world_info\"", "\"main_chat\":\"Tale\",\"world_info\"");
    let lines = |metadata: &str| {
        format!("{{\"chat_metadata\":{metadata}}}\n{}", messages()[..5].join("\n"))
    };
    let branch = main_chat().sibling("Old");
    shared.put(branch.file(), lines(&own));
    let found = open(&shared, &branch, &[]);
    assert_eq!((found.kind, found.shared_with.len(), found.remarks.len()), (None, 1, 0));
    assert!(open(&shared, &branch, &[BOOK.to_owned()]).shared_with.is_empty());
    let alone = own.replace("\"world_info\":\"Lore\"", "\"world_info\":\"Alone\"");
    let text = shared.text("worlds/Lore.json").unwrap().to_owned();
    shared.put("worlds/Alone.json", text);
    shared.put(branch.file(), lines(&alone));
    let found = open(&shared, &branch, &[]);
    assert!(found.shared_with.is_empty() && found.remarks.is_empty());
}

#[test]
fn r141_buttons_say_what_asking_would_say() {
    for policy in [Policy::Standard, Policy::Strict] {
        let mut asked = request(Kind::Branch, 10);
        (asked.policy, asked.at) = (policy, None);
        let host = SimHost::new(folder());
        let spans = host.run(readiness(&host, &asked, 0)).returned().unwrap().unwrap();
        let mut next = 0;
        for span in &spans {
            assert_eq!(span.from, next, "no gap: {spans:?}");
            next = span.to + 1;
            for at in span.from..=span.to {
                asked.at = Some(at);
                let report = report(folder(), &asked);
                let is_blocked = span.state == State::Blocked;
                assert_eq!(is_blocked, !report.valid, "message {at}, {policy:?}: {spans:?}");
                if is_blocked {
                    // In a stretch of several no number of a single one is named.
                    let error = &report.errors[0];
                    let said = error.here.as_ref().unwrap_or(&error.message);
                    assert_eq!(span.why.as_ref(), Some(said));
                    assert!(!said.with.contains(&at.into()) || error.here.is_none(), "{said}");
                }
            }
            asked.at = None;
        }
        assert_eq!(next, messages().len());
        // Whoever shows only the end of the chat sees the same there.
        for first in 0..messages().len() {
            let host = SimHost::new(folder());
            let end = host.run(readiness(&host, &asked, first)).returned().unwrap().unwrap();
            let said = |spans: &[Span], at| {
                let span = spans.iter().find(|span| at <= span.to).unwrap();
                (span.state, span.why.clone())
            };
            for at in first..messages().len() {
                assert_eq!(said(&end, at), said(&spans, at), "message {at} of those since {first}");
            }
        }
        let is_strict = policy == Policy::Strict;
        assert_eq!(spans.iter().any(|span| span.state == State::Blocked), is_strict, "{spans:?}");
        assert!(spans.iter().any(|span| span.state != State::Blocked), "{spans:?}");
    }
}
