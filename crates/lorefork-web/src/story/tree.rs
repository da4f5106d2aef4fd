//! The open chat's family as rows.

use std::rc::Rc;

use lorefork::error::Error;
use lorefork::family::{Books, Family, HEADER_KEYS, Lore, Place, Trace, View, first_words, tree};
use lorefork::host::{HeaderOf, Host as _, HostError};
use lorefork::json::{Json, Object, array, array_of_texts, text_or_null};
use lorefork::moment::Quality;
use lorefork::operation::ahead::Ahead;
use lorefork::tavern::chat::Header;
use lorefork::tavern::place::ChatRef;
use wasm_bindgen::prelude::*;

use super::seen::{self, Seen};
use crate::answer::answer;
use crate::ask;
use crate::host::WebHost;
use crate::page::Page;

/// The family of a chat: `{ chat, chats: [{ name, count, last, mark }], trash: [{ id, name, header,
/// count }], shared: [lorebook], path, archived, find }`. `chats` are all of the same character or
/// group as the server lists them, with the end of each; `mark` tells one state of a file from another.
/// Reads only.
#[wasm_bindgen(js_name = "storyTree")]
pub async fn story_tree(page: Page, request: String) -> String {
    let told = async {
        let json = Json::parse(&request).ok();
        let chat = ask::chat(json.and_then(|json| json.get("chat")).map_or("", Json::text))?;
        let asked = Asked::read(&request);
        told(&Ahead::new(&WebHost::new(page)), &chat, &asked).await
    };
    answer(told.await)
}

/// Reads one chat for the tree: from then on it stands where its messages say. The answer is empty.
#[wasm_bindgen(js_name = "storyLook")]
pub async fn story_look(page: Page, chat: String, mark: String) -> String {
    let host = WebHost::new(page);
    let looked = async { seen::read_stored(&Ahead::new(&host), &ask::chat(&chat)?, &mark).await };
    answer(looked.await.map(|()| Object::new().done()))
}

/// So many headers are read before the page has its turn.
const STRETCH: usize = 100;

/// So many letters of a message are shown before the words that are found in it.
const BEFORE: usize = 40;

/// Which keys of headers are looked at.
#[wasm_bindgen(js_name = "storyKeys")]
pub fn story_keys() -> String {
    array_of_texts(&HEADER_KEYS.map(str::to_owned))
}

/// What the page asks for.
struct Asked {
    chats: Vec<Listed>,
    trash: Vec<Trashed>,
    shared: Vec<String>,
    is_path: bool,
    with_archived: bool,
    find: String,
}

/// A chat as the server lists it.
struct Listed {
    name: String,
    count: usize,
    last: Option<String>,
    mark: String,
}

/// A chat in the trash.
struct Trashed {
    id: String,
    name: String,
    header: String,
    count: usize,
}

impl Asked {
    fn read(text: &str) -> Self {
        let json = Json::parse(text).ok();
        let list = |key: &str| json.and_then(|json| json.get(key)).map(Json::items);
        let word = |item: Json<'_>, key: &str| Some(item.get(key)?.str()?.into_owned());
        let count = |item: Json<'_>| item.get("count").and_then(Json::count).unwrap_or(0);
        let flag = |key: &str| json.and_then(|json| json.get(key)).is_some_and(Json::truthy);
        let chats = list("chats").unwrap_or_default().into_iter().filter_map(|item| {
            Some(Listed {
                name: word(item, "name")?,
                count: count(item),
                last: word(item, "last"),
                mark: word(item, "mark").unwrap_or_default(),
            })
        });
        let trash = list("trash").unwrap_or_default().into_iter().filter_map(|item| {
            Some(Trashed {
                id: word(item, "id")?,
                name: word(item, "name")?,
                header: word(item, "header")?,
                count: count(item),
            })
        });
        Self {
            chats: chats.collect(),
            trash: trash.collect(),
            shared: ask::strings(json.and_then(|json| json.get("shared")).map_or("", Json::text)),
            is_path: flag("path"),
            with_archived: flag("archived"),
            find: json
                .and_then(|json| word(json, "find"))
                .map(|find| find.trim().to_lowercase())
                .unwrap_or_default(),
        }
    }
}

