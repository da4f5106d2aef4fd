//! What an operation is about to do. Stored before the first write, kept as its record afterwards.

use crate::json::{Json, JsonError, Object, Style, array, laid_out};
use crate::say;
use crate::sentence::Sentence;

use super::kind::What;
use super::record::{Change, LineChange, Operation, Touched, says};
use crate::moment::live::RECORD_VERSION;
use crate::tavern::place::{ChatRef, FileRef};

/// One operation, enough to finish it or take it back.
#[derive(Debug, Clone, PartialEq)]
pub struct Intent {
    /// The version of this format.
    pub v: u32,
    /// The operation's own; its end tells the order of operations.
    pub id: String,
    /// Which kind of operation.
    pub what: What,
    /// Milliseconds since 1970.
    pub time: u64,
    /// The timeline that is made, or changed.
    pub chat: ChatRef,
    /// The slug it gets, by which it is recognised.
    pub slug: String,
    /// The fork point.
    pub at: usize,
    /// The lorebook that is made.
    pub lorebook: Option<NewFile>,
    /// The group whose list the timeline enters.
    pub group: Option<String>,
    /// That list, if it has no chat yet and nothing else would tell how it is written.
    pub bare_list: Option<String>,
    /// The link that its parent gets, if it gets one.
    pub link: Option<LinkIntent>,
    /// Lines that change of the chat that is there already: the parent, or, in isolations as they were
    /// noted up to 0.2.0, the timeline itself.
    pub changes: Vec<LineChange>,
    /// Whether it stands, and this is its record.
    pub done: bool,
}

/// A file of ours, recognised by its content.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewFile {
    /// The lorebook, by its name.
    pub name: String,
    /// What it [hashes](hash) to.
    pub hash: String,
}

impl NewFile {
    /// A lorebook that is about to be made, with this text.
    pub fn new(name: &str, text: &str) -> Self {
        Self { name: name.to_owned(), hash: hash(text) }
    }

    /// Whether this text is what was written.
    pub fn is(&self, text: &str) -> bool {
        says(text, &self.hash)
    }
}

/// Tells one text from another.
pub fn hash(text: &str) -> String {
    blake3::hash(text.as_bytes()).to_hex().to_string()
}

/// The link that the parent gets last.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LinkIntent {
    /// The timeline that gets it.
    pub parent: ChatRef,
    /// Its new slug, if it is changed from outside.
    pub slug: Option<String>,
    /// The id of the family, if the parent has none yet.
    pub id: String,
    /// The hash of message N as it was judged. If it says something else later, it is not linked.
    pub message: String,
}

/// What became of an intent, besides what it says itself.
#[derive(Debug, Clone, Default)]
pub struct Made {
    /// The stamp of the new timeline.
    pub chat: Option<String>,
    /// Whether the lines were changed, and the stamps before and after, where they are known.
    pub edited: Option<(Option<String>, Option<String>)>,
}

impl NewFile {
    fn json(&self) -> String {
        Object::new().text("name", &self.name).text("hash", &self.hash).done()
    }

    fn read(json: Json<'_>) -> Option<Self> {
        Some(Self { name: text(json, "name")?, hash: text(json, "hash")? })
    }
}

impl LinkIntent {
    fn json(&self) -> String {
        Object::new()
            .raw("parent", &self.parent.json())
            .text_or_null("slug", self.slug.as_deref())
            .text("id", &self.id)
            .text("message", &self.message)
            .done()
    }

    fn read(json: Json<'_>) -> Option<Self> {
        Some(Self {
            parent: ChatRef::read(json.get("parent")?)?,
            slug: text(json, "slug"),
            id: text(json, "id")?,
            message: text(json, "message")?,
        })
    }
}

fn line_json(chat: &ChatRef, line: &LineChange) -> String {
    Object::new()
        .raw("chat", &chat.json())
        .count_or_null("message", line.message)
        .text("before", &line.was)
        .text("after", &line.is)
        .done()
}

/// Old ones do not say what they meant; such a line is not taken back.
fn read_line(json: Json<'_>) -> Option<Option<LineChange>> {
    let message = match json.some("message") {
        Some(message) => Some(message.count()?),
        None => None,
    };
    let was = text(json, "before")?;
    Some(text(json, "after").map(|is| LineChange { message, was, is }))
}

