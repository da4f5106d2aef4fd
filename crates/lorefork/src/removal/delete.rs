//! Deleting a timeline, with all that leads to it.

use crate::choice::Choice;
use crate::error::report::Finding;
use crate::error::{Code, Error};
use crate::host::{ChatView, Host, HostError, Line, Stamp};
use crate::housekeeping::{self, DeletedChat, tombstones};
use crate::json::JsonError;
use crate::naming::named_lorebooks;
use crate::operation::What;
use crate::operation::change::{Done, FileChange, FileRef, To, apply, can_go};
use crate::operation::recover::{self, Healed};
use crate::operation::staging::Desk;
use crate::say;
use crate::sentence::Sentence;
use crate::tavern::chat::Header;
use crate::tavern::group::Group;
use crate::tavern::names::{self, same_lorebook};
use crate::tavern::place::{ChatRef, Owner};

/// What deleting a timeline would do.
#[derive(Debug, Clone)]
pub struct Deletion {
    /// The timeline that goes.
    pub chat: ChatRef,
    /// How many messages go with it.
    pub messages: usize,
    /// The lorebook that goes with it.
    pub lorebook: Option<String>,
    /// The lorebook that it names and that stays, with why.
    pub stays: Option<(String, Sentence)>,
    /// Timelines of its family that link to it, and in how many messages: a branch carries along
    /// the links of the messages it was made with.
    pub linked: Vec<(ChatRef, usize)>,
    /// Timelines that were made from it. They stay.
    pub children: Vec<ChatRef>,
    /// Timelines that used its lorebook, too, and note what it wrote there.
    pub remembered: Vec<ChatRef>,
    /// What the user should know though nothing forbids it.
    pub warnings: Vec<Finding>,
    changes: Vec<FileChange>,
}

/// A timeline that was deleted.
#[derive(Debug, Clone)]
pub struct Deleted {
    /// What was planned, and done.
    pub plan: Deletion,
    /// The operation that did it, for undoing.
    pub done: Done,
    /// What earlier operations had left behind, and was healed first.
    pub healed: Vec<Healed>,
}

/// Deletes a timeline. `elsewhere` are lorebooks that other user folders name.
pub async fn delete<H: Host>(
    host: &H,
    chat: &ChatRef,
    elsewhere: &[String],
) -> Result<Deleted, Error> {
    let _claim = host.claim(&format!("deleting {chat}")).await?;
    let healed = recover::heal(host).await?;
    let mut retried = false;
    loop {
        let plan = plan_deletion(host, chat, elsewhere).await?;
        match apply(host, What::Delete, Sentence::quoted(chat.to_string()), plan.changes.clone())
            .await
        {
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
    let view = host.open(chat).await?;
    let mut plan = Deletion {
        chat: chat.clone(),
        messages: view.len(),
        lorebook: None,
        stays: None,
        linked: Vec::new(),
        children: Vec::new(),
        remembered: Vec::new(),
        warnings: Vec::new(),
        changes: Vec::new(),
    };
    // One whose header cannot be read goes alone: nobody knows what belongs to it.
    let header = Header::read(view.header()).ok();
    let mut desk = Desk::new(host);
    let left = housekeeping::part_with(host, &mut desk, chat, view.header()).await?;
    plan.children = left.children;
    plan.warnings.extend(left.damaged.iter().map(|other| {
        Finding::new(
            Code::LinkFailed,
            say!("{0} may still link to it: its file is damaged, and was left as it is.", other),
            say!("Repair it, then check the timelines."),
        )
        .or(Choice::Fix)
    }));
    if view.len() > 0 {
        plan.remembered = tombstones::leave(host, &mut desk, &seen(&view)?).await?;
    }
    plan.changes = desk.changes()?;
    plan.linked = plan.changes.iter().filter_map(links_of).collect();
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

fn seen<C: ChatView>(view: &C) -> Result<DeletedChat, Error> {
    let messages: Result<Vec<String>, HostError> =
        (0..view.len()).map(|at| view.line(at)).collect();
    Ok(DeletedChat {
        chat: view.chat().clone(),
        header: view.header().to_owned(),
        messages: messages?,
    })
}

/// The chat whose links go, and how many.
fn links_of(change: &FileChange) -> Option<(ChatRef, usize)> {
    let (FileRef::Chat(chat), To::Lines(edits)) = (&change.file, &change.to) else { return None };
    let links = edits.iter().filter(|edit| edit.line != Line::Header).count();
    (links > 0).then(|| (chat.clone(), links))
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
    let Some(document) = host.group(id).await? else {
        return Ok(());
    };
    let broken = |problem: JsonError| {
        let message = say!("groups/{0}.json: {1}", &id, &problem);
        Error::new(Code::CorruptGroup, message, say!("Restore the group's record from a backup."))
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
            say!("SillyTavern keeps groups in memory and writes them back."),
            say!("Close or reload SillyTavern's tabs before you go on."),
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
    let Some(document) = host.lorebook(&file).await? else {
        return Ok(());
    };
    let named = named_lorebooks(host, std::slice::from_ref(&plan.chat)).await?;
    if let Some(other) = named.iter().find(|other| same_lorebook(&other.lorebook, name)) {
        plan.stays = Some((name.to_owned(), other.by.clone()));
    } else if elsewhere.iter().any(|other| same_lorebook(other, name)) {
        plan.stays = Some((name.to_owned(), say!("another user's chat")));
    } else {
        plan.lorebook = Some(file.clone());
        let seen: Option<Stamp> = Some(document.stamp);
        plan.changes.push(FileChange { file: FileRef::Lorebook(file), seen, to: To::Gone });
    }
    Ok(())
}
