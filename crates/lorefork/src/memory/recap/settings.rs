//! Settings that Auto-Recap keeps by chat name. A new timeline does not inherit them.

use crate::tavern::settings::Settings;

const PER_CHAT: [(&str, &str); 4] = [
    ("chats_enabled", "whether Auto-Recap is on"),
    ("chat_profiles", "its profile"),
    ("chat_sticky_presets", "its preset"),
    ("chat_strip_patterns", "its strip patterns"),
];

/// What the settings say about `chat` alone, in words (N-7).
pub fn kept_for(settings: &Settings<'_>, chat: &str) -> Vec<&'static str> {
    let has = |key: &str| settings.extension(&["auto_recap_memory", key, chat]).is_some();
    PER_CHAT.into_iter().filter(|(key, _)| has(key)).map(|(_, words)| words).collect()
}
