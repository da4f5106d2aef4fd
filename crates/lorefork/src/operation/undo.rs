//! Taking an operation back: the bytes from before, as an operation of its own.

use super::change::{Done, FileChange, FileRef, To, perform};
use super::dangling::leads_somewhere;
use super::kind::What;
use super::log::{self, Log};
use super::record::{Change, Operation, Touched};
use super::recover::{self, Healed};
use super::state::{Seen, State, back, kept, see, state, still_meant};
use crate::choice::Choice;
use crate::error::report::Finding;
use crate::error::{Code, Error};
use crate::host::{ChatView, Host};
use crate::naming::who_names_these;
use crate::say;
use crate::tavern::chat::Header;
use crate::tavern::group::Group;
use crate::tavern::names;
use crate::tavern::place::{ChatRef, Owner};
use crate::timeline::record::own_id;
use crate::timeline::verify::is_as_made;

/// What taking an operation back would do.
#[derive(Debug, Clone)]
pub struct UndoPlan {
    /// The one that is taken back.
    pub operation: Operation,
    /// What that does to which files.
    pub changes: Vec<FileChange>,
    /// Where nobody said which: why newer ones cannot be taken back any more.
    pub passed_over: Vec<Error>,
}

/// An operation that was taken back.
#[derive(Debug, Clone)]
pub struct Undone {
    /// The one that was taken back.
    pub operation: Operation,
    /// The operation that did it, for undoing.
    pub done: Done,
    /// What earlier operations had left behind, and was healed first.
    pub healed: Vec<Healed>,
}

/// What taking `id` back, or the newest operation that stands, would do. Reads only.
pub async fn plan_undo<H: Host>(host: &H, id: Option<&str>) -> Result<UndoPlan, Error> {
    let log = log::read(host).await?;
    let Some(id) = id else { return plan_newest(host, &log).await };
    let operation = choose(&log, id)?;
    let changes = changes(host, &log, operation).await?;
    Ok(UndoPlan { changes, operation: operation.clone(), passed_over: Vec::new() })
}

/// The newest operation that can be taken back. What the trash no longer has is in nobody's way.
async fn plan_newest<H: Host>(host: &H, log: &Log) -> Result<UndoPlan, Error> {
    let mut passed_over: Vec<Error> = Vec::new();
    for operation in log.standing() {
        match changes(host, log, operation).await {
            Ok(changes) => {
                return Ok(UndoPlan { changes, operation: operation.clone(), passed_over });
            }
            // Below one that stays, others may have to stay, too.
            Err(error) if error.code == Code::NotInTrash || !passed_over.is_empty() => {
                passed_over.push(error);
            }
            Err(error) => return Err(error),
        }
    }
    Err(passed_over.into_iter().next().unwrap_or_else(|| {
        Error::new(
            Code::NothingToUndo,
            say!("there is nothing that could be undone"),
            say!("The log shows what was done."),
        )
        .or(Choice::Log)
    }))
}

/// Takes an operation back.
pub async fn undo<H: Host>(host: &H, id: Option<&str>) -> Result<Undone, Error> {
    let _claim = host.claim("undoing an operation").await?;
    let healed = recover::heal(host).await?;
    let UndoPlan { operation, changes, passed_over } = plan_undo(host, id).await?;
    // Whoever did not say which means the last one: another is taken back only if it is asked for.
    if let Some(error) = passed_over.into_iter().next() {
        let hint =
            say!("The trash was emptied since. What was done before it can still be taken back.");
        let earlier = Choice::Undo(short(&operation.id));
        return Err(Error::new(error.code, error.into_refusal().message, hint).or(earlier));
    }
    let chats: Vec<ChatRef> = changes.iter().filter_map(brought_back).collect();
    let undoes = Some(operation.id.clone());
    let not_back = not_back(host, &operation, &changes).await?;
    let mut done =
        perform(host, None, What::Undo, operation.title.clone(), undoes, changes).await?;
    done.warnings.extend(not_back);
    for chat in chats {
        done.warnings.extend(without_lorebook(host, &chat).await);
    }
    Ok(Undone { operation, done, healed })
}

fn choose<'l>(log: &'l Log, id: &str) -> Result<&'l Operation, Error> {
    let found = log.find(id).ok_or_else(|| {
        let (code, message, hint) = match log.unreadable.iter().find(|(other, _)| other == id) {
            Some((_, why)) => (
                Code::CorruptRecord,
                say!("the record of {0} cannot be used: {1}", id, why),
                say!("It is kept."),
            ),
            None => (
                Code::UnknownOperation,
                say!("there is no operation “{0}” in the log", &id),
                say!("The log shows what was done, each with its id."),
            ),
        };
        Error::new(code, message, hint).or(Choice::Log)
    })?;
    if log.is_undone(&found.id) {
        return Err(Error::new(
            Code::NothingToUndo,
            say!("operation “{0}” is undone already", &id),
            say!("To do it again, undo the operation that undid it; the log shows its id."),
        )
        .or(Choice::Log));
    }
    Ok(found)
}

