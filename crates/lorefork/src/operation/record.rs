//! One operation as data: what it does to which files, enough to finish it, to take it back, and
//! to tell of it later. Stored before the first write, and again, as done, after the last.

use super::intent::hash;
use super::kind::What;
use super::title;
use crate::json::{Json, Object, Style, array, js, laid_out, quote};
use crate::say;
use crate::sentence::Sentence;
use crate::tavern::place::{ChatRef, FileRef, Owner};

/// The version of these records. Version 1 was that of forks alone.
pub const VERSION: i64 = 2;

/// One operation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Operation {
    /// Its own; its end tells the order of operations.
    pub id: String,
    /// Which kind of operation.
    pub what: What,
    /// To what, in words: a chat, a lorebook.
    pub title: Sentence,
    /// Milliseconds since 1970.
    pub time: u64,
    /// The operation that this one takes back.
    pub undoes: Option<String>,
    /// In the order in which they are written.
    pub files: Vec<Touched>,
    /// Whether it stands; else it was begun, and has to be healed.
    pub done: bool,
}

/// A file and what happens to it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Touched {
    /// Which file.
    pub file: FileRef,
    /// What happens to it.
    pub change: Change,
    /// Of a lorebook that was not there: who named it all the same, in words, each on a line. They
    /// may go on when it is taken back. `None` where nobody looked.
    pub named_by: Option<String>,
}

/// What happens to a file. A lorebook or group is recognised by what it [says](content), a chat
/// by its stamp.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Change {
    /// It is new. For a chat of which nothing is known any more, `None`.
    Created {
        /// What was written.
        is: Option<String>,
    },
    /// It comes back from the trash of operation `from`.
    Restored {
        /// The operation in whose trash it was.
        from: String,
        /// What it is.
        is: String,
    },
    /// Its former text is in the trash of this operation.
    Replaced {
        /// What it was before.
        was: String,
        /// What was written.
        is: String,
    },
    /// Some lines of a chat; the stamps before and after, where they are known.
    Lines {
        /// The stamp before.
        from: Option<String>,
        /// The stamp after.
        to: Option<String>,
        /// Which lines, each with what it was.
        lines: Vec<LineChange>,
    },
    /// A chat was entered into the list of a group; `was` is that list, if it had none before and
    /// nothing else would tell how it was written.
    Listed {
        /// The chat's name, as the list has it.
        chat: String,
        /// The list as it was.
        was: Option<String>,
    },
    /// It is in the trash of this operation.
    Removed {
        /// What it was.
        was: String,
    },
}

/// A line of a chat that changes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LineChange {
    /// `None` is the header.
    pub message: Option<usize>,
    /// The former text, byte for byte.
    pub was: String,
    /// What the new one [says](content).
    pub is: String,
}

/// Tells what a text says, to JavaScript: a server may print ours anew.
pub fn content(text: &str) -> String {
    let printed = Json::parse(text).ok().and_then(|json| js::stringify(json, Style::Compact).ok());
    hash(printed.as_deref().unwrap_or(text))
}

/// Whether a text says what was recorded.
pub(crate) fn says(text: &str, recorded: &str) -> bool {
    // Records of forks have the hash of the very bytes, which SillyTavern spreads over lines in a
    // file and joins in an answer.
    let spread = || {
        let json = Json::parse(text).ok()?;
        js::stringify(json, Style::TAVERN).ok().map(|printed| hash(&printed))
    };
    hash(text) == recorded
        || content(text) == recorded
        || spread().is_some_and(|hash| hash == recorded)
}

impl Operation {
    /// The text that is stored.
    pub fn text(&self) -> String {
        let files: Vec<String> = self.files.iter().map(Touched::text).collect();
        let mut record = Object::new();
        record.number("v", VERSION).text("id", &self.id).text("what", self.what.name());
        title::write(&self.title, &mut record);
        let time = self.time.to_string();
        let text = record
            .raw("time", &time)
            .text_or_null("undoes", self.undoes.as_deref())
            .raw("files", &array(&files))
            .flag("done", self.done)
            .done();
        laid_out(&text, Style::Indented(2), 0).unwrap_or(text)
    }

    /// Whether a stored text is one of these, and not of a fork that has begun.
    pub fn is_one(text: &str) -> bool {
        Json::parse(text).is_ok_and(|json| json.get("files").is_some())
    }

