//! Facts of all files of a user folder, for the audit: each file is read once, in parallel.
//!
//! Chats are not loaded whole. Each line is checked, and only those that say something about the
//! audit are read.

use std::io;
use std::path::Path;

use lorefork::audit::Folder;
use lorefork::audit::facts::{BookFacts, ChatFacts, LinkedBook, MARKS, MOST_DAMAGE};
use lorefork::host::{Damage, HostError};
use lorefork::limits::{LARGEST_LOREBOOK, LINE_TOO_LONG, LONGEST_LINE, LOREBOOK_TOO_LARGE};
use lorefork::say;
use lorefork::sentence::Sentence;
use lorefork::tavern::place::{ChatRef, group_file, lorebook_file};
use lorefork::tavern::settings::Link;
use memchr::memmem::Finder;

use crate::card;
use crate::inside::Inside;
use crate::{check, fs, list, operations, parallel};

/// How much is read at once. It fits the processor's cache.
const BUFFER: usize = 256 * 1024;

/// One file to read.
enum File {
    Chat(ChatRef),
    Lorebook(String),
    Card(String),
}

/// What it gave.
enum Found {
    Chat(Box<ChatFacts>),
    Lorebook(BookFacts),
    Link(Option<LinkedBook>),
}

/// The facts of a user folder. `progress` hears how many files of how many were begun.
pub(crate) fn facts(inside: &Inside, progress: &dyn Fn(usize, usize)) -> Result<Folder, HostError> {
    let mut folder = Folder::default();
    let mut groups = Vec::new();
    for id in list::stems(&inside.names("groups")?, "json") {
        match read_text(&inside.folder().join(group_file(id))) {
            Ok(Some(text)) => {
                folder.add_group(id, &text);
                groups.extend(list::Group::read(id, &text));
            }
            Ok(None) => {}
            Err(why) => folder.damaged_groups.push((id.to_owned(), why.into())),
        }
    }
    match read_text(&inside.folder().join("settings.json")) {
        Ok(Some(text)) => folder.add_settings(&text),
        Ok(None) => {}
        Err(why) => folder.damaged_settings = Some(why.into()),
    }
    folder.unfinished = operations::unfinished(inside)?;

    let mut files: Vec<File> = Vec::new();
    files.extend(list::solo_chats(inside)?.into_iter().map(File::Chat));
    files.extend(list::group_chats(inside, &groups)?.into_iter().map(File::Chat));
    let worlds = inside.names("worlds")?;
    files.extend(list::stems(&worlds, "json").map(|name| File::Lorebook(name.to_owned())));
    let cards = inside.names("characters")?;
    files.extend(list::stems(&cards, "png").map(|name| File::Card(name.to_owned())));

    let finders = MARKS.map(Finder::new);
    let read = |buffer: &mut Vec<u8>, n: usize| {
        Ok(match &files[n] {
            File::Chat(chat) => {
                let mut facts = ChatFacts::new(chat.clone());
                if let Err(error) = read_chat(inside, &mut facts, &finders, buffer) {
                    facts.trouble = Some(error.to_string().into());
                }
                Found::Chat(Box::new(facts))
            }
            File::Lorebook(name) => Found::Lorebook(read_lorebook(inside, name)),
            File::Card(name) => Found::Link(linked_by_card(inside, name)),
        })
    };
    let found =
        parallel::spread(files.len(), || vec![0; BUFFER], read, &|n| progress(n, files.len()))
            .map_err(|error| crate::error::unread("chats", "read them", &error))?;
    for found in found {
        match found {
            Found::Chat(facts) => folder.chats.push(*facts),
            Found::Lorebook(facts) => folder.lorebooks.push(facts),
            Found::Link(link) => folder.links.extend(link),
        }
    }
    Ok(folder)
}

/// A text, `None` if there is no such file, or why it cannot be read.
fn read_text(path: &Path) -> Result<Option<String>, String> {
    match fs::read(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error.to_string()),
        Ok(bytes) => String::from_utf8(bytes).map(Some).map_err(|_| "it is not UTF-8".to_owned()),
    }
}