/// The changes that bring all files back, last first.
async fn changes<H: Host>(
    host: &H,
    log: &Log,
    operation: &Operation,
) -> Result<Vec<FileChange>, Error> {
    let mut changes = Vec::new();
    for touched in operation.files.iter().rev() {
        let seen = see(host, &touched.file).await?;
        if let Some(to) = to(host, log, operation, touched, &seen).await? {
            let stamp = seen.stamp().cloned();
            changes.push(FileChange { file: touched.file.clone(), seen: stamp, to });
        }
    }
    stays_unnamed(host, operation, &changes).await?;
    if operation.what == What::Follow {
        leads_somewhere(host, &changes).await?;
    }
    Ok(changes)
}

/// What brings one file back; `None` if it is back already.
async fn to<H: Host>(
    host: &H,
    log: &Log,
    operation: &Operation,
    touched: &Touched,
    seen: &Seen<H::Chat>,
) -> Result<Option<To>, Error> {
    let file = &touched.file;
    match (&touched.change, seen) {
        (Change::Created { .. } | Change::Restored { .. }, Seen::Absent) => Ok(None),
        (Change::Created { is: Some(is) } | Change::Restored { is, .. }, seen) => match seen {
            Seen::Chat(view) if log.is_same_chat(&view.stamp().0, is) => Ok(Some(To::Gone)),
            // The former file would come back without what was written since.
            Seen::Chat(_) if operation.what == What::Rename => Err(changed_since(operation, file)),
            Seen::Chat(view) if is_another(log, operation, touched, view) => Err(another(file)),
            // SillyTavern may have opened and saved it without a change.
            Seen::Chat(view) if is_as_made(host, view).await? => Ok(Some(To::Gone)),
            Seen::Chat(_) => Err(continued(file)),
            Seen::Text(_) if !seen.is(is) => Err(changed_since(operation, file)),
            _ => Ok(Some(To::Gone)),
        },
        (Change::Created { is: None }, _) => Err(continued(file)),
        (Change::Removed { was }, Seen::Absent) => {
            let trashed = host.trashed().await?;
            let path = file.file();
            if trashed.iter().any(|found| found.id == operation.id && found.file == path) {
                return Ok(Some(To::Back { from: operation.id.clone(), is: was.clone() }));
            }
            // Says that the trash was emptied.
            kept(host, &operation.id, file).await.map(|_| None)
        }
        (Change::Listed { chat, was }, Seen::Text(document)) => {
            let parent = parent_in_group(host, file, chat).await;
            let text = Group::read(&document.text)
                .and_then(|group| group.forgetting(chat, parent.as_deref()))
                .and_then(|text| match was {
                    Some(was) if text != document.text => Group::read(&text)?.with_bare_list(was),
                    _ => Ok(text),
                });
            let text = text.map_err(|problem| {
                let message = say!("{0}: {1}", file.file(), &problem);
                Error::new(Code::CorruptGroup, message, say!("Restore the group's record."))
            })?;
            Ok((text != document.text).then_some(To::Text(text)))
        }
        (Change::Listed { .. }, _) => Ok(None),
        (change, seen) => match (state(touched, seen)?, change) {
            (State::Former, _) => Ok(None),
            (State::Meant, Change::Replaced { .. }) => {
                kept(host, &operation.id, file).await.map(|text| Some(To::Text(text)))
            }
            (State::Meant, Change::Lines { lines, .. }) => Ok(Some(To::Lines(back(lines)))),
            // A timeline that was deleted comes back, whatever its family wrote since.
            (State::Other, Change::Lines { lines, .. }) if operation.what == What::Delete => {
                let Seen::Chat(view) = seen else { return Ok(None) };
                let lines = still_meant(view, lines)?;
                Ok((!lines.is_empty()).then(|| To::Lines(back(&lines))))
            }
            _ => Err(changed_since(operation, file)),
        },
    }
}

/// What refers to a deleted timeline and cannot come back with it, in words.
async fn not_back<H: Host>(
    host: &H,
    operation: &Operation,
    changes: &[FileChange],
) -> Result<Vec<Finding>, Error> {
    let mut findings = Vec::new();
    for touched in operation.files.iter().filter(|_| operation.what == What::Delete) {
        let (FileRef::Chat(chat), Change::Lines { lines, .. }) = (&touched.file, &touched.change)
        else {
            continue;
        };
        let back = changes.iter().find(|change| change.file == touched.file);
        let is_whole = back.is_some_and(
            |change| matches!(&change.to, To::Lines(edits) if edits.len() == lines.len()),
        );
        if is_whole || state(touched, &see(host, &touched.file).await?)? == State::Former {
            continue;
        }
        findings.push(
            Finding::new(
                Code::LinkFailed,
                say!("{0} went on since, so not all that led to the timeline is back.", chat),
                say!("Check the timelines."),
            )
            .or(Choice::Check),
        );
    }
    Ok(findings)
}

