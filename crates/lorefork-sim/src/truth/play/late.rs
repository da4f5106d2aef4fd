//! Recaps whose lore comes later than their message: combined late, recapped anew, in another swipe.
//!
//! What such a recap writes belongs to its message: whoever holds the record from there on knows it.
//! Who asks for a message between the two may be told either, the book as it was in that hour or as
//! the record has it.

use super::super::played::{Pending, Played, Scene, Work};
use super::Lore;

impl Played {
    /// Recapped at the last message, and nothing is written yet.
    pub(super) fn recap_only(&mut self, line: usize) {
        self.wait(5, 30);
        let works = self.intend(line);
        let at = self.lines[line].last();
        self.lines[line].messages[at].scene = Some(self.record(line, &works));
        self.pending.push(Pending { line, at, works });
    }

    /// Combines what this timeline has only recapped.
    pub(super) fn perhaps_combine(&mut self, line: usize, percent: usize) {
        let Some(place) = self.pending.iter().position(|pending| pending.line == line) else {
            return;
        };
        if !self.chance.percent(percent) {
            return;
        }
        let pending = self.pending.remove(place);
        let scene = self.lines[line].messages[pending.at].scene.clone();
        if let Some(scene) = scene {
            self.combine(line, pending.at, &pending.works, scene);
        }
    }

    /// Once more, before anything else is said.
    pub(super) fn recap_again_now(&mut self, line: usize) {
        if self.features.recapped_anew && self.chance.percent(15) {
            let at = self.lines[line].last();
            self.recap_again(line, at);
        }
    }

    /// Once more, the newest scene, after something else was said.
    pub(super) fn recap_again_later(&mut self, line: usize) {
        if !self.features.recapped_anew || !self.chance.percent(15) {
            return;
        }
        let newest = self.lines[line].scenes().last();
        let own = newest.filter(|(_, scene)| scene.is_combined && scene.line == line);
        let own = own.map(|(at, _)| at).filter(|at| !self.lines[line].messages[*at].is_swiped);
        if let Some(at) = own {
            self.recap_again(line, at);
        }
    }

    fn recap_again(&mut self, line: usize, at: usize) {
        self.wait(20, 200);
        let works = self.intend(line);
        let scene = self.record(line, &works);
        let message = &mut self.lines[line].messages[at];
        message.earlier.extend(message.scene.take());
        self.combine(line, at, &works, scene);
    }

    /// Another reply to the same, which is recapped as well. What the first one wrote stays.
    pub(super) fn swipe(&mut self, line: usize) {
        let at = self.lines[line].last();
        let is_first = self.lines[line].messages[at].earlier.is_empty();
        if self.features.swiped_scenes && is_first && self.chance.percent(15) {
            self.lines[line].messages[at].is_swiped = true;
            self.recap_again(line, at);
        }
    }

    /// What a recap says, before anything is written.
    fn intend(&mut self, line: usize) -> Vec<Work> {
        let count = self.chance.between(1, 3);
        let mut works = Vec::new();
        for _ in 0..count {
            let existing = if self.chance.percent(45) { self.some_entry(line) } else { None };
            let words = self.token();
            let entry = existing.map(|uid| self.book(line).entries[&uid].clone());
            works.push(match entry {
                Some(entry) => Work { birth: Some(entry.birth), name: entry.lore.name, words },
                None => Work { birth: None, name: self.new_name("character").1, words },
            });
        }
        works
    }

    fn record(&self, line: usize, works: &[Work]) -> Scene {
        Scene {
            line,
            recapped: self.clock,
            time: self.clock,
            is_combined: false,
            has_metadata: true,
            era: self.era,
            book: None,
            created: None,
            names: works.iter().map(|work| work.name.clone()).collect(),
            words: works.iter().map(|work| work.words.clone()).collect(),
        }
    }

    /// Writes what the recap of a message says, and takes the snapshot.
    fn combine(&mut self, line: usize, at: usize, works: &[Work], mut scene: Scene) {
        let before = self.book(line).clone();
        let mut created = Vec::new();
        for work in works {
            self.wait(2, 9);
            let words = &work.words;
            let existing = work.birth.and_then(|birth| self.book(line).uid_of(birth));
            let uid = match existing {
                Some(uid) => {
                    self.change(line, uid, true, false, |lore| {
                        lore.content = format!("{} {words}", lore.content);
                    });
                    uid
                }
                None => {
                    self.births += 1;
                    let birth = self.births;
                    let lore =
                        Lore { name: work.name.clone(), content: words.clone(), disabled: false };
                    self.put(line, birth, lore, true, false)
                }
            };
            created.push(uid);
            let birth = self.book(line).entries[&uid].birth;
            self.lines[line].now.registered.insert(birth);
            let synopsis = format!("Seen {}", self.tokens);
            self.book_mut(line).lines.insert(uid, (work.name.clone(), synopsis));
            self.retell(line, at, birth, existing.is_some().then_some(words.as_str()));
        }
        self.sort(line);
        self.wait(2, 9);
        scene.is_combined = true;
        scene.time = self.clock;
        scene.created = Some(created);
        let scene = self.pictured(scene, Some(&before));
        self.lines[line].messages[at].scene = Some(scene);
        self.combined(line, at);
    }

    /// What was written now, and belongs to message `at`, is true from there on; what was true in
    /// the meantime may be told as well. `added`: the words, if the entry was there.
    pub(super) fn retell(&mut self, line: usize, at: usize, birth: usize, added: Option<&str>) {
        let line = &mut self.lines[line];
        let (last, now) = (line.last(), line.now.book.get(&birth).cloned());
        for message in &mut line.messages[at..last] {
            let truth = &mut message.truth;
            let then = truth.book.get(&birth).cloned();
            let told = match (&then, added) {
                (Some(then), Some(words)) => {
                    Some(Lore { content: format!("{} {words}", then.content), ..then.clone() })
                }
                (Some(_), None) => then.clone(),
                (None, Some(_)) => None,
                (None, None) => now.clone(),
            };
            let also = truth.also.entry(birth).or_default();
            also.extend([then, now.clone()]);
            if let Some(told) = told {
                truth.book.insert(birth, told);
            }
        }
    }
}
