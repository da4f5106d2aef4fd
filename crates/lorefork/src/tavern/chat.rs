//! Chat files: a header line, then one message a line.

use std::borrow::Cow;

use crate::json::{Json, JsonError, Splices, quote, set};
use crate::sentence::Sentence;
use crate::{say, speaks};

/// Why the first line of a chat is not a header.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum HeaderProblem {
    /// There is no line at all.
    Empty,
    /// An invisible mark stands before it, with which SillyTavern reads no JSON.
    ByteOrderMark,
    /// The line is not JSON.
    Malformed(JsonError),
    /// The line is a message.
    Missing,
}

impl From<&HeaderProblem> for Sentence {
    fn from(problem: &HeaderProblem) -> Self {
        match problem {
            HeaderProblem::Empty => say!("the file is empty"),
            HeaderProblem::ByteOrderMark => say!(
                "the file begins with a byte order mark, which makes SillyTavern lose the first \
                 message"
            ),
            HeaderProblem::Malformed(why) => say!("line 1 is {0}", why),
            HeaderProblem::Missing => {
                say!("line 1 is not a header: the file begins with a message")
            }
        }
    }
}

speaks!(HeaderProblem);

/// The header line of a chat, of any SillyTavern since 2023.
#[derive(Debug, Clone, Copy)]
pub struct Header<'a> {
    json: Json<'a>,
}

impl<'a> Header<'a> {
    /// 1.16 and later write `chat_metadata` first, 1.12 to 1.14 last; in 2023 there was none.
    pub fn read(text: &'a str) -> Result<Self, HeaderProblem> {
        if text.trim().is_empty() {
            return Err(HeaderProblem::Empty);
        }
        if text.starts_with('\u{feff}') {
            return Err(HeaderProblem::ByteOrderMark);
        }
        let json = Json::parse(text).map_err(HeaderProblem::Malformed)?;
        let is_header = json.get("chat_metadata").is_some_and(|m| m.is_object() || m.is_null())
            || (json.get("mes").is_none()
                && (json.get("user_name").is_some() || json.get("character_name").is_some()));
        if is_header { Ok(Self { json }) } else { Err(HeaderProblem::Missing) }
    }

    /// `chat_metadata`; absent in the oldest chats.
    pub fn metadata(&self) -> Option<Json<'a>> {
        self.json.some("chat_metadata")
    }

    /// A value of the metadata, unless missing or null.
    pub fn meta(&self, path: &[&str]) -> Option<Json<'a>> {
        self.metadata()?.at(path).filter(|value| !value.is_null())
    }

    fn text_of(&self, key: &str) -> Option<String> {
        let text = self.meta(&[key])?.str()?;
        (!text.is_empty()).then(|| text.into_owned())
    }

    /// The name of the chat's lorebook.
    pub fn lorebook(&self) -> Option<String> {
        self.text_of("world_info")
    }

    /// The parent's name, in a checkpoint or branch.
    pub fn main_chat(&self) -> Option<String> {
        self.text_of("main_chat")
    }

    /// The integrity slug: which chat this is, to SillyTavern's server.
    pub fn slug(&self) -> Option<String> {
        self.text_of("integrity")
    }
}

/// A header whose metadata is edited key by key.
#[derive(Debug, Clone)]
pub struct HeaderEdit {
    text: String,
}

impl HeaderEdit {
    /// Begins with a header's text; what is not set stays byte for byte.
    pub fn new(text: &str) -> Self {
        Self { text: text.to_owned() }
    }

    /// Sets a key of the metadata to JSON text.
    pub fn set(&mut self, path: &[&str], value: &str) -> Result<(), JsonError> {
        self.text = set(&self.text, &in_metadata(path), value)?;
        Ok(())
    }

    /// Sets a text in the metadata, and makes the objects on the way to it.
    pub fn set_text(&mut self, path: &[&str], value: &str) -> Result<(), JsonError> {
        self.set(path, &quote(value))
    }

    /// Removes a key of the metadata; that it was not there is no error.
    pub fn remove(&mut self, path: &[&str]) -> Result<(), JsonError> {
        self.text = crate::json::remove(&self.text, &in_metadata(path))?;
        Ok(())
    }

