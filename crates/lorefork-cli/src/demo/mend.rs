//! Finds the family that shares a lorebook, untangles it, and takes that back.

use std::fs;

use lorefork::audit::untangle::{family_of, untangle};
use lorefork::audit::{Code, judge};
use lorefork::operation::undo::undo;
use lorefork::tavern::place::{ChatRef, Owner, lorebook_file};
use lorefork_demo::{TANGLED_BOOK, TANGLED_BRANCH, TANGLED_CHAT, TANGLED_CHECKPOINT};
use lorefork_disk::DiskHost;

use super::tell::{Fact, Knows, knows, unexpected};
use crate::error::Failure;

/// Entries that only one of the stories should know, or that differ.
pub(crate) const FACTS: [Fact; 3] = [
    ("the dragon", "character-Old Rime"),
    ("the bell", "item-Silver bell"),
    ("the heart", "item-Frost heart"),
];

/// What happened.
pub(crate) struct Mended {
    /// What `check` says of the lorebook.
    pub(crate) found: String,
    /// What the main chat, the checkpoint and the branch know.
    pub(crate) tangled: [Knows; 3],
    pub(crate) untangled: [Knows; 3],
    /// What `check` finds then.
    pub(crate) left: usize,
    /// How many files undoing brought back, each byte for byte.
    pub(crate) back: usize,
}

pub(crate) async fn mend(host: &DiskHost) -> Result<Mended, Failure> {
    let chats = [TANGLED_CHAT, TANGLED_CHECKPOINT, TANGLED_BRANCH]
        .map(|name| ChatRef::new(Owner::Character("Tamsin".into()), name));
    let before = files(host, &chats)?;
    let problems = judge(&host.facts()?);
    let found = problems.into_iter().find(|problem| problem.code == Code::SharedLorebook);
    let found = found.ok_or_else(|| unexpected("nobody shares a lorebook"))?.says.to_string();
    let tangled = all(host, &chats).await?;

    let family = family_of(host, &chats[0]).await?;
    let family = family.ok_or_else(|| unexpected("a chat has no lorebook"))?;
    let done = untangle(host, &family).await?;
    let untangled = all(host, &chats).await?;
    let left = judge(&host.facts()?).len();

    undo(host, Some(&done.done.id)).await?;
    let after = files(host, &chats)?;
    let back = before.iter().zip(&after).filter(|(before, after)| before == after).count();
    Ok(Mended { found, tangled, untangled, left, back })
}

async fn all(
    host: &DiskHost,
    [main, checkpoint, branch]: &[ChatRef; 3],
) -> Result<[Knows; 3], Failure> {
    Ok([
        knows(host, main, &FACTS).await?,
        knows(host, checkpoint, &FACTS).await?,
        knows(host, branch, &FACTS).await?,
    ])
}

/// The bytes of the family: its chats and the lorebook.
fn files(host: &DiskHost, chats: &[ChatRef]) -> Result<Vec<Vec<u8>>, Failure> {
    let paths = chats.iter().map(ChatRef::file).chain([lorebook_file(TANGLED_BOOK)]);
    paths
        .map(|path| fs::read(host.folder().join(path)))
        .collect::<Result<_, _>>()
        .map_err(|error| unexpected(&error.to_string()))
}