fn read_lorebook(inside: &Inside, name: &str) -> BookFacts {
    let path = inside.folder().join(lorebook_file(name));
    let size = path.metadata().map_or(0, |found| found.len());
    let not_read = |why: Sentence| BookFacts { name: name.to_owned(), bytes: size, book: Err(why) };
    if size > LARGEST_LOREBOOK as u64 {
        return not_read(LOREBOOK_TOO_LARGE);
    }
    match fs::read(&path) {
        Ok(bytes) => BookFacts::read(name, &bytes),
        Err(error) => not_read(error.to_string().into()),
    }
}

fn linked_by_card(inside: &Inside, name: &str) -> Option<LinkedBook> {
    let bytes = fs::read(&inside.folder().join(format!("characters/{name}.png"))).ok()?;
    let lorebook = card::read(&bytes).ok()?.lorebook?;
    Some(LinkedBook { name: lorebook, link: Link::Character(name.to_owned()) })
}

fn read_chat(
    inside: &Inside,
    facts: &mut ChatFacts,
    finders: &[Finder<'_>],
    buffer: &mut Vec<u8>,
) -> io::Result<()> {
    let file = fs::open(&inside.folder().join(facts.chat.file()))?;
    read_lines(&file, Lines { facts, finders, number: 0, has_first: false }, LONGEST_LINE, buffer)
}

fn read_lines(
    file: &std::fs::File,
    mut lines: Lines<'_>,
    longest: usize,
    buffer: &mut Vec<u8>,
) -> io::Result<()> {
    let (mut base, mut filled) = (0_u64, 0);
    // Whether what is read belongs to a line that is longer than any that is read.
    let mut is_too_long = false;
    loop {
        if filled > longest {
            is_too_long = true;
            (base, filled) = (base + filled as u64, 0);
        } else if filled == buffer.len() {
            // A line longer than the buffer.
            buffer.resize((buffer.len() * 2).min(longest + 1), 0);
        }
        let n = fs::read_at(file, &mut buffer[filled..], base + filled as u64)?;
        let known = filled;
        filled += n;
        let mut from = 0;
        for at in memchr::memchr_iter(b'\n', &buffer[known..filled]) {
            lines.add(&buffer[from..known + at], std::mem::take(&mut is_too_long));
            from = known + at + 1;
        }
        if n == 0 {
            lines.add(&buffer[from..filled], is_too_long);
            lines.facts.bytes = base + filled as u64;
            return Ok(());
        }
        buffer.copy_within(from..filled, 0);
        base += from as u64;
        filled -= from;
    }
}

struct Lines<'a> {
    facts: &'a mut ChatFacts,
    finders: &'a [Finder<'a>],
    number: usize,
    has_first: bool,
}

impl Lines<'_> {
    /// Adds a line; of one that is too long, what of it was read last.
    fn add(&mut self, line: &[u8], is_too_long: bool) {
        self.number += 1;
        if is_too_long {
            return self.add_too_long();
        }
        // Blank lines are normal. Every other one begins with something that is not blank soon.
        if line.iter().all(u8::is_ascii_whitespace) {
            return;
        }
        if !self.has_first {
            self.has_first = true;
            self.facts.add_header(&String::from_utf8_lossy(line));
            return;
        }
        let message = self.facts.messages;
        self.facts.messages += 1;
        if !check::is_sound(line) {
            // Finding out what is wrong takes time, and nobody reads a million of them.
            let problem = if self.facts.damage.len() < MOST_DAMAGE {
                check::problem(line)
            } else {
                String::new().into()
            };
            self.facts.add_damage(Damage { message, line: self.number, problem });
        } else if self.finders.iter().any(|finder| finder.find(line).is_some())
            && let Ok(text) = std::str::from_utf8(line)
        {
            self.facts.add_message(message, text);
        }
    }

    fn add_too_long(&mut self) {
        let (number, problem) = (self.number, LINE_TOO_LONG);
        if self.has_first {
            let message = self.facts.messages;
            self.facts.messages += 1;
            self.facts.add_damage(Damage { message, line: number, problem });
        } else {
            self.has_first = true;
            self.facts.trouble = Some(say!("line {0}: {1}", number, problem));
        }
    }
}
