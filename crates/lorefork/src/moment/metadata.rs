//! The metadata of a moment: what of the chat's header goes back to message N with it.

use crate::json::{Json, JsonError};
use crate::memory::guests::{self, Parting};
use crate::memory::memorybooks;
use crate::memory::recap::scene::Scene;
use crate::memory::recap::wrapped::wrapped;
use crate::memory::recap::{RUNNING_KEY, registry, running};
use crate::moment::rebuild::is_same_entry;
use crate::say;
use crate::sentence::Sentence;
use crate::tavern::chat::{Header, HeaderEdit};
use crate::tavern::effects::{self, Move};
use crate::tavern::lorebook::Lorebook;

/// What the header goes back to.
#[derive(Debug, Clone, Copy)]
pub struct Rewind<'r> {
    /// The new timeline's name, and that of the one it comes from.
    pub chat: &'r str,
    /// The name of the timeline it comes from.
    pub parent: &'r str,
    /// The message that all goes back to.
    pub at: usize,
    /// The scenes up to that message.
    pub scenes: &'r [Scene],
    /// The time, in milliseconds since 1970.
    pub now_ms: u64,
    /// ISO.
    pub now: &'r str,
    /// The new lorebook, if it gets one.
    pub lorebook: Option<Exchange<'r>>,
    /// Chats whose memories are this one's.
    pub chats: &'r [memorybooks::Told],
    /// What it leaves to the timeline it comes from.
    pub parting: &'r Parting,
}

/// One lorebook taking the place of another.
#[derive(Debug, Clone, Copy)]
pub struct Exchange<'r> {
    /// The name of the lorebook that was used.
    pub from: &'r str,
    /// `None` if the file is gone.
    pub live: Option<&'r Lorebook<'r>>,
    /// The name of the one that takes its place.
    pub to: &'r str,
    /// What that says.
    pub new: &'r Lorebook<'r>,
    /// Whether the entries are other ones than the live ones, so that indexes are made anew.
    pub is_rebuilt: bool,
}

/// What happened to the metadata besides the plain.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Notes {
    /// A combined recap was made from messages the timeline does not have, and was left out.
    pub dropped_combined_recap: bool,
}

/// Whether a version of the running recap that was made at that time tells of a scene as these
/// scenes have it.
pub(crate) fn is_told(scenes: &[Scene], at: usize, time: Option<f64>) -> bool {
    let is_before = |end: Option<f64>| end.zip(time).is_none_or(|(end, time)| time < end);
    let mut scenes = scenes.iter().filter(|scene| scene.at == at);
    scenes.any(|scene| scene.recap.is_some() && is_before(scene.superseded))
}

/// Sets the metadata in `header` back.
pub fn rewind(header: &mut HeaderEdit, rewind: &Rewind<'_>) -> Result<Notes, JsonError> {
    let before = header.text().to_owned();
    let Ok(parent) = Header::read(&before) else { return Ok(Notes::default()) };
    let mut notes = Notes::default();

    if let Some(storage) = parent.meta(&[RUNNING_KEY]).filter(|storage| storage.is_object()) {
        let is_told = |at: usize, time: Option<f64>| is_told(rewind.scenes, at, time);
        header.set(&[RUNNING_KEY], &running::up_to(storage, rewind.at, is_told, rewind.chat)?)?;
    }
    if let Some(combined) = parent.meta(&["auto_recap", "combined_recap"]) {
        let count = combined.get("message_count").and_then(Json::number).unwrap_or(0.0);
        if count > rewind.at as f64 + 1.0 {
            header.remove(&["auto_recap", "combined_recap"])?;
            notes.dropped_combined_recap = true;
        } else if combined.is_object() {
            header.set_text(&["auto_recap", "combined_recap", "chat_id"], rewind.chat)?;
        }
    }
    if parent
        .meta(&["autoLorebooks", "pendingOps"])
        .is_some_and(|ops| !ops.members().is_empty() || !ops.items().is_empty())
    {
        header.set(&["autoLorebooks", "pendingOps"], "{}")?;
    }
    header.remove(&["lastInContextMessageId"])?;
    guests::part(header, rewind.parting);
    if let Some(exchange) = &rewind.lorebook {
        exchange_lorebook(header, &parent, exchange, rewind)?;
    }
    let own = parent.meta(&[memorybooks::METADATA_KEY]).filter(|own| own.is_object());
    let has_memories =
        rewind.lorebook.is_some_and(|exchange| memorybooks::has_ranges(exchange.new, rewind.chats));
    if own.is_some() || has_memories {
        let own = own.unwrap_or(Json::EMPTY);
        let new = memorybooks::NewTimeline {
            parent: rewind.parent,
            name: rewind.chat,
            last: rewind.at,
            copied: rewind
                .lorebook
                .map(|exchange| (exchange.from, exchange.to))
                .filter(|(from, to)| from != to),
            covered: rewind
                .lorebook
                .and_then(|exchange| memorybooks::covered(exchange.new, rewind.chats)),
            now: rewind.now,
        };
        header.set(&[memorybooks::METADATA_KEY], &memorybooks::metadata(own, &new)?)?;
    }
    Ok(notes)
}

fn exchange_lorebook(
    header: &mut HeaderEdit,
    parent: &Header<'_>,
    exchange: &Exchange<'_>,
    rewind: &Rewind<'_>,
) -> Result<(), JsonError> {
    header.set_text(&["world_info"], exchange.to)?;
    if parent.meta(&["auto_lorebooks"]).is_some_and(Json::is_object) {
        header.set_text(&["auto_lorebooks", "lorebookName"], exchange.to)?;
        header.set(&["auto_lorebooks", "attachedAt"], &rewind.now_ms.to_string())?;
    }
    guests::follow_lorebook(header, exchange.from, exchange.to);
    follow_lorebook(header, parent, exchange)
}

/// What of the header speaks of the lorebook's entries, as they are now: the registry index, and
/// timed effects.
pub fn follow_lorebook(
    header: &mut HeaderEdit,
    parent: &Header<'_>,
    exchange: &Exchange<'_>,
) -> Result<(), JsonError> {
    if exchange.is_rebuilt
        && parent.meta(&["auto_lorebooks"]).is_some_and(Json::is_object)
        && parent.meta(&["auto_lorebooks", "registry"]).is_some_and(Json::is_object)
    {
        header.set(
            &["auto_lorebooks", "registry", "index"],
            &registry::index(&registry::items(exchange.new)),
        )?;
    }
    if let (Some(effects), Some(live)) = (parent.meta(&["timedWorldInfo"]), exchange.live)
        && effects.is_object()
    {
        let moved = effects::moved(
            effects,
            Move {
                from: (exchange.from, live),
                to: (exchange.to, exchange.new),
                is_same: is_same_entry,
                loaded: wrapped,
            },
        )?;
        header.set(&["timedWorldInfo"], &moved)?;
    }
    Ok(())
}

/// What the metadata holds that cannot go back, in words: SillyTavern keeps no history of it.
pub fn not_rewound(header: &Header<'_>) -> Vec<Sentence> {
    const KEYS: [(&str, Sentence); 6] = [
        ("variables", say!("variables")),
        ("note_prompt", say!("author's note")),
        ("script_injects", say!("script injections")),
        ("attachments", say!("attached files")),
        ("scenario", say!("scenario override")),
        ("quickReply", say!("quick replies")),
    ];
    let says_something = |value: Json<'_>| value.truthy() && !["{}", "[]"].contains(&value.text());
    KEYS.into_iter()
        .filter(|(key, _)| header.meta(&[key]).is_some_and(says_something))
        .map(|(_, words)| words)
        .collect()
}
