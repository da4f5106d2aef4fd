//! Everything a scene recorded, version by version of its recap: when, of which lorebook, which
//! entries, and which of them the scene itself made or changed.

use super::ALL;
use super::scene::Snapshot;
use crate::json::Json;

/// What one version of a scene's recap recorded.
#[derive(Debug, Clone)]
pub struct Recorded<'a> {
    /// Its number, as the message spells it.
    pub version: String,
    /// When the recap was made, as far as known.
    pub made: Option<f64>,
    /// When its snapshot was taken, as far as known.
    pub taken: Option<f64>,
    /// The lorebook it is of.
    pub lorebook: Option<String>,
    /// The lorebook as it was then.
    pub snapshot: Option<Snapshot<'a>>,
    /// Whether nothing says that it was ever combined, which writes it into the lorebook.
    pub is_waiting: bool,
    /// The recap's text, decoded.
    pub recap: String,
    /// Which entries it says to have written.
    pub touched: Touched,
}

/// The entries that a scene made or merged into.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Touched {
    /// By number.
    pub uids: Vec<String>,
    /// By name, as the recap has it; only where no list of numbers was kept.
    pub names: Vec<String>,
    /// What the recap says of each, by name. An entry that the scene makes holds these words.
    pub words: Vec<(String, String)>,
}

/// All that the message's selected swipe recorded.
pub fn all(message: Json<'_>) -> Vec<Recorded<'_>> {
    ALL.iter().flat_map(|memory| memory.recorded(message)).collect()
}

/// All that its swipes recorded, the selected one among them.
pub fn of_swipes(message: Json<'_>) -> Vec<Recorded<'_>> {
    ALL.iter().flat_map(|memory| memory.recorded_by_swipes(message)).collect()
}

/// Recaps that say what they wrote into the lorebook, and of which nothing else is recorded; and
/// whether each is of another swipe than the selected one, where the selected one's stand once more.
pub fn recaps_alone(message: Json<'_>) -> Vec<(Recorded<'_>, bool)> {
    ALL.iter().flat_map(|memory| memory.recaps_alone(message)).collect()
}
