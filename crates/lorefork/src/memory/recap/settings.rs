//! Settings that Auto-Recap keeps by chat name. In the page they are copied to a new timeline; on
//! disk it does not inherit them, because an open tab would write its old settings back.

use crate::say;
use crate::sentence::Sentence;
use crate::tavern::settings::Settings;

const PER_CHAT: [(&str, Sentence); 4] = [
    ("chats_enabled", say!("whether Auto-Recap is on")),
    ("chat_profiles", say!("its profile")),
    ("chat_sticky_presets", say!("its preset")),
    ("chat_strip_patterns", say!("its strip patterns")),
];

/// What the settings say about `chat` alone: the key, and what that is, in words (N-7).
pub(super) fn kept_for(settings: &Settings<'_>, chat: &str) -> Vec<(&'static str, Sentence)> {
    let has = |key: &str| settings.extension(&["auto_recap_memory", key, chat]).is_some();
    PER_CHAT.into_iter().filter(|(key, _)| has(key)).collect()
}
