//! The two characters, as PNG cards.

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use serde_json::{Value, json};

use super::File;
use super::paint;
use super::png::Picture;
use super::{isle, script, solo};

/// What goes onto a card.
pub(super) struct Character {
    pub(super) name: &'static str,
    description: &'static str,
    personality: &'static str,
    scenario: &'static str,
    notes: &'static str,
    /// The chat that opens with the character, and its text, whose first message is the greeting.
    chat: &'static str,
    text: &'static str,
    created: &'static str,
    picture: fn() -> Picture,
}

pub(super) const TAMSIN: Character = Character {
    name: "Tamsin",
    description: "Tamsin Wick keeps the Candlestick, the lighthouse on the Point outside Merrowby. \
                  Forty, lamp-black on her hands, a jersey with more darns than wool. She \
                  has counted every ship out and most of them back.",
    personality: "Dry, practical, stubborn, kind when nobody is looking.",
    scenario: "A storm. {{user}}, a courier, knocks at the lighthouse with a letter.",
    notes: "Sample character of Lorefork.",
    chat: solo::CHAT,
    text: solo::TEXT,
    created: "2026-03-14T19:12:44.031Z",
    picture: paint::lighthouse,
};

pub(super) const NAGI: Character = Character {
    name: "凪",
    description: "千鳥号の航海士。耳に筆をはさみ、星と潮を読んで海図を描く。祖母から受け継いだ海図には、\
                  ひとつだけ消された島がある。",
    personality: "物静かで好奇心が強い。約束は必ず守る。",
    scenario: "満月の夜、千鳥号の甲板。{{user}}は眠れずに起き出してくる。",
    notes: "Sample character of Lorefork.",
    chat: isle::CHAT,
    text: isle::TEXT,
    created: "2026-04-02T11:48:09.700Z",
    picture: paint::sail,
};

pub(super) fn files() -> Vec<File> {
    [TAMSIN, NAGI]
        .iter()
        .map(|character| (format!("characters/{}", character.file()), character.png()))
        .collect()
}

impl Character {
    /// The name of the card file, which is also how groups name the character.
    pub(super) fn file(&self) -> String {
        format!("{}.png", self.name)
    }

    /// SillyTavern reads `ccv3` and falls back to `chara`; it writes both.
    fn png(&self) -> Vec<u8> {
        let encoded = |spec, version| BASE64_STANDARD.encode(self.card(spec, version).to_string());
        (self.picture)().encode(&[
            ("chara", encoded("chara_card_v2", "2.0")),
            ("ccv3", encoded("chara_card_v3", "3.0")),
        ])
    }

    fn card(&self, spec: &str, version: &str) -> Value {
        let greeting = script::read(self.text)[0].shown();
        json!({
            "name": self.name,
            "description": self.description,
            "personality": self.personality,
            "scenario": self.scenario,
            "first_mes": greeting,
            "mes_example": "",
            "creatorcomment": self.notes,
            "avatar": "none",
            "chat": self.chat,
            "talkativeness": 0.5,
            "fav": false,
            "tags": [],
            "spec": spec,
            "spec_version": version,
            "create_date": self.created,
            "data": {
                "name": self.name,
                "description": self.description,
                "personality": self.personality,
                "scenario": self.scenario,
                "first_mes": greeting,
                "mes_example": "",
                "creator_notes": self.notes,
                "system_prompt": "",
                "post_history_instructions": "",
                "tags": [],
                "creator": "Lorefork",
                "character_version": "1",
                "alternate_greetings": [],
                "extensions": {
                    "talkativeness": 0.5,
                    "fav": false,
                    "world": "",
                    "depth_prompt": { "prompt": "", "depth": 4, "role": "system" },
                },
            },
        })
    }
}
