//! Housekeeping: a chat, a character, a group or a lorebook got another name, or is gone, and what
//! refers to it follows (N-8, R-111 to R-118).
//!
//! SillyTavern renames and deletes single files, and leaves behind all that names them. Whoever saw
//! it reports what [`Happened`]; here it is looked whether it is so, and decided what follows. That is
//! one change set: all of it or nothing, and undone like any other. Nothing is ever deleted here:
//! a lorebook that lost its timeline is marked, and waits for somebody to sweep it up. One that a
//! timeline loses is kept (`book`).

mod book;
mod family;
mod gone;
pub(crate) mod header;
mod renamed;
pub(crate) mod tombstones;

pub use book::keep_copy;
pub(crate) use gone::part_with;
pub(crate) use header::set_parent;
pub(crate) use renamed::plan_rename;

use book::Fate;

use crate::error::{Code, Error};
use crate::host::Host;
use crate::operation::What;
use crate::operation::change::{self, Done, FileRef};
use crate::operation::recover::{self, Healed};
use crate::operation::staging::Desk;
use crate::operation::title;
use crate::sentence::Sentence;
use crate::tavern::names::lorebook_name;
use crate::tavern::place::ChatRef;

/// What somebody saw.
#[derive(Debug, Clone)]
pub enum Happened {
    /// `chat`, under its new name, was called `from`.
    ChatRenamed {
        /// As it is called now.
        chat: ChatRef,
        /// As it was called.
        from: String,
    },
    /// The same, as far as only its own file follows: quick, for before anybody opens it. Auto-Recap
    /// empties the running recap of a main chat that does not say its name.
    RenamedItself {
        /// As it is called now.
        chat: ChatRef,
        /// As it was called.
        from: String,
    },
    /// These chats are gone.
    ChatsDeleted {
        /// As they were.
        chats: Vec<DeletedChat>,
    },
    /// A lorebook has another name, and somebody knows that it is the same one.
    LorebookRenamed {
        /// As it was called.
        from: String,
        /// As it is called now.
        to: String,
    },
    /// A lorebook is gone that had this text, and these were made a moment before: SillyTavern renames
    /// one by saving it anew and deleting the old one.
    LorebookGone {
        /// As it was called.
        name: String,
        /// The whole file.
        text: String,
        /// Names of lorebooks that were made a moment before.
        made: Vec<String>,
        /// Whether it went along with a chat, which was deleted a moment before.
        with_chat: bool,
        /// The id of its copy, by [`keep_copy`]. `None` if none could be kept.
        copy: Option<String>,
    },
}

/// A chat that is gone, as it was.
#[derive(Debug, Clone)]
pub struct DeletedChat {
    /// Which chat it was.
    pub chat: ChatRef,
    /// Its first line.
    pub header: String,
    /// Empty if nobody has seen them.
    pub messages: Vec<String>,
}

/// What followed.
#[derive(Debug, Clone)]
pub struct Followed {
    /// `None` if nothing had to.
    pub done: Option<Done>,
    /// Chats that were changed.
    pub chats: Vec<ChatRef>,
    /// Lorebooks that lost their timeline.
    pub orphans: Vec<String>,
    /// What a lorebook is called now that got another name.
    pub lorebook: Option<String>,
    /// Who still names a lorebook that was deleted.
    pub naming: Vec<ChatRef>,
    /// Whether that lorebook is back.
    pub is_back: bool,
    /// The operation in the log that has its copy.
    pub copy: Option<String>,
    /// What earlier operations had left behind, and was healed first.
    pub healed: Vec<Healed>,
}

impl Happened {
    /// In words, for the log.
    fn title(&self) -> Sentence {
        match self {
            Self::ChatRenamed { chat, from } | Self::RenamedItself { chat, from } => {
                Sentence { says: title::CHAT_RENAMED, with: vec![chat.into(), from.into()] }
            }
            Self::ChatsDeleted { chats } => match chats.as_slice() {
                [one] => Sentence { says: title::CHAT_DELETED, with: vec![(&one.chat).into()] },
                all => Sentence { says: title::CHATS_DELETED, with: vec![all.len().into()] },
            },
            Self::LorebookRenamed { from, to } => renamed_title(from, to),
            Self::LorebookGone { name, .. } => book::title(name),
        }
    }