    /// Reads one back; a newer Lorefork's is an error, since we would lose what we do not know.
    pub fn read(text: &str) -> Result<Self, Sentence> {
        let json = Json::parse(text).map_err(|problem| Sentence::from(&problem))?;
        if json.get("v").and_then(Json::integer).is_none_or(|v| v > VERSION) {
            return Err(say!("it was made by a newer Lorefork"));
        }
        Self::from(json).ok_or_else(|| say!("something is missing in it"))
    }

    fn from(json: Json<'_>) -> Option<Self> {
        let files: Option<Vec<Touched>> =
            json.get("files")?.items().into_iter().map(Touched::from).collect();
        Some(Self {
            id: string(json, "id")?,
            what: What::named(&string(json, "what")?)?,
            title: title::read(json)?,
            time: u64::try_from(json.get("time")?.integer()?).ok()?,
            undoes: string(json, "undoes"),
            files: files?,
            done: json.get("done").and_then(Json::bool).unwrap_or_default(),
        })
    }
}

impl Touched {
    /// A file of which nobody looked who names it.
    pub fn new(file: FileRef, change: Change) -> Self {
        Self { file, change, named_by: None }
    }

    /// Whether something was there before that could be saved.
    pub(super) fn has_former(&self) -> bool {
        match self.change {
            Change::Replaced { .. } | Change::Removed { .. } => {
                !matches!(self.file, FileRef::Group(_))
            }
            Change::Lines { .. } => true,
            _ => false,
        }
    }

    /// Whether a lorebook is there that was not.
    pub(super) fn brings_lorebook(&self) -> bool {
        matches!(self.file, FileRef::Lorebook(_))
            && matches!(self.change, Change::Created { .. } | Change::Restored { .. })
    }

    /// Whether it was so before: `by` named the lorebook that was not there.
    pub(super) fn was_named(&self, by: &str) -> bool {
        self.named_by.as_ref().is_some_and(|all| all.lines().any(|before| before == by))
    }

    fn text(&self) -> String {
        let file = match &self.file {
            FileRef::Chat(chat) => format!("\"chat\":{}", chat_text(chat)),
            FileRef::Lorebook(name) => format!("\"lorebook\":{}", quote(name)),
            FileRef::Group(id) => format!("\"group\":{}", quote(id)),
        };
        let change = match &self.change {
            Change::Created { is } => {
                format!("\"change\":\"created\",\"is\":{}", or_null(is.as_deref()))
            }
            Change::Restored { from, is } => {
                format!("\"change\":\"restored\",\"from\":{},\"is\":{}", quote(from), quote(is))
            }
            Change::Replaced { was, is } => {
                format!("\"change\":\"replaced\",\"was\":{},\"is\":{}", quote(was), quote(is))
            }
            Change::Lines { from, to, lines } => {
                let lines: Vec<String> = lines.iter().map(LineChange::text).collect();
                format!(
                    "\"change\":\"lines\",\"from\":{},\"to\":{},\"lines\":[{}]",
                    or_null(from.as_deref()),
                    or_null(to.as_deref()),
                    lines.join(",")
                )
            }
            Change::Listed { chat, was } => {
                let was = was.as_ref().map(|was| format!(",\"was\":{}", quote(was)));
                let was = was.unwrap_or_default();
                format!("\"change\":\"listed\",\"name\":{}{was}", quote(chat))
            }
            Change::Removed { was } => format!("\"change\":\"removed\",\"was\":{}", quote(was)),
        };
        match &self.named_by {
            Some(who) => format!("{{{file},{change},\"named_by\":{}}}", quote(who)),
            None => format!("{{{file},{change}}}"),
        }
    }

    fn from(json: Json<'_>) -> Option<Self> {
        let file = if let Some(chat) = json.get("chat") {
            FileRef::Chat(chat_from(chat)?)
        } else if let Some(name) = string(json, "lorebook") {
            FileRef::Lorebook(name)
        } else {
            FileRef::Group(string(json, "group")?)
        };
        let change = match string(json, "change")?.as_str() {
            "created" => Change::Created { is: string(json, "is") },
            "restored" => Change::Restored { from: string(json, "from")?, is: string(json, "is")? },
            "replaced" => Change::Replaced { was: string(json, "was")?, is: string(json, "is")? },
            "lines" => {
                let lines = json.get("lines")?.items();
                let lines: Option<Vec<LineChange>> =
                    lines.into_iter().map(LineChange::from).collect();
                Change::Lines { from: string(json, "from"), to: string(json, "to"), lines: lines? }
            }
            "listed" => Change::Listed { chat: string(json, "name")?, was: string(json, "was") },
            "removed" => Change::Removed { was: string(json, "was")? },
            _ => return None,
        };
        Some(Self { file, change, named_by: string(json, "named_by") })
    }
}

