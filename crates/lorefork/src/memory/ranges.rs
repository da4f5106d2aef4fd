//! Entries that say from which messages of which chat they were made: of them one can tell at every
//! message which belong to it. One rule for all memory extensions; how their entries say it is a row
//! of the table.

use super::ALL;
use crate::json::{Json, JsonError, Member, Splices, quote, set};
use crate::sorted;
use crate::tavern::lorebook::{Entry, Lorebook, entries_text};

/// How the entries of an extension say what they were made from: names of their fields.
#[derive(Debug, Clone, Copy)]
pub(super) struct Fields {
    /// That it is one.
    pub is_memory: &'static str,
    /// Of which chat, and the last message.
    pub chat: &'static str,
    pub end: &'static str,
    /// Numbers of the entries that it sums up.
    pub sources: &'static str,
    /// The number of the summary that has switched it off.
    pub switched_off: &'static [&'static str],
}

fn all() -> impl Iterator<Item = &'static Fields> {
    ALL.iter().filter_map(|memory| memory.fields())
}

/// Whose memory an entry is.
fn fields_of(entry: &Entry<'_>) -> Option<&'static Fields> {
    all().find(|fields| entry.get(fields.is_memory).is_some_and(Json::truthy))
}

/// The chat that an entry says it is of, whether it is a memory or not.
fn chat_of<'a>(entry: &Entry<'a>) -> Option<Json<'a>> {
    all().find_map(|fields| entry.some(fields.chat))
}

/// The numbers of the entries that an entry sums up.
fn sources<'a>(entry: &Entry<'a>) -> Vec<Json<'a>> {
    let sources = all().find_map(|fields| entry.some(fields.sources));
    sources.map(Json::items).unwrap_or_default()
}

/// Whether an entry is a memory.
pub fn is_memory(entry: &Entry<'_>) -> bool {
    fields_of(entry).is_some()
}

/// A chat whose memories are those of a timeline: its own, or its parent's up to where they part.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Told {
    /// As the memory names it.
    pub chat: String,
    /// The last message that both tell.
    pub until: i64,
}

impl Told {
    /// By the timeline itself.
    pub fn own(chat: impl Into<String>) -> Self {
        Self { chat: chat.into(), until: i64::MAX }
    }
}

/// The last message that a memory was made from. It means a message of the chat it names; a memory of
/// some other chat says nothing about this one. What the parent told after they parted never happens
/// here, as if it were after all messages.
fn end_of(entry: &Entry<'_>, chats: &[Told]) -> Option<i64> {
    let (chat, end) = range(entry)?;
    let Some(chat) = chat else { return Some(end) };
    let told = chats.iter().find(|told| told.chat == chat)?;
    Some(if end > told.until { i64::MAX } else { end })
}

/// Whether the lorebook holds memories of this chat, up to `last`.
pub fn tells_of(book: &Lorebook<'_>, chat: &str, last: usize) -> bool {
    let is_told = |(of, end): (Option<String>, i64)| {
        of.as_deref() == Some(chat) && usize::try_from(end).is_ok_and(|end| end <= last)
    };
    book.entries.iter().filter_map(range).any(is_told)
}

/// The chat a memory was made from, if it says so, and the last message.
pub fn range(entry: &Entry<'_>) -> Option<(Option<String>, i64)> {
    let fields = fields_of(entry)?;
    let chat = entry.some(fields.chat).and_then(Json::str).map(|chat| chat.into_owned());
    Some((chat, entry.some(fields.end).and_then(Json::integer)?))
}

/// Whether the lorebook holds memories made from messages of one of these chats.
pub fn has_ranges(book: &Lorebook<'_>, chats: &[Told]) -> bool {
    book.entries.iter().any(|entry| end_of(entry, chats).is_some())
}

/// Whether it holds memories of messages after `last`.
pub fn knows_beyond(book: &Lorebook<'_>, chats: &[Told], last: usize) -> bool {
    !from_the_future(book, chats, last).is_empty()
}

/// Keys of entries that a timeline ending at `last` cannot know: memories of later messages, and
/// summaries made from any of them.
fn from_the_future(book: &Lorebook<'_>, chats: &[Told], last: usize) -> Vec<Vec<u16>> {
    let last = i64::try_from(last).unwrap_or(i64::MAX);
    with_summaries(book, &|entry| end_of(entry, chats).is_some_and(|end| end > last))
}

/// Keys of the entries that are to go, and of all summaries made from any of them, sorted.
fn with_summaries(book: &Lorebook<'_>, goes: &dyn Fn(&Entry<'_>) -> bool) -> Vec<Vec<u16>> {
    // Who was made of whom.
    let mut made: Vec<(Vec<u16>, usize)> = Vec::new();
    for (place, entry) in book.entries.iter().enumerate() {
        made.extend(sources(entry).into_iter().map(|source| (uid_units(source), place)));
    }
    sorted::sort(&mut made);
    let mut is_gone: Vec<bool> = book.entries.iter().map(goes).collect();
    let mut next: Vec<usize> = (0..is_gone.len()).filter(|place| is_gone[*place]).collect();
    let mut gone = Vec::new();
    // Summaries can be made of summaries, so until nothing more goes.
    while let Some(place) = next.pop() {
        let key = &book.entries[place].key;
        let from = made.partition_point(|(source, _)| source < key);
        for (_, summary) in made[from..].iter().take_while(|(source, _)| source == key) {
            if !is_gone[*summary] {
                is_gone[*summary] = true;
                next.push(*summary);
            }
        }
        gone.push(key.clone());
    }
    sorted::sort(&mut gone);
    gone.dedup();
    gone
}