    /// Changes the metadata where it stands.
    pub fn splice(&mut self, change: impl for<'a> FnOnce(&mut Splices<'a>, Json<'a>)) {
        let before = std::mem::take(&mut self.text);
        let mut splices = Splices::new(&before);
        if let Some(metadata) = Header::read(&before).ok().and_then(|header| header.metadata()) {
            change(&mut splices, metadata);
        }
        self.text = splices.apply();
    }

    /// The header as it is by now.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The same, to keep.
    pub fn into_text(self) -> String {
        self.text
    }
}

fn in_metadata<'p>(path: &[&'p str]) -> Vec<&'p str> {
    std::iter::once("chat_metadata").chain(path.iter().copied()).collect()
}

/// One message line.
#[derive(Debug, Clone, Copy)]
pub struct Message<'a> {
    /// The whole line.
    pub json: Json<'a>,
}

impl<'a> Message<'a> {
    /// Reads a message line; what is no JSON is refused.
    pub fn read(line: &'a str) -> Result<Self, JsonError> {
        Ok(Self { json: Json::parse(line)? })
    }

    /// Where extensions keep what they know of the message.
    pub fn extra(&self) -> Option<Json<'a>> {
        self.json.some("extra")
    }

    /// `extra` of every swipe, the selected one's old copy included.
    pub(crate) fn swipe_extras(&self) -> Vec<Json<'a>> {
        let infos = self.json.get("swipe_info").map(Json::items).unwrap_or_default();
        infos.into_iter().filter_map(|info| info.some("extra")).collect()
    }

    /// The checkpoint this message links to.
    pub fn checkpoint(&self) -> Option<Cow<'a, str>> {
        self.extra()?.some("bookmark_link")?.str().filter(|name| !name.is_empty())
    }
}

/// Why a message has no such swipe.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SwipeProblem {
    /// It has only so many.
    NoSuchSwipe(usize),
    /// The swipe is there, and is no text.
    NoText,
    /// The message's line is not JSON.
    Json(JsonError),
}

impl From<&SwipeProblem> for Sentence {
    fn from(problem: &SwipeProblem) -> Self {
        match problem {
            SwipeProblem::NoSuchSwipe(count) => say!("the message has {0} swipes", count),
            SwipeProblem::NoText => say!("the swipe has no text"),
            SwipeProblem::Json(why) => why.into(),
        }
    }
}

speaks!(SwipeProblem);

impl From<JsonError> for SwipeProblem {
    fn from(error: JsonError) -> Self {
        Self::Json(error)
    }
}

/// The message with swipe `swipe` selected, as SillyTavern does it for a branch of a swipe: text,
/// dates and `extra` come from the swipe; what it does not have, the message loses. If it is the one
/// that is shown, the line stays as it is: what belongs to it stands in the message itself, and its
/// place in `swipe_info` is an old copy, or empty.
pub fn with_swipe(line: &str, swipe: usize) -> Result<String, SwipeProblem> {
    let message = Json::parse(line)?;
    let swipes = message.get("swipes").map(Json::items).unwrap_or_default();
    let text = swipes.get(swipe).ok_or(SwipeProblem::NoSuchSwipe(swipes.len()))?;
    if text.str().is_none() {
        return Err(SwipeProblem::NoText);
    }
    if shown_swipe(message, &swipes) == Some(swipe) {
        return Ok(line.to_owned());
    }
    let infos = message.get("swipe_info").map(Json::items).unwrap_or_default();
    // Without any swipe_info SillyTavern fills it in, with the message's own date.
    let fallback = message.get("send_date").filter(|_| infos.is_empty());
    let info = infos.get(swipe).copied();

    let mut out = set(line, &["swipe_id"], &swipe.to_string())?;
    out = set(&out, &["mes"], text.text())?;
    for key in ["send_date", "gen_started", "gen_finished"] {
        let value = info.and_then(|info| info.get(key));
        let value = if key == "send_date" { value.or(fallback) } else { value };
        out = match value {
            Some(value) => set(&out, &[key], value.text())?,
            None => crate::json::remove(&out, &[key])?,
        };
    }
    let extra = info.and_then(|info| info.some("extra")).map_or("{}", Json::text);
    Ok(set(&out, &["extra"], extra)?)
}

