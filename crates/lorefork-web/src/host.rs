//! The host inside SillyTavern's page.

use lorefork::host::{ChatView as _, Line};
use lorefork::host::{
    Document, HeaderOf, Host, HostError, HostErrorKind, LineEdit, Now, Piece, Pieces, Stamp, Step,
    Trashed, Wanted, Written,
};
use lorefork::json::{Json, quote};
use lorefork::tavern::card::Card;
use lorefork::tavern::place::{ChatRef, FileRef, Owner, group_file, lorebook_file};
use lorefork::tavern::time::LocalTime;
use wasm_bindgen::{JsCast, JsValue};

use crate::net::Sent;
use crate::page::{Claim, Frozen, Page, host_error, written};
use crate::view::{View, place};

/// Tells one text from another.
pub(crate) fn stamp(text: &str) -> Stamp {
    Stamp(lorefork::operation::hash(text))
}

/// One operation's view of the page.
pub(crate) struct WebHost {
    page: Page,
    /// A timeline that somebody else is about to save: to the engine it is there already.
    sent: Option<Sent>,
}

impl WebHost {
    pub(crate) fn new(page: Page) -> Self {
        Self { page, sent: None }
    }

    /// Sixteen random bytes of the page.
    pub(crate) fn fresh(page: &Page) -> [u8; 16] {
        let mut id = [0; 16];
        for (byte, random) in id.iter_mut().zip(page.random()) {
            *byte = random;
        }
        id
    }

    pub(crate) fn with_request(page: Page, sent: Sent) -> Self {
        Self { page, sent: Some(sent) }
    }
}

/// Releases the claim when it is dropped.
pub(crate) struct Held(Claim);

impl Drop for Held {
    fn drop(&mut self) {
        self.0.release();
    }
}

fn text(answer: Result<JsValue, JsValue>) -> Result<Option<String>, HostError> {
    Ok(answer.map_err(host_error)?.as_string())
}

fn done(answer: Result<JsValue, JsValue>) -> Result<(), HostError> {
    answer.map(drop).map_err(host_error)
}

/// A list of strings, as JSON.
fn strings(answer: Result<JsValue, JsValue>) -> Result<Vec<String>, HostError> {
    let text = text(answer)?.unwrap_or_default();
    let list = Json::parse(&text).map(Json::items).unwrap_or_default();
    Ok(list.into_iter().filter_map(Json::str).map(|name| name.into_owned()).collect())
}

fn changed(file: String) -> Written {
    Written::Refused(HostError::new(
        HostErrorKind::Changed,
        file,
        "somebody else has written to it meanwhile",
    ))
}

fn owner_text(owner: &Owner) -> String {
    match owner {
        Owner::Character(folder) => format!("{{\"character\":{}}}", quote(folder)),
        Owner::Group(id) => format!("{{\"group\":{}}}", quote(id)),
    }
}

/// What only a data folder has.
fn not_here(file: impl Into<String>) -> HostError {
    HostError::new(
        HostErrorKind::Failed,
        file,
        "this is not possible inside SillyTavern yet. Use the command line for it",
    )
}

impl Host for WebHost {
    type Chat = View;
    type Claim = Held;

    async fn claim(&self, what: &str) -> Result<Held, HostError> {
        let claim = self.page.claim(what).await.map_err(host_error)?;
        Ok(Held(claim.unchecked_into()))
    }

    async fn settle(&self, chat: &ChatRef) -> Result<(), HostError> {
        done(self.page.settle(&place(chat)).await)
    }

    async fn still_there(&self, chat: &View) -> Result<(), HostError> {
        match chat {
            View::Frozen { texts, .. } => self.page.still_there(texts).map_err(host_error),
            View::Sent(_) => Ok(()),
        }
    }

    async fn pause(&self) {
        let _ = self.page.pause().await;
    }

    async fn open(&self, chat: &ChatRef) -> Result<View, HostError> {
        if let Some(sent) = self.sent.as_ref().filter(|sent| sent.chat() == chat) {
            return Ok(View::Sent(sent.clone()));
        }
        let frozen = self.page.open(&place(chat)).await.map_err(host_error)?;
        Ok(View::frozen(chat, frozen.unchecked_into::<Frozen>()))
    }

    async fn chat_names(&self, owner: &Owner) -> Result<Vec<String>, HostError> {
        strings(self.page.chat_names(&owner_text(owner)).await)
    }

    async fn lorebook(&self, name: &str) -> Result<Option<Document>, HostError> {
        let text = text(self.page.lorebook(name).await)?;
        Ok(text.map(|text| Document { stamp: stamp(&text), text }))
    }

    async fn lorebook_names(&self) -> Result<Vec<String>, HostError> {
        strings(self.page.lorebook_names().await)
    }

    async fn headers(&self, wanted: &Wanted<'_>) -> Result<Vec<HeaderOf>, HostError> {
        let found = text(self.page.headers().await)?.unwrap_or_default();
        let list = Json::parse(&found).map(Json::items).unwrap_or_default();
        let headers = list.into_iter().filter_map(|item| {
            let chat: ChatRef = serde_json::from_str(item.get("chat")?.text()).ok()?;
            Some(HeaderOf { chat, header: item.get("header")?.str()?.into_owned() })
        });
        Ok(headers.filter(wanted).collect())
    }

    async fn settings(&self) -> Result<Option<String>, HostError> {
        Ok(Some(self.page.settings()))
    }

    async fn card(&self, character: &str) -> Result<Option<Card>, HostError> {
        Ok(self.page.card(character).and_then(|text| Card::from_json(&text).ok()))
    }

    async fn group(&self, id: &str) -> Result<Option<Document>, HostError> {
        Ok(self.page.group(id).map(|text| Document { stamp: stamp(&text), text }))
    }

