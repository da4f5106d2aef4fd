//! When two records of an entry say the same.
//!
//! A snapshot records only some fields, the live book all. Only what both record is compared, so
//! that a difference is a change that somebody made, and not one of bookkeeping: Auto-Recap sorts
//! the whole book again with every scene, which touches the `order` of every entry.

use crate::json::{Json, Style, js};
use crate::memory::entries::{is_registry, plain_name};
use crate::tavern::entry;

const COMPARED: [&str; 22] = [
    "comment",
    "key",
    "content",
    "position",
    "depth",
    "role",
    "constant",
    "vectorized",
    "selective",
    "selectiveLogic",
    "sticky",
    "disable",
    "addMemo",
    "excludeRecursion",
    "preventRecursion",
    "ignoreBudget",
    "probability",
    "useProbability",
    "group",
    "groupOverride",
    "groupWeight",
    "tags",
];

/// What an entry says, in a form in which equal means the same. A registry's lines are left out:
/// they follow the entries they list.
pub(crate) fn canonical(entry: Json<'_>) -> String {
    let is_registry = is_registry(&comment(entry));
    let mut out = String::new();
    let fields = js::ordered(entry);
    for field in COMPARED {
        if is_registry && field == "content" {
            continue;
        }
        let value = fields.iter().find(|(key, _)| key.iter().copied().eq(field.encode_utf16()));
        let Some((_, value)) = value.filter(|(_, value)| says_something(field, *value)) else {
            continue;
        };
        out.push_str(field);
        out.push(':');
        // Nested too deeply to be printed: then its own text has to do.
        let printed = js::stringify(*value, Style::Compact);
        out.push_str(&printed.unwrap_or_else(|_| value.text().to_owned()));
        out.push('\n');
    }
    out
}

/// Missing, null and the default are one, and so are all ways to say “none” where none is the
/// default: programs disagree about them.
fn says_something(field: &str, value: Json<'_>) -> bool {
    if value.is_null() || entry::is_default(field, value, None) || value.says("(unnamed)") {
        return false;
    }
    let is_none = !value.truthy() || value.text() == "[]";
    !is_none
        || ["selective", "useProbability", "probability", "depth", "groupWeight"].contains(&field)
}

pub(crate) fn comment(entry: Json<'_>) -> String {
    entry.get("comment").and_then(Json::str).unwrap_or_default().into_owned()
}

/// Whether one record follows another as the same entry: it has its name, or it was only renamed.
/// With its name alone, and nothing else, it is one that was made anew under a number that came free.
pub(crate) fn is_same(a: Json<'_>, b: Json<'_>) -> bool {
    let has_name = plain_name(&comment(a)) == plain_name(&comment(b));
    (has_name && !is_made_anew(a, b)) || is_renamed(a, b)
}

/// Neither a key nor a line in common. If it was rewritten after all, nothing is lost: both stay
/// where nobody knows.
fn is_made_anew(a: Json<'_>, b: Json<'_>) -> bool {
    let keys = |entry: Json<'_>| -> Vec<String> {
        let keys = entry.get("key").map(Json::items).unwrap_or_default();
        keys.iter().filter_map(|key| Some(key.str()?.to_lowercase())).collect()
    };
    let content =
        |entry: Json<'_>| entry.get("content").and_then(Json::str).unwrap_or_default().into_owned();
    let (of_a, of_b) = (keys(a), keys(b));
    let (said, says) = (content(a), content(b));
    !of_a.is_empty()
        && !of_b.is_empty()
        && !of_a.iter().any(|key| of_b.contains(key))
        && !said.lines().any(|line| says.contains(line))
}

fn is_renamed(a: Json<'_>, b: Json<'_>) -> bool {
    let same = |field: &str| {
        let print = |json: Json<'_>| {
            json.get(field).and_then(|value| js::stringify(value, Style::Compact).ok())
        };
        print(a) == print(b)
    };
    a.get("content").is_some_and(Json::truthy) && same("content") && same("key")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_somebody_changed_is_a_change() {
        let say = |text: &str| canonical(Json::parse(text).unwrap());
        let live = r#"{"uid":9,"key":["mira"],"comment":"character-Mira","content":"c","order":988,"sticky":null,"scanDepth":2,"keysecondary":["x"]}"#;
        let recorded = r#"{"comment":"character-Mira","uid":9,"world":"B","key":["mira"],"keysecondary":[],"content":"c","order":1000,"sticky":0,"tags":[],"disable":false,"strategy":"normal"}"#;
        assert_eq!(say(live), say(recorded));
        assert_ne!(say(live), say(&recorded.replace("false", "true")));
        assert_ne!(say(live), say(&recorded.replace("\"c\"", "\"d\"")));
        let registry = r#"{"comment":"_registry_item","content":"[Registry: item]"}"#;
        assert_eq!(say(registry), say(&registry.replace("item]", "item]\\n- UID=1 | name: a")));
    }

    #[test]
    fn a_renamed_entry_is_the_same_a_reused_number_is_not() {
        let same = |a: &str, b: &str| is_same(Json::parse(a).unwrap(), Json::parse(b).unwrap());
        assert!(same(r#"{"comment":"eldoria"}"#, r#"{"comment":"location-Eldoria"}"#));
        assert!(same(r#"{"comment":"a","content":"x"}"#, r#"{"comment":"b","content":"x"}"#));
        assert!(!same(r#"{"comment":"a","content":"x"}"#, r#"{"comment":"b","content":"y"}"#));
        assert!(!same(r#"{"comment":"a"}"#, r#"{"comment":"b"}"#));
        let first = r#"{"comment":"a","key":["x","y"],"content":"one\ntwo"}"#;
        for other in [
            "{\"comment\":\"a\",\"key\":[\"Y\"],\"content\":\"three\"}",
            r#"{"comment":"a","key":["z"],"content":"It was two."}"#,
            r#"{"comment":"a","key":[],"content":"three"}"#,
        ] {
            assert!(same(first, other), "{other}");
        }
        assert!(!same(first, r#"{"comment":"a","key":["z"],"content":"three"}"#));
    }
}
