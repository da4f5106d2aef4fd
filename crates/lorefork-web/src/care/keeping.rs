//! Keeping house: names that changed, chats that are gone, lorebooks that are missing or lost their
//! timeline.

use lorefork::audit::fix::missing::{self, Lost};
use lorefork::error::{Code, Error};
use lorefork::fork::bindings;
use lorefork::housekeeping::{self, DeletedChat, Followed, Happened};
use lorefork::json::{Json, Object, array, array_of_texts};
use lorefork::operation::ahead::Ahead;
use lorefork::removal::sweep::{self, Orphan};
use lorefork::say;
use lorefork::tavern::place::ChatRef;
use wasm_bindgen::prelude::*;

use super::fix::choice;
use crate::answer::{self, answer};
use crate::ask;
use crate::host::WebHost;
use crate::page::Page;

/// Keeps a copy of a lorebook that somebody is about to delete.
#[wasm_bindgen(js_name = "keepCopy")]
pub async fn keep_copy(page: Page, name: String, text: String) -> String {
    let kept = housekeeping::keep_copy(&Ahead::new(&WebHost::new(page)), &name, &text).await;
    answer(kept.map(|id| Object::new().text_or_null("id", id.as_deref()).done()))
}

/// Lets everything follow what the page saw: `{ what, chat?, from?, to?, chats?, name?, text?, made?,
/// withChat?, copy? }`.
#[wasm_bindgen]
pub async fn follow(page: Page, happened: String) -> String {
    let followed = async {
        let happened = read(&happened).ok_or_else(unreadable)?;
        housekeeping::follow(&Ahead::new(&WebHost::new(page)), &happened).await
    };
    answer(followed.await.map(|followed| followed_text(&followed)))
}

fn unreadable() -> Error {
    Error::new(Code::ChatNotFound, say!("Nobody knows what happened."), say!("Reload the page."))
}

fn read(text: &str) -> Option<Happened> {
    let json = Json::parse(text).ok()?;
    let word = |key: &str| Some(json.get(key)?.str()?.into_owned());
    let chat = || ask::chat(json.get("chat")?.text()).ok();
    Some(match word("what")?.as_str() {
        "renamedItself" => Happened::RenamedItself { chat: chat()?, from: word("from")? },
        "chatRenamed" => Happened::ChatRenamed { chat: chat()?, from: word("from")? },
        "chatsDeleted" => {
            let one = |item: Json<'_>| {
                let chat = ChatRef::read(item.get("chat")?)?;
                let header = item.get("header")?.str()?.into_owned();
                let messages = item.get("messages").map(Json::items).unwrap_or_default();
                let messages = messages.into_iter().filter_map(Json::str).map(String::from);
                Some(DeletedChat { chat, header, messages: messages.collect() })
            };
            let chats = json.get("chats")?.items();
            Happened::ChatsDeleted { chats: chats.into_iter().filter_map(one).collect() }
        }
        "lorebookGone" => {
            let made = json.get("made")?.items().into_iter();
            let made = made.filter_map(Json::str).map(String::from).collect();
            Happened::LorebookGone {
                name: word("name")?,
                text: word("text")?,
                made,
                with_chat: json.get("withChat").is_some_and(Json::truthy),
                copy: word("copy"),
            }
        }
        _ => return None,
    })
}

fn followed_text(followed: &Followed) -> String {
    let chats: Vec<String> = followed.chats.iter().map(|chat| chat.name.clone()).collect();
    Object::new()
        .text_or_null("id", followed.done.as_ref().map(|done| done.id.as_str()))
        .raw("chats", &array_of_texts(&chats))
        .raw("orphans", &array_of_texts(&followed.orphans))
        .text_or_null("lorebook", followed.lorebook.as_deref())
        .count("naming", followed.naming.len())
        .flag("isBack", followed.is_back)
        .text_or_null("copy", followed.copy.as_deref())
        .raw("healed", &answer::healed(&followed.healed))
        .done()
}

