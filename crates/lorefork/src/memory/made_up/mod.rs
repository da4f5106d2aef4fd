//! A memory extension that nobody has: a diary that is kept in a lorebook of its own. It shows what
//! it takes to add one: this folder, and a row in the table. There in tests only.

use super::back::{Copies, Exchange, Notes, Rewind};
use super::names::follow_own_name;
use super::ranges::Fields;
use super::{Memory, find};
use crate::json::{Json, JsonError, Member};
use crate::tavern::chat::{Header, HeaderEdit};
use crate::tavern::names::same_lorebook;

/// Its key in the metadata.
const KEY: &str = "made_up_diary";

pub(super) struct Diary;

impl Memory for Diary {
    fn name(&self) -> &'static str {
        "Diary"
    }

    fn books(&self, metadata: &[Member<'_>]) -> Vec<String> {
        self.bound(metadata)
    }

    fn bound(&self, metadata: &[Member<'_>]) -> Vec<String> {
        let book = find(metadata, KEY).and_then(|own| own.some("book")?.str());
        book.map(|name| name.into_owned()).into_iter().collect()
    }

    fn follow_chat(&self, header: &mut HeaderEdit, from: &str, to: &str) -> Result<(), JsonError> {
        follow_own_name(header, &[KEY, "chat"], from, to)
    }

    fn follow_lorebook(
        &self,
        header: &mut HeaderEdit,
        from: &str,
        to: &str,
    ) -> Result<(), JsonError> {
        let named = Header::read(header.text()).is_ok_and(|header| {
            let name = header.meta(&[KEY, "book"]).and_then(Json::str);
            name.is_some_and(|name| same_lorebook(&name, from))
        });
        if named { header.set_text(&[KEY, "book"], to) } else { Ok(()) }
    }

    fn fields(&self) -> Option<&'static Fields> {
        Some(&Fields {
            is_memory: "made_up_page",
            chat: "made_up_chat",
            end: "made_up_end",
            sources: "made_up_of",
            switched_off: &[],
        })
    }

    fn set_back(
        &self,
        header: &mut HeaderEdit,
        parent: &Header<'_>,
        rewind: &Rewind<'_>,
        _: &mut Notes,
    ) -> Result<(), JsonError> {
        let Some(until) = parent.meta(&[KEY, "until"]).and_then(Json::count) else {
            return Ok(());
        };
        header.set(&[KEY, "until"], &until.min(rewind.at).to_string())?;
        header.set_text(&[KEY, "chat"], rewind.chat)
    }

    fn reindex(
        &self,
        header: &mut HeaderEdit,
        parent: &Header<'_>,
        exchange: &Exchange<'_>,
    ) -> Result<(), JsonError> {
        if parent.meta(&[KEY, "pages"]).is_none() {
            return Ok(());
        }
        header.set(&[KEY, "pages"], &exchange.new.entries.len().to_string())
    }

    fn copied(
        &self,
        header: &mut HeaderEdit,
        _: &Header<'_>,
        copies: &Copies<'_>,
    ) -> Result<(), JsonError> {
        copies.books.iter().try_for_each(|(from, to)| self.follow_lorebook(header, from, to))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::audit::facts::{BookFacts, ChatFacts};
    use crate::audit::{Action, Code, Folder, judge};
    use crate::housekeeping::header::{renamed, with_book};
    use crate::memory::parting::Parting;
    use crate::memory::ranges::{Told, for_chat, without_the_future};
    use crate::moment::metadata::rewind;
    use crate::tavern::lorebook::Lorebook;
    use crate::tavern::place::{ChatRef, Owner};

    const HEADER: &str = r#"{"chat_metadata":{"world_info":"Lore","made_up_diary":{"chat":"Tale","book":"Diary of Mira","until":9,"pages":3}}}"#;
    /// Pages of messages 3 and 9, and a summary of both.
    const BOOK: &str = r#"{"entries":{
"0":{"uid":0,"comment":"a map"},
"1":{"uid":1,"comment":"page 1","made_up_page":true,"made_up_chat":"Tale","made_up_end":3},
"2":{"uid":2,"comment":"page 2","made_up_page":true,"made_up_chat":"Tale","made_up_end":9},
"3":{"uid":3,"comment":"all of it","made_up_of":[1,2]}}}"#;

    fn chat(name: &str) -> ChatRef {
        ChatRef::new(Owner::Character("Mira".into()), name)
    }

    #[test]
    fn it_follows_what_has_another_name() {
        let named = renamed(HEADER, "Tale", "Story").unwrap();
        assert_eq!(named, HEADER.replace("\"Tale\"", "\"Story\""));
        let book = Lorebook::read(BOOK).unwrap();
        let named = with_book(HEADER, "Diary of Mira", "Her diary", &book);
        assert_eq!(named.unwrap(), HEADER.replace("Diary of Mira", "Her diary"));
    }

    #[test]
    fn a_fork_has_what_it_said_at_its_message() {
        let chats = [Told::own("Tale")];
        let (text, later) = without_the_future(BOOK, &chats, 5).unwrap();
        assert_eq!(later, 2, "the later page, and what was made of it");
        let text = for_chat(text, &chats, "Fork");
        let book = Lorebook::read(&text).unwrap();
        assert!(text.contains(r#""made_up_chat":"Fork","made_up_end":3"#), "{text}");
        let mut edit = HeaderEdit::new(HEADER);
        let live = Lorebook::read(BOOK).unwrap();
        let back = Rewind {
            chat: "Fork",
            parent: "Tale",
            at: 5,
            scenes: &[],
            now_ms: 0,
            now: "",
            lorebook: Some(Exchange {
                from: "Lore",
                live: Some(&live),
                to: "Lore of the fork",
                new: &book,
                is_rebuilt: false,
            }),
            chats: &chats,
            parting: &Parting::default(),
        };
        rewind(&mut edit, &back).unwrap();
        assert_eq!(
            edit.text(),
            r#"{"chat_metadata":{"world_info":"Lore of the fork","made_up_diary":{"chat":"Fork","book":"Diary of Mira","until":5,"pages":2}}}"#
        );
    }

    #[test]
    fn the_lorebook_that_it_names_is_named() {
        let header = Header::read(HEADER).unwrap();
        assert_eq!(
            crate::naming::in_metadata(header.metadata().unwrap()),
            ["Lore", "Diary of Mira"]
        );
        assert_eq!(crate::memory::names::bound(&header), ["Diary of Mira"]);
        let books = [("Diary of Mira".to_owned(), "Diary of the fork".to_owned())];
        let copies = Copies { parent: "Tale", name: "Fork", books: &books, covered: None, now: "" };
        let mut edit = HeaderEdit::new(HEADER);
        crate::memory::back::copied(&mut edit, &header, &copies).unwrap();
        assert_eq!(edit.text(), HEADER.replace("Diary of Mira", "Diary of the fork"));
    }

    #[test]
    fn the_audit_asks_it() {
        let with_header = |name: &str, header: &str, messages: usize| {
            let mut facts = ChatFacts::new(chat(name));
            facts.add_header(header);
            facts.messages = messages;
            facts
        };
        let fork = r#"{"chat_metadata":{"world_info":"Lore of the fork","main_chat":"Tale"}}"#;
        let mut main = with_header("Tale", HEADER, 12);
        main.add_message(5, r#"{"mes":"x","extra":{"branches":["Fork"]}}"#);
        let folder = Folder {
            chats: vec![main, with_header("Fork", fork, 6)],
            lorebooks: ["Diary of Mira", "Lore", "Lore of the fork"]
                .map(|name| BookFacts::read(name, BOOK.as_bytes()))
                .into(),
            ..Folder::default()
        };
        let problems = judge(&folder);
        let later = problems.iter().find(|problem| problem.code == Code::LoreFromTheFuture);
        let action = later.map(|problem| problem.fix.action.clone());
        assert_eq!(action, Some(Action::Forget { uids: vec![2] }), "{problems:?}");
        let orphan = problems.iter().find(|problem| problem.code == Code::OrphanedLorebook);
        assert_eq!(orphan, None, "its own lorebook is named");
    }
}
