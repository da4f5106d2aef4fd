//! Playing: sessions in one timeline after another, all writing to one book.

use std::collections::{BTreeMap, BTreeSet};

use super::{Features, Lore, Moment};
use crate::chance::Chance;

/// An entry of the shared book.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Shared {
    pub birth: usize,
    pub lore: Lore,
    /// Rewritten for the whole book with every scene.
    pub order: usize,
}

#[derive(Debug, Clone, Default)]
pub(super) struct Book {
    pub entries: BTreeMap<u64, Shared>,
    /// Registry lines: uid -> (name, synopsis), as the registries have them.
    pub lines: BTreeMap<u64, (String, String)>,
}

pub(super) const REGISTRIES: u64 = 1;

#[derive(Debug, Clone)]
pub(super) struct Scene {
    pub time: u64,
    pub book: Option<Book>,
    /// Uids the scene made or merged into; `None` before such a list was kept.
    pub created: Option<Vec<u64>>,
    pub names: Vec<String>,
    /// What its recap says of each of them. An entry it makes holds these words, unless the model
    /// chose others.
    pub words: Vec<String>,
}

#[derive(Debug, Clone)]
pub(super) struct Message {
    /// The same in every timeline that has it.
    pub id: usize,
    pub date: u64,
    pub scene: Option<Scene>,
    /// What is true of the timeline once all that came after this message was done.
    pub truth: Moment,
}

#[derive(Debug, Clone)]
pub(super) struct Version {
    pub time: u64,
    pub scene: usize,
    /// Name and text of the entries it made of events.
    pub events: Vec<(String, String)>,
}

#[derive(Debug, Clone)]
pub(super) struct Line {
    pub name: String,
    pub parent: Option<usize>,
    /// Its last message when it was forked off.
    pub fork: usize,
    pub messages: Vec<Message>,
    pub book: BTreeMap<usize, Lore>,
    /// Births that its registries list, once they are complete.
    pub registered: BTreeSet<usize>,
    pub versions: Vec<Version>,
    pub is_checkpoint: bool,
}

impl Line {
    fn moment(&self) -> Moment {
        Moment { book: self.book.clone(), registered: self.registered.clone() }
    }
}

/// One write to the shared book.
#[derive(Debug, Clone)]
pub(super) struct Write {
    pub time: u64,
    pub line: usize,
    pub birth: usize,
    /// Whether a scene that took a snapshot lists it.
    pub listed: bool,
}

#[derive(Debug, Clone)]
pub(super) struct Operation {
    pub id: String,
    pub at: usize,
    pub time: u64,
    /// The message it is about.
    pub message: usize,
}

#[derive(Debug)]
pub(super) struct Played {
    pub chance: Chance,
    pub features: Features,
    pub clock: u64,
    pub book: Book,
    pub lines: Vec<Line>,
    pub writes: Vec<Write>,
    pub queue: Vec<Operation>,
    births: usize,
    tokens: usize,
    messages: usize,
}

pub(super) fn play(seed: u64, features: &Features) -> Played {
    let mut played = Played {
        chance: Chance::new(seed),
        features: *features,
        clock: 1_790_000_000_000,
        book: Book::default(),
        lines: vec![Line {
            name: "Isle".to_owned(),
            parent: None,
            fork: 0,
            messages: Vec::new(),
            book: BTreeMap::new(),
            registered: BTreeSet::new(),
            versions: Vec::new(),
            is_checkpoint: false,
        }],
        writes: Vec::new(),
        queue: Vec::new(),
        births: 0,
        tokens: 0,
        messages: 0,
    };
    let opening = played.chance.between(1, 3);
    for _ in 0..opening {
        played.session(0, true);
    }
    let sessions = played.chance.between(3, 9);
    for number in 0..sessions {
        if features.shared && (number == 0 || (played.lines.len() < 5 && played.chance.percent(30)))
        {
            played.fork();
        }
        let line = played.chance.between(0, played.lines.len() - 1);
        let scenes = played.chance.percent(75);
        played.session(line, scenes);
    }
    played
}

