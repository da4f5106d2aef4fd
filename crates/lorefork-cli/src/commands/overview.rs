//! `lorefork status` without a chat: all timelines, their lorebooks, and who shares one.

use std::collections::{BTreeMap, BTreeSet};

use lorefork::audit::Code;
use lorefork::host::Host as _;
use lorefork::tavern::chat::Header;
use lorefork::tavern::lorebook::Lorebook;
use lorefork::tavern::names;
use lorefork::tavern::place::{ChatRef, Owner};
use lorefork_disk::DiskHost;
use serde::Serialize;
use serde_json::json;

use super::owner_name;
use crate::args::Globals;
use crate::error::{Exit, Failure};
use crate::output::rows::Row;
use crate::output::style::{BAD, CARE, QUIET};
use crate::output::tree::{self, Drawn, Node};
use crate::output::{Answer, Page, Text, findings, words};

/// One user's chats.
#[derive(Debug, Serialize)]
struct Overview {
    user: String,
    folder: String,
    owners: Vec<OwnerOf>,
}

/// A character or a group.
#[derive(Debug, Serialize)]
struct OwnerOf {
    name: String,
    is_group: bool,
    chats: Vec<Chat>,
}

#[derive(Debug, Clone, Serialize)]
struct Chat {
    chat: String,
    file: String,
    main_chat: Option<String>,
    lorebook: Option<String>,
    lorebook_exists: Option<bool>,
    /// How many other chats use the lorebook.
    shared_with: usize,
    shared_on_purpose: bool,
    /// Whether its first line can be read.
    readable: bool,
}

impl Chat {
    /// Whether it shares its lorebook, and nobody meant it to.
    fn is_tangled(&self) -> bool {
        self.shared_with > 0 && !self.shared_on_purpose
    }
}

pub(super) fn run(globals: &Globals) -> Result<Answer, Failure> {
    let mut overviews = Vec::new();
    for user in globals.users()? {
        let host = globals.host(&user)?;
        let folder = user.path.display().to_string();
        overviews.push(Overview {
            owners: pollster::block_on(owners(&host))?,
            user: user.handle,
            folder,
        });
    }
    let page = page(&overviews);
    Ok(Answer { exit: Exit::Done, json: json!({ "users": overviews }), page })
}

async fn owners(host: &DiskHost) -> Result<Vec<OwnerOf>, Failure> {
    // Every header contains a brace.
    let headers: BTreeMap<ChatRef, String> = host
        .headers(&|_| true)
        .await?
        .into_iter()
        .map(|header| (header.chat, header.header))
        .collect();
    let chats = host.chats()?;
    let books: BTreeSet<String> = host.lorebook_names().await?.into_iter().collect();
    let mut used: BTreeMap<String, usize> = BTreeMap::new();
    for header in headers.values() {
        if let Some(book) = lorebook_of(header) {
            *used.entry(file_of(&book)).or_default() += 1;
        }
    }

    let mut owners: Vec<(Owner, OwnerOf)> = Vec::new();
    for place in chats {
        let header = headers.get(&place).and_then(|header| Header::read(header).ok());
        let lorebook = header.as_ref().and_then(Header::lorebook);
        let file = lorebook.as_deref().map(file_of);
        let shared = file.as_ref().and_then(|file| used.get(file)).map_or(0, |count| count - 1);
        let chat = Chat {
            chat: place.name.clone(),
            file: place.file(),
            main_chat: header.as_ref().and_then(Header::main_chat),
            lorebook_exists: file.as_ref().map(|file| books.contains(file)),
            shared_with: shared,
            shared_on_purpose: match &file {
                Some(file) if shared > 0 => is_shared_on_purpose(host, file).await,
                _ => false,
            },
            lorebook,
            readable: header.is_some(),
        };
        match owners.iter_mut().find(|(owner, _)| *owner == place.owner) {
            Some((_, of)) => of.chats.push(chat),
            None => {
                let name = owner_name(host, &place.owner).await;
                let is_group = matches!(place.owner, Owner::Group(_));
                owners.push((place.owner, OwnerOf { name, is_group, chats: vec![chat] }));
            }
        }
    }
    Ok(owners.into_iter().map(|(_, of)| of).collect())
}