impl Intent {
    /// The record of a fork that is done, or of an isolation that a Lorefork up to 0.2.0 began.
    pub fn operation(&self, made: &Made) -> Operation {
        let mut files = Vec::new();
        let mut add = |file, change| files.push(Touched::new(file, change));
        if let Some(book) = &self.lorebook {
            let is = Some(book.hash.clone());
            add(FileRef::Lorebook(book.name.clone()), Change::Created { is });
        }
        if self.what != What::Isolate {
            let is = made.chat.clone();
            add(FileRef::Chat(self.chat.clone()), Change::Created { is });
        }
        if let Some(group) = &self.group {
            let (chat, was) = (self.chat.name.clone(), self.bare_list.clone());
            add(FileRef::Group(group.clone()), Change::Listed { chat, was });
        }
        if let Some((from, to)) = made.edited.as_ref().filter(|_| !self.changes.is_empty()) {
            let (from, to, lines) = (from.clone(), to.clone(), self.changes.clone());
            add(FileRef::Chat(self.changed().clone()), Change::Lines { from, to, lines });
        }
        Operation {
            id: self.id.clone(),
            what: self.what,
            title: Sentence::quoted(self.chat.to_string()),
            time: self.time,
            undoes: None,
            files,
            done: true,
        }
    }

    /// The chat whose lines change.
    fn changed(&self) -> &ChatRef {
        self.link.as_ref().map_or(&self.chat, |link| &link.parent)
    }

    /// The text that is stored.
    pub fn text(&self) -> String {
        let or_null = |json: Option<String>| json.unwrap_or_else(|| "null".to_owned());
        let changes = self.changes.iter().map(|line| line_json(self.changed(), line));
        let changes: Vec<String> = changes.collect();
        let text = Object::new()
            .count("v", self.v as usize)
            .text("id", &self.id)
            .text("what", self.what.name())
            .raw("time", &self.time.to_string())
            .raw("chat", &self.chat.json())
            .text("slug", &self.slug)
            .count("at", self.at)
            .raw("lorebook", &or_null(self.lorebook.as_ref().map(NewFile::json)))
            .text_or_null("group", self.group.as_deref())
            .text_or_null("bareList", self.bare_list.as_deref())
            .raw("link", &or_null(self.link.as_ref().map(LinkIntent::json)))
            .raw("changes", &array(&changes))
            .flag("done", self.done)
            .done();
        // There is nothing in it that is not JSON.
        laid_out(&text, Style::Indented(2), 0).unwrap_or_default()
    }

    /// Reads one back; a newer Lorefork's is an error, since we would lose what we do not know.
    pub fn read(text: &str) -> Result<Self, Sentence> {
        let json = Json::parse(text).map_err(|problem: JsonError| Sentence::from(&problem))?;
        if json.get("v").and_then(Json::integer) > Some(i64::from(RECORD_VERSION)) {
            return Err(say!("it was made by a newer Lorefork"));
        }
        Self::of(json).ok_or_else(|| say!("something it needs is missing"))
    }

    fn of(json: Json<'_>) -> Option<Self> {
        let changes = json.get("changes").map(Json::items).unwrap_or_default();
        Some(Self {
            v: u32::try_from(json.get("v")?.integer()?).ok()?,
            id: text(json, "id")?,
            what: What::named(&json.get("what")?.str()?)?,
            time: u64::try_from(json.get("time")?.integer()?).ok()?,
            chat: ChatRef::read(json.get("chat")?)?,
            slug: text(json, "slug")?,
            at: json.get("at")?.count()?,
            lorebook: match json.some("lorebook") {
                Some(book) => Some(NewFile::read(book)?),
                None => None,
            },
            group: text(json, "group"),
            bare_list: text(json, "bareList"),
            link: match json.some("link") {
                Some(link) => Some(LinkIntent::read(link)?),
                None => None,
            },
            changes: changes
                .into_iter()
                .map(read_line)
                .collect::<Option<Vec<_>>>()?
                .into_iter()
                .flatten()
                .collect(),
            done: json.get("done").is_some_and(Json::truthy),
        })
    }
}

fn text(json: Json<'_>, key: &str) -> Option<String> {
    json.get(key)?.str().map(String::from)
}
