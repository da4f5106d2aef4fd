//! What one chat says about its family: read in one pass, line by line, without keeping its text.

use super::identity::Identity;
use super::words::Words;
use crate::json::Json;
use crate::memory::scene::marks;
use crate::moment::film::tombstone::{self, Buried};
use crate::sentence::Sentence;
use crate::tavern::chat::{Header, HeaderProblem, Message};
use crate::tavern::names::Kind;
use crate::tavern::place::ChatRef;
use crate::timeline::record::{self, KEY, Record};
use memchr::memmem;

/// Of every so many messages it is noted where they begin, so that single ones can be read later.
pub const EVERY: usize = 16;

/// What of a header is looked at. Whoever has headers of many chats need not bring the rest along.
pub const HEADER_KEYS: [&str; 5] = ["integrity", "main_chat", "world_info", KEY, tombstone::KEY];

/// Where a chat is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Place {
    /// In its folder.
    Here,
    /// In the trash of this operation.
    Trash(String),
}

/// What one chat says.
#[derive(Debug, Clone)]
pub struct Trace {
    /// Which chat it is, or was.
    pub chat: ChatRef,
    /// Whether it still is where chats are.
    pub place: Place,
    /// What its header says, or why it cannot be read.
    pub head: Result<Head, Sentence>,
    /// The parts of its header that say that, as a header.
    pub header: String,
    /// Which messages it has; none of one that was not read.
    pub messages: Vec<u64>,
    /// How many messages it has, if they were only counted.
    pub counted: Option<usize>,
    /// The first that the user wrote.
    pub first_user: Option<usize>,
    /// Its messages that lead to other timelines.
    pub links: Vec<Link>,
    /// Scenes by the messages that end them.
    pub scenes: Vec<(usize, String)>,
    /// Whether its last line cannot be read, as when somebody stopped in the middle of it.
    pub is_cut: bool,
    /// Where messages 0, 16, 32, … begin in the file.
    pub offsets: Vec<u64>,
    /// The beginnings of messages that somebody wanted to see, by their numbers.
    pub words: Vec<(usize, String)>,
}

/// What its header says.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Head {
    /// The lorebook it names.
    pub lorebook: Option<String>,
    /// The chat it says it came from.
    pub main_chat: Option<String>,
    /// The slug that tells it from copies of itself.
    pub slug: Option<String>,
    /// Its own id, by which its family knows it.
    pub id: Option<String>,
    /// Our record of how it was made, if it is its own.
    pub record: Option<Record>,
    /// What that says of its kind; a record that only holds words of its user may know it, too.
    pub words: Words,
    /// Timelines that shared its lorebook and were deleted.
    pub buried: Vec<Buried>,
}

impl Head {
    /// Of a header, which may be large, the parts that are read here.
    fn part(header: &Header<'_>) -> String {
        let parts = HEADER_KEYS.into_iter().filter_map(|key| {
            let value = header.meta(&[key])?;
            Some(match key {
                // It may be longer than all the rest.
                tombstone::KEY => {
                    format!("\"{key}\":{}", tombstone::brief(&tombstone::buried(header)))
                }
                _ => format!("\"{key}\":{}", value.text()),
            })
        });
        let parts: Vec<String> = parts.collect();
        format!("{{\"chat_metadata\":{{{}}}}}", parts.join(","))
    }
}

/// A message that leads to another timeline.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Link {
    /// The message, from 0.
    pub at: usize,
    /// The name of the timeline it leads to, which need not exist.
    pub to: String,
    /// Whether it is the flag of a checkpoint or the list of branches.
    pub kind: Kind,
}

impl Trace {
    /// Of a chat of which nothing is known so far.
    pub fn new(chat: ChatRef, place: Place) -> Self {
        Self {
            chat,
            place,
            // Until a line is read that says more.
            head: Err(Sentence::from(&HeaderProblem::Empty)),
            header: String::new(),
            messages: Vec::new(),
            counted: None,
            first_user: None,
            links: Vec::new(),
            scenes: Vec::new(),
            is_cut: false,
            offsets: Vec::new(),
            words: Vec::new(),
        }
    }

    /// A chat of which only the header and the number of messages are known, as where a server lists
    /// it: its records and links count, its content is not looked at.
    pub fn listed(chat: ChatRef, place: Place, header: &str, messages: usize) -> Self {
        let mut trace = Self { counted: Some(messages), ..Self::new(chat, place) };
        trace.add_header(header);
        trace
    }

