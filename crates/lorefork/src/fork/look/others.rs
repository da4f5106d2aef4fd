//! Other timelines that name the same lorebook, and what they wrote to it.

use super::SeenLorebook;
use super::scenes::all_scenes;
use super::together::open_all;
use crate::error::Error;
use crate::host::{HeaderOf, Host, HostErrorKind};
use crate::memory::running::Running;
use crate::moment::evidence::Evidence;
use crate::naming;
use crate::tavern::chat::Header;
use crate::tavern::place::ChatRef;

/// Other timelines, as far as they were read.
#[derive(Debug)]
pub(super) struct Others<C> {
    pub chats: Vec<ChatRef>,
    /// What their headers tell and, if they were opened, their messages.
    pub evidence: Vec<Evidence>,
    pub opened: Vec<C>,
}

impl<C> Default for Others<C> {
    fn default() -> Self {
        Self { chats: Vec::new(), evidence: Vec::new(), opened: Vec::new() }
    }
}

/// Who they are, and their evidence.
pub(super) async fn others<H: Host>(
    host: &H,
    book: &SeenLorebook,
    headers: &[HeaderOf],
    with_messages: bool,
) -> Result<Others<H::Chat>, Error> {
    let Others { mut chats, mut evidence, mut opened } = Others::default();
    let naming = headers.iter().filter(|other| naming::names(&other.header, &book.name));
    let naming: Vec<&HeaderOf> = naming.collect();
    for other in &naming {
        chats.push(other.chat.clone());
        let header = Header::read(&other.header).ok();
        if let Some(running) = header.and_then(|header| Running::of(&header)) {
            evidence.extend(Evidence::of_running(&running));
        }
    }
    let wanted = naming.iter().filter(|_| with_messages).map(|other| &other.chat);
    for view in open_all(host, &wanted.collect::<Vec<_>>()).await {
        match view.and_then(|view| Ok((all_scenes(&view)?, view))) {
            Ok((scenes, view)) => {
                evidence.extend(scenes);
                opened.push(view);
            }
            // Deleted since its header was read: it will not write to the book any more.
            Err(error) if error.kind == HostErrorKind::Absent => {}
            // What cannot be read may have written to it at any time.
            Err(_) => evidence.push(Evidence::unknown()),
        }
    }
    Ok(Others { chats, evidence, opened })
}
