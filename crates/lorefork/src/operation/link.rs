//! The last step: the parent learns of its new timeline.

use crate::choice::Choice;
use crate::error::report::Finding;
use crate::error::{Code, Error};
use crate::host::{ChatView, Host, Line, LineEdit, Stamp, Written};
use crate::json::JsonError;
use crate::memory::checkpoints::in_map;
use crate::operation::record::{LineChange, content};
use crate::operation::recover;
use crate::operation::{Intent, LinkIntent, Made, What};
use crate::say;
use crate::sentence::Sentence;
use crate::tavern::chat::{Header, HeaderEdit, Message, with_branch, with_checkpoint};
use crate::tavern::group::Group;
use crate::tavern::place::group_file;
use crate::timeline::record::{self as of_timeline, mark_main, own_id};

/// Enters a timeline into its group's list. Already there is fine.
pub(crate) async fn list_in_group<H: Host>(host: &H, id: &str, chat: &str) -> Result<(), Error> {
    match try_to_list(host, id, chat).await {
        // A tab saved the group between reading and writing.
        Err(error) if error.code == Code::ChangedMeanwhile => try_to_list(host, id, chat).await,
        Err(error) if error.code == Code::AnswerLost => {
            host.pause().await;
            // Whatever goes wrong now, the lost one may still have arrived.
            try_to_list(host, id, chat).await.map_err(|_| error)
        }
        result => result,
    }
}

async fn try_to_list<H: Host>(host: &H, id: &str, chat: &str) -> Result<(), Error> {
    let broken = |problem: Sentence| {
        let message = say!("{0}: {1}", group_file(id), problem);
        Error::new(Code::CorruptGroup, message, say!("Restore the group's record from a backup."))
    };
    let document = host.group(id).await?;
    let document = document.ok_or_else(|| broken(say!("the group's record is gone")))?;
    let group = Group::read(&document.text).map_err(|problem| broken(Sentence::from(&problem)))?;
    if group.lists(chat) {
        return Ok(());
    }
    let text = group.with_chat(chat).map_err(|problem| broken(Sentence::from(&problem)))?;
    match host.replace_group(id, &text, &document.stamp).await {
        Written::Done(_) => Ok(()),
        Written::Refused(error) => Err(error.into()),
        Written::Unknown(error) => Err(Error::answer_lost(&error)),
    }
}

/// Links the parent, unless it already is. Reads it afresh: it may have changed since it was judged.
pub(crate) async fn link_parent<H: Host>(
    host: &H,
    intent: &Intent,
) -> Result<Option<Edited>, Error> {
    let Some(link) = &intent.link else { return Ok(None) };
    for attempt in 0..2 {
        let view = host.open(&link.parent).await?;
        match link_view(host, intent, link, &view).await {
            Err(error) if error.code == Code::ChangedMeanwhile && attempt == 0 => {}
            result => return result.map(Some),
        }
    }
    Ok(None)
}

/// The parent's stamps before and after, where they are known.
pub(crate) type Edited = (Option<String>, Option<String>);

/// Notes in an intent that the parent shall link to the new timeline, and how its lines change then.
pub(crate) fn intend<C: ChatView>(intent: &mut Intent, link: LinkIntent, view: &C, line: &str) {
    // What cannot be linked is said when it is tried; the fork stands without it.
    let edits = edits(intent, &link, view, line).unwrap_or_default();
    let change = |edit: LineEdit| {
        let (message, was) = match edit.line {
            Line::Header => (None, view.header().to_owned()),
            Line::Message(message) => (Some(message), line.to_owned()),
        };
        LineChange { message, was, is: content(&edit.text) }
    };
    intent.changes = edits.into_iter().map(change).collect();
    intent.link = Some(link);
}

/// What comes after the new timeline stands: its parent, as it was seen, learns of it, and it is
/// recorded as done. What fails is made up for by the next operation; returns warnings about it.
pub(crate) async fn round_off<H: Host>(
    host: &H,
    intent: &Intent,
    parent: &H::Chat,
    stamp: Option<Stamp>,
) -> Vec<Finding> {
    let mut made = Made { chat: stamp.map(|stamp| stamp.0), edited: None };
    let mut warnings = Vec::new();
    match link_seen(host, intent, parent).await {
        Ok(edited) => made.edited = edited,
        Err(error) => {
            warnings.push(not_linked(&error));
            if error.code != Code::LinkFailed {
                return warnings;
            }
        }
    }
    if let Err(error) = recover::finish(host, intent, &made).await {
        warnings.push(Finding::new(
            Code::InterruptedOperation,
            say!("The new timeline is complete, but could not be recorded as done: {0}", &error),
            say!("Lorefork does so before its next change."),
        ));
    }
    warnings
}

async fn link_seen<H: Host>(
    host: &H,
    intent: &Intent,
    parent: &H::Chat,
) -> Result<Option<Edited>, Error> {
    let Some(link) = &intent.link else { return Ok(None) };
    match link_view(host, intent, link, parent).await {
        // The parent grew meanwhile; look at it again.
        Err(error) if error.code == Code::ChangedMeanwhile => link_parent(host, intent).await,
        result => result.map(Some),
    }
}