/// A uid, written as number or text, as the key it is in the file.
fn uid_units(uid: Json<'_>) -> Vec<u16> {
    uid.units().unwrap_or_else(|| crate::json::js::number(uid).encode_utf16().collect())
}

/// Memories of chats that are not these: they stay, since nobody knows what of them is later.
pub fn of_other_chats(book: &Lorebook<'_>, chats: &[Told]) -> usize {
    let is_other = |entry: &&Entry<'_>| {
        let chat = fields_of(entry).and_then(|fields| entry.some(fields.chat)?.str());
        chat.is_some_and(|chat| !chats.iter().any(|told| told.chat == chat))
    };
    book.entries.iter().filter(is_other).count()
}

/// The lorebook without what a timeline that ends at `last` cannot know, and how many entries that
/// were. What only they had switched off is on again.
pub fn without_the_future(
    text: &str,
    chats: &[Told],
    last: usize,
) -> Result<(String, usize), JsonError> {
    let last = i64::try_from(last).unwrap_or(i64::MAX);
    without(text, |entry| end_of(entry, chats).is_some_and(|end| end > last))
}

/// A lorebook of an earlier moment by the memories' ranges: without what a timeline that ends at
/// `last` cannot know, and with the memories up to there that only the live one has. And how many of
/// those have no place in it, because their number is another entry's.
pub fn by_ranges(
    text: String,
    live: &Lorebook<'_>,
    chats: &[Told],
    last: usize,
) -> Result<(String, usize), JsonError> {
    if !has_ranges(live, chats) {
        return Ok((text, 0));
    }
    // What only later summaries had switched off is on again in it.
    let (live, _) = without_the_future(live.text, chats, last)?;
    let (Ok(live), Ok(book)) = (Lorebook::read(&live), Lorebook::read(&text)) else {
        return Ok((text, 0));
    };
    let mut entries: Vec<&Entry<'_>> = book.entries.iter().collect();
    let mut no_place = 0;
    for memory in made_of(&live, chats) {
        match book.entries.iter().find(|entry| entry.key == memory.key) {
            None => entries.push(memory),
            Some(entry) => no_place += usize::from(entry.comment() != memory.comment()),
        }
    }
    let entries = entries.iter().map(|entry| (entry.key.as_slice(), entry.json.text()));
    let text = set(&text, &["entries"], &entries_text(entries))?;
    Ok((without_the_future(&text, chats, last)?.0, no_place))
}

/// Memories of these chats, and summaries that were made of nothing else.
fn made_of<'b>(book: &'b Lorebook<'b>, chats: &[Told]) -> Vec<&'b Entry<'b>> {
    let (mut found, mut rest): (Vec<_>, Vec<_>) =
        book.entries.iter().partition(|entry| end_of(entry, chats).is_some());
    // Summaries can be made of summaries, so until no more are found.
    loop {
        let is_known = |uid: &Json<'_>| found.iter().any(|entry| entry.key == uid_units(*uid));
        let (more, others): (Vec<_>, Vec<_>) = rest.into_iter().partition(|entry| {
            let sources = sources(entry);
            !sources.is_empty() && sources.iter().all(is_known)
        });
        if more.is_empty() {
            return found;
        }
        found.extend(more);
        rest = others;
    }
}

/// The chat and the last message that a memory says it was made from.
pub fn made_from(entry: &Entry<'_>) -> Option<(String, usize)> {
    let (chat, end) = range(entry)?;
    Some((chat?, usize::try_from(end).ok()?))
}

/// The lorebook without some memories and the summaries made from them, and how many entries that
/// were. What only they had switched off is on again.
pub fn without(
    text: &str,
    goes: impl Fn(&Entry<'_>) -> bool,
) -> Result<(String, usize), JsonError> {
    let Ok(book) = Lorebook::read(text) else { return Ok((text.to_owned(), 0)) };
    let Some(entries) = book.get("entries") else { return Ok((text.to_owned(), 0)) };
    let gone = with_summaries(&book, &goes);
    let mut splices = Splices::new(text);
    splices.cut_members(entries, |member| {
        member.key.units().is_some_and(|key| gone.binary_search(&key).is_ok())
    });
    for entry in book.entries.iter().filter(|entry| gone.binary_search(&entry.key).is_err()) {
        let is_mark = |member: &Member<'_>| {
            all().flat_map(|fields| fields.switched_off).any(|mark| member.is(mark))
                && gone.binary_search(&uid_units(member.value)).is_ok()
        };
        if entry.json.members().iter().any(is_mark) {
            splices.cut_members(entry.json, is_mark);
            if let Some(disable) = entry.get("disable") {
                splices.replace(disable, "false");
            }
        }
    }
    Ok((splices.apply(), gone.len()))
}

