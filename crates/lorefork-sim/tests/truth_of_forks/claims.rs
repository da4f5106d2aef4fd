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
    undecided: Vec<String>,
}

impl Claims {
    /// From the answer and the new lorebook.
    pub(crate) fn read(made: &Created, book: &Lorebook<'_>) -> Self {
        let whole = match made.quality {
            Quality::Exact => Level::Certain,
            Quality::Snapshot | Quality::Ranged => Level::Recorded,
            // Said with a warning, and nothing is promised of any entry.
            _ => Level::Undecided,
        };
        let listed = book.ours().and_then(|ours| ours.get("undecided"));
        let listed = listed.map(Json::items).unwrap_or_default();
        let uid = |item: &Json<'_>| {
            let uid = item.get("uid")?;
            Some(uid.str().map_or_else(|| uid.text().to_owned(), |text| text.into_owned()))
        };
        Self { whole, undecided: listed.iter().filter_map(uid).collect() }
    }

    /// Of the whole lorebook, and so of an entry that is not in it.
    pub(crate) fn whole(&self) -> Level {
        self.whole
    }

    /// Of the entry with this number.
    pub(crate) fn of(&self, uid: &str) -> Level {
        if self.undecided.iter().any(|other| other == uid) { Level::Undecided } else { self.whole }
    }
}
