//! Playing: sessions in one timeline after another, all writing to lorebooks they share or not.
//!
//! What is switched off draws no chance, so that a story stays the same when switches are added.

mod gone;
mod hands;
mod late;
mod memories;
mod own;
mod scenes;

use super::played::{Book, Era, Line, Message, Operation, Played, Shared, Write};
use super::{BOOK, Features, Lore};
use crate::chance::Chance;

pub(super) fn play(seed: u64, features: &Features) -> Played {
    let mut played = Played {
        chance: Chance::new(seed),
        features: *features,
        clock: 1_790_000_000_000,
        books: vec![Book { name: BOOK.to_owned(), ..Book::default() }],
        lines: vec![Line::main()],
        writes: Vec::new(),
        queue: Vec::new(),
        pending: Vec::new(),
        era: Era::Listed,
        births: 0,
        tokens: 0,
        messages: 0,
    };
    played.choose_era();
    let pace = features.pace();
    let opening = played.chance.between(pace.opening.0, pace.opening.1);
    for _ in 0..opening {
        played.session(0, true);
    }
    let sessions = played.chance.between(pace.sessions.0, pace.sessions.1);
    for number in 0..sessions {
        if features.shared && (number == 0 || (played.lines.len() < 5 && played.chance.percent(30)))
        {
            played.fork();
        }
        let line = played.chance.between(0, played.lines.len() - 1);
        let line = if played.lines[line].gone.is_some() { 0 } else { line };
        let scenes = played.chance.percent(75);
        played.session(line, scenes);
        played.edit_without_messages();
        played.isolate();
        played.delete();
    }
    played
}

impl Played {
    fn wait(&mut self, low: usize, high: usize) {
        self.clock += self.chance.between(low, high) as u64 * 1000;
    }

    fn fork(&mut self) {
        let parent = self.chance.between(0, self.lines.len() - 1);
        let parent = if self.lines[parent].gone.is_some() { 0 } else { parent };
        let last = self.lines[parent].last();
        // Never at the very beginning, and often at the end.
        let at = if self.chance.percent(50) { last } else { self.chance.between(last / 2, last) };
        let number = self.lines.len();
        let is_checkpoint = self.chance.percent(30);
        let of = &self.lines[parent];
        let name = if is_checkpoint {
            format!("Checkpoint {number}")
        } else {
            format!("{} - Branch #{number}", of.name)
        };
        let line = Line {
            name,
            parent: Some(parent),
            fork: at,
            messages: of.messages[..=at].to_vec(),
            now: of.messages[at].truth.clone(),
            // Plain SillyTavern copies all, later ones too.
            versions: of.versions.clone(),
            is_checkpoint,
            writes_to: of.writes_to,
            own: None,
            gone: None,
        };
        self.lines.push(line);
        self.perhaps_by_us(number);
    }

    /// A while in one timeline.
    fn session(&mut self, line: usize, with_scenes: bool) {
        self.wait(3_600, 90_000);
        let pace = self.features.pace();
        let messages = self.chance.between(pace.session.0, pace.session.1);
        for number in 0..messages {
            self.message(line);
            if number == 0 {
                self.recap_again_later(line);
                self.perhaps_combine(line, 30);
            }
            if self.features.hands && self.chance.percent(pace.hands) {
                self.wait(5, 60);
                self.by_hand(line);
            }
        }
        self.remember_in_books(line);
        if with_scenes {
            self.perhaps_combine(line, 50);
            self.scene_or_recap(line);
            self.perhaps_combine(line, 20);
        }
        self.edit_after_scene(line, with_scenes);
        self.remember(line);
        if self.chance.percent(20) {
            self.wait(1, 9);
            let at = self.lines[line].last();
            let message = self.lines[line].messages[at].id;
            let id = format!("op_{}_{line}", self.clock);
            // Work waits in the shared book, or nobody is told of it here.
            if self.lines[line].writes_to == 0 {
                self.queue.push(Operation { id, at, time: self.clock, message });
            }
        }
    }

