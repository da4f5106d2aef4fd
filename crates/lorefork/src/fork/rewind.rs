//! Rewinding: lorebook, running recap, registry and metadata of a timeline go back to a moment, in
//! place. Messages stay. The same plan as an isolation, written as a change set.

use super::look::{Look, Shelf, look};
use super::rebind::{Isolation, IsolationPlan, Purpose, changes, plan};
use super::steps::still_there;
use crate::error::report::Finding;
use crate::error::{Code, Error};
use crate::host::{ChatView, Host, Step};
use crate::moment::LoreChoice;
use crate::naming::named_lorebooks;
use crate::operation::What;
use crate::operation::change::{Done, apply};
use crate::operation::recover::{self, Healed};
use crate::operation::title;
use crate::say;
use crate::sentence::Sentence;
use crate::tavern::names::same_lorebook;
use crate::tavern::place::ChatRef;

/// A timeline whose lore was set back.
#[derive(Debug, Clone)]
pub struct Rewound {
    /// What was planned, and done.
    pub plan: IsolationPlan,
    /// The operation that did it, for undoing.
    pub done: Done,
    /// What earlier operations had left behind, and was healed first.
    pub healed: Vec<Healed>,
}

impl IsolationPlan {
    /// Whether the lorebook stays the same one, with other entries.
    pub fn is_in_place(&self) -> bool {
        self.replaces.is_some()
    }
}

/// What rewinding `chat` to message `at` would do. Reads only.
pub async fn plan_rewind<H: Host>(
    host: &H,
    chat: &ChatRef,
    at: usize,
    lore: LoreChoice,
) -> Result<IsolationPlan, Error> {
    Ok(decide(host, chat, at, lore).await?.1)
}

async fn decide<H: Host>(
    host: &H,
    chat: &ChatRef,
    at: usize,
    lore: LoreChoice,
) -> Result<(Look<H::Chat>, IsolationPlan), Error> {
    let shelf = Shelf::default();
    let (look, live) = look(host, chat, Some(at), None, &shelf, &|_, _| lore).await?;
    let user = other_user(host, &look).await?;
    let purpose = Purpose::Rewind { in_place: user.is_none() };
    match plan(host, &look, live.as_ref(), lore, purpose).await? {
        Isolation::Planned(mut plan) => {
            // Chats that name it are counted anyway; others nobody would think of.
            if let Some(user) = user.filter(|_| plan.others.is_empty()) {
                plan.report.warning(stays(&plan.lorebook.from, &user));
            }
            Ok((look, *plan))
        }
        Isolation::Nothing(reason) => Err(Error::new(
            Code::MissingLorebook,
            say!("{0}: {1}", chat.file(), &reason),
            say!("Attach a lorebook to the chat in SillyTavern first."),
        )),
    }
}

/// Who else uses the lorebook, in words: another chat in any way, a character, a setting.
async fn other_user<H: Host>(host: &H, look: &Look<H::Chat>) -> Result<Option<Sentence>, Error> {
    let Some(seen) = &look.lorebook else { return Ok(None) };
    let named = named_lorebooks(host, std::slice::from_ref(look.view.chat())).await?;
    let mut users = named.into_iter().filter(|other| same_lorebook(&other.lorebook, &seen.name));
    Ok(users.next().map(|other| other.by))
}

fn stays(lorebook: &str, user: &Sentence) -> Finding {
    Finding::new(
        Code::NamedElsewhere,
        say!("The lorebook “{0}” is also used by {1}, so it stays as it is.", lorebook, user),
        say!("The timeline gets a lorebook of its own."),
    )
}

/// Sets the lore of `chat` back to message `at`.
pub async fn rewind<H: Host>(
    host: &H,
    chat: &ChatRef,
    at: usize,
    lore: LoreChoice,
) -> Result<Rewound, Error> {
    let _claim = host.claim(&format!("rewinding {chat}")).await?;
    let healed = recover::heal(host).await?;
    host.progress(Step::Validating);
    host.settle(chat).await?;
    let mut retried = false;
    loop {
        let (look, plan) = decide(host, chat, at, lore).await?;
        still_there(host, &look).await?;
        host.progress(Step::Lorebook);
        let title = Sentence { says: title::REWOUND, with: vec![chat.into(), at.into()] };
        match apply(host, What::Rewind, title, changes(&look, &plan)).await {
            Ok(done) => return Ok(Rewound { plan, done, healed }),
            Err(error) if error.code == Code::ChangedMeanwhile && !retried => retried = true,
            Err(error) => return Err(error),
        }
    }
}