    /// The copy that is kept because of it.
    fn copy(&self) -> Option<&str> {
        match self {
            Self::LorebookGone { copy, .. } => copy.as_deref(),
            _ => None,
        }
    }
}

/// Lets everything follow what happened.
pub async fn follow<H: Host>(host: &H, happened: &Happened) -> Result<Followed, Error> {
    let _claim = host.claim("housekeeping").await?;
    let healed = recover::heal_others(host, happened.copy()).await?;
    let mut retried = false;
    loop {
        let (changes, fate) = plan(host, happened).await?;
        let mut followed = Followed {
            done: None,
            chats: Vec::new(),
            orphans: Vec::new(),
            lorebook: None,
            naming: Vec::new(),
            is_back: matches!(fate, Fate::Back(_)),
            copy: None,
            healed: healed.clone(),
        };
        for change in &changes {
            match &change.file {
                FileRef::Chat(chat) => followed.chats.push(chat.clone()),
                FileRef::Lorebook(name) if matches!(happened, Happened::ChatsDeleted { .. }) => {
                    followed.orphans.push(name.clone());
                }
                // One that was renamed, with its waiting work, or one that comes back.
                FileRef::Lorebook(_) | FileRef::Group(_) => {}
            }
        }
        if !changes.is_empty() {
            let title = match (&fate, happened) {
                (Fate::Renamed(to), Happened::LorebookGone { name, .. }) => renamed_title(name, to),
                _ => happened.title(),
            };
            followed.done = match change::apply(host, What::Follow, title, changes).await {
                Ok(done) => Some(done),
                Err(error) if error.code == Code::ChangedMeanwhile && !retried => {
                    retried = true;
                    continue;
                }
                Err(error) => return Err(error),
            };
        }
        if let Some(copy) = happened.copy()
            && book::end(host, copy, &fate).await?
        {
            followed.copy = Some(copy.to_owned());
        }
        match fate {
            Fate::Nothing => {}
            Fate::Renamed(to) => followed.lorebook = Some(to),
            Fate::Back(naming) | Fate::Gone(naming) => followed.naming = naming,
        }
        return Ok(followed);
    }
}

/// What follows, and what became of a lorebook.
async fn plan<H: Host>(
    host: &H,
    happened: &Happened,
) -> Result<(Vec<change::FileChange>, Fate), Error> {
    let mut desk = Desk::new(host);
    let mut fate = Fate::Nothing;
    match happened {
        Happened::RenamedItself { chat, from } => {
            renamed::itself(host, &mut desk, chat, from).await?;
        }
        Happened::ChatRenamed { chat, from } => renamed::chat(host, &mut desk, chat, from).await?,
        Happened::ChatsDeleted { chats } => gone::chats(host, &mut desk, chats).await?,
        Happened::LorebookRenamed { from, to } => {
            renamed::lorebook(host, &mut desk, from, to).await?;
            fate = Fate::Renamed(to.clone());
        }
        Happened::LorebookGone { name, text, made, with_chat, .. } => {
            fate = book::fate(host, name, text, made, *with_chat).await?;
            match &fate {
                Fate::Renamed(to) => renamed::lorebook(host, &mut desk, name, to).await?,
                Fate::Back(_) => {
                    desk.set_book(&lorebook_name(name).unwrap_or_default(), text.clone()).await?;
                }
                // Its timelines say so when they are opened.
                Fate::Gone(_) | Fate::Nothing => {}
            }
        }
    }
    Ok((desk.changes()?, fate))
}

fn renamed_title(from: &str, to: &str) -> Sentence {
    Sentence { says: title::LOREBOOK_RENAMED, with: vec![to.into(), from.into()] }
}
