//! MemoryBooks: memories as lorebook entries that say which messages they were made from.

use super::back::{Copies, Notes, Rewind};
use super::names::follow_own_name;
use super::ranges::{self, Fields};
use super::{Memory, find};
use crate::json::{Json, JsonError, Member, Object, Splices, array, quote, remove, set};
use crate::sorted;
use crate::tavern::chat::{Header, HeaderEdit};
use crate::tavern::settings::Settings;

/// Its key in the metadata.
const METADATA_KEY: &str = "STMemoryBooks";

pub(super) struct MemoryBooks;

impl Memory for MemoryBooks {
    fn name(&self) -> &'static str {
        "MemoryBooks"
    }

    fn books(&self, metadata: &[Member<'_>]) -> Vec<String> {
        self.bound(metadata)
    }

    fn bound(&self, metadata: &[Member<'_>]) -> Vec<String> {
        find(metadata, METADATA_KEY).map(bound_in).unwrap_or_default()
    }

    fn locked(&self, settings: &Settings<'_>) -> Vec<String> {
        locked(settings)
    }

    fn follow_chat(&self, header: &mut HeaderEdit, from: &str, to: &str) -> Result<(), JsonError> {
        follow_own_name(header, &[METADATA_KEY, "branchLorebookCopies", "branchChatId"], from, to)
    }

    fn follow_lorebook(
        &self,
        header: &mut HeaderEdit,
        from: &str,
        to: &str,
    ) -> Result<(), JsonError> {
        let before = header.text().to_owned();
        let Ok(before) = Header::read(&before) else { return Ok(()) };
        let Some(own) = own(&before) else { return Ok(()) };
        header.set(&[METADATA_KEY], &with_book(own, from, to))
    }

    fn fields(&self) -> Option<&'static Fields> {
        Some(&Fields {
            is_memory: "stmemorybooks",
            chat: "STMB_chatId",
            end: "STMB_end",
            sources: "stmbSourceEntryUids",
            switched_off: &["disabledBySummaryId", "disabledByArcId"],
        })
    }

    fn set_back(
        &self,
        header: &mut HeaderEdit,
        parent: &Header<'_>,
        rewind: &Rewind<'_>,
        _: &mut Notes,
    ) -> Result<(), JsonError> {
        let own = own(parent);
        let has_memories =
            rewind.lorebook.is_some_and(|exchange| ranges::has_ranges(exchange.new, rewind.chats));
        if own.is_none() && !has_memories {
            return Ok(());
        }
        let new = NewTimeline {
            parent: rewind.parent,
            name: rewind.chat,
            last: rewind.at,
            copied: rewind
                .lorebook
                .map(|exchange| (exchange.from, exchange.to))
                .filter(|(from, to)| from != to),
            covered: rewind
                .lorebook
                .and_then(|exchange| ranges::covered(exchange.new, rewind.chats)),
            now: rewind.now,
        };
        header.set(&[METADATA_KEY], &metadata(own.unwrap_or(Json::EMPTY), &new)?)
    }

    fn copied(
        &self,
        header: &mut HeaderEdit,
        before: &Header<'_>,
        copies: &Copies<'_>,
    ) -> Result<(), JsonError> {
        let Some(own) = own(before) else { return Ok(()) };
        header.set(&[METADATA_KEY], &with_copies(own, copies)?)
    }
}

fn own<'a>(header: &Header<'a>) -> Option<Json<'a>> {
    header.meta(&[METADATA_KEY]).filter(|own| own.is_object())
}

/// Lorebooks that are locked to a character in its settings: they are shared on purpose.
fn locked(settings: &Settings<'_>) -> Vec<String> {
    let locks = settings.extension(&[METADATA_KEY, "characterMemoryBookLocks"]);
    let locks = locks.map(Json::members).unwrap_or_default();
    let books = locks.iter().filter_map(|lock| lock.value.some("lorebookName")?.str());
    books.map(|name| name.trim().to_owned()).collect()
}

fn bound_in(own: Json<'_>) -> Vec<String> {
    let mut names: Vec<Json<'_>> = own.some("manualLorebook").into_iter().collect();
    names.extend(
        own.some("manualCharacterLorebooks")
            .map(Json::members)
            .unwrap_or_default()
            .iter()
            .map(|m| m.value),
    );
    let narrator = own.at(&["narratorMode", "members"]).map(Json::items).unwrap_or_default();
    names.extend(narrator.into_iter().filter_map(|member| member.some("lorebookName")));
    let names = names.into_iter().filter_map(Json::str).filter(|name| !name.is_empty());
    let mut found: Vec<String> = names.map(std::borrow::Cow::into_owned).collect();
    sorted::sort(&mut found);
    found.dedup();
    found
}

/// Its metadata, with another name for one of its lorebooks.
fn with_book(own: Json<'_>, from: &str, to: &str) -> String {
    let mut splices = Splices::new(own.text());
    let members = own.some("manualCharacterLorebooks").map(Json::members).unwrap_or_default();
    let narrator = own.at(&["narratorMode", "members"]).map(Json::items).unwrap_or_default();
    let named = own
        .some("manualLorebook")
        .into_iter()
        .chain(members.iter().map(|member| member.value))
        .chain(narrator.into_iter().filter_map(|member| member.some("lorebookName")));
    for name in named.filter(|name| name.says(from)) {
        splices.replace(name, quote(to));
    }
    splices.apply()
}

