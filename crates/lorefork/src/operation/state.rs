//! How far an operation got with one file, and bringing that file back.

use super::record::{Change, LineChange, Touched, content, says};
use crate::error::{Code, Error};
use crate::host::{
    ChatView, Document, HeaderOf, Host, HostErrorKind, Line, LineEdit, Stamp, Written,
};
use crate::naming::{in_words, who_needs};
use crate::say;
use crate::tavern::place::FileRef;

/// A file as it is now.
pub(super) enum Seen<C> {
    Absent,
    Text(Document),
    Chat(C),
}

impl<C: ChatView> Seen<C> {
    pub(super) fn stamp(&self) -> Option<&Stamp> {
        match self {
            Self::Absent => None,
            Self::Text(document) => Some(&document.stamp),
            Self::Chat(view) => Some(view.stamp()),
        }
    }

    /// Whether it is what was recorded: a text by what it says, a chat by its stamp.
    pub(super) fn is(&self, recorded: &str) -> bool {
        match self {
            Self::Absent => false,
            Self::Text(document) => says(&document.text, recorded),
            Self::Chat(view) => {
                view.stamp().0 == recorded || header_mark(view.header()) == recorded
            }
        }
    }
}

/// By this a chat is known that is being made: it has no stamp before it is there.
pub(super) fn header_mark(header: &str) -> String {
    format!("header {}", content(header))
}

pub(super) async fn see<H: Host>(host: &H, file: &FileRef) -> Result<Seen<H::Chat>, Error> {
    let document = match file {
        FileRef::Chat(chat) => {
            return match host.open(chat).await {
                Ok(view) => Ok(Seen::Chat(view)),
                Err(error) if error.kind == HostErrorKind::Absent => Ok(Seen::Absent),
                Err(error) => Err(error.into()),
            };
        }
        FileRef::Lorebook(name) => host.lorebook(name).await?,
        FileRef::Group(id) => host.group(id).await?,
    };
    Ok(document.map_or(Seen::Absent, Seen::Text))
}

/// How far an operation got with a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum State {
    /// As it was before.
    Former,
    /// As the operation meant it.
    Meant,
    /// Neither: somebody else changed it.
    Other,
}

pub(super) fn state<C: ChatView>(touched: &Touched, seen: &Seen<C>) -> Result<State, Error> {
    let is_absent = matches!(seen, Seen::Absent);
    Ok(match &touched.change {
        Change::Created { .. } | Change::Restored { .. } if is_absent => State::Former,
        Change::Created { is: Some(is) } | Change::Restored { is, .. } if seen.is(is) => {
            State::Meant
        }
        Change::Replaced { is, .. } if seen.is(is) => State::Meant,
        Change::Replaced { was, .. } | Change::Removed { was } if seen.is(was) => State::Former,
        Change::Removed { .. } if is_absent => State::Meant,
        Change::Lines { lines, .. } => match seen {
            Seen::Chat(view) => state_of_lines(view, lines)?,
            _ => State::Other,
        },
        _ => State::Other,
    })
}

fn state_of_lines<C: ChatView>(view: &C, lines: &[LineChange]) -> Result<State, Error> {
    let (mut is_former, mut is_meant) = (true, true);
    for line in lines {
        let now = match line.message {
            None => view.header().to_owned(),
            Some(message) if message < view.len() => view.line(message)?,
            Some(_) => return Ok(State::Other),
        };
        is_former &= now == line.was;
        is_meant &= says(&now, &line.is);
    }
    Ok(match (is_meant, is_former) {
        (true, _) => State::Meant,
        (_, true) => State::Former,
        _ => State::Other,
    })
}

/// Those of the lines that still say what was meant.
pub(super) fn still_meant<C: ChatView>(
    view: &C,
    lines: &[LineChange],
) -> Result<Vec<LineChange>, Error> {
    let mut meant = Vec::new();
    for line in lines {
        let one = std::slice::from_ref(line);
        if state_of_lines(view, one)? == State::Meant {
            meant.push(line.clone());
        }
    }
    Ok(meant)
}

/// The edits that bring lines back.
pub(super) fn back(lines: &[LineChange]) -> Vec<LineEdit> {
    let edit = |line: &LineChange| LineEdit {
        line: line.message.map_or(Line::Header, Line::Message),
        text: line.was.clone(),
    };
    lines.iter().map(edit).collect()
}

/// Brings a file back that is as operation `id` meant it.
pub(super) async fn revert<H: Host>(
    host: &H,
    id: &str,
    touched: &Touched,
    seen: &Seen<H::Chat>,
) -> Result<(), Error> {
    let nothing = Stamp(String::new());
    let stamp = seen.stamp().unwrap_or(&nothing);
    let written = match (&touched.change, &touched.file, seen) {
        (Change::Created { .. }, FileRef::Lorebook(name), _) => {
            let named = who_needs(host, name).await?;
            let is_new = |other: &&HeaderOf| !touched.was_named(&in_words(&other.chat).to_string());
            if let Some(other) = named.iter().find(is_new) {
                return Err(Error::new(
                    Code::ChangedMeanwhile,
                    say!("{0}: {1} uses it now", touched.file.file(), &other.chat),
                    say!("It was left as it is."),
                ));
            }
            host.remove_lorebook(name, stamp).await
        }
        (Change::Created { .. }, FileRef::Chat(chat), _) => host.remove_chat(chat, stamp).await,
        (Change::Restored { from, .. }, file, _) => host.trash(from, file, stamp).await,
        (Change::Replaced { .. }, file, _) => {
            let text = kept(host, id, file).await?;
            match file {
                FileRef::Group(group) => host.replace_group(group, &text, stamp).await,
                FileRef::Lorebook(name) => host.replace_lorebook(name, &text, stamp).await,
                FileRef::Chat(_) => return Ok(()),
            }
        }
        (Change::Lines { lines, .. }, _, Seen::Chat(view)) => {
            host.edit_chat(view, &back(lines)).await
        }
        (Change::Removed { .. }, file, _) => host.restore(id, file).await,
        _ => return Ok(()),
    };
    match written {
        Written::Done(_) => Ok(()),
        Written::Refused(error) | Written::Unknown(error) => Err(error.into()),
    }
}

/// A former text that an operation kept.
pub(super) async fn kept<H: Host>(host: &H, id: &str, file: &FileRef) -> Result<String, Error> {
    let text = host.kept(id, file).await?;
    text.ok_or_else(|| {
        Error::new(
            Code::NotInTrash,
            say!("{0}: its former state is no longer in the trash", file.file()),
            match file {
                FileRef::Chat(_) => say!(
                    "The trash was emptied since. SillyTavern's backups folder may have an older \
                     state."
                ),
                // SillyTavern keeps none of these.
                _ => {
                    say!("The trash was emptied since. A backup of yours may have an older state.")
                }
            },
        )
    })
}
