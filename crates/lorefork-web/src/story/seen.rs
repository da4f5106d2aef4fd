//! Chats that were read for the tree. Kept in memory, and trusted only while the server's list says the
//! same of them.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use lorefork::error::Error;
use lorefork::family::{Finders, Place, Trace};
use lorefork::host::{ChatView as _, Host as _, HostError};
use lorefork::json::Json;
use lorefork::operation::ahead::Ahead;
use lorefork::tavern::place::ChatRef;

use crate::host::{WebHost, text};

/// So many bytes are read before the page has its turn.
const STRETCH: usize = 64 * 1024;
/// As much of a message as is kept, in letters: few are longer.
const MOST: usize = 8_000;
/// As much as is shown.
const SHOWN: usize = 400;

/// A chat that was read: what it says of its family, and its messages.
pub(super) struct Seen {
    pub(super) trace: Trace,
    /// Timelines have most of them in common: each is in memory once.
    words: Vec<Rc<str>>,
}

thread_local! {
    /// With what the server's list said of them when they were read.
    static SEEN: RefCell<BTreeMap<ChatRef, (String, Rc<Seen>)>> = const { RefCell::new(BTreeMap::new()) };
    static WORDS: RefCell<BTreeSet<Rc<str>>> = const { RefCell::new(BTreeSet::new()) };
}

/// This text as it is in memory already, if it is.
fn once(text: &str) -> Rc<str> {
    WORDS.with_borrow_mut(|all| match all.get(text) {
        Some(known) => Rc::clone(known),
        None => {
            let new: Rc<str> = text.into();
            all.insert(Rc::clone(&new));
            new
        }
    })
}

/// What is known of a chat, if it still is what it was.
pub(super) fn known(chat: &ChatRef, mark: &str) -> Option<Rc<Seen>> {
    SEEN.with_borrow(|seen| {
        seen.get(chat).filter(|(read_at, _)| read_at == mark).map(|(_, seen)| Rc::clone(seen))
    })
}

impl Seen {
    fn new(chat: &ChatRef) -> Self {
        Self { trace: Trace::new(chat.clone(), Place::Here), words: Vec::new() }
    }

    fn add(&mut self, line: &str, finders: &Finders, most: usize, keep: impl Fn(&str) -> Rc<str>) {
        self.trace.add_message(line.as_bytes(), 0, finders);
        let json = Json::parse(line).ok();
        self.trace.is_cut = json.is_none();
        let mes = json.and_then(|json| json.get("mes")?.str()).unwrap_or_default();
        let end = mes.char_indices().nth(most).map_or(mes.len(), |(end, _)| end);
        self.words.push(keep(&mes[..end]));
    }

    /// The beginning of a message.
    pub(super) fn says(&self, message: usize) -> Option<String> {
        self.words.get(message).map(|words| words.to_string())
    }

    /// The first message from `first` on with this in it, which must be in small letters.
    pub(super) fn finds(&self, what: &str, first: usize) -> Option<usize> {
        let mut own = self.words.iter().enumerate().skip(first);
        own.find(|(_, words)| words.to_lowercase().contains(what)).map(|(at, _)| at)
    }
}

/// Reads the open chat, which the page has in memory; all of its messages if they are searched.
pub(super) async fn read_open(
    host: &Ahead<'_, WebHost>,
    chat: &ChatRef,
    is_searched: bool,
) -> Result<Rc<Seen>, HostError> {
    let view = host.host().open(chat).await?;
    let (mut seen, finders) = (Seen::new(chat), Finders::default());
    seen.trace.add_header(view.header());
    let mut bytes = 0;
    for message in 0..view.len() {
        let line = view.line(message)?;
        bytes += line.len();
        seen.add(&line, &finders, if is_searched { MOST } else { SHOWN }, |text: &str| {
            Rc::from(text)
        });
        if bytes > STRETCH {
            bytes = 0;
            host.host().breathe().await?;
        }
    }
    Ok(Rc::new(seen))
}

/// Reads a chat from the server, and remembers it.
pub(super) async fn read_stored(
    host: &Ahead<'_, WebHost>,
    chat: &ChatRef,
    mark: &str,
) -> Result<(), Error> {
    let lines = host.host().raw_chat(chat).await?;
    let (mut seen, finders) = (Seen::new(chat), Finders::default());
    let mut has_header = false;
    while let Some(some) = text(lines.next().await)? {
        for line in some.split('\n').map(|line| line.trim_end_matches('\r')) {
            if line.trim_ascii().is_empty() {
                continue;
            }
            if has_header {
                seen.add(line, &finders, MOST, once);
            } else {
                has_header = true;
                seen.trace.add_header(line);
            }
        }
        // The page has its turn.
        host.host().breathe().await?;
    }
    SEEN.with_borrow_mut(|all| all.insert(chat.clone(), (mark.to_owned(), Rc::new(seen))));
    Ok(())
}