/// What a new timeline is, for MemoryBooks.
#[derive(Debug, Clone, Copy)]
struct NewTimeline<'a> {
    parent: &'a str,
    name: &'a str,
    last: usize,
    /// The parent's lorebook and its copy.
    copied: Option<(&'a str, &'a str)>,
    /// The newest message that a memory in the copy covers.
    covered: Option<i64>,
    /// ISO time.
    now: &'a str,
}

/// Its metadata for a new timeline: marks and counters set back to what the last message allows,
/// and its own marker, so that it does not copy our copy.
fn metadata(own: Json<'_>, new: &NewTimeline<'_>) -> Result<String, JsonError> {
    let last = i64::try_from(new.last).unwrap_or(i64::MAX);
    let beyond =
        |key: &str| own.some(key).and_then(Json::integer).is_some_and(|message| message > last);
    let mut text = own.text().to_owned();
    for key in ["sceneStart", "sceneEnd"] {
        if beyond(key) {
            text = set(&text, &[key], "null")?;
        }
    }
    if beyond("highestMemoryProcessed") {
        text = match new.covered {
            Some(message) => set(&text, &["highestMemoryProcessed"], &message.to_string())?,
            None => remove(&text, &["highestMemoryProcessed"])?,
        };
    }
    let Some((source, copy)) = new.copied else { return Ok(text) };
    // As long as it binds further lorebooks that nobody has copied, it may copy them itself.
    let is_all = bound_in(own).iter().all(|name| name == source);
    if own.some("manualLorebook").is_some_and(|name| name.says(source)) {
        text = set(&text, &["manualLorebook"], &quote(copy))?;
    }
    if !is_all {
        return remove(&text, &["branchLorebookCopies"]);
    }
    let books = [(source.to_owned(), copy.to_owned())];
    let marker = marker(new.parent, new.name, new.now, &books);
    set(&text, &["branchLorebookCopies"], &marker)
}

/// Its marker: the copies for this timeline are made.
fn marker(parent: &str, name: &str, now: &str, books: &[(String, String)]) -> String {
    let number =
        name.rsplit_once(" - Branch #").and_then(|(_, n)| n.parse::<u32>().ok()).unwrap_or(1);
    let mapping = |(source, copy): &(String, String)| {
        Object::new()
            .text("sourceName", source)
            .text("rootName", source)
            .text("copyName", copy)
            .done()
    };
    Object::new()
        .number("version", 1)
        .text("status", "completed")
        .text("parentChatId", parent)
        .text("branchChatId", name)
        .number("branchNumber", i64::from(number))
        .text("completedAt", now)
        .raw("mappings", &array(&books.iter().map(mapping).collect::<Vec<_>>()))
        .done()
}

/// Its metadata, bound to the copies, with its marker.
fn with_copies(own: Json<'_>, new: &Copies<'_>) -> Result<String, JsonError> {
    let bound = bound_in(own);
    let books = new.books.iter().filter(|(from, _)| bound.contains(from));
    let books: Vec<(String, String)> = books.cloned().collect();
    let mut text = own.text().to_owned();
    for (from, to) in &books {
        text = with_book(Json::parse(&text)?, from, to);
    }
    if let (None, Some(covered)) = (own.some("highestMemoryProcessed"), new.covered) {
        text = set(&text, &["highestMemoryProcessed"], &covered.to_string())?;
    }
    let marker = marker(new.parent, new.name, new.now, &books);
    set(&text, &["branchLorebookCopies"], &marker)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_locked_to_a_character_is_known() {
        let settings = r#"{"extension_settings":{"STMemoryBooks":{"characterMemoryBookLocks":{"a.png":{"characterName":"A","lorebookName":" Ours "},"b.png":{},"c.png":7}}}}"#;
        assert_eq!(locked(&Settings::read(settings).unwrap()), ["Ours"]);
        assert!(locked(&Settings::read("{}").unwrap()).is_empty());
    }

    #[test]
    fn its_metadata_goes_back_and_says_the_copy_is_made() {
        let own = Json::parse(r#"{"sceneStart":3,"sceneEnd":15,"highestMemoryProcessed":19,"manualLorebook":"Lore","x":1.0}"#).unwrap();
        let new = NewTimeline {
            parent: "main",
            name: "main - Branch #2",
            last: 12,
            copied: Some(("Lore", "Copy")),
            covered: Some(9),
            now: "2026-01-01T00:00:00.000Z",
        };
        assert_eq!(
            metadata(own, &new).unwrap(),
            r#"{"sceneStart":3,"sceneEnd":null,"highestMemoryProcessed":9,"manualLorebook":"Copy","x":1.0,"branchLorebookCopies":{"version":1,"status":"completed","parentChatId":"main","branchChatId":"main - Branch #2","branchNumber":2,"completedAt":"2026-01-01T00:00:00.000Z","mappings":[{"sourceName":"Lore","rootName":"Lore","copyName":"Copy"}]}}"#
        );
    }

    #[test]
    fn its_other_books_are_named() {
        let metadata = Json::parse(r#"{"STMemoryBooks":{"manualLorebook":"A","manualCharacterLorebooks":{"x":"B"},"narratorMode":{"members":[{"id":"1","lorebookName":"C"}]}}}"#).unwrap();
        assert_eq!(MemoryBooks.bound(&metadata.members()), ["A", "B", "C"]);
    }
}