async fn told(host: &Ahead<'_, WebHost>, chat: &ChatRef, asked: &Asked) -> Result<String, Error> {
    let headers = host.headers(&|_| true).await?;
    let open = seen::read_open(host, chat, !asked.find.is_empty()).await?;
    let mut all: Vec<Option<Rc<Seen>>> = Vec::new();
    let mut unread: Vec<String> = Vec::new();
    let mut traces: Vec<Trace> = Vec::new();
    for (n, one) in asked.chats.iter().enumerate().filter(|(_, one)| one.name != chat.name) {
        if n % STRETCH == STRETCH - 1 {
            host.host().breathe().await?;
        }
        let place = chat.sibling(one.name.clone());
        let known = seen::known(&place, &one.mark);
        let trace = known.as_ref().map(|seen| seen.trace.clone());
        if trace.is_none() {
            unread.push(one.name.clone());
        }
        traces.push(trace.unwrap_or_else(|| {
            let header = headers.iter().find(|other| other.chat == place);
            Trace::listed(place, Place::Here, header.map_or("", |of| &of.header), one.count)
        }));
        all.push(known);
    }
    traces.push(open.trace.clone());
    all.push(Some(open));
    for one in &asked.trash {
        let place = Place::Trash(one.id.clone());
        traces.push(Trace::listed(chat.sibling(one.name.clone()), place, &one.header, one.count));
        all.push(None);
    }
    host.host().breathe().await?;
    let books = books(host, &headers, &traces, &asked.shared).await?;
    let mut families = tree(&chat.owner, &traces, |book| books.lore(book)).families;
    let alone = families.iter().filter(|family| family.timelines.len() == 1).count();
    let others = families.len() - alone;
    let Some(at) = families.iter().position(|family| family.find(chat).is_some()) else {
        // It is among the traces.
        return Ok("null".to_owned());
    };
    let mut family = families.swap_remove(at);
    let is_alone = family.timelines.len() == 1;
    let rows = rows(&mut family, chat, asked, &all);
    Ok(Object::new()
        .raw("family", &rows)
        .count("others", others - usize::from(!is_alone))
        .count("alone", alone - usize::from(is_alone))
        .raw("unread", &array_of_texts(&unread))
        .done())
}

/// The rows, with what is known of each timeline besides.
fn rows(family: &mut Family, chat: &ChatRef, asked: &Asked, all: &[Option<Rc<Seen>>]) -> String {
    let focus = family.find(chat);
    let (mut read, mut found) = (Vec::new(), Vec::new());
    for n in 0..family.timelines.len() {
        let one = &mut family.timelines[n];
        let seen = one.trace.and_then(|trace| all.get(trace)?.as_deref());
        let listed = asked.chats.iter().find(|other| other.name == one.chat.name);
        one.is_open = focus == Some(n);
        one.said.last = match (seen, one.gone.is_some()) {
            (Some(seen), _) => one.messages.checked_sub(1).and_then(|last| seen.says(last)),
            (None, false) => listed.and_then(|listed| listed.last.clone()),
            (None, true) => None,
        };
        let first = if one.parent.is_none() { 0 } else { one.shared };
        let is_own = one.own() > 0 && one.is_seen;
        one.said.first = seen.filter(|_| is_own).and_then(|seen| seen.says(first));
        read.push(seen.is_some().to_string());
        found.push(if asked.find.is_empty() {
            "null".to_owned()
        } else {
            finding(family, n, &asked.find, seen)
        });
    }
    let view = View { focus, is_path: asked.is_path, with_archived: asked.with_archived };
    let picture = family.picture(view);
    Object::new()
        .raw("tree", &family.json(&picture))
        .raw("read", &array(&read))
        .raw("found", &array(&found))
        .count_or_null("here", focus)
        .done()
}

/// Where the words that are looked for stand: in a name, or in a message; null if nowhere.
fn finding(family: &Family, n: usize, find: &str, seen: Option<&Seen>) -> String {
    let one = &family.timelines[n];
    let words = [Some(&one.chat.name), one.words.label.as_ref(), one.words.note.as_ref()];
    if words.into_iter().flatten().any(|words| words.to_lowercase().contains(find)) {
        return Object::new().raw("at", "null").raw("text", "null").done();
    }
    let last = one.said.last.as_deref().filter(|last| last.to_lowercase().contains(find));
    // What its parent says, too, is found there.
    let first = if one.parent.is_none() { 0 } else { one.shared };
    let at = seen.and_then(|seen| seen.finds(find, first));
    let text = at.and_then(|at| seen?.says(at)).or_else(|| last.map(str::to_owned));
    match text {
        Some(text) => Object::new()
            .count_or_null("at", at)
            .raw("text", &text_or_null(first_words(&around(&text, find)).as_deref()))
            .done(),
        None => "null".to_owned(),
    }
}

