//! What a timeline of ours says about itself, in its own metadata.

use crate::json::{Json, JsonError, Object, quote, text_or_null};
use crate::memory::checkpoints;
use crate::moment::live::RECORD_VERSION;
use crate::moment::{Quality, Source};
use crate::tavern::chat::{Header, HeaderEdit};
use crate::tavern::names;

/// The key of our record in the metadata.
pub const KEY: &str = "lorefork";

/// Where a timeline's record names the lorebook that it shared.
pub(crate) const SHARED_BOOK: [&str; 3] = [KEY, "shared", "lorebook"];

/// What a timeline is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Where the family's story begins.
    Main,
    /// Made as a checkpoint of its parent.
    Checkpoint,
    /// Made as a branch of its parent.
    Branch,
}

impl Kind {
    /// As it stands in records and answers.
    pub fn word(self) -> &'static str {
        match self {
            Self::Main => "main",
            Self::Checkpoint => "checkpoint",
            Self::Branch => "branch",
        }
    }

    /// Reads it back from a record.
    pub(crate) fn read(json: Json<'_>) -> Option<Self> {
        [Self::Main, Self::Checkpoint, Self::Branch].into_iter().find(|one| json.says(one.word()))
    }
}

impl From<names::Kind> for Kind {
    fn from(kind: names::Kind) -> Self {
        match kind {
            names::Kind::Checkpoint => Self::Checkpoint,
            names::Kind::Branch => Self::Branch,
        }
    }
}

/// `chat_metadata.lorefork` of a timeline whose lorebook we made.
#[derive(Debug, Clone, PartialEq)]
pub struct Record {
    /// The version of this format.
    pub v: u32,
    /// The timeline's own, given once: it survives renaming.
    pub id: String,
    /// What it was made as.
    pub kind: Kind,
    /// Its own name and slug: SillyTavern, import and conversion copy metadata, and a record whose
    /// both differ from the file is such a copy.
    pub chat: String,
    /// The slug it was made with.
    pub slug: Option<String>,
    /// The timeline it came from; none for a main chat.
    pub parent: Option<Parent>,
    /// The fork point: its parent's message that was its last when it was made.
    pub at: usize,
    /// The name that its lorebook's name is built on.
    pub base: Option<String>,
    /// How it came by its lorebook.
    pub lore: Lore,
}

/// The timeline that another one came from, by all that it could be known by.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Parent {
    /// Its name, which may have changed since.
    pub chat: String,
    /// Its slug when the other was made.
    pub slug: Option<String>,
    /// Its id, if it had one.
    pub id: Option<String>,
}

/// How a timeline came by its lorebook.
#[derive(Debug, Clone, PartialEq)]
pub struct Lore {
    /// Where it was taken from.
    pub source: Source,
    /// How sure it is that it is the one of that message.
    pub quality: Quality,
    /// The message whose snapshot it was.
    pub from: Option<usize>,
    /// The lorebook it was made of.
    pub of: Option<String>,
    /// The lorebook's fingerprint when it was made.
    pub hash: Option<String>,
}

impl Parent {
    fn json(&self) -> String {
        Object::new()
            .text("chat", &self.chat)
            .text_or_null("slug", self.slug.as_deref())
            .text_or_null("id", self.id.as_deref())
            .done()
    }
}

impl Lore {
    fn json(&self) -> String {
        Object::new()
            .text("source", self.source.word())
            .text("quality", self.quality.word())
            .count_or_null("from", self.from)
            .text_or_null("of", self.of.as_deref())
            .text_or_null("hash", self.hash.as_deref())
            .done()
    }
}

fn text(json: Json<'_>, key: &str) -> Option<String> {
    json.get(key)?.str().map(String::from)
}

impl Record {
    /// The record that this file's header holds about this file.
    pub fn own(header: &Header<'_>, chat: &str) -> Option<Self> {
        let record = header.meta(&[KEY]).filter(|record| is_own(header, chat, *record))?;
        Self::read(record)
    }