    async fn characters(&self) -> Result<Vec<String>, HostError> {
        Err(not_here("characters"))
    }

    async fn groups(&self) -> Result<Vec<String>, HostError> {
        Err(not_here("groups"))
    }

    async fn lorebook_time(&self, _: &str) -> Result<Option<u64>, HostError> {
        Ok(None)
    }

    async fn create_lorebook(&self, name: &str, text: &str) -> Written {
        written(self.page.create_lorebook(name, text).await, text)
    }

    async fn create_chat(
        &self,
        chat: &ChatRef,
        header: &str,
        pieces: &mut Pieces<'_>,
        from: &View,
    ) -> Written {
        let View::Frozen { texts, .. } = from else {
            return changed(chat.file());
        };
        let mut list = Vec::new();
        for piece in pieces {
            list.push(match piece {
                Ok(Piece::Same(range)) => format!("[{},{}]", range.start, range.end),
                Ok(Piece::Text(text)) => quote(&text),
                Err(error) => return Written::Refused(error),
            });
        }
        let pieces = format!("[{}]", list.join(","));
        // The stamp of a chat is looked at only to remove it again: see `remove_chat`.
        written(self.page.create_chat(&place(chat), header, &pieces, texts).await, header)
    }

    async fn edit_chat(&self, chat: &View, edits: &[LineEdit]) -> Written {
        match chat {
            View::Frozen { texts, .. } => {
                let list: Vec<String> = edits
                    .iter()
                    .map(|edit| {
                        let line = match edit.line {
                            Line::Header => "null".to_owned(),
                            Line::Message(index) => index.to_string(),
                        };
                        format!("[{line},{}]", quote(&edit.text))
                    })
                    .collect();
                let edits = format!("[{}]", list.join(","));
                written(self.page.edit_chat(texts, &edits).await, &edits)
            }
            View::Sent(sent) => match sent.with(edits) {
                Ok(body) => written(self.page.send(&body).await, &body),
                Err(problem) => Written::Refused(HostError::new(
                    HostErrorKind::Damaged,
                    sent.chat().file(),
                    problem.to_string(),
                )),
            },
        }
    }

    async fn replace_lorebook(&self, name: &str, _: &str, _: &Stamp) -> Written {
        Written::Refused(not_here(lorebook_file(name)))
    }

    async fn replace_group(&self, id: &str, text: &str, seen: &Stamp) -> Written {
        match self.page.group(id) {
            Some(now) if stamp(&now) == *seen => {
                written(self.page.replace_group(id, &now, text).await, text)
            }
            _ => changed(group_file(id)),
        }
    }

    async fn remove_lorebook(&self, name: &str, seen: &Stamp) -> Written {
        match self.lorebook(name).await {
            Ok(Some(now)) if now.stamp == *seen => {
                written(self.page.remove_lorebook(name).await, "")
            }
            Ok(_) => changed(lorebook_file(name)),
            Err(error) => Written::Refused(error),
        }
    }

    async fn remove_chat(&self, chat: &ChatRef, seen: &Stamp) -> Written {
        match self.open(chat).await {
            Ok(now) if stamp(now.header()) == *seen || now.stamp() == seen => {
                written(self.page.remove_chat(&place(chat)).await, "")
            }
            Ok(_) => changed(chat.file()),
            Err(error) => Written::Refused(error),
        }
    }

    async fn keep(&self, _: &str, file: &FileRef, _: &str) -> Result<(), HostError> {
        Err(not_here(file.file()))
    }

    async fn trash(&self, _: &str, file: &FileRef, _: &Stamp) -> Written {
        Written::Refused(not_here(file.file()))
    }

    async fn restore(&self, _: &str, file: &FileRef) -> Written {
        Written::Refused(not_here(file.file()))
    }

    async fn kept(&self, _: &str, file: &FileRef) -> Result<Option<String>, HostError> {
        Err(not_here(file.file()))
    }

    async fn trashed(&self) -> Result<Vec<Trashed>, HostError> {
        Ok(Vec::new())
    }

    async fn burn(&self, id: &str) -> Result<(), HostError> {
        Err(not_here(id))
    }

    async fn note(&self, id: &str, intent: &str) -> Result<(), HostError> {
        done(self.page.note(id, intent).await)
    }

    async fn unfinished(&self) -> Result<Vec<String>, HostError> {
        strings(self.page.unfinished().await)
    }

    async fn forget(&self, id: &str) -> Result<(), HostError> {
        done(self.page.forget(id).await)
    }

    async fn log(&self, id: &str, record: &str) -> Result<(), HostError> {
        done(self.page.log(id, record).await)
    }

    async fn logged(&self) -> Result<Vec<String>, HostError> {
        Err(not_here("lorefork/operations/log"))
    }

    fn now(&self) -> Now {
        let parts = self.page.now();
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "dates")]
        let part = |index: usize| parts.get(index).copied().unwrap_or_default() as u64;
        let local = LocalTime {
            year: part(1) as u16,
            month: part(2) as u8,
            day: part(3) as u8,
            hour: part(4) as u8,
            minute: part(5) as u8,
            second: part(6) as u8,
            millisecond: part(7) as u16,
        };
        Now { ms: part(0), local }
    }

    fn id(&self) -> [u8; 16] {
        Self::fresh(&self.page)
    }

    fn is_generating(&self) -> bool {
        self.page.is_generating()
    }

    fn is_outside(&self) -> bool {
        false
    }

    fn progress(&self, step: Step) {
        self.page.progress(match step {
            Step::Validating => "validating",
            Step::Lorebook => "lorebook",
            Step::Recording => "recording",
            Step::Creating => "creating",
        });
    }
}
