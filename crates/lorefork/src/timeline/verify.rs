//! Verifying: is a timeline still what its record says?

use super::header::header;
use super::record::Record;
use crate::choice::Choice;
use crate::error::{Code, Error};
use crate::host::{ChatView, Host, HostErrorKind};
use crate::json::sentences_json;
use crate::json::{Json, Object, array_of_texts, plain_text};
use crate::memory::checkpoints::State;
use crate::memory::fingerprint::is_as;
use crate::memory::running::{self, Running};
use crate::sentence::Sentence;
use crate::tavern::chat::Header;
use crate::tavern::lorebook::Lorebook;
use crate::tavern::names;
use crate::tavern::place::{ChatRef, lorebook_file};
use crate::{say, say_count};

/// The answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Answer {
    /// As it was made.
    Untouched,
    /// The chat went on.
    Continued,
    /// The chat is as recorded, its lore is not.
    Differs,
    /// Something it needs is gone or cannot be read.
    Damaged,
}

impl Answer {
    /// As it stands in records and answers.
    pub fn word(self) -> &'static str {
        match self {
            Self::Untouched => "untouched",
            Self::Continued => "continued",
            Self::Differs => "differs",
            Self::Damaged => "damaged",
        }
    }
}

/// How much a difference matters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    /// What happens when a story goes on.
    Info,
    /// Something it needs is not as it was.
    Warning,
    /// Something it needs is lost.
    Error,
}

/// What was found.
#[derive(Debug, Clone)]
pub struct Verified {
    /// All of it in one word.
    pub state: Answer,
    /// Its name.
    pub chat: String,
    /// Its file, relative to the user folder.
    pub file: String,
    /// The lorebook that its header names.
    pub lorebook: Option<String>,
    /// The last message when it was made, and now.
    pub at: usize,
    /// Now; `None` if the chat has no messages.
    pub last: Option<usize>,
    /// In words.
    pub differences: Vec<Sentence>,
    /// For each of them.
    pub levels: Vec<Level>,
}

impl Verified {
    fn note(&mut self, level: Level, words: Sentence) {
        self.differences.push(words);
        self.levels.push(level);
    }

    /// As answers have it.
    pub fn json(&self) -> String {
        let words: Vec<String> = self.differences.iter().map(Sentence::to_string).collect();
        Object::new()
            .text("state", self.state.word())
            .text("chat", &self.chat)
            .text("file", &self.file)
            .text_or_null("lorebook", self.lorebook.as_deref())
            .count("at", self.at)
            .count_or_null("last", self.last)
            .raw("differences", &array_of_texts(&words))
            .raw("said", &sentences_json(&self.differences))
            .done()
    }
}

/// Compares a timeline of ours with its record. Reads only.
pub async fn verify<H: Host>(host: &H, chat: &ChatRef) -> Result<Verified, Error> {
    let view = host.open(chat).await?;
    let header = header(&view, chat)?;
    let record = Record::own(&header, &chat.name).ok_or_else(|| {
        Error::new(
            Code::NoRecord,
            say!(
                "{0}: this timeline was not made by Lorefork, so there is nothing to compare it \
                 with",
                chat.file(),
            ),
            say!("Isolate it: that gives it its own lorebook and a record, if it shares one."),
        )
        .or(Choice::Isolate)
    })?;
    let mut found = Verified {
        state: Answer::Untouched,
        chat: chat.name.clone(),
        file: chat.file(),
        lorebook: header.lorebook(),
        at: record.at,
        last: view.len().checked_sub(1),
        differences: Vec::new(),
        levels: Vec::new(),
    };
    let grew = view.len() != record.at + 1;
    if grew {
        let words = match found.last {
            Some(last) if last > record.at => {
                say_count!(last - record.at, "{0} message was added", "{0} messages were added")
            }
            _ => say!(
                "it ends at message {0}, but was made with messages up to {1}",
                found.last.map_or(-1, |l| l as i64),
                &record.at,
            ),
        };
        found.note(Level::Info, words);
    }
    let mut damaged = lines_are_damaged(&view, &mut found)?;
    let mut differs = lore_differs(host, &header, &record, &mut found, &mut damaged).await?;
    differs |= recap_differs(&header, &mut found, &mut damaged);
    found.state = if damaged {
        Answer::Damaged
    } else if grew {
        Answer::Continued
    } else if differs {
        Answer::Differs
    } else {
        Answer::Untouched
    };
    Ok(found)
}

/// Whether a timeline of ours says what it said when it was made, though its file may have been
/// saved again since: its lore is untouched, and every message is its parent's.
pub(crate) async fn is_as_made<H: Host>(host: &H, view: &H::Chat) -> Result<bool, Error> {
    let chat = view.chat();
    match verify(host, chat).await {
        Ok(verified) if verified.state == Answer::Untouched => {}
        Ok(_) => return Ok(false),
        Err(error) if error.code == Code::NoRecord => return Ok(false),
        Err(error) => return Err(error),
    }
    let header = header(view, chat)?;
    let parent = Record::own(&header, &chat.name).and_then(|record| record.parent);
    let Some(parent) = parent else { return Ok(false) };
    let parent = ChatRef::new(chat.owner.clone(), parent.chat);
    let Ok(parent) = host.open(&parent).await else { return Ok(false) };
    for at in 0..view.len() {
        let is_there = at < parent.len();
        if !is_there || !says_the_same(&view.line(at)?, &parent.line(at)?) {
            return Ok(false);
        }
    }
    Ok(true)
}