    fn read(json: Json<'_>) -> Option<Self> {
        let lore = json.get("lore")?;
        Some(Self {
            v: u32::try_from(json.get("v")?.integer()?).ok()?,
            id: text(json, "id")?,
            kind: Kind::read(json.get("kind")?)?,
            chat: text(json, "chat")?,
            slug: text(json, "slug"),
            parent: match json.some("parent") {
                Some(parent) => Some(Parent {
                    chat: text(parent, "chat")?,
                    slug: text(parent, "slug"),
                    id: text(parent, "id"),
                }),
                None => None,
            },
            at: json.get("at")?.count()?,
            base: text(json, "base"),
            lore: Lore {
                source: Source::read(lore.get("source")?)?,
                quality: Quality::read(lore.get("quality")?)?,
                from: lore.get("from").and_then(Json::count),
                of: text(lore, "of"),
                hash: text(lore, "hash"),
            },
        })
    }

    fn json(&self) -> String {
        let parent = self.parent.as_ref().map_or("null".to_owned(), Parent::json);
        Object::new()
            .count("v", self.v as usize)
            .text("id", &self.id)
            .text("kind", self.kind.word())
            .text("chat", &self.chat)
            .text_or_null("slug", self.slug.as_deref())
            .raw("parent", &parent)
            .count("at", self.at)
            .text_or_null("base", self.base.as_deref())
            .raw("lore", &self.lore.json())
            .done()
    }

    /// The message whose lore the timeline was set back to, if it was: a rewinding keeps `at`, which
    /// is about its messages.
    pub(crate) fn rewound_to(&self, header: &Header<'_>) -> Option<usize> {
        let moment = checkpoints::State::of(header).and_then(checkpoints::State::at);
        moment.filter(|moment| *moment != self.at)
    }

    /// Whether the header holds a record that a newer Lorefork wrote.
    pub(crate) fn is_newer(header: &Header<'_>) -> bool {
        header
            .meta(&[KEY, "v"])
            .and_then(Json::integer)
            .is_some_and(|v| v > i64::from(RECORD_VERSION))
    }

    /// Writes it into a header. Where the header has a record of its own, what others put there
    /// stays; a record that came along with copied metadata goes.
    pub fn write(&self, header: &mut HeaderEdit) -> Result<(), JsonError> {
        let before = header.text().to_owned();
        let is_own =
            Header::read(&before).is_ok_and(|before| own_id(&before, &self.chat).is_some());
        if !is_own {
            return header.set(&[KEY], &self.json());
        }
        header.set(&[KEY, "v"], &self.v.to_string())?;
        header.set(&[KEY, "id"], &quote(&self.id))?;
        header.set(&[KEY, "kind"], &quote(self.kind.word()))?;
        header.set(&[KEY, "chat"], &quote(&self.chat))?;
        header.set(&[KEY, "slug"], &text_or_null(self.slug.as_deref()))?;
        if let Some(parent) = &self.parent {
            header.set(&[KEY, "parent", "chat"], &quote(&parent.chat))?;
            header.set(&[KEY, "parent", "slug"], &text_or_null(parent.slug.as_deref()))?;
            header.set(&[KEY, "parent", "id"], &text_or_null(parent.id.as_deref()))?;
        }
        header.set(&[KEY, "at"], &self.at.to_string())?;
        header.set(&[KEY, "base"], &text_or_null(self.base.as_deref()))?;
        header.set(&[KEY, "lore"], &self.lore.json())
    }
}

/// The id by which a chat's family finds it after a rename, if it has one of its own.
pub(crate) fn own_id(header: &Header<'_>, chat: &str) -> Option<String> {
    let record = header.meta(&[KEY]).filter(|record| is_own(header, chat, *record))?;
    record.get("id")?.str().map(String::from)
}

/// What a chat says of itself, for others who want to know where they are: its kind, unless somebody
/// else made it, its id, its parent's, and where it parts.
pub fn told(header: &Header<'_>, chat: &str) -> String {
    let record = header.meta(&[KEY]).filter(|record| is_own(header, chat, *record));
    let kind = record.and_then(|record| Kind::read(record.get("kind")?));
    let kind = kind.or_else(|| header.main_chat().is_none().then_some(Kind::Main));
    let at = record.and_then(|record| record.get("at")?.count());
    let parent = record.and_then(|record| text(record.some("parent")?, "id"));
    Object::new()
        .text_or_null("kind", kind.map(Kind::word))
        .text_or_null("id", record.and_then(|record| text(record, "id")).as_deref())
        .text_or_null("parentId", parent.as_deref())
        .count_or_null("at", at.filter(|_| kind != Some(Kind::Main)))
        .done()
}

