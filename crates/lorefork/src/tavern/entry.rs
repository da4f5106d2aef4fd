//! The fields of a lorebook entry that SillyTavern knows, with what it assumes when one is missing.

use super::lorebook::Entry;
use crate::json::{Json, JsonError, Kind, Style, js};

/// Fields and defaults in the order SillyTavern creates them, behind `uid`.
pub const TEMPLATE: [(&str, &str); 41] = [
    ("key", "[]"),
    ("keysecondary", "[]"),
    ("comment", "\"\""),
    ("content", "\"\""),
    ("constant", "false"),
    ("vectorized", "false"),
    ("selective", "true"),
    ("selectiveLogic", "0"),
    ("addMemo", "false"),
    ("order", "100"),
    ("position", "0"),
    ("disable", "false"),
    ("ignoreBudget", "false"),
    ("excludeRecursion", "false"),
    ("preventRecursion", "false"),
    ("matchPersonaDescription", "false"),
    ("matchCharacterDescription", "false"),
    ("matchCharacterPersonality", "false"),
    ("matchCharacterDepthPrompt", "false"),
    ("matchScenario", "false"),
    ("matchCreatorNotes", "false"),
    ("delayUntilRecursion", "0"),
    ("probability", "100"),
    ("useProbability", "true"),
    ("depth", "4"),
    ("outletName", "\"\""),
    ("group", "\"\""),
    ("groupOverride", "false"),
    ("groupWeight", "100"),
    ("scanDepth", "null"),
    ("caseSensitive", "null"),
    ("matchWholeWords", "null"),
    ("useGroupScoring", "null"),
    ("automationId", "\"\""),
    ("role", "0"),
    ("sticky", "null"),
    ("cooldown", "null"),
    ("delay", "null"),
    ("triggers", "[]"),
    // Not in the template, but the editor adds them to every entry it shows.
    ("characterFilter", r#"{"isExclude":false,"names":[],"tags":[]}"#),
    ("displayIndex", ""),
];

/// Fields that exist only while SillyTavern runs and must never be written.
pub(crate) const RUNTIME: [&str; 3] = ["world", "hash", "decorators"];

/// The fields a new entry gets: the template without what only the editor adds.
pub(crate) fn new_entry_fields() -> impl Iterator<Item = (&'static str, &'static str)> {
    TEMPLATE.into_iter().filter(|(field, _)| !["characterFilter", "displayIndex"].contains(field))
}

/// Whether a field says no more than its absence would. `uid` is the entry's own, for the display
/// index; a role of null is what the editor writes for entries that have none.
pub(crate) fn is_default(field: &str, value: Json<'_>, uid: Option<Json<'_>>) -> bool {
    let printed = |json| js::stringify(json, Style::Compact).ok();
    match field {
        "displayIndex" => uid.is_some_and(|uid| printed(uid) == printed(value)),
        "role" if value.is_null() => true,
        _ => TEMPLATE.iter().find(|(name, _)| *name == field).is_some_and(|(_, default)| {
            // Only these can be spelled in more than one way and be so short.
            let varies = matches!(value.kind(), Kind::Number | Kind::Array | Kind::Object);
            value.text() == *default || varies && printed(value).as_deref() == Some(*default)
        }),
    }
}

/// Fields that are numbers, whatever wrote them as text: the editor makes numbers of them.
const NUMBERS: [&str; 10] = [
    "order",
    "depth",
    "probability",
    "groupWeight",
    "scanDepth",
    "sticky",
    "cooldown",
    "delay",
    "delayUntilRecursion",
    "role",
];
/// Yes, no, or as in general.
const CHOICES: [&str; 3] = ["caseSensitive", "matchWholeWords", "useGroupScoring"];
const AT_DEPTH: i64 = 4;

/// What a field means, printed; `None` if it means no more than its absence. What SillyTavern's editor
/// does to an entry that it only shows has no meaning: it says how the entry is displayed, forgets the
/// role of one that is not placed at a depth, writes 0 for no time, and switches on what nothing hangs
/// on.
pub(crate) fn meaning(
    entry: &Entry<'_>,
    field: &str,
    value: Json<'_>,
) -> Result<Option<String>, JsonError> {
    let text = value.str().filter(|_| NUMBERS.contains(&field));
    let number = text.as_deref().and_then(|text| Json::parse(text).ok());
    let value = number.filter(|number| number.kind() == Kind::Number).unwrap_or(value);
    let is_nothing = match field {
        "addMemo" | "displayIndex" => true,
        "role" => {
            !value.truthy() || entry.get("position").and_then(Json::integer) != Some(AT_DEPTH)
        }
        "sticky" | "cooldown" | "delay" | "delayUntilRecursion" => !value.truthy(),
        "useProbability" => {
            entry.some("probability").is_none_or(|percent| percent.number() == Some(100.0))
        }
        "selective" => entry.get("keysecondary").map(Json::items).unwrap_or_default().is_empty(),
        "characterFilter" => is_empty_filter(value),
        _ => RUNTIME.contains(&field) || is_default(field, value, None),
    };
    if is_nothing {
        return Ok(None);
    }
    if CHOICES.contains(&field) {
        return Ok(Some(value.truthy().to_string()));
    }
    js::stringify(value, Style::Compact).map(Some)
}

fn is_empty_filter(filter: Json<'_>) -> bool {
    let is_empty = |list: &str| filter.get(list).map(Json::items).unwrap_or_default().is_empty();
    let excludes = filter.get("isExclude").is_some_and(Json::truthy);
    !excludes && is_empty("names") && is_empty("tags")
}

/// A uid as text, whether it was written as number or as text.
pub fn uid_text(uid: Json<'_>) -> String {
    uid.str().map_or_else(|| js::number(uid), |text| text.into_owned())
}
