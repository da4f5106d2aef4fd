//! Entries in the order of their names, as Auto-Recap arranges them after each scene.

use crate::json::{JsonError, Splices, set};
use crate::sorted;
use crate::tavern::lorebook::Lorebook;
use crate::tavern::names::fold;

/// Signs in the order in which browsers compare them; digits and letters come after all of them.
const SIGNS: &str = "_-,;:!?.'\"()[]{}@*/\\&#%`^+<=>|~$";
/// The order of the first entry; each further one has one less.
const FIRST: i64 = 1000;

/// The lorebook with its entries ordered by name (R-039). Numbers and all else stay.
pub(super) fn by_name(text: &str) -> Result<String, JsonError> {
    let Ok(book) = Lorebook::read(text) else { return Ok(text.to_owned()) };
    let mut entries: Vec<_> =
        book.entries.iter().map(|entry| (key(&entry.comment()), entry)).collect();
    // Those of one name stay as they are.
    sorted::by(&mut entries, |a, b| a.0.cmp(&b.0));
    let mut splices = Splices::new(text);
    for (order, (_, entry)) in (0..=FIRST).rev().chain(std::iter::repeat(0)).zip(&entries) {
        match entry.get("order") {
            Some(old) if old.integer() == Some(order) => {}
            Some(old) => splices.replace(old, order.to_string()),
            None => {
                splices
                    .replace(entry.json, set(entry.json.text(), &["order"], &order.to_string())?);
            }
        }
    }
    Ok(splices.apply())
}

/// Signs before digits before letters.
fn key(comment: &str) -> Vec<(u8, u32)> {
    let place = |c: char| match SIGNS.find(c) {
        _ if c.is_whitespace() => (0, 0),
        Some(at) => (1, u32::try_from(at).unwrap_or(u32::MAX)),
        None if c.is_ascii_digit() => (2, u32::from(c)),
        None => (3, u32::from(c)),
    };
    fold(comment).chars().map(place).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn r039_entries_are_ordered_by_name_and_nothing_else_changes() {
        let text = r#"{"entries":{
"0":{"uid":0,"comment":"location-Pier","order":7,"x":1.0},
"1":{"uid":1,"comment":"_registry_item","order":100},
"2":{"uid":2,"comment":"__operation_queue","order":9999},
"3":{"uid":3,"comment":"Ägir"},
"4":{"uid":4,"comment":"(unnamed)","order":998}},"name":"L"}"#;
        let ordered = by_name(text).unwrap();
        assert_eq!(
            ordered,
            r#"{"entries":{
"0":{"uid":0,"comment":"location-Pier","order":996,"x":1.0},
"1":{"uid":1,"comment":"_registry_item","order":999},
"2":{"uid":2,"comment":"__operation_queue","order":1000},
"3":{"uid":3,"comment":"Ägir","order":997},
"4":{"uid":4,"comment":"(unnamed)","order":998}},"name":"L"}"#
        );
        assert_eq!(by_name(&ordered).unwrap(), ordered);
        assert_eq!(by_name("not a book").unwrap(), "not a book");
    }
}