/// Whether a record is about the chat it stands in. A chat that was renamed has kept its slug. Up to
/// 1.18 SillyTavern's copies have it too, but then the record is about the parent.
fn is_own(header: &Header<'_>, chat: &str, record: Json<'_>) -> bool {
    let says = |key: &str, value: &str| record.get(key).is_some_and(|text| text.says(value));
    let parent = header.main_chat().and_then(|name| names::chat_name(&name));
    let is_parents = parent.is_some_and(|parent| says("chat", &parent));
    says("chat", chat) || (header.slug().is_some_and(|slug| says("slug", &slug)) && !is_parents)
}

/// Gives a main chat its own record, so that the family survives renames. What others put into it
/// stays.
pub(crate) fn mark_main(
    header: &mut HeaderEdit,
    id: &str,
    chat: &str,
    slug: Option<&str>,
) -> Result<(), JsonError> {
    header.set(&[KEY, "v"], &RECORD_VERSION.to_string())?;
    header.set_text(&[KEY, "id"], id)?;
    header.set_text(&[KEY, "kind"], "main")?;
    header.set_text(&[KEY, "chat"], chat)?;
    header.set(&[KEY, "slug"], &text_or_null(slug))
}

/// Notes in its own record that a timeline used a lorebook together with others, until now.
pub(crate) fn mark_shared(
    header: &mut HeaderEdit,
    lorebook: &str,
    now_ms: u64,
) -> Result<(), JsonError> {
    header.set_text(&SHARED_BOOK, lorebook)?;
    header.set(&[KEY, "shared", "until"], &now_ms.to_string())
}

/// The lorebook that a timeline used together with others, and until when in milliseconds.
pub(crate) fn shared(header: &Header<'_>, chat: &str) -> Option<(String, i64)> {
    let record = header.meta(&[KEY]).filter(|record| is_own(header, chat, *record))?;
    let shared = record.get("shared")?;
    Some((text(shared, "lorebook")?, shared.get("until")?.integer()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn id_in(chat: &str, main_chat: &str) -> Option<String> {
        let text = format!(
            r#"{{"chat_metadata":{{"integrity":"s","main_chat":"{main_chat}","lorefork":{{"id":"i","chat":"Mine","slug":"s"}}}}}}"#
        );
        own_id(&Header::read(&text).unwrap(), chat)
    }

    #[test]
    fn a_record_that_a_copy_brought_along_is_not_its_own() {
        assert_eq!(id_in("Mine", "Main").as_deref(), Some("i"));
        assert_eq!(id_in("Renamed", "Main").as_deref(), Some("i"), "its slug stays");
        // As SillyTavern up to 1.18 copies: with the slug.
        assert_eq!(id_in("Mine - Branch #1", "Mine"), None);
    }

    #[test]
    fn what_others_are_told_is_about_this_chat() {
        let text = r#"{"chat_metadata":{"integrity":"s","main_chat":"Main","lorefork":{"id":"i","kind":"branch","chat":"Mine","slug":"s","at":7,"parent":{"chat":"Main","id":"p"}}}}"#;
        let header = Header::read(text).unwrap();
        assert_eq!(told(&header, "Mine"), r#"{"kind":"branch","id":"i","parentId":"p","at":7}"#);
        let nothing = r#"{"kind":null,"id":null,"parentId":null,"at":null}"#;
        let copy = text.replace(r#""main_chat":"Main""#, r#""main_chat":"Mine""#);
        assert_eq!(told(&Header::read(&copy).unwrap(), "Mine - Branch #1"), nothing);
        let main = Header::read(r#"{"chat_metadata":{}}"#).unwrap();
        assert_eq!(told(&main, "Main"), nothing.replacen("null", r#""main""#, 1));
    }
}