/// The swipe that a message shows: by its number; if that leads nowhere, by its text.
fn shown_swipe(message: Json<'_>, swipes: &[Json<'_>]) -> Option<usize> {
    let id = message.some("swipe_id");
    let number = id.and_then(|id| id.count().or_else(|| id.str()?.parse().ok()));
    number.filter(|number| *number < swipes.len()).or_else(|| {
        let text = message.get("mes")?.units()?;
        swipes.iter().position(|swipe| swipe.units().as_ref() == Some(&text))
    })
}

/// The message with its checkpoint link set.
pub(crate) fn with_checkpoint(line: &str, checkpoint: &str) -> Result<String, JsonError> {
    set(&with_extra(line)?, &["extra", "bookmark_link"], &quote(checkpoint))
}

/// The message with one more branch in its list.
pub(crate) fn with_branch(line: &str, branch: &str) -> Result<String, JsonError> {
    let line = with_extra(line)?;
    let branches =
        Json::parse(&line)?.at(&["extra", "branches"]).map(Json::items).unwrap_or_default();
    let mut names: Vec<String> = branches.iter().map(|name| name.text().to_owned()).collect();
    names.push(quote(branch));
    set(&line, &["extra", "branches"], &format!("[{}]", names.join(",")))
}

/// All timelines that a message links to, in any swipe; none if it cannot be read.
pub fn links(line: &str) -> Vec<String> {
    let Ok(message) = Message::read(line) else { return Vec::new() };
    let mut names = Vec::new();
    for extra in message.extra().into_iter().chain(message.swipe_extras()) {
        let branches = extra.get("branches").map(Json::items).unwrap_or_default();
        let all = extra.get("bookmark_link").into_iter().chain(branches);
        names.extend(all.filter_map(Json::str).map(|name| name.into_owned()));
    }
    names
}

/// The message whose links to a timeline lead to its new name, or are gone, in the selected swipe and
/// in all others; `None` if it has none.
pub(crate) fn relinked(
    line: &str,
    is_it: impl Fn(&str) -> bool,
    to: Option<&str>,
) -> Result<Option<String>, JsonError> {
    let message = Message::read(line)?;
    let says = |link: Json<'_>| link.str().is_some_and(|name| is_it(&name));
    let mut splices = Splices::new(line);
    for extra in message.extra().into_iter().chain(message.swipe_extras()) {
        match (extra.get("bookmark_link").filter(|link| says(*link)), to) {
            (Some(link), Some(to)) => splices.replace(link, quote(to)),
            (Some(_), None) => splices.cut_members(extra, |member| member.is("bookmark_link")),
            (None, _) => {}
        }
        let Some(branches) = extra.get("branches") else { continue };
        let items = branches.items();
        if items.iter().any(|item| says(*item)) {
            let new = |item: &Json<'_>| match (says(*item), to) {
                (false, _) => Some(item.text().to_owned()),
                (true, to) => to.map(quote),
            };
            let kept: Vec<String> = items.iter().filter_map(new).collect();
            // A message whose only member this was keeps an empty list, as SillyTavern would.
            splices.replace(branches, format!("[{}]", kept.join(",")));
        }
    }
    Ok((!splices.is_empty()).then(|| splices.apply()))
}

