//! The metadata of a moment: what of the chat's header goes back to message N with it.

use crate::json::{Json, JsonError};
use crate::memory::back::{self, Exchange, Notes, Rewind};
use crate::memory::{names, parting};
use crate::moment::rebuild::is_same_entry;
use crate::say;
use crate::sentence::Sentence;
use crate::tavern::chat::{Header, HeaderEdit};
use crate::tavern::effects::{self, Move};

/// Sets the metadata in `header` back.
pub fn rewind(header: &mut HeaderEdit, rewind: &Rewind<'_>) -> Result<Notes, JsonError> {
    let before = header.text().to_owned();
    let Ok(parent) = Header::read(&before) else { return Ok(Notes::default()) };
    header.remove(&["lastInContextMessageId"])?;
    parting::part(header, rewind.parting);
    if let Some(exchange) = &rewind.lorebook {
        header.set_text(&["world_info"], exchange.to)?;
        names::attach_lorebook(header, exchange.to, Some(rewind.now_ms))?;
        names::exchange_lorebook(header, exchange.from, exchange.to)?;
        follow_lorebook(header, &parent, exchange)?;
    }
    back::set_back(header, &parent, rewind)
}

/// What of the header speaks of the lorebook's entries, as they are now: indexes of them, and timed
/// effects.
pub fn follow_lorebook(
    header: &mut HeaderEdit,
    parent: &Header<'_>,
    exchange: &Exchange<'_>,
) -> Result<(), JsonError> {
    back::reindex(header, parent, exchange)?;
    if let (Some(effects), Some(live)) = (parent.meta(&["timedWorldInfo"]), exchange.live)
        && effects.is_object()
    {
        let moved = effects::moved(
            effects,
            Move {
                from: (exchange.from, live),
                to: (exchange.to, exchange.new),
                is_same: is_same_entry,
                loaded: names::loaded,
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
