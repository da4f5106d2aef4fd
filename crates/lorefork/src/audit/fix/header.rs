//! Repairs of a chat's header.

use super::decided::decided;
use super::{Missing, Why, lorebook};
use crate::audit::facts::Folder;
use crate::audit::judge::map_of;
use crate::audit::problem::Action;
use crate::host::{ChatView, Host, Line};
use crate::housekeeping::set_parent;
use crate::json::quote;
use crate::memory::back::trim_recap;
use crate::memory::checkpoints;
use crate::memory::entries::plain_name;
use crate::memory::fingerprint::fingerprint;
use crate::memory::names as memories;
use crate::memory::parting::{self, Parting};
use crate::memory::registries::{self, Item};
use crate::memory::running;
use crate::moment::film::tombstone;
use crate::moment::live::{Origin, RECORD_VERSION, copy};
use crate::moment::{Quality, Source};
use crate::operation::staging::Desk;
use crate::say;
use crate::sorted;
use crate::tavern::chat::{Header, HeaderEdit};
use crate::tavern::lorebook::{Entry, Lorebook, empty_book};
use crate::tavern::names;
use crate::tavern::place::ChatRef;
use crate::timeline::record::{self, KEY, Lore, Parent, Record};

pub(super) async fn mend<H: Host>(
    desk: &mut Desk<'_, H>,
    folder: &Folder,
    chat: &ChatRef,
    action: &Action,
) -> Result<(), Why> {
    let text = desk.line(chat, Line::Header).await?;
    let header = Header::read(&text).map_err(|problem| Why::Left(say!("{0}.", &problem)))?;
    let last = desk.view(chat).await?.len().saturating_sub(1);
    let mut edit = HeaderEdit::new(&text);
    match action {
        Action::Bind { lorebook } => {
            edit.set_text(&["world_info"], lorebook)?;
            memories::attach_lorebook(&mut edit, lorebook, None)?;
            // They were of the one it named meanwhile.
            parting::part(&mut edit, &Parting::default());
            if let Some(former) = header.lorebook() {
                memories::exchange_lorebook(&mut edit, &former, lorebook)?;
            }
        }
        Action::Record => record(desk, chat, &header, last, &mut edit).await?,
        Action::RebuildIndex => {
            let name = header.lorebook().unwrap_or_default();
            let book = desk.book(&name).await?.unwrap_or_default();
            let book =
                Lorebook::read(&book).map_err(|problem| Why::Left(say!("{0}.", &problem)))?;
            let mut items = registries::items(&book);
            let by_uid = sorted::places(&book.entries, Entry::uid);
            items.retain(|item| leads_somewhere(&book, &by_uid, item));
            registries::set_index(&mut edit, &items)?;
        }
        Action::NameRecap => memories::name_recap(&mut edit, &chat.name)?,
        Action::TrimRecap | Action::SelectVersion => {
            let last = if *action == Action::TrimRecap { last } else { usize::MAX };
            trim_recap(&mut edit, last, &chat.name)?;
        }
        Action::MendCombined => {
            running::mend_combined(&mut edit, &header, last, &chat.name)?;
        }
        Action::Parent { name } => set_parent(&mut edit, &chat.name, name.as_deref())?,
        Action::RebuildMap => {
            let members: Vec<String> = map_of(&decided(desk, folder, &chat.owner), chat)
                .iter()
                .map(|(name, book)| format!("{}:{}", quote(name), quote(book)))
                .collect();
            edit.set(&checkpoints::MAP, &format!("{{{}}}", members.join(",")))?;
        }
        // Written without its mark, whatever else.
        Action::DropMark => {}
        _ => return Err(Why::Left(say!("Lorefork does not know how to repair this."))),
    }
    Ok(desk.set_line(chat, Line::Header, edit.into_text()).await?)
}

/// That a timeline was, which left the chat at this message.
pub(super) async fn remember<H: Host>(
    desk: &mut Desk<'_, H>,
    chat: &ChatRef,
    gone: &str,
    at: usize,
) -> Result<(), Why> {
    let text = desk.line(chat, Line::Header).await?;
    let header = Header::read(&text).map_err(|problem| Why::Left(say!("{0}.", &problem)))?;
    let stone = tombstone::untold(gone, at + 1, desk.now_ms());
    let mut edit = HeaderEdit::new(&text);
    edit.set(&[tombstone::KEY], &tombstone::with(&header, &stone))?;
    Ok(desk.set_line(chat, Line::Header, edit.into_text()).await?)
}

/// Whether a line of a registry leads to an entry, and to none of another name.
fn leads_somewhere(book: &Lorebook<'_>, by_uid: &[usize], item: &Item) -> bool {
    let has_name = !plain_name(&item.name).is_empty();
    let found = sorted::at(by_uid, &book.entries, Entry::uid, &Some(item.uid));
    let mut found = found.iter().map(|place| &book.entries[*place]);
    found.any(|entry| !has_name || registries::means(&item.name, &entry.comment()))
}

