//! Emptying the trash: only on request, and for good.

use super::log;
use super::recover;
use crate::error::Error;
use crate::host::{Host, Trashed};

const DAY: u64 = 24 * 60 * 60 * 1000;

/// What is in the trash of operations that are at least `days` old. Reads only.
pub async fn older_than<H: Host>(host: &H, days: u64) -> Result<Vec<Trashed>, Error> {
    let log = log::read(host).await?;
    let now = host.now().ms;
    let trashed = host.trashed().await?;
    // Of what the log does not know nobody can tell the age.
    let is_old = |id: &str| match log.find(id) {
        Some(operation) => now.saturating_sub(operation.time) / DAY >= days,
        None => days == 0,
    };
    Ok(trashed.into_iter().filter(|file| is_old(&file.id)).collect())
}

/// Empties it. What was in there can no longer be brought back.
pub async fn empty<H: Host>(host: &H, days: u64) -> Result<Vec<Trashed>, Error> {
    let _claim = host.claim("emptying the trash").await?;
    // An interrupted operation needs what is in there.
    recover::heal(host).await?;
    let needed = host.unfinished().await?;
    let mut going = older_than(host, days).await?;
    going.retain(|file| !needed.iter().any(|intent| intent.contains(&file.id)));
    let mut ids: Vec<&str> = going.iter().map(|file| file.id.as_str()).collect();
    ids.dedup();
    for id in ids {
        host.burn(id).await?;
    }
    Ok(going)
}
