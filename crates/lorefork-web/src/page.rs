//! What `extension/src/host.js` offers: a few verbs over SillyTavern's page and server.
//!
//! Content crosses as JSON text, which has only whole characters; a lone surrogate stands in it as
//! an escape. Methods that may fail throw a [`Thrown`].

use lorefork::host::{HostError, HostErrorKind, Stamp, Written};
use wasm_bindgen::prelude::*;

#[wasm_bindgen]
extern "C" {
    /// The page.
    pub type Page;

    /// Resolves to a [`Claim`].
    #[wasm_bindgen(method, catch)]
    pub(crate) async fn claim(this: &Page, what: &str) -> Result<JsValue, JsValue>;
    #[wasm_bindgen(method, catch)]
    pub(crate) async fn settle(this: &Page, chat: &str) -> Result<JsValue, JsValue>;
    #[wasm_bindgen(method, catch, js_name = "stillThere")]
    pub(crate) fn still_there(this: &Page, frozen: &Frozen) -> Result<(), JsValue>;
    #[wasm_bindgen(method, catch)]
    pub(crate) async fn pause(this: &Page) -> Result<JsValue, JsValue>;
    #[wasm_bindgen(method, catch)]
    pub(crate) async fn breathe(this: &Page) -> Result<JsValue, JsValue>;

    /// Resolves to a [`Frozen`].
    #[wasm_bindgen(method, catch)]
    pub(crate) async fn open(this: &Page, chat: &str) -> Result<JsValue, JsValue>;
    /// Resolves to the [`Lines`] of the chat's file.
    #[wasm_bindgen(method, catch, js_name = "rawChat")]
    pub(crate) async fn raw_chat(this: &Page, chat: &str) -> Result<JsValue, JsValue>;
    #[wasm_bindgen(method, catch, js_name = "chatNames")]
    pub(crate) async fn chat_names(this: &Page, owner: &str) -> Result<JsValue, JsValue>;
    /// Resolves to the text, or null.
    #[wasm_bindgen(method, catch)]
    pub(crate) async fn lorebook(this: &Page, name: &str) -> Result<JsValue, JsValue>;
    #[wasm_bindgen(method, catch, js_name = "lorebookNames")]
    pub(crate) async fn lorebook_names(this: &Page) -> Result<JsValue, JsValue>;
    #[wasm_bindgen(method, catch)]
    pub(crate) async fn headers(this: &Page) -> Result<JsValue, JsValue>;
    #[wasm_bindgen(method)]
    pub(crate) fn settings(this: &Page) -> String;
    /// Resolves to the card, or null.
    #[wasm_bindgen(method, catch)]
    pub(crate) async fn card(this: &Page, character: &str) -> Result<JsValue, JsValue>;
    #[wasm_bindgen(method)]
    pub(crate) fn characters(this: &Page) -> String;
    #[wasm_bindgen(method)]
    pub(crate) fn groups(this: &Page) -> String;
    #[wasm_bindgen(method)]
    pub(crate) fn group(this: &Page, id: &str) -> Option<String>;

    #[wasm_bindgen(method, catch, js_name = "createLorebook")]
    pub(crate) async fn create_lorebook(
        this: &Page,
        name: &str,
        text: &JsValue,
    ) -> Result<JsValue, JsValue>;
    #[wasm_bindgen(method, catch, js_name = "replaceLorebook")]
    pub(crate) async fn replace_lorebook(
        this: &Page,
        name: &str,
        text: &str,
    ) -> Result<JsValue, JsValue>;
    /// Resolves to the chat's stamp.
    #[wasm_bindgen(method, catch, js_name = "createChat")]
    pub(crate) async fn create_chat(
        this: &Page,
        chat: &str,
        header: &str,
        pieces: &str,
        from: &Frozen,
    ) -> Result<JsValue, JsValue>;
    /// Resolves to the chat's stamp.
    #[wasm_bindgen(method, catch, js_name = "editChat")]
    pub(crate) async fn edit_chat(
        this: &Page,
        frozen: &Frozen,
        edits: &str,
    ) -> Result<JsValue, JsValue>;
    #[wasm_bindgen(method, catch, js_name = "replaceGroup")]
    pub(crate) async fn replace_group(
        this: &Page,
        id: &str,
        before: &str,
        after: &str,
    ) -> Result<JsValue, JsValue>;
    #[wasm_bindgen(method, catch, js_name = "removeLorebook")]
    pub(crate) async fn remove_lorebook(this: &Page, name: &str) -> Result<JsValue, JsValue>;
    #[wasm_bindgen(method, catch, js_name = "removeChat")]
    pub(crate) async fn remove_chat(this: &Page, chat: &str) -> Result<JsValue, JsValue>;
    /// Sends the save request that is under way, with another body. Resolves to the chat's stamp.
    #[wasm_bindgen(method, catch)]
    pub(crate) async fn send(this: &Page, body: &str) -> Result<JsValue, JsValue>;

    /// Keeps a text, or all of a chat, under the name that its file has.
    #[wasm_bindgen(method, catch)]
    pub(crate) async fn keep(
        this: &Page,
        id: &str,
        file: &str,
        text: &str,
    ) -> Result<JsValue, JsValue>;
    #[wasm_bindgen(method, catch, js_name = "keepChat")]
    pub(crate) async fn keep_chat(
        this: &Page,
        id: &str,
        file: &str,
        frozen: &Frozen,
    ) -> Result<JsValue, JsValue>;
    /// Resolves to the text, or null.
    #[wasm_bindgen(method, catch)]
    pub(crate) async fn kept(this: &Page, id: &str, file: &str) -> Result<JsValue, JsValue>;
    #[wasm_bindgen(method, catch)]
    pub(crate) async fn trashed(this: &Page) -> Result<JsValue, JsValue>;
    /// Forgets what is kept of an operation: of one file, or of all.
    #[wasm_bindgen(method, catch)]
    pub(crate) async fn burn(this: &Page, id: &str, file: Option<&str>)
    -> Result<JsValue, JsValue>;
    /// Makes a chat again from a text that was kept. Resolves to its stamp.
    #[wasm_bindgen(method, catch, js_name = "restoreChat")]
    pub(crate) async fn restore_chat(
        this: &Page,
        chat: &str,
        text: &str,
    ) -> Result<JsValue, JsValue>;

    #[wasm_bindgen(method, catch)]
    pub(crate) async fn note(this: &Page, id: &str, intent: &str) -> Result<JsValue, JsValue>;
    #[wasm_bindgen(method, catch)]
    pub(crate) async fn unfinished(this: &Page) -> Result<JsValue, JsValue>;
    #[wasm_bindgen(method, catch)]
    pub(crate) async fn forget(this: &Page, id: &str) -> Result<JsValue, JsValue>;
    /// Resolves to the ids of all operations, done or begun.
    #[wasm_bindgen(method, catch, js_name = "operationIds")]
    pub(crate) async fn operation_ids(this: &Page) -> Result<JsValue, JsValue>;
    #[wasm_bindgen(method, catch)]
    pub(crate) async fn log(this: &Page, id: &str, record: &str) -> Result<JsValue, JsValue>;
    #[wasm_bindgen(method, catch)]
    pub(crate) async fn logged(this: &Page) -> Result<JsValue, JsValue>;

    /// Milliseconds since 1970, then year, month, day, hour, minute, second, millisecond here.
    #[wasm_bindgen(method)]
    pub(crate) fn now(this: &Page) -> Vec<f64>;
    /// Sixteen random bytes.
    #[wasm_bindgen(method)]
    pub(crate) fn random(this: &Page) -> Vec<u8>;
    #[wasm_bindgen(method, js_name = "isGenerating")]
    pub(crate) fn is_generating(this: &Page) -> bool;
    #[wasm_bindgen(method)]
    pub(crate) fn progress(this: &Page, step: &str, others: usize);

    /// Held while an operation runs.
    pub type Claim;
    #[wasm_bindgen(method)]
    pub(crate) fn release(this: &Claim);

    /// A long text that is still on its way.
    pub type Lines;
    /// Resolves to some whole lines, or null.
    #[wasm_bindgen(method, catch)]
    pub(crate) async fn next(this: &Lines) -> Result<JsValue, JsValue>;

    /// A chat as texts, made once: what is judged is what is written.
    pub type Frozen;
    #[wasm_bindgen(method)]
    pub(crate) fn header(this: &Frozen) -> String;
    #[wasm_bindgen(method)]
    pub(crate) fn count(this: &Frozen) -> u32;
    /// Tells one state of a chat from another.
    #[wasm_bindgen(method)]
    pub(crate) fn stamp(this: &Frozen) -> String;
    #[wasm_bindgen(method)]
    pub(crate) fn line(this: &Frozen, message: u32) -> String;
    /// The messages from `start` to before `end` that contain `needle`.
    #[wasm_bindgen(method)]
    pub(crate) fn find(this: &Frozen, needle: &str, start: u32, end: u32) -> Vec<u32>;
    /// The first message from `start` to before `end` that does not begin with `start_text`.
    #[wasm_bindgen(method)]
    pub(crate) fn unlike(this: &Frozen, begin: &str, start: u32, end: u32) -> Option<u32>;

    /// What a method of the page throws.
    type Thrown;
    #[wasm_bindgen(method, getter, structural)]
    fn kind(this: &Thrown) -> Option<String>;
    #[wasm_bindgen(method, getter, structural)]
    fn file(this: &Thrown) -> Option<String>;
    #[wasm_bindgen(method, getter, structural)]
    fn message(this: &Thrown) -> Option<String>;
}