    /// Whether its messages were read, and not only counted.
    pub fn is_read(&self) -> bool {
        self.counted.is_none()
    }

    /// How many messages it has.
    pub fn length(&self) -> usize {
        self.counted.unwrap_or(self.messages.len())
    }

    /// Takes the first line that is not blank.
    pub fn add_header(&mut self, line: &str) {
        let line = line.trim_start_matches('\u{feff}');
        self.head = match Header::read(line) {
            Ok(header) => {
                self.header = Head::part(&header);
                Ok(Head::read(&header, &self.chat.name))
            }
            Err(problem) => Err(Sentence::from(&problem)),
        };
    }

    /// Takes what was kept of its header before.
    pub fn add_kept_header(&mut self, header: String) {
        self.head = match Header::read(&header) {
            Ok(read) => Ok(Head::read(&read, &self.chat.name)),
            Err(problem) => Err(Sentence::from(&problem)),
        };
        self.header = header;
    }

    /// Takes the next line that is not blank, which begins at `offset` of the file.
    pub fn add_message(&mut self, line: &[u8], offset: u64, finders: &Finders) {
        let at = self.messages.len();
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        let identity = Identity::of(line);
        self.messages.push(identity.hash);
        if identity.is_user && self.first_user.is_none() {
            self.first_user = Some(at);
        }
        if at.is_multiple_of(EVERY) {
            self.offsets.push(offset);
        }
        // Both stand in there, or in that of a swipe; what is before is long.
        let Some(extra) = finders.extra.find(line).map(|extra| &line[extra..]) else { return };
        if finders.links.iter().any(|finder| finder.find(extra).is_some()) {
            self.add_links(at, &String::from_utf8_lossy(line));
        }
        if let Some(name) = finders.scene_in(extra) {
            self.scenes.push((at, name));
        }
    }

    fn add_links(&mut self, at: usize, line: &str) {
        let Ok(message) = Message::read(line) else { return };
        for extra in message.extra().into_iter().chain(message.swipe_extras()) {
            let branches = extra.get("branches").map(Json::items).unwrap_or_default();
            let branches = branches.into_iter().map(|link| (link, Kind::Branch));
            let checkpoint = extra.get("bookmark_link").map(|link| (link, Kind::Checkpoint));
            for (link, kind) in checkpoint.into_iter().chain(branches) {
                let Some(to) = link.str().filter(|to| !to.is_empty()) else { continue };
                let link = Link { at, to: to.into_owned(), kind };
                let mut same = self.links.iter().rev().take_while(|other| other.at == at);
                if !same.any(|other| *other == link) {
                    self.links.push(link);
                }
            }
        }
    }
}

impl Head {
    pub(super) fn read(header: &Header<'_>, chat: &str) -> Self {
        let head = Self {
            lorebook: header.lorebook(),
            main_chat: header.main_chat(),
            slug: header.slug(),
            buried: tombstone::buried(header),
            ..Self::default()
        };
        if header.meta(&[KEY]).is_none() {
            return head;
        }
        Self {
            id: record::own_id(header, chat),
            record: Record::own(header, chat),
            words: Words::read(header, chat),
            ..head
        }
    }
}