/// Whether the timeline there is not the one that this operation put there: SillyTavern gives the
/// name of a branch that was deleted to the next one.
fn is_another<C: ChatView>(log: &Log, operation: &Operation, touched: &Touched, view: &C) -> bool {
    let header = Header::read(view.header()).ok();
    let Some(id) = header.and_then(|header| own_id(&header, &view.chat().name)) else {
        return false;
    };
    if matches!(touched.change, Change::Created { .. }) {
        return id != operation.id;
    }
    // One that came back was made before, by whatever operation.
    let mut later = log.operations.iter().skip_while(|other| other.id != operation.id).skip(1);
    later.any(|other| other.id == id)
}

/// What a group's chat was made from: the group opens with it when the chat goes.
async fn parent_in_group<H: Host>(host: &H, group: &FileRef, chat: &str) -> Option<String> {
    let FileRef::Group(id) = group else { return None };
    let view = host.open(&ChatRef::new(Owner::Group(id.clone()), chat)).await.ok()?;
    Header::read(view.header()).ok()?.main_chat()
}

/// A lorebook goes only if nothing names it but chats that go or change with it, and who named it
/// before it was there.
async fn stays_unnamed<H: Host>(
    host: &H,
    operation: &Operation,
    changes: &[FileChange],
) -> Result<(), Error> {
    let goes = |change: &&FileChange| {
        matches!((&change.file, &change.to), (FileRef::Lorebook(_), To::Gone))
    };
    let going: Vec<String> =
        changes.iter().filter(goes).filter_map(|change| change.file.lorebook()).collect();
    if going.is_empty() {
        return Ok(());
    }
    let ours: Vec<ChatRef> = changes
        .iter()
        .filter_map(|change| match &change.file {
            FileRef::Chat(chat) => Some(chat.clone()),
            _ => None,
        })
        .collect();
    let named = who_names_these(host, &ours, &going).await?;
    for change in changes.iter().filter(goes) {
        let FileRef::Lorebook(name) = &change.file else { continue };
        let touched = operation.files.iter().find(|touched| touched.file == change.file);
        // Of old repairs nobody knows; they were made because one chat named it.
        let is_unknown = touched.is_none_or(|touched| touched.named_by.is_none());
        let may_name = usize::from(is_unknown && operation.what == What::Fix);
        let mut others =
            named.iter().filter(|other| names::same_lorebook(&other.lorebook, name)).filter(
                |other| !touched.is_some_and(|touched| touched.was_named(&other.by.to_string())),
            );
        if let Some(other) = others.nth(may_name) {
            return Err(Error::new(
                Code::InUse,
                say!("{0}: this lorebook is used by {1} now", change.file.file(), &other.by),
                say!("Take it away there first, then try again."),
            ));
        }
    }
    Ok(())
}

/// An id as people see it.
fn short(id: &str) -> String {
    id.split('-').next().unwrap_or_default().to_owned()
}

fn another(file: &FileRef) -> Error {
    Error::new(
        Code::Continued,
        say!("{0}: another timeline has this name since", file.file()),
        say!("The log shows which operation made it; undo that one."),
    )
    .or(Choice::Log)
}

fn continued(file: &FileRef) -> Error {
    Error::new(
        Code::Continued,
        say!("{0}: this timeline was continued since it was made", file.file()),
        say!("To remove it with its lorebook all the same, delete it."),
    )
    .or(Choice::Delete)
}

pub(super) fn changed_since(operation: &Operation, file: &FileRef) -> Error {
    if !operation.files.iter().any(|touched| touched.has_former()) {
        return Error::new(
            Code::Continued,
            say!("{0}: it has changed since it was made", file.file()),
            say!("Nothing was there before. Remove it in SillyTavern, if you do not need it."),
        );
    }
    Error::new(
        Code::ChangedSince,
        say!("{0}: it has changed since, so what was before cannot simply come back", file.file()),
        say!("What was before can be saved beside it, under other names."),
    )
    .or(Choice::SaveBeside(short(&operation.id)))
}

fn brought_back(change: &FileChange) -> Option<ChatRef> {
    match (&change.file, &change.to) {
        (FileRef::Chat(chat), To::Back { .. }) => Some(chat.clone()),
        _ => None,
    }
}

/// Says so if a timeline came back whose lorebook is not there.
async fn without_lorebook<H: Host>(host: &H, chat: &ChatRef) -> Option<Finding> {
    let view = host.open(chat).await.ok()?;
    let name = Header::read(view.header()).ok()?.lorebook()?;
    let file = names::lorebook_name(&name)?;
    host.lorebook(&file).await.ok()?.is_none().then(|| {
        Finding::new(
            Code::MissingLorebook,
            say!("{0} is back, but its lorebook “{1}” is not there.", chat, name),
            say!("Undo the operation that removed it, too; the log shows which."),
        )
        .or(Choice::Log)
    })
}
