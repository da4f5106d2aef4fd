//! MemoryBooks: memories with ranges of messages, in the same lorebook.

use super::super::played::Played;
use super::Lore;

impl Played {
    /// A memory of the last messages, or of some before them.
    pub(super) fn remember_in_books(&mut self, line: usize) {
        if !self.features.memory_books || !self.chance.percent(35) {
            return;
        }
        self.wait(5, 60);
        let last = self.lines[line].last();
        let end = last - self.chance.between(0, 2).min(last);
        let start = end - self.chance.between(1, 4).min(end);
        self.births += 1;
        let birth = self.births;
        let lore = Lore {
            name: format!("Memory {birth}"),
            content: format!("Remembered. {}", self.token()),
            disabled: false,
        };
        let uid = self.put(line, birth, lore.clone(), false, false);
        let chat = self.lines[line].name.clone();
        if let Some(entry) = self.book_mut(line).entries.get_mut(&uid) {
            entry.memory = Some((chat, start, end));
        }
        self.retell(line, end, birth, None);
        // Its range is of messages that others have, too: for them, both can be said.
        let id = self.lines[line].messages[end].id;
        for other in (0..self.lines.len()).filter(|other| *other != line) {
            let other = &mut self.lines[other];
            let holds = other.messages.get(end).is_some_and(|message| message.id == id);
            if holds {
                let moments = other.messages[end..].iter_mut().map(|message| &mut message.truth);
                for moment in moments.chain([&mut other.now]) {
                    moment.also.entry(birth).or_default().extend([None, Some(lore.clone())]);
                }
            }
        }
    }
}
