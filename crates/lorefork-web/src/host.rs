//! The host inside SillyTavern's page.

use std::cell::RefCell;

use lorefork::host::{ChatView as _, Line};
use lorefork::host::{
    Document, HeaderOf, Host, HostError, HostErrorKind, LineEdit, Now, Piece, Pieces, Stamp, Step,
    Trashed, Wanted, Written,
};
use lorefork::json::{Json, quote};
use lorefork::say;
use lorefork::sentence::Sentence;
use lorefork::tavern::card::Card;
use lorefork::tavern::place::{ChatRef, FileRef, Owner, group_file, lorebook_file};
use lorefork::tavern::time::LocalTime;
use wasm_bindgen::{JsCast, JsValue};

use crate::intercept::Sent;
use crate::page::{Claim, Frozen, Lines, Page, chat_written, removed, unread, unwritten, written};
use crate::view::View;

/// Tells one text from another.
pub(crate) fn stamp(text: &str) -> Stamp {
    Stamp(lorefork::operation::hash(text))
}

/// One operation's view of the page.
pub(crate) struct WebHost {
    page: Page,
    /// A timeline that somebody else is about to save: to the engine it is there already.
    sent: Option<Sent>,
    /// Lorebooks that crossed the boundary, as both sides have them: each crosses once.
    crossed: RefCell<Vec<(String, JsValue, Document)>>,
}

impl WebHost {
    pub(crate) fn new(page: Page) -> Self {
        Self { page, sent: None, crossed: RefCell::default() }
    }

    /// Sixteen random bytes of the page.
    pub(crate) fn fresh(page: &Page) -> [u8; 16] {
        let mut id = [0; 16];
        for (byte, random) in id.iter_mut().zip(page.random()) {
            *byte = random;
        }
        id
    }

    /// The very lines of a chat's file, damaged ones included.
    pub(crate) async fn raw_chat(&self, chat: &ChatRef) -> Result<Lines, HostError> {
        Ok(self.page.raw_chat(&chat.json()).await.map_err(unread)?.unchecked_into())
    }

    /// Lets the page do what it has to do. An error means: stop.
    pub(crate) async fn breathe(&self) -> Result<(), HostError> {
        done(self.page.breathe().await)
    }

    /// The lorebook as it crossed before, if the page still says the same.
    fn crossed(&self, name: &str, text: &JsValue) -> Option<Document> {
        let crossed = self.crossed.borrow();
        let same = crossed.iter().find(|(other, theirs, _)| other == name && theirs == text)?;
        Some(same.2.clone())
    }

    fn remember(&self, name: &str, text: JsValue, document: &Document) {
        let mut crossed = self.crossed.borrow_mut();
        crossed.retain(|(other, _, _)| other != name);
        crossed.push((name.to_owned(), text, document.clone()));
    }

    pub(crate) fn with_request(page: Page, sent: Sent) -> Self {
        Self { page, sent: Some(sent), crossed: RefCell::default() }
    }
}

/// Releases the claim when it is dropped.
pub(crate) struct Held(Claim);

impl Drop for Held {
    fn drop(&mut self) {
        self.0.release();
    }
}

pub(crate) fn text(answer: Result<JsValue, JsValue>) -> Result<Option<String>, HostError> {
    Ok(answer.map_err(unread)?.as_string())
}

fn done(answer: Result<JsValue, JsValue>) -> Result<(), HostError> {
    answer.map(drop).map_err(unwritten)
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
        say!("somebody else has written to it meanwhile"),
    ))
}

/// A group's record is changed, never removed.
fn never(file: &FileRef) -> Written {
    Written::Refused(HostError::new(
        HostErrorKind::WriteFailed,
        file.file(),
        say!("it cannot be removed"),
    ))
}

impl Host for WebHost {
    type Chat = View;
    type Claim = Held;

    async fn claim(&self, what: &str) -> Result<Held, HostError> {
        let claim = self.page.claim(what).await.map_err(unwritten)?;
        Ok(Held(claim.unchecked_into()))
    }

    async fn settle(&self, chat: &ChatRef) -> Result<(), HostError> {
        done(self.page.settle(&chat.json()).await)
    }

