//! Change sets: several files changed as one operation, all of them or none.

pub use crate::tavern::place::FileRef;

use super::kind::What;
use super::order::{next_number, numbered_id};
use super::record::{Change, LineChange, Operation, Touched, content};
use super::state::{Seen, State, header_mark, revert, see, state};
use crate::error::report::Finding;
use crate::error::{Code, Error, LOOK_AGAIN};
use crate::host::{ChatView, Host, Line, LineEdit, Piece, Stamp, Written};
use crate::naming::{in_words, who_names_these, who_needs};
use crate::say;
use crate::sentence::Sentence;
use crate::tavern::names;
use crate::tavern::place::ChatRef;

/// What becomes of a file.
#[derive(Debug, Clone, PartialEq)]
pub enum To {
    /// The whole new text of a lorebook or group. A lorebook that must not exist yet is created.
    Text(String),
    /// Lines of a chat.
    Lines(Vec<LineEdit>),
    /// A chat that is not there yet: another, with some lines changed, the header among them.
    Copy {
        /// The chat that is copied.
        of: ChatRef,
        /// The lines that are not as there.
        edits: Vec<LineEdit>,
    },
    /// To the trash.
    Gone,
    /// Back from the trash of operation `from`, as it `is` recorded there.
    Back {
        /// The operation in whose trash it is.
        from: String,
        /// What it must be to come back.
        is: String,
    },
}

/// One file of a change set.
#[derive(Debug, Clone, PartialEq)]
pub struct FileChange {
    /// Which file.
    pub file: FileRef,
    /// The stamp with which it was judged. `None`: it must not exist yet.
    pub seen: Option<Stamp>,
    /// What becomes of it.
    pub to: To,
}

/// A change set that stands.
#[derive(Debug, Clone)]
pub struct Done {
    /// Of the operation, for `undo`.
    pub id: String,
    /// What the user should know though nothing forbids it.
    pub warnings: Vec<Finding>,
}

/// Changes all files, in the order given, or none: lorebooks come before the chats that name them.
///
/// Claims nothing itself: the caller holds the claim. Notes the intent, keeps former bytes, writes,
/// logs, forgets. What is refused is taken back; a lost answer is looked up, never guessed.
pub async fn apply<H: Host>(
    host: &H,
    what: What,
    title: Sentence,
    changes: Vec<FileChange>,
) -> Result<Done, Error> {
    perform(host, None, what, title, None, changes).await
}

/// The same under an id that is written into the files, too.
pub(crate) async fn apply_as<H: Host>(
    host: &H,
    id: &str,
    what: What,
    title: Sentence,
    changes: Vec<FileChange>,
) -> Result<Done, Error> {
    perform(host, Some(id), what, title, None, changes).await
}

pub(super) async fn perform<H: Host>(
    host: &H,
    id: Option<&str>,
    what: What,
    title: Sentence,
    undoes: Option<String>,
    changes: Vec<FileChange>,
) -> Result<Done, Error> {
    let id = match id {
        Some(id) => id.to_owned(),
        None => numbered_id(&host.id(), next_number(host).await?),
    };
    let mut operation = Operation {
        id: id.clone(),
        what,
        title,
        time: host.now().ms,
        undoes,
        files: Vec::new(),
        done: false,
    };
    can_go(host, &changes).await?;
    let mut prepared = Vec::new();
    for change in &changes {
        let seen = see(host, &change.file).await?;
        operation.files.push(touched(change, &seen)?);
        prepared.push((change, seen));
    }
    note_who_names(host, &mut operation).await;
    host.note(&id, &operation.text()).await?;
    for (n, (change, seen)) in prepared.iter().enumerate() {
        let made = match keep(host, &id, change, seen).await {
            Ok(()) => write(host, &operation, n, change, seen).await,
            Err(error) => Err(error),
        };
        match made {
            Ok(stamp) => note_stamp(&mut operation.files[n], stamp),
            // It may still arrive: recovery finds out.
            Err(error) if error.code == Code::AnswerLost => return Err(error),
            Err(error) => return Err(take_back(host, &operation, n, error).await),
        }
    }
    let mut warnings = Vec::new();
    if let Err(error) = finish(host, operation).await {
        warnings.push(Finding::new(
            Code::InterruptedOperation,
            say!("It is done, but could not be recorded as done: {0}", &error),
            say!("Lorefork does so before its next change."),
        ));
    }
    Ok(Done { id, warnings })
}

/// Refuses changes that would move a file to the trash that could not come back from there.
pub(crate) async fn can_go<H: Host>(host: &H, changes: &[FileChange]) -> Result<(), Error> {
    for change in changes.iter().filter(|change| matches!(change.to, To::Gone)) {
        host.can_trash(&change.file).await?;
    }
    Ok(())
}