/// Gives a new timeline its own copies of the lorebooks that MemoryBooks binds to it. `shared` is a
/// list of lorebooks that are shared on purpose.
#[wasm_bindgen(js_name = "copyBound")]
pub async fn copy_bound(page: Page, chat: String, shared: String) -> String {
    let copied = async {
        bindings::copy_bound(
            &Ahead::new(&WebHost::new(page)),
            &ask::chat(&chat)?,
            &ask::strings(&shared),
        )
        .await
    };
    answer(copied.await.map(|bound| {
        let books = bound.as_ref().map(|bound| bound.books.as_slice()).unwrap_or_default();
        let names: Vec<String> = books.iter().map(|(_, copy)| copy.clone()).collect();
        Object::new().raw("books", &array_of_texts(&names)).done()
    }))
}

/// The lorebook that a timeline names and that is not there, with what could take its place; null
/// if it is there. Reads only.
#[wasm_bindgen(js_name = "lostLorebook")]
pub async fn lost_lorebook(page: Page, chat: String) -> String {
    let lost = async { missing::lost(&Ahead::new(&WebHost::new(page)), &ask::chat(&chat)?).await };
    answer(lost.await.map(|lost| lost.as_ref().map_or("null".to_owned(), lost_text)))
}

fn lost_text(lost: &Lost) -> String {
    Object::new()
        .text("lorebook", &lost.lorebook)
        .count_or_null("snapshot", lost.snapshot)
        .text_or_null("parent", lost.parent.as_ref().map(|(chat, _)| chat.as_str()))
        .text_or_null("parentLorebook", lost.parent.as_ref().map(|(_, book)| book.as_str()))
        .done()
}

/// Puts something in its place: `rebuild`, `parent`, `empty` or `detach`.
#[wasm_bindgen(js_name = "replaceLost")]
pub async fn replace_lost(page: Page, chat: String, instead: String, shared: String) -> String {
    let replaced = async {
        let (tab, instead) = (WebHost::new(page), choice(Some(&instead)));
        let host = Ahead::new(&tab);
        missing::replace(&host, &ask::chat(&chat)?, instead, &ask::strings(&shared)).await
    };
    answer(replaced.await.map(|done| {
        Object::new().text_or_null("id", done.as_ref().map(|done| done.id.as_str())).done()
    }))
}

/// Lorebooks of ours that nothing names. The page must see all chats of all characters. Reads only.
#[wasm_bindgen]
pub async fn orphans(page: Page) -> String {
    let found = sweep::orphans(&Ahead::new(&WebHost::new(page)), 0, &[]).await;
    answer(found.map(|found| orphans_text(&found)))
}

/// Moves some of them to the trash.
#[wasm_bindgen(js_name = "sweepOrphans")]
pub async fn sweep_orphans(page: Page, names: String) -> String {
    let swept =
        sweep::sweep_chosen(&Ahead::new(&WebHost::new(page)), &ask::strings(&names), &[]).await;
    answer(swept.map(|swept| {
        let going: Vec<String> = swept
            .orphans
            .iter()
            .filter(|orphan| orphan.goes)
            .map(|orphan| orphan.name.clone())
            .collect();
        Object::new()
            .text_or_null("id", swept.done.as_ref().map(|done| done.id.as_str()))
            .raw("names", &array_of_texts(&going))
            .raw("healed", &answer::healed(&swept.healed))
            .done()
    }))
}

fn orphans_text(orphans: &[Orphan]) -> String {
    let one = |orphan: &Orphan| {
        let time = orphan.time.map_or("null".to_owned(), |time| time.to_string());
        Object::new()
            .text("name", &orphan.name)
            .raw("bytes", &orphan.bytes.to_string())
            .raw("time", &time)
            .text("timeline", &orphan.timeline)
            .text("from", &orphan.from)
            .number_or_null("at", orphan.at)
            .done()
    };
    array(&orphans.iter().map(one).collect::<Vec<_>>())
}
