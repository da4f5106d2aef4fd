//! Chats as the repairs so far will leave them: who links to whom, and who names which lorebook.

use crate::audit::facts::{ChatFacts, Folder};
use crate::host::Host;
use crate::operation::staging::Desk;
use crate::tavern::place::Owner;

/// All chats of a character or group. A list made of what they said before would take back what was
/// just repaired.
pub(super) fn decided<H: Host>(desk: &Desk<'_, H>, folder: &Folder, owner: &Owner) -> Folder {
    let theirs = folder.chats.iter().filter(|facts| facts.chat.owner == *owner);
    let chats = theirs.map(|before| {
        let mut facts = ChatFacts::new(before.chat.clone());
        facts.first = before.first.clone();
        facts.links = before.links.clone();
        facts.trouble = before.trouble.clone();
        facts.lay(desk.edits(&before.chat));
        facts
    });
    Folder { chats: chats.collect(), ..Folder::default() }
}
