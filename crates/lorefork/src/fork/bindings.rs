//! Lorebooks that memory extensions bind to a chat besides the chat's own: a new timeline gets its own
//! of those, too, without memories of later messages.
//!
//! A change set of its own, after the fork stands: most chats have none. Until then the marker of an
//! extension that copies them itself is not there, so that it does if the branch is opened before.

use crate::error::Error;
use crate::host::{ChatView, Host, Line};
use crate::json::JsonError;
use crate::memory::back::{Copies, copied};
use crate::memory::names as memories;
use crate::memory::ranges::{self, Told};
use crate::moment::live::{Origin, copy};
use crate::operation::What;
use crate::operation::change::{self, Done};
use crate::operation::order::new_id;
use crate::operation::recover;
use crate::operation::staging::Desk;
use crate::sentence::Sentence;
use crate::tavern::chat::HeaderEdit;
use crate::tavern::lorebook::Lorebook;
use crate::tavern::names::{self, lorebook_name, same_lorebook};
use crate::tavern::place::ChatRef;
use crate::tavern::settings::Settings;
use crate::tavern::time::iso;
use crate::timeline::header::header;
use crate::timeline::record::{Kind, Record};

/// What a timeline got.
#[derive(Debug, Clone)]
pub struct Bound {
    /// Names of the lorebooks that were bound, and of their copies.
    pub books: Vec<(String, String)>,
    /// The operation that did it, for undoing.
    pub done: Done,
}

/// Gives a timeline of ours its own copies of the lorebooks that are bound to it, but for those
/// that settings lock to a character. `shared` are lorebooks that a setting shares on purpose.
/// `None` if there is none to copy.
pub async fn copy_bound<H: Host>(
    host: &H,
    chat: &ChatRef,
    shared: &[String],
) -> Result<Option<Bound>, Error> {
    let claim = host.claim(&format!("copying the lorebooks of {chat}")).await;
    let _claim = claim?;
    recover::heal(host).await?;
    let view = host.open(chat).await?;
    let header = header(&view, chat)?;
    let Some(record) = Record::own(&header, &chat.name).filter(|record| record.kind != Kind::Main)
    else {
        return Ok(None);
    };
    let bound = memories::bound(&header);
    let Some(parent) = record.parent.as_ref().filter(|_| !bound.is_empty()) else {
        return Ok(None);
    };
    let unwritable = |problem: JsonError| super::plan::unwritable(chat, &problem);
    let kind = match record.kind {
        Kind::Checkpoint => names::Kind::Checkpoint,
        _ => names::Kind::Branch,
    };
    let settings = host.settings().await.ok().flatten();
    let settings = settings.as_deref().and_then(|text| Settings::read(text).ok());
    let mut shared = shared.to_vec();
    shared.extend(settings.as_ref().map(memories::locked).unwrap_or_default());
    let random = host.id();
    let id = new_id(&random);
    let until = i64::try_from(record.at).unwrap_or(i64::MAX);
    let chats = [Told::own(&chat.name), Told { chat: parent.chat.clone(), until }];
    let mut desk = Desk::new(host);
    let mut books = Vec::new();
    let mut covered = None;
    for from in bound {
        let is_own = header.lorebook().is_some_and(|own| same_lorebook(&own, &from));
        let is_shared = shared.iter().any(|other| same_lorebook(other, &from));
        let (false, false, Some(file)) = (is_own, is_shared, lorebook_name(&from)) else {
            continue;
        };
        let Some(text) = desk.book(&file).await? else { continue };
        // One that cannot be read is left to the extension, which says so.
        let Ok(book) = Lorebook::read(&text) else { continue };
        if book.is_shared_on_purpose() {
            continue;
        }
        let to = names::lorebook::name(&from, kind, &chat.name, &parent.chat, &random);
        let stamp = Origin { name: &to, id: &id, timeline: &chat.name, from: &from, at: record.at };
        let Ok(own) = copy(&book, &stamp) else { continue };
        let (text, _) = ranges::without_the_future(&own, &chats, record.at).map_err(unwritable)?;
        let text = ranges::for_chat(text, &chats, &chat.name);
        if let Ok(book) = Lorebook::read(&text) {
            covered = covered.max(ranges::covered(&book, &chats));
        }
        desk.set_book(&to, text).await?;
        books.push((from, to));
    }
    if books.is_empty() {
        return Ok(None);
    }
    let new = Copies {
        parent: &parent.chat,
        name: &chat.name,
        books: &books,
        covered,
        now: &iso(host.now().ms),
    };
    let mut edit = HeaderEdit::new(view.header());
    copied(&mut edit, &header, &new).map_err(unwritable)?;
    for (from, to) in &books {
        memories::exchange_lorebook(&mut edit, from, to).map_err(unwritable)?;
    }
    desk.set_line(chat, Line::Header, edit.into_text()).await?;
    let title = Sentence::quoted(chat.to_string());
    let done = change::apply(host, What::Isolate, title, desk.changes()?).await?;
    Ok(Some(Bound { books, done }))
}
