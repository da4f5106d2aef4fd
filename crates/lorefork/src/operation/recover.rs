//! Healing: finishing or undoing what a crash left half done.
//!
//! A new timeline is complete in its first write, so there are two cases. It is there: then the
//! fork stands, and what comes after it is made up for. It is not: then what was made before it,
//! its lorebook, is removed, if it still is what we wrote and nobody names it.

use super::change::{bring_back, finish as finish_operation};
use super::intent::{Intent, Made};
use super::kind::What;
use super::record::{Change, Operation, Touched};
use super::state::{Seen, State, see, state};
use crate::error::{Code, Error};
use crate::host::{ChatView, Host, HostErrorKind, Written};
use crate::naming::who_needs;
use crate::operation::link;
use crate::say;
use crate::sentence::Sentence;
use crate::tavern::chat::Header;

/// What healing did with one operation.
#[derive(Debug, Clone, PartialEq)]
pub enum Healed {
    /// What was missing was done.
    Finished(Interrupted),
    /// What had been done was taken back.
    Undone(Interrupted),
    /// It cannot be healed now, and is left as it is: why, in words.
    Left(Sentence),
}

/// An operation that had been interrupted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Interrupted {
    /// Which kind of operation.
    pub what: What,
    /// To what: the name of a chat or lorebook.
    pub name: Sentence,
}

/// Heals all unfinished operations. Only called while no other operation runs. One that cannot be
/// healed is left for later: it must not keep the user from everything else.
pub async fn heal<H: Host>(host: &H) -> Result<Vec<Healed>, Error> {
    heal_others(host, None).await
}

/// The same for whoever is about to end the operation `own` himself.
pub(crate) async fn heal_others<H: Host>(
    host: &H,
    own: Option<&str>,
) -> Result<Vec<Healed>, Error> {
    let mut healed = Vec::new();
    for text in host.unfinished().await? {
        let unreadable = |problem: Sentence| {
            Healed::Left(say!(
                "An interrupted operation's record cannot be read: {0}. It is in the folder \
                 “lorefork/operations/intents”.",
                &problem,
            ))
        };
        healed.push(if Operation::is_one(&text) {
            match Operation::read(&text) {
                Ok(operation) if own == Some(operation.id.as_str()) => continue,
                Ok(operation) => heal_change_set(host, operation).await,
                Err(problem) => unreadable(problem),
            }
        } else {
            match Intent::read(&text) {
                // As isolations were noted up to 0.2.0; what they did is a change set.
                Ok(intent) if intent.what == What::Isolate => {
                    let made = Made { chat: None, edited: Some((None, None)) };
                    heal_change_set(host, intent.operation(&made)).await
                }
                Ok(intent) => heal_one(host, intent).await,
                Err(problem) => unreadable(problem),
            }
        });
    }
    Ok(healed)
}

async fn heal_one<H: Host>(host: &H, intent: Intent) -> Healed {
    let about = Interrupted { what: intent.what, name: Sentence::quoted(&intent.chat.name) };
    match try_to_heal(host, &intent).await {
        Ok(true) => Healed::Finished(about),
        Ok(false) => Healed::Undone(about),
        Err(error) => left(&Sentence::quoted(intent.chat.file()), &error),
    }
}

fn left(name: &Sentence, error: &Error) -> Healed {
    Healed::Left(say!(
        "An interrupted operation on {0} could not be finished: {1}",
        name,
        error.in_full(),
    ))
}

/// Finishes a change set of which all is written; else brings every file back. If somebody else
/// wrote to one of the files, neither would be right, and all is left as it is.
async fn heal_change_set<H: Host>(host: &H, operation: Operation) -> Healed {
    let about = Interrupted { what: operation.what, name: operation.title.clone() };
    match try_change_set(host, operation).await {
        Ok(true) => Healed::Finished(about),
        Ok(false) => Healed::Undone(about),
        Err(error) => left(&about.name, &error),
    }
}

/// Whether the change set stands.
async fn try_change_set<H: Host>(host: &H, operation: Operation) -> Result<bool, Error> {
    let mut states = Vec::new();
    for touched in &operation.files {
        let seen = see(host, &touched.file).await?;
        let state = state(touched, &seen)?;
        states.push(if state == State::Other {
            in_place_of(&operation, touched, &seen)
        } else {
            state
        });
    }
    // Files are written in order. What others changed is theirs to keep, as long as it does not
    // hide how far we got.
    let is_complete = !states.contains(&State::Former) && states.last() == Some(&State::Meant);
    let is_untouched = !states.contains(&State::Meant) && states.first() == Some(&State::Former);
    if is_complete || operation.files.is_empty() {
        finish_operation(host, operation).await?;
        return Ok(true);
    }
    if !is_untouched && let Some(other) = states.iter().position(|state| *state == State::Other) {
        return Err(changed_by_others(&operation.files[other]));
    }
    for touched in operation.files.iter().rev() {
        bring_back(host, &operation.id, touched).await?;
    }
    host.burn(&operation.id).await?;
    host.forget(&operation.id).await?;
    Ok(false)
}

