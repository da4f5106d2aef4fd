//! Deleting a timeline, with all that leads to it.

use crate::error::{Code, Error};
use crate::fork::records::{self, Record};
use crate::fork::report::Finding;
use crate::host::{ChatView, Host, HostErrorKind, Line, LineEdit, Stamp};
use crate::json::JsonError;
use crate::naming::named_lorebooks;
use crate::operation::What;
use crate::operation::change::{Done, FileChange, FileRef, To, apply, can_go};
use crate::operation::recover::{self, Healed};
use crate::tavern::chat::{Header, HeaderEdit, Message, without_link};
use crate::tavern::group::Group;
use crate::tavern::names::{self, same_lorebook};
use crate::tavern::place::{ChatRef, Owner};
use crate::tavern::slug;

/// What deleting a timeline would do.
#[derive(Debug, Clone)]
pub struct Deletion {
    pub chat: ChatRef,
    pub messages: usize,
    /// The lorebook that goes with it.
    pub lorebook: Option<String>,
    /// The lorebook that it names and that stays, with why.
    pub stays: Option<(String, String)>,
    /// The timeline that links to it, and in how many messages.
    pub parent: Option<(ChatRef, usize)>,
    /// Timelines that were made from it. They stay.
    pub children: Vec<ChatRef>,
    pub warnings: Vec<Finding>,
    changes: Vec<FileChange>,
}

/// A timeline that was deleted.
#[derive(Debug, Clone)]
pub struct Deleted {
    pub plan: Deletion,
    pub done: Done,
    pub healed: Vec<Healed>,
}

/// Deletes a timeline. `elsewhere` are lorebooks that other user folders name.
pub async fn delete<H: Host>(
    host: &H,
    chat: &ChatRef,
    elsewhere: &[String],
) -> Result<Deleted, Error> {
    let _claim =
        host.claim(&format!("deleting {chat}")).await.map_err(|error| Error::writing(&error))?;
    let healed = recover::heal(host).await?;
    let mut retried = false;
    loop {
        let plan = plan_deletion(host, chat, elsewhere).await?;
        match apply(host, What::Delete, &chat.to_string(), plan.changes.clone()).await {
            Ok(done) => return Ok(Deleted { plan, done, healed }),
            Err(error) if error.code == Code::ChangedMeanwhile && !retried => retried = true,
            Err(error) => return Err(error),
        }
    }
}

/// What deleting `chat` would do. Reads only.
pub async fn plan_deletion<H: Host>(
    host: &H,
    chat: &ChatRef,
    elsewhere: &[String],
) -> Result<Deletion, Error> {
    let view = host.open(chat).await.map_err(|error| Error::reading(&error))?;
    let mut plan = Deletion {
        chat: chat.clone(),
        messages: view.len(),
        lorebook: None,
        stays: None,
        parent: None,
        children: Vec::new(),
        warnings: Vec::new(),
        changes: Vec::new(),
    };
    // One whose header cannot be read goes alone: nobody knows what belongs to it.
    let header = Header::read(view.header()).ok();
    let is_child = |other: &Header<'_>| other.main_chat().as_deref() == Some(chat.name.as_str());
    let children = host
        .headers(&|other| {
            other.chat.owner == chat.owner
                && Header::read(&other.header).is_ok_and(|h| is_child(&h))
        })
        .await
        .map_err(|error| Error::reading(&error))?;
    plan.children = children.into_iter().map(|child| child.chat).collect();
    if let Some(parent) = header.and_then(|header| header.main_chat()) {
        unlink(host, &chat.sibling(parent), &mut plan).await?;
    }
    if let Owner::Group(id) = &chat.owner {
        unlist(host, id, header.and_then(|header| header.main_chat()), &mut plan).await?;
    }
    plan.changes.push(FileChange {
        file: FileRef::Chat(chat.clone()),
        seen: Some(view.stamp().clone()),
        to: To::Gone,
    });
    if let Some(name) = header.and_then(|header| header.lorebook()) {
        with_lorebook(host, &name, elsewhere, &mut plan).await?;
    }
    can_go(host, &plan.changes).await?;
    Ok(plan)
}

