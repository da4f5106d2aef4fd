//! `settings.json`: as much as SillyTavern needs to open the folder without questions.

use serde_json::{Value, json};

use super::File;
use super::chat::USER;
use super::lore;

pub(super) fn file() -> File {
    ("settings.json".to_owned(), lore::pretty(&settings()))
}

/// Where a text prompt puts what. Without a place for lorebook entries SillyTavern warns at every
/// chat.
fn story_string() -> String {
    let fields = [
        "anchorBefore",
        "system",
        "wiBefore",
        "description",
        "personality",
        "scenario",
        "wiAfter",
        "persona",
        "anchorAfter",
    ];
    fields.map(|field| ["{{#if ", field, "}}{{", field, "}}\n{{/if}}"].concat()).concat()
}

fn settings() -> Value {
    json!({
        "firstRun": false,
        "currentVersion": "1.19.0",
        "username": USER,
        "user_avatar": "user-default.png",
        "amount_gen": 350,
        "max_context": 8192,
        "main_api": "openai",
        "world_info_settings": {
            "world_info": { "globalSelect": [], "charLore": [] },
            "world_info_depth": 2,
            "world_info_min_activations": 0,
            "world_info_min_activations_depth_max": 0,
            "world_info_budget": 25,
            "world_info_include_names": true,
            "world_info_recursive": true,
            "world_info_overflow_alert": false,
            "world_info_case_sensitive": false,
            "world_info_match_whole_words": true,
            "world_info_character_strategy": 1,
            "world_info_budget_cap": 0,
            "world_info_use_group_scoring": false,
            "world_info_max_recursion_steps": 0,
        },
        "swipes": true,
        "power_user": {
            "personas": { "user-default.png": USER },
            "default_persona": "user-default.png",
            "persona_descriptions": {},
            "context": { "preset": "Default", "story_string": story_string() },
        },
        "extension_settings": {
            "disabledExtensions": [],
            "autoLorebooks": {
                "nameTemplate": "z-AutoLB-{{char}}-{{chat}}",
                "deleteOnChatDelete": true,
                "autoReorderAlphabetically": true,
                "entity_types": entity_types(),
            },
        },
        "tags": [],
        "tag_map": {},
    })
}

/// The types Auto-Recap sorts entities into, with what it is told about each.
fn entity_types() -> Vec<Value> {
    const USAGE: [&str; 9] = [
        "Not for entities: what happened, what is open, what is true just now.",
        "People with names: who they are, how they stand to each other.",
        "Places: what they are and what happened there.",
        "Objects that matter: what they do and who has them.",
        "Groups and companies: what they want.",
        "How the world works.",
        "What happened before and is still spoken of.",
        "Texts, word for word, with writer and reader.",
        "What the players agreed on.",
    ];
    let kind = |(kind, usage): (&&str, &str)| match *kind {
        "recap" => {
            json!({ "name": kind, "constant": null, "usage": usage, "isGuidanceOnly": true })
        }
        _ => json!({ "name": kind, "constant": *kind == "rule", "usage": usage }),
    };
    lore::KINDS.iter().zip(USAGE).map(kind).collect()
}
