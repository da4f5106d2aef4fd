//! Another name for a timeline: its file, links to it, maps and children follow, as one change set.
//!
//! The chat is made anew under its new name, and the former file goes to the trash: so that undo gives
//! back every byte.

use crate::error::report::Finding;
use crate::error::{Code, Error};
use crate::host::{ChatView, Host, Line, LineEdit};
use crate::housekeeping;
use crate::operation::What;
use crate::operation::change::{Done, FileChange, FileRef, To, apply, can_go};
use crate::operation::recover::{self, Healed};
use crate::operation::staging::Desk;
use crate::operation::title;
use crate::say;
use crate::sentence::Sentence;
use crate::tavern::group::Group;
use crate::tavern::names;
use crate::tavern::place::{ChatRef, Owner};

/// What renaming would do.
#[derive(Debug, Clone)]
pub struct RenamePlan {
    /// As it is called today.
    pub chat: ChatRef,
    /// As it will be.
    pub to: ChatRef,
    /// Timelines that name it, or link to it.
    pub following: Vec<ChatRef>,
    /// What the user should know though nothing forbids it.
    pub warnings: Vec<Finding>,
    changes: Vec<FileChange>,
}

/// A timeline that has another name.
#[derive(Debug, Clone)]
pub struct Renamed {
    /// What was planned, and done.
    pub plan: RenamePlan,
    /// The operation that did it, for undoing.
    pub done: Done,
    /// What earlier operations had left behind, and was healed first.
    pub healed: Vec<Healed>,
}

/// Gives a timeline another name.
pub async fn rename<H: Host>(host: &H, chat: &ChatRef, name: &str) -> Result<Renamed, Error> {
    let _claim = host.claim(&format!("renaming {chat}")).await?;
    let healed = recover::heal(host).await?;
    let mut retried = false;
    loop {
        let plan = plan_rename(host, chat, name).await?;
        let with = vec![(&plan.to).into(), (&chat.name).into()];
        let title = Sentence { says: title::CHAT_RENAMED, with };
        match apply(host, What::Rename, title, plan.changes.clone()).await {
            Ok(done) => return Ok(Renamed { plan, done, healed }),
            Err(error) if error.code == Code::ChangedMeanwhile && !retried => retried = true,
            Err(error) => return Err(error),
        }
    }
}

/// What renaming `chat` would do. Reads only.
pub async fn plan_rename<H: Host>(
    host: &H,
    chat: &ChatRef,
    name: &str,
) -> Result<RenamePlan, Error> {
    let taken = host.chat_names(&chat.owner).await?;
    // On some disks “Lamp” and “lamp” are one file.
    let is_taken = |new: &str| taken.iter().any(|other| names::same_name(other, new));
    let name = names::timeline::renamed(name, is_taken).map_err(|problem| {
        let code = match problem {
            names::NameError::Taken(_) => Code::NameTaken,
            _ => Code::BadName,
        };
        let message = Sentence::from(&problem);
        Error::new(code, message, say!("Choose another name.")).or(crate::choice::Choice::Rename)
    })?;
    let to = chat.sibling(name);
    let mut desk = Desk::new(host);
    let damaged = housekeeping::plan_rename(host, &mut desk, chat, &to.name).await?;
    let mut warnings: Vec<Finding> = damaged.iter().map(may_link).collect();
    let view = desk.view(chat).await?;
    let (seen, header) = (view.stamp().clone(), view.header().to_owned());
    let mut changes = Vec::new();
    let mut edits = Vec::new();
    let mut following = Vec::new();
    for change in desk.changes()? {
        match (&change.file, change.to) {
            (FileRef::Chat(own), To::Lines(lines)) if own == chat => edits = lines,
            (FileRef::Chat(other), to) => {
                following.push(other.clone());
                changes.push(FileChange { to, ..change });
            }
            (_, to) => changes.push(FileChange { to, ..change }),
        }
    }
    // Its header is what a chat that is being made is known by.
    if !edits.iter().any(|edit| edit.line == Line::Header) {
        edits.insert(0, LineEdit { line: Line::Header, text: header });
    }
    let copy = To::Copy { of: chat.clone(), edits };
    changes.insert(0, FileChange { file: FileRef::Chat(to.clone()), seen: None, to: copy });
    if let Owner::Group(id) = &chat.owner {
        changes.extend(listed(host, id, &chat.name, &to.name, &mut warnings).await?);
    }
    if let Owner::Character(folder) = &chat.owner
        && host.card(folder).await.ok().flatten().and_then(|card| card.chat).as_ref()
            == Some(&chat.name)
    {
        warnings.push(Finding::new(
            Code::ReloadSillytavern,
            say!("{0} opens with this chat, by its former name.", folder),
            say!("Open the chat under its new name once, from SillyTavern's list of chats."),
        ));
    }
    changes.push(FileChange { file: FileRef::Chat(chat.clone()), seen: Some(seen), to: To::Gone });
    can_go(host, &changes).await?;
    Ok(RenamePlan { chat: chat.clone(), to, following, warnings, changes })
}

fn may_link(other: &ChatRef) -> Finding {
    Finding::new(
        Code::LinkFailed,
        say!("{0} may still link to it: its file is damaged, and was left as it is.", other),
        say!("Repair it, then check the timelines."),
    )
    .or(crate::choice::Choice::Fix)
}

/// The group's record, which says which chats are its own.
async fn listed<H: Host>(
    host: &H,
    id: &str,
    from: &str,
    to: &str,
    warnings: &mut Vec<Finding>,
) -> Result<Option<FileChange>, Error> {
    if id.is_empty() {
        return Ok(None);
    }
    let document = host.group(id).await?;
    let Some(document) = document else { return Ok(None) };
    let group = Group::read(&document.text).map_err(|problem| {
        let message = say!("groups/{0}.json: {1}", &id, &problem);
        Error::new(Code::CorruptGroup, message, say!("Restore the group's record from a backup."))
    })?;
    let spelled = group.spelled(from).unwrap_or_else(|| from.to_owned());
    let text = group.with_renamed(&spelled, to);
    if text == document.text {
        return Ok(None);
    }
    warnings.push(Finding::new(
        Code::ReloadSillytavern,
        say!("SillyTavern keeps groups in memory and writes them back."),
        say!("Close or reload SillyTavern's tabs before you go on."),
    ));
    let file = FileRef::Group(id.to_owned());
    Ok(Some(FileChange { file, seen: Some(document.stamp), to: To::Text(text) }))
}