/// Records the operation as done and forgets the intent.
pub(crate) async fn finish<H: Host>(host: &H, operation: Operation) -> Result<(), Error> {
    let done = Operation { done: true, ..operation };
    host.log(&done.id, &done.text()).await?;
    host.forget(&done.id).await.map_err(Error::from)
}

/// What will be recorded of a change, if the file still is what was judged.
fn touched<C: ChatView>(change: &FileChange, seen: &Seen<C>) -> Result<Touched, Error> {
    let file = change.file.clone();
    if seen.stamp() != change.seen.as_ref() {
        return Err(changed(&file));
    }
    let change = match (&change.to, seen) {
        (To::Text(text), Seen::Absent) if matches!(file, FileRef::Lorebook(_)) => {
            Change::Created { is: Some(content(text)) }
        }
        (To::Copy { edits, .. }, Seen::Absent) => {
            let header = edits.iter().find(|edit| edit.line == Line::Header);
            Change::Created { is: header.map(|edit| header_mark(&edit.text)) }
        }
        (To::Text(text), Seen::Text(document)) => {
            Change::Replaced { was: content(&document.text), is: content(text) }
        }
        (To::Lines(edits), Seen::Chat(view)) => Change::Lines {
            from: Some(view.stamp().0.clone()),
            to: None,
            lines: edits.iter().map(|edit| line_change(view, edit)).collect::<Result<_, _>>()?,
        },
        (To::Gone, Seen::Chat(view)) => Change::Removed { was: view.stamp().0.clone() },
        (To::Gone, Seen::Text(document)) => Change::Removed { was: content(&document.text) },
        (To::Back { from, is }, Seen::Absent) => {
            Change::Restored { from: from.clone(), is: is.clone() }
        }
        _ => return Err(changed(&file)),
    };
    Ok(Touched::new(file, change))
}

/// Notes who names a lorebook that is not there yet. Only repairs, housekeeping and undo bring any
/// back; else a new one has a name that nobody can have used.
async fn note_who_names<H: Host>(host: &H, operation: &mut Operation) {
    if operation.what == What::Follow {
        // SillyTavern waits meanwhile: only chats are asked.
        for touched in operation.files.iter_mut().filter(|touched| touched.brings_lorebook()) {
            let FileRef::Lorebook(name) = &touched.file else { continue };
            let Ok(others) = who_needs(host, name).await else { return };
            let others: Vec<String> =
                others.iter().map(|other| in_words(&other.chat).to_string()).collect();
            touched.named_by = Some(others.join("\n"));
        }
        return;
    }
    let may_be_named = matches!(operation.what, What::Fix | What::Undo);
    if !may_be_named || !operation.files.iter().any(Touched::brings_lorebook) {
        return;
    }
    let brought = operation.files.iter().filter(|touched| touched.brings_lorebook());
    let brought: Vec<String> = brought.filter_map(|touched| touched.file.lorebook()).collect();
    // What cannot be read must not keep anybody from a repair.
    let Ok(named) = who_names_these(host, &[], &brought).await else { return };
    for touched in operation.files.iter_mut().filter(|touched| touched.brings_lorebook()) {
        let FileRef::Lorebook(name) = &touched.file else { continue };
        let others = named.iter().filter(|other| names::same_lorebook(&other.lorebook, name));
        let others: Vec<String> = others.map(|other| other.by.to_string()).collect();
        touched.named_by = Some(others.join("\n"));
    }
}

fn changed(file: &FileRef) -> Error {
    Error::new(
        Code::ChangedMeanwhile,
        say!("{0}: somebody else changed it meanwhile", file.file()),
        say!("Wait until nothing is written any more, then try again. Nothing was changed."),
    )
}

fn line_change<C: ChatView>(view: &C, edit: &LineEdit) -> Result<LineChange, Error> {
    let (message, was) = match edit.line {
        Line::Header => (None, view.header().to_owned()),
        Line::Message(message) => {
            let line = view.line(message)?;
            (Some(message), line)
        }
    };
    Ok(LineChange { message, was, is: content(&edit.text) })
}

/// Keeps the former text of what is about to be replaced. Lines are in the record itself, and what
/// is moved to the trash keeps itself.
async fn keep<H: Host>(
    host: &H,
    id: &str,
    change: &FileChange,
    seen: &Seen<H::Chat>,
) -> Result<(), Error> {
    match (&change.to, seen) {
        (To::Text(_), Seen::Text(document)) => {
            host.keep(id, &change.file, &document.text).await.map_err(Error::from)
        }
        _ => Ok(()),
    }
}