    fn message(&mut self, line: usize) {
        self.remember(line);
        self.wait(30, 300);
        self.messages += 1;
        let message = Message {
            id: self.messages,
            date: self.clock,
            scene: None,
            earlier: Vec::new(),
            is_swiped: false,
            truth: self.lines[line].now.clone(),
        };
        self.lines[line].messages.push(message);
    }

    /// What is true after all that followed the last message.
    fn remember(&mut self, line: usize) {
        let line = &mut self.lines[line];
        let now = line.now.clone();
        if let Some(last) = line.messages.last_mut() {
            last.truth = now;
        }
    }

    fn token(&mut self) -> String {
        self.tokens += 1;
        format!("Fact {}.", self.tokens)
    }

    fn wrote(&mut self, line: usize, birth: usize, listed: bool, by_hand: bool) {
        let book = self.lines[line].writes_to;
        let of = &self.books[book];
        let after = of.uid_of(birth).map(|uid| of.entries[&uid].lore.clone());
        self.writes.push(Write { time: self.clock, line, book, birth, listed, by_hand, after });
    }

    /// A name that nobody has, or sometimes one that somebody has.
    fn new_name(&mut self, kind: &str) -> (usize, String) {
        self.births += 1;
        let birth = self.births;
        // Some names are used twice.
        let number = if self.chance.percent(4) { birth.saturating_sub(3) } else { birth };
        (birth, format!("{kind}-Name{number}"))
    }

    /// A new entry, at the lowest free number as SillyTavern gives it.
    fn create(&mut self, line: usize, kind: &str, listed: bool) -> (u64, String) {
        let (birth, name) = self.new_name(kind);
        let content = self.token();
        let lore = Lore { name: name.clone(), content, disabled: false };
        let uid = self.put(line, birth, lore, listed, kind == "note");
        (uid, name)
    }

    fn put(&mut self, line: usize, birth: usize, lore: Lore, listed: bool, by_hand: bool) -> u64 {
        let uid = self.book(line).free();
        self.lines[line].now.book.insert(birth, lore.clone());
        let entry = Shared { birth, lore, order: 100, memory: None };
        self.book_mut(line).entries.insert(uid, entry);
        self.wrote(line, birth, listed, by_hand);
        uid
    }

    /// Something for this timeline to write to: mostly what its own story knows.
    fn some_entry(&mut self, line: usize) -> Option<u64> {
        let own = &self.lines[line].now.book;
        let entries = &self.book(line).entries;
        let all: Vec<u64> =
            entries.iter().filter(|(_, own)| own.memory.is_none()).map(|(uid, _)| *uid).collect();
        let known: Vec<u64> =
            all.iter().copied().filter(|uid| own.contains_key(&entries[uid].birth)).collect();
        let from = if self.chance.percent(90) { known } else { all };
        self.chance.one_of(&from).copied()
    }

    /// Changes an entry in its book, and in the timeline's own as far as it has it.
    fn change(
        &mut self,
        line: usize,
        uid: u64,
        listed: bool,
        by_hand: bool,
        how: impl Fn(&mut Lore),
    ) {
        let shared = self.book_mut(line).entries.get_mut(&uid).expect("an entry that is there");
        let (birth, name) = (shared.birth, shared.lore.name.clone());
        how(&mut shared.lore);
        let empty = Lore { name, content: String::new(), disabled: false };
        let own = self.lines[line].now.book.entry(birth).or_insert(empty);
        how(own);
        // Words that are added to nothing have no space before them.
        own.content = own.content.trim_start().to_owned();
        self.wrote(line, birth, listed, by_hand);
    }

    /// The whole book is put in order by name.
    fn sort(&mut self, line: usize) {
        let book = self.book_mut(line);
        let mut names: Vec<(String, u64)> =
            book.entries.iter().map(|(uid, own)| (own.lore.name.to_lowercase(), *uid)).collect();
        names.sort();
        for (place, (_, uid)) in names.into_iter().enumerate() {
            if let Some(own) = book.entries.get_mut(&uid) {
                own.order = 1000 - place;
            }
        }
    }
}
