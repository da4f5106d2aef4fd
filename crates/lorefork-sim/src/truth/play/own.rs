//! Timelines with a lorebook that we made: as it was, and for them alone.

use std::collections::BTreeMap;

use super::super::played::{Book, Line, Own, Played, Shared};

impl Played {
    /// A fork that was just made is ours.
    pub(super) fn perhaps_by_us(&mut self, line: usize) {
        if self.features.our_forks && self.chance.percent(50) {
            self.give_own(line, false);
            let at = self.lines[line].fork;
            self.lines[line].versions.retain(|version| version.scene <= at);
        }
    }

    /// A timeline that shares is given its own lorebook.
    pub(super) fn isolate(&mut self) {
        if !self.features.isolated || !self.chance.percent(20) {
            return;
        }
        let line = self.chance.between(0, self.lines.len() - 1);
        let own = &self.lines[line];
        let shares = own.parent.is_some() && own.own.is_none() && own.gone.is_none();
        let is_alone = self.alive().filter(|(_, line)| line.writes_to == 0).count() < 2;
        if shares && own.writes_to == 0 && !is_alone {
            self.give_own(line, true);
        }
    }

    fn give_own(&mut self, line: usize, is_isolated: bool) {
        self.wait(20, 300);
        let from = self.book(line).clone();
        let own = &self.lines[line];
        let mark = if own.is_checkpoint { "CP" } else { "BR" };
        let mut made =
            Book { name: format!("{}__{mark}_{line}_own", from.name), ..Book::default() };
        for (birth, lore) in &own.now.book {
            let shared = from.uid_of(*birth).map(|uid| (uid, &from.entries[&uid]));
            let uid = shared.map_or_else(|| from.free().max(made.free()), |(uid, _)| uid);
            let uid = if made.entries.contains_key(&uid) { made.free() } else { uid };
            let memory = shared.and_then(|(_, entry)| entry.memory.clone());
            let memory = memory.map(|(_, start, end)| (own.name.clone(), start, end));
            let order = shared.map_or(100, |(_, entry)| entry.order);
            if own.now.registered.contains(birth) {
                let line = from.lines.get(&uid).filter(|line| line.0 == lore.name);
                let line = line.cloned().unwrap_or((lore.name.clone(), "Seen".to_owned()));
                made.lines.insert(uid, line);
            }
            made.entries.insert(uid, Shared { birth: *birth, lore: lore.clone(), order, memory });
        }
        let (of, at) = (own.writes_to, own.last());
        let is_other =
            |number: &usize| *number != line && (is_isolated || Some(*number) != own.parent);
        let used = |number: usize| {
            let other = &self.lines[number];
            let has_left = other.own.as_ref().is_some_and(|own| own.is_isolated && own.of == of);
            other.writes_to == of || has_left
        };
        let is_mixed = (0..self.lines.len()).filter(is_other).any(used);
        let foreign = if is_mixed { foreign(own) } else { BTreeMap::new() };
        let book = self.books.len();
        self.books.push(made.clone());
        self.lines[line].writes_to = book;
        self.lines[line].own =
            Some(Own { of, at, time: self.clock, is_isolated, is_mixed, made, foreign });
    }
}

/// What a timeline's snapshots show, and it never had.
fn foreign(line: &Line) -> BTreeMap<u64, String> {
    let truths = || line.messages.iter().map(|message| &message.truth).chain([&line.now]);
    let had = |birth: &usize| truths().any(|truth| truth.book.contains_key(birth));
    let books = line.scenes().filter_map(|(_, scene)| scene.book.as_ref());
    let shown = books.flat_map(|book| &book.entries);
    let others = shown.filter(|(_, entry)| !had(&entry.birth));
    others.map(|(uid, entry)| (*uid, entry.lore.name.clone())).collect()
}
