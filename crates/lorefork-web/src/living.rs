//! After the first fork: timelines that are opened, and how ready each message is.

use lorefork::fork::opened::{self, Opened, Remark};
use lorefork::fork::readiness::{self, Span, State};
use lorefork::json::{Object, quote, sentence_json};
use lorefork::memory::names::setting_keys_of;
use lorefork::operation::ahead::Ahead;
use lorefork::tavern::chat::Header;
use lorefork::tavern::settings::Settings;
use lorefork::timeline::record::{self, Kind};
use lorefork::timeline::verify::Level;
use wasm_bindgen::prelude::*;

use crate::answer::answer;
use crate::ask;
use crate::host::WebHost;
use crate::page::Page;

/// What is to be said about a timeline that was opened. `shared` is a list of lorebooks that are
/// shared on purpose. Reads only.
#[wasm_bindgen]
pub async fn opened(page: Page, chat: String, shared: String) -> String {
    let found = async {
        let chat = ask::chat(&chat)?;
        opened::opened(&Ahead::new(&WebHost::new(page)), &chat, &ask::strings(&shared)).await
    };
    answer(found.await.map(|opened| opened_text(&opened)))
}

/// How ready the messages of a chat are for a fork, from `first` on. Reads only.
#[wasm_bindgen]
pub async fn readiness(page: Page, request: String, first: u32) -> String {
    let found = async {
        let request = ask::request(&request)?;
        readiness::readiness(&Ahead::new(&WebHost::new(page)), &request, first as usize).await
    };
    answer(found.await.map(|spans| list(spans.iter().map(span_text))))
}

/// Which of Auto-Recap's settings say something about `chat` alone (N-7).
#[wasm_bindgen(js_name = "keptSettings")]
pub fn kept_settings(settings: &str, chat: &str) -> String {
    let keys = Settings::read(settings).map(|settings| setting_keys_of(&settings, chat));
    list(keys.unwrap_or_default().into_iter().map(quote))
}

/// What a chat with this metadata says of itself.
#[wasm_bindgen]
pub fn told(metadata: &str, chat: &str) -> String {
    let header = format!("{{\"chat_metadata\":{metadata}}}");
    Header::read(&header).map_or("null".to_owned(), |header| record::told(&header, chat))
}

fn list(items: impl Iterator<Item = String>) -> String {
    format!("[{}]", items.collect::<Vec<_>>().join(","))
}

fn opened_text(opened: &Opened) -> String {
    let text = |text: &Option<String>| text.as_deref().map_or("null".to_owned(), quote);
    let number = |number: Option<i64>| number.map_or("null".to_owned(), |n| n.to_string());
    let index = |index: Option<usize>| index.map_or("null".to_owned(), |n| n.to_string());
    let kind = match opened.kind {
        None => "null",
        Some(Kind::Main) => "\"main\"",
        Some(Kind::Checkpoint) => "\"checkpoint\"",
        Some(Kind::Branch) => "\"branch\"",
    };
    let fields = [
        ("kind", kind.to_owned()),
        ("chat", quote(&opened.chat)),
        ("parent", text(&opened.parent)),
        ("at", index(opened.at)),
        ("lorebook", text(&opened.lorebook)),
        ("entries", index(opened.entries)),
        ("undecided", opened.undecided.to_string()),
        ("scene", text(&opened.scene)),
        ("version", number(opened.version)),
        ("scenes", number(opened.scenes)),
        ("made", number(opened.made)),
        ("remarks", list(opened.remarks.iter().map(remark_text))),
        ("sharedWith", list(opened.shared_with.iter().map(|name| quote(name)))),
    ];
    let fields: Vec<String> =
        fields.into_iter().map(|(key, value)| format!("\"{key}\":{value}")).collect();
    format!("{{{}}}", fields.join(","))
}

fn remark_text(remark: &Remark) -> String {
    let level = match remark.level {
        Level::Info => "info",
        Level::Warning => "warning",
        Level::Error => "error",
    };
    Object::new().text("level", level).sentence("message", &remark.message).done()
}

fn span_text(span: &Span) -> String {
    let state = match span.state {
        State::Ready => "ready",
        State::Warned => "warned",
        State::Blocked => "blocked",
    };
    let why = span.why.as_ref().map_or_else(|| "null".to_owned(), sentence_json);
    Object::new()
        .count("from", span.from)
        .count("to", span.to)
        .text("state", state)
        .raw("why", &why)
        .done()
}
