//! Character cards: what the JSON in one says about the character's chats and lorebook. Where it stands
//! in a picture, the host knows.

use crate::json::{Json, JsonError};

/// What we need of a card.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Card {
    /// As the user sees it; its folder may be called otherwise.
    pub name: String,
    /// The chat that opens with the character, without extension. Half an emoji
    /// in it reads as U+FFFD, which is how its file is called.
    pub chat: Option<String>,
    /// The lorebook that acts whenever this character does.
    pub lorebook: Option<String>,
}

impl Card {
    /// Reads the JSON of a card, as SillyTavern understands it.
    pub fn from_json(json: &str) -> Result<Self, JsonError> {
        let card = Json::parse(json)?;
        if !card.is_object() {
            return Err(JsonError::NotAnObject("card".to_owned()));
        }
        // A card of the first version has no `spec`. SillyTavern converts it,
        // and such a card links no lorebook.
        let data = card.get("spec").and_then(|_| card.get("data"));
        let text = |json: Option<Json<'_>>| json?.str().map(String::from);
        let name = text(data.and_then(|data| data.get("name"))).or_else(|| text(card.get("name")));
        let lorebook = text(data.and_then(|data| data.at(&["extensions", "world"])));
        Ok(Self {
            name: name.unwrap_or_default(),
            chat: text(card.get("chat")).filter(|chat| !chat.is_empty()),
            lorebook: lorebook.filter(|lorebook| !lorebook.is_empty()),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_card_of_the_first_version_links_no_lorebook() {
        let card = Card::from_json(
            r#"{"name":"Mia","chat":"c","data":{"name":"x","extensions":{"world":"w"}}}"#,
        )
        .unwrap();
        assert_eq!(card, Card { name: "Mia".into(), chat: Some("c".into()), lorebook: None });
    }

    #[test]
    fn missing_empty_and_odd_fields_are_absent() {
        for json in [
            r#"{"spec":"chara_card_v2"}"#,
            r#"{"spec":"","name":null,"chat":null,"data":null}"#,
            r#"{"spec":"a","name":[],"chat":"","data":{"extensions":{"world":""}}}"#,
            r#"{"spec":"a","chat":5,"data":{"extensions":[]}}"#,
        ] {
            assert_eq!(
                Card::from_json(json).unwrap(),
                Card { name: String::new(), chat: None, lorebook: None },
                "{json}"
            );
        }
    }

    #[test]
    fn the_last_of_doubled_keys_counts_and_escapes_are_read() {
        let card = Card::from_json(r#"{"spec":"a","name":"1","n\u0061me":"2","data":{}}"#).unwrap();
        assert_eq!(card.name, "2");
    }

    #[test]
    fn half_an_emoji_anywhere_is_no_reason_to_fail() {
        let card = Card::from_json(r#"{"spec":"a","\ud83d":1,"description":"\ude00","chat":"a\ud83db 😀 \ud83d\ude00","data":{"name":"\ud83d"}}"#).unwrap();
        assert_eq!(card.chat.as_deref(), Some("a\u{fffd}b 😀 😀"));
        assert_eq!(card.name, "\u{fffd}");
    }
}
