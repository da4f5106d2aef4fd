//! Opening: what is to be said about a timeline that has just been opened.
//! Reads only; nothing is repaired by itself.

use super::judge::queues;
use super::undecided;
use crate::error::Error;
use crate::host::{ChatView, Host};
use crate::memory::checkpoints::State;
use crate::memory::entries::is_queue;
use crate::memory::{queues, running};
use crate::naming::who_names;
use crate::sentence::Sentence;
use crate::tavern::lorebook::Lorebook;
use crate::tavern::names;
use crate::tavern::place::{ChatRef, lorebook_file};
use crate::timeline::header::header;
use crate::timeline::record::{Kind, Record};
use crate::timeline::verify::{Level, verify};
use crate::{say, say_count};

/// A timeline as it is met.
#[derive(Debug, Clone)]
pub struct Opened {
    /// `None` without a record of ours: a legacy timeline.
    pub kind: Option<Kind>,
    /// Its name.
    pub chat: String,
    /// The timeline it came from, by the name it has today.
    pub parent: Option<String>,
    /// The fork point.
    pub at: Option<usize>,
    /// The lorebook its header names.
    pub lorebook: Option<String>,
    /// Its entries besides the queue.
    pub entries: Option<usize>,
    /// Of how many of them nobody can tell.
    pub undecided: usize,
    /// As recorded when it was made.
    pub scene: Option<String>,
    /// The running recap's version when it was made.
    pub version: Option<i64>,
    /// How many scenes that recap told of.
    pub scenes: Option<i64>,
    /// In milliseconds since 1970.
    pub made: Option<i64>,
    /// What is not as it was made, the worst as its level says.
    pub remarks: Vec<Remark>,
    /// Other timelines that use its lorebook unknowingly.
    pub shared_with: Vec<String>,
}

/// Something that is not as it was.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Remark {
    /// How much it matters.
    pub level: Level,
    /// In words.
    pub message: Sentence,
}

/// Looks at a timeline that was opened; `shared` are lorebooks that a setting shares on purpose.
pub async fn opened<H: Host>(host: &H, chat: &ChatRef, shared: &[String]) -> Result<Opened, Error> {
    let view = host.open(chat).await?;
    let header = header(&view, chat)?;
    let record = Record::own(&header, &chat.name);
    let state = State::of(&header).filter(|_| record.is_some());
    let mut found = Opened {
        kind: record.as_ref().map(|record| record.kind),
        chat: chat.name.clone(),
        parent: header.main_chat(),
        at: record.as_ref().map(|record| record.at),
        lorebook: header.lorebook(),
        entries: None,
        undecided: 0,
        scene: state.and_then(State::scene),
        version: state.and_then(State::version),
        scenes: state.and_then(State::scenes),
        made: state.and_then(State::made_ms),
        remarks: Vec::new(),
        shared_with: Vec::new(),
    };
    let is_untouched = record.as_ref().is_some_and(|record| view.len() == record.at + 1);
    if let Some(record) = record.as_ref().filter(|record| record.kind != Kind::Main) {
        let verified = verify(host, chat).await?;
        let differences = verified.levels.into_iter().zip(verified.differences);
        found.remarks.extend(differences.map(|(level, message)| Remark { level, message }));
        let combined = running::combined_of(&header).and_then(|combined| combined.messages);
        let recorded = state.and_then(State::combined);
        if is_untouched && recorded.is_some() && combined != recorded {
            found.say(Level::Warning, say!("its combined recap was made anew since"));
        }
        if state.is_none() && record.lore.hash.is_some() {
            let words = say!("what it was made of is not recorded any more");
            found.say(Level::Warning, words);
        }
    }
    let is_shared = book_remarks(host, &mut found, is_untouched, record.is_some()).await?;
    let is_named = |name: &String| shared.iter().any(|other| names::same_lorebook(other, name));
    let is_on_purpose = is_shared || found.lorebook.as_ref().is_some_and(is_named);
    // A record that names another chat came along with a copy, or the chat was renamed.
    let may_share = record.is_none_or(|record| record.chat != chat.name);
    if may_share
        && !is_on_purpose
        && let Some(name) = &found.lorebook
    {
        let others = who_names(host, name).await?.into_iter();
        found.shared_with = others
            .filter(|other| other.chat != *chat)
            .map(|other| other.chat.to_string())
            .collect();
    }
    Ok(found)
}

impl Opened {
    fn say(&mut self, level: Level, message: Sentence) {
        self.remarks.push(Remark { level, message });
    }
}

/// Looks into the lorebook; whether it is shared on purpose.
async fn book_remarks<H: Host>(
    host: &H,
    found: &mut Opened,
    is_untouched: bool,
    is_verified: bool,
) -> Result<bool, Error> {
    let Some(name) = &found.lorebook else { return Ok(false) };
    let file = names::lorebook_name(name).unwrap_or_default();
    // One that cannot be read was complained about already.
    let Ok(document) = host.lorebook(&file).await else { return Ok(false) };
    let Some(document) = document else {
        if !is_verified {
            let words = say!("its lorebook is gone: {0}", lorebook_file(&file));
            found.say(Level::Error, words);
        }
        return Ok(false);
    };
    let Ok(book) = Lorebook::read(&document.text) else { return Ok(false) };
    found.entries = Some(book.entries.iter().filter(|entry| !is_queue(&entry.comment())).count());
    found.undecided = undecided::listed(&book).len();
    let waiting: usize = queues(Some(&book)).iter().map(|queue| queue.blocking().len()).sum();
    // Later work is its own; but it was made without any.
    if is_untouched && waiting > 0 {
        let words = say_count!(
            waiting,
            "{0} operation of {1} is waiting in its lorebook's queue",
            "{0} operations of {1} are waiting in its lorebook's queue",
            queues::keeper()
        );
        found.say(Level::Error, words);
    }
    Ok(book.is_shared_on_purpose())
}