/// What a chat counts as that is neither as it was nor as it was meant. One that is not there is not
/// changed, or healing would stick. One that names the lorebook which the operation made was written:
/// SillyTavern saves its first line anew as the story goes on.
fn in_place_of<C: ChatView>(operation: &Operation, touched: &Touched, seen: &Seen<C>) -> State {
    let Change::Lines { lines, .. } = &touched.change else { return State::Other };
    let view = match seen {
        Seen::Absent => return State::Former,
        Seen::Chat(view) => view,
        Seen::Text(_) => return State::Other,
    };
    let named = |header: &str| Header::read(header).ok().and_then(|header| header.lorebook());
    let former = lines.iter().find(|line| line.message.is_none());
    let (Some(former), Some(now)) = (former, named(view.header())) else { return State::Other };
    let is_new = |other: &Touched| {
        matches!(other.change, Change::Created { .. }) && other.file.lorebook() == Some(now.clone())
    };
    let is_written = named(&former.was) != Some(now.clone()) && operation.files.iter().any(is_new);
    if is_written { State::Meant } else { State::Other }
}

fn changed_by_others(touched: &Touched) -> Error {
    Error::new(
        Code::ChangedSince,
        say!("somebody else has changed {0} since", touched.file.file()),
        say!(
            "All files were left as they are. What was there before is in the folder \
             “lorefork/trash” and in the operation's record in “lorefork/operations/intents”; when \
             you have put it right, remove that record."
        ),
    )
}

/// Whether the timeline stands.
async fn try_to_heal<H: Host>(host: &H, intent: &Intent) -> Result<bool, Error> {
    if !is_made(host, intent).await? {
        remove_unnamed_lorebook(host, intent).await?;
        host.forget(&intent.id).await?;
        return Ok(false);
    }
    if let Some(group) = &intent.group {
        link::list_in_group(host, group, &intent.chat.name).await?;
    }
    let edited = match link::link_parent(host, intent).await {
        // The parent has moved on, and will not come back.
        Err(error) if error.code == Code::LinkFailed => None,
        result => result?,
    };
    let chat = host.open(&intent.chat).await?;
    // One that has grown meanwhile is no longer ours to take back.
    let chat = (chat.len() == intent.at + 1).then(|| chat.stamp().0.clone());
    finish(host, intent, &Made { chat, edited }).await?;
    Ok(true)
}

/// Whether the timeline is there, as we meant it: it is recognised by its slug.
async fn is_made<H: Host>(host: &H, intent: &Intent) -> Result<bool, Error> {
    let view = match host.open(&intent.chat).await {
        Ok(view) => view,
        Err(error) if error.kind == HostErrorKind::Absent => return Ok(false),
        Err(error) => return Err(error.into()),
    };
    // One that cannot be read may be ours: nothing is removed then.
    let header = Header::read(view.header()).map_err(|problem| {
        Error::new(
            Code::DamagedChat,
            Sentence::from(&problem),
            say!("Repair its first line, or restore it from SillyTavern's backups folder."),
        )
    })?;
    Ok(header.slug().as_deref() == Some(&intent.slug))
}

/// Records the operation as done and forgets the intent.
pub(crate) async fn finish<H: Host>(host: &H, intent: &Intent, made: &Made) -> Result<(), Error> {
    host.log(&intent.id, &intent.operation(made).text()).await?;
    host.forget(&intent.id).await.map_err(Error::from)
}

/// Removes the lorebook of an operation that came to nothing: only if it still is what we wrote and
/// no chat names it.
pub(crate) async fn remove_unnamed_lorebook<H: Host>(
    host: &H,
    intent: &Intent,
) -> Result<(), Error> {
    let Some(book) = &intent.lorebook else { return Ok(()) };
    let Some(document) = host.lorebook(&book.name).await? else {
        return Ok(());
    };
    if !book.is(&document.text) {
        return Ok(());
    }
    if !who_needs(host, &book.name).await?.is_empty() {
        return Ok(());
    }
    match host.remove_lorebook(&book.name, &document.stamp).await {
        Written::Done(_) => Ok(()),
        Written::Refused(error) | Written::Unknown(error) => Err(error.into()),
    }
}