    async fn still_there(&self, chat: &View) -> Result<(), HostError> {
        match chat {
            View::Frozen { texts, .. } => self.page.still_there(texts).map_err(unread),
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
        let frozen = self.page.open(&chat.json()).await.map_err(unread)?;
        Ok(View::frozen(chat, frozen.unchecked_into::<Frozen>()))
    }

    async fn chat_names(&self, owner: &Owner) -> Result<Vec<String>, HostError> {
        strings(self.page.chat_names(&owner.json()).await)
    }

    async fn lorebook(&self, name: &str) -> Result<Option<Document>, HostError> {
        let answer = self.page.lorebook(name).await.map_err(unread)?;
        if let Some(document) = self.crossed(name, &answer) {
            return Ok(Some(document));
        }
        let Some(text) = answer.as_string() else { return Ok(None) };
        let document = Document { stamp: stamp(&text), text };
        self.remember(name, answer, &document);
        Ok(Some(document))
    }

    async fn lorebook_names(&self) -> Result<Vec<String>, HostError> {
        strings(self.page.lorebook_names().await)
    }

    async fn headers(&self, wanted: &Wanted<'_>) -> Result<Vec<HeaderOf>, HostError> {
        let found = text(self.page.headers().await)?.unwrap_or_default();
        let list = Json::parse(&found).map(Json::items).unwrap_or_default();
        let headers = list.into_iter().filter_map(|item| {
            let chat = ChatRef::read(item.get("chat")?)?;
            Some(HeaderOf { chat, header: item.get("header")?.str()?.into_owned() })
        });
        Ok(headers.filter(wanted).collect())
    }

    async fn settings(&self) -> Result<Option<String>, HostError> {
        Ok(Some(self.page.settings()))
    }

    async fn card(&self, character: &str) -> Result<Option<Card>, HostError> {
        let card = text(self.page.card(character).await)?;
        Ok(card.and_then(|text| Card::from_json(&text).ok()))
    }

    async fn group(&self, id: &str) -> Result<Option<Document>, HostError> {
        Ok(self.page.group(id).map(|text| Document { stamp: stamp(&text), text }))
    }

    async fn characters(&self) -> Result<Vec<String>, HostError> {
        strings(Ok(self.page.characters().into()))
    }

    async fn groups(&self) -> Result<Vec<String>, HostError> {
        strings(Ok(self.page.groups().into()))
    }

    /// SillyTavern's server does not tell.
    async fn lorebook_time(&self, _: &str) -> Result<Option<u64>, HostError> {
        Ok(None)
    }

    async fn create_lorebook(&self, name: &str, text: &str) -> Written {
        let theirs = JsValue::from_str(text);
        let written = written(self.page.create_lorebook(name, &theirs).await, text);
        if let Written::Done(stamp) = &written {
            let document = Document { text: text.to_owned(), stamp: stamp.clone() };
            self.remember(name, theirs, &document);
        }
        written
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
        chat_written(self.page.create_chat(&chat.json(), header, &pieces, texts).await)
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
                chat_written(self.page.edit_chat(texts, &edits).await)
            }
            View::Sent(sent) => match sent.with(edits) {
                Ok(body) => chat_written(self.page.send(&body).await),
                Err(problem) => Written::Refused(HostError::new(
                    HostErrorKind::Damaged,
                    sent.chat().file(),
                    Sentence::from(&problem),
                )),
            },
        }
    }

    async fn replace_lorebook(&self, name: &str, text: &str, seen: &Stamp) -> Written {
        match self.lorebook(name).await {
            Ok(Some(now)) if now.stamp == *seen => {
                written(self.page.replace_lorebook(name, text).await, text)
            }
            Ok(_) => changed(lorebook_file(name)),
            Err(error) => Written::Refused(error),
        }
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
                removed(self.page.remove_lorebook(name).await, seen)
            }
            Ok(_) => changed(lorebook_file(name)),
            Err(error) => Written::Refused(error),
        }
    }

    async fn remove_chat(&self, chat: &ChatRef, seen: &Stamp) -> Written {
        match self.open(chat).await {
            Ok(now) if now.stamp() == seen => {
                removed(self.page.remove_chat(&chat.json()).await, seen)
            }
            Ok(_) => changed(chat.file()),
            Err(error) => Written::Refused(error),
        }
    }

    async fn keep(&self, id: &str, file: &FileRef, text: &str) -> Result<(), HostError> {
        done(self.page.keep(id, &file.file(), text).await)
    }

    async fn trash(&self, id: &str, file: &FileRef, seen: &Stamp) -> Written {
        // Nothing goes before its copy is stored.
        let kept = match file {
            FileRef::Lorebook(name) => match self.lorebook(name).await {
                Ok(Some(now)) if now.stamp == *seen => self.keep(id, file, &now.text).await,
                Ok(_) => return changed(file.file()),
                Err(error) => Err(error),
            },
            FileRef::Chat(chat) => match self.open(chat).await {
                Ok(now @ View::Frozen { .. }) if now.stamp() != seen => {
                    return changed(file.file());
                }
                Ok(View::Frozen { texts, .. }) => {
                    done(self.page.keep_chat(id, &file.file(), &texts).await)
                }
                Ok(View::Sent(_)) => return changed(file.file()),
                Err(error) => Err(error),
            },
            FileRef::Group(_) => return never(file),
        };
        if let Err(error) = kept {
            return Written::Refused(error);
        }
        match file {
            FileRef::Lorebook(name) => removed(self.page.remove_lorebook(name).await, seen),
            FileRef::Chat(chat) => removed(self.page.remove_chat(&chat.json()).await, seen),
            FileRef::Group(_) => never(file),
        }
    }

    async fn restore(&self, id: &str, file: &FileRef) -> Written {
        let text = match self.kept(id, file).await {
            Ok(Some(text)) => text,
            Ok(None) => {
                return Written::Refused(HostError::new(
                    HostErrorKind::Absent,
                    file.file(),
                    say!("it is no longer in the trash"),
                ));
            }
            Err(error) => return Written::Refused(error),
        };
        let written = match file {
            FileRef::Lorebook(name) => self.create_lorebook(name, &text).await,
            FileRef::Chat(chat) => chat_written(self.page.restore_chat(&chat.json(), &text).await),
            FileRef::Group(_) => never(file),
        };
        if let Written::Done(_) = written {
            // A copy that stays does no harm.
            let _ = self.page.burn(id, Some(&file.file())).await;
        }
        written
    }

    async fn kept(&self, id: &str, file: &FileRef) -> Result<Option<String>, HostError> {
        text(self.page.kept(id, &file.file()).await)
    }

    async fn trashed(&self) -> Result<Vec<Trashed>, HostError> {
        let found = text(self.page.trashed().await)?.unwrap_or_default();
        let list = Json::parse(&found).map(Json::items).unwrap_or_default();
        let one = |item: Json<'_>| {
            Some(Trashed {
                id: item.get("id")?.str()?.into_owned(),
                file: item.get("file")?.str()?.into_owned(),
                bytes: item.get("bytes")?.count()? as u64,
            })
        };
        Ok(list.into_iter().filter_map(one).collect())
    }

    async fn burn(&self, id: &str) -> Result<(), HostError> {
        done(self.page.burn(id, None).await)
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

    async fn operation_ids(&self) -> Result<Vec<String>, HostError> {
        strings(self.page.operation_ids().await)
    }

    async fn log(&self, id: &str, record: &str) -> Result<(), HostError> {
        done(self.page.log(id, record).await)
    }

    async fn logged(&self) -> Result<Vec<String>, HostError> {
        strings(self.page.logged().await)
    }

    fn now(&self) -> Now {
        let parts = self.page.now();
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "dates")]
        let part = |index: usize| parts.get(index).copied().unwrap_or_default() as u64;
        let local = LocalTime {
            // As far as a clock on the command line goes.
            year: part(1).min(9999) as u16,
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
        let (step, others) = match step {
            Step::Validating => ("validating", 0),
            Step::Others(others) => ("others", others),
            Step::Lorebook => ("lorebook", 0),
            Step::Recording => ("recording", 0),
            Step::Creating => ("creating", 0),
        };
        self.page.progress(step, others);
    }
}
