//! Pieces of text as they stand between quotes in JSON, escapes included.

/// What people and models write. Some of it is there to trip a search for keys.
pub(super) const TEXTS: &[&str] = &[
    "The lamp went out.",
    "",
    "灯が消えた。 파도 소리.",
    "half an emoji \\ud83d and a whole one 😀",
    "\\u00e9 \\/ \\u2028 \\t",
    "\\\"auto_recap_memory\\\": {\\\"scene_break\\\":true}",
    "She said: \\\"Not tonight.\\\"\\n\\n*The rain goes on.*",
    "{{user}} opens Lore, 1.0 of it.",
    "Ω̃ مرحبا 👩‍🚀",
];

/// Numbers as no printer of ours would write them.
pub(super) const NUMBERS: &[&str] =
    &["0", "1.0", "1e5", "-0", "1.10", "12345678901234567890", "1E+2"];

pub(super) fn text(index: usize) -> &'static str {
    TEXTS[index % TEXTS.len()]
}

pub(super) fn number(index: usize) -> &'static str {
    NUMBERS[index % NUMBERS.len()]
}
