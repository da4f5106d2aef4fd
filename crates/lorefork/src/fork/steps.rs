//! Steps that making a timeline and rebinding one have in common.

use super::draft::NewLorebook;
use super::look::Look;
use crate::error::{Code, Error};
use crate::host::{Host, HostErrorKind, Written};
use crate::json::{Json, Style, js};
use crate::say;
use crate::tavern::place::lorebook_file;

/// Whether the user is still in the chat that was looked at.
pub(super) async fn still_there<H: Host>(host: &H, look: &Look<H::Chat>) -> Result<(), Error> {
    host.still_there(&look.view).await.map_err(Error::from)
}

/// Writes the new lorebook, if the one it comes from still is what was judged, and reads it back.
pub(super) async fn make_lorebook<H: Host>(
    host: &H,
    look: &Look<H::Chat>,
    book: Option<&NewLorebook>,
) -> Result<(), Error> {
    still_there(host, look).await?;
    source_is_unchanged(host, look).await?;
    let Some(book) = book else { return Ok(()) };
    match host.create_lorebook(&book.name, &book.text).await {
        Written::Done(_) => {}
        // One in a million: the id in the name is taken. Another one will do.
        Written::Refused(error) if error.kind == HostErrorKind::Exists => {
            return Err(Error::new(Code::ChangedMeanwhile, error.sentence(), say!("Try again.")));
        }
        Written::Refused(error) => return Err(error.into()),
        Written::Unknown(error) => {
            host.pause().await;
            if host.lorebook(&book.name).await.ok().flatten().is_none() {
                return Err(Error::answer_lost(&error));
            }
        }
    }
    still_there(host, look).await?;
    let back = host.lorebook(&book.name).await?;
    if back.is_some_and(|document| same_content(&document.text, &book.text)) {
        return Ok(());
    }
    Err(Error::new(
        Code::WriteFailed,
        say!("{0}: what was written cannot be read back", lorebook_file(&book.name)),
        say!("Check the disk for errors and free space, then try again."),
    ))
}

/// Whether the lorebook it comes from still is what was judged.
pub(super) async fn source_is_unchanged<H: Host>(
    host: &H,
    look: &Look<H::Chat>,
) -> Result<(), Error> {
    let Some(seen) = look.lorebook.as_ref().filter(|seen| !seen.file.is_empty()) else {
        return Ok(());
    };
    let now = host.lorebook(&seen.file).await?;
    if now.map(|document| document.stamp)
        == seen.document.as_ref().map(|document| document.stamp.clone())
    {
        return Ok(());
    }
    Err(Error::new(
        Code::ChangedMeanwhile,
        say!(
            "{0}: somebody else wrote to this lorebook while it was copied",
            lorebook_file(&seen.file),
        ),
        say!("Wait until nothing is written any more, then try again. Nothing was changed."),
    ))
}

/// Whether two JSON texts say the same to JavaScript: a server may have printed ours anew.
pub(super) fn same_content(a: &str, b: &str) -> bool {
    let print = |text: &str| {
        Json::parse(text).ok().and_then(|json| js::stringify(json, Style::Compact).ok())
    };
    a == b || print(a).is_some_and(|a| Some(a) == print(b))
}
