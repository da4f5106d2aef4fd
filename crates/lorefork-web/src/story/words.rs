//! What people say of a timeline, and what it is called.

use lorefork::error::{Code, Error};
use lorefork::family::{Word, label as say_of};
use lorefork::json::{Json, Object};
use lorefork::operation::ahead::Ahead;
use lorefork::say;
use lorefork::sentence::Sentence;
use lorefork::tavern::names;
use wasm_bindgen::prelude::*;

use crate::answer::{self, answer};
use crate::ask;
use crate::host::WebHost;
use crate::page::Page;

/// Says something of a timeline: `{ label?, colour?, note?, canon?, archived? }`; empty, or false, takes
/// it back.
#[wasm_bindgen]
pub async fn label(page: Page, chat: String, words: String) -> String {
    let host = WebHost::new(page);
    let said = async { say_of(&Ahead::new(&host), &ask::chat(&chat)?, &read(&words)).await };
    answer(said.await.map(|said| {
        Object::new()
            .text_or_null("id", said.done.as_ref().map(|done| done.id.as_str()))
            .text_or_null("label", said.words.label.as_deref())
            .raw("healed", &answer::healed(&said.healed))
            .done()
    }))
}

fn read(text: &str) -> Vec<Word> {
    let Ok(json) = Json::parse(text) else { return Vec::new() };
    let text = |key: &str| Some(json.get(key)?.str()?.into_owned());
    let flag = |key: &str| json.get(key)?.bool();
    let words = [
        text("label").map(Word::Label),
        text("colour").map(Word::Colour),
        text("note").map(Word::Note),
        flag("canon").map(Word::Canon),
        flag("archived").map(Word::Archived),
    ];
    words.into_iter().flatten().collect()
}

/// The name that a timeline can get, beside those that are taken: `{ name }`.
#[wasm_bindgen(js_name = "newName")]
pub fn new_name(name: &str, taken: &str) -> String {
    let taken = ask::strings(taken);
    let is_taken = |new: &str| taken.iter().any(|other| names::same_name(other, new));
    let name = names::timeline::renamed(name, is_taken).map_err(|problem| {
        let code = match problem {
            names::NameError::Taken(_) => Code::NameTaken,
            _ => Code::BadName,
        };
        Error::new(code, Sentence::from(&problem), say!("Choose another name."))
    });
    answer(name.map(|name| Object::new().text("name", &name).done()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_said_changes() {
        assert_eq!(
            read(r#"{"label":"The storm","canon":false}"#),
            [Word::Label("The storm".into()), Word::Canon(false)]
        );
        assert_eq!(read("no"), []);
    }

    #[test]
    fn names_that_are_taken_or_empty_are_refused() {
        assert_eq!(new_name("The storm", r#"["Main"]"#), r#"{"name":"The storm"}"#);
        assert!(new_name("main", r#"["Main"]"#).contains("NAME_TAKEN"));
        assert!(new_name(" ", "[]").contains("error"));
    }
}