/// The lorebook as the new timeline's: its memories say that they are of that chat.
pub fn for_chat(text: String, from: &[Told], to: &str) -> String {
    // Most books hold no memories. (An escape could spell the key otherwise.)
    if !all().any(|fields| text.contains(fields.chat)) && !text.contains("\\u") {
        return text;
    }
    let Ok(book) = Lorebook::read(&text) else { return text };
    let mut splices = Splices::new(&text);
    for entry in &book.entries {
        if let Some(chat) = chat_of(entry)
            && chat.str().is_some_and(|name| from.iter().any(|told| told.chat == name))
            && end_of(entry, from) != Some(i64::MAX)
        {
            splices.replace(chat, quote(to));
        }
    }
    splices.apply()
}

/// The newest message that a memory of these chats covers.
pub fn covered(book: &Lorebook<'_>, chats: &[Told]) -> Option<i64> {
    book.entries.iter().filter_map(|entry| end_of(entry, chats)).max()
}

#[cfg(test)]
mod tests {
    use super::*;

    const BOOK: &str = r#"{"entries":{
"0":{"uid":0,"comment":"by hand"},
"1":{"uid":1,"comment":"m1","stmemorybooks":true,"STMB_start":0,"STMB_end":9,"STMB_chatId":"main","disable":true,"disabledBySummaryId":4},
"2":{"uid":2,"comment":"m2","stmemorybooks":true,"STMB_start":10,"STMB_end":19,"STMB_chatId":"main"},
"3":{"uid":3,"comment":"other chat","stmemorybooks":true,"STMB_start":10,"STMB_end":99,"STMB_chatId":"else"},
"4":{"uid":4,"comment":"arc","stmbSummary":true,"stmbSourceEntryUids":["1","2"]},
"5":{"uid":5,"comment":"arc of arcs","stmbSummary":true,"stmbSourceEntryUids":["4"]}}}"#;

    #[test]
    fn memories_of_later_messages_and_their_summaries_go() {
        let chats = [Told::own("main")];
        let (text, left_out) = without_the_future(BOOK, &chats, 12).unwrap();
        assert_eq!(left_out, 3);
        let book = Lorebook::read(&text).unwrap();
        assert_eq!(book.entries.iter().map(|e| e.uid().unwrap()).collect::<Vec<_>>(), [0, 1, 3]);
        assert_eq!(book.entries[1].json.get("disable").unwrap().text(), "false");
        assert_eq!(covered(&book, &chats), Some(9));
        assert_eq!(without_the_future(BOOK, &chats, 19).unwrap(), (BOOK.to_owned(), 0));
        assert_eq!(of_other_chats(&book, &chats), 1);
        assert!(has_ranges(&book, &chats) && !knows_beyond(&book, &chats, 12));
    }

    #[test]
    fn a_lorebook_of_an_earlier_moment_has_the_memories_up_to_there() {
        let chats = [Told::own("main")];
        let live = Lorebook::read(BOOK).unwrap();
        let at = |last| {
            let then = r#"{"entries":{"0":{"uid":0,"comment":"then"},"2":{"uid":2,"comment":"m2","stmemorybooks":true,"STMB_end":19}}}"#;
            let (text, no_place) = by_ranges(then.to_owned(), &live, &chats, last).unwrap();
            assert_eq!(no_place, 0);
            let book = Lorebook::read(&text).unwrap();
            (book.entries.iter().map(|e| e.uid().unwrap()).collect::<Vec<_>>(), text.clone())
        };
        let (uids, text) = at(12);
        assert_eq!(uids, [0, 1], "not the later one, nor that of another chat");
        assert!(
            text.contains(r#""STMB_chatId":"main","disable":false}"#),
            "its summary is not there"
        );
        assert_eq!(at(19).0, [0, 1, 2, 4, 5], "with the summaries of them");
        let taken = r#"{"entries":{"1":{"uid":1,"comment":"another"}}}"#;
        assert_eq!(by_ranges(taken.to_owned(), &live, &chats, 12).unwrap().1, 1);
    }

    #[test]
    fn memories_follow_to_the_new_chat() {
        let text = for_chat(BOOK.to_owned(), &[Told::own("main")], "fork");
        assert_eq!(text, BOOK.replace("\"main\"", "\"fork\""));
    }

    #[test]
    fn what_the_parent_told_after_they_parted_never_happened_here() {
        let chats = [Told::own("fork"), Told { chat: "main".into(), until: 14 }];
        let book = Lorebook::read(BOOK).unwrap();
        assert!(knows_beyond(&book, &chats, 40) && tells_of(&book, "main", 9));
        assert!(!tells_of(&book, "main", 8) && !tells_of(&book, "fork", 40));
        assert_eq!(without_the_future(BOOK, &chats, 40).unwrap().1, 3);
        let text = for_chat(BOOK.to_owned(), &chats, "fork");
        assert_eq!(text, BOOK.replacen("\"main\"", "\"fork\"", 1));
    }
}
