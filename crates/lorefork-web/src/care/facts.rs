//! Facts of the open chat's family, from texts that the page can get.
//!
//! Only the family's own files are read whole. Of all other chats the header is known, of other
//! lorebooks the name: enough to tell who shares what, and nothing is said about them.

use lorefork::audit::facts::{BookFacts, ChatFacts, LinkedBook, MARKS};
use lorefork::audit::{Folder, family};
use lorefork::error::Error;
use lorefork::host::{Damage, Host, HostError, HostErrorKind};
use lorefork::json::Json;
use lorefork::operation::ahead::Ahead;
use lorefork::say;
use lorefork::sentence::Sentence;
use lorefork::tavern::names;
use lorefork::tavern::place::{ChatRef, Owner};
use lorefork::tavern::settings::Link;

use crate::host::{WebHost, text};

/// The family of a chat, and the facts to judge it by.
pub(super) struct Looked {
    pub(super) folder: Folder,
    pub(super) family: Vec<ChatRef>,
}

/// Looks at the family of `chat`. `shared` are lorebooks that the user shares on purpose.
pub(super) async fn look(
    host: &Ahead<'_, WebHost>,
    chat: &ChatRef,
    shared: &[String],
) -> Result<Looked, Error> {
    let mut folder = Folder::default();
    for other in host.headers(&|_| true).await? {
        folder.chats.push(header_only(other.chat, Some(&other.header)));
    }
    if let Owner::Character(_) = chat.owner {
        // One without a header is listed nevertheless.
        for name in host.chat_names(&chat.owner).await? {
            let place = chat.sibling(name);
            if !folder.chats.iter().any(|facts| facts.chat == place) {
                folder.chats.push(header_only(place, None));
            }
        }
    }
    folder.chats.sort_by(|a, b| a.chat.cmp(&b.chat));
    let family = family(&folder, chat);
    for facts in folder.chats.iter_mut().filter(|facts| family.contains(&facts.chat)) {
        *facts = read_chat(host, &facts.chat).await?;
    }
    add_lorebooks(host, &mut folder, &family, shared).await?;
    add_links(host, &mut folder, &chat.owner).await?;
    folder.unfinished = host.unfinished().await?;
    Ok(Looked { folder, family })
}

fn header_only(chat: ChatRef, header: Option<&str>) -> ChatFacts {
    let mut facts = ChatFacts::new(chat);
    if let Some(header) = header {
        facts.add_header(header);
    }
    facts.trouble = Some(say!("only its first line was looked at"));
    facts
}

async fn read_chat(host: &Ahead<'_, WebHost>, chat: &ChatRef) -> Result<ChatFacts, HostError> {
    let mut facts = ChatFacts::new(chat.clone());
    host.host().breathe().await?;
    let lines = match host.host().raw_chat(chat).await {
        Ok(lines) => lines,
        Err(error) => return Ok(unreadable(chat, &error)),
    };
    let (mut has_header, mut number) = (false, 0);
    loop {
        // The page has its turn first.
        host.host().breathe().await?;
        let some = match text(lines.next().await) {
            Ok(Some(some)) => some,
            Ok(None) => return Ok(facts),
            Err(error) => return Ok(unreadable(chat, &error)),
        };
        facts.bytes += some.len() as u64;
        for line in some.split_inclusive('\n') {
            number += 1;
            let line = line.trim_end_matches('\n');
            if line.trim_ascii().is_empty() {
                continue;
            }
            if has_header {
                add_line(&mut facts, number, line);
            } else {
                has_header = true;
                facts.add_header(line.trim_end_matches('\r'));
            }
        }
    }
}

/// What came before the error says nothing: half a chat would look like a damaged one.
fn unreadable(chat: &ChatRef, error: &HostError) -> ChatFacts {
    let mut facts = ChatFacts::new(chat.clone());
    facts.trouble = Some(error.sentence());
    facts
}

fn add_line(facts: &mut ChatFacts, number: usize, line: &str) {
    let message = facts.messages;
    facts.messages += 1;
    let problem = match Json::parse(line) {
        Ok(json) if json.is_object() => {
            if MARKS.iter().any(|mark| line.contains(mark)) {
                facts.add_message(message, line);
            }
            return;
        }
        Ok(_) => say!("not a JSON object"),
        Err(problem) => Sentence::from(&problem),
    };
    facts.add_damage(Damage { message, line: number, problem });
}

async fn add_lorebooks(
    host: &Ahead<'_, WebHost>,
    folder: &mut Folder,
    family: &[ChatRef],
    shared: &[String],
) -> Result<(), HostError> {
    let mut wanted: Vec<String> = Vec::new();
    for facts in folder.chats.iter().filter(|facts| family.contains(&facts.chat)) {
        let Some(header) = facts.header() else { continue };
        // The one it was made with, too: a repair may name it again.
        let recorded = header.record.as_ref().and_then(|record| record.lorebook.as_deref());
        let named = [header.lorebook.as_deref(), recorded].into_iter().flatten();
        wanted.extend(named.filter_map(names::lorebook_name));
    }
    for name in host.lorebook_names().await? {
        let facts = if wanted.contains(&name) {
            let mut facts = match host.lorebook(&name).await {
                Ok(Some(document)) => BookFacts::read(&name, document.text.as_bytes()),
                Ok(None) => continue,
                // Only what is damaged is a problem of the lorebook.
                Err(error) if error.kind != HostErrorKind::Damaged => return Err(error),
                Err(error) => {
                    BookFacts { name: name.clone(), bytes: 0, book: Err(error.message.clone()) }
                }
            };
            if let Ok(book) = &mut facts.book {
                book.is_shared_on_purpose |=
                    shared.iter().any(|other| names::same_lorebook(other, &name));
            }
            host.host().breathe().await?;
            facts
        } else {
            // It is there; what it says is not asked.
            BookFacts { name, bytes: 0, book: Ok(Default::default()) }
        };
        folder.lorebooks.push(facts);
    }
    Ok(())
}

async fn add_links(
    host: &Ahead<'_, WebHost>,
    folder: &mut Folder,
    owner: &Owner,
) -> Result<(), HostError> {
    for id in host.groups().await? {
        if let Some(document) = host.group(&id).await? {
            folder.add_group(&id, &document.text);
        }
    }
    if let Some(settings) = host.settings().await? {
        folder.add_settings(&settings);
    }
    let members = match owner {
        Owner::Character(folder) => vec![folder.clone()],
        Owner::Group(id) => {
            let group = folder.groups.iter().find(|group| group.id == *id);
            group.map(|group| group.members.clone()).unwrap_or_default()
        }
    };
    for member in members {
        let lorebook = host.card(&member).await?.and_then(|card| card.lorebook);
        folder
            .links
            .extend(lorebook.map(|name| LinkedBook { name, link: Link::Character(member) }));
    }
    Ok(())
}
