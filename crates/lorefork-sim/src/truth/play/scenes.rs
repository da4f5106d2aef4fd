//! A scene ends: recapped, merged into the book, recorded.

use super::super::played::{Era, Played, Scene, Version};

impl Played {
    pub(super) fn choose_era(&mut self) {
        let early = self.features.pace().begins_early;
        if self.features.eras && (early == 100 || self.chance.percent(early)) {
            let eras = [Era::Activated, Era::Before, Era::After, Era::OwnOnly, Era::Listed];
            self.era = self.chance.one_of(&eras).copied().unwrap_or(Era::Listed);
        }
    }

    /// A scene, or only its recap; then perhaps the same again.
    pub(super) fn scene_or_recap(&mut self, line: usize) {
        if self.features.late_combining && self.chance.percent(30) {
            self.recap_only(line);
            return;
        }
        self.scene(line);
        self.recap_again_now(line);
        self.swipe(line);
    }

    /// A scene ends at the last message.
    fn scene(&mut self, line: usize) {
        let kind = self.chance.between(1, 100);
        // Recapped without a snapshot; in the format without a list; as it is today.
        let is_hollow = kind <= 7 && self.features.empty_snapshots;
        let has_list = kind > 14 || !self.features.unlisted;
        let is_missing = self.features.missing_snapshots && self.chance.percent(10);
        let listed = !is_hollow && !is_missing;
        let before = self.book(line).clone();
        let (mut created, mut names, mut words) = (Vec::new(), Vec::new(), Vec::new());
        let mut late = None;
        let pace = self.features.pace();
        let works = self.chance.between(pace.works.0, pace.works.1);
        for work in 0..works {
            self.wait(2, 9);
            let existing = if self.chance.percent(45) { self.some_entry(line) } else { None };
            let (uid, name) = match existing {
                Some(uid) => {
                    let token = self.token();
                    words.push(token.clone());
                    let is_anew =
                        self.features.merged_anew && self.chance.percent(pace.merged_anew);
                    let is_all_anew = is_anew && self.chance.percent(50);
                    self.change(line, uid, listed, false, |lore| {
                        lore.content = match is_anew {
                            _ if is_all_anew => format!("Retold, and {token}"),
                            true => format!("{token} {}", lore.content).trim_end().to_owned(),
                            false => format!("{} {token}", lore.content),
                        };
                    });
                    (uid, self.book(line).entries[&uid].lore.name.clone())
                }
                None => {
                    // Scenes make events, too; of these only their own words tell.
                    let is_event = self.births % 9 == 4;
                    let made =
                        self.create(line, if is_event { "event" } else { "character" }, listed);
                    let content = self.book(line).entries[&made.0].lore.content.clone();
                    let is_reworded = self.tokens.is_multiple_of(pace.reworded_each) && !is_event;
                    words.push(if is_reworded { "Put otherwise".into() } else { content });
                    made
                }
            };
            created.push(uid);
            names.push(name.clone());
            let birth = self.book(line).entries[&uid].birth;
            self.lines[line].now.registered.insert(birth);
            let synopsis = format!("Seen {}", self.tokens);
            // The snapshot may come before the last registry line.
            let is_last = work + 1 == works;
            if self.features.late_lines && is_last && self.chance.percent(30) {
                late = Some((uid, name, synopsis));
            } else {
                self.book_mut(line).lines.insert(uid, (name, synopsis));
            }
        }
        self.sort(line);
        self.wait(2, 9);
        let era = if has_list { self.next_era() } else { Era::After };
        let at = self.lines[line].last();
        let scene = Scene {
            line,
            recapped: self.clock - 1000,
            time: self.clock,
            is_combined: true,
            has_metadata: !is_missing,
            era,
            book: None,
            created: Some(created),
            names,
            words,
        };
        let book = (!is_hollow && !is_missing).then_some(&before);
        self.lines[line].messages[at].scene = Some(self.pictured(scene, book));
        if let Some((uid, name, synopsis)) = late {
            self.book_mut(line).lines.insert(uid, (name, synopsis));
        }
        self.combined(line, at);
    }

    /// The scene with what its era records; without the book as it was before it, with nothing.
    pub(super) fn pictured(&self, mut scene: Scene, before: Option<&super::Book>) -> Scene {
        let is_before = matches!(scene.era, Era::Activated | Era::Before);
        scene.book = before
            .map(|before| if is_before { before.clone() } else { self.book(scene.line).clone() });
        if !matches!(scene.era, Era::OwnOnly | Era::Listed) {
            scene.created = None;
        }
        scene
    }

    fn next_era(&mut self) -> Era {
        let era = self.era;
        if self.features.eras && self.chance.percent(35) {
            self.era = era.next();
        }
        era
    }

    /// A version of the running recap, and the entries of its events, which come after the snapshot.
    pub(super) fn combined(&mut self, line: usize, at: usize) {
        let mut events = Vec::new();
        if self.features.late_events && self.chance.percent(30) {
            self.wait(2, 20);
            let (uid, name) = self.create(line, "event", false);
            if self.chance.percent(70) {
                let content = self.book(line).entries[&uid].lore.content.clone();
                events.push((name.trim_start_matches("event-").to_owned(), content));
            }
        }
        self.lines[line].versions.push(Version { time: self.clock, scene: at, events });
    }
}