fn lorebook_of(header: &str) -> Option<String> {
    Header::read(header).ok()?.lorebook()
}

/// Names in chats are as they were typed, files are not.
fn file_of(lorebook: &str) -> String {
    names::lorebook_name(lorebook).unwrap_or_default()
}

async fn is_shared_on_purpose(host: &DiskHost, book: &str) -> bool {
    let document = host.lorebook(book).await.ok().flatten();
    document.is_some_and(|document| {
        Lorebook::read(&document.text).is_ok_and(|book| book.is_shared_on_purpose())
    })
}

fn page(overviews: &[Overview]) -> Page {
    let mut page = Page::new();
    let mut shared = 0;
    for (index, overview) in overviews.iter().enumerate() {
        if index > 0 {
            page.blank();
        }
        let chats: usize = overview.owners.iter().map(|owner| owner.chats.len()).sum();
        let text = Text::new().strong(&overview.user);
        page.hanging(0, 2, text.quiet(format!("  {}", words::count(chats, "chat", "chats"))));
        for owner in &overview.owners {
            page.blank();
            let group = if owner.is_group { "  group" } else { "" };
            page.hanging(2, 2, Text::new().strong(&owner.name).quiet(group));
            page.rows(4, families(&owner.chats));
        }
        let all = overview.owners.iter().flat_map(|owner| &owner.chats);
        shared += all.filter(|chat| chat.is_tangled()).count();
    }
    page.blank();
    if shared == 0 {
        page.line(0, "Every lorebook is used by one chat only.");
    } else {
        let text = Text::new().styled(CARE, "! ");
        let count = words::count(shared, "chat shares its", "chats share their");
        let text = text.plain(format!("{count} lorebook with another one."));
        page.hanging(0, 2, text.then(findings::code_of(Code::SharedLorebook)));
        let what = "“lorefork fix” shows how they come apart, each with what its own story wrote.";
        findings::action(&mut page, 2, what);
    }
    page
}

/// The rows of all timelines, each family for itself.
fn families(chats: &[Chat]) -> Vec<Vec<Row>> {
    let nodes: Vec<Node<'_>> = chats
        .iter()
        .map(|chat| Node { name: &chat.chat, parent: chat.main_chat.as_deref() })
        .collect();
    let mut families: Vec<Vec<Row>> = Vec::new();
    // Names of lorebooks in a family all begin with the one of its main chat.
    let mut base = None;
    for Drawn { node, lead, below } in tree::draw(&nodes) {
        let chat = &chats[node];
        let name = Text::new().plain(&chat.chat);
        let is_child = !lead.is_empty();
        let (lead, below) = (Text::new().quiet(lead), Text::new().quiet(below));
        match families.last_mut() {
            Some(family) if is_child => {
                family.push(Row { about: lorebook(chat, base), lead, below, name });
            }
            _ => {
                base = chat.lorebook.as_deref();
                families.push(vec![Row { about: lorebook(chat, None), lead, below, name }]);
            }
        }
    }
    families
}

/// A timeline's lorebook, where `base` is the one of its main chat.
fn lorebook(chat: &Chat, base: Option<&str>) -> Text {
    if !chat.readable {
        return Text::new().styled(BAD, "✗ cannot be read");
    }
    let Some(name) = &chat.lorebook else { return Text::new().styled(QUIET, "no lorebook") };
    if chat.lorebook_exists == Some(false) {
        return Text::new().styled(BAD, "✗ ").plain(name).styled(BAD, " does not exist");
    }
    // The mark stands before the name: so it is seen, and fits.
    let mark = if chat.is_tangled() { Text::new().styled(CARE, "! ") } else { Text::new() };
    let text = match base {
        Some(base) if base == name => mark.plain("the same lorebook"),
        Some(base) => mark.plain(words::beyond(name, base)),
        None => mark.plain(name),
    };
    if chat.shared_on_purpose { text.quiet("  on purpose") } else { text }
}
