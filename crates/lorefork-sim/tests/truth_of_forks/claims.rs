//! What an answer claims, entry by entry.
//!
//! The engine says one word for the whole lorebook, and lists the entries of which it knows that it
//! does not know. Where it says more of single entries, only this file has to learn to read it.

use lorefork::fork::Created;
use lorefork::json::Json;
use lorefork::moment::Quality;
use lorefork::tavern::lorebook::Lorebook;

/// How sure the engine says it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Level {
    /// It was so.
    Certain,
    /// So say the records.
    Recorded,
    /// Nobody can tell, and that is said.
    Undecided,
}

#[derive(Debug)]
pub(crate) struct Claims {
    /// Of whatever is not listed.
    whole: Level,
    /// Numbers of entries that are only as recorded, where that is said of each.
    recorded: Option<Vec<String>>,
    undecided: Vec<String>,
    /// Why, by number.
    whys: Vec<(String, String)>,
}

impl Claims {
    /// From the answer and the new lorebook.
    pub(crate) fn read(made: &Created, book: &Lorebook<'_>) -> Self {
        let listed = book.ours().and_then(|ours| ours.get("undecided"));
        let listed = listed.map(Json::items).unwrap_or_default();
        let text = |item: &Json<'_>, key: &str| {
            let value = item.get(key)?;
            Some(value.str().map_or_else(|| value.text().to_owned(), |text| text.into_owned()))
        };
        let why = |item: &Json<'_>| Some((text(item, "uid")?, text(item, "why")?));
        let whys: Vec<(String, String)> = listed.iter().filter_map(why).collect();
        if let Some((recorded, undecided)) = &made.doubts {
            // Entries that are not there are as sure as the whole is without what is listed.
            let whole = match made.quality {
                Quality::Exact => Level::Certain,
                _ => Level::Recorded,
            };
            let (recorded, undecided) = (Some(recorded.clone()), undecided.clone());
            return Self { whole, recorded, undecided, whys };
        }
        let whole = match made.quality {
            Quality::Exact => Level::Certain,
            Quality::Snapshot | Quality::Ranged => Level::Recorded,
            // Said with a warning, and nothing is promised of any entry.
            _ => Level::Undecided,
        };
        let undecided = whys.iter().map(|(uid, _)| uid.clone()).collect();
        Self { whole, recorded: None, undecided, whys }
    }

    /// Why nobody can tell how the entry with this number was.
    pub(crate) fn why(&self, uid: &str) -> &str {
        self.whys.iter().find(|(other, _)| other == uid).map_or("", |(_, why)| why)
    }

    /// Of the whole lorebook, and so of an entry that is not in it.
    pub(crate) fn whole(&self) -> Level {
        self.whole
    }

    /// What is said of all of it: whether something may be wrong.
    pub(crate) fn said(&self) -> Level {
        if self.undecided.is_empty() { self.whole } else { Level::Undecided }
    }

    /// Of the entry with this number.
    pub(crate) fn of(&self, uid: &str) -> Level {
        let is_in = |list: &[String]| list.iter().any(|other| other == uid);
        match &self.recorded {
            _ if is_in(&self.undecided) => Level::Undecided,
            Some(recorded) if is_in(recorded) => Level::Recorded,
            Some(_) => Level::Certain,
            None => self.whole,
        }
    }
}
