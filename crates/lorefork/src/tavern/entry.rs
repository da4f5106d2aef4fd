//! The fields of a lorebook entry that SillyTavern knows, with what it assumes when one is missing.

use crate::json::{Json, Kind, Style, js};

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
pub const RUNTIME: [&str; 3] = ["world", "hash", "decorators"];

/// The fields a new entry gets: the template without what only the editor adds.
pub fn new_entry_fields() -> impl Iterator<Item = (&'static str, &'static str)> {
    TEMPLATE.into_iter().filter(|(field, _)| !["characterFilter", "displayIndex"].contains(field))
}

/// Whether a field says no more than its absence would. `uid` is the entry's own, for the display
/// index; a role of null is what the editor writes for entries that have none.
pub fn is_default(field: &str, value: Json<'_>, uid: Option<Json<'_>>) -> bool {
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