/// The kind of a write whose answer got lost.
const LOST: &str = "lost";

/// An error of the page, of a method that only reads.
pub(crate) fn unread(thrown: JsValue) -> HostError {
    explain(thrown, HostErrorKind::ReadFailed).1
}

/// An error of the page, of a method that writes.
pub(crate) fn unwritten(thrown: JsValue) -> HostError {
    explain(thrown, HostErrorKind::WriteFailed).1
}

/// `otherwise` is what it is if the page did not say: whether it wrote is known from the method.
fn explain(thrown: JsValue, otherwise: HostErrorKind) -> (Option<String>, HostError) {
    if !thrown.is_object() {
        return (None, HostError::of_none(otherwise, thrown.as_string().unwrap_or_default()));
    }
    let thrown: Thrown = thrown.unchecked_into();
    let kind = thrown.kind();
    let means = match kind.as_deref() {
        Some("absent") => HostErrorKind::Absent,
        Some("exists") => HostErrorKind::Exists,
        Some("changed") => HostErrorKind::Changed,
        Some("damaged") => HostErrorKind::Damaged,
        Some("busy") => HostErrorKind::Busy,
        Some("switched") => HostErrorKind::ChatSwitched,
        _ => otherwise,
    };
    // The page says it in the language of its user.
    let mut error = HostError::of_none(means, thrown.message().unwrap_or_default());
    error.file = thrown.file();
    (kind, error)
}

/// How a write of the page ended; `text` is what stands there now.
pub(crate) fn written(answer: Result<JsValue, JsValue>, text: &str) -> Written {
    ended(answer, |_| crate::host::stamp(text))
}

/// How a write of a chat ended: the page says which stamp it has now.
pub(crate) fn chat_written(answer: Result<JsValue, JsValue>) -> Written {
    ended(answer, |stamp| Stamp(stamp.as_string().unwrap_or_default()))
}

/// How a removal ended: the stamp stays what it was.
pub(crate) fn removed(answer: Result<JsValue, JsValue>, seen: &Stamp) -> Written {
    ended(answer, |_| seen.clone())
}

fn ended(answer: Result<JsValue, JsValue>, stamp: impl FnOnce(JsValue) -> Stamp) -> Written {
    match answer {
        Ok(value) => Written::Done(stamp(value)),
        Err(thrown) => match explain(thrown, HostErrorKind::WriteFailed) {
            (Some(kind), error) if kind == LOST => Written::Unknown(error),
            (_, error) => Written::Refused(error),
        },
    }
}