/// The parent's links to the timeline go, and what its map says of it.
async fn unlink<H: Host>(host: &H, parent: &ChatRef, plan: &mut Deletion) -> Result<(), Error> {
    let view = match host.open(parent).await {
        Ok(view) => view,
        Err(error) if error.kind == HostErrorKind::Absent => return Ok(()),
        Err(error) => return Err(Error::reading(&error)),
    };
    let name = &plan.chat.name;
    let unwritable = |problem: JsonError| {
        let message = format!("{}: {problem}", parent.file());
        Error::new(Code::DamagedChat, message, "Repair the line by hand, then try again.")
    };
    let mut edits = Vec::new();
    let mut messages =
        view.find("bookmark_link", 0..view.len()).map_err(|error| Error::reading(&error))?;
    messages.extend(view.find("branches", 0..view.len()).map_err(|error| Error::reading(&error))?);
    messages.sort_unstable();
    messages.dedup();
    for message in messages {
        let line = view.line(message).map_err(|error| Error::reading(&error))?;
        // A damaged line links to nothing.
        if Message::read(&line).is_err() {
            continue;
        }
        if let Some(text) = without_link(&line, name).map_err(unwritable)? {
            edits.push(LineEdit { line: Line::Message(message), text });
        }
    }
    let links = edits.len();
    let header =
        header_without(view.header(), name, host, parent, links > 0).map_err(unwritable)?;
    edits.extend(header.map(|text| LineEdit { line: Line::Header, text }));
    if edits.is_empty() {
        return Ok(());
    }
    plan.parent = Some((parent.clone(), links));
    plan.changes.push(FileChange {
        file: FileRef::Chat(parent.clone()),
        seen: Some(view.stamp().clone()),
        to: To::Lines(edits),
    });
    Ok(())
}

/// The parent's header without the timeline in its map; from outside with a new slug, so that a
/// tab that has the parent open asks before it saves.
fn header_without<H: Host>(
    text: &str,
    name: &str,
    host: &H,
    parent: &ChatRef,
    has_links: bool,
) -> Result<Option<String>, JsonError> {
    let Ok(header) = Header::read(text) else { return Ok(None) };
    let mut edit = HeaderEdit::new(text);
    let is_mapped = header.meta(&records::in_map(name)).is_some();
    if is_mapped {
        edit.remove(&records::in_map(name))?;
    }
    if host.is_outside() && (is_mapped || has_links) {
        let slug = slug::slug(host.id());
        edit.set_text(&["integrity"], &slug)?;
        if records::own_id(&header, &parent.name).is_some() && !Record::is_newer(&header) {
            edit.set_text(&[records::KEY, "slug"], &slug)?;
        }
    }
    Ok((edit.text() != text).then(|| edit.into_text()))
}

/// The group forgets the timeline; if it would open with it, it opens with another.
async fn unlist<H: Host>(
    host: &H,
    id: &str,
    parent: Option<String>,
    plan: &mut Deletion,
) -> Result<(), Error> {
    if id.is_empty() {
        return Ok(());
    }
    let Some(document) = host.group(id).await.map_err(|error| Error::reading(&error))? else {
        return Ok(());
    };
    let broken = |problem: JsonError| {
        let message = format!("groups/{id}.json: {problem}");
        Error::new(Code::CorruptGroup, message, "Restore the group's record from a backup.")
    };
    let group = Group::read(&document.text).map_err(broken)?;
    let spelled = group.spelled(&plan.chat.name).unwrap_or_else(|| plan.chat.name.clone());
    let text = group.forgetting(&spelled, parent.as_deref()).map_err(broken)?;
    if text != document.text {
        plan.changes.push(FileChange {
            file: FileRef::Group(id.to_owned()),
            seen: Some(document.stamp),
            to: To::Text(text),
        });
        plan.warnings.push(Finding::new(
            Code::ReloadSillytavern,
            "SillyTavern keeps groups in memory and writes them back.",
            "Close or reload SillyTavern's tabs before you go on.",
        ));
    }
    Ok(())
}

/// The lorebook goes, too, if nobody else names it.
async fn with_lorebook<H: Host>(
    host: &H,
    name: &str,
    elsewhere: &[String],
    plan: &mut Deletion,
) -> Result<(), Error> {
    let Some(file) = names::lorebook_name(name) else { return Ok(()) };
    let Some(document) = host.lorebook(&file).await.map_err(|error| Error::reading(&error))? else {
        return Ok(());
    };
    let named = named_lorebooks(host, std::slice::from_ref(&plan.chat)).await?;
    if let Some(other) = named.iter().find(|other| same_lorebook(&other.lorebook, name)) {
        plan.stays = Some((name.to_owned(), other.by.clone()));
    } else if elsewhere.iter().any(|other| same_lorebook(other, name)) {
        plan.stays = Some((name.to_owned(), "another user's chat".to_owned()));
    } else {
        plan.lorebook = Some(file.clone());
        let seen: Option<Stamp> = Some(document.stamp);
        plan.changes.push(FileChange { file: FileRef::Lorebook(file), seen, to: To::Gone });
    }
    Ok(())
}
