//! Who names a lorebook. One rule, for everybody who asks.

use crate::host::{HeaderOf, Host, HostError};
use crate::tavern::chat::Header;
use crate::tavern::names::same_lorebook;

/// Whether a header names a lorebook: however it is spelled there, if it means the same file. One
/// that cannot be read names it if the name stands in it: better once too often.
pub(crate) fn names(header: &str, lorebook: &str) -> bool {
    match Header::read(header) {
        Ok(header) => header.lorebook().is_some_and(|name| same_lorebook(&name, lorebook)),
        Err(_) => header.contains(lorebook),
    }
}

/// All timelines that name a lorebook.
pub(crate) async fn who_names<H: Host>(
    host: &H,
    lorebook: &str,
) -> Result<Vec<HeaderOf>, HostError> {
    host.headers(&|other| names(&other.header, lorebook)).await
}