async fn write<H: Host>(
    host: &H,
    operation: &Operation,
    n: usize,
    change: &FileChange,
    seen: &Seen<H::Chat>,
) -> Result<Stamp, Error> {
    let written = match (&change.to, &change.file, seen) {
        (To::Text(text), FileRef::Lorebook(name), Seen::Absent) => {
            host.create_lorebook(name, text).await
        }
        (To::Text(text), FileRef::Lorebook(name), Seen::Text(document)) => {
            host.replace_lorebook(name, text, &document.stamp).await
        }
        (To::Text(text), FileRef::Group(id), Seen::Text(document)) => {
            host.replace_group(id, text, &document.stamp).await
        }
        (To::Lines(edits), _, Seen::Chat(view)) => host.edit_chat(view, edits).await,
        (To::Copy { of, edits }, FileRef::Chat(chat), Seen::Absent) => {
            copy(host, chat, of, edits).await?
        }
        (To::Gone, file, Seen::Chat(view)) => host.trash(&operation.id, file, view.stamp()).await,
        (To::Gone, file, Seen::Text(document)) => {
            host.trash(&operation.id, file, &document.stamp).await
        }
        (To::Back { from, .. }, file, _) => host.restore(from, file).await,
        _ => return Err(changed(&change.file)),
    };
    let touched = &operation.files[n];
    match written {
        // SillyTavern's server may say yes and write something else: lorebooks are read back.
        Written::Done(stamp)
            if !matches!((&change.to, &change.file), (To::Text(_), FileRef::Lorebook(_))) =>
        {
            Ok(stamp)
        }
        Written::Done(_) => {
            let back = see(host, &change.file).await?;
            match (state(touched, &back)?, back.stamp()) {
                (State::Meant, Some(stamp)) => Ok(stamp.clone()),
                _ => Err(Error::new(
                    Code::WriteFailed,
                    say!("{0}: what was written cannot be read back", change.file.file()),
                    say!("Check the disk for errors and free space, then try again."),
                )),
            }
        }
        Written::Refused(error) => Err(error.into()),
        Written::Unknown(error) => {
            host.pause().await;
            let lost = || Error::answer_lost(&error);
            let now = see(host, &change.file).await.map_err(|_| lost())?;
            match state(touched, &now) {
                Ok(State::Meant) => {
                    Ok(now.stamp().cloned().unwrap_or_else(|| Stamp(String::new())))
                }
                _ => Err(lost()),
            }
        }
    }
}

/// The stamp of a chat after its lines changed, or it was made, by which it is known later.
fn note_stamp(touched: &mut Touched, stamp: Stamp) {
    match (&mut touched.change, &touched.file) {
        (Change::Lines { to, .. }, _) => *to = Some(stamp.0),
        (Change::Created { is }, FileRef::Chat(_)) => *is = Some(stamp.0),
        _ => {}
    }
}

/// Makes a chat of another one.
async fn copy<H: Host>(
    host: &H,
    chat: &ChatRef,
    of: &ChatRef,
    edits: &[LineEdit],
) -> Result<Written, Error> {
    let from = host.open(of).await?;
    let mut header = from.header();
    let mut pieces = Vec::new();
    let mut next = 0;
    for edit in edits {
        match edit.line {
            Line::Header => header = &edit.text,
            Line::Message(at) => {
                if at > next {
                    pieces.push(Ok(Piece::Same(next..at)));
                }
                pieces.push(Ok(Piece::Text(edit.text.clone())));
                next = at + 1;
            }
        }
    }
    if from.len() > next {
        pieces.push(Ok(Piece::Same(next..from.len())));
    }
    Ok(host.create_chat(chat, header, &mut pieces.into_iter(), &from).await)
}

/// Brings the files before `n` back, last first, and says why.
async fn take_back<H: Host>(host: &H, operation: &Operation, n: usize, error: Error) -> Error {
    for touched in operation.files[..=n].iter().rev() {
        if let Err(undo) = bring_back(host, &operation.id, touched).await {
            // The intent stays, so the next operation tries again.
            let message = say!("{0}; and it could not be taken back: {1}", &error, &undo);
            return Error::new(Code::NotTakenBack, message, LOOK_AGAIN);
        }
    }
    if host.burn(&operation.id).await.is_ok() {
        // If it cannot be forgotten, healing finds nothing left to undo.
        let _ = host.forget(&operation.id).await;
    }
    error
}

/// Brings one file back, if it is as the operation meant it.
pub(super) async fn bring_back<H: Host>(
    host: &H,
    id: &str,
    touched: &Touched,
) -> Result<(), Error> {
    let seen = see(host, &touched.file).await?;
    if state(touched, &seen)? == State::Meant {
        revert(host, id, touched, &seen).await?;
    }
    Ok(())
}
