//! Saving what was before an operation beside what is now, where it cannot simply come back.

use super::change::{FileChange, FileRef, To, perform};
use super::kind::What;
use super::log;
use super::order::{next_number, numbered_id};
use super::record::{Change, LineChange, Operation, Touched};
use super::recover;
use super::state::kept;
use super::title;
use super::undo::changed_since;
use crate::choice::Choice;
use crate::error::{Code, Error};
use crate::host::{ChatView, Host, Piece, Written};
use crate::json::JsonError;
use crate::memory::checkpoints;
use crate::memory::names as memories;
use crate::memory::parting::{self, Parting};
use crate::say;
use crate::sentence::Sentence;
use crate::sorted;
use crate::tavern::chat::{Header, HeaderEdit};
use crate::tavern::group::Group;
use crate::tavern::names;
use crate::tavern::place::{ChatRef, Owner};
use crate::tavern::slug;
use crate::timeline::record;

/// What was saved, by name.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Saved {
    /// Lorebooks that were made of it.
    pub lorebooks: Vec<String>,
    /// Chats that were made of it.
    pub chats: Vec<String>,
    /// Of the operations that saved it.
    pub ids: Vec<String>,
}

/// Saves lorebooks and chats as they were before an operation, under other names. A chat keeps the
/// messages that it got since; its former lines come back, and it names the lorebook that was saved
/// with it.
pub async fn save_beside<H: Host>(host: &H, id: &str) -> Result<Saved, Error> {
    let claim = host.claim("saving what was before").await;
    let _claim = claim?;
    recover::heal(host).await?;
    let log = log::read(host).await?;
    let operation = log.find(id).ok_or_else(|| {
        Error::new(
            Code::UnknownOperation,
            say!("there is no operation “{0}” in the log", &id),
            say!("The log shows what was done, each with its id."),
        )
        .or(Choice::Log)
    })?;
    let (changes, books) = lorebooks(host, operation).await?;
    let mut saved = Saved::default();
    if !changes.is_empty() {
        let title = Sentence { says: title::BEFORE, with: vec![(&operation.title).into()] };
        saved.ids.push(perform(host, None, What::Fix, title, None, changes).await?.id);
        saved.lorebooks = books.iter().map(|(_, beside)| beside.clone()).collect();
    }
    for touched in &operation.files {
        let FileRef::Chat(chat) = &touched.file else { continue };
        let former = match &touched.change {
            // Where a timeline was deleted, others lost their links to it, and nothing else.
            Change::Lines { lines, .. } if operation.what != What::Delete => {
                with_lines(host, chat, lines).await?
            }
            Change::Removed { .. } => removed(host, operation, chat).await?,
            _ => continue,
        };
        let (name, id) = save_chat(host, operation, chat, former, &books).await?;
        saved.chats.push(name);
        saved.ids.push(id);
    }
    if saved.ids.is_empty() {
        return Err(Error::new(
            Code::NothingToUndo,
            say!("the operation replaced nothing, so there is nothing to save"),
            say!("The log shows what it did."),
        )
        .or(Choice::Log));
    }
    Ok(saved)
}

/// Lorebooks to write, and their names: the one they have, and the one they are saved under.
async fn lorebooks<H: Host>(
    host: &H,
    operation: &Operation,
) -> Result<(Vec<FileChange>, Vec<(String, String)>), Error> {
    let taken = host.lorebook_names().await?;
    let (mut changes, mut saved) = (Vec::new(), Vec::new());
    for touched in &operation.files {
        let FileRef::Lorebook(name) = &touched.file else { continue };
        if !matches!(touched.change, Change::Replaced { .. } | Change::Removed { .. }) {
            continue;
        }
        let text = kept(host, &operation.id, &touched.file).await?;
        let beside = beside(name, operation, &taken);
        saved.push((name.clone(), beside.clone()));
        let file = FileRef::Lorebook(beside);
        changes.push(FileChange { file, seen: None, to: To::Text(text) });
    }
    Ok((changes, saved))
}

/// A free name that says what it was before. A long one is cut, so that a file can be called so.
fn beside(name: &str, operation: &Operation, taken: &[String]) -> String {
    let short = operation.id.split('-').next().unwrap_or_default();
    let mut tail = format!(" before {short}");
    loop {
        let room = names::sanitize::CHAT_NAME_BYTES.saturating_sub(tail.len());
        let beside = format!("{}{tail}", &name[..name.floor_char_boundary(room)]);
        if !taken.iter().any(|other| names::same_name(other, &beside)) {
            return beside;
        }
        tail.push('+');
    }
}

/// A chat as it was: its first line, its messages, and the chat that these are copied from.
struct Former<C> {
    header: String,
    pieces: Vec<Piece>,
    view: C,
}

/// A chat whose lines changed; it keeps the messages that it got since.
async fn with_lines<H: Host>(
    host: &H,
    chat: &ChatRef,
    lines: &[LineChange],
) -> Result<Former<H::Chat>, Error> {
    let view = host.open(chat).await?;
    let header = lines.iter().find(|line| line.message.is_none()).map(|line| line.was.as_str());
    let header = header.unwrap_or(view.header()).to_owned();
    Ok(Former { header, pieces: pieces(view.len(), lines), view })
}

/// A chat that was deleted, and whose name another one has since.
async fn removed<H: Host>(
    host: &H,
    operation: &Operation,
    chat: &ChatRef,
) -> Result<Former<H::Chat>, Error> {
    let text = kept(host, &operation.id, &FileRef::Chat(chat.clone())).await?;
    let mut lines = text.split('\n').filter(|line| !line.trim().is_empty());
    let header = lines.next().unwrap_or_default().trim_start_matches('\u{feff}').to_owned();
    let pieces = lines.map(|line| Piece::Text(line.to_owned())).collect();
    // Nothing is copied from it, but whoever writes a chat writes it beside another.
    let names = host.chat_names(&chat.owner).await?;
    for name in std::iter::once(&chat.name).chain(&names) {
        if let Ok(view) = host.open(&chat.sibling(name)).await {
            return Ok(Former { header, pieces, view });
        }
    }
    Err(changed_since(operation, &FileRef::Chat(chat.clone())))
}

