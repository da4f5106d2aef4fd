//! The net: a new timeline that somebody else is about to save, caught in its request.

use std::ops::Range;
use std::rc::Rc;

use lorefork::host::{Line, LineEdit, Stamp};
use lorefork::json::{Json, JsonError, Splices};
use lorefork::memory::checkpoints::MAP;
use lorefork::tavern::chat::{Header, HeaderEdit};
use lorefork::tavern::names;
use lorefork::tavern::place::{ChatRef, Owner};
use lorefork::tavern::slug;

/// The open chat, as a save request is compared with it.
pub(crate) struct Open<'o> {
    pub(crate) chat: &'o ChatRef,
    /// As SillyTavern calls it, before any file name is made of it.
    pub(crate) id: &'o str,
    pub(crate) slug: Option<&'o str>,
}

/// The body of a save request, taken as the chat that it will be.
#[derive(Clone)]
pub(crate) struct Sent {
    body: Rc<str>,
    chat: ChatRef,
    /// As the new timeline should have it, before it gets its lorebook.
    header: String,
    stamp: Stamp,
    /// Where header and messages stand in the body.
    lines: Vec<Range<usize>>,
}

impl Sent {
    /// Reads the body if it makes a new timeline of the open chat, which shares its lorebook.
    pub(crate) fn read(body: &str, open: &Open<'_>, fresh: [u8; 16]) -> Option<Self> {
        let request = Json::parse(body).ok()?;
        let name = match open.chat.owner {
            Owner::Character(_) => request.get("file_name")?.str()?,
            Owner::Group(_) => request.get("id")?.str()?,
        };
        let items = request.get("chat")?.items();
        let (header, messages) = items.split_first()?;
        let read = Header::read(header.text()).ok()?;
        let is_child = read.main_chat().is_some_and(|parent| parent == open.id);
        let name = names::chat_name(&name)?;
        if !is_child || name == open.chat.name || messages.is_empty() {
            return None;
        }
        read.lorebook()?;
        let header = as_new(&read, header.text(), open.slug, fresh).ok()?;
        let begin = body.as_ptr() as usize;
        let lines = items
            .iter()
            .map(|item| {
                let start = item.text().as_ptr() as usize - begin;
                start..start + item.text().len()
            })
            .collect();
        let chat = open.chat.sibling(name);
        Some(Self { chat, stamp: crate::host::stamp(&header), header, lines, body: body.into() })
    }

    pub(crate) fn chat(&self) -> &ChatRef {
        &self.chat
    }

    pub(crate) fn header(&self) -> &str {
        &self.header
    }

    pub(crate) fn stamp(&self) -> &Stamp {
        &self.stamp
    }

    pub(crate) fn len(&self) -> usize {
        self.lines.len() - 1
    }

    pub(crate) fn line(&self, message: usize) -> &str {
        &self.body[self.lines[message + 1].clone()]
    }

    /// The body with changed lines.
    pub(crate) fn with(&self, edits: &[LineEdit]) -> Result<String, JsonError> {
        let request = Json::parse(&self.body)?;
        let items = request.get("chat").map(Json::items).unwrap_or_default();
        let mut splices = Splices::new(&self.body);
        for edit in edits {
            let index = match edit.line {
                Line::Header => 0,
                Line::Message(message) => message + 1,
            };
            if let Some(item) = items.get(index) {
                splices.replace(*item, edit.text.clone());
            }
        }
        Ok(splices.apply())
    }
}

/// What SillyTavern copies along, but a timeline of its own must not have.
fn as_new(
    read: &Header<'_>,
    text: &str,
    parents_slug: Option<&str>,
    fresh: [u8; 16],
) -> Result<String, JsonError> {
    let mut header = HeaderEdit::new(text);
    // Up to 1.18 the parent's slug is copied, and nobody could tell the two apart.
    if read.slug().is_none_or(|own| Some(own.as_str()) == parents_slug) {
        header.set_text(&["integrity"], &slug::slug(fresh))?;
    }
    header.set(&["tainted"], "true")?;
    header.remove(&MAP)?;
    Ok(header.into_text())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn solo() -> ChatRef {
        ChatRef::new(Owner::Character("mira".into()), "Main")
    }

    fn body(file: &str, metadata: &str) -> String {
        format!(
            r#"{{"ch_name":"Mira \"file_name\"","file_name":"{file}","chat":[{{"chat_metadata":{metadata},"user_name":"unused"}},{{"mes":"a"}},{{"mes":"b"}}],"avatar_url":"mira.png","force":false}}"#
        )
    }

    fn read(body: &str) -> Option<Sent> {
        let chat = solo();
        let open = Open { chat: &chat, id: "Main", slug: Some("s") };
        Sent::read(body, &open, [7; 16])
    }

    const CHILD: &str = r#"{"main_chat":"Main","integrity":"s","world_info":"L"}"#;

    #[test]
    fn a_new_timeline_is_told_from_every_other_save() {
        assert!(read(&body("Main - Branch #1", CHILD)).is_some());
        assert!(read(&body("Main", CHILD)).is_none(), "the open chat itself");
        assert!(read(&body("Other", r#"{"main_chat":"Else","world_info":"L"}"#)).is_none());
        assert!(read(&body("Other", r#"{"world_info":"L"}"#)).is_none());
        assert!(read(&body("Child", r#"{"main_chat":"Main"}"#)).is_none(), "nothing is shared");
        assert!(read("not json").is_none());
    }

    #[test]
    fn the_request_keeps_all_but_what_changes() {
        let text = body("Main - Branch #1", CHILD);
        let sent = read(&text).unwrap();
        assert_eq!((sent.len(), sent.line(1)), (2, r#"{"mes":"b"}"#));
        assert_ne!(Header::read(sent.header()).unwrap().slug().as_deref(), Some("s"));
        let edits = [
            LineEdit { line: Line::Header, text: r#"{"chat_metadata":{}}"#.into() },
            LineEdit { line: Line::Message(1), text: r#"{"mes":"c"}"#.into() },
        ];
        let new = sent.with(&edits).unwrap();
        assert!(new.contains(r#""chat":[{"chat_metadata":{}},{"mes":"a"},{"mes":"c"}],"avatar"#));
        assert!(
            new.starts_with(r#"{"ch_name":"Mira \"file_name\"","file_name":"Main - Branch #1""#)
        );
    }

    #[test]
    fn a_fresh_slug_stays() {
        let sent = read(&body("B", r#"{"main_chat":"Main","integrity":"own","world_info":"L"}"#));
        assert_eq!(Header::read(sent.unwrap().header()).unwrap().slug().as_deref(), Some("own"));
    }
}