/// The timeline as it is now, as its record.
async fn record<H: Host>(
    desk: &mut Desk<'_, H>,
    chat: &ChatRef,
    header: &Header<'_>,
    last: usize,
    edit: &mut HeaderEdit,
) -> Result<(), Why> {
    let name = header.lorebook();
    let book = match &name {
        Some(name) => desk.book(&names::lorebook_name(name).unwrap_or_default()).await?,
        None => None,
    };
    let hash = book.as_deref().and_then(|text| fingerprint(&Lorebook::read(text).ok()?).ok());
    if Record::own(header, &chat.name).is_some() {
        edit.set(&[KEY, "lore", "hash"], &crate::json::text_or_null(hash.as_deref()))?;
    } else {
        // A record that came along with copied metadata.
        edit.remove(&[KEY])?;
        edit.remove(&checkpoints::STATE)?;
        let id = crate::operation::order::new_id(&desk.id());
        let Some(parent) = header.main_chat() else {
            return Ok(record::mark_main(edit, &id, &chat.name, header.slug().as_deref())?);
        };
        let record = Record {
            v: RECORD_VERSION,
            id,
            kind: record::Kind::Branch,
            chat: chat.name.clone(),
            slug: header.slug(),
            parent: Some(Parent { chat: parent, slug: None, id: None }),
            at: last,
            base: name.clone(),
            lore: Lore {
                source: Source::Live,
                quality: Quality::Current,
                from: None,
                of: None,
                hash,
            },
        };
        record.write(edit)?;
    }
    Ok(checkpoints::set_copy(edit, name.as_deref())?)
}

/// The index of every chat that uses a lorebook, after its registries changed.
pub(super) async fn rebuild_indexes<H: Host>(
    desk: &mut Desk<'_, H>,
    folder: &Folder,
    book: &str,
) -> Result<(), Why> {
    for facts in &folder.chats {
        let Some(header) = facts.header().filter(|header| !header.index.is_empty()) else {
            continue;
        };
        if header.lorebook.as_deref().is_some_and(|name| names::same_lorebook(name, book)) {
            mend(desk, folder, &facts.chat, &Action::RebuildIndex).await?;
        }
    }
    Ok(())
}

pub(super) async fn missing<H: Host>(
    desk: &mut Desk<'_, H>,
    folder: &Folder,
    chat: &ChatRef,
    book: &str,
    choice: Missing,
) -> Result<(), Why> {
    if desk.book(book).await?.is_some() {
        // Another chat that names it has got it back already; but as a copy of its own parent's.
        if choice == Missing::Parent {
            return Err(Why::Left(say!(
                "It is there again, as another chat that names it got it. Check again."
            )));
        }
        return Ok(());
    }
    if names::lorebook_name(book).is_none() && !matches!(choice, Missing::Detach | Missing::Leave) {
        return Err(Why::Left(say!("No file can have this name. Choose something else.")));
    }
    let text = desk.line(chat, Line::Header).await?;
    let header = Header::read(&text).map_err(|problem| Why::Left(say!("{0}.", &problem)))?;
    match choice {
        Missing::Leave => return Err(Why::Left(say!("Left as it is, as you chose."))),
        Missing::Detach => {
            let mut edit = HeaderEdit::new(&text);
            edit.remove(&["world_info"])?;
            return Ok(desk.set_line(chat, Line::Header, edit.into_text()).await?);
        }
        Missing::Empty => desk.set_book(book, empty_book()).await?,
        Missing::Rebuild => lorebook::rebuild(desk, book, chat).await?,
        Missing::Parent => {
            let none = || Why::Left(say!("It has no parent whose lorebook could be copied."));
            let parent = chat.sibling(header.main_chat().ok_or_else(none)?);
            let of = desk.line(&parent, Line::Header).await?;
            let of =
                Header::read(&of).ok().and_then(|header| header.lorebook()).ok_or_else(none)?;
            let source = desk.book(&of).await?.ok_or_else(none)?;
            let source =
                Lorebook::read(&source).map_err(|problem| Why::Left(say!("{0}.", &problem)))?;
            let id = crate::operation::order::new_id(&desk.id());
            let at = desk.view(chat).await?.len().saturating_sub(1);
            let stamp = Origin { name: book, id: &id, timeline: &chat.name, from: &of, at };
            let text =
                copy(&source, &stamp).map_err(|problem| Why::Left(say!("{0}.", &problem)))?;
            desk.set_book(book, text).await?;
        }
    }
    rebuild_indexes(desk, folder, book).await
}