/// The same text; a fork of a swipe shows another of the same swipes.
fn says_the_same(a: &str, b: &str) -> bool {
    if a == b {
        return true;
    }
    let (Ok(a), Ok(b)) = (Json::parse(a), Json::parse(b)) else { return false };
    let text =
        |json: Json<'_>, key: &str| json.get(key).and_then(Json::str).map(|text| text.into_owned());
    let swipes = |json: Json<'_>| -> Vec<String> {
        let swipes = json.get("swipes").map(Json::items).unwrap_or_default();
        swipes.iter().filter_map(|swipe| Some(swipe.str()?.into_owned())).collect()
    };
    let shown = text(a, "mes");
    let is_swipe = shown.as_ref().is_some_and(|shown| swipes(b).contains(shown));
    text(a, "name") == text(b, "name")
        && swipes(a) == swipes(b)
        && (shown == text(b, "mes") || is_swipe)
}

fn lines_are_damaged<C: ChatView>(view: &C, found: &mut Verified) -> Result<bool, Error> {
    let damage = view.check(0..view.len())?;
    if let Some(damage) = &damage {
        found.note(
            Level::Error,
            say!("line {0} of the chat is damaged: {1}", &damage.line, &damage.problem),
        );
    }
    Ok(damage.is_some())
}

async fn lore_differs<H: Host>(
    host: &H,
    header: &Header<'_>,
    record: &Record,
    found: &mut Verified,
    damaged: &mut bool,
) -> Result<bool, Error> {
    let recorded = State::of(header).and_then(State::copy);
    let rewound = record.rewound_to(header);
    if let Some(at) = rewound {
        found.note(Level::Info, say!("its lore was set back to message {0}", &at));
    }
    let mut differs = rewound.is_some();
    if recorded != header.lorebook() && record.lore.hash.is_some() {
        let made = recorded.unwrap_or_default();
        let words = match header.lorebook() {
            Some(now) => {
                say!("it was made with the lorebook “{0}”, and now names “{1}”", made, now)
            }
            None => say!("it was made with the lorebook “{0}”, and now names none", made),
        };
        found.note(Level::Warning, words);
        differs = true;
    }
    let (Some(name), Some(hash)) = (header.lorebook(), &record.lore.hash) else {
        return Ok(differs);
    };
    let file = names::lorebook_name(&name).unwrap_or_default();
    let document = match host.lorebook(&file).await {
        Ok(document) => document,
        Err(error) if error.kind == HostErrorKind::Damaged => {
            found.note(Level::Error, error.sentence());
            *damaged = true;
            return Ok(true);
        }
        Err(error) => return Err(error.into()),
    };
    let Some(document) = document else {
        found.note(Level::Error, say!("its lorebook is gone: {0}", lorebook_file(&file)));
        *damaged = true;
        return Ok(true);
    };
    match Lorebook::read(&document.text) {
        Err(problem) => {
            found.note(Level::Error, say!("{0}: {1}", lorebook_file(&file), &problem));
            *damaged = true;
            Ok(true)
        }
        Ok(book) if !is_as(&book, hash) => {
            // Entries are added as soon as the story goes on.
            let grew = found.last != Some(found.at);
            let level = if grew { Level::Info } else { Level::Warning };
            found.note(level, say!("its lorebook has other entries than when it was made"));
            Ok(true)
        }
        Ok(_) => Ok(differs),
    }
}

/// The recorded version of the running recap must still be there and say the same. That a
/// newer one is in use is what happens when a story goes on.
fn recap_differs(header: &Header<'_>, found: &mut Verified, damaged: &mut bool) -> bool {
    let Some(state) = State::of(header) else { return false };
    let Some(number) = state.version() else { return false };
    let recorded = state.recap().map(|text| running::hash(&text));
    let running = Running::of(header);
    let version = running
        .as_ref()
        .and_then(|running| running.versions.iter().find(|version| version.number == Some(number)));
    let Some(version) = version else {
        found.note(Level::Error, say!("version {0} of the running recap is gone", &number));
        *damaged = true;
        return true;
    };
    let now = version.content.as_deref().and_then(plain_text).map(|text| running::hash(&text));
    let mut differs = false;
    if now != recorded {
        found.note(
            Level::Error,
            say!(
                "version {0} of the running recap says something else than when the timeline was \
                 made",
                &number,
            ),
        );
        differs = true;
    }
    if running.as_ref().and_then(|running| running.current) != Some(number) {
        found.note(Level::Info, say!("a newer version of the running recap is in use"));
    }
    differs
}
