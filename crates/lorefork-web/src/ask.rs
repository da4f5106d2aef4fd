//! What the page asks for, as JSON.

use lorefork::error::report::Policy;
use lorefork::error::{Code, Error};
use lorefork::fork::Request;
use lorefork::json::Json;
use lorefork::moment::LoreChoice;
use lorefork::say;
use lorefork::tavern::names::{self, Kind};
use lorefork::tavern::place::ChatRef;

/// Warnings that nobody should find out about afterwards: the user is asked first.
pub(crate) const SAID_BEFORE: [Code; 2] = [Code::KnowsTheFuture, Code::LorebookAlsoGlobal];

/// The chat in question. SillyTavern keeps names as they were typed; the file has its own.
pub(crate) fn chat(text: &str) -> Result<ChatRef, Error> {
    let json = Json::parse(text).ok();
    let mut chat = json.and_then(ChatRef::read).ok_or_else(unreadable)?;
    chat.name = names::chat_name(&chat.name).ok_or_else(unreadable)?;
    Ok(chat)
}

fn unreadable() -> Error {
    Error::new(Code::ChatNotFound, say!("No chat is open."), say!("Open a chat, then try again."))
}

pub(crate) fn lore(text: Option<&str>) -> LoreChoice {
    match text {
        Some("live") => LoreChoice::Live,
        Some("snapshot") => LoreChoice::Snapshot,
        Some("empty") => LoreChoice::Empty,
        Some("share") => LoreChoice::Share,
        _ => LoreChoice::Auto,
    }
}

/// A list of texts.
pub(crate) fn strings(text: &str) -> Vec<String> {
    let items = Json::parse(text).map(Json::items).unwrap_or_default();
    items.into_iter().filter_map(Json::str).map(String::from).collect()
}

/// Reads `{ kind, chat, at?, swipe?, name?, strict?, lore?, preferredLore?, dropQueue?, confirmed?, shared? }`.
pub(crate) fn request(text: &str) -> Result<Request, Error> {
    let json = Json::parse(text).map_err(|_| unreadable())?;
    let kind = if json.get("kind").is_some_and(|kind| kind.says("branch")) {
        Kind::Branch
    } else {
        Kind::Checkpoint
    };
    let mut request = Request::new(kind, chat(json.get("chat").map_or("", Json::text))?);
    let index = |key: &str| json.get(key).and_then(Json::integer).map(whole);
    let says_so = |key: &str| json.get(key).is_some_and(Json::truthy);
    request.at = index("at");
    request.swipe = index("swipe");
    // An empty answer to SillyTavern's question means: think of one.
    request.name =
        json.some("name").and_then(Json::str).map(String::from).filter(|name| !name.is_empty());
    let chosen = json.some("lore");
    request.is_preference = chosen.is_none();
    let chosen = chosen.or_else(|| json.some("preferredLore"));
    request.lore = lore(chosen.and_then(Json::str).as_deref());
    request.drop_queue = says_so("dropQueue");
    request.reorder = says_so("reorder");
    if says_so("strict") {
        request.policy = Policy::Strict;
    }
    if !says_so("confirmed") {
        request.ask = SAID_BEFORE.to_vec();
    }
    if !request.is_preference {
        // Whoever chose the lorebook for this very fork knows what it knows.
        request.ask.retain(|code| *code != Code::KnowsTheFuture);
    }
    let shared = json.get("shared").map(Json::items).unwrap_or_default();
    request.shared = shared.into_iter().filter_map(Json::str).map(String::from).collect();
    Ok(request)
}

/// A message that does not exist is found to be missing; it need not be a number of ours.
fn whole(index: i64) -> usize {
    usize::try_from(index).unwrap_or(usize::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_is_read() {
        let request = request(r#"{"kind":"branch","chat":{"owner":{"character":"mira"},"name":"My: Check?"},"at":4,"swipe":1,"name":"","lore":"empty","dropQueue":true,"shared":["L"]}"#).unwrap();
        assert_eq!(request.kind, Kind::Branch);
        assert_eq!(request.chat.file(), "chats/mira/My Check.jsonl");
        assert_eq!((request.at, request.swipe, request.name), (Some(4), Some(1), None));
        assert_eq!((request.lore, request.drop_queue), (LoreChoice::Empty, true));
        assert_eq!(request.shared, ["L"]);
        assert_eq!(request.ask, [Code::LorebookAlsoGlobal], "the lorebook was chosen");
    }

    #[test]
    fn no_chat_is_said_in_words() {
        assert_eq!(request(r#"{"kind":"branch"}"#).unwrap_err().code, Code::ChatNotFound);
        let odd =
            request(r#"{"chat":{"owner":{"group":"7"},"name":"x"},"at":-1,"confirmed":true}"#)
                .unwrap();
        assert_eq!((odd.at, odd.ask.len()), (Some(usize::MAX), 0));
    }
}
