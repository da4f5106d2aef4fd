//! Timelines that are deleted after they have written.

use super::super::played::{Gone, Played};

impl Played {
    pub(super) fn delete(&mut self) {
        let kinds = [
            (self.features.deleted_by_us, Gone::ByUs),
            (self.features.deleted_seen, Gone::Seen),
            (self.features.deleted_linked, Gone::Linked),
            (self.features.deleted_unlinked, Gone::Unlinked),
        ];
        let kinds: Vec<Gone> = kinds.iter().filter(|(is_on, _)| *is_on).map(|(_, k)| *k).collect();
        if kinds.is_empty() || !self.chance.percent(25) {
            return;
        }
        // One that shares, from which nothing was made.
        let has_child = |line: usize| self.lines.iter().any(|other| other.parent == Some(line));
        let leaves: Vec<usize> = self
            .alive()
            .filter(|(line, own)| *line > 0 && own.own.is_none() && !has_child(*line))
            .filter(|(_, own)| own.last() > own.fork)
            .map(|(line, _)| line)
            .collect();
        let line = self.chance.one_of(&leaves).copied();
        let kind = self.chance.one_of(&kinds).copied();
        if let Some((line, kind)) = line.zip(kind) {
            self.wait(20, 300);
            self.lines[line].gone = Some(kind);
            self.pending.retain(|pending| pending.line != line);
        }
    }
}
