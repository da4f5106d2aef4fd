//! Forking: making checkpoints and branches, catching those of others, healing.

use lorefork::fork;
use lorefork::host::Host as _;
use lorefork::json::{Json, quote};
use lorefork::operation::ahead::Ahead;
use lorefork::operation::recover;
use lorefork::tavern::names;
use wasm_bindgen::prelude::*;

use crate::answer::{self, answer};
use crate::ask;
use crate::host::WebHost;
use crate::intercept::{Open, Sent};
use crate::page::Page;

/// Which Lorefork this is.
#[wasm_bindgen]
pub fn version() -> String {
    env!("CARGO_PKG_VERSION").to_owned()
}

/// The name of a chat's file, without extension, for the name SillyTavern knows it by.
#[wasm_bindgen(js_name = "chatFile")]
pub fn chat_file(name: &str) -> String {
    names::chat_name(name).unwrap_or_default()
}

/// Makes a checkpoint or branch.
#[wasm_bindgen]
pub async fn create(page: Page, request: String) -> String {
    let created = async {
        let request = ask::request(&request)?;
        fork::create(&Ahead::new(&WebHost::new(page)), &request).await
    };
    answer(created.await.map(|created| answer::created(&created)))
}

/// May it be forked here? Reads only.
#[wasm_bindgen]
pub async fn assess(page: Page, request: String) -> String {
    let assessed = async {
        let request = ask::request(&request)?;
        fork::assess(&Ahead::new(&WebHost::new(page)), &request).await
    };
    match assessed.await {
        Ok(report) => answer::report_text(&report),
        Err(error) => answer(Err(error)),
    }
}

/// The name a new timeline would get, or why it cannot be made.
#[wasm_bindgen]
pub async fn suggest(page: Page, request: String) -> String {
    let suggested = async {
        let request = ask::request(&request)?;
        fork::suggest(&Ahead::new(&WebHost::new(page)), &request).await
    };
    answer(suggested.await.map(|name| quote(&name)))
}

/// Gives a timeline that shares its lorebook its own.
#[wasm_bindgen]
pub async fn isolate(page: Page, chat: String, lore: Option<String>) -> String {
    let isolated = async {
        fork::isolate(
            &Ahead::new(&WebHost::new(page)),
            &ask::chat(&chat)?,
            ask::lore(lore.as_deref()),
        )
        .await
    };
    answer(isolated.await.map(answer::isolated))
}

/// What a timeline is. Reads only.
#[wasm_bindgen]
pub async fn status(page: Page, chat: String) -> String {
    let status = async {
        lorefork::timeline::status::status(&Ahead::new(&WebHost::new(page)), &ask::chat(&chat)?)
            .await
    };
    answer(status.await.map(|status| status.json()))
}

/// Whether a timeline still is what its record says. Reads only.
#[wasm_bindgen]
pub async fn verify(page: Page, chat: String) -> String {
    let verified = async {
        lorefork::timeline::verify::verify(&Ahead::new(&WebHost::new(page)), &ask::chat(&chat)?)
            .await
    };
    answer(verified.await.map(|verified| verified.json()))
}

/// Finishes or takes back what was interrupted.
#[wasm_bindgen]
pub async fn recover(page: Page) -> String {
    let tab = WebHost::new(page);
    let host = Ahead::new(&tab);
    let healed = async {
        let _claim = host.claim("healing what was interrupted").await?;
        recover::heal(&host).await
    };
    match healed.await {
        Ok(list) => format!("{{\"healed\":{}}}", answer::healed(&list)),
        Err(error) => answer(Err(error)),
    }
}

/// Makes the new timeline that a save request is about to make one of ours, and sends the request,
/// by `page.send`. `open` is `{ chat, id, slug }` of the open chat. Answers as `create` does; null,
/// without sending, if the request makes none that would share.
#[wasm_bindgen]
pub async fn intercept(
    page: Page,
    open: String,
    body: String,
    lore: Option<String>,
) -> Option<String> {
    let json = Json::parse(&open).ok()?;
    let chat = ask::chat(json.get("chat")?.text()).ok()?;
    let id = json.get("id")?.str()?;
    let slug = json.some("slug").and_then(Json::str);
    let open = Open { chat: &chat, id: &id, slug: slug.as_deref() };
    let fresh = WebHost::fresh(&page);
    let sent = Sent::read(&body, &open, fresh)?;
    let new = sent.chat().clone();
    let tab = WebHost::with_request(page, sent);
    let host = Ahead::new(&tab);
    let adopted = fork::adopt(&host, &new, ask::lore(lore.as_deref())).await.transpose()?;
    Some(answer(adopted.map(|created| answer::created(&created))))
}