/// What is looked for in lines: made once for all.
pub struct Finders {
    extra: memmem::Finder<'static>,
    links: [memmem::Finder<'static>; 2],
    /// What stands in a line that ends a scene, and before the scene's name.
    scenes: Vec<[memmem::Finder<'static>; 2]>,
}

impl Default for Finders {
    fn default() -> Self {
        let finder = |mark: &'static str| memmem::Finder::new(mark);
        Self {
            extra: finder("\"extra\""),
            links: [finder("\"bookmark_link\""), finder("\"branches\"")],
            scenes: marks(|marks| marks.names)
                .into_iter()
                .map(|(ends, name)| [finder(ends), finder(name)])
                .collect(),
        }
    }
}

impl Finders {
    /// The name of the scene that a message ends. Its line may hold a whole lorebook, so it is not
    /// parsed: quotes within texts are escaped, so what is found is a key.
    fn scene_in(&self, line: &[u8]) -> Option<String> {
        self.scenes.iter().find_map(|[ends, name]| scene_in(line, ends, name))
    }
}

fn scene_in(line: &[u8], ends: &memmem::Finder<'_>, name: &memmem::Finder<'_>) -> Option<String> {
    let at = name.find(line)? + name.needle().len();
    let rest = line[at..].strip_prefix(b"\"")?;
    let mut end = 0;
    while *rest.get(end)? != b'"' {
        end += if rest[end] == b'\\' { 2 } else { 1 };
    }
    ends.find(line)?;
    let quoted = std::str::from_utf8(&line[at..=at + 1 + end]).ok()?;
    let name = Json::parse(quoted).ok()?.str()?.trim().to_owned();
    (!name.is_empty()).then_some(name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tavern::place::Owner;

    fn trace(header: &str, lines: &[&str]) -> Trace {
        let chat = ChatRef::new(Owner::Character("Mia".into()), "a");
        let mut trace = Trace::new(chat, Place::Here);
        trace.add_header(header);
        let finders = Finders::default();
        for line in lines {
            trace.add_message(line.as_bytes(), 0, &finders);
        }
        trace
    }

    #[test]
    fn links_scenes_and_the_first_words_of_the_user() {
        let trace = trace(
            r#"{"chat_metadata":{"main_chat":"M","world_info":"L","integrity":"s"}}"#,
            &[
                r#"{"name":"Mia","is_user":false,"send_date":"1","mes":"hello"}"#,
                r#"{"name":"You","is_user":true,"send_date":"2","mes":"\"bookmark_link\"","extra":{}}"#,
                r#"{"name":"Mia","is_user":false,"send_date":"3","mes":"x","extra":{"bookmark_link":"C","branches":["B1","B2"]}}"#,
                r#"{"name":"Mia","is_user":false,"send_date":"4","mes":"x","extra":{"auto_recap_memory":{"scene_break":true,"scene_break_name":"The \"Storm\""}}}"#,
                r#"{"name":"Mia","is_user":false,"send_date":"5","mes":"x","extra":{"auto_recap_memory":{"scene_break":false,"scene_break_name":"No"}}}"#,
            ],
        );
        let head = trace.head.unwrap();
        assert_eq!((head.main_chat.as_deref(), head.lorebook.as_deref()), (Some("M"), Some("L")));
        assert_eq!(trace.first_user, Some(1));
        let links: Vec<_> =
            trace.links.iter().map(|link| (link.at, link.to.as_str(), link.kind)).collect();
        assert_eq!(
            links,
            [(2, "C", Kind::Checkpoint), (2, "B1", Kind::Branch), (2, "B2", Kind::Branch)]
        );
        assert_eq!(trace.scenes, [(3, "The \"Storm\"".to_owned())]);
    }

    #[test]
    fn a_header_with_only_the_keys_that_matter_says_the_same() {
        let record = r#"{"v":1,"id":"i","kind":"branch","chat":"a","slug":"s","parent":{"chat":"M","slug":null,"id":"m"},"at":4,"label":"x","base":null,"lore":{"source":"live","quality":"exact","from":null,"of":null,"hash":null}}"#;
        let gone =
            r#"[{"v":1,"chat":"G","same":3,"played":[[3,8,1,2],[9,11,3,4]],"scenes":[{"at":8}]}]"#;
        let keys = [r#""s""#, r#""M""#, r#""L""#, record, gone];
        let told: Vec<String> = HEADER_KEYS
            .iter()
            .zip(&keys)
            .map(|(key, value)| format!(r#""{key}":{value}"#))
            .collect();
        let told = told.join(",");
        let all =
            trace(&format!(r#"{{"chat_metadata":{{"variables":{{}},{told},"x":[1]}}}}"#), &[]);
        let brief = trace(&format!(r#"{{"chat_metadata":{{{told}}}}}"#), &[]);
        assert_eq!(all.head, brief.head);
        let head = brief.head.unwrap();
        assert!(head.record.is_some() && head.id.is_some() && head.words.label.is_some());
        assert_eq!(head.buried, [Buried { name: "G".to_owned(), same: 3, length: 12 }]);
        let mut kept = trace("", &[]);
        assert!(!all.header.contains("scenes"), "{}", all.header);
        kept.add_kept_header(all.header);
        assert_eq!(kept.head.unwrap(), head);
    }

    #[test]
    fn a_file_without_a_header_says_why() {
        let chat = ChatRef::new(Owner::Character("Mia".into()), "a");
        let nothing = Trace::new(chat, Place::Here).head.unwrap_err().to_string();
        assert!(!nothing.trim().is_empty());
        assert!(trace("", &[]).head.is_err());
        assert!(trace("{ not", &[]).head.is_err());
        assert!(trace(r#"{"mes":"x"}"#, &[]).head.is_err());
    }
}
