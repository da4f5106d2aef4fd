//! A fingerprint of what a lorebook knows: the entries, in canonical form (what each field means, by
//! name), so that opening the book in SillyTavern's editor does not change it; without the entry in
//! which work waits, which is no knowledge.

use super::entries::is_queue;
use crate::json::{JsonError, Member, js, quote_units};
use crate::sorted;
use crate::tavern::entry;
use crate::tavern::lorebook::{Entry, Lorebook};

/// The fingerprint of a book.
pub fn fingerprint(book: &Lorebook<'_>) -> Result<String, JsonError> {
    printed(book, canonical)
}

/// Whether a book has this fingerprint, of whichever Lorefork.
pub fn is_as(book: &Lorebook<'_>, print: &str) -> bool {
    let is_it = |own: Result<String, JsonError>| own.is_ok_and(|own| own == print);
    is_it(fingerprint(book)) || is_it(printed(book, former_canonical))
}

fn printed(
    book: &Lorebook<'_>,
    canonical: fn(&Entry<'_>) -> Result<String, JsonError>,
) -> Result<String, JsonError> {
    let mut hasher = blake3::Hasher::new();
    for entry in book.entries.iter().filter(|entry| !is_queue(&entry.comment())) {
        hasher.update(canonical(entry)?.as_bytes());
        hasher.update(b"\n");
    }
    Ok(hasher.finalize().to_hex().to_string())
}

fn canonical(entry: &Entry<'_>) -> Result<String, JsonError> {
    let mut told = Vec::new();
    for (key, value) in js::in_order(&entry.members) {
        let key = quote_units(&key);
        if let Some(meaning) = entry::meaning(entry, &key[1..key.len() - 1], value)? {
            told.push(format!(",{key}:{meaning}"));
        }
    }
    sorted::sort(&mut told);
    Ok(quote_units(&entry.key) + &told.concat())
}

/// As it was up to 0.1.0: fields in their order, without those that say just what is the default.
fn former_canonical(entry: &Entry<'_>) -> Result<String, JsonError> {
    let uid = entry.get("uid");
    let is_told =
        |name: &str, value| !entry::is_default(name, value, uid) && !entry::RUNTIME.contains(&name);
    let mut out = quote_units(&entry.key);
    let mut tell = |key: &str, value| {
        out.push(',');
        out.push_str(key);
        out.push(':');
        js::push(&mut out, value)
    };
    if js::are_in_order(&entry.members) {
        for Member { key, value } in &entry.members {
            let key = key.text();
            if is_told(&key[1..key.len() - 1], *value) {
                tell(key, *value)?;
            }
        }
        return Ok(out);
    }
    for (key, value) in js::in_order(&entry.members) {
        if is_told(&String::from_utf16_lossy(&key), value) {
            tell(&quote_units(&key), value)?;
        }
    }
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn opening_the_editor_does_not_change_the_fingerprint() {
        let before = r#"{"entries":{"3":{"uid":3,"content":"x","order":100.0}}}"#;
        let after = r#"{"entries":{"3":{"uid":3,"content":"x","order":100,"role":null,"triggers":[],"displayIndex":3,"characterFilter":{"isExclude":false,"names":[],"tags":[]}},"1763632438061":{"comment":"__operation_queue","content":"{}"}}}"#;
        let other = r#"{"entries":{"3":{"uid":3,"content":"y"}}}"#;
        let print = |text| fingerprint(&Lorebook::read(text).unwrap()).unwrap();
        assert_eq!(print(before), print(after));
        assert_ne!(print(before), print(other));
    }

    #[test]
    fn what_the_editor_does_to_an_entry_that_it_shows_is_no_difference() {
        let cases = [
            (r#""position":0,"role":1"#, r#""position":0,"role":null"#),
            (r#""role":2"#, r#""role":null"#),
            (r#""displayIndex":7"#, r#""displayIndex":2"#),
            (r#""characterFilter":{"names":[]}"#, ""),
            (r#""addMemo":false"#, r#""addMemo":true"#),
            (r#""sticky":null,"delay":"3""#, r#""delay":3,"sticky":0"#),
            (r#""delayUntilRecursion":0"#, r#""delayUntilRecursion":false"#),
            (r#""useProbability":false"#, r#""probability":100,"useProbability":true"#),
            (r#""selective":false"#, r#""selective":true,"keysecondary":[]"#),
            (r#""scanDepth":"7","caseSensitive":"true""#, r#""scanDepth":7,"caseSensitive":true"#),
        ];
        for (before, after) in cases {
            assert_eq!(print_of(before), print_of(after), "{before}");
        }
        let differ = [
            (r#""position":4,"role":1"#, r#""position":4,"role":null"#),
            (r#""characterFilter":{"names":["a"]}"#, ""),
            (r#""sticky":4"#, r#""sticky":0"#),
            (r#""probability":50,"useProbability":false"#, r#""probability":50"#),
            (r#""selective":false,"keysecondary":["a"]"#, r#""keysecondary":["a"]"#),
            (r#""caseSensitive":false"#, r#""caseSensitive":null"#),
            (r#""content":"3""#, r#""content":3"#),
        ];
        for (before, after) in differ {
            assert_ne!(print_of(before), print_of(after), "{before}");
        }
    }

    fn print_of(fields: &str) -> String {
        let comma = if fields.is_empty() { "" } else { "," };
        let text = format!(r#"{{"entries":{{"3":{{"uid":3{comma}{fields}}}}}}}"#);
        fingerprint(&Lorebook::read(&text).unwrap()).unwrap()
    }

    #[test]
    fn a_fingerprint_of_an_earlier_lorefork_is_known() {
        let text = r#"{"entries":{"3":{"uid":3,"role":1,"content":"x"}}}"#;
        let book = Lorebook::read(text).unwrap();
        let former = printed(&book, former_canonical).unwrap();
        assert_ne!(former, fingerprint(&book).unwrap());
        assert!(is_as(&book, &former) && is_as(&book, &fingerprint(&book).unwrap()));
        assert!(
            !is_as(&book, "") && !is_as(&Lorebook::read(r#"{"entries":{}}"#).unwrap(), &former)
        );
    }
}
