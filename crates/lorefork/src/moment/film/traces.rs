//! What else the film tells, of an entry or of a time.

use super::Film;
use super::path::{Path, Sides};

impl Film<'_> {
    /// The message whose scene made an entry, if one did.
    pub fn made_at(&self, life: usize) -> Option<usize> {
        let made = self.steps[life].iter().find(|step| step.to.is_some())?;
        let scene = made.records().iter().find_map(|record| self.records[*record].held.first());
        scene.map(|held| held.at)
    }

    /// Whether a picture that this story took shows an entry.
    pub fn is_shown_to(&self, path: &Path<'_>, life: usize) -> bool {
        let shows = self.pictures.iter().zip(&self.lives.all[life].shows);
        let mut shows = shows.filter(|(_, shown)| shown.is_some());
        shows.any(|(picture, _)| path.record(self, &self.records[picture.record]) == Sides::ON)
    }

    /// Whether a picture that was taken after that time shows an entry.
    pub fn is_shown_after(&self, life: usize, time: f64) -> bool {
        let life = &self.lives.all[life];
        let shown =
            life.shows.iter().zip(&life.is_sure).map(|(shown, sure)| shown.is_some() && *sure);
        self.pictures.iter().zip(shown).any(|(picture, is_shown)| is_shown && picture.time > time)
    }

    /// The message, and of which timeline, that was played last by then.
    pub fn last_played(&self, by: f64) -> Option<(usize, usize)> {
        let played = self.tellers.iter().enumerate().flat_map(|(index, teller)| {
            let messages = teller.played.iter();
            let messages = messages.filter_map(|message| Some((message.time?.0, message.at)));
            let scenes =
                teller.records.iter().filter_map(|record| Some((record.taken?, record.at)));
            messages.chain(scenes).map(move |(time, at)| (time, (index, at)))
        });
        let played = played.filter(|(time, _)| *time <= by);
        played.max_by(|(a, _), (b, _)| a.total_cmp(b)).map(|(_, played)| played)
    }
}

impl Path<'_> {
    /// Whether a message of another timeline is of this story.
    pub fn holds(&self, teller: usize, at: usize) -> bool {
        self.messages(teller, at, at).on
    }
}