/// One new file, never over another: there is nothing to heal if it is cut short.
async fn save_chat<H: Host>(
    host: &H,
    operation: &Operation,
    chat: &ChatRef,
    former: Former<H::Chat>,
    books: &[(String, String)],
) -> Result<(String, String), Error> {
    let taken = host.chat_names(&chat.owner).await?;
    let name = beside(&chat.name, operation, &taken);
    let new = ChatRef::new(chat.owner.clone(), name.clone());
    let own_slug = slug::slug(host.id());
    let names = (chat.name.as_str(), name.as_str());
    let header = header(&former.header, names, &own_slug, books).map_err(|problem| {
        let message = say!("{0}: its former first line: {1}", chat.file(), &problem);
        Error::new(Code::CorruptRecord, message, say!("The lorebooks are saved."))
    })?;
    let mut pieces = former.pieces.into_iter().map(Ok);
    let stamp = match host.create_chat(&new, &header, &mut pieces, &former.view).await {
        Written::Done(stamp) => stamp,
        Written::Refused(error) => return Err(error.into()),
        Written::Unknown(error) => {
            let hint =
                say!("Look whether “{0}” is in the list of chats before you try again.", &name);
            return Err(Error::new(Code::AnswerLost, error.sentence(), hint));
        }
    };
    let created = Change::Created { is: Some(stamp.0) };
    let mut files = vec![Touched::new(FileRef::Chat(new.clone()), created)];
    files.extend(list(host, &new).await?);
    let record = Operation {
        id: numbered_id(&host.id(), next_number(host).await?),
        what: What::Fix,
        title: Sentence { says: title::BEFORE, with: vec![chat.into()] },
        time: host.now().ms,
        undoes: None,
        files,
        done: true,
    };
    host.log(&record.id, &record.text()).await?;
    Ok((name, record.id))
}

/// The former first line, for a chat of its own: what it says of itself is of the new one, and what
/// only the other can say is left out. `names` are the one it had, and its own.
fn header(
    former: &str,
    (was, name): (&str, &str),
    slug: &str,
    books: &[(String, String)],
) -> Result<String, JsonError> {
    let mut edit = HeaderEdit::new(former);
    edit.set_text(&["integrity"], slug)?;
    for key in [&[record::KEY][..], &checkpoints::STATE, &checkpoints::MAP] {
        edit.remove(key)?;
    }
    let Ok(before) = Header::read(former) else { return Ok(edit.into_text()) };
    memories::claim(&mut edit, name)?;
    parting::part(&mut edit, &Parting::of_new(&before, name, slug).of_one_that_was());
    memories::follow_chat(&mut edit, was, name)?;
    for (former, beside) in books {
        memories::exchange_lorebook(&mut edit, former, beside)?;
    }
    let named = before.lorebook();
    let saved =
        named.and_then(|name| books.iter().find(|(former, _)| names::same_lorebook(former, &name)));
    if let Some((_, beside)) = saved {
        edit.set_text(&["world_info"], beside)?;
        memories::attach_lorebook(&mut edit, beside, None)?;
    }
    Ok(edit.into_text())
}

/// All messages, the changed ones as they were.
fn pieces(len: usize, lines: &[LineChange]) -> Vec<Piece> {
    let mut former: Vec<(usize, &str)> = lines
        .iter()
        .filter_map(|line| Some((line.message.filter(|at| *at < len)?, line.was.as_str())))
        .collect();
    sorted::sort(&mut former);
    let (mut pieces, mut next) = (Vec::new(), 0);
    for (at, was) in former {
        if next < at {
            pieces.push(Piece::Same(next..at));
        }
        pieces.push(Piece::Text(was.to_owned()));
        next = at + 1;
    }
    if next < len {
        pieces.push(Piece::Same(next..len));
    }
    pieces
}

/// Enters a group's new chat into its list; others are found by their folder.
async fn list<H: Host>(host: &H, new: &ChatRef) -> Result<Option<Touched>, Error> {
    let Owner::Group(id) = &new.owner else { return Ok(None) };
    let document = host.group(id).await?;
    let Some(document) = document else { return Ok(None) };
    let Ok(group) = Group::read(&document.text) else { return Ok(None) };
    let Ok(text) = group.with_chat(&new.name) else { return Ok(None) };
    match host.replace_group(id, &text, &document.stamp).await {
        Written::Done(_) => {
            let listed = Change::Listed { chat: new.name.clone(), was: group.bare_list() };
            Ok(Some(Touched::new(FileRef::Group(id.clone()), listed)))
        }
        // The chat is there; “check” finds that its group does not list it.
        Written::Refused(_) | Written::Unknown(_) => Ok(None),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_name_is_cut_and_stays_free() {
        let operation = Operation {
            id: "20261116T120000-abc".to_owned(),
            what: What::Fix,
            title: Sentence::quoted(""),
            time: 0,
            undoes: None,
            files: Vec::new(),
            done: true,
        };
        let long = "龍".repeat(79);
        let first = beside(&long, &operation, &[]);
        let second = beside(&long, &operation, std::slice::from_ref(&first));
        assert_ne!(first, second);
        for name in [first, second] {
            assert!(name.len() <= names::sanitize::CHAT_NAME_BYTES, "{} bytes", name.len());
            assert!(name.contains(" before 20261116T120000"), "{name}");
        }
    }
}
