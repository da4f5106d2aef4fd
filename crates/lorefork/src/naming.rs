//! Who names a lorebook. One rule, for everybody who asks.

use crate::error::{Code, Error};
use crate::host::{HeaderOf, Host, HostError, HostErrorKind};
use crate::json::{Json, quote};
use crate::memory;
use crate::say;
use crate::sentence::Sentence;
use crate::tavern::chat::Header;
use crate::tavern::names::same_lorebook;
use crate::tavern::place::ChatRef;
use crate::tavern::settings::Settings;

/// Whether a header names a lorebook: however it is spelled there, if it means the same file. One
/// that cannot be read names it if the name stands in it: better once too often.
pub(crate) fn names(header: &str, lorebook: &str) -> bool {
    match Header::read(header) {
        Ok(header) => header.lorebook().is_some_and(|name| same_lorebook(&name, lorebook)),
        Err(_) => mentions(header, lorebook),
    }
}

/// All lorebooks that a chat's metadata names: its own, and those that extensions name in keys of
/// theirs.
pub(crate) fn in_metadata(metadata: Json<'_>) -> Vec<String> {
    let members = metadata.members();
    let own = members.iter().rfind(|member| member.is("world_info"));
    let own = own.and_then(|own| own.value.str()).filter(|name| !name.is_empty());
    let mut all: Vec<String> = own.map(|name| name.into_owned()).into_iter().collect();
    all.extend(memory::names::books(&members));
    all
}

/// All timelines that name a lorebook as theirs.
pub(crate) async fn who_names<H: Host>(
    host: &H,
    lorebook: &str,
) -> Result<Vec<HeaderOf>, HostError> {
    host.headers(&|other| names(&other.header, lorebook)).await
}

/// All timelines that name a lorebook in any way: none may be left without it.
pub(crate) async fn who_needs<H: Host>(
    host: &H,
    lorebook: &str,
) -> Result<Vec<HeaderOf>, HostError> {
    let needs = |other: &HeaderOf| match Header::read(&other.header) {
        Ok(header) => {
            let named = header.metadata().map(in_metadata).unwrap_or_default();
            named.iter().any(|name| same_lorebook(name, lorebook))
        }
        Err(_) => mentions(&other.header, lorebook),
    };
    host.headers(&needs).await
}

/// A lorebook that something names, and what.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Named {
    /// The lorebook, as it is named there.
    pub lorebook: String,
    /// In words.
    pub by: Sentence,
}

/// A chat that names a lorebook, as [`Named::by`].
pub(crate) fn in_words(chat: &ChatRef) -> Sentence {
    say!("the chat {0}", chat)
}

/// All lorebooks that anything names, `but` these chats: headers of chats, groups of old times,
/// global, character, auxiliary and persona links. Whoever removes a lorebook asks this first.
pub async fn named_lorebooks<H: Host>(host: &H, but: &[ChatRef]) -> Result<Vec<Named>, Error> {
    let books = host.lorebook_names().await?;
    all_named(host, but, &books, Damage::Refuse).await
}

/// Who names one of these lorebooks, whether they are there or not, `but` these chats. For who takes
/// back what could be done beside the same damage.
pub(crate) async fn who_names_these<H: Host>(
    host: &H,
    but: &[ChatRef],
    books: &[String],
) -> Result<Vec<Named>, Error> {
    let mut named = all_named(host, but, books, Damage::PassOver).await?;
    named.retain(|named| books.iter().any(|book| same_lorebook(&named.lorebook, book)));
    Ok(named)
}

/// What to do about groups and settings that cannot be read.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Damage {
    /// Nobody knows which lorebooks they name.
    Refuse,
    /// They name what stands in them, as headers do.
    PassOver,
}

const SETTINGS: Sentence = say!("SillyTavern's settings: global, additional or of a persona");

async fn all_named<H: Host>(
    host: &H,
    but: &[ChatRef],
    books: &[String],
    damage: Damage,
) -> Result<Vec<Named>, Error> {
    // Of what is not even a text nothing can be told.
    let readable = |text: Result<Option<String>, HostError>| match text {
        Err(error) if error.kind == HostErrorKind::Damaged && damage == Damage::PassOver => {
            Ok(None)
        }
        text => text.map_err(Error::from),
    };
    // Better once too often.
    let mentioned = |text: &str| -> Vec<String> {
        books.iter().filter(|book| mentions(text, book)).cloned().collect()
    };
    let mut named = Vec::new();
    let mut add = |lorebooks: Vec<String>, by: &Sentence| {
        let name = |lorebook| Named { lorebook, by: by.clone() };
        named.extend(lorebooks.into_iter().map(name));
    };
    for other in host.headers(&|_| true).await? {
        if but.iter().any(|chat| chat.file() == other.chat.file()) {
            continue;
        }
        let by = in_words(&other.chat);
        match Header::read(&other.header) {
            Ok(header) => {
                add(header.metadata().map(in_metadata).unwrap_or_default(), &by);
            }
            Err(_) => add(mentioned(&other.header), &by),
        }
    }
    for id in host.groups().await? {
        let text = host.group(&id).await.map(|found| found.map(|document| document.text));
        let Some(text) = readable(text)? else { continue };
        let lorebooks = in_group(&text).unwrap_or_else(|| mentioned(&text));
        add(lorebooks, &say!("the group {0}", &id));
    }
    if let Some(text) = readable(host.settings().await)? {
        match Settings::read(&text) {
            Ok(settings) => add(settings.lorebooks(), &SETTINGS),
            Err(_) if damage == Damage::PassOver => add(mentioned(&text), &SETTINGS),
            Err(problem) => {
                return Err(Error::new(
                    Code::SettingsUnreadable,
                    say!("settings.json: {0}, so nobody knows which lorebooks it uses", &problem),
                    say!("Start SillyTavern once, or restore the file, then try again."),
                ));
            }
        }
    }
    for character in host.characters().await? {
        match host.card(&character).await {
            Ok(card) => {
                let lorebook = card.and_then(|card| card.lorebook);
                add(lorebook.into_iter().collect(), &say!("the character {0}", &character));
            }
            // SillyTavern cannot read it either.
            Err(error) if error.kind == HostErrorKind::Damaged => {}
            Err(error) => return Err(error.into()),
        }
    }
    Ok(named)
}

/// Whether a text that is not JSON mentions a name, as it is or as JSON spells it.
fn mentions(text: &str, name: &str) -> bool {
    let quoted = quote(name);
    text.contains(name) || text.contains(&quoted[1..quoted.len() - 1])
}

/// Up to 1.14 a group keeps the metadata of its chats itself. `None` if it cannot be read.
fn in_group(text: &str) -> Option<Vec<String>> {
    let group = Json::parse(text).ok()?;
    let past = group.get("past_metadata").map(Json::members).unwrap_or_default();
    let all = group.get("chat_metadata").into_iter().chain(past.iter().map(|chat| chat.value));
    Some(all.flat_map(in_metadata).collect())
}
