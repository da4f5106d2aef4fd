//! Other timelines that name the same lorebook, and what they wrote to it.

use super::SeenLorebook;
use super::scenes::all_scenes;
use crate::error::Error;
use crate::host::{HeaderOf, Host, HostErrorKind};
use crate::memory::recap::RUNNING_KEY;
use crate::memory::recap::running::Running;
use crate::moment::evidence::Evidence;
use crate::naming;
use crate::tavern::chat::Header;
use crate::tavern::place::ChatRef;

/// Who they are, and their evidence: what their headers tell and, if asked for, their messages.
pub(super) async fn others<H: Host>(
    host: &H,
    book: &SeenLorebook,
    headers: &[HeaderOf],
    with_messages: bool,
) -> Result<(Vec<ChatRef>, Vec<Evidence>), Error> {
    let mut chats = Vec::new();
    let mut evidence = Vec::new();
    for other in headers.iter().filter(|other| naming::names(&other.header, &book.name)) {
        chats.push(other.chat.clone());
        let header = Header::read(&other.header).ok();
        if let Some(storage) = header
            .and_then(|header| header.meta(&[RUNNING_KEY]))
            .filter(|storage| storage.is_object())
        {
            evidence.extend(Evidence::of_running(&Running::read(storage)));
        }
        if !with_messages {
            continue;
        }
        match host.open(&other.chat).await.and_then(|view| all_scenes(&view)) {
            Ok(scenes) => evidence.extend(scenes),
            // Deleted since its header was read: it will not write to the book any more.
            Err(error) if error.kind == HostErrorKind::Absent => {}
            // What cannot be read may have written to it at any time.
            Err(_) => evidence.push(Evidence::unknown()),
        }
    }
    Ok((chats, evidence))
}
