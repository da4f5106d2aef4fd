//! Edits by hand, which nothing records.

use super::super::played::Played;

impl Played {
    pub(super) fn by_hand(&mut self, line: usize) {
        let token = self.token();
        let Some(uid) = self.some_entry(line) else { return };
        let birth = self.book(line).entries[&uid].birth;
        match self.chance.between(0, 9) {
            0..=2 => {
                let how = |lore: &mut super::Lore| lore.content = format!("Rewritten. {token}");
                self.change(line, uid, false, true, how);
            }
            // Switching another story's entry off or on makes it no part of this one.
            3..=4 if !self.lines[line].now.book.contains_key(&birth) => {}
            3..=4 => self.change(line, uid, false, true, |lore| lore.disabled = !lore.disabled),
            5..=6 => {
                let book = self.book_mut(line);
                book.entries.remove(&uid);
                book.lines.remove(&uid);
                self.lines[line].now.book.remove(&birth);
                self.lines[line].now.registered.remove(&birth);
                self.wrote(line, birth, false, true);
            }
            _ => {
                self.create(line, "note", false);
            }
        }
    }

    /// Before the next message is sent.
    pub(super) fn edit_after_scene(&mut self, line: usize, has_scene: bool) {
        let often = self.features.pace().hands_besides;
        if self.features.hands_after_scenes && has_scene && self.chance.percent(often) {
            self.wait(5, 600);
            self.by_hand(line);
        }
    }

    /// A timeline is opened, its lorebook is edited, and nothing is said.
    pub(super) fn edit_without_messages(&mut self) {
        let often = self.features.pace().hands_besides;
        if !self.features.hands_without_messages || !self.chance.percent(often) {
            return;
        }
        let line = self.chance.between(0, self.lines.len() - 1);
        if self.lines[line].gone.is_none() {
            self.wait(600, 9_000);
            self.by_hand(line);
            self.remember(line);
        }
    }
}
