//! Which operation came after which. A clock can be set back, so ids are numbered: the number stands
//! at their end, where a host sees it without reading a record. Ids of old have none.

use crate::error::Error;
use crate::host::Host;
use crate::tavern::names;

/// An operation's id: a few readable characters, then all of the random ones.
pub(crate) fn new_id(random: &[u8; 16]) -> String {
    let hex: String = random.iter().map(|byte| format!("{byte:02x}")).collect();
    format!("{}-{hex}", names::short_id(random))
}

/// The same for an operation that is recorded.
pub(crate) fn numbered_id(random: &[u8; 16], number: u64) -> String {
    format!("{}-{number}", new_id(random))
}

/// The number of an id; `None` for those that were made before ids were numbered.
pub(super) fn number(id: &str) -> Option<u64> {
    id.split('-').nth(2)?.parse().ok()
}

/// A larger number than any operation has, done or begun.
pub(crate) async fn next_number<H: Host>(host: &H) -> Result<u64, Error> {
    let ids = host.operation_ids().await?;
    let last = ids.iter().filter_map(|id| number(id)).max();
    Ok(last.unwrap_or(0).saturating_add(1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_says_its_number_and_one_of_old_says_none() {
        let id = numbered_id(&[7; 16], 12);
        assert_eq!(number(&id), Some(12));
        assert!(id.starts_with(&new_id(&[7; 16])));
        assert_eq!(number(&new_id(&[7; 16])), None);
        assert_eq!((number("x"), number("a-b-c"), number("")), (None, None, None));
    }
}