/// A text from a little before the words that are looked for, if they stand far behind.
fn around(text: &str, find: &str) -> String {
    let small = text.to_lowercase();
    let before = small.find(find).map_or(0, |at| small[..at].chars().count());
    match before.checked_sub(BEFORE) {
        Some(skipped) if skipped > 0 => {
            format!("…{}", text.chars().skip(skipped).collect::<String>())
        }
        _ => text.to_owned(),
    }
}

/// How lorebooks are used, without reading one.
async fn books(
    host: &Ahead<'_, WebHost>,
    headers: &[HeaderOf],
    traces: &[Trace],
    shared: &[String],
) -> Result<Books, HostError> {
    let mut books = Books::new(host.lorebook_names().await?);
    for other in headers {
        let lorebook = Header::read(&other.header).ok().and_then(|header| header.lorebook());
        books.count(lorebook.as_deref());
    }
    shared.iter().for_each(|book| books.mean(book));
    // Whoever made a timeline with a lorebook that is shared meant it.
    for head in traces.iter().filter_map(|trace| trace.head.as_ref().ok()) {
        let record = head.record.as_ref();
        if record.is_some_and(|record| record.lore.quality == Quality::Shared)
            && let Some(book) = &head.lorebook
        {
            books.mean(book);
        }
    }
    Ok(books)
}

/// Where a chat with this metadata stands: `{ label, kind, parent, at, lore }`, told without asking
/// anybody.
#[wasm_bindgen(js_name = "whereAmI")]
pub fn where_am_i(metadata: &str, chat: &str) -> String {
    let header = format!("{{\"chat_metadata\":{metadata}}}");
    let owner = lorefork::tavern::place::Owner::Character(String::new());
    let trace = Trace::listed(ChatRef::new(owner.clone(), chat), Place::Here, &header, 0);
    let Ok(head) = &trace.head else { return "null".to_owned() };
    let record = head.record.as_ref().filter(|record| record.parent.is_some());
    let from = record.and_then(|record| record.parent.as_ref());
    let parent = from.map(|from| &from.chat).or(head.main_chat.as_ref());
    let kind = lorefork::family::tree(&owner, std::slice::from_ref(&trace), |_| Lore::None);
    let kind = kind.families.iter().flat_map(|family| &family.timelines);
    let kind = kind.filter(|one| one.gone.is_none()).map(|one| one.kind.word()).next();
    Object::new()
        .text_or_null("label", head.words.label.as_deref())
        .text_or_null("colour", head.words.colour.as_deref())
        .flag("canon", head.words.is_canon)
        .text("kind", kind.unwrap_or("main"))
        .text_or_null("parent", parent.map(String::as_str))
        .count_or_null("at", record.map(|record| record.at))
        .done()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_found_is_shown_with_what_stands_before() {
        assert_eq!(around("A Lamp", "lamp"), "A Lamp");
        let text = format!("{}the LAMP goes out", "word ".repeat(100));
        assert_eq!(around(&text, "lamp"), format!("…{}the LAMP goes out", &"word ".repeat(9)[9..]));
    }

    #[test]
    fn where_one_is_stands_in_the_header() {
        let told = where_am_i(
            r#"{"main_chat":"M","integrity":"s","lorefork":{"v":1,"id":"i","kind":"checkpoint","chat":"C","slug":"s","parent":{"chat":"M","slug":null,"id":null},"at":4,"label":"The storm","base":null,"lore":{"source":"live","quality":"exact","from":null,"of":null,"hash":null}}}"#,
            "C",
        );
        assert_eq!(
            told,
            r#"{"label":"The storm","colour":null,"canon":false,"kind":"checkpoint","parent":"M","at":4}"#
        );
        assert_eq!(
            where_am_i("{}", "M"),
            r#"{"label":null,"colour":null,"canon":false,"kind":"main","parent":null,"at":null}"#
        );
        assert_eq!(where_am_i("{ not", "M"), "null");
    }
}