/// Old messages have no `extra`, or something else in its place, which SillyTavern replaces too.
fn with_extra(line: &str) -> Result<String, JsonError> {
    match Json::parse(line)?.get("extra") {
        Some(extra) if extra.is_object() => Ok(line.to_owned()),
        Some(list) if !list.items().is_empty() => Err(JsonError::NotAnObject("extra".to_owned())),
        _ => set(line, &["extra"], "{}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_of_all_years_are_read() {
        let new = r#"{"chat_metadata":{"world_info":"Lore","integrity":"s"},"user_name":"unused","character_name":"unused"}"#;
        let old =
            r#"{"user_name":"You","character_name":"Mira","create_date":"x","chat_metadata":{}}"#;
        let oldest = r#"{"user_name":"You","character_name":"Mira","create_date":1}"#;
        assert_eq!(Header::read(new).unwrap().lorebook().unwrap(), "Lore");
        assert_eq!(Header::read(old).unwrap().lorebook(), None);
        let mut edit = HeaderEdit::new(oldest);
        edit.set_text(&["world_info"], "Lore").unwrap();
        assert_eq!(
            edit.text(),
            r#"{"user_name":"You","character_name":"Mira","create_date":1,"chat_metadata":{"world_info":"Lore"}}"#
        );
    }

    #[test]
    fn what_is_not_a_header_is_refused() {
        assert_eq!(Header::read("").unwrap_err(), HeaderProblem::Empty);
        assert_eq!(
            Header::read("\u{feff}{\"chat_metadata\":{}}").unwrap_err(),
            HeaderProblem::ByteOrderMark
        );
        assert_eq!(Header::read(r#"{"name":"A","mes":"hi"}"#).unwrap_err(), HeaderProblem::Missing);
        assert!(matches!(Header::read("{"), Err(HeaderProblem::Malformed(_))));
        assert!(matches!(Header::read("[]"), Err(HeaderProblem::Missing)));
    }

    #[test]
    fn r086_links_are_added_and_the_rest_stays() {
        let line = r#"{"mes":"\ud83d","x":1.0,"extra":{"a":1e5}}"#;
        assert_eq!(
            with_checkpoint(line, "C").unwrap(),
            r#"{"mes":"\ud83d","x":1.0,"extra":{"a":1e5,"bookmark_link":"C"}}"#
        );
        let once = with_branch(line, "B1").unwrap();
        assert_eq!(
            with_branch(&once, "B2").unwrap(),
            r#"{"mes":"\ud83d","x":1.0,"extra":{"a":1e5,"branches":["B1","B2"]}}"#
        );
        assert_eq!(links(&with_checkpoint(&once, "C").unwrap()), ["C", "B1"]);
        assert_eq!(with_branch(r#"{"extra":""}"#, "B").unwrap(), r#"{"extra":{"branches":["B"]}}"#);
        assert_eq!(
            with_checkpoint(r#"{"mes":1}"#, "B").unwrap(),
            r#"{"mes":1,"extra":{"bookmark_link":"B"}}"#
        );
    }

    #[test]
    fn a_swipe_is_selected_as_sillytavern_does() {
        let line = r#"{"mes":"one","send_date":"d0","gen_started":"g","extra":{"k":1},"swipe_id":0,"swipes":["one","two"],"swipe_info":[{"send_date":"d0","extra":{}},{"send_date":"d1","extra":{"k":2.0}}]}"#;
        assert_eq!(
            with_swipe(line, 1).unwrap(),
            r#"{"mes":"two","send_date":"d1","extra":{"k":2.0},"swipe_id":1,"swipes":["one","two"],"swipe_info":[{"send_date":"d0","extra":{}},{"send_date":"d1","extra":{"k":2.0}}]}"#
        );
        assert_eq!(with_swipe(line, 2).unwrap_err(), SwipeProblem::NoSuchSwipe(2));
        assert_eq!(with_swipe(r#"{"mes":"a"}"#, 0).unwrap_err(), SwipeProblem::NoSuchSwipe(0));
        assert_eq!(with_swipe(r#"{"swipes":[null]}"#, 0).unwrap_err(), SwipeProblem::NoText);
    }

    #[test]
    fn the_swipe_that_is_shown_stays_byte_for_byte() {
        for (id, info) in [
            ("1", r#"[{"extra":{}},{"extra":{}}]"#),
            ("1", "[{}]"),
            ("1", "[]"),
            ("1", "null"),
            ("1.0", "[{},{}]"),
            (r#""1""#, "[{},{}]"),
            ("7", "[{},{}]"),
            ("-1", "[{},{}]"),
            ("null", "[{},{}]"),
        ] {
            let line = format!(
                r#"{{"mes":"tw\u006f","swipe_id":{id},"send_date":1.0,"extra":{{"auto_recap_memory":{{"scene_break":true}}}},"swipes":["one","two"],"swipe_info":{info}}}"#
            );
            assert_eq!(with_swipe(&line, 1).unwrap(), line);
            assert!(with_swipe(&line, 0).unwrap().contains(r#""mes":"one""#), "{line}");
        }
        let none = r#"{"mes":"edited","extra":{"k":1},"swipes":["one","two"]}"#;
        assert!(with_swipe(none, 1).unwrap().contains(r#""mes":"two""#));
    }
}
