//! Repairs: problems -> what becomes of each file.
//!
//! Every repair works on a desk, on which files lie as they will be after the repairs before
//! it. So repairs of one file add up. [`repair()`] is the whole of it: what is planned, done at once,
//! and looked at again.

pub mod apart;
mod decided;
mod header;
mod lines;
mod lorebook;
pub mod missing;
mod repair;

pub use repair::{Look, Plan, Repaired, Step, plan, repair};

use super::facts::Folder;
use super::problem::{Action, Problem};
use crate::error::{Code, Error};
use crate::host::Host;
use crate::json::JsonError;
use crate::operation::change::FileChange;
use crate::operation::staging::Desk;
use crate::say;
use crate::sentence::Sentence;
use crate::sorted;
use crate::tavern::place::ChatRef;

/// What to do about a lorebook that is missing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Missing {
    /// From what was recorded.
    #[default]
    Rebuild,
    /// A copy of the parent's, as it is now.
    Parent,
    /// A new one without entries.
    Empty,
    /// The chat names none any more.
    Detach,
    /// Nothing: the user decides later.
    Leave,
}

/// What one round of repairs would make of the files.
struct Round {
    changes: Vec<FileChange>,
    /// For each problem.
    outcomes: Vec<Outcome>,
}

/// What becomes of a problem.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome {
    /// It is gone, or would be.
    Mended,
    /// It is left to the user: why.
    Left(Sentence),
    /// It was to be repaired, and is still there: in words.
    NotCured(Sentence),
}

/// Why a single repair was not made; the others are.
enum Why {
    /// Nothing to be done about it here.
    Left(Sentence),
    Failed(Error),
}

impl From<JsonError> for Why {
    fn from(error: JsonError) -> Self {
        Self::Left(say!("The file cannot be changed safely: {0}.", &error))
    }
}

impl From<Error> for Why {
    fn from(error: Error) -> Self {
        Self::Failed(error)
    }
}

/// Plans the repairs of these problems, but not the untangling of lorebooks. Reads only.
async fn mend_all<H: Host>(
    host: &H,
    folder: &Folder,
    problems: &[Problem],
    missing: Missing,
) -> Result<Round, Error> {
    let mut desk = Desk::new(host);
    // In the order of the codes: files first, then lorebooks, then what refers to them.
    let mut order: Vec<usize> = (0..problems.len()).collect();
    sorted::by_key(&mut order, |index| (problems[*index].code, *index));
    let mut outcomes = vec![Outcome::Mended; problems.len()];
    for index in order {
        let problem = &problems[index];
        let mended = match &problem.fix.action {
            Action::Left => Err(Why::Left(problem.fix.says.clone())),
            Action::Heal => Ok(()),
            _ => mend(&mut desk, folder, problem, missing).await,
        };
        match mended {
            Ok(()) => {}
            Err(Why::Left(why)) => outcomes[index] = Outcome::Left(why),
            // One file that cannot be read must not keep all others from being repaired.
            Err(Why::Failed(error)) => {
                outcomes[index] = Outcome::Left(error.in_full());
            }
        }
    }
    Ok(Round { changes: desk.changes()?, outcomes })
}

async fn mend<H: Host>(
    desk: &mut Desk<'_, H>,
    folder: &Folder,
    problem: &Problem,
    missing: Missing,
) -> Result<(), Why> {
    let book = problem.lorebook.as_deref().unwrap_or_default();
    match &problem.fix.action {
        Action::Rebuild { from } => lorebook::rebuild(desk, book, from).await,
        action if action.is_of_a_lorebook() => lorebook::mend(desk, folder, book, action).await,
        Action::MendRegistry => {
            lorebook::mend_registry(desk, book, problem.code).await?;
            header::rebuild_indexes(desk, folder, book).await
        }
        Action::Forget { uids } => {
            lorebook::forget(desk, book, uids).await?;
            header::rebuild_indexes(desk, folder, book).await
        }
        Action::List { group } => {
            let chat = chat_of(problem)?;
            let text = desk.group(group).await?;
            let record = crate::tavern::group::Group::read(&text)?;
            let text = record.with_chat(&chat.name)?;
            desk.set_group(group, text);
            Ok(())
        }
        Action::Missing { keeps_name: false } if missing == Missing::Rebuild => {
            missing::own(desk, chat_of(problem)?).await
        }
        Action::Missing { .. } => {
            header::missing(desk, folder, chat_of(problem)?, book, missing).await
        }
        Action::NewSlug => {
            for chat in &problem.others {
                desk.renew_slug(chat).await?;
            }
            Ok(())
        }
        Action::Relink { from, to } => {
            let at = problem.message.unwrap_or_default();
            lines::relink(desk, chat_of(problem)?, at, from, to.as_deref()).await
        }
        // The link alone tells of it: it goes only when that is remembered.
        Action::Remember { chat: gone } => {
            let (chat, at) = (chat_of(problem)?, problem.message.unwrap_or_default());
            header::remember(desk, chat, gone, at).await?;
            lines::relink(desk, chat, at, gone, None).await
        }
        Action::Link => lines::link(desk, folder, chat_of(problem)?).await,
        action => header::mend(desk, folder, chat_of(problem)?, action).await,
    }
}

fn chat_of(problem: &Problem) -> Result<&ChatRef, Why> {
    let none = || Why::Left(say!("Nothing says which chat it is about."));
    problem.chat.as_ref().ok_or_else(none)
}

fn gone(file: &str) -> Why {
    let error =
        Error::new(Code::ChangedMeanwhile, say!("{0} is gone", &file), say!("Check again."));
    Why::Failed(error)
}
