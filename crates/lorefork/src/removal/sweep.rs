//! Sweeping: lorebooks of ours that nothing names any more.

use crate::error::Error;
use crate::host::{Host, Stamp};
use crate::json::Json;
use crate::naming::named_lorebooks;
use crate::operation::What;
use crate::operation::change::{Done, FileChange, FileRef, To, apply};
use crate::operation::recover::{self, Healed};
use crate::operation::title;
use crate::sentence::Sentence;
use crate::tavern::lorebook::OURS;
use crate::tavern::names::same_lorebook;

const DAY: u64 = 24 * 60 * 60 * 1000;

/// A lorebook of ours that nothing names.
#[derive(Debug, Clone)]
pub struct Orphan {
    /// As its file is called.
    pub name: String,
    /// The size of its file.
    pub bytes: u64,
    /// When it was last written, or lost its timeline, in milliseconds since 1970.
    pub time: Option<u64>,
    /// Days since then, where that can be seen.
    pub days: Option<u64>,
    /// The timeline it was made for, the lorebook it was made of, and the message.
    pub timeline: String,
    /// The lorebook it was made of.
    pub from: String,
    /// The message it was made for.
    pub at: Option<i64>,
    /// Whether it is old enough to go.
    pub goes: bool,
    stamp: Stamp,
}

/// What was swept.
#[derive(Debug, Clone)]
pub struct Swept {
    /// All that were found, with whether they went.
    pub orphans: Vec<Orphan>,
    /// `None` if there was nothing to sweep.
    pub done: Option<Done>,
    /// What earlier operations had left behind, and was healed first.
    pub healed: Vec<Healed>,
}

/// All orphans; those older than `days` would go. `elsewhere` are lorebooks that other user folders
/// name. Reads only.
pub async fn orphans<H: Host>(
    host: &H,
    days: u64,
    elsewhere: &[String],
) -> Result<Vec<Orphan>, Error> {
    let named = named_lorebooks(host, &[]).await?;
    let now = host.now().ms;
    let mut orphans = Vec::new();
    for name in host.lorebook_names().await? {
        let is_named = named.iter().any(|other| same_lorebook(&other.lorebook, &name))
            || elsewhere.iter().any(|other| same_lorebook(other, &name));
        if is_named {
            continue;
        }
        // What cannot be read is not known to be ours.
        let Ok(Some(document)) = host.lorebook(&name).await else { continue };
        let Ok(book) = Json::parse(&document.text) else { continue };
        let Some(record) = book.at(&OURS).filter(|r| r.get("id").is_some()) else {
            continue;
        };
        // Shared on purpose: somebody wants it.
        if record.get("share").is_some_and(Json::truthy) {
            continue;
        }
        let text = |key: &str| record.get(key).and_then(Json::str).unwrap_or_default().into_owned();
        let written = host.lorebook_time(&name).await?;
        let marked = record.get("orphaned").and_then(Json::integer);
        let time = written.or(marked.and_then(|time| u64::try_from(time).ok()));
        let age = time.map(|time| now.saturating_sub(time) / DAY);
        orphans.push(Orphan {
            bytes: document.text.len() as u64,
            time,
            days: age,
            timeline: text("timeline"),
            from: text("from"),
            at: record.get("at").and_then(Json::integer),
            goes: age.is_some_and(|age| age >= days),
            stamp: document.stamp,
            name,
        });
    }
    Ok(orphans)
}

/// Moves orphans that are old enough to the trash.
pub async fn sweep<H: Host>(host: &H, days: u64, elsewhere: &[String]) -> Result<Swept, Error> {
    let _claim = host.claim("sweeping lorebooks").await?;
    let healed = recover::heal(host).await?;
    let orphans = orphans(host, days, elsewhere).await?;
    trash(host, orphans, healed).await
}

/// Moves those of the orphans that somebody has chosen to the trash. One that has found a timeline
/// since stays.
pub async fn sweep_chosen<H: Host>(
    host: &H,
    names: &[String],
    elsewhere: &[String],
) -> Result<Swept, Error> {
    let _claim = host.claim("sweeping lorebooks").await?;
    let healed = recover::heal(host).await?;
    let mut orphans = orphans(host, 0, elsewhere).await?;
    for orphan in &mut orphans {
        orphan.goes = names.contains(&orphan.name);
    }
    trash(host, orphans, healed).await
}

async fn trash<H: Host>(
    host: &H,
    orphans: Vec<Orphan>,
    healed: Vec<Healed>,
) -> Result<Swept, Error> {
    let going: Vec<&Orphan> = orphans.iter().filter(|orphan| orphan.goes).collect();
    let changes: Vec<FileChange> = going
        .iter()
        .map(|orphan| FileChange {
            file: FileRef::Lorebook(orphan.name.clone()),
            seen: Some(orphan.stamp.clone()),
            to: To::Gone,
        })
        .collect();
    let says = if going.len() == 1 { title::SWEPT_ONE } else { title::SWEPT };
    let title = Sentence { says, with: vec![going.len().into()] };
    let done = match changes.is_empty() {
        true => None,
        false => Some(apply(host, What::Sweep, title, changes).await?),
    };
    Ok(Swept { orphans, done, healed })
}