impl Played {
    fn wait(&mut self, low: usize, high: usize) {
        self.clock += self.chance.between(low, high) as u64 * 1000;
    }

    fn fork(&mut self) {
        let parent = self.chance.between(0, self.lines.len() - 1);
        let of = &self.lines[parent];
        let last = of.messages.len() - 1;
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
            book: of.messages[at].truth.book.clone(),
            registered: of.messages[at].truth.registered.clone(),
            // Plain SillyTavern copies all, later ones too.
            versions: of.versions.clone(),
            is_checkpoint,
        };
        self.lines.push(line);
    }

    /// A while in one timeline.
    fn session(&mut self, line: usize, with_scenes: bool) {
        self.wait(3_600, 90_000);
        let messages = self.chance.between(2, 7);
        for _ in 0..messages {
            self.message(line);
            if self.features.hands && self.chance.percent(8) {
                self.wait(5, 60);
                self.by_hand(line);
            }
        }
        if with_scenes {
            self.scene(line);
        }
        self.remember(line);
        if self.chance.percent(20) {
            self.wait(1, 9);
            let at = self.lines[line].messages.len() - 1;
            let message = self.lines[line].messages[at].id;
            let id = format!("op_{}_{line}", self.clock);
            self.queue.push(Operation { id, at, time: self.clock, message });
        }
    }

    fn message(&mut self, line: usize) {
        self.remember(line);
        self.wait(30, 300);
        self.messages += 1;
        let truth = self.lines[line].moment();
        let message = Message { id: self.messages, date: self.clock, scene: None, truth };
        self.lines[line].messages.push(message);
    }

    /// What is true after all that followed the last message.
    fn remember(&mut self, line: usize) {
        let line = &mut self.lines[line];
        let now = line.moment();
        if let Some(last) = line.messages.last_mut() {
            last.truth = now;
        }
    }

    fn token(&mut self) -> String {
        self.tokens += 1;
        format!("Fact {}.", self.tokens)
    }

    fn wrote(&mut self, line: usize, birth: usize, listed: bool) {
        self.writes.push(Write { time: self.clock, line, birth, listed });
    }

    /// A new entry, at the lowest free number as SillyTavern gives it.
    fn create(&mut self, line: usize, kind: &str, listed: bool) -> (u64, String) {
        self.births += 1;
        let birth = self.births;
        // Some names are used twice.
        let number = if self.chance.percent(4) { birth.saturating_sub(3) } else { birth };
        let name = format!("{kind}-Name{number}");
        let content = self.token();
        let lore = Lore { name: name.clone(), content, disabled: false };
        let mut uid = REGISTRIES;
        while self.book.entries.contains_key(&uid) {
            uid += 1;
        }
        self.lines[line].book.insert(birth, lore.clone());
        self.book.entries.insert(uid, Shared { birth, lore, order: 100 });
        self.wrote(line, birth, listed);
        (uid, name)
    }

    /// Something for this timeline to write to: mostly what its own story knows.
    fn some_entry(&mut self, line: usize) -> Option<u64> {
        let own = &self.lines[line].book;
        let all: Vec<u64> = self.book.entries.keys().copied().collect();
        let known: Vec<u64> = all
            .iter()
            .copied()
            .filter(|uid| own.contains_key(&self.book.entries[uid].birth))
            .collect();
        let from = if self.chance.percent(90) { known } else { all };
        self.chance.one_of(&from).copied()
    }

    /// Changes an entry in the shared book, and in the timeline's own as far as it has it.
    fn change(&mut self, line: usize, uid: u64, listed: bool, how: impl Fn(&mut Lore)) {
        let shared = self.book.entries.get_mut(&uid).expect("an entry that is there");
        let (birth, name) = (shared.birth, shared.lore.name.clone());
        how(&mut shared.lore);
        let empty = Lore { name, content: String::new(), disabled: false };
        how(self.lines[line].book.entry(birth).or_insert(empty));
        self.wrote(line, birth, listed);
    }

    fn by_hand(&mut self, line: usize) {
        let token = self.token();
        let Some(uid) = self.some_entry(line) else { return };
        match self.chance.between(0, 9) {
            0..=2 => {
                self.change(line, uid, false, |lore| lore.content = format!("Rewritten. {token}"));
            }
            // Switching another story's entry off or on makes it no part of this one.
            3..=4 if !self.lines[line].book.contains_key(&self.book.entries[&uid].birth) => {}
            3..=4 => self.change(line, uid, false, |lore| lore.disabled = !lore.disabled),
            5..=6 => {
                let gone = self.book.entries.remove(&uid).expect("an entry that is there");
                self.book.lines.remove(&uid);
                self.lines[line].book.remove(&gone.birth);
                self.lines[line].registered.remove(&gone.birth);
                self.wrote(line, gone.birth, false);
            }
            _ => {
                self.create(line, "note", false);
            }
        }
    }

    /// A scene ends at the last message: recapped, merged into the book, recorded.
    fn scene(&mut self, line: usize) {
        let kind = self.chance.between(1, 100);
        // Recapped without a snapshot; in the format without a list; as it is today.
        let is_hollow = kind <= 7 && self.features.empty_snapshots;
        let has_list = kind > 14 || !self.features.unlisted;
        let listed = !is_hollow;
        let (mut created, mut names, mut words) = (Vec::new(), Vec::new(), Vec::new());
        let mut late = None;
        let works = self.chance.between(1, 4);
        for work in 0..works {
            self.wait(2, 9);
            let existing = if self.chance.percent(45) { self.some_entry(line) } else { None };
            let (uid, name) = match existing {
                Some(uid) => {
                    let token = self.token();
                    words.push(token.clone());
                    self.change(line, uid, listed, |lore| {
                        lore.content = format!("{} {token}", lore.content);
                    });
                    (uid, self.book.entries[&uid].lore.name.clone())
                }
                None => {
                    // Scenes make events, too; of these only their own words tell.
                    let is_event = self.births % 9 == 4;
                    let made =
                        self.create(line, if is_event { "event" } else { "character" }, listed);
                    let content = &self.book.entries[&made.0].lore.content;
                    let is_reworded = self.tokens.is_multiple_of(2) && !is_event;
                    words.push(if is_reworded { "Put otherwise".into() } else { content.clone() });
                    made
                }
            };
            created.push(uid);
            names.push(name.clone());
            let birth = self.book.entries[&uid].birth;
            self.lines[line].registered.insert(birth);
            let synopsis = format!("Seen {}", self.tokens);
            // The snapshot may come before the last registry line.
            let is_last = work + 1 == works;
            if self.features.late_lines && is_last && self.chance.percent(30) {
                late = Some((uid, name, synopsis));
            } else {
                self.book.lines.insert(uid, (name, synopsis));
            }
        }
        self.sort();
        self.wait(2, 9);
        let at = self.lines[line].messages.len() - 1;
        let scene = Scene {
            time: self.clock,
            book: (!is_hollow).then(|| self.book.clone()),
            created: has_list.then_some(created),
            names,
            words,
        };
        self.lines[line].messages[at].scene = Some(scene);
        if let Some((uid, name, synopsis)) = late {
            self.book.lines.insert(uid, (name, synopsis));
        }
        let mut events = Vec::new();
        // Entries of events come after the snapshot.
        if self.features.late_events && self.chance.percent(30) {
            self.wait(2, 20);
            let (uid, name) = self.create(line, "event", false);
            if self.chance.percent(70) {
                let content = self.book.entries[&uid].lore.content.clone();
                events.push((name.trim_start_matches("event-").to_owned(), content));
            }
        }
        self.lines[line].versions.push(Version { time: self.clock, scene: at, events });
    }

    /// The whole book is put in order by name.
    fn sort(&mut self) {
        let mut names: Vec<(String, u64)> = self
            .book
            .entries
            .iter()
            .map(|(uid, own)| (own.lore.name.to_lowercase(), *uid))
            .collect();
        names.sort();
        for (place, (_, uid)) in names.into_iter().enumerate() {
            if let Some(own) = self.book.entries.get_mut(&uid) {
                own.order = 1000 - place;
            }
        }
    }
}
