//! Chats that were read for the tree. Kept in memory, and trusted only while the server's list says the
//! same of them.

use std::cell::RefCell;
use std::collections::BTreeMap;

use lorefork::error::Error;
use lorefork::family::{Finders, Place, Trace};
use lorefork::host::{ChatView as _, Host as _, HostError};
use lorefork::json::Json;
use lorefork::operation::ahead::Ahead;
use lorefork::tavern::place::ChatRef;

use crate::host::{WebHost, text};

/// So many bytes are read before the page has its turn.
const STRETCH: usize = 64 * 1024;
/// As much of a message as is kept, in letters.
const SOME: usize = 400;

/// A chat that was read: what it says of its family, and the beginnings of its messages.
#[derive(Clone)]
pub(super) struct Seen {
    pub(super) trace: Trace,
    words: Vec<String>,
}

thread_local! {
    /// With what the server's list said of them when they were read.
    static SEEN: RefCell<BTreeMap<ChatRef, (String, Seen)>> = const { RefCell::new(BTreeMap::new()) };
}

/// What is known of a chat, if it still is what it was.
pub(super) fn known(chat: &ChatRef, mark: &str) -> Option<Seen> {
    SEEN.with_borrow(|seen| {
        seen.get(chat).filter(|(read_at, _)| read_at == mark).map(|(_, seen)| seen.clone())
    })
}

impl Seen {
    fn new(chat: &ChatRef) -> Self {
        Self { trace: Trace::new(chat.clone(), Place::Here), words: Vec::new() }
    }

    fn add(&mut self, line: &str, finders: &Finders) {
        self.trace.add_message(line.as_bytes(), 0, finders);
        let mes = Json::parse(line).ok().and_then(|json| json.get("mes")?.str());
        self.words.push(mes.unwrap_or_default().chars().take(SOME).collect());
    }

    /// The beginning of a message.
    pub(super) fn says(&self, message: usize) -> Option<String> {
        self.words.get(message).cloned()
    }

    /// The first message from `first` on with this in it, which must be in small letters.
    pub(super) fn finds(&self, what: &str, first: usize) -> Option<usize> {
        let mut own = self.words.iter().enumerate().skip(first);
        own.find(|(_, words)| words.to_lowercase().contains(what)).map(|(at, _)| at)
    }
}

/// Reads the open chat, which the page has in memory.
pub(super) async fn read_open(
    host: &Ahead<'_, WebHost>,
    chat: &ChatRef,
) -> Result<Seen, HostError> {
    let view = host.host().open(chat).await?;
    let (mut seen, finders) = (Seen::new(chat), Finders::default());
    seen.trace.add_header(view.header());
    let mut bytes = 0;
    for message in 0..view.len() {
        let line = view.line(message)?;
        bytes += line.len();
        seen.add(&line, &finders);
        if bytes > STRETCH {
            bytes = 0;
            host.host().breathe().await?;
        }
    }
    Ok(seen)
}

/// Reads a chat from the server, and remembers it.
pub(super) async fn read_stored(
    host: &Ahead<'_, WebHost>,
    chat: &ChatRef,
    mark: &str,
) -> Result<Seen, Error> {
    let lines = host.host().raw_chat(chat).await?;
    let (mut seen, finders) = (Seen::new(chat), Finders::default());
    let mut has_header = false;
    while let Some(some) = text(lines.next().await)? {
        for line in some.split('\n').map(|line| line.trim_end_matches('\r')) {
            if line.trim_ascii().is_empty() {
                continue;
            }
            if has_header {
                seen.add(line, &finders);
            } else {
                has_header = true;
                seen.trace.add_header(line);
            }
        }
        // The page has its turn.
        host.host().breathe().await?;
    }
    SEEN.with_borrow_mut(|all| all.insert(chat.clone(), (mark.to_owned(), seen.clone())));
    Ok(seen)
}
