//! Housekeeping: a chat, a character, a group or a lorebook got another name, or is gone, and what
//! refers to it follows (N-8, R-111 to R-118).
//!
//! SillyTavern renames and deletes single files, and leaves behind all that names them. Whoever saw
//! it reports what [`Happened`]; here it is looked whether it is so, and decided what follows. That is
//! one change set: all of it or nothing, and undone like any other. Nothing is ever deleted here:
//! a lorebook that lost its timeline is marked, and waits for somebody to sweep it up.

mod family;
mod gone;
mod header;
mod renamed;

pub(crate) use gone::part_with;
pub(crate) use header::set_parent;

use crate::error::{Code, Error};
use crate::host::{HeaderOf, Host};
use crate::operation::What;
use crate::operation::change::{self, Done, FileRef};
use crate::operation::desk::Desk;
use crate::operation::recover::{self, Healed};
use crate::tavern::place::ChatRef;
use crate::words::count;

/// What somebody saw.
#[derive(Debug, Clone)]
pub enum Happened {
    /// `chat`, under its new name, was called `from`.
    ChatRenamed {
        chat: ChatRef,
        from: String,
    },
    /// The same, as far as only its own file follows: quick, for before anybody opens it. Auto-Recap
    /// empties the running recap of a main chat that does not say its name.
    RenamedItself {
        chat: ChatRef,
        from: String,
    },
    /// These chats are gone; their headers, as they were.
    ChatsDeleted {
        chats: Vec<HeaderOf>,
    },
    LorebookRenamed {
        from: String,
        to: String,
    },
    /// A lorebook is gone that had this text, and these were made a moment before: SillyTavern renames
    /// one by saving it anew and deleting the old one.
    LorebookGone {
        name: String,
        text: String,
        made: Vec<String>,
    },
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
    pub healed: Vec<Healed>,
}

impl Happened {
    /// In words, for the log.
    fn title(&self) -> String {
        match self {
            Self::ChatRenamed { chat, from } | Self::RenamedItself { chat, from } => {
                format!("{chat}, which was called “{from}”")
            }
            Self::ChatsDeleted { chats } => match chats.as_slice() {
                [one] => format!("the deletion of {}", one.chat),
                all => format!("the deletion of {}", count(all.len(), "chat", "chats")),
            },
            Self::LorebookRenamed { from, to } => {
                format!("the lorebook “{to}”, which was called “{from}”")
            }
            Self::LorebookGone { name, .. } => {
                format!("the lorebook that was called “{name}”")
            }
        }
    }
}

/// Lets everything follow what happened.
pub async fn follow<H: Host>(host: &H, happened: &Happened) -> Result<Followed, Error> {
    let _claim = host.claim("housekeeping").await.map_err(|error| Error::writing(&error))?;
    let healed = recover::heal(host).await?;
    let mut retried = false;
    loop {
        let (changes, lorebook) = plan(host, happened).await?;
        let mut followed = Followed {
            done: None,
            chats: Vec::new(),
            orphans: Vec::new(),
            lorebook,
            healed: healed.clone(),
        };
        for change in &changes {
            match &change.file {
                FileRef::Chat(chat) => followed.chats.push(chat.clone()),
                FileRef::Lorebook(name) if matches!(happened, Happened::ChatsDeleted { .. }) => {
                    followed.orphans.push(name.clone());
                }
                // One that was renamed, with its waiting work.
                FileRef::Lorebook(_) | FileRef::Group(_) => {}
            }
        }
        if changes.is_empty() {
            return Ok(followed);
        }
        match change::apply(host, What::Follow, &happened.title(), changes).await {
            Ok(done) => return Ok(Followed { done: Some(done), ..followed }),
            Err(error) if error.code == Code::ChangedMeanwhile && !retried => retried = true,
            Err(error) => return Err(error),
        }
    }
}

/// What follows, and the new name of a lorebook.
async fn plan<H: Host>(
    host: &H,
    happened: &Happened,
) -> Result<(Vec<change::FileChange>, Option<String>), Error> {
    let mut desk = Desk::new(host);
    let mut lorebook = None;
    match happened {
        Happened::RenamedItself { chat, from } => {
            renamed::itself(host, &mut desk, chat, from).await?;
        }
        Happened::ChatRenamed { chat, from } => renamed::chat(host, &mut desk, chat, from).await?,
        Happened::ChatsDeleted { chats } => gone::chats(host, &mut desk, chats).await?,
        Happened::LorebookRenamed { from, to } => {
            renamed::lorebook(host, &mut desk, from, to).await?;
            lorebook = Some(to.clone());
        }
        // Without a new name it is missing, and its timelines say so when they are opened.
        Happened::LorebookGone { name, text, made } => {
            lorebook = renamed::new_name(host, name, text, made).await?;
            if let Some(to) = &lorebook {
                renamed::lorebook(host, &mut desk, name, to).await?;
            }
        }
    }
    Ok((desk.changes()?, lorebook))
}