fn not_linked(error: &Error) -> Finding {
    let later = if error.code == Code::LinkFailed {
        error.hint.clone()
    } else {
        Some(say!("Lorefork tries again before its next change."))
    };
    Finding::new(
        Code::LinkFailed,
        say!("The new timeline is complete, but its parent does not link to it: {0}", error),
        later,
    )
}

/// Links on a view that is known to be fresh.
async fn link_view<H: Host>(
    host: &H,
    intent: &Intent,
    link: &LinkIntent,
    view: &H::Chat,
) -> Result<Edited, Error> {
    if intent.at >= view.len() {
        return Err(moved_on(intent));
    }
    let line = view.line(intent.at)?;
    let edits = edits(intent, link, view, &line)?;
    if edits.is_empty() {
        return Ok((None, None));
    }
    if !message_is_linked(intent, &line) && crate::operation::hash(&line) != link.message {
        return Err(moved_on(intent));
    }
    match host.edit_chat(view, &edits).await {
        Written::Done(stamp) => Ok((Some(view.stamp().0.clone()), Some(stamp.0))),
        Written::Refused(error) => Err(error.into()),
        Written::Unknown(error) => {
            host.pause().await;
            let view = host.open(&link.parent).await.map_err(|_| Error::answer_lost(&error))?;
            match view.line(intent.at) {
                Ok(line) if message_is_linked(intent, &line) => Ok((None, None)),
                _ => Err(Error::answer_lost(&error)),
            }
        }
    }
}

fn moved_on(intent: &Intent) -> Error {
    Error::new(
        Code::LinkFailed,
        say!("message {0} of the parent has changed since, so it was not linked", &intent.at),
        say!("The timeline is complete; find it under “Manage chat files”."),
    )
}

/// A line that has an odd value where the link would go. It will not get better by trying again.
fn takes_no_link(link: &LinkIntent, line: Line, problem: &JsonError) -> Error {
    let line = match line {
        Line::Header => say!("its first line"),
        Line::Message(message) => say!("message {0}", message),
    };
    Error::new(
        Code::LinkFailed,
        say!("{0}: {1} cannot be changed: {2}", link.parent.file(), line, problem),
        say!("Repair that line by hand, then check the timelines: that links it."),
    )
    .or(Choice::Fix)
}

fn message_is_linked(intent: &Intent, line: &str) -> bool {
    let Ok(message) = Message::read(line) else { return false };
    match intent.what {
        What::Checkpoint => message.checkpoint().is_some_and(|name| name == intent.chat.name),
        _ => {
            let branches = message.extra().and_then(|extra| extra.get("branches"));
            branches
                .is_some_and(|names| names.items().iter().any(|name| name.says(&intent.chat.name)))
        }
    }
}

/// Whether the header knows this timeline. A name can be that of an earlier one that is gone, so the
/// lorebook must be the right one, too.
fn header_is_linked(intent: &Intent, link: &LinkIntent, header: &str) -> bool {
    let Ok(header) = Header::read(header) else { return false };
    let mapped = header.meta(&in_map(&intent.chat.name));
    let is_mapped = intent
        .lorebook
        .as_ref()
        .is_none_or(|book| mapped.is_some_and(|name| name.says(&book.name)));
    let has_slug = link.slug.is_none() || header.slug() == link.slug;
    is_mapped && has_slug && own_id(&header, &link.parent.name).is_some()
}

/// The parent's lines that change: its header and message N, unless they say it already.
fn edits<C: ChatView>(
    intent: &Intent,
    link: &LinkIntent,
    view: &C,
    line: &str,
) -> Result<Vec<LineEdit>, Error> {
    let mut edits = Vec::new();
    let mut add = |line: Line, text: Result<String, JsonError>| {
        let text = text.map_err(|problem| takes_no_link(link, line, &problem))?;
        edits.push(LineEdit { line, text });
        Ok::<(), Error>(())
    };
    if !header_is_linked(intent, link, view.header()) {
        add(Line::Header, parent_header(intent, link, view.header()))?;
    }
    if !message_is_linked(intent, line) {
        let name = &intent.chat.name;
        let text = if intent.what == What::Checkpoint {
            with_checkpoint(line, name)
        } else {
            with_branch(line, name)
        };
        add(Line::Message(intent.at), text)?;
    }
    Ok(edits)
}

fn parent_header(intent: &Intent, link: &LinkIntent, header: &str) -> Result<String, JsonError> {
    let mut edit = HeaderEdit::new(header);
    if let Some(book) = &intent.lorebook {
        edit.set_text(&in_map(&intent.chat.name), &book.name)?;
    }
    if let Some(slug) = &link.slug {
        edit.set_text(&["integrity"], slug)?;
    }
    let Ok(parent) = Header::read(header) else { return Ok(edit.into_text()) };
    let slug = link.slug.clone().or_else(|| parent.slug());
    if own_id(&parent, &link.parent.name).is_none() {
        // What stands there is a copy that came with the chat, or nothing.
        edit.remove(&[of_timeline::KEY])?;
        mark_main(&mut edit, &link.id, &link.parent.name, slug.as_deref())?;
    } else if link.slug.is_some() {
        edit.set(&[of_timeline::KEY, "slug"], &crate::json::text_or_null(slug.as_deref()))?;
    }
    Ok(edit.into_text())
}