impl LineChange {
    fn text(&self) -> String {
        let message = self.message.map_or("null".to_owned(), |message| message.to_string());
        format!("{{\"message\":{message},\"was\":{},\"is\":{}}}", quote(&self.was), quote(&self.is))
    }

    fn from(json: Json<'_>) -> Option<Self> {
        let message = match json.some("message") {
            Some(message) => Some(usize::try_from(message.integer()?).ok()?),
            None => None,
        };
        Some(Self { message, was: string(json, "was")?, is: string(json, "is")? })
    }
}

fn chat_text(chat: &ChatRef) -> String {
    let (kind, owner) = match &chat.owner {
        Owner::Character(folder) => ("character", folder),
        Owner::Group(id) => ("group", id),
    };
    format!("{{\"owner\":{{\"{kind}\":{}}},\"name\":{}}}", quote(owner), quote(&chat.name))
}

fn chat_from(json: Json<'_>) -> Option<ChatRef> {
    let owner = json.get("owner")?;
    let owner = match string(owner, "character") {
        Some(folder) => Owner::Character(folder),
        None => Owner::Group(string(owner, "group")?),
    };
    Some(ChatRef::new(owner, string(json, "name")?))
}

fn string(json: Json<'_>, key: &str) -> Option<String> {
    Some(json.get(key)?.str()?.into_owned())
}

fn or_null(text: Option<&str>) -> String {
    text.map_or("null".to_owned(), quote)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_sillytavern_printed_anew_still_says_the_same() {
        let spread = "{\n    \"entries\": {\n        \"0\": {}\n    }\n}";
        let joined = r#"{"entries":{"0":{}}}"#;
        for recorded in [hash(spread), hash(joined), content(spread)] {
            assert!(says(spread, &recorded) && says(joined, &recorded));
            assert!(!says(r#"{"entries":{"1":{}}}"#, &recorded));
        }
    }

    #[test]
    fn a_record_is_read_back_as_it_was() {
        let chat = ChatRef::new(Owner::Character("Mira".into()), "a “b”");
        let group = ChatRef::new(Owner::Group("17".into()), "g");
        let lines = vec![
            LineChange { message: None, was: "{\"x\":\"\\ud83d\"}\r".into(), is: "h".into() },
            LineChange { message: Some(3), was: String::new(), is: "i".into() },
        ];
        let file = Touched::new;
        let operation = Operation {
            id: "abcd-1".into(),
            what: What::Rewind,
            title: Sentence::quoted("Mira/a"),
            time: 1_794_700_800_246,
            undoes: Some("efgh-2".into()),
            files: vec![
                Touched {
                    named_by: Some("the chat “b”\nthe group 17".into()),
                    ..file(FileRef::Lorebook("L".into()), Change::Created { is: Some("h".into()) })
                },
                file(FileRef::Chat(group), Change::Created { is: None }),
                file(
                    FileRef::Lorebook("M".into()),
                    Change::Replaced { was: "1".into(), is: "2".into() },
                ),
                file(
                    FileRef::Chat(chat.clone()),
                    Change::Lines { from: Some("s".into()), to: None, lines },
                ),
                file(
                    FileRef::Group("17".into()),
                    Change::Listed { chat: "g".into(), was: Some("[ ]".into()) },
                ),
                file(FileRef::Chat(chat), Change::Removed { was: "s".into() }),
                file(
                    FileRef::Lorebook("N".into()),
                    Change::Restored { from: "efgh-2".into(), is: "3".into() },
                ),
            ],
            done: true,
        };
        let text = operation.text();
        assert!(Operation::is_one(&text) && text.contains("\n  \"files\": ["));
        assert_eq!(Operation::read(&text).unwrap(), operation);
        let newer = text.replacen("\"v\": 2", "\"v\": 3", 1);
        assert!(Operation::read(&newer).unwrap_err().to_string().contains("newer"));
    }

    #[test]
    fn what_a_text_says_does_not_depend_on_its_printing() {
        assert_eq!(content("{ \"a\": 1.0 }"), content("{\"a\":1}"));
        assert_ne!(content("{\"a\":1}"), content("{\"a\":2}"));
        assert!(says("not json", &content("not json")));
    }
}
